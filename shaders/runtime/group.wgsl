// The workgroup: `tile` worlds side by side, each with `lanes` lanes. A loop `for (i = lane; i < n; i += lanes)` is
// shared by the lanes of a world; `sync` makes their writes visible to each other. `tile` and `lanes` are constants
// of the composed module.

@group(0) @binding(0) var<storage, read_write> data_f: array<f32>;
@group(0) @binding(1) var<storage, read_write> data_i: array<i32>;
@group(0) @binding(2) var<storage, read> model_f: array<f32>;
@group(0) @binding(3) var<storage, read> model_i: array<i32>;

// this invocation: its lane, its world's slot in the group, and the base addresses of the world's arenas
var<private> lane: u32;
var<private> slot: u32;
var<private> base_f: u32;
var<private> base_i: u32;

// Sets lane, slot and base addresses of this invocation.
fn init_invocation(group: u32, index: u32) {
    slot = index % tile;
    lane = index / tile;
    base_f = group * stride_f * tile + slot;
    base_i = group * stride_i * tile + slot;
}

//#if LANES
// Barrier for all lanes of the group.
fn sync() {
    workgroupBarrier();
    storageBarrier();
}

// Maximum of x over all worlds and lanes of the group: a uniform loop bound.
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

// Sum of n over the preceding lanes of this world, and over all of them.
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
// With a single lane there is nothing to synchronise.
fn sync() {
}

// With one lane per world there are no barriers, so each world may loop as often as it needs.
fn group_max(x: u32) -> u32 {
    return x;
}
//#endif

// Reductions over the lanes of a world consist of `parts` partial sums, added in order: the same bits for any number
// of lanes. Part k sums the elements k, k + parts, k + 2 parts and so on. Loops over the parts of n elements run from
// k = lane to `partial_end(n)` in steps of `lanes`.
const parts: u32 = 32u;
//#if LANES
var<workgroup> partial: array<vec4f, partial_count>;

// End of the loop over the parts of n elements.
fn partial_end(n: u32) -> u32 {
    return parts;
}

// Stores partial sum k.
fn set_partial(k: u32, x: vec4f) {
    partial[k * tile + slot] = x;
}

// Sum of all parts, in order, on every lane.
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
// a single lane meets the parts in order
var<private> partial_total: vec4f;

// End of the loop over the parts of n elements.
fn partial_end(n: u32) -> u32 {
    return min(n, parts);
}

// Adds partial sum k.
fn set_partial(k: u32, x: vec4f) {
    partial_total = partial_total + x;
}

// Sum of all parts; clears the total.
fn sum_partials() -> vec4f {
    let total = partial_total;
    partial_total = vec4f(0.0);
    return total;
}
//#endif
