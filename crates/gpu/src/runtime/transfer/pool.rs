//! Buffers of transfers, which grow as needed, and the bind groups that hold them.

use super::job::{Job, TransferJob};
use super::{MAX_PACKED_WORDS, Readback, TransferStats};
use crate::runtime::buffers::buffer;
use crate::runtime::device::Gpu;
use encase::ShaderType;
use manyworlds_model::error::Result;

/// Words of the smallest buffers.
const MIN_WORDS: usize = 1 << 10;

/// Most bind groups, and most host buffers, that are cached.
const MAX_CACHED: usize = 16;

/// Usage of the buffers for packed fields.
pub(super) const PACKED: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC);

/// The buffers, the bind groups, and what has been copied so far.
#[derive(Debug)]
pub(super) struct Pool {
    /// Packed fields on their way to the host or from it.
    pub(super) packed: wgpu::Buffer,
    /// Fields that a list of commands has read.
    pub(super) records: wgpu::Buffer,
    worlds: wgpu::Buffer,
    jobs: wgpu::Buffer,
    /// Bind groups by the arena's buffer and the other one.
    bind_groups: Vec<(wgpu::Buffer, wgpu::Buffer, wgpu::BindGroup)>,
    /// Buffers from which the host has read.
    hosts: Vec<wgpu::Buffer>,
    pub(super) stats: TransferStats,
}

impl Pool {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let smallest = |label, usage| buffer(gpu.device(), label, MIN_WORDS, usage);
        Self {
            packed: smallest("packed", PACKED),
            records: smallest("records", PACKED),
            worlds: smallest("worlds", wgpu::BufferUsages::STORAGE),
            jobs: smallest("jobs", wgpu::BufferUsages::UNIFORM),
            bind_groups: Vec::new(),
            hosts: Vec::new(),
            stats: TransferStats::default(),
        }
    }

    /// Lets the packed buffer hold `words` words at least.
    pub(super) fn reserve_packed(&mut self, gpu: &Gpu, words: usize) -> Result<()> {
        let is_new = gpu.checked("packed fields", || enlarge(gpu, &mut self.packed, "packed", words, PACKED));
        self.clear_bind_groups_if(is_new?);
        Ok(())
    }

    /// Lets the buffer of records hold `words` words at least.
    pub(super) fn reserve_records(&mut self, gpu: &Gpu, words: usize) -> Result<()> {
        let is_new = gpu.checked("records", || enlarge(gpu, &mut self.records, "records", words, PACKED));
        self.clear_bind_groups_if(is_new?);
        Ok(())
    }

    /// Drops a buffer of records that is larger than the packed one ever is.
    pub(super) fn shrink_records(&mut self, gpu: &Gpu) {
        if self.records.size() > 4 * MAX_PACKED_WORDS as u64 {
            self.records = buffer(gpu.device(), "records", MIN_WORDS, PACKED);
            self.drop_foreign_bind_groups();
        }
    }

    /// Sends packed fields to the device.
    pub(super) fn write_packed(&mut self, gpu: &Gpu, words: &[u32]) {
        gpu.queue().write_buffer(&self.packed, 0, bytemuck::cast_slice(words));
        self.stats.to_device += 4 * words.len() as u64;
    }

    /// Sends jobs and the ids of their worlds to the device.
    pub(super) fn write_jobs(&mut self, gpu: &Gpu, uniforms: &[u8], ids: &[u32]) {
        let (storage, uniform) = (wgpu::BufferUsages::STORAGE, wgpu::BufferUsages::UNIFORM);
        let new_worlds = enlarge(gpu, &mut self.worlds, "worlds", ids.len(), storage);
        let new_jobs = enlarge(gpu, &mut self.jobs, "jobs", uniforms.len().div_ceil(4), uniform);
        self.clear_bind_groups_if(new_worlds || new_jobs);
        if !ids.is_empty() {
            gpu.queue().write_buffer(&self.worlds, 0, bytemuck::cast_slice(ids));
        }
        gpu.queue().write_buffer(&self.jobs, 0, uniforms);
        self.stats.to_device += 4 * ids.len() as u64 + uniforms.len() as u64;
    }

    /// Submits what is encoded.
    pub(super) fn submit(&mut self, gpu: &Gpu, encoder: wgpu::CommandEncoder) -> wgpu::SubmissionIndex {
        self.stats.submissions += 1;
        gpu.queue().submit([encoder.finish()])
    }

    /// Submits what is encoded, then a copy of `words` words of a buffer to the host, from `first` on.
    pub(super) fn submit_readback(
        &mut self,
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        from: &wgpu::Buffer,
        first: usize,
        words: usize,
    ) -> Result<Readback> {
        let host = self.host(gpu, words)?;
        if words > 0 {
            encoder.copy_buffer_to_buffer(from, 4 * first as u64, &host, 0, 4 * words as u64);
        }
        let submission = self.submit(gpu, encoder);
        self.stats.to_host += 4 * words as u64;
        Ok(Readback::new(host, words, submission))
    }

    /// A buffer for the host to read from: the smallest that is there and large enough, or a new one.
    fn host(&mut self, gpu: &Gpu, words: usize) -> Result<wgpu::Buffer> {
        let size = 4 * words as u64;
        let fits = self.hosts.iter().enumerate().filter(|(_, host)| host.size() >= size);
        let smallest = fits.min_by_key(|(_, host)| host.size()).map(|(k, _)| k);
        if let Some(k) = smallest {
            return Ok(self.hosts.swap_remove(k));
        }
        let words = words.max(MIN_WORDS).next_power_of_two();
        gpu.checked("reading fields", || buffer(gpu.device(), "read", words, wgpu::BufferUsages::MAP_READ))
    }

    /// Takes back a buffer from which the host has read.
    pub(super) fn return_host(&mut self, host: wgpu::Buffer) {
        if self.hosts.len() < MAX_CACHED {
            self.hosts.push(host);
        }
    }

    /// Bind group of a job.
    pub(super) fn bind_group(
        &mut self,
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        job: &Job<'_>,
    ) -> wgpu::BindGroup {
        let other = job.other.unwrap_or(&self.packed);
        let known = self.bind_groups.iter().find(|(a, b, _)| a == job.arena && b == other);
        if let Some((_, _, bind)) = known {
            return bind.clone();
        }
        let jobs = wgpu::BufferBinding { buffer: &self.jobs, offset: 0, size: Some(TransferJob::min_size()) };
        let resources = [
            job.arena.as_entire_binding(),
            other.as_entire_binding(),
            self.worlds.as_entire_binding(),
            wgpu::BindingResource::Buffer(jobs),
        ];
        let bind = gpu.bind_group("transfer", layout, resources);
        if self.bind_groups.len() >= MAX_CACHED {
            self.bind_groups.remove(0);
        }
        self.bind_groups.push((job.arena.clone(), other.clone(), bind.clone()));
        bind
    }

    fn clear_bind_groups_if(&mut self, buffer_is_new: bool) {
        if buffer_is_new {
            self.bind_groups.clear();
        }
    }

    /// Drops the bind groups that hold a buffer which is not the pool's.
    pub(super) fn drop_bind_groups_with(&mut self, buffer: &wgpu::Buffer) {
        self.bind_groups.retain(|(_, other, _)| other != buffer);
    }

    /// Drops the bind groups that hold anything but a buffer of the pool beside an arena, so that they keep no arena
    /// alive that comes and goes.
    pub(super) fn drop_foreign_bind_groups(&mut self) {
        let Self { packed, records, bind_groups, .. } = self;
        bind_groups.retain(|(_, other, _)| other == packed || other == records);
    }
}

/// Replaces a buffer that has fewer words than needed by a larger one; true if it did.
fn enlarge(gpu: &Gpu, old: &mut wgpu::Buffer, label: &str, words: usize, usage: wgpu::BufferUsages) -> bool {
    let is_small = old.size() < 4 * words as u64;
    if is_small {
        // a very large one gets no reserve
        let words = if words > MAX_PACKED_WORDS { words } else { words.next_power_of_two() };
        *old = buffer(gpu.device(), label, words, usage);
    }
    is_small
}
