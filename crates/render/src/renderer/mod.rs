//! The renderer: worlds of a model, seen by cameras, on a canvas.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::{Mat3, Vec3};

use super::buffers::{bind, empty, filled, fit, refill};
use super::camera::{Camera, Frustum, vec3};
use super::canvas::{Canvas, DEPTH, texture};
use super::frame::Frame;
use super::geometry::Geometry;
use super::pipelines::{Key, Look, Pipelines};
use super::scene::{Group, Instance, Material, Mirror, Scene, WORLD, code, map_textures, object, rgba};
use super::shape::Shape;
use super::skins::{Skins, corners};
use super::textures::Textures;
use super::visuals::{Flag, Visuals, shown};
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, GpuBatch, wgpu};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::{camera, geom, light};

/// Largest side of a view whose round shapes have few triangles, in pixels.
const SMALL: u32 = 128;
/// Most lights with shadows.
const MAX_SHADOWS: usize = 8;
/// Bytes from one draw's parameters to the next: what dynamic offsets are aligned to everywhere.
const DRAW_STRIDE: u64 = 256;
/// Textures that one pass draws and the next reads.
const DRAWN_AND_READ: wgpu::TextureUsages =
    wgpu::TextureUsages::RENDER_ATTACHMENT.union(wgpu::TextureUsages::TEXTURE_BINDING);
/// Sides of the smallest and of the largest picture of a shadow, in pixels.
const SHADOW_SIDES: Range<u32> = 128..4097;

/// A world in a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subject {
    /// Its place in what was [uploaded](Renderer::upload) or [gathered](Renderer::gather).
    pub world: usize,
    /// A colour, and how much of it: 0 none, 1 nothing else.
    pub tint: [f32; 4],
    /// Opacity: below 1, all of it is transparent.
    pub alpha: f32,
}

impl Subject {
    /// A world as it is.
    pub fn plain(world: usize) -> Self {
        Self { world, tint: [0.0; 4], alpha: 1.0 }
    }
}

/// A part of a canvas, and what is to be seen there.
#[derive(Clone, Debug)]
pub struct View {
    /// Left, top, width and height, in pixels of the canvas.
    pub rect: [u32; 4],
    /// From where. Cameras of the model and tracking ones follow the first subject.
    pub camera: Camera,
    /// Worlds; several are drawn into each other.
    pub subjects: Vec<Subject>,
    /// Shapes in the world's frame.
    pub shapes: Vec<Shape>,
}

impl View {
    /// A world in a part of a canvas.
    pub fn new(rect: [u32; 4], camera: Camera, world: usize) -> Self {
        Self { rect, camera, subjects: vec![Subject::plain(world)], shapes: Vec::new() }
    }
}

/// What is below a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The object.
    pub object: (Kind, usize),
    /// Its body.
    pub body: usize,
    /// The world, by its place in what was uploaded.
    pub world: usize,
    /// The point, in the world's frame, m.
    pub pos: Vec3,
}

/// Draws worlds of one model on one device.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    model: Model,
    geometry: Geometry,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    /// Places of the skins' indices, and the first vertex of each.
    skin_ranges: Vec<(Range<u32>, i32)>,
    frame: Frame,
    skins: Skins,
    textures: Textures,
    pipelines: Pipelines,
    lights: wgpu::Buffer,
    light_count: usize,
    shadow_count: usize,
    cameras: wgpu::Buffer,
    scene: Scene,
    /// What the scene was made for.
    visuals: Option<Visuals>,
    buffers: Buffers,
    shadow_map: Option<wgpu::Texture>,
    /// What mirrors show, a layer each, and the depths of one of them.
    reflections: Option<[wgpu::Texture; 2]>,
    /// In the place of shadows and reflections, where there are none.
    none: [wgpu::Texture; 2],
    shadow_sampler: wgpu::Sampler,
}

/// Buffers that are filled for each picture.
#[derive(Debug)]
struct Buffers {
    globals: wgpu::Buffer,
    instances: wgpu::Buffer,
    mirrors: wgpu::Buffer,
    requests: wgpu::Buffer,
    views: wgpu::Buffer,
    lamps: wgpu::Buffer,
    draws: wgpu::Buffer,
}

#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
struct Globals {
    stride: u32,
    xpos: u32,
    xquat: u32,
    com: u32,
    lights: u32,
    flags: u32,
    views: u32,
    mirrors: u32,
    fog: [f32; 4],
    haze: [f32; 4],
    range: [f32; 4],
    texel: f32,
    deformed: u32,
    floor: f32,
    pad: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
struct Light {
    pos: [f32; 4],
    dir: [f32; 4],
    pos0: [f32; 4],
    dir0: [f32; 4],
    ambient: [f32; 4],
    diffuse: [f32; 4],
    specular: [f32; 4],
    attenuation: [f32; 4],
    body: u32,
    mode: u32,
    aim: i32,
    kind: u32,
    shadow: i32,
    spread: f32,
    near: f32,
    far: f32,
}

#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
struct CameraOfModel {
    pos: [f32; 4],
    quat: [f32; 4],
    pos0: [f32; 4],
    axes0: [[f32; 4]; 3],
    body: u32,
    mode: u32,
    aim: i32,
    pad: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
struct MirrorOfScene {
    pos: [f32; 4],
    normal: [f32; 4],
    body: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
struct Request {
    eye: [f32; 4],
    axes: [[f32; 4]; 3],
    frustum: [f32; 4],
    world: u32,
    kind: u32,
    id: u32,
    pad: u32,
    places: [[f32; 4]; MAX_SHADOWS],
}

/// Bytes of a `View` in `scene.wgsl`.
const VIEW_BYTES: usize = 64 + 6 * 16 + 16 + MAX_SHADOWS * (64 + 16);

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Draw {
    tint: [f32; 4],
    view: u32,
    world: u32,
    shadow: u32,
    alpha: f32,
}

/// A square of the atlas of shadows.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: u32,
    y: u32,
    side: u32,
}

impl Renderer {
    /// A renderer of a model. What of it cannot be shown is in [`Renderer::notices`].
    ///
    /// # Errors
    /// [`Error::Device`] if the device is too small for the model, or refuses a shader.
    pub fn new(gpu: &Gpu, model: &Model) -> Result<Self> {
        let pipelines = Pipelines::new(gpu)?;
        let textures = Textures::new(gpu, &pipelines.groups[2], model)?;
        let geometry = Geometry::of(model);
        // skins behind the other shapes
        let (mut vertices, mut indices) = (geometry.vertices.clone(), geometry.indices.clone());
        let mut skin_ranges = Vec::new();
        for skin in 0..model.sizes.nskin {
            let (more, list) = corners(model, skin);
            let first = indices.len() as u32;
            skin_ranges.push((first..first + list.len() as u32, vertices.len() as i32));
            vertices.extend(more);
            indices.extend(list);
        }
        let limit = gpu.adapter().buffer_bytes;
        let bytes = (size_of_val(vertices.as_slice()) as u64).max(4 * indices.len() as u64);
        if bytes > limit {
            let text = format!(
                "the shapes of the model take {bytes} bytes, more than a buffer of {}: {limit}",
                gpu.adapter()
            );
            return Err(Error::Device(text));
        }
        let frame = Frame::new(gpu, model)?;
        let skins = Skins::new(gpu, model)?;
        let (lights, shadow_count) = lights(model);
        let cameras: Vec<CameraOfModel> = (0..model.sizes.ncam).map(|c| camera(model, c)).collect();
        let storage = wgpu::BufferUsages::STORAGE;
        gpu.checked("memory for the shapes of the model", || {
            let filled = |label, bytes: &[u8], usage| filled(gpu, label, bytes, usage);
            let empty = |label, bytes, usage| empty(gpu, label, bytes, usage);
            Self {
                gpu: gpu.clone(),
                model: model.clone(),
                vertices: filled("vertices", bytemuck::cast_slice(&vertices), wgpu::BufferUsages::VERTEX),
                indices: filled("indices", bytemuck::cast_slice(&indices), wgpu::BufferUsages::INDEX),
                geometry,
                skin_ranges,
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
                buffers: Buffers {
                    globals: empty("globals", size_of::<Globals>(), wgpu::BufferUsages::UNIFORM),
                    instances: empty("instances", size_of::<Instance>(), storage),
                    mirrors: empty("mirrors", size_of::<MirrorOfScene>(), storage),
                    requests: empty("requests", size_of::<Request>(), storage),
                    views: empty("views", VIEW_BYTES, storage),
                    lamps: empty("lamps", 32, storage),
                    draws: empty("draws", DRAW_STRIDE as usize, wgpu::BufferUsages::UNIFORM),
                },
                shadow_map: None,
                reflections: None,
                none: [DEPTH, super::canvas::COLOR]
                    .map(|format| texture(gpu, [1, 1, 1], 1, format, DRAWN_AND_READ)),
                shadow_sampler: gpu.device().create_sampler(&wgpu::SamplerDescriptor {
                    label: Some("shadow"),
                    mag_filter: wgpu::FilterMode::Linear,
                    min_filter: wgpu::FilterMode::Linear,
                    compare: Some(wgpu::CompareFunction::LessEqual),
                    ..Default::default()
                }),
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

    /// Draws the views in colour.
    ///
    /// # Errors
    /// [`Error::Argument`] for a view outside the canvas, or of a world that was not uploaded; [`Error::Device`] if the
    /// device is lost or out of memory.
    pub fn draw(&mut self, canvas: &Canvas, views: &[View], visuals: &Visuals) -> Result<()> {
        self.picture(canvas, views, visuals, false)
    }

    /// Draws the views as numbers of objects, and their depths.
    ///
    /// # Errors
    /// As [`Renderer::draw`].
    pub fn draw_objects(&mut self, canvas: &Canvas, views: &[View], visuals: &Visuals) -> Result<()> {
        self.picture(canvas, views, visuals, true)
    }

    /// The objects and depths in each of several views, row by row from the top, after [`Renderer::draw_objects`], in one
    /// copy: `None` for the background; depths in m along the axis of the camera, infinite for the background.
    ///
    /// # Errors
    /// [`Error::Device`] if the device was lost.
    #[allow(clippy::type_complexity)]
    pub fn read_views(
        &self,
        canvas: &Canvas,
        views: &[View],
    ) -> Result<Vec<(Vec<Option<(Kind, usize)>>, Vec<f32>)>> {
        let (codes, depths) = canvas.read_objects([0, 0, canvas.width(), canvas.height()])?;
        let line = canvas.width() as usize;
        let cut = |view: &View| {
            let [x, y, width, height] = view.rect.map(|n| n as usize);
            let frustum = self.frustum(view);
            let pixels = (y..y + height).flat_map(|row| row * line + x..row * line + x + width);
            // nothing, where nothing was drawn
            let at = |i: usize| {
                let depth = depths.get(i).copied().unwrap_or(0.0);
                (codes.get(i).copied().and_then(object), frustum.distance(depth))
            };
            pixels.map(at).unzip()
        };
        Ok(views.iter().map(cut).collect())
    }

    /// What is below a pixel of a view.
    ///
    /// # Errors
    /// As [`Renderer::draw`].
    pub fn pick(
        &mut self,
        canvas: &Canvas,
        view: &View,
        x: u32,
        y: u32,
        visuals: &Visuals,
    ) -> Result<Option<Hit>> {
        let [left, top, width, height] = view.rect;
        if x < left || y < top || x >= left + width || y >= top + height {
            return Ok(None);
        }
        // the nearest world of those that are drawn into each other
        let mut nearest: Option<(f32, Hit)> = None;
        for subject in &view.subjects {
            let one = View { subjects: vec![*subject], ..view.clone() };
            self.draw_objects(canvas, std::slice::from_ref(&one), visuals)?;
            let (codes, depths) = canvas.read_objects([x, y, 1, 1])?;
            let (Some(&code), Some(&depth)) = (codes.first(), depths.first()) else { continue };
            let Some(found) = object(code) else { continue };
            let frustum = self.frustum(view);
            let distance = frustum.distance(depth);
            if nearest.as_ref().is_some_and(|(d, _)| *d <= distance) {
                continue;
            }
            // from the pixel back into the world
            let (eye, axes) = self.pose(view)?;
            let ndc = glam::Vec2::new(
                2.0 * (x - left) as f32 / width as f32 + 1.0 / width as f32 - 1.0,
                1.0 - 2.0 * (y - top) as f32 / height as f32 - 1.0 / height as f32,
            );
            let plane = frustum.center + ndc * frustum.half;
            let plane = if frustum.orthographic { plane } else { plane * (distance / frustum.near) };
            let pos = eye + axes * plane.extend(-distance);
            let body = self.body_of(found);
            nearest = Some((distance, Hit { object: found, body, world: subject.world, pos }));
        }
        Ok(nearest.map(|(_, hit)| hit))
    }

    /// Body of an object; the world's for what has none.
    fn body_of(&self, (kind, id): (Kind, usize)) -> usize {
        self.model.body_of(kind, id).unwrap_or(0)
    }

    fn frustum(&self, view: &View) -> Frustum {
        let aspect = view.rect[2] as f32 / view.rect[3].max(1) as f32;
        Frustum::of(&view.camera, &self.model, aspect)
    }

    /// Position and axes of a view's camera, as the device has computed them for the last picture.
    fn pose(&self, view: &View) -> Result<(Vec3, Mat3)> {
        if let Camera::Free(orbit) = view.camera {
            return Ok((orbit.eye(), orbit.axes()));
        }
        // the eye and the axes behind the matrix of the first view
        let words = self.read_words(&self.buffers.views, 64, 16)?;
        let v = |i: usize| Vec3::new(words[4 * i], words[4 * i + 1], words[4 * i + 2]);
        Ok((v(0), Mat3::from_cols(v(1), v(2), v(3))))
    }

    fn read_words(&self, from: &wgpu::Buffer, offset: u64, words: usize) -> Result<Vec<f32>> {
        let bytes = 4 * words as u64;
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let to = self.gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: bytes,
            usage,
            mapped_at_creation: false,
        });
        let mut encoder =
            self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(from, offset, &to, 0, bytes);
        let submission = self.gpu.queue().submit([encoder.finish()]);
        to.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.gpu.wait_for(submission)?;
        let mapped = to.slice(..).get_mapped_range();
        let mapped = mapped.map_err(|e| Error::Device(format!("{}: {e}", self.gpu.adapter())))?;
        Ok(bytemuck::pod_collect_to_vec::<u8, f32>(&mapped))
    }

    /// Waits until everything that was drawn is there.
    ///
    /// # Errors
    /// [`Error::Device`] if the device was lost.
    pub fn wait(&self) -> Result<()> {
        self.gpu.wait()
    }

    fn picture(&mut self, canvas: &Canvas, views: &[View], visuals: &Visuals, objects: bool) -> Result<()> {
        self.check(canvas, views)?;
        if visuals.has(Flag::Wireframe) && !objects && !self.pipelines.has_wireframes() {
            let text = format!("{} draws no wireframes", self.gpu.adapter());
            return Err(Error::Argument(text));
        }
        if self.visuals.as_ref() != Some(visuals) {
            self.scene = Scene::of(&self.model, visuals);
            self.add_skins(visuals);
            map_textures(&mut self.scene, &self.model);
            self.visuals = Some(visuals.clone());
        }
        // shapes of views behind the instances of the scene
        let mut instances = self.scene.instances.clone();
        let mut shapes = Vec::with_capacity(views.len());
        for view in views {
            let scene = Scene::shapes(&view.shapes, instances.len() as u32);
            instances.extend(&scene.instances);
            shapes.push(scene.groups);
        }
        let shadows = if objects || !visuals.has(Flag::Shadow) { 0 } else { self.shadow_count };
        let mirrors = if objects || !visuals.has(Flag::Reflection) { 0 } else { self.scene.mirrors.len() };
        let (places, atlas) = self.place_shadows(views, shadows);
        let draws = draws(views, shadows, mirrors);
        self.fill(&instances, views, &places, atlas, &draws, visuals, shadows, mirrors)?;
        if mirrors > 0 {
            self.fit_reflections(canvas, mirrors)?;
        }
        self.record(canvas, views, &shapes, &places, visuals, shadows, mirrors, objects)
    }

    fn check(&self, canvas: &Canvas, views: &[View]) -> Result<()> {
        for view in views {
            let [x, y, width, height] = view.rect;
            let inside =
                |at: u32, n: u32, most: u32| n > 0 && at.checked_add(n).is_some_and(|end| end <= most);
            if !inside(x, width, canvas.width()) || !inside(y, height, canvas.height()) {
                let (w, h) = (canvas.width(), canvas.height());
                let text = format!("a view of {width} x {height} pixels at {x}, {y} is not within {w} x {h}");
                return Err(Error::Argument(text));
            }
            let (worlds, none) = (self.frame.worlds(), view.subjects.is_empty());
            if let Some(bad) = view.subjects.iter().find(|s| s.world >= worlds) {
                return Err(Error::Argument(format!(
                    "there is no world {}: {worlds} were uploaded",
                    bad.world
                )));
            }
            if none {
                return Err(Error::Argument("a view shows at least one world".to_owned()));
            }
            if let Camera::Fixed(id) = view.camera
                && id >= self.model.sizes.ncam
            {
                let ncam = self.model.sizes.ncam;
                return Err(Error::Argument(format!("there is no camera {id}: the model has {ncam}")));
            }
        }
        Ok(())
    }

    /// Appends the skins that are shown, as groups of their own.
    fn add_skins(&mut self, visuals: &Visuals) {
        let m = &self.model;
        for skin in 0..m.sizes.nskin {
            if !visuals.has(Flag::Skin) || !shown(&visuals.skins, m.skin_group[skin]) {
                continue;
            }
            let textures = visuals.has(Flag::Texture) && m.skin_texcoordadr[skin] >= 0;
            let material = Material::of(m, m.skin_matid[skin], rgba(&m.skin_rgba, skin), textures);
            let first = self.scene.instances.len() as u32;
            let [specular, shininess, _] = material.gloss;
            self.scene.instances.push(Instance {
                size: [m.skin_inflate[skin] as f32, 0.0, 0.0, 0.0],
                rgba: material.rgba,
                pos: [0.0, 0.0, 0.0, material.emission],
                gloss: [specular, shininess, 0.0, -1.0],
                repeat: [1.0, 1.0, 0.0, 0.0],
                body: WORLD,
                object: code(Some((Kind::Skin, skin))),
                ..Instance::default()
            });
            self.scene.groups.push(Group {
                primitive: super::geometry::PrimitiveMesh::Skin(skin),
                texture: material.texture,
                transparent: material.rgba[3] < 1.0,
                casts: material.rgba[3] >= 1.0,
                first,
                count: 1,
            });
        }
    }

    /// Squares in the atlas of shadows for each view and light, and the side of the atlas.
    fn place_shadows(&self, views: &[View], shadows: usize) -> (Vec<Vec<Place>>, u32) {
        if shadows == 0 {
            return (vec![Vec::new(); views.len()], 0);
        }
        let most = self.gpu.device().limits().max_texture_dimension_2d.min(8192);
        let wanted = views.iter().flat_map(|v| [v.rect[2], v.rect[3]]).max().unwrap_or(1);
        let largest = (self.model.vis_quality_shadowsize[0].max(1) as u32).min(SHADOW_SIDES.end - 1);
        let mut side = (2 * wanted.next_power_of_two()).clamp(SHADOW_SIDES.start, most).min(largest);
        let count = (views.len() * shadows) as u32;
        let columns = |side: u32| (most / side).max(1);
        while columns(side).saturating_mul(columns(side)) < count && side > 1 {
            side /= 2;
        }
        let columns = (1..=columns(side)).find(|c| c * c >= count).unwrap_or_else(|| columns(side));
        let place = |k: u32| Place { x: side * (k % columns), y: side * (k / columns), side };
        let places =
            (0..views.len()).map(|v| (0..shadows).map(|s| place((v * shadows + s) as u32)).collect());
        (places.collect(), side * columns)
    }

    /// Fills the buffers of a picture.
    fn fill(
        &mut self,
        instances: &[Instance],
        views: &[View],
        places: &[Vec<Place>],
        atlas: u32,
        draws: &[Draw],
        visuals: &Visuals,
        shadows: usize,
        mirrors: usize,
    ) -> Result<()> {
        let m = &self.model;
        self.skins.fit(self.frame.worlds())?;
        if shadows > 0 && self.shadow_map.as_ref().is_none_or(|map| map.width() < atlas) {
            let make = || texture(&self.gpu, [atlas, atlas, 1], 1, DEPTH, DRAWN_AND_READ);
            self.shadow_map = Some(self.gpu.checked("memory for shadows", make)?);
        }
        let atlas = self.shadow_map.as_ref().map_or(1, wgpu::Texture::width) as f32;
        let requests: Vec<Request> =
            views.iter().zip(places).map(|(view, places)| self.request(view, places, atlas)).collect();
        let mirror_list: Vec<MirrorOfScene> = self.scene.mirrors.iter().map(mirror).collect();
        let extent = m.stat_extent[0] as f32;
        let flags = [
            (shadows > 0, 1),
            (mirrors > 0, 2),
            (visuals.has(Flag::Fog), 4),
            (visuals.has(Flag::Haze) && self.textures.skybox.is_some() && floor(m).is_some(), 8),
            (visuals.has(Flag::Skybox) && self.textures.skybox.is_some(), 16),
        ];
        let globals = Globals {
            stride: self.frame.stride() as u32,
            xpos: self.frame.first("xpos") as u32,
            xquat: self.frame.first("xquat") as u32,
            com: self.frame.first("subtree_com") as u32,
            lights: self.light_count as u32,
            flags: flags.iter().filter(|f| f.0).map(|f| f.1).sum(),
            views: views.len() as u32,
            mirrors: mirrors as u32,
            fog: rgba(&m.vis_rgba_fog, 0),
            haze: rgba(&m.vis_rgba_haze, 0),
            range: [
                m.vis_map_fogstart[0] as f32 * extent,
                m.vis_map_fogend[0] as f32 * extent,
                m.vis_map_zfar[0] as f32 * extent,
                m.vis_map_haze[0] as f32,
            ],
            texel: 1.0 / atlas,
            deformed: self.skins.vertices() as u32,
            floor: floor(m).unwrap_or(0.0),
            pad: 0,
        };
        let mut draw_bytes = vec![0_u8; draws.len() * DRAW_STRIDE as usize];
        for (to, draw) in draw_bytes.chunks_exact_mut(DRAW_STRIDE as usize).zip(draws) {
            to[..size_of::<Draw>()].copy_from_slice(bytemuck::bytes_of(draw));
        }
        let (gpu, b) = (&self.gpu, &mut self.buffers);
        let all = (1 + mirrors) * views.len();
        refill(gpu, &mut b.globals, bytemuck::bytes_of(&globals))?;
        refill(gpu, &mut b.instances, bytemuck::cast_slice(instances))?;
        refill(gpu, &mut b.mirrors, bytemuck::cast_slice(&mirror_list))?;
        refill(gpu, &mut b.requests, bytemuck::cast_slice(&requests))?;
        refill(gpu, &mut b.draws, &draw_bytes)?;
        fit(gpu, &mut b.views, VIEW_BYTES * all)?;
        fit(gpu, &mut b.lamps, 32 * self.light_count * views.len())
    }

    fn request(&self, view: &View, places: &[Place], atlas: f32) -> Request {
        let frustum = self.frustum(view);
        let (kind, id, eye, axes) = match view.camera {
            Camera::Free(orbit) => (0, 0, orbit.eye(), orbit.axes()),
            Camera::Tracking(body, orbit) => (1, body as u32, orbit.eye(), orbit.axes()),
            Camera::Fixed(id) => (2, id as u32, Vec3::ZERO, Mat3::IDENTITY),
        };
        // half sizes at distance 1
        let scale = if frustum.orthographic { 1.0 } else { 1.0 / frustum.near };
        let (half, center) = (scale * frustum.half, scale * frustum.center);
        let mut request = Request {
            eye: eye.extend(frustum.near).to_array(),
            axes: [
                axes.x_axis.extend(frustum.far).to_array(),
                axes.y_axis.extend(f32::from(u8::from(frustum.orthographic))).to_array(),
                axes.z_axis.extend(0.0).to_array(),
            ],
            frustum: [half.x, half.y, center.x, center.y],
            world: view.subjects.first().map_or(0, |s| s.world as u32),
            kind,
            id,
            ..Request::default()
        };
        for (to, place) in request.places.iter_mut().zip(places) {
            let of = |n: u32| n as f32 / atlas;
            *to = [of(place.x), of(place.y), of(place.side), of(place.side)];
        }
        request
    }

    fn fit_reflections(&mut self, canvas: &Canvas, mirrors: usize) -> Result<()> {
        let size = [canvas.width(), canvas.height(), mirrors as u32];
        let fits = |[t, _]: &[wgpu::Texture; 2]| [t.width(), t.height(), t.depth_or_array_layers()] == size;
        if !self.reflections.as_ref().is_some_and(fits) {
            let one = [size[0], size[1], 1];
            let make = || {
                let color = texture(&self.gpu, size, 1, super::canvas::COLOR, DRAWN_AND_READ);
                [color, texture(&self.gpu, one, 1, DEPTH, wgpu::TextureUsages::RENDER_ATTACHMENT)]
            };
            self.reflections = Some(self.gpu.checked("memory for reflections", make)?);
        }
        Ok(())
    }

    /// Records and submits a picture: cameras and skins, shadows, mirrors, then the views themselves.
    fn record(
        &mut self,
        canvas: &Canvas,
        views: &[View],
        shapes: &[Vec<Group>],
        places: &[Vec<Place>],
        visuals: &Visuals,
        shadows: usize,
        mirrors: usize,
        objects: bool,
    ) -> Result<()> {
        let wireframe = visuals.has(Flag::Wireframe);
        let opaque = match (objects, wireframe) {
            (true, _) => Look::Object,
            (_, true) => Look::Wireframe,
            _ => Look::Opaque,
        };
        let transparent = if objects { Look::Object } else { Look::Transparent };
        let samples = if objects { 1 } else { canvas.samples() };
        let looks = [opaque, transparent, Look::Sky, Look::Shadow];
        let keys = looks.into_iter().flat_map(|look| {
            [(false, false), (true, false), (false, true), (true, true)].map(|(skin, mirrored)| {
                let samples = if mirrored || look == Look::Shadow { 1 } else { samples };
                Key { look, skin: skin && look != Look::Sky, mirrored, samples }
            })
        });
        let has_skins = self.model.sizes.nskin > 0;
        self.pipelines.prepare(keys.filter(|k| {
            (has_skins || !k.skin)
                && (mirrors > 0 || !k.mirrored)
                && (k.look != Look::Shadow || shadows > 0 && !k.mirrored)
                && (k.look != Look::Sky || !objects && !k.mirrored)
        }))?;

        let device = self.gpu.device();
        let b = &self.buffers;
        let scene = bind(
            &self.gpu,
            &self.pipelines.groups[0],
            &[
                &b.globals,
                self.frame.buffer(),
                &b.instances,
                &self.lights,
                &b.views,
                &b.lamps,
                &self.skins.deformed,
            ],
        );
        let draw = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("draw"),
            layout: &self.pipelines.groups[1],
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &b.draws,
                    offset: 0,
                    size: std::num::NonZeroU64::new(size_of::<Draw>() as u64),
                }),
            }],
        });
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") });
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let kernel = &self.pipelines.views;
            let buffers = [
                &b.globals,
                self.frame.buffer(),
                &self.lights,
                &self.cameras,
                &b.mirrors,
                &b.requests,
                &b.views,
                &b.lamps,
            ];
            pass.set_pipeline(kernel);
            pass.set_bind_group(0, &bind(&self.gpu, &kernel.get_bind_group_layout(0), &buffers), &[]);
            pass.dispatch_workgroups((views.len() as u32).div_ceil(64), 1, 1);
            self.skins.record(&mut pass, &self.frame);
        }

        let coarse = !objects && views.iter().all(|v| v.rect[2].max(v.rect[3]) <= SMALL);
        let passes = Passes { renderer: self, scene: &scene, draw: &draw, views, shapes, coarse };
        // each view and light in its square of the atlas
        let mut next = 0;
        if let Some(map) = self.shadow_map.as_ref().filter(|_| shadows > 0) {
            let target = map.create_view(&wgpu::TextureViewDescriptor::default());
            let mut pass = begin(&mut encoder, "shadows", &[], Some((&target, 1.0)));
            for (v, view) in views.iter().enumerate() {
                for place in &places[v] {
                    let [x, y, side] = [place.x, place.y, place.side].map(|n| n as f32);
                    pass.set_viewport(x, y, side, side, 0.0, 1.0);
                    pass.set_scissor_rect(place.x, place.y, place.side, place.side);
                    for subject in 0..view.subjects.len() {
                        passes.cast(&mut pass, next, v, subject == 0);
                        next += 1;
                    }
                }
            }
        }
        // the world in each mirror
        let lights = self.light_group(None);
        if let Some([reflections, depth]) = self.reflections.as_ref().filter(|_| mirrors > 0) {
            let depth = depth.create_view(&wgpu::TextureViewDescriptor::default());
            for mirror in 0..mirrors {
                let color = reflections.create_view(&wgpu::TextureViewDescriptor {
                    dimension: Some(wgpu::TextureViewDimension::D2),
                    base_array_layer: mirror as u32,
                    array_layer_count: Some(1),
                    ..Default::default()
                });
                let attachment = attachment(&color, None);
                let mut pass = begin(&mut encoder, "mirror", &[Some(attachment)], Some((&depth, 0.0)));
                pass.set_bind_group(3, &lights, &[]);
                for v in 0..views.len() {
                    next = passes.show(&mut pass, v, next, opaque, transparent, true, 1);
                }
            }
        }
        // the views
        let shown = self.reflections.as_ref().filter(|_| mirrors > 0);
        let lights = self.light_group(shown.map(|[color, _]| color));
        let [object_target, object_depth] =
            if objects { canvas.object_targets().map(Some) } else { [None, None] };
        let (color, resolved) = canvas.color_target();
        let attachment = match &object_target {
            Some(target) => attachment(target, None),
            None => attachment(&color, resolved.as_ref()),
        };
        let depth = object_depth.as_ref().unwrap_or(canvas.depth_target());
        {
            let mut pass = begin(&mut encoder, "views", &[Some(attachment)], Some((depth, 0.0)));
            pass.set_bind_group(3, &lights, &[]);
            for v in 0..views.len() {
                next = passes.show(&mut pass, v, next, opaque, transparent, false, samples);
            }
        }
        self.gpu.queue().submit([encoder.finish()]);
        self.gpu.check_not_lost()
    }

    /// Shadows, and what mirrors show, where there is something.
    fn light_group(&self, reflections: Option<&wgpu::Texture>) -> wgpu::BindGroup {
        let [dark, black] = &self.none;
        let map = self.shadow_map.as_ref().unwrap_or(dark);
        let reflections = reflections.unwrap_or(black);
        let map = map.create_view(&wgpu::TextureViewDescriptor::default());
        let reflections = reflections.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2Array),
            ..Default::default()
        });
        let resources = [
            wgpu::BindingResource::TextureView(&map),
            wgpu::BindingResource::Sampler(&self.shadow_sampler),
            wgpu::BindingResource::TextureView(&reflections),
        ];
        let entries = resources.into_iter().zip(0..);
        let entries: Vec<_> =
            entries.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
        self.gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("lights"),
            layout: &self.pipelines.groups[3],
            entries: &entries,
        })
    }
}

/// What the passes of one picture share.
struct Passes<'a> {
    renderer: &'a Renderer,
    scene: &'a wgpu::BindGroup,
    draw: &'a wgpu::BindGroup,
    views: &'a [View],
    shapes: &'a [Vec<Group>],
    /// Round shapes of few triangles.
    coarse: bool,
}

impl Passes<'_> {
    /// Draws what casts shadows, with the parameters at a place of their list, and the shapes of the view if asked for.
    fn cast(&self, pass: &mut wgpu::RenderPass<'_>, at: u32, v: usize, shapes: bool) {
        let shapes = self.shapes[v].iter().filter(|_| shapes);
        let groups: Vec<&Group> =
            self.renderer.scene.groups.iter().chain(shapes).filter(|g| g.casts).collect();
        self.groups(pass, &groups, at, |skin| Key { look: Look::Shadow, skin, mirrored: false, samples: 1 });
    }

    /// Draws a view from the parameters at a place of their list on; returns the place behind.
    fn show(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        v: usize,
        first: u32,
        opaque: Look,
        transparent: Look,
        mirrored: bool,
        samples: u32,
    ) -> u32 {
        let (view, scene) = (&self.views[v], &self.renderer.scene);
        let [x, y, width, height] = view.rect;
        pass.set_viewport(x as f32, y as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        let key = |look| move |skin| Key { look, skin, mirrored, samples };
        let whole = |s: &Subject| s.alpha >= 1.0;
        let of = |see_through: bool| scene.groups.iter().filter(move |g| g.transparent == see_through);
        let own = |see_through: bool| self.shapes[v].iter().filter(move |g| g.transparent == see_through);
        // opaque worlds and shapes, the background, then all that is transparent
        for (subject, at) in view.subjects.iter().zip(first..).filter(|(s, _)| whole(s)) {
            let _ = subject;
            self.groups(pass, &of(false).collect::<Vec<_>>(), at, key(opaque));
        }
        self.groups(pass, &own(false).collect::<Vec<_>>(), first, key(opaque));
        let sky = Key { look: Look::Sky, skin: false, mirrored, samples };
        // mirrors show shapes only
        if opaque != Look::Object
            && !mirrored
            && let Some(pipeline) = self.renderer.pipelines.get(sky)
        {
            pass.set_pipeline(pipeline);
            self.bind(pass, first, self.renderer.textures.skybox);
            pass.draw(0..3, 0..1);
        }
        for (subject, at) in view.subjects.iter().zip(first..) {
            // a ghost hides its own far side
            if !whole(subject) {
                self.groups(pass, &of(false).collect::<Vec<_>>(), at, key(transparent));
            }
            self.groups(pass, &of(true).collect::<Vec<_>>(), at, key(transparent));
        }
        self.groups(pass, &own(true).collect::<Vec<_>>(), first, key(transparent));
        first + view.subjects.len() as u32
    }

    fn bind(&self, pass: &mut wgpu::RenderPass<'_>, at: u32, texture: Option<usize>) {
        pass.set_bind_group(0, self.scene, &[]);
        pass.set_bind_group(1, self.draw, &[at * DRAW_STRIDE as u32]);
        pass.set_bind_group(2, self.renderer.textures.bind(texture), &[]);
    }

    fn groups(&self, pass: &mut wgpu::RenderPass<'_>, groups: &[&Group], at: u32, key: impl Fn(bool) -> Key) {
        let r = self.renderer;
        pass.set_vertex_buffer(0, r.vertices.slice(..));
        pass.set_index_buffer(r.indices.slice(..), wgpu::IndexFormat::Uint32);
        for group in groups {
            let skin = match group.primitive {
                super::geometry::PrimitiveMesh::Skin(id) => r.skin_ranges.get(id),
                _ => None,
            };
            let Some(pipeline) = r.pipelines.get(key(skin.is_some())) else { continue };
            let (range, base) =
                skin.cloned().unwrap_or_else(|| (r.geometry.range(group.primitive, self.coarse), 0));
            pass.set_pipeline(pipeline);
            if key(false).look == Look::Shadow {
                pass.set_bind_group(0, self.scene, &[]);
                pass.set_bind_group(1, self.draw, &[at * DRAW_STRIDE as u32]);
            } else {
                self.bind(pass, at, group.texture);
            }
            pass.draw_indexed(range, base, group.first..group.first + group.count);
        }
    }
}

/// Parameters of all draws, in the order of the passes: shadows, mirrors, views.
fn draws(views: &[View], shadows: usize, mirrors: usize) -> Vec<Draw> {
    let mut draws = Vec::new();
    let mut add = |view: usize, subject: &Subject, shadow: usize| {
        draws.push(Draw {
            tint: subject.tint,
            view: view as u32,
            world: subject.world as u32,
            shadow: shadow as u32,
            alpha: subject.alpha,
        });
    };
    for (v, view) in views.iter().enumerate() {
        for shadow in 0..shadows {
            view.subjects.iter().for_each(|s| add(v, s, shadow));
        }
    }
    for pass in (1..=mirrors).chain([0]) {
        for (v, view) in views.iter().enumerate() {
            view.subjects.iter().for_each(|s| add(pass * views.len() + v, s, 0));
        }
    }
    draws
}

fn casts(m: &Model, light: usize) -> bool {
    m.light_castshadow[light] != 0 && m.light_active[light] != 0 && m.light_type[light] != light::IMAGE
}

/// The headlight and the lights of a model that are on, and the number of those with shadows.
fn lights(m: &Model) -> (Vec<Light>, usize) {
    let color = |list: &[f64], i: usize| vec3(list, i).extend(0.0).to_array();
    let on = m.vis_headlight_active[0] != 0;
    let head = |list: &[f64]| if on { color(list, 0) } else { [0.0; 4] };
    let mut lights = vec![Light {
        ambient: head(&m.vis_headlight_ambient),
        diffuse: head(&m.vis_headlight_diffuse),
        specular: head(&m.vis_headlight_specular),
        kind: 1,
        aim: -1,
        shadow: -1,
        ..Light::default()
    }];
    let extent = m.stat_extent[0] as f32;
    let mut shadows = 0;
    for l in (0..m.sizes.nlight).filter(|&l| m.light_active[l] != 0 && m.light_type[l] != light::IMAGE) {
        let directional = m.light_type[l] == light::DIRECTIONAL;
        let cutoff = (m.light_cutoff[l] as f32).to_radians();
        let tracks_com = m.light_mode[l] == camera::TRACKCOM;
        let shadow = if casts(m, l) && shadows < MAX_SHADOWS { shadows as i32 } else { -1 };
        shadows += usize::from(shadow >= 0);
        let half_angle = (cutoff * m.vis_map_shadowscale[0] as f32).clamp(0.01, 1.5);
        lights.push(Light {
            pos: vec3(&m.light_pos, l).extend(cutoff.cos()).to_array(),
            dir: vec3(&m.light_dir, l).normalize_or_zero().extend(m.light_exponent[l] as f32).to_array(),
            pos0: color(if tracks_com { &m.light_poscom0 } else { &m.light_pos0 }, l),
            dir0: color(&m.light_dir0, l),
            ambient: color(&m.light_ambient, l),
            diffuse: color(&m.light_diffuse, l),
            specular: color(&m.light_specular, l),
            attenuation: color(&m.light_attenuation, l),
            body: m.light_bodyid[l] as u32,
            mode: m.light_mode[l] as u32,
            aim: m.light_targetbodyid[l],
            kind: m.light_type[l] as u32,
            shadow,
            spread: if directional { m.vis_map_shadowclip[0] as f32 * extent } else { half_angle.tan() },
            near: m.vis_map_znear[0] as f32 * extent,
            far: m.vis_map_zfar[0] as f32 * extent,
        });
    }
    (lights, shadows)
}

fn camera(m: &Model, c: usize) -> CameraOfModel {
    let com = m.cam_mode[c] == camera::TRACKCOM;
    // columns of a matrix in rows
    let axis = |k: usize| [0, 3, 6].map(|r| m.cam_mat0[9 * c + r + k] as f32);
    CameraOfModel {
        pos: vec3(&m.cam_pos, c).extend(0.0).to_array(),
        quat: [1, 2, 3, 0].map(|k| m.cam_quat[4 * c + k] as f32),
        pos0: vec3(if com { &m.cam_poscom0 } else { &m.cam_pos0 }, c).extend(0.0).to_array(),
        axes0: [0, 1, 2].map(|k| Vec3::from_array(axis(k)).extend(0.0).to_array()),
        body: m.cam_bodyid[c] as u32,
        mode: m.cam_mode[c] as u32,
        aim: m.cam_targetbodyid[c],
        pad: 0,
    }
}

fn mirror(mirror: &Mirror) -> MirrorOfScene {
    MirrorOfScene {
        pos: mirror.pos.extend(0.0).to_array(),
        normal: mirror.normal.extend(0.0).to_array(),
        body: [mirror.body, 0, 0, 0],
    }
}

/// Height of a model's infinite floor, over whose edge haze lies; `None` if there is none that is level.
fn floor(m: &Model) -> Option<f32> {
    let level = |g: usize| {
        let quat = &m.geom_quat[4 * g..4 * g + 4];
        m.geom_bodyid[g] == 0 && quat[1].abs() + quat[2].abs() < 1e-9
    };
    let infinite = |g: &usize| {
        m.geom_type[*g] == geom::PLANE && m.geom_size[3 * g] <= 0.0 && m.geom_size[3 * g + 1] <= 0.0
    };
    (0..m.sizes.ngeom).find(|g| infinite(g) && level(*g)).map(|g| m.geom_pos[3 * g + 2] as f32)
}

fn attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
) -> wgpu::RenderPassColorAttachment<'a> {
    let load = wgpu::LoadOp::Clear(wgpu::Color { r: 0.0, g: 0.0, b: 0.0, a: 1.0 });
    let store = if resolve_target.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target,
        ops: wgpu::Operations { load, store },
    }
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &'static str,
    colors: &[Option<wgpu::RenderPassColorAttachment<'_>>],
    depth: Option<(&wgpu::TextureView, f32)>,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: colors,
        depth_stencil_attachment: depth.map(|(view, clear)| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(clear),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}
