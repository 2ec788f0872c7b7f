//! Skins and flexes: vertices that bones carry or that worlds have, with their normals, computed on the device for all
//! worlds of a picture.

use glam::{Vec2, Vec3};

use super::buffers::{bind, empty, filled, storage_layout};
use super::flexes::{first_vertex, triangles};
use super::frame::Frame;
use super::geometry::Vertex;
use super::layouts::{Bone, Influence, SkinSizes, SkinVertex};
use super::pipelines::{kernel, module};
use super::vectors::vec3;
use manyworlds::error::Result;
use manyworlds::gpu::{Gpu, wgpu};
use manyworlds::model::Model;
use manyworlds_shaders::{SCENE, SKIN};

/// The vertices of a model's skins and, behind them, of its flexes on a device.
#[derive(Debug)]
pub(super) struct Skins {
    gpu: Gpu,
    vertices: usize,
    /// Vertices of skins.
    carried: usize,
    kernels: [wgpu::ComputePipeline; 2],
    lists: [wgpu::Buffer; 4],
    /// Positions and normals of all vertices of all worlds.
    pub(super) deformed: wgpu::Buffer,
}

/// Corners of the triangles of a skin as they are drawn: texture coordinates, and the number of the vertex.
pub(super) fn corners(m: &Model, skin: usize) -> (Vec<Vertex>, Vec<u32>) {
    let first = m.skin_vertadr[skin] as usize;
    let texcoord = usize::try_from(m.skin_texcoordadr[skin]).ok();
    let vertex = |i: usize| {
        let at = texcoord.map(|adr| 2 * (adr + i));
        let uv =
            at.map_or(Vec2::ZERO, |at| Vec2::new(m.skin_texcoord[at] as f32, m.skin_texcoord[at + 1] as f32));
        Vertex { pos: Vec3::Z, normal: Vec3::Z, uv, end: (first + i) as f32 }
    };
    let vertices = (0..m.skin_vertnum[skin] as usize).map(vertex).collect();
    let faces = 3 * m.skin_faceadr[skin] as usize..3 * (m.skin_faceadr[skin] + m.skin_facenum[skin]) as usize;
    (vertices, m.skin_face[faces].iter().map(|v| *v as u32).collect())
}

impl Skins {
    /// Uploads the skins of a model, and what its flexes look like.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Device`] if memory is missing.
    pub(super) fn new(gpu: &Gpu, m: &Model) -> Result<Self> {
        let bones: Vec<Bone> = (0..m.sizes.nskinbone).map(|b| bone(m, b)).collect();
        let (carriers, around) = (influences(m), neighbors(m));
        let (mut list, mut influence, mut triangle) = (Vec::new(), 0, 0);
        for (v, (carriers, around)) in carriers.iter().zip(&around).enumerate() {
            let (influences, triangles) = (carriers.len() as u32, around.len() as u32);
            // vertices of flexes are where the world has them
            let pos = if v < m.sizes.nskinvert { vec3(&m.skin_vert, v) } else { Vec3::ZERO };
            let pos = pos.extend(1.0).to_array();
            list.push(SkinVertex { pos, influence, influences, triangle, triangles });
            influence += influences;
            triangle += triangles;
        }
        let (carriers, around) = (carriers.concat(), around.concat());
        let module = module(gpu, "skin", &[SCENE, SKIN])?;
        let layout = storage_layout(gpu, 7, &[6]);
        gpu.checked("memory for skins", || {
            let layout = gpu.device().create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("skin"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let lists = [
                bytemuck::cast_slice(&bones),
                bytemuck::cast_slice(&carriers),
                bytemuck::cast_slice(&list),
                bytemuck::cast_slice(&around),
            ];
            let (storage, vertices) = (wgpu::BufferUsages::STORAGE, list.len());
            Self {
                gpu: gpu.clone(),
                vertices,
                carried: m.sizes.nskinvert,
                kernels: ["carry", "normals"].map(|name| kernel(gpu, name, Some(&layout), &module, name)),
                lists: lists.map(|bytes| filled(gpu, "skin", bytes, storage)),
                deformed: empty(gpu, "skin", 32 * vertices, storage),
            }
        })
    }

    /// Vertices of a world.
    pub(super) fn vertices(&self) -> usize {
        self.vertices
    }

    /// Makes room for the worlds of a frame.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Device`] if memory is missing.
    pub(super) fn fit(&mut self, worlds: usize) -> Result<()> {
        let bytes = 32 * self.vertices * worlds;
        if (self.deformed.size() as usize) < bytes {
            let what = format!("memory for the skins of {worlds} worlds");
            let make = || empty(&self.gpu, "skin", bytes, wgpu::BufferUsages::STORAGE);
            self.deformed = self.gpu.checked(&what, make)?;
        }
        Ok(())
    }

    /// Records the places of all vertices of all worlds.
    pub(super) fn record(&self, pass: &mut wgpu::ComputePass<'_>, frame: &Frame) {
        if self.vertices == 0 {
            return;
        }
        let sizes = SkinSizes {
            vertices: self.vertices as u32,
            worlds: frame.worlds() as u32,
            stride: frame.stride() as u32,
            xpos: frame.first("xpos") as u32,
            xquat: frame.first("xquat") as u32,
            flexvert: frame.first("flexvert_xpos") as u32,
            carried: self.carried as u32,
            pad: 0,
        };
        let size = filled(&self.gpu, "skin", bytemuck::bytes_of(&sizes), wgpu::BufferUsages::UNIFORM);
        let [bones, carriers, list, around] = &self.lists;
        let buffers = [&size, frame.buffer(), bones, carriers, list, around, &self.deformed];
        let layout = self.kernels[0].get_bind_group_layout(0);
        let bind = bind(&self.gpu, &layout, &buffers);
        let groups = (self.vertices * frame.worlds()).div_ceil(64) as u32;
        let x = groups.min(32_768);
        for kernel in &self.kernels {
            pass.set_pipeline(kernel);
            pass.set_bind_group(0, &bind, &[]);
            pass.dispatch_workgroups(x, groups.div_ceil(x.max(1)), 1);
        }
    }
}

/// Bones that carry each vertex; none carry those of flexes.
fn influences(m: &Model) -> Vec<Vec<Influence>> {
    let mut carriers: Vec<Vec<Influence>> = vec![Vec::new(); m.sizes.nskinvert + m.sizes.nflexvert];
    for skin in 0..m.sizes.nskin {
        let first = m.skin_vertadr[skin] as usize;
        let adr = m.skin_boneadr[skin] as usize;
        for b in adr..adr + m.skin_bonenum[skin] as usize {
            let adr = m.skin_bonevertadr[b] as usize;
            for k in adr..adr + m.skin_bonevertnum[b] as usize {
                let weight = m.skin_bonevertweight[k] as f32;
                carriers[first + m.skin_bonevertid[k] as usize].push(Influence { bone: b as u32, weight });
            }
        }
    }
    carriers
}

/// The two other corners of each triangle of a vertex, in order.
fn neighbors(m: &Model) -> Vec<Vec<[u32; 2]>> {
    let mut around: Vec<Vec<[u32; 2]>> = vec![Vec::new(); m.sizes.nskinvert + m.sizes.nflexvert];
    let mut add = |first: u32, face: &[u32]| {
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|j| first + face[(k + j) % 3]);
            around[a as usize].push([b, c]);
        }
    };
    for skin in 0..m.sizes.nskin {
        let first = m.skin_vertadr[skin] as u32;
        corners(m, skin).1.chunks_exact(3).for_each(|face| add(first, face));
    }
    for flex in 0..m.sizes.nflex {
        let first = first_vertex(m, flex) as u32;
        triangles(m, flex).iter().for_each(|triangle| add(first, &triangle.vertices));
    }
    around
}

/// A bone as the device has it.
fn bone(m: &Model, b: usize) -> Bone {
    let [w, x, y, z] = [0, 1, 2, 3].map(|k| m.skin_bonebindquat[4 * b + k] as f32);
    Bone {
        pos: vec3(&m.skin_bonebindpos, b).extend(0.0).to_array(),
        quat: [x, y, z, w],
        body: [m.skin_bonebodyid[b] as u32, 0, 0, 0],
    }
}
