//! Pipelines of the passes of a picture, and the layouts of what they read.

use std::collections::BTreeMap;

use super::canvas::{COLOR, DEPTH, OBJECTS};
use super::geometry::Vertex;
use super::layouts::declarations;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::{Gpu, wgpu};
use manyworlds_shaders::{DRAW, SCENE, Source, VIEWS};

/// How a pass makes pixels of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pass {
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
    pub(super) pass: Pass,
    /// Vertices of skins and flexes.
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

/// A shader module of these files, after the structures that they share with this crate.
pub(super) fn module(gpu: &Gpu, label: &str, sources: &[Source]) -> Result<wgpu::ShaderModule> {
    let texts: String =
        sources.iter().map(Source::text).collect::<std::result::Result<_, _>>().map_err(Error::device)?;
    validated(gpu, label, &(declarations() + &texts))
}

/// A shader module from WGSL, validated.
fn validated(gpu: &Gpu, label: &str, text: &str) -> Result<wgpu::ShaderModule> {
    let parsed = naga::front::wgsl::parse_str(text)
        .map_err(|e| Error::device(format!("shader {label}: {}", e.emit_to_string(text))))?;
    let source = wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(parsed));
    gpu.checked(&format!("shader {label}"), || {
        gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
    })
}

/// A compute pipeline of an entry point.
pub(super) fn kernel(
    gpu: &Gpu,
    label: &str,
    layout: Option<&wgpu::PipelineLayout>,
    module: &wgpu::ShaderModule,
    entry_point: &str,
) -> wgpu::ComputePipeline {
    gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout,
        module,
        entry_point: Some(entry_point),
        compilation_options: Default::default(),
        cache: None,
    })
}

/// Layouts of what passes read: the scene, a draw, its texture, light and mirrors.
fn group_layouts(gpu: &Gpu) -> [wgpu::BindGroupLayout; 4] {
    let buffer = |binding, ty, dynamic| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
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
    entries.map(|entries| {
        let label = Some("draw");
        gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries })
    })
}

impl Pipelines {
    /// The layouts, and the kernel of cameras.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses a shader.
    pub(super) fn new(gpu: &Gpu) -> Result<Self> {
        let device = gpu.device();
        let module = self::module(gpu, "draw", &[SCENE, DRAW])?;
        let groups = group_layouts(gpu);
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("draw"),
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let views_module = self::module(gpu, "views", &[SCENE, VIEWS])?;
        let views =
            gpu.checked("the kernel of cameras", || kernel(gpu, "views", None, &views_module, "prepare"))?;
        let [scene, draw, texture, light] = groups.each_ref().map(Some);
        Ok(Self {
            gpu: gpu.clone(),
            module,
            layout: layout(&[scene, draw, texture, light]),
            shadow_layout: layout(&[scene, draw]),
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

    /// Makes a pipeline.
    fn make(&self, key: Key) -> wgpu::RenderPipeline {
        let Key { pass, skin, mirrored, samples } = key;
        let (vertex, fragment) = entry_points(pass, skin);
        let buffers = [Some(wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32],
        })];
        let targets = [Some(wgpu::ColorTargetState {
            format: if pass == Pass::Object { OBJECTS } else { COLOR },
            blend: (pass == Pass::Transparent).then_some(wgpu::BlendState::ALPHA_BLENDING),
            write_mask: wgpu::ColorWrites::ALL,
        })];
        let lines = pass == Pass::Wireframe;
        self.gpu.device().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(vertex),
            layout: Some(if pass == Pass::Shadow { &self.shadow_layout } else { &self.layout }),
            vertex: wgpu::VertexState {
                module: &self.module,
                entry_point: Some(vertex),
                compilation_options: Default::default(),
                buffers: if pass == Pass::Sky { &[] } else { &buffers },
            },
            primitive: wgpu::PrimitiveState {
                front_face: if mirrored { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
                cull_mode: (!skin && !matches!(pass, Pass::Shadow | Pass::Sky)).then_some(wgpu::Face::Back),
                polygon_mode: if lines { wgpu::PolygonMode::Line } else { wgpu::PolygonMode::Fill },
                ..Default::default()
            },
            depth_stencil: Some(depth(pass)),
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

/// Entry points of a pass for vertices and for pixels.
fn entry_points(pass: Pass, skin: bool) -> (&'static str, Option<&'static str>) {
    match (pass, skin) {
        (Pass::Sky, _) => ("sky_vertex", Some("sky_fragment")),
        (Pass::Shadow, false) => ("shadow_vertex", None),
        (Pass::Shadow, true) => ("deformed_shadow", None),
        (Pass::Object, false) => ("vertex", Some("object_fragment")),
        (Pass::Object, true) => ("deformed_vertex", Some("object_fragment")),
        (_, false) => ("vertex", Some("fragment")),
        (_, true) => ("deformed_vertex", Some("deformed_fragment")),
    }
}

/// How a pass compares depths: what is nearer has the larger one, but for a light, which has the usual order.
fn depth(pass: Pass) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(!matches!(pass, Pass::Transparent | Pass::Sky)),
        depth_compare: Some(match pass {
            Pass::Shadow => wgpu::CompareFunction::Less,
            Pass::Sky => wgpu::CompareFunction::GreaterEqual,
            _ => wgpu::CompareFunction::Greater,
        }),
        stencil: wgpu::StencilState::default(),
        bias: match pass {
            Pass::Shadow => wgpu::DepthBiasState { constant: 8, slope_scale: 2.5, clamp: 0.0 },
            _ => wgpu::DepthBiasState::default(),
        },
    }
}
