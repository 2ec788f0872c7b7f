//! Fields of worlds by name: read and written from the host.

use super::batch::GpuBatch;
use super::buffers::Arena;
use super::device::Gpu;
use super::narrow_rows::{RANGES, RangesReadback};
use super::transfer::{Readback, Region};
use crate::codegen::layout::{AddressSpace, Slot};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::{Elem, NumbersRef};

/// Bits of a poisoned element: NaN, or an absurd integer.
const POISON: u32 = 0x7fc0_0000;

/// A field on its way from the device.
#[derive(Debug)]
pub struct FieldReadback {
    gpu: Gpu,
    pending: Vec<Readback>,
    elem: Elem,
    /// For rows of the Jacobian that kernels keep without what lies outside of their trees.
    ranges: Option<RangesReadback>,
}

impl FieldReadback {
    /// The numbers, `[world, …]` in the order of the worlds.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn wait(self) -> Result<Vec<f64>> {
        let mut words = Vec::new();
        for pending in self.pending {
            words.extend(pending.wait(&self.gpu)?);
        }
        if let Some(ranges) = self.ranges {
            words = ranges.wait(&self.gpu, &words)?;
        }
        Ok(words.into_iter().map(|w| number(self.elem, w)).collect())
    }
}

/// Those of a list of worlds that an arena holds.
pub(super) struct ArenaWorlds<'a> {
    pub(super) arena: &'a Arena,
    /// Their numbers, counted from the first world of the arena.
    pub(super) ids: Vec<u32>,
    /// Their places in the list.
    pub(super) rows: Vec<usize>,
}

impl ArenaWorlds<'_> {
    /// A field of these worlds.
    pub(super) fn region(&self, slot: &Slot) -> Region<'_> {
        Region::of_field(self.arena, slot, &self.ids)
    }
}

impl GpuBatch {
    /// Where the worlds' arena has a field.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that is not there, with the reason.
    pub(super) fn slot(&self, field: &str) -> Result<&Slot> {
        match self.program.layout.slot(field) {
            Some(slot) if slot.space == AddressSpace::World => Ok(slot),
            Some(slot) if matches!(slot.space, AddressSpace::Register | AddressSpace::Workgroup) => {
                Err(Error::Argument(format!(
                    "'{field}' is work space of the kernels: with this placement nothing of it is left to read"
                )))
            }
            Some(_) => {
                Err(Error::Argument(format!("'{field}' is a field of the model: the same for all worlds")))
            }
            None => Err(Error::Argument(format!(
                "'{field}' is not a Data field that the kernels of this model compute"
            ))),
        }
    }

    /// True if the kernels of this model store a Data field.
    pub fn has(&self, field: &str) -> bool {
        self.slot(field).is_ok()
    }

    /// A field of all worlds, `[world, …]` row-major; integers as numbers.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, [`Error::Device`] for a lost device.
    pub fn get(&self, field: &str) -> Result<Vec<f64>> {
        let all: Vec<usize> = (0..self.worlds).collect();
        Ok(self.get_worlds(&[field], &all)?.pop().unwrap_or_default())
    }

    /// Fields of the given worlds in ascending order, `[field][world, …]`, gathered on the device and copied at once.
    ///
    /// # Errors
    /// As [`GpuBatch::get`].
    pub fn get_worlds(&self, fields: &[&str], worlds: &[usize]) -> Result<Vec<Vec<f64>>> {
        let all = fields.iter().zip(self.get_words(fields, worlds)?);
        all.map(|(field, words)| {
            let elem = self.slot(field)?.field.elem;
            Ok(words.into_iter().map(|w| number(elem, w)).collect())
        })
        .collect()
    }

    /// As [`GpuBatch::get_worlds`], as bits: of single-precision numbers or of 32-bit integers.
    ///
    /// # Errors
    /// As [`GpuBatch::get`].
    pub fn get_words(&self, fields: &[&str], worlds: &[usize]) -> Result<Vec<Vec<u32>>> {
        self.check_worlds(worlds)?;
        let slots = fields.iter().map(|field| self.slot(field)).collect::<Result<Vec<_>>>()?;
        let parts = self.by_arena(worlds);
        let regions: Vec<Region<'_>> =
            slots.iter().flat_map(|slot| parts.iter().map(|part| part.region(slot))).collect();
        let mut words = self.transfer.read(&regions)?.into_iter();
        let joined = slots.iter().map(|_| {
            // what one arena holds is not copied again
            let mut of_field = words.next().unwrap_or_default();
            for _ in 1..parts.len() {
                of_field.extend(words.next().unwrap_or_default());
            }
            of_field
        });
        let mut joined: Vec<Vec<u32>> = joined.collect();
        for (words, _) in joined.iter_mut().zip(fields).filter(|(_, field)| self.is_narrow(field)) {
            *words = self.widen_rows(words, worlds)?;
        }
        Ok(joined)
    }

    /// Starts to read a field of the given worlds; [`FieldReadback::wait`] returns it. Steps go on meanwhile.
    ///
    /// # Errors
    /// As [`GpuBatch::get`].
    pub fn get_later(&self, field: &str, worlds: &[usize]) -> Result<FieldReadback> {
        self.check_worlds(worlds)?;
        let slot = self.slot(field)?;
        let mut pending = Vec::new();
        for part in self.by_arena(worlds) {
            pending.extend(self.transfer.start_read_in_parts(part.region(slot))?);
        }
        let ranges = if self.is_narrow(field) { Some(self.get_ranges_later(worlds)?) } else { None };
        Ok(FieldReadback { gpu: self.gpu.clone(), pending, elem: slot.field.elem, ranges })
    }

    /// The given worlds, arena by arena; arenas without any are left out.
    pub(super) fn by_arena<'a>(&'a self, worlds: &[usize]) -> Vec<ArenaWorlds<'a>> {
        let arena_worlds = |arena: &'a Arena| {
            let Arena { first, worlds: count, .. } = *arena;
            let rows: Vec<usize> =
                (0..worlds.len()).filter(|r| (first..first + count).contains(&worlds[*r])).collect();
            let ids = rows.iter().filter_map(|r| u32::try_from(worlds[*r] - first).ok()).collect();
            ArenaWorlds { arena, ids, rows }
        };
        self.arenas.iter().map(arena_worlds).filter(|part| !part.ids.is_empty()).collect()
    }

    pub(super) fn check_worlds(&self, worlds: &[usize]) -> Result<()> {
        match worlds.iter().find(|w| **w >= self.worlds) {
            Some(w) => {
                Err(Error::Argument(format!("world {w} does not exist: the batch has {}", self.worlds)))
            }
            None => Ok(()),
        }
    }

    /// Sets a Data field of all worlds from `[world, …]`.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field or a wrong number of values, [`Error::Device`] for a lost device.
    pub fn set(&mut self, field: &str, values: &[f64]) -> Result<()> {
        let worlds: Vec<usize> = (0..self.worlds).collect();
        self.set_worlds(field, &worlds, values)
    }

    /// Sets a Data field of the given worlds from `[world, …]`, rows in the order of `worlds`.
    ///
    /// # Errors
    /// As [`GpuBatch::set`], and [`Error::Argument`] for a world out of range.
    pub fn set_worlds(&mut self, field: &str, worlds: &[usize], values: &[f64]) -> Result<()> {
        self.set_fields(&[(field, NumbersRef::from(values))], worlds)
    }

    /// Sets fields of the given worlds from `[world, …]`, rows in the order of `worlds`, in one submission. Where kernels
    /// keep rows of the Jacobian without what lies outside of their trees, the numbers of the rows say what that is:
    /// ranges of degrees of freedom that are written are not taken.
    ///
    /// # Errors
    /// As [`GpuBatch::set_worlds`].
    pub fn set_fields(&mut self, fields: &[(&str, NumbersRef<'_>)], worlds: &[usize]) -> Result<()> {
        self.check_worlds(worlds)?;
        if self.has_narrow_rows()
            && fields.iter().any(|(field, _)| self.is_narrow(field) || RANGES.contains(field))
        {
            return self.set_narrow_rows(fields, worlds);
        }
        self.set_slots(fields, worlds)
    }

    /// As [`GpuBatch::set_fields`], as the kernels keep the fields.
    pub(super) fn set_slots(&mut self, fields: &[(&str, NumbersRef<'_>)], worlds: &[usize]) -> Result<()> {
        self.clear_step_outputs();
        let parts = self.by_arena(worlds);
        let (mut regions, mut rows) = (Vec::new(), Vec::new());
        for (field, values) in fields {
            let slot = self.slot(field)?;
            if values.len() != worlds.len() * slot.len {
                let (got, want) = (values.len(), worlds.len());
                let text = format!("'{field}': {got} values given, {want} x {} expected", slot.len);
                return Err(Error::Argument(text));
            }
            for part in &parts {
                let mut words = Vec::with_capacity(part.rows.len() * slot.len);
                let row = |r: &usize| values.part(r * slot.len, slot.len);
                part.rows.iter().for_each(|r| row(r).extend_words(slot.field.elem, &mut words));
                rows.push(words);
                regions.push(part.region(slot));
            }
        }
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        self.transfer.write(&regions, &rows)
    }

    /// Fills fields with NaN (integers with an absurd value), to expose elements that a kernel does not write.
    ///
    /// # Errors
    /// As [`GpuBatch::set`].
    pub fn poison(&mut self, fields: &[&str]) -> Result<()> {
        self.clear_step_outputs();
        for field in fields {
            let slot = self.slot(field)?;
            for arena in &self.arenas {
                let worlds: Vec<u32> = (0..arena.worlds).filter_map(|w| u32::try_from(w).ok()).collect();
                let bits = vec![POISON; arena.worlds * slot.len];
                self.transfer.write(&[Region::of_field(arena, slot, &worlds)], &[&bits])?;
            }
        }
        Ok(())
    }
}

#[allow(clippy::cast_possible_truncation)]
pub(super) fn bits(elem: Elem, values: &[f64]) -> Vec<u32> {
    match elem {
        Elem::Real => values.iter().map(|x| (*x as f32).to_bits()).collect(),
        Elem::Int => values.iter().map(|x| (*x as i32).cast_unsigned()).collect(),
    }
}

pub(super) fn number(elem: Elem, word: u32) -> f64 {
    match elem {
        Elem::Real => f64::from(f32::from_bits(word)),
        Elem::Int => f64::from(word.cast_signed()),
    }
}
