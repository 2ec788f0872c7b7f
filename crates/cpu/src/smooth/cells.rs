//! Elasticity of interpolated flexes: cells of solids, and outer faces of shells, which stretch and bend.
//!
//! A cell or face turns with its rotation `R`, the nearest one to the gradient in its middle; within it the material is linear, so
//! that the nodes feel `-R K (R'x - X)` where they are at `x`, and at `X` in the reference (corotational elasticity: Müller,
//! Gross, *Interactive virtual materials*, 2004). Two faces bend about the edge that they share, with the energy
//! `½ k |nA - nB - R̄ δ|²` of their normals in its middle, where `δ` is their difference in the reference, and `R̄` the mean
//! rotation of both.

use super::body_point::{add_point_force, point_velocity};
use super::flex_mesh::nodes_of;
use super::nodes::{MOST_NODES, polynomials};
use crate::math::{
    Mat3, Vec3, add_vec3, cross, dot, length, mat3, nearest_rotation, normalize3, outer, set_mat3, set_vec3,
    transpose, vec3,
};
use arrayvec::ArrayVec;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::edgeequality;

/// Most coordinates of the nodes of a cell.
pub const MOST_COORDINATES: usize = 3 * MOST_NODES;

/// Most nodes of a face.
const MOST_FACE_NODES: usize = 9;

/// Numbers of an edge of a shell in `flex_bending`.
const RECORD: usize = 10;

/// A cell of a solid, or an outer face of a shell.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Number among those of all flexes.
    id: usize,
    /// Nodes, the last axis the fastest.
    pub nodes: ArrayVec<usize, MOST_NODES>,
    /// Axis of a face's normal; none of a cell.
    normal: Option<usize>,
    /// Order of the polynomials.
    order: usize,
}

/// Axes along a face.
fn axes_along(normal: usize) -> [usize; 2] {
    [(normal + 1) % 3, (normal + 2) % 3]
}

impl Patch {
    /// Cell or face `k` of a flex.
    pub fn of<T: Real>(m: &Model<T>, f: usize, k: usize) -> Self {
        let id = m.flex_patchadr[f] as usize + k;
        let adr = m.flexpatch_nodeadr[id] as usize;
        let nodes = &m.flexpatch_node[adr..adr + m.flexpatch_nodenum[id] as usize];
        Self {
            id,
            nodes: nodes.iter().map(|node| *node as usize).collect(),
            normal: usize::try_from(m.flexpatch_normal[id]).ok(),
            order: m.flex_interp[f].unsigned_abs() as usize,
        }
    }

    /// Number of coordinates.
    pub fn coordinates(&self) -> usize {
        3 * self.nodes.len()
    }

    /// Rotation from the axes of the grid to the world.
    pub fn rotation<T: Real>(&self, d: &Data<T>) -> Mat3<T> {
        mat3(&d.flexpatch_xmat, self.id)
    }

    /// Rotation nearest to the gradient in the middle.
    fn nearest_turn<T: Real>(&self, d: &Data<T>) -> Mat3<T> {
        let middle = T::of(0.5);
        if let Some(normal) = self.normal {
            let tangents = self.tangents(d, [middle; 2]);
            let [first, second] = axes_along(normal);
            let mut columns = [Vec3::ZERO; 3];
            (columns[first], columns[second]) = (tangents.along[0], tangents.along[1]);
            columns[normal] = normalize3(cross(tangents.along[0], tangents.along[1]));
            return nearest_rotation(transpose(Mat3::from_rows(columns[0], columns[1], columns[2])));
        }
        // gradient in the middle of the cell
        let (shapes, side) = (polynomials(self.order, middle), self.order + 1);
        let mut gradient = Mat3::ZERO;
        for (p, &node) in self.nodes.iter().enumerate() {
            let [x, y, z] = [p / (side * side), p / side % side, p % side].map(|i| shapes[i]);
            let slopes = Vec3([x.1 * y.0 * z.0, x.0 * y.1 * z.0, x.0 * y.0 * z.1]);
            gradient += outer(vec3(&d.flexnode_xpos, node), slopes);
        }
        nearest_rotation(gradient)
    }

    /// Displacements of the nodes from the reference along the axes of the grid; the first node has none, as motion of all is
    /// none.
    pub fn displacements<T: Real>(
        &self,
        m: &Model<T>,
        d: &Data<T>,
        turn: Mat3<T>,
    ) -> ArrayVec<T, MOST_COORDINATES> {
        let back = transpose(turn);
        (0..self.nodes.len()).flat_map(|k| self.displacement(m, d, k, back).0).collect()
    }

    /// Displacement of node `k`, with the rotation back to the axes of the grid.
    fn displacement<T: Real>(&self, m: &Model<T>, d: &Data<T>, k: usize, back: Mat3<T>) -> Vec3<T> {
        let (origin, node) = (self.nodes[0], self.nodes[k]);
        let apart = vec3(&d.flexnode_xpos, node) - vec3(&d.flexnode_xpos, origin);
        back * apart - (vec3(&m.flex_node0, node) - vec3(&m.flex_node0, origin))
    }

    /// Tangents of a face at a place between 0 and 1 along both axes.
    fn tangents<T: Real>(&self, d: &Data<T>, [u, v]: [T; 2]) -> Tangents<T> {
        let (x, y) = (polynomials(self.order, u), polynomials(self.order, v));
        let side = self.order + 1;
        let mut tangents = Tangents { along: [Vec3::ZERO; 2], slopes: ArrayVec::new() };
        for (p, &node) in self.nodes.iter().enumerate() {
            let (x, y) = (x[p / side], y[p % side]);
            let slopes = [x.1 * y.0, x.0 * y.1];
            let pos = vec3(&d.flexnode_xpos, node);
            tangents.slopes.push(slopes);
            for (along, slope) in tangents.along.iter_mut().zip(slopes) {
                *along += pos * slope;
            }
        }
        tangents
    }
}

/// Tangents of a face, and how much each node counts in them.
struct Tangents<T> {
    along: [Vec3<T>; 2],
    slopes: ArrayVec<[T; 2], MOST_FACE_NODES>,
}

impl<T: Real> Tangents<T> {
    /// Derivative of a component of the unit normal, along `direction`, by the position of a node.
    fn normal_slope(&self, direction: Vec3<T>, p: usize) -> Vec3<T> {
        let [one, two] = self.along;
        let upright = cross(one, two);
        let area = length(upright).max(T::MINVAL);
        let normal = upright / area;
        let across = (direction - normal * dot(normal, direction)) / area;
        let [first, second] = self.slopes[p];
        cross(two, across) * first + cross(across, one) * second
    }
}

/// True if cells or faces of a flex are elastic; where they are constrained instead, their modes are in the place of their
/// stiffness.
pub fn stretches<T: Real>(m: &Model<T>, f: usize) -> bool {
    m.flex_stiffnessadr[f] >= 0 && m.flex_edgeequality[f] != edgeequality::STRAIN
}

/// Stiffness of a cell or face by row, with negative sign; none of an empty cell.
pub fn negative_stiffness<'a, T: Real>(
    m: &'a Model<T>,
    f: usize,
    k: usize,
    patch: &Patch,
) -> Option<&'a [T]> {
    let size = patch.coordinates() * patch.coordinates();
    let first = m.flex_stiffnessadr[f] as usize + k * size;
    let matrix = &m.flex_stiffness[first..first + size];
    // faces resist no motion along their normal
    let resists = (0..3).any(|k| matrix[k * (patch.coordinates() + 1)] != T::ZERO);
    resists.then_some(matrix)
}

/// `flexpatch_xmat` of an interpolated flex.
pub(super) fn patch_rotations<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) {
    if m.flex_stiffnessadr[f] < 0 && m.flex_bendingadr[f] < 0 {
        return;
    }
    for k in 0..m.flex_patches(f) {
        let patch = Patch::of(m, f, k);
        let turn = patch.nearest_turn(d);
        set_mat3(&mut d.flexpatch_xmat, patch.id, turn);
    }
}

/// Adds the elastic forces of an interpolated flex to `qfrc_spring`, and its damping to `qfrc_damper`, of those that act.
pub fn cell_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, [springs, dampers]: [bool; 2]) {
    for node in nodes_of(m, f) {
        set_vec3(&mut d.flexnode_spring, node, Vec3::ZERO);
        set_vec3(&mut d.flexnode_damper, node, Vec3::ZERO);
    }
    if stretches(m, f) {
        for k in 0..m.flex_patches(f) {
            stretch_patch(m, d, f, k, &Patch::of(m, f, k));
        }
    }
    for k in 0..hinge_count(m, f) {
        bend_faces(d, &Hinge::of(m, f, k));
    }
    // from nodes to degrees of freedom
    let (mut spring, mut damper) = (std::mem::take(&mut d.qfrc_spring), std::mem::take(&mut d.qfrc_damper));
    for node in nodes_of(m, f) {
        let at = (m.flex_nodebodyid[node] as usize, vec3(&d.flexnode_xpos, node));
        if springs {
            add_point_force(m, d, at, vec3(&d.flexnode_spring, node), &mut spring);
        }
        if dampers {
            add_point_force(m, d, at, vec3(&d.flexnode_damper, node), &mut damper);
        }
    }
    (d.qfrc_spring, d.qfrc_damper) = (spring, damper);
}

/// Adds the forces of a cell or face to those of its nodes.
fn stretch_patch<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, k: usize, patch: &Patch) {
    let Some(negative) = negative_stiffness(m, f, k, patch) else { return };
    let turn = patch.rotation(d);
    let moved = patch.displacements(m, d, turn);
    let back = transpose(turn);
    let damping = m.flex_damping[f];
    let velocity = |&node: &usize| (back * (node_velocity(m, d, node) * damping)).0;
    let damped: ArrayVec<T, MOST_COORDINATES> =
        if damping == T::ZERO { ArrayVec::new() } else { patch.nodes.iter().flat_map(velocity).collect() };
    let size = patch.coordinates();
    for (i, &node) in patch.nodes.iter().enumerate() {
        let row = |a: usize| &negative[(3 * i + a) * size..(3 * i + a + 1) * size];
        let product = |x: &[T]| Vec3::from_fn(|a| row(a).iter().zip(x).map(|(k, x)| *k * *x).sum());
        add_vec3(&mut d.flexnode_spring, node, turn * product(&moved));
        if !damped.is_empty() {
            add_vec3(&mut d.flexnode_damper, node, turn * product(&damped));
        }
    }
}

/// Velocity of a node.
fn node_velocity<T: Real>(m: &Model<T>, d: &Data<T>, node: usize) -> Vec3<T> {
    point_velocity(m, d, m.flex_nodebodyid[node] as usize, vec3(&d.flexnode_xpos, node))
}

/// An edge of a shell's grid about which its two faces bend.
struct Hinge<T> {
    /// Faces, and the edge's middle in each.
    faces: [(Patch, [T; 2]); 2],
    /// Stiffness, N m.
    stiffness: T,
    /// Difference of the normals in the reference, along the axes of the grid.
    rest: Vec3<T>,
}

/// Number of edges about which the faces of a shell bend.
fn hinge_count<T: Real>(m: &Model<T>, f: usize) -> usize {
    usize::try_from(m.flex_bendingadr[f]).map_or(0, |adr| m.flex_bending[adr].f64() as usize)
}

impl<T: Real> Hinge<T> {
    /// Edge `k` of a shell.
    fn of(m: &Model<T>, f: usize, k: usize) -> Self {
        let adr = m.flex_bendingadr[f] as usize + 1 + RECORD * k;
        let record = &m.flex_bending[adr..adr + RECORD];
        let face = |side: usize| {
            let at = [record[2 + 2 * side], record[3 + 2 * side]];
            (Patch::of(m, f, record[side].f64() as usize), at)
        };
        Self {
            faces: [face(0), face(1)],
            stiffness: record[6],
            rest: Vec3([record[7], record[8], record[9]]),
        }
    }
}

/// Adds the forces of bending about an edge to those of the nodes of both faces. The mean rotation counts as fixed.
fn bend_faces<T: Real>(d: &mut Data<T>, hinge: &Hinge<T>) {
    let tangents = hinge.faces.each_ref().map(|(patch, at)| patch.tangents(d, *at));
    let [one, two] = tangents.each_ref().map(|t| normalize3(cross(t.along[0], t.along[1])));
    let [first, second] = hinge.faces.each_ref().map(|(patch, _)| patch.rotation(d));
    let bent = one - two - nearest_rotation(first + second) * hinge.rest;
    for (side, sign) in [(0, -T::ONE), (1, T::ONE)] {
        let nodes = &hinge.faces[side].0.nodes;
        for (p, &node) in nodes.iter().enumerate() {
            let slope = tangents[side].normal_slope(bent, p);
            add_vec3(&mut d.flexnode_spring, node, slope * (sign * hinge.stiffness));
        }
    }
}
