// Primal problem: warm start, search direction and step. Twin: crates/cpu/src/solver/solve.rs. The schedule
// differs: the twin solves island by island.

import package::constraint::constraint_cost::constraint_cost;
import package::constraint::row_place::{ROW_PARTS, part_at, part_begin, part_end};
import package::runtime::group::{lane, partial_end, parts, set_partial, set_partial_y, sum_partials, sync};
import package::runtime::options::disabled;
import package::smooth::factor_m::mul_m;
import package::solver::cg::cg_direction;
import package::solver::hessian::{factor_hessian, solve_hessian};
import package::solver::metric::mul_terms;
import package::solver::skyline::find_hessian_skyline;
import package::solver::state::rows;
import package::solver::stored_tiles;
import package::solver::tiles::{begin_tiles, factor_and_solve, mul_inertia};

// Warm start: the last acceleration, or the unconstrained one if its cost is lower.
fn warmstart() {
    // the solver's working vectors, copied to fast memory
//#if !LANE_TILES
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
//#if DISCRETE
        set_solver_M(k, metric_M(k));
//#else
        set_solver_M(k, M(k));
//#endif
    }
//#endif
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
//#if DISCRETE
        set_solver_qfrc_smooth(i, qfrc_smooth(i) + metric_force(i));
//#else
        set_solver_qfrc_smooth(i, qfrc_smooth(i));
//#endif
        set_solver_qacc(i, qacc_warmstart(i));
        set_solver_search(i, qacc_smooth(i));
    }
    sync();
//#if STORED_TILES
    stored_tiles::begin_tiles();
//#endif
//#if LANE_TILES
    begin_tiles();
//#endif
//#if !TILES
//#if SPARSE
//#if !CG
    find_hessian_skyline();
//#endif
//#endif
//#endif
    // residuals of both on the rows
    for (var r = lane; r < rows; r += lanes) {
        var warm = 0.0;
        var smooth_jaref = 0.0;
        //#unroll
        for (var part = 0u; part < ROW_PARTS; part++) {
            let at = part_at(r, part);
            //#unroll
            for (var i = part_begin(r, part); i < part_end(r, part); i++) {
                let x = efc_J(at + i);
                warm += x * solver_qacc(i);
                smooth_jaref += x * solver_search(i);
            }
        }
        set_solver_Jaref(r, warm - efc_aref(r));
        set_solver_Jv(r, smooth_jaref - efc_aref(r));
    }
//#if LANE_TILES
    mul_inertia__solver_qacc__solver_Ma();
    mul_inertia__solver_search__solver_Mv();
//#else
    mul_m__solver_M__solver_qacc__solver_Ma();
    mul_m__solver_M__solver_search__solver_Mv();
//#endif
//#if METRIC_COUPLED
    mul_terms__solver_qacc__solver_Ma();
    mul_terms__solver_search__solver_Mv();
//#endif
    sync();
    // cost of the last acceleration relative to the unconstrained one: smooth part, and rows
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var change = 0.0;
        //#unroll
        for (var i = k; i < nv; i += parts) {
            let apart = solver_qacc(i) - solver_search(i);
            change += 0.5 * apart * (solver_Ma(i) - solver_qfrc_smooth(i));
        }
        set_partial(k, vec4f(change, 0.0, 0.0, 0.0));
    }
    for (var k = lane; k < partial_end(rows); k += lanes) {
        var change = 0.0;
        for (var r = k; r < rows; r += parts) {
            change += constraint_cost__solver_Jaref(r) - constraint_cost__solver_Jv(r);
        }
        set_partial_y(k, change);
    }
    let sum = sum_partials();
    let above = sum.x + sum.y;
    let warm = above <= 0.0 && rows > 0u && !disabled(DISABLE_WARMSTART);
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, select(solver_search(i), solver_qacc(i), warm));
        set_solver_Ma(i, select(solver_Mv(i), solver_Ma(i), warm));
    }
    for (var r = lane; r < rows; r += lanes) {
        set_solver_Jaref(r, select(solver_Jv(r), solver_Jaref(r), warm));
    }
    sync();
}

// Square of the gradient's Euclidean norm and, for Newton's method, of its norm in the inverse pivots of the inertia, or of
// the metric in its place: a gradient counts for what the body that it moves gains by it, be that light or heavy.
fn squared_gradient() -> vec2f {
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = 0.0;
        var weighted = 0.0;
        //#unroll
        for (var i = k; i < nv; i += parts) {
            let square = solver_grad(i) * solver_grad(i);
            sum += square;
//#if !CG
//#if DISCRETE
            weighted += square * metric_LDiagInv(i);
//#else
            weighted += square * qLDiagInv(i);
//#endif
//#endif
        }
        set_partial(k, vec4f(sum, weighted, 0.0, 0.0));
    }
    return sum_partials().xy;
}

// Search direction at the present acceleration, and its products with the inertia and the Jacobian.
fn search_direction() {
//#if CG
    cg_direction();
//#else
//#if STORED_TILES
    stored_tiles::factor_and_solve();
//#endif
//#if LANE_TILES
    factor_and_solve();
//#endif
//#if !TILES
    factor_hessian();
    solve_hessian();
//#endif
//#endif
//#if LANE_TILES
    mul_inertia__solver_search__solver_Mv();
//#else
    mul_m__solver_M__solver_search__solver_Mv();
//#endif
//#if METRIC_COUPLED
    mul_terms__solver_search__solver_Mv();
//#endif
    for (var r = lane; r < rows; r += lanes) {
        var sum = 0.0;
        //#unroll
        for (var part = 0u; part < ROW_PARTS; part++) {
            let at = part_at(r, part);
            //#unroll
            for (var i = part_begin(r, part); i < part_end(r, part); i++) {
                sum += efc_J(at + i) * solver_search(i);
            }
        }
        set_solver_Jv(r, sum);
    }
    sync();
}

// Newton decrement -grad' search, length of the search direction, slope and curvature of the smooth cost along it.
fn search_sums() -> vec4f {
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        //#unroll
        for (var i = k; i < nv; i += parts) {
            let s = solver_search(i);
            sum += s * vec4f(-solver_grad(i), s, solver_Ma(i) - solver_qfrc_smooth(i), solver_Mv(i));
        }
        set_partial(k, sum);
    }
    let sum = sum_partials();
    return vec4f(sum.x, sqrt(sum.y), sum.zw);
}

// Moves the acceleration along the search direction.
fn take_step(alpha: f32) {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, solver_qacc(i) + alpha * solver_search(i));
        set_solver_Ma(i, solver_Ma(i) + alpha * solver_Mv(i));
    }
    for (var r = lane; r < rows; r += lanes) {
        set_solver_Jaref(r, solver_Jaref(r) + alpha * solver_Jv(r));
    }
}
