//! Noise on controls, so that worlds which begin alike do not stay so: an Ornstein-Uhlenbeck process for each control.

use manyworlds::batch::control::uniform;
use manyworlds::model::Model;

/// Noise on the controls of all worlds.
#[derive(Clone, Debug)]
pub(crate) struct Noise {
    /// Standard deviation in half ranges of a control, or in its units where it has none.
    pub(crate) scale: f64,
    /// Time after which it is mostly another one, s.
    pub(super) time: f64,
    /// The noise that the controls have now, `[world, nu]`; empty for none.
    now: Vec<f64>,
    draw: u64,
}

impl Default for Noise {
    fn default() -> Self {
        Self { scale: 0.0, time: 0.1, now: Vec::new(), draw: 0 }
    }
}

impl Noise {
    /// True if controls have noise, or are to have it.
    pub(super) fn acts(&self) -> bool {
        self.scale > 0.0 || self.now.iter().any(|x| *x != 0.0)
    }

    /// The controls have no noise now: they are others.
    pub(super) fn restart(&mut self) {
        self.now.clear();
    }

    /// A control of a world has no noise now.
    pub(super) fn forget(&mut self, world: usize, nu: usize, control: usize) {
        if let Some(x) = self.now.get_mut(world * nu + control) {
            *x = 0.0;
        }
    }

    /// Replaces the noise on controls `[world, nu]` by that some seconds later.
    pub(super) fn change(&mut self, model: &Model, ctrl: &mut [f64], seconds: f64) {
        let nu = model.sizes.nu;
        self.now.resize(ctrl.len(), 0.0);
        self.draw += 1;
        let decay = (-seconds / self.time.max(1e-6)).exp();
        let fresh = self.scale * (1.0 - decay * decay).sqrt();
        for (k, (u, x)) in ctrl.iter_mut().zip(&mut self.now).enumerate() {
            let (world, control) = ((k / nu) as u64, (k % nu) as u64);
            let before = *x;
            *x = if self.scale > 0.0 {
                decay * *x + fresh * half(model, k % nu) * normal(world, self.draw, control)
            } else {
                0.0
            };
            *u += *x - before;
        }
    }
}

/// Half the range of a control, or 1.
fn half(model: &Model, control: usize) -> f64 {
    // controls of an actuator with several have no range of their own
    let id = (0..model.sizes.nactuator).find(|a| model.actuator_ctrladr[*a] == control as i32);
    let id = id.filter(|a| model.actuator_ctrllimited[*a] != 0 && model.actuator_ctrlnum[*a] == 1);
    id.map_or(1.0, |a| 0.5 * (model.actuator_ctrlrange[2 * a + 1] - model.actuator_ctrlrange[2 * a]))
}

/// A number of the standard normal distribution (Box and Muller 1958).
fn normal(world: u64, draw: u64, control: u64) -> f64 {
    let [a, b] = [0, 1].map(|k| uniform(0, world, draw, 2 * control + k));
    (-2.0 * (1.0 - a).max(f64::MIN_POSITIVE).ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn noise_has_its_spread_and_leaves_when_it_is_switched_off() {
        let text = "<mujoco><worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody><actuator>\
            <motor joint='a' ctrllimited='true' ctrlrange='-2 6'/><motor joint='a'/></actuator></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut noise = Noise { scale: 0.5, ..Noise::default() };
        let mut ctrl = [1.0, 2.0].repeat(500);
        let mut squares = [0.0; 2];
        for _ in 0..200 {
            noise.change(&model, &mut ctrl, 0.05);
            for row in ctrl.chunks(2) {
                squares[0] += (row[0] - 1.0_f64).powi(2) / 1e5;
                squares[1] += (row[1] - 2.0_f64).powi(2) / 1e5;
            }
        }
        // half of the half range, and half a unit
        assert!(
            (squares[0].sqrt() - 2.0).abs() < 0.06 && (squares[1].sqrt() - 0.5).abs() < 0.02,
            "{squares:?}"
        );
        assert_ne!(ctrl[0], ctrl[2]);
        noise.scale = 0.0;
        assert!(noise.acts());
        noise.change(&model, &mut ctrl, 0.05);
        assert!(ctrl.chunks(2).all(|row| (row[0] - 1.0).abs() < 1e-9 && (row[1] - 2.0).abs() < 1e-9));
        assert!(!noise.acts());
    }
}
