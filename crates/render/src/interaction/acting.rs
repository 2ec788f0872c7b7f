//! Who acts in the environments of a task: its policy or a user, who may give commands too.

use std::collections::BTreeMap;

use manyworlds::batch::Batch;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::task::{Command, Task};

/// Steps from the least to the largest number of a command.
const STEPS: f64 = 10.0;

/// The task of a model.
fn task(model: &Model) -> Option<&Task> {
    model.task.as_deref().map(manyworlds::model::task::Program::task)
}

/// Who acts.
#[derive(Clone, Debug, Default)]
pub struct Acting {
    /// True if the policy acts.
    by_policy: bool,
    /// Numbers of the commands that the user gives.
    given: BTreeMap<String, Vec<f64>>,
}

impl Acting {
    /// The policy of a model's task, where it has one.
    pub fn new(model: &Model) -> Self {
        Self { by_policy: Self::has_policy(model), given: BTreeMap::new() }
    }

    /// True if a model's task has a policy.
    pub fn has_policy(model: &Model) -> bool {
        task(model).is_some_and(|task| task.policy.is_some())
    }

    /// Commands of a model's task.
    pub fn commands(model: &Model) -> &[Command] {
        task(model).map_or(&[], |task| &task.commands)
    }

    /// True if the policy acts.
    pub fn by_policy(&self) -> bool {
        self.by_policy
    }

    /// Lets the policy act, where there is one, or the user.
    pub fn let_policy(&mut self, model: &Model, on: bool) {
        self.by_policy = on && Self::has_policy(model);
    }

    /// True if the user gives a command.
    pub fn gives(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// Numbers of a command: as the user gives them, or as a world remembers them in its `task_variable`.
    pub fn numbers(&self, model: &Model, remembered: &[f64], name: &str) -> Vec<f64> {
        if let Some(numbers) = self.given.get(name) {
            return numbers.clone();
        }
        let places = model.task.as_deref().and_then(|program| program.variable(name));
        places.and_then(|places| remembered.get(places)).unwrap_or_default().to_vec()
    }

    /// Gives a command to all worlds from the next step on, or, without numbers, lets the task draw it again.
    ///
    /// # Errors
    /// As [`Batch::command`].
    pub fn give(&mut self, batch: &mut Batch, name: &str, numbers: Option<Vec<f64>>) -> Result<()> {
        batch.command(.., name, numbers.as_deref())?;
        match numbers {
            Some(numbers) => self.given.insert(name.to_owned(), numbers),
            None => self.given.remove(name),
        };
        Ok(())
    }

    /// Changes a number of the first command by a tenth of its range; the others are zero, or nearly, where it was not given before.
    ///
    /// # Errors
    /// As [`Batch::command`].
    pub fn steer(&mut self, batch: &mut Batch, number: usize, up: bool) -> Result<()> {
        let Some(command) = Self::commands(batch.model()).first().cloned() else { return Ok(()) };
        let Some(range) = command.numbers.get(number) else { return Ok(()) };
        // zero, or as near as the ranges allow
        let still = || command.numbers.iter().map(|n| 0.0f64.clamp(n.low, n.high)).collect();
        let mut numbers = self.given.get(&command.name).cloned().unwrap_or_else(still);
        let step = (range.high - range.low) / STEPS;
        // multiples of the step, so that there is a way back to zero
        let next = (numbers[number] / step).round() + if up { 1.0 } else { -1.0 };
        numbers[number] = if step > 0.0 { (next * step).clamp(range.low, range.high) } else { range.low };
        self.give(batch, &command.name, Some(numbers))
    }

    /// A step of the environments under the policy, if it acts, and the commands of the user.
    ///
    /// # Errors
    /// As [`Batch::command`], [`Batch::follow_policy`] and [`Batch::step_task`].
    pub fn step(&self, batch: &mut Batch) -> Result<()> {
        // an episode that has begun has drawn its own
        for (name, numbers) in &self.given {
            batch.command(.., name, Some(numbers))?;
        }
        if self.by_policy {
            batch.follow_policy()?;
        }
        batch.step_task()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::batch::{Backend, BatchOptions};

    /// A slider that goes to a goal, which the policy passes on.
    const TASK: &str = r#"{
        "frame_skip": 5, "max_episode_steps": 50, "autoreset": true, "action": 1,
        "nodes": [
            {"op": "variable", "name": "goal", "elements": [0], "size": 1},
            {"op": "field", "name": "qpos", "elements": [0], "size": 1},
            {"op": "const", "values": [0.2], "size": 1},
            {"op": "action", "elements": [0], "size": 1},
            {"op": "const", "values": [3.0], "size": 1}
        ],
        "variables": [{"name": "goal", "reset": 2, "update": 0}, {"name": "left", "reset": 4, "update": 4}],
        "writes": [{"field": "ctrl", "elements": [0], "value": 3}],
        "observation": [{"name": "x", "value": 1}, {"name": "goal", "value": 0}],
        "policy": {"first": 1, "mean": [0], "deviation": [1], "limit": 10, "low": [-2], "high": [2],
            "layers": [{"weights": [0.5], "biases": [0]}]},
        "commands": [{"name": "goal", "timer": "left", "numbers": [{"name": "x", "low": -1, "high": 1}]}]
    }"#;

    fn batch() -> Batch {
        let mut model = manyworlds::load_str(
            "<mujoco><option timestep='.01' gravity='0 0 0'/><worldbody><body><joint name='x' type='slide'/>
            <geom size='.1' mass='1'/></body></worldbody><actuator><position joint='x' kp='100' kv='20'/></actuator></mujoco>",
        )
        .unwrap();
        model.set_task(&Task::from_json(TASK).unwrap()).unwrap();
        let mut batch = Batch::new(&model, 2, &BatchOptions::on(Backend::Cpu)).unwrap();
        batch.begin_episodes(..).unwrap();
        batch
    }

    fn places(batch: &mut Batch) -> Vec<f64> {
        batch.get("qpos", ..).unwrap().data.to_f64()
    }

    fn near(places: &[f64], want: f64) {
        assert!(places.iter().all(|x| (x - want).abs() < 1e-3), "{places:?}, not {want}");
    }

    #[test]
    fn a_policy_goes_where_the_user_says_over_episodes() {
        let mut batch = batch();
        let mut acting = Acting::new(batch.model());
        assert!(acting.by_policy() && !acting.gives("goal"));
        let steps = |batch: &mut Batch, acting: &Acting| (0..45).for_each(|_| acting.step(batch).unwrap());
        steps(&mut batch, &acting);
        near(&places(&mut batch), 0.2);
        let world = batch.world(1).unwrap().task_variable;
        assert_eq!(acting.numbers(batch.model(), &world, "goal"), [0.2]);
        // three steps up and one down, through the end of an episode
        for up in [true, true, true, false] {
            acting.steer(&mut batch, 0, up).unwrap();
        }
        assert_eq!(acting.numbers(batch.model(), &world, "goal"), [0.4]);
        steps(&mut batch, &acting);
        near(&places(&mut batch), 0.4);
        // no further than its range
        (0..20).for_each(|_| acting.steer(&mut batch, 0, false).unwrap());
        assert_eq!(acting.numbers(batch.model(), &world, "goal"), [-1.0]);
        // by hand
        let model = batch.shared_model();
        acting.let_policy(&model, false);
        for _ in 0..45 {
            batch.set("action", .., &[0.7, 0.7]).unwrap();
            acting.step(&mut batch).unwrap();
        }
        near(&places(&mut batch), 0.7);
        // and back to what the task draws, after an episode
        acting.let_policy(&model, true);
        acting.give(&mut batch, "goal", None).unwrap();
        steps(&mut batch, &acting);
        steps(&mut batch, &acting);
        near(&places(&mut batch), 0.2);
        assert!(acting.give(&mut batch, "gaol", None).unwrap_err().to_string().contains("'goal'"));
        assert!(acting.give(&mut batch, "goal", Some(vec![0.0; 2])).is_err());
        assert!(acting.give(&mut batch, "goal", Some(vec![f64::NAN])).is_err() && !acting.gives("goal"));
    }
}
