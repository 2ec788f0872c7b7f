//! Polygons: triangles of nearly one direction merged along shared edges.
//!
//! Directions are equal if they fall into one cell of the sphere, as in MuJoCo: azimuth and polar angle to a hundredth
//! of a radian. Polygons may therefore be bent a little; their normal is that of their first three vertices.

use std::collections::HashMap;

use glam::DVec3;
use manyworlds_model::real::MINVAL;

/// Size of a cell of directions in radians.
const CELL: f64 = 0.01;

/// Vertical components of unit normals beyond this have no azimuth.
const POLE: f64 = 1.0 - 1e-7;

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

/// Cell of a direction: rounded azimuth and polar angle.
fn cell(normal: DVec3) -> (i32, i32) {
    // positive zeros, so that directions in the plane of an axis have one azimuth
    let [x, y, z] = (normal + DVec3::ZERO).to_array();
    if z.abs() > POLE {
        return (0, if z < 0.0 { (std::f64::consts::PI / CELL).round() as i32 } else { 0 });
    }
    ((y.atan2(x) / CELL).round() as i32, (z.acos() / CELL).round() as i32)
}

/// Unit normal of three points; none if they are on a line.
fn normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let normal = (b - a).cross(c - a);
    let length = normal.length();
    (length >= MINVAL).then(|| normal / length)
}

impl Polygons {
    /// No polygons, for a given number of vertices.
    pub(super) fn none(nvert: usize) -> Self {
        Self { map: vec![Vec::new(); nvert], ..Self::default() }
    }

    /// Groups faces by direction and merges those that share edges; the groups found last come first.
    pub(super) fn new(vert: &[DVec3], faces: &[[i32; 3]]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut of_cell = HashMap::new();
        for face in faces {
            let Some(direction) = normal(face.map(|v| vert[v as usize])) else { continue };
            let group = *of_cell.entry(cell(direction)).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Group::default());
            }
            groups[group].insert(*face);
        }
        let mut polygons = Self { map: vec![Vec::new(); vert.len()], ..Self::default() };
        for group in groups.iter().rev() {
            polygons.vert.extend(group.loops());
        }
        polygons.normal = vec![DVec3::Z; polygons.vert.len()];
        polygons.update_normals(vert);
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
            *to = normal([0, 1, 2].map(|k| vert[polygon[k] as usize])).unwrap_or(DVec3::Z);
        }
    }
}

/// An edge of the boundary of a group.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: i32,
    to: i32,
    /// Connected part of the group, counted from 0.
    part: usize,
}

/// Faces of one direction: the edges around its connected parts, oldest first.
#[derive(Clone, Debug, Default)]
struct Group {
    edges: Vec<Edge>,
    parts: usize,
}

impl Group {
    /// Adds a face to the part that it shares edges with; edges used twice vanish, and parts that it joins become one.
    fn insert(&mut self, face: [i32; 3]) {
        let sides = [0, 1, 2].map(|k| (face[k], face[(k + 1) % 3]));
        let mut part = None;
        let mut open = [true; 3];
        for (k, (from, to)) in sides.into_iter().enumerate() {
            let Some(shared) = self.edges.iter().position(|e| (e.from, e.to) == (to, from)) else { continue };
            open[k] = false;
            let other = self.edges.remove(shared).part;
            part = Some(part.map_or(other, |mine| self.join(mine, other)));
        }
        let part = part.unwrap_or_else(|| {
            self.parts += 1;
            self.parts - 1
        });
        let left = sides.into_iter().zip(open).filter(|(_, open)| *open);
        self.edges.extend(left.map(|((from, to), _)| Edge { from, to, part }));
    }

    /// Makes two parts one; returns its number.
    fn join(&mut self, one: usize, other: usize) -> usize {
        let (low, high) = (one.min(other), one.max(other));
        if low < high {
            self.parts -= 1;
            for edge in &mut self.edges {
                if edge.part == high {
                    edge.part = low;
                } else if edge.part > high {
                    edge.part -= 1;
                }
            }
        }
        low
    }

    /// Vertices around each part, from its oldest edge on; parts that do not close are left out.
    fn loops(&self) -> Vec<Vec<i32>> {
        let mut of_part = vec![Vec::new(); self.parts];
        for edge in &self.edges {
            of_part[edge.part].push(*edge);
        }
        of_part.iter().filter_map(|edges| closed_loop(edges)).collect()
    }
}

/// Vertices met on the way from the first edge back to its start, at each vertex along the oldest edge.
fn closed_loop(edges: &[Edge]) -> Option<Vec<i32>> {
    let mut after = HashMap::new();
    for edge in edges {
        after.entry(edge.from).or_insert(edge.to);
    }
    let first = edges.first()?;
    let (mut path, mut at) = (vec![first.from], first.to);
    while at != first.from {
        // a vertex met twice leads round in circles
        if path.len() > edges.len() {
            return None;
        }
        path.push(at);
        at = *after.get(&at)?;
    }
    (path.len() >= 3).then_some(path)
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
        for axis in DVec3::AXES {
            assert!(polygons.normal.contains(&axis) && polygons.normal.contains(&-axis));
        }
    }

    #[test]
    fn nearly_equal_directions_are_one_and_apart_are_two() {
        // three squares in a row, bent by 0.004 and 0.1 about the z axis
        let [one, two] = [0.004_f64, 0.104];
        let x = [0.0, 1.0, 1.0 + one.cos(), 1.0 + one.cos() + two.cos()];
        let z = [0.0, 0.0, one.sin(), one.sin() + two.sin()];
        let vert: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(z[i / 2], x[i / 2], f64::from(i as u32 & 1))).collect();
        let strip = |k: i32| [[2 * k, 2 * k + 2, 2 * k + 3], [2 * k, 2 * k + 3, 2 * k + 1]];
        let faces: Vec<[i32; 3]> = (0..3).flat_map(strip).collect();
        let polygons = Polygons::new(&vert, &faces);
        let mut sides: Vec<usize> = polygons.vert.iter().map(Vec::len).collect();
        sides.sort_unstable();
        assert_eq!(sides, [4, 6]);
        assert_eq!(polygons.map[2].len() + polygons.map[0].len(), 2);
    }

    #[test]
    fn parts_of_one_direction_are_polygons_of_their_own_until_they_meet() {
        let mut group = Group::default();
        group.insert([0, 1, 2]);
        group.insert([3, 4, 5]);
        assert_eq!(group.loops(), [[0, 1, 2], [3, 4, 5]]);
        group.insert([2, 1, 3]);
        group.insert([2, 3, 5]);
        assert_eq!(group.parts, 1);
        assert_eq!(group.loops(), [[0, 1, 3, 4, 5, 2]]);
    }
}
