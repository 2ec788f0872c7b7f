//! Surfaces that pictures are drawn on, and their way to the host.

use super::buffers::read;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, wgpu};

/// Format of colours: as they are, without a curve.
pub(super) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Format of depths: 1 at the near plane, 0 at the far one.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Format of numbers of objects.
pub(super) const OBJECTS: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;

/// Textures that one pass draws and the next reads.
pub(super) const DRAWN_AND_READ: wgpu::TextureUsages =
    wgpu::TextureUsages::RENDER_ATTACHMENT.union(wgpu::TextureUsages::TEXTURE_BINDING);

/// A surface to draw on, of a size, with colours of several samples a pixel.
#[derive(Debug)]
pub struct Canvas {
    width: u32,
    height: u32,
    samples: u32,
    color: wgpu::Texture,
    /// What several samples are drawn on, before they are averaged.
    samples_of_color: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
    /// Numbers of objects, and depths of a sample a pixel; made when they are first asked for.
    objects: std::sync::OnceLock<[wgpu::Texture; 2]>,
    gpu: Gpu,
}

impl Canvas {
    /// A canvas of `width` by `height` pixels with 1 or 4 samples each.
    ///
    /// # Errors
    /// [`Error::Argument`] for a size that the device does not have, or another number of samples; [`Error::Device`] if
    /// memory is missing.
    pub fn new(gpu: &Gpu, width: u32, height: u32, samples: u32) -> Result<Self> {
        let most = gpu.device().limits().max_texture_dimension_2d;
        if width == 0 || height == 0 || width > most || height > most {
            let text =
                format!("a picture has 1 to {most} pixels a side on this device, not {width} x {height}");
            return Err(Error::Argument(text));
        }
        if samples != 1 && samples != 4 {
            return Err(Error::Argument(format!("a pixel has 1 or 4 samples, not {samples}")));
        }
        let make = || {
            let usage = wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::TEXTURE_BINDING;
            let color = texture(gpu, [width, height, 1], 1, COLOR, usage);
            let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
            let view = |t: wgpu::Texture| t.create_view(&wgpu::TextureViewDescriptor::default());
            let samples_of_color =
                (samples > 1).then(|| view(texture(gpu, [width, height, 1], samples, COLOR, drawn)));
            let depth = view(texture(gpu, [width, height, 1], samples, DEPTH, drawn));
            let objects = std::sync::OnceLock::new();
            Self { width, height, samples, color, samples_of_color, depth, objects, gpu: gpu.clone() }
        };
        gpu.checked(&format!("memory for a picture of {width} x {height} pixels"), make)
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The colours, `Rgba8Unorm` with the values that a screen shows.
    pub fn texture(&self) -> &wgpu::Texture {
        &self.color
    }

    /// Where colours are drawn, and where several samples are averaged to.
    pub(super) fn color_target(&self) -> (wgpu::TextureView, Option<wgpu::TextureView>) {
        let color = self.color.create_view(&wgpu::TextureViewDescriptor::default());
        match &self.samples_of_color {
            Some(samples) => (samples.clone(), Some(color)),
            None => (color, None),
        }
    }

    pub(super) fn depth_target(&self) -> &wgpu::TextureView {
        &self.depth
    }

    /// Where numbers of objects are drawn, and depths with them.
    pub(super) fn object_targets(&self) -> [wgpu::TextureView; 2] {
        let size = [self.width, self.height, 1];
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let made = self.objects.get_or_init(|| {
            [texture(&self.gpu, size, 1, OBJECTS, usage), texture(&self.gpu, size, 1, DEPTH, usage)]
        });
        made.each_ref().map(|t| t.create_view(&wgpu::TextureViewDescriptor::default()))
    }

    /// The colours of all pixels from the top, four bytes each.
    ///
    /// # Errors
    /// [`Error::Device`] if the device was lost.
    pub fn read_color(&self) -> Result<Vec<u8>> {
        self.read(&self.color, [0, 0, self.width, self.height], wgpu::TextureAspect::All)
    }

    /// The words of a texture of four bytes a pixel in a rectangle, from the top.
    fn read(&self, texture: &wgpu::Texture, rect: [u32; 4], aspect: wgpu::TextureAspect) -> Result<Vec<u8>> {
        let [x, y, width, height] = rect;
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = read(&self.gpu, u64::from(row) * u64::from(height), |encoder, buffer| {
            let origin = wgpu::Origin3d { x, y, z: 0 };
            let layout = wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row),
                rows_per_image: Some(height),
            };
            encoder.copy_texture_to_buffer(
                wgpu::TexelCopyTextureInfo { texture, mip_level: 0, origin, aspect },
                wgpu::TexelCopyBufferInfo { buffer, layout },
                wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            );
        })?;
        // rows without their padding
        let rows = bytes.chunks_exact(row as usize).flat_map(|r| &r[..4 * width as usize]);
        Ok(rows.copied().collect())
    }

    /// Numbers of objects and depths in a rectangle, after they were drawn.
    pub(super) fn read_objects(&self, rect: [u32; 4]) -> Result<(Vec<u32>, Vec<f32>)> {
        let Some([objects, depth]) = self.objects.get() else { return Ok((Vec::new(), Vec::new())) };
        let codes = self.read(objects, rect, wgpu::TextureAspect::All)?;
        let depths = self.read(depth, [0, 0, self.width, self.height], wgpu::TextureAspect::DepthOnly)?;
        let word = |b: &[u8]| [b[0], b[1], b[2], b[3]];
        let codes = codes.chunks_exact(4).map(|b| u32::from_le_bytes(word(b))).collect();
        // depths are copied whole
        let [x, y, w, h] = rect.map(|n| n as usize);
        let all: Vec<f32> = depths.chunks_exact(4).map(|b| f32::from_le_bytes(word(b))).collect();
        let lines = (y..y + h).flat_map(|r| &all[r * self.width as usize + x..][..w]);
        Ok((codes, lines.copied().collect()))
    }
}

/// A texture without mipmaps.
pub(super) fn texture(
    gpu: &Gpu,
    [width, height, layers]: [u32; 3],
    samples: u32,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: layers },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}
