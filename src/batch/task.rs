//! Tasks: steps of an environment, and the begin of episodes. See [`Model::set_task`](crate::model::Model::set_task).

use super::engine::Call;
use super::typed::{TypedArray, array};
use super::{Batch, Worlds};
use crate::error::{Error, Result};
use crate::model::data::field;
use crate::model::task::{STEP_OUTPUTS, Task};
use crate::model::{DataField, FieldName};
use crate::schema::NumbersRef;

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
