//! Bounding volume hierarchy over the triangles of a mesh, for ray casting.
//!
//! Nodes are in depth-first order with skip pointers: traversal needs no stack, only "go on" after a hit and "skip"
//! after a miss (Smits, *Efficiency Issues for Ray Tracing*, 1998). A node is split at the median of its triangle
//! centroids, along the axis of largest spread.

use glam::DVec3;

/// Most triangles in a leaf.
const LEAF_SIZE: usize = 4;

/// Inflation of boxes, relative to the extent of the mesh, for rounding in single precision.
const SLACK: f64 = 1e-6;

/// A node of the hierarchy.
#[derive(Clone, Debug)]
pub struct BvhNode {
    /// Centre and half sizes of the AABB of its triangles, m.
    pub aabb: [f64; 6],
    /// Index of the next node outside this subtree.
    pub skip: i32,
    /// First entry in the triangle list; leaves only.
    pub first: i32,
    /// Number of triangles; 0 for inner nodes.
    pub count: i32,
}

/// A hierarchy; empty for a mesh without triangles.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// Nodes, depth first.
    pub nodes: Vec<BvhNode>,
    /// Triangles, in leaf order.
    pub face: Vec<i32>,
}

impl Bvh {
    /// Number of nodes over a given number of triangles.
    pub fn count(faces: usize) -> usize {
        match faces {
            0 => 0,
            1..=LEAF_SIZE => 1,
            _ => 1 + Self::count(faces / 2) + Self::count(faces - faces / 2),
        }
    }

    /// Builds the hierarchy of a mesh.
    pub fn new(vert: &[DVec3], face: &[[i32; 3]]) -> Self {
        let corners = |f: i32| face[f as usize].map(|v| vert[v as usize]);
        let middle: Vec<DVec3> = (0..face.len() as i32).map(|f| corners(f).iter().sum()).collect();
        let extent = vert.iter().fold(0.0, |most: f64, v| most.max(v.abs().max_element()));
        let mut tree = Self { nodes: Vec::new(), face: (0..face.len() as i32).collect() };
        // pending ranges: the second half is built after the subtree of the first
        let mut open = vec![(0, face.len())];
        while let Some((first, count)) = open.pop() {
            if count == 0 {
                break;
            }
            let part = &mut tree.face[first..first + count];
            let leaf = count <= LEAF_SIZE;
            if !leaf {
                let axis = widest(part.iter().map(|&f| middle[f as usize]));
                let along = |f: i32| middle[f as usize][axis];
                part.select_nth_unstable_by(count / 2, |&a, &b| {
                    along(a).total_cmp(&along(b)).then(a.cmp(&b))
                });
                open.push((first + count / 2, count - count / 2));
                open.push((first, count / 2));
            }
            let (low, high) = bounds(part.iter().flat_map(|&f| corners(f)));
            let (centre, half) = (0.5 * (low + high), 0.5 * (high - low) + DVec3::splat(SLACK * extent));
            tree.nodes.push(BvhNode {
                aabb: [centre.x, centre.y, centre.z, half.x, half.y, half.z],
                skip: (tree.nodes.len() + Self::count(count)) as i32,
                first: if leaf { first as i32 } else { 0 },
                count: if leaf { count as i32 } else { 0 },
            });
        }
        // selection leaves the order within a half unspecified, so sort
        for node in tree.nodes.iter().filter(|n| n.count > 0) {
            tree.face[node.first as usize..(node.first + node.count) as usize].sort_unstable();
        }
        tree
    }
}

/// AABB of points.
fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.fold(none, |(low, high), p| (low.min(p), high.max(p)))
}

/// Axis of largest spread.
fn widest(points: impl Iterator<Item = DVec3>) -> usize {
    let (low, high) = bounds(points);
    let size = high - low;
    if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles along a helix.
    fn winding(faces: i32) -> (Vec<DVec3>, Vec<[i32; 3]>) {
        let at = |i: i32| f64::from(i) * 0.7;
        let vert = (0..faces + 2).map(|i| DVec3::new(at(i).sin(), at(i).cos(), 0.1 * at(i))).collect();
        (vert, (0..faces).map(|f| [f, f + 1, f + 2]).collect())
    }

    #[test]
    fn each_triangle_is_in_one_leaf_and_in_all_boxes_above() {
        for faces in [0, 1, 4, 5, 64, 257] {
            let (vert, face) = winding(faces);
            let tree = Bvh::new(&vert, &face);
            assert_eq!(tree.nodes.len(), Bvh::count(face.len()), "{faces} triangles");
            let mut seen = tree.face.clone();
            seen.sort_unstable();
            assert_eq!(seen, (0..faces).collect::<Vec<_>>());
            for (i, node) in tree.nodes.iter().enumerate() {
                let below = &tree.nodes[i..node.skip as usize];
                let leaves = below.iter().flat_map(|n| n.first..n.first + n.count);
                for v in leaves.flat_map(|k| face[tree.face[k as usize] as usize]) {
                    let off = (vert[v as usize] - DVec3::from_slice(&node.aabb[..3])).abs();
                    assert!(
                        off.cmple(DVec3::from_slice(&node.aabb[3..])).all(),
                        "{faces} triangles, node {i}"
                    );
                }
            }
            let first = tree.nodes.first().map_or(0, |n| n.skip as usize);
            assert_eq!(first, tree.nodes.len());
        }
    }
}
