//! A pair of geoms: bounding volumes, shapes, and the choice of narrow-phase routine.

use super::capsule_box::capsule_box;
use super::polytope::{Hull, MeshHull};
// closed forms are called by the names that the table of shape pairs has for them
use super::primitives::*;
use super::support_map::ConvexShape;
use crate::math::{Mat3, Vec3, dot, mat_column, mat_row, mat3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;
use manyworlds_model::schema::shape_pairs::shape_pair_table;

/// By how much boxes that were apart have to be so, as a share of their sizes: far more than rounding.
const FACE_SLACK: f64 = 1e-5;

/// True if two bounding spheres, or a plane and a bounding sphere, are farther apart than the margin.
#[inline(always)]
pub(crate) fn spheres_apart<T: Real>(m: &Model<T>, d: &Data<T>, g1: usize, g2: usize, margin: T) -> bool {
    let apart = vec3(&d.geom_xpos, g2) - vec3(&d.geom_xpos, g1);
    if m.geom_type[g1] == geom::PLANE {
        let mat = &d.geom_xmat[9 * g1..9 * g1 + 9];
        let normal = Vec3([mat[2], mat[5], mat[8]]);
        return dot(apart, normal) > margin + m.geom_rbound[g2];
    }
    let reach = m.geom_rbound[g1] + m.geom_rbound[g2] + margin;
    dot(apart, apart) > reach * reach
}

/// An oriented bounding box.
pub(crate) struct Obb<T> {
    centre: Vec3<T>,
    mat: Mat3<T>,
    half: Vec3<T>,
}

impl<T: Real> Obb<T> {
    /// Box with given centre and half sizes in a frame.
    #[inline(always)]
    pub(crate) fn new((pos, mat): (Vec3<T>, Mat3<T>), bounds: &[T]) -> Self {
        Self { centre: pos + mat * vec3(bounds, 0), mat, half: vec3(bounds, 1) }
    }

    /// Bounding box of a geom.
    #[inline(always)]
    fn around(m: &Model<T>, d: &Data<T>, g: usize) -> Self {
        Self::new((vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g)), &m.geom_aabb[6 * g..6 * g + 6])
    }

    /// Centre and half sizes of the box around it along the axes of the world.
    pub(crate) fn aligned(&self) -> [T; 6] {
        let half = Vec3::from_fn(|k| dot(mat_row(self.mat, k).map(T::abs), self.half));
        let Vec3([x, y, z]) = self.centre;
        [x, y, z, half[0], half[1], half[2]]
    }

    /// True if two boxes are farther apart than `margin` along a face axis of either (Gottschalk, Lin and Manocha,
    /// *OBBTree*, 1996, without the cross products of edges).
    #[inline(always)]
    pub(crate) fn boxes_apart(&self, other: &Self, margin: T) -> bool {
        self.separating_axis(other, margin).is_some()
    }

    /// First face axis along which two boxes are farther apart than `margin`, three of this one and three of the other.
    #[inline(always)]
    fn separating_axis(&self, other: &Self, margin: T) -> Option<u8> {
        let apart = other.centre - self.centre;
        let mut turn = [Vec3::ZERO; 3];
        for k in 0..3 {
            // axes of the second box along one of the first
            let axis = mat_column(self.mat, k);
            turn[k] = axis * other.mat;
            let reach = self.half[k] + dot(turn[k].map(T::abs), other.half) + margin;
            if dot(axis, apart).abs() > reach {
                return Some(k as u8);
            }
        }
        for k in 0..3 {
            let column = Vec3([turn[0][k], turn[1][k], turn[2][k]]);
            let reach = other.half[k] + dot(column.map(T::abs), self.half) + margin;
            if dot(mat_column(other.mat, k), apart).abs() > reach {
                return Some(3 + k as u8);
            }
        }
        None
    }

    /// True if two boxes are farther apart than `margin` along face axis `k` of this one: what [`Self::separating_axis`]
    /// computes for it.
    #[inline(always)]
    fn apart_along(&self, other: &Self, k: usize, margin: T) -> bool {
        let axis = mat_column(self.mat, k);
        let reach = self.half[k] + dot((axis * other.mat).map(T::abs), other.half) + margin;
        dot(axis, other.centre - self.centre).abs() > reach
    }
}

/// First face axis of the bounding boxes of two geoms along which these are farther apart than `margin`.
pub(super) fn geoms_apart<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    (g1, g2): (usize, usize),
    margin: T,
) -> Option<u8> {
    Obb::around(m, d, g1).separating_axis(&Obb::around(m, d, g2), margin)
}

/// True if the bounding boxes of two geoms are farther apart than `margin` along one of these axes, by more than rounding.
pub(super) fn geoms_apart_along<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    (g1, g2): (usize, usize),
    k: usize,
    margin: T,
) -> bool {
    let (one, two) = if k < 3 { (g1, g2) } else { (g2, g1) };
    let (one, two) = (Obb::around(m, d, one), Obb::around(m, d, two));
    let extent = dot(one.half + two.half, Vec3([T::ONE; 3]));
    one.apart_along(&two, k % 3, margin + extent * T::of(FACE_SLACK))
}

/// Pose and size of one geom.
#[inline(always)]
pub(crate) fn shape<T: Real>(m: &Model<T>, d: &Data<T>, id: usize) -> Shape<T> {
    Shape { pos: vec3(&d.geom_xpos, id), mat: mat3(&d.geom_xmat, id), size: vec3(&m.geom_size, id) }
}

/// Pose, size and mesh of one geom.
#[inline(always)]
pub(crate) fn convex_shape<'a, T: Real>(m: &'a Model<T>, d: &Data<T>, id: usize) -> ConvexShape<'a, T> {
    let kind = m.geom_type[id];
    let hull = match usize::try_from(m.geom_dataid[id]) {
        Ok(mesh) if kind == geom::MESH || kind == geom::SDF => Hull::Mesh(MeshHull::of(m, mesh)),
        _ => Hull::None,
    };
    ConvexShape { kind, shape: shape(m, d, id), hull }
}

/// The call of the closed form of a pair: an arm for each row of the table that has one.
macro_rules! dispatch {
    ($call:tt [$($arm:tt)*] $first:ident $second:ident ClosedForm $contacts:literal $function:ident; $($row:tt)*) => {
        dispatch!($call [$($arm)* (geom::$first, geom::$second) => dispatch!(@call $function $call),] $($row)*)
    };
    ($call:tt [$($arm:tt)*] $first:ident $second:ident $method:ident $contacts:literal none; $($row:tt)*) => {
        dispatch!($call [$($arm)*] $($row)*)
    };
    (@call $function:ident ($types:ident, $($argument:ident),*)) => {
        Some($function($($argument),*))
    };
    (($types:ident, $($argument:ident),*) [$($arm:tt)*]) => {
        match $types {
            $($arm)*
            _ => None,
        }
    };
}

macro_rules! define_closed_form {
    ($($row:tt)*) => {
        /// Contacts of two shapes nearer than `margin`, if a closed form finds them, which then gives their distance too;
        /// returns their number.
        pub(crate) fn closed_form<T: Real>(
            types: (i32, i32),
            a: &Shape<T>,
            b: &Shape<T>,
            margin: T,
            found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
        ) -> Option<usize> {
            dispatch!((types, a, b, margin, found) [] $($row)*)
        }
    };
}
shape_pair_table!(define_closed_form);
