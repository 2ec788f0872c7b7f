// Least penetration of two overlapping convex shapes by the expanding polytope algorithm (van den Bergen, Collision
// Detection in Interactive 3D Environments, 4.3.8). Twin: crates/cpu/src/collision/expanding_polytope.rs, which explains the
// method: a polytope of points of the Minkowski difference around the origin grows by the support point over its
// nearest face until that is no farther than the face. What the twin does first, in `enclosure`, are turns of the loop
// here.

import package::collision::support_map::{convex_axis, ConvexShape, minkowski_support, minkowski_support_a, preimage};
import package::math::vector::normalize3;

// Most vertices of the polytope, as bits of a row of edges, and most faces.
const BOUND_POINTS: u32 = 32u;
const BOUND_FACES: u32 = 60u;

// Height of a face without area, which is never the nearest.
const NO_HEIGHT: f32 = 3.4e38;

// Vertices, and their number: first those of the simplex from which the search begins.
var<private> bound_points: array<vec3f, BOUND_POINTS>;
var<private> bound_known: u32;
//#if POLYTOPE

// Points of the first shape that they belong to.
var<private> bound_points_a: array<vec3f, BOUND_POINTS>;

// Point of the first shape that touches along the direction found (xyz), and whether there is one (w).
var<private> bound_witness: vec4f;
//#endif

// Faces: three vertices, counterclockwise from outside, eight bits each; and their distances from the origin.
var<private> bound_corners: array<u32, BOUND_FACES>;
var<private> bound_heights: array<f32, BOUND_FACES>;
var<private> bound_faces: u32;

// Edges of the faces that a new point sees: by first vertex, a bit for the second.
var<private> bound_edges: array<u32, BOUND_POINTS>;

// Direction of the lowest height found, and the height.
var<private> bound_lowest: vec4f;

// Searches for the direction in which the support function of the Minkowski difference is least, to within a share of
// it and `slack`; true if it is proven to be. The points known are the simplex that a search from the origin has left;
// if that is no tetrahedron, the triangle `face` with normal n and the point opposite enclose the origin, or else
// points beside the simplex do. Each turn has one support point at most, in one place, which drivers compile faster.
fn expanding_polytope(
    a: ConvexShape, b: ConvexShape, face: mat3x3f, face_a: mat3x3f, n: vec3f, has_face: bool, share: f32, slack: f32
) -> bool {
    bound_lowest = vec4f(1.0, 0.0, 0.0, NO_HEIGHT);
    let simplex = bound_known;
    if (simplex < 2u) {
        return false;
    }
    var grows = simplex == 4u;
    var opposite = has_face && !grows;
    var filled = 0u;
    // both sides of the first triangle
    bound_faces = 0u;
    var grown = 3u;
    if (grows) {
        add_bound_face(0u, 1u, 2u);
        add_bound_face(2u, 1u, 0u);
    }
    // a flat side among curved ones may be lower than anything that a few points find
    var axes = select(0u, 12u, share > 0.0);
    for (var turn = 0u; turn < BOUND_POINTS + 17u; turn++) {
        if (axes > 0u || !grows || grown == bound_known) {
            // the point opposite, or beside the simplex
            var direction = -n;
            var nearest = 0u;
            if (!grows && !opposite) {
                let along = normalize3(bound_points[1] - bound_points[0]);
                let normal = normalize3(cross(along, bound_points[2] - bound_points[0]));
                direction = select(normal, -normal, filled == 1u);
                if (simplex == 2u) {
                    // a triangle around the segment
                    let hint = select(vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), abs(along.x) < 0.6);
                    let side = normalize3(cross(hint, along));
                    let sine = select(-0.8660254, 0.8660254, filled == 1u);
                    let turned = select(vec2f(-0.5, sine), vec2f(1.0, 0.0), filled == 0u);
                    direction = side * turned.x + cross(along, side) * turned.y;
                }
            }
            if (axes > 0u) {
                let k = 12u - axes;
                var s = a;
                if (k >= 6u) {
                    s = b;
                }
                direction = convex_axis(s, k / 2u % 3u) * select(1.0, -1.0, k % 2u == 1u);
            } else if (grows) {
                if (bound_known == BOUND_POINTS) {
                    return false;
                }
                // over the nearest face, the first of equals
                for (var k = 1u; k < bound_faces; k++) {
                    nearest = select(nearest, k, bound_heights[k] < bound_heights[nearest]);
                }
                // all points on a line
                if (bound_heights[nearest] >= NO_HEIGHT) {
                    return false;
                }
                let corner = bound_face(nearest);
                direction = normalize3(cross(corner[1] - corner[0], corner[2] - corner[0]));
            }
            let point = minkowski_support(a, b, direction);
            let height = dot(point, direction);
            if (axes > 0u) {
                axes--;
                if (height < bound_lowest.w) {
                    bound_lowest = vec4f(direction, height);
                }
                continue;
            }
            if (grows) {
                // both bounds meet
                let proven = height - bound_heights[nearest] <= share * height + slack;
                if (height < bound_lowest.w || (proven && share == 0.0)) {
                    bound_lowest = vec4f(direction, height);
                }
                if (proven) {
//#if POLYTOPE
                    let corners = unpack_corners(bound_corners[nearest]);
                    let on_a = mat3x3f(bound_points_a[corners.x], bound_points_a[corners.y], bound_points_a[corners.z]);
                    bound_witness = preimage(bound_face(nearest), on_a, direction * height);
//#endif
                    return true;
                }
            }
            if (opposite) {
                opposite = false;
                if (!encloses_origin(face[0], face[1], face[2], point)) {
                    continue;
                }
                for (var k = 0u; k < 3u; k++) {
                    bound_points[k] = face[k];
//#if POLYTOPE
                    bound_points_a[k] = face_a[k];
//#endif
                }
                bound_known = 3u;
                filled = 5u;
            }
            bound_points[bound_known] = point;
//#if POLYTOPE
            bound_points_a[bound_known] = minkowski_support_a;
//#endif
            bound_known++;
            if (!grows) {
                filled++;
                if (filled < 5u - simplex) {
                    continue;
                }
                grows = true;
                if (simplex == 2u && bound_known == 5u) {
                    // the triangle first, then the ends of the segment
                    for (var k = 0u; k < 2u; k++) {
                        let end = bound_points[k];
                        bound_points[k] = bound_points[k + 3u];
                        bound_points[k + 3u] = end;
//#if POLYTOPE
                        let end_a = bound_points_a[k];
                        bound_points_a[k] = bound_points_a[k + 3u];
                        bound_points_a[k + 3u] = end_a;
//#endif
                    }
                }
                add_bound_face(0u, 1u, 2u);
                add_bound_face(2u, 1u, 0u);
            }
        }
        if (!add_bound_point(grown, slack)) {
            return false;
        }
        grown++;
    }
    return false;
}

// Three vertices of a face.
fn unpack_corners(face: u32) -> vec3u {
    return vec3u(face & 255u, (face >> 8u) & 255u, face >> 16u);
}

// Positions of the vertices of face k.
fn bound_face(k: u32) -> mat3x3f {
    let corners = unpack_corners(bound_corners[k]);
    return mat3x3f(bound_points[corners.x], bound_points[corners.y], bound_points[corners.z]);
}

// Adds a face.
fn add_bound_face(one: u32, two: u32, three: u32) {
    let p = bound_points[one];
    let normal = cross(bound_points[two] - p, bound_points[three] - p);
    let area = sqrt(dot(normal, normal));
    bound_corners[bound_faces] = one | (two << 8u) | (three << 16u);
    bound_heights[bound_faces] = select(NO_HEIGHT, dot(normal, p) / area, area > MINVAL);
    bound_faces++;
}

// Adds point `grown` to the polytope: the faces that it sees are left out, and those through it and the edges around
// them take their place. False if there is no room.
fn add_bound_point(grown: u32, slack: f32) -> bool {
    let point = bound_points[grown];
    for (var k = 0u; k < grown; k++) {
        bound_edges[k] = 0u;
    }
    var k = 0u;
    while (k < bound_faces) {
        let face = bound_face(k);
        let normal = cross(face[1] - face[0], face[2] - face[0]);
        let above = dot(normal, point - face[0]);
        // more than rounding
        if (above > 0.0 && above * above > slack * slack * dot(normal, normal)) {
            let corners = unpack_corners(bound_corners[k]);
            bound_edges[corners.x] |= 1u << corners.y;
            bound_edges[corners.y] |= 1u << corners.z;
            bound_edges[corners.z] |= 1u << corners.x;
            bound_faces--;
            bound_corners[k] = bound_corners[bound_faces];
            bound_heights[k] = bound_heights[bound_faces];
        } else {
            k++;
        }
    }
    // the edges around the gap have no opposite
    for (var head = 0u; head < grown; head++) {
        var left = bound_edges[head];
        while (left != 0u) {
            let tail = firstTrailingBit(left);
            left &= left - 1u;
            if (((bound_edges[tail] >> head) & 1u) == 0u) {
                if (bound_faces == BOUND_FACES) {
                    return false;
                }
                add_bound_face(head, tail, grown);
            }
        }
    }
    return bound_faces > 0u;
}

// True if the origin is inside a tetrahedron.
fn encloses_origin(p: vec3f, q: vec3f, r: vec3f, s: vec3f) -> bool {
    let volumes = vec4f(dot(q, cross(r, s)), -dot(p, cross(r, s)), dot(p, cross(q, s)), -dot(p, cross(q, r)));
    return all(volumes > vec4f(0.0)) || all(volumes < vec4f(0.0));
}
