//! Contacts that hold together: a constant force along the normal pulls two geoms at each other as soon as their contact is
//! listed, also across the gap (MuJoCo documentation, XML reference, `geom/adhesion`).
//!
//! The pull is a passive force. By itself it would press the geoms into each other; the reference accelerations of the
//! contact's rows are therefore raised by what makes them push back as much. It is then felt only by what parts the geoms.

use crate::cpu::math::{dot, vec3};
use crate::cpu::smooth::jacobian::jac_column;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::cone;
use crate::schema::enums::constraint;

/// Force that a contact holds together with.
#[inline(always)]
pub fn adhesion_of<T: Real>(d: &Data<T>, con: usize) -> T {
    if d.contact_adhesion.is_empty() { T::ZERO } else { d.contact_adhesion[con] }
}

/// What a row pushes more for the pull of its contact: all of it in a normal, equal parts of it in the edges of a pyramid.
#[inline(always)]
pub fn row_adhesion<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> T {
    if d.contact_adhesion.is_empty() || d.efc_type[r] < constraint::CONTACT_FRICTIONLESS {
        return T::ZERO;
    }
    let con = d.efc_id[r] as usize;
    let pull = d.contact_adhesion[con];
    let dim = d.contact_dim[con];
    if m.opt_cone[0] == cone::ELLIPTIC {
        return if d.contact_efc_address[con] == r as i32 { pull } else { T::ZERO };
    }
    if dim > 1 { pull / T::of(f64::from(2 * (dim - 1))) } else { pull }
}

/// Forces of all contacts that hold together, on all degrees of freedom; unchanged where none can.
pub fn adhesion_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if d.contact_adhesion.is_empty() {
        return;
    }
    for dof in 0..m.sizes.nv {
        let mut sum = T::ZERO;
        for con in 0..d.ncon[0] as usize {
            if d.contact_adhesion[con] != T::ZERO {
                sum += d.contact_adhesion[con] * approach_jacobian(m, d, con, dof);
            }
        }
        d.qfrc_adhesion[dof] = sum;
    }
}

/// How fast a degree of freedom at unit velocity brings the two geoms of a contact together.
fn approach_jacobian<T: Real>(m: &Model<T>, d: &Data<T>, con: usize, dof: usize) -> T {
    let [one, two] = [0, 1].map(|side| {
        let body = m.geom_bodyid[d.contact_geom[2 * con + side] as usize] as usize;
        jac_column(m, d, dof, body, vec3(&d.contact_pos, con)).lin
    });
    dot(vec3(&d.contact_frame, 3 * con), one - two)
}
