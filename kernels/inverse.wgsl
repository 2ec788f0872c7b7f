// Inverse dynamics: the generalised force for a given acceleration. Twin: crates/cpu/src/solver/inverse.rs.

import package::constraint::constraint_cost::constraint_update;
import package::constraint::row_place::{ROW_PARTS, part_at, part_begin, part_end, row_at, row_has};
import package::integrate::implicit::{add_turning_forces, mul_implicit};
import package::runtime::group::{lane, sync};
import package::smooth::factor_m::{mul_m, solve_ld};
import package::smooth::reflected_inertia::{damping_derivative, damping_of_dof};
import package::solver::metric::{mul_metric, scale_rows, set_metric};

// qfrc_inverse and the constraint forces at qacc.
fn inverse() {
    for (var i = lane; i < nv; i += lanes) {
        set_inverse_qacc(i, qacc(i));
    }
    sync();
//#if INVDISCRETE
    continuous_acceleration();
//#endif
//#if DISCRETE
    set_metric();
    scale_rows();
//#endif
    // constraint forces at this acceleration
    let count = u32(nefc(0u));
    for (var r = lane; r < count; r += lanes) {
        var x = -efc_aref(r);
        for (var part = 0u; part < ROW_PARTS; part++) {
            let at = part_at(r, part);
            for (var i = part_begin(r, part); i < part_end(r, part); i++) {
                x += efc_J(at + i) * inverse_qacc(i);
            }
        }
        set_solver_Jv(r, x);
    }
    sync();
    for (var r = lane; r < count; r += lanes) {
        constraint_update__solver_Jv(r);
    }
//#if DISCRETE
//#if METRIC_COUPLED
    mul_metric__inverse_qacc__qfrc_inverse();
//#else
    mul_m__metric_M__inverse_qacc__qfrc_inverse();
//#endif
//#else
    mul_m__M__inverse_qacc__qfrc_inverse();
//#endif
    sync();
    // joint-space constraint force, and the remainder
    for (var i = lane; i < nv; i += lanes) {
        var sum = 0.0;
        for (var r = 0u; r < count; r++) {
            if (row_has(r, i)) {
                sum += efc_J(row_at(r, i)) * efc_force(r);
            }
        }
        set_qfrc_constraint(i, sum);
//#if DISCRETE
        sum += metric_force(i);
//#endif
        set_qfrc_inverse(i, qfrc_inverse(i) + qfrc_bias(i) - qfrc_passive(i) - sum);
    }
//#if DISCRETE
//#if SINGLE_FREE_BODY
    add_turning_forces();
//#endif
//#endif
}

// Converts the discrete-time qacc of the integrator to the continuous-time acceleration.
fn continuous_acceleration() {
//#if DERIVATIVE
    mul_implicit();
    solve_ld__qLD__qLDiagInv__inverse_qacc();
//#else
//#if EULERDAMP
    let h = opt_timestep(0u);
    mul_m__M__qacc__inverse_qacc();
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let derivative = damping_derivative(damping_of_dof(i), qvel(i));
        set_inverse_qacc(i, inverse_qacc(i) + h * derivative * qacc(i));
    }
    sync();
    solve_ld__qLD__qLDiagInv__inverse_qacc();
//#endif
//#endif
}
