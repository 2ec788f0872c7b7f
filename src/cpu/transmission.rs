//! Lengths and moment arms of actuators. Rows of moments have the columns of the joint or tendon.

use super::math::{dot, quat_conj, quat_normalize, quat_rotate, quat_to_rotvec};
use super::reflected::transmission_type;
use crate::data::Data;
use crate::model::{Model, joint};
use crate::real::Real;

/// Lengths and moment arms of all actuators.
pub fn transmission<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for a in 0..m.sizes.nactuator {
        let out = m.actuator_outadr[a] as usize;
        let kind = m.actuator_trntype[a];
        if kind == transmission_type::TENDON {
            tendon_transmission(m, d, a, out);
        } else if kind == transmission_type::JOINT || kind == transmission_type::JOINTINPARENT {
            joint_transmission(m, d, a, out);
        }
    }
}

/// Length and moment arm of a fixed tendon, scaled.
fn tendon_transmission<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let ten = m.actuator_trnid[2 * a] as usize;
    let gear = m.actuator_gear[6 * out];
    d.actuator_length[out] = d.ten_length[ten] * gear;
    let adr = m.ten_J_rowadr[ten] as usize;
    let moment = m.moment_rowadr[out] as usize;
    for k in 0..m.ten_J_rownnz[ten] as usize {
        d.actuator_moment[moment + k] = d.ten_J[adr + k] * gear;
    }
}

/// Length and moment arms of a joint.
fn joint_transmission<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, out: usize) {
    let jnt = m.actuator_trnid[2 * a] as usize;
    let adr = m.jnt_qposadr[jnt] as usize;
    let mut moment = m.moment_rowadr[out] as usize;
    let gear = &m.actuator_gear[6 * out..6 * out + 6];
    let kind = m.jnt_type[jnt];
    if kind == joint::SLIDE || kind == joint::HINGE {
        d.actuator_length[out] = d.qpos[adr] * gear[0];
        d.actuator_moment[moment] = gear[0];
        return;
    }
    // a free joint has no length; its translation comes first
    let free = kind == joint::FREE;
    let mut axis = [gear[0], gear[1], gear[2]];
    let mut quat = adr;
    if free {
        d.actuator_moment[moment..moment + 3].copy_from_slice(&gear[..3]);
        axis = [gear[3], gear[4], gear[5]];
        moment += 3;
        quat += 3;
    }
    // an axis in the parent's frame is turned into the joint's
    let q = &d.qpos[quat..quat + 4];
    let quat = quat_normalize([q[0], q[1], q[2], q[3]]);
    if m.actuator_trntype[a] == transmission_type::JOINTINPARENT {
        axis = quat_rotate(quat_conj(quat), axis);
    }
    d.actuator_length[out] = if free { T::ZERO } else { dot(quat_to_rotvec(quat), axis) };
    d.actuator_moment[moment..moment + 3].copy_from_slice(&axis);
}
