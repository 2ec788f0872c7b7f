//! Activation dynamics: rates of the actuator states, and their values one time step later.

use super::control::actuator_disabled;
use super::dcmotor::DcMotor;
use super::muscle::muscle_rate;
use super::next_activation::next_activation;
use super::orientation;
use super::pid::Pid;
use super::pid_plugin::PidPlugin;
use super::setpoint::unwrap_setpoint;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{DynamicsType, disable, dynamics};

/// Writes the activation rates of an actuator; `ctrl` is its first control, `good` is false if any control is bad.
pub fn activation_rates<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, ctrl: T, good: bool) {
    let Ok(first) = usize::try_from(m.actuator_actadr[a]) else {
        return;
    };
    let count = m.actuator_actnum[a] as usize;
    d.act_dot[first..first + count].fill(T::ZERO);
    if m.actuator_dyntype[a] == dynamics::DCMOTOR {
        DcMotor::of_actuator(m, d, a, ctrl, good).rates(m, d);
        return;
    }
    if m.actuator_dyntype[a] == dynamics::PID {
        Pid::of_actuator(m, d, a, ctrl, good).rates(m, d);
        return;
    }
    if orientation::is_orientation(m, a) {
        orientation::rates(m, d, a, good);
        return;
    }
    if m.actuator_dyntype[a] == dynamics::USER {
        // by a law; without one they rest
        for i in first..first + count {
            d.act_dot[i] = d.law_act_dot.get(i).copied().unwrap_or(T::ZERO);
        }
        return;
    }
    // the last activation drives the force
    let last = first + count - 1;
    let act = d.act[last];
    let prm = &m.actuator_dynprm[10 * a..10 * a + 10];
    d.act_dot[last] = match DynamicsType::of(m.actuator_dyntype[a]) {
        Some(DynamicsType::INTEGRATOR) => ctrl,
        Some(DynamicsType::FILTER | DynamicsType::FILTEREXACT) => (ctrl - act) / prm[0].max(T::MINVAL),
        Some(DynamicsType::MUSCLE) => muscle_rate(ctrl, act, prm),
        // motors, controllers and laws have their own
        Some(DynamicsType::NONE | DynamicsType::DCMOTOR | DynamicsType::PID | DynamicsType::USER) | None => {
            T::ZERO
        }
    };
    if let Some(controller) = PidPlugin::of_actuator(m, d, a, ctrl, false) {
        controller.rates(m, d);
    }
}

/// Activations of all actuators one time step later, at the given rates. Actuators of disabled groups keep theirs.
pub fn advance_activations<T: Real>(m: &Model<T>, d: &mut Data<T>, rates: &[T]) {
    if m.disabled(disable::ACTUATION) {
        return;
    }
    for a in 0..m.sizes.nactuator {
        let Ok(first) = usize::try_from(m.actuator_actadr[a]) else {
            continue;
        };
        if actuator_disabled(m, a) {
            continue;
        }
        for adr in first..first + m.actuator_actnum[a] as usize {
            let mut next = next_activation(m, d, a, adr, rates[adr]);
            if m.actuator_dyntype[a] == dynamics::INTEGRATOR {
                next = unwrap_setpoint(m, d, a, next);
            }
            d.act[adr] = next;
        }
        if orientation::is_orientation(m, a) {
            orientation::unwind(m, d, a);
        }
    }
}
