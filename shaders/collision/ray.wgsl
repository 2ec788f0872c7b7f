// Ray casting: distance to the first surface hit, and the outward normal there. Twin: crates/cpu/src/collision/ray.rs.

import package::math::vector::normalize3;

// Distance in units of the direction's length, negative for a miss, and outward unit normal.
struct Hit {
    dist: f32,
    normal: vec3f,
}

// A miss.
fn no_hit() -> Hit {
    return Hit(-1.0, vec3f(0.0));
}

// Stands for infinity.
const FAR: f32 = 1e30;

// Enlarges bounding spheres a little, for rays tangent to the shapes inside.
const BOUND_SLACK: f32 = 1.0 + 1e-5;

// Half the width of a row of cells, and a little for rounding.
const ROW_SLACK: f32 = 0.51;

// Enlargement of a mesh's bounding boxes, relative to the distance, for rounding.
const BOX_SLACK: f32 = 1e-6;

// Nearest hit of a ray among all geoms except those of one body; fully transparent geoms are ignored.
fn ray(point: vec3f, direction: vec3f, exclude: u32) -> Hit {
    var best = no_hit();
    for (var g = 0u; g < ngeom; g++) {
        // skip the excluded body, transparent geoms, and geoms out of reach
        var alpha = geom_rgba(4u * g + 3u);
        if (geom_matid(g) >= 0) {
            alpha = mat_rgba(4u * u32(geom_matid(g)) + 3u);
        }
        if (u32(geom_bodyid(g)) == exclude || alpha == 0.0 || is_culled(g, point, direction, best.dist)) {
            continue;
        }
        // ray in the frame of the geom
        let mat = geom_xmat_mat3(g);
        let p = (point - geom_xpos_vec3(g)) * mat;
        let v = direction * mat;
        var hit = no_hit();
        let kind = geom_type(g);
        if (kind == GEOM_MESH) {
//#if RAY_MESH
            hit = ray_mesh(u32(geom_dataid(g)), p, v);
//#endif
        } else if (kind == GEOM_HFIELD) {
//#if RAY_HFIELD
            hit = ray_hfield(u32(geom_dataid(g)), p, v);
//#endif
        } else {
            hit = ray_shape(kind, geom_size_vec3(g), p, v);
        }
        if (hit.dist >= 0.0 && (best.dist < 0.0 || hit.dist < best.dist)) {
            best = Hit(hit.dist, mat * hit.normal);
        }
    }
    return best;
}

// True if a ray misses the bounding sphere of a geom, or hits it beyond the nearest hit so far. Planes and height
// fields have no usable sphere.
fn is_culled(g: u32, point: vec3f, direction: vec3f, near: f32) -> bool {
    let kind = geom_type(g);
    if (kind == GEOM_PLANE || kind == GEOM_HFIELD) {
        return false;
    }
    let interval = sphere_interval(point - geom_xpos_vec3(g), direction, geom_rbound(g) * BOUND_SLACK);
    return interval.x > interval.y || interval.y < 0.0 || (near >= 0.0 && interval.x > near);
}

// Hit on a primitive, in the frame of the shape.
fn ray_shape(kind: i32, size: vec3f, p: vec3f, v: vec3f) -> Hit {
    var dist = -1.0;
    var normal = vec3f(0.0, 0.0, 1.0);
    if (kind == GEOM_PLANE) {
        return ray_plane(size, p, v);
    }
    if (kind == GEOM_CAPSULE) {
        return ray_capsule(size, p, v);
    }
    if (kind == GEOM_SPHERE || kind == GEOM_ELLIPSOID) {
        // unit sphere in scaled space
        let radii = select(size.xxx, size, kind == GEOM_ELLIPSOID);
        dist = first_of(sphere_interval(p / radii, v / radii, 1.0));
        normal = (p + v * dist) / (radii * radii);
    }
    if (kind == GEOM_CYLINDER) {
        let ends = slab_interval(p.z, v.z, size.y);
        dist = first_of(intersect(sphere_interval(vec3f(p.xy, 0.0), vec3f(v.xy, 0.0), size.x), ends));
        let at = p + v * dist;
        normal = select(vec3f(at.xy, 0.0), vec3f(0.0, 0.0, at.z), dist == ends.x || dist == ends.y);
    }
    if (kind == GEOM_BOX) {
        let x = slab_interval(p.x, v.x, size.x);
        let y = slab_interval(p.y, v.y, size.y);
        let z = slab_interval(p.z, v.z, size.z);
        dist = first_of(intersect(intersect(x, y), z));
        let at = p + v * dist;
        normal = vec3f(0.0, 0.0, at.z);
        if (dist == x.x || dist == x.y) {
            normal = vec3f(at.x, 0.0, 0.0);
        } else if (dist == y.x || dist == y.y) {
            normal = vec3f(0.0, at.y, 0.0);
        }
    }
    if (dist < 0.0) {
        return no_hit();
    }
    return Hit(dist, normalize3(normal));
}

// Parameter interval [x, y] of a ray inside a convex shape, empty if x > y: the whole line, or nothing.
fn all_or_none(all: bool) -> vec2f {
    return select(vec2f(FAR, -FAR), vec2f(-FAR, FAR), all);
}

// Intersection of two intervals.
fn intersect(a: vec2f, b: vec2f) -> vec2f {
    return vec2f(max(a.x, b.x), min(a.y, b.y));
}

// First surface ahead; negative if there is none.
fn first_of(interval: vec2f) -> f32 {
    if (interval.x > interval.y || interval.y < 0.0) {
        return -1.0;
    }
    return select(interval.y, interval.x, interval.x >= 0.0);
}

// Interval of a ray inside a sphere at the origin, relative to the point closest to the centre to avoid cancellation.
fn sphere_interval(p: vec3f, v: vec3f, radius: f32) -> vec2f {
    let square = dot(v, v);
    if (square < MINVAL) {
        return all_or_none(dot(p, p) <= radius * radius);
    }
    let middle = -dot(p, v) / square;
    let nearest = p + v * middle;
    let left = radius * radius - dot(nearest, nearest);
    if (left <= 0.0) {
        return all_or_none(false);
    }
    let half = sqrt(left / square);
    return vec2f(middle - half, middle + half);
}

// Interval of a ray within a slab of half width `half` about the origin.
fn slab_interval(p: f32, v: f32, half: f32) -> vec2f {
    if (abs(v) < MINVAL) {
        return all_or_none(abs(p) <= half);
    }
    let side = select(-half, half, v > 0.0);
    return vec2f((-side - p) / v, (side - p) / v);
}

// Hit on the upper side of a plane, of limited size where size is positive.
fn ray_plane(size: vec3f, p: vec3f, v: vec3f) -> Hit {
    if (v.z > -MINVAL) {
        return no_hit();
    }
    let dist = -p.z / v.z;
    let at = abs(p + v * dist);
    if (dist < 0.0 || (size.x > 0.0 && at.x > size.x) || (size.y > 0.0 && at.y > size.y)) {
        return no_hit();
    }
    return Hit(dist, vec3f(0.0, 0.0, 1.0));
}

// Nearest hit on the side of a capsule and the outer hemispheres at its ends.
fn ray_capsule(size: vec3f, p: vec3f, v: vec3f) -> Hit {
    var dist = -1.0;
    var normal = vec3f(0.0);
    // the cylindrical side, then the spheres at the upper and lower end
    for (var part = 0u; part < 3u; part++) {
        let shift = select(select(-size.y, size.y, part == 1u), p.z, part == 0u);
        let center = vec3f(0.0, 0.0, shift);
        var along = v;
        if (part == 0u) {
            along.z = 0.0;
        }
        let interval = sphere_interval(p - center, along, size.x);
        if (interval.x > interval.y || dot(along, along) < MINVAL) {
            continue;
        }
        // entry and exit, if they belong to this part of the surface
        for (var end = 0u; end < 2u; end++) {
            let x = select(interval.x, interval.y, end == 1u);
            let at = p + v * x;
            var here = abs(at.z) <= size.y;
            if (part > 0u) {
                here = select(at.z <= -size.y, at.z >= size.y, part == 1u);
            }
            if (here && x >= 0.0 && (dist < 0.0 || x < dist)) {
                dist = x;
                normal = select(at - center, vec3f(at.xy, 0.0), part == 0u);
            }
        }
    }
    if (dist < 0.0) {
        return no_hit();
    }
    return Hit(dist, normalize3(normal));
}

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
fn keep_hit(hit: Hit) {
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

// Vertex of the surface of a height field.
fn hfield_vertex(field: u32, row: u32, col: u32) -> vec3f {
    let size = hfield_size_vec4(field);
    let counts = vec2u(u32(hfield_ncol(field)), u32(hfield_nrow(field)));
    let cell = vec2f(f32(col), f32(row)) * (2.0 * size.xy / vec2f(counts - 1u));
    return vec3f(cell - size.xy, hfield_data(u32(hfield_adr(field)) + row * counts.x + col) * size.z);
}

// First cell, and one past the last, along an axis under an interval of a ray, with one more on each side; `p` is
// relative to the first vertex.
fn cells_under(p: f32, v: f32, step: f32, count: f32, part: vec2f) -> vec2u {
    let came = floor((p + part.x * v) / step);
    let goes = floor((p + part.y * v) / step);
    let low = clamp(min(came, goes) - 1.0, 0.0, count - 1.0);
    let high = clamp(max(came, goes) + 2.0, 0.0, count - 1.0);
    return vec2u(u32(low), u32(high));
}

// Hit on a height field: its base, its surface, or the walls below its border.
fn ray_hfield(field: u32, p: vec3f, v: vec3f) -> Hit {
    let size = hfield_size_vec4(field);
    let x = slab_interval(p.x, v.x, size.x);
    let y = slab_interval(p.y, v.y, size.y);
    let base = intersect(intersect(x, y), slab_interval(p.z + 0.5 * size.w, v.z, 0.5 * size.w));
    nearest_hit = no_hit();
    let below = first_of(base);
    if (below >= 0.0) {
        let at = p + v * below;
        nearest_hit = Hit(below, vec3f(0.0, 0.0, sign(at.z + 0.5 * size.w)));
        if (below == x.x || below == x.y) {
            nearest_hit.normal = vec3f(sign(at.x), 0.0, 0.0);
        } else if (below == y.x || below == y.y) {
            nearest_hit.normal = vec3f(0.0, sign(at.y), 0.0);
        }
    }
    // interval of the ray in the box of the surface
    let inside = intersect(intersect(x, y), slab_interval(p.z - 0.5 * size.z, v.z, 0.5 * size.z));
    if (inside.x > inside.y || inside.y < 0.0) {
        return nearest_hit;
    }
    // rows of cells under it, and one more on each side
    let counts = vec2f(f32(hfield_ncol(field)), f32(hfield_nrow(field)));
    let step = 2.0 * size.xy / (counts - 1.0);
    let ahead = vec2f(max(inside.x, 0.0), inside.y);
    let rows = cells_under(p.y + size.y, v.y, step.y, counts.y, ahead);
    for (var r = rows.x; r < rows.y; r++) {
        // cells of a row under the part of the ray between its two sides
        let middle = step.y * (f32(r) + 0.5) - size.y;
        let part = intersect(ahead, slab_interval(p.y - middle, v.y, ROW_SLACK * step.y));
        if (part.x > part.y) {
            continue;
        }
        let cols = cells_under(p.x + size.x, v.x, step.x, counts.x, part);
        for (var c = cols.x; c < cols.y; c++) {
            let corner = hfield_vertex(field, r, c);
            let across = hfield_vertex(field, r + 1u, c + 1u);
            keep_hit(ray_triangle(corner, hfield_vertex(field, r, c + 1u), across, p, v));
            keep_hit(ray_triangle(corner, across, hfield_vertex(field, r + 1u, c), p, v));
        }
    }
    // walls: the ray enters or leaves the box below the border of the surface
    for (var wall = 0u; wall < 4u; wall++) {
        let of_x = wall < 2u;
        let interval = select(y, x, of_x);
        let dist = select(interval.x, interval.y, (wall & 1u) == 1u);
        if ((dist != inside.x && dist != inside.y) || dist < 0.0) {
            continue;
        }
        let at = p + v * dist;
        let along = select((at.x + size.x) / step.x, (at.y + size.y) / step.y, of_x);
        let cell = clamp(floor(along), 0.0, select(counts.x, counts.y, of_x) - 2.0);
        let i = u32(cell);
        let beyond = select(at.y, at.x, of_x) > 0.0;
        let edge = select(0u, u32(select(counts.y, counts.x, of_x)) - 1u, beyond);
        let h0 = hfield_vertex(field, select(edge, i, of_x), select(i, edge, of_x)).z;
        let h1 = hfield_vertex(field, select(edge, i + 1u, of_x), select(i + 1u, edge, of_x)).z;
        if (at.z < h0 + (h1 - h0) * (along - cell)) {
            let normal = select(vec3f(0.0, sign(at.y), 0.0), vec3f(sign(at.x), 0.0, 0.0), of_x);
            keep_hit(Hit(dist, normal));
        }
    }
    return nearest_hit;
}

// True if a point in the frame of a primitive is inside it, or below it for a plane.
fn is_inside(kind: i32, size: vec3f, p: vec3f) -> bool {
    let square = dot(p.xy, p.xy);
    if (kind == GEOM_PLANE) {
        return p.z < 0.0;
    }
    if (kind == GEOM_SPHERE) {
        return dot(p, p) < size.x * size.x;
    }
    if (kind == GEOM_CAPSULE) {
        let over = p.z - clamp(p.z, -size.y, size.y);
        return square + over * over < size.x * size.x;
    }
    if (kind == GEOM_ELLIPSOID) {
        let q = p / size;
        return dot(q, q) < 1.0;
    }
    if (kind == GEOM_CYLINDER) {
        return abs(p.z) < size.y && square < size.x * size.x;
    }
    return kind == GEOM_BOX && abs(p.x) < size.x && abs(p.y) < size.y && abs(p.z) < size.z;
}
