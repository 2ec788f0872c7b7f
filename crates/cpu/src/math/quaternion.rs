//! Rotation quaternions, scalar first.

use std::ops::Index;

use super::matrix::Mat3;
use super::vector::{Vec3, cross, length, normalize3};
use manyworlds_model::real::Real;

/// A quaternion: scalar part, then vector part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quat<T>(pub [T; 4]);

impl<T: Real> Quat<T> {
    /// The identity rotation.
    pub const IDENTITY: Self = Self([T::ONE, T::ZERO, T::ZERO, T::ZERO]);

    /// The quaternion with the given scalar and vector part.
    #[inline(always)]
    pub fn new(scalar: T, vector: Vec3<T>) -> Self {
        Self([scalar, vector[0], vector[1], vector[2]])
    }

    /// Vector part, `q.yzw` in the kernels.
    #[inline(always)]
    pub fn vector(self) -> Vec3<T> {
        Vec3([self[1], self[2], self[3]])
    }
}

impl<T> Index<usize> for Quat<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, k: usize) -> &T {
        &self.0[k]
    }
}

/// Quaternion `i` of an array.
#[inline(always)]
pub fn quat<T: Real>(a: &[T], i: usize) -> Quat<T> {
    quat_at(a, 4 * i)
}

/// The quaternion that starts at element `first` of an array.
#[inline(always)]
pub fn quat_at<T: Real>(a: &[T], first: usize) -> Quat<T> {
    let s = &a[first..first + 4];
    Quat([s[0], s[1], s[2], s[3]])
}

/// Writes quaternion `i` of an array.
#[inline(always)]
pub fn set_quat<T: Real>(a: &mut [T], i: usize, q: Quat<T>) {
    a[4 * i..4 * i + 4].copy_from_slice(&q.0);
}

/// Unit quaternion; the identity for a zero quaternion.
#[inline(always)]
pub fn quat_normalize<T: Real>(q: Quat<T>) -> Quat<T> {
    let n = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if n < T::MINVAL {
        return Quat::IDENTITY;
    }
    let s = T::ONE / n;
    Quat([q[0] * s, q[1] * s, q[2] * s, q[3] * s])
}

/// Quaternion product.
#[inline(always)]
pub fn quat_mul<T: Real>(a: Quat<T>, b: Quat<T>) -> Quat<T> {
    Quat([
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ])
}

/// Conjugate: the inverse of a unit quaternion.
#[inline(always)]
pub fn quat_conj<T: Real>(q: Quat<T>) -> Quat<T> {
    Quat::new(q[0], -q.vector())
}

/// Vector rotated by a unit quaternion.
#[inline(always)]
pub fn quat_rotate<T: Real>(q: Quat<T>, v: Vec3<T>) -> Vec3<T> {
    // v + 2 w (u x v) + 2 u x (u x v)
    let u = q.vector();
    let t = cross(u, v) * T::of(2.0);
    v + t * q[0] + cross(u, t)
}

/// Rotation matrix of a unit quaternion.
#[inline(always)]
pub fn quat_to_mat<T: Real>(q: Quat<T>) -> Mat3<T> {
    let [w, x, y, z] = q.0;
    let two = T::of(2.0);
    Mat3([
        w * w + x * x - y * y - z * z,
        two * (x * y - w * z),
        two * (x * z + w * y),
        two * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        two * (y * z - w * x),
        two * (x * z - w * y),
        two * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    ])
}

/// Quaternion of a rotation by an angle about a unit axis.
#[inline(always)]
pub fn axis_angle_quat<T: Real>(axis: Vec3<T>, angle: T) -> Quat<T> {
    let (s, c) = (angle * T::of(0.5)).sin_cos();
    Quat::new(c, axis * s)
}

/// Quaternion integrated with the angular velocity `vel`, in its own frame, over the time `dt`.
#[inline(always)]
pub fn quat_integrate<T: Real>(q: Quat<T>, vel: Vec3<T>, dt: T) -> Quat<T> {
    let speed = length(vel);
    if T::HAS_SLOPES && speed < T::MINVAL {
        // the axis of no rotation has no derivative, but the rotation has
        return quat_mul(quat_normalize(q), Quat::new(T::ONE, vel * (T::of(0.5) * dt)));
    }
    let angle = dt * speed;
    quat_mul(quat_normalize(q), axis_angle_quat(normalize3(vel), angle))
}

/// Rotation vector from `b` to `a`, in `b`'s frame: the inverse of [`quat_integrate`].
#[inline(always)]
pub fn quat_sub<T: Real>(a: Quat<T>, b: Quat<T>) -> Vec3<T> {
    quat_to_rotvec(quat_mul(quat_conj(b), a))
}

/// Rotation vector of a unit quaternion: axis times angle, which is at most half a turn.
#[inline(always)]
pub fn quat_to_rotvec<T: Real>(q: Quat<T>) -> Vec3<T> {
    let axis = q.vector();
    let pi = T::of(std::f64::consts::PI);
    let sine = length(axis);
    if T::HAS_SLOPES && sine < T::MINVAL {
        return axis * (T::of(2.0) / q[0]);
    }
    let mut angle = T::of(2.0) * sine.atan2(q[0]);
    if angle > pi {
        angle -= T::of(2.0) * pi;
    }
    normalize3(axis) * angle
}
