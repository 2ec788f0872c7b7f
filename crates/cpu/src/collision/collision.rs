//! Contacts of the geom pairs that can collide.
//!
//! A bounding-sphere test, a closed form per pair of types (see [`super::primitives`]) or support functions
//! ([`super::convex`]), and the mixing of the two geoms' contact parameters (MuJoCo documentation, Modeling, "Contact
//! parameters"). Contacts are listed up to a distance of margin plus gap, and exert force up to the margin.

use super::broad_phase::list_contacts;
use crate::constraint::contact_side::Side;
use crate::sleep::asleep::{AWAKE, tree_sleeps, wake_tree};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{disable, status};

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

/// Wakes the trees in contact with an awake tree or a mocap body; returns true if there are any.
fn wake_touched<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    let mut woken = false;
    for con in 0..d.ncon[0] as usize {
        let sides = [0, 1].map(|side| Side::of(m, d, con, side));
        for (one, two) in pairs_of(&sides) {
            let trees = [one, two].map(|body| m.body_treeid[body]);
            for (tree, other) in [(trees[0], trees[1]), (trees[1], trees[0])] {
                if tree_sleeps(d, tree) && !tree_sleeps(d, other) {
                    // its sleep counter is taken over
                    let value = usize::try_from(other).map_or(AWAKE, |t| d.tree_asleep[t]);
                    wake_tree(d, tree, value);
                    woken = true;
                }
            }
        }
    }
    woken
}

/// Bodies of one side of a contact with those of the other.
fn pairs_of<T: Real>(sides: &[Side<T>; 2]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let [one, two] = sides.each_ref().map(Side::bodies);
    one.iter().flat_map(move |a| two.iter().map(move |b| (a.0, b.0)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::collision::broad_phase::body_pair_apart;
    use crate::math::normalize3;
    use crate::math::random::Random;
    use crate::{Precision, position};
    use manyworlds_model::model::candidates::Apart;
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

    #[test]
    fn near_pairs_are_those_of_each_step() {
        let m = crowd();
        let mut all = m.clone();
        all.sizes.nsap = 0;
        let mut random = Random(3);
        let mut d = Data::new(&m, max_capacity(&m));
        for q in d.qpos.chunks_mut(7) {
            q[..3].copy_from_slice(&random.vector().0.map(|x| 0.4 * x));
        }
        // small moves, a teleport, a geom that grows, and a position that is lost
        let (mut lists, mut contacts, mut m, mut last) = (0, 0, m, Vec::new());
        for k in 0..200 {
            let far = if k % 50 == 49 { 1.0 } else { 0.001 };
            for q in d.qpos.chunks_mut(7) {
                random.vector().0.iter().zip(q).for_each(|(x, q)| *q += far * x);
            }
            if k == 120 {
                for model in [&mut m, &mut all] {
                    model.geom_size[3 * 10..3 * 10 + 3].fill(0.3);
                    model.geom_rbound[10] = 0.6;
                    model.geom_aabb[6 * 10 + 3..6 * 10 + 6].fill(0.6);
                }
            }
            if k == 150 {
                d.qpos[14] = f64::NAN;
            }
            let mut every = Data::new(&all, max_capacity(&all));
            every.qpos.clone_from(&d.qpos);
            position(&m, &mut d);
            position(&all, &mut every);
            let n = d.ncon[0] as usize;
            assert_eq!(d.ncon, every.ncon, "step {k}");
            assert_eq!(d.contact_geom[..2 * n], every.contact_geom[..2 * n], "step {k}");
            let bits = |d: &Data| d.contact_dist[..n].iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&d), bits(&every), "step {k}");
            contacts += n;
            let placed = d.near_pairs.as_ref().unwrap().placed.clone();
            lists += usize::from(placed != last);
            last = placed;
            if k == 150 {
                d.qpos[14] = 0.1;
            }
        }
        assert!(contacts > 10_000, "{contacts} contacts");
        assert!((7..100).contains(&lists), "{lists} lists in 200 steps");
    }

    /// What is known of pairs that were apart, and how long lists are held, changes no bit: beside a world that keeps both, one
    /// that forgets, and one that remembers what never was.
    fn what_is_kept_changes_nothing<T: Precision>(m: &Model<T>, room: Capacity) {
        let mut random = Random(11);
        let mut worlds = [0, 1, 2].map(|_| Data::new(m, room));
        let (mut axes, mut faces, mut contacts) = (0, 0, 0);
        for step in 0..400 {
            if step % 100 == 0 {
                // another throw
                let qpos: Vec<f64> = (0..m.sizes.nq / 7)
                    .flat_map(|_| random.vector().0.map(|x| 0.5 * x).into_iter().chain(random.quat().0))
                    .collect();
                let qvel: Vec<f64> = (0..m.sizes.nv / 3).flat_map(|_| random.vector().0).collect();
                for d in &mut worlds {
                    d.qpos.iter_mut().zip(&qpos).for_each(|(q, x)| *q = T::of(*x));
                    d.qvel.iter_mut().zip(&qvel).for_each(|(v, x)| *v = T::of(*x));
                }
            }
            for (k, d) in worlds.iter_mut().enumerate() {
                let near = d.near_pairs.as_mut().unwrap();
                for apart in &mut near.apart {
                    match k {
                        0 => {}
                        1 => *apart = Apart::default(),
                        _ => {
                            let axis = normalize3(random.vector()).0.map(|x| x as f32);
                            let face = (random.vector()[0] > 0.0).then_some((step % 6) as u8);
                            *apart = Apart { axis, face };
                        }
                    }
                }
                near.share = if k == 2 { T::of(0.01) } else { near.share };
                crate::step(m, d);
            }
            let [kept, forgot, wrong] = &worlds;
            assert!(kept == forgot && kept == wrong, "step {step}");
            let near = kept.near_pairs.as_ref().unwrap();
            axes += near.apart.iter().filter(|apart| apart.axis != [0.0; 3]).count();
            faces += near.apart.iter().filter(|apart| apart.face.is_some()).count();
            contacts += kept.ncon[0];
        }
        assert!(axes > 300 && faces > 30 && contacts > 1000, "{axes} {faces} {contacts}");
    }

    #[test]
    fn contacts_do_not_depend_on_what_is_kept() {
        let m = yard();
        assert!(m.sizes.nsap > 0, "no sweep_and_prune");
        what_is_kept_changes_nothing(&m, max_capacity(&m));
        what_is_kept_changes_nothing(&m.cast::<f32>(), max_capacity(&m));
    }

    /// More pairs than a model lists: spheres in a row, each touching the next and every tenth the floor.
    #[test]
    fn pairs_that_are_not_listed_collide_in_order() {
        const COUNT: usize = 1500;
        let height = |k: usize| if k.is_multiple_of(10) { 0.09 } else { 0.3 };
        let bodies: String = (0..COUNT)
            .map(|k| {
                let y = if k.is_multiple_of(10) { 0.0 } else { 1.0 };
                format!(
                    "<body name='b{k}' pos='{} {y} {}'><freejoint/><geom name='g{k}' size='.1'/></body>",
                    0.19 * k as f64,
                    height(k)
                )
            })
            .collect();
        let m: Model = manyworlds_mjcf::load_str(&format!(
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/>{bodies}</worldbody><contact>
            <exclude body1='b11' body2='b12'/><pair geom1='g3' geom2='g2' condim='1'/><pair geom1='g0' geom2='g900' margin='900'/>
            </contact></mujoco>"
        ))
        .unwrap();
        assert!(!m.lists_all_candidates());
        assert_eq!((m.sizes.ncandidate, m.sizes.nsaprest, m.sizes.nbodypair), (COUNT + 2, COUNT + 2, 0));
        let mut d = Data::new(&m, Capacity::NONE);
        d.capacity_limit = max_capacity(&m);
        position(&m, &mut d);
        // by bodies: the floor, and between bodies the next, with the explicit pair of two that are far apart
        let mut expected: Vec<[i32; 2]> = (0..COUNT as i32).step_by(10).map(|k| [0, k + 1]).collect();
        for k in 0..COUNT as i32 {
            if k == 0 {
                expected.push([1, 901]);
            }
            if k % 10 != 0 && k % 10 != 9 && k != 11 {
                expected.push([k + 1, k + 2]);
            }
        }
        let n = d.ncon[0] as usize;
        let found: Vec<[i32; 2]> =
            d.contact_geom[..2 * n].chunks(2).map(|g| [g[0].min(g[1]), g[0].max(g[1])]).collect();
        assert_eq!(found, expected);
        let dims: Vec<usize> = (0..n).filter(|c| d.contact_dim[*c] == 1).collect();
        assert_eq!(dims.iter().map(|c| found[*c]).collect::<Vec<_>>(), [[3, 4]]);
        assert_eq!(Model::from_mwb(&m.to_mwb()).unwrap(), m);
    }
}
