//! Force of a contact from those of its constraint rows.

use super::adhesion::adhesion_of;
use crate::cpu::math::{Spatial, vec3};
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::cone;

/// Force of a contact in its own frame: along the normal and both tangents (`lin`), and the torque about them (`ang`).
/// That of the first geom on the second; zero where the contact has no rows.
pub fn contact_force<T: Real>(m: &Model<T>, d: &Data<T>, con: usize) -> Spatial<T> {
    let Ok(adr) = usize::try_from(d.contact_efc_address[con]) else {
        return Spatial::ZERO;
    };
    let mut force = [T::ZERO; 6];
    let dim = d.contact_dim[con] as usize;
    // rows are the force itself, or the edges of a pyramid
    if dim == 1 || m.opt_cone[0] == cone::ELLIPTIC {
        force[..dim].copy_from_slice(&d.efc_force[adr..adr + dim]);
    } else {
        // each edge is the normal plus or minus friction times a tangent
        for k in 1..dim {
            let (plus, minus) = (d.efc_force[adr + 2 * k - 2], d.efc_force[adr + 2 * k - 1]);
            force[0] += plus + minus;
            force[k] = (plus - minus) * d.contact_friction[5 * con + k - 1];
        }
    }
    force[0] -= adhesion_of(d, con);
    Spatial::new(vec3(&force, 1), vec3(&force, 0))
}
