//! Transfer of fields between host and arenas, and between worlds on the device.
//!
//! Fields are packed on the device, so that only what is asked for is copied, several fields in one submission; buffers
//! and bind groups serve every transfer. A transfer is a list of [jobs](job), each for a [region] of an arena: a
//! [gather](read) packs fields for the host, a scatter [writes](write) what the host has sent or a caller's buffer on the
//! device holds, a [copy] moves worlds, a [maximum] is what is left of an integer field, and a [command list](commands)
//! does several of these between kernels.

mod commands;
mod copy;
mod job;
mod maximum;
mod pool;
mod read;
mod readback;
mod region;
mod write;

use std::sync::{Mutex, MutexGuard};

use self::job::{EncodedJob, Jobs, TransferJob};
use self::pool::Pool;
use super::buffers::{Arena, storage};
use super::device::Gpu;
use super::shader;
use crate::codegen::layout::Layout;
use encase::ShaderType;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::Elem;

pub(crate) use commands::Command;
pub(crate) use readback::{Readback, ReadbackSlot};
pub(crate) use region::{ElementRange, Region};

/// Most words of one submission's packed buffer, so that it stays well below any limit.
pub(super) const MAX_PACKED_WORDS: usize = 16 << 20;

/// Bytes that were copied between host and device, and submissions for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferStats {
    /// Bytes from the host to the device.
    pub to_device: u64,
    /// Bytes from the device to the host.
    pub to_host: u64,
    /// Submissions.
    pub submissions: u64,
}

/// How arenas interleave the worlds of a batch: see [`Layout`].
#[derive(Clone, Copy, Debug)]
struct Interleave {
    /// Worlds side by side.
    tile: usize,
    /// Real elements of a world.
    stride_f: usize,
    /// Integer elements of a world.
    stride_i: usize,
}

/// Pipelines and buffers of transfers between the arenas of a batch and the host.
#[derive(Debug)]
pub(crate) struct Transfer {
    gpu: Gpu,
    interleave: Interleave,
    bindings: wgpu::BindGroupLayout,
    gather: wgpu::ComputePipeline,
    scatter: wgpu::ComputePipeline,
    copy: wgpu::ComputePipeline,
    maximum: wgpu::ComputePipeline,
    /// Bytes from one job to the next in the buffer of jobs.
    job_spacing: usize,
    pool: Mutex<Pool>,
}

impl Transfer {
    /// Transfers of arenas with a layout.
    ///
    /// # Errors
    /// [`Error::Device`] if a pipeline cannot be built or memory is insufficient.
    pub(crate) fn new(gpu: &Gpu, layout: &Layout) -> Result<Self> {
        let module = shader::parse(&manyworlds_shaders::TRANSFER, &job::declarations())?;
        let job_bytes = usize::try_from(TransferJob::min_size().get()).unwrap_or(0);
        let alignment = gpu.device().limits().min_uniform_buffer_offset_alignment as usize;
        let Layout { tile, stride_f, stride_i, .. } = *layout;
        gpu.checked("transfer kernels", || {
            let bindings = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("transfer"),
                entries: &[storage(0, false), storage(1, false), storage(2, true), job::binding(3)],
            });
            let pipelines = shader::pipeline_layout(gpu, "transfer", &bindings);
            let module = shader::module(gpu, "transfer", module, true);
            let pipeline = |entry| shader::pipeline(gpu, &pipelines, &module, entry);
            Self {
                gpu: gpu.clone(),
                interleave: Interleave { tile, stride_f, stride_i },
                gather: pipeline("gather"),
                scatter: pipeline("scatter"),
                copy: pipeline("copy_worlds"),
                maximum: pipeline("maximum"),
                bindings,
                job_spacing: job_bytes.next_multiple_of(alignment.max(4)),
                pool: Mutex::new(Pool::new(gpu)),
            }
        })
    }

    /// Bytes and submissions so far.
    pub(crate) fn stats(&self) -> TransferStats {
        self.pool.lock().map(|pool| pool.stats).unwrap_or_default()
    }

    /// The buffers, for one thread at a time.
    fn pool(&self) -> Result<MutexGuard<'_, Pool>> {
        let poisoned = "another thread failed while it moved fields";
        self.pool.lock().map_err(|_| Error::device(poisoned.to_owned()))
    }

    /// An encoder of commands.
    fn encoder(&self) -> wgpu::CommandEncoder {
        self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Submits jobs of one kind.
    fn submit(&self, pool: &mut Pool, pipeline: &wgpu::ComputePipeline, jobs: &Jobs<'_>) -> Result<()> {
        let mut encoder = self.encoder();
        self.encode(pool, &mut encoder, pipeline, jobs)?;
        pool.submit(&self.gpu, encoder);
        Ok(())
    }

    /// Encodes jobs of one kind in a pass of their own.
    fn encode(
        &self,
        pool: &mut Pool,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::ComputePipeline,
        jobs: &Jobs<'_>,
    ) -> Result<()> {
        let encoded = self.upload(pool, jobs)?;
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        encoded.iter().for_each(|job| job.dispatch(&mut pass));
        Ok(())
    }

    /// Writes jobs and the ids of their worlds to the device, and makes their bind groups.
    fn upload(&self, pool: &mut Pool, jobs: &Jobs<'_>) -> Result<Vec<EncodedJob>> {
        let uniforms = jobs.uniforms(self.job_spacing)?;
        self.gpu.checked("moving fields", || {
            pool.write_jobs(&self.gpu, &uniforms, &jobs.ids);
            let encoded = jobs.list.iter().enumerate().map(|(k, job)| EncodedJob {
                bind: pool.bind_group(&self.gpu, &self.bindings, job),
                at: u32::try_from(k * self.job_spacing).unwrap_or(0),
                groups: job.groups(),
            });
            encoded.collect()
        })
    }

    /// The buffer with an arena's elements of a type, and the elements of a world in it.
    fn buffer_of<'a>(&self, arena: &'a Arena, elem: Elem) -> (&'a wgpu::Buffer, usize) {
        match elem {
            Elem::Real => (&arena.reals, self.interleave.stride_f),
            Elem::Int => (&arena.ints, self.interleave.stride_i),
        }
    }
}
