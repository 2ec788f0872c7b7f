//! Exact signed distance to a triangle mesh.
//!
//! The nearest triangle comes from a bounding volume hierarchy, the sign from the pseudonormal of the nearest feature:
//! of a face its normal, of an edge the sum over its faces, of a vertex the sum weighted by angle (Baerentzen and
//! Aanaes, *Signed Distance Computation Using the Angle Weighted Pseudonormal*, 2005).

use glam::DVec3;

use super::Bvh;

/// Part of a triangle that is nearest to a point: a corner, an edge from a corner to the next, or the inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feature {
    Corner(usize),
    Edge(usize),
    Inside,
}

/// A mesh prepared for distance queries.
pub(crate) struct Surface<'a> {
    vert: &'a [DVec3],
    face: &'a [[i32; 3]],
    tree: Bvh,
    /// Pseudonormal of each face; zero for one without area.
    face_normal: Vec<DVec3>,
    /// Pseudonormals of the edges of each face, from each corner to the next.
    edge_normal: Vec<[DVec3; 3]>,
    /// Pseudonormal of each vertex.
    vertex_normal: Vec<DVec3>,
}

impl<'a> Surface<'a> {
    /// Prepares a mesh; the indices of its faces must be in range.
    pub(crate) fn new(vert: &'a [DVec3], face: &'a [[i32; 3]]) -> Self {
        let mut face_normal = Vec::with_capacity(face.len());
        let mut vertex_normal = vec![DVec3::ZERO; vert.len()];
        for f in face {
            let corner = f.map(|v| vert[v as usize]);
            let normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalize_or_zero();
            for k in 0..3 {
                let (next, last) = (corner[(k + 1) % 3] - corner[k], corner[(k + 2) % 3] - corner[k]);
                let angle = next.cross(last).length().atan2(next.dot(last));
                vertex_normal[f[k] as usize] += angle * normal;
            }
            face_normal.push(normal);
        }
        let edge_normal = edge_normals(face, &face_normal);
        Self { vert, face, tree: Bvh::new(vert, face), face_normal, edge_normal, vertex_normal }
    }

    /// Signed distance of a point, m: negative inside; infinite without triangles.
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        let (mut least, mut owner) = (f64::INFINITY, None);
        // the nearer of two subtrees first: what it finds often rules out the other
        let mut open = Vec::with_capacity(64);
        if !self.tree.nodes.is_empty() {
            open.push((0.0, 0));
        }
        while let Some((bound, index)) = open.pop() {
            if bound > least {
                continue;
            }
            let node = &self.tree.nodes[index];
            if node.count == 0 {
                let (left, right) = (index + 1, self.tree.nodes[index + 1].skip as usize);
                let (a, b) = (self.bound(left, point), self.bound(right, point));
                let (near, far) = if a <= b { ((a, left), (b, right)) } else { ((b, right), (a, left)) };
                open.push(far);
                open.push(near);
            }
            for &f in &self.tree.face[node.first as usize..(node.first + node.count) as usize] {
                let (at, feature) = nearest(point, self.face[f as usize].map(|v| self.vert[v as usize]));
                let square = at.distance_squared(point);
                if square < least {
                    (least, owner) = (square, Some((at, f as usize, feature)));
                }
            }
        }
        let inside =
            owner.is_some_and(|(foot, f, feature)| (point - foot).dot(self.pseudonormal(f, feature)) < 0.0);
        if inside { -least.sqrt() } else { least.sqrt() }
    }

    /// Lower bound of the squared distance from a point to the triangles of a node, m².
    fn bound(&self, node: usize, point: DVec3) -> f64 {
        let aabb = &self.tree.nodes[node].aabb;
        let away = (point - DVec3::from_slice(&aabb[..3])).abs() - DVec3::from_slice(&aabb[3..]);
        away.max(DVec3::ZERO).length_squared()
    }

    /// Pseudonormal of a feature of a face.
    fn pseudonormal(&self, face: usize, feature: Feature) -> DVec3 {
        match feature {
            Feature::Corner(k) => self.vertex_normal[self.face[face][k] as usize],
            Feature::Edge(k) => self.edge_normal[face][k],
            Feature::Inside => self.face_normal[face],
        }
    }
}

/// Sums of the normals of the faces on each edge, for each face and side.
fn edge_normals(face: &[[i32; 3]], face_normal: &[DVec3]) -> Vec<[DVec3; 3]> {
    // sides with the same end points become neighbours
    let mut side: Vec<([i32; 2], usize, usize)> = Vec::with_capacity(3 * face.len());
    for (f, corner) in face.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corner[k], corner[(k + 1) % 3]);
            side.push(([a.min(b), a.max(b)], f, k));
        }
    }
    side.sort_unstable();
    let mut normal = vec![[DVec3::ZERO; 3]; face.len()];
    for edge in side.chunk_by(|a, b| a.0 == b.0) {
        let sum: DVec3 = edge.iter().map(|&(_, f, _)| face_normal[f]).sum();
        for &(_, f, k) in edge {
            normal[f][k] = sum;
        }
    }
    normal
}

/// Point of a triangle nearest to a point, and the part of the triangle it lies on.
fn nearest(point: DVec3, corner: [DVec3; 3]) -> (DVec3, Feature) {
    let normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    let square = normal.length_squared();
    // inside the prism over the triangle: inside of all three sides
    let inside = |k: usize| (corner[(k + 1) % 3] - corner[k]).cross(point - corner[k]).dot(normal) > 0.0;
    if square > 0.0 && (0..3).all(inside) {
        let height = (point - corner[0]).dot(normal) / square;
        return (point - height * normal, Feature::Inside);
    }
    let mut best = (f64::INFINITY, corner[0], Feature::Corner(0));
    for k in 0..3 {
        let next = (k + 1) % 3;
        let along = corner[next] - corner[k];
        let (step, length) = ((point - corner[k]).dot(along), along.length_squared());
        let (at, feature) = if step <= 0.0 {
            (corner[k], Feature::Corner(k))
        } else if step >= length {
            (corner[next], Feature::Corner(next))
        } else {
            (corner[k] + step / length * along, Feature::Edge(k))
        };
        let square = at.distance_squared(point);
        if square < best.0 {
            best = (square, at, feature);
        }
    }
    (best.1, best.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_tetrahedron_has_its_closed_form() {
        let vert =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(DVec3::from_array);
        let face = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let surface = Surface::new(&vert, &face);
        let near = |x: f64, y: f64, z: f64, wanted: f64| {
            let found = surface.distance(DVec3::new(x, y, z));
            assert!((found - wanted).abs() < 1e-15, "at {x} {y} {z}: {found}, not {wanted}");
        };
        // inside, before a face, an edge and corners
        near(0.1, 0.2, 0.2, -0.1);
        near(1.0, 1.0, 1.0, 2.0 / 3.0_f64.sqrt());
        near(0.5, -3.0, -4.0, 5.0);
        near(-1.0, -2.0, -2.0, 3.0);
        near(3.0, 0.0, 0.0, 2.0);
        near(0.25, 0.25, 0.0, 0.0);
    }

    #[test]
    fn without_area_there_is_still_a_distance() {
        let vert = [DVec3::ZERO, DVec3::X, DVec3::X];
        assert!((Surface::new(&vert, &[[0, 1, 2]]).distance(DVec3::new(0.5, 2.0, 0.0)) - 2.0).abs() < 1e-15);
        assert!((Surface::new(&vert, &[[1, 1, 1]]).distance(DVec3::ZERO) - 1.0).abs() < 1e-15);
        assert_eq!(Surface::new(&vert, &[]).distance(DVec3::ZERO), f64::INFINITY);
    }
}
