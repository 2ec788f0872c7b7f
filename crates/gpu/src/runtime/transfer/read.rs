//! Reading: regions are gathered in the packed buffer, which is copied to the host.

use super::job::Jobs;
use super::region::rounds;
use super::{MAX_PACKED_WORDS, Readback, Region, Transfer};
use manyworlds_model::error::Result;

impl Transfer {
    /// Reads regions as bits, `[region][world, element]`.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if memory is insufficient or the device is lost.
    pub(crate) fn read(&self, regions: &[Region<'_>]) -> Result<Vec<Vec<u32>>> {
        let mut out: Vec<Vec<u32>> = regions.iter().map(|_| Vec::new()).collect();
        for round in rounds(regions) {
            let parts: Vec<Region<'_>> = round.iter().map(|(r, rows)| regions[*r].rows(rows)).collect();
            let readback = self.start_read(&parts)?;
            self.finish_with(readback, |mut words| {
                for ((region, _), part) in round.iter().zip(&parts) {
                    // rows of a region come in order, round by round
                    let (own, rest) = words.split_at(part.words());
                    out[*region].extend_from_slice(own);
                    words = rest;
                }
            })?;
        }
        Ok(out)
    }

    /// Starts to read a region, in as many readbacks as packed buffers hold it; each has the rows after those of the
    /// one before.
    ///
    /// # Errors
    /// As [`Transfer::read`].
    pub(crate) fn start_read_in_parts(&self, region: Region<'_>) -> Result<Vec<Readback>> {
        let parts = rounds(&[region]).into_iter().flatten();
        parts.map(|(_, rows)| self.start_read(&[region.rows(&rows)])).collect()
    }

    /// Starts to read regions that fit one packed buffer, in their order.
    fn start_read(&self, regions: &[Region<'_>]) -> Result<Readback> {
        self.gpu.check_not_lost()?;
        let mut jobs = Jobs::default();
        let mut words = 0;
        for region in regions {
            jobs.add(self, *region, words, None)?;
            words += region.words();
        }
        let mut pool = self.pool()?;
        pool.reserve_packed(&self.gpu, words)?;
        let mut encoder = self.encoder();
        self.encode(&mut pool, &mut encoder, &self.gather, &jobs)?;
        let packed = pool.packed.clone();
        pool.submit_readback(&self.gpu, encoder, &packed, 0, words)
    }

    /// Reads a buffer from its first word on.
    ///
    /// # Errors
    /// As [`Transfer::read`].
    pub(crate) fn read_buffer(&self, from: &wgpu::Buffer, words: usize) -> Result<Vec<u32>> {
        let mut out = Vec::with_capacity(words);
        for first in (0..words).step_by(MAX_PACKED_WORDS) {
            let part = MAX_PACKED_WORDS.min(words - first);
            let readback = self.pool()?.submit_readback(&self.gpu, self.encoder(), from, first, part)?;
            out.extend(self.finish(readback)?);
        }
        Ok(out)
    }
}
