// 3-vectors and numbers. Twin: crates/cpu/src/math/vector.rs.

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

// Three consecutive elements of field A.
fn vec3_at__A(first: u32) -> vec3f {
    return vec3f(A(first), A(first + 1u), A(first + 2u));
}

// Writes three consecutive elements of field A.
fn set_vec3_at__A(first: u32, v: vec3f) {
    set_A(first, v.x);
    set_A(first + 1u, v.y);
    set_A(first + 2u, v.z);
}
