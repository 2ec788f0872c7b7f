//! Checks of collision candidates, equality constraints and cables, in a model from a file.

use crate::model::Model;
use crate::model::features::shape_sizes;
use crate::schema::enums::{equality, geom, joint, object};

use super::ReadResult;

/// Dimensions of a contact.
const DIMENSIONS: [i32; 4] = [1, 3, 4, 6];

/// Checks geoms, candidates, equality constraints and cables.
pub(crate) fn check(m: &Model) -> ReadResult<()> {
    geoms(m)?;
    candidates(m)?;
    body_pairs(m)?;
    sweep_and_prune(m)?;
    equalities(m)?;
    cables(m)
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
    if m.candidate_treeend != m.candidate_tree_ends() {
        return Err("has candidates of other trees than those that it says".to_owned());
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
    if next == m.sizes.ncandidate || !m.lists_all_candidates() {
        Ok(())
    } else {
        Err("has candidates without a body pair".to_owned())
    }
}

/// Checks that the sweep holds each bounded geom that can collide once, and that all other candidates are tested without it.
fn sweep_and_prune(m: &Model) -> ReadResult<()> {
    if m.sizes.nsap == 0 {
        return if m.sizes.nsaprest > 0 { Err("has candidates without a sweep".to_owned()) } else { Ok(()) };
    }
    let collides = |g: &usize| m.geom_contype[*g] != 0 || m.geom_conaffinity[*g] != 0;
    let bounded = (0..m.sizes.ngeom).filter(|g| collides(g) && !m.is_unbounded(*g)).map(|g| g as i32);
    if !bounded.eq(m.sap_geom.iter().copied()) {
        return Err("sweeps other geoms than those that can collide".to_owned());
    }
    let rest = |c: &usize| m.candidate_pair[*c] >= 0 || m.is_unbounded(m.candidate_geom1[*c] as usize);
    let rest = (0..m.sizes.ncandidate).filter(rest).map(|c| c as i32);
    if !rest.eq(m.sap_rest.iter().copied()) {
        let wrong =
            "tests other candidates without a sweep than those of geoms without bounds and explicit pairs";
        return Err(wrong.to_owned());
    }
    // pairs and exclusions are sought by their signatures
    if !m.pair_signature.is_sorted() || !m.exclude_signature.is_sorted() {
        return Err("has pairs or exclusions that are not in their order".to_owned());
    }
    let explicit = (0..m.sizes.npair).filter(|p| {
        let [g1, g2] = [m.pair_geom1[*p], m.pair_geom2[*p]];
        m.candidate_of(g1 as usize, g2 as usize, 0).is_some()
    });
    if m.candidate_pair.iter().filter(|p| **p >= 0).count() != explicit.count() {
        return Err("lacks explicit pairs among the candidates".to_owned());
    }
    Ok(())
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

/// Checks that cables bend at ball joints, each of which is named once.
fn cables(m: &Model) -> ReadResult<()> {
    let ball = |jnt: &i32| m.jnt_type[*jnt as usize] == joint::BALL;
    if m.cable_jntid.iter().all(ball) && m.cable_jntid.is_sorted_by(|a, b| a < b) {
        Ok(())
    } else {
        Err("has cables that do not bend at ball joints, each at its own".to_owned())
    }
}
