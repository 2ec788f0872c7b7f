//! The atlas of shadows: a square for each view and light.

use std::ops::Range;

use crate::canvas::{DEPTH, DRAWN_AND_READ, texture};
use crate::view::View;
use manyworlds::error::Result;
use manyworlds::gpu::{Gpu, wgpu};
use manyworlds::model::Model;

/// Sides of the smallest and of the largest picture of a shadow, in pixels.
const SIDES: Range<u32> = 128..4097;

/// A square of the atlas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) side: u32,
}

/// Squares in the atlas of shadows for each view and light, and the side of the atlas.
pub(super) fn squares(gpu: &Gpu, m: &Model, views: &[View], shadows: usize) -> (Vec<Vec<Square>>, u32) {
    if shadows == 0 {
        return (vec![Vec::new(); views.len()], 0);
    }
    let most = gpu.device().limits().max_texture_dimension_2d.min(8192);
    let wanted = views.iter().flat_map(|v| [v.rect[2], v.rect[3]]).max().unwrap_or(1);
    let largest = (m.vis_quality_shadowsize[0].max(1) as u32).min(SIDES.end - 1);
    let mut side = (2 * wanted.next_power_of_two()).clamp(SIDES.start, most).min(largest);
    let count = (views.len() * shadows) as u32;
    let columns = |side: u32| (most / side).max(1);
    while columns(side).saturating_mul(columns(side)) < count && side > 1 {
        side /= 2;
    }
    let columns = (1..=columns(side)).find(|c| c * c >= count).unwrap_or_else(|| columns(side));
    let square = |k: u32| Square { x: side * (k % columns), y: side * (k / columns), side };
    let squares = (0..views.len()).map(|v| (0..shadows).map(|s| square((v * shadows + s) as u32)).collect());
    (squares.collect(), side * columns)
}

/// Depths as lights see them, and how they are compared.
#[derive(Debug)]
pub(super) struct Shadows {
    /// The atlas, made for the first picture with shadows.
    pub(super) atlas: Option<wgpu::Texture>,
    pub(super) sampler: wgpu::Sampler,
}

impl Shadows {
    /// No atlas yet.
    pub(super) fn new(gpu: &Gpu) -> Self {
        let sampler = gpu.device().create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        Self { atlas: None, sampler }
    }

    /// Makes the atlas at least as large as asked for.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Device`] if memory is missing.
    pub(super) fn fit(&mut self, gpu: &Gpu, side: u32) -> Result<()> {
        if self.atlas.as_ref().is_none_or(|map| map.width() < side) {
            let make = || texture(gpu, [side, side, 1], 1, DEPTH, DRAWN_AND_READ);
            self.atlas = Some(gpu.checked("memory for shadows", make)?);
        }
        Ok(())
    }

    /// Side of the atlas in pixels, 1 without one.
    pub(super) fn side(&self) -> f32 {
        self.atlas.as_ref().map_or(1, wgpu::Texture::width) as f32
    }
}
