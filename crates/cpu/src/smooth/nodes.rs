//! Nodes of interpolated flexes: a grid of equal cells, in which every vertex keeps its place.
//!
//! Between the nodes of a cell positions are products of Lagrange polynomials, of first order with two nodes along an axis or of
//! second with three. Only the outer faces of a shell are elastic: a node inside of it has no motion of its own, but stands where
//! the six sides of the grid have it (transfinite interpolation: Gordon, Hall, *Construction of curvilinear co-ordinate systems
//! and applications to mesh generation*, 1973).

use super::body_point::body_point;
use super::flex_mesh::nodes_of;
use crate::math::{Vec3, set_vec3, vec3};
use arrayvec::ArrayVec;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
pub use manyworlds_model::model::patches::MOST_NODES;
use manyworlds_model::real::Real;

/// Nodes on the outside of a shell with which one inside moves.
const OUTER_SHARES: usize = 26;

/// Nodes with their weights.
pub type Weights<T> = ArrayVec<(usize, T), MOST_NODES>;

/// The nodes of a flex.
#[derive(Clone, Copy, Debug)]
pub struct NodeGrid {
    /// First of them.
    first: usize,
    /// Order of the polynomials.
    pub order: usize,
    /// Cells along each axis.
    pub cells: [usize; 3],
    /// True if only the outer faces are elastic.
    pub is_shell: bool,
}

impl NodeGrid {
    /// The nodes of a flex; none if its vertices are on bodies.
    pub fn of<T: Real>(m: &Model<T>, f: usize) -> Option<Self> {
        let order = m.flex_interp[f].unsigned_abs() as usize;
        let cells = [0, 1, 2].map(|axis| m.flex_cellnum[3 * f + axis] as usize);
        let is_shell = m.flex_interp[f] < 0;
        (order > 0).then_some(Self { first: m.flex_nodeadr[f] as usize, order, cells, is_shell })
    }

    /// Node at a place of the grid, the last axis the fastest.
    pub fn node(&self, [i, j, k]: [usize; 3]) -> usize {
        let [_, y, z] = self.cells.map(|cells| cells * self.order + 1);
        self.first + (i * y + j) * z + k
    }

    /// Place of a node.
    fn node_place(&self, node: usize) -> [usize; 3] {
        let [_, y, z] = [0, 1, 2].map(|axis| self.last(axis) + 1);
        let at = node - self.first;
        [at / (y * z), at / z % y, at % z]
    }

    /// Place of a node inside a shell, which has no motion of its own; none of any other node.
    pub fn place_inside(&self, node: usize) -> Option<[usize; 3]> {
        Some(self.node_place(node)).filter(|at| self.is_within_shell(*at))
    }

    /// True if a place is inside of a shell.
    fn is_within_shell(&self, at: [usize; 3]) -> bool {
        self.is_shell && (0..3).all(|axis| at[axis] > 0 && at[axis] < self.last(axis))
    }

    /// Nodes on the outside of a shell with their weights in the position of a place inside: those on the sides, less the edges that
    /// two of them share, and corners.
    pub fn outer_shares<T: Real>(&self, at: [usize; 3]) -> impl Iterator<Item = (usize, T)> + '_ {
        (0..OUTER_SHARES).map(move |choice| self.outer_share(at, choice))
    }

    /// One of them: along each axis at the near end, at the far end, or where it is.
    fn outer_share<T: Real>(&self, at: [usize; 3], choice: usize) -> (usize, T) {
        let ends = [choice / 9, choice / 3 % 3, choice % 3];
        let (mut place, mut weight) = (at, -T::ONE);
        for axis in (0..3).filter(|&axis| ends[axis] < 2) {
            let share = T::of(at[axis] as f64 / self.last(axis) as f64);
            let is_far = ends[axis] == 1;
            place[axis] = if is_far { self.last(axis) } else { 0 };
            weight = -(weight * if is_far { share } else { T::ONE - share });
        }
        (self.node(place), weight)
    }

    /// Last place along an axis.
    pub fn last(&self, axis: usize) -> usize {
        self.cells[axis] * self.order
    }

    /// Cell of a point of the bounding box, whose coordinates there are from 0 to 1, and its coordinates in the cell.
    pub fn cell_at<T: Real>(&self, point: Vec3<T>) -> ([usize; 3], Vec3<T>) {
        let cell = [0, 1, 2].map(|axis| {
            let most = self.cells[axis] - 1;
            let at = (point[axis] * T::of(self.cells[axis] as f64)).f64();
            // a number that is none is in the first cell
            (at.max(0.0) as usize).min(most)
        });
        let within = Vec3::from_fn(|k| point[k] * T::of(self.cells[k] as f64) - T::of(cell[k] as f64));
        (cell, within)
    }

    /// Nodes of the cell of a point, with the weight of each in its position.
    pub fn weights<T: Real>(&self, point: Vec3<T>) -> Weights<T> {
        let (cell, within) = self.cell_at(point);
        let [along_x, along_y, along_z] = [0, 1, 2].map(|axis| polynomials(self.order, within[axis]));
        let [i, j, k] = cell.map(|cell| cell * self.order);
        let (side, mut weights) = (self.order + 1, Weights::new());
        for (a, x) in along_x[..side].iter().enumerate() {
            for (b, y) in along_y[..side].iter().enumerate() {
                let first = self.node([i + a, j + b, k]);
                let products = along_z[..side].iter().map(|z| x.0 * y.0 * z.0);
                weights.extend(products.enumerate().map(|(c, weight)| (first + c, weight)));
            }
        }
        weights
    }
}

/// Values and slopes of the Lagrange polynomials of an order at a place between 0 and 1.
pub fn polynomials<T: Real>(order: usize, x: T) -> [(T, T); 3] {
    let [two, three, four, eight] = [2.0, 3.0, 4.0, 8.0].map(T::of);
    let half = T::of(0.5);
    if order == 1 {
        return [(T::ONE - x, -T::ONE), (x, T::ONE), (T::ZERO, T::ZERO)];
    }
    [
        (two * (x - half) * (x - T::ONE), four * x - three),
        (four * x * (T::ONE - x), four - eight * x),
        (two * x * (x - half), four * x - T::ONE),
    ]
}

/// Positions of all nodes.
pub fn node_positions<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, grid: &NodeGrid) {
    for node in nodes_of(m, f) {
        let pos = body_point(d, m.flex_nodebodyid[node] as usize, vec3(&m.flex_node, node));
        set_vec3(&mut d.flexnode_xpos, node, pos);
    }
    if !grid.is_shell {
        return;
    }
    for i in 1..grid.last(0) {
        for j in 1..grid.last(1) {
            for k in 1..grid.last(2) {
                let pos = between_sides(d, grid, [i, j, k]);
                set_vec3(&mut d.flexnode_xpos, grid.node([i, j, k]), pos);
            }
        }
    }
}

/// Position of a node inside a shell.
fn between_sides<T: Real>(d: &Data<T>, grid: &NodeGrid, at: [usize; 3]) -> Vec3<T> {
    let share = |pos: Vec3<T>, (node, weight): (usize, T)| pos + vec3(&d.flexnode_xpos, node) * weight;
    grid.outer_shares(at).fold(Vec3::ZERO, share)
}

/// Position of a vertex between its nodes.
pub fn interpolated_position<T: Real>(m: &Model<T>, d: &Data<T>, grid: &NodeGrid, vert: usize) -> Vec3<T> {
    let weights = grid.weights(vec3(&m.flex_vert0, vert));
    weights.iter().fold(Vec3::ZERO, |sum, &(node, weight)| sum + vec3(&d.flexnode_xpos, node) * weight)
}
