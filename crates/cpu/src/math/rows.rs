//! Long vectors: matrix rows, and vectors over the degrees of freedom.

use manyworlds_model::real::Real;

/// Scalar product of two long vectors: four partial sums, then their sum.
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

/// Scalar products of four long vectors with another, which is read once. The four may be longer. A function by itself but for
/// numbers side by side, whose instructions are those of their caller.
#[inline(always)]
pub fn dot_rows4<T: Real>(v: &[T], a: &[T], b: &[T], c: &[T], d: &[T]) -> [T; 4] {
    if T::WIDTH > 1 { dot_four_rows(v, a, b, c, d) } else { dot_rows4_apart(v, a, b, c, d) }
}

#[inline(never)]
fn dot_rows4_apart<T: Real>(v: &[T], a: &[T], b: &[T], c: &[T], d: &[T]) -> [T; 4] {
    dot_four_rows(v, a, b, c, d)
}

#[inline(always)]
fn dot_four_rows<T: Real>(v: &[T], a: &[T], b: &[T], c: &[T], d: &[T]) -> [T; 4] {
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

/// Adds `f` times a long vector to another, which may be shorter.
#[inline]
pub fn add_row<T: Real>(out: &mut [T], f: T, a: &[T]) {
    let n = out.len();
    let a = &a[..n];
    for i in 0..n {
        out[i] += f * a[i];
    }
}

/// Adds four scaled long vectors to another, which is read and written once. The four may be longer. The factors are
/// separate arguments so that they are passed in registers. A function by itself but for numbers side by side.
#[inline(always)]
pub fn add_rows4<T: Real>(out: &mut [T], fa: T, a: &[T], fb: T, b: &[T], fc: T, c: &[T], fd: T, d: &[T]) {
    if T::WIDTH > 1 {
        add_four_rows(out, [fa, fb, fc, fd], [a, b, c, d]);
    } else {
        add_rows4_apart(out, fa, a, fb, b, fc, c, fd, d);
    }
}

#[inline(never)]
fn add_rows4_apart<T: Real>(out: &mut [T], fa: T, a: &[T], fb: T, b: &[T], fc: T, c: &[T], fd: T, d: &[T]) {
    add_four_rows(out, [fa, fb, fc, fd], [a, b, c, d]);
}

/// [`add_rows4`] where it stands: of numbers that are passed in memory anyway.
#[inline(always)]
pub fn add_four_rows<T: Real>(out: &mut [T], f: [T; 4], [a, b, c, d]: [&[T]; 4]) {
    let n = out.len();
    let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
    for i in 0..n {
        out[i] += sum_of_four(f, [a[i], b[i], c[i], d[i]]);
    }
}

/// [`add_rows4`] unless all factors are zero; of numbers side by side, by number.
#[inline(always)]
pub fn add_rows4_if_any<T: Real>(out: &mut [T], f: [T; 4], [a, b, c, d]: [&[T]; 4]) {
    let Some(mask) = T::where_any(f) else { return };
    if T::is_everywhere(mask) {
        return add_rows4(out, f[0], a, f[1], b, f[2], c, f[3], d);
    }
    let n = out.len();
    let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
    for i in 0..n {
        let sum = out[i] + sum_of_four(f, [a[i], b[i], c[i], d[i]]);
        out[i] = sum.where_holds(mask, out[i]);
    }
}

#[inline(always)]
fn sum_of_four<T: Real>(f: [T; 4], x: [T; 4]) -> T {
    (f[0] * x[0] + f[1] * x[1]) + (f[2] * x[2] + f[3] * x[3])
}
