//! Narrow phase: contacts of a candidate.

use super::box_box::box_box;
use super::contact_parameters::margin_gap;
use super::contacts::store_contacts;
use super::convex::{convex_contacts, convex_convex, has_face_or_edge, known_apart};
use super::field_contacts::{field_field, hfield_field, mesh_field};
use super::height_field::{MAX_PRISMS, prisms_under};
use super::pair::{closed_form, convex_shape, geoms_apart, geoms_apart_along, shape, spheres_apart};
use super::plane_mesh::plane_mesh;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use crate::math::{Vec3, vec3};
use crate::sleep::asleep::pair_sleeps;
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::{Apart, Candidate};
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{disable, geom};
use manyworlds_model::schema::shape_pairs::{Method, shape_pair};

/// Where the contacts of a candidate go: into slots of the world, or into a list.
pub(super) trait Sink<T: Real> {
    /// The world.
    fn world(&self) -> &Data<T>;

    /// Takes contacts of a candidate; returns their number, slots or not.
    fn take(&mut self, m: &Model<T>, candidate: Candidate, margin: T, found: &[ContactPoint<T>]) -> usize;

    /// True if one of the candidate's contacts, which are the last ones, is at `pos`.
    fn has(&self, candidate: Candidate, pos: Vec3<T>) -> bool;
}

impl<T: Real> Sink<T> for Data<T> {
    #[inline(always)]
    fn world(&self) -> &Data<T> {
        self
    }

    #[inline(always)]
    fn take(&mut self, m: &Model<T>, candidate: Candidate, margin: T, found: &[ContactPoint<T>]) -> usize {
        store_contacts(m, self, candidate, margin, found)
    }

    fn has(&self, candidate: Candidate, pos: Vec3<T>) -> bool {
        let pair = [candidate.geom1, candidate.geom2];
        let last = (0..self.ncon[0] as usize).rev();
        let mut own = last.take_while(|k| self.contact_geom[2 * k..2 * k + 2] == pair);
        own.any(|k| vec3(&self.contact_pos, k) == pos)
    }
}

/// Contacts of one candidate; returns their number, slots or not. Most candidates end at their bounding spheres, within the
/// loop over them.
#[inline(always)]
pub(super) fn collide_candidate<T: Real>(
    m: &Model<T>,
    sink: &mut impl Sink<T>,
    candidate: Candidate,
    apart: &mut Apart,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let (g1, g2) = (candidate.geom1 as usize, candidate.geom2 as usize);
    let (margin, gap) = margin_gap(m, candidate);
    let d = sink.world();
    if spheres_apart(m, d, g1, g2, margin + gap) {
        return 0;
    }
    if !d.tree_asleep.is_empty() && pair_sleeps(m, d, [g1, g2].map(|g| m.geom_bodyid[g] as usize)) {
        return 0;
    }
    collide_near(m, sink, candidate, (margin, gap), apart, found)
}

/// Contacts of a candidate whose bounding spheres meet.
#[inline(never)]
fn collide_near<T: Real>(
    m: &Model<T>,
    sink: &mut impl Sink<T>,
    candidate: Candidate,
    (margin, gap): (T, T),
    apart: &mut Apart,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let (g1, g2) = (candidate.geom1 as usize, candidate.geom2 as usize);
    if m.geom_type[g2] == geom::SDF && m.geom_type[g1] != geom::PLANE {
        return collide_fields(m, sink, candidate, margin);
    }
    let d = sink.world();
    if m.geom_type[g1] != geom::HFIELD {
        let n = collide_geoms(m, d, (g1, g2), margin + gap, apart, found);
        return sink.take(m, candidate, margin, &found[..n]);
    }
    // one contact with each prism under the geom
    let other = convex_shape(m, d, g2);
    let field = m.geom_dataid[g1] as usize;
    let Some(prisms) = prisms_under(m, field, shape(m, d, g1), &other, margin + gap) else {
        return 0;
    };
    let mut wanted = 0;
    for k in 0..prisms.count() {
        let Some(prism) = prisms.make_prism(k) else { continue };
        let n = convex_convex(&prism, &other, margin + gap, false, found);
        wanted += sink.take(m, candidate, margin, &found[..n]);
        if wanted == MAX_PRISMS {
            break;
        }
    }
    wanted
}

/// Contacts of a candidate with a signed distance field, whatever the margin only where geoms overlap.
fn collide_fields<T: Real>(m: &Model<T>, sink: &mut impl Sink<T>, candidate: Candidate, margin: T) -> usize {
    let (g1, g2) = (candidate.geom1 as usize, candidate.geom2 as usize);
    let d = sink.world();
    let (a, b, convex) = (shape(m, d, g1), shape(m, d, g2), convex_shape(m, d, g2));
    let mut wanted = 0;
    let each = |contact: ContactPoint<T>| {
        // starts that end at the same point are one contact
        if !sink.has(candidate, contact.pos) {
            wanted += sink.take(m, candidate, margin, &[contact]);
        }
    };
    match m.geom_type[g1] {
        geom::HFIELD => hfield_field(m, (g1, &a), (g2, &convex), each),
        geom::MESH => mesh_field(m, (g1, &a), (g2, &b), each),
        _ => field_field(m, (g1, &a), (g2, &b), each),
    }
    wanted
}

/// Contacts of one candidate nearer than `margin`; returns their number.
fn collide_geoms<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    (g1, g2): (usize, usize),
    margin: T,
    apart: &mut Apart,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    // what kept them apart in the last step
    if apart.face.is_some_and(|k| geoms_apart_along(m, d, (g1, g2), usize::from(k), margin)) {
        return 0;
    }
    let kinds = (m.geom_type[g1], m.geom_type[g2]);
    let method = shape_pair(kinds).map(|pair| pair.method);
    if method == Some(Method::Convex) {
        return collide_by_support(m, d, (g1, g2), margin, apart, found);
    }
    // closed forms that take longer than a test of bounding boxes
    if kinds == (geom::CAPSULE, geom::BOX) {
        apart.face = geoms_apart(m, d, (g1, g2), margin);
        if apart.face.is_some() {
            return 0;
        }
    }
    let (a, b) = (shape(m, d, g1), shape(m, d, g2));
    match method {
        Some(Method::ClosedForm) => closed_form(kinds, &a, &b, margin, found).unwrap_or(0),
        Some(Method::BoxBox) => box_box(&a, &b, margin, &mut apart.face, found),
        Some(Method::PlaneMesh) => plane_mesh(&a, &convex_shape(m, d, g2), margin, found),
        _ => 0,
    }
}

/// Contacts of one candidate by support functions.
fn collide_by_support<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    (g1, g2): (usize, usize),
    margin: T,
    apart: &mut Apart,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let (a, b) = (convex_shape(m, d, g1), convex_shape(m, d, g2));
    if known_apart(&a, &b, apart, margin) {
        return 0;
    }
    apart.face = geoms_apart(m, d, (g1, g2), margin);
    if apart.face.is_some() {
        return 0;
    }
    let multiple = !m.disabled(disable::MULTICCD) && has_face_or_edge(a.kind) && has_face_or_edge(b.kind);
    let mut axis = Vec3::ZERO;
    let n = convex_contacts(&a, &b, margin, multiple, &mut axis, found);
    apart.axis = (axis * a.shape.mat).0.map(|x| x.f64() as f32);
    n
}
