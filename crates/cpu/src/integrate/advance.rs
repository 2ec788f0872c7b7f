//! Operations common to all integrators: integration of positions, and time.

use crate::actuation::activation::advance_activations;
use crate::actuation::history::record_histories;
use crate::actuation::laws::advance_states;
use crate::math::{quat_at, quat_integrate, quat_normalize, quat_sub, vec3_at};
use crate::sleep::asleep::tree_sleeps;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::joint;

/// Time after one more step, by compensated summation (Kahan, CACM 8(1), 1965): thousands of small steps do not add
/// up exactly in single precision.
#[inline(always)]
pub fn advance_time<T: Real>(d: &mut Data<T>, h: T) {
    let step = h - d.time_compensation[0];
    let next = d.time[0] + step;
    d.time_compensation[0] = (next - d.time[0]) - step;
    d.time[0] = next;
}

/// Velocities after the time `h` at these accelerations.
#[inline(always)]
pub(super) fn advance_velocity<T: Real>(qvel: &mut [T], acceleration: &[T], h: T) {
    for (v, a) in qvel.iter_mut().zip(acceleration) {
        *v += h * *a;
    }
}

/// Advances activations, positions and time by one time step; the velocities are new already.
#[inline(always)]
pub fn advance<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let h = m.opt_timestep[0];
    record_histories(m, d);
    // taken out of `d` for the call, so that nothing is copied
    let rates = std::mem::take(&mut d.act_dot);
    advance_activations(m, d, &rates);
    advance_states(m, d, &rates);
    d.act_dot = rates;
    integrate_pos(m, d, h);
    advance_time(d, h);
    d.qacc_warmstart.copy_from_slice(&d.qacc);
}

/// Positions integrated with `qvel` over the time `h`.
#[inline(always)]
pub fn integrate_pos<T: Real>(m: &Model<T>, d: &mut Data<T>, h: T) {
    for tree in 0..m.sizes.ntree {
        // a sleeping tree must not change even by rounding
        if tree_sleeps(d, tree as i32) {
            continue;
        }
        let first = m.tree_dofadr[tree] as usize;
        let last = first + m.tree_dofnum[tree] as usize - 1;
        for jnt in m.dof_jntid[first] as usize..=m.dof_jntid[last] as usize {
            let dof = m.jnt_dofadr[jnt] as usize;
            integrate_joint(m, &mut d.qpos, &d.qvel[dof..], jnt, h);
        }
    }
}

/// Velocities that lead from positions `a` to `b` in one second: the inverse of [`integrate_pos`].
pub fn differentiate_pos<T: Real>(m: &Model<T>, a: &[T], b: &[T], out: &mut [T]) {
    for jnt in 0..m.sizes.njnt {
        let mut adr = m.jnt_qposadr[jnt] as usize;
        let mut dof = m.jnt_dofadr[jnt] as usize;
        let kind = m.jnt_type[jnt];
        if kind == joint::SLIDE || kind == joint::HINGE {
            out[dof] = b[adr] - a[adr];
            continue;
        }
        if kind == joint::FREE {
            for k in 0..3 {
                out[dof + k] = b[adr + k] - a[adr + k];
            }
            adr += 3;
            dof += 3;
        }
        let turn = quat_sub(quat_normalize(quat_at(b, adr)), quat_normalize(quat_at(a, adr)));
        out[dof..dof + 3].copy_from_slice(&turn.0);
    }
}

/// Position coordinates of one joint, integrated with its own velocities.
#[inline(always)]
pub fn integrate_joint<T: Real>(m: &Model<T>, qpos: &mut [T], qvel: &[T], jnt: usize, h: T) {
    let mut adr = m.jnt_qposadr[jnt] as usize;
    let mut dof = 0;
    let kind = m.jnt_type[jnt];
    if kind == joint::SLIDE || kind == joint::HINGE {
        qpos[adr] += h * qvel[dof];
        return;
    }
    if kind == joint::FREE {
        for k in 0..3 {
            qpos[adr + k] += h * qvel[dof + k];
        }
        adr += 3;
        dof += 3;
    }
    let next = quat_integrate(quat_at(qpos, adr), vec3_at(qvel, dof), h);
    qpos[adr..adr + 4].copy_from_slice(&next.0);
}
