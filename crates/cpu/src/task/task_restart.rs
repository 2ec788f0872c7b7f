//! Begin of an episode. Twin: kernels/task_restart.wgsl.

use super::evaluate;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::state::DIVERGED;
use manyworlds_model::model::task::Part;
use manyworlds_model::real::Real;

/// Resets a world whose episode begins, twice with the same numbers; the second time, results are those of the new state.
pub fn task_restart<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let Some(task) = &m.task else { return };
    if d.task_restarts[0] == 0 {
        return;
    }
    // results of the episode before
    if d.task_restarts[0] == 1 {
        d.clear_results();
        d.task_restarts[0] = 2;
    }
    // the initial state; what diverged is over
    d.reset_state(m, None);
    d.status[0] &= !DIVERGED;
    // the keyframe, then the fields that the task sets
    evaluate::run(task, Part::Keyframe, 0, m, d);
    evaluate::run(task, Part::Restart, 0, m, d);
}
