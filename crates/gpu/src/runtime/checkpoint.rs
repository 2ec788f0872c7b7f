//! Checkpoints: a copy of the state of all worlds on the device, to which they can return, or which a batch with other
//! capacities takes over.

use super::batch::GpuBatch;
use super::narrow_rows::RANGES;
use super::transfer::{ElementRange, Region};
use crate::codegen::layout::{AddressSpace, Slot};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::{Elem, Role};

/// The state of all worlds on the host, for a batch of the same model with other capacities: words of each region,
/// arena by arena.
#[derive(Debug)]
pub struct Checkpoint(Vec<Vec<u32>>);

impl GpuBatch {
    /// Copies what the next step begins with to a checkpoint on the device, in place of the last one; where trees
    /// sleep, all results as well.
    ///
    /// # Errors
    /// [`Error::Device`] if memory is insufficient or the device is lost.
    pub fn checkpoint(&mut self) -> Result<()> {
        self.reserve_checkpoint()?;
        self.transfer.checkpoint(&self.checkpoint_regions(), &self.checkpoint_buffers)
    }

    /// Makes the buffers of a checkpoint, where there are none.
    ///
    /// # Errors
    /// [`Error::Device`] if memory is insufficient.
    pub fn reserve_checkpoint(&mut self) -> Result<()> {
        let regions = self.checkpoint_regions();
        if self.checkpoint_buffers.len() != regions.len() {
            let buffers = self.transfer.checkpoint_buffers(&regions)?;
            self.checkpoint_buffers = buffers;
        }
        Ok(())
    }

    /// The checkpoint, on the host; empty without one.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn read_checkpoint(&self) -> Result<Checkpoint> {
        let lengths = self.checkpoint_regions().into_iter().map(|region| region.words());
        let buffers = self.checkpoint_buffers.iter().zip(lengths);
        let words = buffers.map(|(buffer, words)| self.transfer.read_buffer(buffer, words));
        Ok(Checkpoint(words.collect::<Result<_>>()?))
    }

    /// Writes a checkpoint of a batch of the same model and number of worlds to the worlds.
    ///
    /// # Errors
    /// [`Error::Argument`] for another model, [`Error::Device`] for a lost device.
    pub fn restore(&mut self, checkpoint: Checkpoint) -> Result<()> {
        let regions = self.checkpoint_regions();
        // ranges of elements, each in every arena; arenas of the other batch may hold other numbers of worlds
        let ranges = regions.len() / self.arenas.len().max(1);
        let words: usize = regions.iter().map(Region::words).sum();
        if checkpoint.0.iter().map(Vec::len).sum::<usize>() != words || ranges == 0 {
            return Err(Error::Argument("the state that was kept is of another model".to_owned()));
        }
        let mut of_range: Vec<Vec<u32>> = vec![Vec::new(); ranges];
        checkpoint.0.into_iter().enumerate().for_each(|(k, words)| of_range[k % ranges].extend(words));
        let mut of_range: Vec<std::vec::IntoIter<u32>> = of_range.into_iter().map(Vec::into_iter).collect();
        let of_region = |(k, region): (usize, &Region<'_>)| -> Vec<u32> {
            of_range[k % ranges].by_ref().take(region.words()).collect()
        };
        let words: Vec<Vec<u32>> = regions.iter().enumerate().map(of_region).collect();
        let words: Vec<&[u32]> = words.iter().map(Vec::as_slice).collect();
        self.clear_step_outputs();
        self.transfer.write(&regions, &words)
    }

    /// What a checkpoint holds, arena by arena: the fields that outlast a step, which come first in an arena; where
    /// trees sleep, each of them by itself, and every real result.
    pub(super) fn checkpoint_regions(&self) -> Vec<Region<'_>> {
        let slots = self.program.layout.slots().filter(|slot| {
            slot.space == AddressSpace::World && slot.field.role != Role::Constant && slot.len > 0
        });
        let lasts = |slot: &&Slot| slot.field.outlasts_a_step();
        let ranges: Vec<ElementRange> = if self.program.model.has_sleep() {
            // rows of the Jacobian are results, and say nothing without their ranges
            let real = |slot: &&Slot| {
                (slot.field.is_result() && slot.field.elem == Elem::Real) || RANGES.contains(&slot.field.name)
            };
            slots.filter(|slot| lasts(slot) || real(slot)).map(ElementRange::of).collect()
        } else {
            let (reals, ints): (Vec<&Slot>, Vec<&Slot>) =
                slots.filter(lasts).partition(|slot| slot.field.elem == Elem::Real);
            [reals, ints].into_iter().filter_map(|slots| ElementRange::around(slots.into_iter())).collect()
        };
        let of_arena = |arena| ranges.iter().map(move |range| Region::of_all_worlds(arena, *range));
        self.arenas.iter().flat_map(of_arena).collect()
    }
}
