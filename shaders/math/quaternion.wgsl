// Quaternions, scalar first: (x, y, z, w) of the vec4 hold (w, x, y, z). Twin: crates/cpu/src/math/quaternion.rs.

import package::math::trig::{arctan2, PI, sincos};

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

// Four consecutive elements of field A.
fn quat_at__A(first: u32) -> vec4f {
    return vec4f(A(first), A(first + 1u), A(first + 2u), A(first + 3u));
}
