//! Velocity and reference acceleration of each constraint row: a spring-damper along the row (MuJoCo
//! documentation, Computation, "Reference acceleration").

use super::equality;
use super::solve::mul_rows;
use crate::data::Data;
use crate::model::Model;
use crate::real::Real;

/// Velocities and reference accelerations of all rows.
pub fn reference_constraint<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut r = 0;
    while r < d.nefc[0] as usize {
        let (vel, count) = mul_rows(d, r, &d.qvel);
        for k in 0..count {
            set_reference(d, r + k, vel[k]);
        }
        r += count;
    }
    // what is held together moves apart while no joint accelerates
    let mut r = 0;
    while r < d.ne[0] as usize {
        let eq = d.efc_id[r] as usize;
        let count = equality::rows(m, eq);
        if equality::holds_bodies(m, eq) {
            let drift = equality::drift(m, d, eq);
            for k in 0..count {
                d.efc_aref[r + k] -= drift[k];
            }
        }
        r += count;
    }
}

/// Velocity and reference acceleration of one row.
fn set_reference<T: Real>(d: &mut Data<T>, r: usize, vel: T) {
    let k = &d.efc_KBIP[4 * r..4 * r + 4];
    let violation = d.efc_pos[r] - d.efc_margin[r];
    d.efc_vel[r] = vel;
    d.efc_aref[r] = -(k[1] * vel) - k[0] * k[2] * violation;
}
