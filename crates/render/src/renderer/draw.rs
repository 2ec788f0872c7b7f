//! A picture from views: what is drawn is brought to the device, then the passes are recorded.

use super::cameras::request;
use super::inputs::DRAW_STRIDE;
use super::mirrors::mirror_plane;
use super::passes::{draws, record};
use super::picture::Picture;
use super::renderer::Renderer;
use super::shadows::squares;
use crate::buffers::{fit, refill};
use crate::canvas::Canvas;
use crate::layouts::{
    DrawParameters, FOG, Globals, HAZE, Instance, Lamp, MirrorPlane, REFLECTIONS, SHADOWS, SKYBOX,
    ViewRequest, ViewState,
};
use crate::scene::{Scene, map_textures};
use crate::vectors::rgba;
use crate::view::View;
use crate::visuals::{Flag, Visuals};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::schema::enums::geom;

impl Renderer {
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

    /// Draws views in colour, or as numbers of objects.
    fn picture(&mut self, canvas: &Canvas, views: &[View], visuals: &Visuals, objects: bool) -> Result<()> {
        let size = [canvas.width(), canvas.height()];
        views.iter().try_for_each(|view| view.check(&self.model, self.frame.worlds(), size))?;
        if visuals.has(Flag::Wireframe) && !objects && !self.pipelines.has_wireframes() {
            let text = format!("{} draws no wireframes", self.gpu.adapter());
            return Err(Error::Argument(text));
        }
        if self.visuals.as_ref() != Some(visuals) {
            self.scene = Scene::of(&self.model, visuals);
            self.scene.add_skins(&self.model, visuals);
            self.scene.add_flexes(&self.model, visuals);
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
        let (squares, atlas) = squares(&self.gpu, &self.model, views, shadows);
        let picture = Picture { canvas, views, visuals, objects, shapes, squares, shadows, mirrors };
        self.fill(&picture, &instances, atlas)?;
        if mirrors > 0 {
            self.reflections.fit(&self.gpu, canvas, mirrors)?;
        }
        record(self, &picture)
    }

    /// Fills the buffers of a picture, with shadows in an atlas of a side.
    fn fill(&mut self, picture: &Picture<'_>, instances: &[Instance], atlas: u32) -> Result<()> {
        self.skins.fit(self.frame.worlds())?;
        if picture.shadows > 0 {
            self.shadows.fit(&self.gpu, atlas)?;
        }
        let atlas = self.shadows.side();
        let views = picture.views.iter().zip(&picture.squares);
        let requests: Vec<ViewRequest> =
            views.map(|(view, squares)| request(&self.model, view, squares, atlas)).collect();
        let mirrors: Vec<MirrorPlane> = self.scene.mirrors.iter().map(mirror_plane).collect();
        let globals = self.globals(picture, 1.0 / atlas);
        let draws = draws(picture.views, picture.shadows, picture.mirrors);
        let mut draw_bytes = vec![0_u8; draws.len() * DRAW_STRIDE as usize];
        for (to, draw) in draw_bytes.chunks_exact_mut(DRAW_STRIDE as usize).zip(&draws) {
            to[..size_of::<DrawParameters>()].copy_from_slice(bytemuck::bytes_of(draw));
        }
        let (gpu, inputs) = (&self.gpu, &mut self.inputs);
        let views = picture.views.len();
        refill(gpu, &mut inputs.globals, bytemuck::bytes_of(&globals))?;
        refill(gpu, &mut inputs.instances, bytemuck::cast_slice(instances))?;
        refill(gpu, &mut inputs.mirrors, bytemuck::cast_slice(&mirrors))?;
        refill(gpu, &mut inputs.requests, bytemuck::cast_slice(&requests))?;
        refill(gpu, &mut inputs.draws, &draw_bytes)?;
        fit(gpu, &mut inputs.views, size_of::<ViewState>() * (1 + picture.mirrors) * views)?;
        fit(gpu, &mut inputs.lamps, size_of::<Lamp>() * self.light_count * views)
    }

    /// What all shaders of a picture share.
    fn globals(&self, picture: &Picture<'_>, texel: f32) -> Globals {
        let (m, frame) = (&self.model, &self.frame);
        let extent = m.stat_extent[0] as f32;
        Globals {
            stride: frame.stride() as u32,
            xpos: frame.first("xpos") as u32,
            xquat: frame.first("xquat") as u32,
            com: frame.first("subtree_com") as u32,
            lights: self.light_count as u32,
            flags: self.flags(picture, picture.visuals),
            views: picture.views.len() as u32,
            mirrors: picture.mirrors as u32,
            fog: rgba(&m.vis_rgba_fog, 0),
            haze: rgba(&m.vis_rgba_haze, 0),
            range: [
                m.vis_map_fogstart[0] as f32 * extent,
                m.vis_map_fogend[0] as f32 * extent,
                m.vis_map_zfar[0] as f32 * extent,
                m.vis_map_haze[0] as f32,
            ],
            texel,
            deformed: self.skins.vertices() as u32,
            floor: floor(m).unwrap_or(0.0),
            pad: 0,
        }
    }

    /// Flags of `Globals`.
    fn flags(&self, picture: &Picture<'_>, visuals: &Visuals) -> u32 {
        let sky = self.textures.skybox.is_some();
        let flags = [
            (picture.shadows > 0, SHADOWS),
            (picture.mirrors > 0, REFLECTIONS),
            (visuals.has(Flag::Fog), FOG),
            (visuals.has(Flag::Haze) && sky && floor(&self.model).is_some(), HAZE),
            (visuals.has(Flag::Skybox) && sky, SKYBOX),
        ];
        flags.iter().filter(|f| f.0).map(|f| f.1).sum()
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
