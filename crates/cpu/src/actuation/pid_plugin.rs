//! Controllers of MuJoCo's plugin `mujoco.pid` (its README, "Actuator plugins"): the force is proportional to the error
//! of the actuator's length, to its integral and to its rate.
//!
//! `plugin_prm`: gains of error, integral and rate; largest integral, largest rate of the target, each negative for
//! none. States: the integral if its gain is not zero, the last target if its rate is limited; then the activation that
//! drives the controller, where the actuator has dynamics of its own.

use super::next_activation::next_activation;
use crate::math::clip;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::dynamics;

/// A controller with its current target.
#[derive(Clone, Copy, Debug)]
pub struct PidPlugin<T> {
    a: usize,
    gains: [T; 3],
    target: T,
    error: T,
    /// Integral at the end of the step, and its state.
    integral: Option<(usize, T)>,
    /// State of the last target.
    slew: Option<usize>,
    /// Activation that drives the controller.
    driver: Option<usize>,
}

impl<T: Real> PidPlugin<T> {
    /// The controller of actuator `a` with its control clamped; `early` looks one time step ahead at the activation
    /// that drives it. `None` for actuators without the plugin.
    pub fn of_actuator(m: &Model<T>, d: &Data<T>, a: usize, ctrl: T, early: bool) -> Option<Self> {
        let prm = &m.plugin_prm[6 * usize::try_from(m.actuator_plugin[a]).ok()?..][..5];
        // states in their order
        let mut next = m.actuator_actadr[a].max(0) as usize;
        let mut state = |here: bool| {
            next += usize::from(here);
            here.then(|| next - 1)
        };
        let integral = state(prm[1] != T::ZERO);
        let slew = state(prm[4] >= T::ZERO);
        let driver = state(m.actuator_dyntype[a] != dynamics::NONE);
        // target: the control, clamped even where other actuators' are not, or the activation
        let mut target = match driver {
            Some(adr) if early => next_activation(m, d, a, adr, d.act_dot[adr]),
            Some(adr) => d.act[adr],
            None if m.actuator_ctrllimited[a] != 0 => {
                let u = m.actuator_ctrladr[a] as usize;
                clip(ctrl, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1])
            }
            None => ctrl,
        };
        // nothing precedes the first step
        let h = m.opt_timestep[0];
        if let (Some(adr), true) = (slew, d.time[0] > T::ZERO) {
            target = clip(target, d.act[adr] - prm[4] * h, d.act[adr] + prm[4] * h);
        }
        let error = target - d.actuator_length[m.actuator_outadr[a] as usize];
        let integral = integral.map(|adr| {
            let sum = d.act[adr] + error * h;
            (adr, if prm[3] >= T::ZERO { clip(sum, -prm[3], prm[3]) } else { sum })
        });
        Some(Self { a, gains: [prm[0], prm[1], prm[2]], target, error, integral, slew, driver })
    }

    /// Writes the rates of the controller's own states: those that reach their next values in one step.
    pub fn rates(&self, m: &Model<T>, d: &mut Data<T>) {
        let h = m.opt_timestep[0];
        if let Some((adr, sum)) = self.integral {
            d.act_dot[adr] = (sum - d.act[adr]) / h;
        }
        if let Some(adr) = self.slew {
            d.act_dot[adr] = (self.target - d.act[adr]) / h;
        }
    }

    /// Force of error, rate and integral.
    pub fn drive(&self, m: &Model<T>, d: &Data<T>) -> T {
        let target_rate = self.driver.map_or(T::ZERO, |adr| d.act_dot[adr]);
        let error_rate = target_rate - d.actuator_velocity[m.actuator_outadr[self.a] as usize];
        let sum = self.integral.map_or(T::ZERO, |(_, sum)| sum);
        self.gains[0] * self.error + self.gains[2] * error_rate + self.gains[1] * sum
    }
}
