//! Worlds copied on the device: to other worlds, and to batches of their own in which a few of them run.

use super::batch::GpuBatch;
use super::buffers::{Arena, arenas};
use super::demand::OWED;
use super::transfer::ElementRange;
use crate::program::StageGroup;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::plan;

impl GpuBatch {
    /// Copies whole worlds of an arena to others of it.
    pub(super) fn copy_within(&self, arena: &Arena, sources: &[u32], worlds: &[u32]) -> Result<()> {
        let ranges = ElementRange::whole_world(&self.program.layout);
        // a buffer cannot be read and written at once: each source once, through an arena of its own
        let mut unique: Vec<u32> = sources.to_vec();
        unique.sort_unstable();
        unique.dedup();
        if worlds.is_empty() {
            return Ok(());
        }
        let between = self.arena_of(unique.len())?;
        let places: Vec<u32> = (0..).take(unique.len()).collect();
        self.transfer.copy((arena, &unique), (&between, &places), &ranges)?;
        let place = |w: &u32| unique.binary_search(w).ok().and_then(|k| u32::try_from(k).ok()).unwrap_or(0);
        let from: Vec<u32> = sources.iter().map(place).collect();
        self.transfer.copy((&between, &from), (arena, worlds), &ranges)
    }

    /// An arena for some worlds that fit one.
    pub(super) fn arena_of(&self, worlds: usize) -> Result<Arena> {
        let mut made = arenas(&self.gpu, &self.program.layout, &self.model, worlds)?;
        match (made.pop(), made.is_empty()) {
            (Some(arena), true) => Ok(arena),
            _ => Err(Error::Device(format!("{worlds} worlds do not fit one buffer"))),
        }
    }

    /// Copies a world, results and own fields of the model included, to others, on the device.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range, [`Error::Device`] for a lost device.
    pub fn broadcast(&mut self, from: usize, worlds: &[usize]) -> Result<()> {
        self.check_worlds(&[from])?;
        self.check_worlds(worlds)?;
        let between = self.arena_of(1)?;
        let ranges = ElementRange::whole_world(&self.program.layout);
        self.clear_step_outputs();
        for (arena, ids, _) in self.split(&[from]) {
            self.transfer.copy((arena, &ids), (&between, &[0]), &ranges)?;
        }
        for (arena, ids, _) in self.split(worlds) {
            let sources = vec![0; ids.len()];
            self.transfer.copy((&between, &sources), (arena, &ids), &ranges)?;
        }
        Ok(())
    }

    /// Forward dynamics of some worlds: they are copied into a batch of their own on the device, and back.
    ///
    /// # Errors
    /// As [`GpuBatch::forward`], [`Error::Argument`] for a world out of range.
    pub fn forward_worlds(&mut self, worlds: &[usize]) -> Result<()> {
        let groups = self.program.groups(plan::forward(&self.program.general));
        self.run_on(worlds, &groups)
    }

    /// Takes the steps that worlds owe after resets for bad accelerations, from where they are; waits for the steps before.
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
            // right after the reset, a step is taken at any acceleration; later ones are looked at
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

    /// Runs groups on some worlds: they are copied into a batch of their own on the device, and back.
    pub(super) fn run_on(&mut self, worlds: &[usize], groups: &[StageGroup]) -> Result<()> {
        self.check_worlds(worlds)?;
        self.build(groups)?;
        let ranges = ElementRange::whole_world(&self.program.layout);
        for (arena, ids, _) in self.split(worlds) {
            let few = self.arena_of(ids.len())?;
            // worlds that fill up the last workgroup are copies of the last one
            let last = ids.last().copied().unwrap_or(0);
            let mut sources = ids.clone();
            sources.resize(few.padded, last);
            let places: Vec<u32> = (0..).take(few.padded).collect();
            self.transfer.copy((arena, &sources), (&few, &places), &ranges)?;
            let few = [few];
            self.submit_on(&few, &[(groups, 1)])?;
            self.transfer.copy((&few[0], &places[..ids.len()]), (arena, &ids), &ranges)?;
        }
        Ok(())
    }
}
