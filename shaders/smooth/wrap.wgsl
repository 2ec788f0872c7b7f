// Tendon wrapping around a sphere or cylinder: tangent points, the arc between them, and the straight parts beside it.
// Twin: crates/cpu/src/smooth/wrap.rs.

import package::math::trig::{arctan2, PI, sincos};

// Difference of the angles of incidence at which the point of reflection counts as found: 16 times rounding.
const REFLECTION_TOLERANCE: f32 = 1.9e-6;

// Sine of the angle up to which two tangent points are one: 32 times rounding.
const SAME_TANGENT: f32 = 3.8e-6;

// A wrapping geom.
struct Obstacle {
    pos: vec3f,
    mat: mat3x3f,
    radius: f32,
    // infinite cylinder along z, else sphere
    cylinder: bool,
    has_side: bool,
    // side site
    side: vec3f,
}

// A straight part of a path: a unit vector along the path, the x axis where there is no length, and the length.
struct Straight {
    direction: vec3f,
    length: f32,
}

// Contact of a tendon with an obstacle: first and last tangent point, the length between them along the surface, and
// the straight parts to the first and from the last.
struct WrapArc {
    touches: bool,
    first: vec3f,
    last: vec3f,
    length: f32,
    before: Straight,
    behind: Straight,
}

// Path in the plane: tangent points, the length between them along the circle, and directions and lengths of the
// straight parts to the first and from the last.
struct FlatPath {
    touches: bool,
    first: vec2f,
    last: vec2f,
    length: f32,
    before: vec2f,
    behind: vec2f,
    before_length: f32,
    behind_length: f32,
}

const NO_LINE: Straight = Straight(vec3f(0.0), 0.0);
const NO_WRAP: WrapArc = WrapArc(false, vec3f(0.0), vec3f(0.0), 0.0, NO_LINE, NO_LINE);
const STRAIGHT: FlatPath = FlatPath(false, vec2f(0.0), vec2f(0.0), 0.0, vec2f(0.0), vec2f(0.0), 0.0, 0.0);

// A straight line between two points.
fn straight_between(begin: vec3f, stop: vec3f) -> Straight {
    let d = stop - begin;
    let length = sqrt(dot(d, d));
    return straight_along(d * (1.0 / max(length, MINVAL)), length);
}

// A direction, unless the length is too short to have one.
fn straight_along(direction: vec3f, length: f32) -> Straight {
    return Straight(select(direction, vec3f(1.0, 0.0, 0.0), length < MINVAL), length);
}

// Path between two points around an obstacle; no tangent points if it is straight.
fn wrap_around(begin: vec3f, stop: vec3f, obstacle: Obstacle) -> WrapArc {
    let p = (begin - obstacle.pos) * obstacle.mat;
    let q = (stop - obstacle.pos) * obstacle.mat;
    let side = (obstacle.side - obstacle.pos) * obstacle.mat;
    if (length3(p) < MINVAL || length3(q) < MINVAL) {
        return NO_WRAP;
    }
    // axes of the plane
    var x = vec3f(1.0, 0.0, 0.0);
    var y = vec3f(0.0, 1.0, 0.0);
    if (!obstacle.cylinder) {
        x = p / length3(p);
        y = plane_axis(p, q, x);
    }
    let fp = vec2f(dot(p, x), dot(p, y));
    let fq = vec2f(dot(q, x), dot(q, y));
    let r = obstacle.radius;
    var path = STRAIGHT;
    if (obstacle.has_side && length3(side) < r) {
        path = wrap_inside(fp, fq, r);
    } else {
        path = wrap_circle(fp, fq, r, obstacle.has_side, unit2(vec2f(dot(side, x), dot(side, y))));
    }
    if (!path.touches) {
        return NO_WRAP;
    }
    var first = x * path.first.x + y * path.first.y;
    var last = x * path.last.x + y * path.last.y;
    var before = x * path.before.x + y * path.before.y;
    var behind = x * path.behind.x + y * path.behind.y;
    var longer = 1.0;
    if (obstacle.cylinder) {
        // the axial coordinate advances evenly along the path, which is longer for it
        let rise = (q.z - p.z) / (path.before_length + path.length + path.behind_length);
        first.z = p.z + rise * path.before_length;
        last.z = p.z + rise * (path.before_length + path.length);
        longer = sqrt(1.0 + rise * rise);
        before = vec3f(before.xy, rise) * (1.0 / longer);
        behind = vec3f(behind.xy, rise) * (1.0 / longer);
    }
    return WrapArc(
        true, obstacle.pos + obstacle.mat * first, obstacle.pos + obstacle.mat * last, path.length * longer,
        straight_along(obstacle.mat * before, path.before_length * longer),
        straight_along(obstacle.mat * behind, path.behind_length * longer),
    );
}

// Length of a vector.
fn length3(v: vec3f) -> f32 {
    return sqrt(dot(v, v));
}

// Length of a plane vector.
fn length2(v: vec2f) -> f32 {
    return sqrt(dot(v, v));
}

// Unit vector in the plane; the x axis for a zero vector.
fn unit2(v: vec2f) -> vec2f {
    let n = length2(v);
    if (n < MINVAL) {
        return vec2f(1.0, 0.0);
    }
    return v / n;
}

// Second axis of the plane through two points and the origin; the first is along x.
fn plane_axis(p: vec3f, q: vec3f, x: vec3f) -> vec3f {
    var normal = cross(p, q);
    if (length3(normal) < MINVAL) {
        // collinear with the centre: any plane through the line serves
        var axis = vec3f(1.0, 0.0, 0.0);
        if (abs(x.y) < abs(x.x)) {
            axis = vec3f(0.0, 1.0, 0.0);
        }
        if (abs(x.z) < min(abs(x.x), abs(x.y))) {
            axis = vec3f(0.0, 0.0, 1.0);
        }
        normal = cross(x, axis);
    }
    return cross(normal / length3(normal), x);
}

// Path around a circle, past `side` if there is a side site.
fn wrap_circle(p: vec2f, q: vec2f, r: f32, has_side: bool, side: vec2f) -> FlatPath {
    if (!are_apart(p, q, r)) {
        return STRAIGHT;
    }
    let near = nearest_to_origin(p, q);
    if (dot(near, near) > r * r && (!has_side || dot(side, near) >= 0.0)) {
        return STRAIGHT;
    }
    var best = STRAIGHT;
    var value = 0.0;
    for (var k = 0u; k < 2u; k++) {
        let turn = select(1.0, -1.0, k == 1u);
        let first = tangent_point(p, r, turn);
        let last = tangent_point(q, r, -turn);
        let crosses = is_intersect(p, first, q, last);
        var good = -dot(first - last, first - last);
        if (has_side) {
            good = dot(side, unit2(first + last));
        }
        good -= select(0.0, 1e4, crosses);
        if (k == 0u || good > value) {
            // the straight parts are across the radii of their tangent points
            best = FlatPath(
                !crosses, first, last, length_circle(first, last, r, turn),
                unit2(turn * vec2f(first.y, -first.x)), unit2(turn * vec2f(last.y, -last.x)),
                free_length(p, r), free_length(q, r),
            );
            value = good;
        }
    }
    return best;
}

// Length of a tangent from a point to the circle.
fn free_length(end: vec2f, r: f32) -> f32 {
    let d = length2(end);
    return sqrt(max((d - r) * (d + r), 0.0));
}

// Path inside a circle, which it touches at one point.
fn wrap_inside(p: vec2f, q: vec2f, r: f32) -> FlatPath {
    if (!are_apart(p, q, r)) {
        return STRAIGHT;
    }
    let near = nearest_to_origin(p, q);
    if (dot(near, near) <= r * r) {
        return STRAIGHT;
    }
    // from the end near the circle towards the far one: the angle of the former may be tiny
    let swap = length2(p) > length2(q);
    let start = select(p, q, swap);
    let a = select(length2(p), length2(q), swap);
    let b = select(length2(q), length2(p), swap);
    let crossed = p.x * q.y - p.y * q.x;
    let turn = select(crossed, -crossed, swap);
    let total = arctan2(abs(turn), dot(p, q));
    // reflection: equal angles of incidence; their difference increases with the angle of the point, whose shares are
    // those of the distances for a circle that is nearly straight
    var low = 0.0;
    var high = total;
    let above = (a - r) / a;
    let beyond = (b - r) / b;
    var angle = total * above / max(above + beyond, MINVAL);
    for (var k = 0u; k < 30u; k++) {
        let left = incidence(a, r, angle);
        let right = incidence(b, r, total - angle);
        let off = left.angle - right.angle;
        // an end on the circle is the point itself
        if (abs(off) <= REFLECTION_TOLERANCE || above <= 0.0) {
            break;
        }
        if (off > 0.0) {
            high = angle;
        } else {
            low = angle;
        }
        let next = angle - off / (left.derivative + right.derivative);
        if (next == angle) {
            break;
        }
        angle = select(0.5 * (low + high), next, next > low && next < high);
    }
    // radius and tangent at the point, the latter towards the far end
    let sc = sincos(angle);
    let s = select(sc.x, -sc.x, turn < 0.0);
    let toward = unit2(start);
    let radial = vec2f(toward.x * sc.y - toward.y * s, toward.y * sc.y + toward.x * s);
    let tangent = select(vec2f(-radial.y, radial.x), vec2f(radial.y, -radial.x), turn < 0.0);
    // both parts have the angle of the far end, which depends less on that of the point
    let left = incidence(a, r, angle);
    let right = incidence(b, r, total - angle);
    let out = radial * (right.out / max(right.length, MINVAL));
    let along = tangent * (right.along / max(right.length, MINVAL));
    let touch = r * radial;
    // the other way round, if the far end is the first
    if (swap) {
        return FlatPath(true, touch, touch, 0.0, -out - along, out - along, right.length, left.length);
    }
    return FlatPath(true, touch, touch, 0.0, along - out, out + along, left.length, right.length);
}

// An end as it is seen from a point of the circle: coordinates along the radius outwards, and along the tangent towards
// the end; its distance; its angle with the radius, and the derivative with respect to the angle of the point from it.
struct Incidence {
    out: f32,
    along: f32,
    length: f32,
    angle: f32,
    derivative: f32,
}

// The end at distance d from the centre and angle phi from the point; no digits are lost to d being close to r.
fn incidence(d: f32, r: f32, phi: f32) -> Incidence {
    let half = sincos(0.5 * phi);
    let out = (d - r) - 2.0 * d * half.x * half.x;
    let along = 2.0 * d * half.x * half.y;
    let square = out * out + along * along;
    let derivative = d * ((d - r) + 2.0 * r * half.x * half.x) / max(square, MINVAL);
    return Incidence(out, along, sqrt(square), arctan2(along, out), derivative);
}

// True if both ends are outside the circle and apart from each other.
fn are_apart(p: vec2f, q: vec2f, r: f32) -> bool {
    return r >= MINVAL && dot(p, p) >= r * r && dot(q, q) >= r * r && dot(q - p, q - p) >= MINVAL;
}

// Point of a segment closest to the origin.
fn nearest_to_origin(p: vec2f, q: vec2f) -> vec2f {
    let d = q - p;
    return p + clamp(-dot(p, d) / dot(d, d), 0.0, 1.0) * d;
}

// Tangent point of a line from p to the circle, clockwise from p for a positive turn.
fn tangent_point(p: vec2f, r: f32, turn: f32) -> vec2f {
    let square = dot(p, p);
    let along = r * r / square;
    let aside = turn * r * sqrt(max(square - r * r, 0.0)) / square;
    return vec2f(p.x * along + p.y * aside, p.y * along - p.x * aside);
}

// Arc length between two points of the circle, clockwise for a positive turn. Points that are one but for rounding,
// where a straight line just touches the circle, have no arc between them rather than a whole turn.
fn length_circle(begin: vec2f, stop: vec2f, r: f32, turn: f32) -> f32 {
    let crossed = begin.x * stop.y - begin.y * stop.x;
    var angle = arctan2(abs(crossed), dot(begin, stop));
    let over = crossed * turn;
    if (over > 0.0 && (dot(begin, stop) < 0.0 || over > SAME_TANGENT * r * r)) {
        angle = 2.0 * PI - angle;
    }
    return r * angle;
}

// True if two segments intersect.
fn is_intersect(a: vec2f, b: vec2f, c: vec2f, d: vec2f) -> bool {
    let u = b - a;
    let v = d - c;
    let w = c - a;
    let det = u.x * v.y - u.y * v.x;
    if (abs(det) < MINVAL) {
        return false;
    }
    let s = (w.x * v.y - w.y * v.x) / det;
    let t = (w.x * u.y - w.y * u.x) / det;
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}
