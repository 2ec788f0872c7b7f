//! Functions of a point in space: their value with their gradient, through the operations that made them (forward-mode
//! differentiation; Griewank and Walther, *Evaluating Derivatives*, 2008, chapter 3).

use std::ops::{Add, Mul, Neg, Sub};

use super::{Vec3, normalize3};
use manyworlds_model::real::Real;

/// Value of a function at a point, and its gradient there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graded<T> {
    /// The gradient.
    pub gradient: Vec3<T>,
    /// The value.
    pub value: T,
}

/// A plain value: what a formula gives where no gradient is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain<T>(pub T);

/// What the formula of a field computes with: values with or without gradients. Both have the same values to the bit.
pub trait Number<T: Real>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Neg<Output = Self> + Mul<Output = Self>
{
    /// A function with the given value and gradient.
    fn known(value: T, gradient: impl FnOnce() -> Vec3<T>) -> Self;

    /// The value.
    fn value(self) -> T;

    /// A function of this one with the given value, and the slope that belongs to it.
    fn through(self, value: T, slope: impl FnOnce(T) -> T) -> Self;

    /// A constant added.
    fn plus(self, c: T) -> Self;

    /// A constant factor.
    fn times(self, c: T) -> Self;

    /// A constant divisor.
    fn per(self, c: T) -> Self;

    /// Quotient by a function that is not zero.
    fn over(self, b: Self) -> Self;

    /// Length of the vector of two; flat at zero.
    fn hypot(self, b: Self) -> Self;

    /// Angle of the vector (x, `self`), rad; flat at the origin.
    fn atan2(self, x: Self) -> Self;

    /// The same value with a gradient of length one; the x axis where it is flat.
    fn steepened(self) -> Self;

    /// A constant.
    #[inline(always)]
    fn constant(value: T) -> Self {
        Self::known(value, || Vec3::ZERO)
    }

    /// The coordinates of a point.
    #[inline(always)]
    fn coordinates(p: Vec3<T>) -> [Self; 3] {
        [Self::known(p[0], || Vec3::X), Self::known(p[1], || Vec3::Y), Self::known(p[2], || Vec3::Z)]
    }

    /// Absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        if self.value() < T::ZERO { -self } else { self }
    }

    /// The larger of two; of equals the first.
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        if b.value() > self.value() { b } else { self }
    }

    /// The smaller of two; of equals the first.
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        if b.value() < self.value() { b } else { self }
    }

    /// Square root; flat at zero.
    #[inline(always)]
    fn sqrt(self) -> Self {
        let slope = |root| if root > T::ZERO { T::of(0.5) / root } else { T::ZERO };
        self.through(self.value().max(T::ZERO).sqrt(), slope)
    }

    /// Arc cosine, rad; flat at its ends.
    #[inline(always)]
    fn acos(self) -> Self {
        let value = self.value();
        let square = T::ONE - value * value;
        let slope = |_| if square > T::ZERO { -T::ONE / square.sqrt() } else { T::ZERO };
        self.through(value.acos(), slope)
    }

    /// Remainder of a division by a positive constant, from zero up.
    #[inline(always)]
    fn modulo(self, c: T) -> Self {
        self.plus(-c * (self.value() / c).floor())
    }

    /// The value between two constants.
    #[inline(always)]
    fn clamp(self, low: T, high: T) -> Self {
        self.max(Self::constant(low)).min(Self::constant(high))
    }
}

impl<T: Real> Number<T> for Graded<T> {
    #[inline(always)]
    fn known(value: T, gradient: impl FnOnce() -> Vec3<T>) -> Self {
        Self { gradient: gradient(), value }
    }

    #[inline(always)]
    fn value(self) -> T {
        self.value
    }

    #[inline(always)]
    fn through(self, value: T, slope: impl FnOnce(T) -> T) -> Self {
        Self { gradient: self.gradient * slope(value), value }
    }

    #[inline(always)]
    fn plus(self, c: T) -> Self {
        Self { value: self.value + c, ..self }
    }

    #[inline(always)]
    fn times(self, c: T) -> Self {
        Self { gradient: self.gradient * c, value: self.value * c }
    }

    #[inline(always)]
    fn per(self, c: T) -> Self {
        Self { gradient: self.gradient / c, value: self.value / c }
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        let value = self.value / b.value;
        Self { gradient: (self.gradient - b.gradient * value) / b.value, value }
    }

    #[inline(always)]
    fn hypot(self, b: Self) -> Self {
        let value = (self.value * self.value + b.value * b.value).sqrt();
        let share = if value > T::ZERO { T::ONE / value } else { T::ZERO };
        let gradient = self.gradient * (self.value * share) + b.gradient * (b.value * share);
        Self { gradient, value }
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let share = if square > T::ZERO { T::ONE / square } else { T::ZERO };
        let gradient = self.gradient * (x.value * share) - x.gradient * (self.value * share);
        Self { gradient, value: self.value.atan2(x.value) }
    }

    #[inline(always)]
    fn steepened(self) -> Self {
        Self { gradient: normalize3(self.gradient), value: self.value }
    }
}

impl<T: Real> Number<T> for Plain<T> {
    #[inline(always)]
    fn known(value: T, _: impl FnOnce() -> Vec3<T>) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn value(self) -> T {
        self.0
    }

    #[inline(always)]
    fn through(self, value: T, _: impl FnOnce(T) -> T) -> Self {
        Self(value)
    }

    #[inline(always)]
    fn plus(self, c: T) -> Self {
        Self(self.0 + c)
    }

    #[inline(always)]
    fn times(self, c: T) -> Self {
        Self(self.0 * c)
    }

    #[inline(always)]
    fn per(self, c: T) -> Self {
        Self(self.0 / c)
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        Self(self.0 / b.0)
    }

    #[inline(always)]
    fn hypot(self, b: Self) -> Self {
        Self((self.0 * self.0 + b.0 * b.0).sqrt())
    }

    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        Self(self.0.atan2(x.0))
    }

    #[inline(always)]
    fn steepened(self) -> Self {
        self
    }
}

impl<T: Real> Add for Graded<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { gradient: self.gradient + b.gradient, value: self.value + b.value }
    }
}

impl<T: Real> Sub for Graded<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { gradient: self.gradient - b.gradient, value: self.value - b.value }
    }
}

impl<T: Real> Neg for Graded<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { gradient: -self.gradient, value: -self.value }
    }
}

impl<T: Real> Mul for Graded<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { gradient: self.gradient * b.value + b.gradient * self.value, value: self.value * b.value }
    }
}

impl<T: Real> Add for Plain<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0)
    }
}

impl<T: Real> Sub for Plain<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(self.0 - b.0)
    }
}

impl<T: Real> Neg for Plain<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<T: Real> Mul for Plain<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(self.0 * b.0)
    }
}
