//! Convex polytopes: the hull of a mesh, and a prism below a triangle of a height field.
//!
//! Vertices and polygons go by their number in the mesh. A farthest vertex is found by climbing along the edges of the
//! hull, from the one that is farthest in the nearest of 27 directions (Dobkin and Kirkpatrick, *A linear algorithm for
//! determining the separation of convex polyhedra*, 1985, climb a hierarchy instead); where there are few, by looking
//! at all.

use super::math::{cross, dot, norm3, scale, sub, vec3};
use crate::model::Model;
use crate::real::Real;

/// Fewest vertices of a mesh whose hull is climbed.
const FEW: usize = 10;

/// Most corners of a polygon that clipping takes into account; of larger ones it takes as many as fit, evenly.
pub const MOST_CORNERS: usize = 60;

/// Share of a direction's largest part from which on a part counts for the start of a climb.
const LEANING: f64 = 0.5;

/// A convex polytope.
#[derive(Clone, Copy)]
pub enum Hull<'a, T: Real> {
    /// Shapes that are none.
    None,
    /// The convex hull of a mesh.
    Mesh(&'a Model<T>, usize),
    /// A prism: the corners of its base, and above them of its top, relative to its centre.
    Prism([[T; 3]; 6]),
}

/// Corners of the polygons of a prism: base, top, sides; three corners of each.
const PRISM: [[usize; 3]; 5] = [[0, 1, 2], [3, 4, 5], [0, 1, 4], [1, 2, 5], [2, 0, 3]];

impl<T: Real> Hull<'_, T> {
    /// Whether there is one.
    pub fn exists(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Position of a vertex.
    pub fn vertex(&self, v: usize) -> [T; 3] {
        match self {
            Self::None => [T::ZERO; 3],
            Self::Mesh(m, mesh) => vec3(&m.mesh_vert, m.mesh_vertadr[*mesh] as usize + v),
            Self::Prism(corners) => corners[v],
        }
    }

    /// The vertex that is farthest in direction `l`, the first of equals that a search meets.
    pub fn farthest(&self, l: [T; 3]) -> usize {
        let count = match self {
            Self::None => return 0,
            Self::Mesh(m, mesh) => {
                let count = m.mesh_vertnum[*mesh] as usize;
                if m.mesh_graphadr[*mesh] >= 0 && count >= FEW {
                    return climb(m, *mesh, l);
                }
                count
            }
            Self::Prism(_) => 6,
        };
        let (mut best, mut height) = (0, dot(self.vertex(0), l));
        for v in 1..count {
            let value = dot(self.vertex(v), l);
            if value > height {
                height = value;
                best = v;
            }
        }
        best
    }

    /// Number of polygons.
    pub fn polygons(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Mesh(m, mesh) => m.mesh_polynum[*mesh] as usize,
            Self::Prism(_) => PRISM.len(),
        }
    }

    /// Unit normal of a polygon, outwards.
    pub fn normal(&self, polygon: usize) -> [T; 3] {
        match self {
            Self::None => [T::ZERO; 3],
            Self::Mesh(m, mesh) => vec3(&m.mesh_polynormal, m.mesh_polyadr[*mesh] as usize + polygon),
            Self::Prism(corners) => {
                let [p, q, r] = PRISM[polygon].map(|k| corners[k]);
                let across = cross(sub(q, p), sub(r, p));
                let length = norm3(across).max(T::MINVAL);
                // away from the centre
                scale(across, if dot(across, p) < T::ZERO { -T::ONE / length } else { T::ONE / length })
            }
        }
    }

    /// How far a polygon is from the origin, along its normal.
    pub fn level(&self, polygon: usize) -> T {
        let v = match self {
            Self::None => 0,
            Self::Mesh(m, mesh) => m.mesh_polyvert[place(m, *mesh, polygon).0] as usize,
            Self::Prism(_) => PRISM[polygon][0],
        };
        dot(self.vertex(v), self.normal(polygon))
    }

    /// Number of polygons at a vertex.
    pub fn ring(&self, v: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Mesh(m, mesh) => m.mesh_polymapnum[m.mesh_vertadr[*mesh] as usize + v] as usize,
            Self::Prism(_) => 3,
        }
    }

    /// Polygon `k` of those at a vertex.
    pub fn ring_polygon(&self, v: usize, k: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Mesh(m, mesh) => {
                let adr = m.mesh_polymapadr[m.mesh_vertadr[*mesh] as usize + v] as usize;
                m.mesh_polymap[adr + k] as usize
            }
            Self::Prism(_) => {
                let around = [v / 3, 2 + v % 3, 2 + (v + 2) % 3];
                around[k]
            }
        }
    }

    /// The vertex at the other end of edge `k` of those at a vertex: the one before it in that polygon.
    pub fn ring_vertex(&self, v: usize, k: usize) -> usize {
        match self {
            Self::None => v,
            Self::Mesh(m, mesh) => {
                let (adr, count) = place(m, *mesh, self.ring_polygon(v, k));
                let at = (0..count).find(|c| m.mesh_polyvert[adr + c] as usize == v).unwrap_or(0);
                m.mesh_polyvert[adr + (at + count - 1) % count] as usize
            }
            Self::Prism(_) => [(v + 3) % 6, v / 3 * 3 + (v + 1) % 3, v / 3 * 3 + (v + 2) % 3][k],
        }
    }

    /// Number of corners of a polygon of a mesh.
    pub fn sides(&self, polygon: usize) -> usize {
        match self {
            Self::Mesh(m, mesh) => place(m, *mesh, polygon).1,
            _ => 0,
        }
    }

    /// The vertex at one of these corners, counterclockwise from outside.
    pub fn outline(&self, polygon: usize, c: usize) -> usize {
        match self {
            Self::Mesh(m, mesh) => m.mesh_polyvert[place(m, *mesh, polygon).0 + c] as usize,
            _ => 0,
        }
    }

    /// Number of corners of a polygon of a mesh that clipping takes into account.
    pub fn corners(&self, polygon: usize) -> usize {
        self.sides(polygon).min(MOST_CORNERS)
    }

    /// The vertex at corner `c` of these, clockwise from outside.
    pub fn corner(&self, polygon: usize, c: usize) -> usize {
        let count = self.sides(polygon);
        self.outline(polygon, count - 1 - c * count / self.corners(polygon))
    }
}

/// First entry and number of the corners of a polygon.
fn place<T: Real>(m: &Model<T>, mesh: usize, polygon: usize) -> (usize, usize) {
    let id = m.mesh_polyadr[mesh] as usize + polygon;
    (m.mesh_polyvertadr[id] as usize, m.mesh_polyvertnum[id] as usize)
}

/// The farthest vertex of a mesh, by climbing from neighbour to neighbour.
fn climb<T: Real>(m: &Model<T>, mesh: usize, l: [T; 3]) -> usize {
    let adr = m.mesh_graphadr[mesh] as usize;
    let count = m.mesh_graph[adr] as usize;
    let (lists, corners, edges) = (adr + 2, adr + 2 + count, adr + 2 + 2 * count);
    let height = |k: usize| {
        let v = m.mesh_vertadr[mesh] as usize + m.mesh_graph[corners + k] as usize;
        dot(vec3(&m.mesh_vert, v), l)
    };
    // from where it is in a direction nearby
    let most = T::of(LEANING) * l[0].abs().max(l[1].abs()).max(l[2].abs());
    let part = |x: T| if x.abs() < most { 1 } else { if x < T::ZERO { 0 } else { 2 } };
    let mut best = m.mesh_extrema[27 * mesh + 9 * part(l[0]) + 3 * part(l[1]) + part(l[2])] as usize;
    let mut most = height(best);
    loop {
        let from = best;
        let mut edge = edges + m.mesh_graph[lists + from] as usize;
        while m.mesh_graph[edge] >= 0 {
            let next = m.mesh_graph[edge] as usize;
            let value = height(next);
            if value > most {
                most = value;
                best = next;
            }
            edge += 1;
        }
        if best == from {
            return m.mesh_graph[corners + best] as usize;
        }
    }
}
