// Copies one field between the arena of a chunk and a packed buffer [row, element]; row r is world worlds[r] of the
// chunk. Values move as bits, so NaN payloads and integers survive.

struct TransferJob {
    // elements per world, first element, worlds side by side, words per world in the arena
    len: u32,
    offset: u32,
    tile: u32,
    stride: u32,
    // rows, threads
    rows: u32,
    threads: u32,
}

@group(0) @binding(0) var<storage, read_write> arena: array<u32>;
@group(0) @binding(1) var<storage, read_write> packed: array<u32>;
@group(0) @binding(2) var<storage, read> worlds: array<u32>;
@group(0) @binding(3) var<uniform> job: TransferJob;

// Arena address of element k of the packed buffer.
fn address(k: u32) -> u32 {
    let world = worlds[k / job.len];
    let element = job.offset + k % job.len;
    return (world / job.tile) * job.stride * job.tile + element * job.tile + world % job.tile;
}

// Arena to packed buffer.
@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) id: vec3u) {
    for (var k = id.x; k < job.rows * job.len; k += job.threads) {
        packed[k] = arena[address(k)];
    }
}

// Packed buffer to arena.
@compute @workgroup_size(64)
fn scatter(@builtin(global_invocation_id) id: vec3u) {
    for (var k = id.x; k < job.rows * job.len; k += job.threads) {
        arena[address(k)] = packed[k];
    }
}
