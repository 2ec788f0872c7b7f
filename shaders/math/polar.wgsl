// Polar decomposition: the rotation nearest to a matrix. Twin: crates/cpu/src/math/polar.rs, which explains the method.

import package::math::matrix::diagonal;
import package::math::quaternion::{axis_angle_quat, quat_mul, quat_normalize, quat_to_mat};
import package::math::vector::normalize3;

// Most steps, against numbers that do not converge.
const MOST_STEPS: u32 = 50u;

// Largest angle of a step of Newton's method, rad; angle of a step that changes nothing.
const MOST_ANGLE: f32 = 1.0;
const LEAST_ANGLE: f32 = 4.8e-7;

// A vector, if there is one.
struct Solution {
    x: vec3f,
    exists: bool,
}

// Rotation nearest to a matrix: the one with the largest trace of R'F, also where F turns inside out.
fn nearest_rotation(f: mat3x3f) -> mat3x3f {
    var turn = vec4f(1.0, 0.0, 0.0, 0.0);
    for (var k = 0u; k < MOST_STEPS; k++) {
        let r = quat_to_mat(turn);
        let moment = cross(r[0], f[0]) + cross(r[1], f[1]) + cross(r[2], f[2]);
        let product = f * transpose(r);
        let trace = product[0].x + product[1].y + product[2].z;
        let newton = solve_positive(diagonal(vec3f(trace)) - (product + transpose(product)) * 0.5, moment);
        let is_small = newton.exists && sqrt(dot(newton.x, newton.x)) < MOST_ANGLE;
        let step = select(moment / (abs(trace) + MINVAL), newton.x, is_small);
        let angle = sqrt(dot(step, step));
        turn = quat_normalize(quat_mul(axis_angle_quat(normalize3(step), angle), turn));
        // not a number either
        if (!(angle > LEAST_ANGLE)) {
            break;
        }
    }
    return quat_to_mat(turn);
}

// Solution of a system with a symmetric matrix by its Cholesky factors; none unless the matrix is positive definite.
fn solve_positive(a: mat3x3f, b: vec3f) -> Solution {
    let none = Solution(vec3f(0.0), false);
    let d0 = a[0].x;
    if (!(d0 > 0.0)) {
        return none;
    }
    let l10 = a[0].y / d0;
    let l20 = a[0].z / d0;
    let d1 = a[1].y - l10 * a[0].y;
    if (!(d1 > 0.0)) {
        return none;
    }
    let l21 = (a[1].z - l20 * a[0].y) / d1;
    let d2 = a[2].z - l20 * a[0].z - l21 * l21 * d1;
    if (!(d2 > 0.0)) {
        return none;
    }
    let y1 = b.y - l10 * b.x;
    let y2 = b.z - l20 * b.x - l21 * y1;
    let x2 = y2 / d2;
    let x1 = y1 / d1 - l21 * x2;
    return Solution(vec3f(b.x / d0 - l10 * x1 - l20 * x2, x1, x2), true);
}
