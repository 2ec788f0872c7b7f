// Vectors, quaternions and frames. Quaternions are scalar-first: (x, y, z, w) of the vec4 hold (w, x, y, z).

import package::math::trig::{arctan2, PI, sincos};

// True if x is neither NaN nor infinite, by its bits: comparisons with NaN may be optimised away.
fn is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) < 0x7f800000u;
}

// x clamped to a range; NaN stays NaN.
fn clip(x: f32, low: f32, high: f32) -> f32 {
    if (x < low) {
        return low;
    }
    if (x > high) {
        return high;
    }
    return x;
}

// Unit vector; the x axis for a zero vector.
fn normalize3(v: vec3f) -> vec3f {
    let n = sqrt(dot(v, v));
    if (n < MINVAL) {
        return vec3f(1.0, 0.0, 0.0);
    }
    return v * (1.0 / n);
}

// Unit quaternion; the identity for a zero quaternion.
fn quat_normalize(q: vec4f) -> vec4f {
    let n = sqrt(dot(q, q));
    if (n < MINVAL) {
        return vec4f(1.0, 0.0, 0.0, 0.0);
    }
    return q * (1.0 / n);
}

// Quaternion product a b.
fn quat_mul(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(
        a.x * b.x - a.y * b.y - a.z * b.z - a.w * b.w,
        a.x * b.y + a.y * b.x + a.z * b.w - a.w * b.z,
        a.x * b.z - a.y * b.w + a.z * b.x + a.w * b.y,
        a.x * b.w + a.y * b.z - a.z * b.y + a.w * b.x,
    );
}

// Conjugate quaternion.
fn quat_conj(q: vec4f) -> vec4f {
    return vec4f(q.x, -q.yzw);
}

// Vector v rotated by the unit quaternion q.
fn quat_rotate(q: vec4f, v: vec3f) -> vec3f {
    let t = 2.0 * cross(q.yzw, v);
    return v + q.x * t + cross(q.yzw, t);
}

// Rotation matrix of a unit quaternion.
fn quat_to_mat(q: vec4f) -> mat3x3f {
    let ww = q.x * q.x;
    let xx = q.y * q.y;
    let yy = q.z * q.z;
    let zz = q.w * q.w;
    let wx = q.x * q.y;
    let wy = q.x * q.z;
    let wz = q.x * q.w;
    let xy = q.y * q.z;
    let xz = q.y * q.w;
    let yz = q.z * q.w;
    // columns
    return mat3x3f(
        vec3f(ww + xx - yy - zz, 2.0 * (xy + wz), 2.0 * (xz - wy)),
        vec3f(2.0 * (xy - wz), ww - xx + yy - zz, 2.0 * (yz + wx)),
        vec3f(2.0 * (xz + wy), 2.0 * (yz - wx), ww - xx - yy + zz),
    );
}

// Quaternion of a rotation by an angle about a unit axis.
fn axis_angle_quat(axis: vec3f, angle: f32) -> vec4f {
    let sc = sincos(0.5 * angle);
    return vec4f(sc.y, sc.x * axis);
}

// Quaternion q integrated with the angular velocity v, in its own frame, over the time h.
fn quat_integrate(q: vec4f, v: vec3f, h: f32) -> vec4f {
    let speed = sqrt(dot(v, v));
    if (speed < MINVAL) {
        return quat_normalize(q);
    }
    return quat_normalize(quat_mul(q, axis_angle_quat(v / speed, h * speed)));
}

// Rotation vector of a unit quaternion, angle in (-pi, pi].
fn quat_to_rotvec(q: vec4f) -> vec3f {
    let s = sqrt(dot(q.yzw, q.yzw));
    if (s < MINVAL) {
        return vec3f(0.0);
    }
    var angle = 2.0 * arctan2(s, q.x);
    if (angle > PI) {
        angle = angle - 2.0 * PI;
    }
    return q.yzw * (angle / s);
}

// Rotation vector from b to a, in b's frame.
fn quat_sub(a: vec4f, b: vec4f) -> vec3f {
    return quat_to_rotvec(quat_mul(quat_conj(b), a));
}

// Matrix of the cross product: skew(a) b = cross(a, b).
fn skew(a: vec3f) -> mat3x3f {
    return mat3x3f(vec3f(0.0, a.z, -a.y), vec3f(-a.z, 0.0, a.x), vec3f(a.y, -a.x, 0.0));
}

// Outer product a b'.
fn outer(a: vec3f, b: vec3f) -> mat3x3f {
    return mat3x3f(a * b.x, a * b.y, a * b.z);
}

// Diagonal matrix.
fn diagonal(a: vec3f) -> mat3x3f {
    return mat3x3f(vec3f(a.x, 0.0, 0.0), vec3f(0.0, a.y, 0.0), vec3f(0.0, 0.0, a.z));
}

// Row i of a matrix.
fn mat_row(m: mat3x3f, i: u32) -> vec3f {
    return vec3f(m[0][i], m[1][i], m[2][i]);
}
