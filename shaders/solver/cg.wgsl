// Conjugate-gradient directions, preconditioned by the inertia or, in a metric, by what is on its pattern. Twin:
// crates/cpu/src/solver/cg.rs. Only the kernels restart after a step without improvement (kernels/solve.wgsl): single
// precision spoils directions.

import package::runtime::group::{lane, parts, set_partial, sum_partials, sync};
import package::smooth::factor_m::solve_ld;
import package::solver::state::restart;

//#if CG
// New search direction from the gradient.
fn cg_direction() {
    let last = solver_grad_Mgrad(0u);
    // gradient preconditioned by the inertia
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_Mv(i, solver_grad(i));
    }
    sync();
//#if DISCRETE
    solve_ld__metric_LD__metric_LDiagInv__solver_Mv();
//#else
    solve_ld__qLD__qLDiagInv__solver_Mv();
//#endif
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        //#unroll
        for (var i = k; i < nv; i += parts) {
            sum += solver_grad(i) * vec4f(solver_Mv(i), solver_Mv(i) - solver_Mgrad(i), 0.0, 0.0);
        }
        set_partial(k, sum);
    }
    let sum = sum_partials();
    // Polak-Ribiere beta, not below zero (Nocedal and Wright, 5.2)
    let beta = select(max(sum.y / max(last, MINVAL), 0.0), 0.0, restart);
    if (lane == 0u) {
        set_solver_grad_Mgrad(0u, sum.x);
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_search(i, select(0.0, beta * solver_search(i), beta > 0.0) - solver_Mv(i));
        set_solver_Mgrad(i, solver_Mv(i));
    }
    sync();
}
//#endif
