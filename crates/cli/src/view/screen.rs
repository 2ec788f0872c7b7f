//! The window's surface on the device, and the panels and the picture on it.

use std::path::Path;
use std::sync::Arc;

use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, instance, wgpu};
use winit::window::Window;

/// A window's surface and what draws on it.
pub(super) struct Screen {
    instance: wgpu::Instance,
    window: Arc<Window>,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    gpu: Gpu,
    painter: Renderer,
    /// The texture of the picture.
    picture: Option<egui::TextureId>,
    /// Textures that no frame after the next one needs.
    unused: Vec<egui::TextureId>,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// It is on the screen.
    Yes,
    /// Nobody would see it: the window is hidden, or being resized.
    No,
}

/// What draws without a window.
const INSTEAD: &str = "`manyworlds render` draws without a window";

/// Error of something that could not be made for the window.
fn device(what: &str, why: impl std::fmt::Display) -> Error {
    Error::device(format!("{what}: {why}")).with_note(INSTEAD)
}

/// The same, with the error of the driver's interface.
fn device_from(what: &str, why: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::device_from(what, why).with_note(INSTEAD)
}

impl Screen {
    /// A surface on the best adapter that can draw into a window.
    ///
    /// # Errors
    /// [`Error::Device`] if there is none, or if it refuses the surface.
    pub(super) fn new(window: Arc<Window>) -> Result<Self> {
        let instance = instance();
        let surface = instance.create_surface(Arc::clone(&window)).map_err(|e| {
            device_from("no adapter can draw into this window, `manyworlds doctor` lists what there is", e)
        })?;
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(&surface),
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options)).map_err(|e| {
            device_from("no adapter can draw into this window, `manyworlds doctor` lists what there is", e)
        })?;
        let gpu = Gpu::from_adapter(&adapter)?;
        let [width, height] = size(&window);
        let mut config = surface
            .get_default_config(&adapter, width, height)
            .ok_or_else(|| device("the adapter refuses the window", gpu.adapter()))?;
        // colours come as they are to be shown
        let formats = surface.get_capabilities(&adapter).formats;
        let plain = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Rgba8Unorm];
        config.format = formats.iter().copied().find(|f| plain.contains(f)).unwrap_or(config.format);
        config.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(gpu.device(), &config);
        let options = RendererOptions { dithering: false, ..RendererOptions::default() };
        let painter = Renderer::new(gpu.device(), config.format, options);
        Ok(Self { instance, window, surface, config, gpu, painter, picture: None, unused: Vec::new() })
    }

    /// The device of the window, which everything else shares.
    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Largest side of a texture.
    pub(super) fn max_side(&self) -> usize {
        self.gpu.device().limits().max_texture_dimension_2d as usize
    }

    /// Shows a texture of some pixels as the picture from now on; its number in panels.
    pub(super) fn set_picture(&mut self, texture: &wgpu::Texture) -> egui::TextureId {
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let (device, filter) = (self.gpu.device(), wgpu::FilterMode::Linear);
        let id = match self.picture {
            Some(id) => {
                self.painter.update_egui_texture_from_wgpu_texture(device, &view, filter, id);
                id
            }
            None => self.painter.register_native_texture(device, &view, filter),
        };
        self.picture = Some(id);
        id
    }

    /// Draws a frame of the panels from their shapes, `scale` pixels a point; into a file too, if one is given.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost, [`Error::Io`] if the file cannot be written.
    pub(super) fn paint(
        &mut self,
        shapes: Vec<egui::epaint::ClippedShape>,
        scale: f32,
        ctx: &egui::Context,
        shot: Option<&Path>,
    ) -> Result<Presented> {
        let jobs = ctx.tessellate(shapes, scale);
        let shown = self.present(&jobs, scale)?;
        self.unused.drain(..).for_each(|id| self.painter.free_texture(&id));
        if let Some(path) = shot {
            self.save(&jobs, scale, path)?;
        }
        Ok(shown)
    }

    /// Takes what has become of the textures of the panels: glyphs above all.
    pub(super) fn take_textures(&mut self, delta: &mut egui::TexturesDelta) {
        for (id, deltas) in &delta.set {
            let (device, queue) = (self.gpu.device(), self.gpu.queue());
            deltas.iter().for_each(|delta| self.painter.update_texture(device, queue, *id, delta));
        }
        // the next frame still draws with these
        self.unused.extend(delta.free.iter().copied());
        delta.clear();
    }

    /// Draws the panels into the window.
    fn present(&mut self, jobs: &[egui::ClippedPrimitive], scale: f32) -> Result<Presented> {
        use wgpu::CurrentSurfaceTexture as Current;
        let [width, height] = size(&self.window);
        if self.window.inner_size().width == 0 || self.window.inner_size().height == 0 {
            return Ok(Presented::No);
        }
        if [self.config.width, self.config.height] != [width, height] {
            (self.config.width, self.config.height) = (width, height);
            self.surface.configure(self.gpu.device(), &self.config);
        }
        let frame = match self.surface.get_current_texture() {
            Current::Success(frame) | Current::Suboptimal(frame) => frame,
            Current::Outdated => {
                self.surface.configure(self.gpu.device(), &self.config);
                return Ok(Presented::No);
            }
            Current::Lost => {
                self.surface = self
                    .instance
                    .create_surface(Arc::clone(&self.window))
                    .map_err(|e| device_from("the window was lost", e))?;
                self.surface.configure(self.gpu.device(), &self.config);
                return Ok(Presented::No);
            }
            Current::Timeout | Current::Occluded => return Ok(Presented::No),
            Current::Validation => return Err(self::device("the window", "the driver refuses its surface")),
        };
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.draw(jobs, scale, [frame.texture.width(), frame.texture.height()], &view);
        self.window.pre_present_notify();
        self.gpu.queue().present(frame);
        Ok(Presented::Yes)
    }

    /// Draws the panels onto something.
    fn draw(&mut self, jobs: &[egui::ClippedPrimitive], scale: f32, size: [u32; 2], to: &wgpu::TextureView) {
        let (device, queue) = (self.gpu.device(), self.gpu.queue());
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point: scale };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut all = self.painter.update_buffers(device, queue, &mut encoder, jobs, &screen);
        {
            let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("panels"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: to,
                    resolve_target: None,
                    depth_slice: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            self.painter.render(&mut pass.forget_lifetime(), jobs, &screen);
        }
        all.push(encoder.finish());
        queue.submit(all);
    }

    /// Draws the panels into a PNG file.
    fn save(&mut self, jobs: &[egui::ClippedPrimitive], scale: f32, path: &Path) -> Result<()> {
        let size = [self.config.width, self.config.height];
        let texture = self.gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: Some("picture of the window"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.config.format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.draw(jobs, scale, size, &view);
        let mut pixels = self.read(&texture)?;
        let swapped = [wgpu::TextureFormat::Bgra8Unorm, wgpu::TextureFormat::Bgra8UnormSrgb];
        if swapped.contains(&self.config.format) {
            pixels.chunks_exact_mut(4).for_each(|p| p.swap(0, 2));
        }
        pixels.chunks_exact_mut(4).for_each(|p| p[3] = 255);
        write_png(path, size, &pixels)
    }

    /// Pixels of a texture of four bytes a pixel.
    fn read(&self, texture: &wgpu::Texture) -> Result<Vec<u8>> {
        let (width, height) = (texture.width(), texture.height());
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let (device, queue) = (self.gpu.device(), self.gpu.queue());
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture of the window"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        queue.submit([encoder.finish()]);
        buffer.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.gpu.wait()?;
        let bytes = buffer.slice(..).get_mapped_range();
        let bytes = bytes.map_err(|e| Error::device_from("the picture of the window cannot be read", e))?;
        Ok(bytes.chunks_exact(row as usize).flat_map(|line| line[..4 * width as usize].to_vec()).collect())
    }
}

/// Size of a window in pixels, at least one each.
fn size(window: &Window) -> [u32; 2] {
    let size = window.inner_size();
    [size.width.max(1), size.height.max(1)]
}

/// Writes pixels of four bytes as a PNG file.
fn write_png(path: &Path, [width, height]: [u32; 2], pixels: &[u8]) -> Result<()> {
    let fail = |reason: String| Error::io(path.to_owned(), reason);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let done = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    done.map_err(|e| fail(e.to_string()))?;
    std::fs::write(path, bytes).map_err(|e| fail(e.to_string()))
}
