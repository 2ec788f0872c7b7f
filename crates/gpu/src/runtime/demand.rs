//! What worlds have asked for: the most contacts and constraint rows of any of them, by which a batch with larger
//! capacities is made, and the most steps that any of them owes.

use super::batch::GpuBatch;
use super::transfer::{ElementRange, Region};
use crate::codegen::layout::Slot;
use manyworlds_model::error::Result;
use manyworlds_model::schema::Demand;

/// The field with the steps that a world owes.
pub(super) const OWED: &str = "step_owed";

/// The fields whose largest numbers are the demand: contacts, constraint rows, and steps that are owed.
pub(super) const DEMANDS: [&str; 3] = ["ncon_peak", "nefc_peak", OWED];

/// Notes the largest of the numbers of a field.
pub(super) fn note(demand: &mut Demand, field: &str, words: &[u32]) {
    let most = words.iter().map(|w| w.cast_signed().max(0) as usize).max().unwrap_or(0);
    match DEMANDS.iter().position(|name| *name == field) {
        Some(0) => demand.capacity.nconmax = most,
        Some(1) => demand.capacity.njmax = most,
        _ => demand.owed_steps = most,
    }
}

impl GpuBatch {
    /// Starts to read the demand after the steps so far. While an earlier one is on its way, [`GpuBatch::demand`] reads
    /// a new one.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) for a lost device.
    pub fn request_demand(&mut self) -> Result<()> {
        self.pending_demand.is_outdated = self.pending_demand.readback.is_pending();
        if self.pending_demand.is_outdated {
            return Ok(());
        }
        let slots: Vec<&Slot> = DEMANDS.iter().filter_map(|name| self.slot(name).ok()).collect();
        let of_slot = |slot| {
            let range = ElementRange::of(slot);
            self.arenas.iter().map(move |arena| Region::of_all_worlds(arena, range))
        };
        let regions: Vec<Region<'_>> = slots.into_iter().flat_map(of_slot).collect();
        if !regions.is_empty() {
            let readback = self.transfer.start_maximum(&regions)?;
            self.pending_demand.readback.put(readback);
        }
        Ok(())
    }

    /// Lets [`GpuBatch::demand`] read the demand.
    pub fn postpone_demand(&mut self) {
        self.pending_demand.is_outdated = true;
    }

    /// The demand; waits for the steps before. Zero for what kernels do not count.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) for a lost device.
    pub fn demand(&mut self) -> Result<Demand> {
        let mut words = Vec::new();
        if let Some(readback) = self.pending_demand.readback.take() {
            words = self.transfer.finish(readback)?;
        }
        if self.pending_demand.is_outdated {
            self.request_demand()?;
            if let Some(readback) = self.pending_demand.readback.take() {
                words = self.transfer.finish(readback)?;
            }
        }
        let counted: Vec<&str> = DEMANDS.into_iter().filter(|name| self.slot(name).is_ok()).collect();
        let each = (words.len() / counted.len().max(1)).max(1);
        let mut demand = Demand::default();
        counted.iter().zip(words.chunks(each)).for_each(|(name, words)| note(&mut demand, name, words));
        Ok(demand)
    }
}
