//! Faces and edges of a convex shape that touch.

use super::support_map::ConvexShape;
use crate::math::{Vec3, dot, length, normalize3};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Cosine of the largest angle between the normal of a polygon and a plane that three of its vertices touch: polygons
/// are bent by the size of a cell of directions. More, and the vertices are on one line.
const BENT_COSINE: f64 = 0.9995;

/// Vertices of a cap.
const CAP_CORNERS: usize = 16;

/// A face of a shape: its axis and side, or a polygon.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Face<T> {
    pub(super) k: usize,
    pub(super) sign: T,
}

/// What a shape touches with: a vertex, an edge or a face.
#[derive(Clone, Copy)]
pub(super) struct Feature<T> {
    /// Support vertex of a polytope.
    pub(super) vertex: usize,
    /// Other end of the edge of a polytope that touches, if it is the only one.
    pub(super) end: Option<usize>,
    /// Polygon that touches as a whole.
    pub(super) level: Option<Face<T>>,
    /// Dimension: a vertex (1), a straight edge (2) or a face (3); a cylinder's cap counts as its rim.
    pub(super) dim: usize,
}

impl<T: Real> Feature<T> {
    /// Feature of a shape that touches along `n`.
    pub(super) fn along(s: &ConvexShape<'_, T>, n: Vec3<T>, flatness: T) -> Self {
        if !s.is_hull() {
            let across = (0..3).filter(|k| dot(s.axis(*k), n).abs() < flatness).count();
            let dim = match s.kind {
                geom::BOX => 1 + across,
                geom::CYLINDER if dot(s.axis(2), n).abs() < flatness => 2,
                _ => 1,
            };
            return Self { vertex: 0, end: None, level: None, dim };
        }
        let l = s.to_local(n);
        let vertex = s.hull.support(l);
        let level = level_face(s, vertex, l, flatness);
        if level.is_some() {
            return Self { vertex, end: None, level, dim: 3 };
        }
        let base = s.hull.vertex(vertex);
        let mut touching =
            (0..s.hull.valence(vertex)).map(|k| s.hull.ring_vertex(vertex, k)).filter(|&end| {
                let along = s.hull.vertex(end) - base;
                dot(along, l).abs() < flatness * length(along)
            });
        let (first, more) = (touching.next(), touching.next().is_some());
        let dim = if first.is_some() { 2 } else { 1 };
        Self { vertex, end: first.filter(|_| !more), level, dim }
    }

    /// True if any face at the support vertex of a polytope is a candidate.
    pub(super) fn is_open(&self, s: &ConvexShape<'_, T>) -> bool {
        s.is_hull() && self.level.is_none() && self.end.is_none()
    }
}

/// Number of candidate faces of a shape; of a mesh, those at its support vertex.
pub(super) fn face_count<T: Real>(s: &ConvexShape<'_, T>, v: usize) -> usize {
    if s.is_hull() { s.hull.valence(v) } else { 3 }
}

/// Candidate face `k` and its normal, if it may touch along `n`: a cap of a cylinder that is not on its side, a face of a box,
/// or a polygon of a mesh, at the edge that touches if there is one.
pub(super) fn face_at<T: Real>(
    s: &ConvexShape<'_, T>,
    feature: &Feature<T>,
    k: usize,
    n: Vec3<T>,
    flatness: T,
) -> Option<(Face<T>, Vec3<T>)> {
    if s.is_hull() {
        let (face, _) = hull_face_at(s, feature, k, s.to_local(n), flatness)?;
        return Some((face, face_normal(s, face)));
    }
    let along = dot(s.axis(k), n);
    let has = s.kind == geom::BOX || (s.kind == geom::CYLINDER && k == 2);
    let face = Face { k, sign: if along >= T::ZERO { T::ONE } else { -T::ONE } };
    (has && along.abs() >= flatness).then(|| (face, face_normal(s, face)))
}

/// [`face_at`] of a mesh, along `l` in its frame; the cosine of the angle to that instead of the normal.
#[inline(always)]
pub(super) fn hull_face_at<T: Real>(
    s: &ConvexShape<'_, T>,
    feature: &Feature<T>,
    k: usize,
    l: Vec3<T>,
    flatness: T,
) -> Option<(Face<T>, T)> {
    let face = Face { k: s.hull.ring_polygon(feature.vertex, k), sign: T::ONE };
    let cosine = dot(s.hull.normal(face.k), l);
    let touches = cosine >= flatness && feature.end.is_none_or(|end| s.hull.has_vertex(face.k, end));
    touches.then_some((face, cosine))
}

/// Normal of a face.
#[inline(always)]
pub(super) fn face_normal<T: Real>(s: &ConvexShape<'_, T>, face: Face<T>) -> Vec3<T> {
    if s.is_hull() { s.normal(face.k) } else { s.axis(face.k) * face.sign }
}

/// Candidate face most aligned with `n`.
pub(super) fn best_face<T: Real>(
    s: &ConvexShape<'_, T>,
    feature: &Feature<T>,
    n: Vec3<T>,
    flatness: T,
) -> Option<Face<T>> {
    let (mut best, mut found) = (T::ZERO, None);
    let l = s.to_local(n);
    for k in 0..face_count(s, feature.vertex) {
        let candidate = if s.is_hull() {
            hull_face_at(s, feature, k, l, flatness)
        } else {
            face_at(s, feature, k, n, flatness).map(|(face, normal)| (face, dot(normal, n)))
        };
        if let Some((face, cosine)) = candidate.filter(|(_, cosine)| *cosine > best) {
            best = cosine;
            found = Some(face);
        }
    }
    found
}

/// Polygon at a vertex of a mesh of which three vertices touch a plane along `l`, in the frame of the mesh. Polygons may be bent:
/// their normals do not tell.
fn level_face<T: Real>(s: &ConvexShape<'_, T>, v: usize, l: Vec3<T>, flatness: T) -> Option<Face<T>> {
    let base = s.hull.vertex(v);
    let touches = |w: usize| {
        let apart = s.hull.vertex(w) - base;
        dot(apart, l).abs() <= flatness * length(apart)
    };
    let level = |k: &usize| {
        let polygon = s.hull.ring_polygon(v, *k);
        dot(s.hull.normal(polygon), l) > T::of(BENT_COSINE)
            && (0..s.hull.corners(polygon)).filter(|&c| touches(s.hull.corner(polygon, c))).nth(2).is_some()
    };
    let k = (0..s.hull.valence(v)).find(level)?;
    Some(Face { k: s.hull.ring_polygon(v, k), sign: T::ONE })
}

/// Unit vector along edge `k` at a vertex of a mesh.
pub(super) fn ring_edge<T: Real>(s: &ConvexShape<'_, T>, v: usize, k: usize) -> Vec3<T> {
    normalize3(s.vertex(s.hull.ring_vertex(v, k)) - s.vertex(v))
}

/// Number of vertices of a face.
pub(super) fn face_corners<T: Real>(s: &ConvexShape<'_, T>, face: Face<T>) -> usize {
    if s.is_hull() {
        return s.hull.corners(face.k);
    }
    if s.kind == geom::CYLINDER { CAP_CORNERS } else { 4 }
}

/// Vertex `c` of a face.
#[inline(always)]
pub(super) fn face_corner<T: Real>(s: &ConvexShape<'_, T>, face: Face<T>, c: usize) -> Vec3<T> {
    let Face { k, sign } = face;
    if s.is_hull() {
        return s.vertex(s.hull.corner(k, c));
    }
    let size = s.shape.size;
    let half = if s.kind == geom::CYLINDER { size[1] } else { size[k] };
    let center = s.shape.pos + s.axis(k) * (half * sign);
    if s.kind == geom::CYLINDER {
        let (sine, cosine) = sixteenth(c);
        let rim = center + s.axis(0) * (size[0] * cosine);
        return rim - s.axis(1) * (size[0] * sign * sine);
    }
    // signs along the two axes after the face's own; the far face is the near one turned over
    const AROUND: [[(f64, f64); 4]; 3] = [
        [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)],
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)],
        [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)],
    ];
    let (mut x, mut y) = (T::of(AROUND[k][c].0), T::of(AROUND[k][c].1));
    if k == 0 {
        y *= sign;
    } else {
        x *= sign;
    }
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    center + s.axis(i) * (size[i] * x) + s.axis(j) * (size[j] * y)
}

/// Sine and cosine of sixteenths of a turn.
fn sixteenth<T: Real>(c: usize) -> (T, T) {
    const QUARTER: [f64; 5] =
        [0.0, 0.382_683_432_365_089_8, std::f64::consts::FRAC_1_SQRT_2, 0.923_879_532_511_286_7, 1.0];
    let quarter = |k: usize| T::of(if k <= 4 { QUARTER[k] } else { QUARTER[8 - k] });
    let sine = if c < 8 { quarter(c) } else { -quarter(c - 8) };
    let d = (c + 4) % 16;
    let cosine = if d < 8 { quarter(d) } else { -quarter(d - 8) };
    (sine, cosine)
}
