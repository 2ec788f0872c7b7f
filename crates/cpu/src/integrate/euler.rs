//! Semi-implicit Euler: new velocities from the acceleration, new positions from the new velocities.
//!
//! Joint damping is implicit in velocity (MuJoCo documentation, Computation, "Numerical integration"): the inertia
//! grows by the time step times the derivative of the dampers.

use super::advance::advance;
use super::check_state::stays_behind;
use crate::smooth::factor_m::{factor_ld, solve_ld};
use crate::smooth::reflected_inertia::{damping_derivative, damping_of_dof};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::has_joint_damping;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::disable;

/// One step of one world; a diverged world is reset instead.
pub fn euler<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if stays_behind(m, d) {
        return;
    }
    // velocity increment
    let h = m.opt_timestep[0];
    if implicit_damping(m, d) {
        for i in 0..m.sizes.nv {
            d.qvel[i] += h * d.qacc_damped[i];
        }
    } else {
        for i in 0..m.sizes.nv {
            d.qvel[i] += h * d.qacc[i];
        }
    }
    advance(m, d);
}

/// Acceleration with joint damping implicit in velocity, in `qacc_damped`; false if the model has none.
fn implicit_damping<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    if m.disabled(disable::EULERDAMP) || m.disabled(disable::DAMPER) || !has_joint_damping(m) {
        return false;
    }
    let h = m.opt_timestep[0];
    d.qH.copy_from_slice(&d.M);
    for i in 0..m.sizes.nv {
        let derivative = damping_derivative(damping_of_dof(m, i), d.qvel[i]);
        d.qH[(m.M_rowadr[i] + m.M_rownnz[i]) as usize - 1] += h * derivative;
        d.qacc_damped[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
    }
    factor_ld(m, &mut d.qH, &mut d.qHDiagInv);
    solve_ld(m, &d.qH, &d.qHDiagInv, &mut d.qacc_damped);
    true
}
