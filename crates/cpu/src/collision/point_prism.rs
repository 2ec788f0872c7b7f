//! Least distance, or least penetration, of a point and a prism of a height field: what a toe on rough ground asks for, many
//! times in a step.
//!
//! The sides of a prism are upright and its base is level. A point that is inside is nearest to the face whose plane is nearest;
//! one outside is nearest to a point of a face that it sees.

use super::polytope::Hull;
use super::support_map::ConvexShape;
use super::triangle::Triangle;
use crate::math::{Vec3, cross, dot, length};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Distance, as a share of the sizes and in units of rounding, within which a point is on the surface.
const TOUCH: f64 = 64.0;

/// Minimiser of the support function of the Minkowski difference of a prism and the centre of a sphere, the minimum, and the
/// point of the prism; none for other shapes, or a prism without area. The minimum is any below `-reach` if there is one.
pub(super) fn point_prism<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    reach: T,
) -> Option<(Vec3<T>, T, Vec3<T>)> {
    let Hull::Prism([base, _, _, p, q, r]) = a.hull else { return None };
    if b.kind != geom::SPHERE || b.is_hull() {
        return None;
    }
    let mat = a.shape.mat;
    let point = (b.shape.pos - a.shape.pos) * mat;
    let found = |n: Vec3<T>, height: T, at: Vec3<T>| (mat * n, height, a.shape.pos + mat * at);
    // outward normals: of the top, of the sides, of the base
    let across = cross(q - p, r - p);
    let area = length(across);
    if area <= T::MINVAL {
        return None;
    }
    let turn = if across[2] < T::ZERO { -T::ONE } else { T::ONE };
    let side = |from: Vec3<T>, to: Vec3<T>| {
        let n = Vec3([to[1] - from[1], from[0] - to[0], T::ZERO]) * turn;
        n * (T::ONE / length(n).max(T::MINVAL))
    };
    let normals = [across * (turn / area), side(p, q), side(q, r), side(r, p), -Vec3::Z];
    let corners = [p, p, q, r, base];
    // how far the point is beyond each
    let mut beyond = [T::ZERO; 5];
    let mut farthest = 0;
    for k in 0..5 {
        beyond[k] = dot(normals[k], point - corners[k]);
        if beyond[k] > beyond[farthest] {
            farthest = k;
        }
    }
    let (n, most) = (normals[farthest], beyond[farthest]);
    let slack = T::of(TOUCH) * T::EPSILON * (length(a.shape.size) + length(point));
    if most > reach || most <= slack {
        return Some(found(n, -most, point - n * most));
    }
    // outside: the nearest point of the faces that it sees
    let low = |x: Vec3<T>| Vec3([x[0], x[1], base[2]]);
    let quads = [[p, q], [q, r], [r, p]];
    let mut nearest: Option<(T, Vec3<T>)> = None;
    let mut see = |corners: [Vec3<T>; 3]| {
        let at = Triangle { corners, radius: T::ZERO }.nearest(point);
        let apart = point - at;
        let square = dot(apart, apart);
        if nearest.is_none_or(|(least, _)| square < least) {
            nearest = Some((square, at));
        }
    };
    if beyond[0] > T::ZERO {
        see([p, q, r]);
    }
    for (k, [x, y]) in quads.into_iter().enumerate() {
        if beyond[k + 1] > T::ZERO {
            see([x, y, low(y)]);
            see([x, low(y), low(x)]);
        }
    }
    if beyond[4] > T::ZERO {
        see([low(p), low(q), low(r)]);
    }
    let (square, at) = nearest?;
    let distance = square.sqrt();
    if distance <= slack {
        return Some(found(n, -most, point - n * most));
    }
    Some(found((point - at) * (T::ONE / distance), -distance, at))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::collision::gjk::{GjkStatus, GjkTarget, search};
    use crate::collision::primitives::Shape;
    use crate::collision::support_map::minkowski_support;
    use crate::math::random::Random;
    use crate::math::{normalize3, quat_to_mat};

    /// A prism with a slanted top, turned.
    fn prism(random: &mut Random) -> ConvexShape<'static, f64> {
        let heights = random.vector();
        let flip = random.vector()[0] > 0.0;
        let mut top = [[-0.5, -0.4], [0.5, -0.4], [-0.5, 0.6]].map(|[x, y]| Vec3([x, y, 0.0]));
        (0..3).for_each(|k| top[k][2] = 0.3 + 0.25 * heights[k]);
        if flip {
            top.swap(1, 2);
        }
        let low = top.map(|p| Vec3([p[0], p[1], -0.5]));
        let corners = [low[0], low[1], low[2], top[0], top[1], top[2]];
        let shape =
            Shape { pos: random.vector(), mat: quat_to_mat(random.quat()), size: Vec3([0.5, 0.6, 0.55]) };
        ConvexShape { kind: geom::HFIELD, shape, hull: Hull::Prism(corners) }
    }

    #[test]
    fn the_direction_is_that_of_a_search_outside_and_no_direction_is_lower_inside() {
        let mut random = Random(5);
        let (mut outside, mut inside) = (0, 0);
        for _ in 0..4000 {
            let a = prism(&mut random);
            let pos = a.shape.pos + a.shape.mat * (random.vector() * 0.9);
            let b =
                ConvexShape::of(geom::SPHERE, &Shape { pos, mat: a.shape.mat, size: Vec3([0.1, 0.0, 0.0]) });
            let (n, height, at) = point_prism(&a, &b, 10.0).unwrap();
            let support = |n: Vec3<f64>| dot(minkowski_support(&a, &b, n), n);
            assert!((length(n) - 1.0).abs() < 1e-12);
            assert!((support(n) - height).abs() < 1e-9, "{} {height}", support(n));
            // the point of the prism lies that far along
            assert!(length(pos + n * height - at) < 1e-9);
            if height < -1e-6 {
                outside += 1;
                let mut way = normalize3(pos - a.shape.pos);
                let found = search(&a, &b, GjkTarget::Origin, 10.0, 1e-9, &mut way);
                assert_eq!(found.state, GjkStatus::Outside);
                assert!((found.height - height).abs() < 1e-6 && length(way - n) < 1e-3, "{way:?} {n:?}");
            } else {
                inside += 1;
                let lower = (0..60).map(|_| normalize3(random.vector())).any(|n| support(n) < height - 1e-9);
                assert!(!lower);
            }
        }
        assert!(outside > 1000 && inside > 200, "{outside} {inside}");
        // beyond reach, any plane that keeps them apart
        let a = prism(&mut random);
        let far = a.shape.pos + Vec3([3.0, 1.0, 2.0]);
        let b =
            ConvexShape::of(geom::SPHERE, &Shape { pos: far, mat: a.shape.mat, size: Vec3([0.1, 0.0, 0.0]) });
        let (n, height, _) = point_prism(&a, &b, 0.5).unwrap();
        assert!(height < -0.5 && (dot(minkowski_support(&a, &b, n), n) - height).abs() < 1e-9);
        let capsule = ConvexShape::of(geom::CAPSULE, &b.shape);
        assert!(point_prism(&a, &capsule, 1.0).is_none() && point_prism(&b, &a, 1.0).is_none());
    }
}
