// Matrix of the implicit integrators: inertia less time step times force derivatives.
// Twin: crates/cpu/src/integrate/implicit.rs.

import package::integrate::velocity_derivative::{
    bias_entry, bias_force_derivatives, derivative, is_single_free_body,
};
import package::runtime::group::{lane, sync};

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
