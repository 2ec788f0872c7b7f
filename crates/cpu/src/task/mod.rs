//! Tasks: what is observed, rewarded and reset, computed where the worlds are.

pub mod evaluate;
mod network;
pub mod task_begin;
pub mod task_observe;
pub mod task_restart;

use super::Precision;
use super::lanes::number::WIDTH;
use super::lanes::stepper::Group;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::schedule;
use manyworlds_model::model::task::Program;
use manyworlds_model::schema::stages::Stage;

/// A step of the environment. A world whose episode begins takes the last step of the model only, which computes forward
/// dynamics, and is reset before and after it; kernels give it the steps before too, which leave nothing.
pub fn step<T: Precision>(m: &Model<T>, d: &mut Data<T>) {
    let Some(task) = &m.task else { return };
    super::run_stage(Stage::task_begin, m, d);
    go_on(task, m, d);
}

/// What follows the begin of a step.
fn go_on<T: Precision>(task: &Program, m: &Model<T>, d: &mut Data<T>) {
    let restarts = d.task_restarts[0] != 0;
    if !restarts {
        (1..task.frame_skip()).for_each(|_| super::step(m, d));
    }
    super::run_stage(Stage::task_restart, m, d);
    super::step(m, d);
    super::run_stage(Stage::task_restart, m, d);
    for stage in schedule::task_end(m) {
        super::run_stage(stage, m, d);
    }
}

/// [`step`] of worlds side by side; each has the bits that it has alone.
pub fn step_beside(group: &mut Group<'_>, worlds: &mut [Data; WIDTH]) {
    let models = group.models();
    let Some(task) = &models[0].task else { return };
    group.alone(Stage::task_begin, worlds);
    // one whose episode begins takes fewer steps
    if worlds.iter().any(|d| d.task_restarts[0] != 0) {
        return worlds.iter_mut().zip(models).for_each(|(d, m)| go_on(task, m, d));
    }
    (1..task.frame_skip()).for_each(|_| group.step(worlds));
    group.alone(Stage::task_restart, worlds);
    group.step(worlds);
    group.alone(Stage::task_restart, worlds);
    schedule::task_end(models[0]).for_each(|stage| group.alone(stage, worlds));
}

/// Begins the episode of a world anew, and observes it.
pub fn restart<T: Precision>(m: &Model<T>, d: &mut Data<T>) {
    d.task_restarts.fill(1);
    super::run_stage(Stage::task_restart, m, d);
    super::forward(m, d);
    for stage in schedule::task_end(m) {
        super::run_stage(stage, m, d);
    }
}
