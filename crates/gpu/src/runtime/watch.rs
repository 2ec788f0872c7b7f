//! What a batch keeps on the device, so that calls can be made again in one with larger capacities, and what it looks for
//! after them.

use super::batch::GpuBatch;
use super::buffers::Arena;
use super::transfer::{Part, Place};
use crate::codegen::layout::{AddressSpace, Slot};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::data::Capacity;
use manyworlds_model::schema::{Elem, Role};

/// Steps that a world owes.
pub(super) const OWED: &str = "step_owed";

/// Of what a batch looks for the largest numbers: what worlds have wanted, and what they owe.
pub(super) const WATCHED: [&str; 3] = ["ncon_peak", "nefc_peak", OWED];

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
        self.transfer.keep(&self.gpu, &self.program.layout, &self.lasting(), &self.watch.kept)
    }

    /// Makes buffers for a copy of what the next step begins with, where there are none.
    ///
    /// # Errors
    /// [`Error::Device`] if memory is insufficient.
    pub fn make_room(&mut self) -> Result<()> {
        let places = self.lasting();
        if self.watch.kept.len() != places.len() {
            let kept = self.transfer.room_for(&self.gpu, &places)?;
            self.watch.kept = kept;
        }
        Ok(())
    }

    /// The copy, on the host.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn kept(&self) -> Result<Kept> {
        let lengths = self.lasting().into_iter().map(|place| place.words());
        let read =
            |(buffer, words): (&wgpu::Buffer, usize)| self.transfer.read_buffer(&self.gpu, buffer, words);
        Ok(Kept(self.watch.kept.iter().zip(lengths).map(read).collect::<Result<_>>()?))
    }

    /// Writes the copy of a batch of the same model and number of worlds.
    ///
    /// # Errors
    /// [`Error::Argument`] for another model, [`Error::Device`] for a lost device.
    pub fn put_kept(&mut self, kept: Kept) -> Result<()> {
        let places = self.lasting();
        // arenas may hold other numbers of worlds
        let parts = places.len() / self.arenas.len().max(1);
        let words: usize = places.iter().map(Place::words).sum();
        if kept.0.iter().map(Vec::len).sum::<usize>() != words || parts == 0 {
            return Err(Error::Argument("the state that was kept is of another model".to_owned()));
        }
        let mut joined: Vec<Vec<u32>> = vec![Vec::new(); parts];
        kept.0.into_iter().enumerate().for_each(|(k, rows)| joined[k % parts].extend(rows));
        let mut joined: Vec<std::vec::IntoIter<u32>> = joined.into_iter().map(Vec::into_iter).collect();
        let rows: Vec<Vec<u32>> = places
            .iter()
            .enumerate()
            .map(|(k, p)| joined[k % parts].by_ref().take(p.words()).collect())
            .collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        self.clear_step_outputs();
        self.transfer.write(&self.gpu, &self.program.layout, &places, &rows)
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
        let places = slots.iter().flat_map(|slot| self.arenas.iter().map(|arena| all(arena, Part::of(slot))));
        let places: Vec<Place<'_>> = places.collect();
        if !places.is_empty() {
            let pending = self.transfer.most_later(&self.gpu, &self.program.layout, &places)?;
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
            words = self.transfer.finish(&self.gpu, pending)?;
        }
        if self.watch.later {
            self.watch()?;
            if let Some(pending) = self.watch.peaks.take() {
                words = self.transfer.finish(&self.gpu, pending)?;
            }
        }
        let kept: Vec<&str> = WATCHED.into_iter().filter(|name| self.slot(name).is_ok()).collect();
        let each = (words.len() / kept.len().max(1)).max(1);
        let mut wanted = Wanted::default();
        kept.iter().zip(words.chunks(each)).for_each(|(name, words)| wanted.note(name, words));
        Ok(wanted)
    }

    /// What outlasts a step, arena by arena: these fields come first; where trees sleep, every real field by itself.
    pub(super) fn lasting(&self) -> Vec<Place<'_>> {
        let layout = &self.program.layout;
        let here = |s: &&Slot| s.space == AddressSpace::World && s.field.role != Role::Constant && s.len > 0;
        let lasts = |s: &&Slot| s.field.outlasts_a_step();
        let parts: Vec<Part> = if self.program.model.has_sleep() {
            let real = |s: &&Slot| s.field.is_result() && s.field.elem == Elem::Real;
            layout.slots().filter(here).filter(|s| lasts(s) || real(s)).map(Part::of).collect()
        } else {
            let of =
                |elem: Elem| layout.slots().filter(here).filter(lasts).filter(move |s| s.field.elem == elem);
            [Elem::Real, Elem::Int].into_iter().filter_map(|elem| Part::around(of(elem))).collect()
        };
        self.arenas
            .iter()
            .flat_map(|arena| parts.iter().map(|part| all(arena, *part)).collect::<Vec<_>>())
            .collect()
    }
}

/// A part of all worlds of an arena.
fn all(arena: &Arena, part: Part) -> Place<'_> {
    Place { arena, part, worlds: &arena.ids }
}
