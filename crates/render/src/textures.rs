//! Textures of a model on the device, with their mipmaps.

use manyworlds::error::Result;
use manyworlds::gpu::{Gpu, wgpu};
use manyworlds::images::Image;
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::texture;

/// Textures with a bind group each.
#[derive(Debug)]
pub(super) struct Textures {
    /// No texture: white.
    pub(super) plain: wgpu::BindGroup,
    /// By texture of the model; plain where it has no pixels.
    binds: Vec<Option<wgpu::BindGroup>>,
    /// The first skybox of the model.
    pub(super) skybox: Option<usize>,
    /// What could not be decoded, one line each.
    pub(super) notices: Vec<String>,
}

impl Textures {
    /// Uploads all textures that the materials of a model use, and its skybox.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Device`] if memory is missing.
    pub(super) fn new(gpu: &Gpu, layout: &wgpu::BindGroupLayout, m: &Model) -> Result<Self> {
        let sampler = gpu.device().create_sampler(&wgpu::SamplerDescriptor {
            label: Some("texture"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            anisotropy_clamp: 4,
            ..Default::default()
        });
        let white = Image { width: 1, height: 1, nchannel: 4, data: vec![u8::MAX; 4] };
        let cube = Image { width: 1, height: 6, nchannel: 4, data: vec![u8::MAX; 24] };
        let (white, cube) =
            gpu.checked("memory for textures", || (upload(gpu, &white, 1), upload(gpu, &cube, 6)))?;
        let bind = |flat: &wgpu::Texture, cube: &wgpu::Texture| {
            let [flat, cube] =
                [view(flat, wgpu::TextureViewDimension::D2), view(cube, wgpu::TextureViewDimension::Cube)];
            let resources = [
                wgpu::BindingResource::TextureView(&flat),
                wgpu::BindingResource::TextureView(&cube),
                wgpu::BindingResource::Sampler(&sampler),
            ];
            gpu.bind_group("texture", layout, resources)
        };

        let skybox = m.tex_type.iter().position(|kind| *kind == texture::SKYBOX);
        let used = |t: usize| skybox == Some(t) || m.mat_texid.contains(&(t as i32));
        let (mut binds, mut notices) = (Vec::new(), Vec::new());
        for t in 0..m.sizes.ntex {
            if !used(t) {
                binds.push(None);
                continue;
            }
            let name = m.name(Kind::Texture, t).map_or_else(|| t.to_string(), |n| format!("'{n}'"));
            let flat = m.tex_type[t] == texture::FLAT;
            match pixels(gpu, m, t, flat) {
                Err(why) => {
                    notices.push(format!("texture {name} {why}"));
                    binds.push(None);
                }
                Ok(image) => {
                    let texture = gpu.checked(&format!("memory for texture {name}"), || {
                        upload(gpu, &image, if flat { 1 } else { 6 })
                    })?;
                    binds.push(Some(if flat { bind(&texture, &cube) } else { bind(&white, &texture) }));
                }
            }
        }
        Ok(Self { plain: bind(&white, &cube), binds, skybox, notices })
    }

    /// Bind group of a texture; the plain one where it has no pixels.
    pub(super) fn bind(&self, texture: Option<usize>) -> &wgpu::BindGroup {
        texture.and_then(|t| self.binds.get(t)?.as_ref()).unwrap_or(&self.plain)
    }
}

/// A texture as a shader reads it.
fn view(texture: &wgpu::Texture, dimension: wgpu::TextureViewDimension) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor { dimension: Some(dimension), ..Default::default() })
}

/// Pixels of a texture in four channels, or why there are none.
fn pixels(gpu: &Gpu, m: &Model, t: usize, flat: bool) -> std::result::Result<Image, String> {
    let [width, height, nchannel] =
        [&m.tex_width, &m.tex_height, &m.tex_nchannel].map(|n| n[t].max(0) as usize);
    let image = match m.textures.get(t).map(|s| s.pixels(flat, width, height, nchannel)) {
        Some(Ok(Some(image))) if image.width > 0 && image.height > 0 => opaque(&image),
        Some(Err(why)) => return Err(format!("{why}: it is drawn in plain colour")),
        _ => return Err("has no pixels: it is drawn in plain colour".to_owned()),
    };
    let most = gpu.device().limits().max_texture_dimension_2d as usize;
    if image.width > most || image.height > most * if flat { 1 } else { 6 } {
        return Err(format!("is larger than the device's {most} pixels a side"));
    }
    Ok(image)
}

/// The same picture in four channels.
fn opaque(image: &Image) -> Image {
    let rgba = |p: &[u8]| match *p {
        [grey] => [grey, grey, grey, u8::MAX],
        [r, g, b] => [r, g, b, u8::MAX],
        [r, g, b, a, ..] => [r, g, b, a],
        _ => [u8::MAX; 4],
    };
    let data = image.data.chunks_exact(image.nchannel.max(1)).flat_map(rgba).collect();
    Image { nchannel: 4, data, ..*image }
}

/// Uploads a picture of four channels whose layers are one below the other, with mipmaps.
fn upload(gpu: &Gpu, image: &Image, layers: u32) -> wgpu::Texture {
    let (width, height) = (image.width as u32, image.height as u32 / layers);
    let levels = 32 - width.max(height).leading_zeros();
    let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: Some("texture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: layers },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for layer in 0..layers {
        let bytes = 4 * (width * height) as usize;
        let mut level = Image {
            width: width as usize,
            height: height as usize,
            nchannel: 4,
            data: image.data[layer as usize * bytes..][..bytes].to_vec(),
        };
        for mip in 0..levels {
            let (w, h) = (level.width as u32, level.height as u32);
            gpu.queue().write_texture(
                wgpu::TexelCopyTextureInfo {
                    texture: &texture,
                    mip_level: mip,
                    origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
                    aspect: wgpu::TextureAspect::All,
                },
                &level.data,
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(4 * w),
                    rows_per_image: Some(h),
                },
                wgpu::Extent3d { width: w, height: h, depth_or_array_layers: 1 },
            );
            level = halved(&level);
        }
    }
    texture
}

/// A picture of half the size: means of four pixels.
fn halved(image: &Image) -> Image {
    let (width, height) = ((image.width / 2).max(1), (image.height / 2).max(1));
    let mut data = Vec::with_capacity(4 * width * height);
    for r in 0..height {
        for c in 0..width {
            let at = |dr: usize, dc: usize| {
                image.pixel((2 * r + dr).min(image.height - 1), (2 * c + dc).min(image.width - 1))
            };
            let four = [at(0, 0), at(0, 1), at(1, 0), at(1, 1)];
            data.extend((0..4).map(|k| {
                let sum: u32 = four.iter().map(|p| u32::from(p[k])).sum();
                ((sum + 2) / 4) as u8
            }));
        }
    }
    Image { width, height, nchannel: 4, data }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mipmaps_are_means() {
        let image = Image { width: 3, height: 2, nchannel: 1, data: vec![0, 100, 7, 100, 200, 9] };
        let half = halved(&opaque(&image));
        assert_eq!((half.width, half.height), (1, 1));
        assert_eq!(half.data, [100, 100, 100, 255]);
    }
}
