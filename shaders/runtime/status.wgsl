// Status bits of a world.

import package::runtime::group::{data_f, lane};

// Raises status bits of this world.
fn raise_status(bits: i32) {
    if (lane == 0u) {
        set_status(0u, status(0u) | bits);
    }
}

// Flags a world whose loops were cut short by the driver: then this loop makes a single iteration. Its bound is not a
// constant, so it stays a loop.
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
