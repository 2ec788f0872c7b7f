//! The point of a difference of two convex shapes that is nearest to a given point.
//!
//! The algorithm of Gilbert, Johnson and Keerthi as van den Bergen gives it (*Collision Detection in Interactive
//! 3D Environments*, §4.3): a simplex of points of the difference, a new point in the direction in which the
//! simplex is nearest, and the smallest part of both that holds the nearest point. Shapes enter by their support
//! functions only. The nearest point of a triangle is found by its regions (Ericson, *Real-Time Collision
//! Detection*, §5.1.5).

use super::support_map::{ConvexShape, support_near};
use crate::cpu::math::{Vec3, cross, dot, length};
use crate::real::Real;

/// Most points that one search adds.
const GJK_ITERATIONS: usize = 40;

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GjkStatus {
    /// The point is outside, and the direction leads from the difference to it.
    Outside,
    /// The point is inside, or nearer to the surface than can be told.
    Inside,
    /// The origin is farther away than asked for, or the surface higher.
    Far,
}

/// Points of a difference, relative to the point that is looked for.
struct Simplex<T> {
    points: [Vec3<T>; 4],
    /// The same as points of the first shape.
    from: [Vec3<T>; 4],
    /// Shares of the points in the nearest point.
    barycentrics: [T; 3],
    count: usize,
}

impl<T: Real> Simplex<T> {
    /// None yet.
    fn empty() -> Self {
        Self { points: [Vec3::ZERO; 4], from: [Vec3::ZERO; 4], barycentrics: [T::ZERO; 3], count: 0 }
    }

    /// Makes a point another one of it.
    fn set(&mut self, to: usize, from: usize) {
        self.points[to] = self.points[from];
        self.from[to] = self.from[from];
    }

    /// The nearest point as one of the first shape.
    fn witness(&self) -> Vec3<T> {
        let mut sum = Vec3::ZERO;
        for k in 0..self.count.min(3) {
            sum += self.from[k] * self.barycentrics[k];
        }
        sum
    }
}

/// The point that a search looks for.
#[derive(Clone, Copy, Debug)]
pub enum GjkTarget<T> {
    /// The origin.
    Origin,
    /// The point above the surface of the difference in the first direction.
    Above {
        /// How far above.
        lift: T,
        /// Highest surface that is looked at.
        most: T,
    },
}

/// How a search has ended.
#[derive(Clone, Copy)]
pub struct GjkResult<T> {
    /// What it has found.
    pub state: GjkStatus,
    /// Support function of the difference in the last direction.
    pub height: T,
    /// The direction on the way in which it was least, and that.
    pub minimum: (Vec3<T>, T),
    /// The point of the first shape at the point of the difference that is nearest.
    pub witness: Vec3<T>,
    /// Points of the difference whose hull holds that one, the last of them repeated where there are fewer than three.
    pub face: [Vec3<T>; 3],
    /// The same as points of the first shape.
    pub from: [Vec3<T>; 3],
}

impl<T: Real> GjkResult<T> {
    /// The point of the first shape at a point inside the triangle that was found, if it is.
    pub fn inside(&self, point: Vec3<T>) -> Option<Vec3<T>> {
        let [p, q, r] = self.face.map(|corner| corner - point);
        let normal = cross(q - p, r - p);
        let barycentrics = [dot(cross(q, r), normal), dot(cross(r, p), normal), dot(cross(p, q), normal)];
        let sum = barycentrics[0] + barycentrics[1] + barycentrics[2];
        let inner = barycentrics.iter().all(|share| *share > T::ZERO);
        inner.then(|| {
            let [p, q, r] = self.from;
            let mixed = p * barycentrics[0] + q * barycentrics[1] + r * barycentrics[2];
            mixed * (T::ONE / sum)
        })
    }
}

/// Turns `n` into the direction from the difference of `a` and `b` to the target; stops where a plane keeps
/// the difference farther than `reach` away. `least` is the distance below which nothing is told.
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
    let none = [Vec3::ZERO; 3];
    let mut result = GjkResult {
        state: GjkStatus::Outside,
        height: T::ZERO,
        minimum: (*n, T::ZERO),
        witness: a.shape.pos,
        face: none,
        from: none,
    };
    let mut nearest = Vec3::ZERO;
    let mut square = T::ZERO;
    let mut at = Vec3::ZERO;
    // where climbs have ended
    let mut last = [None; 2];
    for round in 0..=GJK_ITERATIONS {
        let from = support_near(a, *n, a.shape.pos, T::ZERO, &mut last[0]);
        let back = -*n;
        let difference = from - support_near(b, back, b.shape.pos, T::ZERO, &mut last[1]);
        result.height = dot(difference, *n);
        if let (GjkTarget::Above { lift, most }, 0) = (target, round) {
            if result.height > most {
                return GjkResult { state: GjkStatus::Far, ..result };
            }
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
        simplex.points[simplex.count] = point;
        simplex.from[simplex.count] = from;
        simplex.count += 1;
        let next = reduce(&mut simplex);
        let length2 = dot(next, next);
        if simplex.count == 4 || length2 <= tolerance * tolerance {
            return GjkResult { state: GjkStatus::Inside, ..result };
        }
        if round > 0 && length2 >= square {
            break;
        }
        result.witness = simplex.witness();
        nearest = next;
        square = length2;
        let before = *n;
        *n = nearest * (-T::ONE / length(nearest));
        // the other side of a hull is far to climb
        if dot(*n, before) < T::ZERO {
            last = [None; 2];
        }
    }
    for k in 0..3 {
        let corner = k.min(simplex.count - 1);
        result.face[k] = at + simplex.points[corner];
        result.from[k] = simplex.from[corner];
    }
    result
}

/// Point of a simplex nearest to the origin; the points that it does not need are left out. Four are left where
/// the origin is inside.
fn reduce<T: Real>(s: &mut Simplex<T>) -> Vec3<T> {
    if s.count == 4 {
        let [p, q, r, new] = s.points;
        // volumes that the origin makes with the faces: all of one sign inside
        let volumes =
            [dot(q, cross(r, new)), -dot(p, cross(r, new)), dot(p, cross(q, new)), -dot(p, cross(q, r))];
        if volumes.iter().all(|v| *v > T::ZERO) || volumes.iter().all(|v| *v < T::ZERO) {
            return Vec3::ZERO;
        }
        // the nearest of the faces at the new point
        let mut best = Simplex::empty();
        let mut found = Vec3::ZERO;
        for k in 0..3 {
            let mut face = Simplex::empty();
            for (to, from) in [k, (k + 1) % 3, 3].into_iter().enumerate() {
                face.points[to] = s.points[from];
                face.from[to] = s.from[from];
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
        return s.points[0];
    }
    if s.count == 2 {
        s.set(2, 1);
    }
    reduce_triangle(s)
}

/// The same for the first three points.
fn reduce_triangle<T: Real>(s: &mut Simplex<T>) -> Vec3<T> {
    let [p, q, r, _] = s.points;
    let (pq, pr) = (q - p, r - p);
    let (d1, d2) = (-dot(pq, p), -dot(pr, p));
    let (d3, d4) = (-dot(pq, q), -dot(pr, q));
    let (d5, d6) = (-dot(pq, r), -dot(pr, r));
    let (vr, vq, vp) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
    // corners
    s.count = 1;
    s.barycentrics = [T::ONE, T::ZERO, T::ZERO];
    if d1 <= T::ZERO && d2 <= T::ZERO {
        return p;
    }
    if d3 >= T::ZERO && d4 <= d3 {
        s.set(0, 1);
        return q;
    }
    if d6 >= T::ZERO && d5 <= d6 {
        s.set(0, 2);
        return r;
    }
    // edges
    s.count = 2;
    if vr <= T::ZERO && d1 >= T::ZERO && d3 <= T::ZERO {
        let share = d1 / (d1 - d3);
        s.barycentrics = [T::ONE - share, share, T::ZERO];
        return p + pq * share;
    }
    if vq <= T::ZERO && d2 >= T::ZERO && d6 <= T::ZERO {
        let share = d2 / (d2 - d6);
        s.set(1, 2);
        s.barycentrics = [T::ONE - share, share, T::ZERO];
        return p + pr * share;
    }
    if vp <= T::ZERO && d4 >= d3 && d5 >= d6 {
        let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        s.set(0, 2);
        s.barycentrics = [share, T::ONE - share, T::ZERO];
        return q + (r - q) * share;
    }
    // face
    s.count = 3;
    let share = T::ONE / (vp + vq + vr);
    s.barycentrics = [vp * share, vq * share, vr * share];
    p + pq * (vq * share) + pr * (vr * share)
}
