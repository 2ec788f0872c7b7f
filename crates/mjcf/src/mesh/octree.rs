//! Octree with the signed distance of a mesh at the corners of its cells, for geoms of type sdf.
//!
//! The root is the enlarged AABB of the mesh. Cells that meet a triangle are split down to a given depth, then more of
//! them, until the levels of leaves with a common face differ by one at most. Corners carry the exact distance; those
//! that lie on a face or an edge of a larger leaf carry what that leaf interpolates, which makes the field continuous.

use glam::DVec3;
use rayon::prelude::*;

use super::distance::Surface;

/// Size of the root relative to the AABB of the mesh.
const ENLARGE: f64 = 1.1;

/// Deepest level: corners are numbered by 21 bits along each axis.
const DEEPEST: usize = 20;

/// Sides of a cell in the order in which they are balanced: axis, and whether the upper one.
const SIDES: [(usize, bool); 6] = [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true)];

/// An octree in MuJoCo's layout; child `k` of a cell is in its upper half along axis `a` if bit `a` of `k` is set.
#[derive(Clone, Debug, Default)]
pub struct Octree {
    /// Centre and half sizes of each cell, m.
    pub aabb: Vec<[f64; 6]>,
    /// Children of each cell; -1 for leaves.
    pub child: Vec<[i32; 8]>,
    /// Level of each cell; 0 for the root.
    pub depth: Vec<i32>,
    /// Signed distance at the corners of each cell, in the order of the children, m.
    pub coeff: Vec<[f64; 8]>,
}

/// A cell under construction.
#[derive(Clone, Copy, Debug)]
struct Cell {
    low: DVec3,
    high: DVec3,
    /// Position in the grid of cells of this level.
    at: [u32; 3],
    level: usize,
    /// First of eight consecutive children; 0 for leaves.
    first: usize,
}

/// Builds the octree of a mesh from its vertices in double precision, in its own frame, m. Indices of faces must be in
/// range; empty without faces.
pub(crate) fn octree(vert: &[DVec3], face: &[[i32; 3]], max_depth: usize) -> Octree {
    if face.is_empty() {
        return Octree::default();
    }
    let deepest = max_depth.min(DEEPEST);
    let mut cells = vec![root(vert)];
    subdivide(&mut cells, vert, face, deepest);
    balance(&mut cells);
    let coeff = coefficients(&cells, &Surface::new(vert, face), deepest);
    let mut tree = Octree { coeff, ..Octree::default() };
    for cell in &cells {
        let (centre, half) = (0.5 * (cell.low + cell.high), 0.5 * (cell.high - cell.low));
        tree.aabb.push([centre.x, centre.y, centre.z, half.x, half.y, half.z]);
        tree.child.push(std::array::from_fn(|k| if cell.first == 0 { -1 } else { (cell.first + k) as i32 }));
        tree.depth.push(cell.level as i32);
    }
    tree
}

/// The enlarged AABB of the vertices.
fn root(vert: &[DVec3]) -> Cell {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = vert.iter().fold(none, |(low, high), &v| (low.min(v), high.max(v)));
    let (centre, half) = (0.5 * (low + high), ENLARGE * (0.5 * (high - low)));
    Cell { low: centre - half, high: centre + half, at: [0; 3], level: 0, first: 0 }
}

/// Halves a leaf along each axis; the children go to the end. Returns the first of them.
fn split(cells: &mut Vec<Cell>, index: usize) -> usize {
    let parent = cells[index];
    let first = cells.len();
    cells[index].first = first;
    let middle = 0.5 * (parent.low + parent.high);
    for k in 0..8_u32 {
        let mut child = Cell { level: parent.level + 1, first: 0, ..parent };
        for a in 0..3 {
            let upper = k >> a & 1;
            child.at[a] = 2 * parent.at[a] + upper;
            if upper == 1 {
                child.low[a] = middle[a];
            } else {
                child.high[a] = middle[a];
            }
        }
        cells.push(child);
    }
    first
}

/// Splits cells that meet a triangle, level by level.
fn subdivide(cells: &mut Vec<Cell>, vert: &[DVec3], face: &[[i32; 3]], deepest: usize) {
    // cells of a level, with the triangles they meet
    let mut open: Vec<(usize, Vec<usize>)> = vec![(0, (0..face.len()).collect())];
    for level in 1..=deepest {
        open.retain(|(_, near)| !near.is_empty());
        let halved: Vec<usize> = open.iter().map(|&(index, _)| split(cells, index)).collect();
        if level == deepest {
            break;
        }
        // a child meets only what its parent meets
        let met = |k: usize, near: &[usize]| {
            let touches = |&f: &usize| meets(face[f].map(|v| vert[v as usize]), cells[k].low, cells[k].high);
            (k, near.iter().copied().filter(touches).collect())
        };
        let children = |((_, near), &first): (&(usize, Vec<usize>), &usize)| {
            (first..first + 8).map(|k| met(k, near)).collect::<Vec<_>>()
        };
        open = (&open, &halved).into_par_iter().flat_map_iter(children).collect();
    }
}

/// Whether a triangle and a box meet, touching included: no axis separates them, among the normals of both and the
/// cross products of their edges (Akenine-Möller, *Fast 3D Triangle-Box Overlap Testing*, 2001).
fn meets(corner: [DVec3; 3], low: DVec3, high: DVec3) -> bool {
    let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
    let [a, b, c] = corner.map(|v| v - centre);
    let side = [b - a, c - b, a - c];
    let apart = |axis: DVec3| {
        let reach = half.dot(axis.abs());
        let (p, q, r) = (a.dot(axis), b.dot(axis), c.dot(axis));
        p.min(q).min(r) > reach || p.max(q).max(r) < -reach
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    !axes.iter().any(|&axis| apart(axis))
        && !apart(side[0].cross(side[1]))
        && !axes.iter().any(|axis| side.iter().any(|side| apart(axis.cross(*side))))
}

/// Splits leaves until the levels of leaves with a common face differ by one at most.
///
/// Passes are repeated until nothing is left to split; each looks at the tree as it was before it. On every side of a
/// leaf, the leaf is split if the neighbour of its size has children and the first of those on the common face has
/// children too; a leaf there that is larger by more than one level is split instead. The order of splits, which is
/// the order of cells, is MuJoCo's (observed).
fn balance(cells: &mut Vec<Cell>) {
    loop {
        let count = cells.len();
        let inner = |cell: &Cell| cell.first > 0 && cell.first < count;
        for index in 0..count {
            if inner(&cells[index]) {
                continue;
            }
            for (axis, up) in SIDES {
                let Some(beside) = neighbour(cells, count, index, axis, up) else { continue };
                let other = cells[beside];
                if inner(&other) {
                    let facing = if up { 0 } else { 1 << axis };
                    if inner(&cells[other.first + facing]) && cells[index].first == 0 {
                        split(cells, index);
                    }
                } else if other.first == 0 && other.level + 1 < cells[index].level {
                    split(cells, beside);
                }
            }
        }
        if cells.len() == count {
            break;
        }
    }
}

/// Cell of the same size across a face, or the larger leaf there, among the first `count` cells.
fn neighbour(cells: &[Cell], count: usize, index: usize, axis: usize, up: bool) -> Option<usize> {
    let Cell { mut at, level, .. } = cells[index];
    at[axis] = if up { at[axis] + 1 } else { at[axis].checked_sub(1)? };
    (at[axis] >> level == 0).then(|| find(cells, count, at, level))
}

/// Cell at a place of a level's grid, or the leaf that covers it, among the first `count` cells.
fn find(cells: &[Cell], count: usize, at: [u32; 3], level: usize) -> usize {
    let mut index = 0;
    for down in (0..level).rev() {
        let first = cells[index].first;
        if first == 0 || first >= count {
            break;
        }
        let bit = |a: usize| (at[a] >> down & 1) as usize;
        index = first + bit(0) + 2 * bit(1) + 4 * bit(2);
    }
    index
}

/// Values at the corners of all cells.
fn coefficients(cells: &[Cell], surface: &Surface, deepest: usize) -> Vec<[f64; 8]> {
    // corners by place in the finest grid
    let leaves = cells.iter().filter(|cell| cell.first == 0);
    let mut corner: Vec<(u64, DVec3)> =
        leaves.flat_map(|cell| (0..8).map(|k| (key(place(cell, k, deepest)), position(cell, k)))).collect();
    corner.sort_unstable_by_key(|c| c.0);
    corner.dedup_by_key(|c| c.0);
    let mut value: Vec<f64> = corner.par_iter().map(|&(_, at)| surface.distance(at)).collect();
    let number = |cell: &Cell, k: usize| {
        let wanted = key(place(cell, k, deepest));
        corner.binary_search_by_key(&wanted, |c| c.0).unwrap_or_default()
    };
    // hanging corners, those on the largest leaves first: others may depend on them
    let larger = |(i, &(key, _)): (usize, &(u64, DVec3))| covering(cells, key, deepest).map(|leaf| (leaf, i));
    let mut hanging: Vec<(usize, usize)> = corner.par_iter().enumerate().filter_map(larger).collect();
    hanging.sort_unstable_by_key(|&(leaf, i)| (cells[leaf].level, leaf, i));
    for (leaf, i) in hanging {
        let cell = &cells[leaf];
        let at = (corner[i].1 - cell.low) / (cell.high - cell.low);
        value[i] = trilinear(&std::array::from_fn(|k| value[number(cell, k)]), at);
    }
    cells.par_iter().map(|cell| std::array::from_fn(|k| value[number(cell, k)])).collect()
}

/// Place of a cell's corner in the finest grid.
fn place(cell: &Cell, k: usize, deepest: usize) -> [u32; 3] {
    std::array::from_fn(|a| (cell.at[a] + (k >> a & 1) as u32) << (deepest - cell.level))
}

/// Position of a cell's corner, m.
fn position(cell: &Cell, k: usize) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|a| if k >> a & 1 == 1 { cell.high[a] } else { cell.low[a] }))
}

/// Number of a place of the finest grid.
fn key([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) | u64::from(y) << 21 | u64::from(z) << 42
}

/// Largest leaf that touches a place of the finest grid without having a corner there.
fn covering(cells: &[Cell], key: u64, deepest: usize) -> Option<usize> {
    let at: [u32; 3] = std::array::from_fn(|a| (key >> (21 * a) & ((1 << 21) - 1)) as u32);
    let mut largest: Option<usize> = None;
    for side in 0..8_u32 {
        // one of the eight finest places around the corner, unless outside the root
        let mut around = at;
        let mut outside = false;
        for (a, x) in around.iter_mut().enumerate() {
            match x.checked_sub(side >> a & 1) {
                Some(lower) => *x = lower,
                None => outside = true,
            }
            outside |= *x >> deepest != 0;
        }
        if outside {
            continue;
        }
        let leaf = find(cells, cells.len(), around, deepest);
        let off = deepest - cells[leaf].level;
        let owned = at.iter().all(|x| x & ((1 << off) - 1) == 0);
        if !owned && largest.is_none_or(|l| (cells[leaf].level, leaf) < (cells[l].level, l)) {
            largest = Some(leaf);
        }
    }
    largest
}

/// Trilinear interpolation of corner values at a point of the unit cube.
fn trilinear(value: &[f64; 8], at: DVec3) -> f64 {
    let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
    let along_x = |k: usize| mix(value[k], value[k + 1], at.x);
    mix(mix(along_x(0), along_x(2), at.y), mix(along_x(4), along_x(6), at.y), at.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of half size 0.1.
    fn cube() -> (Vec<DVec3>, Vec<[i32; 3]>) {
        let sign = |i: usize, a: usize| if i >> a & 1 == 1 { 0.1 } else { -0.1 };
        let vert = (0..8).map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        (vert, quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
    }

    #[test]
    fn a_cube_has_as_many_cells_a_level_as_in_mujoco() {
        let (vert, face) = cube();
        let tree = octree(&vert, &face, 6);
        let count = |level| tree.depth.iter().filter(|&&d| d == level).count();
        let counts: Vec<usize> = (0..=6).map(count).collect();
        assert_eq!(counts, [1, 8, 64, 512, 3584, 18944, 40384]);
        assert_eq!(octree(&vert, &face, 0).child, [[-1; 8]]);
        assert!(octree(&vert, &[], 6).depth.is_empty());
    }

    #[test]
    fn neighbours_differ_by_one_level_at_most() {
        // a small tetrahedron far from a large one
        let corner =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(DVec3::from_array);
        let vert: Vec<DVec3> =
            corner.iter().copied().chain(corner.iter().map(|&v| DVec3::splat(3.1) + 0.01 * v)).collect();
        let solid = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let face: Vec<[i32; 3]> = solid.iter().copied().chain(solid.map(|f| f.map(|v| v + 4))).collect();
        let mut cells = vec![root(&vert)];
        subdivide(&mut cells, &vert, &face, 6);
        let before = cells.len();
        balance(&mut cells);
        assert!(cells.len() > before);
        let level = |i: usize| cells[i].level;
        for i in (0..cells.len()).filter(|&i| cells[i].first == 0) {
            for (axis, up) in SIDES {
                let beside = neighbour(&cells, cells.len(), i, axis, up);
                assert!(beside.is_none_or(|j| level(i) <= level(j) + 1), "cell {i}, side {axis} {up}");
            }
        }
    }

    #[test]
    fn corners_of_the_root_have_the_exact_distance() {
        let (vert, face) = cube();
        let tree = octree(&vert, &face, 4);
        let exact = |p: DVec3| {
            let off = p.abs() - DVec3::splat(0.1);
            off.max(DVec3::ZERO).length() + off.max_element().min(0.0)
        };
        // corners of the root never hang
        for k in 0..8 {
            let at = DVec3::from_array(std::array::from_fn(|a| if k >> a & 1 == 1 { 0.11 } else { -0.11 }));
            assert!((tree.coeff[0][k] - exact(at)).abs() < 1e-15 && tree.coeff[0][k] == tree.coeff[1 + k][k]);
        }
    }
}
