//! Writing: the host sends packed fields, which are scattered to their regions; or they lie in a buffer on the device.

use super::job::Jobs;
use super::region::rounds;
use super::{Region, Transfer};
use manyworlds_model::error::Result;

impl Transfer {
    /// Writes regions from bits, `[region][world, element]`, in one submission where they fit.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if memory is insufficient or the device is lost.
    pub(crate) fn write(&self, regions: &[Region<'_>], bits: &[&[u32]]) -> Result<()> {
        self.gpu.check_not_lost()?;
        for round in rounds(regions) {
            let mut jobs = Jobs::default();
            let mut packed = Vec::new();
            for (r, rows) in &round {
                let part = regions[*r].rows(rows);
                jobs.add(self, part, packed.len(), None)?;
                let len = part.elements.len;
                packed.extend_from_slice(&bits[*r][rows.start * len..rows.end * len]);
            }
            let mut pool = self.pool()?;
            pool.reserve_packed(&self.gpu, packed.len())?;
            pool.write_packed(&self.gpu, &packed);
            self.submit(&mut pool, &self.scatter, &jobs)?;
        }
        self.gpu.check_not_lost()
    }

    /// Writes regions from words of a buffer on the device, each from a word of it on.
    ///
    /// # Errors
    /// As [`Transfer::write`], and for a buffer that the driver refuses, such as one that is mapped.
    pub(crate) fn write_from(&self, buffer: &wgpu::Buffer, regions: &[(Region<'_>, usize)]) -> Result<()> {
        self.move_beside(&self.scatter, buffer, regions)
    }

    /// Writes the words of regions to a buffer on the device, each from a word of it on.
    ///
    /// # Errors
    /// As [`Transfer::write_from`].
    pub(crate) fn read_to(&self, buffer: &wgpu::Buffer, regions: &[(Region<'_>, usize)]) -> Result<()> {
        self.move_beside(&self.gather, buffer, regions)
    }

    /// Moves regions between their arenas and a buffer that is not the pool's.
    fn move_beside(
        &self,
        pipeline: &wgpu::ComputePipeline,
        buffer: &wgpu::Buffer,
        regions: &[(Region<'_>, usize)],
    ) -> Result<()> {
        self.gpu.check_not_lost()?;
        let mut jobs = Jobs::default();
        for (region, first) in regions.iter().filter(|(region, _)| region.words() > 0) {
            jobs.add(self, *region, *first, Some(buffer))?;
        }
        if jobs.list.is_empty() {
            return Ok(());
        }
        let mut pool = self.pool()?;
        let moved = self.gpu.checked("a buffer of fields", || self.submit(&mut pool, pipeline, &jobs));
        // its owner may destroy it
        pool.drop_bind_groups_with(buffer);
        moved??;
        self.gpu.check_not_lost()
    }
}
