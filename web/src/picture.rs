//! The world on a canvas of the page, by WebGPU.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use glam::Vec2;
use manyworlds::analysis::perturb::Mode;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, wgpu};
use manyworlds_render::interaction::{Drag, Pull, pick};
use manyworlds_render::{Camera, Canvas, Flag, Orbit, Renderer, View, Visuals, decorate};
use serde_json::json;
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

use crate::report::thrown;
use crate::simulation::Simulation;

/// What the renderer draws, and what is copied onto the page.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Samples of a pixel on a GPU, and on a processor that stands in for one.
const SAMPLES: [u32; 2] = [4, 1];

/// Most pictures that the device is still drawing when another one is asked for, likewise.
const PENDING: [usize; 2] = [2, 1];

/// A camera before a simulation.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Picture {
    gpu: Gpu,
    surface: wgpu::Surface<'static>,
    /// Pictures are copied to the host: a processor that stands in for a GPU has no way to the screen in some browsers.
    copies: bool,
    /// Pictures that the device is drawing.
    pending: Arc<AtomicUsize>,
    /// Colours of the last picture that was copied.
    pixels: Arc<Mutex<Option<Vec<u8>>>>,
    canvas: Option<Canvas>,
    renderer: Option<Renderer>,
    camera: Option<Camera>,
    visuals: Visuals,
    /// Distance of what is held along the axis of the camera, m.
    depth: f64,
}

/// Width of the arrow from what is held, in mean sizes of bodies, and its colour.
const PULL_WIDTH: f32 = 0.06;
const PULL_COLOR: [f32; 4] = [0.9, 0.45, 0.2, 1.0];

#[wasm_bindgen]
impl Picture {
    /// Opens the browser's device for a canvas, on which it draws; with `copies` the canvas stays empty, and pictures come
    /// from [`Picture::take_pixels`].
    ///
    /// # Errors
    /// A list of problems as JSON where the browser has no WebGPU.
    pub async fn open(element: HtmlCanvasElement, copies: bool) -> std::result::Result<Picture, JsValue> {
        let (gpu, surface) = Gpu::open_canvas(element).await.map_err(thrown)?;
        Ok(Self {
            gpu,
            surface,
            copies,
            pending: Arc::default(),
            pixels: Arc::default(),
            canvas: None,
            renderer: None,
            camera: None,
            visuals: Visuals::default(),
            depth: 0.0,
        })
    }

    /// Colours of the newest picture that was copied, four bytes a pixel from the top, once.
    pub fn take_pixels(&mut self) -> Option<Vec<u8>> {
        self.pixels.lock().ok()?.take()
    }

    /// Shows another model, from its first camera. Returns what of it cannot be shown.
    ///
    /// # Errors
    /// A list of problems as JSON where the device is too small.
    pub fn show(&mut self, simulation: &Simulation) -> std::result::Result<Vec<String>, JsValue> {
        let renderer = Renderer::new(&self.gpu, simulation.shared_model()).map_err(thrown)?;
        let notices = renderer.notices();
        self.camera = Some(Camera::initial(simulation.model()));
        self.renderer = Some(renderer);
        Ok(notices)
    }

    /// The size of the canvas changed, in pixels.
    ///
    /// # Errors
    /// A list of problems as JSON for a size that the device does not have.
    pub fn resize(&mut self, width: u32, height: u32) -> std::result::Result<(), JsValue> {
        let most = self.gpu.device().limits().max_texture_dimension_2d;
        let (width, height) = (width.clamp(1, most), height.clamp(1, most));
        let samples = SAMPLES[usize::from(self.copies)];
        self.canvas = Some(Canvas::new(&self.gpu, width, height, samples).map_err(thrown)?);
        if self.copies {
            return Ok(());
        }
        let config = wgpu::SurfaceConfiguration {
            // what the renderer drew is copied
            usage: wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::RENDER_ATTACHMENT,
            format: FORMAT,
            width,
            height,
            present_mode: wgpu::PresentMode::AutoVsync,
            desired_maximum_frame_latency: 2,
            alpha_mode: wgpu::CompositeAlphaMode::Opaque,
            view_formats: Vec::new(),
            color_space: Default::default(),
        };
        self.surface.configure(self.gpu.device(), &config);
        Ok(())
    }

    /// Draws the world as it is, unless the device is still busy with earlier pictures; true if it was drawn.
    ///
    /// # Errors
    /// A list of problems as JSON where the device is lost.
    pub fn draw(&mut self, simulation: &mut Simulation) -> std::result::Result<bool, JsValue> {
        self.try_draw(simulation).map_err(thrown)
    }

    /// From where: a camera of the model; -1 orbits, -2 follows the body that moves.
    pub fn set_camera(&mut self, camera: i32) {
        let Some(renderer) = &self.renderer else { return };
        let model = renderer.model();
        self.camera = match usize::try_from(camera) {
            Ok(id) if id < model.sizes.ncam => Some(Camera::Fixed(id)),
            _ if camera == -2 => Camera::parse("track", model).ok(),
            _ => Some(Camera::Free(Orbit::of(model))),
        };
    }

    /// The camera as [`Picture::set_camera`] takes it.
    pub fn camera(&self) -> i32 {
        match self.camera {
            Some(Camera::Fixed(id)) => id as i32,
            Some(Camera::Tracking(..)) => -2,
            _ => -1,
        }
    }

    /// Turns the camera by a movement of the pointer, in heights of the canvas. A camera of the model stays where it is.
    pub fn rotate(&mut self, x: f32, y: f32) {
        self.drag(Drag::Rotate, x, y);
    }

    /// Moves the camera with the pointer, in heights of the canvas: across the view, or over the ground.
    pub fn pan(&mut self, x: f32, y: f32, ground: bool) {
        self.drag(if ground { Drag::PanHorizontal } else { Drag::Pan }, x, y);
    }

    /// Moves the camera closer (positive) or away, in notches of a wheel.
    pub fn zoom(&mut self, notches: f32) {
        if let Some(orbit) = self.camera.as_mut().and_then(Camera::orbit_mut) {
            orbit.zoom(notches);
        }
    }

    /// Holds the body below a point of the picture, in widths and heights from its upper left corner. False if there is none
    /// that moves.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn grab(
        &mut self,
        simulation: &mut Simulation,
        x: f32,
        y: f32,
    ) -> std::result::Result<bool, JsValue> {
        let world = simulation.world().map_err(thrown)?;
        let (Some(camera), Some(aspect)) = (self.camera, self.aspect()) else { return Ok(false) };
        let model = simulation.model();
        let Some(picked) = pick(model, &world, &camera, aspect, Vec2::new(x, y)) else { return Ok(false) };
        let mut pull = Pull::default();
        pull.perturb.select(&world, picked.body, picked.point);
        pull.perturb.begin(model, &world, Mode::Translate);
        simulation.pull = pull;
        self.depth = picked.distance;
        Ok(true)
    }

    /// Pulls what is held to a point of the picture, as far from the camera as it was.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn pull(&mut self, simulation: &mut Simulation, x: f32, y: f32) -> std::result::Result<(), JsValue> {
        let world = simulation.world().map_err(thrown)?;
        let (Some(camera), Some(aspect)) = (self.camera, self.aspect()) else { return Ok(()) };
        let (from, along) = camera.ray(simulation.model(), &world, aspect, Vec2::new(x, y));
        simulation.pull.perturb.target = from.as_dvec3() + self.depth * along.as_dvec3();
        Ok(())
    }

    /// What can be switched, as JSON: `name`, `doc` and whether it is `on`.
    pub fn flags(&self) -> String {
        let one =
            |flag: &Flag| json!({ "name": flag.word(), "doc": flag.doc(), "on": self.visuals.has(*flag) });
        Flag::ALL.iter().map(one).collect::<serde_json::Value>().to_string()
    }

    /// Switches a part of the picture by its name.
    ///
    /// # Errors
    /// A list of problems as JSON for an unknown name.
    pub fn set_flag(&mut self, name: &str, on: bool) -> std::result::Result<(), JsValue> {
        self.visuals.set(Flag::parse(name).map_err(thrown)?, on);
        Ok(())
    }
}

impl Picture {
    /// Moves the camera by a movement of the pointer, in heights of the canvas.
    fn drag(&mut self, drag: Drag, x: f32, y: f32) {
        if let (Some(renderer), Some(camera)) = (&self.renderer, &mut self.camera) {
            camera.drag(renderer.model(), drag, Vec2::new(x, y));
        }
    }

    /// Width by height of the canvas.
    fn aspect(&self) -> Option<f32> {
        self.canvas.as_ref().map(|canvas| canvas.width() as f32 / canvas.height() as f32)
    }

    fn try_draw(&mut self, simulation: &mut Simulation) -> Result<bool> {
        let (Some(renderer), Some(canvas), Some(camera)) = (&mut self.renderer, &self.canvas, self.camera)
        else {
            return Ok(false);
        };
        if self.pending.load(Ordering::Relaxed) >= PENDING[usize::from(self.copies)] {
            return Ok(false);
        }
        let world = simulation.world()?;
        renderer.upload(&[&world])?;
        let mut view = View::new([0, 0, canvas.width(), canvas.height()], camera, 0);
        view.shapes = decorate(renderer.model(), &world, &self.visuals);
        if simulation.pull.perturb.mode.is_some() {
            let radius = PULL_WIDTH * renderer.model().stat_meansize[0] as f32;
            view.shapes.extend(simulation.pull.arrow(&world, radius, PULL_COLOR));
        }
        renderer.draw(canvas, &[view], &self.visuals)?;
        if self.copies {
            self.copy(canvas)
        } else {
            self.present(canvas)?
        }
        Ok(true)
    }

    /// Puts a picture on the canvas of the page.
    fn present(&self, canvas: &Canvas) -> Result<()> {
        let target = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture)
            | wgpu::CurrentSurfaceTexture::Suboptimal(texture) => texture,
            other => return Err(Error::device(format!("the canvas gives no picture: {other:?}"))),
        };
        let (device, queue) = (self.gpu.device(), self.gpu.queue());
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let (from, to) = (canvas.texture().as_image_copy(), target.texture.as_image_copy());
        encoder.copy_texture_to_texture(from, to, size(canvas));
        queue.submit([encoder.finish()]);
        queue.present(target);
        self.pending.fetch_add(1, Ordering::Relaxed);
        let pending = Arc::clone(&self.pending);
        queue.on_submitted_work_done(move || {
            pending.fetch_sub(1, Ordering::Relaxed);
        });
        Ok(())
    }

    /// Copies a picture to the host, which has it later.
    fn copy(&self, canvas: &Canvas) {
        let (device, width) = (self.gpu.device(), 4 * canvas.width() as usize);
        let row = (width as u32).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(canvas.height()),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_texture_to_buffer(canvas.texture().as_image_copy(), to, size(canvas));
        self.gpu.queue().submit([encoder.finish()]);
        self.pending.fetch_add(1, Ordering::Relaxed);
        let (copied, pixels, pending) = (buffer.clone(), Arc::clone(&self.pixels), Arc::clone(&self.pending));
        buffer.slice(..).map_async(wgpu::MapMode::Read, move |done| {
            pending.fetch_sub(1, Ordering::Relaxed);
            if done.is_ok()
                && let (Ok(bytes), Ok(mut slot)) = (copied.slice(..).get_mapped_range(), pixels.lock())
            {
                // rows without their padding
                *slot = Some(bytes.chunks_exact(row as usize).flat_map(|r| &r[..width]).copied().collect());
            }
        });
    }
}

/// Size of a canvas.
fn size(canvas: &Canvas) -> wgpu::Extent3d {
    wgpu::Extent3d { width: canvas.width(), height: canvas.height(), depth_or_array_layers: 1 }
}
