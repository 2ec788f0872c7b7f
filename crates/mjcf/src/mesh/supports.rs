//! Support vertices of a convex hull, by direction: for each cell of directions, the vertices of which one is farthest in any
//! direction of the cell. A search for a support vertex looks at these alone, most often two to five.
//!
//! The cells are squares on the faces of a cube. As heights are linear in the direction, a vertex that another one exceeds in
//! the four corners of a cell is nowhere in it the farthest.

use glam::DVec3;
use manyworlds_model::schema::{CELLS, CELLS_SIDE};

/// Most vertices that a cell lists. Where more are nearly equally far, as on the rim of a disc along its axis, a search walks
/// along the edges of the hull, from the farthest vertex in the middle of the cell.
const LISTED: usize = 16;

/// By how much cells are larger than the directions that belong to them, as a share of their sides: more than rounding.
const RIM: f64 = 1e-3;

/// Most vertices that are compared with each other.
const MOST_COMPARED: usize = 400;

/// Share of the size below which two heights count as equal.
const EQUAL: f64 = 1e-9;

/// Support vertices of the hull that a graph in MuJoCo's layout describes: where the list of each cell begins, by axis, sign and
/// the two axes after it, and where the last one ends; then the lists. Empty without a hull.
pub(super) fn supports(vert: &[DVec3], graph: &[i32]) -> Vec<i32> {
    let count = graph.first().map_or(0, |&n| n as usize);
    let corners = graph.get(2 + count..2 + 2 * count).unwrap_or_default();
    if corners.is_empty() {
        return Vec::new();
    }
    // models have them in single precision
    let points: Vec<DVec3> = corners.iter().map(|&v| vert[v as usize].as_vec3().as_dvec3()).collect();
    let size = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let mut cells = vec![Vec::new(); CELLS];
    let all: Vec<usize> = (0..points.len()).collect();
    for face in 0..6 {
        let square = Square { face, from: [0, 0], side: CELLS_SIDE };
        divide(&points, EQUAL * size, square, &all, &mut cells);
    }
    let (mut numbers, mut lists) = (vec![0], Vec::new());
    for (cell, farthest) in cells.iter().enumerate() {
        if farthest.len() <= LISTED {
            lists.extend(farthest.iter().map(|&k| corners[k]));
        } else {
            let middle: DVec3 = Square::of(cell).corners().iter().sum();
            let height = |k: usize| points[k].dot(middle);
            let higher = |a: usize, b: usize| if height(b) > height(a) { b } else { a };
            lists.extend(farthest.iter().copied().reduce(higher).map(|k| -1 - k as i32));
        }
        numbers.push(lists.len() as i32);
    }
    numbers.extend(lists);
    numbers
}

/// A square of cells on a face of the cube.
#[derive(Clone, Copy)]
struct Square {
    face: usize,
    /// Its first cell along the two axes after that of the face.
    from: [usize; 2],
    /// Cells along its side.
    side: usize,
}

impl Square {
    /// A single cell.
    fn of(cell: usize) -> Self {
        let (face, along) = (cell / (CELLS_SIDE * CELLS_SIDE), cell % (CELLS_SIDE * CELLS_SIDE));
        Self { face, from: [along / CELLS_SIDE, along % CELLS_SIDE], side: 1 }
    }

    /// Number of its first cell.
    fn cell(&self) -> usize {
        CELLS_SIDE * (CELLS_SIDE * self.face + self.from[0]) + self.from[1]
    }

    /// Directions of its corners, and a little beyond.
    fn corners(&self) -> [DVec3; 4] {
        let at = |k: usize, end: bool| {
            let end = if end { 1.0 + RIM } else { -RIM };
            2.0 * (self.from[k] as f64 + end * self.side as f64) / CELLS_SIDE as f64 - 1.0
        };
        [(false, false), (false, true), (true, false), (true, true)].map(|(one, two)| {
            let mut direction = DVec3::ZERO;
            direction[self.face / 2] = if self.face.is_multiple_of(2) { 1.0 } else { -1.0 };
            direction[(self.face / 2 + 1) % 3] = at(0, one);
            direction[(self.face / 2 + 2) % 3] = at(1, two);
            direction
        })
    }
}

/// Finds the farthest of some points for each cell of a square: what is nowhere the farthest in it is nowhere in its quarters.
fn divide(points: &[DVec3], slack: f64, square: Square, some: &[usize], cells: &mut [Vec<usize>]) {
    let corners = square.corners();
    let heights: Vec<[f64; 4]> = some.iter().map(|&k| corners.map(|n| points[k].dot(n))).collect();
    let farthest: Vec<usize> = farthest_of(&heights, slack).into_iter().map(|k| some[k]).collect();
    if square.side == 1 {
        cells[square.cell()] = farthest;
        return;
    }
    let half = square.side / 2;
    for (i, j) in [(0, 0), (0, half), (half, 0), (half, half)] {
        let quarter = Square { from: [square.from[0] + i, square.from[1] + j], side: half, ..square };
        divide(points, slack, quarter, &farthest, cells);
    }
}

/// Points that no other one exceeds in all corners of a square, given their heights there.
fn farthest_of(heights: &[[f64; 4]], slack: f64) -> Vec<usize> {
    let exceeds = |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).all(|(a, b)| a - b > slack);
    // most points lie below that which is farthest in the middle, or in a corner
    let highest = |of: &dyn Fn(&[f64; 4]) -> f64| {
        heights.iter().reduce(|a, b| if of(b) > of(a) { b } else { a }).copied().unwrap_or_default()
    };
    let [p, q, r, s] = [0, 1, 2, 3].map(|k| highest(&|h| h[k]));
    let peaks = [highest(&|h| h.iter().sum()), p, q, r, s];
    let below = |h: &[f64; 4]| peaks.iter().any(|peak| exceeds(peak, h));
    let mut some: Vec<usize> = (0..heights.len()).filter(|&k| !below(&heights[k])).collect();
    // of more, quarters of the square leave fewer
    if some.len() <= MOST_COMPARED {
        let is_farthest = |k: &usize| !some.iter().any(|other| exceeds(&heights[*other], &heights[*k]));
        let farthest = some.iter().copied().filter(is_farthest).collect();
        some = farthest;
    }
    some
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::mesh::{Settings, builtin, finish};

    #[test]
    fn whatever_is_farthest_is_listed() {
        for params in [1.0, 2.0, 4.0] {
            let (raw, _) = builtin("sphere", &[params]).unwrap();
            let scale = DVec3::new(1.0, 0.6, 0.3);
            let mesh = finish(raw, &Settings { scale, needhull: true, ..Settings::default() }).unwrap();
            let count = mesh.graph[0] as usize;
            let hull = &mesh.graph[2 + count..2 + 2 * count];
            let points: Vec<DVec3> = mesh.vert.iter().map(|v| v.as_vec3().as_dvec3()).collect();
            let (begins, lists) = mesh.supports.split_at(CELLS + 1);
            assert_eq!(begins[CELLS] as usize, lists.len());
            let mut climbing = 0;
            for (cell, ends) in begins.windows(2).enumerate() {
                let listed = &lists[ends[0] as usize..ends[1] as usize];
                assert!((1..=LISTED).contains(&listed.len()));
                if listed[0] < 0 {
                    climbing += 1;
                    assert!(listed.len() == 1 && ((-1 - listed[0]) as usize) < count);
                    continue;
                }
                // over a grid of the cell, with its rim
                let [a, b, c, _] = Square::of(cell).corners();
                for k in 0..121 {
                    let n = a + (b - a) * ((k / 11) as f64 / 10.0) + (c - a) * ((k % 11) as f64 / 10.0);
                    let height = |v: &i32| points[*v as usize].dot(n);
                    let most = |all: &[i32]| all.iter().map(height).fold(f64::MIN, f64::max);
                    assert!(most(listed) >= most(hull) - 1e-12, "{cell} {k}");
                }
            }
            assert!(lists.len() < 8 * CELLS, "{}", lists.len());
            assert!(climbing * 10 < CELLS, "{climbing}");
        }
        // nothing without a hull
        assert!(supports(&[], &[]).is_empty());
    }

    #[test]
    fn the_rim_of_a_disc_is_walked_along_its_axis() {
        let ring = (0..60).map(|k| (f64::from(k) * 0.1047).sin_cos());
        let vert: Vec<DVec3> =
            ring.flat_map(|(s, c)| [DVec3::new(c, s, 0.1), DVec3::new(c, s, -0.1)]).collect();
        let n = vert.len();
        // of the graph, only the vertices are read here
        let mut graph = vec![n as i32, 0];
        graph.extend(vec![0; n]);
        graph.extend(0..n as i32);
        let numbers = supports(&vert, &graph);
        let (begins, lists) = numbers.split_at(CELLS + 1);
        let side = CELLS_SIDE;
        // next to the axis, and around the middle of the side
        let count = |cell: usize| (begins[cell + 1] - begins[cell], lists[begins[cell] as usize]);
        let (along, across) = (4 * side * side + side * (side / 2) + side / 2, side * (side / 2) + side / 2);
        assert!(count(along).0 == 1 && count(along).1 < 0, "{:?}", count(along));
        assert!(count(across).0 > 1 && count(across).1 >= 0, "{:?}", count(across));
    }
}
