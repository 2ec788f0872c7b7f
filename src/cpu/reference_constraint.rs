//! Velocity and reference acceleration of each constraint row: a spring-damper along the row (MuJoCo
//! documentation, Computation, "Reference acceleration").

use super::solve::row_dot;
use crate::data::Data;
use crate::model::Model;
use crate::real::Real;

/// Velocities and reference accelerations of all rows.
pub fn reference_constraint<T: Real>(_: &Model<T>, d: &mut Data<T>) {
    for r in 0..d.nefc[0] as usize {
        let vel = row_dot(d, r, &d.qvel);
        let k = &d.efc_KBIP[4 * r..4 * r + 4];
        let violation = d.efc_pos[r] - d.efc_margin[r];
        d.efc_vel[r] = vel;
        d.efc_aref[r] = -(k[1] * vel) - k[0] * k[2] * violation;
    }
}
