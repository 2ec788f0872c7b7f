//! Many steps under given controls in one call: controls go to the device at once, recorded fields come back at once,
//! as far as memory reaches; while some come back, the next steps run.

use std::collections::VecDeque;
use std::ops::Range;

use super::batch::GpuBatch;
use super::buffers::ChunkWorlds;
use super::fields::{bits, number};
use super::pipelines::{MAX_DISPATCHES_PER_SUBMIT, dispatch};
use super::transfer::{Command, MAX_PACKED_WORDS, Readback};
use crate::codegen::layout::Slot;
use crate::program::{StageGroup, steps_per_dispatch};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::Elem;

/// Submissions whose records may be on their way.
const MAX_PENDING: usize = 2;

/// What is asked for, and the kernels that compute it.
struct Rollout<'a> {
    steps: usize,
    /// `[world, step, nu]`; none to keep those that the worlds have.
    controls: Option<&'a [f64]>,
    /// Fields that are recorded.
    slots: Vec<Slot>,
    /// They are recorded after each step whose number, from one on, is a multiple of this.
    every: usize,
    /// Kernels that store all results, for steps that are recorded, and kernels with reduced stores for the others.
    groups: [Vec<StageGroup>; 2],
}

impl Rollout<'_> {
    /// True if fields are recorded after a step.
    fn is_recorded(&self, step: usize) -> bool {
        (step + 1).is_multiple_of(self.every) && !self.slots.is_empty()
    }

    /// The kernels of a step: a place in `groups`.
    fn kernels(&self, step: usize) -> usize {
        usize::from(!self.is_recorded(step) && step + 1 < self.steps)
    }

    /// Frames that are recorded in some steps.
    fn frames(&self, steps: &Range<usize>) -> Range<usize> {
        steps.start / self.every..steps.end / self.every
    }

    /// Controls of all worlds in one step, `[world, nu]`.
    fn controls_at(&self, step: usize, nu: usize) -> impl Iterator<Item = &[f64]> {
        // a row for each world
        self.controls
            .into_iter()
            .flat_map(move |c| c.chunks(self.steps * nu))
            .map(move |c| &c[step * nu..][..nu])
    }
}

/// Steps of a rollout whose records are on their way.
struct Segment {
    readback: Readback,
    frames: Range<usize>,
}

impl GpuBatch {
    /// Steps all worlds under controls `[world, step, nu]`, none to keep those that they have, and returns fields after
    /// every `every`-th step, `[field][world, frame, …]`.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field or a wrong number of controls, [`Error::Device`] for a lost device.
    pub fn rollout(
        &mut self,
        steps: usize,
        controls: Option<&[f64]>,
        fields: &[&str],
        every: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let nu = self.program.model.sizes.nu;
        if let Some(controls) = controls.filter(|c| c.len() != self.worlds * steps * nu) {
            let (got, worlds) = (controls.len(), self.worlds);
            let text = format!("{got} controls are given, {worlds} worlds x {steps} steps x {nu} expected");
            return Err(Error::Argument(text));
        }
        let rollout = self.new_rollout(steps, controls, fields, every)?;
        // a frame or the controls of a step may be more than a binding holds
        let words: usize = rollout.slots.iter().map(|s| s.len * self.worlds).sum();
        if words.max(self.worlds * nu) as u64 > self.binding_words() {
            return self.rollout_step_by_step(&rollout, false);
        }
        let most = self.max_segment(&rollout);
        let mut out = self.empty_records(&rollout);
        let mut pending = VecDeque::new();
        for first in (0..steps).step_by(most) {
            pending.push_back(self.submit_segment(&rollout, first..(first + most).min(steps))?);
            if pending.len() > MAX_PENDING
                && let Some(segment) = pending.pop_front()
            {
                self.store_segment(&rollout, segment, &mut out)?;
            }
        }
        for segment in pending {
            self.store_segment(&rollout, segment, &mut out)?;
        }
        Ok(out)
    }

    /// As [`GpuBatch::rollout`]; worlds that are reset for a bad acceleration take the steps that they owe before the
    /// next one of all. Waits for each step.
    ///
    /// # Errors
    /// As [`GpuBatch::rollout`].
    pub fn rollout_with_owed(
        &mut self,
        steps: usize,
        controls: Option<&[f64]>,
        fields: &[&str],
        every: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let rollout = self.new_rollout(steps, controls, fields, every)?;
        self.rollout_step_by_step(&rollout, true)
    }

    /// A rollout whose kernels are built. Steps that are not recorded have reduced stores where a dispatch runs one
    /// step.
    fn new_rollout<'a>(
        &mut self,
        steps: usize,
        controls: Option<&'a [f64]>,
        fields: &[&str],
        every: usize,
    ) -> Result<Rollout<'a>> {
        fields.iter().try_for_each(|field| self.refuse_narrow(field))?;
        let slots = fields.iter().map(|f| self.slot(f).cloned()).collect::<Result<Vec<_>>>()?;
        let full = self.program.step_groups().to_vec();
        let reduced = self.program.reduced_groups().filter(|groups| steps_per_dispatch(groups) == 1);
        let groups = [full.clone(), reduced.unwrap_or(full)];
        self.build(&groups.concat())?;
        let controls = controls.filter(|c| !c.is_empty());
        Ok(Rollout { steps, controls, slots, every, groups })
    }

    /// As [`GpuBatch::rollout`], with transfers of their own for each step, and with owed steps where asked for.
    fn rollout_step_by_step(&mut self, rollout: &Rollout<'_>, owed: bool) -> Result<Vec<Vec<f64>>> {
        let (worlds, nu) = (self.worlds, self.program.model.sizes.nu);
        let frames = rollout.steps / rollout.every;
        let mut out = self.empty_records(rollout);
        for step in 0..rollout.steps {
            if rollout.controls.is_some() {
                let ctrl: Vec<f64> = rollout.controls_at(step, nu).flatten().copied().collect();
                self.set("ctrl", &ctrl)?;
            }
            self.submit(&[(&rollout.groups[rollout.kernels(step)], 1)])?;
            if owed {
                self.take_owed_steps()?;
            }
            if rollout.is_recorded(step) {
                let frame = step / rollout.every;
                for (slot, out) in rollout.slots.iter().zip(&mut out) {
                    let values = self.get(slot.field.name)?;
                    for (world, row) in (0..worlds).zip(values.chunks(slot.len.max(1))) {
                        out[(world * frames + frame) * slot.len..][..slot.len].copy_from_slice(row);
                    }
                }
            }
        }
        Ok(out)
    }

    /// Zeros for the records of all steps, `[field][world, frame, …]`.
    fn empty_records(&self, rollout: &Rollout<'_>) -> Vec<Vec<f64>> {
        let frames = rollout.steps / rollout.every;
        rollout.slots.iter().map(|slot| vec![0.0; self.worlds * frames * slot.len]).collect()
    }

    /// Most steps of a submission: their controls and records fit the packed buffer, their dispatches what drivers
    /// take.
    fn max_segment(&self, rollout: &Rollout<'_>) -> usize {
        let fit = |words: usize| (MAX_PACKED_WORDS / words.max(1)).max(1);
        let controls = self.program.model.sizes.nu * self.worlds;
        let frame: usize = rollout.slots.iter().map(|s| s.len * self.worlds).sum();
        let sequences = self.sequences(&rollout.groups[0]);
        let kernels: usize = sequences.into_iter().flatten().map(|d| d.times as usize).sum();
        let dispatches = kernels + rollout.slots.len() + 1;
        let most = fit(controls).min(fit(frame).saturating_mul(rollout.every));
        most.min((MAX_DISPATCHES_PER_SUBMIT / dispatches).max(1)).min(rollout.steps.max(1))
    }

    /// Submits some steps; records are `[field][frame, world, …]` of the steps.
    fn submit_segment(&self, rollout: &Rollout<'_>, steps: Range<usize>) -> Result<Segment> {
        self.clear_step_outputs();
        let nu = self.program.model.sizes.nu;
        let inputs: Vec<u32> = steps
            .clone()
            .flat_map(|step| rollout.controls_at(step, nu).flat_map(|row| bits(Elem::Real, row)))
            .collect();
        let frames = rollout.frames(&steps);
        let recorded: usize = rollout.slots.iter().map(|s| frames.len() * self.worlds * s.len).sum();
        // each chunk through all steps
        let chunks = self.chunks();
        let mut commands = Vec::new();
        for (c, chunk) in chunks.iter().enumerate() {
            self.add_commands(&mut commands, rollout, &steps, c, *chunk)?;
        }
        let sequences = rollout.groups.each_ref().map(|groups| self.sequences(groups));
        let mut run = |pass: &mut wgpu::ComputePass<'_>, kernels: usize| {
            let chunk = chunks[kernels / 2].chunk;
            pass.set_bind_group(0, &chunk.bind, &[]);
            dispatch(pass, &sequences[kernels % 2], chunk);
        };
        let readback = self.transfer.submit_commands(&commands, &inputs, recorded, &mut run)?;
        Ok(Segment { readback, frames })
    }

    /// Adds the commands that take chunk number `c` through some steps; dispatches are numbered by chunk and kernels.
    fn add_commands<'a>(
        &self,
        commands: &mut Vec<Command<'a>>,
        rollout: &Rollout<'_>,
        steps: &Range<usize>,
        c: usize,
        chunk: ChunkWorlds<'a>,
    ) -> Result<()> {
        let nu = self.program.model.sizes.nu;
        let ctrl = rollout.controls.map(|_| self.slot("ctrl")).transpose()?;
        let has_worlds = !chunk.ids.is_empty();
        let frames = rollout.frames(steps);
        for step in steps.clone() {
            if let Some(ctrl) = ctrl.filter(|_| has_worlds) {
                let row = (step - steps.start) * self.worlds + chunk.first();
                commands.push(Command::Write(chunk.region(ctrl), row * nu));
            }
            commands.push(Command::Dispatch(2 * c + rollout.kernels(step)));
            if !rollout.is_recorded(step) || !has_worlds {
                continue;
            }
            let row = (step / rollout.every - frames.start) * self.worlds + chunk.first();
            let mut start = 0;
            for slot in &rollout.slots {
                commands.push(Command::Read(chunk.region(slot), start + row * slot.len));
                start += frames.len() * self.worlds * slot.len;
            }
        }
        Ok(())
    }

    /// All worlds, in chunks that step one after the other.
    pub(super) fn chunks(&self) -> Vec<ChunkWorlds<'_>> {
        self.arenas.iter().flat_map(|arena| arena.chunk_worlds()).collect()
    }

    /// Words that a binding holds.
    pub(super) fn binding_words(&self) -> u64 {
        self.gpu.adapter().binding_bytes.min(self.gpu.adapter().buffer_bytes) / 4
    }

    /// Waits for a segment and stores its frames.
    fn store_segment(&self, rollout: &Rollout<'_>, segment: Segment, out: &mut [Vec<f64>]) -> Result<()> {
        let words = self.transfer.finish(segment.readback)?;
        let mut words = words.into_iter();
        let frames = rollout.steps / rollout.every;
        for (slot, out) in rollout.slots.iter().zip(out) {
            for frame in segment.frames.clone() {
                for world in 0..self.worlds {
                    let to = &mut out[(world * frames + frame) * slot.len..][..slot.len];
                    to.iter_mut().zip(&mut words).for_each(|(to, w)| *to = number(slot.field.elem, w));
                }
            }
        }
        Ok(())
    }
}
