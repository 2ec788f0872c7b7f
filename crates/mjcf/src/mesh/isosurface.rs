//! The surface on which a signed distance field is zero, by marching cubes over a grid.
//!
//! Vertices and faces come in the order of the sweep over the cells, with x fastest, so that a mesh equals MuJoCo's
//! number by number. Values and vertices are single precision, positions of grid points double.

use rayon::prelude::*;

use super::Raw;

/// Cells along all three axes together.
const CELLS: f64 = 300.0;

/// Edges of a cell: four along each axis.
const EDGES: usize = 12;

/// Corners of a cell; corner bits are the steps along x, y and z.
const CORNERS: usize = 8;

/// Triangles of a cell by the set of its corners inside: three edges each in hexadecimal, all in one word.
///
/// Edge 4a + b + 2c runs along axis a; b and c are its steps along the two other axes, in order.
const TRIANGLES: &str = "\
    - 048 509 495489 1a4 1801a8 1a4950 51a5a99a8 b15 5b1804 0b109b 14818bb89 a5ba45 05b0b88ba 40949aa9b 8ba89b \
    286 062046 950628 295256654 41a286 a62a21120 0958621a4 61a621251295 28615b 604620b15 b09b10628 46162916919b \
    5a45ba286 2a625a5ba052 286a9ba49409 2a629a9ba 927 048792 250275 827874475 1a4279 1801a8792 250275a41 \
    827871175a81 b15279 0485b1279 7b1712210 48242112717b a5ba45279 7928ba80b05b ba7a407a0702 7827b8ba8 879867 \
    904947746 086065567 467475 7867981a4 79661a916901 a41567506086 a51a65675 87986715b 15b746794904 08606bb6710b \
    17b147467 4ba45b698679 670ba0a605b0790 ba06707b0860a40 67b6ba 36a a36048 36a095 94895436a 341364 680603301 \
    341364950 958836538513 36a5b1 15b48036a 0b109b6a3 6a3b89b18148 b36b65564 8368030b305b 6b360b09b406 6b368b89b \
    2a328a 4a3430032 a28a32509 34a394954293 841812213 013032 509213281841 529512132 2a328a5b1 b150320434a3 \
    38a32819b109 9b4324294a34b14 5b4428b24b32 b05b30320 3249b4b34094284 32939b 792a36 2796a3048 527502a36 \
    36a475487827 436413927 927301360680 164136075027 138758518278368 36a79215b 0486a379215b a362102717b1 \
    36ab17127142482 2795645b6b36 2798060360535b3 02b64b40b36b27b 6838b387b827 37939aa98 a04a30390379 \
    8a0a370a7075 34a374754 184178798371 937903013 758138378418508 137175 5b1a98a39379 15ba34304370790 \
    8a7107087b17a37 37a74a7147b1 4539838437935b3 9070370b305b 08437b 7b3 73b 0483b7 5093b7 4954893b7 b7341a \
    81a80173b 1a4b73095 3b79a895a51a 173157 715731804 973930031 148187789317 3a4347745 80aa7307a057 a40a03309397 \
    3973a9a89 286b73 062046b73 2869503b7 b73654625295 3b7a41286 73b1201a2a62 1a48629503b7 3b762a21a291951 \
    173157862 246204357315 628031093973 469319149739629 8627457343a4 57a20a05a62a73a 2867393093a0a40 \
    2969a693a973 3923b9 3923b9480 b50b03302 54b482b42b23 93b92341a 0a801a2b923b 41a3023b0b50 235a858251a53b5 \
    592521123 804123152592 031023 814821231 3a4349945239 a852353a5925805 43a403023 23a2a8 63b6b88b9 63b6b00b9460 \
    86383003b0b5 b63b56546 1a48b986b63b 016b969063b61a6 1a450b03b083863 a616516b563b 985863583531 \
    319469639049159 608630310 314346 983453593a43863 3a6059 6383083403a4 3a6 6b76ab b6ab76048 6b76ab095 \
    854895a76ab7 1b7174476 0680b6b761b0 9504764171b7 891761681b71951 a15a56657 0486576a5a15 7696a1961910 \
    7618919714816a1 476457 068056576 940974764 897876 72878bb8a b7aa0470a720 095b8ab78728 ab25424a2952b72 \
    4284121721b7 71b721201 0954181281b2b72 5191291721b7 872817157a18 20a57a72a15a04a 1078a7a17287097 14a297 \
    872847457 205257 842472497409 972 26a2a99ab 4809ab92a26a 26a2a55ab025 542ab2b526a2482 4166921961b9 \
    b960161b6806926 64b02b26b50b41b 2681b5 6a1612215259 0489252152616a1 a26a12102 a16126182148 259265645 \
    058568526592 026064 268 8ab8b9 4904a9ab9 0b508b8ab ab5a54 1841b8b98 01b0b9 1b4b84b08b50 b51 5a159a98a \
    4a0a90a59a15 10818a 14a 459498 590 084 -";

/// Box of a field: centre and half sizes in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// Centre.
    pub(crate) center: [f64; 3],
    /// Half sizes.
    pub(crate) half: [f64; 3],
}

/// Points of the grid over a box: its cells are nearly cubes, `CELLS` along the three axes together.
struct Grid {
    bounds: Bounds,
    count: [usize; 3],
}

impl Grid {
    /// The grid of a box; none if the box is empty along an axis, or not finite.
    fn new(bounds: Bounds) -> Option<Grid> {
        let [x, y, z] = bounds.half;
        let total = x + y + z;
        let count = bounds.half.map(|half| (CELLS / total * half).floor());
        let proper = count.iter().all(|&n| (1.0..=CELLS).contains(&n));
        proper.then(|| Grid { bounds, count: count.map(|n| n as usize + 1) })
    }

    /// Coordinate of a grid point along an axis.
    fn at(&self, axis: usize, i: usize) -> f64 {
        let (center, half) = (self.bounds.center[axis], self.bounds.half[axis]);
        center - half + 2.0 * half * i as f64 / (self.count[axis] - 1) as f64
    }

    /// Coordinate of a vertex, from grid units.
    fn scaled(&self, axis: usize, x: f32) -> f32 {
        let (center, half) = (self.bounds.center[axis], self.bounds.half[axis]);
        (2.0 * half * f64::from(x) / (self.count[axis] - 1) as f64 + center - half) as f32
    }

    /// Values at all points, x fastest.
    fn values(&self, distance: &(dyn Fn([f64; 3]) -> f64 + Sync)) -> Vec<f32> {
        let [nx, ny, nz] = self.count;
        let x: Vec<f64> = (0..nx).map(|i| self.at(0, i)).collect();
        let rows = (0..ny * nz).into_par_iter().flat_map_iter(|row| {
            let (y, z) = (self.at(1, row % ny), self.at(2, row / ny));
            x.iter().map(move |&x| distance([x, y, z]) as f32)
        });
        rows.collect()
    }
}

/// Mesh of the surface on which `distance` is zero inside a box, in metres, with normals and vertices in pairs.
///
/// The surface is open where it meets the walls, and empty if no grid point is inside. Normals are sums over the faces
/// around a vertex, weighted by area, of the surface in grid units; those without a direction are not numbers.
pub(crate) fn isosurface(distance: &(dyn Fn([f64; 3]) -> f64 + Sync), bounds: Bounds) -> Raw {
    let Some(grid) = Grid::new(bounds) else { return Raw::default() };
    let value = grid.values(distance);
    let cases: Vec<Vec<[usize; 3]>> = TRIANGLES.split_whitespace().map(triangles).collect();
    let mut sweep = Sweep::new(grid.count);
    let [nx, ny, nz] = grid.count;
    for z in 0..nz - 1 {
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                sweep.cell([x, y, z], &value, &cases);
            }
        }
    }
    let normal = sweep.normals();
    let vert = sweep.vert.iter().map(|v| std::array::from_fn(|axis| grid.scaled(axis, v[axis]))).collect();
    Raw { vert, normal, face: sweep.face, ..Raw::default() }
}

/// Edges at the corners of the triangles of a case.
fn triangles(word: &str) -> Vec<[usize; 3]> {
    let digits: Vec<usize> =
        word.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as usize).collect();
    digits.as_chunks::<3>().0.to_vec()
}

/// Axis of an edge, and the corner of the cell where it starts.
fn edge(e: usize) -> (usize, usize) {
    let (axis, b, c) = (e / 4, e % 2, e / 2 % 2);
    let [first, second] = [[1, 2], [0, 2], [0, 1]][axis];
    (axis, b << first | c << second)
}

/// Steps of a corner along an axis.
fn step(corner: usize, axis: usize) -> usize {
    corner >> axis & 1
}

/// A sweep over the cells.
struct Sweep {
    count: [usize; 3],
    /// Vertices of the edges that start at the grid points of two layers, by axis.
    layers: Vec<[i32; 3]>,
    /// Vertices in grid units.
    vert: Vec<[f32; 3]>,
    face: Vec<[i32; 3]>,
}

impl Sweep {
    fn new(count: [usize; 3]) -> Self {
        let layers = vec![[0; 3]; 2 * count[0] * count[1]];
        Self { count, layers, vert: Vec::new(), face: Vec::new() }
    }

    /// Vertices and faces of a cell.
    fn cell(&mut self, cell: [usize; 3], value: &[f32], cases: &[Vec<[usize; 3]>]) {
        let [nx, ny, _] = self.count;
        let point = |c: usize| std::array::from_fn::<_, 3, _>(|axis| cell[axis] + step(c, axis));
        let value: [f32; CORNERS] = std::array::from_fn(|c| {
            let [x, y, z] = point(c);
            value[(z * ny + y) * nx + x]
        });
        // corners inside
        let case = (0..CORNERS).fold(0, |case, c| case | usize::from(value[c] < 0.0) << c);
        if case == 0 || case == 255 {
            return;
        }
        // vertices of edges that no cell before had, and of all edges
        let vertex: [i32; EDGES] = std::array::from_fn(|e| {
            let (axis, start) = edge(e);
            let [x, y, z] = point(start);
            let place = (z % 2 * ny + y) * nx + x;
            let (a, b) = (value[start], value[start | 1 << axis]);
            let new = (0..3).all(|k| k == axis || step(start, k) == 1 || cell[k] == 0);
            if new && (a < 0.0) != (b < 0.0) {
                let mut v = [x as f32, y as f32, z as f32];
                v[axis] += a / (a - b);
                self.layers[place][axis] = self.vert.len() as i32;
                self.vert.push(v);
            }
            self.layers[place][axis]
        });
        self.face.extend(cases[case].iter().map(|corners| corners.map(|e| vertex[e])));
    }

    /// Unit normals of the vertices, from the faces around them.
    fn normals(&self) -> Vec<[f32; 3]> {
        let mut normal = vec![[0.0; 3]; self.vert.len()];
        for face in &self.face {
            let [a, b, c] = face.map(|v| self.vert[v as usize]);
            let n = cross(minus(c, b), minus(a, b));
            for &v in face {
                for (sum, n) in normal[v as usize].iter_mut().zip(n) {
                    *sum += n;
                }
            }
        }
        for n in &mut normal {
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            *n = n.map(|x| x / length);
        }
        normal
    }
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn every_case_has_a_surface_through_the_edges_it_crosses() {
        let cases: Vec<Vec<[usize; 3]>> = TRIANGLES.split_whitespace().map(triangles).collect();
        assert_eq!(cases.len(), 1 << CORNERS);
        for (case, triangles) in cases.iter().enumerate() {
            let crossed = |&e: &usize| {
                let (axis, start) = edge(e);
                (case >> start & 1) != (case >> (start | 1 << axis) & 1)
            };
            let used: HashSet<usize> = triangles.iter().flatten().copied().collect();
            assert_eq!(used, (0..EDGES).filter(crossed).collect());
        }
    }

    #[test]
    fn a_sphere_is_closed_and_looks_outwards() {
        let distance = |p: [f64; 3]| p.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0;
        let raw = isosurface(&distance, Bounds { center: [0.0; 3], half: [1.1; 3] });
        assert!(raw.vert.len() as i64 - raw.face.len() as i64 / 2 == 2);
        let mut edges = HashSet::new();
        for &[a, b, c] in &raw.face {
            assert!(edges.insert((a, b)) && edges.insert((b, c)) && edges.insert((c, a)));
        }
        assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
        for (v, n) in raw.vert.iter().zip(&raw.normal) {
            assert!(v.iter().zip(n).map(|(v, n)| v * n).sum::<f32>() > 0.99);
        }
    }

    #[test]
    fn a_surface_through_noise_is_closed() {
        // every case occurs; outside at the walls
        let bounds = Bounds { center: [0.0; 3], half: [1.0, 1.0, 0.05] };
        let noise = |p: [f64; 3]| {
            let wall = p.iter().zip(bounds.half).any(|(x, half)| x.abs() > 0.99 * half);
            let mixed = p.iter().fold(0, |seed: u64, x| {
                let bits = (seed ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (bits ^ bits >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
            });
            if wall { 1.0 } else { (mixed >> 40) as f64 - (1 << 23) as f64 }
        };
        let raw = isosurface(&noise, bounds);
        let mut balance: HashMap<(i32, i32), i32> = HashMap::new();
        for &[a, b, c] in &raw.face {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                *balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
            }
        }
        assert!(raw.face.len() > 100_000 && balance.values().all(|&n| n == 0));
    }

    #[test]
    fn a_box_without_room_or_surface_is_empty() {
        let bounds = |half| Bounds { center: [0.0; 3], half };
        for half in [[0.0; 3], [1.0, 1.0, 0.0], [1.0, 1.0, -1.0], [f64::NAN; 3], [f64::INFINITY; 3]] {
            assert!(isosurface(&|_| -1.0, bounds(half)).vert.is_empty());
        }
        assert!(isosurface(&|_| 1.0, bounds([1.0; 3])).vert.is_empty());
    }
}
