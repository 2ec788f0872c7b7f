//! Rows of equality constraints on flexes: lengths of edges, strain around vertices, strain of cells or faces.
//!
//! A row of a cell measures one mode `v` of its strain, `v · (R'x - X)`, where `R` is its rotation, which counts as fixed (see
//! `smooth/cells`); the modes are eigenvectors of a stiffness matrix, and are compiled in the place of the stiffness.

use super::claim::claim_rows;
use super::equality;
use super::row_parameters::{RowParameters, RowSpring, solimp, solref, write_row, write_row_with};
use super::row_span::{body_dof_range, range_union};
use crate::math::vec3;
use crate::smooth::body_point::point_jacobian;
use crate::smooth::cells::Patch;
use crate::smooth::flex_mesh::{edges_around, edges_of, other_end, vertices_of};
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

/// Rows that keep the lengths of a flex's edges, but of those between vertices of one body.
fn edge_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, wanted: &mut usize) {
    let mut row = row_of(m, eq, T::ZERO, T::ZERO);
    let spring = RowSpring::new(m, &row);
    for edge in edges_of(m, m.eq_obj1id[eq] as usize).filter(|edge| m.flexedge_rigid[*edge] == 0) {
        let ranges = equality::edge_bodies(m, eq, edge).map(|body| body_dof_range(m, body));
        let Some(r) = claim_rows(m, d, 1, ranges, wanted) else { continue };
        copy_edge_jacobian(m, d, edge, r);
        row.pos = d.flexedge_length[edge] - m.flexedge_length0[edge];
        (row.violation, row.diag) = (row.pos, m.flexedge_invweight0[edge]);
        write_row_with(d, r, &row, spring.kbip(row.pos));
    }
}

/// Copies the Jacobian of an edge into a row, which has an element for each of its columns, and seldom others.
fn copy_edge_jacobian<T: Real>(m: &Model<T>, d: &mut Data<T>, edge: usize, r: usize) {
    let (adr, count) = (m.flexedge_J_rowadr[edge] as usize, m.flexedge_J_rownnz[edge] as usize);
    let place = &d.jacobian.places[r];
    if d.jacobian.is_packed && place.width() == count {
        let first = place.first as usize;
        return d.efc_J[first..first + count].copy_from_slice(&d.flexedge_J[adr..adr + count]);
    }
    for k in adr..adr + count {
        let at = d.row_index(r, m.flexedge_J_colind[k] as usize);
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
        let Some(r) = claim_rows(m, d, 2, [range, (0, 0)], wanted) else { return };
        let diag = vertex_invweight(m, m.eq_obj1id[eq] as usize, vert);
        for k in 0..2 {
            let adr = m.flexvert_J_rowadr[2 * vert + k] as usize;
            for (i, &column) in columns.iter().enumerate() {
                let at = d.row_index(r + k, column as usize);
                d.efc_J[at] = d.flexvert_J[adr + i];
            }
            write_row(m, d, r + k, &row_of(m, eq, d.flexvert_length[2 * vert + k], diag));
        }
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

/// A row for each mode of strain of a cell or face.
fn strain_rows<T: Real>(m: &Model<T>, d: &mut Data<T>, eq: usize, wanted: &mut usize) {
    let f = m.eq_obj1id[eq] as usize;
    let Some(grid) = NodeGrid::of(m, f) else { return };
    // another constraint of the flex has no modes
    if m.flex_edgeequality[f] != edgeequality::STRAIN || m.flex_stiffnessadr[f] < 0 {
        return;
    }
    let k = strained_patch(m, &grid, eq);
    let patch = Patch::of(&grid, k);
    let size = patch.coordinates();
    let block = m.flex_stiffnessadr[f] as usize + k * size * size;
    let count = m.flex_stiffness[block].f64() as usize;
    // inverse weight of the nodes
    let bodies = patch.nodes.iter().map(|node| m.flex_nodebodyid[*node] as usize);
    let sum = bodies.clone().fold(T::ZERO, |sum, body| sum + m.body_invweight0[2 * body]);
    let diag = sum / T::of(patch.nodes.len() as f64);
    let range = bodies.clone().fold((0, 0), |range, body| range_union(range, body_dof_range(m, body)));
    if range.0 == range.1 {
        return;
    }
    let Some(first) = claim_rows(m, d, count, [range, (0, 0)], wanted) else { return };
    let turn = patch.rotation(d);
    let moved = patch.displacements(m, d, turn);
    let mut jacobian = std::mem::take(&mut d.efc_J);
    for row in 0..count {
        let mode = &m.flex_stiffness[block + 1 + row * size..block + 1 + (row + 1) * size];
        let pos = mode.iter().zip(&moved).fold(T::ZERO, |sum, (v, x)| sum + *v * *x);
        for (i, (body, &node)) in bodies.clone().zip(&patch.nodes).enumerate() {
            if last_dof(m, body) < 0 {
                continue;
            }
            let (point, along) = (vec3(&d.flexnode_xpos, node), turn * vec3(mode, i));
            point_jacobian(m, d, (body, point), along, |dof, rate| {
                jacobian[d.row_index(first + row, dof)] += rate;
            });
        }
        write_row(m, d, first + row, &row_of(m, eq, pos, diag));
    }
    d.efc_J = jacobian;
}
