//! Contacts of the geom pairs that can collide.
//!
//! A bounding-sphere test, a closed form per pair of types (see [`super::primitives`]) or support functions
//! ([`super::convex`]), and the mixing of the two geoms' contact parameters (MuJoCo documentation, Modeling, "Contact
//! parameters"). Contacts are listed up to a distance of margin plus gap, and exert force up to the margin.

use std::ops::Range;

use super::box_box::box_box;
use super::contact_parameters::parameters;
use super::convex::convex_convex;
use super::height_field::{MAX_PRISMS, Prisms};
use super::pair::{Obb, closed_form, convex_shape, shape, spheres_apart};
use super::plane_mesh::plane_mesh;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::sweep_and_prune::sweep_and_prune;
use crate::math::{dot, length, make_frame_hint, mat_column, mat3, set_mat3, set_vec3, vec3, vec3_at};
use crate::sleep::asleep::{AWAKE, pair_sleeps, tree_sleeps, wake_tree};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::status;
use manyworlds_model::schema::enums::{disable, enable, geom};
use manyworlds_model::schema::shape_pairs::{Method, shape_pair};

/// All contacts, in candidate order; where slots end and the world may not grow, the deepest.
pub fn collision<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.ncon[0] = 0;
    if m.disabled(disable::CONSTRAINT) || m.disabled(disable::CONTACT) {
        return;
    }
    find_contacts(m, d);
    if !d.tree_asleep.is_empty() && wake_touched(m, d) {
        // the trees just woken need contacts too
        find_contacts(m, d);
    }
}

/// Contacts of all candidates, for which the world grows where it may.
fn find_contacts<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut wanted = list_contacts(m, d);
    if wanted > d.sizes.nconmax && d.grow(m, Capacity { nconmax: wanted, njmax: 0 }) {
        wanted = list_contacts(m, d);
    }
    // report an overflow
    if wanted > d.sizes.nconmax {
        d.status[0] |= status::CONTACT_OVERFLOW;
    }
    d.ncon_peak[0] = d.ncon_peak[0].max(wanted as i32);
}

/// Contacts of all candidates, in large models of those that the broad phase lists, as far as there are slots; returns
/// their number, slots or not.
fn list_contacts<T: Real>(m: &Model<T>, d: &mut Data<T>) -> usize {
    d.ncon[0] = 0;
    let mut wanted = 0;
    let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
    if m.sizes.nsap > 0 && !m.enabled(enable::OVERRIDE) {
        for k in 0..sweep_and_prune(m, d) {
            let group = d.candidate_near[k] as usize;
            let first = m.sapgroup_adr[group] as usize;
            wanted += collide_candidates(m, d, first..first + m.sapgroup_num[group] as usize, &mut found);
        }
    } else {
        wanted = collide_candidates(m, d, 0..m.sizes.ncandidate, &mut found);
    }
    wanted
}

/// Contacts of a range of candidates, skipping body pairs that are apart; returns the number of contacts, slots or
/// not.
fn collide_candidates<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    candidates: Range<usize>,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let mut wanted = 0;
    let mut body_pair =
        m.bodypair_adr.partition_point(|&adr| adr as usize <= candidates.start).saturating_sub(1);
    let mut next = candidates.start;
    while next < candidates.end && body_pair < m.sizes.nbodypair {
        let end = (m.bodypair_adr[body_pair] + m.bodypair_num[body_pair]) as usize;
        if !body_pair_apart(m, d, body_pair) {
            for candidate in next..end.min(candidates.end) {
                wanted += collide_candidate(m, d, candidate, found);
            }
        }
        next = end;
        body_pair += 1;
    }
    wanted
}

/// Wakes the trees in contact with an awake tree or a mocap body; returns true if there are any.
fn wake_touched<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    let mut woken = false;
    for con in 0..d.ncon[0] as usize {
        let bodies = [0, 1].map(|k| m.geom_bodyid[d.contact_geom[2 * con + k] as usize] as usize);
        let trees = bodies.map(|b| m.body_treeid[b]);
        for (tree, other) in [(trees[0], trees[1]), (trees[1], trees[0])] {
            if tree_sleeps(d, tree) && !tree_sleeps(d, other) {
                // its sleep counter is taken over
                let value = usize::try_from(other).map_or(AWAKE, |t| d.tree_asleep[t]);
                wake_tree(d, tree, value);
                woken = true;
            }
        }
    }
    woken
}

/// Contacts of one candidate; returns their number, slots or not.
fn collide_candidate<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    candidate: usize,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let g1 = m.candidate_geom1[candidate] as usize;
    let g2 = m.candidate_geom2[candidate] as usize;
    let (margin, gap) = margin_gap(m, candidate, g1, g2);
    if spheres_apart(m, d, g1, g2, margin + gap) {
        return 0;
    }
    if !d.tree_asleep.is_empty() && pair_sleeps(m, d, [g1, g2].map(|g| m.geom_bodyid[g] as usize)) {
        return 0;
    }
    if m.geom_type[g1] != geom::HFIELD {
        let n = collide_geoms(m, d, g1, g2, margin + gap, found);
        return store_contacts(m, d, candidate, margin, &found[..n]);
    }
    // one contact with each prism under the geom
    let other = convex_shape(m, d, g2);
    let field = m.geom_dataid[g1] as usize;
    let Some(prisms) = Prisms::under(m, field, shape(m, d, g1), &other, margin + gap) else {
        return 0;
    };
    let mut wanted = 0;
    for k in 0..prisms.count() {
        let Some(prism) = prisms.get(k) else { continue };
        let n = convex_convex(&prism, &other, margin + gap, false, found);
        wanted += store_contacts(m, d, candidate, margin, &found[..n]);
        if wanted == MAX_PRISMS {
            break;
        }
    }
    wanted
}

/// True if the bounding volumes of a body pair are separated, so that none of its candidates can collide.
#[inline(always)]
fn body_pair_apart<T: Real>(m: &Model<T>, d: &Data<T>, body_pair: usize) -> bool {
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
    boxes[0].is_apart(&boxes[1], T::of(16.0) * T::EPSILON * size.sqrt())
}

/// Writes the contacts of a candidate that fit into slots; returns their number, slots or not.
fn store_contacts<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    candidate: usize,
    margin: T,
    found: &[ContactPoint<T>],
) -> usize {
    for contact in found {
        if let Some(slot) = free_slot(d, contact.dist) {
            write_contact(m, d, slot, candidate, margin, contact);
        }
    }
    found.len()
}

/// Margin and gap of a candidate: those of the explicit pair, or the sums over the two geoms.
#[inline(always)]
fn margin_gap<T: Real>(m: &Model<T>, candidate: usize, g1: usize, g2: usize) -> (T, T) {
    let pair = m.candidate_pair[candidate];
    let (mut margin, gap) = if pair >= 0 {
        (m.pair_margin[pair as usize], m.pair_gap[pair as usize])
    } else {
        (m.geom_margin[g1] + m.geom_margin[g2], m.geom_gap[g1] + m.geom_gap[g2])
    };
    if m.enabled(enable::OVERRIDE) {
        margin = m.opt_o_margin[0];
    }
    (margin, gap)
}

/// Contacts of one candidate nearer than `margin`; returns their number.
fn collide_geoms<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    g1: usize,
    g2: usize,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let (a, b) = (shape(m, d, g1), shape(m, d, g2));
    let kinds = (m.geom_type[g1], m.geom_type[g2]);
    if let Some(n) = closed_form(kinds, &a, &b, margin, found) {
        return n;
    }
    match shape_pair(kinds).map(|pair| pair.method) {
        Some(Method::BoxBox) => box_box(&a, &b, margin, found),
        Some(Method::PlaneMesh) => plane_mesh(&a, &convex_shape(m, d, g2), margin, found),
        Some(Method::Convex) => {
            if Obb::around(m, d, g1).is_apart(&Obb::around(m, d, g2), margin) {
                return 0;
            }
            let multiple =
                !m.disabled(disable::MULTICCD) && has_face_or_edge(kinds.0) && has_face_or_edge(kinds.1);
            convex_convex(&convex_shape(m, d, g1), &convex_shape(m, d, g2), margin, multiple, found)
        }
        _ => 0,
    }
}

/// True for types with a face or edge to rest on.
fn has_face_or_edge(kind: i32) -> bool {
    [geom::CAPSULE, geom::CYLINDER, geom::BOX, geom::MESH].contains(&kind)
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
fn move_contact<T: Real>(d: &mut Data<T>, from: usize, to: usize) {
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
}

/// Writes one contact.
fn write_contact<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    slot: usize,
    candidate: usize,
    margin: T,
    found: &ContactPoint<T>,
) {
    let p = parameters(m, candidate);
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
    d.contact_geom[2 * slot] = m.candidate_geom1[candidate];
    d.contact_geom[2 * slot + 1] = m.candidate_geom2[candidate];
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::math::random::Random;
    use crate::{Precision, position};
    use manyworlds_model::model::capacity::max_capacity;
    use manyworlds_model::model::data::Capacity;

    /// Bodies of several geoms of all types above static ones.
    fn yard() -> Model<f64> {
        let shapes: String = ["sphere", "capsule", "ellipsoid", "cylinder", "box"]
            .iter()
            .enumerate()
            .map(|(k, kind)| {
                format!(
                    "<geom type='{kind}' size='.1 .08 .06' pos='{} .1 0' euler='{k}0 50 2{k}' margin='.0{k}'/>",
                    0.2 * k as f64
                )
            })
            .chain(["<geom type='mesh' mesh='wedge' pos='1 .1 0' euler='20 0 70'/>".to_owned()])
            .collect();
        let body = |x: f64| format!("<body pos='{x} 0 .3'><freejoint/>{shapes}</body>");
        manyworlds_mjcf::load_str(&format!(
            "<mujoco><asset><mesh name='wedge' vertex='0 0 0 .3 0 0 0 .1 0 0 0 .1 .3 .1 0'/></asset>
            <worldbody><geom type='plane' size='1 1 1'/>{shapes}{}{}</worldbody></mujoco>",
            body(0.0),
            body(0.5)
        ))
        .unwrap()
    }

    /// Asserts that two models have the same contacts at random poses of the free bodies; returns their number.
    fn same_contacts<T: Precision>(
        m: &Model<T>,
        all: &Model<T>,
        room: Capacity,
        spread: f64,
        mut each: impl FnMut(&Data<T>),
    ) -> usize {
        let mut random = Random(7);
        let mut contacts = 0;
        for _ in 0..300 {
            let mut d = Data::new(m, room);
            for q in d.qpos.chunks_mut(7) {
                q[..3].copy_from_slice(&random.vector().0.map(|x| T::of(spread * x)));
                q[3..].copy_from_slice(&random.quat().0.map(T::of));
            }
            let mut every = d.clone();
            position(m, &mut d);
            position(all, &mut every);
            let n = d.ncon[0] as usize;
            assert_eq!(d.ncon, every.ncon);
            assert_eq!(d.contact_geom[..2 * n], every.contact_geom[..2 * n]);
            assert!(d.contact_dist[..n] == every.contact_dist[..n], "distances differ");
            contacts += n;
            each(&d);
        }
        contacts
    }

    #[test]
    fn what_is_left_out_has_no_contacts() {
        let m = yard();
        assert!(m.bodypair_body.iter().any(|b| *b >= 0), "no runs");
        // the same without body pairs, and with bounding boxes of all geoms that always overlap
        let mut all = m.clone();
        (all.sizes.nbodypair, all.bodypair_adr, all.bodypair_body) = (1, vec![0], vec![-1; 2]);
        all.bodypair_num = vec![m.sizes.ncandidate as i32];
        for aabb in all.geom_aabb.chunks_mut(6) {
            aabb[3..].fill(100.0);
        }
        let mut left_out = 0;
        let contacts = same_contacts(&m, &all, max_capacity(&m), 0.8, |d| {
            left_out += (0..m.sizes.nbodypair).filter(|&s| body_pair_apart(&m, d, s)).count();
        });
        assert!(contacts > 1000 && left_out > 1000, "{contacts} {left_out}");
        let single = same_contacts(&m.cast::<f32>(), &all.cast::<f32>(), max_capacity(&m), 0.8, |_| {});
        assert!(single > 1000, "{single}");
        // boxes reject pairs that spheres do not
        let mut spheres = m.clone();
        for bounds in spheres.bodypair_aabb.chunks_mut(6) {
            bounds[3..].fill(100.0);
        }
        let mut more = 0;
        same_contacts(&m, &all, max_capacity(&m), 0.8, |d| {
            more += (0..m.sizes.nbodypair)
                .filter(|&s| body_pair_apart(&m, d, s) && !body_pair_apart(&spheres, d, s))
                .count();
        });
        assert!(more > 300, "{more}");
    }

    /// Many bodies among static ones, with a plane, an excluded pair and an explicit one.
    fn crowd() -> Model<f64> {
        let kinds = ["sphere", "capsule", "ellipsoid", "cylinder", "box"];
        let geom = |k: usize, x: f64| {
            format!(
                "<geom name='g{k}{x}' type='{}' size='.1 .08 .06' pos='{x} .1 0' margin='.01'/>",
                kinds[k % 5]
            )
        };
        let fixed: String = (0..6).map(|k| geom(k, 0.3 * k as f64)).collect();
        let bodies: String = (0..40)
            .map(|k| {
                format!("<body name='b{k}'><freejoint/>{}{}</body>", geom(10 + k, 0.0), geom(60 + k, 0.15))
            })
            .collect();
        manyworlds_mjcf::load_str(&format!(
            "<mujoco><worldbody><geom type='plane' size='1 1 1'/>{fixed}{bodies}</worldbody>
            <contact><exclude body1='b1' body2='b2'/><pair geom1='g130' geom2='g140' margin='.3'/></contact></mujoco>"
        ))
        .unwrap()
    }

    #[test]
    fn the_sweep_leaves_out_no_contacts() {
        let m = crowd();
        assert!(m.sizes.nsap > 40, "no sweep_and_prune");
        let mut all = m.clone();
        all.sizes.nsap = 0;
        let contacts = same_contacts(&m, &all, max_capacity(&m), 0.6, |_| {});
        let single = same_contacts(&m.cast::<f32>(), &all.cast::<f32>(), max_capacity(&m), 0.6, |_| {});
        assert!(contacts > 10_000 && single > 10_000, "{contacts} {single}");
    }
}
