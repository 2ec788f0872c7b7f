//! Width of the rows of the constraint Jacobian, as kernels keep them.

use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::{equality, geom};

/// Fewest degrees of freedom of a world whose rows are kept without what lies outside of their trees: more than registers
/// and the variables of lanes hold. With fewer, whole rows are short, and to look for their places costs more than it saves.
const MIN_DOFS: usize = 128;
/// Degrees of freedom of a tile: a row has whole ones, and a whole number of them.
pub(crate) const TILE: usize = 4;

/// Elements that kernels keep of a row of the Jacobian: room for two trees, or for what a tendon or elements of flexes span. Zero where they keep
/// whole rows: in small worlds, where this would be more than half of a row, and for dual solvers, which keep whole rows of
/// `M⁻¹ J'` beside them.
pub(crate) fn narrow_row_width(model: &Model) -> usize {
    let nv = model.sizes.nv;
    if nv < MIN_DOFS || model.is_dual() {
        return 0;
    }
    let sides = two_trees(model).max(flex_sides(model)).max(flex_rows(model));
    let width = sides.max(widest_tendons(model)).next_multiple_of(TILE);
    if 2 * width <= nv { width } else { 0 }
}

/// Degrees of freedom of the two largest trees.
fn two_trees(model: &Model) -> usize {
    let mut trees: Vec<usize> = model.tree_dofnum.iter().filter_map(|n| usize::try_from(*n).ok()).collect();
    trees.sort_unstable_by(|a, b| b.cmp(a));
    trees.iter().take(2).sum()
}

/// Most degrees of freedom that the two sides of a contact of a flex span: of an element those from the first of its vertices
/// to the last, of a vertex or a geom those of a tree. Planes touch vertices.
fn flex_sides(model: &Model) -> usize {
    let tree = model.tree_dofnum.iter().copied().max().unwrap_or(0) as usize;
    let widest: Vec<usize> = (0..model.sizes.nflex).map(|f| widest_side(model, f)).collect();
    let of_pair = |pair: usize| {
        let [one, f] = [0, 1].map(|k| usize::try_from(model.flexpair_flex[2 * pair + k]).ok());
        let element = f.map_or(0, |f| widest[f]);
        let other = one.map_or(tree, |one| widest[one].max(tree));
        let geom = usize::try_from(model.flexpair_geom[pair]).ok();
        let is_vertex = |f: usize| model.flex_interp[f] == 0;
        match geom {
            Some(g) if model.geom_type[g] == geom::PLANE && f.is_some_and(is_vertex) => tree + other,
            _ => element.max(tree) + other,
        }
    };
    (0..model.sizes.nflexpair).map(of_pair).max().unwrap_or(0)
}

/// Degrees of freedom from the first tree to the last that some bodies move with.
fn span(model: &Model, bodies: impl Iterator<Item = i32>) -> usize {
    let trees = bodies.filter_map(|body| usize::try_from(body).ok()).map(|body| model.body_treeid[body]);
    let trees: Vec<usize> = trees.filter_map(|tree| usize::try_from(tree).ok()).collect();
    let begin = trees.iter().map(|&tree| model.tree_dofadr[tree]).min();
    let end = trees.iter().map(|&tree| model.tree_dofadr[tree] + model.tree_dofnum[tree]).max();
    begin.zip(end).map_or(0, |(begin, end)| (end - begin) as usize)
}

/// Most degrees of freedom from the first tree to the last of what a side of a contact of a flex moves with: of the vertices of
/// an element, the nodes of a cell, or, inside of which nodes stand between all sides, the nodes of a shell.
fn widest_side(model: &Model, f: usize) -> usize {
    let body = |node: &i32| model.flex_nodebodyid[*node as usize];
    if model.flex_interp[f] < 0 {
        let first = model.flex_nodeadr[f];
        return span(model, (first..first + model.flex_nodenum[f]).map(|node| body(&node)));
    }
    if model.flex_interp[f] > 0 {
        return widest_cell(model, f);
    }
    let corners = model.flex_dim[f] as usize + 1;
    let (first, adr) = (model.flex_vertadr[f] as usize, model.flex_elemdataadr[f] as usize);
    let elements = model.flex_elem[adr..adr + corners * model.flex_elemnum[f] as usize].chunks(corners);
    let bodies = |vert: &i32| model.flex_vertbodyid[first + *vert as usize];
    elements.map(|verts| span(model, verts.iter().map(bodies))).max().unwrap_or(0)
}

/// Most degrees of freedom from the first tree to the last of the nodes of a cell or face.
fn widest_cell(model: &Model, f: usize) -> usize {
    let of_patch = |patch: usize| {
        let adr = model.flexpatch_nodeadr[patch] as usize;
        let nodes = &model.flexpatch_node[adr..adr + model.flexpatch_nodenum[patch] as usize];
        span(model, nodes.iter().map(|node| model.flex_nodebodyid[*node as usize]))
    };
    let first = model.flex_patchadr[f] as usize;
    (first..first + model.flex_patchnum[f] as usize).map(of_patch).max().unwrap_or(0)
}

/// Most degrees of freedom from the first tree to the last of a row of an equality constraint of a flex: of an edge, of the
/// edges around a vertex, or of a cell.
fn flex_rows(model: &Model) -> usize {
    let around = |vert: usize| {
        let adr = model.flexvert_J_rowadr[2 * vert] as usize;
        let columns = &model.flexvert_J_colind[adr..adr + model.flexvert_J_rownnz[2 * vert] as usize];
        span(model, columns.iter().map(|dof| model.dof_bodyid[*dof as usize]))
    };
    let of_constraint = |(eq, kind): (usize, &i32)| {
        let f = model.eq_obj1id[eq] as usize;
        let verts = || model.flex_vertadr[f]..model.flex_vertadr[f] + model.flex_vertnum[f];
        match *kind {
            equality::FLEXVERT => verts().map(|vert| around(vert as usize)).max().unwrap_or(0),
            equality::FLEXSTRAIN => widest_cell(model, f),
            _ => 0,
        }
    };
    model.eq_type.iter().enumerate().map(of_constraint).max().unwrap_or(0)
}

/// Most degrees of freedom between the first and the last of a tendon, or of two that an equality constraint couples, in
/// whole tiles.
fn widest_tendons(model: &Model) -> usize {
    let span = |ten: i32| {
        let ten = usize::try_from(ten).ok()?;
        let adr = usize::try_from(model.ten_J_rowadr[ten]).ok()?;
        let count = usize::try_from(model.ten_J_rownnz[ten]).ok()?;
        let dofs = &model.ten_J_colind[adr..adr + count];
        Some((*dofs.iter().min()?, *dofs.iter().max()?))
    };
    let tendons = (0..).take(model.sizes.ntendon).map(span);
    let couplings = model.eq_type.iter().enumerate().filter(|(_, kind)| **kind == equality::TENDON).map(
        |(eq, _)| match (span(model.eq_obj1id[eq]), span(model.eq_obj2id[eq])) {
            (Some(one), Some(two)) => Some((one.0.min(two.0), one.1.max(two.1))),
            (one, two) => one.or(two),
        },
    );
    let width =
        |(first, last): (i32, i32)| usize::try_from(last - first).map_or(0, |n| n + 1 + 2 * (TILE - 1));
    tendons.chain(couplings).flatten().map(width).max().unwrap_or(0)
}
