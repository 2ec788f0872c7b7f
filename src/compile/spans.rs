//! Runs of candidates that one test can leave out: a geom against several of one body.

use glam::DVec3;

use super::Build;
use super::pairs::Candidate;
use crate::model::geom as kind;

/// Fewest candidates that a test of their own pays for.
const LEAST: usize = 3;

/// A bounding sphere is a little larger than what it bounds: the two are placed with different rounding.
const SLACK: f64 = 1.0 + 1e-6;

impl Build<'_> {
    /// Divides the candidates into runs, and bounds what the bodies of runs collide with.
    pub(super) fn spans(&mut self, candidates: &[Candidate]) {
        let mut first = 0;
        while first < candidates.len() {
            let (length, geom, body) = self.run(&candidates[first..]);
            let m = &mut self.model;
            // what is in no run goes with what is in none before it
            let alone = length < LEAST;
            let (count, geom, body) = if alone { (1, -1, -1) } else { (length, geom as i32, body as i32) };
            match m.span_num.last_mut() {
                Some(num) if alone && m.span_geom.last() == Some(&-1) => *num += 1,
                _ => {
                    m.span_adr.push(first as i32);
                    m.span_num.push(count as i32);
                    m.span_geom.push(geom);
                    m.span_body.push(body);
                }
            }
            first += count;
        }
        self.model.sizes.nspan = self.model.span_adr.len();
        self.model.body_reach = (0..self.model.sizes.nbody).flat_map(|b| self.reach(b)).collect();
    }

    /// Length of the run that these candidates begin with, its geom and the body of the other geoms.
    fn run(&self, candidates: &[Candidate]) -> (usize, usize, usize) {
        let body = |g: usize| self.model.geom_bodyid[g] as usize;
        let Candidate { geom1, geom2, .. } = candidates[0];
        let length = |geom: usize, other: usize| {
            let of_run = |c: &&Candidate| {
                c.pair < 0
                    && (c.geom1 == geom && body(c.geom2) == other
                        || c.geom2 == geom && body(c.geom1) == other)
            };
            (candidates.iter().take_while(of_run).count(), geom, other)
        };
        length(geom1, body(geom2)).max(length(geom2, body(geom1)))
    }

    /// Centre, in the body's frame, and radius of a sphere around its geoms with their margins; radius -1 where one has no end.
    fn reach(&self, body: usize) -> [f64; 4] {
        let m = &self.model;
        let first = m.body_geomadr[body].max(0) as usize;
        let geoms = first..first + m.body_geomnum[body] as usize;
        if geoms.is_empty() || geoms.clone().any(|g| m.geom_type[g] == kind::PLANE) {
            return [0.0, 0.0, 0.0, -1.0];
        }
        let at = |g: usize| DVec3::from_slice(&m.geom_pos[3 * g..3 * g + 3]);
        let centre = geoms.clone().map(at).sum::<DVec3>() / geoms.len() as f64;
        let end = |g: usize| centre.distance(at(g)) + m.geom_rbound[g] + m.geom_margin[g] + m.geom_gap[g];
        let radius = geoms.map(end).fold(0.0, f64::max) * SLACK;
        [centre.x, centre.y, centre.z, radius]
    }
}
