//! Rays against shapes with a closed form.

use crate::math::{Vec3, dot, normalize3};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// A ray's intersection with a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<T> {
    /// Distance, in units of the direction's length.
    pub dist: T,
    /// Outward unit normal.
    pub normal: Vec3<T>,
}

/// Hit on a primitive, in the frame of the shape: `kind` as in `geom_type`.
pub fn ray_shape<T: Real>(kind: i32, size: Vec3<T>, p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
    let (dist, normal) = match kind {
        geom::PLANE => ray_plane(size, p, v)?,
        geom::SPHERE => {
            let dist = sphere_interval(p, v, size[0]).first_ahead()?;
            (dist, p + v * dist)
        }
        geom::CAPSULE => ray_capsule(size, p, v)?,
        geom::ELLIPSOID => {
            // unit sphere in scaled space
            let dist = sphere_interval(p / size, v / size, T::ONE).first_ahead()?;
            (dist, (p + v * dist) / size / size)
        }
        geom::CYLINDER => {
            let side = sphere_interval(flat(p), flat(v), size[0]);
            let ends = slab_interval(p[2], v[2], size[1]);
            let dist = side.intersect(ends).first_ahead()?;
            let at = p + v * dist;
            let on_end = dist == ends.near || dist == ends.far;
            (dist, if on_end { Vec3([T::ZERO, T::ZERO, at[2]]) } else { flat(at) })
        }
        geom::BOX => {
            let intervals = [0, 1, 2].map(|k| slab_interval(p[k], v[k], size[k]));
            let dist = intervals[0].intersect(intervals[1]).intersect(intervals[2]).first_ahead()?;
            let at = p + v * dist;
            let axis = intervals.iter().position(|s| dist == s.near || dist == s.far).unwrap_or(0);
            let mut normal = Vec3::ZERO;
            normal[axis] = at[axis];
            (dist, normal)
        }
        _ => return None,
    };
    Some(Hit { dist, normal: normalize3(normal) })
}

/// Parameter interval of a ray inside a convex shape; empty if `near` exceeds `far`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval<T> {
    pub(super) near: T,
    pub(super) far: T,
}

/// Stands for infinity.
pub(super) const FAR: f64 = 1e30;

impl<T: Real> Interval<T> {
    pub(super) fn new(near: T, far: T) -> Self {
        Self { near, far }
    }

    /// The whole line, or nothing.
    pub(super) fn all_or_none(all: bool) -> Self {
        let far = T::of(if all { FAR } else { -FAR });
        Self { near: -far, far }
    }

    pub(super) fn intersect(self, other: Self) -> Self {
        Self { near: self.near.max(other.near), far: self.far.min(other.far) }
    }

    /// First surface ahead.
    pub(super) fn first_ahead(self) -> Option<T> {
        if self.near > self.far || self.far < T::ZERO {
            return None;
        }
        Some(if self.near >= T::ZERO { self.near } else { self.far })
    }
}

/// A vector without its third component.
pub(super) fn flat<T: Real>(a: Vec3<T>) -> Vec3<T> {
    Vec3([a[0], a[1], T::ZERO])
}

/// Interval of a ray inside a sphere at the origin, relative to the point closest to the centre to avoid
/// cancellation.
pub(super) fn sphere_interval<T: Real>(p: Vec3<T>, v: Vec3<T>, radius: T) -> Interval<T> {
    let square = dot(v, v);
    if square < T::MINVAL {
        return Interval::all_or_none(dot(p, p) <= radius * radius);
    }
    let middle = -dot(p, v) / square;
    let nearest = p + v * middle;
    let left = radius * radius - dot(nearest, nearest);
    if left <= T::ZERO {
        return Interval::all_or_none(false);
    }
    let half = (left / square).sqrt();
    Interval::new(middle - half, middle + half)
}

/// Interval of a ray within a slab of half width `half` about the origin.
pub(super) fn slab_interval<T: Real>(p: T, v: T, half: T) -> Interval<T> {
    if v.abs() < T::MINVAL {
        return Interval::all_or_none(p.abs() <= half);
    }
    let side = if v > T::ZERO { half } else { -half };
    Interval::new((-side - p) / v, (side - p) / v)
}

/// Distance and normal of a hit on the upper side of a plane, of limited size where `size` is positive.
fn ray_plane<T: Real>(size: Vec3<T>, p: Vec3<T>, v: Vec3<T>) -> Option<(T, Vec3<T>)> {
    if v[2] > -T::MINVAL {
        return None;
    }
    let dist = -p[2] / v[2];
    let at = p + v * dist;
    let inside = |k: usize| size[k] <= T::ZERO || at[k].abs() <= size[k];
    (dist >= T::ZERO && inside(0) && inside(1)).then_some((dist, Vec3::Z))
}

/// Distance and normal of the nearest hit on the side of a capsule and the outer hemispheres at its ends.
fn ray_capsule<T: Real>(size: Vec3<T>, p: Vec3<T>, v: Vec3<T>) -> Option<(T, Vec3<T>)> {
    let mut best: Option<(T, Vec3<T>)> = None;
    for part in 0..3 {
        let end = size[1] * T::of([0.0, 1.0, -1.0][part]);
        let from = |a: Vec3<T>| if part == 0 { flat(a) } else { Vec3([a[0], a[1], a[2] - end]) };
        let along = if part == 0 { flat(v) } else { v };
        let interval = sphere_interval(from(p), along, size[0]);
        if interval.near > interval.far || dot(along, along) < T::MINVAL {
            continue;
        }
        for dist in [interval.near, interval.far] {
            let at = p + v * dist;
            let here = match part {
                0 => at[2].abs() <= size[1],
                1 => at[2] >= size[1],
                _ => at[2] <= -size[1],
            };
            if here && dist >= T::ZERO && best.is_none_or(|(b, _)| dist < b) {
                best = Some((dist, from(at)));
            }
        }
    }
    best
}

/// True if a point in the frame of a primitive is inside it, or below it for a plane.
pub fn is_inside<T: Real>(kind: i32, size: Vec3<T>, p: Vec3<T>) -> bool {
    match kind {
        geom::PLANE => p[2] < T::ZERO,
        geom::SPHERE => dot(p, p) < size[0] * size[0],
        geom::CAPSULE => {
            let out = p[2] - p[2].max(-size[1]).min(size[1]);
            p[0] * p[0] + p[1] * p[1] + out * out < size[0] * size[0]
        }
        geom::ELLIPSOID => {
            let q = p / size;
            dot(q, q) < T::ONE
        }
        geom::CYLINDER => p[2].abs() < size[1] && p[0] * p[0] + p[1] * p[1] < size[0] * size[0],
        geom::BOX => p[0].abs() < size[0] && p[1].abs() < size[1] && p[2].abs() < size[2],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Vec3<f64> = Vec3::Z;

    fn meets(kind: i32, size: Vec3<f64>, p: Vec3<f64>, v: Vec3<f64>, dist: f64, normal: Vec3<f64>) {
        let hit = ray_shape(kind, size, p, v).expect("a hit");
        let off = hit.normal - normal;
        assert!((hit.dist - dist).abs() < 1e-12 && dot(off, off) < 1e-24, "{kind}: {hit:?}");
        // the same ray with a longer direction
        let longer = ray_shape(kind, size, p, v * 4.0).expect("a hit");
        assert!((longer.dist - dist / 4.0).abs() < 1e-12);
    }

    #[test]
    fn shapes_are_met_from_outside() {
        let down = -Vec3::Z;
        meets(geom::PLANE, Vec3::ZERO, Vec3([3.0, 4.0, 2.0]), down, 2.0, UP);
        meets(geom::SPHERE, Vec3([0.5, 0.0, 0.0]), Vec3([0.3, 0.0, 2.0]), down, 1.6, Vec3([0.6, 0.0, 0.8]));
        meets(geom::CAPSULE, Vec3([0.5, 1.0, 0.0]), Vec3([0.3, 0.0, 3.0]), down, 1.6, Vec3([0.6, 0.0, 0.8]));
        meets(
            geom::CAPSULE,
            Vec3([0.5, 1.0, 0.0]),
            Vec3([0.3, -2.0, 0.5]),
            Vec3::Y,
            1.6,
            Vec3([0.6, -0.8, 0.0]),
        );
        meets(geom::ELLIPSOID, Vec3([1.0, 2.0, 0.5]), Vec3([0.0, 0.0, 2.0]), down, 1.5, UP);
        meets(geom::CYLINDER, Vec3([0.5, 1.0, 0.0]), Vec3([0.3, 0.0, 3.0]), down, 2.0, UP);
        meets(
            geom::CYLINDER,
            Vec3([0.5, 1.0, 0.0]),
            Vec3([0.3, -2.0, 0.5]),
            Vec3::Y,
            1.6,
            Vec3([0.6, -0.8, 0.0]),
        );
        meets(geom::BOX, Vec3([1.0, 2.0, 3.0]), Vec3([0.5, -4.0, 2.0]), Vec3::Y, 2.0, Vec3([0.0, -1.0, 0.0]));
    }

    #[test]
    fn shapes_are_met_from_inside() {
        meets(geom::SPHERE, Vec3([0.5, 0.0, 0.0]), Vec3([0.0, 0.0, 0.1]), UP, 0.4, UP);
        meets(geom::CAPSULE, Vec3([0.5, 1.0, 0.0]), Vec3::ZERO, UP, 1.5, UP);
        meets(geom::CYLINDER, Vec3([0.5, 1.0, 0.0]), Vec3::ZERO, UP, 1.0, UP);
        meets(geom::BOX, Vec3([1.0, 2.0, 3.0]), Vec3::ZERO, Vec3::X, 1.0, Vec3::X);
        assert!(ray_shape(geom::PLANE, Vec3::ZERO, -Vec3::Z, UP).is_none());
    }

    #[test]
    fn what_is_beside_or_behind_is_missed() {
        for kind in [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX] {
            let size = Vec3([0.5, 0.5, 0.5]);
            assert!(ray_shape(kind, size, Vec3([0.6, 0.0, -3.0]), UP).is_none(), "{kind} is_culled");
            assert!(ray_shape(kind, size, Vec3([0.0, 0.0, 3.0]), UP).is_none(), "{kind} behind");
            assert!(
                is_inside(kind, size, Vec3([0.2, 0.2, 0.2]))
                    && !is_inside(kind, size, Vec3([0.51, 0.0, 0.0]))
            );
        }
        assert!(ray_shape(geom::PLANE, Vec3([1.0, 1.0, 0.1]), Vec3([2.0, 0.0, 1.0]), -Vec3::Z).is_none());
    }

    #[test]
    fn thin_shapes_far_away_are_met_in_single_precision() {
        // the discriminant of the quadratic equation would cancel
        let hit = ray_shape(geom::SPHERE, Vec3([0.01f32, 0.0, 0.0]), Vec3([0.006, 0.0, -1000.0]), Vec3::Z);
        assert!((hit.expect("a hit").normal[0] - 0.6).abs() < 1e-3);
    }
}
