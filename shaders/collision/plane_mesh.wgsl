// Plane-mesh contacts. Twin: crates/cpu/src/collision/plane_mesh.rs. The deepest vertex of the hull, and up to three more
// vertices of its polygon that faces the plane most, chosen to span a large area.

import package::collision::polytope;
import package::collision::primitives::{append, ContactPoint, nfound, Shape};

// Contacts of a plane and a mesh nearer than `margin`.
fn plane_mesh(plane: Shape, mesh: i32, shaped: Shape, margin: f32) {
    let normal = plane.mat[2];
    let down = -normal * shaped.mat;
    let deepest = polytope::support(mesh, down);
    // polygon most parallel to the plane
    var best = -1.0;
    var polygon = 0u;
    // read before the loop: what its condition reads, SwiftShader does not read again behind it, and worlds that leave
    // the loop earlier would have zero there
    let valence = polytope::valence(mesh, deepest);
    for (var k = 0u; k < valence; k++) {
        let candidate = polytope::ring_polygon(mesh, deepest, k);
        let cosine = dot(polytope::normal(mesh, candidate), down);
        if (cosine > best) {
            best = cosine;
            polygon = candidate;
        }
    }
    var outline = vec2u(0u, 1u);
    var chosen = vec4u(0u);
    if (best > -1.0) {
        outline = polytope::polygon_range(mesh, polygon);
        chosen = spread_corners(mesh, outline, deepest);
    }
    for (var k = 0u; k < min(outline.y, 4u); k++) {
        var v = deepest;
        if (k > 0u) {
            v = u32(mesh_polyvert(outline.x + select(chosen.y, select(chosen.z, chosen.w, k == 3u), k >= 2u)));
        }
        let at = shaped.pos + shaped.mat * polytope::vertex(mesh, v);
        let dist = dot(at - plane.pos, normal);
        // none above the centre, and none without the deepest vertex
        if (dist <= margin && (k == 0u || (nfound > 0u && dot(at - shaped.pos, normal) <= 0.0))) {
            append(ContactPoint(dist, at - normal * (0.5 * dist), normal, vec3f(0.0)));
        }
    }
}

// Vertices of a polygon that span a large area: `first` and up to three more.
fn spread_corners(mesh: i32, outline: vec2u, first: u32) -> vec4u {
    let count = outline.y;
    var begin = 0u;
    for (var c = 0u; c < count; c++) {
        if (u32(mesh_polyvert(outline.x + c)) == first) {
            begin = c;
            break;
        }
    }
    var at = (vec4u(0u, 1u, 2u, 3u) + vec4u(begin)) % vec4u(count);
    if (count <= 4u) {
        return at;
    }
    var most = -1.0;
    // the last vertex advances; after each of its moves the two before it follow as far as they can
    var k = 3u;
    for (var tries = 0u; tries < 4u * count + 1u; tries++) {
        var next = at;
        // the initial area is that of the first four
        if (tries > 0u) {
            next.w = select(next.w, (at.w + 1u) % count, k == 3u);
            next.z = select(next.z, (at.z + 1u) % count, k == 2u);
            next.y = select(next.y, (at.y + 1u) % count, k == 1u);
        }
        let p = mat4x3f(
            polytope::vertex(mesh, u32(mesh_polyvert(outline.x + next.x))),
            polytope::vertex(mesh, u32(mesh_polyvert(outline.x + next.y))),
            polytope::vertex(mesh, u32(mesh_polyvert(outline.x + next.z))),
            polytope::vertex(mesh, u32(mesh_polyvert(outline.x + next.w))));
        let across = cross(p[0] - p[2], p[1] - p[3]);
        let value = sqrt(dot(across, across));
        if (tries == 0u) {
            most = value;
        } else if (value > most) {
            at = next;
            most = value;
            k = select(k, 2u, k == 3u);
        } else if (k == 3u) {
            break;
        } else {
            k = select(3u, 1u, k == 2u);
        }
    }
    return at;
}
