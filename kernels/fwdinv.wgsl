// Comparison of forward and inverse dynamics. Twin: crates/cpu/src/solver/fwdinv.rs.

import package::kernels::inverse::inverse;
import package::runtime::group::{lane, partial_end, parts, set_partial, sum_partials, sync};
import package::smooth::applied_force::applied_force;

// Norms of the differences between forward and inverse dynamics at qacc: of the constraint forces, and of the applied
// forces. The forces from forward dynamics are restored afterwards.
fn fwdinv() {
    // save the forces of forward dynamics
    for (var i = lane; i < nv; i += lanes) {
        set_fwdinv_qfrc_constraint(i, qfrc_constraint(i));
    }
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        set_fwdinv_efc_force(r, efc_force(r));
    }
    inverse();
    sync();
    // squared differences of the constraint forces and of the applied forces
    for (var k = lane; k < partial_end(nv); k += lanes) {
        var sum = vec4f(0.0);
        for (var i = k; i < nv; i += parts) {
            let x = fwdinv_qfrc_constraint(i) - qfrc_constraint(i);
            let given = qfrc_applied(i) + qfrc_actuator(i) + applied_force(i);
            let y = given - qfrc_inverse(i);
            sum += vec4f(x * x, y * y, 0.0, 0.0);
        }
        set_partial(k, sum);
    }
    let sum = sum_partials();
    if (lane == 0u) {
        set_solver_fwdinv(0u, sqrt(sum.x));
        set_solver_fwdinv(1u, sqrt(sum.y));
    }
    // restore the forces of forward dynamics
    for (var i = lane; i < nv; i += lanes) {
        set_qfrc_constraint(i, fwdinv_qfrc_constraint(i));
    }
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        set_efc_force(r, fwdinv_efc_force(r));
    }
}
