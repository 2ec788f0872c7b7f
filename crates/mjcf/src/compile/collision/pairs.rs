//! Explicit contact pairs, exclusions, and the list of all candidate geom pairs.

use crate::spec::{Kind, Pair};
use manyworlds_model::model::candidates::{Candidate, MAX_LISTED, signature};
use manyworlds_model::model::incidence::FlexPairs;

use crate::compile::Build;

/// Bodies that a signature tells apart.
const MAX_SIGNATURE_BODIES: usize = 1 << 16;

impl Build<'_> {
    /// Fills explicit pairs and exclusions, sorted by body signature.
    pub(crate) fn explicit_pairs(&mut self) {
        let nbody = self.model.sizes.nbody;
        let bases = self.spec.pairs.iter().map(|p| &p.base).chain(self.spec.excludes.iter().map(|e| &e.base));
        if let Some(base) = bases.into_iter().next().filter(|_| nbody > MAX_SIGNATURE_BODIES) {
            let message = format!("{nbody} bodies are more than pairs and exclusions tell apart");
            let help = format!("at most {MAX_SIGNATURE_BODIES}; contype and conaffinity keep groups apart");
            self.wrong(base.at.element, message, &help);
            return;
        }
        let mut pairs = Vec::new();
        for pair in &self.spec.pairs {
            let geom1 = self.id_of(Kind::Geom, &pair.geom1, pair.base.scope);
            let geom2 = self.id_of(Kind::Geom, &pair.geom2, pair.base.scope);
            let (Some(g1), Some(g2)) = (geom1, geom2) else {
                continue;
            };
            let (b1, b2) = (self.model.geom_bodyid[g1], self.model.geom_bodyid[g2]);
            let (g1, g2, b1, b2) = if b1 <= b2 { (g1, g2, b1, b2) } else { (g2, g1, b2, b1) };
            pairs.push((signature(b1, b2), g1, g2, pair));
        }
        pairs.sort_by_key(|p| p.0);
        for (i, (signature, g1, g2, pair)) in pairs.into_iter().enumerate() {
            self.model.pair_signature[i] = signature;
            self.model.pair_geom1[i] = g1 as i32;
            self.model.pair_geom2[i] = g2 as i32;
            self.pair(i, pair);
        }
        let mut excludes = Vec::new();
        for exclude in &self.spec.excludes {
            let body1 = self.id_of(Kind::Body, &exclude.body1, exclude.base.scope);
            let body2 = self.id_of(Kind::Body, &exclude.body2, exclude.base.scope);
            let (Some(b1), Some(b2)) = (body1, body2) else {
                continue;
            };
            excludes.push(signature(b1 as i32, b2 as i32));
        }
        excludes.sort_unstable();
        if excludes.len() == self.model.exclude_signature.len() {
            self.model.exclude_signature.copy_from_slice(&excludes);
        }
    }

    fn pair(&mut self, i: usize, pair: &Pair) {
        let condim = pair.condim.unwrap_or(3);
        if ![1, 3, 4, 6].contains(&condim) {
            let message = format!("condim {condim} is no number of dimensions of a contact");
            self.wrong(pair.base.at.of("condim"), message, "valid: 1, 3, 4, 6");
        }
        let m = &mut self.model;
        m.pair_dim[i] = condim;
        let defaults: [(&str, &mut [f64], &[f64]); 7] = [
            ("solref", &mut m.pair_solref[2 * i..2 * i + 2], &[0.02, 1.0]),
            ("solreffriction", &mut m.pair_solreffriction[2 * i..2 * i + 2], &[0.0, 0.0]),
            ("solimp", &mut m.pair_solimp[5 * i..5 * i + 5], &[0.9, 0.95, 0.001, 0.5, 2.0]),
            ("friction", &mut m.pair_friction[5 * i..5 * i + 5], &[1.0, 1.0, 0.005, 0.0001, 0.0001]),
            ("margin", &mut m.pair_margin[i..i + 1], &[0.0]),
            ("gap", &mut m.pair_gap[i..i + 1], &[0.0]),
            ("adhesion", &mut m.pair_adhesion[i..i + 1], &[0.0]),
        ];
        for (name, to, default) in defaults {
            to.copy_from_slice(default);
            if let Some((_, written)) = pair.real.iter().find(|r| r.0 == name) {
                to[..written.len()].copy_from_slice(written);
            }
        }
    }

    /// All candidate geom pairs in MuJoCo's order: by body signature, explicit pairs first. Of very many, only explicit ones
    /// and those of geoms without bounds. True if these are all.
    pub(crate) fn candidates(&self) -> (Vec<Candidate>, bool) {
        let m = &self.model;
        let of_body = |b: i32| {
            let first = m.body_geomadr[b as usize].max(0) as usize;
            let all = first..first + m.body_geomnum[b as usize] as usize;
            all.filter(|&g| m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0)
        };
        let explicit = (0..m.sizes.npair)
            .filter_map(|p| m.candidate_of(m.pair_geom1[p] as usize, m.pair_geom2[p] as usize, p as i32));
        let explicit: Vec<Candidate> = explicit.collect();
        let bodies: Vec<i32> = (0..m.sizes.nbody as i32).filter(|&b| of_body(b).next().is_some()).collect();
        // masks of all geoms of a body tell most bodies apart
        let masks = |b: &i32| {
            of_body(*b).fold((0, 0), |(types, others), g| {
                (types | m.geom_contype[g], others | m.geom_conaffinity[g])
            })
        };
        let masks: Vec<(i32, i32)> = bodies.iter().map(masks).collect();
        let mut found = explicit.clone();
        'all: for (k, &b1) in bodies.iter().enumerate() {
            for (&b2, others) in bodies.iter().zip(&masks).skip(k + 1) {
                if (masks[k].0 & others.1 | masks[k].1 & others.0) != 0 && m.bodies_touch(b1, b2) {
                    found.extend(
                        of_body(b1).flat_map(|g1| of_body(b2).filter_map(move |g2| m.free_candidate(g1, g2))),
                    );
                }
                if found.len() > MAX_LISTED {
                    break 'all;
                }
            }
        }
        let (open, bounded): (Vec<usize>, Vec<usize>) =
            bodies.iter().flat_map(|b| of_body(*b)).partition(|g| m.is_unbounded(*g));
        // explicit pairs alone are all that there are
        let all_are_listed = found.len() <= MAX_LISTED || bounded.is_empty();
        if !all_are_listed {
            let with_all = |&g1: &usize| bounded.iter().filter_map(move |&g2| m.free_candidate(g1, g2));
            found = explicit;
            found.extend(open.iter().flat_map(with_all));
        }
        found.sort_by_cached_key(|c| m.candidate_order(*c));
        (found, all_are_listed)
    }

    /// Stores the candidates in the model.
    pub(crate) fn store_candidates(&mut self, candidates: &[Candidate]) {
        let m = &mut self.model;
        m.sizes.ncandidate = candidates.len();
        m.candidate_geom1 = candidates.iter().map(|c| c.geom1).collect();
        m.candidate_geom2 = candidates.iter().map(|c| c.geom2).collect();
        m.candidate_pair = candidates.iter().map(|c| c.pair).collect();
        m.candidate_treeend = m.candidate_tree_ends();
        let FlexPairs { geom, flex, candidate } = FlexPairs::of(m);
        m.sizes.nflexpair = geom.len();
        (m.flexpair_geom, m.flexpair_flex, m.flexpair_candidate) = (geom, flex, candidate);
    }
}
