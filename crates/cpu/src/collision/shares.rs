//! Narrow phase of a large world on several threads: each finds the contacts of a share of the candidates. They get their
//! slots when all are found, in the order of the candidates, so that all bits are those of one thread.

use rayon::prelude::*;
use web_time::Instant;

use super::contact_laws::has_contact_laws;
use super::contact_parameters::parameters;
use super::contacts::store_contact;
use super::narrow_phase::{Sink, collide_candidate};
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::sweep_and_prune::is_apart;
use crate::math::Vec3;
use crate::threads::pays;
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::{Candidate, FoundContact, NearPairs};
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Shares of each thread: candidates that touch take longer than others, and lie together.
const SHARES_PER_THREAD: usize = 4;

/// A share of the candidates: the world, which nobody changes meanwhile, and what was found.
struct Share<'a, T: Real> {
    d: &'a Data<T>,
    found: &'a mut Vec<FoundContact<T>>,
}

impl<T: Real> Sink<T> for Share<'_, T> {
    #[inline(always)]
    fn world(&self) -> &Data<T> {
        self.d
    }

    fn take(&mut self, _: &Model<T>, candidate: Candidate, margin: T, found: &[ContactPoint<T>]) -> usize {
        self.found.extend(found.iter().map(|contact| {
            let &ContactPoint { dist, pos: Vec3(pos), normal: Vec3(normal), tangent: Vec3(tangent) } =
                contact;
            FoundContact { candidate, margin, dist, pos, normal, tangent }
        }));
        found.len()
    }

    /// Contacts at the same place are left out when they get their slots.
    fn has(&self, _: Candidate, _: Vec3<T>) -> bool {
        false
    }
}

/// Contacts of the candidates that are near; returns their number, slots or not. Threads share them where that pays, and
/// where no law of contacts uses memory of the world.
pub(super) fn collide_all<T: Real>(m: &Model<T>, d: &mut Data<T>, near: &mut NearPairs<T>) -> usize {
    if d.threads <= 1 {
        return collide_alone(m, d, near);
    }
    if pays(near.busy) && !has_contact_laws(m) {
        return collide_shared(m, d, near);
    }
    let begin = Instant::now();
    let wanted = collide_alone(m, d, near);
    near.busy = begin.elapsed();
    wanted
}

/// Contacts of the candidates that are near, one by one.
fn collide_alone<T: Real>(m: &Model<T>, d: &mut Data<T>, near: &mut NearPairs<T>) -> usize {
    let mut points = [ContactPoint::none(); MAX_PAIR_CONTACTS];
    let mut wanted = 0;
    for (&candidate, apart) in near.candidates.iter().zip(&mut near.apart) {
        if !is_apart(&near.boxes, candidate) {
            wanted += collide_candidate(m, d, candidate, apart, &mut points);
        }
    }
    wanted
}

/// Contacts of the candidates that are near, found by share.
fn collide_shared<T: Real>(m: &Model<T>, d: &mut Data<T>, near: &mut NearPairs<T>) -> usize {
    let NearPairs { candidates, apart, boxes, shares, busy, .. } = near;
    let (world, boxes) = (&*d, &*boxes);
    let count = d.threads * SHARES_PER_THREAD;
    if shares.len() < count {
        shares.resize_with(count, Vec::new);
    }
    shares.iter_mut().for_each(Vec::clear);
    let length = candidates.len().div_ceil(count).max(1);
    let parts = candidates.par_chunks(length).zip(apart.par_chunks_mut(length));
    *busy = shares
        .par_iter_mut()
        .zip(parts)
        .map(|(found, (part, apart))| {
            let begin = Instant::now();
            let mut share = Share { d: world, found };
            let mut points = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            for (&candidate, apart) in part.iter().zip(apart) {
                if !is_apart(boxes, candidate) {
                    collide_candidate(m, &mut share, candidate, apart, &mut points);
                }
            }
            begin.elapsed()
        })
        .sum();
    shares.iter().map(|found| store_found(m, d, found)).sum()
}

/// Gives contacts without laws their slots; returns their number, slots or not.
fn store_found<T: Real>(m: &Model<T>, d: &mut Data<T>, found: &[FoundContact<T>]) -> usize {
    let mut wanted = 0;
    for of_candidate in found.chunk_by(|one, next| one.candidate == next.candidate) {
        let candidate = of_candidate[0].candidate;
        let [one, two] = [candidate.geom1, candidate.geom2].map(|g| m.geom_type[g as usize]);
        // starts of a search may end at the same point
        let is_of_field = two == geom::SDF && one != geom::PLANE;
        let p = parameters(m, candidate);
        for one in of_candidate {
            let [pos, normal, tangent] = [one.pos, one.normal, one.tangent].map(Vec3);
            if !(is_of_field && d.has(candidate, pos)) {
                let contact = ContactPoint { dist: one.dist, pos, normal, tangent };
                store_contact(d, candidate, one.margin, &p, &contact);
                wanted += 1;
            }
        }
    }
    wanted
}
