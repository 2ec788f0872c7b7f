// Status bits of a world.

import package::runtime::group::{data_f, lane, slot, sync};

// Raises status bits of this world.
fn raise_status(bits: i32) {
    if (lane == 0u) {
        set_status(0u, status(0u) | bits);
    }
}

//#if LOOP_LIMIT
//#if LANES
// 1 if the driver has cut loops of any invocation of the group: other lanes of a world, or those with pairs of a
// neighbour.
var<workgroup> loops_cut: atomic<u32>;
//#endif
//#endif

// Before the first loop of a kernel: none is cut.
fn begin_loop_limit() {
//#if LOOP_LIMIT
//#if LANES
    if (slot + lane == 0u) {
        atomicStore(&loops_cut, 0u);
    }
    sync();
//#endif
//#endif
}

// Flags the worlds of a group whose loops were cut short by the driver: then this loop makes a single iteration. Its
// bound is two, but no compiler can tell, so it stays a loop.
fn check_loop_limit() {
//#if LOOP_LIMIT
    let wanted = 2u + (arrayLength(&data_f) >> 30u);
    var turns = 0u;
    for (var i = 0u; i < wanted; i++) {
        turns++;
    }
    var cut = turns < wanted;
//#if LANES
    // who is cut waits at no more barriers than the others, and is here no later
    if (cut) {
        atomicStore(&loops_cut, 1u);
    }
    sync();
    cut = atomicLoad(&loops_cut) != 0u;
//#endif
    if (cut) {
        raise_status(STATUS_LOOP_LIMIT);
    }
//#endif
}
