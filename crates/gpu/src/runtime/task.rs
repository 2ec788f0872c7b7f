//! Steps of a task: its kernels around those of the model, without a stop for the host.

use super::batch::GpuBatch;
use super::buffers::ChunkWorlds;
use super::demand::{DEMANDS, note};
use super::held::DispatchSequence;
use super::pipelines::{MAX_DISPATCHES_PER_SUBMIT, dispatch};
use super::transfer::{Command, MAX_PACKED_WORDS};
use crate::codegen::layout::Slot;
use crate::program::{StageGroup, steps_per_dispatch};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::schedule;
use manyworlds_model::model::task::STEP_OUTPUTS;
use manyworlds_model::schema::stages::Stage;
use manyworlds_model::schema::{Demand, Elem, NumbersRef};

impl GpuBatch {
    /// A step of the task in all worlds. Worlds whose episode begins take the steps of the model too: they are reset
    /// before the last one, which computes what follows from their state, and after it.
    ///
    /// # Errors
    /// [`Error::Argument`] for a model without a task; else as [`GpuBatch::step`].
    pub fn step_task(&mut self) -> Result<()> {
        let rounds = self.task_rounds()?;
        let rounds: Vec<(&[StageGroup], usize)> = rounds.iter().map(|(g, n)| (g.as_slice(), *n)).collect();
        self.submit(&rounds)
    }

    /// As [`GpuBatch::step_task`]; worlds that are reset for a bad acceleration take the steps that they owe before the
    /// step goes on. Waits for the steps.
    ///
    /// # Errors
    /// As [`GpuBatch::step_task`].
    pub fn step_task_with_owed(&mut self) -> Result<()> {
        for (groups, n) in self.task_rounds()? {
            self.submit(&[(&groups, n)])?;
            self.take_owed_steps()?;
        }
        Ok(())
    }

    /// A step of the task under an action of each world, `[world, naction]`; [`GpuBatch::step_outputs`] waits for its
    /// outputs. The action, the step and the outputs are one submission, as far as drivers take it. With `checkpoint`,
    /// the state before the step becomes the checkpoint, as by [`GpuBatch::checkpoint`].
    ///
    /// # Errors
    /// [`Error::Argument`] for a model without a task or a wrong number of values; else as [`GpuBatch::step`].
    pub fn act(&mut self, action: NumbersRef<'_>, checkpoint: bool) -> Result<()> {
        let rounds = self.task_rounds()?;
        let width = self.slot("action")?.len;
        if action.len() != self.worlds * width {
            let (got, worlds) = (action.len(), self.worlds);
            return Err(Error::Argument(format!(
                "'action': {got} values given, {worlds} x {width} expected"
            )));
        }
        if checkpoint {
            self.reserve_checkpoint()?;
        }
        self.clear_step_outputs();
        self.pending_demand.is_outdated = true;
        if !self.fits_one_submission(&rounds, action.len()) {
            if checkpoint {
                self.checkpoint()?;
            }
            let all: Vec<usize> = (0..self.worlds).collect();
            self.set_fields(&[("action", action)], &all)?;
            return self.step_task();
        }
        let regions = self.checkpoint_regions();
        let copies = regions.iter().zip(&self.checkpoint_buffers).filter(|_| checkpoint);
        let mut commands: Vec<Command<'_>> =
            copies.map(|(region, buffer)| Command::Checkpoint(*region, buffer)).collect();
        // each chunk through all rounds
        let (chunks, slots) = (self.chunks(), self.output_slots());
        for (c, chunk) in chunks.iter().enumerate() {
            self.add_action_commands(&mut commands, &slots, c, *chunk)?;
        }
        let sequences: Vec<(Vec<&DispatchSequence>, usize)> =
            rounds.iter().map(|(groups, n)| (self.sequences(groups), *n)).collect();
        let mut run = |pass: &mut wgpu::ComputePass<'_>, c: usize| {
            let chunk = chunks[c].chunk;
            pass.set_bind_group(0, &chunk.bind, &[]);
            for (sequences, n) in &sequences {
                (0..*n).for_each(|_| dispatch(pass, sequences, chunk));
            }
        };
        let mut inputs = Vec::with_capacity(action.len());
        action.extend_words(Elem::Real, &mut inputs);
        let outputs = slots.iter().map(|slot| slot.len * self.worlds).sum();
        let readback = self.transfer.submit_commands(&commands, &inputs, outputs, &mut run)?;
        self.pending_outputs.put(readback);
        Ok(())
    }

    /// True if drivers take a step of the task in one submission, with an action of so many numbers and its outputs.
    fn fits_one_submission(&self, rounds: &[(Vec<StageGroup>, usize)], action: usize) -> bool {
        let times = |group: &StageGroup| -> usize {
            let sequence = self.pipelines.get(group).map(Vec::as_slice).unwrap_or_default();
            group.steps * sequence.iter().map(|d| d.times as usize).sum::<usize>()
        };
        let work = |(groups, n): &(Vec<StageGroup>, usize)| n * groups.iter().map(times).sum::<usize>();
        let dispatches: usize = rounds.iter().map(work).sum();
        let slots = self.output_slots();
        let outputs: usize = slots.iter().map(|slot| slot.len * self.worlds).sum();
        let words = outputs.max(action);
        (dispatches + slots.len() + 1) * self.chunks().len() <= MAX_DISPATCHES_PER_SUBMIT
            && words <= MAX_PACKED_WORDS
            && words as u64 <= self.binding_words()
    }

    /// Adds the commands that write the action of chunk number `c`, step it, and read its outputs.
    fn add_action_commands<'a>(
        &self,
        commands: &mut Vec<Command<'a>>,
        slots: &[Slot],
        c: usize,
        chunk: ChunkWorlds<'a>,
    ) -> Result<()> {
        let action = self.slot("action")?;
        let has_worlds = !chunk.ids.is_empty();
        if action.len > 0 && has_worlds {
            commands.push(Command::Write(chunk.region(action), chunk.first() * action.len));
        }
        commands.push(Command::Dispatch(c));
        let mut start = 0;
        for slot in slots.iter().filter(|_| has_worlds) {
            commands.push(Command::Read(chunk.region(slot), start + chunk.first() * slot.len));
            start += self.worlds * slot.len;
        }
        Ok(())
    }

    /// Outputs of the last step under an action: the words of each of [`STEP_OUTPUTS`], `[world, …]`, and the demand of
    /// the worlds. Waits for the step; `None` if worlds have changed since.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn step_outputs(&mut self) -> Result<Option<(Vec<Vec<u32>>, Demand)>> {
        let Some(readback) = self.pending_outputs.take() else { return Ok(None) };
        let slots = self.output_slots();
        let mut demand = Demand::default();
        let mut fields = Vec::new();
        self.transfer.finish_with(readback, |mut words| {
            for slot in &slots {
                let (own, rest) = words.split_at(slot.len * self.worlds);
                if DEMANDS.contains(&slot.field.name) {
                    note(&mut demand, slot.field.name, own);
                } else {
                    fields.push(own.to_vec());
                }
                words = rest;
            }
        })?;
        self.pending_demand.is_outdated = false;
        Ok(Some((fields, demand)))
    }

    /// Drops the outputs of the last step under an action: worlds are about to change.
    pub fn clear_step_outputs(&self) {
        self.pending_outputs.take();
    }

    /// Fields that are read after a step: its outputs, and those of the demand.
    fn output_slots(&self) -> Vec<Slot> {
        let names = STEP_OUTPUTS.iter().chain(&DEMANDS);
        names.filter_map(|name| self.slot(name).ok()).cloned().collect()
    }

    /// Dispatches of a step of the task, built: groups, and how often they run.
    fn task_rounds(&mut self) -> Result<Vec<(Vec<StageGroup>, usize)>> {
        let Some(task) = self.program.general.task.clone() else { return Err(no_task()) };
        let [begin, restart] =
            [Stage::task_begin, Stage::task_restart].map(|stage| vec![StageGroup::full(vec![stage])]);
        let end = vec![self.task_end()];
        // the task reads results of the last step only
        let full = self.program.step_groups().to_vec();
        let before = task.frame_skip() - 1;
        let reduced = self.program.reduced_groups().filter(|groups| before >= steps_per_dispatch(groups));
        let reduced = reduced.unwrap_or_default();
        let each = steps_per_dispatch(&reduced);
        let runs = if reduced.is_empty() { 0 } else { before / each };
        let rounds = vec![
            (begin, 1),
            (reduced, runs),
            (full.clone(), before - runs * each),
            (restart.clone(), 1),
            (full, 1),
            (restart, 1),
            (end, 1),
        ];
        let all: Vec<StageGroup> = rounds.iter().flat_map(|(groups, _)| groups.clone()).collect();
        self.build(&all)?;
        Ok(rounds)
    }

    /// Begins the episodes of some worlds, and observes these.
    ///
    /// # Errors
    /// [`Error::Argument`] for a model without a task or a world out of range; else as [`GpuBatch::step`].
    pub fn restart_worlds(&mut self, worlds: &[usize]) -> Result<()> {
        if self.program.general.task.is_none() {
            return Err(no_task());
        }
        let ones = vec![1; worlds.len()];
        self.set_fields(&[("task_restarts", NumbersRef::from(&ones))], worlds)?;
        let mut groups = vec![StageGroup::full(vec![Stage::task_restart])];
        groups.extend(self.program.groups(schedule::forward(&self.program.general)));
        groups.push(self.task_end());
        self.run_on(worlds, &groups)
    }

    /// What follows the last step of the model.
    fn task_end(&self) -> StageGroup {
        StageGroup::full(schedule::task_end(&self.program.general).collect())
    }
}

fn no_task() -> Error {
    Error::Argument("the model has no task".to_owned())
}
