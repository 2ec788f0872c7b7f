//! Contacts between convex shapes that have no closed form, by their support functions.
//!
//! The signed distance of two shapes is minus the least value, over all unit vectors `n`, of the support function of
//! their difference, `h(n)`; the best `n` is the normal. Where they are apart, the nearest point of the
//! difference gives it ([`super::gjk`]). Where they overlap, `h` has several minima: the best of a few directions
//! that the shapes suggest is turned downhill, by looking from a point above the surface for the nearest point
//! below it, which never leads to a larger `h`. Unlike with a polytope that is expanded (van den Bergen,
//! *Collision Detection in Interactive 3D Environments*, §4.3.8), memory is a single simplex, and the direction
//! never rests on a thin triangle, so that single precision suffices. Last, Newton's method over the directions that keep
//! the flat faces and edges found so far makes the normal exact.

use super::gjk::{GjkResult, GjkStatus, GjkTarget, search};
use super::multi_contact::multi_contact;
use super::penetration_bound::{PenetrationBound, penetration_bound};
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::support_map::{ConvexShape, FLAT_TOLERANCE, minkowski_support, support, support_hessian};
use crate::cpu::math::{Vec3, cross, dot, length, normalize3};
use crate::real::Real;
use crate::schema::enums::geom;

/// Sine of the angle within which a direction may be turned onto a face or edge.
const SNAP_SINE: f64 = 0.02;

/// [`FLAT_TOLERANCE`] where the normal is that of a triangle of nearest points, which is less exact.
const LOOSE_FLAT_TOLERANCE: f64 = 10.0;

/// Cosine of the largest angle by which it may be.
const SNAP_COSINE: f64 = 0.99;

/// Height above the surface to look from, as a share of the size.
const QUERY_LIFT: f64 = 0.2;

/// The same for what is next to a minimum of a polytope, and how far directions are tilted there.
const TILT_LIFT: f64 = 0.05;
const TILTS: [[f64; 2]; 12] = [
    [0.2, 0.0],
    [-0.1, 0.173_205_08],
    [-0.1, -0.173_205_08],
    [-0.4, 0.0],
    [0.2, -0.346_410_16],
    [0.2, 0.346_410_16],
    [0.8, 0.0],
    [-0.4, 0.692_820_32],
    [-0.4, -0.692_820_32],
    [-1.2, 0.0],
    [0.6, -1.039_230_5],
    [0.6, 1.039_230_5],
];

/// How many times higher than a minimum a direction is beyond which there is no lower one. The support function is convex:
/// on the way by an angle `t` to a minimum it is at most `cos(t/2 - f) / cos(t/2)` times as high, `f` from the start, which is 2
/// for tilts of up to 50 degrees and minima of up to 120.
const TILT_CUTOFF: f64 = 3.0;

/// Turns around all of them.
const TILT_ROUNDS: usize = 4;

/// Depth as a share of the size from which on there may be a second minimum.
const DEEP_PENETRATION: f64 = 0.05;

/// Most minima that are looked at where the first one is deep. Around three there is always a suggested direction left that is near none;
/// around four there need not be.
const MAX_STARTS: usize = 4;

/// Cosine of the angle to a minimum within which no other one is looked for.
const DISTINCT_COSINE: f64 = 0.7;

/// Longest step of Newton's method.
const MAX_NEWTON_STEP: f64 = 0.3;

/// Most minima of a polytope that are looked at before all directions are.
const MAX_MINIMA: usize = 8;

/// Squares of the angles within which a direction stays: of curved shapes, and where all triangles are parts of faces.
const TURN_TOLERANCE_CURVED: f64 = 1e-8;
const TURN_TOLERANCE_FLAT: f64 = 1e-12;

/// Most steps downhill, and most of Newton's.
const DESCENT_STEPS: usize = 12;
const NEWTON_STEPS: usize = 20;

/// Contacts of two convex shapes nearer than `margin`; returns their number. `multiple` allows more than one.
pub fn convex_convex<T: Real>(
    first: &ConvexShape<'_, T>,
    second: &ConvexShape<'_, T>,
    margin: T,
    multiple: bool,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let (a, b) = centered(first, second);
    let Some(gap) = nearest_points(&a, &b, margin) else { return 0 };
    let pos = (gap.from + gap.to) * T::of(0.5);
    found[0] = ContactPoint { dist: gap.dist, pos, normal: gap.normal, tangent: Vec3::ZERO };
    let mut count = 1;
    if multiple {
        count = multi_contact(&a, &b, gap.normal, gap.from, gap.to, margin, found);
    }
    for contact in &mut found[..count] {
        contact.pos += first.shape.pos;
    }
    count
}

/// Where two shapes are nearest, or where they overlap, the points that touch after the shortest way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomDistance<T> {
    /// Distance between the surfaces, negative where they overlap.
    pub dist: T,
    /// Unit normal, from the first to the second.
    pub normal: Vec3<T>,
    /// Point of the first.
    pub from: Vec3<T>,
    /// Point of the second.
    pub to: Vec3<T>,
}

/// Distance of two convex shapes that is not above `margin`, and the points.
pub fn convex_distance<T: Real>(
    first: &ConvexShape<'_, T>,
    second: &ConvexShape<'_, T>,
    margin: T,
) -> Option<GeomDistance<T>> {
    let (a, b) = centered(first, second);
    let gap = nearest_points(&a, &b, margin)?;
    Some(GeomDistance { from: gap.from + first.shape.pos, to: gap.to + first.shape.pos, ..gap })
}

/// Two shapes, all relative to the centre of the first.
fn centered<'a, T: Real>(
    first: &ConvexShape<'a, T>,
    second: &ConvexShape<'a, T>,
) -> (ConvexShape<'a, T>, ConvexShape<'a, T>) {
    (first.at(Vec3::ZERO), second.at(second.shape.pos - first.shape.pos))
}

/// The same, relative to the centre of the first.
fn nearest_points<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    margin: T,
) -> Option<GeomDistance<T>> {
    let radius = a.radius() + b.radius();
    let (normal, height, known) = penetration_direction(a, b, radius + margin)?;
    let dist = -height - radius;
    // also where it is not a number
    let touches = dist <= margin;
    if !touches {
        return None;
    }
    let (p, q) = if a.hull.exists() || b.hull.exists() {
        hull_witnesses(a, b, normal, height, known)
    } else {
        core_witnesses(a, b, normal)
    };
    Some(GeomDistance { dist, normal, from: p + normal * a.radius(), to: q - normal * b.radius() })
}

/// A direction, the value of the support function of the difference there, and the point of the first shape that touches
/// where it is known.
type LocalMinimum<T> = (Vec3<T>, T, Option<Vec3<T>>);

/// Direction in which the support function of the difference is least, and its value; none where that is below minus
/// `reach`.
fn penetration_direction<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    reach: T,
) -> Option<LocalMinimum<T>> {
    let size = length(a.shape.size) + length(b.shape.size);
    let least = T::of(4.0) * T::EPSILON.sqrt() * size;
    let lift = T::of(QUERY_LIFT) * size;
    let mut n = normalize3(b.shape.pos - a.shape.pos);
    let begin = search(a, b, GjkTarget::Origin, reach, least, &mut n);
    let nearest = begin.state;
    if nearest == GjkStatus::Far {
        return None;
    }
    let hulls = a.hull.exists() || b.hull.exists();
    let flat = hulls && !a.is_curved() && !b.is_curved();
    if flat && nearest == GjkStatus::Inside {
        // where no minimum is lower than one that is near, nothing else is looked at
        let minimum = proven_minimum(a, b, begin.minimum, size);
        if minimum.is_some() {
            return minimum;
        }
    }
    // minima so far, which later attempts keep away from
    let mut minima = [n; MAX_STARTS];
    let mut minimum = (n, begin.height);
    for attempt in 0..MAX_STARTS {
        let mut height = begin.height;
        if nearest == GjkStatus::Inside {
            (n, height) = start_direction(a, b, minima[0], &minima[..attempt]);
        } else if -height > lift {
            break;
        }
        (n, height, _) = descend(a, b, n, height, size, flat);
        minima[attempt] = n;
        if attempt == 0 || height < minimum.1 {
            minimum = (n, height);
        }
        // shallow ones have no second minimum
        if minimum.1 < T::of(DEEP_PENETRATION) * size {
            break;
        }
    }
    let (mut n, mut best) = minimum;
    if nearest == GjkStatus::Inside && hulls {
        (n, best) = adjacent_minimum(a, b, n, best, size);
    }
    // between polytopes, points and segments the nearest triangle is exact
    if flat {
        return Some((n, best, None));
    }
    let (n, height) = refine_direction(a, b, n, size);
    Some((n, height, None))
}

/// The point that lies above the surface by a share of the size.
fn above<T: Real>(share: f64, size: T) -> GjkTarget<T> {
    GjkTarget::Above { lift: T::of(share) * size, most: T::of(f64::MAX) }
}

/// Turns a direction downhill; returns it, its height and the search that has ended there, if one has. `flat` for shapes
/// all of whose triangles are parts of faces.
fn descend<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    start: Vec3<T>,
    height: T,
    size: T,
    flat: bool,
) -> (Vec3<T>, T, Option<GjkResult<T>>) {
    let least = T::of(4.0) * T::EPSILON.sqrt() * size;
    let turn_tolerance = T::of(if flat { TURN_TOLERANCE_FLAT } else { TURN_TOLERANCE_CURVED });
    let (mut n, mut best) = (start, height);
    for _ in 0..DESCENT_STEPS {
        // from above the surface
        let mut next = n;
        let result = search(a, b, above(QUERY_LIFT, size), T::of(8.0) * size, least, &mut next);
        if result.state != GjkStatus::Outside {
            break;
        }
        let value = result.height;
        let turned = next - n;
        let turn = dot(turned, turned);
        let lower = value < best;
        if lower {
            n = next;
            best = value;
            // what is below the next point to look from is a point of the same face
            if let (true, Some(witness)) = (flat, result.inside(n * best)) {
                return (n, best, Some(GjkResult { witness, ..result }));
            }
        }
        if !lower || turn < turn_tolerance {
            return (n, best, Some(result));
        }
    }
    (n, best, None)
}

/// The minimum of two polytopes that overlap below a direction, or one that is lower than it, where none is lower.
fn proven_minimum<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    start: (Vec3<T>, T),
    size: T,
) -> Option<LocalMinimum<T>> {
    let (mut n, mut best) = start;
    let slack = T::of(16.0) * T::EPSILON * size;
    for _ in 0..MAX_MINIMA {
        let result;
        (n, best, result) = descend(a, b, n, best, size, true);
        let result = result?;
        let minimum = Some((n, best, Some(result.witness)));
        // one that keeps them apart, or that they touch along, is the only one
        if best <= slack {
            return minimum;
        }
        match penetration_bound(a, b, n, best - slack, result.face) {
            PenetrationBound::Proven => return minimum,
            PenetrationBound::Lower(next, value) => (n, best) = (next, value),
            PenetrationBound::Unproven => return None,
        }
    }
    None
}

/// Where a polytope has a lower minimum next to one, and its height: from points above the surface around it, as long as that
/// helps.
fn adjacent_minimum<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    start: Vec3<T>,
    height: T,
    size: T,
) -> (Vec3<T>, T) {
    let least = T::of(4.0) * T::EPSILON.sqrt() * size * T::of(TILT_LIFT);
    let slack = T::of(4.0) * T::EPSILON * size;
    let (mut n, mut best) = (start, height);
    let mut center = n;
    for k in 0..TILT_ROUNDS * TILTS.len() {
        if k % TILTS.len() == 0 {
            // as long as it helps
            if k > 0 && center == n {
                break;
            }
            center = n;
        }
        let mut next = tilted(center, TILTS[k % TILTS.len()]);
        // between two low directions none is high
        let target = GjkTarget::Above { lift: T::of(TILT_LIFT) * size, most: T::of(TILT_CUTOFF) * best };
        let result = search(a, b, target, T::of(8.0) * size, least, &mut next);
        if result.state == GjkStatus::Outside && result.height < best - slack {
            (n, best) = (next, result.height);
        }
    }
    (n, best)
}

/// A direction beside another.
fn tilted<T: Real>(center: Vec3<T>, way: [f64; 2]) -> Vec3<T> {
    let (t, u) = basis(center, Vec3::ZERO);
    normalize3(center + t * T::of(way[0]) + u * T::of(way[1]))
}

/// The best of the directions that the shapes suggest, and its value: normals of polygons, the given one, from one centre to the other, axes,
/// what is across two of them, the first across an axis, and diagonals; none that is near one of `minima`.
fn start_direction<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    n: Vec3<T>,
    minima: &[Vec3<T>],
) -> (Vec3<T>, T) {
    let known = |unit: Vec3<T>| minima.iter().any(|minimum| dot(unit, *minimum) > T::of(DISTINCT_COSINE));
    let between = normalize3(b.shape.pos - a.shape.pos);
    let (mut best, mut least, mut none) = (n, T::ZERO, true);
    for k in 0..62 {
        // each of them both ways
        let i = k / 2;
        let mut direction = n;
        if i == 1 {
            direction = between;
        } else if (2..8).contains(&i) {
            direction = if i < 5 { a.axis(i - 2) } else { b.axis(i - 5) };
        } else if (8..17).contains(&i) {
            direction = cross(a.axis((i - 8) / 3), b.axis((i - 8) % 3));
        } else if i >= 23 {
            // diagonals
            let s = if i < 27 { a } else { b };
            let one = if i % 2 == 0 { T::ONE } else { -T::ONE };
            let two = if (i / 2) % 2 == 0 { T::ONE } else { -T::ONE };
            direction = s.axis(0) + s.axis(1) * one + s.axis(2) * two;
        } else if i >= 17 {
            let axis = if i < 20 { a.axis(i - 17) } else { b.axis(i - 20) };
            direction = between - axis * dot(between, axis);
        }
        let length = length(direction);
        if length < T::of(0.01) {
            continue;
        }
        let unit = direction * (if k % 2 == 0 { T::ONE / length } else { -T::ONE / length });
        if known(unit) {
            continue;
        }
        let height = dot(minkowski_support(a, b, unit), unit);
        if none || height < least {
            least = height;
            best = unit;
            none = false;
        }
    }
    // the given direction first, against which most polygons lose at once
    for (one, two, sign) in [(a, b, T::ONE), (b, a, -T::ONE)] {
        let between = two.shape.pos - one.shape.pos;
        for polygon in 0..one.hull.polygons() {
            let outward = one.normal(polygon);
            let unit = outward * sign;
            // no less than where the centre of the other is
            let bound = one.hull.plane_offset(polygon) - dot(between, outward);
            if known(unit) || (bound >= least && !none) {
                continue;
            }
            let height = dot(minkowski_support(a, b, unit), unit);
            if none || height < least {
                least = height;
                best = unit;
                none = false;
            }
        }
    }
    (best, least)
}

/// Axis `k` of the two shapes, three each.
fn axis_of_pair<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, k: usize) -> Vec3<T> {
    if k < 3 { a.axis(k) } else { b.axis(k - 3) }
}

/// Whether the difference may be flat along that axis, and it is nearly across `n`.
fn is_flat_axis<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, n: Vec3<T>, k: usize) -> bool {
    (if k < 3 { a } else { b }).has_flat(k % 3) && dot(axis_of_pair(a, b, k), n).abs() < T::of(SNAP_SINE)
}

/// Whether that axis lies across a cylinder: flat at its caps only.
fn is_round_axis<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, k: usize) -> bool {
    (if k < 3 { a } else { b }).kind == geom::CYLINDER && k % 3 < 2
}

/// Turns a direction onto faces and edges where `h` is no larger, and by Newton's method to where it is least; returns
/// that too.
fn refine_direction<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    start: Vec3<T>,
    size: T,
) -> (Vec3<T>, T) {
    let slack = T::of(4.0) * T::EPSILON * size;
    let mut n = start;
    let mut point = minkowski_support(a, b, n);
    let mut height = dot(point, n);
    // how many directions are kept, and the one of a single edge
    let (mut kept, mut edge) = (0, Vec3::ZERO);
    for k in 0..36 {
        let (first, second) = (k / 6, k % 6);
        if second < first || !is_flat_axis(a, b, start, first) || !is_flat_axis(a, b, start, second) {
            continue;
        }
        // the axes across a cylinder only count together
        let round = (is_round_axis(a, b, first), is_round_axis(a, b, second));
        if (round.0 || round.1) && !(round.0 && second > first && second / 3 == first / 3) {
            continue;
        }
        let (one, two) = (axis_of_pair(a, b, first), axis_of_pair(a, b, second));
        let mut next = start - one * dot(start, one);
        if second > first {
            next = cross(one, two);
            next = next * (if dot(next, start) < T::ZERO { -T::ONE } else { T::ONE });
        }
        let length = length(next);
        if length < T::of(0.01) {
            continue;
        }
        next *= T::ONE / length;
        let support = minkowski_support(a, b, next);
        let value = dot(support, next);
        let more = if second > first { 2 } else { 1 };
        // a face before an edge, unless that is better
        let better = value < height - slack || (value <= height + slack && more > kept);
        if better && dot(next, start) > T::of(SNAP_COSINE) {
            n = next;
            point = support;
            height = value;
            kept = more;
            edge = one;
        }
    }
    for s in [a, b] {
        if !s.hull.exists() {
            continue;
        }
        // polygons and edges at the farthest vertex; the other shape is a curved one
        let (other, sign) = if a.hull.exists() { (b, T::ONE) } else { (a, -T::ONE) };
        let axis = other.axis(2);
        let v = s.hull.support(s.to_local(start * sign));
        for k in 0..3 * s.hull.valence(v) {
            let along = normalize3(s.vertex(s.hull.ring_vertex(v, k / 3)) - s.vertex(v));
            // a polygon, an edge alone, an edge and the side of a cylinder
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
            next = next * (if dot(next, start) < T::ZERO { -T::ONE / length } else { T::ONE / length });
            if dot(next, start) < T::of(SNAP_COSINE) {
                continue;
            }
            let support = minkowski_support(a, b, next);
            let value = dot(support, next);
            let more = if k % 3 == 1 { 1 } else { 2 };
            if value < height - slack || (value <= height + slack && more > kept) {
                n = next;
                point = support;
                height = value;
                kept = more;
                edge = along;
            }
        }
    }
    let mut damping = size * T::of(1e-4);
    for _ in 0..NEWTON_STEPS {
        if kept == 2 {
            break;
        }
        // slope and curvature in the directions in which it may turn
        let (t, u) = basis(n, edge);
        let (ht, hu) = (
            support_hessian(a, n, t) + support_hessian(b, n, t),
            support_hessian(a, n, u) + support_hessian(b, n, u),
        );
        let (g, f) = (dot(point, t), dot(point, u));
        let (mut q, r, mut s) = (dot(t, ht) - height, dot(t, hu), dot(u, hu) - height);
        // downhill also where the curvature is not that of a minimum
        let half = (q - s) * T::of(0.5);
        let minimum = if kept == 1 { q } else { (q + s) * T::of(0.5) - (half * half + r * r).sqrt() };
        let lift = (damping - minimum).max(T::ZERO);
        q += lift;
        s += lift;
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
        // also where a value is not a number
        let lower = value <= height + slack;
        if !lower {
            damping = damping * T::of(8.0) + lift;
            continue;
        }
        n = next;
        point = support;
        height = value;
        if length < T::of(4.0) * T::EPSILON {
            break;
        }
    }
    (n, height)
}

/// Two unit vectors across `n` and each other, the first also across `edge` where that is none.
fn basis<T: Real>(n: Vec3<T>, edge: Vec3<T>) -> (Vec3<T>, Vec3<T>) {
    let mut hint = edge;
    if dot(edge, edge) < T::of(0.5) {
        hint = if n[0].abs() < T::of(0.6) { Vec3::X } else { Vec3::Y };
    }
    let t = normalize3(cross(hint, n));
    (t, cross(n, t))
}

/// Points of the two cores that touch along `n`.
fn core_witnesses<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, n: Vec3<T>) -> (Vec3<T>, Vec3<T>) {
    let flat = T::of(FLAT_TOLERANCE) * T::EPSILON.sqrt();
    let back = -n;
    // from one to the other and back, which ends where both are flat
    let mut p = support(a, n, b.shape.pos, flat);
    let mut q = support(b, back, p, flat);
    p = support(a, n, q, flat);
    q = support(b, back, p, flat);
    // two edges that cross
    let (one, two) = (single_edge(a, n, flat), single_edge(b, n, flat));
    if let (Some(e), Some(f)) = (one, two) {
        let area = dot(cross(e, f), n);
        if area.abs() > T::of(1e-3) {
            let apart = q - p;
            p += e * (dot(cross(apart, f), n) / area);
            q += f * (dot(cross(apart, e), n) / area);
        }
    }
    (p, q)
}

/// The same where one is a polytope: of the other, if only one of its points is farthest, or where the point of the
/// difference that is nearest to one above it comes from.
fn hull_witnesses<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    n: Vec3<T>,
    height: T,
    known: Option<Vec3<T>>,
) -> (Vec3<T>, Vec3<T>) {
    let flat = T::of(LOOSE_FLAT_TOLERANCE) * T::EPSILON.sqrt();
    let across = n * height;
    if is_single(b, n, flat) {
        let q = support(b, -n, b.shape.pos, T::ZERO);
        return (q + across, q);
    }
    if is_single(a, n, flat) {
        let p = support(a, n, a.shape.pos, T::ZERO);
        return (p, p - across);
    }
    let p = known.unwrap_or_else(|| {
        let size = length(a.shape.size) + length(b.shape.size);
        let mut turned = n;
        search(a, b, above(QUERY_LIFT, size), T::of(8.0) * size, T::ZERO, &mut turned).witness
    });
    (p, p - across)
}

/// Whether only one point of a shape is farthest in direction `n`.
fn is_single<T: Real>(s: &ConvexShape<'_, T>, n: Vec3<T>, flat: T) -> bool {
    if s.hull.exists() {
        return false;
    }
    // a cylinder is flat on its side and on its caps
    let cap = s.kind == geom::CYLINDER && length(cross(s.axis(2), n)) < flat;
    !cap && (0..3).all(|k| {
        let round = s.kind == geom::CYLINDER && k < 2;
        round || !s.has_flat(k) || dot(s.axis(k), n).abs() >= flat
    })
}

/// The edge of a shape that is farthest in direction `n`, where it is no face.
fn single_edge<T: Real>(s: &ConvexShape<'_, T>, n: Vec3<T>, flat: T) -> Option<Vec3<T>> {
    let mut edge = None;
    for k in 0..3 {
        // the axes across a cylinder count for its caps only
        let round = s.kind == geom::CYLINDER && k < 2;
        if s.has_flat(k) && !round && dot(s.axis(k), n).abs() < flat {
            if edge.is_some() {
                return None;
            }
            edge = Some(s.axis(k));
        }
    }
    edge
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::primitives::{Shape, capsule_capsule, sphere_sphere_at};
    use crate::cpu::math::random::Random;
    use crate::cpu::math::{Mat3, Quat, quat_mul, quat_normalize, quat_rotate, quat_to_mat};

    const KINDS: [i32; 5] = [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX];

    impl Random {
        fn shape(&mut self) -> Shape<f64> {
            let size = self.vector().map(|x| 0.15 + 0.1 * x);
            Shape { pos: self.vector() * 0.3, mat: quat_to_mat(self.quat()), size }
        }
    }

    fn single(kinds: (i32, i32), a: &Shape<f64>, b: &Shape<f64>) -> Option<ContactPoint<f64>> {
        let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
        (convex_convex(&ConvexShape::of(kinds.0, a), &ConvexShape::of(kinds.1, b), 0.05, false, &mut found)
            == 1)
            .then_some(found[0])
    }

    fn near(a: Vec3<f64>, b: Vec3<f64>, tolerance: f64) -> bool {
        length(a - b) < tolerance
    }

    /// Pairs of all types at random, about half of them in contact.
    fn pairs(seed: u64, mut check: impl FnMut((i32, i32), Shape<f64>, Shape<f64>, &mut Random)) {
        let mut random = Random(seed);
        for one in KINDS {
            for two in KINDS {
                for _ in 0..40 {
                    let (a, b) = (random.shape(), random.shape());
                    check((one, two), a, b, &mut random);
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_two_does_not_matter() {
        let (mut count, mut other) = (0, 0);
        pairs(1, |kinds, a, b, _| {
            let (one, two) = (single(kinds, &a, &b), single((kinds.1, kinds.0), &b, &a));
            assert_eq!(one.is_some(), two.is_some());
            let (Some(one), Some(two)) = (one, two) else { return };
            count += 1;
            // another of several minima that are nearly as deep
            let same = (one.dist - two.dist).abs() < 1e-9
                && near(one.normal, -two.normal, 1e-6)
                && near(one.pos, two.pos, 1e-6);
            other += usize::from(!same);
        });
        assert!(count > 300 && other * 200 < count, "{other} of {count}");
    }

    #[test]
    fn contacts_move_with_the_shapes() {
        let (mut count, mut other) = (0, 0);
        pairs(2, |kinds, a, b, random| {
            let (quat, shift) = (random.quat(), random.vector());
            let turn = quat_to_mat(quat);
            let moved = |s: &Shape<f64>| Shape {
                pos: quat_rotate(quat, s.pos) + shift,
                mat: turn * s.mat,
                size: s.size,
            };
            let (Some(here), Some(there)) = (single(kinds, &a, &b), single(kinds, &moved(&a), &moved(&b)))
            else {
                return;
            };
            count += 1;
            let same = (here.dist - there.dist).abs() < 1e-9
                && near(turn * here.normal, there.normal, 1e-6)
                && near(quat_rotate(quat, here.pos) + shift, there.pos, 1e-6);
            other += usize::from(!same);
        });
        assert!(count > 300 && other * 200 < count, "{other} of {count}");
    }

    #[test]
    fn spheres_and_capsules_are_as_in_closed_form() {
        let mut random = Random(3);
        let mut count = 0;
        for _ in 0..1000 {
            let (a, b) = (random.shape(), random.shape());
            let mut want = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            let round = (geom::SPHERE, geom::SPHERE);
            let n = sphere_sphere_at(a.pos, a.size[0], b.pos, b.size[0], Vec3::X, 0.05, &mut want[0]);
            for (kinds, n) in [(round, n), ((geom::CAPSULE, geom::CAPSULE), usize::MAX)] {
                let n = if n == usize::MAX { capsule_capsule(&a, &b, 0.05, &mut want) } else { n };
                let got = single(kinds, &a, &b);
                assert_eq!(got.is_some(), n > 0);
                let Some(got) = got else { continue };
                count += 1;
                assert!((got.dist - want[0].dist).abs() < 1e-9, "{} {}", got.dist, want[0].dist);
                assert!(near(got.normal, want[0].normal, 1e-6), "{:?} {:?}", got.normal, want[0].normal);
                assert!(near(got.pos, want[0].pos, 1e-6), "{:?} {:?}", got.pos, want[0].pos);
            }
        }
        assert!(count > 500);
    }

    #[test]
    fn everything_is_finite_in_single_precision_too() {
        let narrow = |s: &Shape<f64>| Shape {
            pos: Vec3(s.pos.0.map(|x| x as f32)),
            mat: Mat3(s.mat.0.map(|x| x as f32)),
            size: Vec3(s.size.0.map(|x| x as f32)),
        };
        let mut random = Random(4);
        for one in KINDS {
            for two in KINDS {
                for k in 0..60 {
                    let (mut a, mut b) = (random.shape(), random.shape());
                    // in one place, aligned, both, flat
                    if k % 5 == 1 {
                        b.pos = a.pos;
                    }
                    if k % 5 == 2 {
                        b.mat = a.mat;
                    }
                    if k % 5 == 3 {
                        b = a;
                    }
                    if k % 5 == 4 {
                        (a.size[2], b.size[1]) = (1e-4, 1e-4);
                    }
                    let mut wide = [ContactPoint::none(); MAX_PAIR_CONTACTS];
                    let mut slim = [ContactPoint::none(); MAX_PAIR_CONTACTS];
                    let n = convex_convex(
                        &ConvexShape::of(one, &a),
                        &ConvexShape::of(two, &b),
                        0.05,
                        one != geom::BOX,
                        &mut wide,
                    );
                    let m = convex_convex(
                        &ConvexShape::of(one, &narrow(&a)),
                        &ConvexShape::of(two, &narrow(&b)),
                        0.05,
                        one != geom::BOX,
                        &mut slim,
                    );
                    for found in &wide[..n] {
                        let all = [found.dist, length(found.pos), length(found.normal)];
                        assert!(
                            all.iter().all(|x| x.is_finite()) && (length(found.normal) - 1.0).abs() < 1e-9
                        );
                    }
                    for found in &slim[..m] {
                        let all = [found.dist, length(found.pos), length(found.normal)];
                        assert!(
                            all.iter().all(|x| x.is_finite()) && (length(found.normal) - 1.0).abs() < 1e-4
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_cylinder_rests_on_four_points_or_a_line() {
        let cube = Shape { pos: Vec3::ZERO, mat: Mat3::IDENTITY, size: Vec3([1.0, 1.0, 0.5]) };
        let tilt = quat_normalize(Quat([1.0, 0.0, 0.004, 0.0]));
        let lying = quat_mul(Quat([0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0]), tilt);
        for (quat, height, want) in [(tilt, 0.2, 4), (lying, 0.1, 2)] {
            let cylinder = Shape {
                pos: Vec3([0.1, 0.2, 0.5 + height - 0.001]),
                mat: quat_to_mat(quat),
                size: Vec3([0.1, 0.2, 0.0]),
            };
            let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            let n = convex_convex(
                &ConvexShape::of(geom::CYLINDER, &cylinder),
                &ConvexShape::of(geom::BOX, &cube),
                0.01,
                true,
                &mut found,
            );
            assert_eq!(n, want);
            for contact in &found[..n] {
                assert!(near(contact.normal, -Vec3::Z, 1e-9), "{:?}", contact.normal);
                assert!(contact.dist.abs() < 3e-3 && (contact.pos[2] - 0.5).abs() < 2e-3);
            }
        }
    }
}
