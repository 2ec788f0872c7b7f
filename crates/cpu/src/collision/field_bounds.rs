//! What bounds of two fields say of a search for their overlap before the fields are evaluated. They leave out only what
//! has no contact, or leads up.

use super::field::Field;
use super::primitives::Shape;
use super::signed_distance::{Formula, primitive_distance};
use crate::math::graded::{Number, Plain};
use crate::math::{Vec3, length};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Most parts that are looked at before fields are taken to meet, and most at a time.
const PARTS: usize = 48;
const PARTS_AT_ONCE: usize = 32;

/// Share by which boxes are enlarged, so that rounding decides nothing.
const ROUNDING: f64 = 1e-5;

/// A box around all points where a field is negative, in the frame of the geom: where a coordinate is d beyond it, the
/// field is at least `slope` d, and nowhere less than −`deepest`.
#[derive(Clone, Copy, Debug)]
pub struct Bound<T> {
    /// Centre, m.
    pub centre: Vec3<T>,
    /// Half sizes, m.
    pub half: Vec3<T>,
    /// Rise outside.
    pub slope: T,
    /// Depth, m.
    pub deepest: T,
}

/// How far a way down may lead before the larger of two fields is above a value.
pub(super) struct Horizon<T> {
    /// The value; infinite where it saves nothing to compare one field with it before the other is evaluated.
    pub(super) most: T,
    /// The way in the frames of both geoms, from the centres of their boxes.
    ways: Option<[Way<T>; 2]>,
}

/// A way from a point against a gradient, and half sizes of the box that ends it.
#[derive(Clone, Copy)]
struct Way<T> {
    from: Vec3<T>,
    gradient: Vec3<T>,
    reach: Vec3<T>,
}

impl<T: Real> Horizon<T> {
    /// Whether the point after a share of the gradient is surely beyond. All sides are compared, without a branch at each.
    #[inline(always)]
    pub(super) fn is_passed(&self, share: T) -> bool {
        let Some(ways) = self.ways else { return false };
        let mut is_beyond = false;
        for Way { from, gradient, reach } in ways {
            for k in 0..3 {
                is_beyond |= (from[k] - gradient[k] * share).abs() > reach[k];
            }
        }
        is_beyond
    }
}

impl<T: Real> Field<'_, T> {
    /// The box around the points where the field is negative; none of planes and of fields that are no distances.
    pub fn bound(&self) -> Option<Bound<T>> {
        let (centre, half, slope, deepest) = match self {
            Self::Shape(kind, size) => {
                let [a, b, c] = size.0;
                let (least, most) = (a.min(b).min(c), a.max(b).max(c));
                let (half, slope, deepest) = match *kind {
                    geom::SPHERE => (Vec3([a; 3]), T::ONE, a),
                    geom::CAPSULE => (Vec3([a, a, a + b]), T::ONE, a),
                    geom::ELLIPSOID => (*size, least / most, most),
                    geom::CYLINDER => (Vec3([a, a, b]), T::ONE, a),
                    geom::BOX => (*size, T::ONE, most * T::of(2.0)),
                    _ => return None,
                };
                (Vec3::ZERO, half, slope, deepest)
            }
            Self::Formula(_) => return None,
            Self::Plugin(formula) => {
                let (half, deepest) = formula.bound()?;
                (Vec3::ZERO, half, T::ONE, deepest)
            }
            Self::Octree(octree) => {
                let (centre, half) = octree.root()?;
                (centre, half, T::ONE, half[0].max(half[1]).max(half[2]))
            }
        };
        Some(Bound { centre, half, slope, deepest })
    }

    /// Whether a value takes no longer than a branch that is not foreseen.
    #[inline(always)]
    fn is_quick(&self) -> bool {
        matches!(self, Self::Shape(..) | Self::Plugin(Formula::Torus(..)))
    }

    /// A bound of the distance from a point to those where the field is negative; below zero says nothing.
    pub fn clearance(&self, p: Vec3<T>) -> T {
        match self {
            Self::Shape(geom::ELLIPSOID, size) => {
                (length(p / *size) - T::ONE) * size[0].min(size[1]).min(size[2])
            }
            Self::Octree(octree) => octree.root().map_or(-T::ONE, |(centre, half)| {
                primitive_distance::<T, Plain<T>>(geom::BOX, half, p - centre).value()
            }),
            _ => self.value(p),
        }
    }
}

/// Two fields, in the frame of the second.
pub(super) struct Overlap<'a, T> {
    pub(super) one: Field<'a, T>,
    pub(super) two: Field<'a, T>,
    /// Pose of the first geom in the frame of the second.
    pub(super) pose: Shape<T>,
    /// Boxes around both, each in the frame of its geom.
    pub(super) bounds: Option<[Bound<T>; 2]>,
}

impl<'a, T: Real> Overlap<'a, T> {
    pub(super) fn new(one: Field<'a, T>, two: Field<'a, T>, pose: Shape<T>) -> Self {
        let bounds = one.bound().zip(two.bound()).map(|(one, two)| [one, two]);
        Self { one, two, pose, bounds }
    }

    /// A point in the frame of the first geom.
    #[inline(always)]
    pub(super) fn turned(&self, x: Vec3<T>) -> Vec3<T> {
        (x - self.pose.pos) * self.pose.mat
    }

    /// Whether the two may be negative at one point: parts of a box around the smaller one are halved until they are clear
    /// of one of the fields, or too many.
    pub(super) fn may_meet(&self) -> bool {
        let Some([one, two]) = self.bounds else { return true };
        let mut parts = [(two.centre, two.half * T::of(1.0 + ROUNDING)); PARTS_AT_ONCE];
        let radius = length(one.half);
        if radius < length(two.half) {
            let centre = self.pose.pos + self.pose.mat * one.centre;
            parts[0] = (centre, Vec3([radius * T::of(1.0 + ROUNDING); 3]));
        }
        let mut count = 1_usize;
        for _ in 0..PARTS {
            let Some(last) = count.checked_sub(1) else { return false };
            let (centre, mut half) = parts[last];
            let clear = self.two.clearance(centre).max(self.one.clearance(self.turned(centre)));
            if clear > length(half) * T::of(1.0 + ROUNDING) {
                count = last;
                continue;
            }
            if clear < T::ZERO || count == PARTS_AT_ONCE {
                return true;
            }
            // along the longest side
            let longest = if half[1] > half[0] { 1 } else { 0 };
            let longest = if half[2] > half[longest] { 2 } else { longest };
            half[longest] *= T::of(0.5);
            let aside = Vec3::unit(longest) * half[longest];
            parts[last] = (centre - aside, half);
            parts[count] = (centre + aside, half);
            count += 1;
        }
        count > 0
    }

    /// Where the larger field is above `most`, on the way from `x` against a gradient.
    #[inline(always)]
    pub(super) fn horizon(&self, x: Vec3<T>, gradient: Vec3<T>, most: T) -> Horizon<T> {
        let Some([one, two]) = self.bounds else {
            return Horizon { most: T::of(f64::INFINITY), ways: None };
        };
        let most = most.max(T::ZERO) * T::of(1.0 + ROUNDING);
        let reach = |bound: Bound<T>| {
            let beyond = most / bound.slope;
            bound.half.map(|half| (half + beyond) * T::of(1.0 + ROUNDING))
        };
        let first =
            Way { from: self.turned(x) - one.centre, gradient: gradient * self.pose.mat, reach: reach(one) };
        let second = Way { from: x - two.centre, gradient, reach: reach(two) };
        let most = if self.two.is_quick() { T::of(f64::INFINITY) } else { most };
        Horizon { most, ways: Some([first, second]) }
    }

    /// Where the closeness is larger than `here`: it is at least 2M − `deepest`, for M the larger field above zero.
    #[inline(always)]
    pub(super) fn close_horizon(&self, x: Vec3<T>, gradient: Vec3<T>, here: T) -> Horizon<T> {
        let deepest = self.bounds.map_or(T::ZERO, |[one, two]| one.deepest.max(two.deepest));
        self.horizon(x, gradient, (here + deepest) * T::of(0.5))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::math::random::Random;
    use manyworlds_model::schema::enums::plugin;

    /// Fields that have bounds.
    fn fields() -> Vec<Field<'static, f64>> {
        let shapes = [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX];
        let plugins = [
            (plugin::TORUS, [0.3, 0.1, 0.0]),
            (plugin::TORUS, [0.1, 0.2, 0.0]),
            (plugin::BOWL, [0.2, 0.4, 0.03]),
            (plugin::BOWL, [0.5, 0.4, 0.03]),
        ];
        let formulas = plugins.map(|(kind, prm)| Field::Plugin(Formula::new(kind, &prm)));
        shapes.map(|kind| Field::Shape(kind, Vec3([0.2, 0.3, 0.05]))).into_iter().chain(formulas).collect()
    }

    #[test]
    fn fields_keep_within_their_bounds() {
        let mut random = Random(11);
        for field in fields() {
            let bound = field.bound().unwrap();
            for _ in 0..10_000 {
                let p = random.vector();
                let value = field.value(p);
                assert!(value > -bound.deepest - 1e-12, "{field:?} {p:?}");
                for k in 0..3 {
                    let beyond = (p[k] - bound.centre[k]).abs() - bound.half[k];
                    assert!(beyond < 0.0 || value > bound.slope * beyond - 1e-12, "{field:?} {p:?}");
                }
            }
        }
        assert!(Field::Plugin(Formula::new(plugin::NUT, &[0.3])).bound().is_none());
    }

    #[test]
    fn nothing_inside_is_nearer_than_the_clearance() {
        let mut random = Random(12);
        for field in fields() {
            let points: Vec<Vec3<f64>> = (0..4000).map(|_| random.vector() * 0.5).collect();
            let (inside, outside): (Vec<_>, Vec<_>) = points.into_iter().partition(|p| field.value(*p) < 0.0);
            assert!(inside.len() > 20, "{field:?} {}", inside.len());
            for p in outside {
                let nearest = inside.iter().map(|x| length(p - *x)).fold(f64::MAX, f64::min);
                assert!(nearest > field.clearance(p) - 1e-12, "{field:?} {p:?}");
            }
        }
    }
}
