//! A number in each of several worlds.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use manyworlds_model::real::{MINVAL, Real};

/// Worlds side by side: a register of AVX2, two of SSE2 and NEON.
pub const WIDTH: usize = 4;

/// A number in each of several worlds. Comparisons hold where they hold in all lanes; [`agreed`] says whether some differed.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; WIDTH]);

thread_local! {
    /// True if lanes have differed in a comparison.
    static DIFFERED: Cell<bool> = const { Cell::new(false) };
}

/// True if lanes agreed in all comparisons of this thread since the last call.
pub fn agreed() -> bool {
    !DIFFERED.replace(false)
}

#[cold]
#[inline(never)]
fn note_difference() {
    DIFFERED.set(true);
}

/// What a condition is in all lanes; that of the first where they differ, which is noted.
#[inline(always)]
fn common(holds: [bool; WIDTH]) -> bool {
    let count: u8 = u8::from(holds[0]) + u8::from(holds[1]) + u8::from(holds[2]) + u8::from(holds[3]);
    if count != 0 && usize::from(count) != WIDTH {
        note_difference();
    }
    holds[0]
}

impl Lanes {
    /// A function of each lane.
    #[inline(always)]
    fn map(self, of: impl Fn(f64) -> f64) -> Self {
        let a = self.0;
        Self([of(a[0]), of(a[1]), of(a[2]), of(a[3])])
    }

    /// A function of each lane of two numbers.
    #[inline(always)]
    fn zip(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        let (a, b) = (self.0, other.0);
        Self([of(a[0], b[0]), of(a[1], b[1]), of(a[2], b[2]), of(a[3], b[3])])
    }

    /// A condition on two numbers.
    #[inline(always)]
    fn holds(&self, other: &Self, of: impl Fn(&f64, &f64) -> bool) -> bool {
        let (a, b) = (&self.0, &other.0);
        common([of(&a[0], &b[0]), of(&a[1], &b[1]), of(&a[2], &b[2]), of(&a[3], &b[3])])
    }
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl PartialEq for Lanes {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.holds(other, |a, b| a == b)
    }
}

impl PartialOrd for Lanes {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let order: [_; WIDTH] = std::array::from_fn(|k| self.0[k].partial_cmp(&other.0[k]));
        if order.iter().any(|x| *x != order[0]) {
            note_difference();
        }
        order[0]
    }
    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        self.holds(other, |a, b| a < b)
    }
    #[inline(always)]
    fn le(&self, other: &Self) -> bool {
        self.holds(other, |a, b| a <= b)
    }
    #[inline(always)]
    fn gt(&self, other: &Self) -> bool {
        self.holds(other, |a, b| a > b)
    }
    #[inline(always)]
    fn ge(&self, other: &Self) -> bool {
        self.holds(other, |a, b| a >= b)
    }
}

macro_rules! operators {
    ($($operator:ident $name:ident $assignment:ident $assign:ident;)*) => {$(
        impl $operator for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.zip(other, f64::$name)
            }
        }

        impl $assignment for Lanes {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                *self = self.$name(other);
            }
        }
    )*};
}
operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
}

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(f64::neg)
    }
}

impl Sum for Lanes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Self::add)
    }
}

/// Functions of each lane by the library of one number: the same bits as by itself.
macro_rules! by_lane {
    ($($name:ident)*) => {
        $(#[inline(never)]
        fn $name(self) -> Self {
            self.map(f64::$name)
        })*
    };
}

impl Real for Lanes {
    const ZERO: Self = Self([0.0; WIDTH]);
    const ONE: Self = Self([1.0; WIDTH]);
    const MINVAL: Self = Self([MINVAL; WIDTH]);
    const EPSILON: Self = Self([f64::EPSILON; WIDTH]);
    const MIN_CONTACT_INVWEIGHT: Self = Self([<f64 as Real>::MIN_CONTACT_INVWEIGHT; WIDTH]);
    const WIDTH: usize = WIDTH;

    /// All bits of a lane, or none.
    type Mask = [u64; WIDTH];
    #[inline(always)]
    fn where_any([a, b, c, d]: [Self; 4]) -> Option<Self::Mask> {
        let any = |k: usize| {
            let any = (a.0[k] != 0.0) | (b.0[k] != 0.0) | (c.0[k] != 0.0) | (d.0[k] != 0.0);
            if any { u64::MAX } else { 0 }
        };
        let mask = [any(0), any(1), any(2), any(3)];
        (mask[0] | mask[1] | mask[2] | mask[3] != 0).then_some(mask)
    }
    #[inline(always)]
    fn is_everywhere(mask: Self::Mask) -> bool {
        mask[0] & mask[1] & mask[2] & mask[3] != 0
    }
    #[inline(always)]
    fn where_holds(self, mask: Self::Mask, elsewhere: Self) -> Self {
        let one = |k: usize| {
            f64::from_bits((self.0[k].to_bits() & mask[k]) | (elsewhere.0[k].to_bits() & !mask[k]))
        };
        Self([one(0), one(1), one(2), one(3)])
    }

    by_lane! { sin cos tan acos round exp exp_m1 ln floor }

    #[inline(always)]
    fn of(x: f64) -> Self {
        Self([x; WIDTH])
    }
    /// The first lane; that others have other bits counts as a difference.
    #[inline(always)]
    fn f64(self) -> f64 {
        let bits = self.0.map(f64::to_bits);
        common(bits.map(|x| x == bits[0]));
        self.0[0]
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f64::abs)
    }
    #[inline(never)]
    fn sin_cos(self) -> (Self, Self) {
        let pairs = self.0.map(|x| (x.sin(), x.cos()));
        (Self(pairs.map(|p| p.0)), Self(pairs.map(|p| p.1)))
    }
    #[inline(always)]
    fn clip(self, low: Self, high: Self) -> Self {
        Self(std::array::from_fn(|k| Real::clip(self.0[k], low.0[k], high.0[k])))
    }
    #[inline(always)]
    fn if_within(self, low: Self, high: Self, inside: Self) -> Self {
        Self(std::array::from_fn(|k| Real::if_within(self.0[k], low.0[k], high.0[k], inside.0[k])))
    }
    #[inline(never)]
    fn atan2(self, x: Self) -> Self {
        self.zip(x, f64::atan2)
    }
    #[inline(never)]
    fn powf(self, p: Self) -> Self {
        self.zip(p, f64::powf)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, f64::min)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, f64::max)
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        let x = self.0;
        common([x[0].is_finite(), x[1].is_finite(), x[2].is_finite(), x[3].is_finite()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_differ_are_noted() {
        let (a, b) = (Lanes([1.0, 2.0, 3.0, 4.0]), Lanes::of(2.5));
        assert!(a < Lanes::of(5.0) && agreed());
        assert!(a < b && !agreed() && agreed());
        assert!(Lanes([1.0, f64::NAN, 1.0, 1.0]) < b && !agreed());
        assert!(!Lanes([0.0, f64::INFINITY, 0.0, 0.0]).is_finite() || !agreed());
        assert!(Lanes([0.0, -0.0, 0.0, 0.0]) == Lanes::ZERO && agreed());
        assert_eq!(Lanes([0.0, -0.0, 0.0, 0.0]).f64(), 0.0);
        assert!(!agreed());
        assert_eq!(a.clip(Lanes::of(2.0), Lanes::of(3.0)).0, [2.0, 2.0, 3.0, 3.0]);
        let mask =
            Lanes::where_any([Lanes::ZERO, Lanes([0.0, 1.0, -0.0, f64::NAN]), Lanes::ZERO, Lanes::ZERO]);
        assert_eq!(mask.map(|mask| a.where_holds(mask, b).0), Some([2.5, 2.0, 2.5, 4.0]));
        assert_eq!(mask.map(Lanes::is_everywhere), Some(false));
        assert!(Lanes::where_any([Lanes::of(-0.0); 4]).is_none());
        assert_eq!(Lanes::where_any([b, a, a, a]).map(Lanes::is_everywhere), Some(true));
        assert_eq!(a.if_within(Lanes::ONE, Lanes::of(4.0), b).0, [0.0, 2.5, 2.5, 0.0]);
        assert!(agreed());
    }
}
