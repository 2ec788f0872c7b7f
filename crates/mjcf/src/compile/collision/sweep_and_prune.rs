//! Tables of the sweep and prune over bodies: the candidates of each overlapping pair.

use super::pairs::Candidate;
use crate::compile::Build;
use manyworlds_model::schema::enums::geom as kind;

/// Cost of sorting one body, in candidate or body-pair tests (decision 43).
const SORT_COST: usize = 25;

/// Consecutive candidates between the same two sorted items; `None` for candidates tested one by one.
struct CandidateGroup {
    ends: Option<(usize, usize)>,
    first: usize,
    count: usize,
}

impl Build<'_> {
    /// Groups the candidates by the two bodies, or by the geom if its body is static. Unbounded geoms, and explicit
    /// pairs with margins of their own, remain for individual tests.
    pub(crate) fn sweep_and_prune(&mut self, candidates: &[Candidate]) {
        let (items, bodies, geoms) = self.items();
        let body_pairs = self.model.bodypair_body.chunks(2).zip(&self.model.bodypair_num);
        let tests: usize =
            body_pairs.map(|(bodies, num)| if bodies[0] < 0 { *num as usize } else { 1 }).sum();
        if tests < SORT_COST * bodies.len() {
            return;
        }
        let mut groups: Vec<CandidateGroup> = Vec::new();
        for (id, c) in candidates.iter().enumerate() {
            let ends = match (items[c.geom1], items[c.geom2]) {
                (Some(a), Some(b)) if c.pair < 0 => Some((a.min(b), a.max(b))),
                _ => None,
            };
            match groups.last_mut() {
                Some(last) if last.ends == ends => last.count += 1,
                _ => groups.push(CandidateGroup { ends, first: id, count: 1 }),
            }
        }
        // groups of each item pair, sorted by items
        let mut pairs: Vec<(usize, usize, usize)> =
            groups.iter().enumerate().filter_map(|(k, g)| g.ends.map(|(a, b)| (a, b, k))).collect();
        pairs.sort_unstable();
        let before = |k: usize| pairs.partition_point(|p| p.0 < k);
        let m = &mut self.model;
        m.sizes.nsap = bodies.len();
        m.sizes.nsappair = pairs.len();
        m.sizes.nsapgroup = groups.len();
        m.sap_body = bodies;
        m.sap_geom = geoms;
        m.sap_adr = (0..m.sizes.nsap).map(|k| before(k) as i32).collect();
        m.sap_num = (0..m.sizes.nsap).map(|k| (before(k + 1) - before(k)) as i32).collect();
        m.sappair_other = pairs.iter().map(|p| p.1 as i32).collect();
        m.sappair_group = pairs.iter().map(|p| p.2 as i32).collect();
        let rest = (0..groups.len()).filter(|&k| groups[k].ends.is_none());
        m.sap_rest = rest.map(|k| k as i32).collect();
        m.sizes.nsaprest = m.sap_rest.len();
        m.sapgroup_adr = groups.iter().map(|g| g.first as i32).collect();
        m.sapgroup_num = groups.iter().map(|g| g.count as i32).collect();
    }

    /// Sorted items: the item of each geom, if any, and of each item its body or its geom.
    fn items(&self) -> (Vec<Option<usize>>, Vec<i32>, Vec<i32>) {
        let m = &self.model;
        let unbounded = |g: usize| matches!(m.geom_type[g], kind::PLANE | kind::HFIELD);
        let mut items = vec![None; m.sizes.ngeom];
        let (mut bodies, mut geoms) = (Vec::new(), Vec::new());
        for b in 0..m.sizes.nbody {
            let first = m.body_geomadr[b].max(0) as usize;
            let own = first..first + m.body_geomnum[b] as usize;
            // the geoms of a static body may be far apart
            let together = m.body_treeid[b] >= 0 && !own.clone().any(unbounded);
            if together && !own.is_empty() {
                items[own].fill(Some(bodies.len()));
                bodies.push(b as i32);
                geoms.push(-1);
                continue;
            }
            for g in own.filter(|g| !unbounded(*g)) {
                items[g] = Some(bodies.len());
                bodies.push(-1);
                geoms.push(g as i32);
            }
        }
        (items, bodies, geoms)
    }
}
