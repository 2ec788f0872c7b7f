// Functions of a point in space: their gradient in xyz and their value in w, through the operations that made them
// (forward-mode differentiation). Sums, differences and constant factors are those of vectors.
// Twin: crates/cpu/src/math/graded.rs. No built-in function is called by a name that is defined here.

import package::math::trig::arctan2;

// Square of a length that is none.
const NO_SQUARE: f32 = MINVAL * MINVAL;

// A constant.
fn constant(value: f32) -> vec4f {
    return vec4f(0.0, 0.0, 0.0, value);
}

// The coordinates of a point.
fn coordinates(p: vec3f) -> mat3x4f {
    return mat3x4f(vec4f(1.0, 0.0, 0.0, p.x), vec4f(0.0, 1.0, 0.0, p.y), vec4f(0.0, 0.0, 1.0, p.z));
}

// A function with the given value and slope of `a`.
fn through(a: vec4f, value: f32, slope: f32) -> vec4f {
    return vec4f(a.xyz * slope, value);
}

// A constant added.
fn plus(a: vec4f, c: f32) -> vec4f {
    return vec4f(a.xyz, a.w + c);
}

// Product.
fn mul(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(a.xyz * b.w + b.xyz * a.w, a.w * b.w);
}

// Quotient by a function that is not zero.
fn over(a: vec4f, b: vec4f) -> vec4f {
    let value = a.w / b.w;
    return vec4f((a.xyz - b.xyz * value) / b.w, value);
}

// Absolute value.
fn abs(a: vec4f) -> vec4f {
    return select(a, -a, a.w < 0.0);
}

// The larger of two; of equals the first.
fn max(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b.w > a.w);
}

// The smaller of two; of equals the first.
fn min(a: vec4f, b: vec4f) -> vec4f {
    return select(a, b, b.w < a.w);
}

// Square root; flat at zero.
fn sqrt(a: vec4f) -> vec4f {
    if (a.w < NO_SQUARE) {
        return vec4f(0.0);
    }
    let share = inverseSqrt(a.w);
    return through(a, a.w * share, 0.5 * share);
}

// Length of the vector of two; flat at zero.
fn hypot(a: vec4f, b: vec4f) -> vec4f {
    let square = a.w * a.w + b.w * b.w;
    if (square < NO_SQUARE) {
        return vec4f(0.0);
    }
    let share = inverseSqrt(square);
    return vec4f((a.xyz * a.w + b.xyz * b.w) * share, square * share);
}

// Angle of the vector (x, `a`), rad; flat at the origin.
fn atan2(a: vec4f, x: vec4f) -> vec4f {
    let square = a.w * a.w + x.w * x.w;
    let angle = arctan2(a.w, x.w);
    if (square < NO_SQUARE) {
        return constant(angle);
    }
    return vec4f((a.xyz * x.w - x.xyz * a.w) / square, angle);
}

// Arc cosine, rad; flat at its ends.
fn acos(a: vec4f) -> vec4f {
    let square = (1.0 - a.w) * (1.0 + a.w);
    if (square < NO_SQUARE) {
        return constant(arctan2(0.0, a.w));
    }
    let share = inverseSqrt(square);
    return through(a, arctan2(square * share, a.w), -share);
}

// Remainder of a division by a positive constant, from zero up.
fn modulo(a: vec4f, c: f32) -> vec4f {
    return plus(a, -c * floor(a.w / c));
}

// The value between two constants.
fn clamp(a: vec4f, low: f32, high: f32) -> vec4f {
    return min(max(a, constant(low)), constant(high));
}
