//! Reward, end of an episode, and observation. Twin: kernels/task_observe.wgsl.

use super::evaluate;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::state::DIVERGED;
use manyworlds_model::model::task::Part;
use manyworlds_model::real::Real;

/// Computes the outcome of a step, renews what the task remembers, and observes.
pub fn task_observe<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let Some(task) = &m.task else { return };
    let restarts = d.task_restarts[0] != 0;
    let diverged = !restarts && d.status[0] & DIVERGED != 0;
    let steps = if restarts { 0 } else { d.task_steps[0] + 1 };
    // reward and end, from the variables as they were
    let mut ends = diverged;
    if !restarts {
        evaluate::run(task, Part::Outcome, steps, m, d);
        ends = ends || evaluate::ends(task, d);
    }
    if restarts || diverged {
        d.task_term.fill(T::ZERO);
    }
    let rewards = task.task().reward.len();
    d.reward[0] = d.task_term[..rewards].iter().fold(T::ZERO, |sum, x| sum + *x);
    // variables
    evaluate::run(task, if restarts { Part::First } else { Part::Renew }, steps, m, d);
    let Data { task_variable, task_next, .. } = d;
    task_variable.copy_from_slice(task_next);
    // observation
    evaluate::run(task, Part::Observe, steps, m, d);
    if diverged {
        d.observation.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = T::ZERO);
    }
    // the episode
    let late = task.task().max_episode_steps.is_some_and(|most| steps as usize >= most);
    d.terminated[0] = i32::from(ends);
    d.truncated[0] = i32::from(late);
    d.task_steps[0] = steps;
    d.task_restarts[0] = i32::from(task.task().autoreset && (ends || late));
    d.task_tick[0] = d.task_tick[0].wrapping_add(1);
}
