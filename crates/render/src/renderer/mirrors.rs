//! What mirrors show, a layer each.

use crate::canvas::{COLOR, Canvas, DEPTH, DRAWN_AND_READ, texture};
use crate::layouts::MirrorPlane;
use crate::scene::Mirror;
use manyworlds::error::Result;
use manyworlds::gpu::{Gpu, wgpu};

/// A mirror as shaders read it.
pub(super) fn mirror_plane(mirror: &Mirror) -> MirrorPlane {
    MirrorPlane {
        pos: mirror.pos.extend(0.0).to_array(),
        normal: mirror.normal.extend(0.0).to_array(),
        body: [mirror.body, 0, 0, 0],
    }
}

/// Colours in all mirrors, and the depths of one of them; made for the first picture with mirrors.
#[derive(Debug, Default)]
pub(super) struct Reflections {
    pub(super) textures: Option<[wgpu::Texture; 2]>,
}

impl Reflections {
    /// Makes them as large as a canvas.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Device`] if memory is missing.
    pub(super) fn fit(&mut self, gpu: &Gpu, canvas: &Canvas, mirrors: usize) -> Result<()> {
        let size = [canvas.width(), canvas.height(), mirrors as u32];
        let fits = |[t, _]: &[wgpu::Texture; 2]| [t.width(), t.height(), t.depth_or_array_layers()] == size;
        if !self.textures.as_ref().is_some_and(fits) {
            let one = [size[0], size[1], 1];
            let make = || {
                let color = texture(gpu, size, 1, COLOR, DRAWN_AND_READ);
                [color, texture(gpu, one, 1, DEPTH, wgpu::TextureUsages::RENDER_ATTACHMENT)]
            };
            self.textures = Some(gpu.checked("memory for reflections", make)?);
        }
        Ok(())
    }
}
