//! Closest point of the Minkowski difference of two convex shapes to a query point.
//!
//! Algorithm of Gilbert, Johnson and Keerthi after van den Bergen (*Collision Detection in Interactive 3D
//! Environments*, §4.3): a simplex of points of the difference, the support point in the direction of the simplex's
//! closest point, and the smallest sub-simplex of both that holds the closest point. Shapes enter by their support
//! functions only. The closest point of a triangle is found by Voronoi regions (Ericson, *Real-Time Collision
//! Detection*, §5.1.5).

use super::support_map::{ConvexShape, DifferencePoint};
use crate::math::{Vec3, cross, dot, length};
use manyworlds_model::real::Real;

/// Most support points of one search.
const GJK_ITERATIONS: usize = 40;

/// Outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GjkStatus {
    /// The query point is outside; the direction points from the difference to it.
    Outside,
    /// The query point is inside, or closer to the surface than precision resolves.
    Inside,
    /// The search was cut off, by a distance above `reach`.
    Far,
}

/// Points of the Minkowski difference relative to the query point.
struct Simplex<T> {
    points: [DifferencePoint<T>; 4],
    /// Barycentric coordinates of the closest point.
    barycentrics: [T; 3],
    count: usize,
}

impl<T: Real> Simplex<T> {
    /// The empty simplex.
    fn empty() -> Self {
        Self { points: [DifferencePoint::ZERO; 4], barycentrics: [T::ZERO; 3], count: 0 }
    }

    /// Preimage of the closest point on the first shape.
    fn witness(&self) -> Vec3<T> {
        let mut sum = Vec3::ZERO;
        for k in 0..self.count.min(3) {
            sum += self.points[k].on_a * self.barycentrics[k];
        }
        sum
    }
}

/// Query point of a search.
#[derive(Clone, Copy, Debug)]
pub enum GjkTarget<T> {
    /// The origin, in which case the distance of the shapes is found.
    Origin,
    /// A point at this height above the surface of the difference in the first direction.
    Above(T),
}

/// Result of a search.
#[derive(Clone, Copy)]
pub struct GjkResult<T> {
    /// Outcome.
    pub state: GjkStatus,
    /// Support function of the difference in the last direction.
    pub height: T,
    /// Direction of the lowest support function seen during the search, and its value.
    pub minimum: (Vec3<T>, T),
    /// Preimage on the first shape of the closest point.
    pub witness: Vec3<T>,
    /// Points of the difference in the last simplex, and their number: of a search that ended inside those, relative to
    /// the query point, that hold it within the tolerance, else vertices of the closest triangle, edge or corner.
    pub simplex: ([DifferencePoint<T>; 4], usize),
}

impl<T: Real> GjkResult<T> {
    /// Vertex `k` of the final triangle, the last repeated if there are fewer than three.
    fn corner(&self, k: usize) -> DifferencePoint<T> {
        let (points, count) = &self.simplex;
        points[k.min(count - 1)]
    }

    /// The final triangle.
    pub fn triangle(&self) -> [DifferencePoint<T>; 3] {
        [0, 1, 2].map(|k| self.corner(k))
    }
}

/// Moves `n` to the direction from the Minkowski difference of `a` and `b` to the target. Stops if a plane keeps the
/// difference farther than `reach` away. Distances up to `tolerance` count as inside.
pub fn search<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    target: GjkTarget<T>,
    reach: T,
    tolerance: T,
    n: &mut Vec3<T>,
) -> GjkResult<T> {
    let close = T::EPSILON * T::of(8.0);
    let mut simplex = Simplex::empty();
    let mut result = GjkResult {
        state: GjkStatus::Outside,
        height: T::ZERO,
        minimum: (*n, T::ZERO),
        witness: a.shape.pos,
        simplex: ([DifferencePoint::ZERO; 4], 0),
    };
    let mut nearest = Vec3::ZERO;
    let mut square = T::ZERO;
    let mut at = Vec3::ZERO;
    for round in 0..=GJK_ITERATIONS {
        let DifferencePoint { point: difference, on_a } = DifferencePoint::support(a, b, *n);
        result.height = dot(difference, *n);
        if let (GjkTarget::Above(lift), 0) = (target, round) {
            at = *n * (result.height + lift);
        }
        let point = difference - at;
        if round == 0 || result.height < result.minimum.1 {
            result.minimum = (*n, result.height);
        }
        if -dot(point, *n) > reach {
            return GjkResult { state: GjkStatus::Far, ..result };
        }
        if round == GJK_ITERATIONS || (round > 0 && square - dot(nearest, point) <= close * square) {
            break;
        }
        simplex.points[simplex.count] = DifferencePoint { point, on_a };
        simplex.count += 1;
        let next = reduce_simplex(&mut simplex);
        let length2 = dot(next, next);
        if simplex.count == 4 || length2 <= tolerance * tolerance {
            result.simplex = (simplex.points, simplex.count);
            return GjkResult { state: GjkStatus::Inside, ..result };
        }
        if round > 0 && length2 >= square {
            break;
        }
        result.witness = simplex.witness();
        nearest = next;
        square = length2;
        *n = nearest * (-T::ONE / length(nearest));
    }
    for corner in &mut simplex.points {
        corner.point += at;
    }
    result.simplex = (simplex.points, simplex.count);
    result
}

/// Point of the simplex closest to the origin; drops the vertices not needed. Four remain if the origin is inside.
fn reduce_simplex<T: Real>(s: &mut Simplex<T>) -> Vec3<T> {
    if s.count == 4 {
        let [p, q, r, new] = s.points.map(|corner| corner.point);
        // signed volumes of the origin with the faces: all of one sign inside
        let volumes =
            [dot(q, cross(r, new)), -dot(p, cross(r, new)), dot(p, cross(q, new)), -dot(p, cross(q, r))];
        if volumes.iter().all(|v| *v > T::ZERO) || volumes.iter().all(|v| *v < T::ZERO) {
            return Vec3::ZERO;
        }
        // closest of the faces at the new vertex
        let mut best = Simplex::empty();
        let mut found = Vec3::ZERO;
        for k in 0..3 {
            let mut face = Simplex::empty();
            for (to, from) in [k, (k + 1) % 3, 3].into_iter().enumerate() {
                face.points[to] = s.points[from];
            }
            let point = reduce_triangle(&mut face);
            if k == 0 || dot(point, point) < dot(found, found) {
                found = point;
                best = face;
            }
        }
        *s = best;
        return found;
    }
    if s.count == 1 {
        s.barycentrics = [T::ONE, T::ZERO, T::ZERO];
        return s.points[0].point;
    }
    if s.count == 2 {
        s.points[2] = s.points[1];
    }
    reduce_triangle(s)
}

/// Point of the triangle of the first three vertices closest to the origin, by Voronoi regions.
#[inline(always)]
fn reduce_triangle<T: Real>(s: &mut Simplex<T>) -> Vec3<T> {
    let [p, q, r, _] = s.points.map(|corner| corner.point);
    let (pq, pr) = (q - p, r - p);
    let (d1, d2) = (-dot(pq, p), -dot(pr, p));
    let (d3, d4) = (-dot(pq, q), -dot(pr, q));
    let (d5, d6) = (-dot(pq, r), -dot(pr, r));
    let (vr, vq, vp) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
    // vertex regions
    s.count = 1;
    s.barycentrics = [T::ONE, T::ZERO, T::ZERO];
    if d1 <= T::ZERO && d2 <= T::ZERO {
        return p;
    }
    if d3 >= T::ZERO && d4 <= d3 {
        s.points[0] = s.points[1];
        return q;
    }
    if d6 >= T::ZERO && d5 <= d6 {
        s.points[0] = s.points[2];
        return r;
    }
    // edge regions
    s.count = 2;
    if vr <= T::ZERO && d1 >= T::ZERO && d3 <= T::ZERO {
        let share = d1 / (d1 - d3);
        s.barycentrics = [T::ONE - share, share, T::ZERO];
        return p + pq * share;
    }
    if vq <= T::ZERO && d2 >= T::ZERO && d6 <= T::ZERO {
        let share = d2 / (d2 - d6);
        s.points[1] = s.points[2];
        s.barycentrics = [T::ONE - share, share, T::ZERO];
        return p + pr * share;
    }
    if vp <= T::ZERO && d4 >= d3 && d5 >= d6 {
        let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        s.points[0] = s.points[2];
        s.barycentrics = [share, T::ONE - share, T::ZERO];
        return q + (r - q) * share;
    }
    // face region
    s.count = 3;
    let share = T::ONE / (vp + vq + vr);
    s.barycentrics = [vp * share, vq * share, vr * share];
    p + pq * (vq * share) + pr * (vr * share)
}
