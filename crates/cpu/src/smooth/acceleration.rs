//! Unconstrained acceleration, by the factored inertia matrix.

use super::applied_force::applied_force;
use super::factor_m::solve_ld_within;
use crate::sleep::asleep::tree_sleeps;
use crate::sleep::kept::{run_at, runs};
use crate::solver::metric::{enter, leave, set_metric};
use crate::solver::metric_solve::solve_metric;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::stages::Stage;

/// `qacc_smooth = M^-1 qfrc_smooth`, where `qfrc_smooth` = passive - bias + applied + actuator forces; in the metric of
/// the integrator `discrete`.
#[inline(always)]
pub fn acceleration<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let has_xfrc = d.xfrc_applied[6..].iter().fold(false, |any, x| any | (*x != T::ZERO));
    for k in 0..runs(m, d, Stage::acceleration) {
        let dofs = run_at(m, d, k).dofs();
        for dof in dofs.clone() {
            let mut sum = d.qfrc_passive[dof] - d.qfrc_bias[dof];
            sum += d.qfrc_applied[dof] + d.qfrc_actuator[dof];
            if has_xfrc {
                sum += applied_force(m, d, dof);
            }
            // sleeping trees feel no force
            d.qfrc_smooth[dof] = if tree_sleeps(d, m.dof_treeid[dof]) { T::ZERO } else { sum };
        }
        if !m.is_discrete() {
            d.qacc_smooth[dofs.clone()].copy_from_slice(&d.qfrc_smooth[dofs.clone()]);
            solve_ld_within(m, &d.qLD, &d.qLDiagInv, &mut d.qacc_smooth, dofs);
        }
    }
    if m.is_discrete() {
        set_metric(m, d);
        enter(m, d);
        let mut x = std::mem::take(&mut d.qacc_smooth);
        x.copy_from_slice(&d.qfrc_smooth);
        solve_metric(m, d, &mut x);
        d.qacc_smooth = x;
        leave(d);
    } else if d.metric.is_some() {
        d.metric = None;
    }
}
