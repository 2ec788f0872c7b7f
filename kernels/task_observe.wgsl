// Reward, end of an episode, and observation. Twin: crates/cpu/src/task/task_observe.rs.

import package::math::vector::is_finite;
import package::runtime::group::{lane, sync};
import package::task::evaluate::episode_steps;

// Computes the outcome of a step, renews what the task remembers, and observes.
fn task_observe() {
    let restarts = task_restarts(0u) != 0;
    let diverged = !restarts && (status(0u) & DIVERGED) != 0;
    episode_steps = select(task_steps(0u) + 1, 0, restarts);
    // reward and end, from the variables as they were
    let outcome = task_outcome(restarts || diverged);
    // variables
    if (restarts) {
        task_first_values();
    } else {
        task_renewals();
    }
    sync();
    for (var i = lane; i < ntaskvariable; i += lanes) {
        set_task_variable(i, task_next(i));
    }
    sync();
    // observation
    task_observation();
    sync();
    if (diverged) {
        for (var i = lane; i < nobservation; i += lanes) {
            if (!is_finite(observation(i))) {
                set_observation(i, 0.0);
            }
        }
    }
    // the episode
    if (lane == 0u) {
        let ends = diverged || (!restarts && outcome.y != 0.0);
        let late = task_max_steps > 0 && episode_steps >= task_max_steps;
        set_reward(0u, outcome.x);
        set_terminated(0u, select(0, 1, ends));
        set_truncated(0u, select(0, 1, late));
        set_task_steps(0u, episode_steps);
        set_task_restarts(0u, select(0, 1, task_autoreset && (ends || late)));
        set_task_tick(0u, task_tick(0u) + 1);
    }
}
