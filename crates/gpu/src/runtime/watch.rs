//! What a batch keeps on the device, so that calls can be made again in one with larger capacities, and what it looks for
//! after them.

use super::batch::GpuBatch;
use super::transfer::{ElementRange, ReadbackSlot, Region};
use crate::codegen::layout::{AddressSpace, Slot};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::data::Capacity;
use manyworlds_model::schema::{Elem, Role};

/// Steps that a world owes.
pub(super) const OWED: &str = "step_owed";

/// Of what a batch looks for the largest numbers: what worlds have wanted, and what they owe.
pub(super) const WATCHED: [&str; 3] = ["ncon_peak", "nefc_peak", OWED];

/// Copies of the state, and what is looked for.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// A buffer for each part of each arena.
    pub(crate) kept: Vec<wgpu::Buffer>,
    /// The largest numbers that were wanted.
    pub(crate) peaks: ReadbackSlot,
    /// True if worlds have changed since the look that is on its way.
    pub(crate) later: bool,
}

/// What worlds have wanted so far, and what they owe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The most contacts and constraint rows.
    pub capacity: Capacity,
    /// The most steps that a world owes.
    pub steps: usize,
}

impl Wanted {
    /// Notes the largest of the numbers of a watched field.
    pub(super) fn note(&mut self, field: &str, words: &[u32]) {
        let most = words.iter().map(|w| w.cast_signed().max(0) as usize).max().unwrap_or(0);
        match WATCHED.iter().position(|name| *name == field) {
            Some(0) => self.capacity.nconmax = most,
            Some(1) => self.capacity.njmax = most,
            _ => self.steps = most,
        }
    }
}

/// The state of all worlds on the host, for a batch of the same model with other capacities.
#[derive(Debug)]
pub struct Kept(Vec<Vec<u32>>);

impl GpuBatch {
    /// Keeps a copy of what the next step begins with on the device; where trees sleep, of all results.
    ///
    /// # Errors
    /// [`Error::Device`] if memory is insufficient or the device is lost.
    pub fn keep(&mut self) -> Result<()> {
        self.make_room()?;
        self.transfer.checkpoint(&self.lasting(), &self.watch.kept)
    }

    /// Makes buffers for a copy of what the next step begins with, where there are none.
    ///
    /// # Errors
    /// [`Error::Device`] if memory is insufficient.
    pub fn make_room(&mut self) -> Result<()> {
        let regions = self.lasting();
        if self.watch.kept.len() != regions.len() {
            let kept = self.transfer.checkpoint_buffers(&regions)?;
            self.watch.kept = kept;
        }
        Ok(())
    }

    /// The copy, on the host.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn kept(&self) -> Result<Kept> {
        let lengths = self.lasting().into_iter().map(|region| region.words());
        let read = |(buffer, words): (&wgpu::Buffer, usize)| self.transfer.read_buffer(buffer, words);
        Ok(Kept(self.watch.kept.iter().zip(lengths).map(read).collect::<Result<_>>()?))
    }

    /// Writes the copy of a batch of the same model and number of worlds.
    ///
    /// # Errors
    /// [`Error::Argument`] for another model, [`Error::Device`] for a lost device.
    pub fn put_kept(&mut self, kept: Kept) -> Result<()> {
        let regions = self.lasting();
        // arenas may hold other numbers of worlds
        let parts = regions.len() / self.arenas.len().max(1);
        let words: usize = regions.iter().map(Region::words).sum();
        if kept.0.iter().map(Vec::len).sum::<usize>() != words || parts == 0 {
            return Err(Error::Argument("the state that was kept is of another model".to_owned()));
        }
        let mut joined: Vec<Vec<u32>> = vec![Vec::new(); parts];
        kept.0.into_iter().enumerate().for_each(|(k, rows)| joined[k % parts].extend(rows));
        let mut joined: Vec<std::vec::IntoIter<u32>> = joined.into_iter().map(Vec::into_iter).collect();
        let rows: Vec<Vec<u32>> = regions
            .iter()
            .enumerate()
            .map(|(k, p)| joined[k % parts].by_ref().take(p.words()).collect())
            .collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        self.clear_step_outputs();
        self.transfer.write(&regions, &rows)
    }

    /// Starts to look for the largest numbers of contacts and constraint rows that worlds have wanted so far, and of steps
    /// that they owe.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn watch(&mut self) -> Result<()> {
        // one look at a time: a later one is taken when the numbers are asked for
        if self.watch.peaks.is_pending() {
            self.watch.later = true;
            return Ok(());
        }
        self.watch.later = false;
        let slots: Vec<&Slot> = WATCHED.iter().filter_map(|name| self.slot(name).ok()).collect();
        let of_slot = |slot| {
            let range = ElementRange::of(slot);
            self.arenas.iter().map(move |arena| Region::of_all_worlds(arena, range))
        };
        let regions: Vec<Region<'_>> = slots.into_iter().flat_map(of_slot).collect();
        if !regions.is_empty() {
            let pending = self.transfer.start_maximum(&regions)?;
            self.watch.peaks.put(pending);
        }
        Ok(())
    }

    /// Lets [`GpuBatch::wanted`] look for them.
    pub fn watch_later(&mut self) {
        self.watch.later = true;
    }

    /// Those numbers; waits for the steps before. Zero for what kernels do not count.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn wanted(&mut self) -> Result<Wanted> {
        let mut words = Vec::new();
        if let Some(pending) = self.watch.peaks.take() {
            words = self.transfer.finish(pending)?;
        }
        if self.watch.later {
            self.watch()?;
            if let Some(pending) = self.watch.peaks.take() {
                words = self.transfer.finish(pending)?;
            }
        }
        let kept: Vec<&str> = WATCHED.into_iter().filter(|name| self.slot(name).is_ok()).collect();
        let each = (words.len() / kept.len().max(1)).max(1);
        let mut wanted = Wanted::default();
        kept.iter().zip(words.chunks(each)).for_each(|(name, words)| wanted.note(name, words));
        Ok(wanted)
    }

    /// What outlasts a step, arena by arena: these fields come first; where trees sleep, every real field by itself.
    pub(super) fn lasting(&self) -> Vec<Region<'_>> {
        let layout = &self.program.layout;
        let here = |s: &&Slot| s.space == AddressSpace::World && s.field.role != Role::Constant && s.len > 0;
        let lasts = |s: &&Slot| s.field.outlasts_a_step();
        let ranges: Vec<ElementRange> = if self.program.model.has_sleep() {
            let real = |s: &&Slot| s.field.is_result() && s.field.elem == Elem::Real;
            layout.slots().filter(here).filter(|s| lasts(s) || real(s)).map(ElementRange::of).collect()
        } else {
            let of =
                |elem: Elem| layout.slots().filter(here).filter(lasts).filter(move |s| s.field.elem == elem);
            [Elem::Real, Elem::Int].into_iter().filter_map(|elem| ElementRange::around(of(elem))).collect()
        };
        let of_arena = |arena| ranges.iter().map(move |range| Region::of_all_worlds(arena, *range));
        self.arenas.iter().flat_map(of_arena).collect()
    }
}
