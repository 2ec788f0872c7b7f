//! Capsule-box contacts: a sphere at the point of the capsule's segment closest to the box, and a second one if the
//! segment runs along the box. Twin: `shaders/collision/capsule_box.wgsl`.
//!
//! The segment consists of the points `centre + half x` with `x` in [-1, 1], in the frame of the box. The position of
//! the second sphere follows MuJoCo: as far along the segment as it stays above the same face.

use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS, Shape, sphere_box_at, tolerance};
use crate::math::{Vec3, dot, mat_column};
use manyworlds_model::real::Real;

/// Feature of a box closest to a segment.
#[derive(Clone, Copy, Debug)]
enum BoxFeature<T> {
    /// The inside.
    Inside,
    /// The face across an axis.
    Face(usize),
    /// A point in [-1, 1] on the edge along an axis, and the corner where the edge starts.
    Edge(usize, T, usize),
    /// A corner: bit `k` is set if it is on the upper side of axis `k`.
    Corner(usize),
}

/// A segment and a box.
struct SegmentBox<T> {
    /// Centre of the segment.
    center: Vec3<T>,
    /// Direction of the segment.
    axis: Vec3<T>,
    /// Vector from the centre of the segment to its end.
    half: Vec3<T>,
    /// Half length of the segment.
    length: T,
    /// Half sizes of the box.
    size: Vec3<T>,
}

/// Capsule-box: one contact, or two if the capsule lies along the box.
pub fn capsule_box<T: Real>(
    capsule: &Shape<T>,
    cuboid: &Shape<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let center = (capsule.pos - cuboid.pos) * cuboid.mat;
    let axis = mat_column(capsule.mat, 2) * cuboid.mat;
    let length = capsule.size[1];
    let pair = SegmentBox { center, axis, half: axis * length, length, size: cuboid.size };
    let (feature, x) = closest_feature(&pair);
    let step = match feature {
        BoxFeature::Inside => None,
        BoxFeature::Face(face) => Some(step_on_face(&pair, face, x)),
        BoxFeature::Edge(edge, y, start) => step_from_edge(&pair, edge, y, start, x),
        BoxFeature::Corner(corner) => step_from_corner(&pair, corner, x),
    };
    let touch = |x: T, out: &mut ContactPoint<T>| {
        let at = center + pair.half * x;
        let pos = cuboid.mat * at + cuboid.pos;
        sphere_box_at(&Shape { pos, ..*capsule }, cuboid, margin, out)
    };
    let n = touch(x, &mut found[0]);
    match step {
        Some(step) => n + touch(step + x, &mut found[n]),
        None => n,
    }
}

/// Feature of the box closest to the segment, and the closest point of the segment.
fn closest_feature<T: Real>(p: &SegmentBox<T>) -> (BoxFeature<T>, T) {
    let (mut feature, mut x, mut least) = (BoxFeature::Inside, T::ZERO, T::of(1e30));
    // ties within rounding do not count as closer in single precision
    let extent = p.length + p.size[0] + p.size[1] + p.size[2];
    let rounding = tolerance::<T>(0.0, 1e-6) * extent;
    // end points above a face, or inside
    for end in [-T::ONE, T::ONE] {
        let tip = p.center + p.half * end;
        let (mut outside, mut face, mut over) = (0, BoxFeature::Inside, T::ZERO);
        for k in 0..3 {
            if tip[k].abs() > p.size[k] {
                outside += 1;
                (face, over) = (BoxFeature::Face(k), tip[k].abs() - p.size[k]);
            }
        }
        if outside < 2 && over * over < least - rounding * least.sqrt() {
            (feature, x, least) = (face, end, over * over);
        }
    }
    // segment points above an edge or a corner
    for edge in 0..3 {
        for start in 0..8 {
            if start & (1 << edge) != 0 {
                continue;
            }
            let Some((y, side, along, dist2)) = nearest_on_edge(p, edge, start) else { continue };
            if dist2 < least - T::MINVAL - rounding * least.sqrt() {
                (x, least) = (along, dist2);
                feature = match side {
                    0 => BoxFeature::Edge(edge, y, start),
                    1 => BoxFeature::Corner(start + (1 << edge)),
                    _ => BoxFeature::Corner(start),
                };
            }
        }
    }
    (feature, x)
}

/// Closest points of the segment and an edge: parameter on the edge, the end of it (0: neither), parameter on the
/// segment, and the squared distance; none if they are parallel.
///
/// Stationarity of the squared distance gives a 2 × 2 system, whose solution is clamped.
fn nearest_on_edge<T: Real>(p: &SegmentBox<T>, edge: usize, start: usize) -> Option<(T, i32, T, T)> {
    let size = p.size[edge];
    let mut middle = corner_of(p.size, start);
    middle[edge] = T::ZERO;
    let between = middle - p.center;
    let (a, b, c) = (size * size, -size * p.half[edge], p.length * p.length);
    let (u, v) = (-size * between[edge], dot(p.half, between));
    let det = a * c - b * b;
    if det.abs() < T::MINVAL || det < tolerance::<T>(0.0, 1e-6) * a * c {
        return None;
    }
    let mut y = (c * u - b * v) / det;
    let mut x = (a * v - b * u) / det;
    let mut side = 0;
    if y.abs() > T::ONE {
        side = if y > T::ONE { 1 } else { -1 };
        y = T::of(f64::from(side));
        x = (v - b * y) / c;
    }
    if x.abs() > T::ONE {
        x = if x > T::ONE { T::ONE } else { -T::ONE };
        y = (u - b * x) / a;
        if y.abs() > T::ONE {
            side = if y > T::ONE { 1 } else { -1 };
            y = T::of(f64::from(side));
        }
    }
    let mut gap = between - p.half * x;
    gap[edge] += size * y;
    Some((y, side, x, dot(gap, gap)))
}

/// Corner of a box from its bits.
fn corner_of<T: Real>(size: Vec3<T>, bits: usize) -> Vec3<T> {
    let mut at = size;
    for k in 0..3 {
        if bits & (1 << k) == 0 {
            at[k] = -at[k];
        }
    }
    at
}

/// Axes along which the segment leads over the box from a corner: bit `k` for axis `k`.
fn inward<T: Real>(p: &SegmentBox<T>, corner: usize) -> usize {
    let mut upward = 0;
    for k in 0..3 {
        upward |= usize::from(p.half[k] > T::ZERO) << k;
    }
    upward ^ corner
}

/// Parameter range in which the segment covers a length along an axis.
fn segment_run<T: Real>(p: &SegmentBox<T>, axis: usize, length: T) -> T {
    length / p.half[axis].abs().max(T::MINVAL)
}

/// Step from an end point above a face to the other end, or to where it leaves the face.
fn step_on_face<T: Real>(p: &SegmentBox<T>, face: usize, x: T) -> T {
    let tip = p.center + p.half * x;
    let mut step = T::of(2.0);
    for k in 0..3 {
        if k == face || p.half[k].abs() < T::MINVAL {
            continue;
        }
        for side in [T::ONE, -T::ONE] {
            let leaves = -x * (side * p.size[k] - tip[k]) / p.half[k];
            if leaves > T::ZERO && leaves < step {
                step = leaves;
            }
        }
    }
    -x * step
}

/// Step from an edge over the less steep face, to where the segment ends or leaves the face; none if neither
/// direction leads over a face, or if one leads inside.
fn step_from_edge<T: Real>(p: &SegmentBox<T>, edge: usize, y: T, start: usize, x: T) -> Option<T> {
    let (one, two) = ((edge + 1) % 3, (edge + 2) % 3);
    let bits = inward(p, start);
    if (bits >> one) & 1 == (bits >> two) & 1 {
        return None;
    }
    let high = if p.axis[one].abs() > p.axis[two].abs() { one } else { two };
    let forward = (bits >> high) & 1 == 1;
    let way = if forward { T::ONE } else { -T::ONE };
    let mut step = T::ONE - way * x;
    step = step.min(segment_run(p, high, T::of(2.0) * p.size[high]));
    // remaining length of the edge in its own direction
    let rising = (p.half[edge] > T::ZERO) == forward;
    let left = if rising { T::ONE - y } else { T::ONE + y };
    step = step.min(segment_run(p, edge, p.size[edge] * left));
    Some(way * step)
}

/// Step from a corner along the edge or face that the segment follows; none if it leads straight away from the
/// corner, or into the box.
fn step_from_corner<T: Real>(p: &SegmentBox<T>, corner: usize, x: T) -> Option<T> {
    let bits = inward(p, corner);
    // the axis whose direction differs from the other two
    let (axis, way) = match bits {
        1 | 2 | 4 => (bits / 2, T::ONE),
        3 | 5 | 6 => ((7 - bits) / 2, -T::ONE),
        _ => return None,
    };
    let two = T::of(2.0);
    if p.axis[axis] * p.axis[axis] > T::of(0.5) {
        let step = (T::ONE - way * x).min(segment_run(p, axis, two * p.size[axis]));
        return Some(way * step);
    }
    let mut step = T::ONE + way * x;
    for other in [(axis + 1) % 3, (axis + 2) % 3] {
        step = step.min(segment_run(p, other, two * p.size[other]));
    }
    Some(-way * step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Mat3, Quat, clip, length, normalize3, quat_normalize, quat_to_mat};

    /// Pseudo-random number in [-1, 1].
    fn noise(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn pose(state: &mut u64, size: Vec3<f64>) -> Shape<f64> {
        let q = quat_normalize(Quat([0; 4].map(|_| noise(state))));
        Shape { pos: Vec3([0; 3].map(|_| 0.6 * noise(state))), mat: quat_to_mat(q), size }
    }

    /// Distance from a point to a box, zero inside.
    fn distance(point: Vec3<f64>, cuboid: &Shape<f64>) -> f64 {
        let local = (point - cuboid.pos) * cuboid.mat;
        length(Vec3([0, 1, 2].map(|k| local[k] - clip(local[k], -cuboid.size[k], cuboid.size[k]))))
    }

    /// Distance of a capsule's segment from a box, which is convex along the segment.
    fn axis_distance(capsule: &Shape<f64>, cuboid: &Shape<f64>) -> f64 {
        let at = |x: f64| distance(capsule.pos + mat_column(capsule.mat, 2) * x, cuboid);
        let (mut low, mut high) = (-capsule.size[1], capsule.size[1]);
        for _ in 0..200 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if at(a) < at(b) { high = b } else { low = a }
        }
        at(low)
    }

    #[test]
    fn contacts_of_random_capsules_are_sound() {
        let (mut state, mut counts) = (1, [0; 3]);
        for _ in 0..20_000 {
            let size = [0; 3].map(|_| 0.1 + 0.4 * noise(&mut state).abs());
            let (a, b) = (pose(&mut state, Vec3([0.1, 0.3, 0.0])), pose(&mut state, Vec3(size)));
            let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            let n = capsule_box(&a, &b, 0.0, &mut found);
            let apart = axis_distance(&a, &b);
            counts[n] += 1;
            // the first contact is at the closest point of the segment; a segment through the box may go unnoticed,
            // as in MuJoCo
            assert!(n > 0 || !(1e-9..=0.1 - 1e-9).contains(&apart), "{apart}");
            if n > 0 && apart > 1e-6 {
                let least = found[..n].iter().map(|c| c.dist).fold(f64::MAX, f64::min);
                assert!((found[0].dist - (apart - 0.1)).abs() < 1e-6, "{} {apart}", found[0].dist);
                assert!((found[0].dist - least).abs() < 1e-6);
            }
            for c in &found[..n] {
                assert!(c.dist <= 0.0 && c.pos.0.iter().all(|x| x.is_finite()));
                assert!((length(c.normal) - 1.0).abs() < 1e-9);
                // on the capsule's segment, a radius and half the depth away
                let center = c.pos - c.normal * (0.1 + 0.5 * c.dist);
                let local = (center - a.pos) * a.mat;
                assert!(local[0].abs() < 1e-9 && local[1].abs() < 1e-9 && local[2].abs() < 0.3 + 1e-9);
            }
        }
        assert!(counts.iter().all(|n| *n > 1_000), "{counts:?}");
    }

    #[test]
    fn a_lying_capsule_touches_with_both_ends_of_what_is_above_the_box() {
        let mat = Mat3([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
        let cuboid = Shape { pos: Vec3::ZERO, mat: Mat3::IDENTITY, size: Vec3([1.0; 3]) };
        let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
        // within the face, and across its border
        for (x, ends) in [(0.0, [-0.5, 0.5]), (0.8, [0.3, 1.0])] {
            let capsule = Shape { pos: Vec3([x, 0.2, 1.09]), mat, size: Vec3([0.1, 0.5, 0.0]) };
            assert_eq!(capsule_box(&capsule, &cuboid, 0.0, &mut found), 2);
            for (c, end) in found.iter().zip(ends) {
                assert!((c.dist + 0.01).abs() < 1e-12 && length(c.pos - Vec3([end, 0.2, 0.995])) < 1e-12);
                assert!(length(normalize3(c.normal) - -Vec3::Z) < 1e-12);
            }
        }
    }
}
