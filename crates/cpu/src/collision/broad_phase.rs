//! Broad phase: candidates whose bounding volumes overlap. The schedule differs from that of kernels, whose lanes test
//! contiguous shares of the candidates: here large models are swept, and what is near collides at once.

use super::flex_contacts::{collide_body, collide_flexes};
use super::flex_tree::forget_boxes;
use super::narrow_phase::collide_candidate;
use super::pair::Obb;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::shares::collide_all;
use super::sweep_and_prune::{is_apart, sweep_and_prune};
use crate::math::{dot, length, mat_column, mat3, vec3, vec3_at};
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::{Apart, Candidate, NearPairs};
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{enable, geom};

/// Contacts of all candidates, in large models of those that the broad phase lists, as far as there are slots; returns
/// their number, slots or not.
pub(super) fn list_contacts<T: Real>(m: &Model<T>, d: &mut Data<T>) -> usize {
    d.ncon[0] = 0;
    if m.sizes.nsap > 0 {
        let mut near = d.near_pairs.take().unwrap_or_default();
        sweep_and_prune(m, d, &mut near);
        let wanted = if m.sizes.nflex > 0 {
            let NearPairs { candidates, apart, boxes, .. } = &mut *near;
            let pairs = candidates.iter().zip(apart).map(|(candidate, apart)| (*candidate, Some(apart)));
            collide_with_flexes(m, d, pairs.filter(|(c, _)| !is_apart(boxes, *c)))
        } else {
            collide_all(m, d, &mut near)
        };
        d.near_pairs = Some(near);
        return wanted;
    }
    if m.sizes.nflex > 0 {
        // the candidates of body pairs that are apart have no contacts
        return collide_with_flexes(m, d, (0..m.sizes.ncandidate).map(|k| (m.candidate(k), None)));
    }
    let mut wanted = 0;
    let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
    for body_pair in 0..m.sizes.nbodypair {
        if !body_pair_apart(m, d, body_pair) {
            let first = m.bodypair_adr[body_pair] as usize;
            for k in first..first + m.bodypair_num[body_pair] as usize {
                wanted += collide_candidate(m, d, m.candidate(k), &mut Apart::default(), &mut found);
            }
        }
    }
    wanted
}

/// Contacts of candidates, and of flexes: those with the geoms of a body stand behind the candidates of which it is the lower
/// one, and those between flexes at the end. Beside a candidate stands what is known of it.
fn collide_with_flexes<'a, T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    candidates: impl Iterator<Item = (Candidate, Option<&'a mut Apart>)>,
) -> usize {
    forget_boxes(m, d);
    let (mut wanted, mut next) = (0, 0);
    let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
    for (candidate, apart) in candidates {
        let bodies = [candidate.geom1, candidate.geom2].map(|g| m.geom_bodyid[g as usize] as usize);
        while next < bodies[0].min(bodies[1]) {
            wanted += collide_body(m, d, next);
            next += 1;
        }
        let mut nothing = Apart::default();
        wanted += collide_candidate(m, d, candidate, apart.unwrap_or(&mut nothing), &mut found);
    }
    wanted += (next..m.sizes.nbody).map(|body| collide_body(m, d, body)).sum::<usize>();
    wanted + collide_flexes(m, d)
}

/// True if the bounding volumes of a body pair are separated, so that none of its candidates can collide.
#[inline(always)]
pub(super) fn body_pair_apart<T: Real>(m: &Model<T>, d: &Data<T>, body_pair: usize) -> bool {
    let bodies = [m.bodypair_body[2 * body_pair], m.bodypair_body[2 * body_pair + 1]];
    if bodies[0] < 0 || bodies[1] < 0 || m.enabled(enable::OVERRIDE) {
        return false;
    }
    let place = |k: usize| (vec3(&d.xpos, bodies[k] as usize), mat3(&d.xmat, bodies[k] as usize));
    let centre = |k: usize| {
        let (pos, mat) = place(k);
        pos + mat * vec3_at(&m.bodypair_sphere, 8 * body_pair + 4 * k)
    };
    let reach = m.bodypair_sphere[8 * body_pair + 3] + m.bodypair_sphere[8 * body_pair + 7];
    let two = centre(1);
    let alone = usize::try_from(m.bodypair_geom[body_pair]).ok();
    // slack for rounding: body bounds and geom poses are computed in different order
    if let Some(plane) = alone.filter(|g| m.geom_type[*g] == geom::PLANE) {
        let height = dot(two - vec3(&d.geom_xpos, plane), mat_column(mat3(&d.geom_xmat, plane), 2));
        return height > reach + T::of(8.0) * T::EPSILON * (length(two) + height.abs());
    }
    let one = alone.map_or_else(|| centre(0), |g| vec3(&d.geom_xpos, g));
    let apart = two - one;
    let size = dot(one, one) + dot(two, two);
    if dot(apart, apart) > reach * reach + T::of(16.0) * T::EPSILON * size {
        return true;
    }
    // the bounding boxes likewise
    let first = alone.map_or_else(|| place(0), |g| (vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g)));
    let all = &m.bodypair_aabb[12 * body_pair..12 * body_pair + 12];
    let boxes = [Obb::new(first, &all[..6]), Obb::new(place(1), &all[6..])];
    boxes[0].boxes_apart(&boxes[1], T::of(16.0) * T::EPSILON * size.sqrt())
}
