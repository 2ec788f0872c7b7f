//! Timestamps of a device: when passes begin and end.

use super::buffers::buffer;
use super::device::Gpu;
use manyworlds_model::error::{Error, Result};

/// Queries of when some passes begin and end, and the buffers through which the host reads them.
#[derive(Debug)]
pub(crate) struct Timestamps {
    queries: wgpu::QuerySet,
    count: u32,
    resolved: wgpu::Buffer,
    host: wgpu::Buffer,
}

impl Timestamps {
    /// Timestamps of some passes, on a device that has them.
    pub(crate) fn new(gpu: &Gpu, passes: usize) -> Self {
        let count = u32::try_from(2 * passes).unwrap_or(u32::MAX);
        let queries = gpu.device().create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        // 64 bits each
        let words = 2 * count as usize;
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let resolved = buffer(gpu.device(), "ticks", words, usage);
        let host = buffer(gpu.device(), "ticks", words, wgpu::BufferUsages::MAP_READ);
        Self { queries, count, resolved, host }
    }

    /// What a pass writes when it begins and ends.
    pub(crate) fn of_pass(&self, pass: u32) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * pass),
            end_of_pass_write_index: Some(2 * pass + 1),
        }
    }

    /// Encodes the copy of the timestamps to the host, after the passes.
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..self.count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.host, 0, 8 * u64::from(self.count));
    }

    /// Waits for the device, and returns how long each pass took, in ticks; `None` where it ended before it began.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub(crate) fn read(&self, gpu: &Gpu) -> Result<Vec<Option<u64>>> {
        self.host.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        gpu.wait()?;
        let ticks: Vec<u64> = match self.host.slice(..).get_mapped_range() {
            Ok(view) => bytemuck::pod_collect_to_vec(&view),
            Err(e) => return Err(Error::device_from("reading timestamps failed", e)),
        };
        self.host.unmap();
        Ok(ticks.chunks_exact(2).map(|pair| pair[1].checked_sub(pair[0])).collect())
    }
}
