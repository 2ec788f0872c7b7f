// Inputs of a step of a task. Twin: crates/cpu/src/task/task_begin.rs.

import package::task::evaluate::episode_steps;

// Sets controls and other inputs from the action and from what the task remembers.
fn task_begin() {
    episode_steps = task_steps(0u) + 1;
    task_inputs();
}
