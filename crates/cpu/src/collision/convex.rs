//! Contacts of convex shapes without a closed form, by their support functions.
//!
//! The signed distance of two shapes is minus the minimum, over all unit vectors `n`, of the support function `h(n)`
//! of their Minkowski difference; the minimiser is the normal. If they are apart, the closest point of the difference
//! gives it ([`super::gjk`]). If they overlap, `h` has several local minima: an expanding polytope
//! ([`super::expanding_polytope`]) finds the least, exactly where no shape is curved. Else, and where the shapes just
//! touch, so that no polytope encloses the origin, queries from a point above the surface for the closest point below
//! it descend to the minimum, never raising `h`. Last, for curved shapes, Newton's method over the directions that keep
//! the flat faces and edges found so far makes the normal exact.

use super::expanding_polytope::{enclosure, expanding_polytope};
use super::gjk::{GjkResult, GjkStatus, GjkTarget, search};
use super::multi_contact::multi_contact;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::support_map::{
    ConvexShape, DifferencePoint, FLAT_TOLERANCE, minkowski_support, preimage, support, support_hessian,
};
use crate::math::{Vec3, cross, dot, length, normalize3};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Sine of the angle within which a direction may snap to a face or edge.
const SNAP_SINE: f64 = 0.02;

/// [`FLAT_TOLERANCE`] for a normal taken from the closest triangle, which is less exact.
const LOOSE_FLAT_TOLERANCE: f64 = 10.0;

/// Cosine of the largest angle by which a direction may snap.
const SNAP_COSINE: f64 = 0.99;

/// Height of the query point above the surface, as a fraction of the size.
const QUERY_LIFT: f64 = 0.2;

/// Share of the depth within which the least height of curved shapes is sought before the descent.
const BOUND_SHARE: f64 = 1e-3;

/// Longest Newton step.
const MAX_NEWTON_STEP: f64 = 0.3;

/// Squared angles below which a direction counts as converged: for curved shapes, and if all triangles are parts of
/// faces.
const TURN_TOLERANCE_CURVED: f64 = 1e-8;
const TURN_TOLERANCE_FLAT: f64 = 1e-12;

/// Penetration that is rounding, as a share of the sizes, in units of rounding.
const TOUCH: f64 = 8.0;

/// Most descent steps, and most Newton steps.
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

/// Closest points of two shapes or, in penetration, the points that touch after the shortest translation apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomDistance<T> {
    /// Signed distance of the surfaces, negative in penetration.
    pub dist: T,
    /// Unit normal, from the first shape to the second.
    pub normal: Vec3<T>,
    /// Point of the first shape.
    pub from: Vec3<T>,
    /// Point of the second shape.
    pub to: Vec3<T>,
}

/// Distance and closest points of two convex shapes within `margin`.
pub fn convex_distance<T: Real>(
    first: &ConvexShape<'_, T>,
    second: &ConvexShape<'_, T>,
    margin: T,
) -> Option<GeomDistance<T>> {
    let (a, b) = centered(first, second);
    let gap = nearest_points(&a, &b, margin)?;
    Some(GeomDistance { from: gap.from + first.shape.pos, to: gap.to + first.shape.pos, ..gap })
}

/// Two shapes, relative to the centre of the first.
fn centered<'a, T: Real>(
    first: &ConvexShape<'a, T>,
    second: &ConvexShape<'a, T>,
) -> (ConvexShape<'a, T>, ConvexShape<'a, T>) {
    (first.at(Vec3::ZERO), second.at(second.shape.pos - first.shape.pos))
}

/// Closest points of two convex shapes, relative to the centre of the first.
fn nearest_points<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    margin: T,
) -> Option<GeomDistance<T>> {
    let radius = a.radius() + b.radius();
    let minimum = penetration_direction(a, b, radius + margin)?;
    let normal = minimum.n;
    let dist = -minimum.height - radius;
    // as in the reference, shapes that just touch are apart; false if the distance is not a number
    let sizes = a.shape.size + b.shape.size;
    let touches = dist < margin - T::of(TOUCH) * T::EPSILON * (sizes[0] + sizes[1] + sizes[2]);
    if !touches {
        return None;
    }
    let (p, q) = if a.hull.exists() || b.hull.exists() {
        hull_witnesses(a, b, &minimum)
    } else {
        core_witnesses(a, b, normal)
    };
    Some(GeomDistance { dist, normal, from: p + normal * a.radius(), to: q - normal * b.radius() })
}

/// A local minimum of the support function of the Minkowski difference.
#[derive(Clone, Copy)]
struct LocalMinimum<T> {
    /// Direction.
    n: Vec3<T>,
    /// The support function there.
    height: T,
    /// Contact point on the first shape, if known.
    witness: Option<Vec3<T>>,
    /// Triangle of the difference at which the descent ended, if it did.
    face: Option<[DifferencePoint<T>; 3]>,
}

/// Minimiser of the support function of the Minkowski difference, and the minimum; none if that is below `-reach`.
fn penetration_direction<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    reach: T,
) -> Option<LocalMinimum<T>> {
    let size = length(a.shape.size) + length(b.shape.size);
    let tolerance = T::of(4.0) * T::EPSILON.sqrt() * size;
    let mut n = normalize3(b.shape.pos - a.shape.pos);
    let begin = search(a, b, GjkTarget::Origin, reach, tolerance, &mut n);
    // every GJK triangle is part of a face
    let flat = (a.hull.exists() || b.hull.exists()) && !a.is_curved() && !b.is_curved();
    let height = begin.height;
    let least = match begin.state {
        GjkStatus::Far => return None,
        // far enough apart that the closest point is exact
        GjkStatus::Outside if -height > T::of(QUERY_LIFT) * size => {
            LocalMinimum { n, height, witness: Some(begin.witness), face: None }
        }
        GjkStatus::Outside => descend(a, b, (n, height), size, flat),
        GjkStatus::Inside => least_penetration(a, b, &begin, size, flat),
    };
    // for polytopes, points and segments the closest triangle is exact
    if flat {
        return Some(least);
    }
    let (n, height) = refine_direction(a, b, least.n, size);
    Some(LocalMinimum { n, height, witness: None, face: None })
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
    let mut n = start;
    let mut point = minkowski_support(a, b, n);
    let mut height = dot(point, n);
    // number of snapped dimensions, and the direction of a single edge
    let (mut kept, mut edge) = (0, Vec3::ZERO);
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
        // polygons and edges at the support vertex; the other shape is curved
        let (other, sign) = if a.hull.exists() { (b, T::ONE) } else { (a, -T::ONE) };
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
        n = next;
        point = support;
        height = value;
        if length < T::of(4.0) * T::EPSILON {
            break;
        }
    }
    (n, height)
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

/// Touching points of two cores along `n`.
fn core_witnesses<T: Real>(a: &ConvexShape<'_, T>, b: &ConvexShape<'_, T>, n: Vec3<T>) -> (Vec3<T>, Vec3<T>) {
    let flat = T::of(FLAT_TOLERANCE) * T::EPSILON.sqrt();
    // alternating projections, which end where both support sets are flat
    let mut p = support(a, n, b.shape.pos, flat);
    let mut q = support(b, -n, p, flat);
    p = support(a, n, q, flat);
    q = support(b, -n, p, flat);
    // two skew edges
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

/// Touching points of two cores, one of them a polytope: the unique support point of the other, or else the preimage
/// of the closest point of the Minkowski difference to a point above it.
fn hull_witnesses<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    &LocalMinimum { n, height, witness, .. }: &LocalMinimum<T>,
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
    let p = witness.unwrap_or_else(|| {
        let size = length(a.shape.size) + length(b.shape.size);
        let mut turned = n;
        search(a, b, GjkTarget::Above(T::of(QUERY_LIFT) * size), T::of(8.0) * size, T::ZERO, &mut turned)
            .witness
    });
    (p, p - across)
}

/// True if a shape has a single support point in direction `n`.
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

/// Support edge of a shape in direction `n`; none if the support set is a vertex or a face.
fn single_edge<T: Real>(s: &ConvexShape<'_, T>, n: Vec3<T>, flat: T) -> Option<Vec3<T>> {
    let mut edge = None;
    for k in 0..3 {
        // the radial axes of a cylinder count for its caps only
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
    use crate::collision::primitives::{Shape, capsule_capsule, sphere_sphere_at};
    use crate::math::random::Random;
    use crate::math::{Mat3, Quat, quat_mul, quat_normalize, quat_rotate, quat_to_mat};

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

    /// Random pairs of all types, about half of them in contact.
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
            // another local minimum of nearly equal depth
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
                    // coincident, aligned, both, flat
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
