// The group: `tile` worlds side by side, each with `lanes` lanes. A loop `for (i = lane; i < n; i += lanes)`
// spreads over the lanes of a world; `sync` makes what they wrote visible to each other.
// `tile`, `lanes` are constants of the composed module.

@group(0) @binding(0) var<storage, read_write> data_f: array<f32>;
@group(0) @binding(1) var<storage, read_write> data_i: array<i32>;
@group(0) @binding(2) var<storage, read> model_f: array<f32>;
@group(0) @binding(3) var<storage, read> model_i: array<i32>;

// Fields that only one dispatch uses: in registers, or in workgroup memory where there is room, in this order.
//#registers work_geom_xpos work_plane_normal work_LD work_DiagInv work_x solver_H solver_M solver_qacc solver_qfrc_smooth solver_Ma solver_Mv solver_grad solver_search solver_HDiagInv solver_JTf solver_J_row solver_Mgrad
//#group solver_H solver_M solver_qacc solver_qfrc_smooth solver_Ma solver_Mv solver_grad solver_search solver_HDiagInv solver_JTf work_LD work_DiagInv work_x solver_Jv solver_Mgrad
// Results of a step that the next one does not read: where many steps run in one dispatch, what is left of workgroup
// memory holds as many of them as fit, in this order, except in the last step.
//#transient efc_force efc_D efc_aref solver_Jaref qfrc_smooth qfrc_constraint qacc qacc_smooth M qLD qLDiagInv efc_R efc_frictionloss efc_J qH qHDiagInv qacc_damped qDeriv qLU qfrc_bias qfrc_passive qfrc_actuator cdof cdof_dot cvel bias_cacc bias_cfrc cinert crb xpos xquat xmat xipos ximat subtree_com xanchor xaxis geom_xpos geom_xmat ten_length ten_J ten_velocity actuator_length actuator_velocity actuator_moment actuator_force

// this invocation: its lane, its world's slot in the group, and where the world's arenas begin
var<private> lane: u32;
var<private> slot: u32;
var<private> base_f: u32;
var<private> base_i: u32;

fn init_invocation(group: u32, index: u32) {
    slot = index % tile;
    lane = index / tile;
    base_f = group * stride_f * tile + slot;
    base_i = group * stride_i * tile + slot;
}

//#if LANES
fn sync() {
    workgroupBarrier();
    storageBarrier();
}

// Largest x of all worlds and lanes of the group: a loop bound that is uniform.
var<workgroup> lane_values: array<u32, group_size>;
var<workgroup> group_maximum: u32;
fn group_max(x: u32) -> u32 {
    lane_values[slot + tile * lane] = x;
    workgroupBarrier();
    if (slot + tile * lane == 0u) {
        var best = 0u;
        for (var i = 0u; i < group_size; i++) {
            best = max(best, lane_values[i]);
        }
        group_maximum = best;
    }
    let best = workgroupUniformLoad(&group_maximum);
    workgroupBarrier();
    return best;
}

// Sum of n over the lanes of this world before this one, and over all of them.
fn exclusive_sum(n: u32) -> vec2u {
    lane_values[slot + tile * lane] = n;
    workgroupBarrier();
    var sums = vec2u(0u);
    for (var l = 0u; l < lanes; l++) {
        let count = lane_values[slot + tile * l];
        sums += vec2u(select(0u, count, l < lane), count);
    }
    workgroupBarrier();
    return sums;
}
//#else
fn sync() {
}

// One lane per world has no barriers, so each world may loop as often as it needs.
fn group_max(x: u32) -> u32 {
    return x;
}
//#endif

// Sums over the lanes of a world are made of `parts` partial sums, part k over the elements i with
// i % parts = k, added up in order: the same bits for any number of lanes. Loops over the parts of n elements run
// `for (k = lane; k < partial_end(n); k += lanes)`.
const parts: u32 = 32u;
//#if LANES
var<workgroup> partial: array<vec4f, partial_count>;

fn partial_end(n: u32) -> u32 {
    return parts;
}

fn set_partial(k: u32, x: vec4f) {
    partial[k * tile + slot] = x;
}

fn sum_partials() -> vec4f {
    sync();
    var total = vec4f(0.0);
    for (var k = 0u; k < parts; k++) {
        total = total + partial[k * tile + slot];
    }
    sync();
    return total;
}
//#else
// one lane meets the parts in order
var<private> partial_total: vec4f;

fn partial_end(n: u32) -> u32 {
    return min(n, parts);
}

fn set_partial(k: u32, x: vec4f) {
    partial_total = partial_total + x;
}

fn sum_partials() -> vec4f {
    let total = partial_total;
    partial_total = vec4f(0.0);
    return total;
}
//#endif

// Flags a world whose loops the driver has ended: where that has happened, this one makes a single turn. Its bound is
// not a constant, so that it stays a loop.
fn check_loop_limit() {
//#if LOOP_LIMIT
    let wanted = min(arrayLength(&data_f), 2u);
    var turns = 0u;
    for (var i = 0u; i < wanted; i++) {
        turns++;
    }
    if (turns < wanted) {
        raise_status(STATUS_LOOP_LIMIT);
    }
//#endif
}
