//! Contact forces from constraint rows.

use super::adhesion::adhesion_of;
use crate::math::{Spatial, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Force of the first geom on the second in the contact frame: along the normal and both tangents (`lin`), and the
/// torque about them (`ang`); zero if the contact has no rows.
pub fn contact_force<T: Real>(m: &Model<T>, d: &Data<T>, con: usize) -> Spatial<T> {
    let Ok(adr) = usize::try_from(d.contact_efc_address[con]) else {
        return Spatial::ZERO;
    };
    let mut force = [T::ZERO; 6];
    let dim = d.contact_dim[con] as usize;
    // a row is one component of the force, or a pyramid edge
    if dim == 1 || m.has_elliptic_cones() {
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
