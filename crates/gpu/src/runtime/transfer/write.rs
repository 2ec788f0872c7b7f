//! Writing: the host sends packed fields, which are scattered to their regions.

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
}
