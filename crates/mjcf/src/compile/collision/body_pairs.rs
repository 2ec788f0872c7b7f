//! Body pairs: consecutive candidates between two bodies that one bounding-volume test can cull.

use glam::{DMat3, DQuat, DVec3};

use crate::compile::Build;
use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::Candidate;
use manyworlds_model::schema::enums::geom as kind;

/// Fewest candidates that justify a bounding-volume test, and most of them against a static body.
const MIN_CANDIDATES: usize = 3;
const MAX_STATIC_CANDIDATES: usize = 16;

/// Inflation of bounds: a bound and its geoms are placed with different rounding.
const BOUND_SLACK: f64 = 1.0 + 1e-6;

/// Bounds of geoms of one body: sphere in the body frame; AABB in the frame of a single geom, else of the body.
struct BodyBounds {
    body: usize,
    geom: i32,
    sphere: [f64; 4],
    /// Centre and half sizes.
    bounds: [f64; 6],
}

/// Union of two AABBs.
fn aabb_union(a: (DVec3, DVec3), b: (DVec3, DVec3)) -> (DVec3, DVec3) {
    (a.0.min(b.0), a.1.max(b.1))
}

impl Build<'_> {
    /// Partitions the candidates into body pairs and bounds both sides of each.
    pub(crate) fn body_pairs(&mut self, candidates: &[Candidate]) {
        let mut first = 0;
        while first < candidates.len() {
            let length = self.run(&candidates[first..]);
            let run = &candidates[first..first + length];
            let ends: Vec<[usize; 2]> = run.iter().map(|c| [c.geom1 as usize, c.geom2 as usize]).collect();
            let pair_bounds = (length >= MIN_CANDIDATES).then(|| pair_bounds(&self.model, &ends));
            let m = &mut self.model;
            match (m.bodypair_num.last_mut(), &pair_bounds) {
                // candidates without bounds join the preceding group without bounds
                (Some(num), None)
                    if m.bodypair_body.last() == Some(&-1)
                        && *num as usize + length <= MAX_STATIC_CANDIDATES =>
                {
                    *num += length as i32;
                }
                _ => {
                    m.bodypair_adr.push(first as i32);
                    m.bodypair_num.push(length as i32);
                    m.bodypair_geom.push(pair_bounds.as_ref().map_or(-1, |s| s[0].geom));
                    m.bodypair_body
                        .extend(pair_bounds.as_ref().map_or([-1; 2], |s| [0, 1].map(|k| s[k].body as i32)));
                    let pair_bounds = pair_bounds.as_ref().map(|s| [&s[0], &s[1]]);
                    m.bodypair_sphere
                        .extend(pair_bounds.map_or([[0.0; 4]; 2], |s| s.map(|s| s.sphere)).as_flattened());
                    m.bodypair_aabb
                        .extend(pair_bounds.map_or([[0.0; 6]; 2], |s| s.map(|s| s.bounds)).as_flattened());
                }
            }
            first += length;
        }
        self.model.sizes.nbodypair = self.model.bodypair_adr.len();
    }

    /// Length of the body pair at the head of the candidates: the same two bodies, and a single geom on one side, or
    /// a few geoms if one body is static and its geoms may be far apart.
    fn run(&self, candidates: &[Candidate]) -> usize {
        let m = &self.model;
        let body = |g: usize| m.geom_bodyid[g] as usize;
        let plane = |c: &Candidate| m.geom_type[c.geom1 as usize] == kind::PLANE;
        let ends = |c: &Candidate| [c.geom1 as usize, c.geom2 as usize];
        let [geom1, geom2] = ends(&candidates[0]);
        let (one, two) = (body(geom1), body(geom2));
        let alike = |c: &&Candidate| {
            c.pair < 0
                && plane(c) == plane(&candidates[0])
                && [(one, two), (two, one)].contains(&ends(c).map(body).into())
        };
        // candidates of one geom against one body
        let length = |geom: usize, other: usize| {
            let most = if m.body_treeid[other] < 0 { MAX_STATIC_CANDIDATES } else { usize::MAX };
            let of_geom = |c: &&Candidate| alike(c) && ends(c).contains(&geom);
            candidates.iter().take(most).take_while(of_geom).count()
        };
        let mut longest = length(geom1, two);
        if !plane(&candidates[0]) {
            longest = longest.max(length(geom2, one));
            if m.body_treeid[one] < 0 || m.body_treeid[two] < 0 {
                longest =
                    longest.max(candidates.iter().take(MAX_STATIC_CANDIDATES).take_while(alike).count());
            }
        }
        longest.max(1)
    }
}

/// Recomputes the bounds of the body pairs of a compiled model.
pub(crate) fn bound_pairs(m: &mut Model) {
    for pair in (0..m.sizes.nbodypair).filter(|p| m.bodypair_body[2 * p] >= 0).collect::<Vec<_>>() {
        let first = m.bodypair_adr[pair] as usize;
        let run = first..first + m.bodypair_num[pair] as usize;
        let ends: Vec<[usize; 2]> =
            run.map(|c| [m.candidate_geom1[c] as usize, m.candidate_geom2[c] as usize]).collect();
        for (side, bounds) in pair_bounds(m, &ends).iter().enumerate() {
            let k = 2 * pair + side;
            m.bodypair_sphere[4 * k..4 * k + 4].copy_from_slice(&bounds.sphere);
            m.bodypair_aabb[6 * k..6 * k + 6].copy_from_slice(&bounds.bounds);
        }
    }
}

/// Bounds of both sides of a body pair, given the two geoms of each candidate, a single geom first.
fn pair_bounds(m: &Model, run: &[[usize; 2]]) -> [BodyBounds; 2] {
    let body = |g: usize| m.geom_bodyid[g] as usize;
    let one = body(run[0][0]);
    let mut pair_bounds = [true, false].map(|first| {
        let ends = run.iter().copied().flatten();
        let mut geoms: Vec<usize> = ends.filter(|g| (body(*g) == one) == first).collect();
        geoms.sort_unstable();
        geoms.dedup();
        body_bounds(m, &geoms)
    });
    if pair_bounds[0].geom < 0 {
        pair_bounds.reverse();
    }
    pair_bounds
}

/// Bounds of some geoms of a body, inflated by their margins; of a plane, its margin.
fn body_bounds(m: &Model, geoms: &[usize]) -> BodyBounds {
    let at = |g: &usize| DVec3::from_slice(&m.geom_pos[3 * g..3 * g + 3]);
    let centre = geoms.iter().map(at).sum::<DVec3>() / geoms.len() as f64;
    let end = |g: &usize| {
        let bound = if m.geom_type[*g] == kind::PLANE { 0.0 } else { m.geom_rbound[*g] };
        centre.distance(at(g)) + bound + m.geom_margin[*g] + m.geom_gap[*g]
    };
    let radius = geoms.iter().map(end).fold(0.0, f64::max) * BOUND_SLACK;
    let geom = if let &[geom] = geoms { geom as i32 } else { -1 };
    let (low, high) = geoms.iter().map(|g| extent(m, *g, geom >= 0)).reduce(aabb_union).unwrap_or_default();
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
    let half = half + half.length() * (BOUND_SLACK - 1.0);
    BodyBounds {
        body: m.geom_bodyid[geoms[0]] as usize,
        geom,
        sphere: [centre.x, centre.y, centre.z, radius],
        bounds: [middle.x, middle.y, middle.z, half.x, half.y, half.z],
    }
}

/// Lower and upper corner of the AABB of a geom with its margin, in the geom frame or in the body frame.
fn extent(m: &Model, g: usize, own: bool) -> (DVec3, DVec3) {
    let vec = |all: &[f64], k: usize| DVec3::from_slice(&all[3 * k..3 * k + 3]);
    let (mut centre, mut half) = (vec(&m.geom_aabb, 2 * g), vec(&m.geom_aabb, 2 * g + 1));
    if !own {
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| m.geom_quat[4 * g + k]);
        let turn = DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize());
        centre = vec(&m.geom_pos, g) + turn * centre;
        half = turn.abs() * half;
    }
    half += (m.geom_margin[g] + m.geom_gap[g]).max(0.0);
    (centre - half, centre + half)
}
