//! Sweep and prune, the broad phase of large models: bounding spheres are sorted along an axis, and only those that
//! overlap on it are tested (Cohen, Lin, Manocha and Ponamgi, *I-COLLIDE*, 1995, section 4).
//!
//! Candidates are nevertheless visited in their own order, so that contacts do not depend on how they were found.

use std::cmp::Ordering;

use crate::math::{Vec3, length, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Relative enlargement of the spheres: rounding differs between this test and that of the narrow phase.
const SPHERE_SLACK: f64 = 1e-5;

/// Lists in `candidate_near`, in order, the groups of candidates whose bodies are near, and those without a bounding
/// sphere; returns their number.
pub fn sweep_and_prune<T: Real>(m: &Model<T>, d: &mut Data<T>) -> usize {
    for item in 0..m.sizes.nsap {
        bounding_sphere(m, d, item);
    }
    let axis = widest_axis(m, d);
    sort(d, axis);
    let rest = m.sap_rest.len().min(d.candidate_near.len());
    d.candidate_near[..rest].copy_from_slice(&m.sap_rest[..rest]);
    let mut near = rest;
    for i in 0..m.sizes.nsap {
        let one = ball(d, i);
        let end = one[axis] + one[3];
        // spheres that begin before this one ends
        for j in i + 1..m.sizes.nsap {
            let two = ball(d, j);
            if two[axis] - two[3] > end {
                break;
            }
            if overlap(one, two) {
                let (a, b) = (d.sap_order[i] as usize, d.sap_order[j] as usize);
                near = append_groups(m, d, a.min(b), a.max(b), near);
            }
        }
    }
    d.candidate_near[..near].sort_unstable();
    near
}

/// Bounding sphere of the geoms of a body, or of one geom, margins included.
fn bounding_sphere<T: Real>(m: &Model<T>, d: &mut Data<T>, item: usize) {
    let reach = |g: usize| m.geom_rbound[g] + m.geom_margin[g] + m.geom_gap[g];
    let (centre, radius) = if let Ok(g) = usize::try_from(m.sap_geom[item]) {
        (vec3(&d.geom_xpos, g), reach(g))
    } else {
        let body = m.sap_body[item] as usize;
        let first = m.body_geomadr[body] as usize;
        let geoms = first..first + m.body_geomnum[body] as usize;
        let share = T::ONE / T::of(geoms.len() as f64);
        let centre = geoms.clone().fold(Vec3::ZERO, |sum, g| sum + vec3(&d.geom_xpos, g) * share);
        let end = |g: usize| length(vec3(&d.geom_xpos, g) - centre) + reach(g);
        (centre, geoms.map(end).fold(T::ZERO, T::max))
    };
    let Vec3([x, y, z]) = centre;
    let slack = radius * T::of(SPHERE_SLACK) + (x.abs() + y.abs() + z.abs()) * T::of(8.0) * T::EPSILON;
    // a sphere that is not finite overlaps all others
    let lost = !(x + y + z + radius).is_finite();
    let ball = if lost { [T::ZERO, T::ZERO, T::ZERO, T::of(1e30)] } else { [x, y, z, radius + slack] };
    d.sap_sphere[4 * item..4 * item + 4].copy_from_slice(&ball);
}

/// Axis of largest variance of the centres.
fn widest_axis<T: Real>(m: &Model<T>, d: &Data<T>) -> usize {
    let (mut sum, mut square) = ([T::ZERO; 3], [T::ZERO; 3]);
    for ball in d.sap_sphere.chunks_exact(4) {
        for k in 0..3 {
            sum[k] += ball[k];
            square[k] += ball[k] * ball[k];
        }
    }
    let n = T::of(m.sizes.nsap as f64);
    let spread = [0, 1, 2].map(|k| square[k] - sum[k] * sum[k] / n);
    if spread[0] >= spread[1] && spread[0] >= spread[2] {
        0
    } else if spread[1] >= spread[2] {
        1
    } else {
        2
    }
}

/// Sorts the spheres by their lower ends, ties by index; what follows reads them in this order.
fn sort<T: Real>(d: &mut Data<T>, axis: usize) {
    let ball = &d.sap_sphere;
    let begin = |k: i32| ball[4 * k as usize + axis] - ball[4 * k as usize + 3];
    for (k, place) in d.sap_order.iter_mut().enumerate() {
        *place = k as i32;
    }
    d.sap_order.sort_unstable_by(|&a, &b| {
        begin(a).partial_cmp(&begin(b)).unwrap_or(Ordering::Equal).then(a.cmp(&b))
    });
    for (sorted, k) in d.sap_sorted.chunks_exact_mut(4).zip(&d.sap_order) {
        sorted.copy_from_slice(&d.sap_sphere[4 * *k as usize..][..4]);
    }
}

/// Centre and radius of a sphere by its place in the order.
#[inline(always)]
fn ball<T: Real>(d: &Data<T>, place: usize) -> [T; 4] {
    let all = &d.sap_sorted[4 * place..4 * place + 4];
    [all[0], all[1], all[2], all[3]]
}

/// True if two spheres overlap.
#[inline(always)]
fn overlap<T: Real>(one: [T; 4], two: [T; 4]) -> bool {
    let (x, y, z) = (two[0] - one[0], two[1] - one[1], two[2] - one[2]);
    let reach = one[3] + two[3];
    x * x + y * y + z * z <= reach * reach
}

/// Lists the groups of candidates of two items; returns the number listed so far.
fn append_groups<T: Real>(m: &Model<T>, d: &mut Data<T>, low: usize, high: usize, mut near: usize) -> usize {
    let first = m.sap_adr[low] as usize;
    let all = first..first + m.sap_num[low] as usize;
    let others = &m.sappair_other[all.clone()];
    let begin = others.partition_point(|&k| k < high as i32);
    for k in first + begin..all.end {
        if m.sappair_other[k] != high as i32 || near == d.candidate_near.len() {
            break;
        }
        d.candidate_near[near] = m.sappair_group[k];
        near += 1;
    }
    near
}
