//! Dual numbers: a value with its derivatives in several directions, carried through the operations that made it (forward-mode
//! differentiation; Griewank and Walther, *Evaluating Derivatives*, 2008, chapter 3).
//!
//! A stage of the pipeline that computes with them gives the values that it gives in double precision, to the bit, and beside
//! each value the exact derivatives of what it computed. Where a function has none, they are those of one side: of a clamp
//! within its range, of the larger of two equal numbers of the first. A length of zero and the absolute value of zero are flat,
//! which is the mean over both sides.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use manyworlds_model::real::{MINVAL, Real};

thread_local! {
    /// True if numbers were compared that are equal and move apart.
    static TIED: Cell<bool> = const { Cell::new(false) };
}

/// True if equal numbers that move apart were compared on this thread since the last call: what was chosen then is the side on
/// which a function is, such as that of a clamp at its end, and derivatives may be those of one side.
pub fn was_tied() -> bool {
    TIED.replace(false)
}

#[cold]
#[inline(never)]
fn note_tie() {
    TIED.set(true);
}

/// A value, and its derivatives in `N` directions. Two are equal if all of them are, so that what is skipped because it equals
/// zero may be skipped; they are ordered by their values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize> {
    /// The value.
    pub value: f64,
    /// Its derivatives.
    pub slopes: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// A constant.
    #[inline(always)]
    pub const fn constant(value: f64) -> Self {
        Self { value, slopes: [0.0; N] }
    }

    /// The numbers `of(slope)` in the place of the slopes, with another value.
    #[inline(always)]
    fn through(self, value: f64, slope: f64) -> Self {
        Self { value, slopes: self.slopes.map(|x| x * slope) }
    }

    /// [`Dual::through`] a function that is steep at its end, where it counts as flat.
    #[inline(always)]
    fn through_steep(self, value: f64, slope: f64) -> Self {
        self.through(value, if slope.is_finite() { slope } else { 0.0 })
    }

    /// A function of two numbers, with its slopes along both.
    #[inline(always)]
    fn through_both(self, other: Self, value: f64, a: f64, b: f64) -> Self {
        Self { value, slopes: std::array::from_fn(|k| self.slopes[k] * a + other.slopes[k] * b) }
    }

    /// Notes a comparison of equal numbers that move apart.
    #[inline(always)]
    fn compare(&self, other: &Self) {
        if self.value == other.value && self.slopes != other.slopes {
            note_tie();
        }
    }

    /// True if nothing moves with any direction.
    #[inline(always)]
    fn is_constant(&self) -> bool {
        self.slopes.iter().all(|x| *x == 0.0)
    }
}

impl<const N: usize> Default for Dual<N> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<const N: usize> fmt::Display for Dual<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<const N: usize> PartialOrd for Dual<N> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.compare(other);
        self.value.partial_cmp(&other.value)
    }
    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        self.compare(other);
        self.value < other.value
    }
    #[inline(always)]
    fn le(&self, other: &Self) -> bool {
        self.compare(other);
        self.value <= other.value
    }
    #[inline(always)]
    fn gt(&self, other: &Self) -> bool {
        self.compare(other);
        self.value > other.value
    }
    #[inline(always)]
    fn ge(&self, other: &Self) -> bool {
        self.compare(other);
        self.value >= other.value
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let slopes = std::array::from_fn(|k| self.slopes[k] + other.slopes[k]);
        Self { value: self.value + other.value, slopes }
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let slopes = std::array::from_fn(|k| self.slopes[k] - other.slopes[k]);
        Self { value: self.value - other.value, slopes }
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.through_both(other, self.value * other.value, other.value, self.value)
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let (value, share) = (self.value / other.value, 1.0 / other.value);
        self.through_both(other, value, share, -value * share)
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, slopes: self.slopes.map(f64::neg) }
    }
}

macro_rules! assignments {
    ($($assignment:ident $assign:ident $name:ident;)*) => {
        $(impl<const N: usize> $assignment for Dual<N> {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = self.$name(other);
            }
        })*
    };
}
assignments! {
    AddAssign add_assign add;
    SubAssign sub_assign sub;
    MulAssign mul_assign mul;
    DivAssign div_assign div;
}

impl<const N: usize> Sum for Dual<N> {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Self::add)
    }
}

impl<const N: usize> Real for Dual<N> {
    const ZERO: Self = Self::constant(0.0);
    const ONE: Self = Self::constant(1.0);
    const MINVAL: Self = Self::constant(MINVAL);
    const EPSILON: Self = Self::constant(f64::EPSILON);
    const MIN_CONTACT_INVWEIGHT: Self = Self::constant(<f64 as Real>::MIN_CONTACT_INVWEIGHT);
    const WIDTH: usize = 1;
    const HAS_SLOPES: bool = true;
    type Mask = ();

    #[inline(always)]
    fn slopes(&self) -> &[f64] {
        &self.slopes
    }
    #[inline(always)]
    fn slopes_mut(&mut self) -> &mut [f64] {
        &mut self.slopes
    }
    #[inline(always)]
    fn where_any(four: [Self; 4]) -> Option<()> {
        four.iter().any(|x| *x != Self::ZERO).then_some(())
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
    fn of(x: f64) -> Self {
        Self::constant(x)
    }
    #[inline(always)]
    fn f64(self) -> f64 {
        self.value
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.through_steep(root, 0.5 / root)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let sign = if self.value == 0.0 { 0.0 } else { self.value.signum() };
        self.through(self.value.abs(), sign)
    }
    #[inline]
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    #[inline]
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = (self.value.sin(), self.value.cos());
        (self.through(sin, cos), self.through(cos, -sin))
    }
    #[inline]
    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let share = if square > 0.0 { 1.0 / square } else { 0.0 };
        self.through_both(x, self.value.atan2(x.value), x.value * share, -self.value * share)
    }
    #[inline]
    fn tan(self) -> Self {
        let tan = self.value.tan();
        self.through(tan, 1.0 + tan * tan)
    }
    #[inline]
    fn acos(self) -> Self {
        let square = 1.0 - self.value * self.value;
        self.through_steep(self.value.acos(), -1.0 / square.max(0.0).sqrt())
    }
    #[inline]
    fn round(self) -> Self {
        Self::constant(self.value.round())
    }
    #[inline]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.through(exp, exp)
    }
    #[inline]
    fn exp_m1(self) -> Self {
        self.through(self.value.exp_m1(), self.value.exp())
    }
    #[inline]
    fn ln(self) -> Self {
        self.through(self.value.ln(), 1.0 / self.value)
    }
    #[inline]
    fn powf(self, p: Self) -> Self {
        let value = self.value.powf(p.value);
        let base = if p.value == 0.0 { 0.0 } else { p.value * self.value.powf(p.value - 1.0) };
        if p.is_constant() {
            return self.through_steep(value, base);
        }
        self.through_both(p, value, base, if value == 0.0 { 0.0 } else { value * self.value.ln() })
    }
    #[inline]
    fn floor(self) -> Self {
        Self::constant(self.value.floor())
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.compare(&other);
        let slopes = if other.value < self.value || self.value.is_nan() { other.slopes } else { self.slopes };
        Self { value: self.value.min(other.value), slopes }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.compare(&other);
        let slopes = if other.value > self.value || self.value.is_nan() { other.slopes } else { self.slopes };
        Self { value: self.value.max(other.value), slopes }
    }
    /// Of the value: decisions are those of the world without directions.
    #[inline(always)]
    fn is_finite(self) -> bool {
        self.value.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variable at a value: its first direction is its own.
    fn variable(value: f64) -> Dual<2> {
        Dual { value, slopes: [1.0, 0.0] }
    }

    #[test]
    fn slopes_are_those_of_closed_forms() {
        let y = Dual { value: 0.3, slopes: [0.0, 1.0] };
        let close = |got: Dual<2>, value: f64, slopes: [f64; 2]| {
            assert!((got.value - value).abs() < 1e-15, "{got:?}");
            got.slopes.iter().zip(slopes).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{got:?} {b}"));
        };
        let x = variable(0.7);
        close(x + y, 1.0, [1.0, 1.0]);
        close(x - y, 0.7 - 0.3, [1.0, -1.0]);
        close(x * y, 0.7 * 0.3, [0.3, 0.7]);
        close(x / y, 0.7 / 0.3, [1.0 / 0.3, -0.7 / 0.09]);
        close(-x, -0.7, [-1.0, 0.0]);
        close(x.sqrt(), 0.7_f64.sqrt(), [0.5 / 0.7_f64.sqrt(), 0.0]);
        close((-x).abs(), 0.7, [1.0, 0.0]);
        close(x.sin(), 0.7_f64.sin(), [0.7_f64.cos(), 0.0]);
        close(x.cos(), 0.7_f64.cos(), [-0.7_f64.sin(), 0.0]);
        close(x.tan(), 0.7_f64.tan(), [1.0 / 0.7_f64.cos().powi(2), 0.0]);
        close(x.acos(), 0.7_f64.acos(), [-1.0 / 0.51_f64.sqrt(), 0.0]);
        close(x.atan2(y), 0.7_f64.atan2(0.3), [0.3 / 0.58, -0.7 / 0.58]);
        close(x.exp(), 0.7_f64.exp(), [0.7_f64.exp(), 0.0]);
        close(x.exp_m1(), 0.7_f64.exp_m1(), [0.7_f64.exp(), 0.0]);
        close(x.ln(), 0.7_f64.ln(), [1.0 / 0.7, 0.0]);
        let power = 0.7_f64.powf(0.3);
        close(x.powf(y), power, [0.3 * power / 0.7, 0.7_f64.ln() * power]);
        close(x.powf(Dual::of(2.0)), 0.7_f64.powf(2.0), [1.4, 0.0]);
        close(x.clip(y, Dual::ONE), 0.7, [1.0, 0.0]);
        close(y.max(x).min(Dual::of(0.5)), 0.5, [0.0, 0.0]);
        close(x.floor() + x.round(), 1.0, [0.0, 0.0]);
    }

    #[test]
    fn zeros_that_move_are_no_zeros_and_ends_are_flat() {
        let x = variable(0.0);
        assert!(x != Dual::ZERO && Dual::<2>::where_any([x; 4]).is_some());
        assert_eq!(x.sqrt(), Dual::ZERO);
        assert_eq!(x.atan2(x), Dual::ZERO);
        assert_eq!(variable(1.0).acos(), Dual::ZERO);
        assert!(x.powf(Dual::of(0.5)) == Dual::ZERO && x.powf(Dual::ONE) == x);
    }

    #[test]
    fn ties_between_numbers_that_move_apart_are_noted() {
        let (x, y) = (variable(0.5), Dual { value: 0.5, slopes: [0.0, 1.0] });
        was_tied();
        assert!(x <= x && x < Dual::ONE && !was_tied());
        assert!(x <= y && was_tied() && !was_tied());
        assert!(x.max(y) == x && was_tied());
        assert!(variable(0.0).abs() == Dual::ZERO && !was_tied());
        assert!(x.clip(Dual::ZERO, Dual::of(0.5)) == x && was_tied());
    }
}
