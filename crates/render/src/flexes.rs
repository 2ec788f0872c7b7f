//! Flexes as they are drawn: capsules along lines; around triangles two sheets, closed along the border; around tetrahedra
//! their surface. Places of vertices follow on the device, as those of skins do.

use std::collections::HashMap;

use glam::{Vec2, Vec3};

use super::geometry::Vertex;
use manyworlds::model::Model;

/// A triangle of a flex that is seen: its vertices, and their texture coordinates, both counted within the flex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Triangle {
    pub(super) vertices: [u32; 3],
    texcoords: [u32; 3],
}

/// True if a flex has triangles: its elements are not lines.
pub(super) fn has_triangles(m: &Model, flex: usize) -> bool {
    m.flex_dim[flex] > 1
}

/// Number of a flex's first vertex among those that the device computes: they are behind those of skins.
pub(super) fn first_vertex(m: &Model, flex: usize) -> usize {
    m.sizes.nskinvert + m.flex_vertadr[flex] as usize
}

/// Vertices at the ends of each line of a flex, as the device counts them; nothing for triangles and tetrahedra.
pub(super) fn lines(m: &Model, flex: usize) -> impl Iterator<Item = [usize; 2]> + '_ {
    let count = if has_triangles(m, flex) { 0 } else { m.flex_elemnum[flex] as usize };
    let (first, adr) = (first_vertex(m, flex), m.flex_elemdataadr[flex] as usize);
    (0..count).map(move |e| [0, 1].map(|end| first + m.flex_elem[adr + 2 * e + end] as usize))
}

/// The elements of a flex of triangles, the boundary of one of tetrahedra; nothing for lines.
pub(super) fn triangles(m: &Model, flex: usize) -> Vec<Triangle> {
    let (list, texcoords, first, count) = match m.flex_dim[flex] {
        2 => (&m.flex_elem, &m.flex_elemtexcoord, m.flex_elemdataadr[flex], m.flex_elemnum[flex]),
        // the boundary has texture coordinates by vertex
        3 => (&m.flex_shell, &m.flex_shell, m.flex_shelldataadr[flex], m.flex_shellnum[flex]),
        _ => return Vec::new(),
    };
    let range = first as usize..(first + 3 * count) as usize;
    let corners = |of: &[i32]| [0, 1, 2].map(|k| of[k] as u32);
    let both = list[range.clone()].chunks_exact(3).zip(texcoords[range].chunks_exact(3));
    both.map(|(v, t)| Triangle { vertices: corners(v), texcoords: corners(t) }).collect()
}

/// Corners of the triangles of a flex as they are drawn, in the frames of its vertices, in radii; nothing for lines.
pub(super) fn surface(m: &Model, flex: usize) -> (Vec<Vertex>, Vec<u32>) {
    let triangles = triangles(m, flex);
    let mut surface = Surface { m, flex, vertices: Vec::new(), indices: Vec::new(), known: HashMap::new() };
    let smooth = m.flex_flatskin[flex] == 0;
    for triangle in &triangles {
        let [a, b, c] = triangle.corners();
        surface.add([a, b, c].map(|corner| (corner, Side::Outer, smooth)));
    }
    // triangles have another side, and an edge around both
    if m.flex_dim[flex] == 2 {
        for triangle in &triangles {
            let [a, b, c] = triangle.corners();
            surface.add([c, b, a].map(|corner| (corner, Side::Inner, smooth)));
        }
        for [a, b] in border(&triangles) {
            surface.add([(b, Side::Outer, false), (a, Side::Outer, false), (a, Side::Inner, false)]);
            surface.add([(b, Side::Outer, false), (a, Side::Inner, false), (b, Side::Inner, false)]);
        }
    }
    (surface.vertices, surface.indices)
}

/// A vertex, and its texture coordinate.
type Corner = [u32; 2];

impl Triangle {
    fn corners(&self) -> [Corner; 3] {
        [0, 1, 2].map(|k| [self.vertices[k], self.texcoords[k]])
    }
}

/// Edges that only one triangle has, in its direction.
fn border(triangles: &[Triangle]) -> Vec<[Corner; 2]> {
    let edges = |triangle: &Triangle| {
        let corners = triangle.corners();
        [0, 1, 2].map(|k| [corners[k], corners[(k + 1) % 3]])
    };
    let ends = |[a, b]: [Corner; 2]| [a[0].min(b[0]), a[0].max(b[0])];
    let mut count: HashMap<[u32; 2], u32> = HashMap::new();
    for edge in triangles.iter().flat_map(edges) {
        *count.entry(ends(edge)).or_default() += 1;
    }
    triangles.iter().flat_map(edges).filter(|edge| count.get(&ends(*edge)) == Some(&1)).collect()
}

/// The side of a vertex on which a corner lies, one radius away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Side {
    /// Along its normal.
    Outer,
    /// Against its normal.
    Inner,
}

/// Triangles of a surface as they are made: a vertex for each combination of place, texture coordinate and shading.
struct Surface<'a> {
    m: &'a Model,
    flex: usize,
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    known: HashMap<(Corner, Side, bool), u32>,
}

impl Surface<'_> {
    /// Adds a triangle of corners on a side each; smooth ones have the normals of their vertices.
    fn add(&mut self, corners: [(Corner, Side, bool); 3]) {
        for corner in corners {
            let next = self.vertices.len() as u32;
            let index = *self.known.entry(corner).or_insert(next);
            if index == next {
                self.vertices.push(self.vertex(corner));
            }
            self.indices.push(index);
        }
    }

    fn vertex(&self, ([vertex, texcoord], side, smooth): (Corner, Side, bool)) -> Vertex {
        let pos = if side == Side::Outer { Vec3::Z } else { Vec3::NEG_Z };
        Vertex {
            pos,
            normal: if smooth { pos } else { Vec3::ZERO },
            uv: self.uv(texcoord),
            end: (first_vertex(self.m, self.flex) + vertex as usize) as f32,
        }
    }

    /// A texture coordinate; zero where there is none.
    fn uv(&self, texcoord: u32) -> Vec2 {
        let adr = usize::try_from(self.m.flex_texcoordadr[self.flex]).ok();
        let at = adr.map(|adr| 2 * (adr + texcoord as usize));
        let pair = at.and_then(|at| self.m.flex_texcoord.get(at..at + 2));
        pair.map_or(Vec2::ZERO, |uv| Vec2::new(uv[0] as f32, uv[1] as f32))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::collections::BTreeMap;

    /// A model of one flex on the world's body, and more of its attributes.
    fn model(dim: usize, vertices: &str, elements: &str, more: &str) -> Model {
        let text = format!(
            "<mujoco><worldbody><body name='b'/></worldbody><deformable><flex name='f' dim='{dim}' body='b' \
             vertex='{vertices}' element='{elements}' radius='.1' {more}/></deformable></mujoco>"
        );
        manyworlds::load_str(&text).unwrap()
    }

    /// A square of two triangles in the plane z = 0.
    fn square(more: &str) -> Model {
        model(2, "0 0 0 1 0 0 1 1 0 0 1 0", "0 1 2 0 2 3", more)
    }

    /// Two tetrahedra with a common face.
    fn pair(more: &str) -> Model {
        model(3, "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1", "0 1 2 3 1 2 3 4", more)
    }

    /// Every edge between places is that of two triangles, which run along it in opposite directions.
    fn is_closed((vertices, indices): &(Vec<Vertex>, Vec<u32>)) -> bool {
        let place = |i: u32| (vertices[i as usize].end as u32, vertices[i as usize].pos.z > 0.0);
        let mut edges = BTreeMap::new();
        for triangle in indices.chunks_exact(3) {
            for k in 0..3 {
                *edges.entry((place(triangle[k]), place(triangle[(k + 1) % 3]))).or_insert(0) += 1;
            }
        }
        edges.iter().all(|((a, b), count)| *count == 1 && edges.get(&(*b, *a)) == Some(&1))
    }

    #[test]
    fn lines_are_capsules_and_have_no_triangles() {
        let m = model(1, "0 0 0 1 0 0 2 0 0 3 0 0", "0 1 1 2 3 2", "");
        assert_eq!(lines(&m, 0).collect::<Vec<_>>(), [[0, 1], [1, 2], [3, 2]]);
        assert!(triangles(&m, 0).is_empty() && surface(&m, 0).1.is_empty() && !has_triangles(&m, 0));
    }

    #[test]
    fn triangles_have_two_sides_and_a_rim() {
        let m = square("");
        let drawn = surface(&m, 0);
        // two sides of two triangles, and two triangles for each of four edges of the border
        assert_eq!(drawn.1.len(), 3 * (2 * 2 + 2 * 4));
        assert!(is_closed(&drawn) && lines(&m, 0).next().is_none());
        // four smooth vertices on each side, and the same, flat, for the rim
        let smooth = drawn.0.iter().filter(|v| v.normal != Vec3::ZERO);
        assert_eq!((smooth.clone().count(), drawn.0.len()), (8, 16));
        assert!(smooth.clone().all(|v| v.normal == v.pos));
        let flat = surface(&square("flatskin='true'"), 0);
        assert!(is_closed(&flat) && flat.1.len() == drawn.1.len());
        assert!(flat.0.len() == 8 && flat.0.iter().all(|v| v.normal == Vec3::ZERO));
    }

    #[test]
    fn a_rim_looks_outwards() {
        let m = square("");
        let (vertices, indices) = surface(&m, 0);
        let place = |i: u32| {
            let v = vertices[i as usize];
            let at = 3 * v.end as usize;
            Vec3::from_array([0, 1, 2].map(|k| m.flex_vert[at + k] as f32)) + 0.1 * v.pos
        };
        for triangle in indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|k| place(triangle[k]));
            let center = (a + b + c) / 3.0 - Vec3::new(0.5, 0.5, 0.0);
            assert!((b - a).cross(c - a).dot(center) > 0.0, "{triangle:?}");
        }
    }

    #[test]
    fn tetrahedra_have_their_boundary_without_what_is_inside() {
        let m = pair("");
        let drawn = surface(&m, 0);
        assert_eq!((drawn.0.len(), drawn.1.len()), (5, 3 * 6));
        assert!(is_closed(&drawn) && drawn.0.iter().all(|v| v.normal == Vec3::Z && v.pos == Vec3::Z));
        let flat = surface(&pair("flatskin='true'"), 0);
        assert!(is_closed(&flat) && flat.0.iter().all(|v| v.normal == Vec3::ZERO && v.pos == Vec3::Z));
    }

    #[test]
    fn texture_coordinates_are_those_of_elements_or_of_vertices() {
        let by_vertex = surface(&square("texcoord='0 0 1 0 1 1 0 1'"), 0).0;
        let square_uv = |v: &Vertex| [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y][v.end as usize];
        assert!(by_vertex.iter().all(|v| v.uv == square_uv(v)));
        // the same triangle of the picture twice, so that two vertices have two coordinates
        let by_element = surface(&square("texcoord='0 0 1 0 1 1' elemtexcoord='0 1 2 0 1 2'"), 0).0;
        let of = |vertex: u32| {
            let uvs = by_element.iter().filter(|v| v.end as u32 == vertex && v.pos.z > 0.0);
            uvs.filter(|v| v.normal != Vec3::ZERO).map(|v| v.uv).collect::<Vec<_>>()
        };
        assert_eq!([of(0), of(2)], [vec![Vec2::ZERO], vec![Vec2::ONE, Vec2::X]]);
        // of tetrahedra, by vertex
        let texcoord = "texcoord='0 0 .25 0 .5 0 .75 0 1 0' elemtexcoord='0 0 0 0 0 0 0 0'";
        assert!(surface(&pair(texcoord), 0).0.iter().all(|v| v.uv == Vec2::new(0.25 * v.end, 0.0)));
    }
}
