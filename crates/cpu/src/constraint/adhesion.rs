//! Adhesive contacts: a constant force along the normal pulls two geoms together as soon as their contact is listed,
//! also across the gap (MuJoCo documentation, XML reference, `geom/adhesion`).
//!
//! The adhesion force is passive. By itself it would press the geoms into each other; the reference accelerations of
//! the contact's rows are therefore raised, so that they push back by just that force. Adhesion is then felt only
//! when the geoms are pulled apart.

use super::contact_side::{distance_jacobian, geom_bodies};
use crate::math::{dot, vec3};
use crate::smooth::jacobian::{jac_column, last_dof};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::constraint;

/// Adhesion force of a contact.
#[inline(always)]
pub fn adhesion_of<T: Real>(d: &Data<T>, con: usize) -> T {
    if d.contact_adhesion.is_empty() { T::ZERO } else { d.contact_adhesion[con] }
}

/// Adhesion force in one row: the whole force in the normal row of a cone, equal parts in the edges of a pyramid.
#[inline(always)]
pub fn row_adhesion<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> T {
    if d.contact_adhesion.is_empty() || d.efc_type[r] < constraint::CONTACT_FRICTIONLESS {
        return T::ZERO;
    }
    let con = d.efc_id[r] as usize;
    let pull = d.contact_adhesion[con];
    let dim = d.contact_dim[con];
    if m.has_elliptic_cones() {
        return if d.contact_efc_address[con] == r as i32 { pull } else { T::ZERO };
    }
    if dim > 1 { pull / T::of(f64::from(2 * (dim - 1))) } else { pull }
}

/// Joint-space force of all adhesive contacts; unchanged if the model has none.
pub fn adhesion_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if d.contact_adhesion.is_empty() {
        return;
    }
    d.qfrc_adhesion.fill(T::ZERO);
    for con in 0..d.ncon[0] as usize {
        if d.contact_adhesion[con] != T::ZERO {
            add_adhesion_force(m, d, con);
        }
    }
}

/// Force of an adhesive contact on the degrees of freedom that move one of its bodies and not the other.
fn add_adhesion_force<T: Real>(m: &Model<T>, d: &mut Data<T>, con: usize) {
    let Some(bodies) = geom_bodies(m, d, con) else { return add_side_forces(m, d, con) };
    let [mut i1, mut i2] = bodies.map(|body| last_dof(m, body));
    while i1 != i2 {
        let dof = i1.max(i2) as usize;
        let force = d.contact_adhesion[con] * approach_jacobian(m, d, con, dof, bodies);
        d.qfrc_adhesion[dof] += force;
        let chain = if i1 > i2 { &mut i1 } else { &mut i2 };
        *chain = m.dof_parentid[dof];
    }
}

/// Force of an adhesive contact with a flex on all degrees of freedom that move its sides.
fn add_side_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, con: usize) {
    let adhesion = d.contact_adhesion[con];
    let mut forces = std::mem::take(&mut d.qfrc_adhesion);
    distance_jacobian(m, d, con, |dof, rate| forces[dof] -= adhesion * rate);
    d.qfrc_adhesion = forces;
}

/// Approach velocity of a contact's two geoms for unit velocity of a degree of freedom.
fn approach_jacobian<T: Real>(m: &Model<T>, d: &Data<T>, con: usize, dof: usize, bodies: [usize; 2]) -> T {
    let [one, two] = bodies.map(|body| jac_column(m, d, dof, body, vec3(&d.contact_pos, con)).lin);
    dot(vec3(&d.contact_frame, 3 * con), one - two)
}
