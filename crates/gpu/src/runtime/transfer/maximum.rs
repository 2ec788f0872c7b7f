//! The largest integer of a region, for counts of which the host wants the largest only.

use super::job::{EncodedJob, Jobs};
use super::{Readback, Region, Transfer};
use manyworlds_model::error::Result;

/// Workgroups that look for the largest integer of a region, each in a share of it.
const MAXIMUM_GROUPS: usize = 64;

impl Transfer {
    /// Starts to read the largest integers of each region, one of each workgroup: `[region, MAXIMUM_GROUPS]`.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if memory is insufficient or the device is lost.
    pub(crate) fn start_maximum(&self, regions: &[Region<'_>]) -> Result<Readback> {
        const GROUPS: u32 = MAXIMUM_GROUPS as u32;
        self.gpu.check_not_lost()?;
        let mut jobs = Jobs::default();
        for (k, region) in regions.iter().enumerate() {
            jobs.add(self, *region, k * MAXIMUM_GROUPS, None)?;
        }
        jobs.set_groups(GROUPS);
        let words = regions.len() * MAXIMUM_GROUPS;
        let mut pool = self.pool()?;
        pool.reserve_packed(&self.gpu, words)?;
        let encoded = self.upload(&mut pool, &jobs)?;
        let mut encoder = self.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.maximum);
            // every workgroup writes its number, also without elements
            let all = |job: EncodedJob| EncodedJob { groups: GROUPS, ..job };
            encoded.into_iter().map(all).for_each(|job| job.dispatch(&mut pass));
        }
        let packed = pool.packed.clone();
        pool.submit_readback(&self.gpu, encoder, &packed, 0, words)
    }
}
