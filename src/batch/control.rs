//! Control sequences for tests and benchmarks: identical on every backend and for every batch size.

use crate::model::Model;

pub use crate::cpu::math::uniform::uniform;

/// Steps for which [`Control::Noise`] holds a control.
pub const NOISE_STEPS: usize = 10;

/// Fraction of the control range used by [`Control::Hold`].
pub const HOLD_SHARE: f64 = 0.3;

/// Control sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Zero everywhere.
    Zero,
    /// Each world holds its own constant, uniform in 0.3 times the control range.
    Hold,
    /// Uniform in the full control range, redrawn every [`NOISE_STEPS`] steps.
    Noise,
}

/// Controls at a step for the worlds from `first` on, `[world, nu]`; `out` has one row per world.
pub fn fill(model: &Model, control: Control, seed: u64, first: usize, step: usize, out: &mut [f64]) {
    let nu = model.sizes.nu;
    let (share, draw) = match control {
        Control::Zero => return out.fill(0.0),
        Control::Hold => (HOLD_SHARE, 0),
        Control::Noise => (1.0, (step / NOISE_STEPS) as u64 + 1),
    };
    for (w, row) in out.chunks_exact_mut(nu.max(1)).enumerate() {
        for (i, x) in row.iter_mut().enumerate() {
            let (low, high) = range(model, i);
            *x = share * (low + (high - low) * uniform(seed, (first + w) as u64, draw, i as u64));
        }
    }
}

/// Range of a control; [-1, 1] if unlimited.
fn range(model: &Model, i: usize) -> (f64, f64) {
    let (low, high) = (model.actuator_ctrlrange[2 * i], model.actuator_ctrlrange[2 * i + 1]);
    if model.actuator_ctrllimited[i] != 0 { (low, high) } else { (-1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Sizes;

    #[test]
    fn draws_are_uniform_and_unrelated() {
        let n = 4096;
        let mean = (0..n).map(|w| uniform(1, w, 3, 0)).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let product = |w| (uniform(1, w, 3, 0) - 0.5) * (uniform(1, w, 3, 1) - 0.5);
        let covariance = (0..n).map(product).sum::<f64>() / n as f64;
        assert!(covariance.abs() < 0.005, "{covariance}");
    }

    #[test]
    fn a_world_draws_the_same_in_any_batch() {
        let mut model = Model::zeroed(Sizes { nu: 2, ..Sizes::default() });
        model.actuator_ctrllimited[1] = 1;
        model.actuator_ctrlrange[2..].copy_from_slice(&[2.0, 4.0]);
        let (mut all, mut one) = (vec![0.0; 8], vec![0.0; 2]);
        fill(&model, Control::Noise, 5, 0, 37, &mut all);
        fill(&model, Control::Noise, 5, 3, 30, &mut one);
        assert_eq!(all[6..], one[..]);
        assert!(all.chunks(2).all(|row| row[0].abs() <= 1.0 && (2.0..4.0).contains(&row[1])));
    }
}
