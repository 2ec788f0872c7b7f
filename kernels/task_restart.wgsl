// Begin of an episode. Twin: crates/cpu/src/task/task_restart.rs.

import package::integrate::reset::{clear_results, reset_state};
import package::runtime::group::{any_world, lane, sync};
import package::task::evaluate::episode_steps;

// Resets a world whose episode begins, twice with the same numbers; the second time, results are those of the new state.
fn task_restart() {
    let turn = task_restarts(0u);
    let restarts = turn != 0;
    if (!any_world(restarts)) {
        return;
    }
    episode_steps = 0;
    // results of the episode before
    if (turn == 1) {
        clear_results();
        if (lane == 0u) {
            set_step_owed(0u, 0);
            set_task_restarts(0u, 2);
        }
    }
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
