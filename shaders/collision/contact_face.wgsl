// Faces and edges of a convex shape that touch. Twin: crates/cpu/src/collision/contact_face.rs, which compares those of a mesh
// with a direction in the frame of the mesh; here they are turned into the world.

import package::collision::polytope;
import package::collision::support_map::{self, ConvexShape, FLAT_TOLERANCE, is_hull};
import package::math::vector::normalize3;

// Cosine of the largest angle between the normal of a polygon and a plane that three of its vertices touch.
const BENT_COSINE: f32 = 0.9995;

// Vertices of a cap, and capacity of the polygon during clipping.
const CAP_CORNERS: u32 = 16u;

// A face of a shape: its axis and side, or a polygon; its normal; whether there is one.
struct Face {
    k: u32,
    sign: f32,
    normal: vec3f,
    any: bool,
}

// What a shape touches with: its support vertex, of a polytope; the other end of the edge of a polytope that touches,
// if it is the only one; the dimension, a vertex (1), a straight edge (2) or a face (3), a cylinder's cap counting as its
// rim.
struct Feature {
    vertex: u32,
    end: u32,
    dim: u32,
}

// No end of an edge.
const NO_END: u32 = 0xffffffffu;

// Vertex or edge of a shape that touches along n.
fn feature_along(s: ConvexShape, n: vec3f) -> Feature {
//#if POLYTOPE
    if (is_hull(s)) {
        var feature = Feature(polytope::support(s.mesh, n * s.mat), NO_END, 1u);
        let corner = polytope::vertex(s.mesh, feature.vertex);
        for (var k = 0u; k < polytope::valence(s.mesh, feature.vertex); k++) {
            let end = polytope::ring_vertex(s.mesh, feature.vertex, k);
            let along = normalize3(s.mat * (polytope::vertex(s.mesh, end) - corner));
            if (abs(dot(along, n)) < FLAT_TOLERANCE) {
                feature.end = select(NO_END, end, feature.dim == 1u);
                feature.dim = 2u;
            }
        }
        return feature;
    }
//#endif
    var across = 0u;
    for (var k = 0u; k < 3u; k++) {
        across += u32(abs(dot(support_map::axis(s, k), n)) < FLAT_TOLERANCE && (s.kind == GEOM_BOX || (s.kind == GEOM_CYLINDER && k == 2u)));
    }
    return Feature(0u, NO_END, 1u + across);
}

// Number of candidate faces of a shape; of a mesh, those at its support vertex.
fn face_count(s: ConvexShape, v: u32) -> u32 {
//#if POLYTOPE
    if (is_hull(s)) {
        return polytope::valence(s.mesh, v);
    }
//#endif
    return 3u;
}

// Candidate face k, if it may touch along n: a cap of a cylinder that is not on its side, a face of a box, or a
// polygon of a mesh, at the edge that touches if there is one.
fn face_at(s: ConvexShape, feature: Feature, k: u32, n: vec3f) -> Face {
//#if POLYTOPE
    if (is_hull(s)) {
        let polygon = polytope::ring_polygon(s.mesh, feature.vertex, k);
        let normal = s.mat * polytope::normal(s.mesh, polygon);
        var touches = dot(normal, n) >= FLAT_TOLERANCE;
        if (touches && feature.end != NO_END) {
            touches = polytope::has_vertex(s.mesh, polygon, feature.end);
        }
        return Face(polygon, 1.0, normal, touches);
    }
//#endif
    let along = dot(support_map::axis(s, k), n);
    let has = s.kind == GEOM_BOX || (s.kind == GEOM_CYLINDER && k == 2u);
    let side = select(-1.0, 1.0, along >= 0.0);
    return Face(k, side, support_map::axis(s, k) * side, has && abs(along) >= FLAT_TOLERANCE);
}

// Candidate face most aligned with n.
fn best_face(s: ConvexShape, feature: Feature, n: vec3f) -> Face {
    var best = 0.0;
    var chosen = Face(0u, 0.0, vec3f(0.0), false);
    for (var k = 0u; k < face_count(s, feature.vertex); k++) {
        let face = face_at(s, feature, k, n);
        let cosine = dot(face.normal, n);
        if (face.any && cosine > best) {
            best = cosine;
            chosen = face;
        }
    }
    return chosen;
}

// Polygon at a vertex of a mesh of which three vertices touch a plane along n, if there is one. Polygons may be bent:
// their normals do not tell.
fn level_face(s: ConvexShape, v: u32, n: vec3f) -> Face {
//#if POLYTOPE
    if (is_hull(s)) {
        let way = n * s.mat;
        let base = polytope::vertex(s.mesh, v);
        for (var k = 0u; k < polytope::valence(s.mesh, v); k++) {
            let polygon = polytope::ring_polygon(s.mesh, v, k);
            let normal = polytope::normal(s.mesh, polygon);
            if (dot(normal, way) <= BENT_COSINE) {
                continue;
            }
            var touching = 0u;
            for (var c = 0u; c < polytope::corners(s.mesh, polygon); c++) {
                let apart = polytope::vertex(s.mesh, polytope::corner(s.mesh, polygon, c)) - base;
                touching += u32(abs(dot(apart, way)) <= FLAT_TOLERANCE * length(apart));
            }
            if (touching >= 3u) {
                return Face(polygon, 1.0, s.mat * normal, true);
            }
        }
    }
//#endif
    return Face(0u, 0.0, vec3f(0.0), false);
}

// Number of vertices of a face.
fn face_corners(s: ConvexShape, on: Face) -> u32 {
//#if POLYTOPE
    if (is_hull(s)) {
        return polytope::corners(s.mesh, on.k);
    }
//#endif
    return select(4u, CAP_CORNERS, s.kind == GEOM_CYLINDER);
}

// Vertex c of a face.
fn face_corner(s: ConvexShape, on: Face, c: u32) -> vec3f {
//#if POLYTOPE
    if (is_hull(s)) {
        return s.pos + s.mat * polytope::vertex(s.mesh, polytope::corner(s.mesh, on.k, c));
    }
//#endif
    if (s.kind == GEOM_CYLINDER) {
        // cosine and sine of multiples of a sixteenth turn
        let around = vec2f(sixteenth_sine(c), sixteenth_sine((c + 4u) % 16u));
        let center = s.pos + s.mat[2] * (s.size.y * on.sign);
        return center + s.mat[0] * (s.size.x * around.y) - s.mat[1] * (s.size.x * on.sign * around.x);
    }
    // signs along the two axes after the face's own; the far face is the near one turned over
    let one = select(-1.0, 1.0, c < 2u);
    let two = select(-1.0, 1.0, c == 0u || c == 3u);
    var local = vec3f(1.0, one, two * on.sign);
    if (on.k == 1u) {
        local = vec3f(-two, 1.0, -one * on.sign);
    }
    if (on.k == 2u) {
        local = vec3f(-two * on.sign, one, 1.0);
    }
    local = select(local, vec3f(on.sign), vec3<bool>(on.k == 0u, on.k == 1u, on.k == 2u));
    return s.pos + s.mat * (local * s.size);
}

// Sine of c sixteenths of a turn.
fn sixteenth_sine(c: u32) -> f32 {
    let k = c % 8u;
    let near = min(k, 8u - k);
    var sine = select(0.0, 0.38268343, near == 1u);
    sine = select(sine, 0.70710678, near == 2u);
    sine = select(sine, 0.92387953, near == 3u);
    sine = select(sine, 1.0, near == 4u);
    return select(sine, -sine, c >= 8u);
}
