//! The passes of a picture: cameras, skins and flexes, shadows, mirrors, then the views themselves.

use super::inputs::DRAW_STRIDE;
use super::picture::Picture;
use super::renderer::Renderer;
use crate::buffers::bind;
use crate::geometry::PrimitiveMesh;
use crate::layouts::DrawParameters;
use crate::pipelines::{Key, Pass};
use crate::scene::Group;
use crate::view::{Subject, View};
use manyworlds::error::Result;
use manyworlds::gpu::wgpu;

/// Largest side of a view whose round shapes have few triangles, in pixels.
const SMALL: u32 = 128;

/// Parameters of all draws, in the order of the passes: shadows, mirrors, views.
pub(super) fn draws(views: &[View], shadows: usize, mirrors: usize) -> Vec<DrawParameters> {
    let mut draws = Vec::new();
    let mut add = |view: usize, subject: &Subject, shadow: usize| {
        draws.push(DrawParameters {
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

/// Records and submits a picture.
pub(super) fn record(renderer: &mut Renderer, picture: &Picture<'_>) -> Result<()> {
    renderer.prepare(picture)?;
    renderer.submit(picture)
}

impl Renderer {
    /// Makes the pipelines of a picture that are missing.
    fn prepare(&mut self, picture: &Picture<'_>) -> Result<()> {
        let Picture { objects, shadows, mirrors, .. } = *picture;
        let passes = [picture.opaque(), picture.transparent(), Pass::Sky, Pass::Shadow];
        let keys = passes.into_iter().flat_map(|pass| {
            [(false, false), (true, false), (false, true), (true, true)].map(|(skin, mirrored)| {
                let samples = if mirrored || pass == Pass::Shadow { 1 } else { picture.samples() };
                Key { pass, skin: skin && pass != Pass::Sky, mirrored, samples }
            })
        });
        let has_skins = self.skins.vertices() > 0;
        self.pipelines.prepare(keys.filter(|k| {
            (has_skins || !k.skin)
                && (mirrors > 0 || !k.mirrored)
                && (k.pass != Pass::Shadow || shadows > 0 && !k.mirrored)
                && (k.pass != Pass::Sky || !objects && !k.mirrored)
        }))
    }

    /// Records the passes of a picture, whose pipelines are there, and submits them.
    fn submit(&self, picture: &Picture<'_>) -> Result<()> {
        let small = picture.views.iter().all(|v| v.rect[2].max(v.rect[3]) <= SMALL);
        let (scene, draw) = (self.scene_group(), self.draw_group());
        let mut recorder = Recorder {
            renderer: self,
            picture,
            encoder: self
                .gpu
                .device()
                .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("picture") }),
            groups: Groups { scene: &scene, draw: &draw, coarse: !picture.objects && small },
            next: 0,
        };
        recorder.cameras_and_skins();
        recorder.shadows();
        recorder.mirrors();
        recorder.views();
        let commands = recorder.encoder.finish();
        self.gpu.queue().submit([commands]);
        self.gpu.check_not_lost()
    }

    /// What all draws read.
    fn scene_group(&self) -> wgpu::BindGroup {
        let inputs = &self.inputs;
        let buffers = [
            &inputs.globals,
            self.frame.buffer(),
            &inputs.instances,
            &self.lights,
            &inputs.views,
            &inputs.lamps,
            &self.skins.deformed,
        ];
        bind(&self.gpu, &self.pipelines.groups[0], &buffers)
    }

    /// The parameters of one draw, at an offset.
    fn draw_group(&self) -> wgpu::BindGroup {
        let parameters = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.inputs.draws,
            offset: 0,
            size: std::num::NonZeroU64::new(size_of::<DrawParameters>() as u64),
        });
        self.gpu.bind_group("draw", &self.pipelines.groups[1], [parameters])
    }

    /// Shadows, and what mirrors show, where there is something.
    fn light_group(&self, reflections: Option<&wgpu::Texture>) -> wgpu::BindGroup {
        let [dark, black] = &self.none;
        let map = self.shadows.atlas.as_ref().unwrap_or(dark);
        let map = map.create_view(&wgpu::TextureViewDescriptor::default());
        let reflections = reflections.unwrap_or(black).create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2Array),
            ..Default::default()
        });
        let resources = [
            wgpu::BindingResource::TextureView(&map),
            wgpu::BindingResource::Sampler(&self.shadows.sampler),
            wgpu::BindingResource::TextureView(&reflections),
        ];
        self.gpu.bind_group("lights", &self.pipelines.groups[3], resources)
    }
}

/// Records the passes of a picture, one after the other.
struct Recorder<'a> {
    renderer: &'a Renderer,
    picture: &'a Picture<'a>,
    encoder: wgpu::CommandEncoder,
    groups: Groups<'a>,
    /// Place of the next draw in the list of [`draws`].
    next: u32,
}

impl Recorder<'_> {
    /// Cameras, lights and skins follow from the poses of bodies, flexes from their vertices.
    fn cameras_and_skins(&mut self) {
        let (r, inputs) = (self.renderer, &self.renderer.inputs);
        let buffers = [
            &inputs.globals,
            r.frame.buffer(),
            &r.lights,
            &r.cameras,
            &inputs.mirrors,
            &inputs.requests,
            &inputs.views,
            &inputs.lamps,
        ];
        let kernel = &r.pipelines.views;
        let mut pass = self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(kernel);
        pass.set_bind_group(0, &bind(&r.gpu, &kernel.get_bind_group_layout(0), &buffers), &[]);
        pass.dispatch_workgroups((self.picture.views.len() as u32).div_ceil(64), 1, 1);
        r.skins.record(&mut pass, &r.frame);
    }

    /// Each view and light in its square of the atlas.
    fn shadows(&mut self) {
        let picture = self.picture;
        let Some(atlas) = self.renderer.shadows.atlas.as_ref().filter(|_| picture.shadows > 0) else {
            return;
        };
        let target = atlas.create_view(&wgpu::TextureViewDescriptor::default());
        let mut pass = begin(&mut self.encoder, "shadows", None, (&target, 1.0));
        for (v, view) in picture.views.iter().enumerate() {
            for square in &picture.squares[v] {
                let [x, y, side] = [square.x, square.y, square.side].map(|n| n as f32);
                pass.set_viewport(x, y, side, side, 0.0, 1.0);
                pass.set_scissor_rect(square.x, square.y, square.side, square.side);
                for subject in 0..view.subjects.len() {
                    // shapes of the view belong to its first subject
                    let shapes = picture.shapes[v].iter().filter(|_| subject == 0);
                    let groups = self.renderer.scene.groups.iter().chain(shapes).filter(|g| g.casts);
                    let key = |skin| Key { pass: Pass::Shadow, skin, mirrored: false, samples: 1 };
                    self.groups.draw(self.renderer, &mut pass, groups, self.next, key);
                    self.next += 1;
                }
            }
        }
    }

    /// The world in each mirror.
    fn mirrors(&mut self) {
        let (r, mirrors) = (self.renderer, self.picture.mirrors);
        let Some([reflections, depth]) = r.reflections.textures.as_ref().filter(|_| mirrors > 0) else {
            return;
        };
        let lights = r.light_group(None);
        let depth = depth.create_view(&wgpu::TextureViewDescriptor::default());
        for mirror in 0..mirrors {
            let color = reflections.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2),
                base_array_layer: mirror as u32,
                array_layer_count: Some(1),
                ..Default::default()
            });
            let color = attachment(&color, None);
            let mut pass = begin(&mut self.encoder, "mirror", Some(color), (&depth, 0.0));
            pass.set_bind_group(3, &lights, &[]);
            for v in 0..self.picture.views.len() {
                self.next = self.groups.show(r, self.picture, &mut pass, v, self.next, true);
            }
        }
    }

    /// The views.
    fn views(&mut self) {
        let (r, canvas, mirrors) = (self.renderer, self.picture.canvas, self.picture.mirrors);
        let shown = r.reflections.textures.as_ref().filter(|_| mirrors > 0);
        let lights = r.light_group(shown.map(|[color, _]| color));
        let [object_target, object_depth] =
            if self.picture.objects { canvas.object_targets().map(Some) } else { [None, None] };
        let (color, resolved) = canvas.color_target();
        let color = match &object_target {
            Some(target) => attachment(target, None),
            None => attachment(&color, resolved.as_ref()),
        };
        let depth = object_depth.as_ref().unwrap_or(canvas.depth_target());
        let mut pass = begin(&mut self.encoder, "views", Some(color), (depth, 0.0));
        pass.set_bind_group(3, &lights, &[]);
        for v in 0..self.picture.views.len() {
            self.next = self.groups.show(r, self.picture, &mut pass, v, self.next, false);
        }
    }
}

/// What the draws of a picture are bound to.
struct Groups<'a> {
    scene: &'a wgpu::BindGroup,
    draw: &'a wgpu::BindGroup,
    /// Round shapes of few triangles.
    coarse: bool,
}

impl Groups<'_> {
    /// Draws a view, or what a mirror shows of it, from the parameters at a place of their list on; returns the place behind.
    fn show(
        &self,
        r: &Renderer,
        picture: &Picture<'_>,
        pass: &mut wgpu::RenderPass<'_>,
        v: usize,
        first: u32,
        mirrored: bool,
    ) -> u32 {
        let view = &picture.views[v];
        let [x, y, width, height] = view.rect;
        pass.set_viewport(x as f32, y as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        let samples = if mirrored { 1 } else { picture.samples() };
        let key = |pass| move |skin| Key { pass, skin, mirrored, samples };
        let (opaque, transparent) = (key(picture.opaque()), key(picture.transparent()));
        let is_opaque = |s: &Subject| s.alpha >= 1.0;
        let of = |see_through: bool| r.scene.groups.iter().filter(move |g| g.transparent == see_through);
        let own = |see_through: bool| picture.shapes[v].iter().filter(move |g| g.transparent == see_through);
        // opaque worlds and shapes, the background, then all that is transparent
        for (_, at) in view.subjects.iter().zip(first..).filter(|(s, _)| is_opaque(s)) {
            self.draw(r, pass, of(false), at, opaque);
        }
        self.draw(r, pass, own(false), first, opaque);
        // mirrors show shapes only
        if !picture.objects && !mirrored {
            self.sky(r, pass, first, samples);
        }
        for (subject, at) in view.subjects.iter().zip(first..) {
            // a ghost hides its own far side
            if !is_opaque(subject) {
                self.draw(r, pass, of(false), at, transparent);
            }
            self.draw(r, pass, of(true), at, transparent);
        }
        self.draw(r, pass, own(true), first, transparent);
        first + view.subjects.len() as u32
    }

    /// Draws the background.
    fn sky(&self, r: &Renderer, pass: &mut wgpu::RenderPass<'_>, at: u32, samples: u32) {
        let key = Key { pass: Pass::Sky, skin: false, mirrored: false, samples };
        if let Some(pipeline) = r.pipelines.get(key) {
            pass.set_pipeline(pipeline);
            self.bind(pass, at);
            pass.set_bind_group(2, r.textures.bind(r.textures.skybox), &[]);
            pass.draw(0..3, 0..1);
        }
    }

    /// Draws groups of instances with the parameters at a place of their list.
    fn draw<'g>(
        &self,
        r: &Renderer,
        pass: &mut wgpu::RenderPass<'_>,
        groups: impl IntoIterator<Item = &'g Group>,
        at: u32,
        key: impl Fn(bool) -> Key,
    ) {
        pass.set_vertex_buffer(0, r.vertices.slice(..));
        pass.set_index_buffer(r.indices.slice(..), wgpu::IndexFormat::Uint32);
        for group in groups {
            let deformed = match group.primitive {
                PrimitiveMesh::Skin(id) => r.skin_ranges.get(id),
                PrimitiveMesh::Flex(id) => r.flex_ranges.get(id),
                _ => None,
            };
            let key = key(deformed.is_some());
            let Some(pipeline) = r.pipelines.get(key) else { continue };
            let (range, base) =
                deformed.cloned().unwrap_or_else(|| (r.geometry.range(group.primitive, self.coarse), 0));
            pass.set_pipeline(pipeline);
            self.bind(pass, at);
            if key.pass != Pass::Shadow {
                pass.set_bind_group(2, r.textures.bind(group.texture), &[]);
            }
            pass.draw_indexed(range, base, group.first..group.first + group.count);
        }
    }

    /// Binds the scene, and the parameters at a place of their list.
    fn bind(&self, pass: &mut wgpu::RenderPass<'_>, at: u32) {
        pass.set_bind_group(0, self.scene, &[]);
        pass.set_bind_group(1, self.draw, &[at * DRAW_STRIDE as u32]);
    }
}

/// A target of colours that is cleared, and averaged where it has several samples.
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

/// Begins a pass on a target of colours, if it has one, and of depths that are cleared to a number.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &'static str,
    color: Option<wgpu::RenderPassColorAttachment<'_>>,
    (depth, clear): (&wgpu::TextureView, f32),
) -> wgpu::RenderPass<'a> {
    let depth_ops = Some(wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store });
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: color.map(Some).as_slice(),
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops,
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}
