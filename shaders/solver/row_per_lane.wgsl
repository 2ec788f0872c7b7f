// Newton's method with a row of the Hessian per lane, in registers, for worlds with no more degrees of freedom than
// lanes. Rows that all lanes read pass through workgroup memory in vectors of four. The same bits as hessian.wgsl and
// update.wgsl, whose order of sums it keeps. Twin: src/cpu/solver/hessian.rs.

import package::constraint::constraint_cost::constraint_update;
import package::math::vector::MINVAL;
import package::runtime::group::{group_max, lane, slot};
import package::solver::hessian::row_weight;
import package::solver::state::rows;

//#if ROW_PER_LANE
// rows of the Jacobian or of the Hessian by world, and what else the owner of a pivot tells the other lanes: the
// inverse pivot, and its product with the right-hand side
// (arrays in an array: the compilers of drivers fold known indices of the inner one into addresses)
var<workgroup> row_buffer: array<array<vec4f, row_vectors>, row_buffer_length>;
var<workgroup> pivot_buffer: array<vec2f, pivot_buffer_length>;
// force and weight in the Hessian of each row
var<workgroup> force_buffer: array<vec2f, force_buffer_length>;

// Place of row r in the buffer.
fn row_at(r: u32) -> u32 {
    return slot * nv + r;
}

// This lane's element of a row of the buffer.
fn lane_element(at: u32) -> f32 {
    return row_buffer[at][lane / 4u][lane % 4u];
}

// Row of the inertia of this lane, both triangles: the lower one from the row's own elements, the upper one from the
// rows below.
fn load_inertia_row() {
    let own = min(lane, nv - 1u);
    if (lane < nv) {
        for (var k = 0u; k < row_vectors; k++) {
            row_buffer[row_at(lane)][k] = vec4f(0.0);
        }
        let adr = u32(M_rowadr(lane));
        for (var k = adr; k < adr + u32(M_rownnz(lane)); k++) {
            let col = u32(M_colind(k));
            row_buffer[row_at(lane)][col / 4u][col % 4u] = M(k);
        }
    }
    workgroupBarrier();
    //#unroll
    for (var j = 0u; j < nv; j++) {
        let lower = row_buffer[row_at(own)][j / 4u][j % 4u];
        let upper = row_buffer[row_at(j)][own / 4u][own % 4u];
        set_solver_M_row(j, select(lower, upper, j > own));
    }
}

// Y = M V.
fn mul_m_row__V__Y() {
    var sum = 0.0;
    //#unroll
    for (var j = 0u; j < nv; j++) {
        sum += solver_M_row(j) * V(j);
    }
    if (lane < nv) {
        set_Y(lane, sum);
    }
}

// Copies rows `first` to `end` of the Jacobian to the buffer, a vector per lane. Past the last degree of freedom a
// vector holds what follows in the arena, which nobody uses.
fn load_rows(first: u32, end: u32) {
    let rows_at_once = lanes / row_vectors;
    let j = lane % row_vectors;
    let begin = select(end, first + lane / row_vectors, lane < rows_at_once * row_vectors);
    for (var r = begin; r < end; r += rows_at_once) {
        let adr = r * nv + 4u * j;
        row_buffer[row_at(r - first)][j] = vec4f(efc_J(adr), efc_J(adr + 1u), efc_J(adr + 2u), efc_J(adr + 3u));
    }
}

// Row forces, then constraint force and Hessian, as many rows at a time as the buffer holds.
fn update_rows() {
    for (var r = lane; r < rows; r += lanes) {
        constraint_update__solver_Jaref(r);
        force_buffer[slot * njmax + r] = vec2f(efc_force(r), row_weight(r));
    }
    //#unroll
    for (var j = 0u; j < nv; j++) {
        set_solver_H_row(j, solver_M_row(j));
    }
    var JTf = 0.0;
    let most = group_max(rows);
    for (var first = 0u; first < most; first += nv) {
        let end = clamp(rows, first, first + nv);
        workgroupBarrier();
        load_rows(first, end);
        workgroupBarrier();
        for (var r = first; r < end; r++) {
            let at = row_at(r - first);
            let x = select(0.0, lane_element(at), lane < nv);
            let f = force_buffer[slot * njmax + r];
            JTf += x * f.x;
            if (f.y != 0.0) {
                add_row_per_lane(x * f.y, at);
            }
        }
    }
    if (lane < nv) {
        set_solver_JTf(lane, JTf);
    }
}

// Adds f times a row of the buffer to the row of the Hessian.
fn add_row_per_lane(f: f32, at: u32) {
    //#unroll
    for (var j = 0u; j < nv; j += 4u) {
        let v = row_buffer[at][j / 4u];
        set_solver_H_row(j, solver_H_row(j) + f * v.x);
        if (j + 1u < nv) {
            set_solver_H_row(j + 1u, solver_H_row(j + 1u) + f * v.y);
        }
        if (j + 2u < nv) {
            set_solver_H_row(j + 2u, solver_H_row(j + 2u) + f * v.z);
        }
        if (j + 3u < nv) {
            set_solver_H_row(j + 3u, solver_H_row(j + 3u) + f * v.w);
        }
    }
}

// Factors H = L' D L from the last row up, and solves H x = -grad on the way: the search direction.
fn factor_and_solve() {
    let floor = 1.0 / max(qLDiagInv(min(lane, nv - 1u)), MINVAL);
    var b = 0.0;
    if (lane < nv) {
        b = -solver_grad(lane);
    }
    // L', from the last row up: the owner of row k hands it to the lanes before it
    var inv = 0.0;
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        if (lane == k) {
            // constraint rows only add to the inertia, so rounding apart no pivot is below that of the inertia
            inv = 1.0 / max(solver_H_row(k), floor);
            pivot_buffer[slot * nv + k] = vec2f(inv, b * inv);
            //#unroll
            for (var j = 0u; j < k; j += 4u) {
                row_buffer[row_at(k)][j / 4u] = vec4f(
                    solver_H_row(j),
                    solver_H_row(min(j + 1u, nv - 1u)),
                    solver_H_row(min(j + 2u, nv - 1u)),
                    solver_H_row(min(j + 3u, nv - 1u)),
                );
            }
        }
        workgroupBarrier();
        let p = pivot_buffer[slot * nv + k];
        let x = lane_element(row_at(k));
        if (lane < k) {
            b -= x * p.y;
            let f = -(x * p.x);
            //#unroll
            for (var j = 0u; j < k; j += 4u) {
                let v = row_buffer[row_at(k)][j / 4u];
                set_solver_H_row(j, solver_H_row(j) + f * v.x);
                if (j + 1u < k) {
                    set_solver_H_row(j + 1u, solver_H_row(j + 1u) + f * v.y);
                }
                if (j + 2u < k) {
                    set_solver_H_row(j + 2u, solver_H_row(j + 2u) + f * v.z);
                }
                if (j + 3u < k) {
                    set_solver_H_row(j + 3u, solver_H_row(j + 3u) + f * v.w);
                }
            }
        }
    }
    // L D, from the first row down
    //#unroll
    for (var k = 0u; k < nv; k++) {
        if (lane == k) {
            set_solver_search(k, b * inv);
        }
        workgroupBarrier();
        if (lane > k) {
            b -= solver_H_row(k) * solver_search(k);
        }
    }
}
//#endif
