//! Buffers of pictures, and how they are bound.

use manyworlds::error::Result;
use manyworlds::gpu::{Gpu, wgpu};

/// A buffer with contents.
pub(super) fn filled(gpu: &Gpu, label: &str, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let buffer = empty(gpu, label, bytes.len(), usage);
    gpu.queue().write_buffer(&buffer, 0, bytes);
    buffer
}

/// A buffer of zeros; at least as large as the largest element of a list, so that it can be bound.
pub(super) fn empty(gpu: &Gpu, label: &str, bytes: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.next_multiple_of(16).max(SMALLEST) as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

/// Bytes of the smallest buffer.
const SMALLEST: usize = 256;

/// Writes to a buffer, a larger one where it does not suffice.
pub(super) fn refill(gpu: &Gpu, buffer: &mut wgpu::Buffer, bytes: &[u8]) -> Result<()> {
    fit(gpu, buffer, bytes.len())?;
    gpu.queue().write_buffer(buffer, 0, bytes);
    Ok(())
}

pub(super) fn fit(gpu: &Gpu, buffer: &mut wgpu::Buffer, bytes: usize) -> Result<()> {
    if (buffer.size() as usize) < bytes {
        let usage = buffer.usage();
        *buffer =
            gpu.checked("memory for a picture", || empty(gpu, "picture", bytes.next_power_of_two(), usage))?;
    }
    Ok(())
}

/// A bind group of whole buffers.
pub(super) fn bind(gpu: &Gpu, layout: &wgpu::BindGroupLayout, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
    let entries = buffers.iter().zip(0..);
    let entries: Vec<_> = entries
        .map(|(b, binding)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
        .collect();
    gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("picture"),
        layout,
        entries: &entries,
    })
}

/// Layout of a kernel's buffers: a uniform one, then storage, of which some are written.
pub(super) fn storage_layout(gpu: &Gpu, count: u32, written: &[u32]) -> wgpu::BindGroupLayout {
    let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match binding {
                0 => wgpu::BufferBindingType::Uniform,
                b => wgpu::BufferBindingType::Storage { read_only: !written.contains(&b) },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("kernel"),
        entries: &(0..count).map(entry).collect::<Vec<_>>(),
    })
}
