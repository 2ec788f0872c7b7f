// Direction of least penetration, or of the distance, of two convex shapes. Twin: crates/cpu/src/collision/penetration.rs.
// The schedule differs: what the twin does in several functions are turns of one loop here.

import package::collision::expanding_polytope::{
    epa_known, epa_lowest, epa_points, epa_points_a, epa_witness, expanding_polytope,
};
import package::collision::gjk::{
    self, gjk_direction, GJK_FAR, gjk_height, GJK_INSIDE, gjk_minimum, GJK_OUTSIDE, gjk_witness, simplex_count,
    simplex_points, simplex_points_a, TARGET_ORIGIN,
};
import package::collision::polytope;
import package::collision::support_map::{
    self, ConvexShape, EPSILON, has_flat, is_curved, is_hull, minkowski_support, preimage, support_hessian,
};
import package::math::vector::{is_finite, normalize3};

// Sine of the angle within which a direction may snap to a face or edge.
const SNAP_SINE: f32 = 0.02;

// Height of the query point above the surface, as a fraction of the size.
const QUERY_LIFT: f32 = 0.2;

// Share of the depth within which the least height of curved shapes is sought before the descent.
const BOUND_SHARE: f32 = 1e-3;

// Longest Newton step.
const MAX_NEWTON_STEP: f32 = 0.3;

// The direction itself, then the pairs of axes.
const AXIS_PAIRS: u32 = 37u;

// Most descent steps, and most Newton steps.
const DESCENT_STEPS: u32 = 12u;
const NEWTON_STEPS: u32 = 20u;

// A direction and the support function of the Minkowski difference there; `any` is false if there is none.
struct LocalMinimum {
    n: vec3f,
    height: f32,
    any: bool,
}

//#if POLYTOPE
// Contact point on the first shape (xyz), and whether it is known (w).
var<private> witness: vec4f;
//#endif

// Minimiser of the support function of the Minkowski difference, and the minimum; none if that is below -`reach`. With
// `probes` it ends after the search from the origin. A single loop with a single GJK call, whose result goes to the
// state that asked for it: drivers inline every call.
fn penetration_direction(a: ConvexShape, b: ConvexShape, reach: f32, probes: bool) -> LocalMinimum {
    let size = sqrt(dot(a.size, a.size)) + sqrt(dot(b.size, b.size));
    let tolerance = 4.0 * sqrt(EPSILON) * size;
    let slack = 16.0 * EPSILON * size;
    gjk_direction = normalize3(b.pos - a.pos);
    var n = gjk_direction;
    var best = 0.0;
    // every GJK triangle is part of a face
//#if POLYTOPE
    let flat = (is_hull(a) || is_hull(b)) && !is_curved(a) && !is_curved(b);
    witness = vec4f(0.0);
//#else
    let flat = false;
//#endif
    let turn_tolerance = select(1e-8, 1e-12, flat);
    // true until the polytope around the origin has been searched
    var unbounded = false;
    var steps = 0u;
    // first query the origin, then points above the surface
    for (var turn = 0u; turn <= 2u * DESCENT_STEPS; turn++) {
        let from_origin = turn == 0u;
        let lift = select(QUERY_LIFT * size, TARGET_ORIGIN, from_origin);
        let below = gjk::search(a, b, lift, select(8.0 * size, reach, from_origin), tolerance);
        if (below == GJK_FAR || probes) {
            return LocalMinimum(n, 0.0, below != GJK_FAR);
        }
        var done = false;
        var has_face = false;
        if (from_origin) {
            n = gjk_direction;
            best = gjk_height;
            // far enough apart that the closest point is exact
            if (below == GJK_OUTSIDE && -best > QUERY_LIFT * size) {
//#if POLYTOPE
                witness = vec4f(gjk_witness, 1.0);
//#endif
                break;
            }
            if (below == GJK_INSIDE) {
                n = gjk_minimum.xyz;
                best = gjk_minimum.w;
                unbounded = true;
                epa_known = simplex_count;
                for (var k = 0u; k < 4u; k++) {
                    epa_points[k] = simplex_points[k];
//#if POLYTOPE
                    epa_points_a[k] = simplex_points_a[k];
//#endif
                }
                // else touching, or as deep as to lie on an axis of symmetry
                done = simplex_count == 4u;
            }
        } else {
            steps++;
            let turned = gjk_direction - n;
            has_face = below == GJK_OUTSIDE;
            let lower = has_face && gjk_height < best;
            done = !lower || dot(turned, turned) < turn_tolerance || steps == DESCENT_STEPS;
            if (lower) {
                n = gjk_direction;
                best = gjk_height;
            }
//#if POLYTOPE
            witness = vec4f(gjk_witness, f32(has_face));
            // the next query would see another point of the same face
            if (flat && lower && simplex_count == 3u) {
                let on_a = mat3x3f(simplex_points_a[0], simplex_points_a[1], simplex_points_a[2]);
                let inside = preimage(mat3x3f(gjk::corner(0u), gjk::corner(1u), gjk::corner(2u)), on_a, n * best);
                if (inside.w != 0.0) {
                    witness = inside;
                    done = true;
                }
            }
//#endif
        }
        if (done) {
            // a separating or touching minimum is unique
            if (!unbounded || best <= slack) {
                break;
            }
            unbounded = false;
            var face = mat3x3f();
            var face_a = mat3x3f();
            if (has_face) {
                face = mat3x3f(gjk::corner(0u), gjk::corner(1u), gjk::corner(2u));
//#if POLYTOPE
                let last = simplex_count - 1u;
                face_a = mat3x3f(simplex_points_a[0], simplex_points_a[min(last, 1u)], simplex_points_a[min(last, 2u)]);
//#endif
            }
            let known = epa_known;
            let proven = expanding_polytope(a, b, face, face_a, n, has_face, select(BOUND_SHARE, 0.0, flat), slack);
            let lower = epa_lowest.w < best;
            if (lower || (flat && proven)) {
                n = epa_lowest.xyz;
                best = epa_lowest.w;
            }
//#if POLYTOPE
            if (flat && proven) {
                witness = epa_witness;
                break;
            }
//#endif
            // nothing to begin with
            if (known < 2u) {
                break;
            }
            steps = 0u;
        }
        gjk_direction = n;
    }
//#if POLYTOPE
    // for polytopes, points and segments the closest triangle is exact
    if (flat) {
        return LocalMinimum(n, best, true);
    }
    witness = vec4f(0.0);
//#endif
    return refine_direction(a, b, n, size);
}

// Axis k of the two shapes, three each.
fn axis_of_pair(a: ConvexShape, b: ConvexShape, k: u32) -> vec3f {
    if (k < 3u) {
        return support_map::axis(a, k);
    }
    return support_map::axis(b, k - 3u);
}

// True if the difference may be flat along axis k, and the axis is nearly orthogonal to n.
fn is_flat_axis(a: ConvexShape, b: ConvexShape, n: vec3f, k: u32) -> bool {
    let flat_one = select(has_flat(b, k - 3u), has_flat(a, k), k < 3u);
    return flat_one && abs(dot(axis_of_pair(a, b, k), n)) < SNAP_SINE;
}

// True if axis k is radial to a cylinder, which is flat along it at the caps only.
fn is_round_axis(a: ConvexShape, b: ConvexShape, k: u32) -> bool {
    return select(b.kind, a.kind, k < 3u) == GEOM_CYLINDER && k % 3u < 2u;
}

// Snaps a direction to faces and edges that do not raise the support function, then refines it by Newton's method to
// the minimum.
fn refine_direction(a: ConvexShape, b: ConvexShape, begin: vec3f, size: f32) -> LocalMinimum {
    let slack = 4.0 * EPSILON * size;
    var n = begin;
    var point = vec3f(0.0);
    var height = 0.0;
    // number of snapped dimensions, and the direction of a single edge
    var kept = 0u;
    var edge = vec3f(0.0);
    var count = AXIS_PAIRS;
//#if POLYTOPE
    // polygons and edges at the support vertex of a polytope; the other shape is curved
    var s = a;
    var other = b;
    var corner = 0u;
    if (is_hull(b)) {
        s = b;
        other = a;
    }
    if (is_hull(s)) {
        corner = polytope::support(s.mesh, select(begin, -begin, is_hull(b)) * s.mat);
        count += 3u * polytope::valence(s.mesh, corner);
    }
//#endif
    for (var k = 0u; k < count; k++) {
        // the direction itself, then its projections orthogonal to one or two axes
        var along = vec3f(0.0);
        var next = begin;
        var more = 0u;
        var skip = false;
        if (k > 0u && k < AXIS_PAIRS) {
            let first = (k - 1u) / 6u;
            let second = (k - 1u) % 6u;
            skip = second < first || !is_flat_axis(a, b, begin, first) || !is_flat_axis(a, b, begin, second);
            // the radial axes of a cylinder count only together
            let round1 = is_round_axis(a, b, first);
            let round2 = is_round_axis(a, b, second);
            skip = skip || ((round1 || round2) && !(round1 && second > first && second / 3u == first / 3u));
            along = axis_of_pair(a, b, first);
            next = begin - along * dot(begin, along);
            more = 1u;
            if (second > first) {
                next = cross(along, axis_of_pair(a, b, second));
                more = 2u;
            }
        }
//#if POLYTOPE
        if (k >= AXIS_PAIRS) {
            // a polygon, a single edge, or an edge and the side of a cylinder
            let at = k - AXIS_PAIRS;
            let far_end = polytope::vertex(s.mesh, polytope::ring_vertex(s.mesh, corner, at / 3u));
            along = normalize3(s.mat * (far_end - polytope::vertex(s.mesh, corner)));
            next = begin - along * dot(begin, along);
            more = 1u;
            if (at % 3u == 0u) {
                next = s.mat * polytope::normal(s.mesh, polytope::ring_polygon(s.mesh, corner, at / 3u));
                more = 2u;
            }
            if (at % 3u == 2u) {
                next = select(vec3f(0.0), cross(along, other.mat[2]), other.kind == GEOM_CYLINDER);
                more = 2u;
            }
        }
//#endif
        if (k > 0u) {
            let length = sqrt(dot(next, next));
            next = next * (select(1.0, -1.0, dot(next, begin) < 0.0) / length);
            skip = skip || length < 0.01 || dot(next, begin) < 0.99;
        }
        if (skip) {
            continue;
        }
        let far = minkowski_support(a, b, next);
        let value = dot(far, next);
        // a face is preferred to an edge unless the edge is lower
        if (k == 0u || value < height - slack || (value <= height + slack && more > kept)) {
            n = next;
            point = far;
            height = value;
            kept = more;
            edge = along;
        }
    }
    var damping = size * 1e-4;
    for (var k = 0u; k < NEWTON_STEPS && kept < 2u; k++) {
        // gradient and Hessian in the directions left free
        var hint = edge;
        if (kept == 0u) {
            hint = select(vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), abs(n.x) < 0.6);
        }
        let t = normalize3(cross(hint, n));
        let u = cross(n, t);
        let ht = support_hessian(a, n, t) + support_hessian(b, n, t);
        let hu = support_hessian(a, n, u) + support_hessian(b, n, u);
        let g = dot(point, t);
        let f = dot(point, u);
        var q = dot(t, ht) - height;
        let r = dot(t, hu);
        var s = dot(u, hu) - height;
        // descent step even where the Hessian is not positive definite
        let half_gap = 0.5 * (q - s);
        let minimum = select(0.5 * (q + s) - sqrt(half_gap * half_gap + r * r), q, kept == 1u);
        let raised = max(damping - minimum, 0.0);
        q += raised;
        s += raised;
        var turned = vec2f(-g / q, 0.0);
        if (kept == 0u) {
            let det = q * s - r * r;
            turned = vec2f(r * f - s * g, r * g - q * f) / det;
        }
        var length = sqrt(dot(turned, turned));
        if (!is_finite(length)) {
            break;
        }
        if (length > MAX_NEWTON_STEP) {
            turned = turned * (MAX_NEWTON_STEP / length);
            length = MAX_NEWTON_STEP;
        }
        let next = normalize3(n + t * turned.x + u * turned.y);
        let far = minkowski_support(a, b, next);
        let value = dot(far, next);
        if (!(value <= height + slack)) {
            damping = damping * 8.0 + raised;
            continue;
        }
        n = next;
        point = far;
        height = value;
        if (length < 4.0 * EPSILON) {
            break;
        }
    }
    return LocalMinimum(n, height, true);
}
