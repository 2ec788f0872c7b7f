//! Copies that stay on the device: from world to world, and from arenas to buffers of checkpoints.

use super::job::Jobs;
use super::pool::PACKED;
use super::{ElementRange, Region, Transfer};
use crate::runtime::buffers::{Arena, buffer};
use manyworlds_model::error::Result;

impl Transfer {
    /// Copies ranges of elements from worlds of one arena to worlds of another; both lists have the same length.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if memory is insufficient or the device is lost.
    pub(crate) fn copy(
        &self,
        (from, sources): (&Arena, &[u32]),
        (to, worlds): (&Arena, &[u32]),
        ranges: &[ElementRange],
    ) -> Result<()> {
        self.gpu.check_not_lost()?;
        let mut jobs = Jobs::from_worlds(sources);
        for elements in ranges.iter().filter(|range| range.len > 0 && !worlds.is_empty()) {
            let (source, _) = self.buffer_of(from, elements.elem);
            jobs.add(self, Region { arena: to, elements: *elements, worlds }, 0, Some(source))?;
        }
        let mut pool = self.pool()?;
        self.submit(&mut pool, &self.copy, &jobs)?;
        pool.drop_foreign_bind_groups();
        self.gpu.check_not_lost()
    }

    /// A buffer for a copy of each region.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if memory is insufficient.
    pub(crate) fn checkpoint_buffers(&self, regions: &[Region<'_>]) -> Result<Vec<wgpu::Buffer>> {
        let device = self.gpu.device();
        self.gpu.checked("a copy of the state", || {
            regions.iter().map(|region| buffer(device, "checkpoint", region.words(), PACKED)).collect()
        })
    }

    /// Copies each region to a buffer of its own, `[world, element]`.
    ///
    /// # Errors
    /// As [`Transfer::copy`].
    pub(crate) fn checkpoint(&self, regions: &[Region<'_>], buffers: &[wgpu::Buffer]) -> Result<()> {
        self.gpu.check_not_lost()?;
        let mut jobs = Jobs::default();
        for (region, buffer) in regions.iter().zip(buffers) {
            jobs.add(self, *region, 0, Some(buffer))?;
        }
        let mut pool = self.pool()?;
        self.submit(&mut pool, &self.gather, &jobs)
    }
}
