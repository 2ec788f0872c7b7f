//! Velocity and reference acceleration of each constraint row: a spring-damper along the row (MuJoCo
//! documentation, Computation, "Reference acceleration").

use super::adhesion::row_adhesion;
use super::equality;
use super::surface_velocity::add_surface_velocity;
use crate::solver::metric::softening;
use crate::solver::rows::mul_all_jac;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// `efc_vel = J qvel`, and `efc_aref`.
pub fn reference_constraint<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nefc = d.nefc[0] as usize;
    let mut vel = std::mem::take(&mut d.efc_vel);
    mul_all_jac(d, &d.qvel, &mut vel);
    d.efc_vel = vel;
    for con in 0..d.ncon[0] as usize {
        add_surface_velocity(m, d, con);
    }
    for r in 0..nefc {
        set_reference(m, d, r);
    }
    // connect and weld: the term J_dot qvel
    let mut r = 0;
    while r < d.ne[0] as usize {
        let eq = d.efc_id[r] as usize;
        let count = equality::row_count(m, eq);
        if equality::is_connect_or_weld(m, eq) {
            let mut before = [T::ZERO; 6];
            before[..count].copy_from_slice(&d.efc_aref[r..r + count]);
            equality::subtract_jac_dot_qvel(m, d, eq, r);
            if m.is_discrete() {
                // as in the reference, softer too
                for k in 0..count {
                    let change = d.efc_aref[r + k] - before[k];
                    d.efc_aref[r + k] = before[k] + change / softening(m, d, r + k);
                }
            }
        }
        r += count;
    }
}

/// Reference acceleration of one row. `R` times the adhesion force is added, so that the row pushes harder by just
/// that force.
fn set_reference<T: Real>(m: &Model<T>, d: &mut Data<T>, r: usize) {
    let k = &d.efc_KBIP[4 * r..4 * r + 4];
    let violation = d.efc_pos[r] - d.efc_margin[r];
    if m.is_discrete() {
        // at the end of the step
        let spring = k[0] * k[2];
        let late = m.opt_timestep[0] * spring * d.efc_vel[r];
        let pull = k[1] * d.efc_vel[r] + spring * violation + late;
        d.efc_aref[r] = -pull / softening(m, d, r) + row_adhesion(m, d, r) * d.efc_R[r];
        return;
    }
    d.efc_aref[r] = -(k[1] * d.efc_vel[r]) - k[0] * k[2] * violation + row_adhesion(m, d, r) * d.efc_R[r];
}
