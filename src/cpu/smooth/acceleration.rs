//! Unconstrained acceleration, by the factored inertia matrix.

use super::factor_m::solve_ld;
use super::passive::subtree_end;
use crate::cpu::math::{cross, dot, spatial, vec3};
use crate::cpu::sleep::asleep::tree_sleeps;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;

/// `qacc_smooth = M^-1 qfrc_smooth`, where `qfrc_smooth` = passive - bias + applied + actuator forces.
pub fn acceleration<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut has_xfrc = false;
    for k in 6..d.xfrc_applied.len() {
        has_xfrc = has_xfrc || d.xfrc_applied[k] != T::ZERO;
    }
    for dof in 0..m.sizes.nv {
        let mut sum = d.qfrc_passive[dof] - d.qfrc_bias[dof];
        sum += d.qfrc_applied[dof] + d.qfrc_actuator[dof];
        if has_xfrc {
            sum += applied_force(m, d, dof);
        }
        // sleeping trees feel no force
        d.qfrc_smooth[dof] = if tree_sleeps(d, m.dof_treeid[dof]) { T::ZERO } else { sum };
    }
    d.qacc_smooth.copy_from_slice(&d.qfrc_smooth);
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.qacc_smooth);
}

/// Joint-space force of the wrenches applied to all bodies that a degree of freedom moves.
pub fn applied_force<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize) -> T {
    let axis = spatial(&d.cdof, dof);
    let top = m.dof_bodyid[dof] as usize;
    let com = vec3(&d.subtree_com, m.body_rootid[top] as usize);
    let mut sum = T::ZERO;
    for body in top..subtree_end(m, top) {
        let (force, torque) = (vec3(&d.xfrc_applied, 2 * body), vec3(&d.xfrc_applied, 2 * body + 1));
        let vel = axis.lin + cross(axis.ang, vec3(&d.xipos, body) - com);
        sum += dot(vel, force) + dot(axis.ang, torque);
    }
    sum
}
