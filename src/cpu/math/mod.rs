//! Vectors, quaternions and spatial algebra on small arrays: the same functions, under the same names, as
//! the WGSL library.
//!
//! Quaternions are scalar-first, matrices row-major, spatial vectors rotation first (Featherstone, *Rigid
//! Body Dynamics Algorithms*, §2). A spatial inertia is ten numbers: the tensor about the reference point as
//! xx yy zz xy xz yz, mass times the offset of the centre of mass, and the mass.

pub mod count;
#[cfg(test)]
pub(crate) mod random;

use crate::real::Real;

/// Entry `i` of an array of 3-vectors.
#[inline(always)]
pub fn vec3<T: Real>(a: &[T], i: usize) -> [T; 3] {
    let s = &a[3 * i..3 * i + 3];
    [s[0], s[1], s[2]]
}

/// Entry `i` of an array of quaternions.
#[inline(always)]
pub fn vec4<T: Real>(a: &[T], i: usize) -> [T; 4] {
    let s = &a[4 * i..4 * i + 4];
    [s[0], s[1], s[2], s[3]]
}

/// Entry `i` of an array of spatial vectors.
#[inline(always)]
pub fn vec6<T: Real>(a: &[T], i: usize) -> [T; 6] {
    let s = &a[6 * i..6 * i + 6];
    [s[0], s[1], s[2], s[3], s[4], s[5]]
}

/// Entry `i` of an array of 3 × 3 matrices.
#[inline(always)]
pub fn mat3<T: Real>(a: &[T], i: usize) -> [T; 9] {
    let s = &a[9 * i..9 * i + 9];
    [s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]]
}

/// Entry `i` of an array of spatial inertias.
#[inline(always)]
pub fn vec10<T: Real>(a: &[T], i: usize) -> [T; 10] {
    let s = &a[10 * i..10 * i + 10];
    [s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9]]
}

/// Writes entry `i` of an array of 3-vectors.
#[inline(always)]
pub fn set_vec3<T: Real>(a: &mut [T], i: usize, v: [T; 3]) {
    a[3 * i..3 * i + 3].copy_from_slice(&v);
}

/// Writes entry `i` of an array of quaternions.
#[inline(always)]
pub fn set_vec4<T: Real>(a: &mut [T], i: usize, v: [T; 4]) {
    a[4 * i..4 * i + 4].copy_from_slice(&v);
}

/// Writes entry `i` of an array of spatial vectors.
#[inline(always)]
pub fn set_vec6<T: Real>(a: &mut [T], i: usize, v: [T; 6]) {
    a[6 * i..6 * i + 6].copy_from_slice(&v);
}

/// Writes entry `i` of an array of 3 × 3 matrices.
#[inline(always)]
pub fn set_mat3<T: Real>(a: &mut [T], i: usize, v: [T; 9]) {
    a[9 * i..9 * i + 9].copy_from_slice(&v);
}

/// Writes entry `i` of an array of spatial inertias.
#[inline(always)]
pub fn set_vec10<T: Real>(a: &mut [T], i: usize, v: [T; 10]) {
    a[10 * i..10 * i + 10].copy_from_slice(&v);
}

/// Sum of two vectors.
#[inline(always)]
pub fn add<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Difference of two vectors.
#[inline(always)]
pub fn sub<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// A vector times a number.
#[inline(always)]
pub fn scale<T: Real>(a: [T; 3], s: T) -> [T; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a + b * s`.
#[inline(always)]
pub fn add_scaled<T: Real>(a: [T; 3], b: [T; 3], s: T) -> [T; 3] {
    [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s]
}

/// Inner product.
#[inline(always)]
pub fn dot<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Inner product of two long vectors: four partial sums, then their sum.
#[inline(always)]
pub fn dot_n<T: Real>(a: &[T], b: &[T]) -> T {
    let n = a.len().min(b.len());
    let (a, b) = (a[..n].chunks_exact(4), b[..n].chunks_exact(4));
    let rest = a.remainder().iter().zip(b.remainder());
    let mut sum = [T::ZERO; 4];
    for (x, y) in a.zip(b) {
        for k in 0..4 {
            sum[k] += x[k] * y[k];
        }
    }
    for (s, (x, y)) in sum.iter_mut().zip(rest) {
        *s += *x * *y;
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

/// Inner products of four long vectors with another one, which is read once. Vectors may be longer than it.
#[inline(never)]
pub fn dot_rows4<T: Real>(v: &[T], a: &[T], b: &[T], c: &[T], d: &[T]) -> [T; 4] {
    let n = v.len();
    let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
    let (mut even, mut odd) = ([T::ZERO; 4], [T::ZERO; 4]);
    let whole = n & !1;
    let mut i = 0;
    while i < whole {
        let rows = [&a[i..i + 2], &b[i..i + 2], &c[i..i + 2], &d[i..i + 2]];
        let x = &v[i..i + 2];
        for k in 0..4 {
            even[k] += rows[k][0] * x[0];
            odd[k] += rows[k][1] * x[1];
        }
        i += 2;
    }
    if whole < n {
        let rows = [a[whole], b[whole], c[whole], d[whole]];
        for k in 0..4 {
            even[k] += rows[k] * v[whole];
        }
    }
    [even[0] + odd[0], even[1] + odd[1], even[2] + odd[2], even[3] + odd[3]]
}

/// Adds `f` times a long vector to another one, which may be shorter.
#[inline]
pub fn add_row<T: Real>(out: &mut [T], f: T, a: &[T]) {
    let n = out.len();
    let a = &a[..n];
    for i in 0..n {
        out[i] += f * a[i];
    }
}

/// Adds four long vectors, each times its factor, to another one: it is read and written once. Vectors may be
/// longer than what they are added to. The factors are numbers of their own so that they come in registers.
#[inline(never)]
pub fn add_rows4<T: Real>(out: &mut [T], fa: T, a: &[T], fb: T, b: &[T], fc: T, c: &[T], fd: T, d: &[T]) {
    let n = out.len();
    let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
    for i in 0..n {
        out[i] += (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
    }
}

/// Vector product.
#[inline(always)]
pub fn cross<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Euclidean length.
#[inline(always)]
pub fn norm3<T: Real>(a: [T; 3]) -> T {
    dot(a, a).sqrt()
}

/// Unit vector along `a`; the x axis where `a` is too short to have a direction.
#[inline(always)]
pub fn normalize3<T: Real>(a: [T; 3]) -> [T; 3] {
    let n = norm3(a);
    if n < T::MINVAL {
        return [T::ONE, T::ZERO, T::ZERO];
    }
    scale(a, T::ONE / n)
}

/// Number clamped to a range; NaN stays NaN.
#[inline(always)]
pub fn clip<T: Real>(x: T, low: T, high: T) -> T {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

/// Unit quaternion along `q`; the identity where `q` is too short.
#[inline(always)]
pub fn quat_normalize<T: Real>(q: [T; 4]) -> [T; 4] {
    let n = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if n < T::MINVAL {
        return [T::ONE, T::ZERO, T::ZERO, T::ZERO];
    }
    let s = T::ONE / n;
    [q[0] * s, q[1] * s, q[2] * s, q[3] * s]
}

/// Product of two quaternions.
#[inline(always)]
pub fn quat_mul<T: Real>(a: [T; 4], b: [T; 4]) -> [T; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Conjugate: the inverse of a unit quaternion.
#[inline(always)]
pub fn quat_conj<T: Real>(q: [T; 4]) -> [T; 4] {
    [q[0], -q[1], -q[2], -q[3]]
}

/// Vector rotated by a unit quaternion.
#[inline(always)]
pub fn quat_rotate<T: Real>(q: [T; 4], v: [T; 3]) -> [T; 3] {
    // v + 2 w (u x v) + 2 u x (u x v)
    let u = [q[1], q[2], q[3]];
    let two = T::of(2.0);
    let t = scale(cross(u, v), two);
    add(add_scaled(v, t, q[0]), cross(u, t))
}

/// Rotation matrix of a unit quaternion.
#[inline(always)]
pub fn quat_to_mat<T: Real>(q: [T; 4]) -> [T; 9] {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3]);
    let two = T::of(2.0);
    [
        w * w + x * x - y * y - z * z,
        two * (x * y - w * z),
        two * (x * z + w * y),
        two * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        two * (y * z - w * x),
        two * (x * z - w * y),
        two * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    ]
}

/// Quaternion of a rotation by `angle` about the unit vector `axis`.
#[inline(always)]
pub fn axis_angle_quat<T: Real>(axis: [T; 3], angle: T) -> [T; 4] {
    let half = angle * T::of(0.5);
    let s = half.sin();
    [half.cos(), axis[0] * s, axis[1] * s, axis[2] * s]
}

/// Quaternion after turning for `dt` with the angular velocity `vel` in the local frame.
#[inline(always)]
pub fn quat_integrate<T: Real>(q: [T; 4], vel: [T; 3], dt: T) -> [T; 4] {
    let angle = dt * norm3(vel);
    quat_mul(quat_normalize(q), axis_angle_quat(normalize3(vel), angle))
}

/// Rotation vector in the local frame that leads from `b` to `a`: the inverse of [`quat_integrate`].
#[inline(always)]
pub fn quat_sub<T: Real>(a: [T; 4], b: [T; 4]) -> [T; 3] {
    let q = quat_mul(quat_conj(b), a);
    quat_to_rotvec(q)
}

/// Rotation vector of a quaternion: axis times angle, the angle at most a half turn.
#[inline(always)]
pub fn quat_to_rotvec<T: Real>(q: [T; 4]) -> [T; 3] {
    let axis = [q[1], q[2], q[3]];
    let pi = T::of(std::f64::consts::PI);
    let mut angle = T::of(2.0) * norm3(axis).atan2(q[0]);
    if angle > pi {
        angle -= T::of(2.0) * pi;
    }
    scale(normalize3(axis), angle)
}

/// Matrix times vector.
#[inline(always)]
pub fn mat_mul_vec<T: Real>(m: [T; 9], v: [T; 3]) -> [T; 3] {
    [
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    ]
}

/// Transposed matrix times vector.
#[inline(always)]
pub fn mat_t_mul_vec<T: Real>(m: [T; 9], v: [T; 3]) -> [T; 3] {
    [
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    ]
}

/// Column `i` of a matrix.
#[inline(always)]
pub fn mat_column<T: Real>(m: [T; 9], i: usize) -> [T; 3] {
    [m[i], m[3 + i], m[6 + i]]
}

/// Inner product of a motion and a force, or of any two 6-vectors.
#[inline(always)]
pub fn dot6<T: Real>(a: [T; 6], b: [T; 6]) -> T {
    (a[0] * b[0] + a[2] * b[2] + a[4] * b[4]) + (a[1] * b[1] + a[3] * b[3] + a[5] * b[5])
}

/// `a + b * s` of 6-vectors.
#[inline(always)]
pub fn add_scaled6<T: Real>(a: [T; 6], b: [T; 6], s: T) -> [T; 6] {
    [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s, a[3] + b[3] * s, a[4] + b[4] * s, a[5] + b[5] * s]
}

/// Spatial cross product of a velocity with a motion vector (RBDA §2.9).
#[inline(always)]
pub fn motion_cross<T: Real>(v: [T; 6], m: [T; 6]) -> [T; 6] {
    let (vw, vl) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]]);
    let (mw, ml) = ([m[0], m[1], m[2]], [m[3], m[4], m[5]]);
    let rot = cross(vw, mw);
    let lin = add(cross(vw, ml), cross(vl, mw));
    [rot[0], rot[1], rot[2], lin[0], lin[1], lin[2]]
}

/// Spatial cross product of a velocity with a force vector (RBDA §2.9).
#[inline(always)]
pub fn force_cross<T: Real>(v: [T; 6], f: [T; 6]) -> [T; 6] {
    let (vw, vl) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]]);
    let (fw, fl) = ([f[0], f[1], f[2]], [f[3], f[4], f[5]]);
    let rot = add(cross(vw, fw), cross(vl, fl));
    let lin = cross(vw, fl);
    [rot[0], rot[1], rot[2], lin[0], lin[1], lin[2]]
}

/// Spatial inertia times a motion vector.
#[inline(always)]
pub fn inertia_mul<T: Real>(i: [T; 10], v: [T; 6]) -> [T; 6] {
    [
        i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
        i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
        i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
        i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
        i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
        i[7] * v[0] - i[6] * v[1] + i[9] * v[5],
    ]
}

/// Spatial inertia about a point at `-offset` from the centre of mass, from the principal moments, their axes
/// and the mass.
#[inline(always)]
pub fn inertia_about<T: Real>(moments: [T; 3], axes: [T; 9], offset: [T; 3], mass: T) -> [T; 10] {
    // axes * diag(moments) * axes'
    let tensor = |r: usize, c: usize| {
        axes[3 * r] * moments[0] * axes[3 * c]
            + axes[3 * r + 1] * moments[1] * axes[3 * c + 1]
            + axes[3 * r + 2] * moments[2] * axes[3 * c + 2]
    };
    let [x, y, z] = offset;
    [
        tensor(0, 0) + mass * (y * y + z * z),
        tensor(1, 1) + mass * (x * x + z * z),
        tensor(2, 2) + mass * (x * x + y * y),
        tensor(0, 1) - mass * x * y,
        tensor(0, 2) - mass * x * z,
        tensor(1, 2) - mass * y * z,
        mass * x,
        mass * y,
        mass * z,
        mass,
    ]
}

/// Right-handed frame whose first row is the unit vector `x`; the second is made from the first.
#[inline(always)]
pub fn make_frame<T: Real>(x: [T; 3]) -> [T; 9] {
    make_frame_hint(x, [T::ZERO; 3])
}

/// Right-handed frame whose first row is the unit vector `x` and whose second is as near to `hint` as it can
/// be; a short hint is replaced by the y axis, or by the z axis where `x` is along y, and so is one along `x`.
#[inline(always)]
pub fn make_frame_hint<T: Real>(x: [T; 3], hint: [T; 3]) -> [T; 9] {
    let half = T::of(0.5);
    let spare =
        if x[1] < half && x[1] > -half { [T::ZERO, T::ONE, T::ZERO] } else { [T::ZERO, T::ZERO, T::ONE] };
    let mut y = if norm3(hint) < half { spare } else { hint };
    y = normalize3(add_scaled(y, x, -dot(x, y)));
    // once more: of a hint that is nearly along x the first time leaves little but rounding
    y = if dot(x, y).abs() < half { y } else { spare };
    y = normalize3(add_scaled(y, x, -dot(x, y)));
    let z = cross(x, y);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}

/// Product of two matrices.
#[inline(always)]
pub fn mat_mul<T: Real>(a: [T; 9], b: [T; 9]) -> [T; 9] {
    let entry = |r: usize, c: usize| a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
    std::array::from_fn(|k| entry(k / 3, k % 3))
}

/// Transposed matrix.
#[inline(always)]
pub fn transpose<T: Real>(a: [T; 9]) -> [T; 9] {
    std::array::from_fn(|k| a[3 * (k % 3) + k / 3])
}

/// `a + b * s` of matrices.
#[inline(always)]
pub fn mat_add_scaled<T: Real>(a: [T; 9], b: [T; 9], s: T) -> [T; 9] {
    std::array::from_fn(|k| a[k] + b[k] * s)
}

/// Matrix of the cross product: `skew(a)` times `b` is `a × b`.
#[inline(always)]
pub fn skew<T: Real>(a: [T; 3]) -> [T; 9] {
    [T::ZERO, -a[2], a[1], a[2], T::ZERO, -a[0], -a[1], a[0], T::ZERO]
}

/// Column `a` times row `b`.
#[inline(always)]
pub fn outer<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 9] {
    std::array::from_fn(|k| a[k / 3] * b[k % 3])
}

/// Diagonal matrix.
#[inline(always)]
pub fn diagonal<T: Real>(a: [T; 3]) -> [T; 9] {
    std::array::from_fn(|k| if k % 4 == 0 { a[k / 4] } else { T::ZERO })
}

/// Products element by element.
#[inline(always)]
pub fn times<T: Real>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}
