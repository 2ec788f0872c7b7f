//! Deformable bodies.

use glam::DVec3;

use super::base::{Base, Ref};

/// Contact parameters of a flex.
#[derive(Clone, Debug)]
pub struct FlexContact {
    /// Contact type.
    pub contype: i32,
    /// Contact affinity.
    pub conaffinity: i32,
    /// Contact dimensions.
    pub condim: i32,
    /// Contact priority.
    pub priority: i32,
    /// Friction.
    pub friction: [f64; 3],
    /// Mixing weight.
    pub solmix: f64,
    /// Solver reference of contacts.
    pub solref: [f64; 2],
    /// Solver impedance of contacts.
    pub solimp: [f64; 5],
    /// Margin.
    pub margin: f64,
    /// Gap.
    pub gap: f64,
    /// Self-collision, as `flex_selfcollide`.
    pub selfcollide: i32,
    /// Number of element layers that collide, from the surface; 3D only.
    pub activelayers: i32,
    /// Contacts are passive forces, not constraints.
    pub passive: bool,
}

/// Material of a flex.
#[derive(Clone, Debug)]
pub struct Elasticity {
    /// Young's modulus.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Rayleigh damping.
    pub damping: f64,
    /// Thickness of 2D elements; -1 if unset.
    pub thickness: f64,
    /// Elastic forces of 2D elements: 0 none, 1 bending, 2 stretching, 3 both.
    pub elastic2d: i32,
    /// Cross section of 1D elements: 0 circle, 1 box.
    pub section: i32,
    /// Half sizes of a box section.
    pub sectionsize: [f64; 2],
}

/// A deformable body: vertices attached to bodies, and elements between them.
#[derive(Clone, Debug)]
pub struct Flex {
    /// Name and source location.
    pub base: Base,
    /// Contacts.
    pub contact: FlexContact,
    /// Material.
    pub elasticity: Elasticity,
    /// Edge stiffness.
    pub edge_stiffness: f64,
    /// Edge damping.
    pub edge_damping: f64,
    /// Dimension of elements: 1 lines, 2 triangles, 3 tetrahedra.
    pub dim: i32,
    /// Radius around elements.
    pub radius: f64,
    /// Display group.
    pub group: i32,
    /// Colour.
    pub rgba: [f64; 4],
    /// Material for display.
    pub material: Ref,
    /// Flat shading.
    pub flatskin: bool,
    /// Interpolation between nodes: 0 none, 1 linear, 2 quadratic.
    pub order: i32,
    /// Cells of the node grid along each axis.
    pub cellcount: [i32; 3],
    /// Bodies of the vertices: one for all, or one per vertex.
    pub vert_body: Vec<Ref>,
    /// Bodies of the nodes.
    pub node_body: Vec<Ref>,
    /// Vertex positions in their bodies, three numbers each; empty if all are at the origins.
    pub vert: Vec<f64>,
    /// Node positions in their bodies, three numbers each; empty if all are at the origins.
    pub node: Vec<f64>,
    /// Element vertices, dim + 1 each.
    pub elem: Vec<i32>,
    /// Texture coordinates, two numbers each.
    pub texcoord: Vec<f64>,
    /// Texture coordinate indices of element corners.
    pub elemtexcoord: Vec<i32>,
}

impl Flex {
    /// True if the vertices are interpolated from nodes.
    pub fn interpolated(&self) -> bool {
        !self.node_body.is_empty()
    }

    /// True if it is interpolated and only the faces of its grid are elastic.
    pub fn is_shell(&self) -> bool {
        self.interpolated() && self.elasticity.elastic2d != 0
    }

    /// Empty cells of the node grid, the last axis fastest: those that no element's bounding box overlaps, of a surface
    /// only those outside of it. `points` are the vertices along the axes of the grid, `bounds` its corners.
    pub(crate) fn empty_cells(&self, points: &[DVec3], bounds: (DVec3, DVec3)) -> Vec<bool> {
        let cells = self.cellcount.map(|c| c.max(0) as usize);
        let reached = self.reached(points, bounds, cells);
        if self.dim == 2 { outside(&reached, cells) } else { reached.iter().map(|r| !r).collect() }
    }

    /// Cells overlapped by the bounding boxes of elements: corner differences, then prefix sums along each axis.
    fn reached(&self, points: &[DVec3], bounds: (DVec3, DVec3), cells: [usize; 3]) -> Vec<bool> {
        let size = cells.map(|c| c + 1);
        let index = |[i, j, k]: [usize; 3]| (i * size[1] + j) * size[2] + k;
        let mut change = vec![0_i32; size.iter().product()];
        for element in self.elem.chunks_exact(self.dim as usize + 1) {
            let [x, y, z] = reach(element, points, bounds, cells);
            for (i, a) in [(x.0, 1), (x.1 + 1, -1)] {
                for (j, b) in [(y.0, 1), (y.1 + 1, -1)] {
                    change[index([i, j, z.0])] += a * b;
                    change[index([i, j, z.1 + 1])] -= a * b;
                }
            }
        }
        let steps = [size[1] * size[2], size[2], 1];
        for (axis, step) in steps.into_iter().enumerate() {
            for at in 0..change.len() {
                if at / step % size[axis] > 0 {
                    change[at] += change[at - step];
                }
            }
        }
        let mut reached = Vec::with_capacity(cells.iter().product());
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                reached.extend((0..cells[2]).map(|k| change[index([i, j, k])] > 0));
            }
        }
        reached
    }
}

/// Cells outside of a surface that reaches some: flood fill from the border inwards.
fn outside(reached: &[bool], cells: [usize; 3]) -> Vec<bool> {
    let index = |[i, j, k]: [usize; 3]| (i * cells[1] + j) * cells[2] + k;
    let mut empty = vec![false; reached.len()];
    let mut work = Vec::new();
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                let at = [i, j, k];
                if (0..3).any(|a| at[a] == 0 || at[a] == cells[a] - 1) {
                    work.push(at);
                }
            }
        }
    }
    while let Some(at) = work.pop() {
        if reached[index(at)] || empty[index(at)] {
            continue;
        }
        empty[index(at)] = true;
        for axis in 0..3 {
            let mut next = at;
            if at[axis] > 0 {
                next[axis] = at[axis] - 1;
                work.push(next);
            }
            if at[axis] + 1 < cells[axis] {
                next[axis] = at[axis] + 1;
                work.push(next);
            }
        }
    }
    empty
}

/// First and last cell of an element's bounding box, along each axis.
fn reach(
    element: &[i32],
    points: &[DVec3],
    (low, high): (DVec3, DVec3),
    cells: [usize; 3],
) -> [(usize, usize); 3] {
    std::array::from_fn(|a| {
        let size = high[a] - low[a];
        let cell = |x: f64| {
            if size <= 0.0 {
                return 0;
            }
            ((x - low[a]) / size * cells[a] as f64).clamp(0.0, cells[a] as f64 - 1.0) as usize
        };
        let along = element.iter().map(|&e| points[e as usize][a]);
        let (first, last) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        (cell(first), cell(last))
    })
}
