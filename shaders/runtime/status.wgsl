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

// True if an earlier kernel has flagged this world.
var<private> was_cut: bool;

// Before the first loop of a kernel: all worlds are flagged until the kernel has come to its end.
fn begin_loop_limit() {
//#if LOOP_LIMIT
    was_cut = (status(0u) & STATUS_LOOP_LIMIT) != 0;
    raise_status(STATUS_LOOP_LIMIT);
//#if LANES
    if (slot + lane == 0u) {
        atomicStore(&loops_cut, 0u);
    }
    sync();
//#endif
//#endif
}

// At the end of a kernel: flags the worlds of a group whose loops were cut short by the driver. Then this loop makes a
// single iteration. It has one for each bit of a number that has two at least, which no compiler unrolls: a bound of
// 2 + (n >> 30) is one of five.
fn check_loop_limit() {
//#if LOOP_LIMIT
    var rest = arrayLength(&data_f) | 3u;
    let wanted = countOneBits(rest);
    var turns = 0u;
    for (; rest != 0u; rest &= rest - 1u) {
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
    if (lane == 0u && !cut && !was_cut) {
        set_status(0u, status(0u) & ~STATUS_LOOP_LIMIT);
    }
//#endif
}
