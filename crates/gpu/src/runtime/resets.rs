//! Resets of worlds on the device: to the initial state, a keyframe, or a state each.

use super::batch::GpuBatch;
use super::buffers::Arena;
use super::fields::bits;
use super::transfer::{ElementRange, Region};
use crate::codegen::layout::{AddressSpace, Slot};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::schema::{NumbersRef, Role};

impl GpuBatch {
    /// Writes the initial state and the model's values of per-world fields to all worlds, with those that fill up the
    /// last workgroup.
    pub(super) fn fill_initial(&mut self) -> Result<()> {
        // one world through the host, the others from it
        let first = self.arena_of(1)?;
        self.fill_world(&first, 0, &Data::new(&self.program.model, Capacity::NONE))?;
        let ranges = ElementRange::whole_world(&self.program.layout);
        for arena in self.arenas.iter().chain(&self.scratch) {
            let ids: Vec<u32> = (0..).take(arena.padded).collect();
            self.transfer.copy((&first, &vec![0; ids.len()]), (arena, &ids), &ranges)?;
        }
        Ok(())
    }

    /// Writes the state of `data` and the model's values of per-world fields to a world.
    pub(super) fn fill_world(&self, arena: &Arena, world: u32, data: &Data) -> Result<()> {
        let layout = &self.program.layout;
        let per_world = |s: &Slot| s.space == AddressSpace::World && s.field.role == Role::Constant;
        let state = |s: &Slot| s.field.role.is_state() || s.field.role == Role::Task;
        let slots: Vec<&Slot> = layout.slots().filter(|s| (state(s) || per_world(s)) && s.len > 0).collect();
        let worlds = [world];
        let regions: Vec<Region<'_>> =
            slots.iter().map(|slot| Region::of_field(arena, slot, &worlds)).collect();
        let values = |slot: &Slot| {
            let values = data.get(slot.field.name).or_else(|| self.program.model.get(slot.field.name));
            bits(slot.field.elem, &values.map(|v| v.to_f64()).unwrap_or_default())
        };
        let rows: Vec<Vec<u32>> = slots.iter().map(|slot| values(slot)).collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        self.transfer.write(&regions, &rows)
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
        // the state, fields that are carried from step to step, and zeros for results
        let layout = &self.program.layout;
        let copied = layout.slots().filter(|s| s.field.role.is_state() || s.field.traits.carried);
        let copied = copied.map(ElementRange::of);
        let ranges: Vec<ElementRange> = copied.chain(ElementRange::zeroed(layout)).collect();
        for part in self.by_arena(worlds) {
            let sources: Vec<u32> = part.rows.iter().map(|r| initial_world(keys[*r])).collect();
            self.transfer.copy((&initial, &sources), (part.arena, &part.ids), &ranges)?;
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
            self.fill_world(&arena, initial_world(key), &data)?;
        }
        Ok(arena)
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

/// The world of `GpuBatch::initial` with the initial state, or with a keyframe.
fn initial_world(key: Option<usize>) -> u32 {
    u32::try_from(key.map_or(0, |k| k + 1)).unwrap_or(0)
}
