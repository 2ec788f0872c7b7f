//! Tasks: steps of an environment, and the begin of episodes. See [`Model::set_task`](crate::model::Model::set_task).

use super::engine::Call;
use super::typed::{TypedArray, array};
use super::{Batch, Worlds};
use crate::error::{Error, Result};
use crate::model::data::field;
use crate::model::task::{STEP_OUTPUTS, Task};
use crate::model::{DataField, FieldName};
use crate::schema::NumbersRef;

/// Seconds to the next draw of a command that stays.
const FOREVER: f64 = 1e6;

impl Batch {
    /// The task of the model.
    ///
    /// # Errors
    /// [`Error::Argument`] if it has none.
    pub fn task(&self) -> Result<&Task> {
        let task = self.model().task.as_deref().map(crate::model::task::Program::task);
        task.ok_or_else(|| Error::Argument("the model of the batch has no task".to_owned()))
    }

    /// Sets what the draws of some worlds depend on, beside the step: a seed, and a number of the world. `seeds` and
    /// `numbers` have an entry for each of these worlds. Draws begin anew, and what the task remembers is zero until an
    /// episode begins: nothing is left of episodes before.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task, or for lists of the wrong length; as [`Worlds::resolve`].
    pub fn seed_task<'w>(
        &mut self,
        worlds: impl Into<Worlds<'w>>,
        seeds: &[u64],
        numbers: &[u32],
    ) -> Result<()> {
        self.task()?;
        let worlds = self.resolve(worlds)?;
        if seeds.len() != worlds.len() || numbers.len() != worlds.len() {
            let (s, n, w) = (seeds.len(), numbers.len(), worlds.len());
            return Err(Error::Argument(format!("{s} seeds and {n} numbers are given for {w} worlds")));
        }
        // words as integers of the same bits
        let of =
            |(seed, number): (&u64, &u32)| [*seed as u32, (seed >> 32) as u32, *number].map(u32::cast_signed);
        let keys: Vec<i32> = seeds.iter().zip(numbers).flat_map(of).collect();
        let zeros = vec![0; worlds.len()];
        let nothing = vec![0.0; worlds.len() * self.sizes().ntaskvariable];
        let fields = [
            (field::task_key, NumbersRef::from(&keys)),
            (field::task_tick, NumbersRef::from(&zeros)),
            (field::task_variable, NumbersRef::from(&nothing)),
        ];
        let kept = fields.into_iter().filter(|(field, values)| self.has(*field) && !values.is_empty());
        let kept: Vec<_> = kept.map(|(field, values)| (field.row(), values)).collect();
        self.engine.write(&kept, &worlds)
    }

    /// Begins an episode in some worlds: they are reset, forward dynamics is computed, and they are observed.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task, [`Error::Device`] if a kernel cannot be built or the device is lost.
    pub fn begin_episodes<'w>(&mut self, worlds: impl Into<Worlds<'w>>) -> Result<()> {
        self.task()?;
        let worlds = self.resolve(worlds)?;
        self.call(Call::Restart(worlds))
    }

    /// A step of the environment in every world under an action, `[world, naction]`: as [`Batch::step_task`] after setting
    /// `action`, but on the GPU the action, the step, and the copy of what it shows are one submission, as far as drivers take
    /// it. With [`Overflow::Error`](super::Overflow::Error) the call waits for the step, to look for what was left out.
    ///
    /// # Errors
    /// As [`Batch::set`] and [`Batch::step_task`].
    pub fn act<'v>(&mut self, action: impl Into<NumbersRef<'v>>) -> Result<()> {
        self.task()?;
        let action = action.into();
        let worlds: Vec<usize> = (0..self.worlds).collect();
        self.check_values(field::action.row(), &worlds, action)?;
        self.call(Call::Act(action.to_numbers()))
    }

    /// Sets the actions of all worlds to those of the policy of the task, for what they observe.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task or a policy; as [`Batch::get`].
    pub fn follow_policy(&mut self) -> Result<()> {
        let model = self.shared_model();
        self.task()?;
        let policy = model.task.as_deref().and_then(|program| program.task().policy.as_ref());
        let policy = policy.ok_or_else(|| Error::Argument("the task has no policy".to_owned()))?;
        let (numbers, count) = (self.sizes().naction, self.sizes().nobservation);
        let observation = self.get("observation", ..)?.data.to_f64();
        let mut action = vec![0.0; self.worlds * numbers];
        for (seen, action) in observation.chunks(count.max(1)).zip(action.chunks_mut(numbers.max(1))) {
            policy.act(seen, action);
        }
        self.set("action", .., &action)
    }

    /// Gives some worlds a command, which stays until it is given anew, released or an episode begins; without numbers, the
    /// task draws one in the next step.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task, for a name that is no command of it, or for another count of numbers; as
    /// [`Worlds::resolve`].
    pub fn command<'w>(
        &mut self,
        worlds: impl Into<Worlds<'w>>,
        name: &str,
        numbers: Option<&[f64]>,
    ) -> Result<()> {
        let command = self.task()?.commands.iter().find(|c| c.name == name).cloned();
        let Some(command) = command else {
            let names = self.task()?.commands.iter().map(|c| c.name.as_str());
            let near = crate::error::suggest(name, names);
            return Err(Error::Argument(format!("the task has no command '{name}'{near}")));
        };
        let (want, got) = (command.numbers.len(), numbers.map_or(command.numbers.len(), <[f64]>::len));
        if want != got || numbers.is_some_and(|all| all.iter().any(|x| !x.is_finite())) {
            return Err(Error::Argument(format!("command '{name}' has {want} finite numbers, got {got}")));
        }
        let of = |name: &str| self.model().task.as_deref().and_then(|program| program.variable(name));
        let (places, timer) = (of(name), command.timer.as_deref().and_then(of));
        let worlds = self.resolve(worlds)?;
        let width = self.sizes().ntaskvariable;
        let mut remembered = self.get("task_variable", &worlds[..])?.data.to_f64();
        for row in remembered.chunks_mut(width.max(1)) {
            if let (Some(places), Some(numbers)) = (places.clone(), numbers) {
                row[places].copy_from_slice(numbers);
            }
            if let Some(timer) = timer.clone() {
                row[timer].fill(if numbers.is_some() { FOREVER } else { 0.0 });
            }
        }
        let values = NumbersRef::from(&remembered);
        self.engine.write(&[(field::task_variable.row(), values)], &worlds)
    }

    /// What the last step of the environment has shown: `observation`, `reward`, `terminated`, `truncated` and `status` of
    /// every world, `[world, …]`, in one copy. Waits for the step.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task, [`Error::Device`] if the device is lost.
    pub fn observed(&mut self) -> Result<Vec<TypedArray>> {
        self.task()?;
        let Some(shown) = self.engine.step_outputs()? else { return self.read(&STEP_OUTPUTS, ..) };
        let array = |(name, numbers): (&str, _)| {
            let field = FieldName::<DataField>::entry(name)?;
            Ok(array(field, self.sizes(), self.worlds, numbers))
        };
        STEP_OUTPUTS.into_iter().zip(shown).map(array).collect()
    }

    /// A step of the environment in every world, under its `action`. On the GPU the call is asynchronous; reading a field
    /// synchronises.
    ///
    /// # Errors
    /// As [`Batch::begin_episodes`].
    pub fn step_task(&mut self) -> Result<()> {
        self.task()?;
        self.call(Call::Task)
    }
}
