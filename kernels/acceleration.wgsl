// Unconstrained acceleration. Twin: crates/cpu/src/smooth/acceleration.rs.

import package::runtime::group::{lane, parts, set_partial, sum_partials, sync};
import package::sleep::asleep::dof_sleeps;
import package::smooth::applied_force::{applied_force, is_set};
import package::smooth::factor_m::solve_ld;
import package::solver::metric::set_metric;
import package::solver::metric_solve::solve_metric;

// qacc_smooth = M^-1 qfrc_smooth, where qfrc_smooth = passive - bias + applied + actuator forces; in the metric of the
// integrator discrete.
fn acceleration() {
    // xfrc_applied costs a sum over bodies, so it is skipped unless the caller has set some of it
    for (var k = lane; k < parts; k += lanes) {
        var has_xfrc = 0.0;
        for (var body = k; body < nbody; body += parts) {
            let xfrc = xfrc_applied_spatial(body);
            has_xfrc += select(0.0, 1.0, body > 0u && (is_set(xfrc.ang) || is_set(xfrc.lin)));
        }
        set_partial(k, vec4f(has_xfrc));
    }
    let has_xfrc = sum_partials().x > 0.0;
    for (var dof = lane; dof < nv; dof += lanes) {
        var sum = qfrc_passive(dof) - qfrc_bias(dof);
        sum += qfrc_applied(dof) + qfrc_actuator(dof);
        if (has_xfrc) {
            sum += applied_force(dof);
        }
        // sleeping trees feel no force
        sum = select(sum, 0.0, dof_sleeps(dof));
        set_qfrc_smooth(dof, sum);
        set_qacc_smooth(dof, sum);
    }
    sync();
//#if DISCRETE
    set_metric();
    for (var i = lane; i < nv; i += lanes) {
        set_qacc_smooth(i, qfrc_smooth(i) + metric_force(i));
    }
    sync();
    solve_metric();
//#else
//#if LOCAL_WORKING_SET
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_work_x(i, qacc_smooth(i));
    }
    sync();
    solve_ld__qLD__qLDiagInv__work_x();
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qacc_smooth(i, work_x(i));
    }
//#else
    solve_ld__qLD__qLDiagInv__qacc_smooth();
//#endif
//#endif
}
