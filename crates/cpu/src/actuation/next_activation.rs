//! Activations one time step later.

use super::dcmotor::next_state;
use crate::math::clip;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::dynamics;

/// An activation one time step later, clamped to its range, when it changes at `rate`.
pub fn next_activation<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, adr: usize, rate: T) -> T {
    let h = m.opt_timestep[0];
    if m.actuator_dyntype[a] == dynamics::DCMOTOR {
        return next_state(m, d, a, adr, rate);
    }
    let mut next = d.act[adr] + rate * elapsed(m, a, h);
    if m.actuator_actlimited[a] != 0 {
        next = clip(next, m.actuator_actrange[2 * a], m.actuator_actrange[2 * a + 1]);
    }
    next
}

/// Effective duration of a rate: shorter for an exact filter, whose rate decays exponentially.
fn elapsed<T: Real>(m: &Model<T>, a: usize, h: T) -> T {
    if m.actuator_dyntype[a] != dynamics::FILTEREXACT {
        return h;
    }
    let time = m.actuator_dynprm[10 * a].max(T::MINVAL);
    -(time * (-h / time).exp_m1())
}
