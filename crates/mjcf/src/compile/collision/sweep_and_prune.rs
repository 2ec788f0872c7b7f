//! Tables of the sweep and prune of the CPU: which geoms are swept, and which candidates are tested without it.

use crate::compile::Build;
use manyworlds_model::model::candidates::Candidate;

/// Candidates for each geom that is swept, from which on a sweep costs less than a test of each.
const SWEPT_CANDIDATES: usize = 3;

impl Build<'_> {
    /// Sweeps all bounded geoms that can collide, where that costs less than a test of each candidate. Geoms without bounds,
    /// and explicit pairs with margins of their own, remain for individual tests.
    pub(crate) fn sweep_and_prune(&mut self, candidates: &[Candidate], all_are_listed: bool) {
        let m = &mut self.model;
        let collides = |g: usize| m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0;
        let swept: Vec<i32> =
            (0..m.sizes.ngeom).filter(|g| collides(*g) && !m.is_unbounded(*g)).map(|g| g as i32).collect();
        let is_rest = |c: &Candidate| c.pair >= 0 || m.is_unbounded(c.geom1 as usize);
        let tests = candidates.iter().filter(|c| !is_rest(c)).count();
        if swept.is_empty() || all_are_listed && tests < SWEPT_CANDIDATES * swept.len() {
            return;
        }
        m.sap_rest = (0..candidates.len()).filter(|k| is_rest(&candidates[*k])).map(|k| k as i32).collect();
        m.sap_geom = swept;
        m.sizes.nsap = m.sap_geom.len();
        m.sizes.nsaprest = m.sap_rest.len();
    }
}
