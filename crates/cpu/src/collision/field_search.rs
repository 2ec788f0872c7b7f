//! The steps of a search in two signed distance fields.
//!
//! A field that is a distance changes by no more than the distance between two points, so that values seen along a step rule
//! out most others of the backtracking before they are computed. What is ruled out would have failed.

use super::field::SignedField;
use super::field_bounds::Horizon;
use super::field_overlap::Search;
use crate::math::graded::Graded;
use crate::math::{Vec3, dot};
use manyworlds_model::real::Real;

/// Share of the expected descent that a step has to make, and the shortest step relative to the gradient.
const ARMIJO: f64 = 0.1;
const SHORTEST: f64 = 1e-4;

/// Square of a gradient that is none.
const FLAT: f64 = 1e-12;

impl<T: Real, A: SignedField<T>, B: SignedField<T>> Search<'_, '_, T, A, B> {
    /// The value of field `k` at a point.
    #[inline(always)]
    fn value(&self, k: usize, x: Vec3<T>) -> T {
        if k == 0 { self.one.value(self.overlap.turned(x)) } else { self.two.value(x) }
    }

    /// A step from `x`, where the fields are `both`, down their function `of`, which is `here` there, by backtracking: the
    /// next point and the value there, or the value at `x` where it is flat, no step leads down, or those that do are
    /// shorter than `enough`. The function is larger than `here` beyond the horizon.
    #[inline(always)]
    pub(super) fn descend(
        &self,
        x: Vec3<T>,
        both: [Graded<T>; 2],
        here: Graded<T>,
        horizon: Horizon<T>,
        enough: T,
        of: impl Fn([T; 2]) -> T,
    ) -> Result<(Vec3<T>, T), T> {
        let square = dot(here.gradient, here.gradient);
        if square < T::of(FLAT) {
            return Err(here.value);
        }
        let (mut share, shortest, half) = (T::ONE, T::of(SHORTEST), T::of(0.5));
        let (length, rise) = (square.sqrt(), T::of(ARMIJO) * square);
        let enough = enough / length;
        while share > shortest
            && share >= enough
            && self.overlap.is_beyond(x - here.gradient * share, horizon.reach)
        {
            share *= half;
        }
        let mut floors = self.overlap.floors(both, length);
        // first the field that is likely to become the larger one
        let first = if both[0].value > both[1].value { 1 } else { 0 };
        loop {
            let most = here.value + floors.rounding;
            let fails = |values, share| self.overlap.are_distances && of(values) > most - rise * share;
            while share > shortest && fails(floors.at(share), share) {
                share *= half;
            }
            if share < enough {
                return Err(here.value);
            }
            let next = x - here.gradient * share;
            // the shortest step counts whatever its value
            let is_shortest = share <= shortest;
            let one = self.value(first, next);
            let [a, b] = floors.at(share);
            let lowest = if first == 0 { [one, b] } else { [a, one] };
            if is_shortest || !(one > horizon.most || fails(lowest, share)) {
                let two = self.value(1 - first, next);
                let value = of(if first == 0 { [one, two] } else { [two, one] });
                if value - here.value <= -T::of(ARMIJO) * share * square || is_shortest {
                    return if value > here.value { Err(here.value) } else { Ok((next, value)) };
                }
                if !value.is_finite() {
                    return Err(here.value);
                }
                floors.see(1 - first, two, share);
            }
            floors.see(first, one, share);
            share *= half;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::field_contacts::{closeness, depth};
    use super::super::field_overlap::{closeness_value, larger};
    use super::*;
    use crate::math::graded::Number;
    use crate::math::random::Random;

    #[test]
    fn functions_have_the_values_of_their_gradients() {
        let mut random = Random(5);
        for k in 0..1000 {
            let [a, b, _] = random.vector().map(|x| if k % 7 == 0 { (x * 2.0).round() } else { x }).0;
            let both = [a, b].map(Graded::<f64>::constant);
            assert_eq!(closeness(both).value.to_bits(), closeness_value([a, b]).to_bits(), "{a} {b}");
            assert!(depth(both).value.to_bits() == larger([a, b]).to_bits(), "{a} {b}");
        }
    }
}
