//! Rows of equality constraints on flexes: lengths of edges, strain around vertices, strain of cells or faces.
//!
//! A row of a cell measures one mode `v` of its strain, `v · (R'x - X)`, where `R` is its rotation, which counts as fixed (see
//! `smooth/cells`); the modes are eigenvectors of a stiffness matrix, and are compiled in the place of the stiffness.

use super::claim::claim_rows;
use super::row_parameters::{RowParameters, RowSpring, solimp, solref, write_row, write_row_with};
use super::row_span::{body_dof_range, range_union};
use crate::math::{Mat3, vec3};
use crate::smooth::body_point::point_jacobian;
use crate::smooth::cells::Patch;
use crate::smooth::flex_mesh::{edge_ends, edges_around, edges_of, other_end, vertices_of};
use crate::smooth::jacobian::last_dof;
use crate::smooth::nodes::NodeGrid;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, edgeequality, equality as kind};

/// Rows of a constraint on a flex.
pub(super) fn flex_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, wanted: &mut usize) {
    match m.eq_type[eq] {
        kind::FLEX => edge_rows(m, d, eq, wanted),
        kind::FLEXVERT => vertex_rows(m, d, eq, wanted),
        _ => strain_rows(m, d, eq, wanted),
    }
}

/// Parameters of a row.
fn row_of<T: Real>(m: &Model<T>, eq: usize, pos: T, diag: T) -> RowParameters<T> {
    RowParameters {
        kind: constraint::EQUALITY,
        id: eq,
        pos,
        margin: T::ZERO,
        violation: pos,
        frictionloss: T::ZERO,
        diag,
        solref: solref(&m.eq_solref, eq),
        solimp: solimp(&m.eq_solimp, eq),
    }
}

/// First edge of a constrained flex from one on that has a row: none has between vertices of one body, or between nodes.
pub(super) fn edge_of_next_row<T: Real>(m: &Model<T>, eq: usize, from: usize) -> usize {
    let f = m.eq_obj1id[eq] as usize;
    let edges = edges_of(m, f);
    let has_row = |edge: &usize| m.flex_interp[f] == 0 && m.flexedge_rigid[*edge] == 0;
    (edges.start.max(from)..edges.end).find(has_row).unwrap_or(edges.end)
}

/// Bodies at the ends of an edge of a constrained flex.
pub(super) fn edge_bodies<T: Real>(m: &Model<T>, eq: usize, edge: usize) -> [usize; 2] {
    edge_ends(m, m.eq_obj1id[eq] as usize, edge).map(|vert| m.flex_vertbodyid[vert] as usize)
}

/// Rows that keep the lengths of a flex's edges, but of those between vertices of one body.
fn edge_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, wanted: &mut usize) {
    let end = edges_of(m, m.eq_obj1id[eq] as usize).end;
    let mut row = row_of(m, eq, T::ZERO, T::ZERO);
    let spring = RowSpring::new(m, &row);
    let mut edge = edge_of_next_row(m, eq, 0);
    while edge < end {
        let ranges = edge_bodies(m, eq, edge).map(|body| body_dof_range(m, body));
        if let Some(r) = claim_rows(m, d, 1, ranges, wanted) {
            edge_jacobian(m, d, r, edge);
            row.pos = d.flexedge_length[edge] - m.flexedge_length0[edge];
            (row.violation, row.diag) = (row.pos, m.flexedge_invweight0[edge]);
            write_row_with(d, r, &row, spring.kbip(row.pos));
        }
        edge = edge_of_next_row(m, eq, edge + 1);
    }
}

/// Jacobian of the row of an edge, which has an element for each of its columns, and seldom others.
fn edge_jacobian<T: Real>(m: &Model<T>, d: &mut Data<T>, row: usize, edge: usize) {
    let (adr, count) = (m.flexedge_J_rowadr[edge] as usize, m.flexedge_J_rownnz[edge] as usize);
    let place = &d.jacobian.places[row];
    if d.jacobian.is_packed && place.width() == count {
        let first = place.first as usize;
        return d.efc_J[first..first + count].copy_from_slice(&d.flexedge_J[adr..adr + count]);
    }
    for k in adr..adr + count {
        let at = d.row_index(row, m.flexedge_J_colind[k] as usize);
        d.efc_J[at] = d.flexedge_J[k];
    }
}

/// Two rows for each vertex of a flat flex: trace and determinant of the strain around it.
fn vertex_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, wanted: &mut usize) {
    for vert in vertices_of(m, m.eq_obj1id[eq] as usize) {
        let (adr, count) = (m.flexvert_J_rowadr[2 * vert], m.flexvert_J_rownnz[2 * vert]);
        let columns = &m.flexvert_J_colind[adr as usize..(adr + count) as usize];
        let (Some(first), Some(last)) = (columns.first(), columns.last()) else { continue };
        let range = (*first as usize, *last as usize + 1);
        let Some(row) = claim_rows(m, d, 2, [range, (0, 0)], wanted) else { continue };
        let diag = vertex_invweight(m, m.eq_obj1id[eq] as usize, vert);
        for k in 0..2 {
            vertex_jacobian(m, d, row + k, 2 * vert + k);
            write_row(m, d, row + k, &row_of(m, eq, d.flexvert_length[2 * vert + k], diag));
        }
    }
}

/// Jacobian of the row of a strain: of trace or determinant.
fn vertex_jacobian<T: Real>(m: &Model<T>, d: &mut Data<T>, row: usize, strain: usize) {
    let adr = m.flexvert_J_rowadr[strain] as usize;
    for k in adr..adr + m.flexvert_J_rownnz[strain] as usize {
        let at = d.row_index(row, m.flexvert_J_colind[k] as usize);
        d.efc_J[at] = d.flexvert_J[k];
    }
}

/// Inverse weight of the body of a vertex; of an immovable one, the mean of its neighbours.
fn vertex_invweight<T: Real>(m: &Model<T>, f: usize, vert: usize) -> T {
    let own = |vert: usize| m.body_invweight0[2 * m.flex_vertbodyid[vert] as usize];
    if own(vert) > T::ZERO {
        return own(vert);
    }
    let (mut sum, mut count) = (T::ZERO, T::ZERO);
    for weight in edges_around(m, f, vert).map(|edge| own(other_end(m, f, edge, vert))) {
        if weight > T::ZERO {
            sum += weight;
            count += T::ONE;
        }
    }
    if count > T::ZERO { sum / count } else { T::ZERO }
}

/// The cell or face that a constraint of strain acts on: by its place, or by its number, where the second place is negative.
fn strained_patch<T: Real>(m: &Model<T>, grid: &NodeGrid, eq: usize) -> usize {
    let [i, j, k] = [0, 1, 2].map(|axis| m.eq_data[12 * eq + axis].f64());
    if j < 0.0 {
        return i as usize;
    }
    let [_, y, z] = grid.cells;
    (i as usize * y + j as usize) * z + k as usize
}

/// A constrained cell or face: its modes follow their number in the place of its stiffness.
struct Strained<'a, T> {
    patch: Patch,
    block: &'a [T],
    turn: Mat3<T>,
}

/// A row for each mode of strain of a cell or face.
fn strain_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, wanted: &mut usize) {
    let f = m.eq_obj1id[eq] as usize;
    let Some(grid) = NodeGrid::of(m, f) else { return };
    // another constraint of the flex has no modes
    if m.flex_edgeequality[f] != edgeequality::STRAIN || m.flex_stiffnessadr[f] < 0 {
        return;
    }
    let k = strained_patch(m, &grid, eq);
    let patch = Patch::of(m, f, k);
    let block = modes_of(m, f, k, &patch);
    let bodies = patch.nodes.iter().map(|node| m.flex_nodebodyid[*node] as usize);
    let range = bodies.fold((0, 0), |range, body| range_union(range, body_dof_range(m, body)));
    if range.0 == range.1 {
        return;
    }
    let count = block[0].f64() as usize;
    let Some(first) = claim_rows(m, d, count, [range, (0, 0)], wanted) else { return };
    let (diag, turn) = (patch_invweight(m, &patch), patch.rotation(d));
    let moved = patch.displacements(m, d, turn);
    let strained = Strained { patch, block, turn };
    for row in 0..count {
        let pos = strain_position(&strained, row, &moved);
        strain_jacobian(m, d, &strained, row, first + row);
        write_row(m, d, first + row, &row_of(m, eq, pos, diag));
    }
}

/// Numbers of a cell or face: that of its modes, and these.
fn modes_of<'a, T: Real>(m: &'a Model<T>, f: usize, k: usize, patch: &Patch) -> &'a [T] {
    let size = patch.coordinates() * patch.coordinates();
    let first = m.flex_stiffnessadr[f] as usize + k * size;
    &m.flex_stiffness[first..first + size]
}

/// A mode.
fn mode_at<'a, T: Real>(strained: &Strained<'a, T>, row: usize) -> &'a [T] {
    let size = strained.patch.coordinates();
    &strained.block[1 + row * size..1 + (row + 1) * size]
}

/// Position of the row of a mode.
fn strain_position<T: Real>(strained: &Strained<'_, T>, row: usize, moved: &[T]) -> T {
    mode_at(strained, row).iter().zip(moved).fold(T::ZERO, |sum, (v, x)| sum + *v * *x)
}

/// Jacobian of the row of a mode.
fn strain_jacobian<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    strained: &Strained<'_, T>,
    mode: usize,
    row: usize,
) {
    let mut jacobian = std::mem::take(&mut d.efc_J);
    for (i, &node) in strained.patch.nodes.iter().enumerate() {
        let body = m.flex_nodebodyid[node] as usize;
        if last_dof(m, body) < 0 {
            continue;
        }
        let (point, along) = (vec3(&d.flexnode_xpos, node), strained.turn * vec3(mode_at(strained, mode), i));
        point_jacobian(m, d, (body, point), along, |dof, rate| {
            jacobian[d.row_index(row, dof)] += rate;
        });
    }
    d.efc_J = jacobian;
}

/// Mean inverse weight of the nodes of a cell or face.
fn patch_invweight<T: Real>(m: &Model<T>, patch: &Patch) -> T {
    let weight = |node: &usize| m.body_invweight0[2 * m.flex_nodebodyid[*node] as usize];
    patch.nodes.iter().map(weight).fold(T::ZERO, |sum, weight| sum + weight) / T::of(patch.nodes.len() as f64)
}
