//! Buffers that are filled for each picture.

use crate::buffers::empty;
use crate::layouts::{Globals, Instance, Lamp, MirrorPlane, ViewRequest, ViewState};
use manyworlds::gpu::{Gpu, wgpu};

/// Bytes from one draw's parameters to the next: what dynamic offsets are aligned to everywhere.
pub(super) const DRAW_STRIDE: u64 = 256;

/// Buffers that are filled for each picture.
#[derive(Debug)]
pub(super) struct Inputs {
    pub(super) globals: wgpu::Buffer,
    pub(super) instances: wgpu::Buffer,
    pub(super) mirrors: wgpu::Buffer,
    pub(super) requests: wgpu::Buffer,
    pub(super) views: wgpu::Buffer,
    pub(super) lamps: wgpu::Buffer,
    pub(super) draws: wgpu::Buffer,
}

impl Inputs {
    /// Buffers of one element each.
    pub(super) fn new(gpu: &Gpu) -> Self {
        let storage = wgpu::BufferUsages::STORAGE;
        let empty = |label, bytes, usage| empty(gpu, label, bytes, usage);
        Self {
            globals: empty("globals", size_of::<Globals>(), wgpu::BufferUsages::UNIFORM),
            instances: empty("instances", size_of::<Instance>(), storage),
            mirrors: empty("mirrors", size_of::<MirrorPlane>(), storage),
            requests: empty("requests", size_of::<ViewRequest>(), storage),
            views: empty("views", size_of::<ViewState>(), storage),
            lamps: empty("lamps", size_of::<Lamp>(), storage),
            draws: empty("draws", DRAW_STRIDE as usize, wgpu::BufferUsages::UNIFORM),
        }
    }
}
