// Matrix of the implicit integrators, inertia less time step times force derivatives, and its factors by degree of freedom.
// Twin: crates/cpu/src/integrate/implicit.rs.

import package::constraint::row_place::{row_at, row_has};
import package::integrate::velocity_derivative::{bias_entry, bias_force_derivatives, derivative, is_single_free_body};
import package::runtime::group::{lane, sync};
import package::smooth::factor_m::{factor_ld, solve_ld};
import package::solver::metric::couples_tree;

// Product of the integrator's matrix with qacc, into inverse_qacc.
fn mul_implicit() {
    derivative();
//#if SINGLE_FREE_BODY
    bias_force_derivatives();
//#endif
    for (var dof = lane; dof < nv; dof += lanes) {
        matrix_row(dof);
//#if SINGLE_FREE_BODY
        if (is_single_free_body(dof_treeid(dof))) {
            add_bias_force_derivatives(dof);
        }
//#endif
        let adr = u32(D_rowadr(dof));
        let end = adr + u32(D_rownnz(dof));
        var sum = 0.0;
        for (var k = adr; k < end; k++) {
            sum += qLU(k) * qacc(u32(D_colind(k)));
        }
        set_inverse_qacc(dof, sum);
    }
    sync();
}

// One row of M less time step times the force derivatives.
fn matrix_row(dof: u32) {
    let h = opt_timestep(0u);
    let adr = u32(D_rowadr(dof));
    let end = adr + u32(D_rownnz(dof));
    for (var k = adr; k < end; k++) {
        let at = mapM2D(k);
        var inertia = 0.0;
        if (at >= 0) {
            inertia = M(u32(at));
        }
        set_qLU(k, inertia - h * qDeriv(k));
    }
}

// Adds the derivatives of the bias force to a row of a free body that is alone.
fn add_bias_force_derivatives(dof: u32) {
    let adr = u32(D_rowadr(dof));
    for (var k = adr; k < adr + 6u; k++) {
        set_qLU(k, qLU(k) - opt_timestep(0u) * bias_entry(dof, u32(D_colind(k))));
    }
}

// Solves qH x = qacc_damped in place, by factors that replace qH.
fn solve_damped() {
//#if LOCAL_WORKING_SET
    // factor and solve in fast memory
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_work_LD(k, qH(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_work_x(i, qacc_damped(i));
    }
    sync();
    factor_ld__work_LD__work_DiagInv();
    solve_ld__work_LD__work_DiagInv__work_x();
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_qH(k, work_LD(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qHDiagInv(i, work_DiagInv(i));
        set_qacc_damped(i, work_x(i));
    }
    sync();
//#else
    // factor and solve in place
    factor_ld__qH__qHDiagInv();
    solve_ld__qH__qHDiagInv__qacc_damped();
//#endif
}

// Eliminates dof i from the row of its ancestor p.
fn eliminate(i: u32, p: u32) {
    let adr = u32(D_rowadr(i));
    let middle = u32(D_diag(i));
    let j = u32(D_colind(adr + p));
    // columns up to the ancestor are in the same places, later ones follow one another
    let to = u32(D_rowadr(j));
    let after = to + u32(D_diag(j));
    let share = qLU(after + (i - j)) * (1.0 / qLU(adr + middle));
    for (var q = 0u; q < middle; q++) {
        let at = select(after + (u32(D_colind(adr + q)) - j), to + q, q <= p);
        set_qLU(at, qLU(at) - share * qLU(adr + q));
    }
    set_qLU(after + (i - j), share);
}

// Back-substitutes dof i into its ancestor p.
fn substitute_up__X(i: u32, p: u32) {
    let j = u32(D_colind(u32(D_rowadr(i)) + p));
    let share = qLU(u32(D_rowadr(j) + D_diag(j)) + (i - j));
    set_X(j, X(j) - share * X(i));
}

// Forward-substitutes one row of L.
fn substitute_down__X(i: u32) {
    let adr = u32(D_rowadr(i));
    let last = adr + u32(D_diag(i));
    var sum = X(i);
    for (var p = adr; p < last; p++) {
        sum -= qLU(p) * X(u32(D_colind(p)));
    }
    set_X(i, sum / qLU(last));
}

// Solves with the matrix of a single free body, whose first degree of freedom this is, X in place.
fn solve_free_body__X(first: u32) {
    // LU factorisation
    for (var up = 0u; up < 6u; up++) {
        let i = first + 5u - up;
        for (var p = 0u; p < 5u - up; p++) {
            eliminate(i, p);
        }
    }
    // U, then L
    for (var up = 0u; up < 6u; up++) {
        let i = first + 5u - up;
        for (var p = 0u; p < 5u - up; p++) {
            substitute_up__X(i, p);
        }
    }
    for (var i = first; i < first + 6u; i++) {
        substitute_down__X(i);
    }
}

//#if DISCRETE
//#if SINGLE_FREE_BODY
// Accelerations of single free bodies that no constraint holds, with the derivatives of their bias forces: a spinning body
// then gains no energy. Bodies that the metric couples with others stay as they are.
fn turn_free_bodies() {
    sync();
    bias_force_derivatives();
    for (var tree = lane; tree < ntree; tree += lanes) {
        if (turns_freely(tree)) {
            let first = u32(tree_dofadr(tree));
            for (var dof = first; dof < first + 6u; dof++) {
                set_qacc(dof, qfrc_smooth(dof) + metric_force(dof));
                metric_row(dof);
                add_bias_force_derivatives(dof);
            }
            solve_free_body__qacc(first);
        }
    }
}

// Adds to qfrc_inverse what turn_free_bodies has on the other side of the equation.
fn add_turning_forces() {
    sync();
    bias_force_derivatives();
    for (var tree = lane; tree < ntree; tree += lanes) {
        if (turns_freely(tree)) {
            let first = u32(tree_dofadr(tree));
            for (var dof = first; dof < first + 6u; dof++) {
                var sum = 0.0;
                for (var j = first; j < first + 6u; j++) {
                    sum += bias_entry(dof, j) * inverse_qacc(j);
                }
                set_qfrc_inverse(dof, qfrc_inverse(dof) - opt_timestep(0u) * sum);
            }
        }
    }
}

// True of a single free body that rotates, without which there is no bias force, on which no row acts, and that nothing is
// coupled with in the metric.
fn turns_freely(tree: u32) -> bool {
    if (!is_single_free_body(i32(tree))) {
        return false;
    }
    let first = u32(tree_dofadr(tree));
    let spin = vec3f(qvel(first + 3u), qvel(first + 4u), qvel(first + 5u));
    if (all(spin == vec3f(0.0))) {
        return false;
    }
    var held = 0.0;
    for (var r = 0u; r < u32(nefc(0u)); r++) {
        for (var i = first; i < first + 6u; i++) {
            if (row_has(r, i)) {
                held += abs(efc_J(row_at(r, i)));
            }
        }
    }
    return held == 0.0 && !couples_tree(tree);
}

// One row of the metric.
fn metric_row(dof: u32) {
    let adr = u32(D_rowadr(dof));
    for (var k = adr; k < adr + u32(D_rownnz(dof)); k++) {
        let at = mapM2D(k);
        var inertia = 0.0;
        if (at >= 0) {
            inertia = metric_M(u32(at));
        }
        set_qLU(k, inertia);
    }
}
//#endif
//#endif
