//! Penetration bound: proof that no direction separates two overlapping polytopes at less than a given depth.
//!
//! A closed triangulated surface with vertices in the Minkowski difference, around the origin and nowhere closer to
//! it than `depth`, encloses a ball of that radius; so does the difference, which is convex, and its support function
//! is nowhere less. The surface begins with the triangle from GJK and the point opposite. A triangle that is closer
//! is split at the support point in its direction, or at an edge if that is closer: both triangles at the edge split
//! it alike. A support point nearer than `depth` gives a lower direction. The expanding polytope algorithm (van den
//! Bergen, *Collision Detection in Interactive 3D Environments*, §4.3.8) adds the same points but keeps the whole
//! polytope, where this stack holds only the triangles still to be examined.

use super::support_map::{ConvexShape, minkowski_support};
use crate::cpu::math::{Vec3, cross, dot, length};
use crate::real::Real;

/// Capacity of the stack, and most points added.
const BOUND_STACK: usize = 16;
const BOUND_POINTS: usize = 24;

/// A generic direction, parallel to no edge, for the winding number of the surface about the origin.
const WINDING_RAY: [f64; 3] = [0.371_943, -0.585_217, 0.720_561];

/// Outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PenetrationBound<T> {
    /// No direction is lower.
    Proven,
    /// A lower direction, and its height.
    Lower(Vec3<T>, T),
    /// Undecided within the allowed number of points.
    Unproven,
}

/// Searches for a direction in which the support function of the Minkowski difference is below `depth`, or proves
/// that there is none. `n` is the outward normal of the triangle `face` of points of the difference.
pub fn penetration_bound<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    n: Vec3<T>,
    depth: T,
    face: [Vec3<T>; 3],
) -> PenetrationBound<T> {
    let [p, q, r] = face;
    let opposite = minkowski_support(a, b, -n);
    if -dot(opposite, n) < depth {
        return PenetrationBound::Lower(-n, -dot(opposite, n));
    }
    // counterclockwise from outside
    let (q, r) = if dot(cross(q - p, r - p), n) < T::ZERO { (r, q) } else { (q, r) };
    let mut stack = [[Vec3::ZERO; 3]; BOUND_STACK];
    stack[..4].copy_from_slice(&[[p, q, r], [q, p, opposite], [r, q, opposite], [p, r, opposite]]);
    let (mut count, mut points, mut winding_number) = (4, 0, 0);
    while count > 0 {
        count -= 1;
        let triangle = stack[count];
        let [p, q, r] = triangle;
        // split where an edge, or else the triangle, comes closer than the depth
        let mut split = 4;
        let mut way = Vec3::ZERO;
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            let along = to - from;
            let (share, square) = (-dot(from, along), dot(along, along));
            if share > T::ZERO && share < square {
                let point = from + along * (share / square);
                if dot(point, point) < depth * depth {
                    way = point;
                    split = k;
                    break;
                }
            }
        }
        let (pq, qr, rp) = (cross(p, q), cross(q, r), cross(r, p));
        if split == 4 {
            let normal = cross(q - p, r - p);
            let height = dot(normal, p);
            let over = [pq, qr, rp].iter().all(|c| dot(normal, *c) >= T::ZERO);
            if over && height < depth * length(normal) {
                way = normal;
                split = 3;
            }
        }
        if split == 4 {
            let ray = Vec3(WINDING_RAY.map(T::of));
            let sides = [dot(pq, ray), dot(qr, ray), dot(rp, ray)];
            let volume = dot(pq, r);
            if volume > T::ZERO && sides.iter().all(|s| *s > T::ZERO) {
                winding_number += 1;
            } else if volume < T::ZERO && sides.iter().all(|s| *s < T::ZERO) {
                winding_number -= 1;
            }
            continue;
        }
        let length = length(way);
        points += 1;
        if points > BOUND_POINTS || count + 3 > BOUND_STACK || length < T::MINVAL {
            return PenetrationBound::Unproven;
        }
        let direction = way * (T::ONE / length);
        let point = minkowski_support(a, b, direction);
        let height = dot(point, direction);
        if height < depth {
            return PenetrationBound::Lower(direction, height);
        }
        // triangles with one vertex replaced by the new point: two for an edge, three for a face
        for k in 0..3 {
            if split == 3 || k == split || k == (split + 1) % 3 {
                stack[count] = triangle;
                stack[count][k] = point;
                count += 1;
            }
        }
    }
    if winding_number == 1 { PenetrationBound::Proven } else { PenetrationBound::Unproven }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::primitives::Shape;
    use crate::cpu::math::Mat3;
    use crate::schema::enums::geom;

    #[test]
    fn the_nearest_face_is_proven_and_another_one_leads_to_a_lower_direction() {
        let solid = |pos| {
            let mat = Mat3::IDENTITY;
            ConvexShape::of(geom::BOX, &Shape { pos, mat, size: Vec3([0.3, 0.2, 0.1]) })
        };
        // the difference reaches from -0.35 to 0.05 along z and from -0.38 to 0.42 along y
        let (a, b) = (solid(Vec3::ZERO), solid(Vec3([0.01, -0.02, 0.15])));
        let top = [Vec3([-0.5, -0.3, 0.05]), Vec3([0.5, -0.3, 0.05]), Vec3([0.1, 0.4, 0.05])];
        for around in [top, [top[0], top[2], top[1]]] {
            assert_eq!(penetration_bound(&a, &b, Vec3::Z, 0.05 - 1e-9, around), PenetrationBound::Proven);
        }
        // half of the face, with its edge above the origin
        let half = [Vec3([-0.5, -0.5, 0.05]), Vec3([0.5, -0.5, 0.05]), Vec3([0.5, 0.5, 0.05])];
        assert_eq!(penetration_bound(&a, &b, Vec3::Z, 0.05 - 1e-9, half), PenetrationBound::Proven);
        let side = [Vec3([-0.5, 0.42, -0.3]), Vec3([0.5, 0.42, -0.3]), Vec3([0.0, 0.42, 0.04])];
        let PenetrationBound::Lower(n, height) = penetration_bound(&a, &b, Vec3::Y, 0.42, side) else {
            panic!("not lower");
        };
        assert!(height < 0.42 && (dot(minkowski_support(&a, &b, n), n) - height).abs() < 1e-12);
    }
}
