// Points at which two convex shapes are nearest, or touch: from the supports of a direction. Twin:
// crates/cpu/src/collision/witness.rs.

import package::collision::gjk::{self, gjk_direction, gjk_witness};
import package::collision::penetration::{QUERY_LIFT, witness};
import package::collision::support_map::{
    self, ConvexShape, FLAT_TOLERANCE, has_flat, is_hull, minkowski_support, minkowski_support_a, support,
};

//#if POLYTOPE
// Touching points of two cores along n, one of them a polytope: the unique support point of the other, or else the
// preimage of the closest point of the Minkowski difference to a point above it.
fn hull_witnesses(a: ConvexShape, b: ConvexShape, n: vec3f, height: f32) -> array<vec3f, 2> {
    let across = n * height;
    let difference = minkowski_support(a, b, n);
    if (is_single(b, n)) {
        let q = minkowski_support_a - difference;
        return array<vec3f, 2>(q + across, q);
    }
    if (is_single(a, n)) {
        return array<vec3f, 2>(minkowski_support_a, minkowski_support_a - across);
    }
    var p = witness.xyz;
    if (witness.w == 0.0) {
        let size = sqrt(dot(a.size, a.size)) + sqrt(dot(b.size, b.size));
        gjk_witness = a.pos;
        gjk_direction = n;
        let state = gjk::search(a, b, QUERY_LIFT * size, 8.0 * size, 0.0);
        p = gjk_witness;
    }
    return array<vec3f, 2>(p, p - across);
}

// True if a shape has a single support point in direction n.
fn is_single(s: ConvexShape, n: vec3f) -> bool {
    if (is_hull(s)) {
        return false;
    }
    // a cylinder is flat on its side and on its caps
    let around = cross(s.mat[2], n);
    var single = !(s.kind == GEOM_CYLINDER && sqrt(dot(around, around)) < LOOSE_FLAT_TOLERANCE);
    for (var k = 0u; k < 3u; k++) {
        let round_one = s.kind == GEOM_CYLINDER && k < 2u;
        single = single && (round_one || !has_flat(s, k) || abs(dot(support_map::axis(s, k), n)) >= LOOSE_FLAT_TOLERANCE);
    }
    return single;
}
//#endif

// Touching points of two cores along n.
fn core_witnesses(a: ConvexShape, b: ConvexShape, n: vec3f) -> array<vec3f, 2> {
    // alternating projections, which end where both support sets are flat
    var p = b.pos;
    var q = b.pos;
    for (var k = 0u; k < 4u; k++) {
        let back = k % 2u == 1u;
        var s = a;
        if (back) {
            s = b;
        }
        let far = support(s, select(n, -n, back), select(q, p, back), FLAT_TOLERANCE);
        p = select(far, p, back);
        q = select(q, far, back);
    }
    // two skew edges
    let one = single_edge(a, n);
    let two = single_edge(b, n);
    let area = dot(cross(one, two), n);
    if (abs(area) > 1e-3) {
        let apart = q - p;
        p = p + one * (dot(cross(apart, two), n) / area);
        q = q + two * (dot(cross(apart, one), n) / area);
    }
    return array<vec3f, 2>(p, q);
}

// Support edge of a shape in direction n; zero if the support set is a vertex or a face.
fn single_edge(s: ConvexShape, n: vec3f) -> vec3f {
    var edge = vec3f(0.0);
    var count = 0u;
    for (var k = 0u; k < 3u; k++) {
        // the radial axes of a cylinder count for its caps only
        let round_one = s.kind == GEOM_CYLINDER && k < 2u;
        if (has_flat(s, k) && !round_one && abs(dot(support_map::axis(s, k), n)) < FLAT_TOLERANCE) {
            edge = support_map::axis(s, k);
            count++;
        }
    }
    return select(vec3f(0.0), edge, count == 1u);
}

// Flatness tolerance for a normal taken from the closest triangle, which is less exact.
const LOOSE_FLAT_TOLERANCE: f32 = 3.4526698e-3;
