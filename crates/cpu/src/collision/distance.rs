//! Signed distance of two geoms and the closest points.
//!
//! Pairs with closed-form contacts have their distance from the deepest contact. For all other convex shapes it is
//! minus the minimum of their support function ([`super::convex`]).

use super::convex::{GeomDistance, convex_distance};
use super::field_contacts::{field_field, mesh_field};
use super::pair::{closed_form, convex_shape, shape, spheres_apart};
use super::plane_mesh::plane_mesh;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS, Shape};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;
use manyworlds_model::schema::shape_pairs::{Method, shape_pair};

/// Signed distance of two geoms and their closest points; none if it is not below `most`, and for two planes. For
/// overlapping geoms it is minus the penetration depth.
pub fn geom_distance<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    geom1: usize,
    geom2: usize,
    most: T,
) -> Option<GeomDistance<T>> {
    // lower geom type first
    let swapped = m.geom_type[geom1] > m.geom_type[geom2];
    let (g1, g2) = if swapped { (geom2, geom1) } else { (geom1, geom2) };
    if spheres_apart(m, d, g1, g2, most) {
        return None;
    }
    let kinds = (m.geom_type[g1], m.geom_type[g2]);
    let (a, b) = (shape(m, d, g1), shape(m, d, g2));
    let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
    // closed forms need a non-negative margin to report penetration
    let gap = match closed_form(kinds, &a, &b, most.max(T::ZERO), &mut found) {
        Some(n) => deepest(&found[..n]),
        None => match shape_pair(kinds).map(|pair| pair.method) {
            Some(Method::PlaneMesh) => {
                let n = plane_mesh(&a, &convex_shape(m, d, g2), most.max(T::ZERO), &mut found);
                deepest(&found[..n])
            }
            Some(Method::Field) => deepest_overlap(m, (g1, &a), (g2, &b)),
            Some(Method::BoxBox | Method::Convex) => {
                convex_distance(&convex_shape(m, d, g1), &convex_shape(m, d, g2), most)
            }
            _ => None,
        },
    };
    let gap = gap.filter(|gap| gap.dist < most)?;
    Some(if swapped {
        GeomDistance { dist: gap.dist, normal: -gap.normal, from: gap.to, to: gap.from }
    } else {
        gap
    })
}

/// Deepest contact of a signed distance field: none where geoms do not overlap.
fn deepest_overlap<T: Real>(
    m: &Model<T>,
    one: (usize, &Shape<T>),
    two: (usize, &Shape<T>),
) -> Option<GeomDistance<T>> {
    let mut best: Option<ContactPoint<T>> = None;
    let each = |contact: ContactPoint<T>| {
        if best.is_none_or(|best| contact.dist < best.dist) {
            best = Some(contact);
        }
    };
    if m.geom_type[one.0] == geom::MESH {
        mesh_field(m, one, two, each)
    } else {
        field_field(m, one, two, each)
    }
    deepest(&[best?])
}

/// Deepest contact, the first of equals, as points on both surfaces.
fn deepest<T: Real>(found: &[ContactPoint<T>]) -> Option<GeomDistance<T>> {
    let best = found.iter().copied().reduce(|best, next| if next.dist < best.dist { next } else { best })?;
    let half = best.dist * T::of(0.5);
    Some(GeomDistance {
        dist: best.dist,
        normal: best.normal,
        from: best.pos - best.normal * half,
        to: best.pos + best.normal * half,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::math::random::Random;
    use crate::math::{Mat3, Vec3, dot, length, set_mat3, set_vec3, vec3};
    use manyworlds_model::model::data::Capacity;
    use manyworlds_model::schema::enums::geom;

    /// A plane, then two geoms of every other type.
    const SHAPES: &str =
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><geom size='.1'/><geom size='.2'/>
        <geom type='capsule' size='.1 .2'/><geom type='capsule' size='.15 .1'/>
        <geom type='ellipsoid' size='.1 .2 .3'/><geom type='ellipsoid' size='.2 .25 .15'/>
        <geom type='cylinder' size='.1 .2'/><geom type='cylinder' size='.2 .1'/>
        <geom type='box' size='.1 .2 .15'/><geom type='box' size='.2 .1 .12'/></worldbody></mujoco>";

    fn shapes() -> (Model, Data) {
        let model = manyworlds_mjcf::load_str(SHAPES).unwrap();
        let data = Data::new(&model, Capacity::NONE);
        (model, data)
    }

    fn place(d: &mut Data, g: usize, pose: (Vec3<f64>, Mat3<f64>)) {
        set_vec3(&mut d.geom_xpos, g, pose.0);
        set_mat3(&mut d.geom_xmat, g, pose.1);
    }

    fn near(a: Vec3<f64>, b: Vec3<f64>) -> bool {
        length(a - b) < 1e-6
    }

    /// All pairs of geoms at random poses, several times.
    fn pairs(seed: u64, mut check: impl FnMut(&Model, &mut Data, usize, usize, &mut Random)) {
        let (m, mut d) = shapes();
        let mut random = Random(seed);
        for _ in 0..8 {
            for g1 in 0..m.sizes.ngeom {
                for g2 in (0..m.sizes.ngeom).filter(|g| *g != g1) {
                    for g in [g1, g2] {
                        place(&mut d, g, random.pose(0.6));
                    }
                    check(&m, &mut d, g1, g2, &mut random);
                }
            }
        }
    }

    #[test]
    fn simple_distances_are_known() {
        let (m, mut d) = shapes();
        let upright = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        for g in 0..m.sizes.ngeom {
            place(&mut d, g, (Vec3::ZERO, Mat3(upright)));
        }
        // below a capsule, an ellipsoid, a cylinder and a box, beside them and inside
        for (g, half) in [
            (3, Vec3([0.1, 0.1, 0.3])),
            (5, Vec3([0.1, 0.2, 0.3])),
            (7, Vec3([0.1, 0.1, 0.2])),
            (9, Vec3([0.1, 0.2, 0.15])),
        ] {
            for (k, centre) in
                [(2, Vec3([0.0, 0.0, -2.0])), (0, Vec3([-1.0, 0.0, 0.0])), (1, Vec3([0.0, -0.25, 0.0]))]
            {
                place(&mut d, 1, (centre, Mat3(upright)));
                let gap = geom_distance(&m, &d, 1, g, 5.0).unwrap();
                let want = -centre[k] - 0.1 - half[k];
                assert!((gap.dist - want).abs() < 1e-9, "{g} {k}: {} {want}", gap.dist);
                let (mut from, mut to) = (centre, Vec3::ZERO);
                from[k] += 0.1;
                to[k] = -half[k];
                assert!(near(gap.from, from) && near(gap.to, to) && gap.normal[k] > 0.999_999, "{gap:?}");
            }
            // above a plane and through it
            for height in [1.0, 0.05] {
                place(&mut d, g, (Vec3([0.3, 0.2, height]), Mat3(upright)));
                let gap = geom_distance(&m, &d, g, 0, 5.0).unwrap();
                assert!((gap.dist - (height - half[2])).abs() < 1e-12 && gap.to[2].abs() < 1e-12, "{gap:?}");
                assert_eq!(gap.normal, -Vec3::Z);
            }
            place(&mut d, g, (Vec3::ZERO, Mat3(upright)));
        }
        // corner to corner of two boxes
        place(&mut d, 10, (Vec3([1.0, 1.0, 1.0]), Mat3(upright)));
        let gap = geom_distance(&m, &d, 9, 10, 5.0).unwrap();
        assert!(near(gap.from, Vec3([0.1, 0.2, 0.15])) && near(gap.to, Vec3([0.8, 0.9, 0.88])), "{gap:?}");
        assert!((gap.dist - length(gap.to - gap.from)).abs() < 1e-12);
        // coincident geoms overlap as nearby ones do
        place(&mut d, 10, (Vec3::ZERO, Mat3(upright)));
        assert!((geom_distance(&m, &d, 9, 10, 5.0).unwrap().dist + 0.27).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_the_two_turns_the_segment_around() {
        pairs(1, |m, d, g1, g2, _| {
            let (Some(there), Some(back)) =
                (geom_distance(m, d, g1, g2, 9.0), geom_distance(m, d, g2, g1, 9.0))
            else {
                panic!("{g1} {g2}");
            };
            assert!((there.dist - back.dist).abs() < 1e-9, "{g1} {g2}: {there:?} {back:?}");
            assert!(
                near(there.from, back.to) && near(there.to, back.from) && near(there.normal, -back.normal),
                "{g1} {g2}: {there:?} {back:?}"
            );
        });
    }

    #[test]
    fn distances_are_along_the_normal_and_move_with_the_geoms() {
        pairs(2, |m, d, g1, g2, random| {
            let here = geom_distance(m, d, g1, g2, 9.0).unwrap();
            // the segment has the length and direction reported
            let along = dot(here.to - here.from, here.normal);
            assert!((along - here.dist).abs() < 1e-9, "{g1} {g2}: {here:?}");
            assert!(near(here.to - here.from, here.normal * here.dist), "{g1} {g2}: {here:?}");
            let (shift, turn) = random.pose(0.6);
            for g in [g1, g2] {
                let pos = turn * vec3(&d.geom_xpos, g) + shift;
                let mat = turn * shape(m, d, g).mat;
                place(d, g, (pos, mat));
            }
            let there = geom_distance(m, d, g1, g2, 9.0).unwrap();
            assert!((there.dist - here.dist).abs() < 1e-9, "{g1} {g2}: {here:?} {there:?}");
            assert!(near(there.from, turn * here.from + shift), "{g1} {g2}: {here:?} {there:?}");
            // nothing is found beyond the distance asked for
            assert_eq!(geom_distance(m, d, g1, g2, there.dist - 1e-6), None);
            let again = geom_distance(m, d, g1, g2, there.dist + 1e-6);
            assert!(
                again.is_some_and(|g| (g.dist - there.dist).abs() < 1e-9),
                "{g1} {g2}: {there:?} {again:?}"
            );
        });
    }

    #[test]
    fn apart_no_point_of_either_is_beyond_the_planes_at_both_ends() {
        let mut count = 0;
        pairs(3, |m, d, g1, g2, random| {
            let gap = geom_distance(m, d, g1, g2, 9.0).unwrap();
            if m.geom_type[g1] == geom::PLANE || m.geom_type[g2] == geom::PLANE || gap.dist <= 0.0 {
                return;
            }
            count += 1;
            // rays from the middle hit each geom on its own side
            let middle = (gap.from + gap.to) * 0.5;
            for _ in 0..20 {
                let way = random.pose(0.6).1 * Vec3::Z;
                for (g, side) in [(g1, -1.0), (g2, 1.0)] {
                    let Some(hit) = crate::collision::ray::ray_geom(m, d, g, middle, way) else {
                        continue;
                    };
                    let beyond = hit.dist * dot(way, gap.normal) * side;
                    assert!(beyond >= 0.5 * gap.dist - 1e-7, "{g1} {g2}: {gap:?}");
                }
            }
        });
        assert!(count > 200, "{count}");
    }

    #[test]
    fn planes_have_no_distance() {
        let text = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><geom type='plane' size='1 1 1' pos='0 0 -1'/>
            </worldbody></mujoco>";
        let model = manyworlds_mjcf::load_str(text).unwrap();
        let mut data = Data::new(&model, Capacity::NONE);
        crate::forward(&model, &mut data);
        assert_eq!(geom_distance(&model, &data, 0, 1, 9.0), None);
    }
}
