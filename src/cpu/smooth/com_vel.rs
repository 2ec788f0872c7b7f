//! Velocities of bodies about their tree's centre of mass, and rates of the motion axes.
//!
//! Root to leaf (RBDA §5.3): each joint adds its motion, and turns the axes of the joints after it.

use crate::cpu::math::{Spatial, motion_cross, set_spatial, spatial};
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::joint;

/// Body velocities and rates of the motion axes.
pub fn com_vel<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    set_spatial(&mut d.cvel, 0, Spatial::ZERO);
    for level in 1..m.sizes.nlevel {
        let adr = m.level_adr[level] as usize;
        for k in adr..adr + m.level_num[level] as usize {
            body_velocity(m, d, m.level_body[k] as usize);
        }
    }
}

/// Velocity of one body and rates of its joints' axes.
fn body_velocity<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let mut vel = spatial(&d.cvel, m.body_parentid[body] as usize);
    for j in 0..m.body_jntnum[body] as usize {
        let jnt = m.body_jntadr[body] as usize + j;
        let mut dof = m.jnt_dofadr[jnt] as usize;
        let kind = m.jnt_type[jnt];
        // translation of a free joint: the global axes do not turn
        if kind == joint::FREE {
            for i in dof..dof + 3 {
                set_spatial(&mut d.cdof_dot, i, Spatial::ZERO);
                vel += spatial(&d.cdof, i) * d.qvel[i];
            }
            dof += 3;
        }
        // all axes of one joint turn with the frame before it
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
