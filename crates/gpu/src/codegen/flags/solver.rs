//! Flags of the solver and its sparsity.

use super::constraint::{has_passive_contacts, is_elliptic};
use super::{Room, has_contacts};
use crate::codegen::row_width::narrow_row_width;
use crate::codegen::tiling::{Tiling, WorkingSetSpace};
use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::{disable, edgeequality, enable, solver};

pub(super) fn flags(model: &Model, tiling: Tiling) -> Room {
    let mut room = vec![
        ("SPARSE", tiling.placement != WorkingSetSpace::Registers && model.sizes.ntree > 1),
        ("NARROW_ROWS", tiling.placement != WorkingSetSpace::Registers && narrow_row_width(model) > 0),
        ("BY_TREE", are_trees_of_lanes(model, tiling)),
        ("NOSLIP", model.opt_noslip_iterations[0] > 0),
        ("DUAL", model.is_dual()),
        ("DUAL_PYRAMIDAL", model.is_dual() && has_contacts(model)),
        ("DUAL_ELLIPTIC", model.is_dual() && is_elliptic(model)),
        // the metric has the acceleration of a step anyway
        ("INVDISCRETE", model.enabled(enable::INVDISCRETE) && !model.is_discrete()),
        ("DISCRETE", model.is_discrete()),
        ("METRIC_TERMS", has_metric_terms(model)),
        ("METRIC_FLEX", has_metric_flexes(model)),
        ("METRIC_NODES", has_metric_cells(model)),
        ("METRIC_PASSIVE", has_metric_contacts(model)),
        ("METRIC_COUPLED", is_coupled(model)),
    ];
    // a flag of its own name for each solver
    room.extend(solver::ALL.iter().map(|&(name, value)| (name, model.opt_solver[0] == value)));
    room
}

/// True if the inertia is factored faster by lanes that have a tree each, one after the other, than by lanes that share the
/// columns of one degree of freedom after the other.
fn are_trees_of_lanes(model: &Model, tiling: Tiling) -> bool {
    // instructions of loops, about: for a degree of freedom, with barriers or without, and for an element of its row
    const SHARED: usize = 40;
    const OWN: usize = 20;
    const ELEMENT: usize = 8;
    let row = |dof: usize| model.M_rownnz[dof].max(1) as usize;
    let of_row = |n: usize| (n - 1).div_ceil(tiling.lanes) * n * ELEMENT;
    let shared: usize = (0..model.sizes.nv).map(|dof| SHARED + of_row(row(dof))).sum();
    let of_tree = |tree: usize| -> usize {
        let first = model.tree_dofadr[tree] as usize;
        (first..first + model.tree_dofnum[tree] as usize)
            .map(|dof| OWN + (row(dof) - 1) * row(dof) / 2 * ELEMENT)
            .sum()
    };
    // each turn takes as long as its largest tree
    let trees: Vec<usize> = (0..model.sizes.ntree).map(of_tree).collect();
    let own: usize = trees.chunks(tiling.lanes).map(|turn| turn.iter().copied().max().unwrap_or(0)).sum();
    tiling.lanes > 1 && own < shared
}

/// True if the metric of the integrator discrete can have elements outside of the pattern of the inertia.
pub(crate) fn is_coupled(model: &Model) -> bool {
    has_metric_terms(model) || is_coupled_by_flexes(model)
}

/// True if tendons or actuators can couple degrees of freedom in the metric of the integrator discrete.
fn has_metric_terms(model: &Model) -> bool {
    let is_soft = |ten: usize| {
        let pairs = [&model.tendon_stiffnesspoly, &model.tendon_dampingpoly];
        let own = [&model.tendon_stiffness, &model.tendon_damping].iter().any(|v| v[ten] != 0.0);
        own || model.tendon_actuatorid[ten] != -1 || pairs.iter().any(|v| v[2 * ten..2 * ten + 2] != [0.0; 2])
    };
    let tendons = (0..model.sizes.ntendon).any(|ten| model.ten_J_rownnz[ten] > 1 && is_soft(ten));
    let actuators = !model.disabled(disable::ACTUATION) && model.moment_rownnz.iter().any(|n| *n > 1);
    model.is_discrete() && model.opt_solver[0] != solver::PGS && (tendons || actuators)
}

/// True if springs of passive contacts are in the metric of the integrator discrete, the only one that has them.
pub(crate) fn has_metric_contacts(model: &Model) -> bool {
    has_passive_contacts(model) && !model.disabled(disable::SPRING)
}

/// True if flexes couple degrees of freedom in the metric of the integrator discrete.
pub(crate) fn is_coupled_by_flexes(model: &Model) -> bool {
    has_metric_flexes(model) || has_metric_cells(model) || has_metric_contacts(model)
}

/// True if cells or faces of flexes between nodes are in the metric of the integrator discrete.
fn has_metric_cells(model: &Model) -> bool {
    let is_elastic = |f: usize| {
        let is_strained = model.flex_edgeequality[f] == edgeequality::STRAIN;
        model.flex_interp[f] != 0
            && model.flex_stiffnessadr[f] >= 0
            && model.flex_rigid[f] == 0
            && !is_strained
    };
    let passive = !model.disabled(disable::SPRING) || !model.disabled(disable::DAMPER);
    model.is_discrete() && passive && (0..model.sizes.nflex).any(is_elastic)
}

/// True if elements of flexes are in the metric of the integrator discrete.
fn has_metric_flexes(model: &Model) -> bool {
    let is_elastic = |f: usize| {
        let stretches = model.flex_stiffnessadr[f] >= 0 && model.flex_dim[f] > 1;
        let is_on_vertices = model.flex_rigid[f] == 0 && model.flex_interp[f] == 0;
        is_on_vertices && (stretches || model.flex_bendingadr[f] >= 0)
    };
    let passive = !model.disabled(disable::SPRING) || !model.disabled(disable::DAMPER);
    model.is_discrete() && passive && (0..model.sizes.nflex).any(is_elastic)
}
