//! Functions of a point in space: their value with their gradient, through the operations that made them (forward-mode
//! differentiation; Griewank and Walther, *Evaluating Derivatives*, 2008, chapter 3).

use std::ops::{Add, Mul, Neg, Sub};

use super::Vec3;
use manyworlds_model::real::Real;

/// Value of a function at a point, and its gradient there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graded<T> {
    /// The gradient.
    pub gradient: Vec3<T>,
    /// The value.
    pub value: T,
}

impl<T: Real> Graded<T> {
    /// A constant.
    #[inline(always)]
    pub fn constant(value: T) -> Self {
        Self { gradient: Vec3::ZERO, value }
    }

    /// The coordinates of a point.
    #[inline(always)]
    pub fn coordinates(p: Vec3<T>) -> [Self; 3] {
        [0, 1, 2].map(|k| Self { gradient: Vec3::unit(k), value: p[k] })
    }

    /// A function with the given value and slope of this one.
    #[inline(always)]
    fn through(self, value: T, slope: T) -> Self {
        Self { gradient: self.gradient * slope, value }
    }

    /// A constant added.
    #[inline(always)]
    pub fn plus(self, c: T) -> Self {
        Self { value: self.value + c, ..self }
    }

    /// A constant factor.
    #[inline(always)]
    pub fn times(self, c: T) -> Self {
        Self { gradient: self.gradient * c, value: self.value * c }
    }

    /// A constant divisor.
    #[inline(always)]
    pub fn per(self, c: T) -> Self {
        Self { gradient: self.gradient / c, value: self.value / c }
    }

    /// Quotient by a function that is not zero.
    #[inline(always)]
    pub fn over(self, b: Self) -> Self {
        let value = self.value / b.value;
        Self { gradient: (self.gradient - b.gradient * value) / b.value, value }
    }

    /// Absolute value.
    #[inline(always)]
    pub fn abs(self) -> Self {
        if self.value < T::ZERO { -self } else { self }
    }

    /// The larger of two; of equals the first.
    #[inline(always)]
    pub fn max(self, b: Self) -> Self {
        if b.value > self.value { b } else { self }
    }

    /// The smaller of two; of equals the first.
    #[inline(always)]
    pub fn min(self, b: Self) -> Self {
        if b.value < self.value { b } else { self }
    }

    /// Square root; flat at zero.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        let root = self.value.max(T::ZERO).sqrt();
        let slope = if root > T::ZERO { T::of(0.5) / root } else { T::ZERO };
        self.through(root, slope)
    }

    /// Length of the vector of two; flat at zero.
    #[inline(always)]
    pub fn hypot(self, b: Self) -> Self {
        let value = (self.value * self.value + b.value * b.value).sqrt();
        let share = if value > T::ZERO { T::ONE / value } else { T::ZERO };
        let gradient = self.gradient * (self.value * share) + b.gradient * (b.value * share);
        Self { gradient, value }
    }

    /// Angle of the vector (x, `self`), rad; flat at the origin.
    #[inline(always)]
    pub fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let share = if square > T::ZERO { T::ONE / square } else { T::ZERO };
        let gradient = self.gradient * (x.value * share) - x.gradient * (self.value * share);
        Self { gradient, value: self.value.atan2(x.value) }
    }

    /// Arc cosine, rad; flat at its ends.
    #[inline(always)]
    pub fn acos(self) -> Self {
        let square = T::ONE - self.value * self.value;
        let slope = if square > T::ZERO { -T::ONE / square.sqrt() } else { T::ZERO };
        self.through(self.value.acos(), slope)
    }

    /// Remainder of a division by a positive constant, from zero up.
    #[inline(always)]
    pub fn modulo(self, c: T) -> Self {
        self.plus(-c * (self.value / c).floor())
    }

    /// The value between two constants.
    #[inline(always)]
    pub fn clamp(self, low: T, high: T) -> Self {
        self.max(Self::constant(low)).min(Self::constant(high))
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
