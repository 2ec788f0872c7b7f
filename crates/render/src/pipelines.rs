//! Pipelines of the passes of a picture, and the layouts of what they read.

use std::collections::BTreeMap;

use super::canvas::{COLOR, DEPTH, OBJECTS};
use super::geometry::Vertex;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, wgpu};
use manyworlds_shaders::{DRAW, SCENE, Source, VIEWS};

/// How triangles become pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Look {
    /// Colours.
    Opaque,
    /// Colours mixed with those behind.
    Transparent,
    /// Edges in colour.
    Wireframe,
    /// Depths as a light sees them.
    Shadow,
    /// Numbers of objects.
    Object,
    /// The background.
    Sky,
}

/// A pipeline by what it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) look: Look,
    /// Vertices of skins.
    pub(super) skin: bool,
    /// Seen in a mirror.
    pub(super) mirrored: bool,
    pub(super) samples: u32,
}

/// Pipelines, made when they are first needed.
#[derive(Debug)]
pub(super) struct Pipelines {
    gpu: Gpu,
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    shadow_layout: wgpu::PipelineLayout,
    made: BTreeMap<Key, wgpu::RenderPipeline>,
    /// Scene, draw, texture, light and mirrors.
    pub(super) groups: [wgpu::BindGroupLayout; 4],
    /// Cameras and lights of views.
    pub(super) views: wgpu::ComputePipeline,
}

/// A shader module from WGSL, validated.
pub(super) fn module(gpu: &Gpu, label: &str, text: &str) -> Result<wgpu::ShaderModule> {
    let parsed = naga::front::wgsl::parse_str(text)
        .map_err(|e| Error::Device(format!("shader {label}: {}", e.emit_to_string(text))))?;
    let source = wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(parsed));
    gpu.checked(&format!("shader {label}"), || {
        gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
    })
}

/// The texts of these files, joined.
pub(super) fn text(sources: &[Source]) -> Result<String> {
    sources.iter().map(Source::text).collect::<std::result::Result<_, _>>().map_err(Error::Device)
}

impl Pipelines {
    pub(super) fn new(gpu: &Gpu) -> Result<Self> {
        let device = gpu.device();
        let text = text(&[SCENE, DRAW])?;
        let module = module(gpu, "draw", &text)?;
        let both = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let buffer = |binding, ty, dynamic| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: both,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: dynamic, min_binding_size: None },
            count: None,
        };
        let read = wgpu::BufferBindingType::Storage { read_only: true };
        let texture = |binding, sample_type, view_dimension| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false },
            count: None,
        };
        let sampler = |binding, kind| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Sampler(kind),
            count: None,
        };
        let scene: Vec<_> = (0..7)
            .map(|b| buffer(b, if b == 0 { wgpu::BufferBindingType::Uniform } else { read }, false))
            .collect();
        let float = wgpu::TextureSampleType::Float { filterable: true };
        let entries = [
            scene,
            vec![buffer(0, wgpu::BufferBindingType::Uniform, true)],
            vec![
                texture(0, float, wgpu::TextureViewDimension::D2),
                texture(1, float, wgpu::TextureViewDimension::Cube),
                sampler(2, wgpu::SamplerBindingType::Filtering),
            ],
            vec![
                texture(0, wgpu::TextureSampleType::Depth, wgpu::TextureViewDimension::D2),
                sampler(1, wgpu::SamplerBindingType::Comparison),
                texture(2, float, wgpu::TextureViewDimension::D2Array),
            ],
        ];
        let groups = entries.map(|entries| {
            let label = Some("draw");
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries })
        });
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("draw"),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let views_text = self::text(&[SCENE, VIEWS])?;
        let views_module = self::module(gpu, "views", &views_text)?;
        let views = gpu.checked("the kernel of cameras", || {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("views"),
                layout: None,
                module: &views_module,
                entry_point: Some("prepare"),
                compilation_options: Default::default(),
                cache: None,
            })
        })?;
        let [a, b, c, d] = groups.each_ref().map(Some);
        let (whole, shadow) = (layout(&[a, b, c, d]), layout(&[a, b]));
        Ok(Self {
            gpu: gpu.clone(),
            module,
            layout: whole,
            shadow_layout: shadow,
            made: BTreeMap::new(),
            groups,
            views,
        })
    }

    /// True if edges of triangles can be drawn alone.
    pub(super) fn has_wireframes(&self) -> bool {
        self.gpu.device().features().contains(wgpu::Features::POLYGON_MODE_LINE)
    }

    /// Makes what is missing of these pipelines.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses one.
    pub(super) fn prepare(&mut self, keys: impl IntoIterator<Item = Key>) -> Result<()> {
        for key in keys {
            if !self.made.contains_key(&key) {
                let made = self.gpu.checked(&format!("pipeline {key:?}"), || self.make(key))?;
                self.made.insert(key, made);
            }
        }
        Ok(())
    }

    /// A pipeline that was prepared.
    pub(super) fn get(&self, key: Key) -> Option<&wgpu::RenderPipeline> {
        self.made.get(&key)
    }

    fn make(&self, key: Key) -> wgpu::RenderPipeline {
        let Key { look, skin, mirrored, samples } = key;
        let (vertex, fragment) = match (look, skin) {
            (Look::Sky, _) => ("sky_vertex", Some("sky_fragment")),
            (Look::Shadow, false) => ("shadow_vertex", None),
            (Look::Shadow, true) => ("deformed_shadow", None),
            (Look::Object, false) => ("vertex", Some("object_fragment")),
            (Look::Object, true) => ("deformed_vertex", Some("object_fragment")),
            (_, false) => ("vertex", Some("fragment")),
            (_, true) => ("deformed_vertex", Some("deformed_fragment")),
        };
        let buffers = [Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32],
        })];
        let format = if look == Look::Object { OBJECTS } else { COLOR };
        let target = wgpu::ColorTargetState {
            format,
            blend: (look == Look::Transparent).then_some(wgpu::BlendState::ALPHA_BLENDING),
            write_mask: wgpu::ColorWrites::ALL,
        };
        let targets = [Some(target)];
        // what is nearer has the larger depth, but for a light, which has the usual order
        let depth = wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(!matches!(look, Look::Transparent | Look::Sky)),
            depth_compare: Some(match look {
                Look::Shadow => wgpu::CompareFunction::Less,
                Look::Sky => wgpu::CompareFunction::GreaterEqual,
                _ => wgpu::CompareFunction::Greater,
            }),
            stencil: wgpu::StencilState::default(),
            bias: match look {
                Look::Shadow => wgpu::DepthBiasState { constant: 8, slope_scale: 2.5, clamp: 0.0 },
                _ => wgpu::DepthBiasState::default(),
            },
        };
        self.gpu.device().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(vertex),
            layout: Some(if look == Look::Shadow { &self.shadow_layout } else { &self.layout }),
            vertex: wgpu::VertexState {
                module: &self.module,
                entry_point: Some(vertex),
                compilation_options: Default::default(),
                buffers: if look == Look::Sky { &[] } else { &buffers },
            },
            primitive: wgpu::PrimitiveState {
                front_face: if mirrored { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
                cull_mode: (!skin && !matches!(look, Look::Shadow | Look::Sky)).then_some(wgpu::Face::Back),
                polygon_mode: if look == Look::Wireframe {
                    wgpu::PolygonMode::Line
                } else {
                    wgpu::PolygonMode::Fill
                },
                ..Default::default()
            },
            depth_stencil: Some(depth),
            multisample: wgpu::MultisampleState { count: samples, ..Default::default() },
            fragment: fragment.map(|entry_point| wgpu::FragmentState {
                module: &self.module,
                entry_point: Some(entry_point),
                compilation_options: Default::default(),
                targets: &targets,
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
