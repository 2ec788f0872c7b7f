// Projected Gauss-Seidel on the dual problem, in the constraint forces. Twin: crates/cpu/src/solver/pgs.rs, which
// states the cost. The schedule differs: the twin solves island by island.
//
// Rows are updated in sequence; the lanes of a world share the products with the acceleration and its change, and the
// first lane finds the forces. Worlds of one group may be at different rows.

import package::constraint::constraint_cost::constraint_update;
import package::constraint::row_place::{DofRange, row_begin, row_end};
import package::runtime::group::{any_world, group_max, lane, partial_end, parts, set_partial, sum_partials, sync};
import package::runtime::options::disabled;
import package::smooth::factor_m::solve_ld;
import package::solver::qcqp::solve_qcqp;
import package::solver::skyline::{first_lane_dof, row_tree_range};
import package::solver::state::{iterations, live, rows, stepped};
import package::solver::update::sum_forces;

//#if DUAL
// Updates that raise the cost by more than this are rejected.
const MAX_COST_INCREASE: f32 = 1e-10;

// Least diagonal of A, where nothing is regularised.
const MIN_DIAGONAL: f32 = 1e-10;

// Block of rows updated together: first row of the group whose products dual_A holds, first row of the block, number
// of rows, and whether the regulariser counts.
struct PgsBlock {
    head: u32,
    first: u32,
    count: u32,
    regularised: bool,
}

// First row of the group that a row is updated with: its cone, or a pair of opposing pyramid edges.
fn block_head(row: u32) -> u32 {
    let kind = efc_type(row);
    if (kind == CONSTRAINT_CONTACT_ELLIPTIC) {
        return u32(contact_efc_address(u32(efc_id(row))));
    }
    if (kind == CONSTRAINT_CONTACT_PYRAMIDAL) {
        return row - ((row - u32(contact_efc_address(u32(efc_id(row))))) & 1u);
    }
    return row;
}

// Number of rows in the group headed by a row.
fn block_size(head: u32) -> u32 {
    let kind = efc_type(head);
    if (kind == CONSTRAINT_CONTACT_ELLIPTIC) {
        return u32(contact_dim(u32(efc_id(head))));
    }
    return select(1u, 2u, kind == CONSTRAINT_CONTACT_PYRAMIDAL);
}

// M^-1 J', and the elements of A = J M^-1 J' that block updates use.
fn project_constraint() {
    for (var r = lane; r < rows; r += lanes) {
        let adr = r * nv;
        let trees = row_tree_range(r);
        let first = trees.first;
        let end = trees.end;
        for (var i = first; i < end; i++) {
            set_dual_MinvJT(adr + i, efc_J(adr + i));
        }
        // L', from the leaves up
        for (var up = first; up < end; up++) {
            let k = first + end - 1u - up;
            let x = dual_MinvJT(adr + k);
            if (x != 0.0) {
                let begin = u32(M_rowadr(k));
                let last = begin + u32(M_rownnz(k)) - 1u;
                for (var p = begin; p < last; p++) {
                    let j = adr + u32(M_colind(p));
//#if DISCRETE
                    set_dual_MinvJT(j, dual_MinvJT(j) - metric_LD(p) * x);
//#else
                    set_dual_MinvJT(j, dual_MinvJT(j) - qLD(p) * x);
//#endif
                }
            }
        }
        // D, then L from the root down
        for (var k = first; k < end; k++) {
            let begin = u32(M_rowadr(k));
            let last = begin + u32(M_rownnz(k)) - 1u;
//#if DISCRETE
            var sum = dual_MinvJT(adr + k) * metric_LDiagInv(k);
            for (var p = begin; p < last; p++) {
                sum -= metric_LD(p) * dual_MinvJT(adr + u32(M_colind(p)));
            }
//#else
            var sum = dual_MinvJT(adr + k) * qLDiagInv(k);
            for (var p = begin; p < last; p++) {
                sum -= qLD(p) * dual_MinvJT(adr + u32(M_colind(p)));
            }
//#endif
            set_dual_MinvJT(adr + k, sum);
        }
    }
    sync();
    for (var r = lane; r < rows; r += lanes) {
        let head = block_head(r);
        let count = block_size(head);
        for (var j = 0u; j < count; j++) {
            var sum = 0.0;
            for (var i = row_begin(r); i < row_end(r); i++) {
                sum += efc_J(r * nv + i) * dual_MinvJT((head + j) * nv + i);
            }
            set_dual_A(6u * r + j, sum);
        }
    }
    sync();
}

// Joint-space force of the present constraint forces, and the resulting acceleration.
fn acceleration_of_forces() {
    sum_forces();
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_search(i, solver_JTf(i));
    }
    sync();
//#if DISCRETE
    solve_ld__metric_LD__metric_LDiagInv__solver_search();
//#else
    solve_ld__qLD__qLDiagInv__solver_search();
//#endif
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, qacc_smooth(i) + solver_search(i));
    }
    sync();
}

// Results that follow from the final forces.
fn dual_finish() {
    acceleration_of_forces();
    set_residuals();
}

// Residuals J a - aref of the rows at the present acceleration.
fn set_residuals() {
    for (var r = lane; r < rows; r += lanes) {
        var x = -efc_aref(r);
        //#unroll
        for (var i = row_begin(r); i < row_end(r); i++) {
            x += efc_J(r * nv + i) * solver_qacc(i);
        }
        set_solver_Jaref(r, x);
    }
    sync();
}

// Element of A for two rows of a block.
fn dual_AR(at: PgsBlock, i: u32, j: u32) -> f32 {
    let row = at.first + i;
    let x = dual_A(6u * row + at.first - at.head + j);
    if (i != j) {
        return x;
    }
    return select(max(x, MIN_DIAGONAL), x + efc_R(row), at.regularised);
}

// Residuals of a block at its present forces, into dual_residual; the forces into dual_oldforce and dual_force.
fn load_block(at: PgsBlock) {
    block_mul_jac(at, 0u);
//#if DUAL_ELLIPTIC
    if (group_max(at.count) > 4u) {
        block_mul_jac(at, 4u);
    }
//#endif
    if (lane == 0u) {
        for (var k = 0u; k < at.count; k++) {
            let row = at.first + k;
            let f = efc_force(row);
            let own = select(0.0, efc_R(row) * f, at.regularised);
            set_dual_residual(k, dual_residual(k) - efc_aref(row) + own);
            set_dual_oldforce(k, f);
            set_dual_force(k, f);
        }
    }
}

// Products of the acceleration with up to four rows from `skip` on.
fn block_mul_jac(at: PgsBlock, skip: u32) {
    // missing rows repeat the last one
    let last = at.first + max(at.count, 1u) - 1u;
    let adr = min(vec4u(at.first + skip) + vec4u(0u, 1u, 2u, 3u), vec4u(last)) * nv;
//#if SPARSE
    // rows of a contact share one range
    let first = row_begin(at.first);
    let end = row_end(at.first);
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        for (var i = first + (k + parts - first % parts) % parts; i < end; i += parts) {
            sum += solver_qacc(i) * block_column(adr, i);
        }
        set_partial(k, sum);
    }
//#else
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        //#unroll
        for (var i = k; i < nv; i += parts) {
            sum += solver_qacc(i) * block_column(adr, i);
        }
        set_partial(k, sum);
    }
//#endif
    let sum = sum_partials();
    if (lane == 0u) {
        set_dual_residual(skip, sum.x);
        set_dual_residual(skip + 1u, sum.y);
        if (skip == 0u) {
            set_dual_residual(2u, sum.z);
            set_dual_residual(3u, sum.w);
        }
    }
}

// Column i of up to four Jacobian rows, zero for rows that no block of this model has: four for elliptic cones.
//#if DUAL_ELLIPTIC
fn block_column(adr: vec4u, i: u32) -> vec4f {
    return vec4f(efc_J(adr.x + i), efc_J(adr.y + i), efc_J(adr.z + i), efc_J(adr.w + i));
}
//#else
//#if DUAL_PYRAMIDAL
// Column i of two Jacobian rows: opposing pyramid edges.
fn block_column(adr: vec4u, i: u32) -> vec4f {
    return vec4f(efc_J(adr.x + i), efc_J(adr.y + i), 0.0, 0.0);
}
//#else
// Column i of a single Jacobian row.
fn block_column(adr: vec4u, i: u32) -> vec4f {
    return vec4f(efc_J(adr.x + i), 0.0, 0.0, 0.0);
}
//#endif
//#endif

// Change of cost from dual_oldforce to dual_force; forces that raise it are reverted.
fn cost_change(at: PgsBlock) -> f32 {
    var change = 0.0;
    for (var i = 0u; i < at.count; i++) {
        var product = 0.0;
        for (var j = 0u; j < at.count; j++) {
            product += dual_AR(at, i, j) * (dual_force(j) - dual_oldforce(j));
        }
        change += (dual_force(i) - dual_oldforce(i)) * (0.5 * product + dual_residual(i));
    }
    let worse = change > MAX_COST_INCREASE;
    for (var k = 0u; k < at.count; k++) {
        let f = select(dual_force(k), dual_oldforce(k), worse);
        set_dual_force(k, f);
        set_efc_force(at.first + k, f);
    }
    return select(change, 0.0, worse);
}

// Updates the acceleration for the accepted change of force.
fn accept(at: PgsBlock, wanted: bool) {
    sync();
    if (wanted) {
        for (var k = 0u; k < at.count; k++) {
            let change = dual_force(k) - dual_oldforce(k);
            let adr = (at.first + k) * nv;
            add_change(adr, change, row_tree_range(at.first + k));
        }
    }
    sync();
}

// Adds a change of force times its column of M^-1 J' at `adr` to the acceleration, within the row's trees.
//#if SPARSE
fn add_change(adr: u32, change: f32, trees: DofRange) {
    for (var i = first_lane_dof(trees.first); i < trees.end; i += lanes) {
        set_solver_qacc(i, solver_qacc(i) + change * dual_MinvJT(adr + i));
    }
}
//#else
// Adds a change of force times its column of M^-1 J' at `adr` to the acceleration.
fn add_change(adr: u32, change: f32, trees: DofRange) {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, solver_qacc(i) + change * dual_MinvJT(adr + i));
    }
}
//#endif

// Single row: unconstrained minimum, clamped to its bounds.
fn update_scalar(at: PgsBlock) {
    let row = at.first;
    var f = dual_oldforce(0u) - dual_residual(0u) / max(dual_AR(at, 0u, 0u), MINVAL);
    var lower = 0.0;
    var upper = 3e38;
//#if FRICTION
    if (row < u32(ne(0u) + nf(0u))) {
        upper = efc_frictionloss(row);
        lower = -upper;
    }
//#endif
//#if EQUALITY
    if (row < u32(ne(0u))) {
        upper = 3e38;
        lower = -upper;
    }
//#endif
    set_dual_force(0u, clamp(f, lower, upper));
}

//#if DUAL_ELLIPTIC
// Ray update of a cone: scales the whole force, not below zero; for zero force, updates the normal row alone.
fn update_ray(at: PgsBlock) {
    let old = dual_oldforce(0u);
    if (old < MINVAL) {
        for (var k = 0u; k < at.count; k++) {
            set_dual_force(k, 0.0);
        }
        set_dual_force(0u, max(old - dual_residual(0u) / max(dual_AR(at, 0u, 0u), MINVAL), 0.0));
        return;
    }
    var slope = 0.0;
    var curvature = 0.0;
    for (var i = 0u; i < at.count; i++) {
        slope += dual_oldforce(i) * dual_residual(i);
        for (var j = 0u; j < at.count; j++) {
            curvature += dual_oldforce(i) * dual_AR(at, i, j) * dual_oldforce(j);
        }
    }
    let ray_step = select(0.0, max(-slope / curvature, -1.0), curvature >= MINVAL);
    for (var k = 0u; k < at.count; k++) {
        set_dual_force(k, dual_oldforce(k) + ray_step * dual_oldforce(k));
    }
}

// Tangential forces of a cone at a normal force that has changed by `change`; `skip` is 1 if the normal row belongs
// to the block.
fn update_tangents(at: PgsBlock, normal: f32, change: f32, skip: u32) {
    let con = u32(efc_id(at.first));
    let n = at.count - skip;
    for (var i = 0u; i < n; i++) {
        var linear = dual_residual(skip + i);
        if (skip == 1u) {
            linear += dual_AR(at, 1u + i, 0u) * change;
        }
        for (var j = 0u; j < n; j++) {
            let x = dual_AR(at, skip + i, skip + j);
            set_qcqp_A(5u * i + j, x);
            linear -= x * dual_oldforce(skip + j);
        }
        set_qcqp_b(i, linear);
        set_qcqp_y(i, 0.0);
    }
    if (normal >= MINVAL) {
        solve_qcqp(con, normal, n);
    }
    for (var i = 0u; i < n; i++) {
        set_dual_force(skip + i, qcqp_y(i));
    }
}
//#endif
//#endif

//#if PGS
// Warm start: forces of the last acceleration, or zero if that costs less.
fn pgs_warmstart() {
    project_constraint();
    // forces at the acceleration of the last step
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_solver_qacc(i, qacc_warmstart(i));
    }
    sync();
    set_residuals();
    for (var r = lane; r < rows; r += lanes) {
        constraint_update__solver_Jaref(r);
    }
    sync();
    acceleration_of_forces();
    // cost of these forces
    for (var k = lane; k < partial_end(rows); k += lanes) {
        var sum = 0.0;
        for (var r = k; r < rows; r += parts) {
            let f = efc_force(r);
            sum += f * (0.5 * efc_R(r) * f - efc_aref(r));
        }
        set_partial(k, vec4f(sum));
    }
    var cost = sum_partials().x;
    // remaining cost, from the joint-space force
    //#unroll
    for (var k = lane; k < parts; k += lanes) {
        var sum = 0.0;
        //#unroll
        for (var i = k; i < nv; i += parts) {
            sum += solver_JTf(i) * (qacc_smooth(i) + 0.5 * solver_search(i));
        }
        set_partial(k, vec4f(sum));
    }
    cost += sum_partials().x;
    // start from zero forces instead
    if (!(cost <= 0.0) || disabled(DISABLE_WARMSTART)) {
        //#unroll
        for (var i = lane; i < nv; i += lanes) {
            set_solver_qacc(i, qacc_smooth(i));
        }
        for (var r = lane; r < rows; r += lanes) {
            set_efc_force(r, 0.0);
        }
    }
    sync();
}

// One sweep over the rows, unless the solver has converged.
fn pgs_iterate() {
    live = live && iterations < opt_iterations(0u);
    stepped = live;
    var improvement = 0.0;
    var row = 0u;
    let most = group_max(rows);
    for (var turn = 0u; turn < most; turn++) {
        let here = live && row < rows;
        if (!any_world(here)) {
            break;
        }
        // block of this row
        var at = PgsBlock(0u, 0u, 1u, true);
        if (here) {
            // pyramid edges one by one
            at.head = block_head(row);
            at.first = row;
            at.count = select(1u, block_size(at.head), efc_type(row) == CONSTRAINT_CONTACT_ELLIPTIC);
        }
        load_block(at);
        // new forces, kept if they lower the cost
        if (here && lane == 0u) {
//#if DUAL_ELLIPTIC
            if (efc_type(row) == CONSTRAINT_CONTACT_ELLIPTIC) {
                update_ray(at);
                update_tangents(at, dual_force(0u), dual_force(0u) - dual_oldforce(0u), 1u);
            } else {
                update_scalar(at);
            }
//#else
            update_scalar(at);
//#endif
            improvement -= cost_change(at);
        }
        accept(at, here);
        row += at.count;
    }
    // convergence by the improvement of the sweep
    if (lane == 0u) {
        set_dual_improvement(0u, improvement);
    }
    sync();
    if (live) {
        iterations++;
        let scale = 1.0 / (stat_meaninertia(0u) * max(f32(nv), 1.0));
        live = scale * dual_improvement(0u) >= opt_tolerance(0u);
    }
    sync();
}
//#endif
