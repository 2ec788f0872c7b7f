// The group: `tile` worlds side by side, each with `lanes` lanes. A loop `for (i = lane; i < n; i += lanes)`
// spreads over the lanes of a world; `sync` makes what they wrote visible to each other.
// `tile`, `lanes` are constants of the composed module.

@group(0) @binding(0) var<storage, read_write> data_f: array<f32>;
@group(0) @binding(1) var<storage, read_write> data_i: array<i32>;
@group(0) @binding(2) var<storage, read> model_f: array<f32>;
@group(0) @binding(3) var<storage, read> model_i: array<i32>;

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
