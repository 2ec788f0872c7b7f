//! Two signed distance fields where their geoms may overlap, and a search for that.

use super::field::Field;
use super::primitives::Shape;
use crate::math::Vec3;
use manyworlds_model::real::Real;

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
    /// Whether the field changes by no more than the distance between two points.
    pub is_distance: bool,
}

/// Two fields, in the frame of the second.
pub(super) struct Overlap<'a, T> {
    pub(super) one: Field<'a, T>,
    pub(super) two: Field<'a, T>,
    /// Pose of the first geom in the frame of the second.
    pub(super) pose: Shape<T>,
    /// Boxes around both, each in the frame of its geom.
    pub(super) bounds: Option<[Bound<T>; 2]>,
    /// Whether neither field changes by more than the distance between two points.
    pub(super) are_distances: bool,
}

impl<'a, T: Real> Overlap<'a, T> {
    pub(super) fn new(one: Field<'a, T>, two: Field<'a, T>, pose: Shape<T>) -> Self {
        let bounds = one.bound().zip(two.bound()).map(|(one, two)| [one, two]);
        let are_distances = bounds.is_some_and(|[one, two]| one.is_distance && two.is_distance);
        Self { one, two, pose, bounds, are_distances }
    }

    /// The search for two fields of known types.
    pub(super) fn between<A, B>(&self, one: A, two: B) -> Search<'_, 'a, T, A, B> {
        Search { overlap: self, one, two }
    }

    /// A point in the frame of the first geom.
    #[inline(always)]
    pub(super) fn turned(&self, x: Vec3<T>) -> Vec3<T> {
        (x - self.pose.pos) * self.pose.mat
    }
}

/// A search in an overlap, with the fields as types of their own, so that one that takes thousands of values of a field
/// does not ask each time which field it is.
pub(super) struct Search<'o, 'a, T, A, B> {
    pub(super) overlap: &'o Overlap<'a, T>,
    pub(super) one: A,
    pub(super) two: B,
}

/// The larger of two values; of equals the second.
#[inline(always)]
pub(super) fn larger<T: Real>([a, b]: [T; 2]) -> T {
    if a > b { a } else { b }
}

/// The value of the closeness of two fields.
#[inline(always)]
pub(super) fn closeness_value<T: Real>([a, b]: [T; 2]) -> T {
    a + b + larger([a, b]).abs()
}
