//! Contact manifold of a face, a side of a cylinder or capsule, or an edge on a face or cap.
//!
//! A cap is treated as a polygon of sixteen vertices. The face or side of one shape is clipped against the side
//! planes of the other's face (Sutherland and Hodgman, *Reentrant Polygon Clipping*, 1974), points within the margin
//! remain, and four vertices that span a large area are kept. The normal of all contacts is that of the face.

use arrayvec::ArrayVec;

use super::contact_face::{
    Face, Feature, best_face, face_at, face_corner, face_corners, face_count, face_normal, hull_face_at,
    ring_edge,
};
use super::polytope::MAX_POLYGON_CORNERS;
use super::primitives::{ContactPoint, MAX_PAIR_CONTACTS};
use super::support_map::{ConvexShape, FLAT_TOLERANCE, support};
use crate::math::{Vec3, cross, dot, length};
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Sine of the angle up to which an edge counts as aligned with a face, and cosine of that of two faces.
const ALIGNED_SINE: f64 = 0.0888;
const ALIGNED_COSINE: f64 = 0.996;

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
type Polygon<T> = ArrayVec<Vec3<T>, POLYGON_CAPACITY>;

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
    let (touch_a, touch_b) = (Feature::along(a, n, flatness), Feature::along(b, back, flatness));
    let one = touch_a.level.or_else(|| best_face(a, &touch_a, n, flatness));
    let two = touch_b.level.or_else(|| best_face(b, &touch_b, back, flatness));
    if let (Some(one), Some(two)) = (one, two)
        && let Some((face, other)) = opposed_faces((a, &touch_a, one), (b, &touch_b, two), n, flatness)
    {
        // the face of the second shape is clipped
        let mut polygon = Polygon::new();
        let mut outline = Polygon::new();
        push_corners(b, other, &mut polygon);
        push_corners(a, face, &mut outline);
        let (normal, way) = (face_normal(a, face), face_normal(b, other));
        clip_polygon(&mut polygon, &outline, normal, margin);
        return write_polygon(&polygon, false, outline[0], normal, way, -way, T::ZERO, found);
    }
    // a side of the first and a face of the second, or the reverse
    let onto_second = two.is_some() && touch_a.dim < 3 && (touch_a.dim <= touch_b.dim || one.is_none());
    let (best, above, below) = if onto_second { (two, a, b) } else { (one, b, a) };
    if !onto_second && touch_b.dim == 3 {
        return 1;
    }
    let Some(best) = best else { return 1 };
    let (up, down, start, end, touch) =
        if onto_second { (n, back, &touch_a, &touch_b, p) } else { (back, n, &touch_b, &touch_a, q) };
    // of a mesh, the face most aligned with the normal comes first, then the other at its edge or those nearly so
    let others = (0..face_count(below, end.vertex)).filter_map(|k| face_at(below, end, k, down, flatness));
    let first = below.is_hull().then_some((best, face_normal(below, best)));
    let near = |(face, normal): &(Face<T>, Vec3<T>)| {
        *face != best && (end.end.is_some() || dot(*normal, down) > T::of(ALIGNED_COSINE))
    };
    for (onto, normal) in first.into_iter().chain(others.filter(|f| first.is_none() || near(f))) {
        let Some((line, offset)) = side_line(above, start, up, touch, normal, margin, flatness) else {
            continue;
        };
        let mut polygon = Polygon::new();
        let mut outline = Polygon::new();
        polygon.extend(line);
        push_corners(below, onto, &mut outline);
        clip_polygon(&mut polygon, &outline, normal, margin - offset);
        let along = if onto_second { -normal } else { normal };
        return write_polygon(&polygon, true, outline[0], normal, -normal, along, offset, found);
    }
    1
}

/// A shape, what it touches with, and its face that touches as a whole or is most aligned with the normal.
type Side<'a, 'm, T> = (&'a ConvexShape<'m, T>, &'a Feature<T>, Face<T>);

/// Candidate faces of two shapes that are most opposed to each other, if any are aligned.
fn opposed_faces<T: Real>(
    (a, touch_a, one): Side<'_, '_, T>,
    (b, touch_b, two): Side<'_, '_, T>,
    n: Vec3<T>,
    flatness: T,
) -> Option<(Face<T>, Face<T>)> {
    // a face that touches as a whole has no other beside it; two vertices have many
    let single = touch_a.level.is_some() || (touch_a.is_open(a) && touch_b.is_open(b));
    let other_single = touch_b.level.is_some();
    let count = if single { 1 } else { face_count(a, touch_a.vertex) };
    let other_count = if other_single { 1 } else { face_count(b, touch_b.vertex) };
    let (mut most, mut found) = (T::of(ALIGNED_COSINE), None);
    // cosine of the angle between a face of the second shape and the normal
    let (back, level) = (b.to_local(-n), -dot(face_normal(b, two), n));
    for i in 0..count {
        let face =
            if single { Some((one, face_normal(a, one))) } else { face_at(a, touch_a, i, n, flatness) };
        let Some((face, normal)) = face else { continue };
        if dot(normal, n) <= T::of(ALIGNED_SINE) {
            continue;
        }
        let toward = b.to_local(-normal);
        for j in 0..other_count {
            // a candidate, and the cosines of the angles to the normal and to the face of the first shape
            let other = if other_single {
                Some((two, level, -dot(face_normal(b, two), normal)))
            } else if b.is_hull() {
                hull_face_at(b, touch_b, j, back, flatness)
                    .map(|(other, along)| (other, along, dot(b.hull.normal(other.k), toward)))
            } else {
                face_at(b, touch_b, j, -n, flatness)
                    .map(|(other, against)| (other, -dot(against, n), -dot(against, normal)))
            };
            let Some((other, along, cosine)) = other else { continue };
            if cosine > most && along > T::of(ALIGNED_SINE) {
                (most, found) = (cosine, Some((face, other)));
            }
        }
    }
    found
}

/// Adds all vertices of a face.
fn push_corners<T: Real>(s: &ConvexShape<'_, T>, face: Face<T>, polygon: &mut Polygon<T>) {
    polygon.extend((0..face_corners(s, face)).map(|c| face_corner(s, face, c)));
}

/// Side line of a shape at its support along `n` on a face with that `normal`, through `touch` for a capsule, and
/// half the margin if the line is shifted by it.
fn side_line<T: Real>(
    s: &ConvexShape<'_, T>,
    feature: &Feature<T>,
    n: Vec3<T>,
    touch: Vec3<T>,
    normal: Vec3<T>,
    margin: T,
    flatness: T,
) -> Option<([Vec3<T>; 2], T)> {
    if s.is_hull() || s.kind == geom::BOX {
        return Some((straight_edge(s, feature, n, normal, flatness)?, T::ZERO));
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
        return Some(([center - axis * half, center + axis * half], offset));
    }
    // from the end that is farther along the normal
    let rim = support(s, n, touch, flatness);
    let side = if dot(axis, n) >= -flatness { T::ONE } else { -T::ONE };
    let center = rim - axis * dot(rim - s.shape.pos, axis);
    Some(([center + axis * (half * side), center - axis * (half * side)], T::ZERO))
}

/// Ends of the edge at the support vertex of a box or mesh that is best aligned with a face of that `normal`, if any.
fn straight_edge<T: Real>(
    s: &ConvexShape<'_, T>,
    feature: &Feature<T>,
    n: Vec3<T>,
    normal: Vec3<T>,
    flatness: T,
) -> Option<[Vec3<T>; 2]> {
    let v = feature.vertex;
    let (mut best, mut found) = (T::of(ALIGNED_SINE), None);
    let start = if s.is_hull() { s.vertex(v) } else { support(s, n, s.shape.pos, T::ZERO) };
    // a touching edge is the only choice
    let single = feature.dim == 2;
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
        found = Some([start, end]);
    }
    found
}

/// Clips a polygon against the side planes of a face, given its corners, along its `normal`; also removes points higher than
/// `most` above it.
fn clip_polygon<T: Real>(polygon: &mut Polygon<T>, outline: &Polygon<T>, normal: Vec3<T>, most: T) {
    let mut before = Polygon::new();
    for (e, &from) in outline.iter().enumerate() {
        let to = outline[if e + 1 < outline.len() { e + 1 } else { 0 }];
        let out = cross(to - from, from + normal - from);
        let level = dot(out, from);
        before.clear();
        before.extend(polygon.iter().copied());
        polygon.clear();
        let Some(&first) = before.first() else { return };
        let (mut start, mut in1) = (first, dot(first - from, out) > T::of(-1e-10));
        for k in 1..=before.len() {
            let end = before.get(k).copied().unwrap_or(first);
            let in2 = dot(end - from, out) > T::of(-1e-10);
            if in1 != in2 {
                let slope = dot(out, end - start);
                let share = (level - dot(out, start)) / slope;
                let within = share > T::of(-CLIP_TOLERANCE) && share < T::of(1.0 + CLIP_TOLERANCE);
                if slope.abs() >= T::of(1e-10) && within && !polygon.is_full() {
                    let share = share.max(T::ZERO).min(T::ONE);
                    polygon.push(start + (end - start) * share);
                }
            }
            if in2 && !polygon.is_full() {
                polygon.push(end);
            }
            (start, in1) = (end, in2);
        }
    }
    if let Some(&base) = outline.first() {
        polygon.retain(|point| dot(*point - base, normal) <= most);
    }
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
    if polygon.is_empty() {
        return 1;
    }
    let chosen = choose(polygon, line);
    let count = chosen.iter().filter(|c| **c < POLYGON_CAPACITY).count();
    for (k, &c) in chosen[..count].iter().enumerate() {
        let point = polygon[c];
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
    let n = polygon.len();
    let mut chosen = [POLYGON_CAPACITY; MAX_FACE_CONTACTS];
    for (k, c) in chosen.iter_mut().enumerate().take(n) {
        *c = k;
    }
    if line && n > 2 {
        let mut most = T::ZERO;
        for i in 0..n {
            for j in i + 1..n {
                let apart = polygon[j] - polygon[i];
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
    let n = polygon.len();
    let area = |q: [usize; 4]| {
        let p = |k: usize| polygon[q[k]];
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use crate::math::{Vec3, dot, vec3};
    use crate::position;
    use manyworlds_model::model::Model;
    use manyworlds_model::model::capacity::max_capacity;
    use manyworlds_model::model::data::Data;

    /// A hip roof with its ridge at `y` above eaves that are lower by `drop`.
    fn roof(y: f64, drop: f64) -> String {
        let corners = |z: f64| format!("-3 -1 {z} -3 1 {z} 3 -1 {z} 3 1 {z}");
        format!("-.5 {y} 0 .5 {y} 0 {} {}", corners(-drop), corners(-1.0))
    }

    /// Ridges of two flat roofs that touch across each other, and the contacts of MuJoCo 3.17.0: of faces at the
    /// ridges the most opposed pair, of a ridge and one face, or of the ridges alone if no face is near.
    #[test]
    fn ridges_touch_with_the_faces_beside_them() {
        // place of both ridges, drop, angle between them, depth
        type Case = ([f64; 5], [f64; 3], &'static [f64]);
        let cases: [Case; 4] = [
            (
                [0.2, 0.1, 0.06, 60.0, 0.06],
                [0.047_167_645, -0.027_232_227, 0.998_515_708],
                &[-0.059_992_637, -0.025_781_735, -0.025_434_221],
            ),
            (
                [0.2, -0.1, 0.06, 60.0, 0.06],
                [0.057_607_165, -0.033_259_481, 0.997_785_158],
                &[-0.059_966_89, -0.031_063_53, -0.030_755_44],
            ),
            (
                [0.2, 0.1, 0.09, 90.0, 0.05],
                [0.081_545_698, 0.0, 0.996_669_604],
                &[-0.050_167_071, -0.000_906_057],
            ),
            ([0.3, 0.1, 0.12, 90.0, 0.05], [0.0, 0.0, 1.0], &[-0.050_000_013]),
        ];
        for ([one, other, drop, angle, depth], normal, dists) in cases {
            let (sine, cosine) = (0.5 * f64::to_radians(angle)).sin_cos();
            // upside down
            let m: Model = manyworlds_mjcf::load_str(&format!(
                "<mujoco><option><flag multiccd='enable'/></option><asset><mesh name='a' vertex='{}'/>
                <mesh name='b' vertex='{}'/></asset><worldbody><geom type='mesh' mesh='a'/>
                <body pos='0 0 -{depth}' quat='0 {cosine} {sine} 0'><freejoint/>
                <geom type='mesh' mesh='b' mass='1'/></body></worldbody></mujoco>",
                roof(one, drop),
                roof(other, drop)
            ))
            .unwrap();
            let mut d = Data::new(&m, max_capacity(&m));
            position(&m, &mut d);
            let n = d.ncon[0] as usize;
            let mut found = d.contact_dist[..n].to_vec();
            found.sort_by(f64::total_cmp);
            assert_eq!(n, dists.len(), "{found:?}");
            assert!(found.iter().zip(dists).all(|(x, y)| (x - y).abs() < 1e-6), "{found:?} {dists:?}");
            let along = vec3(&d.contact_frame, 0);
            assert!(dot(along, Vec3(normal)) > 1.0 - 1e-12, "{along:?}");
        }
    }
}
