//! Topology of a flex: edges, neighbours, surface and layers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use glam::DVec3;

/// Corners of element edges, by dimension.
pub(super) const EDGES: [&[[usize; 2]]; 3] =
    [&[[0, 1]], &[[1, 2], [2, 0], [0, 1]], &[[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]]];

/// Corners of element faces seen from outside, by dimension.
const SIDES: [&[&[usize]]; 3] =
    [&[&[0], &[1]], &[&[0, 1], &[1, 2], &[2, 0]], &[&[0, 1, 2], &[0, 2, 3], &[0, 3, 1], &[1, 3, 2]]];

/// Elements and derived topology.
#[derive(Debug, Default)]
pub(super) struct Mesh {
    pub(super) dim: usize,
    /// Element vertices; faces of tetrahedra point outwards.
    pub(super) elem: Vec<i32>,
    /// Edge vertices, lower first.
    pub(super) edge: Vec<[i32; 2]>,
    /// Element edges.
    pub(super) elem_edge: Vec<i32>,
    /// Vertices opposite to an edge in its two triangles, the first and the last one; -1 for none.
    pub(super) flap: Vec<[i32; 2]>,
    /// Layer of an element: its distance from the surface.
    pub(super) layer: Vec<i32>,
    /// Vertices of boundary faces.
    pub(super) shell: Vec<i32>,
}

/// An element face: sorted vertices, element, oriented vertices.
type ElementFace = ([i32; 3], usize, [i32; 3]);

impl Mesh {
    /// Topology from elements and positions.
    pub(super) fn new(elem: &[i32], dim: usize, vert: &[DVec3]) -> Self {
        let mut mesh = Self { dim, elem: elem.to_vec(), ..Self::default() };
        if dim == 3 {
            mesh.turn_outside(vert);
        }
        mesh.edges();
        mesh.surface();
        mesh
    }

    /// Number of elements.
    pub(super) fn count(&self) -> usize {
        self.elem.len() / (self.dim + 1)
    }

    fn turn_outside(&mut self, vert: &[DVec3]) {
        for e in self.elem.chunks_exact_mut(4) {
            let at = |i: usize| vert[e[i] as usize];
            let (a, b, c) = (at(1) - at(0), at(2) - at(0), at(3) - at(0));
            if a.cross(b).dot(c) > 0.0 {
                e.swap(1, 2);
            }
        }
    }

    fn edges(&mut self) {
        let mut known = HashMap::new();
        for e in self.elem.chunks_exact(self.dim + 1) {
            for [a, b] in EDGES[self.dim - 1] {
                let ends = [e[*a].min(e[*b]), e[*a].max(e[*b])];
                // triangles: the corner opposite to the edge
                let opposite = if self.dim == 2 { e[3 - a - b] } else { -1 };
                let edge = match known.entry(ends) {
                    Entry::Occupied(found) => {
                        let edge: usize = *found.get();
                        self.flap[edge][1] = opposite;
                        edge
                    }
                    Entry::Vacant(place) => {
                        self.edge.push(ends);
                        self.flap.push([opposite, -1]);
                        *place.insert(self.edge.len() - 1)
                    }
                };
                self.elem_edge.push(edge as i32);
            }
        }
    }

    /// Element faces sorted by vertices.
    fn sides(&self) -> Vec<ElementFace> {
        let mut sides = Vec::with_capacity(self.elem.len());
        for (e, corners) in self.elem.chunks_exact(self.dim + 1).enumerate() {
            for side in SIDES[self.dim - 1] {
                let mut around = [-1; 3];
                side.iter().zip(&mut around).for_each(|(&c, to)| *to = corners[c]);
                let mut sorted = around;
                sorted[..self.dim].sort_unstable();
                sides.push((sorted, e, around));
            }
        }
        sides.sort_unstable();
        sides
    }

    /// Finds the surface and the layer of every element.
    fn surface(&mut self) {
        let (sides, count) = (self.sides(), self.count());
        let deep = self.dim == 3;
        self.layer = vec![if deep { count as i32 + 1 } else { 0 }; count];
        let mut neighbours = vec![Vec::new(); if deep { count } else { 0 }];
        let mut border = Vec::new();
        for same in sides.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, element, around)] = same {
                self.shell.extend(&around[..self.dim]);
                border.push(*element);
            }
            for pair in same.windows(2).filter(|_| deep) {
                neighbours[pair[0].1].push(pair[1].1);
                neighbours[pair[1].1].push(pair[0].1);
            }
        }
        // layers by breadth-first search from the surface
        let mut layer = 0;
        while deep && !border.is_empty() {
            let known = &mut self.layer;
            border.retain(|&e| {
                let new = layer < known[e];
                known[e] = known[e].min(layer);
                new
            });
            border = border.iter().flat_map(|&e| neighbours[e].iter().copied()).collect();
            layer += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_share_an_edge() {
        let mesh = Mesh::new(&[0, 1, 2, 0, 2, 3], 2, &[]);
        assert_eq!(mesh.edge, [[1, 2], [0, 2], [0, 1], [2, 3], [0, 3]]);
        assert_eq!(mesh.elem_edge, [0, 1, 2, 3, 4, 1]);
        assert_eq!(mesh.flap[1], [1, 3]);
        assert_eq!(mesh.shell, [0, 1, 3, 0, 1, 2, 2, 3]);
    }

    #[test]
    fn tetrahedra_are_turned_and_layered() {
        let vert = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = Mesh::new(&[0, 1, 2, 3], 3, &vert);
        assert_eq!(mesh.elem, [0, 2, 1, 3]);
        assert_eq!((mesh.edge.len(), mesh.shell.len(), mesh.layer[0]), (6, 12, 0));
    }
}
