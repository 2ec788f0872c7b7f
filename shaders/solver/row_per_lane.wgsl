// Newton's method with a row of the Hessian per lane, in registers, for worlds with no more degrees of freedom than
// lanes. Rows that all lanes read pass through workgroup memory in vectors of four. The same bits as hessian.wgsl and
// update.wgsl, whose order of sums it keeps. Twin: src/cpu/solver/hessian.rs.

import package::constraint::constraint_cost::constraint_update;
import package::math::vector::MINVAL;
import package::runtime::group::{lane, max_world, slot};
import package::solver::hessian::row_weight;
import package::solver::state::rows;

//#if ROW_PER_LANE
// rows of the Jacobian or of the Hessian by world, and what else the owner of a pivot tells the other lanes: the
// inverse pivot, and its product with the right-hand side
var<workgroup> row_buffer: array<vec4f, row_buffer_length>;
var<workgroup> pivot_buffer: array<vec2f, pivot_buffer_length>;

// Vector of the buffer at which row r begins.
fn row_at(r: u32) -> u32 {
    return (slot * nv + r) * row_vectors;
}

// This lane's element of a row of the buffer.
fn lane_element(at: u32) -> f32 {
    return row_buffer[at + lane / 4u][lane % 4u];
}

// Row of the inertia of this lane, both triangles.
fn load_inertia_row() {
    let own = min(lane, nv - 1u);
    if (lane < nv) {
        for (var k = 0u; k < row_vectors; k++) {
            row_buffer[row_at(lane) + k] = vec4f(0.0);
        }
        let adr = u32(F_rowadr(lane));
        for (var q = adr; q < adr + u32(F_rownnz(lane)); q++) {
            let col = u32(F_colind(q));
            row_buffer[row_at(lane) + col / 4u][col % 4u] = M(u32(mapM2F(q)));
        }
    }
    workgroupBarrier();
    //#unroll
    for (var j = 0u; j < nv; j += 4u) {
        let v = row_buffer[row_at(own) + j / 4u];
        set_solver_M_row(j, v.x);
        if (j + 1u < nv) {
            set_solver_M_row(j + 1u, v.y);
        }
        if (j + 2u < nv) {
            set_solver_M_row(j + 2u, v.z);
        }
        if (j + 3u < nv) {
            set_solver_M_row(j + 3u, v.w);
        }
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

// Copies rows `first` to `end` of the Jacobian to the buffer.
fn load_rows(first: u32, end: u32) {
    for (var k = lane; k < (end - first) * row_vectors; k += lanes) {
        let r = k / row_vectors;
        let j = 4u * (k % row_vectors);
        let from_adr = (first + r) * nv + j;
        var v = vec4f(efc_J(from_adr), 0.0, 0.0, 0.0);
        if (j + 1u < nv) {
            v.y = efc_J(from_adr + 1u);
        }
        if (j + 2u < nv) {
            v.z = efc_J(from_adr + 2u);
        }
        if (j + 3u < nv) {
            v.w = efc_J(from_adr + 3u);
        }
        row_buffer[row_at(0u) + k] = v;
    }
}

// Row forces, then constraint force and Hessian, as many rows at a time as the buffer holds.
fn update_rows() {
    for (var r = lane; r < rows; r += lanes) {
        constraint_update__solver_Jaref(r);
    }
    //#unroll
    for (var j = 0u; j < nv; j++) {
        set_solver_H_row(j, solver_M_row(j));
    }
    var JTf = 0.0;
    let most = max_world(rows);
    for (var first = 0u; first < most; first += nv) {
        let end = clamp(rows, first, first + nv);
        // forces are in storage
        storageBarrier();
        workgroupBarrier();
        load_rows(first, end);
        workgroupBarrier();
        for (var r = first; r < end; r++) {
            let at = row_at(r - first);
            let x = select(0.0, lane_element(at), lane < nv);
            JTf += x * efc_force(r);
            let weight = row_weight(r);
            if (weight != 0.0) {
                add_row_per_lane(x * weight, at);
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
        let v = row_buffer[at + j / 4u];
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
                row_buffer[row_at(k) + j / 4u] = vec4f(
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
                let v = row_buffer[row_at(k) + j / 4u];
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
