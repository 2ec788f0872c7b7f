//! Setpoints of orientation servos, periodic in a full turn.

use crate::math::{length, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{TransmissionType, bias, dynamics, gain, input, joint};

/// Full turn in units of actuator length, for position servos of an orientation: of a ball joint, or of a site
/// relative to another. Zero for all other actuators.
fn full_turn<T: Real>(m: &Model<T>, a: usize) -> T {
    let servo = (m.actuator_dyntype[a] == dynamics::NONE || m.actuator_dyntype[a] == dynamics::INTEGRATOR)
        && m.actuator_gaintype[a] == gain::FIXED
        && m.actuator_biastype[a] == bias::AFFINE
        && m.actuator_biasprm[10 * a + 1] == -m.actuator_gainprm[10 * a];
    let follows = m.actuator_gaintype[a] == gain::PID && m.actuator_ctrlspec[a] & input::POS != 0;
    if !servo && !follows {
        return T::ZERO;
    }
    let out = m.actuator_outadr[a] as usize;
    let (linear, angular) = (vec3(&m.actuator_gear, 2 * out), vec3(&m.actuator_gear, 2 * out + 1));
    let turn = T::of(2.0 * std::f64::consts::PI);
    match TransmissionType::of(m.actuator_trntype[a]) {
        Some(TransmissionType::JOINT | TransmissionType::JOINTINPARENT)
            if m.jnt_type[m.actuator_trnid[2 * a] as usize] == joint::BALL =>
        {
            turn * length(linear)
        }
        Some(TransmissionType::SITE) if m.actuator_trnid[2 * a + 1] >= 0 && length(linear) == T::ZERO => {
            turn * length(angular)
        }
        _ => T::ZERO,
    }
}

/// Equivalent setpoint nearest to the current length.
pub fn unwrap_setpoint<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, setpoint: T) -> T {
    unwrap_near(m, a, setpoint, d.actuator_length[m.actuator_outadr[a] as usize])
}

/// Equivalent setpoint nearest to another number.
pub fn unwrap_near<T: Real>(m: &Model<T>, a: usize, setpoint: T, to: T) -> T {
    let turn = full_turn(m, a);
    if turn < T::MINVAL {
        return setpoint;
    }
    setpoint - turn * ((setpoint - to) / turn + T::of(0.5)).floor()
}
