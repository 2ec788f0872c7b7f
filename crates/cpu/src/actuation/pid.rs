//! PID controllers of position and velocity (MuJoCo XML reference, "actuator/pid").
//!
//! `gainprm`: integral gain. `biasprm`: constant bias, minus position gain, minus velocity gain. `dynprm`: maximum
//! integral, maximum slew rate of the target position. States: slewed target, then integral; each exists if its
//! parameter is positive.

use super::next_activation::next_activation;
use super::servo::{inputs, integral_rate, slewed};
use super::setpoint::{unwrap_near, unwrap_setpoint};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{dynamics, input};

/// A controller with its current inputs.
#[derive(Clone, Copy, Debug)]
pub struct Pid<T> {
    a: usize,
    /// Addresses of the states.
    slew: Option<usize>,
    integral: Option<usize>,
    inputs: [T; 4],
    /// Target position, unwrapped to near the current one.
    setpoint: T,
}

impl<T: Real> Pid<T> {
    /// The controller of actuator `a` with its first control clamped; bad controls count as zero.
    pub fn of_actuator(m: &Model<T>, d: &Data<T>, a: usize, ctrl: T, good: bool) -> Self {
        let mut next = m.actuator_actadr[a].max(0) as usize;
        let mut state = |parameter: T| {
            let here = m.actuator_dyntype[a] == dynamics::PID && parameter > T::ZERO;
            next += usize::from(here);
            here.then(|| next - 1)
        };
        let slew = state(m.actuator_dynprm[10 * a + 1]);
        let integral = state(m.actuator_gainprm[10 * a]);
        let mut inputs = inputs(m, d, a, ctrl, good);
        if let Some(adr) = slew {
            let wanted = unwrap_near(m, a, inputs[0], d.act[adr]);
            inputs[0] = slewed(m, wanted, d.act[adr], m.actuator_dynprm[10 * a + 1]);
        }
        let follows = m.actuator_ctrlspec[a] & input::POS != 0;
        let setpoint = if follows { unwrap_setpoint(m, d, a, inputs[0]) } else { T::ZERO };
        Self { a, slew, integral, inputs, setpoint }
    }

    /// Writes the rates of the states.
    pub fn rates(&self, m: &Model<T>, d: &mut Data<T>) {
        if let Some(adr) = self.slew {
            d.act_dot[adr] = (self.inputs[0] - d.act[adr]) / m.opt_timestep[0];
        }
        if let Some(adr) = self.integral {
            let error = self.setpoint - d.actuator_length[m.actuator_outadr[self.a] as usize];
            d.act_dot[adr] = integral_rate(error, d.act[adr], m.actuator_dynprm[10 * self.a]);
        }
    }

    /// Force from the inputs and the integral.
    pub fn drive(&self, m: &Model<T>, d: &Data<T>) -> T {
        let b = &m.actuator_biasprm[10 * self.a..10 * self.a + 3];
        let mut force = self.inputs[2] - b[1] * self.setpoint - b[2] * self.inputs[1];
        if let Some(adr) = self.integral {
            let early = m.actuator_actearly[self.a] != 0;
            let sum = if early { next_activation(m, d, self.a, adr, d.act_dot[adr]) } else { d.act[adr] };
            force += m.actuator_gainprm[10 * self.a] * sum;
        }
        force
    }
}
