//! Contact manifold of a face, a side of a cylinder or capsule, or an edge on a face or cap.
//!
//! A cap is treated as a polygon of sixteen vertices. The face or side of one shape is clipped against the side
//! planes of the other's face (Sutherland and Hodgman, *Reentrant Polygon Clipping*, 1974), points within the margin
//! remain, and four vertices that span a large area are kept. The normal of all contacts is that of the face.

use super::contact_face::{
    Face, best_face, face_at, face_corner, face_corners, face_count, face_normal, feature_dimension,
    level_face, ring_edge, support_vertex,
};
use super::polytope::MAX_POLYGON_CORNERS;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::support_map::{ConvexShape, FLAT_TOLERANCE, support};
use crate::math::{Vec3, cross, dot, length};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Sine and cosine of the angle up to which faces and edges count as aligned.
const ALIGNED_SINE: f64 = 0.088_782_951_588_970_1;
const ALIGNED_COSINE: f64 = 0.996_051_046_131_598_9;

/// Sine of the least angle between a plane and a face or edge that does not touch it as a whole: vertices are known in
/// single precision.
const MIN_FLAT_TOLERANCE: f64 = 1e-6;

/// Tolerance of an intersection beyond the ends of a side.
const CLIP_TOLERANCE: f64 = 3e-7;

/// Relative rounding within which squared lengths and areas count as equal.
const TIE_TOLERANCE: f64 = 1e-5;

/// Most contacts of two faces.
const MAX_FACE_CONTACTS: usize = 4;

/// Capacity of the polygon during clipping: each side adds at most one vertex.
const POLYGON_CAPACITY: usize = 2 * MAX_POLYGON_CORNERS;

/// A planar polygon in a fixed order of vertices.
struct Polygon<T> {
    points: [Vec3<T>; POLYGON_CAPACITY],
    count: usize,
}

/// Contact manifold of two shapes that touch at `p` and `q` along `n`; `found` holds the first contact.
pub fn multi_contact<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    n: Vec3<T>,
    p: Vec3<T>,
    q: Vec3<T>,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    let flatness = (T::of(FLAT_TOLERANCE) * T::EPSILON.sqrt()).max(T::of(MIN_FLAT_TOLERANCE));
    let back = -n;
    let (va, vb) = (support_vertex(a, n), support_vertex(b, back));
    let (level_one, level_two) = (level_face(a, va, n, flatness), level_face(b, vb, back, flatness));
    let one = level_one.or_else(|| best_face(a, va, n, n, flatness, T::ZERO));
    let two = level_two.or_else(|| best_face(b, vb, back, back, flatness, T::ZERO));
    if let (Some(face), Some(_)) = (one, two)
        && let Some(count) = face_on_face(a, b, n, face, (level_two, vb), flatness, margin, found)
    {
        return count;
    }
    // a side of the first and a face of the second, or the reverse
    let dim = if level_one.is_some() { 3 } else { feature_dimension(a, va, n, flatness) };
    let other_dim = if level_two.is_some() { 3 } else { feature_dimension(b, vb, back, flatness) };
    let onto_second = two.is_some() && dim < 3 && (dim <= other_dim || one.is_none());
    let (best, above, below) = if onto_second { (two, a, b) } else { (one, b, a) };
    if !onto_second && other_dim == 3 {
        return 1;
    }
    let Some(best) = best else { return 1 };
    let (up, down, start, end, touch) = if onto_second { (n, back, va, vb, p) } else { (back, n, vb, va, q) };
    // of a mesh, the face most aligned with the normal comes first, then those nearly so
    let others = (0..face_count(below, end)).filter_map(|k| face_at(below, end, k, down, flatness));
    let first = below.is_hull().then_some(best);
    let near = |f: &Face<T>| *f != best && dot(face_normal(below, *f), down) > T::of(ALIGNED_COSINE);
    for onto in first.into_iter().chain(others.filter(|f| first.is_none() || near(f))) {
        let normal = face_normal(below, onto);
        let Some((mut polygon, offset)) = side_line(above, start, up, touch, normal, margin, flatness) else {
            continue;
        };
        clip_polygon(&mut polygon, below, onto, margin - offset);
        let along = if onto_second { -normal } else { normal };
        let base = face_corner(below, onto, 0);
        return write_polygon(&polygon, true, base, normal, -normal, along, offset, found);
    }
    1
}

/// Contacts of a face of the first shape and an opposite one of the second, which is clipped; `None` if there is none.
/// `touching` is the face of the second that touches as a whole, if any, and its support vertex.
fn face_on_face<T: Real>(
    a: &ConvexShape<'_, T>,
    b: &ConvexShape<'_, T>,
    n: Vec3<T>,
    face: Face<T>,
    touching: (Option<Face<T>>, usize),
    flatness: T,
    margin: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> Option<usize> {
    let normal = face_normal(a, face);
    let (against, cosine) = (-normal, T::of(ALIGNED_COSINE));
    // a face that touches as a whole has no other beside it
    let opposite = match touching {
        (Some(face), _) => (dot(face_normal(b, face), against) > cosine).then_some(face),
        (None, vertex) => best_face(b, vertex, -n, against, flatness, cosine),
    }?;
    let (other, tolerance) = (face_normal(b, opposite), T::of(ALIGNED_SINE));
    if !(dot(normal, n) > tolerance && dot(other, -n) > tolerance) {
        return None;
    }
    let mut polygon = corners_of(b, opposite);
    clip_polygon(&mut polygon, a, face, margin);
    Some(write_polygon(&polygon, false, face_corner(a, face, 0), normal, other, -other, T::ZERO, found))
}

/// All vertices of a face.
fn corners_of<T: Real>(s: &ConvexShape<'_, T>, face: Face<T>) -> Polygon<T> {
    let mut polygon = Polygon { points: [Vec3::ZERO; POLYGON_CAPACITY], count: face_corners(s, face) };
    for c in 0..polygon.count {
        polygon.points[c] = face_corner(s, face, c);
    }
    polygon
}

/// Side line of a shape at its support along `n` on a face with that `normal`, through `touch` for a capsule, and
/// half the margin if the line is shifted by it.
fn side_line<T: Real>(
    s: &ConvexShape<'_, T>,
    v: usize,
    n: Vec3<T>,
    touch: Vec3<T>,
    normal: Vec3<T>,
    margin: T,
    flatness: T,
) -> Option<(Polygon<T>, T)> {
    let mut polygon = Polygon { points: [Vec3::ZERO; POLYGON_CAPACITY], count: 2 };
    if s.is_hull() || s.kind == geom::BOX {
        (polygon.points[0], polygon.points[1]) = straight_edge(s, v, n, normal, flatness)?;
        return Some((polygon, T::ZERO));
    }
    let (axis, half) = (s.axis(2), s.shape.size[1]);
    let lies = dot(axis, normal).abs() < T::of(ALIGNED_SINE);
    if !lies {
        return None;
    }
    if s.kind == geom::CAPSULE {
        let offset = margin * T::of(0.5);
        let touch = touch + n * offset;
        let center = touch - axis * dot(touch - s.shape.pos, axis);
        polygon.points[0] = center - axis * half;
        polygon.points[1] = center + axis * half;
        return Some((polygon, offset));
    }
    // from the end that is farther along the normal
    let rim = support(s, n, touch, flatness);
    let side = if dot(axis, n) >= -flatness { T::ONE } else { -T::ONE };
    let center = rim - axis * dot(rim - s.shape.pos, axis);
    polygon.points[0] = center + axis * (half * side);
    polygon.points[1] = center - axis * (half * side);
    Some((polygon, T::ZERO))
}

/// Ends of the edge at the support vertex of a box or mesh that is best aligned with a face of that `normal`, if any.
fn straight_edge<T: Real>(
    s: &ConvexShape<'_, T>,
    v: usize,
    n: Vec3<T>,
    normal: Vec3<T>,
    flatness: T,
) -> Option<(Vec3<T>, Vec3<T>)> {
    let (mut best, mut found) = (T::of(ALIGNED_SINE), None);
    let start = if s.is_hull() { s.vertex(v) } else { support(s, n, s.shape.pos, T::ZERO) };
    // a touching edge is the only choice
    let single = feature_dimension(s, v, n, flatness) == 2;
    for k in 0..face_count(s, v) {
        let along = if s.is_hull() { ring_edge(s, v, k) } else { s.axis(k) };
        let slope = dot(along, normal).abs();
        if slope >= best || (single && dot(along, n).abs() >= flatness) {
            continue;
        }
        best = slope;
        let end = if s.is_hull() {
            s.vertex(s.hull.ring_vertex(v, k))
        } else {
            start - along * (dot(start - s.shape.pos, along) * T::of(2.0))
        };
        found = Some((start, end));
    }
    found
}

/// Clips a polygon against the side planes of a face of `s`, along its normal; also removes points higher than `most`
/// above it.
fn clip_polygon<T: Real>(polygon: &mut Polygon<T>, s: &ConvexShape<'_, T>, face: Face<T>, most: T) {
    let (base, normal) = (face_corner(s, face, 0), face_normal(s, face));
    let sides = face_corners(s, face);
    for e in 0..sides {
        let (from, to) = (face_corner(s, face, e), face_corner(s, face, (e + 1) % sides));
        let out = cross(to - from, from + normal - from);
        let level = dot(out, from);
        // reading stays ahead of writing: each side adds at most one vertex to those read
        let first = polygon.points[0];
        let mut start = first;
        let mut count = 0;
        for k in 0..polygon.count {
            let end = if k + 1 < polygon.count { polygon.points[k + 1] } else { first };
            let in1 = dot(start - from, out) > T::of(-1e-10);
            let in2 = dot(end - from, out) > T::of(-1e-10);
            let slope = dot(out, end - start);
            if in1 != in2 && slope.abs() >= T::of(1e-10) && count < POLYGON_CAPACITY {
                let share = (level - dot(out, start)) / slope;
                if share > T::of(-CLIP_TOLERANCE) && share < T::of(1.0 + CLIP_TOLERANCE) {
                    let share = share.max(T::ZERO).min(T::ONE);
                    polygon.points[count] = start + (end - start) * share;
                    count += 1;
                }
            }
            if in2 && count < POLYGON_CAPACITY {
                polygon.points[count] = end;
                count += 1;
            }
            start = end;
        }
        polygon.count = count;
    }
    let mut count = 0;
    for k in 0..polygon.count {
        let point = polygon.points[k];
        if dot(point - base, normal) <= most {
            polygon.points[count] = point;
            count += 1;
        }
    }
    polygon.count = count;
}

/// Writes the contacts of the clipped polygon above a face through `base`: `way` points to the polygon's side,
/// `along` is the contact normal, `offset` the shift of the polygon. The first contact stays if nothing is left.
fn write_polygon<T: Real>(
    polygon: &Polygon<T>,
    line: bool,
    base: Vec3<T>,
    normal: Vec3<T>,
    way: Vec3<T>,
    along: Vec3<T>,
    offset: T,
    found: &mut [ContactPoint<T>; MAX_PAIR_CONTACTS],
) -> usize {
    if polygon.count == 0 {
        return 1;
    }
    let chosen = choose(polygon, line);
    let count = chosen.iter().filter(|c| **c < POLYGON_CAPACITY).count();
    for (k, &c) in chosen[..count].iter().enumerate() {
        let point = polygon.points[c];
        let height = dot(point - base, normal);
        let on = point - normal * height;
        let dist = -height * dot(normal, way);
        let pos = on - way * (dist * T::of(0.5)) - along * (offset * T::of(0.5));
        found[k] = ContactPoint { dist: dist + offset, pos, normal: along, tangent: Vec3::ZERO };
    }
    count
}

/// Vertices to keep: all up to four, the two ends of a segment, or four that span a large area; unused entries are
/// none.
fn choose<T: Real>(polygon: &Polygon<T>, line: bool) -> [usize; MAX_FACE_CONTACTS] {
    let n = polygon.count;
    let mut chosen = [POLYGON_CAPACITY; MAX_FACE_CONTACTS];
    for (k, c) in chosen.iter_mut().enumerate().take(n) {
        *c = k;
    }
    if line && n > 2 {
        let mut most = T::ZERO;
        for i in 0..n {
            for j in i + 1..n {
                let apart = polygon.points[j] - polygon.points[i];
                // the first of equally distant ones
                if dot(apart, apart) > most * T::of(1.0 + TIE_TOLERANCE) {
                    most = dot(apart, apart);
                    chosen = [i, j, POLYGON_CAPACITY, POLYGON_CAPACITY];
                }
            }
        }
    } else if n > MAX_FACE_CONTACTS {
        chosen = largest_quadrilateral(polygon);
    }
    chosen
}

/// Large inscribed quadrilateral by rotating calipers: the largest one met on a walk around the vertices.
fn largest_quadrilateral<T: Real>(polygon: &Polygon<T>) -> [usize; MAX_FACE_CONTACTS] {
    let n = polygon.count;
    let area = |q: [usize; 4]| {
        let p = |k: usize| polygon.points[q[k]];
        length(cross(p(0) - p(2), p(1) - p(3)))
    };
    let mut at = [0, 1, 2, 3];
    let mut best = at;
    let mut most = area(at);
    for start in 0..n {
        at[0] = start;
        // the last vertex advances; after each of its moves the two before it may follow
        let mut k = 3;
        for _ in 0..4 * n {
            let mut next = at;
            next[k] = (at[k] + 1) % n;
            let value = area(next);
            if value > most * T::of(1.0 + TIE_TOLERANCE) {
                at = next;
                best = at;
                most = value;
                k = if k == 3 { 2 } else { k };
            } else if k == 2 {
                k = 1;
            } else if k == 1 {
                k = 3;
            } else {
                break;
            }
        }
        // no vertex is overtaken
        for k in 1..4 {
            if at[k] != at[k - 1] {
                break;
            }
            at[k] = (at[k] + 1) % n;
        }
    }
    best
}
