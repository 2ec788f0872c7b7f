//! Explicit contact pairs, exclusions, and the list of all candidate geom pairs.

use crate::spec::{Kind, Pair};
use manyworlds_model::schema::enums::{disable, geom as kind};

use crate::compile::Build;

/// A geom pair that can collide, lower type first, with its explicit pair; -1 for none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) geom1: usize,
    pub(crate) geom2: usize,
    pub(crate) pair: i32,
}

/// Upper bound on candidates; more would not fit into a world.
const MAX_CANDIDATES: usize = 20_000_000;

/// Upper bound on bodies with colliding geoms: all body pairs are enumerated.
const MAX_COLLIDING_BODIES: usize = 20_000;

impl Build<'_> {
    /// Fills explicit pairs and exclusions, sorted by body signature.
    pub(crate) fn explicit_pairs(&mut self) {
        let mut pairs = Vec::new();
        for pair in &self.spec.pairs {
            let geom1 = self.id_of(Kind::Geom, &pair.geom1, pair.base.scope);
            let geom2 = self.id_of(Kind::Geom, &pair.geom2, pair.base.scope);
            let (Some(g1), Some(g2)) = (geom1, geom2) else {
                continue;
            };
            let (b1, b2) = (self.model.geom_bodyid[g1], self.model.geom_bodyid[g2]);
            let (g1, g2, b1, b2) = if b1 <= b2 { (g1, g2, b1, b2) } else { (g2, g1, b2, b1) };
            pairs.push(((b1 << 16) + b2, g1, g2, pair));
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
            excludes.push(((b1.min(b2) << 16) + b1.max(b2)) as i32);
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

    /// All candidate geom pairs in MuJoCo's order: by body signature, explicit pairs first.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let m = &self.model;
        let mut found = Vec::new();
        let collides = |g: usize| m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0;
        let geoms = |b: usize| {
            let first = m.body_geomadr[b].max(0) as usize;
            (first..first + m.body_geomnum[b] as usize).filter(move |&g| collides(g))
        };
        let bodies: Vec<usize> = (0..m.sizes.nbody).filter(|&b| geoms(b).next().is_some()).collect();
        if bodies.len() > MAX_COLLIDING_BODIES {
            let message = format!("{} bodies can collide, more than {MAX_COLLIDING_BODIES}", bodies.len());
            self.wrong(
                self.spec.bodies[0].base.at.element,
                message,
                "switch collisions off with contype=\"0\" conaffinity=\"0\"",
            );
            return found;
        }
        let mut explicit = 0;
        for (i, &b1) in bodies.iter().enumerate() {
            for &b2 in &bodies[i + 1..] {
                let signature = ((b1 as i32) << 16) + b2 as i32;
                if !self.bodies_touch(b1, b2, signature) {
                    continue;
                }
                self.explicit_until(signature, &mut explicit, &mut found);
                for g1 in geoms(b1) {
                    for g2 in geoms(b2) {
                        let allowed = m.geom_contype[g1] & m.geom_conaffinity[g2] != 0
                            || m.geom_contype[g2] & m.geom_conaffinity[g1] != 0;
                        if allowed && !self.is_explicit(signature, g1, g2) {
                            found.extend(self.candidate(g1, g2, -1));
                        }
                    }
                }
                if found.len() > MAX_CANDIDATES {
                    let message = format!("more than {MAX_CANDIDATES} geom pairs can collide");
                    self.wrong(
                        self.spec.bodies[0].base.at.element,
                        message,
                        "use contype and conaffinity to keep groups apart",
                    );
                    return found;
                }
            }
        }
        self.explicit_until(i32::MAX, &mut explicit, &mut found);
        found
    }

    /// Appends explicit pairs up to a signature.
    fn explicit_until(&self, signature: i32, next: &mut usize, found: &mut Vec<Candidate>) {
        let m = &self.model;
        while *next < m.sizes.npair && m.pair_signature[*next] <= signature {
            let (g1, g2) = (m.pair_geom1[*next] as usize, m.pair_geom2[*next] as usize);
            found.extend(self.candidate(g1, g2, *next as i32));
            *next += 1;
        }
    }

    fn is_explicit(&self, signature: i32, g1: usize, g2: usize) -> bool {
        let m = &self.model;
        let first = m.pair_signature.partition_point(|&s| s < signature);
        let same = |p: usize| (m.pair_geom1[p] as usize, m.pair_geom2[p] as usize);
        (first..m.sizes.npair)
            .take_while(|&p| m.pair_signature[p] == signature)
            .any(|p| same(p) == (g1, g2) || same(p) == (g2, g1))
    }

    /// True if the geoms of two bodies can collide.
    fn bodies_touch(&self, b1: usize, b2: usize, signature: i32) -> bool {
        let m = &self.model;
        let (w1, w2) = (m.body_weldid[b1], m.body_weldid[b2]);
        // two static bodies collide only through explicit pairs
        let fixed = m.body_treeid[b1] < 0 && m.body_treeid[b2] < 0;
        if w1 == w2 || fixed || m.exclude_signature.binary_search(&signature).is_ok() {
            return false;
        }
        // weld id of the parent of a weld body
        let above = |w: i32| m.body_weldid[m.body_parentid[w as usize] as usize];
        let filter = m.opt_disableflags[0] & disable::FILTERPARENT == 0;
        !(filter && w1 != 0 && w2 != 0 && (w1 == above(w2) || w2 == above(w1)))
    }

    /// Candidate of two geoms, lower type first; `None` if the types never collide.
    fn candidate(&self, g1: usize, g2: usize, pair: i32) -> Option<Candidate> {
        let t = &self.model.geom_type;
        let (geom1, geom2) = if t[g1] <= t[g2] { (g1, g2) } else { (g2, g1) };
        let flat = |g: usize| matches!(t[g], kind::PLANE | kind::HFIELD);
        (!(flat(geom1) && flat(geom2))).then_some(Candidate { geom1, geom2, pair })
    }

    /// Stores the candidates in the model.
    pub(crate) fn store_candidates(&mut self, candidates: &[Candidate]) {
        let m = &mut self.model;
        m.sizes.ncandidate = candidates.len();
        m.candidate_geom1 = candidates.iter().map(|c| c.geom1 as i32).collect();
        m.candidate_geom2 = candidates.iter().map(|c| c.geom2 as i32).collect();
        m.candidate_pair = candidates.iter().map(|c| c.pair).collect();
    }
}
