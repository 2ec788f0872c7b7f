//! Worlds copied on the device: to other worlds, and to batches of their own in which a few of them run.

use super::batch::GpuBatch;
use super::buffers::{Arena, arenas};
use super::demand::OWED;
use super::transfer::ElementRange;
use crate::program::StageGroup;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::schedule;

impl GpuBatch {
    /// An arena of its own for some worlds.
    ///
    /// # Errors
    /// [`Error::Device`] if they do not fit one buffer, or memory is insufficient.
    pub(super) fn arena_of(&self, worlds: usize) -> Result<Arena> {
        let mut made = arenas(&self.gpu, &self.program.layout, &self.model, worlds)?;
        match (made.pop(), made.is_empty()) {
            (Some(arena), true) => Ok(arena),
            _ => Err(Error::device(format!("{worlds} worlds do not fit one buffer"))),
        }
    }

    /// Copies a world to others, with its results and its values of model fields, on the device.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range, [`Error::Device`] for a lost device.
    pub fn broadcast(&mut self, from: usize, worlds: &[usize]) -> Result<()> {
        self.check_worlds(&[from])?;
        self.check_worlds(worlds)?;
        // no kernel copies within a buffer: through an arena of one world
        let between = self.arena_of(1)?;
        let ranges = ElementRange::whole_world(&self.program.layout);
        self.clear_step_outputs();
        for source in self.by_arena(&[from]) {
            self.transfer.copy((source.arena, &source.ids), (&between, &[0]), &ranges)?;
        }
        for part in self.by_arena(worlds) {
            let sources = vec![0; part.ids.len()];
            self.transfer.copy((&between, &sources), (part.arena, &part.ids), &ranges)?;
        }
        Ok(())
    }

    /// Forward dynamics of some worlds: they are copied into a batch of their own on the device, and back.
    ///
    /// # Errors
    /// As [`GpuBatch::forward`], [`Error::Argument`] for a world out of range.
    pub fn forward_worlds(&mut self, worlds: &[usize]) -> Result<()> {
        let groups = self.program.groups(schedule::forward(&self.program.general));
        self.run_on(worlds, &groups)
    }

    /// Takes the steps that worlds owe: a world that a step resets for a bad acceleration is left in its initial state,
    /// from which it still has to take the step. Waits for the steps before.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn take_owed_steps(&mut self) -> Result<()> {
        let groups = self.program.step_groups().to_vec();
        loop {
            let owed = self.get(OWED)?;
            let worlds: Vec<usize> = (0..self.worlds).filter(|w| owed[*w] > 0.0).collect();
            if worlds.is_empty() {
                return Ok(());
            }
            // a step right after the reset is taken at any acceleration, and a later one may reset the world again
            let time = self.get("time")?;
            let marks: Vec<f64> =
                worlds.iter().map(|w| if time[*w] == 0.0 { -1.0 } else { owed[*w] }).collect();
            self.set_worlds(OWED, &worlds, &marks)?;
            self.run_on(&worlds, &groups)?;
            let after = self.get(OWED)?;
            let left = worlds.iter().map(|w| if time[*w] == 0.0 { owed[*w] } else { after[*w] } - 1.0);
            self.set_worlds(OWED, &worlds, &left.collect::<Vec<_>>())?;
        }
    }

    /// Runs groups on some worlds: these are copied to an arena of their own on the device, and back.
    ///
    /// # Errors
    /// As [`GpuBatch::step`], [`Error::Argument`] for a world out of range.
    pub(super) fn run_on(&mut self, worlds: &[usize], groups: &[StageGroup]) -> Result<()> {
        self.check_worlds(worlds)?;
        self.build(groups)?;
        let ranges = ElementRange::whole_world(&self.program.layout);
        for part in self.by_arena(worlds) {
            let copies = [self.arena_of(part.ids.len())?];
            // worlds that fill up the last workgroup are copies of the last one
            let last = part.ids.last().copied().unwrap_or(0);
            let mut sources = part.ids.clone();
            sources.resize(copies[0].padded, last);
            let ids: Vec<u32> = (0..).take(sources.len()).collect();
            self.transfer.copy((part.arena, &sources), (&copies[0], &ids), &ranges)?;
            self.submit_on(&copies, &[(groups, 1)])?;
            self.transfer.copy((&copies[0], &ids[..part.ids.len()]), (part.arena, &part.ids), &ranges)?;
        }
        Ok(())
    }
}
