//! 3-vectors, with the operators and functions of the kernels.

use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

use manyworlds_model::real::Real;

/// A 3-vector. Products and quotients of two are element by element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<T>(pub [T; 3]);

impl<T: Real> Vec3<T> {
    /// The zero vector.
    pub const ZERO: Self = Self([T::ZERO; 3]);
    /// The x axis.
    pub const X: Self = Self([T::ONE, T::ZERO, T::ZERO]);
    /// The y axis.
    pub const Y: Self = Self([T::ZERO, T::ONE, T::ZERO]);
    /// The z axis.
    pub const Z: Self = Self([T::ZERO, T::ZERO, T::ONE]);

    /// The unit vector along axis `k`.
    #[inline(always)]
    pub fn unit(k: usize) -> Self {
        let mut v = Self::ZERO;
        v[k] = T::ONE;
        v
    }

    /// The vector whose component `k` is `component(k)`.
    #[inline(always)]
    pub fn from_fn(mut component: impl FnMut(usize) -> T) -> Self {
        Self([component(0), component(1), component(2)])
    }

    /// A function applied to each component.
    #[inline(always)]
    pub fn map(self, mut of: impl FnMut(T) -> T) -> Self {
        Self([of(self[0]), of(self[1]), of(self[2])])
    }
}

impl<T> Index<usize> for Vec3<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, k: usize) -> &T {
        &self.0[k]
    }
}

impl<T> IndexMut<usize> for Vec3<T> {
    #[inline(always)]
    fn index_mut(&mut self, k: usize) -> &mut T {
        &mut self.0[k]
    }
}

impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self([self[0] + b[0], self[1] + b[1], self[2] + b[2]])
    }
}

impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self([self[0] - b[0], self[1] - b[1], self[2] - b[2]])
    }
}

impl<T: Real> Neg for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self([-self[0], -self[1], -self[2]])
    }
}

impl<T: Real> Mul<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self([self[0] * s, self[1] * s, self[2] * s])
    }
}

impl<T: Real> Mul for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self([self[0] * b[0], self[1] * b[1], self[2] * b[2]])
    }
}

impl<T: Real> Div for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        Self([self[0] / b[0], self[1] / b[1], self[2] / b[2]])
    }
}

impl<T: Real> Div<T> for Vec3<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, s: T) -> Self {
        Self([self[0] / s, self[1] / s, self[2] / s])
    }
}

impl<T: Real> AddAssign for Vec3<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> SubAssign for Vec3<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl<T: Real> MulAssign<T> for Vec3<T> {
    #[inline(always)]
    fn mul_assign(&mut self, s: T) {
        *self = *self * s;
    }
}

/// Vector `i` of an array.
#[inline(always)]
pub fn vec3<T: Real>(a: &[T], i: usize) -> Vec3<T> {
    vec3_at(a, 3 * i)
}

/// The vector that starts at element `first` of an array.
#[inline(always)]
pub fn vec3_at<T: Real>(a: &[T], first: usize) -> Vec3<T> {
    let s = &a[first..first + 3];
    Vec3([s[0], s[1], s[2]])
}

/// Writes vector `i` of an array.
#[inline(always)]
pub fn set_vec3<T: Real>(a: &mut [T], i: usize, v: Vec3<T>) {
    a[3 * i..3 * i + 3].copy_from_slice(&v.0);
}

/// Adds a vector to element `i` of an array of vectors.
#[inline(always)]
pub fn add_vec3<T: Real>(a: &mut [T], i: usize, v: Vec3<T>) {
    for (to, x) in a[3 * i..3 * i + 3].iter_mut().zip(v.0) {
        *to += x;
    }
}

/// Scalar product.
#[inline(always)]
pub fn dot<T: Real>(a: Vec3<T>, b: Vec3<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
#[inline(always)]
pub fn cross<T: Real>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    Vec3([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
}

/// Euclidean length.
#[inline(always)]
pub fn length<T: Real>(a: Vec3<T>) -> T {
    dot(a, a).sqrt()
}

/// Unit vector; the x axis for a zero vector.
#[inline(always)]
pub fn normalize3<T: Real>(a: Vec3<T>) -> Vec3<T> {
    let n = length(a);
    if n < T::MINVAL {
        return Vec3::X;
    }
    a * (T::ONE / n)
}

/// Number clamped to a range; NaN stays NaN.
#[inline(always)]
pub fn clip<T: Real>(x: T, low: T, high: T) -> T {
    x.clip(low, high)
}
