// Proof that no direction separates two overlapping polytopes with less than a given one. Twin: src/cpu/collision/penetration_bound.rs,
// where the way is explained: a closed surface of triangles of points of the difference around the origin, nowhere
// nearer to it than a depth.

import package::collision::gjk::gjk_corner;
import package::collision::support_map::{ConvexShape, minkowski_support};
import package::math::vector::MINVAL;

// Most triangles that wait, and most points that are added.
const BOUND_STACK: u32 = 16u;
const BOUND_POINTS: u32 = 24u;

// A direction that is along no edge, to count how often the surface goes around the origin.
const WINDING_RAY: vec3f = vec3f(0.371943, -0.585217, 0.720561);

// What the surface shows: no direction is lower; one that is; nothing, as it takes too many points.
const BOUND_PROVEN: u32 = 0u;
const BOUND_LOWER: u32 = 1u;
const BOUND_UNPROVEN: u32 = 2u;

// Triangles that wait.
var<private> bound_stack: array<mat3x3f, 16>;

// A lower direction, and its height.
var<private> bound_lower: vec4f;

// Looks for a direction in which the support function of the difference is less than `depth`, or a proof that there is
// none. n is the outward direction of the triangle that a search has found.
fn penetration_bound(a: ConvexShape, b: ConvexShape, n: vec3f, depth: f32) -> u32 {
    var count = 0u;
    var points = 0u;
    var around = 0;
    // the point opposite first; then every point makes at most two more triangles
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
            // where an edge is nearest, or the triangle
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
            // the triangle that was found, counterclockwise from outside, and three to the point opposite
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
        // the triangle without a corner, for each one that changes
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
