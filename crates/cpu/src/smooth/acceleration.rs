//! Unconstrained acceleration, by the factored inertia matrix.

use super::applied_force::applied_force;
use super::factor_m::solve_ld;
use crate::sleep::asleep::tree_sleeps;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

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
