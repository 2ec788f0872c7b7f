// Begin of an episode. Twin: src/cpu/task/task_restart.rs.

import package::integrate::reset::reset_state;
import package::runtime::group::{any_world, lane, sync};
import package::task::evaluate::episode_steps;

// Status bits of a world that diverged.
const DIVERGED: i32 = STATUS_BAD_QPOS | STATUS_BAD_QVEL | STATUS_BAD_QACC;

// Resets a world whose episode begins, twice with the same numbers.
fn task_restart() {
    let restarts = task_restarts(0u) != 0;
    if (!any_world(restarts)) {
        return;
    }
    episode_steps = 0;
    // the initial state; what diverged is over
    if (restarts) {
        reset_state();
        if (lane == 0u) {
            set_status(0u, status(0u) & ~DIVERGED);
        }
    }
    sync();
    // the keyframe, then the fields that the task sets
    if (restarts) {
        task_keyframe();
    }
    sync();
    if (restarts) {
        task_resets();
    }
}
