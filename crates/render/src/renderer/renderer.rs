//! The renderer of a model: what is on the device before a picture is drawn, and the poses of worlds.

use std::ops::Range;
use std::sync::Arc;

use super::cameras::model_cameras;
use super::inputs::Inputs;
use super::lights::{casts, lights};
use super::mirrors::Reflections;
use super::shadows::Shadows;
use crate::buffers::filled;
use crate::canvas::{COLOR, DEPTH, DRAWN_AND_READ, texture};
use crate::flexes::surface;
use crate::frame::Frame;
use crate::geometry::{Geometry, Vertex};
use crate::layouts::MAX_SHADOWS;
use crate::pipelines::Pipelines;
use crate::scene::Scene;
use crate::skins::{Skins, corners};
use crate::textures::Textures;
use crate::visuals::Visuals;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, GpuBatch, wgpu};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::light;

/// Draws worlds of one model on one device.
#[derive(Debug)]
pub struct Renderer {
    pub(super) gpu: Gpu,
    pub(super) model: Arc<Model>,
    pub(super) geometry: Geometry,
    pub(super) vertices: wgpu::Buffer,
    pub(super) indices: wgpu::Buffer,
    /// Places of the skins' indices, and the first vertex of each.
    pub(super) skin_ranges: Vec<DeformedRange>,
    /// The same of the flexes; empty for those of lines.
    pub(super) flex_ranges: Vec<DeformedRange>,
    pub(super) frame: Frame,
    pub(super) skins: Skins,
    pub(super) textures: Textures,
    pub(super) pipelines: Pipelines,
    pub(super) lights: wgpu::Buffer,
    pub(super) light_count: usize,
    pub(super) shadow_count: usize,
    pub(super) cameras: wgpu::Buffer,
    pub(super) scene: Scene,
    /// What the scene was made for.
    pub(super) visuals: Option<Visuals>,
    pub(super) inputs: Inputs,
    pub(super) shadows: Shadows,
    pub(super) reflections: Reflections,
    /// In the place of shadows and reflections, where there are none.
    pub(super) none: [wgpu::Texture; 2],
}

/// Places of the indices of a skin or flex, and its first vertex.
pub(super) type DeformedRange = (Range<u32>, i32);

/// Triangles on the device: those of shapes, and behind them the skins and the flexes.
struct Triangles {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    skin_ranges: Vec<DeformedRange>,
    flex_ranges: Vec<DeformedRange>,
}

impl Triangles {
    fn of(model: &Model, geometry: &Geometry) -> Self {
        let (mut vertices, mut indices) = (geometry.vertices.clone(), geometry.indices.clone());
        let mut add = |(more, list): (Vec<Vertex>, Vec<u32>)| {
            let (first, base) = (indices.len() as u32, vertices.len() as i32);
            vertices.extend(more);
            indices.extend(list);
            (first..indices.len() as u32, base)
        };
        let skin_ranges = (0..model.sizes.nskin).map(|skin| add(corners(model, skin))).collect();
        let flex_ranges = (0..model.sizes.nflex).map(|flex| add(surface(model, flex))).collect();
        Self { vertices, indices, skin_ranges, flex_ranges }
    }

    /// Fails for more bytes than a buffer of the device has.
    fn check(&self, gpu: &Gpu) -> Result<()> {
        let limit = gpu.adapter().buffer_bytes;
        let bytes = (size_of_val(self.vertices.as_slice()) as u64).max(4 * self.indices.len() as u64);
        if bytes > limit {
            return Err(Error::device(format!(
                "the shapes of the model take {bytes} bytes, more than a buffer of {}: {limit}",
                gpu.adapter()
            )));
        }
        Ok(())
    }
}

impl Renderer {
    /// A renderer of a model. What of it cannot be shown is in [`Renderer::notices`].
    ///
    /// # Errors
    /// [`Error::Device`] if the device is too small for the model, or refuses a shader.
    pub fn new(gpu: &Gpu, model: impl Into<Arc<Model>>) -> Result<Self> {
        let shared = model.into();
        let model = &*shared;
        let pipelines = Pipelines::new(gpu)?;
        let textures = Textures::new(gpu, &pipelines.groups[2], model)?;
        let geometry = Geometry::of(model);
        let triangles = Triangles::of(model, &geometry);
        triangles.check(gpu)?;
        let frame = Frame::new(gpu, model)?;
        let skins = Skins::new(gpu, model)?;
        let (lights, shadow_count) = lights(model);
        let cameras = model_cameras(model);
        let storage = wgpu::BufferUsages::STORAGE;
        gpu.checked("memory for the shapes of the model", || {
            let filled = |label, bytes: &[u8], usage| filled(gpu, label, bytes, usage);
            let Triangles { vertices, indices, skin_ranges, flex_ranges } = triangles;
            Self {
                gpu: gpu.clone(),
                model: Arc::clone(&shared),
                vertices: filled("vertices", bytemuck::cast_slice(&vertices), wgpu::BufferUsages::VERTEX),
                indices: filled("indices", bytemuck::cast_slice(&indices), wgpu::BufferUsages::INDEX),
                geometry,
                skin_ranges,
                flex_ranges,
                frame,
                skins,
                textures,
                pipelines,
                lights: filled("lights", bytemuck::cast_slice(&lights), storage),
                light_count: lights.len(),
                shadow_count,
                cameras: filled("cameras", bytemuck::cast_slice(&cameras), storage),
                scene: Scene::default(),
                visuals: None,
                inputs: Inputs::new(gpu),
                shadows: Shadows::new(gpu),
                reflections: Reflections::default(),
                none: [DEPTH, COLOR].map(|format| texture(gpu, [1, 1, 1], 1, format, DRAWN_AND_READ)),
            }
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// What of the model is not shown as it says, one line each: textures without pixels, lights beyond the eighth with a
    /// shadow.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = self.textures.notices.clone();
        let wanted = (0..self.model.sizes.nlight).filter(|&l| casts(&self.model, l)).count();
        if wanted > MAX_SHADOWS {
            notices.push(format!(
                "{wanted} lights cast shadows; those after the first {MAX_SHADOWS} are drawn without"
            ));
        }
        let images = self.model.light_type.iter().filter(|kind| **kind == light::IMAGE).count();
        if images > 0 {
            notices.push(format!("{images} lights of type image are left out"));
        }
        notices
    }

    /// Takes the poses of worlds from the host.
    ///
    /// # Errors
    /// [`Error::Argument`] for no world, or data of another model; [`Error::Device`] if memory is missing.
    pub fn upload(&mut self, worlds: &[&Data]) -> Result<()> {
        self.frame.upload(worlds)
    }

    /// Takes the poses of worlds from the buffers of a batch on the same device; nothing passes through the host.
    ///
    /// # Errors
    /// [`Error::Argument`] for no world, one that the batch does not have, or a batch whose kernels do not keep poses;
    /// [`Error::Device`] if memory is missing.
    pub fn gather(&mut self, batch: &GpuBatch, worlds: &[usize]) -> Result<()> {
        if let Some(name) = self.frame.missing(batch) {
            return Err(Error::Argument(format!("the kernels of this model do not keep '{name}'")));
        }
        self.frame.gather(batch, worlds)
    }

    /// True if [`Renderer::gather`] finds in this batch what it needs.
    pub fn can_gather(&self, batch: &GpuBatch) -> bool {
        self.frame.missing(batch).is_none()
    }

    /// Waits until everything that was drawn is there.
    ///
    /// # Errors
    /// [`Error::Device`] if the device was lost.
    pub fn wait(&self) -> Result<()> {
        self.gpu.wait()
    }
}
