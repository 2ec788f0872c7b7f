//! Buffers of pictures: made, filled, bound to shaders, and read by the host.

use manyworlds::error::{Error, Result};
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

/// Makes a buffer at least as large as asked for; its contents are lost where it grows.
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
    gpu.bind_group("picture", layout, buffers.iter().map(|b| b.as_entire_binding()))
}

/// Bytes that a copy writes into a buffer, on the host.
///
/// # Errors
/// [`Error::Device`] if memory is missing or the device was lost.
pub(super) fn read(
    gpu: &Gpu,
    bytes: u64,
    copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
) -> Result<Vec<u8>> {
    let buffer = gpu.checked("memory to read a picture", || {
        gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: bytes,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        })
    })?;
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    copy(&mut encoder, &buffer);
    let submission = gpu.queue().submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |_| {});
    gpu.wait_for(submission)?;
    let mapped = buffer.slice(..).get_mapped_range();
    let mapped = mapped.map_err(|e| Error::device_from(gpu.adapter(), e))?;
    Ok(mapped.to_vec())
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
