// Matrix of the implicit integrators: inertia less time step times force derivatives.
// Twin: crates/cpu/src/integrate/implicit.rs.

import package::integrate::velocity_derivative::{bias_entry, bias_force_derivatives, derivative, is_single_free_body};
import package::runtime::group::{lane, sync};
import package::smooth::factor_m::{factor_ld, solve_ld};

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
