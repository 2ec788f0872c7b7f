//! Worlds as others see them: copied on the device for resets, broadcasts and forward dynamics of a few; their buffers.

use super::batch::{FieldLayout, GpuBatch, WorldBuffers};
use super::buffers::{Arena, arenas};
use super::transfer::{Part, TransferStats};
use super::watch::OWED;
use crate::codegen::layout::Slot;
use crate::program::StageGroup;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::plan;
use manyworlds_model::schema::{Elem, NumbersRef};

impl GpuBatch {
    /// Copies whole worlds of an arena to others of it.
    pub(super) fn copy_within(&self, arena: &Arena, sources: &[u32], worlds: &[u32]) -> Result<()> {
        let layout = &self.program.layout;
        let parts = Part::whole(layout);
        // a buffer cannot be read and written at once: each source once, through an arena of its own
        let mut unique: Vec<u32> = sources.to_vec();
        unique.sort_unstable();
        unique.dedup();
        if worlds.is_empty() {
            return Ok(());
        }
        let between = self.arena_of(unique.len())?;
        let places: Vec<u32> = (0..).take(unique.len()).collect();
        self.transfer.copy(&self.gpu, layout, (arena, &unique), (&between, &places), &parts)?;
        let place = |w: &u32| unique.binary_search(w).ok().and_then(|k| u32::try_from(k).ok()).unwrap_or(0);
        let from: Vec<u32> = sources.iter().map(place).collect();
        self.transfer.copy(&self.gpu, layout, (&between, &from), (arena, worlds), &parts)
    }

    /// An arena for some worlds that fit one.
    fn arena_of(&self, worlds: usize) -> Result<Arena> {
        let mut made = arenas(&self.gpu, &self.program.layout, &self.model, worlds)?;
        match (made.pop(), made.is_empty()) {
            (Some(arena), true) => Ok(arena),
            _ => Err(Error::Device(format!("{worlds} worlds do not fit one buffer"))),
        }
    }

    /// Resets the worlds of `mask` to the initial state, or to a keyframe, and clears their status.
    ///
    /// # Errors
    /// [`Error::Argument`] for a mask of the wrong length or a keyframe out of range.
    pub fn reset(&mut self, mask: &[bool], key: Option<usize>) -> Result<()> {
        if mask.len() != self.worlds {
            return Err(Error::Argument(format!(
                "the mask has {} entries, the batch {} worlds",
                mask.len(),
                self.worlds
            )));
        }
        let worlds: Vec<usize> = (0..self.worlds).filter(|w| mask[*w]).collect();
        self.reset_worlds(&worlds, &vec![key; worlds.len()])
    }

    /// Resets worlds to the initial state, or to a keyframe of their own, and clears their status, on the device.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world or keyframe out of range.
    pub fn reset_worlds(&mut self, worlds: &[usize], keys: &[Option<usize>]) -> Result<()> {
        self.check_worlds(worlds)?;
        self.clear_step_outputs();
        if worlds.len() != keys.len() {
            let text = format!("{} keyframes for {} worlds", keys.len(), worlds.len());
            return Err(Error::Argument(text));
        }
        let nkey = self.program.model.sizes.nkey;
        if let Some(k) = keys.iter().flatten().find(|k| **k >= nkey) {
            return Err(Error::Argument(format!("keyframe {k} does not exist: the model has {nkey}")));
        }
        let initial = match self.initial.take() {
            Some(initial) => initial,
            None => self.initial_states()?,
        };
        // the state, what is carried, and zeros for what follows from the state before
        let layout = &self.program.layout;
        let set = |s: &&Slot| s.field.role.is_state() || s.field.traits.carried;
        let parts: Vec<Part> = layout.slots().filter(set).map(Part::of).chain(Part::zeroed(layout)).collect();
        for (arena, ids, rows) in self.split(worlds) {
            let source = |r: &usize| u32::try_from(keys[*r].map_or(0, |k| k + 1)).unwrap_or(0);
            let sources: Vec<u32> = rows.iter().map(source).collect();
            self.transfer.copy(&self.gpu, layout, (&initial, &sources), (arena, &ids), &parts)?;
        }
        self.initial = Some(initial);
        Ok(())
    }

    /// Worlds in the initial state and at every keyframe.
    fn initial_states(&self) -> Result<Arena> {
        let model = &self.program.model;
        let arena = self.arena_of(1 + model.sizes.nkey)?;
        let mut data = Data::new(model, Capacity::NONE);
        for key in std::iter::once(None).chain((0..model.sizes.nkey).map(Some)) {
            data.reset(model, key);
            self.fill_world(&arena, u32::try_from(key.map_or(0, |k| k + 1)).unwrap_or(0), &data)?;
        }
        Ok(arena)
    }

    /// Copies a world, results and own fields of the model included, to others, on the device.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range, [`Error::Device`] for a lost device.
    pub fn broadcast(&mut self, from: usize, worlds: &[usize]) -> Result<()> {
        self.check_worlds(&[from])?;
        self.check_worlds(worlds)?;
        let layout = &self.program.layout;
        let between = self.arena_of(1)?;
        let parts = Part::whole(layout);
        self.clear_step_outputs();
        for (arena, ids, _) in self.split(&[from]) {
            self.transfer.copy(&self.gpu, layout, (arena, &ids), (&between, &[0]), &parts)?;
        }
        for (arena, ids, _) in self.split(worlds) {
            let sources = vec![0; ids.len()];
            self.transfer.copy(&self.gpu, layout, (&between, &sources), (arena, &ids), &parts)?;
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
        let layout = &self.program.layout;
        let parts = Part::whole(layout);
        for (arena, ids, _) in self.split(worlds) {
            let few = self.arena_of(ids.len())?;
            // worlds that fill up the last workgroup are copies of the last one
            let last = ids.last().copied().unwrap_or(0);
            let mut sources = ids.clone();
            sources.resize(few.padded, last);
            let places: Vec<u32> = (0..).take(few.padded).collect();
            self.transfer.copy(&self.gpu, layout, (arena, &sources), (&few, &places), &parts)?;
            let few = [few];
            self.submit_on(&few, &[(groups, 1)])?;
            self.transfer.copy(&self.gpu, layout, (&few[0], &places[..ids.len()]), (arena, &ids), &parts)?;
        }
        Ok(())
    }

    /// The buffers of all worlds, for kernels of a caller's own between steps. Whoever writes results or counts there steps
    /// with what he has written.
    pub fn buffers(&self) -> impl Iterator<Item = WorldBuffers<'_>> {
        self.arenas.iter().map(|a| WorldBuffers {
            first: a.first,
            worlds: a.worlds,
            reals: &a.reals,
            ints: &a.ints,
        })
    }

    /// Where a field is in these buffers.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that the kernels of this model do not keep.
    pub fn layout_of(&self, field: &str) -> Result<FieldLayout> {
        let (slot, layout) = (self.slot(field)?, &self.program.layout);
        let int = slot.field.elem == Elem::Int;
        let stride = if int { layout.stride_i } else { layout.stride_f };
        Ok(FieldLayout { offset: slot.offset, len: slot.len, stride, tile: layout.tile, int })
    }

    /// Bytes copied between host and device so far.
    pub fn transfer_stats(&self) -> TransferStats {
        self.transfer.transfer_stats()
    }

    /// Resets the given worlds to a state each.
    ///
    /// # Errors
    /// As [`GpuBatch::set_worlds`].
    pub fn reset_to(&mut self, worlds: &[usize], states: &[Data]) -> Result<()> {
        self.reset_worlds(worlds, &vec![None; worlds.len()])?;
        let state = self.program.layout.slots().filter(|s| s.field.role.is_state());
        let names: Vec<&'static str> = state.map(|s| s.field.name).collect();
        let of = |data: &Data, name: &str| data.get(name).map(|v| v.to_f64()).unwrap_or_default();
        let rows: Vec<Vec<f64>> =
            names.iter().map(|name| states.iter().flat_map(|data| of(data, name)).collect()).collect();
        let fields: Vec<(&str, NumbersRef<'_>)> =
            names.iter().zip(&rows).map(|(name, row)| (*name, row.into())).collect();
        self.set_fields(&fields, worlds)
    }
}
