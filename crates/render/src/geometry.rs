//! Triangles of shapes: unit primitives that instances scale, and meshes, hulls and height fields of a model.

use std::collections::HashMap;
use std::f32::consts::{PI, TAU};
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use super::vectors::vec3;
use manyworlds::model::Model;

/// A corner of a triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(super) struct Vertex {
    /// Position, scaled by the size of the instance; of skins and flexes, in a frame whose z axis is the normal there.
    pub(super) pos: Vec3,
    /// Unit normal, outwards, in the same frame; zero on flat triangles of flexes, which have their own.
    pub(super) normal: Vec3,
    /// Texture coordinates.
    pub(super) uv: Vec2,
    /// How many times the half-length of the instance is added along z: capsules have ends of their own. Of skins and
    /// flexes, the number of the vertex.
    pub(super) end: f32,
}

/// The shapes that instances have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrimitiveMesh {
    /// A square of half-sides 1 in the plane z = 0, seen from above.
    Plane,
    /// The same square from below, with the light from above.
    Behind,
    /// A sphere of radius 1.
    Sphere,
    /// Two half spheres of radius 1 and the cylinder between them.
    Capsule,
    /// A cylinder of radius 1 and half-length 1.
    Cylinder,
    /// A cone: radius 1 at z = 0, tip at z = 1.
    Cone,
    /// A cube of half-sides 1.
    Box,
    /// A mesh of the model, by its id.
    Mesh(usize),
    /// The convex hull of a mesh of the model, by its id.
    Hull(usize),
    /// A height field of the model, by its id, in metres.
    Hfield(usize),
    /// A skin of the model, by its id.
    Skin(usize),
    /// A flex of the model of triangles or tetrahedra, by its id.
    Flex(usize),
}

/// Triangles of all shapes, one after the other.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) vertices: Vec<Vertex>,
    pub(super) indices: Vec<u32>,
    ranges: HashMap<PrimitiveMesh, Range<u32>>,
    /// Round shapes of fewer triangles, for small pictures.
    coarse: HashMap<PrimitiveMesh, Range<u32>>,
}

/// Cosine between the normals of a corner and of its face from which the face is drawn flat there.
const SHARP: f32 = 0.8;

/// Slices and stacks of coarse round shapes.
const COARSE: (u32, u32) = (12, 8);

impl Geometry {
    /// The primitives and everything that a model has.
    pub(super) fn of(model: &Model) -> Self {
        let slices = model.vis_quality_numslices[0].clamp(3, 200) as u32;
        let stacks = model.vis_quality_numstacks[0].clamp(2, 200) as u32;
        let mut all = Self::default();
        all.add(PrimitiveMesh::Plane, |g| g.face(Vec3::ZERO, Vec3::X, Vec3::Y));
        all.add(PrimitiveMesh::Behind, |g| {
            // the same square, as dark as it is there
            let first = g.vertices.len() as u32 - 4;
            g.quad([first + 3, first + 2, first + 1, first]);
        });
        all.round(slices, stacks);
        all.add(PrimitiveMesh::Box, |g| {
            for (right, up) in [
                (Vec3::Y, Vec3::Z),
                (Vec3::Z, Vec3::Y),
                (Vec3::Z, Vec3::X),
                (Vec3::X, Vec3::Z),
                (Vec3::X, Vec3::Y),
                (Vec3::Y, Vec3::X),
            ] {
                g.face(right.cross(up), right, up);
            }
        });
        for id in 0..model.sizes.nmesh {
            all.add(PrimitiveMesh::Mesh(id), |g| g.mesh(model, id));
            all.add(PrimitiveMesh::Hull(id), |g| g.hull(model, id));
        }
        for id in 0..model.sizes.nhfield {
            all.add(PrimitiveMesh::Hfield(id), |g| g.hfield(model, id));
        }
        // the coarse ones last, beside the fine ones
        let fine = all.ranges.clone();
        all.round(COARSE.0.min(slices), COARSE.1.min(stacks));
        all.coarse = std::mem::replace(&mut all.ranges, fine);
        all
    }

    /// Spheres, capsules, cylinders and cones.
    fn round(&mut self, slices: u32, stacks: u32) {
        self.add(PrimitiveMesh::Sphere, |g| g.sphere(slices, stacks, false));
        self.add(PrimitiveMesh::Capsule, |g| g.sphere(slices, stacks + stacks % 2, true));
        self.add(PrimitiveMesh::Cylinder, |g| {
            g.side(slices, 1.0, -1.0..1.0);
            g.disc(slices, -1.0);
            g.disc(slices, 1.0);
        });
        self.add(PrimitiveMesh::Cone, |g| {
            g.side(slices, 0.0, 0.0..1.0);
            g.disc(slices, 0.0);
        });
    }

    /// Places of a shape's indices, of a coarse one where asked for and there is one; empty if there is none.
    pub(super) fn range(&self, primitive: PrimitiveMesh, coarse: bool) -> Range<u32> {
        let ranges = if coarse { &self.coarse } else { &self.ranges };
        ranges.get(&primitive).cloned().unwrap_or_default()
    }

    fn add(&mut self, primitive: PrimitiveMesh, make: impl FnOnce(&mut Self)) {
        let first = self.indices.len() as u32;
        make(self);
        self.ranges.insert(primitive, first..self.indices.len() as u32);
    }

    fn vertex(&mut self, vertex: Vertex) -> u32 {
        self.vertices.push(vertex);
        self.vertices.len() as u32 - 1
    }

    /// A square around `center`, spanned by two half-sides; its normal is their cross product.
    fn face(&mut self, center: Vec3, right: Vec3, up: Vec3) {
        let normal = right.cross(up);
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| {
            let uv = Vec2::new(0.5 + 0.5 * x, 0.5 - 0.5 * y);
            self.vertex(Vertex { pos: center + x * right + y * up, normal, uv, end: 0.0 })
        });
        self.quad(corners);
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.indices.extend([a, b, c, a, c, d]);
    }

    /// A sphere; with `ends` its upper half is moved up, its lower half down, and a cylinder is between them.
    fn sphere(&mut self, slices: u32, stacks: u32, ends: bool) {
        let mut rings: Vec<(u32, f32)> =
            (0..=stacks).map(|k| (k, if 2 * k <= stacks { -1.0 } else { 1.0 })).collect();
        if ends {
            // the equator twice: as the end of each half
            rings.insert(stacks as usize / 2 + 1, (stacks / 2, 1.0));
        }
        let first = self.vertices.len() as u32;
        for &(k, end) in &rings {
            let latitude = PI * (k as f32 / stacks as f32 - 0.5);
            for j in 0..=slices {
                let longitude = TAU * j as f32 / slices as f32;
                let (r, z) = (latitude.cos(), latitude.sin());
                let pos = Vec3::new(r * longitude.cos(), r * longitude.sin(), z);
                let uv = Vec2::new(j as f32 / slices as f32, 1.0 - k as f32 / stacks as f32);
                self.vertex(Vertex { pos, normal: pos, uv, end: if ends { end } else { 0.0 } });
            }
        }
        self.strips(first, rings.len() as u32, slices);
    }

    /// Squares between rings of `slices + 1` vertices each.
    fn strips(&mut self, first: u32, rings: u32, slices: u32) {
        for k in 1..rings {
            for j in 0..slices {
                let (low, high) = (first + (k - 1) * (slices + 1) + j, first + k * (slices + 1) + j);
                self.quad([low, low + 1, high + 1, high]);
            }
        }
    }

    /// The side of a cylinder or cone with a radius at the top, and 1 at the bottom.
    fn side(&mut self, slices: u32, top: f32, z: Range<f32>) {
        let (first, height) = (self.vertices.len() as u32, z.end - z.start);
        for (radius, z) in [(1.0, z.start), (top, z.end)] {
            for j in 0..=slices {
                let angle = TAU * j as f32 / slices as f32;
                let out = Vec3::new(angle.cos(), angle.sin(), 0.0);
                let normal = (height * out + (1.0 - top) * Vec3::Z).normalize();
                let uv = Vec2::new(j as f32 / slices as f32, 0.5 - 0.5 * z);
                self.vertex(Vertex { pos: radius * out + z * Vec3::Z, normal, uv, end: 0.0 });
            }
        }
        self.strips(first, 2, slices);
    }

    /// A disc of radius 1, seen from above if `z` is positive, else from below.
    fn disc(&mut self, slices: u32, z: f32) {
        let normal = if z > 0.0 { Vec3::Z } else { -Vec3::Z };
        let mut at = |pos: Vec3| {
            let uv = Vec2::new(0.5 + 0.5 * pos.x, 0.5 - 0.5 * pos.y);
            self.vertex(Vertex { pos: pos + z * Vec3::Z, normal, uv, end: 0.0 })
        };
        let center = at(Vec3::ZERO);
        for j in 0..=slices {
            let angle = TAU * j as f32 / slices as f32;
            at(Vec3::new(angle.cos(), angle.sin(), 0.0));
        }
        for j in 1..=slices {
            let (a, b) = (center + j, center + j + 1);
            self.indices.extend(if z > 0.0 { [center, a, b] } else { [center, b, a] });
        }
    }

    /// A mesh of the model: a vertex for each combination of position, normal and texture coordinate. Corners whose normal
    /// is far from that of their face are flat, as in MuJoCo: edges of coarse meshes, and normals that look inwards.
    fn mesh(&mut self, m: &Model, id: usize) {
        let (vert, normal) = (m.mesh_vertadr[id] as usize, m.mesh_normaladr[id] as usize);
        let texcoord = usize::try_from(m.mesh_texcoordadr[id]).ok();
        let mut made: HashMap<[i32; 3], u32> = HashMap::new();
        let first = m.mesh_faceadr[id] as usize;
        for face in first..first + m.mesh_facenum[id] as usize {
            let corners = [0, 1, 2].map(|k| vec3(&m.mesh_vert, vert + m.mesh_face[3 * face + k] as usize));
            let flat = flat_normal(corners);
            for (k, pos) in corners.into_iter().enumerate() {
                let at = 3 * face + k;
                let own = vec3(&m.mesh_normal, normal + m.mesh_facenormal[at] as usize);
                let sharp = flat != Vec3::ZERO && own.dot(flat) < SHARP;
                // a flat corner is of one face, a smooth one of all that have its normal
                let of = if sharp { !(face as i32) } else { m.mesh_facenormal[at] };
                let key = [m.mesh_face[at], of, m.mesh_facetexcoord[at]];
                let index = *made.entry(key).or_insert_with(|| {
                    let uv = texcoord.filter(|_| key[2] >= 0).map_or(Vec2::ZERO, |adr| {
                        let at = 2 * (adr + key[2] as usize);
                        Vec2::new(m.mesh_texcoord[at] as f32, m.mesh_texcoord[at + 1] as f32)
                    });
                    self.vertex(Vertex { pos, normal: if sharp { flat } else { own }, uv, end: 0.0 })
                });
                self.indices.push(index);
            }
        }
    }

    /// The convex hull of a mesh, with flat faces.
    fn hull(&mut self, m: &Model, id: usize) {
        let Ok(graph) = usize::try_from(m.mesh_graphadr[id]) else { return };
        let (verts, faces) = (m.mesh_graph[graph] as usize, m.mesh_graph[graph + 1] as usize);
        // addresses, vertices, then lists of neighbours, then faces
        let list = graph + 2 + 3 * verts + 3 * faces;
        let base = m.mesh_vertadr[id] as usize;
        for f in 0..faces {
            let corners = [0, 1, 2].map(|k| {
                let vertex = m.mesh_graph.get(list + 3 * f + k).map_or(0, |&v| v as usize);
                vec3(&m.mesh_vert, base + vertex)
            });
            self.triangle(corners);
        }
    }

    /// A flat triangle.
    fn triangle(&mut self, corners: [Vec3; 3]) {
        let normal = flat_normal(corners);
        for pos in corners {
            let index = self.vertex(Vertex { pos, normal, uv: Vec2::ZERO, end: 0.0 });
            self.indices.push(index);
        }
    }

    /// A height field: the surface, its sides, and the base.
    fn hfield(&mut self, m: &Model, id: usize) {
        let (rows, columns) = (m.hfield_nrow[id] as usize, m.hfield_ncol[id] as usize);
        let size = [0, 1, 2, 3].map(|k| m.hfield_size[4 * id + k] as f32);
        let adr = m.hfield_adr[id] as usize;
        if rows < 2 || columns < 2 {
            return;
        }
        let place = |i: usize, n: usize| 2.0 * i as f32 / (n - 1) as f32 - 1.0;
        let at = |r: usize, c: usize| {
            let z = size[2] * m.hfield_data[adr + r * columns + c] as f32;
            Vec3::new(size[0] * place(c, columns), size[1] * place(r, rows), z)
        };
        // the surface, with normals from its neighbours
        let first = self.vertices.len() as u32;
        for r in 0..rows {
            for c in 0..columns {
                let along_x = at(r, (c + 1).min(columns - 1)) - at(r, c.saturating_sub(1));
                let along_y = at((r + 1).min(rows - 1), c) - at(r.saturating_sub(1), c);
                let normal = along_x.cross(along_y).normalize_or_zero();
                let uv = Vec2::new(0.5 + 0.5 * place(c, columns), 0.5 - 0.5 * place(r, rows));
                self.vertex(Vertex { pos: at(r, c), normal, uv, end: 0.0 });
            }
        }
        for r in 1..rows as u32 {
            for c in 1..columns as u32 {
                let index = |r: u32, c: u32| first + r * columns as u32 + c;
                self.quad([index(r - 1, c - 1), index(r - 1, c), index(r, c), index(r, c - 1)]);
            }
        }
        // sides down to the base
        let floor = |p: Vec3| Vec3::new(p.x, p.y, -size[3]);
        let mut wall = |a: Vec3, b: Vec3| {
            self.triangle([floor(a), floor(b), b]);
            self.triangle([floor(a), b, a]);
        };
        for c in 1..columns {
            wall(at(0, c - 1), at(0, c));
            wall(at(rows - 1, c), at(rows - 1, c - 1));
        }
        for r in 1..rows {
            wall(at(r, 0), at(r - 1, 0));
            wall(at(r - 1, columns - 1), at(r, columns - 1));
        }
        let corner = |x: f32, y: f32| Vec3::new(x * size[0], y * size[1], -size[3]);
        self.triangle([corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0)]);
        self.triangle([corner(-1.0, -1.0), corner(1.0, 1.0), corner(1.0, -1.0)]);
    }
}

/// Normal of a triangle; zero without an area.
fn flat_normal(corners: [Vec3; 3]) -> Vec3 {
    (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const TEXT: &str = "<mujoco><asset><mesh name='m' vertex='0 0 0  1 0 0  0 1 0  0 0 1'/>\
         <hfield name='h' nrow='3' ncol='4' elevation='0 0 0 0  0 1 1 0  0 0 0 0' size='2 1 0.5 0.1'/></asset>\
         <worldbody><geom type='mesh' mesh='m'/><geom type='hfield' hfield='h'/></worldbody></mujoco>";

    /// The volume that triangles enclose, with capsules drawn out to a half-length of 1.
    fn volume(g: &Geometry, primitive: PrimitiveMesh, coarse: bool) -> f32 {
        let corner = |i: usize| {
            let v = g.vertices[g.indices[i] as usize];
            v.pos + v.end * Vec3::Z
        };
        let range = g.range(primitive, coarse);
        let starts = (range.start as usize..range.end as usize).step_by(3);
        starts.map(|i| corner(i).dot(corner(i + 1).cross(corner(i + 2))) / 6.0).sum()
    }

    #[test]
    fn shapes_enclose_their_volumes_from_outside() {
        let model = manyworlds::load_str(TEXT).unwrap();
        let g = Geometry::of(&model);
        for (primitive, exact) in [
            (PrimitiveMesh::Sphere, 4.0 / 3.0 * PI),
            (PrimitiveMesh::Capsule, 4.0 / 3.0 * PI + 2.0 * PI),
            (PrimitiveMesh::Cylinder, 2.0 * PI),
            (PrimitiveMesh::Cone, PI / 3.0),
            (PrimitiveMesh::Box, 8.0),
            (PrimitiveMesh::Mesh(0), 1.0 / 6.0),
            (PrimitiveMesh::Hull(0), 1.0 / 6.0),
        ] {
            for (coarse, error) in [(false, 0.04), (true, 0.12)] {
                let found = volume(&g, primitive, coarse);
                assert!((found / exact - 1.0).abs() < error, "{primitive:?}: {found} instead of {exact}");
            }
        }
        // the base, and a ridge above it
        let found = volume(&g, PrimitiveMesh::Hfield(0), false);
        assert!(found > 4.0 * 2.0 * 0.1 && found < 4.0 * 2.0 * 0.6, "{found}");
    }

    #[test]
    fn normals_point_outwards_and_have_unit_length() {
        let model = manyworlds::load_str(TEXT).unwrap();
        let g = Geometry::of(&model);
        // meshes have the normals that their files say
        let round = [
            PrimitiveMesh::Sphere,
            PrimitiveMesh::Capsule,
            PrimitiveMesh::Cylinder,
            PrimitiveMesh::Cone,
            PrimitiveMesh::Box,
            PrimitiveMesh::Hull(0),
        ];
        let ranges =
            round.iter().flat_map(|primitive| [g.range(*primitive, false), g.range(*primitive, true)]);
        for triangle in ranges.flat_map(|r| g.indices[r.start as usize..r.end as usize].chunks_exact(3)) {
            let [a, b, c] = [0, 1, 2].map(|k| g.vertices[triangle[k] as usize]);
            let flat =
                (b.pos - a.pos + (b.end - a.end) * Vec3::Z).cross(c.pos - a.pos + (c.end - a.end) * Vec3::Z);
            for v in [a, b, c] {
                assert!((v.normal.length() - 1.0).abs() < 1e-4);
                assert!(flat.dot(v.normal) > -1e-6, "{v:?}");
            }
        }
    }

    #[test]
    fn edges_of_meshes_are_sharp_as_in_the_reference() {
        let cube = "vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1'";
        let text = format!(
            "<mujoco><asset><mesh name='a' {cube}/><mesh name='b' {cube} smoothnormal='true' scale='-1 1 2'/>\
             <mesh name='c' builtin='sphere' params='3' scale='1 -1 1'/></asset><worldbody>\
             <geom type='mesh' mesh='a'/><geom type='mesh' mesh='b'/><geom type='mesh' mesh='c'/></worldbody></mujoco>"
        );
        let model = manyworlds::load_str(&text).unwrap();
        let g = Geometry::of(&model);
        // within 37 degrees of the face, outwards; those of a cube are flat
        for (id, least) in [(0, 0.999), (1, 0.999), (2, 0.95)] {
            let range = g.range(PrimitiveMesh::Mesh(id), false);
            assert!(
                volume(&g, PrimitiveMesh::Mesh(id), false) > 0.0
                    && volume(&g, PrimitiveMesh::Hull(id), false) > 0.0
            );
            for triangle in g.indices[range.start as usize..range.end as usize].chunks_exact(3) {
                let corners = [0, 1, 2].map(|k| g.vertices[triangle[k] as usize]);
                let flat = flat_normal(corners.map(|v| v.pos));
                assert!(corners.iter().all(|v| v.normal.dot(flat) > least), "{id}: {corners:?}");
            }
        }
        // what is smooth shares its corners
        let of_sphere = g.range(PrimitiveMesh::Mesh(2), false).map(|i| g.indices[i as usize]);
        assert_eq!(
            of_sphere.collect::<std::collections::BTreeSet<_>>().len(),
            model.mesh_vertnum[2] as usize
        );
    }
}
