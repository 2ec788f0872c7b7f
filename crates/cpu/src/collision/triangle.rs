//! Contacts of a triangle with a radius around it: an element of a deformable surface.
//!
//! Spheres touch it at the point nearest to their centre. Capsules and boxes touch it where their ends and corners, as
//! spheres, do, and where its corners, as spheres, touch them; an edge that crosses the triangle between these is not a
//! contact (as in the reference: MuJoCo, Computation, "Collision detection").

use super::primitives::{ContactPoint, Shape};
use crate::math::{Vec3, cross, dot, length, mat_column, normalize3};
use manyworlds_model::real::Real;

/// A triangle with a radius.
#[derive(Clone, Copy, Debug)]
pub struct Triangle<T> {
    /// Corners.
    pub corners: [Vec3<T>; 3],
    /// Radius around the triangle.
    pub radius: T,
}

/// Contact of a sphere with a triangle, nearer than `margin`.
pub fn sphere_triangle<T: Real>(
    centre: Vec3<T>,
    radius: T,
    triangle: &Triangle<T>,
    margin: T,
) -> Option<ContactPoint<T>> {
    let apart = triangle.nearest(centre) - centre;
    let far = length(apart);
    let dist = far - radius - triangle.radius;
    let normal = if far > T::MINVAL { apart * (T::ONE / far) } else { triangle.normal() };
    let pos = centre + normal * (radius + T::of(0.5) * dist);
    (dist < margin).then_some(ContactPoint { dist, pos, normal, tangent: Vec3::ZERO })
}

/// Contacts of a capsule with a triangle, nearer than `margin`: of both ends, and of the corners beside its cylinder.
pub fn capsule_triangle<T: Real>(
    capsule: &Shape<T>,
    triangle: &Triangle<T>,
    margin: T,
    mut each: impl FnMut(ContactPoint<T>),
) {
    let (radius, half) = (capsule.size[0], capsule.size[1]);
    let axis = mat_column(capsule.mat, 2);
    for end in [-half, half] {
        if let Some(contact) = sphere_triangle(capsule.pos + axis * end, radius, triangle, margin) {
            each(contact);
        }
    }
    for corner in triangle.corners {
        let along = dot(corner - capsule.pos, axis);
        if along.abs() >= half {
            continue;
        }
        let centre = capsule.pos + axis * along;
        let far = length(corner - centre);
        let dist = far - radius - triangle.radius;
        if dist < margin {
            let normal = normalize3(corner - centre);
            let pos = centre + normal * (radius + T::of(0.5) * dist);
            each(ContactPoint { dist, pos, normal, tangent: Vec3::ZERO });
        }
    }
}

/// Contacts of a box with a triangle, nearer than `margin`: of the triangle's corners within the box, which its radius and
/// the margin make larger, along the shortest way out, and of the corners of the box.
pub fn box_triangle<T: Real>(
    solid: &Shape<T>,
    triangle: &Triangle<T>,
    margin: T,
    mut each: impl FnMut(ContactPoint<T>),
) {
    for corner in triangle.corners {
        let local = (corner - solid.pos) * solid.mat;
        let depth = Vec3::from_fn(|k| solid.size[k] + triangle.radius - local[k].abs());
        if (0..3).any(|k| depth[k] <= -margin) {
            continue;
        }
        let mut way = 0;
        for k in 1..3 {
            if depth[k] < depth[way] {
                way = k;
            }
        }
        let dist = -depth[way];
        let side = if local[way] > T::ZERO { T::ONE } else { -T::ONE };
        let normal = mat_column(solid.mat, way) * side;
        let pos = corner - normal * (triangle.radius + T::of(0.5) * dist);
        each(ContactPoint { dist, pos, normal, tangent: Vec3::ZERO });
    }
    for k in 0..8 {
        let side = |axis: usize| if (k >> axis) & 1 == 0 { -solid.size[axis] } else { solid.size[axis] };
        let corner = solid.pos + solid.mat * Vec3([side(0), side(1), side(2)]);
        if let Some(contact) = sphere_triangle(corner, T::ZERO, triangle, margin) {
            each(contact);
        }
    }
}

impl<T: Real> Triangle<T> {
    /// Unit normal.
    fn normal(&self) -> Vec3<T> {
        let [a, b, c] = self.corners;
        normalize3(cross(b - a, c - a))
    }

    /// Point of the triangle nearest to another: by its Voronoi regions (Ericson, *Real-Time Collision Detection*, 5.1.5).
    pub(super) fn nearest(&self, p: Vec3<T>) -> Vec3<T> {
        let [a, b, c] = self.corners;
        let (ab, ac) = (b - a, c - a);
        // corners
        let (d1, d2) = (dot(ab, p - a), dot(ac, p - a));
        if d1 <= T::ZERO && d2 <= T::ZERO {
            return a;
        }
        let (d3, d4) = (dot(ab, p - b), dot(ac, p - b));
        if d3 >= T::ZERO && d4 <= d3 {
            return b;
        }
        let (d5, d6) = (dot(ab, p - c), dot(ac, p - c));
        if d6 >= T::ZERO && d5 <= d6 {
            return c;
        }
        // edges
        let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
        if vc <= T::ZERO && d1 >= T::ZERO && d3 <= T::ZERO {
            return a + ab * (d1 / (d1 - d3));
        }
        if vb <= T::ZERO && d2 >= T::ZERO && d6 <= T::ZERO {
            return a + ac * (d2 / (d2 - d6));
        }
        if va <= T::ZERO && d4 >= d3 && d5 >= d6 {
            return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        // the face
        let share = T::ONE / (va + vb + vc);
        a + ab * (vb * share) + ac * (vc * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Mat3;
    use crate::math::random::Random;

    /// Points of a triangle on a fine grid.
    fn grid(corners: [Vec3<f64>; 3]) -> impl Iterator<Item = Vec3<f64>> {
        let n = 60;
        (0..=n).flat_map(move |i| (0..=n - i).map(move |j| (i, j))).map(move |(i, j)| {
            let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(n));
            corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v
        })
    }

    #[test]
    fn nothing_of_the_triangle_is_nearer() {
        let mut random = Random(5);
        for _ in 0..300 {
            let triangle = Triangle { corners: [(); 3].map(|()| random.vector()), radius: 0.0 };
            let p = random.vector() * 2.0;
            let near = length(triangle.nearest(p) - p);
            let least = grid(triangle.corners).map(|q| length(q - p)).fold(f64::INFINITY, f64::min);
            assert!(near <= least + 1e-12 && near > least - 0.05, "{near} {least}");
        }
    }

    #[test]
    fn a_triangle_on_a_box_touches_with_its_corners_and_a_small_box_with_its_own() {
        let corners = [Vec3([-0.1, -0.1, 0.1]), Vec3([0.1, -0.1, 0.1]), Vec3([0.0, 0.1, 0.1])];
        let triangle = Triangle { corners, radius: 0.01 };
        for (half, top, dist, count) in [(0.3, 1.0, -0.012, 3), (0.02, -1.0, -0.008, 4)] {
            let size = Vec3([half, half, 0.1]);
            let solid = Shape { pos: Vec3([0.0, 0.0, 0.002]), mat: Mat3::IDENTITY, size };
            let mut found = Vec::new();
            box_triangle(&solid, &triangle, 0.0, |contact| found.push(contact));
            assert_eq!(found.len(), count);
            for contact in found {
                assert!((contact.dist - dist).abs() < 1e-12 && (contact.normal[2] - top).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_capsule_touches_with_its_ends_and_corners_touch_its_side() {
        let corners = [Vec3([0.0, 0.0, 0.0]), Vec3([1.0, 0.0, 0.0]), Vec3([0.0, 1.0, 0.0])];
        let triangle = Triangle { corners, radius: 0.01 };
        // upright above the face, and lying beside a corner
        let upright =
            Shape { pos: Vec3([0.2, 0.2, 0.35]), mat: Mat3::IDENTITY, size: Vec3([0.1, 0.25, 0.0]) };
        let beside = Shape { pos: Vec3([1.09, 0.0, 0.0]), ..upright };
        for (capsule, normal) in [(upright, -Vec3::Z), (beside, -Vec3::X)] {
            let mut found = Vec::new();
            capsule_triangle(&capsule, &triangle, 0.0, |contact| found.push(contact));
            assert_eq!(found.len(), 1);
            assert!(length(found[0].normal - normal) < 1e-12, "{:?}", found[0]);
            let dist = if normal[2] == 0.0 { 0.09 - 0.11 } else { 0.1 - 0.11 };
            assert!((found[0].dist - dist).abs() < 1e-12, "{:?}", found[0]);
        }
    }
}
