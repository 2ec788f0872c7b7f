//! Direction from a segment to a solid cylinder that are apart.
//!
//! The distance of a point of the segment to the cylinder, a convex function of its place on it, falls until its slope is zero.
//! In the cylinder's frame a point is beyond its side, beyond a cap, or both. The slope of half the squared distance is smooth
//! in each of the three and rises, so that Newton's method within an interval finds the place; a search by support functions
//! takes some twenty steps to follow the rim of a cap or a skewed edge.

use super::support_map::ConvexShape;
use crate::math::{Vec3, dot, length};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Least distance, as a share of the sizes, at which the direction is as exact as that of a search.
const LEAST_SHARE: f64 = 1e-3;

/// Most steps of the search for the place.
const STEPS: usize = 40;

/// Minimiser of the support function of the Minkowski difference of a segment (a capsule's core) and a cylinder, in either
/// order, and the minimum; none where they overlap or nearly touch, or are other shapes.
pub(super) fn segment_cylinder<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
) -> Option<(Vec3<T>, T)> {
    let (segment, cylinder, sign) = match (a.kind, b.kind) {
        (geom::CAPSULE, geom::CYLINDER) => (a, b, -T::ONE),
        (geom::CYLINDER, geom::CAPSULE) => (b, a, T::ONE),
        _ => return None,
    };
    let middle = cylinder.to_local(segment.shape.pos - cylinder.shape.pos);
    let axis = cylinder.to_local(segment.axis(2));
    let [radius, half, _] = cylinder.shape.size.0;
    let place = nearest_place(&Line { middle, axis, half: segment.shape.size[1] }, radius, half)?;
    let away = Excess::of(middle + axis * place, radius, half).away();
    // exact enough only where it is long
    let (distance, size) = (length(away), length(a.shape.size) + length(b.shape.size));
    let least = T::of(LEAST_SHARE).max(T::of(100.0) * T::EPSILON.sqrt()) * size;
    if distance > least {
        let n = cylinder.shape.mat * (away * (sign / distance));
        return Some((n, -distance));
    }
    None
}

/// A segment in the frame of a cylinder.
struct Line<T> {
    middle: Vec3<T>,
    /// Unit vector along it.
    axis: Vec3<T>,
    /// Half its length.
    half: T,
}

/// How far a point is beyond the side and beyond the nearer cap of a cylinder.
struct Excess<T> {
    point: Vec3<T>,
    /// Distance from the axis.
    off: T,
    side: T,
    cap: T,
}

impl<T: Real> Excess<T> {
    /// Of a point and a cylinder with this radius and half length.
    fn of(point: Vec3<T>, radius: T, half: T) -> Self {
        let off = (point[0] * point[0] + point[1] * point[1]).sqrt();
        Self { point, off, side: (off - radius).max(T::ZERO), cap: (point[2].abs() - half).max(T::ZERO) }
    }

    /// Vector from the nearest point of the cylinder.
    fn away(&self) -> Vec3<T> {
        let share = if self.side > T::ZERO { self.side / self.off } else { T::ZERO };
        Vec3([self.point[0] * share, self.point[1] * share, self.cap * self.sign()])
    }

    /// Side of the middle on which the point is.
    fn sign(&self) -> T {
        if self.point[2] < T::ZERO { -T::ONE } else { T::ONE }
    }

    /// First and second derivative of half the squared distance as the point moves along `axis`.
    fn slopes(&self, axis: Vec3<T>) -> (T, T) {
        let (mut slope, mut bend) = (T::ZERO, T::ZERO);
        if self.side > T::ZERO {
            let outward = (self.point[0] * axis[0] + self.point[1] * axis[1]) / self.off;
            let across = axis[0] * axis[0] + axis[1] * axis[1];
            slope += self.side * outward;
            bend += outward * outward + self.side * (across - outward * outward) / self.off;
        }
        if self.cap > T::ZERO {
            slope += self.cap * self.sign() * axis[2];
            bend += axis[2] * axis[2];
        }
        (slope, bend)
    }
}

/// Place of the point of a segment that is nearest to a cylinder, from the middle along the axis; none where it is within.
fn nearest_place<T: Real>(line: &Line<T>, radius: T, half: T) -> Option<T> {
    let at = |place: T| Excess::of(line.middle + line.axis * place, radius, half);
    let (mut low, mut high) = (-line.half, line.half);
    if at(low).slopes(line.axis).0 >= T::ZERO {
        return Some(low);
    }
    if at(high).slopes(line.axis).0 <= T::ZERO {
        return Some(high);
    }
    let close = T::of(4.0) * T::EPSILON * line.half;
    let mut place = (-dot(line.middle, line.axis)).max(low).min(high);
    for _ in 0..STEPS {
        let excess = at(place);
        let (slope, bend) = excess.slopes(line.axis);
        // flat to rounding, as along a side that is parallel
        let reach = excess.side + excess.cap;
        if slope.abs() <= T::of(4.0) * T::EPSILON * reach {
            return (reach > T::ZERO).then_some(place);
        }
        if slope > T::ZERO {
            high = place;
        } else {
            low = place;
        }
        // Newton's step, or half of the interval
        let next = place - slope / bend;
        let inside = next > low && next < high;
        let next = if inside { next } else { (low + high) * T::of(0.5) };
        if (next - place).abs() <= close {
            return Some(next);
        }
        place = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::primitives::Shape;
    use crate::collision::support_map::minkowski_support;
    use crate::math::random::Random;
    use crate::math::{Mat3, quat_to_mat};

    /// The distance of a segment to a cylinder from a thousand places on it, each at the nearest in closed form.
    fn sampled(segment: &Shape<f64>, cylinder: &Shape<f64>) -> f64 {
        let place = |k: usize| segment.size[1] * (k as f64 / 500.0 - 1.0);
        let points = (0..=1000).map(|k| segment.pos + segment.mat * (Vec3::Z * place(k)));
        let local = points.map(|point| (point - cylinder.pos) * cylinder.mat);
        local.map(|p| length(Excess::of(p, cylinder.size[0], cylinder.size[1]).away())).fold(1e9, f64::min)
    }

    #[test]
    fn the_support_function_is_least_where_the_distance_is() {
        let mut random = Random(7);
        let (mut found, mut all) = (0, 0);
        for k in 0..4000 {
            let mut pose = |scale: f64| Shape {
                pos: random.vector() * scale,
                mat: quat_to_mat(random.quat()),
                size: random.vector().map(|x| 0.3 + 0.25 * x),
            };
            let (mut segment, cylinder) = (pose(1.0), pose(0.5));
            // along the axis, across it, and in any direction
            match k % 4 {
                0 => segment.mat = cylinder.mat,
                1 => segment.mat = Mat3(std::array::from_fn(|k| cylinder.mat.0[k / 3 * 3 + (k % 3 + 1) % 3])),
                _ => {}
            }
            let (a, b) =
                (ConvexShape::of(geom::CAPSULE, &segment), ConvexShape::of(geom::CYLINDER, &cylinder));
            let distance = sampled(&segment, &cylinder);
            let Some((n, height)) = segment_cylinder(&a, &b) else {
                // only where they touch
                assert!(distance < 2.0 * LEAST_SHARE, "{k}: {distance}");
                continue;
            };
            all += 1;
            // no place is nearer, and the plane across the direction separates them by as much
            assert!(-height <= distance + 1e-12, "{k}: {height} {distance}");
            let support = dot(minkowski_support(&a, &b, n), n);
            assert!((support - height).abs() < 1e-12, "{k}: {support} {height}");
            assert!((length(n) - 1.0).abs() < 1e-14);
            // the other way round
            let turned = segment_cylinder(&b, &a).map_or(Vec3::ZERO, |(n, _)| n);
            assert_eq!(turned, -n);
            found += usize::from(distance < 0.3);
        }
        assert!(all > 3500 && found > 600, "{found} of {all}");
    }
}
