//! Flexes of a file: their numbers are within their lists, and the columns of their edges are those of their bodies.

use std::collections::BTreeSet;

use super::ReadResult;
use crate::model::Model;
use crate::model::incidence::{FlexPairs, Grouped, Incidence, Patches};
use crate::model::patches::{BEND, FOLD};
use crate::schema::enums::{edgeequality, equality};

/// Numbers of elements of each dimension: edges, and of `flex_stiffness`.
const EDGES: [usize; 3] = [1, 3, 6];
const STIFFNESS: [usize; 3] = [0, 21, 24];

/// Numbers of an edge of a shell in `flex_bending`.
const HINGE: usize = 17;

/// Checks all flexes, and that constraints of flexes have one.
pub(super) fn check(m: &Model) -> ReadResult<()> {
    for f in 0..m.sizes.nflex {
        let dim = usize::try_from(m.flex_dim[f]).unwrap_or(0);
        if !(1..=3).contains(&dim) {
            return Err(format!("has flex {f} of dimension {}", m.flex_dim[f]));
        }
        let sound = elements(m, f, dim) && on_bodies(m, f) && elasticity(m, f, dim);
        if !sound {
            return Err(format!("has flex {f} with numbers that do not fit each other"));
        }
        if !nodes(m, f) {
            return Err(format!("has flex {f} with nodes or cells that do not fit each other"));
        }
        if !(columns(m, f) && strains(m, f)) {
            return Err(format!("has flex {f} with other columns than those of its edges"));
        }
    }
    if !lists(m) {
        return Err("has other lists of what meets at edges and vertices than those of its flexes".to_owned());
    }
    let ties = [equality::FLEX, equality::FLEXVERT, equality::FLEXSTRAIN];
    for e in (0..m.sizes.neq).filter(|e| ties.contains(&m.eq_type[*e])) {
        if !usize::try_from(m.eq_obj1id[e]).is_ok_and(|f| f < m.sizes.nflex) {
            return Err(format!("has constraint {e} of a flex that is not there"));
        }
        if m.eq_type[e] == equality::FLEXSTRAIN && !patch(m, e) {
            return Err(format!("has constraint {e} of a cell that is not there"));
        }
    }
    Ok(())
}

/// True if the lists of what meets at edges, vertices and bodies are those of the flexes.
fn lists(m: &Model) -> bool {
    let Incidence { sides, ends, hinges, verts, tied, tied_verts, patches: cells } = Incidence::of(m);
    of(&m.flexedge_sideadr, &m.flexedge_sidenum, &m.flexedge_side, &sides)
        && of(&m.flexvert_endadr, &m.flexvert_endnum, &m.flexvert_end, &ends)
        && of(&m.flexvert_hingeadr, &m.flexvert_hingenum, &m.flexvert_hinge, &hinges)
        && of(&m.body_flexvertadr, &m.body_flexvertnum, &m.body_flexvert, &verts)
        && (&m.flexedge_tied, &m.flex_tiednum) == (&tied.0, &tied.1)
        && (&m.flexvert_tied, &m.flex_tiedvertnum) == (&tied_verts.0, &tied_verts.1)
        && patches(m, &cells)
        && pairs(m)
}

/// True if groups are those that they should be.
fn of(adr: &[i32], num: &[i32], list: &[i32], own: &Grouped) -> bool {
    adr == own.adr && num == own.num && list == own.list
}

/// True if the lists of cells and faces are those of the grids of nodes.
fn patches(m: &Model, own: &Patches) -> bool {
    (&m.flex_patchadr, &m.flex_patchnum) == (&own.of_flex.0, &own.of_flex.1)
        && m.flexpatch_normal == own.normal
        && of(&m.flexpatch_nodeadr, &m.flexpatch_nodenum, &m.flexpatch_node, &own.nodes)
        && of(&m.flexnode_patchadr, &m.flexnode_patchnum, &m.flexnode_patch, &own.around)
        && (&m.flex_foldadr, &m.flex_foldnum) == (&own.folds_of_flex.0, &own.folds_of_flex.1)
        && of(&m.flexpatch_foldadr, &m.flexpatch_foldnum, &m.flexpatch_fold, &own.folds)
        && of(&m.body_flexnodeadr, &m.body_flexnodenum, &m.body_flexnode, &own.on_body)
}

/// True if the list of what flexes may touch is theirs.
fn pairs(m: &Model) -> bool {
    let FlexPairs { geom, flex, candidate } = FlexPairs::of(m);
    m.flexpair_geom == geom && m.flexpair_flex == flex && m.flexpair_candidate == candidate
}

/// Part of a list from a place on; none if the list is shorter.
fn part(list: &[i32], first: i32, count: Option<usize>) -> Option<&[i32]> {
    let first = usize::try_from(first).ok()?;
    list.get(first..first.checked_add(count?)?)
}

/// True if all numbers are from zero to before another, or none where that may be.
fn within(list: &[i32], end: i32, may_be_none: bool) -> bool {
    list.iter().all(|&id| id < end && id >= -i32::from(may_be_none))
}

/// True if elements, edges, borders and texture coordinates are those of the flex's vertices.
fn elements(m: &Model, f: usize, dim: usize) -> bool {
    let count = |n: i32, each: usize| usize::try_from(n).ok().and_then(|n| n.checked_mul(each));
    let (verts, edges) = (m.flex_vertnum[f], m.flex_edgenum[f]);
    let elems = m.flex_elemnum[f];
    let corners = part(&m.flex_elem, m.flex_elemdataadr[f], count(elems, dim + 1));
    let sides = part(&m.flex_elemedge, m.flex_elemedgeadr[f], count(elems, EDGES[dim - 1]));
    let first = 2 * m.flex_edgeadr[f];
    let ends = part(&m.flex_edge, first, count(edges, 2));
    let flaps = part(&m.flex_edgeflap, first, count(edges, 2));
    let shell = m.flex_shellnum[f] == 0
        || part(&m.flex_shell, m.flex_shelldataadr[f], count(m.flex_shellnum[f], dim))
            .is_some_and(|list| within(list, verts, false));
    let texture = || {
        let left = m.sizes.nflextexcoord as i32 - m.flex_texcoordadr[f];
        part(&m.flex_elemtexcoord, m.flex_elemdataadr[f], count(elems, dim + 1))
            .is_some_and(|list| within(list, left, false))
    };
    corners.is_some_and(|list| within(list, verts, false))
        && sides.is_some_and(|list| within(list, edges, false))
        && ends.is_some_and(|list| within(list, verts, false))
        && flaps.is_some_and(|list| within(list, verts, true))
        && shell
        && (m.flex_texcoordadr[f] < 0 || texture())
}

/// True if each vertex is on a body, or is between nodes.
fn on_bodies(m: &Model, f: usize) -> bool {
    let between = m.flex_interp[f] != 0;
    let verts = m.flex_vertadr[f] as usize..(m.flex_vertadr[f] + m.flex_vertnum[f]) as usize;
    (-2..=2).contains(&m.flex_interp[f]) && m.flex_vertbodyid[verts].iter().all(|body| (*body < 0) == between)
}

/// True if the numbers of elasticity are as many as the elements have.
fn elasticity(m: &Model, f: usize, dim: usize) -> bool {
    // those of cells: with the nodes
    if m.flex_interp[f] != 0 {
        return true;
    }
    let (elems, edges) = (m.flex_elemnum[f] as usize, m.flex_edgenum[f] as usize);
    let holds = |list: &[f64], first: i32, count: Option<usize>| {
        let Ok(first) = usize::try_from(first) else { return true };
        count.and_then(|count| first.checked_add(count)).is_some_and(|end| end <= list.len())
    };
    let stretches = holds(&m.flex_stiffness, m.flex_stiffnessadr[f], elems.checked_mul(STIFFNESS[dim - 1]));
    let first = m.flex_bendingadr[f];
    if dim == 2 || first < 0 {
        return stretches && holds(&m.flex_bending, first, edges.checked_mul(HINGE));
    }
    // a rod says how often it bends
    let Some(&times) = m.flex_bending.get(first as usize) else { return false };
    let whole = |x: f64, end: f64| x >= 0.0 && x.fract() == 0.0 && x < end;
    if dim != 1 || !whole(times, m.flex_bending.len() as f64) {
        return false;
    }
    let bends = BEND * times as usize;
    let list = m.flex_bending.get(first as usize + 1..first as usize + 1 + bends);
    let verts = f64::from(m.flex_vertnum[f]);
    stretches && list.is_some_and(|list| list.chunks(BEND).all(|b| b[..3].iter().all(|v| whole(*v, verts))))
}

/// True if the nodes of an interpolated flex are a grid of cells, and its elasticity is that of the cells or faces.
fn nodes(m: &Model, f: usize) -> bool {
    if m.flex_interp[f] == 0 {
        return true;
    }
    let order = m.flex_interp[f].unsigned_abs() as usize;
    let cells = &m.flex_cellnum[3 * f..3 * f + 3];
    let side =
        |cells: &i32| usize::try_from(*cells).ok().filter(|n| *n > 0)?.checked_mul(order)?.checked_add(1);
    let count = cells.iter().try_fold(1_usize, |product, n| product.checked_mul(side(n)?));
    if count != Some(m.flex_nodenum[f] as usize) {
        return false;
    }
    let (patches, coordinates) = (m.flex_patches(f), m.flex_patch_coordinates(f));
    let size = coordinates * coordinates;
    if let Ok(first) = usize::try_from(m.flex_stiffnessadr[f]) {
        let Some(blocks) =
            patches.checked_mul(size).and_then(|n| m.flex_stiffness.get(first..first.checked_add(n)?))
        else {
            return false;
        };
        // modes come with their number
        let modes = |block: &[f64]| {
            let most = (size - 1) / coordinates;
            block[0] >= 0.0 && block[0].fract() == 0.0 && block[0] <= most as f64
        };
        if m.flex_edgeequality[f] == edgeequality::STRAIN && !blocks.chunks_exact(size).all(modes) {
            return false;
        }
    }
    let Ok(first) = usize::try_from(m.flex_bendingadr[f]) else { return true };
    let whole = |x: f64, end: f64| x >= 0.0 && x.fract() == 0.0 && x < end;
    let Some(&folds) = m.flex_bending.get(first) else { return false };
    if m.flex_interp[f] > 0 || !whole(folds, m.flex_bending.len() as f64) {
        return false;
    }
    let list = m.flex_bending.get(first + 1..first + 1 + FOLD * folds as usize);
    list.is_some_and(|list| list.chunks(FOLD).all(|fold| fold[..2].iter().all(|k| whole(*k, patches as f64))))
}

/// True if a constraint of strain acts on a cell or face that is there.
fn patch(m: &Model, e: usize) -> bool {
    let f = m.eq_obj1id[e] as usize;
    let (at, cells) = (&m.eq_data[12 * e..12 * e + 3], &m.flex_cellnum[3 * f..3 * f + 3]);
    let below = |x: f64, end: f64| x >= 0.0 && x < end;
    if m.flex_interp[f] < 0 {
        return at[1] < 0.0 && below(at[0], m.flex_patches(f) as f64);
    }
    m.flex_interp[f] > 0 && at.iter().zip(cells).all(|(x, n)| below(*x, f64::from(*n)))
}

/// True if both rows of each constrained vertex have the same columns, and its edges are of the flex.
fn strains(m: &Model, f: usize) -> bool {
    let verts = m.flex_vertadr[f] as usize..(m.flex_vertadr[f] + m.flex_vertnum[f]) as usize;
    let edges = m.flex_edgenum[f];
    verts.into_iter().all(|vert| {
        let row = |k: usize| {
            let (adr, count) = (m.flexvert_J_rowadr[2 * vert + k], m.flexvert_J_rownnz[2 * vert + k]);
            part(&m.flexvert_J_colind, adr, usize::try_from(count).ok())
        };
        let around =
            part(&m.flex_vertedge, m.flex_vertedgeadr[vert], usize::try_from(m.flex_vertedgenum[vert]).ok());
        row(0).is_some_and(|one| Some(one) == row(1) && one.is_sorted_by(|a, b| a < b))
            && around.is_some_and(|list| within(list, edges, false))
    })
}

/// True if the row of each edge has the columns of the bodies at its ends, or none.
fn columns(m: &Model, f: usize) -> bool {
    if m.flex_interp[f] != 0 {
        return true;
    }
    let first = m.flex_edgeadr[f] as usize;
    (first..first + m.flex_edgenum[f] as usize).all(|edge| {
        let at = m.flexedge_J_rowadr[edge] as usize;
        let row = &m.flexedge_J_colind[at..at + m.flexedge_J_rownnz[edge] as usize];
        let body = |end: usize| {
            m.flex_vertbodyid[(m.flex_vertadr[f] + m.flex_edge[2 * edge + end]) as usize].max(0) as usize
        };
        let dofs = [body(0), body(1)].into_iter().flat_map(|body| m.dofs_of(body));
        let own: BTreeSet<i32> = dofs.map(|dof| dof as i32).collect();
        row.is_empty() || row.iter().eq(&own)
    })
}
