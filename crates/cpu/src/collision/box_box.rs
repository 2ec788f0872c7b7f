//! Box-box contacts by the separating axis theorem: the axis of largest separation, then the features along it. Twin:
//! `shaders/collision/box_box.wgsl`.
//!
//! The axis is a face normal of either box, or orthogonal to an edge of each (Gottschalk, Lin and Manocha, *OBBTree*,
//! 1996). Along a face normal, the incident face of the other box is clipped to the reference face, and each vertex
//! of the result within the margin is a contact: up to eight. Two edges have one contact. As in MuJoCo, faces win
//! over edges that are only slightly better, so that boxes rest on many points.
//!
//! A box is *permuted* where its axes are relabelled cyclically, so that the relevant axis comes last.

use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS, Shape, tolerance};
use crate::math::{Mat3, Vec3, clip, cross, dot, mat_column, mat_row};
use manyworlds_model::real::Real;

/// Relative improvement by which an edge axis must beat the edge axes before it.
const EDGE_BIAS: f64 = 1e-6;

/// Cosine above which an edge axis is nearly parallel to the best face axis.
const FACE_PREFERENCE: f64 = 0.99;

/// Fraction of the depth by which it must then be better.
const FACE_PREFERENCE_DEPTH: f64 = 0.05;

/// Vertices of a rectangle clipped by four lines.
type Polygon<T> = [Vec3<T>; 8];

/// Box-box: up to eight contacts on a face, or one between two edges. `apart_face` is set to the face axis along which they are
/// apart, if they are along one.
pub fn box_box<T: Real>(
    a: &Shape<T>,
    b: &Shape<T>,
    margin: T,
    apart_face: &mut Option<u8>,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    *apart_face = None;
    let boxes = BoxPair {
        sizes: [a.size, b.size],
        axes: relative_axes(a, b),
        from_a: (b.pos - a.pos) * a.mat,
        from_b: (a.pos - b.pos) * b.mat,
    };
    // overlap below rounding does not count as separation
    let extent = a.size[0] + a.size[1] + a.size[2] + b.size[0] + b.size[1] + b.size[2];
    let apart = margin + tolerance::<T>(1e-15, 1e-6) * extent;
    let (face, of_face) = match separating_face(&boxes, apart, tolerance::<T>(0.0, 1e-6) * extent) {
        Ok(face) => face,
        Err(face) => {
            *apart_face = Some(face);
            return 0;
        }
    };
    let Some(edges) = separating_edges(&boxes, apart, face, of_face) else { return 0 };
    // an edge axis only slightly better than a nearly parallel face axis yields to it
    match edges {
        Some(EdgePair { edges: (i, j), gap, alignment })
            if alignment <= T::of(FACE_PREFERENCE)
                || gap >= of_face + T::of(FACE_PREFERENCE_DEPTH) * of_face.abs() + T::MINVAL =>
        {
            edge_edge(&permuted(a, i), &permuted(b, j), apart, &mut found[0])
        }
        _ if face < 3 => {
            let facing = largest_component(row(&boxes.axes, face));
            face_face(&permuted(a, face), &permuted(b, facing), T::ONE, margin, found)
        }
        _ => {
            let facing = largest_component(boxes.axes[face - 3]);
            face_face(&permuted(b, face - 3), &permuted(a, facing), -T::ONE, margin, found)
        }
    }
}

/// Two boxes: half sizes, the axes of the second in the frame of the first, and the offset of the other's centre in the
/// frame of each.
struct BoxPair<T> {
    sizes: [Vec3<T>; 2],
    axes: [Vec3<T>; 3],
    from_a: Vec3<T>,
    from_b: Vec3<T>,
}

/// Face axis of largest separation, and that separation: three of the first box, then three of the second; in single
/// precision, ties within rounding go to the earlier. If the boxes are apart, the axis along which they are.
fn separating_face<T: Real>(p: &BoxPair<T>, apart: T, rounding: T) -> Result<(usize, T), u8> {
    let (mut face, mut best) = (0, T::ZERO);
    for k in 0..6 {
        let i = k % 3;
        let gap = if k < 3 {
            p.from_a[i].abs() - p.sizes[0][i] - projected_radius(p.sizes[1], row(&p.axes, i))
        } else {
            p.from_b[i].abs() - p.sizes[1][i] - projected_radius(p.sizes[0], p.axes[i])
        };
        if gap > apart {
            return Err(k as u8);
        }
        if k == 0 || gap > best + rounding {
            (face, best) = (k, gap);
        }
    }
    Ok((face, best))
}

/// Edges of two boxes whose common normal separates them most.
struct EdgePair<T> {
    edges: (usize, usize),
    /// Separation along the normal, and alignment of the normal with the best face axis.
    gap: T,
    alignment: T,
}

/// Pair of edges that separates two boxes more than their best face axis, `face`, does, if there is one. `None` if the
/// boxes are apart.
fn separating_edges<T: Real>(
    p: &BoxPair<T>,
    apart: T,
    face: usize,
    of_face: T,
) -> Option<Option<EdgePair<T>>> {
    let (mut best, mut found) = (of_face, None);
    for i in 0..3 {
        for j in 0..3 {
            // cross product of both edges in the frame of each box; noise if they are parallel
            let normal = cross(Vec3::unit(i), p.axes[j]);
            let sine2 = dot(normal, normal);
            if sine2 < tolerance(1e-16, 1e-7) {
                continue;
            }
            let for_a = normal * (T::ONE / sine2.sqrt());
            let for_b = Vec3([dot(for_a, p.axes[0]), dot(for_a, p.axes[1]), dot(for_a, p.axes[2])]);
            let gap = dot(for_a, p.from_a).abs()
                - projected_radius(p.sizes[0], for_a)
                - projected_radius(p.sizes[1], for_b);
            if gap > apart {
                return None;
            }
            if gap - T::of(EDGE_BIAS) * gap.abs() > best && gap > of_face {
                best = gap;
                let alignment = if face < 3 { for_a[face].abs() } else { for_b[face - 3].abs() };
                found = Some(EdgePair { edges: (i, j), gap, alignment });
            }
        }
    }
    Some(found)
}

/// Axes of `b` in the frame of `a`.
fn relative_axes<T: Real>(a: &Shape<T>, b: &Shape<T>) -> [Vec3<T>; 3] {
    let axis = |k: usize| mat_column(b.mat, k) * a.mat;
    [axis(0), axis(1), axis(2)]
}

/// One component of each of three axes.
fn row<T: Real>(axes: &[Vec3<T>; 3], i: usize) -> Vec3<T> {
    Vec3([axes[0][i], axes[1][i], axes[2][i]])
}

/// Half extent of a box projected on an axis.
fn projected_radius<T: Real>(size: Vec3<T>, axis: Vec3<T>) -> T {
    axis[0].abs() * size[0] + axis[1].abs() * size[1] + axis[2].abs() * size[2]
}

/// Cyclic permutation that puts component `k` last.
fn turn3<T: Real>(v: Vec3<T>, k: usize) -> Vec3<T> {
    Vec3([v[(k + 1) % 3], v[(k + 2) % 3], v[k]])
}

/// A box with its axes permuted cyclically so that axis `k` comes last.
fn permuted<T: Real>(shape: &Shape<T>, k: usize) -> Shape<T> {
    let row = |i: usize| turn3(mat_row(shape.mat, i), k);
    Shape { pos: shape.pos, mat: Mat3::from_rows(row(0), row(1), row(2)), size: turn3(shape.size, k) }
}

/// Index of the component of largest magnitude, the first of equals.
fn largest_component<T: Real>(v: Vec3<T>) -> usize {
    let mut k = 0;
    for i in 1..3 {
        if v[i].abs() > v[k].abs() {
            k = i;
        }
    }
    k
}

/// Edge-edge contact: the closest points of two edges along the last axes, and the midpoint between them. All in the
/// first box's frame.
fn edge_edge<T: Real>(a: &Shape<T>, b: &Shape<T>, apart: T, found: &mut ContactPoint<T>) -> usize {
    let axes = relative_axes(a, b);
    let center = (b.pos - a.pos) * a.mat;
    // normal, from the first box to the second, in the frame of each
    let along = axes[2];
    let length = (along[1] * along[1] + along[0] * along[0]).sqrt();
    let mut normal = Vec3([-along[1] / length, along[0] / length, T::ZERO]);
    if dot(normal, center) < T::ZERO {
        normal = -normal;
    }
    let back = [dot(normal, axes[0]), dot(normal, axes[1])];
    // if the normal lies in a face, either edge of that face may be the closest: all are tried
    let (flips_a, flips_b) = (flips([normal[0], normal[1]]), flips(back));
    let c = along[2];
    let sine2 = T::ONE - c * c;
    let (mut one, mut two, mut least) = (Vec3::ZERO, Vec3::ZERO, T::ZERO);
    for choice in 0..4 {
        let (second_a, second_b) = (choice >= 2, choice % 2 == 1);
        if (second_a && flips_a == [T::ONE; 2]) || (second_b && flips_b == [T::ONE; 2]) {
            continue;
        }
        let corner_a = corner(a.size, [normal[0], normal[1]], flips_a, second_a);
        let corner_b = corner(b.size, [-back[0], -back[1]], flips_b, second_b);
        let corner_b = center + axes[0] * corner_b[0] + axes[1] * corner_b[1];
        // stationary point of the squared distance, each parameter clamped in turn
        let between = corner_b - corner_a;
        let (u, v) = (between[2], dot(along, between));
        let free = if sine2 < T::MINVAL { T::ZERO } else { (u - c * v) / sine2 };
        let x = clip(free, -a.size[2], a.size[2]);
        let y = clip(c * x - v, -b.size[2], b.size[2]);
        let x = clip(u + c * y, -a.size[2], a.size[2]);
        let p1 = Vec3([corner_a[0], corner_a[1], x]);
        let p2 = corner_b + along * y;
        let gap = p2 - p1;
        let dist2 = dot(gap, gap);
        if choice == 0 || dist2 < least {
            (one, two, least) = (p1, p2, dist2);
        }
    }
    let dist = dot(two - one, normal);
    if dist > apart {
        return 0;
    }
    let middle = (one + two) * T::of(0.5);
    *found = ContactPoint { dist, pos: a.mat * middle + a.pos, normal: a.mat * normal, tangent: Vec3::ZERO };
    1
}

/// Sign factors from the support corner to the other corner of equal height: signs of vanishing components are
/// unreliable. At most one component vanishes.
fn flips<T: Real>(direction: [T; 2]) -> [T; 2] {
    let vanishing = tolerance(1e-9, 1e-5);
    if direction[0].abs() < vanishing {
        [-T::ONE, T::ONE]
    } else if direction[1].abs() < vanishing {
        [T::ONE, -T::ONE]
    } else {
        [T::ONE; 2]
    }
}

/// Support corner of a box along a direction, or the second one of equal height.
fn corner<T: Real>(size: Vec3<T>, direction: [T; 2], flips: [T; 2], second: bool) -> Vec3<T> {
    let mut at = Vec3::ZERO;
    for k in 0..2 {
        at[k] = if direction[k] >= T::ZERO { size[k] } else { -size[k] };
        if second {
            at[k] *= flips[k];
        }
    }
    at
}

/// Clips the face of `other` across its last axis to the face of `base` across its last axis, in the frame of `base`.
/// The normal points away from `base`, or towards it if `sign` is negative.
fn face_face<T: Real>(
    base: &Shape<T>,
    other: &Shape<T>,
    sign: T,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let axes = relative_axes(base, other);
    let center = (other.pos - base.pos) * base.mat;
    let up = if center[2] >= T::ZERO { T::ONE } else { -T::ONE };
    // incident face: its centre, half its edges, and heights above the reference face
    let side = if up * axes[2][2] > T::ZERO { -T::ONE } else { T::ONE };
    let mut middle = center + axes[2] * (side * other.size[2]);
    let (mut across, mut along) = (axes[0] * other.size[0], axes[1] * other.size[1]);
    middle[2] = up * middle[2] - base.size[2];
    across[2] *= up;
    along[2] *= up;
    let mut polygon: Polygon<T> = [middle; 8];
    for (k, (x, y)) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().enumerate() {
        polygon[k] = middle + across * T::of(x) + along * T::of(y);
    }
    let mut n = 4;
    for (axis, side) in [(0, T::ONE), (0, -T::ONE), (1, T::ONE), (1, -T::ONE)] {
        n = clip_side(&mut polygon, n, axis, side, base.size[axis]);
    }
    // vertices within the margin, without duplicates
    let normal = mat_column(base.mat, 2) * (sign * up);
    let same = tolerance::<T>(1e-14, 1e-10) * (base.size[0] * base.size[0] + base.size[1] * base.size[1]);
    let mut kept = 0;
    for k in 0..n {
        let Vec3([x, y, height]) = polygon[k];
        let mut near = height <= margin;
        for q in 0..kept {
            let (dx, dy) = (polygon[q][0] - x, polygon[q][1] - y);
            near = near && dx * dx + dy * dy >= same;
        }
        if !near {
            continue;
        }
        polygon[kept] = polygon[k];
        // midway between the reference face and the other box
        let at = Vec3([x, y, up * (base.size[2] + height * T::of(0.5))]);
        let pos = base.mat * at + base.pos;
        found[kept] = ContactPoint { dist: height, pos, normal, tangent: Vec3::ZERO };
        kept += 1;
    }
    kept
}

/// Clips the polygon at a limit along an axis, or at minus the limit if `side` is negative; returns the number of
/// vertices.
fn clip_side<T: Real>(polygon: &mut Polygon<T>, n: usize, axis: usize, side: T, limit: T) -> usize {
    let before = *polygon;
    let mut kept = 0;
    for k in 0..n {
        let next = if k + 1 == n { 0 } else { k + 1 };
        let (p, q) = (before[k], before[next]);
        let (here, there) = (side * p[axis] - limit, side * q[axis] - limit);
        if here <= T::ZERO && kept < polygon.len() {
            polygon[kept] = p;
            kept += 1;
        }
        // intersection of the edge to the next vertex with the limit
        let crosses = (here < T::ZERO && there > T::ZERO) || (here > T::ZERO && there < T::ZERO);
        if crosses && kept < polygon.len() {
            polygon[kept] = p + (q - p) * (here / (here - there));
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, quat_normalize, quat_to_mat};

    /// Pseudo-random numbers in [-1, 1].
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> Vec3<f64> {
            Vec3([self.next(), self.next(), self.next()])
        }

        fn cuboid(&mut self) -> Shape<f64> {
            let q = quat_normalize(Quat([self.next(), self.next(), self.next(), self.next()]));
            let size = self.vector().map(|s| 0.1 + 0.4 * s.abs());
            Shape { pos: self.vector() * 0.6, mat: quat_to_mat(q), size }
        }
    }

    /// Gap between the projections of two boxes on a direction, negative if they overlap.
    fn gap_along(a: &Shape<f64>, b: &Shape<f64>, direction: Vec3<f64>) -> f64 {
        let extent = |s: &Shape<f64>| {
            let corners = (0..8).map(|bits: usize| {
                let sign = |k: usize| if bits & (1 << k) == 0 { -s.size[k] } else { s.size[k] };
                dot(s.pos + s.mat * Vec3::from_fn(sign), direction)
            });
            corners.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
        };
        let ((low_a, high_a), (low_b, high_b)) = (extent(a), extent(b));
        (low_b - high_a).max(low_a - high_b)
    }

    /// Largest gap over the fifteen axes, from the vertices of the boxes.
    fn largest_gap(a: &Shape<f64>, b: &Shape<f64>) -> f64 {
        let (axes_a, axes_b) =
            ([0, 1, 2].map(|k| mat_column(a.mat, k)), [0, 1, 2].map(|k| mat_column(b.mat, k)));
        let crossed = axes_a.iter().flat_map(|&x| axes_b.iter().map(move |&y| cross(x, y)));
        let directions = axes_a.iter().chain(&axes_b).copied().chain(crossed);
        let unit = directions.filter(|d| dot(*d, *d) > 1e-8).map(|d| d * (1.0 / dot(d, d).sqrt()));
        unit.map(|d| gap_along(a, b, d)).fold(f64::MIN, f64::max)
    }

    fn inside(s: &Shape<f64>, point: Vec3<f64>, slack: f64) -> bool {
        let local = (point - s.pos) * s.mat;
        (0..3).all(|k| local[k].abs() <= s.size[k] + slack)
    }

    #[test]
    fn contacts_of_random_boxes_are_sound() {
        let mut noise = Numbers(1);
        let (mut touching, mut edges) = (0, 0);
        for _ in 0..20_000 {
            let (a, b) = (noise.cuboid(), noise.cuboid());
            let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            let n = box_box(&a, &b, 0.0, &mut None, &mut found);
            let gap = largest_gap(&a, &b);
            // no contacts exactly where an axis separates
            assert_eq!(n == 0, gap > 0.0, "{gap}");
            if n == 0 {
                continue;
            }
            touching += 1;
            edges += usize::from(n == 1);
            let along = gap_along(&a, &b, found[0].normal);
            assert!(dot(found[0].normal, b.pos - a.pos) > -1e-12);
            assert!((dot(found[0].normal, found[0].normal) - 1.0).abs() < 1e-9);
            for c in &found[..n] {
                assert!(c.dist <= 0.0 && c.dist.is_finite() && c.pos.0.iter().all(|x| x.is_finite()));
                // never deeper than the translation apart along the normal, which is hardly longer than the shortest
                assert!(c.dist >= along - 1e-9 && along >= gap * 1.06 - 1e-9, "{} {along} {gap}", c.dist);
                // midway between two surfaces
                let slack = 1e-9 - c.dist;
                assert!(inside(&a, c.pos, slack) && inside(&b, c.pos, slack));
            }
            // the same with the boxes exchanged
            let mut other = [ContactPoint::none(); MAX_PAIR_CONTACTS];
            assert_eq!(box_box(&b, &a, 0.0, &mut None, &mut other), n);
            for c in &found[..n] {
                let twin = other[..n].iter().any(|o| {
                    let away = o.pos - c.pos;
                    let permuted = o.normal + c.normal;
                    dot(away, away) < 1e-18
                        && dot(permuted, permuted) < 1e-18
                        && (o.dist - c.dist).abs() < 1e-9
                });
                assert!(twin, "{c:?} {:?}", &other[..n]);
            }
        }
        assert!(touching > 5_000 && edges > 500, "{touching} {edges}");
    }

    #[test]
    fn a_box_at_rest_touches_with_the_outline_of_the_overlap() {
        let turn = |angle: f64| quat_to_mat(Quat([(angle / 2.0).cos(), 0.0, 0.0, (angle / 2.0).sin()]));
        let base = Shape { pos: Vec3::ZERO, mat: turn(0.0), size: Vec3([1.0; 3]) };
        let mut found = [ContactPoint::none(); MAX_PAIR_CONTACTS];
        for (angle, corners) in [(0.0, 4), (0.7, 8)] {
            let top = Shape { pos: Vec3([0.0, 0.0, 1.99]), mat: turn(angle), size: Vec3([1.0; 3]) };
            assert_eq!(box_box(&base, &top, 0.0, &mut None, &mut found), corners);
            for c in &found[..corners] {
                assert!((c.dist + 0.01).abs() < 1e-12 && (c.pos[2] - 0.995).abs() < 1e-12);
                assert_eq!(c.normal, Vec3::Z);
            }
        }
        // boxes at positions that are not numbers touch nothing
        let lost = Shape { pos: Vec3([f64::NAN; 3]), ..base };
        assert_eq!(box_box(&base, &lost, 0.0, &mut None, &mut found), 0);
    }
}
