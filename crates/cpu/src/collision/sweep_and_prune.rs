//! Sweep and prune, the broad phase of large models: bounding spheres are sorted along an axis, and only those that
//! overlap on it are tested (Cohen, Lin, Manocha and Ponamgi, *I-COLLIDE*, 1995, section 4). What is left of their pairs is
//! tested by world-aligned bounding boxes, which are tighter and change with each step.
//!
//! Spheres are enlarged, so that the pairs that overlap include all that may touch until some geom has moved by the
//! enlargement (Verlet, *Computer experiments on classical fluids*, 1967): most steps test the pairs of an earlier one. What
//! is listed is tested again in each step and in its own order, so that contacts do not depend on when it was listed.

use std::cmp::Ordering;

use crate::math::{Vec3, mat_row, mat3, vec3};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::{Candidate, NearPairs};
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::enable;
use manyworlds_model::schema::stages::Stage;

/// Relative enlargement of the spheres: rounding differs between this test and that of the narrow phase.
const SPHERE_SLACK: f64 = 1e-5;

/// How far geoms may move before pairs are listed again, as a share of the mean radius of those that do move.
const ALLOWANCE: f64 = 0.2;

/// Places that a sphere moves up in the order, on the average, beyond which sorting anew is faster.
const MAX_MOVES: usize = 8;

/// Lists the candidates that are near, and those that are always tested, unless the list of an earlier step holds them.
pub(super) fn sweep_and_prune<T: Real>(m: &Model<T>, d: &Data<T>, near: &mut NearPairs<T>) {
    if is_current(m, d, near) {
        return;
    }
    near.spheres.clear();
    near.spheres.extend((0..m.sizes.nsap).map(|k| bounding_sphere(m, d, k)));
    near.allowance = allowance(m, near);
    let axis = widest_axis(near);
    sort(near, axis);
    list_overlaps(m, near, axis);
    near.candidates.extend(m.sap_rest.iter().map(|&k| m.candidate(k as usize)));
    near.candidates.sort_unstable_by_key(|candidate| m.candidate_order(*candidate));
}

/// True if no geom has moved by more than is allowed, or become larger, since the list was made.
fn is_current<T: Real>(m: &Model<T>, d: &Data<T>, near: &NearPairs<T>) -> bool {
    let limit = near.allowance * near.allowance;
    near.spheres.len() == m.sizes.nsap
        && near.spheres.iter().enumerate().all(|(k, was)| {
            let g = m.sap_geom[k] as usize;
            let moved = vec3(&d.geom_xpos, g) - Vec3([was[0], was[1], was[2]]);
            moved.0[0] * moved.0[0] + moved.0[1] * moved.0[1] + moved.0[2] * moved.0[2] <= limit
                && radius(m, g) <= was[3]
        })
}

/// Radius of the bounding sphere of a geom, its share of margin and gap included.
#[inline(always)]
fn radius<T: Real>(m: &Model<T>, g: usize) -> T {
    m.geom_rbound[g] + own_margin(m, g)
}

/// A geom's share of margin and gap.
#[inline(always)]
fn own_margin<T: Real>(m: &Model<T>, g: usize) -> T {
    let margin = if m.enabled(enable::OVERRIDE) { T::of(0.5) * m.opt_o_margin[0] } else { m.geom_margin[g] };
    margin + m.geom_gap[g]
}

/// World-aligned bounding boxes of the swept geoms; those of others hold everything.
pub(super) fn bound_geoms<T: Real>(m: &Model<T>, d: &mut Data<T>, near: &mut NearPairs<T>) {
    if near.boxes.len() != m.sizes.ngeom {
        let all = T::of(f64::INFINITY);
        near.boxes.resize(m.sizes.ngeom, [-all, -all, -all, all, all, all]);
        if let Some(kept) = &mut d.kept {
            kept.forget_stage(Stage::collision);
        }
    }
    for k in 0..runs(m, d, Stage::collision) {
        let geoms = run_at(m, d, k).geoms();
        let first = m.sap_geom.partition_point(|g| (*g as usize) < geoms.start);
        for &g in m.sap_geom[first..].iter().take_while(|g| (**g as usize) < geoms.end) {
            near.boxes[g as usize] = bounding_box(m, d, g as usize);
        }
    }
}

/// World-aligned bounding box of a geom, margins included.
#[inline(always)]
fn bounding_box<T: Real>(m: &Model<T>, d: &Data<T>, g: usize) -> [T; 6] {
    let (mat, half) = (mat3(&d.geom_xmat, g), vec3(&m.geom_aabb, 2 * g + 1));
    let centre = vec3(&d.geom_xpos, g) + mat * vec3(&m.geom_aabb, 2 * g);
    let margin = own_margin(m, g);
    let mut bounds = [T::ZERO; 6];
    for k in 0..3 {
        let row = mat_row(mat, k);
        let extent = row[0].abs() * half[0] + row[1].abs() * half[1] + row[2].abs() * half[2];
        let slack = extent * T::of(SPHERE_SLACK) + centre[k].abs() * T::of(8.0) * T::EPSILON;
        bounds[k] = centre[k] - (extent + slack + margin);
        bounds[3 + k] = centre[k] + (extent + slack + margin);
    }
    bounds
}

/// True if two bounding boxes are apart; false for those that are not finite.
#[inline(always)]
fn bounds_apart<T: Real>(one: &[T; 6], two: &[T; 6]) -> bool {
    (0..3).any(|k| one[3 + k] < two[k] || two[3 + k] < one[k])
}

/// True if the bounding boxes of a candidate without a pair of its own are apart.
#[inline(always)]
pub(super) fn is_apart<T: Real>(boxes: &[[T; 6]], candidate: Candidate) -> bool {
    let [one, two] = [candidate.geom1, candidate.geom2].map(|g| &boxes[g as usize]);
    candidate.pair < 0 && bounds_apart(one, two)
}

/// Bounding sphere of a swept geom, margins included.
fn bounding_sphere<T: Real>(m: &Model<T>, d: &Data<T>, k: usize) -> [T; 4] {
    let g = m.sap_geom[k] as usize;
    let Vec3([x, y, z]) = vec3(&d.geom_xpos, g);
    let radius = radius(m, g);
    let slack = radius.abs() * T::of(SPHERE_SLACK) + (x.abs() + y.abs() + z.abs()) * T::of(8.0) * T::EPSILON;
    // a sphere that is not finite overlaps all others
    let lost = !(x + y + z + radius).is_finite();
    if lost { [T::ZERO, T::ZERO, T::ZERO, T::of(1e30)] } else { [x, y, z, radius + slack] }
}

/// How far each geom may move: a share of the mean radius, of spheres that are not lost. A large one that never moves would
/// put all others into one list.
fn allowance<T: Real>(m: &Model<T>, near: &NearPairs<T>) -> T {
    let moves = |g: i32| m.body_treeid[m.geom_bodyid[g as usize] as usize] >= 0;
    let moving = || near.spheres.iter().zip(&m.sap_geom).filter(|(_, g)| moves(**g));
    let radii = || moving().map(|(s, _)| s[3]).filter(|r| *r < T::of(1e30));
    let sum = radii().fold(T::ZERO, |sum, r| sum + r.max(T::ZERO));
    T::of(ALLOWANCE) * sum / T::of(radii().count().max(1) as f64)
}

/// Axis of largest variance of the centres.
fn widest_axis<T: Real>(near: &NearPairs<T>) -> usize {
    let (mut sum, mut square) = ([T::ZERO; 3], [T::ZERO; 3]);
    for ball in &near.spheres {
        for k in 0..3 {
            sum[k] += ball[k];
            square[k] += ball[k] * ball[k];
        }
    }
    let n = T::of(near.spheres.len() as f64);
    let spread = [0, 1, 2].map(|k| square[k] - sum[k] * sum[k] / n);
    if spread[0] >= spread[1] && spread[0] >= spread[2] {
        0
    } else if spread[1] >= spread[2] {
        1
    } else {
        2
    }
}

/// Sorts the spheres by their lower ends, ties by index; what follows reads them in this order, enlarged.
fn sort<T: Real>(near: &mut NearPairs<T>, axis: usize) {
    let NearPairs { spheres, order, sorted, allowance, .. } = near;
    if order.len() != spheres.len() {
        order.clear();
        order.extend(0..spheres.len() as u32);
    }
    let begin = |k: u32| spheres[k as usize][axis] - spheres[k as usize][3];
    let compare = |a: u32, b: u32| begin(a).partial_cmp(&begin(b)).unwrap_or(Ordering::Equal).then(a.cmp(&b));
    // from the order of the last time, which is nearly this one
    let mut moves = 0;
    for k in 1..order.len() {
        let mut place = k;
        while place > 0 && moves < MAX_MOVES * order.len() && compare(order[place - 1], order[place]).is_gt()
        {
            order.swap(place - 1, place);
            place -= 1;
            moves += 1;
        }
    }
    if moves >= MAX_MOVES * order.len() {
        order.sort_unstable_by(|&a, &b| compare(a, b));
    }
    sorted.clear();
    sorted.extend(order.iter().map(|&k| {
        let [x, y, z, radius] = spheres[k as usize];
        [x, y, z, radius + *allowance]
    }));
}

/// Lists the candidates whose enlarged spheres overlap.
fn list_overlaps<T: Real>(m: &Model<T>, near: &mut NearPairs<T>, axis: usize) {
    let NearPairs { order, sorted, candidates, .. } = near;
    candidates.clear();
    for (i, one) in sorted.iter().enumerate() {
        let end = one[axis] + one[3];
        // spheres that begin before this one ends
        for (j, two) in sorted.iter().enumerate().skip(i + 1) {
            if two[axis] - two[3] > end {
                break;
            }
            if overlap(one, two) {
                let [a, b] = [i, j].map(|k| m.sap_geom[order[k] as usize] as usize);
                if let Some(candidate) = m.free_candidate(a.min(b), a.max(b)) {
                    candidates.push(candidate);
                }
            }
        }
    }
}

/// True if two spheres overlap.
#[inline(always)]
fn overlap<T: Real>(one: &[T; 4], two: &[T; 4]) -> bool {
    let (x, y, z) = (two[0] - one[0], two[1] - one[1], two[2] - one[2]);
    let radii = one[3] + two[3];
    x * x + y * y + z * z <= radii * radii
}
