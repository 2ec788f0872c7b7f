//! Tables of the sweep and prune of the CPU: which geoms are swept, and which candidates are tested without it.

use crate::compile::Build;
use manyworlds_model::model::candidates::Candidate;

/// Cost of keeping one geom in the sweep, in candidate or body-pair tests (decision 96).
const SWEEP_COST: usize = 4;

impl Build<'_> {
    /// Sweeps all bounded geoms that can collide, where that costs less than a test of each candidate. Geoms without bounds,
    /// and explicit pairs with margins of their own, remain for individual tests.
    pub(crate) fn sweep_and_prune(&mut self, candidates: &[Candidate], all_are_listed: bool) {
        let m = &mut self.model;
        let body_pairs = m.bodypair_body.chunks(2).zip(&m.bodypair_num);
        let tests: usize =
            body_pairs.map(|(bodies, num)| if bodies[0] < 0 { *num as usize } else { 1 }).sum();
        let collides = |g: usize| m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0;
        let swept: Vec<i32> =
            (0..m.sizes.ngeom).filter(|g| collides(*g) && !m.is_unbounded(*g)).map(|g| g as i32).collect();
        if swept.is_empty() || all_are_listed && tests < SWEEP_COST * swept.len() {
            return;
        }
        let is_rest = |c: &Candidate| c.pair >= 0 || m.is_unbounded(c.geom1 as usize);
        m.sap_rest = (0..candidates.len()).filter(|k| is_rest(&candidates[*k])).map(|k| k as i32).collect();
        m.sap_geom = swept;
        m.sizes.nsap = m.sap_geom.len();
        m.sizes.nsaprest = m.sap_rest.len();
    }
}
