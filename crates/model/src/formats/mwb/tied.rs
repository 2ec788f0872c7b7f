//! Checks of collision candidates and equality constraints, in a model from a file.

use crate::model::Model;
use crate::model::features::shape_sizes;
use crate::schema::enums::{equality, geom, object};

use super::ReadResult;

/// Dimensions of a contact.
const DIMENSIONS: [i32; 4] = [1, 3, 4, 6];

/// Checks geoms, candidates and equality constraints.
pub(crate) fn check(m: &Model) -> ReadResult<()> {
    geoms(m)?;
    candidates(m)?;
    body_pairs(m)?;
    sweep_and_prune(m)?;
    equalities(m)
}

/// Checks the sizes of geoms, and the dimensions of their contacts.
fn geoms(m: &Model) -> ReadResult<()> {
    let flat = |g: usize| m.geom_size[3 * g..3 * g + shape_sizes(m.geom_type[g])].iter().any(|x| *x <= 0.0);
    if let Some(g) = (0..m.sizes.ngeom).find(|&g| flat(g)) {
        return Err(format!("has geom {g} without a size"));
    }
    let dims = m.geom_condim.iter().chain(&m.pair_dim);
    match dims.into_iter().find(|dim| !DIMENSIONS.contains(dim)) {
        Some(dim) => Err(format!("has contacts of {dim} dimensions")),
        None => Ok(()),
    }
}

/// Checks that candidates have the lower type first, can collide, and have the geoms of their explicit pair.
fn candidates(m: &Model) -> ReadResult<()> {
    for c in 0..m.sizes.ncandidate {
        let ids = [m.candidate_geom1[c], m.candidate_geom2[c]];
        let [first, second] = ids.map(|g| m.geom_type[g as usize]);
        let explicit = usize::try_from(m.candidate_pair[c]).is_ok_and(|p| {
            let pair = [m.pair_geom1[p], m.pair_geom2[p]];
            pair != ids && pair != [ids[1], ids[0]]
        });
        if first > second || [geom::PLANE, geom::HFIELD].contains(&second) || ids[0] == ids[1] || explicit {
            return Err(format!("has candidate {c} that is no pair of geoms"));
        }
    }
    Ok(())
}

/// Checks that body pairs hold all candidates, each those of its bodies.
fn body_pairs(m: &Model) -> ReadResult<()> {
    let mut next = 0;
    for p in 0..m.sizes.nbodypair {
        let (first, count) = (m.bodypair_adr[p] as usize, m.bodypair_num[p] as usize);
        let bodies = [m.bodypair_body[2 * p], m.bodypair_body[2 * p + 1]];
        let sides = |c: usize| [m.candidate_geom1[c], m.candidate_geom2[c]];
        let own = |c: usize| {
            let alone = m.bodypair_geom[p];
            let of = sides(c).map(|g| m.geom_bodyid[g as usize]);
            (of == bodies || of == [bodies[1], bodies[0]])
                && (alone < 0 || sides(c).contains(&alone) && m.geom_bodyid[alone as usize] == bodies[0])
        };
        let open = bodies == [-1, -1] && m.bodypair_geom[p] < 0;
        if count == 0 || first != next || !open && !(first..first + count).all(own) {
            return Err(format!("has body pair {p} with candidates that are not its own"));
        }
        next = first + count;
    }
    if next == m.sizes.ncandidate { Ok(()) } else { Err("has candidates without a body pair".to_owned()) }
}

/// Checks that each group of candidates is tested once, by itself or with the two items that hold its geoms.
fn sweep_and_prune(m: &Model) -> ReadResult<()> {
    let wrong = || Err("has groups of candidates that are not those of its bodies".to_owned());
    let item = |k: usize| (m.sap_body[k], m.sap_geom[k]);
    let holds = |k: usize, g: i32| {
        let (body, geom) = item(k);
        if geom >= 0 { geom == g } else { m.geom_bodyid[g as usize] == body }
    };
    if m.sizes.nsap == 0 {
        return if m.sizes.nsapgroup + m.sizes.nsappair + m.sizes.nsaprest > 0 { wrong() } else { Ok(()) };
    }
    let mut next = 0;
    for (&first, &count) in m.sapgroup_adr.iter().zip(&m.sapgroup_num) {
        if first != next || count == 0 {
            return wrong();
        }
        next += count;
    }
    if next as usize != m.sizes.ncandidate || (0..m.sizes.nsap).any(|k| (item(k).0 < 0) == (item(k).1 < 0)) {
        return wrong();
    }
    let mut seen = vec![false; m.sizes.nsapgroup];
    let mut once = |group: usize| !std::mem::replace(&mut seen[group], true);
    if !m.sap_rest.iter().all(|&g| once(g as usize)) {
        return wrong();
    }
    for k in 0..m.sizes.nsap {
        let first = m.sap_adr[k] as usize;
        let pairs = first..first + m.sap_num[k] as usize;
        if !m.sappair_other[pairs.clone()].is_sorted() {
            return wrong();
        }
        for pair in pairs {
            let (other, group) = (m.sappair_other[pair] as usize, m.sappair_group[pair] as usize);
            let adr = m.sapgroup_adr[group] as usize;
            let own = |c: usize| {
                let (a, b) = (m.candidate_geom1[c], m.candidate_geom2[c]);
                holds(k, a) && holds(other, b) || holds(k, b) && holds(other, a)
            };
            if other <= k || !once(group) || !(adr..adr + m.sapgroup_num[group] as usize).all(own) {
                return wrong();
            }
        }
    }
    if seen.contains(&false) { wrong() } else { Ok(()) }
}

/// Checks that connects and welds have two bodies or two sites.
fn equalities(m: &Model) -> ReadResult<()> {
    let rigid = |e: &usize| [equality::CONNECT, equality::WELD].contains(&m.eq_type[*e]);
    let loose = |e: &usize| ![object::BODY, object::SITE].contains(&m.eq_objtype[*e]) || m.eq_obj2id[*e] < 0;
    match (0..m.sizes.neq).filter(rigid).find(loose) {
        Some(e) => Err(format!("has equality constraint {e} without two bodies or sites")),
        None => Ok(()),
    }
}
