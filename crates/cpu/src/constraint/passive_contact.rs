//! Passive contacts of flexes: stiff springs along the normal in the place of constraints, without friction and damping. Only the
//! integrator `discrete` has them, which takes their stiffness at the end of the step (MuJoCo documentation, XML reference,
//! "flex/contact").

use super::contact_side::{Side, distance_jacobian, geom_body};
use crate::smooth::jacobian::last_dof;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Stiffness for each kilogram of the lightest vertex, 1/s², as in MuJoCo 3.17.
const STIFFNESS: f64 = 5e7;

/// True if a model has passive contacts.
pub fn has_passive<T: Real>(m: &Model<T>) -> bool {
    (0..m.sizes.nflex).any(|f| is_soft_to_touch(m, f))
}

/// True if the contacts of a flex are passive: not those of lines, nor of interpolated flexes.
fn is_soft_to_touch<T: Real>(m: &Model<T>, f: usize) -> bool {
    m.flex_passive[f] != 0 && m.flex_dim[f] > 1 && m.flex_interp[f] == 0
}

/// True if a contact is a spring: of a passive flex with another flex, or with a geom that does not move.
pub fn is_passive<T: Real>(m: &Model<T>, d: &Data<T>, con: usize) -> bool {
    if d.contact_flex.is_empty() {
        return false;
    }
    let flexes = [0, 1].map(|side| usize::try_from(d.contact_flex[2 * con + side]).ok());
    let is_fixed = |side: usize| geom_body(m, d, con, side).is_none_or(|body| last_dof(m, body) < 0);
    flexes.iter().flatten().any(|f| is_soft_to_touch(m, *f)) && is_fixed(0) && is_fixed(1)
}

/// Stiffness of the spring of a passive contact, N/m; zero where nothing overlaps.
pub fn passive_stiffness<T: Real>(m: &Model<T>, d: &Data<T>, con: usize) -> T {
    if d.contact_dist[con] >= T::ZERO {
        return T::ZERO;
    }
    // those of what touches, as far as they move
    let mut least = T::of(f64::INFINITY);
    for side in (0..2).filter(|side| d.contact_flex[2 * con + side] >= 0) {
        for &(body, _) in Side::of(m, d, con, side).bodies() {
            if last_dof(m, body) >= 0 {
                least = least.min(m.body_mass[body]);
            }
        }
    }
    if least.is_finite() { least * T::of(STIFFNESS) } else { T::ZERO }
}

/// Adds the forces of all passive contacts to `qfrc_spring`.
pub fn passive_contact_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if !has_passive(m) {
        return;
    }
    let mut spring = std::mem::take(&mut d.qfrc_spring);
    for con in (0..d.ncon[0] as usize).filter(|&con| is_passive(m, d, con)) {
        let force = -(passive_stiffness(m, d, con) * d.contact_dist[con]);
        distance_jacobian(m, d, con, |dof, rate| spring[dof] += force * rate);
    }
    d.qfrc_spring = spring;
}
