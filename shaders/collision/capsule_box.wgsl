// Capsule-box contacts: a sphere at the point of the capsule's segment closest to the box, and a second one if the
// segment runs along the box. Twin: crates/cpu/src/collision/capsule_box.rs.
//
// The segment consists of the points center + half x with x in [-1, 1], in the frame of the box.

import package::collision::primitives::{Shape, sphere_box};

// Feature of the box closest to the segment: the inside, the face across an axis, a point y in [-1, 1] on the edge
// along an axis that starts at a corner, or that corner. Bit k of a corner is set if it is on the upper side of axis
// k.
const FEATURE_INSIDE: u32 = 0u;
const FEATURE_FACE: u32 = 1u;
const FEATURE_EDGE: u32 = 2u;
const FEATURE_CORNER: u32 = 3u;

// A feature, its position, and the closest point of the segment.
struct BoxFeature {
    kind: u32,
    axis: u32,
    corner: u32,
    y: f32,
    x: f32,
}

// A segment and a box.
struct SegmentBox {
    center: vec3f,
    axis: vec3f,
    half: vec3f,
    length: f32,
    size: vec3f,
}

// Marks the absence of a step along the segment.
const NO_STEP: f32 = -4.0;

// Rounding of a distance, relative to the extents.
const DISTANCE_ROUNDING: f32 = 1e-6;

// One contact, or two if the capsule lies along the box.
fn capsule_box(capsule: Shape, cuboid: Shape, margin: f32) {
    let axis = capsule.mat[2] * cuboid.mat;
    let length = capsule.size.y;
    let pair = SegmentBox((capsule.pos - cuboid.pos) * cuboid.mat, axis, axis * length, length, cuboid.size);
    let feature = closest_feature(pair);
    var next = NO_STEP;
    if (feature.kind == FEATURE_FACE) {
        next = step_on_face(pair, feature.axis, feature.x);
    }
    if (feature.kind == FEATURE_EDGE) {
        next = step_from_edge(pair, feature);
    }
    if (feature.kind == FEATURE_CORNER) {
        next = step_from_corner(pair, feature.corner, feature.x);
    }
    var sphere = capsule;
    for (var k = 0u; k < select(1u, 2u, next > -3.0); k++) {
        sphere.pos = cuboid.mat * (pair.center + pair.half * (feature.x + select(0.0, next, k == 1u))) + cuboid.pos;
        sphere_box(sphere, cuboid, margin);
    }
}

// Feature of the box closest to the segment, and the closest point of the segment.
fn closest_feature(p: SegmentBox) -> BoxFeature {
    var feature = BoxFeature(FEATURE_INSIDE, 0u, 0u, 0.0, 0.0);
    var least = 1e30;
    // ties within rounding do not count as closer
    let rounding = DISTANCE_ROUNDING * (p.length + dot(p.size, vec3f(1.0)));
    // end points above a face, or inside
    for (var k = 0u; k < 2u; k++) {
        let end = select(-1.0, 1.0, k == 1u);
        let over = abs(p.center + p.half * end) - p.size;
        let outside = over > vec3f(0.0);
        let face = select(select(0u, 1u, outside.y), 2u, outside.z);
        let dist2 = select(0.0, over[face] * over[face], any(outside));
        let lone = u32(outside.x) + u32(outside.y) + u32(outside.z) < 2u;
        if (lone && dist2 < least - rounding * sqrt(least)) {
            feature = BoxFeature(select(FEATURE_INSIDE, FEATURE_FACE, any(outside)), face, 0u, 0.0, end);
            least = dist2;
        }
    }
    // segment points above an edge or a corner
    for (var edge = 0u; edge < 3u; edge++) {
        for (var low_corner = 0u; low_corner < 8u; low_corner++) {
            if ((low_corner & (1u << edge)) != 0u) {
                continue;
            }
            // closest points of the segment and the edge: stationarity of the squared distance gives a 2 x 2 system,
            // whose solution is clamped
            let long = p.size[edge];
            var middle = select(-p.size, p.size, (vec3u(low_corner) & vec3u(1u, 2u, 4u)) != vec3u(0u));
            middle[edge] = 0.0;
            let between = middle - p.center;
            let a = long * long;
            let b = -long * p.half[edge];
            let c = p.length * p.length;
            let u = -long * between[edge];
            let v = dot(p.half, between);
            let det = a * c - b * b;
            if (abs(det) < MINVAL || det < DISTANCE_ROUNDING * a * c) {
                continue;
            }
            var y = (c * u - b * v) / det;
            var x = (a * v - b * u) / det;
            var side = 0.0;
            if (abs(y) > 1.0) {
                side = sign(y);
                y = side;
                x = (v - b * y) / c;
            }
            if (abs(x) > 1.0) {
                x = sign(x);
                y = (u - b * x) / a;
                if (abs(y) > 1.0) {
                    side = sign(y);
                    y = side;
                }
            }
            var gap = between - p.half * x;
            gap[edge] += long * y;
            let dist2 = dot(gap, gap);
            if (dist2 < least - MINVAL - rounding * sqrt(least)) {
                let corner = select(low_corner, low_corner + (1u << edge), side > 0.0);
                feature = BoxFeature(select(FEATURE_CORNER, FEATURE_EDGE, side == 0.0), edge, corner, y, x);
                least = dist2;
            }
        }
    }
    return feature;
}

// Axes along which the segment leads over the box from a corner: bit k for axis k.
fn inward(half: vec3f, corner: u32) -> u32 {
    let upward = vec3u(half > vec3f(0.0)) * vec3u(1u, 2u, 4u);
    return (upward.x + upward.y + upward.z) ^ corner;
}

// Parameter range in which the segment covers a length along an axis.
fn segment_run(p: SegmentBox, axis: u32, length: f32) -> f32 {
    return length / max(abs(p.half[axis]), MINVAL);
}

// Step from an end point above a face to the other end, or to where it leaves the face.
fn step_on_face(p: SegmentBox, face: u32, x: f32) -> f32 {
    let tip = p.center + p.half * x;
    var stride = 2.0;
    for (var k = 0u; k < 6u; k++) {
        let axis = k / 2u;
        if (axis == face || abs(p.half[axis]) < MINVAL) {
            continue;
        }
        let side = select(-1.0, 1.0, k % 2u == 0u);
        let leaves = -x * (side * p.size[axis] - tip[axis]) / p.half[axis];
        if (leaves > 0.0 && leaves < stride) {
            stride = leaves;
        }
    }
    return -x * stride;
}

// Step from an edge over the less steep face, to where the segment ends or leaves the face; none if neither direction
// leads over a face, or if one leads inside.
fn step_from_edge(p: SegmentBox, feature: BoxFeature) -> f32 {
    let edge = feature.axis;
    let one = (edge + 1u) % 3u;
    let two = (edge + 2u) % 3u;
    let bits = inward(p.half, feature.corner);
    if (((bits >> one) & 1u) == ((bits >> two) & 1u)) {
        return NO_STEP;
    }
    let high = select(two, one, abs(p.axis[one]) > abs(p.axis[two]));
    let forward = ((bits >> high) & 1u) == 1u;
    let way = select(-1.0, 1.0, forward);
    // remaining length of the edge in its own direction
    let rising = (p.half[edge] > 0.0) == forward;
    let left = 1.0 + select(feature.y, -feature.y, rising);
    let over = min(segment_run(p, high, 2.0 * p.size[high]), segment_run(p, edge, p.size[edge] * left));
    return way * min(1.0 - way * feature.x, over);
}

// Step from a corner along the edge or face that the segment follows; none if it leads straight away from the corner,
// or into the box.
fn step_from_corner(p: SegmentBox, corner: u32, x: f32) -> f32 {
    let bits = inward(p.half, corner);
    if (bits == 0u || bits == 7u) {
        return NO_STEP;
    }
    // the axis whose direction differs from the other two
    let alone = countOneBits(bits) == 1u;
    let axis = select(7u - bits, bits, alone) / 2u;
    let way = select(-1.0, 1.0, alone);
    if (p.axis[axis] * p.axis[axis] > 0.5) {
        return way * min(1.0 - way * x, segment_run(p, axis, 2.0 * p.size[axis]));
    }
    let one = (axis + 1u) % 3u;
    let two = (axis + 2u) % 3u;
    let over = min(segment_run(p, one, 2.0 * p.size[one]), segment_run(p, two, 2.0 * p.size[two]));
    return -way * min(1.0 + way * x, over);
}
