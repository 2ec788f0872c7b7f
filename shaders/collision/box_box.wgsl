// Box-box contacts by the separating axis theorem: the axis of largest separation, then the features along it.
// Twin: crates/cpu/src/collision/box_box.rs.
//
// A box is permuted where its axes are relabelled cyclically, so that the relevant axis comes last.

import package::collision::primitives::{append, ContactPoint, Shape};

// Relative improvement by which an edge axis must beat the edge axes before it.
const EDGE_BIAS: f32 = 1e-6;
// Cosine above which an edge axis is nearly parallel to the best face axis, and fraction of the depth by which it
// must then be better.
const FACE_PREFERENCE: f32 = 0.99;
const FACE_PREFERENCE_DEPTH: f32 = 0.05;
// Rounding tolerances: of a gap, relative to the extents; of the squared sine between two edges; of a component of a
// normal; of the squared distance of two corners, relative to the face.
const GAP_ROUNDING: f32 = 1e-6;
const SINE2_ROUNDING: f32 = 1e-7;
const SIGN_ROUNDING: f32 = 1e-5;
const SAME_CORNER: f32 = 1e-10;

// Vertices of a rectangle clipped by four lines.
var<private> polygon: array<vec3f, 8>;

// Up to eight contacts on a face, or one between two edges.
fn box_box(a: Shape, b: Shape, margin: f32) {
    // axes of the second box, and the offset of the centres, in the frame of each box
    let axes = transpose(a.mat) * b.mat;
    let rows_b = transpose(axes);
    let from_a = (b.pos - a.pos) * a.mat;
    let from_b = (a.pos - b.pos) * b.mat;
    // overlap below rounding does not count as separation
    let rounding = GAP_ROUNDING * dot(a.size + b.size, vec3f(1.0));
    let apart = margin + rounding;
    // face axis of largest separation: three of the first box, three of the second; ties within rounding go to the
    // earlier
    let gaps_a = abs(from_a) - a.size - projected_radii(b.size, rows_b);
    let gaps_b = abs(from_b) - b.size - projected_radii(a.size, axes);
    var face = 0u;
    var best = gaps_a.x;
    for (var k = 0u; k < 6u; k++) {
        let gap = select(gaps_b[k % 3u], gaps_a[k % 3u], k < 3u);
        if (gap > apart) {
            return;
        }
        if (gap > best + rounding) {
            face = k;
            best = gap;
        }
    }
    // edge pair of larger separation
    let of_face = best;
    var edges = 9u;
    var alignment = 0.0;
    for (var k = 0u; k < 9u; k++) {
        // cross product of both edges in the frame of each box; noise if they are parallel
        let edge = vec3f(vec3u(k / 3u) == vec3u(0u, 1u, 2u));
        let normal = cross(edge, axis_of(axes, k % 3u));
        let sine2 = dot(normal, normal);
        if (sine2 < SINE2_ROUNDING) {
            continue;
        }
        let for_a = normal * (1.0 / sqrt(sine2));
        let for_b = for_a * axes;
        let gap = abs(dot(for_a, from_a)) - dot(abs(for_a), a.size) - dot(abs(for_b), b.size);
        if (gap > apart) {
            return;
        }
        if (gap - EDGE_BIAS * abs(gap) > best && gap > of_face) {
            best = gap;
            edges = k;
            // alignment with the best face axis
            alignment = abs(select(for_b[face % 3u], for_a[face % 3u], face < 3u));
        }
    }
    // an edge axis only slightly better than a nearly parallel face axis yields to it
    if (edges < 9u && (alignment <= FACE_PREFERENCE || best >= of_face + FACE_PREFERENCE_DEPTH * abs(of_face) + MINVAL)) {
        edge_edge(permuted(a, edges / 3u), permuted(b, edges % 3u), apart);
        return;
    }
    var base = a;
    var other = b;
    var facing = largest_component(axis_of(rows_b, face));
    if (face >= 3u) {
        base = b;
        other = a;
        facing = largest_component(axis_of(axes, face - 3u));
    }
    face_face(permuted(base, face % 3u), permuted(other, facing), select(-1.0, 1.0, face < 3u), margin);
}

// Half extents of a box projected on three axes.
fn projected_radii(size: vec3f, axes: mat3x3f) -> vec3f {
    return vec3f(dot(abs(axes[0]), size), dot(abs(axes[1]), size), dot(abs(axes[2]), size));
}

// Column k of a matrix.
fn axis_of(axes: mat3x3f, k: u32) -> vec3f {
    return select(select(axes[2], axes[1], k == 1u), axes[0], k == 0u);
}

// Cyclic permutation that puts component k last.
fn turn3(v: vec3f, k: u32) -> vec3f {
    return select(select(v, v.zxy, k == 1u), v.yzx, k == 0u);
}

// A box with its axes permuted cyclically so that axis k comes last.
fn permuted(cuboid: Shape, k: u32) -> Shape {
    let m = cuboid.mat;
    var mat = m;
    if (k == 0u) {
        mat = mat3x3f(m[1], m[2], m[0]);
    }
    if (k == 1u) {
        mat = mat3x3f(m[2], m[0], m[1]);
    }
    return Shape(cuboid.pos, mat, turn3(cuboid.size, k));
}

// Index of the component of largest magnitude, the first of equals.
fn largest_component(v: vec3f) -> u32 {
    let u = abs(v);
    return select(select(0u, 1u, u.y > u.x), 2u, u.z > max(u.x, u.y));
}

// Edge-edge contact: the closest points of two edges along the last axes, and the midpoint between them. All in the
// first box's frame.
fn edge_edge(a: Shape, b: Shape, apart: f32) {
    let axes = transpose(a.mat) * b.mat;
    let center = (b.pos - a.pos) * a.mat;
    // normal, from the first box to the second, in the frame of each
    let along = axes[2];
    let length = sqrt(along.y * along.y + along.x * along.x);
    var normal = vec3f(-along.y / length, along.x / length, 0.0);
    if (dot(normal, center) < 0.0) {
        normal = -normal;
    }
    let back = (normal * axes).xy;
    // if the normal lies in a face, either edge of that face may be the closest: all are tried
    let flips_a = flips(normal.xy);
    let flips_b = flips(back);
    let corner_a = select(-a.size.xy, a.size.xy, normal.xy >= vec2f(0.0));
    let corner_b = select(-b.size.xy, b.size.xy, -back >= vec2f(0.0));
    let c = along.z;
    let sine2 = 1.0 - c * c;
    var one = vec3f(0.0);
    var two = vec3f(0.0);
    var least = 0.0;
    for (var choice = 0u; choice < 4u; choice++) {
        let second_a = choice >= 2u;
        let second_b = choice % 2u == 1u;
        if ((second_a && all(flips_a == vec2f(1.0))) || (second_b && all(flips_b == vec2f(1.0)))) {
            continue;
        }
        let at_a = vec3f(corner_a * select(vec2f(1.0), flips_a, second_a), 0.0);
        let at_b = center + axes * vec3f(corner_b * select(vec2f(1.0), flips_b, second_b), 0.0);
        // stationary point of the squared distance, each parameter clamped in turn
        let between = at_b - at_a;
        let u = between.z;
        let v = dot(along, between);
        var x = 0.0;
        if (sine2 >= MINVAL) {
            x = (u - c * v) / sine2;
        }
        x = clamp(x, -a.size.z, a.size.z);
        let y = clamp(c * x - v, -b.size.z, b.size.z);
        x = clamp(u + c * y, -a.size.z, a.size.z);
        let p1 = vec3f(at_a.xy, x);
        let p2 = at_b + along * y;
        let gap = p2 - p1;
        let dist2 = dot(gap, gap);
        if (choice == 0u || dist2 < least) {
            one = p1;
            two = p2;
            least = dist2;
        }
    }
    let dist = dot(two - one, normal);
    if (dist <= apart) {
        append(ContactPoint(dist, a.mat * (0.5 * (one + two)) + a.pos, a.mat * normal, vec3f(0.0)));
    }
}

// Sign factors from the support corner to the other corner of equal height: signs of vanishing components are
// unreliable. At most one component vanishes.
fn flips(direction: vec2f) -> vec2f {
    if (abs(direction.x) < SIGN_ROUNDING) {
        return vec2f(-1.0, 1.0);
    }
    return vec2f(1.0, select(1.0, -1.0, abs(direction.y) < SIGN_ROUNDING));
}

// Clips the face of `other` across its last axis to the face of `base` across its last axis, in the frame of `base`.
// The normal points away from `base`, or towards it if `sign` is negative.
fn face_face(base: Shape, other: Shape, sign: f32, margin: f32) {
    let axes = transpose(base.mat) * other.mat;
    let center = (other.pos - base.pos) * base.mat;
    let up = select(-1.0, 1.0, center.z >= 0.0);
    // incident face: its centre, half its edges, and heights above the reference face
    let side = select(1.0, -1.0, up * axes[2].z > 0.0);
    let upright = vec3f(1.0, 1.0, up);
    let middle = upright * (center + axes[2] * (side * other.size.z)) - vec3f(0.0, 0.0, base.size.z);
    let across = upright * axes[0] * other.size.x;
    let along = upright * axes[1] * other.size.y;
    polygon[0] = middle + across + along;
    polygon[1] = middle - across + along;
    polygon[2] = middle - across - along;
    polygon[3] = middle + across - along;
    var n = 4u;
    for (var k = 0u; k < 4u; k++) {
        n = clip_side(n, k / 2u, select(1.0, -1.0, k % 2u == 1u), base.size[k / 2u]);
    }
    // vertices within the margin, without duplicates
    let normal = base.mat[2] * (sign * up);
    let same = SAME_CORNER * dot(base.size.xy, base.size.xy);
    var kept = 0u;
    for (var k = 0u; k < n; k++) {
        let p = polygon[k];
        var near = p.z <= margin;
        for (var q = 0u; q < kept; q++) {
            let between = polygon[q].xy - p.xy;
            near = near && dot(between, between) >= same;
        }
        if (!near) {
            continue;
        }
        polygon[kept] = p;
        kept++;
        // midway between the reference face and the other box
        let at = vec3f(p.xy, up * (base.size.z + 0.5 * p.z));
        append(ContactPoint(p.z, base.mat * at + base.pos, normal, vec3f(0.0)));
    }
}

// Clips the polygon at a limit along an axis, or at minus the limit if `side` is negative; returns the number of
// vertices.
fn clip_side(n: u32, axis: u32, side: f32, limit: f32) -> u32 {
    let before = polygon;
    var kept = 0u;
    for (var k = 0u; k < n; k++) {
        let p = before[k];
        let q = before[select(k + 1u, 0u, k + 1u == n)];
        let here = side * p[axis] - limit;
        let there = side * q[axis] - limit;
        if (here <= 0.0 && kept < 8u) {
            polygon[kept] = p;
            kept++;
        }
        // intersection of the edge to the next vertex with the limit
        let crosses = (here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0);
        if (crosses && kept < 8u) {
            polygon[kept] = p + (q - p) * (here / (here - there));
            kept++;
        }
    }
    return kept;
}
