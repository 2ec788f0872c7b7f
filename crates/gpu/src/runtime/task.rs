//! Steps of a task: its kernels around those of the model, without a stop for the host.

use super::batch::GpuBatch;
use super::buffers::ChunkWorlds;
use super::fields::bits;
use super::pipelines::{DispatchSequence, MAX_DISPATCHES_PER_SUBMIT, dispatch};
use super::transfer::{Command, MAX_PACKED_WORDS};
use super::watch::{WATCHED, Wanted};
use crate::codegen::layout::Slot;
use crate::program::{StageGroup, steps_per_dispatch};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::plan;
use manyworlds_model::model::task::STEP_OUTPUTS;
use manyworlds_model::schema::Elem;
use manyworlds_model::schema::stages::Stage;

impl GpuBatch {
    /// A step of the task in all worlds. Worlds whose episode begins take the steps of the model too: they are reset before
    /// the last one, which computes what follows from their state, and after it.
    ///
    /// # Errors
    /// [`Error::Argument`] for a model without a task; else as [`GpuBatch::step`].
    pub fn step_task(&mut self) -> Result<()> {
        let rounds = self.task_rounds()?;
        let rounds: Vec<(&[StageGroup], usize)> = rounds.iter().map(|(g, n)| (g.as_slice(), *n)).collect();
        self.submit(&rounds)
    }

    /// As [`GpuBatch::step_task`]; worlds that are reset for a bad acceleration take the steps that they owe before the step
    /// goes on. Waits for the steps.
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

    /// A step of the task under an action of each world, `[world, naction]`, of which [`GpuBatch::seen`] waits for what it
    /// shows; all of it in one submission, as far as drivers take it. With `keep`, the state before it is kept as by
    /// [`GpuBatch::keep`].
    ///
    /// # Errors
    /// [`Error::Argument`] for a model without a task or a wrong number of values; else as [`GpuBatch::step`].
    pub fn act(&mut self, action: &[f64], keep: bool) -> Result<()> {
        let rounds = self.task_rounds()?;
        let width = self.slot("action")?.len;
        if action.len() != self.worlds * width {
            let (got, worlds) = (action.len(), self.worlds);
            return Err(Error::Argument(format!(
                "'action': {got} values given, {worlds} x {width} expected"
            )));
        }
        if keep {
            self.make_room()?;
        }
        self.clear_step_outputs();
        self.watch.later = true;
        if !self.fits_one_submission(&rounds, action.len()) {
            if keep {
                self.keep()?;
            }
            self.set("action", action)?;
            return self.step_task();
        }
        let lasting = self.lasting();
        let kept = lasting.iter().zip(&self.watch.kept).filter(|_| keep);
        let mut commands: Vec<Command<'_>> =
            kept.map(|(region, buffer)| Command::Checkpoint(*region, buffer)).collect();
        // each chunk through all rounds
        let (chunks, slots) = (self.chunks(), self.seen_slots());
        for (c, chunk) in chunks.iter().enumerate() {
            self.add_action_commands(&mut commands, &slots, c, *chunk)?;
        }
        let sequences: Vec<(Vec<&DispatchSequence>, usize)> = rounds
            .iter()
            .map(|(groups, n)| (groups.iter().filter_map(|g| self.pipelines.get(g)).collect(), *n))
            .collect();
        let mut run = |pass: &mut wgpu::ComputePass<'_>, c: usize| {
            let chunk = chunks[c].chunk;
            pass.set_bind_group(0, &chunk.bind, &[]);
            for (sequences, n) in &sequences {
                (0..*n).flat_map(|_| sequences).for_each(|s| dispatch(pass, s, chunk.worlds));
            }
        };
        let inputs = bits(Elem::Real, action);
        let shown = slots.iter().map(|slot| slot.len * self.worlds).sum();
        let readback = self.transfer.submit_commands(&commands, &inputs, shown, &mut run)?;
        self.seen.put(readback);
        Ok(())
    }

    /// True if drivers take a step of the task in one submission, with an action of so many numbers and what the step shows.
    fn fits_one_submission(&self, rounds: &[(Vec<StageGroup>, usize)], action: usize) -> bool {
        let times = |group: &StageGroup| -> usize {
            let sequence = self.pipelines.get(group).map(Vec::as_slice).unwrap_or_default();
            group.steps * sequence.iter().map(|d| d.times as usize).sum::<usize>()
        };
        let work = |(groups, n): &(Vec<StageGroup>, usize)| n * groups.iter().map(times).sum::<usize>();
        let dispatches: usize = rounds.iter().map(work).sum();
        let slots = self.seen_slots();
        let shown: usize = slots.iter().map(|slot| slot.len * self.worlds).sum();
        let words = shown.max(action);
        (dispatches + slots.len() + 1) * self.chunks().len() <= MAX_DISPATCHES_PER_SUBMIT
            && words <= MAX_PACKED_WORDS
            && words as u64 <= self.binding_words()
    }

    /// Adds the commands that write the action of chunk number `c`, step it, and read what the step shows.
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

    /// What the last step under an action has shown, the words of each field, `[world, …]`, and what worlds have wanted so
    /// far; waits for it. `None` if it is not on its way.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn seen(&mut self) -> Result<Option<(Vec<Vec<u32>>, Wanted)>> {
        let Some(pending) = self.seen.take() else { return Ok(None) };
        let slots = self.seen_slots();
        let mut wanted = Wanted::default();
        let mut fields = Vec::new();
        self.transfer.finish_with(pending, |mut words| {
            for slot in &slots {
                let (own, rest) = words.split_at(slot.len * self.worlds);
                if WATCHED.contains(&slot.field.name) {
                    wanted.note(slot.field.name, own);
                } else {
                    fields.push(own.to_vec());
                }
                words = rest;
            }
        })?;
        self.watch.later = false;
        Ok(Some((fields, wanted)))
    }

    /// Forgets what the last step under an action has shown: worlds are about to change.
    pub fn clear_step_outputs(&self) {
        self.seen.take();
    }

    /// Fields that a step shows, and those that are watched.
    fn seen_slots(&self) -> Vec<Slot> {
        let names = STEP_OUTPUTS.iter().chain(&WATCHED);
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
        let reduced = self.program.lean_groups().filter(|groups| before >= steps_per_dispatch(groups));
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
        let ones = vec![1.0; worlds.len()];
        self.set_fields(&[("task_restarts", &ones)], worlds)?;
        let mut groups = vec![StageGroup::full(vec![Stage::task_restart])];
        groups.extend(self.program.groups(plan::forward(&self.program.general)));
        groups.push(self.task_end());
        self.run_on(worlds, &groups)
    }

    /// What follows the last step of the model.
    fn task_end(&self) -> StageGroup {
        StageGroup::full(plan::task_end(&self.program.general).collect())
    }
}

fn no_task() -> Error {
    Error::Argument("the model has no task".to_owned())
}
