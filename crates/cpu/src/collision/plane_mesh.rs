//! Plane-mesh contacts.
//!
//! The deepest vertex of the hull, and up to three more vertices of its polygon that faces the plane most, chosen to
//! span a large area.

use super::polytope::Hull;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS, Shape};
use super::support_map::ConvexShape;
use crate::math::{Vec3, cross, dot, length, mat_column};
use manyworlds_model::real::Real;

/// Contacts of a plane and a mesh nearer than `margin`; returns their number.
pub fn plane_mesh<T: Real>(
    plane: &Shape<T>,
    mesh: &ConvexShape<'_, T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let normal = mat_column(plane.mat, 2);
    let down = mesh.to_local(-normal);
    let deepest = mesh.hull.support(down);
    let contact = |v: usize| {
        let at = mesh.vertex(v);
        let dist = dot(at - plane.pos, normal);
        (ContactPoint { dist, pos: at - normal * (dist * T::of(0.5)), normal, tangent: Vec3::ZERO }, at)
    };
    found[0] = contact(deepest).0;
    let touches = found[0].dist <= margin;
    if !touches {
        return 0;
    }
    // polygon most parallel to the plane
    let (mut best, mut polygon) = (-T::ONE, None);
    for k in 0..mesh.hull.valence(deepest) {
        let candidate = mesh.hull.ring_polygon(deepest, k);
        let cosine = dot(mesh.hull.normal(candidate), down);
        if cosine > best {
            best = cosine;
            polygon = Some(candidate);
        }
    }
    let Some(polygon) = polygon else { return 1 };
    let (chosen, count) = spread_corners(&mesh.hull, polygon, deepest);
    let mut n = 1;
    for c in &chosen[1..count] {
        let (next, at) = contact(mesh.hull.polygon_vertex(polygon, *c));
        // none above the centre
        if next.dist <= margin && dot(at - mesh.shape.pos, normal) <= T::ZERO {
            found[n] = next;
            n += 1;
        }
    }
    n
}

/// Vertices of a polygon that span a large area, `first` and up to three more, and their number.
fn spread_corners<T: Real>(hull: &Hull<'_, T>, polygon: usize, first: usize) -> ([usize; 4], usize) {
    let count = hull.sides(polygon);
    let start = (0..count).find(|c| hull.polygon_vertex(polygon, *c) == first).unwrap_or(0);
    let mut at = [0, 1, 2, 3].map(|k| (start + k) % count);
    if count <= 4 {
        return (at, count);
    }
    let area = |q: [usize; 4]| {
        let p = q.map(|c| hull.vertex(hull.polygon_vertex(polygon, c)));
        length(cross(p[0] - p[2], p[1] - p[3]))
    };
    let mut most = area(at);
    // the last vertex advances; after each of its moves the two before it follow as far as they can
    let mut k = 3;
    for _ in 0..4 * count {
        let mut next = at;
        next[k] = (at[k] + 1) % count;
        let value = area(next);
        if value > most {
            at = next;
            most = value;
            k = if k == 3 { 2 } else { k };
        } else if k == 3 {
            break;
        } else {
            k = if k == 2 { 1 } else { 3 };
        }
    }
    (at, 4)
}
