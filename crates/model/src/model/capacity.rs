//! What a model can need at most.

use std::collections::BTreeMap;

use super::Model;
use super::data::Capacity;
use crate::schema::enums::{disable, equality, geom, joint};
use crate::schema::shape_pairs::{Method, shape_pair};

/// Most contacts of a height field and an element of a flex.
const HFIELD_CONTACTS: usize = 50;

/// Upper bound on contacts and constraint rows of a model.
pub fn max_capacity(model: &Model) -> Capacity {
    if model.disabled(disable::CONSTRAINT) {
        return Capacity::NONE;
    }
    let mut most = Capacity { nconmax: 0, njmax: max_noncontact_rows(model) };
    let mut add = |types: (i32, i32), dim: i32, pairs: usize| {
        let of_pair = shape_pair(types).map_or(0, |pair| match pair.method {
            Method::Field => field_contacts(model, types),
            _ => pair.contacts,
        });
        let contacts = of_pair.saturating_mul(pairs);
        let rows = contacts.saturating_mul(rows_per_contact(dim, model.has_elliptic_cones()));
        most.nconmax = most.nconmax.saturating_add(contacts);
        most.njmax = most.njmax.saturating_add(rows);
    };
    for p in 0..model.sizes.ncandidate {
        let (a, b) = (model.candidate_geom1[p] as usize, model.candidate_geom2[p] as usize);
        let dim = match usize::try_from(model.candidate_pair[p]) {
            Ok(pair) => model.pair_dim[pair],
            Err(_) => model.geom_condim[a].max(model.geom_condim[b]),
        };
        add((model.geom_type[a], model.geom_type[b]), dim, 1);
    }
    if !model.lists_all_candidates() {
        // any two geoms of two kinds
        let mut kinds = BTreeMap::new();
        for &g in &model.sap_geom {
            let kind = (model.geom_type[g as usize], model.geom_condim[g as usize]);
            *kinds.entry(kind).or_insert(0usize) += 1;
        }
        for (k, (one, n)) in kinds.iter().enumerate() {
            add((one.0, one.0), one.1, n.saturating_mul(n - 1) / 2);
            for (two, count) in kinds.iter().skip(k + 1) {
                add((one.0, two.0), one.1.max(two.1), n.saturating_mul(*count));
            }
        }
    }
    for (contacts, dim) in flex_contacts(model) {
        most.nconmax = most.nconmax.saturating_add(contacts);
        let rows = contacts.saturating_mul(rows_per_contact(dim, model.has_elliptic_cones()));
        most.njmax = most.njmax.saturating_add(rows);
    }
    most
}

/// Most contacts of each geom with each flex, and of each two flexes, and their dimension.
fn flex_contacts(model: &Model) -> impl Iterator<Item = (usize, i32)> + '_ {
    let flexes = (0..model.sizes.nflex).flat_map(move |one| {
        (one..model.sizes.nflex).map(move |two| {
            let [k, l] = [one, two].map(|f| model.flex_elemnum[f] as usize);
            let collides = (model.flex_contype[one] & model.flex_conaffinity[two])
                | (model.flex_contype[two] & model.flex_conaffinity[one]);
            let none = collides == 0 || (one == two && model.flex_selfcollide[one] == 0);
            let contacts = if none { 0 } else { k.saturating_mul(l).saturating_mul(2) };
            (contacts, model.flex_condim[one].max(model.flex_condim[two]))
        })
    });
    flexes.chain(geom_contacts(model))
}

/// Most contacts of each geom with each flex, and their dimension.
fn geom_contacts(model: &Model) -> impl Iterator<Item = (usize, i32)> + '_ {
    (0..model.sizes.nflex).flat_map(move |f| {
        let collides = move |g: &usize| {
            let (one, other) =
                (model.geom_contype[*g] & model.flex_conaffinity[f], model.geom_conaffinity[*g]);
            one | (model.flex_contype[f] & other) != 0
        };
        (0..model.sizes.ngeom).filter(collides).map(move |g| {
            let elements = model.flex_elemnum[f] as usize;
            let contacts = match (model.geom_type[g], model.flex_dim[f]) {
                (geom::PLANE, _) => model.flex_vertnum[f] as usize,
                (geom::HFIELD, _) => elements.saturating_mul(HFIELD_CONTACTS),
                // corners of both, or ends and corners
                (geom::BOX, 2) => elements.saturating_mul(11),
                (geom::CAPSULE, 2) => elements.saturating_mul(5),
                (geom::SDF, 2) => elements.saturating_mul(searches_of_triangle(model)),
                (_, 1) => elements.saturating_mul(2),
                _ => elements,
            };
            (contacts, model.geom_condim[g].max(model.flex_condim[f]))
        })
    })
}

/// Most contacts of a geom and a signed distance field: one for each start, and one for each corner of the triangles of
/// a mesh or a height field.
fn field_contacts(model: &Model, types: (i32, i32)) -> usize {
    let of_triangle = searches_of_triangle(model);
    match types.0 {
        geom::MESH => of_triangle.saturating_mul(model.sizes.nmeshface),
        geom::HFIELD => of_triangle.saturating_mul(2 * model.sizes.nhfielddata),
        _ => model.opt_sdf_initpoints[0].max(0) as usize,
    }
}

/// Most contacts of a triangle and a signed distance field.
fn searches_of_triangle(model: &Model) -> usize {
    let starts = model.opt_sdf_initpoints[0].max(0) as usize;
    if model.opt_sdf_iterations[0] > 0 { starts.min(3) } else { starts }
}

/// Rows of a contact of that dimension.
fn rows_per_contact(dim: i32, elliptic: bool) -> usize {
    let dim = dim.max(1) as usize;
    if !elliptic && dim > 1 { 2 * (dim - 1) } else { dim }
}

/// Most rows of an equality constraint on a flex; none of others.
fn flex_rows(model: &Model, e: usize) -> usize {
    let Ok(f) = usize::try_from(model.eq_obj1id[e]) else { return 0 };
    match model.eq_type[e] {
        equality::FLEX => model.flex_edgenum[f] as usize,
        equality::FLEXVERT => 2 * model.flex_vertnum[f] as usize,
        equality::FLEXSTRAIN => model.flex_patch_coordinates(f),
        _ => 0,
    }
}

/// Upper bound on constraint rows other than contacts.
fn max_noncontact_rows(model: &Model) -> usize {
    let positive = |v: &[f64]| v.iter().filter(|&&x| x > 0.0).count();
    let limits = (0..model.sizes.njnt).filter(|&j| model.jnt_limited[j] != 0);
    let of_joint = |j: usize| if model.jnt_type[j] == joint::BALL { 1 } else { 2 };
    let tendons = model.tendon_limited.iter().filter(|&&x| x != 0).count();
    6 * model.sizes.neq
        + (0..model.sizes.neq).map(|e| flex_rows(model, e)).sum::<usize>()
        + positive(&model.dof_frictionloss)
        + positive(&model.tendon_frictionloss)
        + limits.map(of_joint).sum::<usize>()
        + 2 * tendons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pyramids_have_two_rows_a_direction() {
        assert_eq!([1, 3, 6].map(|dim| rows_per_contact(dim, false)), [1, 4, 10]);
        assert_eq!([1, 3, 6].map(|dim| rows_per_contact(dim, true)), [1, 3, 6]);
    }
}
