//! Arenas of a batch: buffers that fit the device's largest binding, and the chunks in which their worlds step.

use super::device::Gpu;
use crate::codegen::layout::Layout;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;

/// A range of worlds with buffers of their own.
#[derive(Debug)]
pub(crate) struct Arena {
    /// First world.
    pub(crate) first: usize,
    /// Number of worlds, without padding to whole tiles.
    pub(crate) worlds: usize,
    /// Worlds with those that fill up the last workgroup.
    pub(crate) padded: usize,
    /// Numbers of the worlds, counted from the first.
    pub(crate) ids: Vec<u32>,
    pub(crate) reals: wgpu::Buffer,
    pub(crate) ints: wgpu::Buffer,
    /// The same worlds in parts that step one after the other.
    pub(crate) chunks: Vec<Chunk>,
}

/// A part of an arena, in whole workgroups.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) worlds: usize,
    pub(crate) bind: wgpu::BindGroup,
}

/// What the chunks of all arenas share: the model, and the layout of their bind groups.
#[derive(Debug)]
pub(crate) struct ModelBinding {
    pub(crate) reals: wgpu::Buffer,
    pub(crate) ints: wgpu::Buffer,
    pub(crate) layout: wgpu::BindGroupLayout,
}

impl ModelBinding {
    /// The model's fields on the device.
    ///
    /// # Errors
    /// [`Error::Device`] if memory is insufficient.
    pub(crate) fn new(gpu: &Gpu, layout: &Layout, model: &Model) -> Result<Self> {
        let (reals, ints) = layout.model_buffers(model);
        gpu.checked("the model", || {
            let usage = wgpu::BufferUsages::STORAGE;
            let f = buffer(gpu.device(), "model reals", reals.len(), usage);
            let i = buffer(gpu.device(), "model ints", ints.len(), usage);
            gpu.queue().write_buffer(&f, 0, bytemuck::cast_slice(&reals));
            gpu.queue().write_buffer(&i, 0, bytemuck::cast_slice(&ints));
            Self { reals: f, ints: i, layout: bind_layout(gpu.device()) }
        })
    }
}

/// Layout of the bind group shared by all kernels.
fn bind_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entries =
        [false, false, true, true].iter().zip(0..).map(|(&read_only, binding)| storage(binding, read_only));
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("world"),
        entries: &entries.collect::<Vec<_>>(),
    })
}

pub(crate) fn storage(binding: u32, read_only: bool) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

pub(crate) fn buffer(
    device: &wgpu::Device,
    label: &str,
    words: usize,
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        // an empty buffer cannot be bound
        size: 4 * words.max(1) as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Worlds that a binding holds, whole groups.
fn worlds_per_arena(gpu: &Gpu, layout: &Layout) -> Result<usize> {
    let words = gpu.adapter().arena_words();
    let tiles = words / layout.words_of_group();
    match usize::try_from(tiles).unwrap_or(usize::MAX) {
        0 => Err(Error::device(format!(
            "{}: one group of {} worlds needs {} bytes, more than the largest binding of {}",
            gpu.adapter(),
            layout.world_multiple,
            4 * layout.words_of_group(),
            4 * words
        ))),
        tiles => Ok(tiles.saturating_mul(layout.world_multiple)),
    }
}

/// Allocates arenas for `worlds` worlds, as few as bindings allow, each as a single chunk.
pub(crate) fn arenas(gpu: &Gpu, layout: &Layout, model: &ModelBinding, worlds: usize) -> Result<Vec<Arena>> {
    let most = worlds_per_arena(gpu, layout)?;
    // arenas of about the same size
    let count = worlds.div_ceil(most).max(1);
    let most = worlds.div_ceil(count).max(1).next_multiple_of(layout.world_multiple);
    let mut made = Vec::new();
    for first in (0..worlds).step_by(most) {
        let count = most.min(worlds - first);
        let padded = count.next_multiple_of(layout.world_multiple);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let what = format!("memory for {worlds} worlds of {} bytes", layout.bytes_per_world());
        let arena = gpu.checked(&what, || {
            let reals = buffer(gpu.device(), "reals", padded * layout.stride_f, usage);
            let ints = buffer(gpu.device(), "ints", padded * layout.stride_i, usage);
            let ids = (0..count).filter_map(|w| u32::try_from(w).ok()).collect();
            let mut arena = Arena { first, worlds: count, padded, ids, reals, ints, chunks: Vec::new() };
            arena.cut(gpu, layout, model, padded);
            arena
        });
        made.push(arena.map_err(|e| e.with_note(&format!("{first} worlds had room, ask for fewer")))?);
    }
    Ok(made)
}

/// A chunk with its arena, and the numbers of its worlds in that, without those that fill up the last workgroup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkWorlds<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) chunk: &'a Chunk,
    pub(crate) ids: &'a [u32],
}

impl<'a> ChunkWorlds<'a> {
    /// First world, counted from the first of the batch.
    pub(crate) fn first(&self) -> usize {
        self.arena.first + self.ids.first().map_or(0, |id| *id as usize)
    }
}

impl Arena {
    /// The chunks, in order.
    pub(crate) fn chunk_worlds(&self) -> impl Iterator<Item = ChunkWorlds<'_>> {
        let mut first = 0;
        self.chunks.iter().map(move |chunk| {
            let end = (first + chunk.worlds).min(self.worlds);
            let ids = self.ids.get(first..end.max(first)).unwrap_or_default();
            first += chunk.worlds;
            ChunkWorlds { arena: self, chunk, ids }
        })
    }

    /// Cuts the worlds into chunks of at most `most`, rounded up to what a binding may begin at.
    pub(crate) fn cut(&mut self, gpu: &Gpu, layout: &Layout, model: &ModelBinding, most: usize) {
        let align = gpu.device().limits().min_storage_buffer_offset_alignment as usize / 4;
        // groups until both buffers are aligned: strides times groups are powers of two short of it at most
        let unit =
            |stride: usize| align >> (stride * layout.world_multiple).trailing_zeros().min(align.ilog2());
        let least = layout.world_multiple * unit(layout.stride_f).max(unit(layout.stride_i));
        // chunks of about the same size
        let count = self.padded.div_ceil(most.max(1));
        let most = self.padded.div_ceil(count.max(1)).next_multiple_of(least);
        let part = |buffer, first: usize, worlds: usize, stride: usize| {
            let bytes = |worlds: usize| 4 * (worlds * stride) as u64;
            // a buffer without fields is bound whole
            let size = std::num::NonZeroU64::new(bytes(worlds));
            wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: bytes(first), size })
        };
        let chunk = |first: usize| {
            let worlds = most.min(self.padded - first);
            let resources = [
                part(&self.reals, first, worlds, layout.stride_f),
                part(&self.ints, first, worlds, layout.stride_i),
                model.reals.as_entire_binding(),
                model.ints.as_entire_binding(),
            ];
            Chunk { worlds, bind: gpu.bind_group("world", &model.layout, resources) }
        };
        self.chunks = (0..self.padded).step_by(most).map(chunk).collect();
    }
}
