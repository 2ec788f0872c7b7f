// Closest point of the Minkowski difference of two convex shapes to a query point. Twin: crates/cpu/src/collision/gjk.rs.
//
// Algorithm of Gilbert, Johnson and Keerthi after van den Bergen (Collision Detection in Interactive 3D Environments,
// 4.3): a simplex of points of the difference, the support point in the direction of the simplex's closest point, and
// the smallest sub-simplex of both that holds the closest point.

import package::collision::support_map::{ConvexShape, EPSILON, minkowski_support, minkowski_support_a};

// Most support points of one search.
const GJK_ITERATIONS: u32 = 40u;

// Outcome: the query point is outside; it is inside, or closer to the surface than precision resolves; or the search
// was cut off, by a distance above `reach`.
const GJK_OUTSIDE: u32 = 0u;
const GJK_INSIDE: u32 = 1u;
const GJK_FAR: u32 = 2u;

// Points of the Minkowski difference relative to the query point, their number, and the direction from the difference
// to the query point.
var<private> simplex_points: array<vec3f, 4>;
var<private> simplex_count: u32;
var<private> gjk_direction: vec3f;

// The query point.
var<private> gjk_target: vec3f;

// Support function of the difference in the last direction.
var<private> gjk_height: f32;

// Direction of the lowest support function seen during the search (xyz), and its value (w).
var<private> gjk_minimum: vec4f;
//#if POLYTOPE

// Points of the first shape that belong to the simplex, barycentric coordinates of the closest point, and its
// preimage on the first shape.
var<private> simplex_points_a: array<vec3f, 4>;
var<private> simplex_barycentrics: vec3f;
var<private> gjk_witness: vec3f;

// Vertices of a triangle that the simplex keeps.
var<private> simplex_order: vec3u;
//#endif

// The origin as the query point instead of a height above the surface.
const TARGET_ORIGIN: f32 = -1.0;

// Moves gjk_direction to the direction from the Minkowski difference of a and b to the point `lift` above its
// surface, or to the origin. Stops if a plane keeps the difference farther than `reach` away. Distances up to
// `tolerance` count as inside.
fn search(a: ConvexShape, b: ConvexShape, lift: f32, reach: f32, tolerance: f32) -> u32 {
    simplex_count = 0u;
//#if POLYTOPE
    // unused vertices have weight zero and must be finite
    for (var k = 0u; k < 4u; k++) {
        simplex_points_a[k] = vec3f(0.0);
    }
//#endif
    var nearest = vec3f(0.0);
    var square = 0.0;
    for (var round = 0u; round <= GJK_ITERATIONS; round++) {
        // support point; the first one fixes the query point
        let difference = minkowski_support(a, b, gjk_direction);
        gjk_height = dot(difference, gjk_direction);
        if (round == 0u) {
            gjk_target = select(gjk_direction * (gjk_height + lift), vec3f(0.0), lift == TARGET_ORIGIN);
        }
        let point = difference - gjk_target;
        if (round == 0u || gjk_height < gjk_minimum.w) {
            gjk_minimum = vec4f(gjk_direction, gjk_height);
        }
        // early out: too far
        if (-dot(point, gjk_direction) > reach) {
            return GJK_FAR;
        }
        // converged: the support point is no closer than the simplex
        if (round == GJK_ITERATIONS || (round > 0u && square - dot(nearest, point) <= 8.0 * EPSILON * square)) {
            break;
        }
        // smaller simplex of the old one and the new point
        simplex_points[simplex_count] = point;
//#if POLYTOPE
        simplex_points_a[simplex_count] = minkowski_support_a;
//#endif
        simplex_count++;
        let next = reduce_simplex();
        let squared = dot(next, next);
        if (simplex_count == 4u || squared <= tolerance * tolerance) {
            return GJK_INSIDE;
        }
        // no progress within rounding
        if (round > 0u && squared >= square) {
            break;
        }
        nearest = next;
        square = squared;
//#if POLYTOPE
        gjk_witness = mat3x3f(simplex_points_a[0], simplex_points_a[1], simplex_points_a[2]) * simplex_barycentrics;
//#endif
        gjk_direction = nearest * (-1.0 / sqrt(square));
    }
    return GJK_OUTSIDE;
}

// Vertex k of the final triangle, the last repeated if there are fewer than three.
fn corner(k: u32) -> vec3f {
    return simplex_points[min(k, simplex_count - 1u)] + gjk_target;
}

// Point of the simplex closest to the origin; drops the vertices not needed. Four remain if the origin is inside.
fn reduce_simplex() -> vec3f {
    let p = simplex_points[0];
    if (simplex_count == 1u) {
//#if POLYTOPE
        simplex_barycentrics = vec3f(1.0, 0.0, 0.0);
//#endif
        return p;
    }
    let q = simplex_points[1];
    var r = simplex_points[2];
    let latest = simplex_points[3];
    var faces = 1u;
    if (simplex_count == 2u) {
        r = q;
    }
    if (simplex_count == 4u) {
        // signed volumes of the origin with the faces: all of one sign inside
        let across = cross(r, latest);
        let volumes = vec4f(dot(q, across), -dot(p, across), dot(p, cross(q, latest)), -dot(p, cross(q, r)));
        if (all(volumes > vec4f(0.0)) || all(volumes < vec4f(0.0))) {
            return vec3f(0.0);
        }
        faces = 3u;
    }
    // closest of the faces at the new vertex, or the only face
    var best = vec3f(0.0);
    var kept = mat3x3f(p, q, r);
    var count = 0u;
//#if POLYTOPE
    var own = mat4x3f(simplex_points_a[0], simplex_points_a[1], simplex_points_a[2], simplex_points_a[3]);
    let third = select(2u, 1u, simplex_count == 2u);
    var kept_from = mat3x3f(own[0], own[1], own[2]);
    var barycentrics = vec3f(0.0);
//#endif
    for (var k = 0u; k < faces; k++) {
        var face = mat3x3f(p, q, r);
        if (faces == 3u) {
            face = mat3x3f(select(select(p, q, k == 1u), r, k == 2u), select(select(q, r, k == 1u), p, k == 2u), latest);
        }
        let point = reduce_triangle(face[0], face[1], face[2]);
        if (k == 0u || dot(point, point) < dot(best, best)) {
            best = point;
            kept = mat3x3f(simplex_points[0], simplex_points[1], simplex_points[2]);
            count = simplex_count;
//#if POLYTOPE
            barycentrics = simplex_barycentrics;
            // the same selection among the points of the first shape
            var corner = vec3u(k, (k + 1u) % 3u, select(third, 3u, faces == 3u));
            kept_from = mat3x3f(own[corner[simplex_order.x]], own[corner[simplex_order.y]], own[corner[simplex_order.z]]);
//#endif
        }
    }
    simplex_points[0] = kept[0];
    simplex_points[1] = kept[1];
    simplex_points[2] = kept[2];
    simplex_count = count;
//#if POLYTOPE
    simplex_barycentrics = barycentrics;
    simplex_points_a[0] = kept_from[0];
    simplex_points_a[1] = kept_from[1];
    simplex_points_a[2] = kept_from[2];
//#endif
    return best;
}

// Point of a triangle closest to the origin, by Voronoi regions (Ericson, Real-Time Collision Detection, 5.1.5); the
// vertices of the region become the simplex.
fn reduce_triangle(p: vec3f, q: vec3f, r: vec3f) -> vec3f {
    let pq = q - p;
    let pr = r - p;
    let d1 = -dot(pq, p);
    let d2 = -dot(pr, p);
    let d3 = -dot(pq, q);
    let d4 = -dot(pr, q);
    let d5 = -dot(pq, r);
    let d6 = -dot(pr, r);
    let vr = d1 * d4 - d3 * d2;
    let vq = d5 * d2 - d1 * d6;
    let vp = d3 * d6 - d5 * d4;
    simplex_points[0] = p;
    simplex_points[1] = q;
    simplex_points[2] = r;
    // vertex regions
    simplex_count = 1u;
//#if POLYTOPE
    simplex_order = vec3u(0u, 1u, 2u);
    simplex_barycentrics = vec3f(1.0, 0.0, 0.0);
//#endif
    if (d1 <= 0.0 && d2 <= 0.0) {
        return p;
    }
    if (d3 >= 0.0 && d4 <= d3) {
        simplex_points[0] = q;
//#if POLYTOPE
        simplex_order.x = 1u;
//#endif
        return q;
    }
    if (d6 >= 0.0 && d5 <= d6) {
        simplex_points[0] = r;
//#if POLYTOPE
        simplex_order.x = 2u;
//#endif
        return r;
    }
    // edge regions
    simplex_count = 2u;
    if (vr <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        let share = d1 / (d1 - d3);
//#if POLYTOPE
        simplex_barycentrics = vec3f(1.0 - share, share, 0.0);
//#endif
        return p + pq * share;
    }
    if (vq <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        simplex_points[1] = r;
        let share = d2 / (d2 - d6);
//#if POLYTOPE
        simplex_order.y = 2u;
        simplex_barycentrics = vec3f(1.0 - share, share, 0.0);
//#endif
        return p + pr * share;
    }
    if (vp <= 0.0 && d4 >= d3 && d5 >= d6) {
        simplex_points[0] = r;
        let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
//#if POLYTOPE
        simplex_order.x = 2u;
        simplex_barycentrics = vec3f(share, 1.0 - share, 0.0);
//#endif
        return q + (r - q) * share;
    }
    // face region
    simplex_count = 3u;
    let share = 1.0 / (vp + vq + vr);
//#if POLYTOPE
    simplex_barycentrics = vec3f(vp, vq, vr) * share;
//#endif
    return p + pq * (vq * share) + pr * (vr * share);
}
