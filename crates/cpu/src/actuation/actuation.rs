//! Actuator forces from controls: `force = gain * input + bias`, then the limits of tendons, actuators and joints.
//! The input is the control, or the activation of an actuator that has one.

use super::activation::activation_rates;
use super::control::{actuator_disabled, controls_good, first_control};
use super::dcmotor::DcMotor;
use super::history::delay_controls;
use super::laws::state_rates;
use super::muscle::Muscle;
use super::next_activation::driving_input;
use super::orientation;
use super::pid::Pid;
use super::pid_plugin::PidPlugin;
use super::setpoint::unwrap_setpoint;
use crate::math::clip;
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{BiasType, GainType, bias, disable, gain, joint, status, transmission};
use manyworlds_model::schema::stages::Stage;

/// Activation rates, actuator forces and their joint forces `qfrc_actuator`.
#[inline(always)]
pub fn actuation<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if m.disabled(disable::ACTUATION) {
        d.act_dot.fill(T::ZERO);
        d.actuator_force.fill(T::ZERO);
        d.qfrc_actuator.fill(T::ZERO);
        state_rates(m, d);
        return;
    }
    delay_controls(m, d);
    let good = controls_good(m, d);
    if !good {
        d.status[0] |= status::BAD_CTRL;
    }
    for a in 0..m.sizes.nactuator {
        let ctrl = first_control(m, d, a, good);
        activation_rates(m, d, a, ctrl, good);
        let out = m.actuator_outadr[a] as usize;
        let off = actuator_disabled(m, a);
        if orientation::is_orientation(m, a) {
            orientation::drive(m, d, a, good);
            continue;
        }
        // a plugin does not know that its actuator is disabled
        d.actuator_force[out] = match PidPlugin::of_actuator(m, d, a, ctrl, m.actuator_actearly[a] != 0) {
            Some(controller) => controller.drive(m, d),
            None if off => T::ZERO,
            None => raw_force(m, d, a, ctrl, good),
        };
    }
    state_rates(m, d);
    for ten in 0..m.sizes.ntendon {
        limit_tendon(m, d, ten);
    }
    for a in 0..m.sizes.nactuator {
        limit_actuator(m, d, a, good);
    }
    let count = runs(m, d, Stage::actuation);
    for k in 0..count {
        let dofs = run_at(m, d, k).dofs();
        d.qfrc_actuator[dofs].fill(T::ZERO);
    }
    sum_forces(m, d);
    for k in 0..count {
        for dof in run_at(m, d, k).dofs() {
            d.qfrc_actuator[dof] = dof_force(m, d, dof);
        }
    }
}

/// Force of one actuator before limits.
#[inline(always)]
fn raw_force<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, ctrl: T, good: bool) -> T {
    if m.actuator_gaintype[a] == gain::DCMOTOR {
        return DcMotor::of_actuator(m, d, a, ctrl, good).drive(m, d);
    }
    if m.actuator_gaintype[a] == gain::PID {
        return Pid::of_actuator(m, d, a, ctrl, good).drive(m, d) + bias_of(m, d, a);
    }
    let input = unwrap_setpoint(m, d, a, driving_input(m, d, a, ctrl));
    gain_of(m, d, a) * input + bias_of(m, d, a)
}

/// Gain: force per unit of input.
#[inline(always)]
fn gain_of<T: Real>(m: &Model<T>, d: &Data<T>, a: usize) -> T {
    let out = m.actuator_outadr[a] as usize;
    let (length, velocity) = (d.actuator_length[out], d.actuator_velocity[out]);
    let g = &m.actuator_gainprm[10 * a..10 * a + 10];
    match GainType::of(m.actuator_gaintype[a]) {
        Some(GainType::AFFINE) => g[0] + g[1] * length + g[2] * velocity,
        Some(GainType::MUSCLE) => Muscle::of_actuator(m, d, a, g).gain(velocity, g),
        // by a law, as without a callback
        Some(GainType::USER) => d.law_gain.get(a).copied().unwrap_or(T::ONE),
        // motors, servos of orientation and controllers have their own
        Some(GainType::FIXED | GainType::DCMOTOR | GainType::SO3 | GainType::PID) | None => g[0],
    }
}

/// Bias: force at zero input.
#[inline(always)]
fn bias_of<T: Real>(m: &Model<T>, d: &Data<T>, a: usize) -> T {
    let out = m.actuator_outadr[a] as usize;
    let (length, velocity) = (d.actuator_length[out], d.actuator_velocity[out]);
    let b = &m.actuator_biasprm[10 * a..10 * a + 10];
    match BiasType::of(m.actuator_biastype[a]) {
        Some(BiasType::AFFINE) => b[0] + b[1] * length + b[2] * velocity,
        Some(BiasType::MUSCLE) => Muscle::of_actuator(m, d, a, b).bias(b),
        Some(BiasType::USER) => d.law_bias.get(a).copied().unwrap_or(T::ZERO),
        Some(BiasType::NONE | BiasType::DCMOTOR | BiasType::SO3) | None => T::ZERO,
    }
}

/// Scales the forces of a tendon's actuators so that their sum stays within the tendon's range.
#[inline(always)]
fn limit_tendon<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) {
    if m.tendon_actfrclimited[ten] == 0 {
        return;
    }
    let on_tendon =
        |a: usize| m.actuator_trntype[a] == transmission::TENDON && m.actuator_trnid[2 * a] == ten as i32;
    let mut total = T::ZERO;
    for a in 0..m.sizes.nactuator {
        if on_tendon(a) {
            total += d.actuator_force[m.actuator_outadr[a] as usize];
        }
    }
    let within = clip(total, m.tendon_actfrcrange[2 * ten], m.tendon_actfrcrange[2 * ten + 1]);
    if within == total || total == T::ZERO {
        return;
    }
    for a in 0..m.sizes.nactuator {
        if on_tendon(a) {
            d.actuator_force[m.actuator_outadr[a] as usize] *= within / total;
        }
    }
}

/// Clamps the force of one actuator to its range, then adds the terms that the range does not limit.
#[inline(always)]
fn limit_actuator<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, good: bool) {
    if orientation::is_orientation(m, a) {
        orientation::limit(m, d, a);
        return;
    }
    let out = m.actuator_outadr[a] as usize;
    if m.actuator_forcelimited[a] != 0 {
        d.actuator_force[out] =
            clip(d.actuator_force[out], m.actuator_forcerange[2 * a], m.actuator_forcerange[2 * a + 1]);
    }
    if m.actuator_biastype[a] == bias::DCMOTOR && !actuator_disabled(m, a) {
        let ctrl = first_control(m, d, a, good);
        let losses = DcMotor::of_actuator(m, d, a, ctrl, good).losses(m, d);
        d.actuator_force[out] += losses;
    }
}

/// Sum of all actuator forces on each degree of freedom.
#[inline(always)]
fn sum_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for k in 0..m.sizes.nJmom {
        let force = d.actuator_force[m.moment_rowind[k] as usize];
        d.qfrc_actuator[m.moment_colind[k] as usize] += d.actuator_moment[k] * force;
    }
}

/// Actuator force on one degree of freedom, with gravity compensation if the joint asks for it, clamped to the
/// joint's range.
#[inline(always)]
fn dof_force<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize) -> T {
    let mut sum = d.qfrc_actuator[dof];
    let jnt = m.dof_jntid[dof] as usize;
    if m.jnt_actgravcomp[jnt] != 0 {
        sum += d.qfrc_gravcomp[dof];
    }
    let scalar = m.jnt_type[jnt] == joint::SLIDE || m.jnt_type[jnt] == joint::HINGE;
    if scalar && m.jnt_actfrclimited[jnt] != 0 {
        sum = clip(sum, m.jnt_actfrcrange[2 * jnt], m.jnt_actfrcrange[2 * jnt + 1]);
    }
    sum
}
