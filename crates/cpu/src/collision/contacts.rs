//! Contacts that the narrow phase found, in slots: the deepest where slots end.

use super::contact_laws::{contact_kept, has_contact_laws, set_by_laws};
use super::contact_parameters::{ContactParameters, parameters};
use super::primitives::ContactPoint;
use crate::math::{make_frame_hint, set_mat3, set_vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::Candidate;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Writes the contacts of a candidate that fit into slots; returns their number, slots or not.
#[inline(always)]
pub(super) fn store_contacts<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    candidate: Candidate,
    margin: T,
    found: &[ContactPoint<T>],
) -> usize {
    if found.is_empty() {
        return 0;
    }
    let mut p = parameters(m, candidate);
    if has_contact_laws(m) {
        // each contact may have parameters of its own, or be dropped
        let mut kept = 0;
        for contact in found {
            if contact_kept(m, d, candidate, contact) {
                kept += 1;
                set_by_laws(m, d, candidate, contact, &mut p);
                store_contact(d, candidate, margin, &p, contact);
            }
        }
        return kept;
    }
    for contact in found {
        store_contact(d, candidate, margin, &p, contact);
    }
    found.len()
}

/// What touches in a contact, the first and the second: a geom, or an element or a vertex of a flex; -1 for none.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactParties {
    pub(super) geom: [i32; 2],
    pub(super) flex: [i32; 2],
    pub(super) elem: [i32; 2],
    pub(super) vert: [i32; 2],
}

impl ContactParties {
    /// Nothing.
    pub(super) const NONE: Self = Self { geom: [-1; 2], flex: [-1; 2], elem: [-1; 2], vert: [-1; 2] };
}

/// Writes a contact of a candidate if it fits into slots.
#[inline(always)]
pub(super) fn store_contact<T: Real>(
    d: &mut Data<T>,
    candidate: Candidate,
    margin: T,
    p: &ContactParameters<T>,
    contact: &ContactPoint<T>,
) {
    let parties = ContactParties { geom: [candidate.geom1, candidate.geom2], ..ContactParties::NONE };
    store_contact_of(d, &parties, margin, p, contact);
}

/// Writes a contact if it fits into slots.
#[inline(always)]
pub(super) fn store_contact_of<T: Real>(
    d: &mut Data<T>,
    parties: &ContactParties,
    margin: T,
    p: &ContactParameters<T>,
    contact: &ContactPoint<T>,
) {
    if let Some(slot) = free_slot(d, contact.dist) {
        write_contact(d, slot, parties, margin, p, contact);
    }
}

/// Slot for a contact at distance `dist`: the next one or, if all are taken, the last one after removal of the
/// shallowest contact; none if no contact is shallower.
fn free_slot<T: Real>(d: &mut Data<T>, dist: T) -> Option<usize> {
    let n = d.ncon[0] as usize;
    if n < d.sizes.nconmax {
        d.ncon[0] += 1;
        return Some(n);
    }
    if n == 0 {
        return None;
    }
    // the shallowest contact, the last of equals
    let mut worst = 0;
    for k in 1..n {
        if d.contact_dist[k] >= d.contact_dist[worst] {
            worst = k;
        }
    }
    if dist >= d.contact_dist[worst] {
        return None;
    }
    // later contacts move up
    for k in worst..n - 1 {
        move_contact(d, k + 1, k);
    }
    Some(n - 1)
}

/// Copies a contact to another slot.
pub(super) fn move_contact<T: Real>(d: &mut Data<T>, from: usize, to: usize) {
    d.contact_dist[to] = d.contact_dist[from];
    d.contact_includemargin[to] = d.contact_includemargin[from];
    d.contact_dim[to] = d.contact_dim[from];
    if !d.contact_adhesion.is_empty() {
        d.contact_adhesion[to] = d.contact_adhesion[from];
    }
    d.contact_pos.copy_within(3 * from..3 * from + 3, 3 * to);
    d.contact_frame.copy_within(9 * from..9 * from + 9, 9 * to);
    d.contact_friction.copy_within(5 * from..5 * from + 5, 5 * to);
    d.contact_solref.copy_within(2 * from..2 * from + 2, 2 * to);
    d.contact_solreffriction.copy_within(2 * from..2 * from + 2, 2 * to);
    d.contact_solimp.copy_within(5 * from..5 * from + 5, 5 * to);
    d.contact_geom.copy_within(2 * from..2 * from + 2, 2 * to);
    if !d.contact_flex.is_empty() {
        d.contact_flex.copy_within(2 * from..2 * from + 2, 2 * to);
        d.contact_elem.copy_within(2 * from..2 * from + 2, 2 * to);
        d.contact_vert.copy_within(2 * from..2 * from + 2, 2 * to);
    }
}

/// Writes one contact.
#[inline(always)]
fn write_contact<T: Real>(
    d: &mut Data<T>,
    slot: usize,
    parties: &ContactParties,
    margin: T,
    p: &ContactParameters<T>,
    found: &ContactPoint<T>,
) {
    d.contact_dist[slot] = found.dist;
    set_vec3(&mut d.contact_pos, slot, found.pos);
    let frame = make_frame_hint(found.normal, found.tangent);
    set_mat3(&mut d.contact_frame, slot, frame);
    d.contact_includemargin[slot] = margin;
    d.contact_dim[slot] = p.dim;
    d.contact_friction[5 * slot..5 * slot + 5].copy_from_slice(&p.friction);
    d.contact_solref[2 * slot..2 * slot + 2].copy_from_slice(&p.solref);
    d.contact_solreffriction[2 * slot..2 * slot + 2].copy_from_slice(&p.solreffriction);
    d.contact_solimp[5 * slot..5 * slot + 5].copy_from_slice(&p.solimp);
    if p.adhesion != T::ZERO && found.dist >= margin {
        // adhesion beyond the margin, without friction
        d.contact_dim[slot] = 1;
    }
    if !d.contact_adhesion.is_empty() {
        d.contact_adhesion[slot] = p.adhesion;
    }
    d.contact_geom[2 * slot..2 * slot + 2].copy_from_slice(&parties.geom);
    if !d.contact_flex.is_empty() {
        d.contact_flex[2 * slot..2 * slot + 2].copy_from_slice(&parties.flex);
        d.contact_elem[2 * slot..2 * slot + 2].copy_from_slice(&parties.elem);
        d.contact_vert[2 * slot..2 * slot + 2].copy_from_slice(&parties.vert);
    }
}
