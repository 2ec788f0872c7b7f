//! Polygons: coplanar triangles merged along shared edges.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use glam::DVec3;

/// Cosine above which two normals are equal.
const SAME: f64 = 0.99999872;

/// Polygons of a mesh, by normal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// Normals.
    pub normal: Vec<DVec3>,
    /// Vertices, counterclockwise.
    pub vert: Vec<Vec<i32>>,
    /// Polygons incident to each vertex.
    pub map: Vec<Vec<i32>>,
}

/// Normal direction as a grouping key, in decreasing order.
#[derive(Clone, Copy, Debug)]
struct Direction(DVec3);

impl Ord for Direction {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.0, other.0);
        if a.dot(b) > SAME {
            return Ordering::Equal;
        }
        let differs = (0..3).find(|&k| (a[k] - b[k]).abs() > super::mass_properties::MINVAL);
        differs.map_or(Ordering::Equal, |k| b[k].total_cmp(&a[k]))
    }
}

impl PartialOrd for Direction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Direction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Direction {}

/// Unit normal of three points; the z axis if collinear.
fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    let normal = (b - a).cross(c - a);
    if normal.length() < super::mass_properties::MINVAL { DVec3::Z } else { normal.normalize() }
}

impl Polygons {
    /// No polygons, for a given number of vertices.
    pub(super) fn none(nvert: usize) -> Self {
        Self { map: vec![Vec::new(); nvert], ..Self::default() }
    }

    /// Groups faces by direction and merges those that share edges.
    pub(super) fn new(vert: &[DVec3], faces: &[[i32; 3]]) -> Self {
        let mut groups: BTreeMap<Direction, Vec<[i32; 3]>> = BTreeMap::new();
        for face in faces {
            let direction = Direction(normal(face.map(|v| vert[v as usize])));
            groups.entry(direction).or_default().push(*face);
        }
        let mut polygons = Self { map: vec![Vec::new(); vert.len()], ..Self::default() };
        for (direction, faces) in groups {
            for path in boundary_loops(&faces) {
                polygons.normal.push(direction.0);
                polygons.vert.push(path);
            }
        }
        for (i, polygon) in polygons.vert.iter().enumerate() {
            for &v in polygon {
                polygons.map[v as usize].push(i as i32);
            }
        }
        polygons
    }

    /// Recomputes the normals after vertices have moved.
    pub(super) fn update_normals(&mut self, vert: &[DVec3]) {
        for (to, polygon) in self.normal.iter_mut().zip(&self.vert) {
            *to = normal([0, 1, 2].map(|k| vert[polygon[k] as usize]));
        }
    }
}

/// Closed boundary loops: directed edges of exactly one face.
fn boundary_loops(faces: &[[i32; 3]]) -> Vec<Vec<i32>> {
    if let &[face] = faces {
        return vec![face.to_vec()];
    }
    // edges in face order; an edge and its reverse cancel
    let mut edges: Vec<Option<(i32, i32)>> = Vec::new();
    let mut open: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
    for face in faces {
        for k in 0..3 {
            let (a, b) = (face[k], face[(k + 1) % 3]);
            if let Some(i) = open.get_mut(&(b, a)).and_then(Vec::pop) {
                edges[i] = None;
            } else {
                open.entry((a, b)).or_default().push(edges.len());
                edges.push(Some((a, b)));
            }
        }
    }
    let mut from: HashMap<i32, Vec<usize>> = HashMap::new();
    for (i, edge) in edges.iter().enumerate().rev() {
        if let Some((a, _)) = edge {
            from.entry(*a).or_default().push(i);
        }
    }
    let mut paths = Vec::new();
    for i in 0..edges.len() {
        let Some((start, mut at)) = edges[i].take() else {
            continue;
        };
        let mut path = vec![start];
        while at != start {
            path.push(at);
            let next = from.get_mut(&at).and_then(|list| {
                while let Some(j) = list.pop() {
                    if let Some(edge) = edges[j].take() {
                        return Some(edge.1);
                    }
                }
                None
            });
            let Some(next) = next else {
                break;
            };
            at = next;
        }
        if at == start && path.len() >= 3 {
            paths.push(path);
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_cube_of_triangles_has_six_sides() {
        let vert: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        let hull = crate::mesh::hull(&vert, None).unwrap();
        let polygons = Polygons::new(&vert, &hull.face);
        assert_eq!(polygons.vert.len(), 6);
        assert!(polygons.vert.iter().all(|p| p.len() == 4) && polygons.map.iter().all(|m| m.len() == 3));
        assert_eq!(polygons.normal[0], DVec3::X);
    }
}
