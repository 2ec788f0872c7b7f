// Hessian of the solver's cost: assembly, factorisation, solve. Twin: crates/cpu/src/solver/hessian.rs. The schedule
// differs: lanes share the rows of the triangle, and the twin keeps what is coupled alone, tree by tree.

import package::constraint::cone::heads_cone;
import package::constraint::constraint_cost::{cost_parameters, is_quadratic};
import package::runtime::group::{lane, sync};
import package::smooth::tendon::tendon_element;
import package::solver::links::{add_cells, add_coupling, add_passive};
import package::solver::skyline::hessian_begin;

// Weight of a row in the Hessian: its constraint mass in the quadratic zone, else zero; rows of cones have theirs
// stored.
//#if ELLIPTIC
fn row_weight(r: u32) -> f32 {
    return solver_hess_diag(r);
}

// One past the last row of the cone headed by row r, if the contact slides; else r.
fn cone_end(r: u32) -> u32 {
    let slides = heads_cone(r) && solver_quad_vec3(r).z != 0.0;
    return r + select(0u, u32(contact_dim(u32(efc_id(r)))), slides);
}
//#else
// Weight of a row in the Hessian: its constraint mass in the quadratic zone, else zero.
fn row_weight(r: u32) -> f32 {
    let row = cost_parameters(r);
    return select(0.0, row.constraint_mass, is_quadratic(row, solver_Jaref(r)));
}
//#endif

// Clears the constraint force and sets the Hessian to the inertia.
fn init_hessian() {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_JTf(i, 0.0);
        //#unroll
        for (var j = hessian_begin(i); j <= i; j++) {
            set_solver_H(packed(i) + j, 0.0);
        }
        let adr = u32(M_rowadr(i));
        //#unroll
        for (var k = adr; k < adr + u32(M_rownnz(i)); k++) {
            set_solver_H(packed(i) + u32(M_colind(k)), solver_M(k));
        }
//#if METRIC_TERMS
        add_terms(i);
//#endif
//#if METRIC_FLEX
        add_coupling(i);
//#endif
//#if METRIC_NODES
        add_cells(i);
//#endif
//#if METRIC_PASSIVE
        add_passive(i);
//#endif
    }
}

//#if METRIC_TERMS
// Adds row i, as far as the diagonal, of what tendons and actuators couple.
fn add_terms(i: u32) {
//#if TENDON
    for (var ten = 0u; ten < ntendon; ten++) {
        let share = metric_tendon(4u * ten + 2u) * tendon_element(ten, i);
        if (share != 0.0) {
            let adr = u32(ten_J_rowadr(ten));
            for (var l = adr; l < adr + u32(ten_J_rownnz(ten)); l++) {
                let j = u32(ten_J_colind(l));
                if (j <= i) {
                    set_solver_H(packed(i) + j, solver_H(packed(i) + j) + share * ten_J(l));
                }
            }
        }
    }
//#endif
//#if ACTUATION
    for (var k = u32(dof_momentbegin(i)); k < u32(dof_momentend(i)); k++) {
        let out = u32(moment_rowind(k));
        let share = metric_actuator(4u * out + 2u) * actuator_moment(k);
        if (u32(moment_colind(k)) == i && share != 0.0) {
            let adr = u32(moment_rowadr(out));
            for (var l = adr; l < adr + u32(moment_rownnz(out)); l++) {
                let j = u32(moment_colind(l));
                if (j <= i) {
                    set_solver_H(packed(i) + j, solver_H(packed(i) + j) + share * actuator_moment(l));
                }
            }
        }
    }
//#endif
}
//#endif

//#if !REGISTERS
// Adds f times n elements of A to n elements of the Hessian, four at a time: software drivers pay for each iteration.
fn add_row__A(to: u32, n: u32, f: f32, from_adr: u32) {
    var j = 0u;
    for (; j + 4u <= n; j += 4u) {
        set_solver_H(to + j, solver_H(to + j) + f * A(from_adr + j));
        set_solver_H(to + j + 1u, solver_H(to + j + 1u) + f * A(from_adr + j + 1u));
        set_solver_H(to + j + 2u, solver_H(to + j + 2u) + f * A(from_adr + j + 2u));
        set_solver_H(to + j + 3u, solver_H(to + j + 3u) + f * A(from_adr + j + 3u));
    }
    for (; j < n; j++) {
        set_solver_H(to + j, solver_H(to + j) + f * A(from_adr + j));
    }
}
//#endif

// Start of row i of a packed lower triangle.
fn packed(i: u32) -> u32 {
    return i * (i + 1u) / 2u;
}

// Factors H = L' D L in place, from the last row up: row k becomes L times D, the inverse of D is kept apart.
fn factor_hessian() {
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        // constraint rows only add to the inertia, so rounding apart no pivot is below that of the inertia
        let inv = 1.0 / max(solver_H(packed(k) + k), 1.0 / max(qLDiagInv(k), MINVAL));
        if (lane == 0u) {
            set_solver_HDiagInv(k, inv);
        }
        let first = hessian_begin(k);
        //#unroll
        for (var i = first + lane; i < k; i += lanes) {
            let f = solver_H(packed(k) + i) * inv;
//#if REGISTERS
            //#unroll
            for (var j = 0u; j <= i; j++) {
                set_solver_H(packed(i) + j, solver_H(packed(i) + j) - f * solver_H(packed(k) + j));
            }
//#else
            if (f != 0.0) {
                add_row__solver_H(packed(i) + first, i + 1u - first, -f, packed(k) + first);
            }
//#endif
        }
        sync();
    }
}

// Solves H x = -grad into the search direction; solver_Mv holds the remaining right-hand side.
fn solve_hessian() {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_Mv(i, -solver_grad(i));
    }
    sync();
    // L', from the last row up
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        let x = solver_Mv(k) * solver_HDiagInv(k);
        //#unroll
        for (var i = hessian_begin(k) + lane; i < k; i += lanes) {
            set_solver_Mv(i, solver_Mv(i) - solver_H(packed(k) + i) * x);
        }
        sync();
    }
    // L D, from the first row down
    //#unroll
    for (var k = 0u; k < nv; k++) {
        let x = solver_Mv(k) * solver_HDiagInv(k);
        if (lane == 0u) {
            set_solver_search(k, x);
        }
//#if SPARSE
        for (var i = k + 1u + lane; i < nv && hessian_begin(min(i, nv - 1u)) <= k; i += lanes) {
            set_solver_Mv(i, solver_Mv(i) - solver_H(packed(i) + k) * x);
        }
//#else
        //#unroll
        for (var i = k + 1u + lane; i < nv; i += lanes) {
            set_solver_Mv(i, solver_Mv(i) - solver_H(packed(i) + k) * x);
        }
//#endif
        sync();
    }
}
