// Tendon wrapping around a sphere or cylinder: tangent points, and the arc between them.
// Twin: src/cpu/smooth/wrap.rs.

import package::math::trig::{arctan2, PI, sincos};
import package::math::vector::MINVAL;

// Newton step at which the point of reflection counts as found: sixteen times rounding.
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

// Contact of a tendon with an obstacle: first and last tangent point, and the length between them along the surface.
struct WrapArc {
    touches: bool,
    first: vec3f,
    last: vec3f,
    length: f32,
}

// Tangent points and arc length of a path in the plane.
struct FlatPath {
    touches: bool,
    first: vec2f,
    last: vec2f,
    length: f32,
}

const NO_WRAP: WrapArc = WrapArc(false, vec3f(0.0), vec3f(0.0), 0.0);
const STRAIGHT: FlatPath = FlatPath(false, vec2f(0.0), vec2f(0.0), 0.0);

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
    var length = path.length;
    if (obstacle.cylinder) {
        // the axial coordinate advances evenly along the path
        let before = length2(fp - path.first);
        let rise = (q.z - p.z) / (before + length + length2(fq - path.last));
        first.z = p.z + rise * before;
        last.z = p.z + rise * (before + length);
        length = sqrt(length * length * (1.0 + rise * rise));
    }
    return WrapArc(true, obstacle.pos + obstacle.mat * first, obstacle.pos + obstacle.mat * last, length);
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
            best = FlatPath(!crosses, first, last, length_circle(first, last, r, turn));
            value = good;
        }
    }
    return best;
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
    let a = length2(p);
    let b = length2(q);
    let turn = p.x * q.y - p.y * q.x;
    let total = arctan2(abs(turn), dot(p, q));
    // reflection: equal angles of incidence; their difference increases with the angle of the point
    var low = 0.0;
    var high = total;
    var angle = total * b / max(a + b, MINVAL);
    for (var k = 0u; k < 30u; k++) {
        let left = incidence(a, r, angle);
        let right = incidence(b, r, total - angle);
        let off = left.x - right.x;
        if (off > 0.0) {
            high = angle;
        } else {
            low = angle;
        }
        let step = off / (left.y + right.y);
        // a step of rounding would be cut short by the bracket, whose other end may be far
        if (abs(step) <= REFLECTION_TOLERANCE) {
            break;
        }
        let next = angle - step;
        angle = select(0.5 * (low + high), next, next > low && next < high);
    }
    // from the direction of the first end towards the second
    let x = unit2(p);
    let sc = sincos(angle);
    let s = select(sc.x, -sc.x, turn < 0.0);
    let touch = r * vec2f(x.x * sc.y - x.y * s, x.y * sc.y + x.x * s);
    return FlatPath(true, touch, touch, 0.0);
}

// Angle of incidence at a point of the circle, towards an end at distance d and angle phi from there, and its
// derivative.
fn incidence(d: f32, r: f32, phi: f32) -> vec2f {
    let sc = sincos(phi);
    let x = d * sc.y - r;
    let y = d * sc.x;
    return vec2f(arctan2(y, x), (d * d - r * d * sc.y) / max(x * x + y * y, MINVAL));
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
