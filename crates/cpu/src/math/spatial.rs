//! Spatial algebra: motion and force vectors with the rotational part first (Featherstone, *Rigid Body Dynamics
//! Algorithms*, §2), about the centre of mass of the kinematic tree.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::matrix::Mat3;
use super::vector::{Vec3, cross, set_vec3, vec3_at};
use manyworlds_model::real::Real;

/// A motion or force vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spatial<T> {
    /// Angular velocity, or torque.
    pub ang: Vec3<T>,
    /// Velocity of the reference point, or force.
    pub lin: Vec3<T>,
}

impl<T: Real> Spatial<T> {
    /// The zero vector.
    pub const ZERO: Self = Self { ang: Vec3::ZERO, lin: Vec3::ZERO };

    /// The vector with the given angular and linear part.
    #[inline(always)]
    pub fn new(ang: Vec3<T>, lin: Vec3<T>) -> Self {
        Self { ang, lin }
    }
}

impl<T: Real> Add for Spatial<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.ang + b.ang, self.lin + b.lin)
    }
}

impl<T: Real> Sub for Spatial<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.ang - b.ang, self.lin - b.lin)
    }
}

impl<T: Real> Neg for Spatial<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.ang, -self.lin)
    }
}

impl<T: Real> Mul<T> for Spatial<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: T) -> Self {
        Self::new(self.ang * s, self.lin * s)
    }
}

impl<T: Real> AddAssign for Spatial<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<T: Real> SubAssign for Spatial<T> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

/// Spatial vector `i` of an array.
#[inline(always)]
pub fn spatial<T: Real>(a: &[T], i: usize) -> Spatial<T> {
    let s = &a[6 * i..6 * i + 6];
    Spatial::new(Vec3([s[0], s[1], s[2]]), Vec3([s[3], s[4], s[5]]))
}

/// Writes spatial vector `i` of an array.
#[inline(always)]
pub fn set_spatial<T: Real>(a: &mut [T], i: usize, v: Spatial<T>) {
    let s = &mut a[6 * i..6 * i + 6];
    set_vec3(s, 0, v.ang);
    set_vec3(s, 1, v.lin);
}

/// Scalar product of a motion and a force vector.
#[inline(always)]
pub fn dot6<T: Real>(a: Spatial<T>, b: Spatial<T>) -> T {
    (a.ang[0] * b.ang[0] + a.ang[2] * b.ang[2] + a.lin[1] * b.lin[1])
        + (a.ang[1] * b.ang[1] + a.lin[0] * b.lin[0] + a.lin[2] * b.lin[2])
}

/// Rate of a motion vector `m` that moves with velocity `v` (crm, RBDA §2.9).
#[inline(always)]
pub fn motion_cross<T: Real>(v: Spatial<T>, m: Spatial<T>) -> Spatial<T> {
    Spatial::new(cross(v.ang, m.ang), cross(v.ang, m.lin) + cross(v.lin, m.ang))
}

/// Rate of a force vector `f` that moves with velocity `v` (crf, RBDA §2.9).
#[inline(always)]
pub fn force_cross<T: Real>(v: Spatial<T>, f: Spatial<T>) -> Spatial<T> {
    Spatial::new(cross(v.ang, f.ang) + cross(v.lin, f.lin), cross(v.ang, f.lin))
}

/// Rigid-body inertia about a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia<T> {
    /// Diagonal of the tensor: xx, yy, zz.
    pub diag: Vec3<T>,
    /// Off-diagonal elements of the tensor: xy, xz, yz.
    pub off: Vec3<T>,
    /// First moment: mass times offset of the centre of mass.
    pub moment: Vec3<T>,
    /// Mass.
    pub mass: T,
}

impl<T: Real> Inertia<T> {
    /// Zero inertia.
    pub const ZERO: Self = Self { diag: Vec3::ZERO, off: Vec3::ZERO, moment: Vec3::ZERO, mass: T::ZERO };

    /// The tensor as a matrix.
    #[inline(always)]
    pub fn tensor(&self) -> Mat3<T> {
        let (Vec3([xx, yy, zz]), Vec3([xy, xz, yz])) = (self.diag, self.off);
        Mat3([xx, xy, xz, xy, yy, yz, xz, yz, zz])
    }
}

impl<T: Real> Add for Inertia<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self {
            diag: self.diag + b.diag,
            off: self.off + b.off,
            moment: self.moment + b.moment,
            mass: self.mass + b.mass,
        }
    }
}

impl<T: Real> AddAssign for Inertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

/// Inertia `i` of an array.
#[inline(always)]
pub fn inertia<T: Real>(a: &[T], i: usize) -> Inertia<T> {
    let s = &a[10 * i..10 * i + 10];
    Inertia { diag: vec3_at(s, 0), off: vec3_at(s, 3), moment: vec3_at(s, 6), mass: s[9] }
}

/// Writes inertia `i` of an array.
#[inline(always)]
pub fn set_inertia<T: Real>(a: &mut [T], i: usize, v: Inertia<T>) {
    let s = &mut a[10 * i..10 * i + 10];
    set_vec3(s, 0, v.diag);
    set_vec3(s, 1, v.off);
    set_vec3(s, 2, v.moment);
    s[9] = v.mass;
}

/// An inertia about the centre of mass, seen from a point at `-offset` from it.
#[inline(always)]
pub fn inertia_moved<T: Real>(central: Inertia<T>, offset: Vec3<T>) -> Inertia<T> {
    let (Vec3([x, y, z]), mass) = (offset, central.mass);
    Inertia {
        diag: central.diag + Vec3([y * y + z * z, x * x + z * z, x * x + y * y]) * mass,
        off: central.off - Vec3([x * y, x * z, y * z]) * mass,
        moment: offset * mass,
        mass,
    }
}

/// Momentum of a body with inertia `i` and velocity `v`.
#[inline(always)]
pub fn inertia_mul<T: Real>(i: Inertia<T>, v: Spatial<T>) -> Spatial<T> {
    let (Vec3([xx, yy, zz]), Vec3([xy, xz, yz]), Vec3([x, y, z])) = (i.diag, i.off, i.moment);
    let (w, u) = (v.ang, v.lin);
    Spatial::new(
        Vec3([
            xx * w[0] + xy * w[1] + xz * w[2] - z * u[1] + y * u[2],
            xy * w[0] + yy * w[1] + yz * w[2] + z * u[0] - x * u[2],
            xz * w[0] + yz * w[1] + zz * w[2] - y * u[0] + x * u[1],
        ]),
        Vec3([
            z * w[1] - y * w[2] + i.mass * u[0],
            x * w[2] - z * w[0] + i.mass * u[1],
            y * w[0] - x * w[1] + i.mass * u[2],
        ]),
    )
}

/// Inertia about a point at `-offset` from the centre of mass, from principal moments, their axes and the mass.
#[inline(always)]
pub fn inertia_about<T: Real>(moments: Vec3<T>, axes: Mat3<T>, offset: Vec3<T>, mass: T) -> Inertia<T> {
    // axes diag(moments) axes'
    let tensor = |r: usize, c: usize| {
        axes[3 * r] * moments[0] * axes[3 * c]
            + axes[3 * r + 1] * moments[1] * axes[3 * c + 1]
            + axes[3 * r + 2] * moments[2] * axes[3 * c + 2]
    };
    let Vec3([x, y, z]) = offset;
    Inertia {
        diag: Vec3([
            tensor(0, 0) + mass * (y * y + z * z),
            tensor(1, 1) + mass * (x * x + z * z),
            tensor(2, 2) + mass * (x * x + y * y),
        ]),
        off: Vec3([tensor(0, 1) - mass * x * y, tensor(0, 2) - mass * x * z, tensor(1, 2) - mass * y * z]),
        moment: Vec3([mass * x, mass * y, mass * z]),
        mass,
    }
}
