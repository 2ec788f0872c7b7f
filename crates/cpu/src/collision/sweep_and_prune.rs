//! Sweep and prune, the broad phase of the CPU: boxes around what moves as a whole are sorted along an axis, and only those
//! that overlap on it are tested (Cohen, Lin, Manocha and Ponamgi, *I-COLLIDE*, 1995, section 4). Where two overlap, their
//! geoms are tested, first by boxes along the axes of the world and then by oriented ones.
//!
//! All boxes are enlarged, so that what overlaps includes all that may touch until some point of a geom has moved by the
//! enlargement (Verlet, *Computer experiments on classical fluids*, 1967): most steps test the pairs of an earlier one. What
//! is listed is tested again in each step and in its own order, so that contacts do not depend on when it was listed.

use std::cmp::Ordering;
use std::ops::Range;

use super::pair::Obb;
use crate::math::{Mat3, Vec3, mat_row, mat3, vec3};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::{Apart, Candidate, NearPairs, PlacedGeom, Unit};
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{enable, geom};
use manyworlds_model::schema::stages::Stage;

/// Relative enlargement of boxes: rounding differs between these tests and that of the narrow phase.
const BOX_SLACK: f64 = 1e-5;

/// How far points of geoms may move before pairs are listed again, as a share of the mean radius of those that do move: at
/// first, at least and at most.
const ALLOWANCE: [f64; 3] = [0.2, 0.05, 1.0];

/// Steps for which a list is to hold, at least and at most: another one costs as much as tests of what it lists too much. One
/// that holds longer is made again with a smaller allowance, as far as that goes.
const LIFE: [u32; 2] = [8, 40];

/// Places that a unit moves up in the order, on the average, beyond which sorting anew is faster.
const MAX_MOVES: usize = 8;

/// Half of the side of a box that holds everything.
const EVERYWHERE: f64 = 1e30;

/// Lists the candidates that are near, and those that are always tested, unless the list of an earlier step holds them; then
/// bounds their geoms.
pub(super) fn sweep_and_prune<T: Real>(m: &Model<T>, d: &mut Data<T>, near: &mut NearPairs<T>) {
    if let Some(runs) = runs_of_current(m, d, near) {
        near.age = near.age.saturating_add(1);
        // boxes of sleeping trees are what they were
        for k in 0..runs {
            bound_geoms(m, d, near, &run_at(m, d, k).geoms());
        }
        return;
    }
    list_candidates(m, d, near);
    bound_geoms(m, d, near, &(0..m.sizes.ngeom));
}

/// Number of runs of geoms that this step has placed, if the list holds all that is near: no point of a geom has moved by more
/// than is allowed, and none has another size, since the list was made.
fn runs_of_current<T: Real>(m: &Model<T>, d: &mut Data<T>, near: &NearPairs<T>) -> Option<usize> {
    if near.placed.len() != m.sizes.nsap
        && let Some(kept) = &mut d.kept
    {
        kept.forget_stage(Stage::collision);
    }
    let runs = runs(m, d, Stage::collision);
    let current = |k: usize| {
        let geoms = run_at(m, d, k).geoms();
        let first = m.sap_geom.partition_point(|g| (*g as usize) < geoms.start);
        let mut own = m.sap_geom[first..]
            .iter()
            .zip(&near.placed[first..])
            .take_while(|(g, _)| (**g as usize) < geoms.end);
        own.all(|(&g, was)| stays(m, d, g as usize, was, near.allowance))
    };
    let is_tight = near.age < LIFE[1] || near.share <= T::of(ALLOWANCE[1]);
    (near.placed.len() == m.sizes.nsap && is_tight && (0..runs).all(current)).then_some(runs)
}

/// World-aligned bounding boxes of geoms of listed candidates within a range.
fn bound_geoms<T: Real>(m: &Model<T>, d: &Data<T>, near: &mut NearPairs<T>, range: &Range<usize>) {
    let first = near.geoms.partition_point(|g| (*g as usize) < range.start);
    for &g in near.geoms[first..].iter().take_while(|g| (**g as usize) < range.end) {
        let g = g as usize;
        let pose = (vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g));
        near.boxes[g] = bounding_box(pose, &m.geom_aabb[6 * g..6 * g + 6], own_margin(m, g));
    }
}

/// True if the bounding boxes of a candidate without a pair of its own are apart.
#[inline(always)]
pub(super) fn is_apart<T: Real>(boxes: &[[T; 6]], candidate: Candidate) -> bool {
    let [one, two] = [candidate.geom1, candidate.geom2].map(|g| &boxes[g as usize]);
    candidate.pair < 0 && bounds_apart(one, two)
}

/// Lists the candidates that are near.
fn list_candidates<T: Real>(m: &Model<T>, d: &Data<T>, near: &mut NearPairs<T>) {
    std::mem::swap(&mut near.candidates, &mut near.last.0);
    std::mem::swap(&mut near.apart, &mut near.last.1);
    near.candidates.clear();
    near.placed.clear();
    near.placed.extend(m.sap_geom.iter().map(|g| place(m, d, *g as usize)));
    near.share = share(near);
    near.allowance = near.share * mean_radius(m, near);
    bound_units(m, near);
    let axis = widest_axis(near);
    sort(near, axis);
    list_overlaps(m, near, axis);
    near.candidates.sort_unstable_by_key(|candidate| m.candidate_order(*candidate));
    list_swept_geoms(near);
    merge_rest(m, near);
    remember(m, near);
}

/// Lists the geoms of the candidates once each.
fn list_swept_geoms<T: Real>(near: &mut NearPairs<T>) {
    let NearPairs { candidates, geoms, is_listed, .. } = near;
    is_listed.fill(false);
    for candidate in candidates.iter() {
        is_listed[candidate.geom1 as usize] = true;
        is_listed[candidate.geom2 as usize] = true;
    }
    geoms.clear();
    geoms.extend((0..is_listed.len() as u32).filter(|g| is_listed[*g as usize]));
}

/// Adds the candidates that are always tested, from the end to the begin, so that all stay in order.
fn merge_rest<T: Real>(m: &Model<T>, near: &mut NearPairs<T>) {
    let list = &mut near.candidates;
    let (mut swept, mut rest) = (list.len(), m.sap_rest.len());
    list.resize(swept + rest, Candidate::default());
    while rest > 0 {
        let last = m.candidate(m.sap_rest[rest - 1] as usize);
        let place = swept + rest - 1;
        if swept > 0 && m.candidate_order(list[swept - 1]) > m.candidate_order(last) {
            swept -= 1;
            list[place] = list[swept];
        } else {
            rest -= 1;
            list[place] = last;
        }
    }
}

/// Takes over what is known of the candidates that the list before this one has.
fn remember<T: Real>(m: &Model<T>, near: &mut NearPairs<T>) {
    let NearPairs { candidates, apart, last: (before, known), .. } = near;
    apart.clear();
    let mut k = 0;
    for candidate in candidates.iter() {
        let place = m.candidate_order(*candidate);
        while k < before.len() && m.candidate_order(before[k]) < place {
            k += 1;
        }
        apart.push(if before.get(k) == Some(candidate) { known[k] } else { Apart::default() });
    }
}

/// True if no point of a geom has moved by more than `allowance`, and its size is what it was.
#[inline(always)]
fn stays<T: Real>(m: &Model<T>, d: &Data<T>, g: usize, was: &PlacedGeom<T>, allowance: T) -> bool {
    let mut moved = T::ZERO;
    for (now, was) in d.geom_xpos[3 * g..3 * g + 3].iter().zip(&was.pos) {
        moved += (*now - *was) * (*now - *was);
    }
    // a rotation moves points at distance r by at most r / sqrt(2) times the norm of the change of its matrix
    let mut turned = T::ZERO;
    for (now, was) in d.geom_xmat[9 * g..9 * g + 9].iter().zip(&was.mat) {
        turned += (*now - *was) * (*now - *was);
    }
    let radius = m.geom_rbound[g];
    let bounds = &m.geom_aabb[6 * g..6 * g + 6];
    // the square of a sum of two is at most twice the sum of their squares
    T::of(2.0) * moved + radius * radius * turned <= allowance * allowance
        && radius == was.radius
        && own_margin(m, g) <= was.margin
        && bounds == was.bounds
}

/// A geom as it is now.
fn place<T: Real>(m: &Model<T>, d: &Data<T>, g: usize) -> PlacedGeom<T> {
    PlacedGeom {
        pos: vec3(&d.geom_xpos, g).0,
        mat: std::array::from_fn(|k| d.geom_xmat[9 * g + k]),
        radius: m.geom_rbound[g],
        margin: own_margin(m, g),
        bounds: std::array::from_fn(|k| m.geom_aabb[6 * g + k]),
    }
}

/// A geom's share of margin and gap.
#[inline(always)]
fn own_margin<T: Real>(m: &Model<T>, g: usize) -> T {
    let margin = if m.enabled(enable::OVERRIDE) { T::of(0.5) * m.opt_o_margin[0] } else { m.geom_margin[g] };
    margin + m.geom_gap[g]
}

/// How far points of geoms may move, as a share of their mean radius: more if the last list did not hold long, less if it held
/// for long. What is listed too much or too little changes no contact.
fn share<T: Real>(near: &mut NearPairs<T>) -> T {
    let [first, least, most] = ALLOWANCE.map(T::of);
    let age = std::mem::take(&mut near.age);
    if near.share == T::ZERO {
        first
    } else if age < LIFE[0] {
        (near.share * T::of(1.5)).min(most)
    } else if age >= LIFE[1] {
        (near.share * T::of(0.7)).max(least)
    } else {
        near.share
    }
}

/// Mean radius of the geoms that move: a large one that never does would put all others into one list.
fn mean_radius<T: Real>(m: &Model<T>, near: &NearPairs<T>) -> T {
    let moves = |g: i32| m.body_treeid[m.geom_bodyid[g as usize] as usize] >= 0;
    let moving = || near.placed.iter().zip(&m.sap_geom).filter(|(_, g)| moves(**g));
    let sum = moving().fold(T::ZERO, |sum, (placed, _)| sum + (placed.radius + placed.margin).max(T::ZERO));
    sum / T::of(moving().count().max(1) as f64)
}

/// Finds the units, and boxes along the axes of the world around them and their geoms, margins and allowance included.
fn bound_units<T: Real>(m: &Model<T>, near: &mut NearPairs<T>) {
    let NearPairs { placed, boxes, is_listed, units, allowance, .. } = near;
    is_listed.resize(m.sizes.ngeom, false);
    let all = T::of(EVERYWHERE);
    boxes.resize(m.sizes.ngeom, [-all, -all, -all, all, all, all]);
    units.clear();
    let mut last = -1;
    for (k, (&g, placed)) in m.sap_geom.iter().zip(placed.iter()).enumerate() {
        let body = m.geom_bodyid[g as usize];
        let pose = (Vec3(placed.pos), mat3(&placed.mat, 0));
        let bounds = bounding_box(pose, &placed.bounds, placed.margin + *allowance);
        boxes[g as usize] = bounds;
        // geoms of a static body may be far from each other
        match units.last_mut() {
            Some(unit) if body == last && m.body_treeid[body as usize] >= 0 => {
                unit.end = k as u32 + 1;
                unit.bounds = union(&unit.bounds, &bounds);
            }
            _ => units.push(Unit { begin: k as u32, end: k as u32 + 1, body, bounds }),
        }
        last = body;
    }
}

/// Box along the axes of the world around a geom and what is within a margin; of one that is not finite, everything.
#[inline(always)]
fn bounding_box<T: Real>((pos, mat): (Vec3<T>, Mat3<T>), bounds: &[T], margin: T) -> [T; 6] {
    let half = vec3(bounds, 1);
    let centre = pos + mat * vec3(bounds, 0);
    let mut bounds = [T::ZERO; 6];
    for k in 0..3 {
        let row = mat_row(mat, k);
        let extent = row[0].abs() * half[0] + row[1].abs() * half[1] + row[2].abs() * half[2];
        let slack = extent * T::of(BOX_SLACK) + centre[k].abs() * T::of(8.0) * T::EPSILON;
        let reach = extent + slack + margin;
        bounds[k] = centre[k] - reach;
        bounds[3 + k] = centre[k] + reach;
    }
    let is_finite = bounds.iter().fold(T::ZERO, |sum, x| sum + *x).is_finite();
    let all = T::of(EVERYWHERE);
    if is_finite { bounds } else { [-all, -all, -all, all, all, all] }
}

/// Box around two boxes.
fn union<T: Real>(one: &[T; 6], two: &[T; 6]) -> [T; 6] {
    std::array::from_fn(|k| if k < 3 { one[k].min(two[k]) } else { one[k].max(two[k]) })
}

/// True if two boxes along the axes of the world are apart.
#[inline(always)]
fn bounds_apart<T: Real>(one: &[T; 6], two: &[T; 6]) -> bool {
    (0..3).any(|k| one[3 + k] < two[k] || two[3 + k] < one[k])
}

/// Axis of largest variance of the centres of the units.
fn widest_axis<T: Real>(near: &NearPairs<T>) -> usize {
    let (mut sum, mut square) = ([T::ZERO; 3], [T::ZERO; 3]);
    for Unit { bounds, .. } in &near.units {
        for k in 0..3 {
            let twice = bounds[k] + bounds[3 + k];
            sum[k] += twice;
            square[k] += twice * twice;
        }
    }
    let n = T::of(near.units.len() as f64);
    let spread = [0, 1, 2].map(|k| square[k] - sum[k] * sum[k] / n);
    if spread[0] >= spread[1] && spread[0] >= spread[2] {
        0
    } else if spread[1] >= spread[2] {
        1
    } else {
        2
    }
}

/// Sorts the units by their lower ends, ties by index.
fn sort<T: Real>(near: &mut NearPairs<T>, axis: usize) {
    let NearPairs { units, order, .. } = near;
    if order.len() != units.len() {
        order.clear();
        order.extend(0..units.len() as u32);
    }
    let begin = |k: u32| units[k as usize].bounds[axis];
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
}

/// Lists the candidates whose enlarged boxes overlap.
fn list_overlaps<T: Real>(m: &Model<T>, near: &mut NearPairs<T>, axis: usize) {
    let NearPairs { units, order, overlaps, .. } = near;
    overlaps.clear();
    for (i, &one) in order.iter().enumerate() {
        let first = &units[one as usize];
        let end = first.bounds[3 + axis];
        // units that begin before this one ends
        for &two in &order[i + 1..] {
            let second = &units[two as usize];
            if second.bounds[axis] > end {
                break;
            }
            if !bounds_apart(&first.bounds, &second.bounds) && m.bodies_touch(first.body, second.body) {
                overlaps.push([one.min(two), one.max(two)]);
            }
        }
    }
    // nearly the order of their candidates
    overlaps.sort_unstable();
    for k in 0..near.overlaps.len() {
        let [one, two] = near.overlaps[k].map(|unit| near.units[unit as usize]);
        list_geoms(m, near, &one, &two);
    }
}

/// Lists the candidates of two units whose enlarged boxes overlap.
fn list_geoms<T: Real>(m: &Model<T>, near: &mut NearPairs<T>, one: &Unit<T>, two: &Unit<T>) {
    let NearPairs { placed, boxes, candidates, allowance, .. } = near;
    // closed forms of spheres and capsules take no longer than a test of oriented boxes
    let is_round = |g: usize| m.geom_type[g] <= geom::CAPSULE;
    for i in one.begin as usize..one.end as usize {
        let a = m.sap_geom[i] as usize;
        if bounds_apart(&boxes[a], &two.bounds) {
            continue;
        }
        let around = oriented_box(&placed[i]);
        for j in two.begin as usize..two.end as usize {
            let b = m.sap_geom[j] as usize;
            let apart = bounds_apart(&boxes[a], &boxes[b])
                || !(is_round(a) && is_round(b))
                    && oriented_apart(&around, &placed[i], &placed[j], *allowance);
            if !apart {
                candidates.extend(m.free_candidate(a.min(b), a.max(b)));
            }
        }
    }
}

/// Oriented box around a geom.
fn oriented_box<T: Real>(placed: &PlacedGeom<T>) -> Obb<T> {
    let mat: Mat3<T> = mat3(&placed.mat, 0);
    Obb::new((Vec3(placed.pos), mat), &placed.bounds)
}

/// True if the oriented boxes around two geoms, the first as given, are apart after either has moved by the allowance.
fn oriented_apart<T: Real>(around: &Obb<T>, one: &PlacedGeom<T>, two: &PlacedGeom<T>, allowance: T) -> bool {
    let size = |g: &PlacedGeom<T>| {
        let half = g.bounds[3] + g.bounds[4] + g.bounds[5];
        let far = g.pos[0].abs() + g.pos[1].abs() + g.pos[2].abs();
        half * T::of(BOX_SLACK) + (far + half) * T::of(16.0) * T::EPSILON
    };
    let reach = one.margin + two.margin + T::of(2.0) * allowance + size(one) + size(two);
    around.boxes_apart(&oriented_box(two), reach)
}
