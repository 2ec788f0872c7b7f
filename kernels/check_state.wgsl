// Reset of worlds whose positions or velocities are not finite or too large. Twin: crates/cpu/src/integrate/check_state.rs.

import package::integrate::reset::{auto_reset, is_bad};
import package::runtime::group::{lane, parts, set_partial, sum_partials};
import package::runtime::options::disabled;

// Checks qpos and qvel of one world.
fn check_state() {
    // number of bad positions and of bad velocities
    for (var k = lane; k < parts; k += lanes) {
        var bad = vec4f(0.0);
        for (var i = k; i < nq; i += parts) {
            bad.x += select(0.0, 1.0, is_bad(qpos(i)));
        }
        for (var i = k; i < nv; i += parts) {
            bad.y += select(0.0, 1.0, is_bad(qvel(i)));
        }
        set_partial(k, bad);
    }
    let bad = sum_partials();
    // a reset for bad positions has already replaced the velocities
    if (bad.x > 0.0) {
        auto_reset(STATUS_BAD_QPOS);
    }
    if (bad.y > 0.0 && (bad.x == 0.0 || disabled(DISABLE_AUTORESET))) {
        auto_reset(STATUS_BAD_QVEL);
    }
}
