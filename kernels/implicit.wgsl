// Integrators implicit in velocity: forces at the velocities after the step, linearised in them.
// Twin: crates/cpu/src/integrate/implicit.rs. The schedule differs: lanes share the ancestors of a degree of freedom.

import package::integrate::advance::{bad_acceleration, finish_step};
import package::integrate::implicit::{
    add_bias_force_derivatives, eliminate, matrix_row, solve_damped, solve_free_body, substitute_down, substitute_up,
};
import package::integrate::velocity_derivative::{bias_force_derivatives, derivative, is_single_free_body};
import package::runtime::group::{lane, sync};

// One step of one world.
fn implicit() {
    // a step that is owed is taken at any acceleration
    let takes_owed = step_owed(0u) < 0;
    let bad = bad_acceleration() && !takes_owed;
    derivative();
    // right-hand side
    for (var i = lane; i < nv; i += lanes) {
        set_qacc_damped(i, qfrc_smooth(i) + qfrc_constraint(i));
    }
    sync();
//#if IMPLICIT
    // unsymmetric matrix: LU
    for (var dof = lane; dof < nv; dof += lanes) {
        matrix_row(dof);
    }
    sync();
    factor_lu();
    solve_lu();
//#endif
//#if IMPLICITFAST
    solve_implicitfast();
//#endif
//#if SINGLE_FREE_BODY
    solve_free_bodies();
//#endif
    finish_step__qacc_damped(bad, takes_owed);
}

// Acceleration with the symmetrised matrix; the blocks of single free bodies stay as in M and are solved apart.
fn solve_implicitfast() {
    let h = opt_timestep(0u);
    // M - h qDeriv, symmetric; plain M for single free bodies
    for (var dof = lane; dof < nv; dof += lanes) {
        let adr = u32(M_rowadr(dof));
        let end = adr + u32(M_rownnz(dof));
        let share = select(h, 0.0, is_single_free_body(dof_treeid(dof)));
        for (var k = adr; k < end; k++) {
            set_qH(k, M(k) - share * qDeriv(u32(mapD2M(k))));
        }
    }
    sync();
    solve_damped();
}

// Accelerations of single free bodies, one lane for each 6 x 6 block.
fn solve_free_bodies() {
    bias_force_derivatives();
    for (var tree = lane; tree < ntree; tree += lanes) {
        if (is_single_free_body(i32(tree))) {
            let first = u32(tree_dofadr(tree));
            // matrix with bias-force derivatives, and right-hand side
            for (var dof = first; dof < first + 6u; dof++) {
                set_qacc_damped(dof, qfrc_smooth(dof) + qfrc_constraint(dof));
                matrix_row(dof);
                add_bias_force_derivatives(dof);
            }
            solve_free_body__qacc_damped(first);
        }
    }
    sync();
}

// Replaces the matrix by its factors U, with unit diagonal, and L; leaves are eliminated first, so that there is no
// fill-in.
fn factor_lu() {
    for (var up = 0u; up < nv; up++) {
        let i = nv - 1u - up;
        for (var p = lane; p < u32(D_diag(i)); p += lanes) {
            eliminate(i, p);
        }
        sync();
    }
}

// Solves U L x = qacc_damped in place.
fn solve_lu() {
    // U, from the leaves up
    for (var up = 0u; up < nv; up++) {
        let i = nv - 1u - up;
        for (var p = lane; p < u32(D_diag(i)); p += lanes) {
            substitute_up__qacc_damped(i, p);
        }
        sync();
    }
    // L, from the root down: each row needs all rows above it
    if (lane == 0u) {
        for (var i = 0u; i < nv; i++) {
            substitute_down__qacc_damped(i);
        }
    }
    sync();
}
