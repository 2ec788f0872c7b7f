//! Direction of least penetration, or of the distance, of two convex shapes.

use super::expanding_polytope::{enclosure, expanding_polytope};
use super::gjk::{GjkResult, GjkStatus, GjkTarget, search};
use super::point_prism::point_prism;
use super::segment_cylinder::segment_cylinder;
use super::support_map::{ConvexShape, DifferencePoint, minkowski_support, preimage, support_hessian};
use crate::math::{Vec3, cross, dot, length, normalize3};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Sine of the angle within which a direction may snap to a face or edge.
const SNAP_SINE: f64 = 0.02;

/// Cosine of the largest angle by which a direction may snap.
const SNAP_COSINE: f64 = 0.99;

/// Height of the query point above the surface, as a fraction of the size.
pub(super) const QUERY_LIFT: f64 = 0.2;

/// Share of the depth within which the least height of curved shapes is sought before the descent.
const BOUND_SHARE: f64 = 1e-3;

/// Longest Newton step.
const MAX_NEWTON_STEP: f64 = 0.3;

/// Squared angles below which a direction counts as converged: for curved shapes, and if all triangles are parts of
/// faces.
const TURN_TOLERANCE_CURVED: f64 = 1e-8;
const TURN_TOLERANCE_FLAT: f64 = 1e-12;

/// Most descent steps, and most Newton steps.
const DESCENT_STEPS: usize = 12;
const NEWTON_STEPS: usize = 20;

/// A local minimum of the support function of the Minkowski difference.
#[derive(Clone, Copy)]
pub(super) struct LocalMinimum<T> {
    /// Direction.
    pub(super) n: Vec3<T>,
    /// The support function there.
    pub(super) height: T,
    /// Contact point on the first shape, if known.
    pub(super) witness: Option<Vec3<T>>,
    /// Triangle of the difference at which the descent ended, if it did.
    pub(super) face: Option<[DifferencePoint<T>; 3]>,
}

/// Minimiser of the support function of the Minkowski difference, and the minimum; if that is below `-reach`, a direction in
/// which the support function is.
pub(super) fn penetration_direction<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    reach: T,
) -> Result<LocalMinimum<T>, Vec3<T>> {
    if let Some((n, height)) = segment_cylinder(a, b) {
        let minimum = LocalMinimum { n, height, witness: None, face: None };
        return if -height > reach { Err(n) } else { Ok(minimum) };
    }
    if let Some((n, height, at)) = point_prism(a, b, reach) {
        let minimum = LocalMinimum { n, height, witness: Some(at), face: None };
        return if -height > reach { Err(n) } else { Ok(minimum) };
    }
    let size = length(a.shape.size) + length(b.shape.size);
    let tolerance = T::of(4.0) * T::EPSILON.sqrt() * size;
    let mut n = normalize3(b.shape.pos - a.shape.pos);
    let begin = search(a, b, GjkTarget::Origin, reach, tolerance, &mut n);
    // every GJK triangle is part of a face
    let flat = (a.is_hull() || b.is_hull()) && !a.is_curved() && !b.is_curved();
    let height = begin.height;
    let least = match begin.state {
        GjkStatus::Far => return Err(n),
        // far enough apart that the closest point is exact
        GjkStatus::Outside if -height > T::of(QUERY_LIFT) * size => {
            LocalMinimum { n, height, witness: Some(begin.witness), face: None }
        }
        GjkStatus::Outside => descend(a, b, (n, height), size, flat),
        GjkStatus::Inside => least_penetration(a, b, &begin, size, flat),
    };
    // for polytopes, points and segments the closest triangle is exact
    if flat {
        return Ok(least);
    }
    let (n, height) = refine_direction(a, b, least.n, size);
    Ok(LocalMinimum { n, height, witness: None, face: None })
}

/// Least minimum of the support function of two shapes that overlap, after the search from the origin. `flat` for
/// shapes whose triangles are all parts of faces.
fn least_penetration<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    begin: &GjkResult<T>,
    size: T,
    flat: bool,
) -> LocalMinimum<T> {
    let slack = T::of(16.0) * T::EPSILON * size;
    let (n, height) = begin.minimum;
    let mut least = LocalMinimum { n, height, witness: None, face: None };
    if begin.simplex.1 < 4 {
        // touching, or as deep as to lie on an axis of symmetry
        least = descend(a, b, begin.minimum, size, flat);
    }
    // a separating or touching minimum is unique
    if least.height <= slack {
        return least;
    }
    let Some(around) = enclosure(a, b, least.n, least.face, begin.simplex) else { return least };
    let share = if flat { T::ZERO } else { T::of(BOUND_SHARE) };
    let bound = expanding_polytope(a, b, &around, share, slack);
    let (n, height) = bound.lowest;
    if flat && bound.proven {
        return LocalMinimum { n, height, witness: bound.witness, face: None };
    }
    descend(a, b, if height < least.height { (n, height) } else { (least.n, least.height) }, size, flat)
}

/// Descends from a direction and the height there. `flat` for shapes whose triangles are all parts of faces.
fn descend<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    (n, height): (Vec3<T>, T),
    size: T,
    flat: bool,
) -> LocalMinimum<T> {
    let tolerance = T::of(4.0) * T::EPSILON.sqrt() * size;
    let turn_tolerance = T::of(if flat { TURN_TOLERANCE_FLAT } else { TURN_TOLERANCE_CURVED });
    let mut least = LocalMinimum { n, height, witness: None, face: None };
    for step in 1..=DESCENT_STEPS {
        // query from above the surface
        let mut next = least.n;
        let result =
            search(a, b, GjkTarget::Above(T::of(QUERY_LIFT) * size), T::of(8.0) * size, tolerance, &mut next);
        if result.state != GjkStatus::Outside {
            break;
        }
        let turned = next - least.n;
        let lower = result.height < least.height;
        let mut inside = None;
        if lower {
            (least.n, least.height) = (next, result.height);
            // the next query would see another point of the same face
            if flat && result.simplex.1 == 3 {
                inside = preimage(result.triangle(), least.n * least.height);
            }
        }
        let settled = !lower || dot(turned, turned) < turn_tolerance;
        if settled || inside.is_some() || step == DESCENT_STEPS {
            return LocalMinimum {
                witness: inside.or(Some(result.witness)),
                face: Some(result.triangle()),
                ..least
            };
        }
    }
    least
}

/// Axis `k` of the two shapes, three each.
fn axis_of_pair<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, k: usize) -> Vec3<T> {
    if k < 3 { a.axis(k) } else { b.axis(k - 3) }
}

/// True if the difference may be flat along axis `k`, and the axis is nearly orthogonal to `n`.
fn is_flat_axis<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, n: Vec3<T>, k: usize) -> bool {
    (if k < 3 { a } else { b }).has_flat(k % 3) && dot(axis_of_pair(a, b, k), n).abs() < T::of(SNAP_SINE)
}

/// True if axis `k` is radial to a cylinder, which is flat along it at the caps only.
fn is_round_axis<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, k: usize) -> bool {
    (if k < 3 { a } else { b }).kind == geom::CYLINDER && k % 3 < 2
}

/// Snaps a direction to faces and edges that do not raise the support function, then refines it by Newton's method to
/// the minimum; returns both.
fn refine_direction<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    start: Vec3<T>,
    size: T,
) -> (Vec3<T>, T) {
    let slack = T::of(4.0) * T::EPSILON * size;
    let point = minkowski_support(a, b, start);
    let mut best = Refined { n: start, point, height: dot(point, start), kept: 0, edge: Vec3::ZERO };
    snap_to_axes(a, b, start, slack, &mut best);
    snap_to_hull(a, b, start, slack, &mut best);
    newton_steps(a, b, size, slack, &mut best);
    (best.n, best.height)
}

/// A direction, its support point and the height there; the number of snapped dimensions, and the direction of a
/// single edge.
#[derive(Clone, Copy)]
struct Refined<T> {
    n: Vec3<T>,
    point: Vec3<T>,
    height: T,
    kept: i32,
    edge: Vec3<T>,
}

/// Snaps a direction to flat axes of either shape, or to what is across two of them.
fn snap_to_axes<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    start: Vec3<T>,
    slack: T,
    best: &mut Refined<T>,
) {
    for k in 0..36 {
        let (first, second) = (k / 6, k % 6);
        if second < first || !is_flat_axis(a, b, start, first) || !is_flat_axis(a, b, start, second) {
            continue;
        }
        // the radial axes of a cylinder count only together
        let round = (is_round_axis(a, b, first), is_round_axis(a, b, second));
        if (round.0 || round.1) && !(round.0 && second > first && second / 3 == first / 3) {
            continue;
        }
        let (one, two) = (axis_of_pair(a, b, first), axis_of_pair(a, b, second));
        let mut next = start - one * dot(start, one);
        if second > first {
            next = cross(one, two);
            if dot(next, start) < T::ZERO {
                next = -next;
            }
        }
        let length = length(next);
        if length < T::of(0.01) {
            continue;
        }
        next *= T::ONE / length;
        let support = minkowski_support(a, b, next);
        let value = dot(support, next);
        let more = if second > first { 2 } else { 1 };
        // a face is preferred to an edge unless the edge is lower
        let better = value < best.height - slack || (value <= best.height + slack && more > best.kept);
        if better && dot(next, start) > T::of(SNAP_COSINE) {
            *best = Refined { n: next, point: support, height: value, kept: more, edge: one };
        }
    }
}

/// Snaps a direction to polygons and edges at the support vertex of a polytope; the other shape is curved.
fn snap_to_hull<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    start: Vec3<T>,
    slack: T,
    best: &mut Refined<T>,
) {
    for s in [a, b] {
        if !s.is_hull() {
            continue;
        }
        let (other, sign) = if a.is_hull() { (b, T::ONE) } else { (a, -T::ONE) };
        let axis = other.axis(2);
        let v = s.hull.support(s.to_local(start * sign));
        for k in 0..3 * s.hull.valence(v) {
            let along = normalize3(s.vertex(s.hull.ring_vertex(v, k / 3)) - s.vertex(v));
            // a polygon, a single edge, or an edge and the side of a cylinder
            let mut next = match k % 3 {
                0 => s.normal(s.hull.ring_polygon(v, k / 3)),
                1 => start - along * dot(start, along),
                _ if other.kind == geom::CYLINDER => cross(along, axis),
                _ => continue,
            };
            let length = length(next);
            if length < T::of(0.01) {
                continue;
            }
            next *= if dot(next, start) < T::ZERO { -T::ONE / length } else { T::ONE / length };
            if dot(next, start) < T::of(SNAP_COSINE) {
                continue;
            }
            let support = minkowski_support(a, b, next);
            let value = dot(support, next);
            let more = if k % 3 == 1 { 1 } else { 2 };
            if value < best.height - slack || (value <= best.height + slack && more > best.kept) {
                *best = Refined { n: next, point: support, height: value, kept: more, edge: along };
            }
        }
    }
}

/// Newton's method over the directions left free.
fn newton_steps<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    size: T,
    slack: T,
    best: &mut Refined<T>,
) {
    let mut damping = size * T::of(1e-4);
    for _ in 0..NEWTON_STEPS {
        if best.kept == 2 {
            break;
        }
        let Refined { n, point, height, kept, edge } = *best;
        // gradient and Hessian in the directions left free
        let (t, u) = basis(n, edge);
        let (ht, hu) = (
            support_hessian(a, n, t) + support_hessian(b, n, t),
            support_hessian(a, n, u) + support_hessian(b, n, u),
        );
        let (g, f) = (dot(point, t), dot(point, u));
        let (mut q, r, mut s) = (dot(t, ht) - height, dot(t, hu), dot(u, hu) - height);
        // descent step even where the Hessian is not positive definite
        let half = (q - s) * T::of(0.5);
        let minimum = if kept == 1 { q } else { (q + s) * T::of(0.5) - (half * half + r * r).sqrt() };
        let shift = (damping - minimum).max(T::ZERO);
        q += shift;
        s += shift;
        let mut step = [-g / q, T::ZERO];
        if kept == 0 {
            let det = q * s - r * r;
            step = [(r * f - s * g) / det, (r * g - q * f) / det];
        }
        let mut length = (step[0] * step[0] + step[1] * step[1]).sqrt();
        if !length.is_finite() {
            break;
        }
        if length > T::of(MAX_NEWTON_STEP) {
            step = [step[0] * (T::of(MAX_NEWTON_STEP) / length), step[1] * (T::of(MAX_NEWTON_STEP) / length)];
            length = T::of(MAX_NEWTON_STEP);
        }
        let next = normalize3(n + t * step[0] + u * step[1]);
        let support = minkowski_support(a, b, next);
        let value = dot(support, next);
        // false if the value is not a number
        let lower = value <= height + slack;
        if !lower {
            damping = damping * T::of(8.0) + shift;
            continue;
        }
        (best.n, best.point, best.height) = (next, support, value);
        if length < T::of(4.0) * T::EPSILON {
            break;
        }
    }
}

/// Two unit vectors orthogonal to `n` and to each other, the first also to `edge` unless that is zero.
fn basis<T: Real>(n: Vec3<T>, edge: Vec3<T>) -> (Vec3<T>, Vec3<T>) {
    let mut hint = edge;
    if dot(edge, edge) < T::of(0.5) {
        hint = if n[0].abs() < T::of(0.6) { Vec3::X } else { Vec3::Y };
    }
    let t = normalize3(cross(hint, n));
    (t, cross(n, t))
}
