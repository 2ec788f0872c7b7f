//! Conditioning of a stage: how far its results move where rounding changes its inputs and its arithmetic.
//!
//! The measure is the reference itself. The CPU runs the stage in single precision from the inputs as they are and from
//! draws of them, each number changed by at most two units of its last place in single precision; the largest
//! difference from the result in double precision is what correct kernels may show too. Equal numbers change equally, so
//! that what is equal, symmetric or zero stays so. It depends on the reference only: a kernel cannot widen it.

use super::compare::compare_terms;
use super::{numbers, used};
use crate::cpu;
use crate::model::Model;
use crate::model::data::Data;
use crate::schema::stages::Stage;
use crate::schema::{Elem, Field, Role, ValuesMut};

/// Draws of the inputs, beside the inputs themselves.
const DRAWS: u64 = 16;

/// Largest relative change: what a few roundings of the arithmetic amount to.
const CHANGE: f64 = 2.0 * f32::EPSILON as f64;

/// Factor on the largest of these differences. A kernel is one more draw, but its sums have another order and its division is
/// good to some units of the last place: SwiftShader came to 4.3 times the largest in a solve with joint damping.
pub const MARGIN: f64 = 8.0;

/// Clocks and what is compared with them: a change would move samples to another step.
const EXACT: &[Role] = &[Role::Time, Role::Remainder, Role::History, Role::HistoryRemainder];

/// Results of one stage in one world, in single precision, from its inputs and from draws of them.
pub(super) struct Draws {
    /// Results whose integers are those of double precision.
    alike: Vec<Data>,
    /// True if all of them are: rounding decides no count, id or state of a row.
    settled: bool,
}

impl Draws {
    /// Runs a stage from the inputs `before`, whose outputs are poisoned; `want` and its `integers` are the results in
    /// double precision.
    pub(super) fn of(
        stage: Stage,
        model: &Model<f32>,
        before: &Data,
        want: &Data,
        integers: &[&'static Field],
    ) -> Self {
        let run = |draw: u64| {
            let mut inputs = before.clone();
            if draw > 0 {
                change(&mut inputs, draw);
            }
            let mut data = inputs.cast::<f32>();
            cpu::run_stage(stage, model, &mut data);
            data.cast::<f64>()
        };
        let agrees = |data: &Data| {
            integers
                .iter()
                .all(|f| numbers(data, f.name)[..used(f, want)] == numbers(want, f.name)[..used(f, want)])
        };
        let mut alike: Vec<Data> = (0..=DRAWS).map(run).collect();
        alike.retain(agrees);
        let settled = alike.len() as u64 == DRAWS + 1;
        Self { alike, settled }
    }

    /// False if rounding decides an integer result.
    pub(super) fn settled(&self) -> bool {
        self.settled
    }

    /// Largest difference of a field from its value in double precision, as [`compare_terms`] measures it.
    pub(super) fn spread(&self, field: &Field, want: &[f64], terms: &[f64]) -> f64 {
        let spread = |data: &Data| compare_terms(&numbers(data, field.name)[..want.len()], want, terms).error;
        // what is not finite explains nothing
        self.alike.iter().map(spread).filter(|e| e.is_finite()).fold(0.0, f64::max)
    }
}

/// Changes every real number but clocks by a share of the largest change.
fn change(data: &mut Data, draw: u64) {
    let input = |f: &&Field| f.elem == Elem::Real && !EXACT.contains(&f.role);
    for field in Data::<f64>::FIELDS.iter().filter(input) {
        if let Some(ValuesMut::Real(values)) = data.get_mut(field.name) {
            values.iter_mut().for_each(|x| *x *= 1.0 + CHANGE * share(x.abs(), draw));
        }
    }
}

/// A number in [-1, 1] that depends on a value and a draw only (splitmix64).
fn share(x: f64, draw: u64) -> f64 {
    let mut z = x.to_bits() ^ draw.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_change_equally_and_others_in_their_own_way() {
        assert_eq!(share(0.3, 5), share(0.3, 5));
        assert!(share(0.3, 5) != share(0.3, 6) && share(0.3, 5) != share(0.4, 5));
        let all: Vec<f64> = (1..1000).map(|i| share(f64::from(i), 1)).collect();
        let mean = all.iter().sum::<f64>() / 999.0;
        assert!(all.iter().all(|x| x.abs() <= 1.0) && mean.abs() < 0.1, "{mean}");
    }
}
