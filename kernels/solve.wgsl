// Constraint forces and acceleration: the primal problem by Newton's method or conjugate gradients, or the dual one
// by projected Gauss-Seidel; or the closed form of the simplified contact model. Twin: crates/cpu/src/solver/solve.rs,
// which states the cost. The schedule differs: the twin solves island by island.
//
// All lanes of a world take the same decisions, from the same sums. The line search is one loop with a single
// evaluation, whose result goes to the state that asked for it: drivers inline every call, and worlds of one group
// may be in different states. Loops that hold barriers run until no world of the group is live.

import package::integrate::implicit::turn_free_bodies;
import package::runtime::group::{any_world, sync};
import package::solver::line_search::line_search;
import package::solver::metric::scale_rows;
import package::solver::noslip::{begin_noslip, iterate_noslip, noslip};
import package::solver::pgs::{dual_finish, pgs_iterate, pgs_warmstart};
import package::solver::primal::{search_direction, search_sums, squared_gradient, take_step, warmstart};
import package::solver::smooth_contact::smooth_forces;
import package::solver::state::{
    compliance, end_solve, EXPECTED, iterations, live, load_solve, MIN_GRADIENT, MIN_IMPROVEMENT, restart, rows,
    save_solve, stepped,
};
import package::solver::tree_rows::list_tree_rows;
import package::solver::update::update_gradient;

// Complete solve in one dispatch.
fn solve() {
    begin_solve();
    for (var i = 0; i <= opt_iterations(0u); i++) {
        if (!any_world(stepped)) {
            break;
        }
        iterate_solve();
    }
//#if NOSLIP
    noslip();
//#endif
//#if DUAL
    dual_finish();
//#endif
    end_solve();
//#if DISCRETE
//#if SINGLE_FREE_BODY
    turn_free_bodies();
//#endif
//#endif
}

//#if SPLIT_SOLVE
// First dispatch of a solve that is split into one dispatch for each iteration, for drivers that end long loops.
fn solve_first() {
    begin_solve();
    save_solve();
}

// Dispatch of one iteration.
fn solve_next() {
    load_solve();
    if (any_world(stepped)) {
        iterate_solve();
    }
    sync();
    save_solve();
}
//#endif

// Initial state of the solver.
fn begin_solve() {
//#if DISCRETE
    scale_rows();
//#endif
    rows = u32(nefc(0u));
    live = rows > 0u;
    stepped = true;
    iterations = 0;
//#if CG
    restart = true;
//#if NARROW_ROWS
//#if LANES
//#if !SPLIT_SOLVE
    list_tree_rows();
//#endif
//#endif
//#endif
//#endif
//#if SMOOTH
    smooth_forces();
    stepped = false;
    iterations = i32(live);
//#else
//#if PGS
    pgs_warmstart();
//#else
    warmstart();
//#endif
//#endif
}

// Gradient at the current acceleration and, unless it is small, one more step.
fn iterate_solve() {
//#if PGS
    pgs_iterate();
//#else
//#if !SMOOTH
    let scale = 1.0 / (stat_meaninertia(0u) * max(f32(nv), 1.0));
    let tolerance = max(opt_tolerance(0u), MIN_IMPROVEMENT);
    update_gradient();
    let squares = squared_gradient();
    var large_gradient = scale * sqrt(squares.x) >= max(opt_tolerance(0u), MIN_GRADIENT);
//#if !CG
    large_gradient = large_gradient && 0.5 * scale * compliance * squares.y >= EXPECTED * tolerance;
//#endif
    live = live && (iterations == 0 || large_gradient) && iterations < opt_iterations(0u);
    stepped = live;
    if (!any_world(live)) {
        return;
    }
    // search direction and line search
    search_direction();
    let sums = search_sums();
//#if !CG
    if (0.5 * scale * sums.x < tolerance && iterations > 0) {
        live = false;
    }
    compliance = sums.x / max(squares.y, MINVAL);
//#endif
    let best = line_search(sums, scale, live);
    // step
    if (live && best.alpha != 0.0) {
        take_step(best.alpha);
        iterations++;
    }
    let improves = best.alpha != 0.0 && -scale * best.cost >= tolerance;
//#if CG
    // CG stops only if the steepest descent after a restart does not improve either: rounding may have spoilt the
    // direction
    live = live && (improves || !restart);
    restart = !improves;
//#else
    live = live && improves;
//#endif
    sync();
//#endif
//#endif
}

//#if NOSLIP
//#if SPLIT_SOLVE
// First dispatch of a noslip solve that is split into one dispatch for each sweep, for drivers that end long loops.
fn noslip_first() {
    load_solve();
    begin_noslip();
    save_solve();
}

// Dispatch of one sweep.
fn noslip_next() {
    load_solve();
    if (any_world(live)) {
        iterate_noslip();
    }
    save_solve();
}
//#endif
//#endif

//#if DUAL
//#if SPLIT_SOLVE
// dual_finish as a dispatch.
fn dual_last() {
    load_solve();
    dual_finish();
    save_solve();
}
//#endif
//#endif

//#if DISCRETE
//#if SINGLE_FREE_BODY
//#if SPLIT_SOLVE
// turn_free_bodies as a dispatch.
fn free_last() {
    turn_free_bodies();
}
//#endif
//#endif
//#endif
