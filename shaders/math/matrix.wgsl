// 3 x 3 matrices and frames. Twin: crates/cpu/src/math/matrix.rs.

import package::math::vector::normalize3;

// Right-handed frame as rows: the normal, the tangent closest to the hint, and their cross product.
fn make_frame_hint(x: vec3f, hint: vec3f) -> mat3x3f {
    let fallback = select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), x.y < 0.5 && x.y > -0.5);
    var y = select(hint, fallback, sqrt(dot(hint, hint)) < 0.5);
    y = normalize3(y - dot(x, y) * x);
    // orthogonalised twice: if the hint is nearly parallel to x, the first pass leaves little but rounding
    y = select(fallback, y, abs(dot(x, y)) < 0.5);
    y = normalize3(y - dot(x, y) * x);
    return transpose(mat3x3f(x, y, cross(x, y)));
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
