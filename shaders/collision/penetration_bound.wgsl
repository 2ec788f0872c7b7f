// Penetration bound: proof that no direction separates two overlapping polytopes at less than a given depth.
// Twin: src/cpu/collision/penetration_bound.rs, which explains the method: a closed triangulated surface of points of
// the Minkowski difference around the origin, nowhere closer to it than the depth.

import package::collision::gjk::gjk_corner;
import package::collision::support_map::{ConvexShape, minkowski_support};
import package::math::vector::MINVAL;

// Capacity of the stack, and most points added.
const BOUND_STACK: u32 = 16u;
const BOUND_POINTS: u32 = 24u;

// A generic direction, parallel to no edge, for the winding number of the surface about the origin.
const WINDING_RAY: vec3f = vec3f(0.371943, -0.585217, 0.720561);

// Outcome: the bound is proven; a lower direction exists; or unproven within the allowed number of points.
const BOUND_PROVEN: u32 = 0u;
const BOUND_LOWER: u32 = 1u;
const BOUND_UNPROVEN: u32 = 2u;

// Triangles still to be examined.
var<private> bound_stack: array<mat3x3f, 16>;

// Direction below the bound, and its height.
var<private> bound_lower: vec4f;

// Searches for a direction in which the support function of the Minkowski difference is below `depth`, or proves that
// there is none. n is the outward normal of the triangle from GJK.
fn penetration_bound(a: ConvexShape, b: ConvexShape, n: vec3f, depth: f32) -> u32 {
    var count = 0u;
    var points = 0u;
    var around = 0;
    // first the point opposite; each further point then adds at most two triangles net
    for (var turn = 0u; turn < 5u + 3u * BOUND_POINTS; turn++) {
        var direction = -n;
        var triangle = mat3x3f();
        var split = 3u;
        if (turn > 0u) {
            if (count == 0u) {
                break;
            }
            count--;
            triangle = bound_stack[count];
            // split where an edge, or else the triangle, comes closer than the depth
            split = 4u;
            for (var k = 0u; k < 3u; k++) {
                let head = triangle[k];
                let along = triangle[(k + 1u) % 3u] - head;
                let share = -dot(head, along);
                let square = dot(along, along);
                if (split == 4u && share > 0.0 && share < square) {
                    let point = head + along * (share / square);
                    if (dot(point, point) < depth * depth) {
                        direction = point;
                        split = k;
                    }
                }
            }
            let p = triangle[0];
            let q = triangle[1];
            let r = triangle[2];
            let sides = mat3x3f(cross(p, q), cross(q, r), cross(r, p));
            if (split == 4u) {
                let across = cross(q - p, r - p);
                let over = all(across * sides >= vec3f(0.0));
                if (over && dot(across, p) < depth * sqrt(dot(across, across))) {
                    direction = across;
                    split = 3u;
                }
            }
            if (split == 4u) {
                let winding = WINDING_RAY * sides;
                let volume = dot(sides[0], r);
                if (volume > 0.0 && all(winding > vec3f(0.0))) {
                    around++;
                } else if (volume < 0.0 && all(winding < vec3f(0.0))) {
                    around--;
                }
                continue;
            }
            let length = sqrt(dot(direction, direction));
            points++;
            if (points > BOUND_POINTS || count + 3u > BOUND_STACK || length < MINVAL) {
                return BOUND_UNPROVEN;
            }
            direction = direction / length;
        }
        let point = minkowski_support(a, b, direction);
        let height = dot(point, direction);
        if (height < depth) {
            bound_lower = vec4f(direction, height);
            return BOUND_LOWER;
        }
        if (turn == 0u) {
            // the triangle from GJK, counterclockwise from outside, and three triangles to the opposite point
            let corner = mat3x3f(gjk_corner(0u), gjk_corner(1u), gjk_corner(2u));
            let turned_in = dot(cross(corner[1] - corner[0], corner[2] - corner[0]), n) < 0.0;
            triangle = mat3x3f(corner[0], select(corner[1], corner[2], turned_in), select(corner[2], corner[1], turned_in));
            bound_stack[0] = triangle;
            bound_stack[1] = mat3x3f(triangle[1], triangle[0], point);
            bound_stack[2] = mat3x3f(triangle[2], triangle[1], point);
            bound_stack[3] = mat3x3f(triangle[0], triangle[2], point);
            count = 4u;
            continue;
        }
        // triangles with one vertex replaced by the new point: two for an edge, three for a face
        for (var k = 0u; k < 3u; k++) {
            if (split == 3u || k == split || k == (split + 1u) % 3u) {
                var part = triangle;
                part[k] = point;
                bound_stack[count] = part;
                count++;
            }
        }
    }
    return select(BOUND_UNPROVEN, BOUND_PROVEN, around == 1 && count == 0u);
}
