//! Elasticity of interpolated flexes: cells of solids, the outer faces of shells, and bending between faces.

use std::collections::HashMap;

use glam::DVec3;

use crate::spec::{Elasticity, Flex};

use super::modes::{modes, scaled};

/// Young's modulus and Poisson's ratio of the strains that constraints measure.
const STRAIN: (f64, f64) = (10.0, 0.3);

/// Numbers of a bending record: two faces, the edge's middle in both, stiffness, difference of normals.
const RECORD: usize = 10;

/// Motions without strain: of a solid, and of a face within its plane.
const RIGID_SOLID: usize = 6;
const RIGID_FACE: usize = 3;

/// A grid of equal cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Interpolation order.
    pub(super) order: usize,
    /// Cells along each axis.
    pub(super) cells: [usize; 3],
    /// Lengths of a cell.
    pub(super) size: DVec3,
}

/// An outer face of a grid cell.
#[derive(Clone, Copy, Debug)]
struct Face {
    /// Axis of the normal, and true on the far side.
    normal: usize,
    far: bool,
    /// Place along the two other axes.
    at: [usize; 2],
}

/// Axes along a face with a normal.
fn along(normal: usize) -> [usize; 2] {
    [(normal + 1) % 3, (normal + 2) % 3]
}

impl Grid {
    /// Grid of a flex whose nodes stand along the axes.
    pub(super) fn new(flex: &Flex, node: &[DVec3]) -> Self {
        let (order, cells) = (flex.order.max(1) as usize, flex.cellcount.map(|c| c.max(1) as usize));
        let ends = node.first().zip(node.last()).map_or(DVec3::ZERO, |(first, last)| *last - *first);
        Self { order, cells, size: ends / DVec3::from_array(cells.map(|c| c as f64)) }
    }

    /// Number of degrees of freedom of a cell, or of a face.
    fn dofs(&self, shell: bool) -> usize {
        3 * (self.order + 1).pow(if shell { 2 } else { 3 })
    }

    /// Numbers of the stiffness of all cells, or of all faces.
    pub(super) fn stiffness_len(&self, shell: bool) -> usize {
        let [x, y, z] = self.cells;
        let two = |a: usize, b: usize| a.saturating_mul(b).saturating_mul(2);
        let blocks = if shell {
            two(x, y).saturating_add(two(y, z)).saturating_add(two(x, z))
        } else {
            x.saturating_mul(y).saturating_mul(z)
        };
        blocks.saturating_mul(self.dofs(shell).pow(2))
    }

    /// Outer faces by normal, the near side first.
    fn faces(&self) -> Vec<Face> {
        let mut faces = Vec::new();
        for normal in 0..3 {
            let [first, second] = along(normal).map(|axis| self.cells[axis]);
            for far in [false, true] {
                let places = (0..first).flat_map(|i| (0..second).map(move |j| [i, j]));
                faces.extend(places.map(|at| Face { normal, far, at }));
            }
        }
        faces
    }

    /// Stiffness of all cells that are not empty, with negative sign.
    pub(super) fn solid(&self, e: &Elasticity, empty: &[bool]) -> Vec<f64> {
        let block = negative(&self.cell(e.young, e.poisson));
        self.blocks(&block, empty)
    }

    /// Modes of strain of all cells that are not empty: their number, then the modes.
    pub(super) fn solid_modes(&self, empty: &[bool]) -> Vec<f64> {
        let n = self.dofs(false);
        let strains = scaled(&modes(self.cell(STRAIN.0, STRAIN.1), n, n - RIGID_SOLID));
        self.blocks(&padded(&strains, n), empty)
    }

    /// One block for each cell, zero for empty ones.
    fn blocks(&self, block: &[f64], empty: &[bool]) -> Vec<f64> {
        let mut all = vec![0.0; self.stiffness_len(false)];
        for (cell, to) in all.chunks_exact_mut(block.len()).enumerate() {
            if !empty.get(cell).is_some_and(|&e| e) {
                to.copy_from_slice(block);
            }
        }
        all
    }

    /// Stiffness of a cell.
    fn cell(&self, young: f64, poisson: f64) -> Vec<f64> {
        let shear = young / (2.0 * (1.0 + poisson));
        let bulk = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        stiffness(&self.points(&[0, 1, 2]), DVec3::ONE, [shear, bulk])
    }

    /// Stiffness of a face within its plane.
    fn membrane(&self, normal: usize, young: f64, poisson: f64, thickness: f64) -> Vec<f64> {
        let shear = young / (2.0 * (1.0 + poisson)) * thickness;
        let bulk = young * poisson / (1.0 - poisson * poisson) * thickness;
        let mut plane = DVec3::ONE;
        plane[normal] = 0.0;
        stiffness(&self.points(&along(normal)), plane, [shear, bulk])
    }

    /// Stiffness of all faces, with negative sign.
    pub(super) fn shell(&self, e: &Elasticity) -> Vec<f64> {
        let block = |normal| negative(&self.membrane(normal, e.young, e.poisson, e.thickness));
        self.by_normal([0, 1, 2].map(block))
    }

    /// Modes of strain of all faces: those within the plane, and one of bending.
    pub(super) fn shell_modes(&self, e: &Elasticity) -> Vec<f64> {
        let n = self.dofs(true);
        let block = |normal: usize| {
            let membrane = self.membrane(normal, STRAIN.0, STRAIN.1, e.thickness);
            let mut strains = scaled(&modes(membrane, n, 2 * n / 3 - RIGID_FACE));
            // corners move to and fro along the normal
            let [first, second] = along(normal).map(|axis| self.size[axis]);
            let shear = STRAIN.0 / (2.0 * (1.0 + STRAIN.1));
            let weight = (shear * e.thickness.powi(3) / (6.0 * first * second)).sqrt();
            let (side, mut corners) = (self.order + 1, vec![0.0; n]);
            let last = side - 1;
            for (node, sign) in [(0, 1.0), (last, -1.0), (last * side, -1.0), (last * side + last, 1.0)] {
                corners[3 * node + normal] = sign * weight;
            }
            strains.push(corners);
            padded(&strains, n)
        };
        self.by_normal([0, 1, 2].map(block))
    }

    /// One block for each face, by its normal.
    fn by_normal(&self, blocks: [Vec<f64>; 3]) -> Vec<f64> {
        self.faces().iter().flat_map(|face| &blocks[face.normal]).copied().collect()
    }

    /// Bending between faces that share an edge: the number of records, then the records.
    pub(super) fn bending(&self, e: &Elasticity) -> Vec<f64> {
        let faces = self.faces();
        let rigidity = e.young * e.thickness.powi(3) / (12.0 * (1.0 - e.poisson * e.poisson));
        let mut around: HashMap<[usize; 3], Vec<(usize, usize)>> = HashMap::new();
        for (f, face) in faces.iter().enumerate() {
            (0..4).for_each(|side| around.entry(self.middle(face, side)).or_default().push((f, side)));
        }
        let mut all = vec![0.0];
        for (f, face) in faces.iter().enumerate() {
            for side in 0..4 {
                let same = &around[&self.middle(face, side)];
                let Some(&(other, its)) = same.iter().find(|(other, _)| *other > f) else {
                    continue;
                };
                let across = |face: &Face, side: usize| self.size[along(face.normal)[side / 2]];
                let length = self.size[along(face.normal)[1 - side / 2]];
                let widths = across(face, side) + across(&faces[other], its);
                let (here, there) = (local(side), local(its));
                let normals = DVec3::AXES[face.normal] - DVec3::AXES[faces[other].normal];
                all.extend([f as f64, other as f64, here[0], here[1], there[0], there[1]]);
                all.push(rigidity * length / (widths / 2.0));
                all.extend(normals.to_array());
            }
        }
        all[0] = ((all.len() - 1) / RECORD) as f64;
        all
    }

    /// Middle of a side of a face, in half cells.
    fn middle(&self, face: &Face, side: usize) -> [usize; 3] {
        let axes = along(face.normal);
        let mut at = [0; 3];
        at[face.normal] = if face.far { 2 * self.cells[face.normal] } else { 0 };
        for k in 0..2 {
            at[axes[k]] = 2 * face.at[k] + if k == side / 2 { 2 * (side % 2) } else { 1 };
        }
        at
    }

    /// Weights of integration points, and gradients of the shape functions there. The first axis is the slowest.
    fn points(&self, axes: &[usize]) -> Vec<(f64, Vec<DVec3>)> {
        let (side, rule) = (self.order + 1, gauss(self.order));
        let count = side.pow(axes.len() as u32);
        let place = |i: usize, k: usize| i / side.pow((axes.len() - 1 - k) as u32) % side;
        let point = |p: usize| {
            let at: Vec<(f64, f64)> = (0..axes.len()).map(|k| rule[place(p, k)]).collect();
            let weight = at.iter().zip(axes).map(|(x, &axis)| x.1 * self.size[axis]).product();
            let gradient = |node: usize| {
                let shapes: Vec<(f64, f64)> =
                    (0..axes.len()).map(|k| shape(self.order, place(node, k), at[k].0)).collect();
                let mut gradient = DVec3::ZERO;
                for (k, &axis) in axes.iter().enumerate() {
                    let factor = |(other, s): (usize, &(f64, f64))| {
                        if other == k { s.1 / self.size[axis] } else { s.0 }
                    };
                    gradient[axis] = shapes.iter().enumerate().map(factor).product();
                }
                gradient
            };
            (weight, (0..count).map(gradient).collect())
        };
        (0..count).map(point).collect()
    }
}

/// Middle of a side in the coordinates of its face.
fn local(side: usize) -> [f64; 2] {
    let mut at = [0.5; 2];
    at[side / 2] = (side % 2) as f64;
    at
}

/// Places and weights of Gauss points between 0 and 1, one more than the order.
fn gauss(order: usize) -> Vec<(f64, f64)> {
    if order == 1 {
        let off = 0.5 / 3.0_f64.sqrt();
        return vec![(0.5 - off, 0.5), (0.5 + off, 0.5)];
    }
    let off = 0.5 * 0.6_f64.sqrt();
    vec![(0.5 - off, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + off, 5.0 / 18.0)]
}

/// Value and slope of a Lagrange polynomial between 0 and 1.
fn shape(order: usize, node: usize, x: f64) -> (f64, f64) {
    match (order, node) {
        (1, 0) => (1.0 - x, -1.0),
        (1, _) => (x, 1.0),
        (_, 0) => (2.0 * (x - 0.5) * (x - 1.0), 4.0 * x - 3.0),
        (_, 1) => (4.0 * x * (1.0 - x), 4.0 - 8.0 * x),
        _ => (2.0 * x * (x - 0.5), 4.0 * x - 1.0),
    }
}

/// Stiffness matrix of linear elasticity, row by row, from gradients at weighted points; it resists motion along the
/// axes where `plane` is 1.
fn stiffness(points: &[(f64, Vec<DVec3>)], plane: DVec3, [shear, bulk]: [f64; 2]) -> Vec<f64> {
    let nodes = points.first().map_or(0, |p| p.1.len());
    let n = 3 * nodes;
    let mut matrix = vec![0.0; n * n];
    for (weight, gradient) in points {
        for (a, &p) in gradient.iter().enumerate() {
            for (b, &q) in gradient.iter().enumerate() {
                let same = shear * p.dot(q);
                for i in 0..3 {
                    for j in 0..3 {
                        let cross = bulk * p[i] * q[j] + shear * p[j] * q[i];
                        let value = cross + if i == j { same * plane[i] } else { 0.0 };
                        matrix[(3 * a + i) * n + 3 * b + j] += weight * value;
                    }
                }
            }
        }
    }
    matrix
}

fn negative(block: &[f64]) -> Vec<f64> {
    block.iter().map(|x| -x).collect()
}

/// Number of modes, the modes, and zeros up to the size of a matrix.
fn padded(modes: &[Vec<f64>], n: usize) -> Vec<f64> {
    let mut block = vec![modes.len() as f64];
    block.extend(modes.iter().flatten());
    block.resize(n * n, 0.0);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(order: usize, cells: [usize; 3]) -> Grid {
        Grid { order, cells, size: DVec3::new(0.1, 0.2, 0.3) }
    }

    /// Energy of a displacement that is linear in the place of the nodes.
    fn energy(block: &[f64], grid: &Grid, motion: impl Fn(DVec3) -> DVec3) -> f64 {
        let side = grid.order + 1;
        let mut x = Vec::new();
        for node in 0..side.pow(3) {
            let at = [node / side / side, node / side % side, node % side];
            let unit = DVec3::from_array(at.map(|i| i as f64 / grid.order as f64));
            x.extend(motion(unit * grid.size).to_array());
        }
        let row = |row: &[f64]| row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
        0.5 * block.chunks_exact(x.len()).zip(&x).map(|(r, x)| row(r) * x).sum::<f64>()
    }

    #[test]
    fn a_stretched_cell_has_the_energy_of_hookes_law() {
        for order in [1, 2] {
            let grid = grid(order, [1, 1, 1]);
            let block = grid.cell(3.0, 0.2);
            let (volume, mu, la) = (0.1 * 0.2 * 0.3, 1.25, 0.6 / (1.2 * 0.6));
            let stretched = energy(&block, &grid, |x| DVec3::new(0.1 * x.x, 0.0, 0.0));
            let expected = 0.5 * volume * (2.0 * mu + la) * 0.01;
            assert!((stretched - expected).abs() < 1e-14, "{stretched} {expected}");
            let turned = energy(&block, &grid, |x| DVec3::new(-x.y, x.x, 0.0));
            assert!(turned.abs() < 1e-14, "{turned}");
        }
    }

    #[test]
    fn empty_cells_have_no_stiffness() {
        let e = Elasticity { young: 1.0, ..Elasticity::default() };
        let all = grid(1, [2, 1, 1]).solid(&e, &[false, true]);
        assert!(all[..576].iter().any(|x| *x != 0.0) && all[576..].iter().all(|x| *x == 0.0));
    }

    #[test]
    fn modes_add_up_to_the_stiffness() {
        for order in [1, 2] {
            let grid = grid(order, [1, 1, 1]);
            let (n, block, matrix) = (grid.dofs(false), grid.solid_modes(&[]), grid.cell(STRAIN.0, STRAIN.1));
            assert_eq!((block[0], block.len()), ((n - 6) as f64, n * n));
            for (i, x) in matrix.iter().enumerate() {
                let modes = block[1..=(n - 6) * n].chunks_exact(n);
                let sum: f64 = modes.map(|mode| mode[i / n] * mode[i % n]).sum();
                assert!((sum - x).abs() < 1e-12, "{i} {sum} {x}");
            }
        }
    }

    #[test]
    fn faces_bend_over_every_shared_edge_once() {
        let e = Elasticity { young: 12.0, thickness: 1.0, elastic2d: 1, ..Elasticity::default() };
        let grid = grid(1, [2, 1, 1]);
        let all = grid.bending(&e);
        // a box of two cells has 10 faces and 20 edges between them
        assert_eq!((grid.faces().len(), all[0], all.len()), (10, 20.0, 201));
        // the first one is between the faces towards -x and -y: its length is that along z, its width that of y and x
        assert_eq!(all[1..7], [0.0, 2.0, 0.0, 0.5, 0.5, 0.0]);
        assert!((all[7] - 0.3 / 0.15).abs() < 1e-14, "{}", all[7]);
        assert_eq!(all[8..11], [1.0, -1.0, 0.0]);
    }

    #[test]
    fn faces_have_modes_in_their_plane_and_one_of_bending() {
        let e = Elasticity { thickness: 0.1, ..Elasticity::default() };
        for (order, count) in [(1, 6), (2, 16)] {
            let grid = grid(order, [1, 1, 1]);
            let (n, all) = (grid.dofs(true), grid.shell_modes(&e));
            // the first face is normal to x, with sides along y and z
            let (block, membrane) = (&all[..n * n], grid.membrane(0, STRAIN.0, STRAIN.1, 0.1));
            assert_eq!((all.len(), block[0]), (6 * n * n, f64::from(count)));
            let modes: Vec<&[f64]> = block[1..].chunks_exact(n).take(count as usize).collect();
            for (i, x) in membrane.iter().enumerate() {
                let sum: f64 = modes[..modes.len() - 1].iter().map(|mode| mode[i / n] * mode[i % n]).sum();
                assert!((sum - x).abs() < 1e-12, "{i} {sum} {x}");
            }
            let weight = (10.0 / 2.6 * 0.001 / (6.0 * 0.2 * 0.3_f64)).sqrt();
            let corners: Vec<f64> = modes[modes.len() - 1].iter().copied().filter(|x| *x != 0.0).collect();
            for (x, sign) in corners.iter().zip([1.0, -1.0, -1.0, 1.0]) {
                assert!((x - sign * weight).abs() < 1e-14, "{corners:?}");
            }
            assert_eq!(corners.len(), 4);
        }
    }
}
