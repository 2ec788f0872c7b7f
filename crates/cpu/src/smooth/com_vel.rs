//! Spatial velocities of bodies and rates of the motion axes, about the tree's centre of mass.
//!
//! Root to leaves (RBDA §5.3): each joint adds its velocity, which also rotates the axes of the joints after it.

use crate::math::{Spatial, motion_cross, set_spatial, spatial};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_simple_slider;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::joint;
use manyworlds_model::schema::stages::Stage;

/// `cvel` and `cdof_dot`.
#[inline(always)]
pub fn com_vel<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    set_spatial(&mut d.cvel, 0, Spatial::ZERO);
    for k in 0..runs(m, d, Stage::com_vel) {
        for body in run_at(m, d, k).bodies_but_world() {
            body_velocity(m, d, body);
        }
    }
}

/// Velocity of one body and the rates of its joints' motion axes.
#[inline(always)]
fn body_velocity<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let mut vel = spatial(&d.cvel, m.body_parentid[body] as usize);
    if is_simple_slider(m, body) {
        // nothing turns its axes
        let first = m.body_dofadr[body] as usize;
        for i in first..first + m.body_dofnum[body] as usize {
            set_spatial(&mut d.cdof_dot, i, Spatial::ZERO);
            vel += spatial(&d.cdof, i) * d.qvel[i];
        }
        return set_spatial(&mut d.cvel, body, vel);
    }
    for j in 0..m.body_jntnum[body] as usize {
        let jnt = m.body_jntadr[body] as usize + j;
        let mut dof = m.jnt_dofadr[jnt] as usize;
        let kind = m.jnt_type[jnt];
        // the translational axes of a free joint are global and do not rotate
        if kind == joint::FREE {
            for i in dof..dof + 3 {
                set_spatial(&mut d.cdof_dot, i, Spatial::ZERO);
                vel += spatial(&d.cdof, i) * d.qvel[i];
            }
            dof += 3;
        }
        // all axes of a joint rotate with the frame that precedes it
        let count = if kind == joint::FREE || kind == joint::BALL { 3 } else { 1 };
        for i in dof..dof + count {
            let rate = motion_cross(vel, spatial(&d.cdof, i));
            set_spatial(&mut d.cdof_dot, i, rate);
        }
        for i in dof..dof + count {
            vel += spatial(&d.cdof, i) * d.qvel[i];
        }
    }
    set_spatial(&mut d.cvel, body, vel);
}
