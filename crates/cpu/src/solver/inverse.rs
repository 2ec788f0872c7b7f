//! Inverse dynamics: the generalised force for a given acceleration (MuJoCo documentation, Computation, "Inverse
//! dynamics").
//!
//! The cost of the constraints is convex and its minimiser is given here, so that the force of each row follows from
//! the acceleration alone, without a solver. `qacc` is an input; with the flag `invdiscrete` it is the change of
//! velocity in a time step, and is converted to the continuous-time acceleration.

use super::metric::{enter, leave, mul_metric, scale_rows, set_metric};
use super::rows::{add_jac_row, residuals};
use crate::constraint::constraint_cost::constraint_update;
use crate::integrate::implicit::{add_turning_forces, mul_implicit};
use crate::smooth::factor_m::{mul_m, solve_ld};
use crate::smooth::reflected_inertia::{damping_derivative, damping_of_dof};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::schedule;
use manyworlds_model::real::Real;
use manyworlds_model::schema::Need;
use manyworlds_model::schema::enums::{disable, enable};

/// `qfrc_inverse` and the constraint forces at `qacc`.
pub fn inverse<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let s = m.sizes;
    d.hold(Need::Inverse);
    d.inverse_qacc.copy_from_slice(&d.qacc);
    if m.enabled(enable::INVDISCRETE) && !m.is_discrete() {
        continuous_acceleration(m, d);
    }
    if m.is_discrete() {
        return inverse_discrete(m, d);
    }
    inv_constraint(m, d);
    mul_m(m, &d.M, &d.inverse_qacc, &mut d.qfrc_inverse);
    for i in 0..s.nv {
        d.qfrc_inverse[i] += d.qfrc_bias[i] - d.qfrc_passive[i] - d.qfrc_constraint[i];
    }
}

/// `qfrc_inverse` where the acceleration is the change of velocity in a step of the integrator `discrete`: in its metric, with the
/// forces at the end of the step.
fn inverse_discrete<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    set_metric(m, d);
    enter(m, d);
    scale_rows(m, d);
    inv_constraint(m, d);
    let mut force = std::mem::take(&mut d.qfrc_inverse);
    mul_metric(m, d, &d.inverse_qacc, &mut force);
    d.qfrc_inverse = force;
    leave(d);
    let late = d.metric.as_ref().map(|metric| &metric.force);
    for i in 0..m.sizes.nv {
        let late = late.map_or(T::ZERO, |force| force[i]);
        d.qfrc_inverse[i] += d.qfrc_bias[i] - d.qfrc_passive[i] - d.qfrc_constraint[i] - late;
    }
    add_turning_forces(m, d);
}

/// Converts the discrete-time `qacc` of the integrator to the continuous-time acceleration.
fn continuous_acceleration<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if schedule::is_implicit(m) {
        let mut product = std::mem::take(&mut d.inverse_qacc);
        let acceleration = std::mem::take(&mut d.qacc);
        mul_implicit(m, d, &acceleration, &mut product);
        solve_ld(m, &d.qLD, &d.qLDiagInv, &mut product);
        (d.inverse_qacc, d.qacc) = (product, acceleration);
        return;
    }
    if m.disabled(disable::EULERDAMP) || m.disabled(disable::DAMPER) {
        return;
    }
    let h = m.opt_timestep[0];
    mul_m(m, &d.M, &d.qacc, &mut d.inverse_qacc);
    for i in 0..m.sizes.nv {
        d.inverse_qacc[i] += h * damping_derivative(damping_of_dof(m, i), d.qvel[i]) * d.qacc[i];
    }
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.inverse_qacc);
}

/// Forces of all rows, and the joint-space constraint force.
fn inv_constraint<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nefc = d.nefc[0] as usize;
    // residuals first: the rows of a cone are coupled
    let mut residual = std::mem::take(&mut d.solver_Jv);
    residuals(d, &d.inverse_qacc, &mut residual);
    d.solver_Jv = residual;
    constraint_update(m, d);
    d.qfrc_constraint.fill(T::ZERO);
    for r in 0..nefc {
        let f = d.efc_force[r];
        if f != T::ZERO {
            let mut sum = std::mem::take(&mut d.qfrc_constraint);
            add_jac_row(d, r, f, &mut sum);
            d.qfrc_constraint = sum;
        }
    }
}
