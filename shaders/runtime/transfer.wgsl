// Copies fields between the arena of a chunk and a packed buffer [row, element], or another arena. Values move as bits,
// so NaN payloads and integers survive. `crates/gpu/src/runtime/transfer/job.rs` declares `TransferJob` for both sides,
// with the constants CONSECUTIVE and group_size.

@group(0) @binding(0) var<storage, read_write> arena: array<u32>;
// packed buffer, or the other arena
@group(0) @binding(1) var<storage, read_write> other: array<u32>;
@group(0) @binding(2) var<storage, read> worlds: array<u32>;
@group(0) @binding(3) var<uniform> job: TransferJob;

// Arena address of element k of the rows, in a world.
fn address(world: u32, k: u32) -> u32 {
    let element = job.offset + k % job.len;
    return (world / job.tile) * job.stride * job.tile + element * job.tile + world % job.tile;
}

// World of element k of the rows.
fn world_of(k: u32) -> u32 {
    let row = k / job.len;
    if (job.ids == CONSECUTIVE) {
        return job.base + row;
    }
    return worlds[job.ids + row];
}

// Arena to packed buffer.
@compute @workgroup_size(group_size)
fn gather(@builtin(global_invocation_id) id: vec3u) {
    for (var k = id.x; k < job.rows * job.len; k += job.threads) {
        other[job.first + k] = arena[address(world_of(k), k)];
    }
}

// Packed buffer to arena.
@compute @workgroup_size(group_size)
fn scatter(@builtin(global_invocation_id) id: vec3u) {
    for (var k = id.x; k < job.rows * job.len; k += job.threads) {
        arena[address(world_of(k), k)] = other[job.first + k];
    }
}

// Other arena to arena.
@compute @workgroup_size(group_size)
fn copy_worlds(@builtin(global_invocation_id) id: vec3u) {
    for (var k = id.x; k < job.rows * job.len; k += job.threads) {
        let source = worlds[job.source_ids + k / job.len];
        arena[address(world_of(k), k)] = other[address(source, k)];
    }
}

var<workgroup> largest_of_lane: array<i32, group_size>;

// The largest integer of the rows of each workgroup, to the packed buffer.
@compute @workgroup_size(group_size)
fn maximum(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3u,
) {
    var largest = bitcast<i32>(0x80000000u);
    for (var k = id.x; k < job.rows * job.len; k += job.threads) {
        largest = max(largest, bitcast<i32>(arena[address(world_of(k), k)]));
    }
    largest_of_lane[lane] = largest;
    for (var half = group_size / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            largest_of_lane[lane] = max(largest_of_lane[lane], largest_of_lane[lane + half]);
        }
    }
    if (lane == 0u) {
        other[job.first + group.x] = bitcast<u32>(largest_of_lane[0]);
    }
}
