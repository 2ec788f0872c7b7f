//! Inputs of a step of a task. Twin: kernels/task_begin.wgsl.

use super::evaluate;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::task::Part;
use manyworlds_model::real::Real;

/// Sets controls and other inputs from the action and from what the task remembers.
pub fn task_begin<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let Some(task) = &m.task else { return };
    evaluate::run(task, Part::Begin, d.task_steps[0] + 1, m, d);
}
