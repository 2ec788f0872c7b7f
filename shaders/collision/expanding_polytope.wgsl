// Least penetration of two overlapping convex shapes by the expanding polytope algorithm (van den Bergen, Collision
// Detection in Interactive 3D Environments, 4.3.8). Twin: crates/cpu/src/collision/expanding_polytope.rs, which explains
// the method: a polytope of points of the Minkowski difference around the origin grows by the support point over its
// nearest face until that is no farther than the face. The schedule differs: what the twin does first, in `enclosure`,
// are turns of the loop here; and normals are as long as twice the areas of their faces, there of unit length.

import package::collision::support_map::{self, ConvexShape, minkowski_support, minkowski_support_a, preimage};
import package::math::vector::normalize3;

// Most vertices of the polytope, as bits of a row of edges, and most faces.
const MAX_POINTS: u32 = 32u;
const MAX_FACES: u32 = 60u;

// Height of a face without area, which is never the nearest.
const NO_HEIGHT: f32 = 3.4e38;

// Vertices, and their number: first those of the simplex from which the search begins.
var<private> epa_points: array<vec3f, MAX_POINTS>;
var<private> epa_known: u32;
//#if POLYTOPE

// Points of the first shape that they belong to.
var<private> epa_points_a: array<vec3f, MAX_POINTS>;

// Point of the first shape that touches along the direction found (xyz), and whether there is one (w).
var<private> epa_witness: vec4f;
//#endif

// Faces: three vertices, counterclockwise from outside, eight bits each; and their distances from the origin.
var<private> epa_corners: array<u32, MAX_FACES>;
var<private> epa_heights: array<f32, MAX_FACES>;
var<private> epa_faces: u32;

// Edges of the faces that a new point sees: by first vertex, a bit for the second.
var<private> epa_edges: array<u32, MAX_POINTS>;

// Direction of the lowest height found, and the height.
var<private> epa_lowest: vec4f;

// Searches for the direction in which the support function of the Minkowski difference is least, to within a share of
// it and `slack`; true if it is proven to be. The points known are the simplex that a search from the origin has left;
// if that is no tetrahedron, the triangle `face` with normal n and the point opposite enclose the origin, or else
// points beside the simplex do. Each turn has one support point at most, in one place, which drivers compile faster.
fn expanding_polytope(
    a: ConvexShape, b: ConvexShape, face: mat3x3f, face_a: mat3x3f, n: vec3f, has_face: bool, share: f32, slack: f32
) -> bool {
    epa_lowest = vec4f(1.0, 0.0, 0.0, NO_HEIGHT);
    let simplex = epa_known;
    if (simplex < 2u) {
        return false;
    }
    var grows = simplex == 4u;
    var opposite = has_face && !grows;
    var filled = 0u;
    // both sides of the first triangle
    epa_faces = 0u;
    var grown = 3u;
    if (grows) {
        add_face(0u, 1u, 2u);
        add_face(2u, 1u, 0u);
    }
    // a flat side among curved ones may be lower than anything that a few points find
    var axes = select(0u, 12u, share > 0.0);
    for (var turn = 0u; turn < MAX_POINTS + 17u; turn++) {
        if (axes > 0u || !grows || grown == epa_known) {
            // the point opposite, or beside the simplex
            var direction = -n;
            var nearest = 0u;
            if (!grows && !opposite) {
                let along = normalize3(epa_points[1] - epa_points[0]);
                let normal = normalize3(cross(along, epa_points[2] - epa_points[0]));
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
                direction = support_map::axis(s, k / 2u % 3u) * select(1.0, -1.0, k % 2u == 1u);
            } else if (grows) {
                if (epa_known == MAX_POINTS) {
                    return false;
                }
                // over the nearest face, the first of equals
                for (var k = 1u; k < epa_faces; k++) {
                    nearest = select(nearest, k, epa_heights[k] < epa_heights[nearest]);
                }
                // all points on a line
                if (epa_heights[nearest] >= NO_HEIGHT) {
                    return false;
                }
                let corner = face_points(nearest);
                direction = normalize3(cross(corner[1] - corner[0], corner[2] - corner[0]));
            }
            let point = minkowski_support(a, b, direction);
            let height = dot(point, direction);
            if (axes > 0u) {
                axes--;
                if (height < epa_lowest.w) {
                    epa_lowest = vec4f(direction, height);
                }
                continue;
            }
            if (grows) {
                // both bounds meet
                let proven = height - epa_heights[nearest] <= share * height + slack;
                if (height < epa_lowest.w || (proven && share == 0.0)) {
                    epa_lowest = vec4f(direction, height);
                }
                if (proven) {
//#if POLYTOPE
                    let corners = unpack_corners(epa_corners[nearest]);
                    let on_a = mat3x3f(epa_points_a[corners.x], epa_points_a[corners.y], epa_points_a[corners.z]);
                    epa_witness = preimage(face_points(nearest), on_a, direction * height);
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
                    epa_points[k] = face[k];
//#if POLYTOPE
                    epa_points_a[k] = face_a[k];
//#endif
                }
                epa_known = 3u;
                filled = 5u;
            }
            epa_points[epa_known] = point;
//#if POLYTOPE
            epa_points_a[epa_known] = minkowski_support_a;
//#endif
            epa_known++;
            if (!grows) {
                filled++;
                if (filled < 5u - simplex) {
                    continue;
                }
                grows = true;
                if (simplex == 2u && epa_known == 5u) {
                    // the triangle first, then the ends of the segment
                    for (var k = 0u; k < 2u; k++) {
                        let end = epa_points[k];
                        epa_points[k] = epa_points[k + 3u];
                        epa_points[k + 3u] = end;
//#if POLYTOPE
                        let end_a = epa_points_a[k];
                        epa_points_a[k] = epa_points_a[k + 3u];
                        epa_points_a[k + 3u] = end_a;
//#endif
                    }
                }
                add_face(0u, 1u, 2u);
                add_face(2u, 1u, 0u);
            }
        }
        if (!add_point(grown, slack)) {
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
fn face_points(k: u32) -> mat3x3f {
    let corners = unpack_corners(epa_corners[k]);
    return mat3x3f(epa_points[corners.x], epa_points[corners.y], epa_points[corners.z]);
}

// Adds a face.
fn add_face(one: u32, two: u32, three: u32) {
    let p = epa_points[one];
    let normal = cross(epa_points[two] - p, epa_points[three] - p);
    let area = sqrt(dot(normal, normal));
    epa_corners[epa_faces] = one | (two << 8u) | (three << 16u);
    epa_heights[epa_faces] = select(NO_HEIGHT, dot(normal, p) / area, area > MINVAL);
    epa_faces++;
}

// Adds point `grown` to the polytope: the faces that it sees are left out, and those through it and the edges around
// them take their place. False if there is no room.
fn add_point(grown: u32, slack: f32) -> bool {
    let point = epa_points[grown];
    for (var k = 0u; k < grown; k++) {
        epa_edges[k] = 0u;
    }
    var k = 0u;
    while (k < epa_faces) {
        let face = face_points(k);
        let normal = cross(face[1] - face[0], face[2] - face[0]);
        let above = dot(normal, point - face[0]);
        // more than rounding
        if (above > 0.0 && above * above > slack * slack * dot(normal, normal)) {
            let corners = unpack_corners(epa_corners[k]);
            epa_edges[corners.x] |= 1u << corners.y;
            epa_edges[corners.y] |= 1u << corners.z;
            epa_edges[corners.z] |= 1u << corners.x;
            epa_faces--;
            epa_corners[k] = epa_corners[epa_faces];
            epa_heights[k] = epa_heights[epa_faces];
        } else {
            k++;
        }
    }
    // the edges around the gap have no opposite
    for (var head = 0u; head < grown; head++) {
        var left = epa_edges[head];
        while (left != 0u) {
            let tail = firstTrailingBit(left);
            left &= left - 1u;
            if (((epa_edges[tail] >> head) & 1u) == 0u) {
                if (epa_faces == MAX_FACES) {
                    return false;
                }
                add_face(head, tail, grown);
            }
        }
    }
    return epa_faces > 0u;
}

// True if the origin is inside a tetrahedron.
fn encloses_origin(p: vec3f, q: vec3f, r: vec3f, s: vec3f) -> bool {
    let volumes = vec4f(dot(q, cross(r, s)), -dot(p, cross(r, s)), dot(p, cross(q, s)), -dot(p, cross(q, r)));
    return all(volumes > vec4f(0.0)) || all(volumes < vec4f(0.0));
}
