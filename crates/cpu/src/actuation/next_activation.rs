//! Activations one time step later, and the input to the gain.

use super::dcmotor;
use crate::math::clip;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::dynamics;

/// An activation one time step later, clamped to its range, when it changes at `rate`.
pub fn next_activation<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, adr: usize, rate: T) -> T {
    let h = m.opt_timestep[0];
    if m.actuator_dyntype[a] == dynamics::DCMOTOR {
        return dcmotor::next_state(m, d, a, adr, rate);
    }
    // exact filter: effective duration of a rate that decays exponentially
    let elapsed = if m.actuator_dyntype[a] == dynamics::FILTEREXACT {
        let time = m.actuator_dynprm[10 * a].max(T::MINVAL);
        -(time * (-h / time).exp_m1())
    } else {
        h
    };
    let mut next = d.act[adr] + rate * elapsed;
    if m.actuator_actlimited[a] != 0 {
        next = clip(next, m.actuator_actrange[2 * a], m.actuator_actrange[2 * a + 1]);
    }
    next
}

/// Input to the gain: the last activation, current or one time step later, or the control.
pub fn driving_input<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, ctrl: T) -> T {
    let Ok(first) = usize::try_from(m.actuator_actadr[a]) else {
        return ctrl;
    };
    let last = first + m.actuator_actnum[a] as usize - 1;
    if m.actuator_actearly[a] != 0 { next_activation(m, d, a, last, d.act_dot[last]) } else { d.act[last] }
}
