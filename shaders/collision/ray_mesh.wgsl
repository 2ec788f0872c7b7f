// Rays against meshes, by their bounding-volume trees. Twin: crates/cpu/src/collision/ray_mesh.rs.

import package::collision::ray_shape::{Hit, intersect, no_hit, slab_interval};
import package::math::vector::normalize3;

// Enlarges bounding spheres a little, for rays tangent to the shapes inside.
const BOUND_SLACK: f32 = 1.0 + 1e-5;

// Hit on a triangle from either side; the normal follows the order of its vertices.
fn ray_triangle(c0: vec3f, c1: vec3f, c2: vec3f, p: vec3f, v: vec3f) -> Hit {
    let a = c1 - c0;
    let b = c2 - c0;
    let h = cross(v, b);
    let det = dot(a, h);
    if (abs(det) < MINVAL) {
        return no_hit();
    }
    let offset = p - c0;
    let q = cross(offset, a);
    let s = dot(offset, h) / det;
    let t = dot(v, q) / det;
    let dist = dot(b, q) / det;
    if (s < 0.0 || t < 0.0 || s + t > 1.0 || dist < 0.0) {
        return no_hit();
    }
    return Hit(dist, normalize3(cross(a, b)));
}

// Nearest hit of the current shape so far.
var<private> nearest_hit: Hit;

// Keeps a hit if it is nearer than the nearest so far.
fn take_nearer(hit: Hit) {
    if (hit.dist >= 0.0 && (nearest_hit.dist < 0.0 || hit.dist < nearest_hit.dist)) {
        nearest_hit = hit;
    }
}

// Nearest hit on a mesh: descends its bounding volume hierarchy, skipping boxes missed by the ray or beyond the
// nearest hit. Of triangles at equal distance the first of the mesh counts.
fn ray_mesh(mesh: u32, p: vec3f, v: vec3f) -> Hit {
    let first = u32(mesh_faceadr(mesh));
    let verts = u32(mesh_vertadr(mesh));
    let root = u32(meshbvh_adr(mesh));
    let count = u32(meshbvh_num(mesh));
    let slack = BOX_SLACK * max(abs(p.x), max(abs(p.y), abs(p.z)));
    var best = no_hit();
    var chosen = 0;
    var node = 0u;
    while (node < count) {
        // a box that is missed or too far: skip its subtree
        let n = root + node;
        let interval = box_interval(n, slack, p, v);
        if (interval.x > interval.y || interval.y < 0.0 || (best.dist >= 0.0 && interval.x > best.dist)) {
            node = u32(meshbvh_skip(n));
            continue;
        }
        // triangles of a leaf
        let leaf = first + u32(meshbvh_faceadr(n));
        let end = leaf + u32(meshbvh_facenum(n));
        for (var k = leaf; k < end; k++) {
            let f = meshbvh_face(k);
            let at = 3u * (first + u32(f));
            let c0 = mesh_vert_vec3(verts + u32(mesh_face(at)));
            let c1 = mesh_vert_vec3(verts + u32(mesh_face(at + 1u)));
            let c2 = mesh_vert_vec3(verts + u32(mesh_face(at + 2u)));
            let hit = ray_triangle(c0, c1, c2, p, v);
            let closer = best.dist < 0.0 || hit.dist < best.dist || (hit.dist == best.dist && f < chosen);
            if (hit.dist >= 0.0 && closer) {
                best = hit;
                chosen = f;
            }
        }
        node++;
    }
    return best;
}

// Interval of a ray in the box of a node.
fn box_interval(n: u32, slack: f32, p: vec3f, v: vec3f) -> vec2f {
    let x = slab_interval(p.x - meshbvh_aabb(6u * n), v.x, meshbvh_aabb(6u * n + 3u) + slack);
    let y = slab_interval(p.y - meshbvh_aabb(6u * n + 1u), v.y, meshbvh_aabb(6u * n + 4u) + slack);
    let z = slab_interval(p.z - meshbvh_aabb(6u * n + 2u), v.z, meshbvh_aabb(6u * n + 5u) + slack);
    return intersect(intersect(x, y), z);
}

// Enlargement of a mesh's bounding boxes, relative to the distance, for rounding.
const BOX_SLACK: f32 = 1e-6;
