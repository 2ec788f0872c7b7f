//! Least penetration of two overlapping convex shapes by the expanding polytope algorithm (van den Bergen, *Collision
//! Detection in Interactive 3D Environments*, §4.3.8).
//!
//! A polytope of points of the Minkowski difference encloses the origin. Its nearest face bounds the least height from
//! below, the lowest support function seen so far from above; until both meet, the polytope grows by the support point
//! over that face. Faces that the new point sees are left out, and those through it and the edges around them take
//! their place. Whatever rounding does to the polytope, the height returned is that of its direction.

use arrayvec::ArrayVec;

use super::support_map::{ConvexShape, DifferencePoint, preimage};
use crate::math::{Vec3, cross, dot, length, normalize3};
use manyworlds_model::real::Real;

/// Most vertices of the polytope, as bits of a row of edges, and most faces.
const MAX_POINTS: usize = 32;
const MAX_FACES: usize = 2 * MAX_POINTS - 4;

/// Outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastPenetration<T> {
    /// Direction of the lowest height found, and the height.
    pub lowest: (Vec3<T>, T),
    /// Point of the first shape that touches along it, where a face of the polytope is one of the difference.
    pub witness: Option<Vec3<T>>,
    /// True if no direction is lower by more than the slack.
    pub proven: bool,
}

/// The polytope: points of the Minkowski difference, and the faces between them.
struct Polytope<T> {
    points: ArrayVec<DifferencePoint<T>, MAX_POINTS>,
    faces: ArrayVec<Face<T>, MAX_FACES>,
}

/// A face of the polytope.
#[derive(Clone, Copy)]
struct Face<T> {
    /// Three points, counterclockwise from outside.
    corners: [u8; 3],
    /// Unit normal, and distance from the origin; zero and a large number for a face without area, which is never the
    /// nearest.
    normal: Vec3<T>,
    height: T,
}

impl<T: Real> Polytope<T> {
    /// Begins with both sides of the triangle of the first three of some points.
    fn begin(&mut self, points: &[DifferencePoint<T>]) {
        self.points.extend(points.iter().copied());
        self.add_face([0, 1, 2]);
        self.add_face([2, 1, 0]);
    }

    /// Vertices of a face.
    fn face_points(&self, face: usize) -> [DifferencePoint<T>; 3] {
        self.faces[face].corners.map(|k| self.points[usize::from(k)])
    }

    /// Adds a face; true if there is room.
    fn add_face(&mut self, corners: [u8; 3]) -> bool {
        let [p, q, r] = corners.map(|k| self.points[usize::from(k)].point);
        let across = cross(q - p, r - p);
        let area = length(across);
        let face = if area > T::MINVAL {
            let normal = across * (T::ONE / area);
            Face { corners, normal, height: dot(normal, p) }
        } else {
            Face { corners, normal: Vec3::ZERO, height: T::of(f64::MAX) }
        };
        self.faces.try_push(face).is_ok()
    }

    /// Nearest face, the first of equals.
    fn nearest_face(&self) -> usize {
        let mut nearest = 0;
        let mut least = T::of(f64::MAX);
        for (k, face) in self.faces.iter().enumerate() {
            if face.height < least {
                (nearest, least) = (k, face.height);
            }
        }
        nearest
    }

    /// Adds point `grown` to the polytope: the faces that it sees are left out, and those through it and the edges
    /// around them take their place. False if there is no room.
    fn add_point(&mut self, grown: usize, slack: T) -> bool {
        let point = self.points[grown].point;
        // edges of the faces that it sees, by first vertex
        let mut edges = [0u32; MAX_POINTS];
        let mut face = 0;
        while let Some(&Face { corners: [p, q, r], normal, height }) = self.faces.get(face) {
            // more than rounding
            if dot(normal, point) - height > slack {
                edges[usize::from(p)] |= 1 << q;
                edges[usize::from(q)] |= 1 << r;
                edges[usize::from(r)] |= 1 << p;
                self.faces.swap_remove(face);
            } else {
                face += 1;
            }
        }
        // the edges around the gap have no opposite
        let mut room = true;
        for from in 0..grown {
            let mut left = edges[from];
            while left != 0 {
                let to = left.trailing_zeros() as usize;
                left &= left - 1;
                if edges[to] >> from & 1 == 0 {
                    room = room && self.add_face([from as u8, to as u8, grown as u8]);
                }
            }
        }
        room && !self.faces.is_empty()
    }
}

/// Points of the Minkowski difference whose hull holds the origin: a triangle, then one or two more, and their number.
pub type Enclosure<T> = ([DifferencePoint<T>; 5], usize);

/// Searches for the direction in which the support function of the Minkowski difference is least, to within a share of
/// it and `slack`.
pub fn expanding_polytope<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    (around, given): &Enclosure<T>,
    share: T,
    slack: T,
) -> LeastPenetration<T> {
    let mut found = LeastPenetration { lowest: (Vec3::X, T::of(f64::MAX)), witness: None, proven: false };
    // filled where it is: it is long
    let mut polytope = Polytope { points: ArrayVec::new(), faces: ArrayVec::new() };
    polytope.begin(&around[..*given]);
    if share > T::ZERO {
        // a flat side among curved ones may be lower than anything that a few points find
        for k in 0..12 {
            let axis = if k < 6 { a.axis(k / 2) } else { b.axis(k / 2 - 3) };
            let direction = if k % 2 == 0 { axis } else { -axis };
            let height = dot(DifferencePoint::support(a, b, direction).point, direction);
            if height < found.lowest.1 {
                found.lowest = (direction, height);
            }
        }
    }
    for grown in 3..MAX_POINTS {
        if grown >= *given {
            let nearest = polytope.nearest_face();
            // all points on a line
            let Face { normal: direction, height: bound, .. } = polytope.faces[nearest];
            if bound >= T::of(f64::MAX) {
                break;
            }
            // support point over it
            let face = polytope.face_points(nearest);
            let farthest = DifferencePoint::support(a, b, direction);
            polytope.points.push(farthest);
            let height = dot(farthest.point, direction);
            // both bounds meet
            found.proven = height - bound <= share * height + slack;
            if height < found.lowest.1 || (found.proven && share == T::ZERO) {
                found.lowest = (direction, height);
            }
            if found.proven {
                found.witness = if share == T::ZERO { preimage(face, direction * height) } else { None };
                return found;
            }
        }
        if !polytope.add_point(grown, slack) {
            break;
        }
    }
    found
}

/// Points around the origin: the simplex that a search from the origin has left, if it is a tetrahedron; or the
/// triangle `face` with normal `n` and the point opposite; or else the simplex with points beside it. None if it is a
/// point.
pub fn enclosure<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    n: Vec3<T>,
    face: Option<[DifferencePoint<T>; 3]>,
    ([p, q, r, s], count): ([DifferencePoint<T>; 4], usize),
) -> Option<Enclosure<T>> {
    if count == 4 {
        return Some(([p, q, r, s, s], 4));
    }
    let farthest = |n| DifferencePoint::support(a, b, n);
    if let Some([p, q, r]) = face {
        let opposite = farthest(-n);
        if encloses_origin([p, q, r, opposite].map(|corner| corner.point)) {
            return Some(([p, q, r, opposite, opposite], 4));
        }
    }
    match count {
        3 => {
            // a point on either side of the triangle
            let normal = normalize3(cross(q.point - p.point, r.point - p.point));
            Some(([p, q, r, farthest(normal), farthest(-normal)], 5))
        }
        2 => {
            // a triangle around the segment
            let along = normalize3(q.point - p.point);
            let side = normalize3(cross(if along[0].abs() < T::of(0.6) { Vec3::X } else { Vec3::Y }, along));
            let up = cross(along, side);
            let [one, two, three] = [[1.0, 0.0], [-0.5, 0.75_f64.sqrt()], [-0.5, -0.75_f64.sqrt()]]
                .map(|[x, y]| farthest(side * T::of(x) + up * T::of(y)));
            Some(([two, three, one, p, q], 5))
        }
        _ => None,
    }
}

/// True if the origin is inside a tetrahedron.
fn encloses_origin<T: Real>([p, q, r, s]: [Vec3<T>; 4]) -> bool {
    let volumes = [dot(q, cross(r, s)), -dot(p, cross(r, s)), dot(p, cross(q, s)), -dot(p, cross(q, r))];
    volumes.iter().all(|v| *v > T::ZERO) || volumes.iter().all(|v| *v < T::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::primitives::Shape;
    use crate::math::Mat3;
    use manyworlds_model::schema::enums::geom;

    #[test]
    fn the_nearest_face_is_found_from_any_other() {
        let solid = |pos| {
            let mat = Mat3::IDENTITY;
            ConvexShape::of(geom::BOX, &Shape { pos, mat, size: Vec3([0.3, 0.2, 0.1]) })
        };
        // the difference reaches from -0.35 to 0.05 along z and from -0.38 to 0.42 along y
        let (a, b) = (solid(Vec3::ZERO), solid(Vec3([0.01, -0.02, 0.15])));
        let corner = |point| DifferencePoint { point: Vec3(point), on_a: Vec3(point) };
        let (below, behind) = ([0.0, 0.0, -0.35], [0.0, -0.38, 0.0]);
        let top = [[-0.5, -0.3, 0.05], [0.5, -0.3, 0.05], [0.1, 0.4, 0.05], below];
        let turned = [top[0], top[2], top[1], below];
        // half of the face, with its edge next to the origin; and a side face
        let half = [[-0.38, -0.38, 0.05], [0.5, -0.38, 0.05], [0.41, 0.42, 0.05], below];
        let side = [[-0.5, 0.42, -0.3], [0.5, 0.42, -0.3], [0.0, 0.42, 0.04], behind];
        for around in [top, turned, half, side] {
            let [p, q, r, s] = around.map(corner);
            assert!(encloses_origin([p, q, r, s].map(|corner| corner.point)));
            let found = expanding_polytope(&a, &b, &([p, q, r, s, s], 4), 0.0, 1e-9);
            assert!(found.proven && length(found.lowest.0 - Vec3::Z) < 1e-9, "{found:?}");
            assert!((found.lowest.1 - 0.05).abs() < 1e-12 && found.witness.is_some(), "{found:?}");
        }
    }

    #[test]
    fn a_simplex_that_is_no_tetrahedron_is_completed() {
        let ball = |size| {
            let shape = Shape { pos: Vec3::ZERO, mat: Mat3::IDENTITY, size };
            ConvexShape::of(geom::ELLIPSOID, &shape)
        };
        let (a, b) = (ball(Vec3([0.3, 0.2, 0.1])), ball(Vec3([0.1, 0.1, 0.1])));
        // the origin in the middle of a segment, and of a triangle
        let ends = [Vec3::X, -Vec3::X].map(|n| DifferencePoint::support(&a, &b, n));
        let ring = [Vec3([1.0, 0.0, 0.0]), Vec3([-0.5, 0.8, 0.0]), Vec3([-0.5, -0.8, 0.0])];
        let [p, q, r] = ring.map(|n| DifferencePoint::support(&a, &b, n));
        for simplex in [([ends[0], ends[1], p, p], 2), ([p, q, r, r], 3)] {
            let around = enclosure(&a, &b, Vec3::Z, None, simplex).expect("around the origin");
            assert_eq!(around.1, 5);
            let found = expanding_polytope(&a, &b, &around, 1e-3, 1e-9);
            assert!((found.lowest.1 - 0.2).abs() < 1e-9, "{found:?}");
        }
        assert!(enclosure(&a, &b, Vec3::Z, None, ([p; 4], 1)).is_none());
        // nothing is claimed of points on a line
        let flat = expanding_polytope(&a, &b, &([p; 5], 4), 0.0, 1e-9);
        assert!(!flat.proven && flat.witness.is_none(), "{flat:?}");
    }
}
