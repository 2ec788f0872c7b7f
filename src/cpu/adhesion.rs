//! Contacts that hold together: a constant force along the normal pulls two geoms at each other as soon as their contact is
//! listed, also across the gap (MuJoCo documentation, XML reference, `geom/adhesion`).
//!
//! The pull is a passive force. By itself it would press the geoms into each other; the reference accelerations of the
//! contact's rows are therefore raised by what makes them push back as much. It is then felt only by what parts the geoms.

use super::make_constraint::row;
use super::math::{add, cross, dot, sub, vec3};
use super::passive::subtree_end;
use crate::data::Data;
use crate::model::{Model, cone};
use crate::real::Real;

/// Force that a contact holds together with.
#[inline(always)]
pub fn adhesion_of<T: Real>(d: &Data<T>, con: usize) -> T {
    if d.contact_adhesion.is_empty() { T::ZERO } else { d.contact_adhesion[con] }
}

/// What a row pushes more for the pull of its contact: all of it in a normal, equal parts of it in the edges of a pyramid.
#[inline(always)]
pub fn adhesive_share<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> T {
    if d.contact_adhesion.is_empty() || d.efc_type[r] < row::CONTACT_FRICTIONLESS {
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
                sum += d.contact_adhesion[con] * closing_rate(m, d, con, dof);
            }
        }
        d.qfrc_adhesion[dof] = sum;
    }
}

/// How fast a degree of freedom at unit velocity brings the two geoms of a contact together.
fn closing_rate<T: Real>(m: &Model<T>, d: &Data<T>, con: usize, dof: usize) -> T {
    let c = &d.cdof[6 * dof..6 * dof + 6];
    let (rot, lin) = ([c[0], c[1], c[2]], [c[3], c[4], c[5]]);
    let top = m.dof_bodyid[dof] as usize;
    let end = subtree_end(m, top);
    let normal = vec3(&d.contact_frame, 3 * con);
    let mut rate = T::ZERO;
    for side in 0..2 {
        let body = m.geom_bodyid[d.contact_geom[2 * con + side] as usize] as usize;
        if body < top || body >= end {
            continue;
        }
        let root = m.body_rootid[body] as usize;
        let offset = sub(vec3(&d.contact_pos, con), vec3(&d.subtree_com, root));
        let speed = dot(normal, add(lin, cross(rot, offset)));
        rate = if side == 0 { rate + speed } else { rate - speed };
    }
    rate
}
