//! Tasks: steps of an environment, and the begin of episodes. See [`Model::set_task`](crate::model::Model::set_task).

use super::growth::Call;
use super::typed::TypedArray;
#[cfg(feature = "gpu")]
use super::typed::{array, of_words};
use super::{Batch, chosen};
use crate::error::{Error, Result};
use crate::model::task::{STEP_OUTPUTS, Task};

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
    /// `numbers` have an entry for each world where `mask` is true. Draws begin anew.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task, or for lists of the wrong length.
    pub fn seed_task(&mut self, mask: &[bool], seeds: &[u64], numbers: &[u32]) -> Result<()> {
        self.task()?;
        self.check_mask(mask)?;
        let worlds = chosen(mask);
        if seeds.len() != worlds.len() || numbers.len() != worlds.len() {
            let (s, n, w) = (seeds.len(), numbers.len(), worlds.len());
            return Err(Error::Argument(format!("{s} seeds and {n} numbers are given for {w} worlds")));
        }
        // words as integers of the same bits
        let word = |x: u32| f64::from(x.cast_signed());
        let of =
            |(seed, number): (&u64, &u32)| [word(*seed as u32), word((seed >> 32) as u32), word(*number)];
        let keys: Vec<f64> = seeds.iter().zip(numbers).flat_map(of).collect();
        let zeros = vec![0.0; worlds.len()];
        let fields = [(self.field("task_key")?, keys.as_slice()), (self.field("task_tick")?, &zeros)];
        let kept = fields.into_iter().filter(|(field, _)| self.has(field.name));
        let kept: Vec<_> = kept.collect();
        self.write_fields(&kept, &worlds)
    }

    /// Begins an episode in the worlds where `mask` is true: they are reset, forward dynamics is computed, and they are
    /// observed.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task, [`Error::Device`] if a kernel cannot be built or the device is lost.
    pub fn begin_episodes(&mut self, mask: &[bool]) -> Result<()> {
        self.task()?;
        self.check_mask(mask)?;
        self.refresh_models()?;
        // what other worlds hold is no result of a call that is made again
        self.flush()?;
        self.call(Call::Restart(chosen(mask)))
    }

    /// A step of the environment in every world under an action, `[world, naction]`: as [`Batch::step_task`] after setting
    /// `action`, but on the GPU the action, the step, and the copy of what it shows are one submission, as far as drivers take
    /// it. With [`Overflow::Error`](super::Overflow::Error) the call waits for the step, to look for what was left out.
    ///
    /// # Errors
    /// As [`Batch::set`] and [`Batch::step_task`].
    pub fn act(&mut self, action: &[f64]) -> Result<()> {
        self.task()?;
        let entry = self.field("action")?;
        self.check_values(entry, self.worlds, action, |row| row)?;
        self.refresh_models()?;
        self.call(Call::Act(action.to_vec()))
    }

    /// What the last step of the environment has shown: `observation`, `reward`, `terminated`, `truncated` and `status` of
    /// every world, `[world, …]`, in one copy. Waits for the step.
    ///
    /// # Errors
    /// [`Error::Argument`] without a task, [`Error::Device`] if the device is lost.
    pub fn observed(&mut self) -> Result<Vec<TypedArray>> {
        self.task()?;
        #[cfg(feature = "gpu")]
        if let Some(words) = self.seen_settled()? {
            let array = |(name, words)| {
                let field = self.field(name)?;
                Ok(array(field, &self.sizes, self.worlds, of_words(field.elem, words)))
            };
            return STEP_OUTPUTS.into_iter().zip(words).map(array).collect();
        }
        self.read(&STEP_OUTPUTS, None)
    }

    /// A step of the environment in every world, under its `action`. On the GPU the call is asynchronous; reading a field
    /// synchronises.
    ///
    /// # Errors
    /// As [`Batch::begin_episodes`].
    pub fn step_task(&mut self) -> Result<()> {
        self.task()?;
        self.refresh_models()?;
        self.call(Call::Task)
    }
}
