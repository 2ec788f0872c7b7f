//! Cells and faces of interpolated flexes, and the layout of elasticity.

use super::Model;
use crate::real::Real;
use crate::schema::enums::edgeequality;

/// Numbers of a hinge of a rod, the last its stiffness; and of a fold between two faces, with the place of its stiffness.
pub(crate) const BEND: usize = 4;
pub(crate) const FOLD: usize = 10;
const FOLD_STIFFNESS: usize = 6;

/// Most nodes of a cell.
pub const MOST_NODES: usize = 27;

impl<T: Real> Model<T> {
    /// Number of elastic parts of an interpolated flex: cells of a solid, outer faces of a shell.
    pub fn flex_patches(&self, f: usize) -> usize {
        let [x, y, z] = [0, 1, 2].map(|axis| self.flex_cellnum[3 * f + axis].max(0) as usize);
        let area = |a: usize, b: usize| a.saturating_mul(b);
        if self.flex_interp[f] < 0 {
            return 2_usize.saturating_mul(area(x, y).saturating_add(area(y, z)).saturating_add(area(z, x)));
        }
        area(area(x, y), z)
    }

    /// Number of coordinates of the nodes of such a part.
    pub fn flex_patch_coordinates(&self, f: usize) -> usize {
        let side = self.flex_interp[f].unsigned_abs() as usize + 1;
        3 * side.pow(if self.flex_interp[f] < 0 { 2 } else { 3 })
    }

    /// Places in `flex_stiffness` of numbers that are no stiffness: how many modes of strain a cell or face has.
    pub fn flex_stiffness_layout(&self) -> Vec<usize> {
        let strained = |f: &usize| self.flex_edgeequality[*f] == edgeequality::STRAIN;
        let starts = (0..self.sizes.nflex).filter(strained).filter_map(|f| {
            let first = usize::try_from(self.flex_stiffnessadr[f]).ok()?;
            Some((0..self.flex_patches(f)).map(move |k| first + k * self.flex_patch_coordinates(f).pow(2)))
        });
        starts.flatten().collect()
    }

    /// Places in `flex_bending` of numbers that are no stiffness: counts, vertices, faces, places and normals at rest.
    pub fn flex_bending_layout(&self) -> Vec<usize> {
        let mut places = Vec::new();
        for f in 0..self.sizes.nflex {
            let Ok(first) = usize::try_from(self.flex_bendingadr[f]) else { continue };
            let (len, stiffness) = match (self.flex_interp[f], self.flex_dim[f]) {
                (0, 1) => (BEND, BEND - 1),
                (0, _) => continue,
                _ => (FOLD, FOLD_STIFFNESS),
            };
            let count = self.flex_bending.get(first).map_or(0, |n| n.f64() as usize);
            places.push(first);
            places.extend((0..len * count).filter(|k| k % len != stiffness).map(|k| first + 1 + k));
        }
        places
    }
}

/// A cell of a solid, or an outer face of a shell.
#[derive(Debug)]
pub(super) struct Patch {
    /// Nodes, the last axis the fastest.
    pub(super) nodes: Vec<i32>,
    /// Axis of a face's normal; -1 of a cell.
    pub(super) normal: i32,
}

/// The grid of a flex's nodes.
struct Grid {
    first: usize,
    order: usize,
    cells: [usize; 3],
}

/// The cells of an interpolated flex, the last axis the fastest, or its faces: by their normal, the near ones before the far ones.
pub(super) fn patches(m: &Model, f: usize) -> Vec<Patch> {
    let grid = Grid {
        first: m.flex_nodeadr[f] as usize,
        order: m.flex_interp[f].unsigned_abs() as usize,
        cells: [0, 1, 2].map(|axis| m.flex_cellnum[3 * f + axis] as usize),
    };
    if m.flex_interp[f] > 0 {
        let [x, y, z] = grid.cells;
        return (0..x * y * z).map(|k| grid.cell([k / (y * z), k / z % y, k % z])).collect();
    }
    let mut faces = Vec::new();
    for normal in 0..3 {
        let [first, second] = axes_along(normal).map(|axis| grid.cells[axis]);
        for level in [0, grid.cells[normal] * grid.order] {
            faces.extend((0..first * second).map(|k| grid.face((normal, level), [k / second, k % second])));
        }
    }
    faces
}

/// Axes along a face.
fn axes_along(normal: usize) -> [usize; 2] {
    [(normal + 1) % 3, (normal + 2) % 3]
}

impl Grid {
    /// Node at a place.
    fn node(&self, [i, j, k]: [usize; 3]) -> i32 {
        let [_, y, z] = self.cells.map(|cells| cells * self.order + 1);
        (self.first + (i * y + j) * z + k) as i32
    }

    /// A cell.
    fn cell(&self, at: [usize; 3]) -> Patch {
        let side = self.order + 1;
        let node = |p: usize| {
            let within = [p / (side * side), p / side % side, p % side];
            self.node([0, 1, 2].map(|axis| at[axis] * self.order + within[axis]))
        };
        Patch { nodes: (0..side * side * side).map(node).collect(), normal: -1 }
    }

    /// A face, across its normal at a level of the grid.
    fn face(&self, (normal, level): (usize, usize), at: [usize; 2]) -> Patch {
        let (side, [first, second]) = (self.order + 1, axes_along(normal));
        let node = |p: usize| {
            let mut place = [level; 3];
            place[first] = at[0] * self.order + p / side;
            place[second] = at[1] * self.order + p % side;
            self.node(place)
        };
        Patch { nodes: (0..side * side).map(node).collect(), normal: normal as i32 }
    }
}
