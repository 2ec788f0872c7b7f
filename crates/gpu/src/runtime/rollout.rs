//! Many steps under given controls in one call: controls go to the device at once, recorded fields come back at once, as
//! far as memory reaches; while some come back, the next steps run.

use std::collections::VecDeque;

use super::batch::{DispatchSequence, GpuBatch, MAX_DISPATCHES_PER_SUBMIT, bits, dispatch, number};
use super::buffers::Chunk;
use super::transfer::{MOST_WORDS, Part, Place, Readback, Scripted};
use crate::codegen::layout::Slot;
use crate::program::StageGroup;
use manyworlds_model::error::{Error, Result};

/// Submissions whose records may be on their way.
const AHEAD: usize = 2;

/// Records on their way: of which steps, and the frames among them.
struct Segment {
    pending: Readback,
    frames: std::ops::Range<usize>,
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
        let controls = controls.filter(|c| !c.is_empty());
        let slots = fields.iter().map(|f| self.slot(f).cloned()).collect::<Result<Vec<_>>>()?;
        // a frame or the controls of a step may be more than a binding holds
        let words: usize = slots.iter().map(|s| s.len * self.worlds).sum();
        let limit = self.gpu.adapter().binding_bytes.min(self.gpu.adapter().buffer_bytes) / 4;
        if words.max(self.worlds * nu) as u64 > limit {
            return self.rollout_apart(steps, controls, fields, every, false);
        }
        // steps that nobody reads may be lean
        let [whole, lean] = self.steps_of_rollout();
        self.build(&[whole.clone(), lean.clone()].concat())?;
        // steps of a submission
        let fit = |words: usize| (MOST_WORDS / words.max(1)).max(1);
        let each = whole.iter().filter_map(|g| self.pipelines.get(g)).flatten().map(|d| d.times as usize);
        let dispatches = each.sum::<usize>() + slots.len() + 1;
        let most = fit(nu * self.worlds).min(fit(words).saturating_mul(every));
        let most = most.min((MAX_DISPATCHES_PER_SUBMIT / dispatches).max(1)).min(steps.max(1));
        let mut out: Vec<Vec<f64>> =
            slots.iter().map(|s| vec![0.0; self.worlds * (steps / every) * s.len]).collect();
        let mut ahead = VecDeque::new();
        for first in (0..steps).step_by(most) {
            let part = first..(first + most).min(steps);
            let frames = part.start / every..part.end / every;
            let pending = self.segment(part, steps, controls, &slots, every, &[&whole, &lean])?;
            ahead.push_back(Segment { pending, frames });
            if ahead.len() > AHEAD
                && let Some(done) = ahead.pop_front()
            {
                self.store(done, &slots, steps / every, &mut out)?;
            }
        }
        for done in ahead {
            self.store(done, &slots, steps / every, &mut out)?;
        }
        Ok(out)
    }

    /// As [`GpuBatch::rollout`]; worlds that are reset for a bad acceleration take the steps that they owe before the next one
    /// of all. Waits for each step.
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
        let controls = controls.filter(|c| !c.is_empty());
        self.rollout_apart(steps, controls, fields, every, true)
    }

    /// Steps that a rollout reads, and those that it does not; equal where steps cannot be lean one at a time.
    fn steps_of_rollout(&self) -> [Vec<StageGroup>; 2] {
        let whole = self.program.step_groups().to_vec();
        let lean = self.program.lean_groups().filter(|groups| groups.iter().all(|g| g.steps == 1));
        let lean = lean.unwrap_or_else(|| whole.clone());
        [whole, lean]
    }

    /// As [`GpuBatch::rollout`], with transfers of their own for each step, and with owed steps where asked for.
    fn rollout_apart(
        &mut self,
        steps: usize,
        controls: Option<&[f64]>,
        fields: &[&str],
        every: usize,
        owed: bool,
    ) -> Result<Vec<Vec<f64>>> {
        let groups = self.steps_of_rollout();
        self.build(&groups.concat())?;
        let (worlds, nu, frames) = (self.worlds, self.program.model.sizes.nu, steps / every);
        let mut out = vec![Vec::new(); fields.len()];
        for step in 0..steps {
            if let Some(controls) = controls {
                let row = |world: usize| &controls[(world * steps + step) * nu..][..nu];
                let ctrl: Vec<f64> = (0..worlds).flat_map(row).copied().collect();
                self.set("ctrl", &ctrl)?;
            }
            let read = (step + 1).is_multiple_of(every) && !fields.is_empty();
            let is_lean = !read && step + 1 < steps;
            self.submit(&[(&groups[usize::from(is_lean)], 1)])?;
            if owed {
                self.take_owed_steps()?;
            }
            if read {
                let frame = step / every;
                for (field, out) in fields.iter().zip(&mut out) {
                    let values = self.get(field)?;
                    let len = values.len() / worlds;
                    out.resize(worlds * frames * len, 0.0);
                    for (world, row) in values.chunks(len.max(1)).enumerate() {
                        out[(world * frames + frame) * len..][..len].copy_from_slice(row);
                    }
                }
            }
        }
        Ok(out)
    }

    /// Submits some steps; records are `[field][frame, world, …]` of the steps.
    fn segment(
        &self,
        part: std::ops::Range<usize>,
        steps: usize,
        controls: Option<&[f64]>,
        slots: &[Slot],
        every: usize,
        groups: &[&[StageGroup]; 2],
    ) -> Result<Readback> {
        self.clear_step_outputs();
        let nu = self.program.model.sizes.nu;
        let ctrl = controls.map(|_| self.slot("ctrl")).transpose()?;
        // controls step by step
        let mut words = Vec::new();
        for step in part.clone() {
            for world in 0..self.worlds {
                let row = controls.map(|c| &c[(world * steps + step) * nu..][..nu]);
                words.extend(row.into_iter().flat_map(|row| bits(manyworlds_model::schema::Elem::Real, row)));
            }
        }
        let frames = part.end / every - part.start / every;
        let starts = slots.iter().scan(0, |at, slot| {
            let start = *at;
            *at += frames * self.worlds * slot.len;
            Some(start)
        });
        let starts: Vec<usize> = starts.collect();
        let recorded: usize = slots.iter().map(|s| frames * self.worlds * s.len).sum();
        let chunks = self.chunks();
        // what runs in order: each chunk through all steps
        let mut list = Vec::new();
        for (c, (a, _, ids)) in chunks.iter().enumerate() {
            let arena = &self.arenas[*a];
            let row = arena.first + ids.first().map_or(0, |w| *w as usize);
            let place = |slot: &Slot| Place { arena, part: Part::of(slot), worlds: ids };
            for (k, step) in part.clone().enumerate() {
                if let Some(ctrl) = ctrl.filter(|_| !ids.is_empty()) {
                    list.push(Scripted::Write(place(ctrl), (k * self.worlds + row) * nu));
                }
                let read = (step + 1).is_multiple_of(every) && !slots.is_empty();
                let is_lean = !read && step + 1 < steps;
                list.push(Scripted::Run(2 * c + usize::from(is_lean)));
                if read {
                    let frame = (step + 1) / every - 1 - part.start / every;
                    for (slot, start) in slots.iter().zip(&starts).filter(|_| !ids.is_empty()) {
                        let at = start + (frame * self.worlds + row) * slot.len;
                        list.push(Scripted::Read(place(slot), at));
                    }
                }
            }
        }
        let programs = groups.map(|groups| {
            groups.iter().filter_map(|g| self.pipelines.get(g)).collect::<Vec<&DispatchSequence>>()
        });
        let mut run = |pass: &mut wgpu::ComputePass<'_>, what: usize| {
            let chunk = chunks[what / 2].1;
            pass.set_bind_group(0, &chunk.bind, &[]);
            programs[what % 2].iter().for_each(|program| dispatch(pass, program, chunk.worlds));
        };
        self.transfer.script(&self.gpu, &self.program.layout, &words, recorded, &list, &mut run)
    }

    /// Parts of all worlds that step one after the other: the arena of each, and the numbers of its worlds.
    pub(super) fn chunks(&self) -> Vec<(usize, &Chunk, &[u32])> {
        let mut all = Vec::new();
        for (a, arena) in self.arenas.iter().enumerate() {
            let mut first = 0;
            for chunk in &arena.chunks {
                let end = (first + chunk.worlds).min(arena.worlds);
                let ids = arena.ids.get(first..end.max(first)).unwrap_or_default();
                all.push((a, chunk, ids));
                first += chunk.worlds;
            }
        }
        all
    }

    /// Waits for a segment and stores its frames.
    fn store(&self, done: Segment, slots: &[Slot], all: usize, out: &mut [Vec<f64>]) -> Result<()> {
        let words = self.transfer.finish(&self.gpu, done.pending)?;
        let mut words = words.into_iter();
        for (slot, out) in slots.iter().zip(out) {
            for frame in done.frames.clone() {
                for world in 0..self.worlds {
                    let to = &mut out[(world * all + frame) * slot.len..][..slot.len];
                    to.iter_mut().zip(&mut words).for_each(|(to, w)| *to = number(slot.field.elem, w));
                }
            }
        }
        Ok(())
    }
}
