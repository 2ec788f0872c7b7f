// Solutions in the metric of the integrator discrete: by the factors of what is on the pattern of the inertia and, where the
// metric couples more, by conjugate gradients that these precondition (Nocedal and Wright, *Numerical Optimization*,
// algorithm 5.3). Twin: crates/cpu/src/solver/metric_solve.rs. The schedule differs: the twin has factors of the Hessian for
// Newton's method.

import package::runtime::group::{any_world, lane, parts, set_partial, sum_partials, sync};
import package::smooth::factor_m::solve_ld;
import package::solver::metric::mul_metric;

// Residual relative to the right-hand side, squared: two units of rounding.
const SOLVED: f32 = 5.7e-14;

//#if DISCRETE
// Solves in the metric for qacc_smooth, in place.
fn solve_metric() {
//#if METRIC_COUPLED
    descend();
//#else
    solve_ld__metric_LD__metric_LDiagInv__qacc_smooth();
//#endif
}

//#if METRIC_COUPLED
// Preconditioned conjugate gradients.
fn descend() {
    for (var i = lane; i < nv; i += lanes) {
        set_metric_residual(i, qacc_smooth(i));
    }
    sync();
    // from the solution of the preconditioner
    solve_ld__metric_LD__metric_LDiagInv__qacc_smooth();
    for (var k = lane; k < parts; k += lanes) {
        var sum = 0.0;
        for (var i = k; i < nv; i += parts) {
            sum += metric_residual(i) * metric_residual(i);
        }
        set_partial(k, vec4f(sum));
    }
    let small = SOLVED * sum_partials().x;
    mul_metric__qacc_smooth__metric_product();
    for (var i = lane; i < nv; i += lanes) {
        set_metric_residual(i, metric_residual(i) - metric_product(i));
        set_metric_direction(i, 0.0);
    }
    var sums = precondition_residual();
    var share = 0.0;
    var live = true;
    for (var turn = 0u; turn < 4u * nv + 16u; turn++) {
        // not a number either
        live = live && sums.x > small;
        if (!any_world(live)) {
            break;
        }
        for (var i = lane; i < nv && live; i += lanes) {
            set_metric_direction(i, metric_scaled(i) + share * metric_direction(i));
        }
        sync();
        mul_metric__metric_direction__metric_product();
        for (var k = lane; k < parts; k += lanes) {
            var sum = 0.0;
            for (var i = k; i < nv; i += parts) {
                sum += metric_direction(i) * metric_product(i);
            }
            set_partial(k, vec4f(sum));
        }
        let curvature = sum_partials().x;
        live = live && curvature > 0.0;
        let step = sums.y / curvature;
        for (var i = lane; i < nv && live; i += lanes) {
            set_qacc_smooth(i, qacc_smooth(i) + step * metric_direction(i));
            set_metric_residual(i, metric_residual(i) - step * metric_product(i));
        }
        let next = precondition_residual();
        share = next.y / sums.y;
        sums = next;
    }
    sync();
}

// The residual by the factors that precondition; the square of the residual, and its product with that.
fn precondition_residual() -> vec2f {
    for (var i = lane; i < nv; i += lanes) {
        set_metric_scaled(i, metric_residual(i));
    }
    sync();
    solve_ld__metric_LD__metric_LDiagInv__metric_scaled();
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        for (var i = k; i < nv; i += parts) {
            sum += metric_residual(i) * vec4f(metric_residual(i), metric_scaled(i), 0.0, 0.0);
        }
        set_partial(k, sum);
    }
    return sum_partials().xy;
}
//#endif
//#endif
