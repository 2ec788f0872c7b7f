//! Laws of contacts: which are kept, and their parameters, by formulas of a geom. Kernels have them as functions that
//! `crates/gpu/src/codegen/task/contacts.rs` writes.

use super::contact_parameters::{ContactParameters, MIN_FRICTION};
use super::primitives::ContactPoint;
use crate::task::evaluate;
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::Candidate;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::task::{CONTACT_ARGUMENTS, ContactLaw, ContactPart};
use manyworlds_model::real::Real;

/// The laws of a model's contacts.
fn laws<T: Real>(m: &Model<T>) -> &[ContactLaw] {
    m.formulas.as_ref().map_or(&[], |formulas| formulas.contact_laws())
}

/// True if contacts have laws.
pub(super) fn has_contact_laws<T: Real>(m: &Model<T>) -> bool {
    !laws(m).is_empty()
}

/// What a formula of a geom sees of a contact: distance, position, normal away from the geom, and the other geom.
fn arguments<T: Real>(
    candidate: Candidate,
    geom: usize,
    contact: &ContactPoint<T>,
) -> [T; CONTACT_ARGUMENTS] {
    let is_first = candidate.geom1 as usize == geom;
    let away = if is_first { contact.normal } else { -contact.normal };
    let other = if is_first { candidate.geom2 } else { candidate.geom1 };
    let pos = contact.pos;
    [contact.dist, pos[0], pos[1], pos[2], away[0], away[1], away[2], T::of(f64::from(other))]
}

/// Values of a law for a contact; none if the law is of other geoms.
fn values<'a, T: Real>(
    m: &Model<T>,
    d: &'a mut Data<T>,
    k: usize,
    candidate: Candidate,
    contact: &ContactPoint<T>,
) -> Option<&'a [T]> {
    let (program, law) = (m.formulas.as_ref()?, laws(m).get(k)?);
    if candidate.geom1 as usize != law.geom && candidate.geom2 as usize != law.geom {
        return None;
    }
    Some(evaluate::contact_law(program, k, &arguments(candidate, law.geom, contact), m, d))
}

/// True unless a law of one of its geoms drops a contact.
pub(super) fn contact_kept<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    candidate: Candidate,
    contact: &ContactPoint<T>,
) -> bool {
    for k in 0..laws(m).len() {
        let is_condition = laws(m)[k].part == ContactPart::Keep;
        if is_condition && values(m, d, k, candidate, contact).is_some_and(|keep| keep[0] == T::ZERO) {
            return false;
        }
    }
    true
}

/// Parameters of a contact by the laws of its geoms, in the order of the laws.
pub(super) fn set_by_laws<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    candidate: Candidate,
    contact: &ContactPoint<T>,
    p: &mut ContactParameters<T>,
) {
    for (k, law) in laws(m).iter().enumerate() {
        let to: &mut [T] = match law.part {
            ContactPart::Keep => continue,
            ContactPart::Friction => &mut p.friction,
            ContactPart::Solref => &mut p.solref,
            ContactPart::Solimp => &mut p.solimp,
        };
        let Some(values) = values(m, d, k, candidate, contact) else { continue };
        for (element, value) in law.elements.iter().zip(values) {
            to[*element] = match law.part {
                ContactPart::Friction => value.max(T::of(MIN_FRICTION)),
                _ => *value,
            };
        }
    }
}
