//! Transfer of fields between host and arenas: packed on the device, so that only the field is copied.

use encase::{ShaderType, UniformBuffer};

use super::buffers::{Arena, buffer, storage};
use super::device::Gpu;
use crate::error::{Error, Result};
use crate::gpu::codegen::layout::{Layout, Slot};

/// Uniform of `shaders/runtime/transfer.wgsl`.
#[derive(ShaderType, Debug, Clone, Copy)]
struct TransferJob {
    len: u32,
    offset: u32,
    tile: u32,
    stride: u32,
    rows: u32,
    threads: u32,
}

/// Pipelines that gather and scatter fields.
#[derive(Debug)]
pub(crate) struct Transfer {
    layout: wgpu::BindGroupLayout,
    gather: wgpu::ComputePipeline,
    scatter: wgpu::ComputePipeline,
}

const THREADS: u32 = 64 * 1024;

/// Rows per job, so that the packed buffer stays well below any limit.
fn rows_per_job(len: usize) -> usize {
    ((16 << 20) / len.max(1)).max(1)
}

fn word(x: usize) -> Result<u32> {
    u32::try_from(x).map_err(|_| Error::Argument(format!("{x} does not fit 32 bits")))
}

impl Transfer {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self> {
        let uniform = wgpu::BindGroupLayoutEntry {
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            ..storage(3, true)
        };
        let text = include_str!("../../../shaders/runtime/transfer.wgsl");
        let module = naga::front::wgsl::parse_str(text).map_err(|e| Error::Device(e.emit_to_string(text)))?;
        gpu.checked("transfer kernels", || {
            let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("transfer"),
                entries: &[storage(0, false), storage(1, false), storage(2, true), uniform],
            });
            let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("transfer"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("transfer"),
                source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
            });
            let make = |entry| {
                gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(entry),
                    layout: Some(&pipeline_layout),
                    module: &module,
                    entry_point: Some(entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                })
            };
            let (gather, scatter) = (make("gather"), make("scatter"));
            Self { layout, gather, scatter }
        })
    }

    /// Reads a field of the given worlds of an arena (counted from its first), as bits.
    pub(crate) fn read(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        arena: &Arena,
        slot: &Slot,
        worlds: &[u32],
    ) -> Result<Vec<u32>> {
        gpu.check_not_lost()?;
        let mut out = Vec::with_capacity(worlds.len() * slot.len);
        for part in worlds.chunks(rows_per_job(slot.len)) {
            out.extend(self.read_part(gpu, layout, arena, slot, part)?);
        }
        Ok(out)
    }

    fn read_part(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        arena: &Arena,
        slot: &Slot,
        worlds: &[u32],
    ) -> Result<Vec<u32>> {
        let words = worlds.len() * slot.len;
        if words == 0 {
            return Ok(Vec::new());
        }
        // pack on the device, copy to mappable memory
        let packed = self.run(gpu, &self.gather, layout, arena, slot, worlds, None)?;
        let host = buffer(&gpu.device, "read", words, wgpu::BufferUsages::MAP_READ);
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&packed, 0, &host, 0, 4 * words as u64);
        gpu.queue.submit([encoder.finish()]);
        let (send, receive) = std::sync::mpsc::channel();
        host.slice(..).map_async(wgpu::MapMode::Read, move |done| {
            let _ = send.send(done);
        });
        gpu.wait()?;
        match receive.recv() {
            Ok(Ok(())) => {}
            other => {
                return Err(Error::Device(format!("{}: reading back failed: {other:?}", gpu.adapter())));
            }
        }
        let view = host
            .slice(..)
            .get_mapped_range()
            .map_err(|e| Error::Device(format!("{}: reading back failed: {e}", gpu.adapter())))?;
        Ok(bytemuck::cast_slice::<u8, u32>(&view)[..words].to_vec())
    }

    /// Writes a field of the given worlds of an arena from `[world, element]` bits.
    pub(crate) fn write(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        arena: &Arena,
        slot: &Slot,
        worlds: &[u32],
        bits: &[u32],
    ) -> Result<()> {
        gpu.check_not_lost()?;
        let rows = rows_per_job(slot.len);
        for (part, values) in worlds.chunks(rows).zip(bits.chunks((rows * slot.len).max(1))) {
            self.run(gpu, &self.scatter, layout, arena, slot, part, Some(values))?;
        }
        gpu.check_not_lost()
    }

    /// Submits one job and returns its packed buffer.
    fn run(
        &self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        layout: &Layout,
        arena: &Arena,
        slot: &Slot,
        worlds: &[u32],
        bits: Option<&[u32]>,
    ) -> Result<wgpu::Buffer> {
        let real = slot.field.elem == crate::schema::Elem::Real;
        let (fields, stride) =
            if real { (&arena.reals, layout.stride_f) } else { (&arena.ints, layout.stride_i) };
        let job = TransferJob {
            len: word(slot.len)?,
            offset: word(slot.offset)?,
            tile: word(layout.tile)?,
            stride: word(stride)?,
            rows: word(worlds.len())?,
            threads: THREADS,
        };
        let mut uniform = UniformBuffer::new(Vec::<u8>::new());
        uniform.write(&job).map_err(|e| Error::Device(format!("uniform: {e}")))?;
        let uniform = uniform.into_inner();
        gpu.checked("moving a field", || {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
            let packed = buffer(&gpu.device, "packed", worlds.len() * slot.len, usage);
            let ids = buffer(&gpu.device, "worlds", worlds.len(), wgpu::BufferUsages::STORAGE);
            let params = buffer(&gpu.device, "job", uniform.len().div_ceil(4), wgpu::BufferUsages::UNIFORM);
            gpu.queue.write_buffer(&ids, 0, bytemuck::cast_slice(worlds));
            gpu.queue.write_buffer(&params, 0, &uniform);
            if let Some(bits) = bits {
                gpu.queue.write_buffer(&packed, 0, bytemuck::cast_slice(bits));
            }
            let entries = [fields, &packed, &ids, &params]
                .iter()
                .zip(0..)
                .map(|(b, binding)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
                .collect::<Vec<_>>();
            let bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("transfer"),
                layout: &self.layout,
                entries: &entries,
            });
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &bind, &[]);
                let needed = (worlds.len() * slot.len).div_ceil(64).min(THREADS as usize / 64);
                pass.dispatch_workgroups(u32::try_from(needed).unwrap_or(1), 1, 1);
            }
            gpu.queue.submit([encoder.finish()]);
            packed
        })
    }
}
