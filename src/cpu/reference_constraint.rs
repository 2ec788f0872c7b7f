//! Velocity and reference acceleration of each constraint row: a spring-damper along the row (MuJoCo
//! documentation, Computation, "Reference acceleration").

use crate::data::Data;
use crate::model::Model;
use crate::real::Real;

/// Velocities and reference accelerations of all rows.
pub fn reference_constraint<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nv = m.sizes.nv;
    for r in 0..d.nefc[0] as usize {
        let row = &d.efc_J[r * nv..(r + 1) * nv];
        let mut vel = T::ZERO;
        for i in 0..nv {
            vel += row[i] * d.qvel[i];
        }
        let k = &d.efc_KBIP[4 * r..4 * r + 4];
        let violation = d.efc_pos[r] - d.efc_margin[r];
        d.efc_vel[r] = vel;
        d.efc_aref[r] = -(k[1] * vel) - k[0] * k[2] * violation;
    }
}
