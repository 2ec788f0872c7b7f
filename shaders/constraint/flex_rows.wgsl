// Rows of equality constraints on flexes: lengths of edges, strain around vertices, strain of cells or faces. Twin:
// crates/cpu/src/constraint/flex_rows.rs, which explains them. The schedule differs: all rows of a constraint are claimed
// together, and lanes find of each what it is of.

import package::constraint::row_place::row_at;
import package::smooth::cells::{displacement, patch_node};
import package::smooth::flex_mesh::{edge_end, edges_around, other_end};
import package::smooth::jacobian::{last_dof, moving_column};

// Rows of a constraint: their number, and how many of them there are at least, or none.
struct RowCount {
    count: u32,
    together: u32,
}

//#if FLEX_EQUALITY
// Rows of a constraint on a flex.
fn flex_row_count(eq: u32) -> RowCount {
    let f = u32(eq_obj1id(eq));
//#if FLEX_VERTEX
    if (eq_type(eq) == EQUALITY_FLEXVERT) {
        return RowCount(2u * u32(flex_tiedvertnum(f)), 2u);
    }
//#endif
//#if FLEX_STRAIN
    if (eq_type(eq) == EQUALITY_FLEXSTRAIN) {
        let count = strain_row_count(eq);
        return RowCount(count, max(count, 1u));
    }
//#endif
    return RowCount(select(0u, u32(flex_tiednum(f)), eq_type(eq) == EQUALITY_FLEX), 1u);
}

// Place of a row among those of its constraint.
fn place_of_row(eq: u32, row: u32) -> u32 {
    return row - u32(eq_efcadr(eq));
}

// Edge of a row.
fn edge_of_row(eq: u32, row: u32) -> u32 {
    return u32(flexedge_tied(u32(flex_edgeadr(u32(eq_obj1id(eq)))) + place_of_row(eq, row)));
}

// Bodies at the ends of an edge of a constrained flex.
fn edge_bodies(eq: u32, edge: u32) -> vec2u {
    let f = u32(eq_obj1id(eq));
    return vec2u(u32(flex_vertbodyid(edge_end(f, edge, 0u))), u32(flex_vertbodyid(edge_end(f, edge, 1u))));
}

// Position of a row.
fn flex_row_position(eq: u32, row: u32) -> f32 {
//#if FLEX_VERTEX
    if (eq_type(eq) == EQUALITY_FLEXVERT) {
        return flexvert_length(strain_of_row(eq, row));
    }
//#endif
//#if FLEX_STRAIN
    if (eq_type(eq) == EQUALITY_FLEXSTRAIN) {
        return strain_position(eq, row);
    }
//#endif
    let edge = edge_of_row(eq, row);
    return flexedge_length(edge) - flexedge_length0(edge);
}

// Jacobian of a row, which is clear.
fn flex_jacobian(eq: u32, row: u32) {
//#if FLEX_VERTEX
    if (eq_type(eq) == EQUALITY_FLEXVERT) {
        vertex_jacobian(row, strain_of_row(eq, row));
        return;
    }
//#endif
//#if FLEX_STRAIN
    if (eq_type(eq) == EQUALITY_FLEXSTRAIN) {
        strain_jacobian(eq, row);
        return;
    }
//#endif
    edge_jacobian(row, edge_of_row(eq, row));
}

// Jacobian of the row of an edge.
fn edge_jacobian(row: u32, edge: u32) {
    let adr = u32(flexedge_J_rowadr(edge));
    for (var k = adr; k < adr + u32(flexedge_J_rownnz(edge)); k++) {
        set_efc_J(row_at(row, u32(flexedge_J_colind(k))), flexedge_J(k));
    }
}

// Approximate diagonal of J M^-1 J' for a row.
fn flex_diag_approx(eq: u32, row: u32) -> f32 {
//#if FLEX_VERTEX
    if (eq_type(eq) == EQUALITY_FLEXVERT) {
        return vertex_invweight(u32(eq_obj1id(eq)), strain_of_row(eq, row) / 2u);
    }
//#endif
//#if FLEX_STRAIN
    if (eq_type(eq) == EQUALITY_FLEXSTRAIN) {
        return patch_invweight(strained_patch(eq));
    }
//#endif
    return flexedge_invweight0(edge_of_row(eq, row));
}

//#if FLEX_VERTEX
// The strain of a row: of trace or determinant, at a vertex.
fn strain_of_row(eq: u32, row: u32) -> u32 {
    let k = place_of_row(eq, row);
    let vert = u32(flexvert_tied(u32(flex_vertadr(u32(eq_obj1id(eq)))) + k / 2u));
    return 2u * vert + k % 2u;
}

// Jacobian of the row of a strain.
fn vertex_jacobian(row: u32, strain: u32) {
    let adr = u32(flexvert_J_rowadr(strain));
    for (var k = adr; k < adr + u32(flexvert_J_rownnz(strain)); k++) {
        set_efc_J(row_at(row, u32(flexvert_J_colind(k))), flexvert_J(k));
    }
}

// Inverse weight of the body of a vertex; of an immovable one, the mean of its neighbours.
fn vertex_invweight(f: u32, vert: u32) -> f32 {
    let own = body_invweight0(2u * u32(flex_vertbodyid(vert)));
    if (own > 0.0) {
        return own;
    }
    var sum = 0.0;
    var count = 0.0;
    let around = edges_around(vert);
    for (var k = around.x; k < around.y; k++) {
        let other = other_end(f, u32(flex_edgeadr(f) + flex_vertedge(k)), vert);
        let weight = body_invweight0(2u * u32(flex_vertbodyid(other)));
        sum += max(weight, 0.0);
        count += select(0.0, 1.0, weight > 0.0);
    }
    return sum / max(count, 1.0);
}
//#endif

//#if FLEX_STRAIN
// The cell or face that a constraint of strain acts on: by its place, or by its number, where the second place is negative.
fn strained_patch(eq: u32) -> u32 {
    let f = u32(eq_obj1id(eq));
    let at = vec3f(eq_data(12u * eq), eq_data(12u * eq + 1u), eq_data(12u * eq + 2u));
    let cells = vec2u(u32(flex_cellnum(3u * f + 1u)), u32(flex_cellnum(3u * f + 2u)));
    let place = (u32(at.x) * cells.x + u32(max(at.y, 0.0))) * cells.y + u32(max(at.z, 0.0));
    return u32(flex_patchadr(f)) + select(place, u32(at.x), at.y < 0.0);
}

// First number of a cell or face in flex_stiffness: that of its modes, which follow.
fn modes_of(eq: u32, cell: u32) -> u32 {
    let f = u32(eq_obj1id(eq));
    let size = 3u * u32(flexpatch_nodenum(cell));
    return u32(flex_stiffnessadr(f)) + (cell - u32(flex_patchadr(f))) * size * size;
}

// Modes of the strain of a cell or face that something moves; none where another constraint of the flex has no modes.
fn strain_row_count(eq: u32) -> u32 {
    let f = u32(eq_obj1id(eq));
    if (flex_edgeequality(f) != EDGEEQUALITY_STRAIN || flex_stiffnessadr(f) < 0) {
        return 0u;
    }
    let cell = strained_patch(eq);
    var moves = false;
    for (var k = 0u; k < u32(flexpatch_nodenum(cell)); k++) {
        moves = moves || last_dof(u32(flex_nodebodyid(patch_node(cell, k)))) >= 0;
    }
    return select(0u, u32(flex_stiffness(modes_of(eq, cell))), moves);
}

// Part of the mode of a row at node k of its cell or face.
fn mode_at(eq: u32, row: u32, cell: u32, k: u32) -> vec3f {
    let at = modes_of(eq, cell) + 1u + 3u * (place_of_row(eq, row) * u32(flexpatch_nodenum(cell)) + k);
    return vec3f(flex_stiffness(at), flex_stiffness(at + 1u), flex_stiffness(at + 2u));
}

// Position of the row of a mode.
fn strain_position(eq: u32, row: u32) -> f32 {
    let cell = strained_patch(eq);
    let turn = flexpatch_xmat_mat3(cell);
    var sum = 0.0;
    for (var k = 1u; k < u32(flexpatch_nodenum(cell)); k++) {
        sum += dot(mode_at(eq, row, cell, k), displacement(cell, k, turn));
    }
    return sum;
}

// Jacobian of the row of a mode.
fn strain_jacobian(eq: u32, row: u32) {
    let cell = strained_patch(eq);
    let turn = flexpatch_xmat_mat3(cell);
    for (var k = 0u; k < u32(flexpatch_nodenum(cell)); k++) {
        let id = patch_node(cell, k);
        let body = u32(flex_nodebodyid(id));
        let along = turn * mode_at(eq, row, cell, k);
        for (var dof = last_dof(body); dof >= 0; dof = dof_parentid(u32(dof))) {
            let adr = row_at(row, u32(dof));
            set_efc_J(adr, efc_J(adr) + dot(moving_column(u32(dof), body, flexnode_xpos_vec3(id)).lin, along));
        }
    }
}

// Mean inverse weight of the nodes of a cell or face.
fn patch_invweight(cell: u32) -> f32 {
    let count = u32(flexpatch_nodenum(cell));
    var sum = 0.0;
    for (var k = 0u; k < count; k++) {
        sum += body_invweight0(2u * u32(flex_nodebodyid(patch_node(cell, k))));
    }
    return sum / f32(count);
}
//#endif
//#endif
