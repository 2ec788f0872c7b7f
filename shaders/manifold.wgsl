// More than one contact where a face, a side of a cylinder or capsule, or an edge lies on a face or a cap. Twin:
// src/cpu/manifold.rs. A cap counts as a polygon of sixteen corners. The face or side of one shape is clipped by the
// sides of the other's face, what is deep enough stays, and four corners that span much area are kept.

// Most contacts of two faces.
const KEPT: u32 = 4u;

// Sine and cosine of the angle up to which faces and edges count as aligned.
const ALIGNED_SINE: f32 = 0.08878295;
const ALIGNED_COSINE: f32 = 0.99605105;

// How far a cut may lie beyond the ends of a side.
const CUT_BEYOND: f32 = 3e-7;

// Share by which squared lengths and areas may differ by rounding.
const POLYGON_TIE: f32 = 1e-5;

// Corners of a cap, and room for corners while a polygon is clipped.
const CAP_CORNERS: u32 = 16u;
//#if HULL
const POLYGON_ROOM: u32 = 120u;
//#else
const POLYGON_ROOM: u32 = 40u;
//#endif

// A flat polygon in a fixed order of corners.
var<private> polygon_points: array<vec3f, POLYGON_ROOM>;
var<private> polygon_count: u32;

// A face of a shape: the axis that it lies across, and on which side, or a polygon; whether there is any.
struct FaceOf {
    k: u32,
    sign_of: f32,
    any: bool,
}

// Contacts of two shapes that touch at p and q along n; `found` holds the first.
fn several_contacts(a: Solid, b: Solid, n: vec3f, p: vec3f, q: vec3f, margin: f32) {
    let va = far_vertex(a, n);
    let vb = far_vertex(b, -n);
    let one = best_face(a, va, n, n, 0.0);
    let two = best_face(b, vb, -n, -n, 0.0);
    // two faces
    if (one.any && two.any) {
        let normal = face_normal(a, one);
        let other = best_face(b, vb, -n, -normal, ALIGNED_COSINE);
        let other_normal = face_normal(b, other);
        if (other.any && dot(normal, n) > ALIGNED_SINE && -dot(other_normal, n) > ALIGNED_SINE) {
            polygon_count = face_corners(b, other);
            for (var c = 0u; c < polygon_count; c++) {
                polygon_points[c] = face_corner(b, other, c);
            }
            cut_polygon(a, one, margin);
            write_polygon(false, face_corner(a, one, 0u), normal, other_normal, -other_normal, 0.0);
            return;
        }
    }
    // a side of the first and a face of the second, or the other way round
    let dim = dimension_of(a, va, n);
    let other_dim = dimension_of(b, vb, -n);
    let swapped = !(two.any && dim < 3u && (dim <= other_dim || !one.any));
    var onto = one;
    var below = a;
    var above = b;
    var above_vertex = vb;
    var lies = false;
    if (swapped) {
        lies = one.any && other_dim < 3u && lies_on(b, vb, -n, face_normal(a, one));
    } else {
        below = b;
        above = a;
        above_vertex = va;
        for (var j = 0u; j < face_count(b, vb); j++) {
            let face = face_at(b, vb, j, -n);
            // of a mesh the one that it lies on
            if (!lies && face.any && !(is_hull(b) && face.k != two.k) && lies_on(a, va, n, face_normal(b, face))) {
                onto = face;
                lies = true;
            }
        }
    }
    if (!lies) {
        return;
    }
    let normal = face_normal(below, onto);
    let room = side_line(above, above_vertex, select(n, -n, swapped), select(p, q, swapped), normal, margin);
    cut_polygon(below, onto, margin - room);
    write_polygon(true, face_corner(below, onto, 0u), normal, -normal, select(-normal, normal, swapped), room);
}

// The vertex of a polytope that is farthest along n.
fn far_vertex(s: Solid, n: vec3f) -> u32 {
//#if HULL
    if (is_hull(s)) {
        return hull_farthest(s.mesh, n * s.mat);
    }
//#endif
    return 0u;
}

// Number of the faces that a shape may touch with, of those of a mesh those at its farthest vertex.
fn face_count(s: Solid, v: u32) -> u32 {
//#if HULL
    if (is_hull(s)) {
        return hull_ring(s.mesh, v);
    }
//#endif
    return 3u;
}

// Face k of these, if it may touch along n: a cap of a cylinder that does not lie on its side, a face of a box, or one of a
// mesh.
fn face_at(s: Solid, v: u32, k: u32, n: vec3f) -> FaceOf {
//#if HULL
    if (is_hull(s)) {
        let polygon = hull_ring_polygon(s.mesh, v, k);
        return FaceOf(polygon, 1.0, dot(s.mat * hull_normal(s.mesh, polygon), n) >= FLATNESS);
    }
//#endif
    let along = dot(solid_axis(s, k), n);
    let has = s.kind == BOX || (s.kind == CYLINDER && k == 2u);
    return FaceOf(k, select(-1.0, 1.0, along >= 0.0), has && abs(along) >= FLATNESS);
}

// Normal of a face.
fn face_normal(s: Solid, on: FaceOf) -> vec3f {
//#if HULL
    if (is_hull(s)) {
        return s.mat * hull_normal(s.mesh, on.k);
    }
//#endif
    return solid_axis(s, on.k) * on.sign_of;
}

// Of the faces that may touch along n, the one that looks most in a direction, more than `least`.
fn best_face(s: Solid, v: u32, n: vec3f, direction: vec3f, least: f32) -> FaceOf {
    var best = least;
    var chosen = FaceOf(0u, 0.0, false);
    for (var k = 0u; k < face_count(s, v); k++) {
        let face = face_at(s, v, k, n);
        let cosine = dot(face_normal(s, face), direction);
        if (face.any && cosine > best) {
            best = cosine;
            chosen = face;
        }
    }
    return chosen;
}

// Whether a shape touches along n with a corner (1), a straight edge (2) or a face (3); a cylinder's cap counts as its rim.
fn dimension_of(s: Solid, v: u32, n: vec3f) -> u32 {
//#if HULL
    if (is_hull(s)) {
        var dim = 1u;
        for (var k = 0u; k < hull_ring(s.mesh, v); k++) {
            let around = cross(s.mat * hull_normal(s.mesh, hull_ring_polygon(s.mesh, v, k)), n);
            if (dot(around, around) < FLATNESS * FLATNESS) {
                return 3u;
            }
            if (abs(dot(ring_edge(s, v, k), n)) < FLATNESS) {
                dim = 2u;
            }
        }
        return dim;
    }
//#endif
    var across = 0u;
    for (var k = 0u; k < 3u; k++) {
        across += u32(abs(dot(solid_axis(s, k), n)) < FLATNESS && (s.kind == BOX || (s.kind == CYLINDER && k == 2u)));
    }
    return 1u + across;
}

//#if HULL
// Unit vector along edge k of those at a vertex of a mesh.
fn ring_edge(s: Solid, v: u32, k: u32) -> vec3f {
    return normalize3(s.mat * (hull_vertex(s.mesh, hull_ring_vertex(s.mesh, v, k)) - hull_vertex(s.mesh, v)));
}

// The edge at the farthest corner of a box or mesh that lies best on a face with that normal, from that corner on; none
// where none does.
fn straight_edge(s: Solid, v: u32, n: vec3f, normal: vec3f) -> vec4f {
    var best = ALIGNED_SINE;
    var chosen = vec4f(0.0);
    // where it touches with an edge, that one
    let single = dimension_of(s, v, n) == 2u;
    for (var k = 0u; k < face_count(s, v); k++) {
        var along = solid_axis(s, k % 3u);
        var span = vec3f(0.0);
        if (is_hull(s)) {
            along = ring_edge(s, v, k);
            span = s.mat * (hull_vertex(s.mesh, hull_ring_vertex(s.mesh, v, k)) - hull_vertex(s.mesh, v));
        } else {
            let extent = select(select(s.size.x, s.size.y, k == 1u), s.size.z, k == 2u);
            span = along * select(2.0 * extent, -2.0 * extent, dot(along, n) >= 0.0);
        }
        let slope = abs(dot(along, normal));
        if (slope < best && !(single && abs(dot(along, n)) >= FLATNESS)) {
            best = slope;
            chosen = vec4f(span, 1.0);
        }
    }
    return chosen;
}

//#endif
// Whether a side or edge of a shape lies on a face with that normal.
fn lies_on(s: Solid, v: u32, n: vec3f, normal: vec3f) -> bool {
//#if HULL
    if (is_hull(s) || s.kind == BOX) {
        return straight_edge(s, v, n, normal).w > 0.0;
    }
//#endif
    return abs(dot(s.mat[2], normal)) < ALIGNED_SINE;
}

// Number of corners of a face.
fn face_corners(s: Solid, on: FaceOf) -> u32 {
//#if HULL
    if (is_hull(s)) {
        return hull_corners(s.mesh, on.k);
    }
//#endif
    return select(4u, CAP_CORNERS, s.kind == CYLINDER);
}

// Corner c of a face.
fn face_corner(s: Solid, on: FaceOf, c: u32) -> vec3f {
//#if HULL
    if (is_hull(s)) {
        return s.pos + s.mat * hull_vertex(s.mesh, hull_corner(s.mesh, on.k, c));
    }
//#endif
    if (s.kind == CYLINDER) {
        // sine and cosine of sixteenths of a turn
        let around = vec2f(sixteenth_sine(c), sixteenth_sine((c + 4u) % 16u));
        let center = s.pos + s.mat[2] * (s.size.y * on.sign_of);
        return center + s.mat[0] * (s.size.x * around.y) - s.mat[1] * (s.size.x * on.sign_of * around.x);
    }
    // signs along the two axes after that of the face; the far face is the near one turned over
    let one = select(-1.0, 1.0, c < 2u);
    let two = select(-1.0, 1.0, c == 0u || c == 3u);
    var local = vec3f(1.0, one, two * on.sign_of);
    if (on.k == 1u) {
        local = vec3f(-two, 1.0, -one * on.sign_of);
    }
    if (on.k == 2u) {
        local = vec3f(-two * on.sign_of, one, 1.0);
    }
    local = select(local, vec3f(on.sign_of), vec3<bool>(on.k == 0u, on.k == 1u, on.k == 2u));
    return s.pos + s.mat * (local * s.size);
}

// Sine of c sixteenths of a turn.
fn sixteenth_sine(c: u32) -> f32 {
    let k = c % 8u;
    let near = min(k, 8u - k);
    var sine = select(0.0, 0.38268343, near == 1u);
    sine = select(sine, 0.70710678, near == 2u);
    sine = select(sine, 0.92387953, near == 3u);
    sine = select(sine, 1.0, near == 4u);
    return select(sine, -sine, c >= 8u);
}

// Makes the polygon the line of a shape's side that is farthest along n, through `touch` for a capsule, and returns half
// the margin where it includes that.
fn side_line(s: Solid, v: u32, n: vec3f, touch: vec3f, normal: vec3f, margin: f32) -> f32 {
//#if HULL
    if (is_hull(s) || s.kind == BOX) {
        polygon_points[0] = farthest_point(s, n, s.pos, 0.0);
        polygon_points[1] = polygon_points[0] + straight_edge(s, v, n, normal).xyz;
        polygon_count = 2u;
        return 0.0;
    }
//#endif
    let axis = s.mat[2];
    var room = 0.0;
    var from_end = -s.size.y;
    var rim = touch;
    if (s.kind == CAPSULE) {
        room = 0.5 * margin;
        rim = touch + n * room;
    } else {
        // from the end that is farther along the normal
        rim = farthest_point(s, n, touch, FLATNESS);
        from_end = select(-s.size.y, s.size.y, dot(axis, n) >= -FLATNESS);
    }
    let center = rim - axis * dot(rim - s.pos, axis);
    polygon_points[0] = center + axis * from_end;
    polygon_points[1] = center - axis * from_end;
    polygon_count = 2u;
    return room;
}

// Cuts the polygon by the sides of a face, seen along that one's normal; what is higher above it than `most` goes too.
fn cut_polygon(s: Solid, on: FaceOf, most: f32) {
    let base = face_corner(s, on, 0u);
    let normal = face_normal(s, on);
    let sides = face_corners(s, on);
    var to_corner = base;
    for (var e = 0u; e < sides; e++) {
        let from_corner = to_corner;
        to_corner = face_corner(s, on, (e + 1u) % sides);
        let out = cross(to_corner - from_corner, normal);
        // read ahead of what is written: a side makes no more corners than were read, but for one
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
            if (inside1 != inside2 && abs(slope) >= 1e-10 && count < POLYGON_ROOM) {
                let share = -height1 / slope;
                if (share > -CUT_BEYOND && share < 1.0 + CUT_BEYOND) {
                    polygon_points[count] = begin + (end - begin) * clamp(share, 0.0, 1.0);
                    count++;
                }
            }
            if (inside2 && count < POLYGON_ROOM) {
                polygon_points[count] = end;
                count++;
            }
            begin = end;
        }
        polygon_count = count;
    }
    var count = 0u;
    for (var k = 0u; k < polygon_count; k++) {
        let point = polygon_points[k];
        if (dot(point - base, normal) <= most) {
            polygon_points[count] = point;
            count++;
        }
    }
    polygon_count = count;
}

// Writes the contacts of what is left of the polygon above a face through `base`: `way` leads to the polygon's own side,
// `along` is the normal of the contacts, `room` what the polygon has been moved by. The first contact stays where
// nothing is left.
fn write_polygon(lining: bool, base: vec3f, normal: vec3f, way: vec3f, along: vec3f, room: f32) {
    let n = polygon_count;
    if (n == 0u) {
        return;
    }
    // all corners up to four, the farthest two of a line, or four that span much area
    var chosen = vec4u(0u, 1u, 2u, 3u);
    var count = min(n, KEPT);
    if (lining && n > 2u) {
        var longest = 0.0;
        count = 2u;
        for (var i = 0u; i < n; i++) {
            for (var j = i + 1u; j < n; j++) {
                let apart = polygon_points[j] - polygon_points[i];
                // the first of those that are as far
                if (dot(apart, apart) > longest * (1.0 + POLYGON_TIE)) {
                    longest = dot(apart, apart);
                    chosen = vec4u(i, j, 0u, 0u);
                }
            }
        }
    } else if (n > KEPT) {
        chosen = largest_quadrilateral();
    }
    for (var k = 0u; k < count; k++) {
        let c = select(select(chosen.x, chosen.y, k == 1u), select(chosen.z, chosen.w, k == 3u), k >= 2u);
        let point = polygon_points[c];
        let height = dot(point - base, normal);
        let dist = -height * dot(normal, way);
        let place = point - normal * height - way * (0.5 * dist) - along * (0.5 * room);
        found[k] = Found(dist + room, place, along, vec3f(0.0));
    }
    nfound = count;
}

// The largest quadrilateral that a walk around the corners meets.
fn largest_quadrilateral() -> vec4u {
    let n = polygon_count;
    var at = vec4u(0u, 1u, 2u, 3u);
    var best = at;
    var most = 0.0;
    // the first value is that of the first four
    var started = false;
    for (var begin = 0u; begin < n; begin++) {
        at.x = begin;
        // the last corner moves on; after each of its moves the two before it may follow
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
            } else if (value > most * (1.0 + POLYGON_TIE)) {
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
        // none is overtaken
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
