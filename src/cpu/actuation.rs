//! From controls to forces: `force = gain * ctrl + bias`, then the limits of tendons, actuators and joints.

use super::math::clip;
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
    for dof in 0..m.sizes.nv {
        d.qfrc_actuator[dof] = if off { T::ZERO } else { dof_force(m, d, dof) };
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
    let ctrl = if good && m.actuator_ctrlnum[a] > 0 {
        control(m, d, m.actuator_ctrladr[a] as usize)
    } else {
        T::ZERO
    };
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

/// Force of all actuators in one degree of freedom, within the joint's range.
fn dof_force<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize) -> T {
    let mut sum = T::ZERO;
    for out in 0..m.sizes.nout {
        sum += d.actuator_moment[out * m.sizes.nv + dof] * d.actuator_force[out];
    }
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
