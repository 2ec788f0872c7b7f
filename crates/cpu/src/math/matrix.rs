//! 3 x 3 matrices, row-major, with the operators and functions of the kernels.

use std::ops::{Add, AddAssign, Index, Mul, Sub, SubAssign};

use super::vector::{Vec3, cross, dot, length, normalize3};
use manyworlds_model::real::Real;

/// A 3 x 3 matrix, row-major: entry `(r, c)` is element `3 r + c`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat3<T>(pub [T; 9]);

impl<T: Real> Mat3<T> {
    /// The zero matrix.
    pub const ZERO: Self = Self([T::ZERO; 9]);
    /// The identity.
    pub const IDENTITY: Self =
        Self([T::ONE, T::ZERO, T::ZERO, T::ZERO, T::ONE, T::ZERO, T::ZERO, T::ZERO, T::ONE]);

    /// The matrix with the given rows.
    #[inline(always)]
    pub fn from_rows(x: Vec3<T>, y: Vec3<T>, z: Vec3<T>) -> Self {
        Self([x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]])
    }
}

impl<T> Index<usize> for Mat3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, k: usize) -> &T {
        &self.0[k]
    }
}

impl<T: Real> Add for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(std::array::from_fn(|k| self[k] + b[k]))
    }
}

impl<T: Real> Sub for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(std::array::from_fn(|k| self[k] - b[k]))
    }
}

impl<T: Real> Mul<T> for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self(std::array::from_fn(|k| self[k] * s))
    }
}

/// Product of two matrices.
impl<T: Real> Mul for Mat3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let entry =
            |r: usize, c: usize| self[3 * r] * b[c] + self[3 * r + 1] * b[3 + c] + self[3 * r + 2] * b[6 + c];
        Self(std::array::from_fn(|k| entry(k / 3, k % 3)))
    }
}

/// Product of matrix and vector.
impl<T: Real> Mul<Vec3<T>> for Mat3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        Vec3([
            self[0] * v[0] + self[1] * v[1] + self[2] * v[2],
            self[3] * v[0] + self[4] * v[1] + self[5] * v[2],
            self[6] * v[0] + self[7] * v[1] + self[8] * v[2],
        ])
    }
}

/// Product of row vector and matrix: the transposed matrix times the vector.
impl<T: Real> Mul<Mat3<T>> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, m: Mat3<T>) -> Self {
        Self([
            m[0] * self[0] + m[3] * self[1] + m[6] * self[2],
            m[1] * self[0] + m[4] * self[1] + m[7] * self[2],
            m[2] * self[0] + m[5] * self[1] + m[8] * self[2],
        ])
    }
}

impl<T: Real> AddAssign for Mat3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> SubAssign for Mat3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

/// Matrix `i` of an array.
#[inline(always)]
pub fn mat3<T: Real>(a: &[T], i: usize) -> Mat3<T> {
    mat3_at(a, 9 * i)
}

/// The matrix that starts at element `first` of an array.
#[inline(always)]
pub fn mat3_at<T: Real>(a: &[T], first: usize) -> Mat3<T> {
    let s = &a[first..first + 9];
    Mat3([s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]])
}

/// Writes matrix `i` of an array.
#[inline(always)]
pub fn set_mat3<T: Real>(a: &mut [T], i: usize, m: Mat3<T>) {
    a[9 * i..9 * i + 9].copy_from_slice(&m.0);
}

/// Column `i` of a matrix, `m[i]` in the kernels.
#[inline(always)]
pub fn mat_column<T: Real>(m: Mat3<T>, i: usize) -> Vec3<T> {
    Vec3([m[i], m[3 + i], m[6 + i]])
}

/// Row `i` of a matrix.
#[inline(always)]
pub fn mat_row<T: Real>(m: Mat3<T>, i: usize) -> Vec3<T> {
    Vec3([m[3 * i], m[3 * i + 1], m[3 * i + 2]])
}

/// Transpose.
#[inline(always)]
pub fn transpose<T: Real>(a: Mat3<T>) -> Mat3<T> {
    Mat3(std::array::from_fn(|k| a[3 * (k % 3) + k / 3]))
}

/// Matrix of the cross product: `skew(a) b = a × b`.
#[inline(always)]
pub fn skew<T: Real>(a: Vec3<T>) -> Mat3<T> {
    Mat3([T::ZERO, -a[2], a[1], a[2], T::ZERO, -a[0], -a[1], a[0], T::ZERO])
}

/// Outer product `a b'`.
#[inline(always)]
pub fn outer<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Mat3<T> {
    Mat3(std::array::from_fn(|k| a[k / 3] * b[k % 3]))
}

/// Diagonal matrix.
#[inline(always)]
pub fn diagonal<T: Real>(a: Vec3<T>) -> Mat3<T> {
    Mat3(std::array::from_fn(|k| if k % 4 == 0 { a[k / 4] } else { T::ZERO }))
}

/// Right-handed frame whose first row is the unit vector `x`; the second row is chosen from the first.
#[inline(always)]
pub fn make_frame<T: Real>(x: Vec3<T>) -> Mat3<T> {
    make_frame_hint(x, Vec3::ZERO)
}

/// Right-handed frame whose first row is the unit vector `x` and whose second row is as close to `hint` as possible.
/// A short hint, or one along `x`, is replaced by the y axis, or by the z axis where `x` is along y.
#[inline(always)]
pub fn make_frame_hint<T: Real>(x: Vec3<T>, hint: Vec3<T>) -> Mat3<T> {
    let half = T::of(0.5);
    let spare = if x[1] < half && x[1] > -half { Vec3::Y } else { Vec3::Z };
    let mut y = if length(hint) < half { spare } else { hint };
    y = normalize3(y - x * dot(x, y));
    // second orthogonalisation: if the hint is nearly along x, the first leaves little but rounding
    y = if dot(x, y).abs() < half { y } else { spare };
    y = normalize3(y - x * dot(x, y));
    Mat3::from_rows(x, y, cross(x, y))
}
