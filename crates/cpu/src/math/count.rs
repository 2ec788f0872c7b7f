//! Operation counts, measured and not estimated: a number type that counts the arithmetic done with it.
//!
//! Additions (and subtractions), multiplications, divisions, square roots and calls of transcendental functions count
//! as one each. Comparisons, `min`, `max`, `abs`, `floor`, signs, conversions and integer arithmetic are free. A
//! fused multiply-add counts as two.

use std::cell::Cell;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use manyworlds_model::real::Real;

/// Operations by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Additions and subtractions.
    pub add: u64,
    /// Multiplications.
    pub mul: u64,
    /// Divisions.
    pub div: u64,
    /// Square roots.
    pub sqrt: u64,
    /// Sines, cosines, arc tangents, exponentials, powers.
    pub special: u64,
}

impl Counts {
    /// Floating-point operations: every kind counts as one.
    pub fn flops(&self) -> u64 {
        self.kinds().iter().map(|k| k.1).sum()
    }

    /// Counts by name of the kind.
    pub fn kinds(&self) -> [(&'static str, u64); 5] {
        [
            ("add", self.add),
            ("mul", self.mul),
            ("div", self.div),
            ("sqrt", self.sqrt),
            ("special", self.special),
        ]
    }
}

impl Add for Counts {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            add: self.add + o.add,
            mul: self.mul + o.mul,
            div: self.div + o.div,
            sqrt: self.sqrt + o.sqrt,
            special: self.special + o.special,
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| a + b)
    }
}

/// Counters of one thread; they never decrease.
struct Tally {
    add: Cell<u64>,
    mul: Cell<u64>,
    div: Cell<u64>,
    sqrt: Cell<u64>,
    special: Cell<u64>,
}

thread_local! {
    static TALLY: Tally = const {
        Tally {
            add: Cell::new(0),
            mul: Cell::new(0),
            div: Cell::new(0),
            sqrt: Cell::new(0),
            special: Cell::new(0),
        }
    };
}

#[inline]
fn tick(counter: impl FnOnce(&Tally) -> &Cell<u64>) {
    TALLY.with(|t| {
        let cell = counter(t);
        cell.set(cell.get().wrapping_add(1));
    });
}

fn so_far() -> Counts {
    TALLY.with(|t| Counts {
        add: t.add.get(),
        mul: t.mul.get(),
        div: t.div.get(),
        sqrt: t.sqrt.get(),
        special: t.special.get(),
    })
}

/// Runs a function and counts its operations on [`Counted`] numbers on this thread.
pub fn counted<R>(run: impl FnOnce() -> R) -> (R, Counts) {
    let before = so_far();
    let result = run();
    let after = so_far();
    let counts = Counts {
        add: after.add.wrapping_sub(before.add),
        mul: after.mul.wrapping_sub(before.mul),
        div: after.div.wrapping_sub(before.div),
        sqrt: after.sqrt.wrapping_sub(before.sqrt),
        special: after.special.wrapping_sub(before.special),
    };
    (result, counts)
}

/// A number that computes like `T` and counts its operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Counted<T>(T);

impl<T: fmt::Display> fmt::Display for Counted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! operator {
    ($($op:ident $call:ident $assign:ident $call_assign:ident $kind:ident;)*) => {
        $(
            impl<T: Real> $op for Counted<T> {
                type Output = Self;
                #[inline]
                fn $call(self, other: Self) -> Self {
                    tick(|t| &t.$kind);
                    Self(self.0.$call(other.0))
                }
            }

            impl<T: Real> $assign for Counted<T> {
                #[inline]
                fn $call_assign(&mut self, other: Self) {
                    *self = (*self).$call(other);
                }
            }
        )*
    };
}

operator! {
    Add add AddAssign add_assign add;
    Sub sub SubAssign sub_assign add;
    Mul mul MulAssign mul_assign mul;
    Div div DivAssign div_assign div;
}

impl<T: Real> Neg for Counted<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<T: Real> Sum for Counted<T> {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.reduce(|a, b| a + b).unwrap_or(Self::ZERO)
    }
}

impl<T: Real> Counted<T> {
    fn special(self, value: T) -> Self {
        tick(|t| &t.special);
        Self(value)
    }
}

impl<T: Real> Real for Counted<T> {
    const ZERO: Self = Self(T::ZERO);
    const ONE: Self = Self(T::ONE);
    const MINVAL: Self = Self(T::MINVAL);
    const MIN_CONTACT_INVWEIGHT: Self = Self(T::MIN_CONTACT_INVWEIGHT);
    const EPSILON: Self = Self(T::EPSILON);
    const WIDTH: usize = T::WIDTH;
    type Mask = T::Mask;
    fn where_any(four: [Self; 4]) -> Option<T::Mask> {
        T::where_any(four.map(|x| x.0))
    }
    fn is_everywhere(mask: T::Mask) -> bool {
        T::is_everywhere(mask)
    }
    fn where_holds(self, mask: T::Mask, elsewhere: Self) -> Self {
        Self(self.0.where_holds(mask, elsewhere.0))
    }
    fn of(x: f64) -> Self {
        Self(T::of(x))
    }
    fn f64(self) -> f64 {
        self.0.f64()
    }
    fn sqrt(self) -> Self {
        tick(|t| &t.sqrt);
        Self(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn ln(self) -> Self {
        self.special(self.0.ln())
    }
    fn sin(self) -> Self {
        self.special(self.0.sin())
    }
    fn cos(self) -> Self {
        self.special(self.0.cos())
    }
    fn atan2(self, x: Self) -> Self {
        self.special(self.0.atan2(x.0))
    }
    fn tan(self) -> Self {
        self.special(self.0.tan())
    }
    fn acos(self) -> Self {
        self.special(self.0.acos())
    }
    fn round(self) -> Self {
        Self(self.0.round())
    }
    fn exp(self) -> Self {
        self.special(self.0.exp())
    }
    fn exp_m1(self) -> Self {
        self.special(self.0.exp_m1())
    }
    fn powf(self, p: Self) -> Self {
        self.special(self.0.powf(p.0))
    }
    fn floor(self) -> Self {
        Self(self.0.floor())
    }
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
    fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_product_has_n_products_and_one_sum_less() {
        let x: Vec<Counted<f64>> = (1..=10).map(|i| Counted::of(f64::from(i))).collect();
        let (dot, counts) = counted(|| x.iter().map(|&a| a * a).sum::<Counted<f64>>());
        assert_eq!(dot.f64(), 385.0);
        assert_eq!(counts, Counts { add: 9, mul: 10, ..Counts::default() });
        assert_eq!(counts.flops(), 19);
    }

    #[test]
    fn every_kind_is_counted_under_its_name() {
        let (a, b) = (Counted::<f32>::of(2.0), Counted::<f32>::of(3.0));
        let (_, counts) = counted(|| {
            let mut c = (a / b).sqrt() - b;
            c += a.sin() + a.cos();
            c -= a.atan2(b);
            c *= a.exp();
            c /= a.powf(b);
            // free operations
            (-c).abs().floor().min(a).max(b).is_finite()
        });
        assert_eq!(counts, Counts { add: 4, mul: 1, div: 2, sqrt: 1, special: 5 });
    }
}
