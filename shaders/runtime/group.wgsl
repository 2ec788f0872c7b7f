// The workgroup: worlds, each with `lanes` lanes. A loop `for (i = lane; i < n; i += lanes)` is shared by the lanes of
// a world; `sync` makes their writes visible to each other. `worlds_per_group` and `lanes` are constants of the
// composed module.

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
//#if LANES
fn init_invocation(group: u32, index: u32) {
    // the same lanes of all worlds are neighbours: loops shorter than all lanes leave whole subgroups idle
    slot = index % worlds_per_group;
    lane = index / worlds_per_group;
    base_f = (group * worlds_per_group + slot) * stride_f;
    base_i = (group * worlds_per_group + slot) * stride_i;
}
//#else
fn init_invocation(group: u32, index: u32) {
    slot = index;
    lane = 0u;
    base_f = group * stride_f * worlds_per_group + slot;
    base_i = group * stride_i * worlds_per_group + slot;
}
//#endif

//#if LANES
// Moves this invocation to another world of its group.
fn enter_world(world: u32) {
    base_f += (world - slot) * stride_f;
    base_i += (world - slot) * stride_i;
    slot = world;
}

// Barrier for all lanes of the group.
fn sync() {
    workgroupBarrier();
    storageBarrier();
}

// Maximum over all worlds of the group of the x that a world's first lane has: a uniform loop bound.
var<workgroup> world_values: array<u32, worlds_per_group>;
var<workgroup> group_maximum: u32;
fn group_max(x: u32) -> u32 {
    if (lane == 0u) {
        world_values[slot] = x;
    }
    // the load has barriers of its own
    if (worlds_per_group == 1u) {
        return workgroupUniformLoad(&world_values[0]);
    }
    workgroupBarrier();
    if (slot + lane == 0u) {
        var best = 0u;
        for (var w = 0u; w < worlds_per_group; w++) {
            best = max(best, world_values[w]);
        }
        group_maximum = best;
    }
    return workgroupUniformLoad(&group_maximum);
}

// True if x is true in the first lane of any world of the group.
fn any_world(x: bool) -> bool {
    return group_max(u32(x)) != 0u;
}

// Sum of n over the preceding lanes of this world, and over all of them.
var<workgroup> lane_values: array<u32, group_size>;
fn exclusive_sum(n: u32) -> vec2u {
    lane_values[slot * lanes + lane] = n;
    workgroupBarrier();
    var sums = vec2u(0u);
    for (var l = 0u; l < lanes; l++) {
        let count = lane_values[slot * lanes + l];
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

// As above, for a condition.
fn any_world(x: bool) -> bool {
    return x;
}
//#endif

// Reductions over the lanes of a world consist of `parts` partial sums, added in order: the same bits for any number
// of lanes. Part k sums the elements k, k + parts, k + 2 parts and so on. Loops over the parts of n elements run from
// k = lane to `partial_end(n)` in steps of `lanes`.
const parts: u32 = 32u;
//#if LANES
// by world and component; rows of parts are padded, so that components lie in different banks
var<workgroup> partial: array<array<f32, 36>, partial_totals>;
var<workgroup> partial_total: array<f32, partial_totals>;

// End of the loop over the parts of n elements.
fn partial_end(n: u32) -> u32 {
    return parts;
}

// Stores partial sum k.
fn set_partial(k: u32, x: vec4f) {
    partial[4u * slot][k] = x.x;
    partial[4u * slot + 1u][k] = x.y;
    partial[4u * slot + 2u][k] = x.z;
    partial[4u * slot + 3u][k] = x.w;
}

// Replaces the second component of partial sum k.
fn set_partial_y(k: u32, y: f32) {
    partial[4u * slot + 1u][k] = y;
}

// Sum of all parts, in order, on every lane: each component is added by one lane.
fn sum_partials() -> vec4f {
    sync();
    for (var c = lane; c < 4u; c += lanes) {
        var total = 0.0;
        for (var k = 0u; k < parts; k++) {
            total = total + partial[4u * slot + c][k];
        }
        partial_total[4u * slot + c] = total;
    }
    sync();
    let at = 4u * slot;
    return vec4f(partial_total[at], partial_total[at + 1u], partial_total[at + 2u], partial_total[at + 3u]);
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

// Adds to the second component of partial sum k.
fn set_partial_y(k: u32, y: f32) {
    partial_total.y = partial_total.y + y;
}

// Sum of all parts; clears the total.
fn sum_partials() -> vec4f {
    let total = partial_total;
    partial_total = vec4f(0.0);
    return total;
}
//#endif
