//! Convex hulls by quickhull. The orientation predicate is exact, so the surface stays closed and convex for any
//! input: no facet merging, and no failure except on coplanar points.

use glam::DVec3;
use robust::{Coord3D, orient3d};

use super::Fault;

/// Tolerance of degeneracy, relative to the largest coordinate: coincident, collinear and coplanar points.
const FLAT_TOLERANCE: f64 = 1e-14;

/// A convex hull.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hull {
    /// Indices of hull vertices, ascending.
    pub vert: Vec<i32>,
    /// Triangles, counterclockwise seen from outside.
    pub face: Vec<[i32; 3]>,
}

/// A facet of the growing hull.
struct Facet {
    corner: [usize; 3],
    /// Facet across the edge that starts at each corner.
    next: [usize; 3],
    normal: DVec3,
    offset: f64,
    /// Conflict list: points that see this facet and no earlier one.
    outside: Vec<usize>,
    alive: bool,
}

/// Convex hull; a limit keeps only the vertices found first.
///
/// # Errors
/// All points are coplanar.
pub fn hull(points: &[DVec3], limit: Option<usize>) -> Result<Hull, Fault> {
    let simplex = simplex(points)?;
    let mut build =
        Build { points, facets: Vec::new(), seen: Vec::new(), corner: Vec::new(), rank: Vec::new() };
    build.start(simplex);
    build.expand(limit.unwrap_or(usize::MAX));
    let (hull, spare) = build.finish();
    if !spare {
        return Ok(hull);
    }
    // drop points inside faces and edges: build again without them
    let kept: Vec<DVec3> = hull.vert.iter().map(|&v| points[v as usize]).collect();
    let mut again =
        Build { points: &kept, facets: Vec::new(), seen: Vec::new(), corner: Vec::new(), rank: Vec::new() };
    again.start(crate::mesh::hull::simplex(&kept)?);
    again.expand(usize::MAX);
    let (small, _) = again.finish();
    let id = |v: i32| hull.vert[v as usize];
    Ok(Hull {
        vert: small.vert.iter().map(|&v| id(v)).collect(),
        face: small.face.iter().map(|f| f.map(id)).collect(),
    })
}

fn coord(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// Orientation predicate: positive if a point is on the outer side of a counterclockwise triangle.
fn side(points: &[DVec3], [a, b, c]: [usize; 3], p: usize) -> f64 {
    -orient3d(coord(points[a]), coord(points[b]), coord(points[c]), coord(points[p]))
}

/// Initial simplex in MuJoCo's order: extremes along x, then the largest determinant among the extremes of all axes,
/// or among all points if that is degenerate.
fn simplex(points: &[DVec3]) -> Result<[usize; 4], Fault> {
    let mut extremes = Vec::new();
    for axis in 0..3 {
        let (mut low, mut high) = (0, 0);
        for (i, p) in points.iter().enumerate() {
            if p[axis] < points[low][axis] {
                low = i;
            }
            if p[axis] > points[high][axis] {
                high = i;
            }
        }
        extremes.extend([low, high]);
    }
    let extent = |k: usize| points[extremes[2 * k + 1]][k] - points[extremes[2 * k]][k];
    let flat = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max) * FLAT_TOLERANCE;
    let widest = (0..3).fold(0, |w, k| if extent(k) > extent(w) { k } else { w });
    if points.len() < 4 || extent(widest) <= flat {
        let help = "use a small sphere instead";
        return Err(Fault::new("all vertices are at the same place, which has no convex hull", help));
    }
    let ends = if extent(0) > flat { 0 } else { widest };
    let (a, b) = (extremes[2 * ends], extremes[2 * ends + 1]);
    // maximise a measure, among the extremes first
    let all: Vec<usize> = (0..points.len()).collect();
    let largest = |measure: &dyn Fn(DVec3) -> f64, least: f64| {
        [&extremes, &all].into_iter().find_map(|from| {
            let each = from.iter().map(|&i| (measure(points[i] - points[a]).abs(), i));
            let best = each.reduce(|x, y| if y.0 > x.0 { y } else { x })?;
            (best.0 > least).then_some(best.1)
        })
    };
    let along = points[b] - points[a];
    let length = along.length();
    let off_line = |d: DVec3| along.cross(d).length();
    let third = largest(&|d| along.x * d.y - along.y * d.x, 0.01 * length * length)
        .or_else(|| largest(&off_line, flat * length));
    let Some(third) = third else {
        let help = "use a thin capsule instead";
        return Err(Fault::new("all vertices are on one line, which has no convex hull", help));
    };
    let normal = along.cross(points[third] - points[a]);
    let Some(fourth) = largest(&|d| d.dot(normal), 4.0 * flat * normal.length()) else {
        let help =
            "use a plane or thin box instead, or keep it from colliding: contype=\"0\" conaffinity=\"0\"";
        return Err(Fault::new("all vertices are in one plane, which has no convex hull", help));
    };
    Ok([a, b, third, fourth])
}

struct Build<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    /// Per facet, the last horizon search that visited it.
    seen: Vec<usize>,
    /// Hull vertices so far, and the rank of each point among them.
    corner: Vec<usize>,
    rank: Vec<usize>,
}

impl Build<'_> {
    /// Creates the four facets of the initial simplex and their conflict lists.
    fn start(&mut self, simplex: [usize; 4]) {
        self.corner = simplex.to_vec();
        self.rank = vec![0; self.points.len()];
        simplex.iter().enumerate().for_each(|(r, &p)| self.rank[p] = r);
        // facet i omits corner 3 - i; the start of an edge is opposite to the neighbour across it
        for i in 0..4 {
            let others: Vec<usize> = (0..4).filter(|&k| k != 3 - i).collect();
            let mut local = [others[2], others[1], others[0]];
            if side(self.points, local.map(|k| simplex[k]), simplex[3 - i]) > 0.0 {
                local.swap(0, 1);
            }
            let next = [2, 0, 1].map(|k| 3 - local[k]);
            self.push(local.map(|k| simplex[k]), next);
        }
        let points: Vec<usize> = (0..self.points.len()).filter(|p| !simplex.contains(p)).collect();
        self.assign_outside(points, 0);
    }

    /// Edges of a facet: those across later corners first.
    fn edges(&self, facet: usize) -> [usize; 3] {
        let corner = self.facets[facet].corner;
        let mut edges = [0, 1, 2];
        edges.sort_by_key(|&k| std::cmp::Reverse(self.rank[corner[(k + 2) % 3]]));
        edges
    }

    fn push(&mut self, corner: [usize; 3], next: [usize; 3]) {
        let [a, b, c] = corner.map(|i| self.points[i]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let offset = normal.dot(a);
        self.facets.push(Facet { corner, next, normal, offset, outside: Vec::new(), alive: true });
        self.seen.push(0);
    }

    /// Assigns each point to the first visible facet from index `from` on; points that see none are interior.
    fn assign_outside(&mut self, points: Vec<usize>, from: usize) {
        for p in points {
            let sees = |f: &&mut Facet| f.alive && side(self.points, f.corner, p) > 0.0;
            if let Some(facet) = self.facets[from..].iter_mut().find(sees) {
                facet.outside.push(p);
            }
        }
    }

    /// Adds the farthest point of each facet in turn.
    fn expand(&mut self, limit: usize) {
        let mut at = 0;
        while at < self.facets.len() && self.corner.len() < limit {
            let facet = &self.facets[at];
            if !facet.alive || facet.outside.is_empty() {
                at += 1;
                continue;
            }
            let height = |p: usize| facet.normal.dot(self.points[p]) - facet.offset;
            let farthest =
                facet.outside.iter().copied().reduce(|a, b| if height(b) > height(a) { b } else { a });
            if let Some(p) = farthest {
                self.add(at, p);
            }
        }
    }

    /// Replaces the facets visible from a point by a cone from the horizon to the point.
    fn add(&mut self, first: usize, p: usize) {
        self.rank[p] = self.corner.len();
        self.corner.push(p);
        let mark = self.corner.len();
        let (mut visible, mut horizon) = (vec![first], Vec::new());
        self.seen[first] = mark;
        let mut next = 0;
        while next < visible.len() {
            let f = visible[next];
            next += 1;
            for k in self.edges(f) {
                let other = self.facets[f].next[k];
                if self.seen[other] == mark {
                    continue;
                }
                if side(self.points, self.facets[other].corner, p) > 0.0 {
                    self.seen[other] = mark;
                    visible.push(other);
                } else {
                    let corner = self.facets[f].corner;
                    horizon.push((corner[k], corner[(k + 1) % 3], other));
                }
            }
        }
        let from = self.facets.len();
        self.cone(&horizon, p);
        let mut points = Vec::new();
        for f in visible {
            self.facets[f].alive = false;
            points.append(&mut self.facets[f].outside);
        }
        points.retain(|&x| x != p);
        self.assign_outside(points, from);
    }

    /// Creates the cone over a closed horizon and links its facets to each other and to their neighbours.
    fn cone(&mut self, horizon: &[(usize, usize, usize)], p: usize) {
        let from = self.facets.len();
        let mut starts: Vec<(usize, usize)> = horizon.iter().enumerate().map(|(i, e)| (e.0, i)).collect();
        starts.sort_unstable();
        let starting = |v: usize| {
            let i = starts.partition_point(|s| s.0 < v);
            starts.get(i).map_or(0, |s| s.1)
        };
        let mut before = vec![0; horizon.len()];
        for (i, edge) in horizon.iter().enumerate() {
            before[starting(edge.1)] = i;
        }
        for (i, &(a, b, other)) in horizon.iter().enumerate() {
            self.push([a, b, p], [other, from + starting(b), from + before[i]]);
            let around = &mut self.facets[other];
            if let Some(k) = (0..3).find(|&k| around.corner[k] == b && around.corner[(k + 1) % 3] == a) {
                around.next[k] = from + i;
            }
        }
    }

    /// The remaining facets, and true if vertices inside a face or edge were dropped.
    fn finish(self) -> (Hull, bool) {
        let alive = || self.facets.iter().filter(|f| f.alive);
        let mut bends = vec![0_u8; self.points.len()];
        for facet in alive() {
            for k in 0..3 {
                let other = &self.facets[facet.next[k]];
                let [a, b] = [facet.corner[k], facet.corner[(k + 1) % 3]];
                // corner opposite to the edge
                let apex = other.corner.into_iter().find(|&v| v != a && v != b).unwrap_or(a);
                if side(self.points, facet.corner, apex) != 0.0 {
                    bends[a] = bends[a].saturating_add(1);
                }
            }
        }
        let mut used: Vec<usize> = alive().flat_map(|f| f.corner).collect();
        used.sort_unstable();
        used.dedup();
        // a true vertex has at least three non-flat edges, each counted once per end
        let corners: Vec<i32> = used.iter().filter(|&&v| bends[v] >= 3).map(|&v| v as i32).collect();
        let spare = corners.len() < used.len() && corners.len() >= 4;
        // rotate the earliest vertex to the end
        let turned = |[a, b, c]: [usize; 3]| match [a, b, c].into_iter().min_by_key(|&v| self.rank[v]) {
            Some(v) if v == a => [b, c, a],
            Some(v) if v == b => [c, a, b],
            _ => [a, b, c],
        };
        let face = alive().map(|f| turned(f.corner).map(|v| v as i32)).collect();
        let vert = if spare { corners } else { used.iter().map(|&v| v as i32).collect() };
        (Hull { vert, face }, spare)
    }
}

impl Hull {
    /// MuJoCo's graph layout: vertex and face counts, edge address of each vertex, point of each vertex, neighbours
    /// of each vertex (terminated by -1) as hull indices, and points of each face.
    pub fn graph(&self) -> Vec<i32> {
        let (nvert, nface) = (self.vert.len(), self.face.len());
        let local = |v: i32| self.vert.partition_point(|&x| x < v);
        let mut neighbours = vec![Vec::new(); nvert];
        for face in &self.face {
            // each edge is shared by two faces, once per direction
            for k in 0..3 {
                neighbours[local(face[k])].push(local(face[(k + 1) % 3]) as i32);
            }
        }
        let mut graph = Vec::with_capacity(2 + 3 * nvert + 6 * nface);
        graph.extend([nvert as i32, nface as i32]);
        let mut adr = 0;
        for list in &neighbours {
            graph.push(adr);
            adr += list.len() as i32 + 1;
        }
        graph.extend(&self.vert);
        for list in &neighbours {
            graph.extend(list);
            graph.push(-1);
        }
        graph.extend(self.face.iter().flatten());
        graph
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn check(points: &[DVec3], hull: &Hull) {
        assert_eq!(hull.face.len(), 2 * hull.vert.len() - 4);
        for face in &hull.face {
            let face = face.map(|v| v as usize);
            assert!((0..points.len()).all(|p| side(points, face, p) <= 0.0));
        }
        let graph = hull.graph();
        assert_eq!(graph.len(), 2 + 3 * hull.vert.len() + 6 * hull.face.len());
    }

    #[test]
    fn a_grid_has_eight_corners() {
        let n = |i: usize| i as f64;
        let points: Vec<DVec3> =
            (0..125).map(|i| DVec3::new(n(i % 5), n(i / 5 % 5), n(i / 25)) * 0.3).collect();
        let hull = hull(&points, None).unwrap();
        check(&points, &hull);
        assert_eq!(hull.vert, [0, 4, 20, 24, 100, 104, 120, 124]);
    }

    #[test]
    fn random_points_are_inside() {
        let mut x = 1_u64;
        let mut next = || {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            f64::from((x >> 40) as f32 / 16777216.0)
        };
        let points: Vec<DVec3> = (0..500).map(|_| DVec3::new(next(), next(), next())).collect();
        check(&points, &hull(&points, None).unwrap());
        let few = hull(&points, Some(12)).unwrap();
        assert_eq!(few.vert.len(), 12);
    }

    #[test]
    fn what_is_flat_is_refused() {
        let flat = |points: [[f64; 3]; 5]| hull(&points.map(DVec3::from_array), None).unwrap_err().message;
        assert!(flat([[1.0; 3]; 5]).contains("same place"));
        assert!(flat([0.0, 1.0, 2.0, 3.0, 4.0].map(|x| [x, 2.0 * x, 0.5 * x])).contains("one line"));
        assert!(
            flat([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [2.0, 3.0, 1.0]])
                .contains("one plane")
        );
    }
}
