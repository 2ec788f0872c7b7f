//! Acceleration without constraints: all forces but those of the constraints, through the factored inertia.

use super::factor_m::solve_ld;
use super::passive::subtree_end;
use crate::cpu::math::{cross, dot, spatial, vec3};
use crate::cpu::sleep::asleep::tree_sleeps;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;

/// Smooth forces and accelerations of all degrees of freedom.
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
        // nothing moves what sleeps
        d.qfrc_smooth[dof] = if tree_sleeps(d, m.dof_treeid[dof]) { T::ZERO } else { sum };
    }
    d.qacc_smooth.copy_from_slice(&d.qfrc_smooth);
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.qacc_smooth);
}

/// Force in one degree of freedom of what the caller applies to the bodies that it moves.
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
