//! Points at which two convex shapes are nearest, or touch: from the supports of a direction.

use super::gjk::{GjkTarget, search};
use super::penetration::{LocalMinimum, QUERY_LIFT};
use super::support_map::{ConvexShape, FLAT_TOLERANCE, support};
use crate::math::{Vec3, cross, dot, length};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// [`FLAT_TOLERANCE`] for a normal taken from the closest triangle, which is less exact.
const LOOSE_FLAT_TOLERANCE: f64 = 10.0;

/// Touching points of two cores along `n`.
pub(super) fn core_witnesses<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    n: Vec3<T>,
) -> (Vec3<T>, Vec3<T>) {
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
pub(super) fn hull_witnesses<T: Real>(
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
    if s.is_hull() {
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
