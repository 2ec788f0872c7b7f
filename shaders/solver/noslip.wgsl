// Noslip: friction forces after the main solver, without regularisation. Twin: crates/cpu/src/solver/noslip.rs. The
// schedule differs: the twin solves island by island.

import package::runtime::group::{any_world, group_max, lane, partial_end, parts, set_partial, sum_partials, sync};
import package::solver::pgs::{
    acceleration_of_forces, accept, block_size, cost_change, dual_AR, load_block, PgsBlock, project_constraint,
    update_scalar, update_tangents,
};
import package::solver::state::{iterations, live, rows};

//#if NOSLIP
// All noslip sweeps in one dispatch.
fn noslip() {
    begin_noslip();
    for (var i = 0; i < opt_noslip_iterations(0u); i++) {
        if (!any_world(live)) {
            break;
        }
        iterate_noslip();
    }
}

// Acceleration of the present forces, and the cost of the regulariser, which the first sweep removes.
fn begin_noslip() {
    live = rows > 0u;
//#if !PGS
    project_constraint();
//#endif
    acceleration_of_forces();
    for (var k = lane; k < partial_end(rows); k += lanes) {
        var sum = 0.0;
        for (var r = k; r < rows; r += parts) {
            sum += 0.5 * efc_R(r) * efc_force(r) * efc_force(r);
        }
        set_partial(k, vec4f(sum));
    }
    let sum = sum_partials().x;
    if (lane == 0u) {
        set_dual_improvement(0u, sum);
    }
    sync();
}

// One sweep over the friction rows.
fn iterate_noslip() {
    var improvement = dual_improvement(0u);
    var row = 0u;
    let most = group_max(rows);
    for (var turn = 0u; turn < most; turn++) {
        // skip rows without friction
        while (live && row < rows && !has_friction(row)) {
            row += 1u;
        }
        let here = live && row < rows;
        if (!any_world(here)) {
            break;
        }
        var at = PgsBlock(0u, 0u, 1u, false);
        var skip = 0u;
        if (here) {
            skip = select(0u, 1u, efc_type(row) == CONSTRAINT_CONTACT_ELLIPTIC);
            at.head = row;
            at.first = row + skip;
            at.count = block_size(row) - skip;
        }
        load_block(at);
        if (here && lane == 0u) {
            update_friction(at);
            improvement -= cost_change(at);
        }
        accept(at, here);
        row += at.count + skip;
    }
    if (lane == 0u) {
        set_dual_improvement(0u, improvement);
    }
    sync();
    let found = dual_improvement(0u);
    sync();
    if (live) {
        iterations++;
        let scale = 1.0 / (stat_meaninertia(0u) * max(f32(nv), 1.0));
        live = scale * found >= opt_noslip_tolerance(0u);
        if (lane == 0u) {
            set_dual_improvement(0u, 0.0);
        }
    }
    sync();
}

// True if a row, or a row of the block it heads, has friction.
fn has_friction(row: u32) -> bool {
    let kind = efc_type(row);
    let dry = kind == CONSTRAINT_FRICTION_DOF || kind == CONSTRAINT_FRICTION_TENDON;
    return dry || kind == CONSTRAINT_CONTACT_PYRAMIDAL || kind == CONSTRAINT_CONTACT_ELLIPTIC;
}

// Updates the friction forces of one block.
fn update_friction(at: PgsBlock) {
//#if DUAL_ELLIPTIC
    if (at.first != at.head) {
        update_tangents(at, efc_force(at.head), 0.0, 0u);
        return;
    }
//#endif
//#if DUAL_PYRAMIDAL
    if (at.count == 2u) {
        update_opposing_edges(at);
        return;
    }
//#endif
    update_scalar(at);
}

//#if DUAL_PYRAMIDAL
// Opposing pyramid edges: their sum is kept, and with it the normal force.
fn update_opposing_edges(at: PgsBlock) {
    let middle = 0.5 * (dual_oldforce(0u) + dual_oldforce(1u));
    let apart = 0.5 * (dual_oldforce(0u) - dual_oldforce(1u));
    let curvature = dual_AR(at, 0u, 0u) + dual_AR(at, 1u, 1u) - 2.0 * dual_AR(at, 0u, 1u);
    var y = 0.0;
    if (curvature >= MINVAL) {
        y = clamp(apart - (dual_residual(0u) - dual_residual(1u)) / curvature, -middle, middle);
    }
    set_dual_force(0u, middle + y);
    set_dual_force(1u, middle - y);
}
//#endif
//#endif
