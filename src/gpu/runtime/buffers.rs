//! Arenas of a batch: buffers split into chunks that fit the device's largest binding.

use super::device::Gpu;
use crate::error::{Error, Result};
use crate::gpu::codegen::layout::Layout;

/// A range of worlds with buffers and a bind group of its own.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// First world.
    pub(crate) first: usize,
    /// Number of worlds, without padding to whole tiles.
    pub(crate) worlds: usize,
    /// Worlds with those that fill up the last workgroup.
    pub(crate) padded: usize,
    pub(crate) reals: wgpu::Buffer,
    pub(crate) ints: wgpu::Buffer,
    pub(crate) bind: wgpu::BindGroup,
}

/// Layout of the bind group shared by all kernels.
pub(crate) fn bind_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
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

/// Worlds per chunk, whole groups.
pub(crate) fn worlds_per_chunk(gpu: &Gpu, layout: &Layout) -> Result<usize> {
    let limit = gpu.adapter().binding_bytes.min(gpu.adapter().buffer_bytes);
    // kernels use 32-bit indices
    let words = (limit / 4).min(u64::from(u32::MAX));
    let stride = layout.stride_f.max(layout.stride_i).max(1) as u64;
    let tiles = words / (stride * layout.world_multiple as u64);
    match usize::try_from(tiles).unwrap_or(usize::MAX) {
        0 => Err(Error::Device(format!(
            "{}: one group of {} worlds needs {} bytes, more than the largest binding of {limit}",
            gpu.adapter(),
            layout.world_multiple,
            4 * stride * layout.world_multiple as u64
        ))),
        tiles => Ok(tiles.saturating_mul(layout.world_multiple)),
    }
}

/// Splits `worlds` into chunks of at most `most`, or as many as a binding holds, and allocates their buffers.
pub(crate) fn chunks(
    gpu: &Gpu,
    layout: &Layout,
    bind: &wgpu::BindGroupLayout,
    model: [&wgpu::Buffer; 2],
    worlds: usize,
    most: usize,
) -> Result<Vec<Chunk>> {
    let most = worlds_per_chunk(gpu, layout)?.min(most).next_multiple_of(layout.world_multiple);
    // chunks of about the same size
    let count = worlds.div_ceil(most).max(1);
    let most = worlds.div_ceil(count).max(1).next_multiple_of(layout.world_multiple);
    let mut made = Vec::new();
    for first in (0..worlds).step_by(most) {
        let count = most.min(worlds - first);
        let padded = count.next_multiple_of(layout.world_multiple);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let chunk =
            gpu.checked(&format!("memory for {worlds} worlds of {} bytes", layout.bytes_per_world()), || {
                let reals = buffer(&gpu.device, "reals", padded * layout.stride_f, usage);
                let ints = buffer(&gpu.device, "ints", padded * layout.stride_i, usage);
                let entries = [&reals, &ints, model[0], model[1]]
                    .iter()
                    .zip(0..)
                    .map(|(b, binding)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
                    .collect::<Vec<_>>();
                let bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("world"),
                    layout: bind,
                    entries: &entries,
                });
                Chunk { first, worlds: count, padded, reals, ints, bind }
            });
        made.push(chunk.map_err(|e| Error::Device(format!("{e}; {first} worlds had room, ask for fewer")))?);
    }
    Ok(made)
}
