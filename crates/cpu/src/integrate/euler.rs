//! Semi-implicit Euler: new velocities from the acceleration, new positions from the new velocities.
//!
//! Joint damping is implicit in velocity (MuJoCo documentation, Computation, "Numerical integration"): the inertia
//! grows by the time step times the derivative of the dampers.

use super::advance::{advance, advance_velocity};
use super::check_state::stays_behind;
use super::implicit::solve_damped;
use crate::smooth::reflected_inertia::{damping_derivative, damping_of_dof};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::has_joint_damping;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::disable;

/// One step of one world; a diverged world is reset instead.
#[inline(always)]
pub fn euler<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if stays_behind(m, d) {
        return;
    }
    let damped = implicit_damping(m, d);
    let acceleration = if damped { &d.qacc_damped } else { &d.qacc };
    advance_velocity(&mut d.qvel, acceleration, m.opt_timestep[0]);
    advance(m, d);
}

/// True if the model has joint damping, as was found before if the world knows its model.
#[inline(always)]
fn has_damping<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    match &mut d.kept {
        Some(kept) => *kept.has_joint_damping.get_or_insert_with(|| has_joint_damping(m)),
        None => has_joint_damping(m),
    }
}

/// Acceleration with joint damping implicit in velocity, in `qacc_damped`; false if the model has none.
#[inline(always)]
fn implicit_damping<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    // the metric of the integrator discrete has the damping
    if m.is_discrete() || m.disabled(disable::EULERDAMP) || m.disabled(disable::DAMPER) || !has_damping(m, d)
    {
        return false;
    }
    let h = m.opt_timestep[0];
    d.qH.copy_from_slice(&d.M);
    for i in 0..m.sizes.nv {
        let derivative = damping_derivative(damping_of_dof(m, i), d.qvel[i]);
        d.qH[(m.M_rowadr[i] + m.M_rownnz[i]) as usize - 1] += h * derivative;
        d.qacc_damped[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
    }
    solve_damped(m, d);
    true
}
