// Contact manifold of a face, a side of a cylinder or capsule, or an edge on a face or cap.
// Twin: crates/cpu/src/collision/multi_contact.rs. A cap is treated as a polygon of sixteen vertices. The face or side of
// one shape is clipped against the side planes of the other's face, points within the margin remain, and four
// vertices that span a large area are kept.

import package::collision::contact_face::{
    best_face, Face, face_at, face_corner, face_corners, face_count, Feature, feature_along, level_face, NO_END,
};
import package::collision::polytope;
import package::collision::primitives::{ContactPoint, found, nfound};
import package::collision::support_map::{self, ConvexShape, FLAT_TOLERANCE, is_hull, support};
import package::math::vector::normalize3;

// Most contacts of two faces.
const MAX_FACE_CONTACTS: u32 = 4u;

// Sine of the angle up to which an edge counts as aligned with a face, and cosine of that of two faces.
const ALIGNED_SINE: f32 = 0.0888;
const ALIGNED_COSINE: f32 = 0.996;

// Tolerance of an intersection beyond the ends of a side.
const CLIP_TOLERANCE: f32 = 3e-7;

// Relative rounding within which squared lengths and areas count as equal.
const TIE_TOLERANCE: f32 = 1e-5;

//#if POLYTOPE
const POLYGON_CAPACITY: u32 = 120u;
//#else
const POLYGON_CAPACITY: u32 = 40u;
//#endif

// A planar polygon in a fixed order of vertices.
var<private> polygon_points: array<vec3f, POLYGON_CAPACITY>;
var<private> polygon_count: u32;

// Contact manifold of two shapes that touch at p and q along n; `found` holds the first contact. Queries common to
// both shapes are made in one place, which drivers compile faster.
fn multi_contact(a: ConvexShape, b: ConvexShape, n: vec3f, p: vec3f, q: vec3f, margin: f32) {
    // what touches, and the faces that touch as a whole or are most aligned with n
    var touch_a = Feature(0u, NO_END, 1u);
    var touch_b = touch_a;
    var one = Face(0u, 0.0, vec3f(0.0), false);
    var two = one;
    for (var k = 0u; k < 2u; k++) {
        var s = a;
        if (k == 1u) {
            s = b;
        }
        let way = select(n, -n, k == 1u);
        var touch = feature_along(s, way);
        var face = level_face(s, touch.vertex, way);
        if (face.any) {
            touch.dim = 3u;
            touch.end = NO_END;
        } else {
            face = best_face(s, touch, way);
        }
        if (k == 0u) {
            one = face;
            touch_a = touch;
        } else {
            two = face;
            touch_b = touch;
        }
    }
    let faces = opposed_faces(a, b, touch_a, touch_b, one, two, n);
    let aligned = faces.any;
    if (aligned) {
        one = faces.one;
    }
    let other = faces.other;
    var onto = one;
    var below = a;
    var way = other.normal;
    var along = -other.normal;
    var offset = 0.0;
    if (aligned) {
        polygon_count = face_corners(b, other);
        for (var c = 0u; c < polygon_count; c++) {
            polygon_points[c] = face_corner(b, other, c);
        }
    } else {
        // a side of the first and a face of the second, or the reverse
        let dims = vec2u(touch_a.dim, touch_b.dim);
        let swapped = !(two.any && dims.x < 3u && (dims.x <= dims.y || !one.any));
        if (swapped && (!one.any || dims.y == 3u)) {
            return;
        }
        var above = b;
        if (!swapped) {
            below = b;
            above = a;
            onto = two;
        }
        // of a mesh, the face most aligned with the normal comes first, then the other at its edge or those nearly so
        let first = select(0u, 1u, is_hull(below));
        let wanted = onto;
        let up = select(n, -n, swapped);
        var below_touch = touch_b;
        var above_touch = touch_a;
        if (swapped) {
            below_touch = touch_a;
            above_touch = touch_b;
        }
        var line = vec4f(0.0);
        for (var j = 0u; j < face_count(below, below_touch.vertex) + first && line.w == 0.0; j++) {
            var face = wanted;
            if (j >= first) {
                face = face_at(below, below_touch, j - first, -up);
                let near = below_touch.end != NO_END || dot(face.normal, -up) > ALIGNED_COSINE;
                face.any = face.any && (first == 0u || (face.k != wanted.k && near));
            }
            if (face.any) {
                line = line_on(above, above_touch.vertex, up, face.normal, above_touch.dim == 2u);
                onto = face;
            }
        }
        if (line.w == 0.0) {
            return;
        }
        offset = side_line(above, up, select(p, q, swapped), line.xyz, margin);
        way = -onto.normal;
        along = select(-onto.normal, onto.normal, swapped);
    }
    clip_polygon(below, onto, margin - offset);
    write_polygon(!aligned, onto.normal, way, along, offset);
}

// A candidate face of the first shape and one of the second; whether there are any.
struct OpposedFaces {
    one: Face,
    other: Face,
    any: bool,
}

// Candidate faces of two shapes that are most opposed to each other, if any are aligned.
fn opposed_faces(
    a: ConvexShape, b: ConvexShape, touch_a: Feature, touch_b: Feature, one: Face, two: Face, n: vec3f
) -> OpposedFaces {
    var found_faces = OpposedFaces(one, two, false);
    if (!one.any || !two.any) {
        return found_faces;
    }
    // a face that touches as a whole has no other beside it; two vertices have many
    let open_a = is_hull(a) && touch_a.dim < 3u && touch_a.end == NO_END;
    let open_b = is_hull(b) && touch_b.dim < 3u && touch_b.end == NO_END;
    let single = touch_a.dim == 3u && is_hull(a) || (open_a && open_b);
    let other_single = touch_b.dim == 3u && is_hull(b);
    let count = select(face_count(a, touch_a.vertex), 1u, single);
    let other_count = select(face_count(b, touch_b.vertex), 1u, other_single);
    var best = ALIGNED_COSINE;
    for (var i = 0u; i < count; i++) {
        var face = one;
        if (!single) {
            face = face_at(a, touch_a, i, n);
        }
        if (!face.any || dot(face.normal, n) <= ALIGNED_SINE) {
            continue;
        }
        for (var j = 0u; j < other_count; j++) {
            var other = two;
            if (!other_single) {
                other = face_at(b, touch_b, j, -n);
            }
            let cosine = -dot(face.normal, other.normal);
            if (other.any && cosine > best && -dot(other.normal, n) > ALIGNED_SINE) {
                best = cosine;
                found_faces = OpposedFaces(face, other, true);
            }
        }
    }
    return found_faces;
}

// Side or edge of a shape that lies on a face with that normal: w is positive if there is one. For boxes and meshes
// xyz is the best aligned edge at the support corner; with `single`, the touching edge itself.
fn line_on(s: ConvexShape, v: u32, n: vec3f, normal: vec3f, single: bool) -> vec4f {
//#if POLYTOPE
    var best = ALIGNED_SINE;
    var chosen = vec4f(0.0);
    if (!is_hull(s) && s.kind != GEOM_BOX) {
        chosen.w = f32(abs(dot(s.mat[2], normal)) < ALIGNED_SINE);
        return chosen;
    }
    var corner = vec3f(0.0);
    if (is_hull(s)) {
        corner = polytope::vertex(s.mesh, v);
    }
    for (var k = 0u; k < face_count(s, v); k++) {
        var along = support_map::axis(s, k % 3u);
        let extent = select(select(s.size.x, s.size.y, k == 1u), s.size.z, k == 2u);
        var edge_vector = along * select(2.0 * extent, -2.0 * extent, dot(along, n) >= 0.0);
        if (is_hull(s)) {
            edge_vector = s.mat * (polytope::vertex(s.mesh, polytope::ring_vertex(s.mesh, v, k)) - corner);
            along = normalize3(edge_vector);
        }
        let slope = abs(dot(along, normal));
        if (slope < best && !(single && abs(dot(along, n)) >= FLAT_TOLERANCE)) {
            best = slope;
            chosen = vec4f(edge_vector, 1.0);
        }
    }
    return chosen;
//#else
    return vec4f(0.0, 0.0, 0.0, f32(abs(dot(s.mat[2], normal)) < ALIGNED_SINE));
//#endif
}

// Makes the polygon a segment: the side line of a shape at its support along n, through `touch` for a capsule, or the
// edge `edge_vector` of a box or mesh; returns half the margin if the segment is shifted by it.
fn side_line(s: ConvexShape, n: vec3f, touch: vec3f, edge_vector: vec3f, margin: f32) -> f32 {
    let axis = s.mat[2];
    let straight = is_hull(s) || s.kind == GEOM_BOX;
    // from the end that is farther along the normal
    var rim = support(s, n, select(touch, s.pos, straight), select(FLAT_TOLERANCE, 0.0, straight));
    var from_end = select(-s.size.y, s.size.y, dot(axis, n) >= -FLAT_TOLERANCE);
    var offset = 0.0;
    if (s.kind == GEOM_CAPSULE) {
        offset = 0.5 * margin;
        rim = touch + n * offset;
        from_end = -s.size.y;
    }
    let center = rim - axis * dot(rim - s.pos, axis);
    polygon_points[0] = select(center + axis * from_end, rim, straight);
    polygon_points[1] = select(center - axis * from_end, rim + edge_vector, straight);
    polygon_count = 2u;
    return offset;
}

// Vertex 0 of the clipping face.
var<private> clip_base: vec3f;

// Clips the polygon against the side planes of a face, along its normal; also removes points higher than `most` above
// it.
fn clip_polygon(s: ConvexShape, on: Face, most: f32) {
    let normal = on.normal;
    let sides = face_corners(s, on);
    var to_corner = vec3f(0.0);
    // Sutherland-Hodgman clipping, one side plane at a time
    for (var e = 0u; e <= sides; e++) {
        let from_corner = to_corner;
        to_corner = face_corner(s, on, e % sides);
        if (e == 0u) {
            clip_base = to_corner;
            continue;
        }
        let out = cross(to_corner - from_corner, normal);
        // reading stays ahead of writing: each side adds at most one vertex to those read
        let first = polygon_points[0];
        var begin = first;
        var count = 0u;
        for (var k = 0u; k < polygon_count; k++) {
            var end = first;
            if (k + 1u < polygon_count) {
                end = polygon_points[k + 1u];
            }
            let height1 = dot(begin - from_corner, out);
            let height2 = dot(end - from_corner, out);
            let inside1 = height1 > -1e-10;
            let inside2 = height2 > -1e-10;
            let slope = height2 - height1;
            if (inside1 != inside2 && abs(slope) >= 1e-10 && count < POLYGON_CAPACITY) {
                let share = -height1 / slope;
                if (share > -CLIP_TOLERANCE && share < 1.0 + CLIP_TOLERANCE) {
                    polygon_points[count] = begin + (end - begin) * clamp(share, 0.0, 1.0);
                    count++;
                }
            }
            if (inside2 && count < POLYGON_CAPACITY) {
                polygon_points[count] = end;
                count++;
            }
            begin = end;
        }
        polygon_count = count;
    }
    // drop vertices that are too high
    var count = 0u;
    for (var k = 0u; k < polygon_count; k++) {
        let point = polygon_points[k];
        if (dot(point - clip_base, normal) <= most) {
            polygon_points[count] = point;
            count++;
        }
    }
    polygon_count = count;
}

// Writes the contacts of the clipped polygon above a face: `way` points to the polygon's side, `along` is the contact
// normal, `offset` the shift of the polygon. The first contact stays if nothing is left.
fn write_polygon(lining: bool, normal: vec3f, way: vec3f, along: vec3f, offset: f32) {
    let n = polygon_count;
    if (n == 0u) {
        return;
    }
    // all vertices up to four, the two ends of a segment, or four that span a large area
    var chosen = vec4u(0u, 1u, 2u, 3u);
    var count = min(n, MAX_FACE_CONTACTS);
    if (lining && n > 2u) {
        var longest = 0.0;
        count = 2u;
        for (var i = 0u; i < n; i++) {
            for (var j = i + 1u; j < n; j++) {
                let apart = polygon_points[j] - polygon_points[i];
                // the first of equally distant ones
                if (dot(apart, apart) > longest * (1.0 + TIE_TOLERANCE)) {
                    longest = dot(apart, apart);
                    chosen = vec4u(i, j, 0u, 0u);
                }
            }
        }
    } else if (n > MAX_FACE_CONTACTS) {
        chosen = largest_quadrilateral();
    }
    for (var k = 0u; k < count; k++) {
        let c = select(select(chosen.x, chosen.y, k == 1u), select(chosen.z, chosen.w, k == 3u), k >= 2u);
        let point = polygon_points[c];
        let height = dot(point - clip_base, normal);
        let dist = -height * dot(normal, way);
        let place = point - normal * height - way * (0.5 * dist) - along * (0.5 * offset);
        found[k] = ContactPoint(dist + offset, place, along, vec3f(0.0));
    }
    nfound = count;
}

// Large inscribed quadrilateral by rotating calipers: the largest one met on a walk around the vertices.
fn largest_quadrilateral() -> vec4u {
    let n = polygon_count;
    var at = vec4u(0u, 1u, 2u, 3u);
    var best = at;
    var most = 0.0;
    // the initial area is that of the first four
    var started = false;
    for (var begin = 0u; begin < n; begin++) {
        at.x = begin;
        // the last vertex advances; after each of its moves the two before it may follow
        var k = 3u;
        for (var tries = 0u; tries < 4u * n; tries++) {
            var next = at;
            if (started) {
                next.w = select(next.w, (at.w + 1u) % n, k == 3u);
                next.z = select(next.z, (at.z + 1u) % n, k == 2u);
                next.y = select(next.y, (at.y + 1u) % n, k == 1u);
            }
            let across = cross(polygon_points[next.x] - polygon_points[next.z],
                polygon_points[next.y] - polygon_points[next.w]);
            let value = sqrt(dot(across, across));
            if (!started) {
                started = true;
                most = value;
            } else if (value > most * (1.0 + TIE_TOLERANCE)) {
                at = next;
                best = at;
                most = value;
                k = select(k, 2u, k == 3u);
            } else if (k == 3u) {
                break;
            } else {
                k = select(3u, 1u, k == 2u);
            }
        }
        // no vertex is overtaken
        if (at.y == at.x) {
            at.y = (at.y + 1u) % n;
            if (at.z == at.y) {
                at.z = (at.z + 1u) % n;
                if (at.w == at.z) {
                    at.w = (at.w + 1u) % n;
                }
            }
        }
    }
    return best;
}
