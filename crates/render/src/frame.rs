//! What pictures need of the worlds: poses of bodies, centres of mass and vertices of flexes, in one buffer, from the host
//! or from the buffers of a batch.

use super::layouts::GatheredField;
use super::pipelines::{kernel, module};
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, GpuBatch, wgpu};
use manyworlds::model::Model;
use manyworlds::model::data::Data;

/// A field in the frame.
#[derive(Clone, Copy, Debug)]
struct FrameField {
    name: &'static str,
    first: usize,
    len: usize,
}

/// Numbers of worlds on the device, one world after the other.
#[derive(Debug)]
pub(super) struct Frame {
    fields: Vec<FrameField>,
    stride: usize,
    buffer: wgpu::Buffer,
    worlds: usize,
    gather: wgpu::ComputePipeline,
    gpu: Gpu,
    /// Numbers on their way from the host.
    staged: Vec<f32>,
}

impl Frame {
    pub(super) fn new(gpu: &Gpu, m: &Model) -> Result<Self> {
        let s = &m.sizes;
        let (mut fields, mut stride) = (Vec::new(), 0);
        for (name, len) in [
            ("xpos", 3 * s.nbody),
            ("xquat", 4 * s.nbody),
            ("subtree_com", 3 * s.nbody),
            ("flexvert_xpos", 3 * s.nflexvert),
        ] {
            fields.push(FrameField { name, first: stride, len });
            stride += len;
        }
        let module = module(gpu, "gather", &[manyworlds_shaders::GATHER])?;
        let gather =
            gpu.checked("the kernel that gathers poses", || kernel(gpu, "gather", None, &module, "gather"))?;
        let buffer = poses(gpu, stride, 1)?;
        Ok(Self { fields, stride, buffer, worlds: 1, gather, gpu: gpu.clone(), staged: Vec::new() })
    }

    /// Numbers of a world.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// First number of a field.
    pub(super) fn first(&self, name: &str) -> usize {
        self.fields.iter().find(|f| f.name == name).map_or(0, |f| f.first)
    }

    /// Number of worlds.
    pub(super) fn worlds(&self) -> usize {
        self.worlds
    }

    pub(super) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Makes room for a number of worlds.
    fn fit(&mut self, worlds: usize) -> Result<()> {
        if worlds == 0 {
            return Err(Error::Argument("a picture shows at least one world".to_owned()));
        }
        if (self.buffer.size() as usize) < 4 * self.stride * worlds {
            self.buffer = poses(&self.gpu, self.stride, worlds)?;
        }
        self.worlds = worlds;
        Ok(())
    }

    /// Takes worlds from the host.
    pub(super) fn upload(&mut self, worlds: &[&Data]) -> Result<()> {
        self.fit(worlds.len())?;
        self.staged.clear();
        for data in worlds {
            for field in &self.fields {
                let values = match field.name {
                    "xpos" => &data.xpos,
                    "xquat" => &data.xquat,
                    "flexvert_xpos" => &data.flexvert_xpos,
                    _ => &data.subtree_com,
                };
                if values.len() < field.len {
                    let (name, need, got) = (field.name, field.len, values.len());
                    let text = format!(
                        "'{name}' of a world has {got} numbers instead of {need}: it is of another model"
                    );
                    return Err(Error::Argument(text));
                }
                self.staged.extend(values[..field.len].iter().map(|x| *x as f32));
            }
        }
        self.gpu.queue().write_buffer(&self.buffer, 0, bytemuck::cast_slice(&self.staged));
        Ok(())
    }

    /// Fields that the kernels of a batch do not keep, without which poses cannot come from its buffers.
    pub(super) fn missing(&self, batch: &GpuBatch) -> Option<&'static str> {
        self.fields.iter().filter(|f| f.len > 0).map(|f| f.name).find(|name| !batch.has(name))
    }

    /// Takes worlds from the buffers of a batch on the same device, after what was submitted before.
    pub(super) fn gather(&mut self, batch: &GpuBatch, worlds: &[usize]) -> Result<()> {
        self.fit(worlds.len())?;
        if let Some(bad) = worlds.iter().find(|w| **w >= batch.worlds()) {
            return Err(Error::Argument(format!(
                "there is no world {bad}: the batch has {}",
                batch.worlds()
            )));
        }
        let mut encoder =
            self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.gather);
        for arena in batch.buffers() {
            // worlds in these buffers, with their places in the picture
            let pairs: Vec<[u32; 2]> = worlds
                .iter()
                .zip(0..)
                .filter(|(w, _)| (arena.first..arena.first + arena.worlds).contains(w))
                .map(|(w, place)| [(w - arena.first) as u32, place])
                .collect();
            if pairs.is_empty() {
                continue;
            }
            let list = self.parameters(bytemuck::cast_slice(&pairs), wgpu::BufferUsages::STORAGE);
            for field in self.fields.iter().filter(|f| f.len > 0) {
                self.gather_field(&mut pass, batch, arena.reals, &list, pairs.len(), field)?;
            }
        }
        drop(pass);
        self.gpu.queue().submit([encoder.finish()]);
        Ok(())
    }

    /// Records that a field of some worlds goes from the buffers of a batch into the frame.
    fn gather_field(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        batch: &GpuBatch,
        reals: &wgpu::Buffer,
        list: &wgpu::Buffer,
        worlds: usize,
        field: &FrameField,
    ) -> Result<()> {
        let from = batch.layout_of(field.name)?;
        let gathered = GatheredField {
            offset: from.offset as u32,
            stride: from.stride as u32,
            tile: from.tile as u32,
            len: field.len as u32,
            to: field.first as u32,
            to_stride: self.stride as u32,
            worlds: worlds as u32,
            pad: 0,
        };
        let gathered = self.parameters(bytemuck::bytes_of(&gathered), wgpu::BufferUsages::UNIFORM);
        let resources = [reals, &self.buffer, list, &gathered].map(wgpu::Buffer::as_entire_binding);
        let layout = self.gather.get_bind_group_layout(0);
        pass.set_bind_group(0, &self.gpu.bind_group("gather", &layout, resources), &[]);
        let groups = (field.len * worlds).div_ceil(64) as u32;
        let x = groups.min(32_768);
        pass.dispatch_workgroups(x, groups.div_ceil(x), 1);
        Ok(())
    }

    /// A buffer of what a dispatch reads.
    fn parameters(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let made = self.gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("gather"),
            size: bytes.len().max(16) as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.gpu.queue().write_buffer(&made, 0, bytes);
        made
    }
}

/// A buffer for the poses of some worlds.
fn poses(gpu: &Gpu, stride: usize, worlds: usize) -> Result<wgpu::Buffer> {
    let bytes = 4 * (stride * worlds).max(4) as u64;
    if bytes > gpu.adapter().binding_bytes {
        let most = gpu.adapter().binding_bytes / (4 * stride.max(1)) as u64;
        return Err(Error::Argument(format!("{worlds} worlds are too many for one picture; at most {most}")));
    }
    gpu.checked(&format!("memory for the poses of {worlds} worlds"), || {
        gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: bytes,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    })
}
