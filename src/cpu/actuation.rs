//! From controls to forces: `force = gain * ctrl + bias`, then the limits of tendons, actuators and joints.

use super::math::{clip, norm3, vec3};
use super::reflected::transmission_type;
use crate::data::{Data, status};
use crate::model::{Model, disable, joint};
use crate::real::Real;

/// A control or state beyond this is bad (`mjMAXVAL`).
pub const MAX_VALUE: f64 = 1e10;
/// Value of `actuator_gaintype` and `actuator_biastype`.
const AFFINE: i32 = 1;

/// Neither NaN nor beyond what counts as diverged.
pub fn is_good<T: Real>(x: T) -> bool {
    x.is_finite() && x.abs() <= T::of(MAX_VALUE)
}

/// Forces of all actuators, and their sum in each degree of freedom.
pub fn actuation<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let off = m.disabled(disable::ACTUATION);
    let good = off || controls_good(m, d);
    if !good {
        d.status[0] |= status::BAD_CTRL;
    }
    for a in 0..m.sizes.nactuator {
        let out = m.actuator_outadr[a] as usize;
        d.actuator_force[out] = if off || group_off(m, a) { T::ZERO } else { raw_force(m, d, a, out, good) };
    }
    if !off {
        for ten in 0..m.sizes.ntendon {
            limit_tendon(m, d, ten);
        }
        limit_actuators(m, d);
    }
    d.qfrc_actuator.fill(T::ZERO);
    if off {
        return;
    }
    sum_forces(m, d);
    for dof in 0..m.sizes.nv {
        d.qfrc_actuator[dof] = limited_force(m, d, dof);
    }
}

/// Control within its range.
fn control<T: Real>(m: &Model<T>, d: &Data<T>, u: usize) -> T {
    let x = d.ctrl[u];
    if m.actuator_ctrllimited[u] != 0 && !m.disabled(disable::CLAMPCTRL) {
        return clip(x, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1]);
    }
    x
}

/// Whether all controls are finite and within bounds.
fn controls_good<T: Real>(m: &Model<T>, d: &Data<T>) -> bool {
    let mut good = true;
    for u in 0..m.sizes.nu {
        good = good && is_good(control(m, d, u));
    }
    good
}

/// Whether an actuator's group is switched off.
fn group_off<T: Real>(m: &Model<T>, a: usize) -> bool {
    let group = m.actuator_group[a];
    (0..=30).contains(&group) && m.opt_disableactuator[0] & (1 << group) != 0
}

/// Force of one actuator before limits; bad controls count as zero.
fn raw_force<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, out: usize, good: bool) -> T {
    let (length, velocity) = (d.actuator_length[out], d.actuator_velocity[out]);
    let g = &m.actuator_gainprm[10 * a..10 * a + 3];
    let b = &m.actuator_biasprm[10 * a..10 * a + 3];
    let mut ctrl = T::ZERO;
    if good && m.actuator_ctrlnum[a] > 0 {
        ctrl = control(m, d, m.actuator_ctrladr[a] as usize);
    }
    if turns_ball(m, a) {
        ctrl = nearest_turn(m, out, ctrl, length);
    }
    let mut gain = g[0];
    if m.actuator_gaintype[a] == AFFINE {
        gain += g[1] * length + g[2] * velocity;
    }
    let mut bias = T::ZERO;
    if m.actuator_biastype[a] == AFFINE {
        bias = b[0] + b[1] * length + b[2] * velocity;
    }
    gain * ctrl + bias
}

/// Whether an actuator is a position servo of a ball joint: its setpoint is an angle.
fn turns_ball<T: Real>(m: &Model<T>, a: usize) -> bool {
    let kind = m.actuator_trntype[a];
    (kind == transmission_type::JOINT || kind == transmission_type::JOINTINPARENT)
        && m.jnt_type[m.actuator_trnid[2 * a] as usize] == joint::BALL
        && m.actuator_gaintype[a] != AFFINE
        && m.actuator_biastype[a] == AFFINE
        && m.actuator_biasprm[10 * a + 1] == -m.actuator_gainprm[10 * a]
}

/// Of all setpoints that differ by full turns, the one nearest to the present length.
fn nearest_turn<T: Real>(m: &Model<T>, out: usize, setpoint: T, length: T) -> T {
    let turn = T::of(2.0 * std::f64::consts::PI) * norm3(vec3(&m.actuator_gear, 2 * out));
    if turn < T::MINVAL {
        return setpoint;
    }
    let turns = ((setpoint - length) / turn + T::of(0.5)).floor();
    setpoint - turn * turns
}

/// Scales the forces of a tendon's actuators so that their sum is within the tendon's range.
fn limit_tendon<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize) {
    if m.tendon_actfrclimited[ten] == 0 {
        return;
    }
    let on_tendon = |a: usize| {
        m.actuator_trntype[a] == transmission_type::TENDON && m.actuator_trnid[2 * a] == ten as i32
    };
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

/// Clamps the force of each actuator to its range.
fn limit_actuators<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for a in 0..m.sizes.nactuator {
        if m.actuator_forcelimited[a] != 0 {
            let out = m.actuator_outadr[a] as usize;
            d.actuator_force[out] =
                clip(d.actuator_force[out], m.actuator_forcerange[2 * a], m.actuator_forcerange[2 * a + 1]);
        }
    }
}

/// Force of all actuators in each degree of freedom.
fn sum_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for k in 0..m.sizes.nJmom {
        let force = d.actuator_force[m.moment_out[k] as usize];
        d.qfrc_actuator[m.moment_colind[k] as usize] += d.actuator_moment[k] * force;
    }
}

/// Force in one degree of freedom with gravity compensation, where the joint wants it, within its range.
fn limited_force<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize) -> T {
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
