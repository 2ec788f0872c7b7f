//! The number type of the CPU pipeline: double precision for reference, single to mirror the kernels.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// The smallest value that is treated as nonzero (`mjMINVAL`), in every precision and in the kernels.
pub const MINVAL: f64 = 1e-15;

/// A floating-point type that the pipeline can run in.
pub trait Real:
    Copy
    + Default
    + Debug
    + Display
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// [`MINVAL`].
    const MINVAL: Self;
    /// Distance from one to the next number.
    const EPSILON: Self;
    /// Least inverse inertia of a contact, as a share of that of a mean mass: beside harder ones, single precision loses
    /// what the others do. Zero in double precision.
    const MIN_CONTACT_INVWEIGHT: Self;
    /// Numbers side by side in one of this type.
    const WIDTH: usize;
    /// True if a number carries derivatives of itself.
    const HAS_SLOPES: bool = false;
    /// Derivatives of the number in several directions; none of a plain one.
    #[inline(always)]
    fn slopes(&self) -> &[f64] {
        &[]
    }
    /// [`Real::slopes`], to be changed.
    #[inline(always)]
    fn slopes_mut(&mut self) -> &mut [f64] {
        &mut []
    }
    /// Which of the numbers side by side something holds for.
    type Mask: Copy;
    /// Where any of four numbers is not zero; none if that is nowhere.
    fn where_any(four: [Self; 4]) -> Option<Self::Mask>;
    /// True if a mask holds for all numbers side by side.
    fn is_everywhere(mask: Self::Mask) -> bool;
    /// This number where a mask holds, another one elsewhere.
    fn where_holds(self, mask: Self::Mask, elsewhere: Self) -> Self;
    /// Nearest value to a double.
    fn of(x: f64) -> Self;
    /// The same value as a double.
    fn f64(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Sine and cosine.
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    /// The number clamped to a range; NaN stays NaN.
    #[inline(always)]
    fn clip(self, low: Self, high: Self) -> Self {
        if self < low {
            low
        } else if self > high {
            high
        } else {
            self
        }
    }
    /// Another number where this one is not at or beyond the ends of a range, else zero.
    #[inline(always)]
    fn if_within(self, low: Self, high: Self, inside: Self) -> Self {
        if self <= low || self >= high { Self::ZERO } else { inside }
    }
    /// Four-quadrant arc tangent of `self / x`.
    fn atan2(self, x: Self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Arc cosine.
    fn acos(self) -> Self;
    /// Nearest integer, halves away from zero.
    fn round(self) -> Self;
    /// Natural exponential.
    fn exp(self) -> Self;
    /// Natural exponential less one.
    fn exp_m1(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// `self` to the power `p`.
    fn powf(self, p: Self) -> Self;
    /// Greatest integer that is not greater.
    fn floor(self) -> Self;
    /// Smaller of the two; the other one where one is NaN.
    fn min(self, other: Self) -> Self;
    /// Larger of the two; the other one where one is NaN.
    fn max(self, other: Self) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
}

macro_rules! real {
    ($t:ty, $hardest:expr) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[allow(clippy::cast_possible_truncation)]
            const MINVAL: Self = MINVAL as $t;
            const EPSILON: Self = <$t>::EPSILON;
            const MIN_CONTACT_INVWEIGHT: Self = $hardest;
            const WIDTH: usize = 1;
            type Mask = ();
            #[inline(always)]
            fn where_any([a, b, c, d]: [Self; 4]) -> Option<()> {
                ((a != 0.0) | (b != 0.0) | (c != 0.0) | (d != 0.0)).then_some(())
            }
            #[inline(always)]
            fn is_everywhere((): ()) -> bool {
                true
            }
            #[inline(always)]
            fn where_holds(self, (): (), _: Self) -> Self {
                self
            }
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation)]
            fn of(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn sin(self) -> Self {
                self.sin()
            }
            #[inline(always)]
            fn cos(self) -> Self {
                self.cos()
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                <$t>::atan2(self, x)
            }
            #[inline(always)]
            fn tan(self) -> Self {
                <$t>::tan(self)
            }
            #[inline(always)]
            fn acos(self) -> Self {
                <$t>::acos(self)
            }
            #[inline(always)]
            fn round(self) -> Self {
                <$t>::round(self)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                self.exp()
            }
            #[inline(always)]
            fn exp_m1(self) -> Self {
                <$t>::exp_m1(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                <$t>::ln(self)
            }
            #[inline(always)]
            fn powf(self, p: Self) -> Self {
                <$t>::powf(self, p)
            }
            #[inline(always)]
            fn floor(self) -> Self {
                <$t>::floor(self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                <$t>::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                <$t>::max(self, other)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }
        }
    };
}

real!(f64, 0.0);
real!(f32, 1e-5);
