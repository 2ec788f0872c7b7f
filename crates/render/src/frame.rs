//! What pictures need of the worlds: poses of bodies and centres of mass, in one buffer, from the host or from the
//! buffers of a batch.

use bytemuck::{Pod, Zeroable};

use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, GpuBatch, wgpu};
use manyworlds::model::Model;
use manyworlds::model::data::Data;

/// A field in the frame.
#[derive(Clone, Copy, Debug)]
struct Part {
    name: &'static str,
    first: usize,
    len: usize,
}

/// Numbers of worlds on the device, one world after the other.
#[derive(Debug)]
pub(super) struct Frame {
    parts: Vec<Part>,
    stride: usize,
    buffer: wgpu::Buffer,
    worlds: usize,
    gather: wgpu::ComputePipeline,
    gpu: Gpu,
    /// Numbers on their way from the host.
    staged: Vec<f32>,
}

/// Parameters of `gather.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Field {
    offset: u32,
    stride: u32,
    tile: u32,
    len: u32,
    to: u32,
    to_stride: u32,
    worlds: u32,
    pad: u32,
}

impl Frame {
    pub(super) fn new(gpu: &Gpu, m: &Model) -> Result<Self> {
        let s = &m.sizes;
        let fields = [("xpos", 3 * s.nbody), ("xquat", 4 * s.nbody), ("subtree_com", 3 * s.nbody)];
        let (mut parts, mut stride) = (Vec::new(), 0);
        for (name, len) in fields {
            parts.push(Part { name, first: stride, len });
            stride += len;
        }
        let text = super::pipelines::text(&[manyworlds_shaders::GATHER])?;
        let module = super::pipelines::module(gpu, "gather", &text)?;
        let gather = gpu.checked("the kernel that gathers poses", || {
            gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("gather"),
                layout: None,
                module: &module,
                entry_point: Some("gather"),
                compilation_options: Default::default(),
                cache: None,
            })
        })?;
        let buffer = room(gpu, stride, 1)?;
        Ok(Self { parts, stride, buffer, worlds: 1, gather, gpu: gpu.clone(), staged: Vec::new() })
    }

    /// Numbers of a world.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// First number of a field.
    pub(super) fn first(&self, name: &str) -> usize {
        self.parts.iter().find(|p| p.name == name).map_or(0, |p| p.first)
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
            self.buffer = room(&self.gpu, self.stride, worlds)?;
        }
        self.worlds = worlds;
        Ok(())
    }

    /// Takes worlds from the host.
    pub(super) fn upload(&mut self, worlds: &[&Data]) -> Result<()> {
        self.fit(worlds.len())?;
        self.staged.clear();
        for data in worlds {
            for part in &self.parts {
                let values = match part.name {
                    "xpos" => &data.xpos,
                    "xquat" => &data.xquat,
                    _ => &data.subtree_com,
                };
                if values.len() < part.len {
                    let (name, need, got) = (part.name, part.len, values.len());
                    let text = format!(
                        "'{name}' of a world has {got} numbers instead of {need}: it is of another model"
                    );
                    return Err(Error::Argument(text));
                }
                self.staged.extend(values[..part.len].iter().map(|x| *x as f32));
            }
        }
        self.gpu.queue().write_buffer(&self.buffer, 0, bytemuck::cast_slice(&self.staged));
        Ok(())
    }

    /// Fields that the kernels of a batch do not keep, without which poses cannot come from its buffers.
    pub(super) fn missing(&self, batch: &GpuBatch) -> Option<&'static str> {
        self.parts.iter().filter(|p| p.len > 0).map(|p| p.name).find(|name| !batch.has(name))
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
        let device = self.gpu.device();
        let buffer = |bytes: &[u8], usage| {
            let made = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("gather"),
                size: bytes.len().max(16) as u64,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.gpu.queue().write_buffer(&made, 0, bytes);
            made
        };
        let layout = self.gather.get_bind_group_layout(0);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
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
            let list = buffer(bytemuck::cast_slice(&pairs), wgpu::BufferUsages::STORAGE);
            for part in self.parts.iter().filter(|p| p.len > 0) {
                let from = batch.layout_of(part.name)?;
                let field = Field {
                    offset: from.offset as u32,
                    stride: from.stride as u32,
                    tile: from.tile as u32,
                    len: part.len as u32,
                    to: part.first as u32,
                    to_stride: self.stride as u32,
                    worlds: pairs.len() as u32,
                    pad: 0,
                };
                let field = buffer(bytemuck::bytes_of(&field), wgpu::BufferUsages::UNIFORM);
                let resources =
                    [arena.reals, &self.buffer, &list, &field].map(wgpu::Buffer::as_entire_binding);
                let entries = resources.into_iter().zip(0..);
                let bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("gather"),
                    layout: &layout,
                    entries: &entries
                        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
                        .collect::<Vec<_>>(),
                });
                pass.set_bind_group(0, &bind, &[]);
                let groups = (part.len * pairs.len()).div_ceil(64) as u32;
                let x = groups.min(32_768);
                pass.dispatch_workgroups(x, groups.div_ceil(x), 1);
            }
        }
        drop(pass);
        self.gpu.queue().submit([encoder.finish()]);
        Ok(())
    }
}

fn room(gpu: &Gpu, stride: usize, worlds: usize) -> Result<wgpu::Buffer> {
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
