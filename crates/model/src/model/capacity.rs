//! What a model can need at most.

use super::Model;
use super::data::Capacity;
use crate::schema::enums::{disable, joint};
use crate::schema::shape_pairs::shape_pair;

/// Upper bound on contacts and constraint rows of a model.
pub fn max_capacity(model: &Model) -> Capacity {
    if model.disabled(disable::CONSTRAINT) {
        return Capacity::NONE;
    }
    let mut most = Capacity { nconmax: 0, njmax: max_noncontact_rows(model) };
    for p in 0..model.sizes.ncandidate {
        let (a, b) = (model.candidate_geom1[p] as usize, model.candidate_geom2[p] as usize);
        let contacts = shape_pair((model.geom_type[a], model.geom_type[b])).map_or(0, |pair| pair.contacts);
        let dim = match usize::try_from(model.candidate_pair[p]) {
            Ok(pair) => model.pair_dim[pair],
            Err(_) => model.geom_condim[a].max(model.geom_condim[b]),
        };
        most.nconmax = most.nconmax.saturating_add(contacts);
        most.njmax = most.njmax.saturating_add(contacts * rows_per_contact(dim, model.has_elliptic_cones()));
    }
    most
}

/// Rows of a contact of that dimension.
fn rows_per_contact(dim: i32, elliptic: bool) -> usize {
    let dim = dim.max(1) as usize;
    if !elliptic && dim > 1 { 2 * (dim - 1) } else { dim }
}

/// Upper bound on constraint rows other than contacts.
fn max_noncontact_rows(model: &Model) -> usize {
    let positive = |v: &[f64]| v.iter().filter(|&&x| x > 0.0).count();
    let limits = (0..model.sizes.njnt).filter(|&j| model.jnt_limited[j] != 0);
    let of_joint = |j: usize| if model.jnt_type[j] == joint::BALL { 1 } else { 2 };
    let tendons = model.tendon_limited.iter().filter(|&&x| x != 0).count();
    6 * model.sizes.neq
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
