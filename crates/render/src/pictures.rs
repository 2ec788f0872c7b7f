//! Pictures of the worlds of a batch.

use super::camera::Camera;
use super::canvas::Canvas;
use super::decorate::{decorate, needs_data};
use super::renderer::Renderer;
use super::shape::Shape;
use super::view::{Subject, View};
use super::visuals::Visuals;
use manyworlds::batch::Batch;
use manyworlds::cpu::run_stage;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{AdapterPreference, Gpu};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::Kind;
use manyworlds::schema::stages::Stage;

/// What a picture is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Colours.
    Color,
    /// Distances along the axis of the camera, m.
    Depth,
    /// Objects.
    Objects,
}

/// Pictures of several worlds, one after the other, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub enum Images {
    /// `[world, height, width, 3]`, bytes.
    Color(Vec<u8>),
    /// `[world, height, width]`, m; infinite for the background.
    Depth(Vec<f32>),
    /// `[world, height, width]`; `None` for the background.
    Objects(Vec<Option<(Kind, usize)>>),
}

/// Draws worlds of a batch: on its device where it has one, without a way through the host.
#[derive(Debug)]
pub struct BatchRenderer {
    renderer: Renderer,
    canvas: Option<Canvas>,
    /// What is drawn.
    pub visuals: Visuals,
    /// Samples of a pixel, 1 or 4.
    pub samples: u32,
}

impl BatchRenderer {
    /// For the worlds of a batch. On the CPU backend, pictures are drawn by the best adapter, software or not.
    ///
    /// # Errors
    /// [`Error::Device`] if there is no adapter, or it is too small for the model.
    pub fn new(batch: &mut Batch) -> Result<Self> {
        let gpu = match batch.on_device() {
            Some(worlds) => worlds.gpu().clone(),
            None => Gpu::open(AdapterPreference::Any)?,
        };
        let samples = if batch.model().vis_quality_offsamples[0] > 1 { 4 } else { 1 };
        let renderer = Renderer::new(&gpu, batch.shared_model())?;
        Ok(Self { renderer, canvas: None, visuals: Visuals::default(), samples })
    }

    /// The renderer.
    pub fn renderer(&mut self) -> &mut Renderer {
        &mut self.renderer
    }

    /// Takes the poses of worlds as they are now, and what is shown beside them.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world that the batch does not have; [`Error::Device`] if the device is lost.
    pub fn aim(&mut self, batch: &mut Batch, worlds: &[usize]) -> Result<Vec<Vec<Shape>>> {
        if let Some(bad) = worlds.iter().find(|w| **w >= batch.worlds()) {
            return Err(Error::Argument(format!(
                "there is no world {bad}: the batch has {}",
                batch.worlds()
            )));
        }
        // no call may be made again for what is drawn
        batch.wait()?;
        let near = batch.on_device().is_some_and(|gpu| self.renderer.can_gather(gpu));
        let wants = needs_data(batch.model(), &self.visuals);
        let mut data = Vec::new();
        if !near || wants {
            data = worlds.iter().map(|&w| batch.world(w)).collect::<Result<Vec<_>>>()?;
            // kernels keep what they need: the rest follows from the state
            if near {
                data.iter_mut().for_each(|d| place(batch.model(), d));
            }
        }
        match batch.on_device().filter(|_| near) {
            Some(gpu) => self.renderer.gather(gpu, worlds)?,
            None => self.renderer.upload(&data.iter().collect::<Vec<_>>())?,
        }
        let mut shapes = vec![Vec::new(); worlds.len()];
        if wants {
            for (to, data) in shapes.iter_mut().zip(&data) {
                *to = decorate(batch.model(), data, &self.visuals);
            }
        }
        Ok(shapes)
    }

    /// Pictures of `width` by `height` pixels of worlds as they are now, in one submission or, where they do not fit on a
    /// surface of the device, several.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown world or a size that the device does not have; [`Error::Device`] if the device
    /// is lost or out of memory.
    pub fn take(
        &mut self,
        batch: &mut Batch,
        worlds: &[usize],
        camera: Camera,
        [width, height]: [u32; 2],
        content: Content,
    ) -> Result<Images> {
        let shapes = self.aim(batch, worlds)?;
        let views: Vec<View> = (0..worlds.len())
            .zip(shapes)
            .map(|(place, shapes)| View {
                rect: [0, 0, width, height],
                camera,
                subjects: vec![Subject::plain(place)],
                shapes,
            })
            .collect();
        self.develop(&views, [width, height], content)
    }

    /// Pictures of views, each alone on `width` by `height` pixels.
    ///
    /// # Errors
    /// As [`BatchRenderer::take`].
    pub fn develop(&mut self, views: &[View], [width, height]: [u32; 2], content: Content) -> Result<Images> {
        let most = self.renderer.gpu().device().limits().max_texture_dimension_2d;
        // as square as possible
        let fits = |n: u32| (most / n.max(1)).max(1);
        let wanted = (views.len() as f64 * f64::from(height) / f64::from(width.max(1))).sqrt().ceil() as u32;
        let columns = wanted.clamp(1, fits(width)).min(views.len() as u32).max(1);
        let rows = (views.len() as u32).div_ceil(columns).clamp(1, fits(height));
        let mut all = match content {
            Content::Color => Images::Color(Vec::new()),
            Content::Depth => Images::Depth(Vec::new()),
            Content::Objects => Images::Objects(Vec::new()),
        };
        for chunk in views.chunks((columns * rows) as usize) {
            let placed: Vec<View> = chunk
                .iter()
                .zip(0..)
                .map(|(view, k): (_, u32)| View {
                    rect: [width * (k % columns), height * (k / columns), width, height],
                    ..view.clone()
                })
                .collect();
            let samples = if content == Content::Color { self.samples } else { 1 };
            let canvas = self.canvas_of(columns * width, rows * height, samples)?;
            match &mut all {
                Images::Color(to) => {
                    self.renderer.draw(&canvas, &placed, &self.visuals)?;
                    cut(&canvas.read_color()?, &placed, canvas.width(), to);
                }
                images => {
                    self.renderer.draw_objects(&canvas, &placed, &self.visuals)?;
                    for (objects, depths) in self.renderer.read_views(&canvas, &placed)? {
                        match images {
                            Images::Depth(to) => to.extend(depths),
                            Images::Objects(to) => to.extend(objects),
                            Images::Color(_) => {}
                        }
                    }
                }
            }
            self.canvas = Some(canvas);
        }
        Ok(all)
    }

    /// The canvas of before, if it has this size, else a new one.
    fn canvas_of(&mut self, width: u32, height: u32, samples: u32) -> Result<Canvas> {
        let same = |c: &Canvas| (c.width(), c.height(), c.samples()) == (width, height, samples);
        match self.canvas.take().filter(same) {
            Some(canvas) => Ok(canvas),
            None => Canvas::new(self.renderer.gpu(), width, height, samples),
        }
    }
}

/// Pictures of a [`Batch`] in one call.
pub trait RenderBatch {
    /// Pictures of worlds as they are now, `[world, height, width, 3]` bytes, rows from the top, one submission for all that
    /// fit on a surface of the device. What draws them is kept for the next call; a [`BatchRenderer`] of one's own draws other
    /// things than the usual.
    ///
    /// ```no_run
    /// use manyworlds::prelude::*;
    /// use manyworlds_render::{Camera, RenderBatch};
    ///
    /// # fn main() -> Result<()> {
    /// let model = load("models/humanoid.xml")?;
    /// let mut batch = Batch::new(&model, 256, &BatchOptions::default())?;
    /// batch.step(100)?;
    /// let worlds: Vec<usize> = (0..256).collect();
    /// let pixels = batch.render(&worlds, Camera::parse("track", &model)?, 64, 64)?;
    /// assert_eq!(pixels.len(), 256 * 64 * 64 * 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`BatchRenderer::new`] and [`BatchRenderer::take`].
    fn render(&mut self, worlds: &[usize], camera: Camera, width: u32, height: u32) -> Result<Vec<u8>>;

    /// Calls a function with the renderer that is kept for this batch.
    ///
    /// # Errors
    /// As [`BatchRenderer::new`], and those of the function.
    fn with_renderer<R>(
        &mut self,
        call: impl FnOnce(&mut BatchRenderer, &mut Self) -> Result<R>,
    ) -> Result<R>;
}

impl RenderBatch for Batch {
    fn render(&mut self, worlds: &[usize], camera: Camera, width: u32, height: u32) -> Result<Vec<u8>> {
        self.with_renderer(|batch_renderer, batch| {
            match batch_renderer.take(batch, worlds, camera, [width, height], Content::Color)? {
                Images::Color(bytes) => Ok(bytes),
                Images::Depth(_) | Images::Objects(_) => Ok(Vec::new()),
            }
        })
    }

    fn with_renderer<R>(
        &mut self,
        call: impl FnOnce(&mut BatchRenderer, &mut Self) -> Result<R>,
    ) -> Result<R> {
        let kept = self.companion().take().and_then(|kept| kept.downcast::<BatchRenderer>().ok());
        let mut batch_renderer = match kept {
            Some(batch_renderer) => batch_renderer,
            None => Box::new(BatchRenderer::new(self)?),
        };
        let done = call(&mut batch_renderer, self);
        *self.companion() = Some(batch_renderer);
        done
    }
}

/// Computes all positions of a world from its state.
fn place(m: &Model, d: &mut Data) {
    for stage in [Stage::kinematics, Stage::com_pos] {
        run_stage(stage, m, d);
    }
}

/// Appends the colours of each view, three bytes a pixel.
fn cut(pixels: &[u8], views: &[View], width: u32, to: &mut Vec<u8>) {
    for View { rect: [x, y, w, h], .. } in views {
        for row in *y..y + h {
            let at = 4 * (row * width + x) as usize;
            to.extend(pixels[at..at + 4 * *w as usize].chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]));
        }
    }
}
