//! QCQP: a quadratic minimised within an ellipsoid. It gives the tangential forces of a contact with an elliptic
//! cone, bounded by the normal force.

use manyworlds_model::real::Real;

/// Most tangential rows of a contact.
pub const MAX_TANGENTS: usize = 5;

/// Most Newton steps.
const QCQP_MAX_STEPS: usize = 20;

/// Threshold of singularity, of the smallest step, and tolerance on the squared bound.
const QCQP_EPS: f64 = 1e-10;

/// A symmetric matrix of the tangential rows.
pub type SquareMatrix<T> = [[T; MAX_TANGENTS]; MAX_TANGENTS];

/// Minimiser `x` of `½ x' a x + b' x`, `n` elements, subject to a length of `x / axes` of at most `bound`, and
/// whether that is active. Zero if the matrix is singular.
///
/// In units of the axes the bound is a sphere, and the minimiser solves `(a + λ) y = -b` for the least `λ ≥ 0` with
/// `|y| ≤ bound`: Newton's method on `|y|² - bound²`, which is decreasing and convex in `λ`, so that `λ` grows
/// monotonically to the root (Moré and Sorensen, Computing a trust region step, 1983).
pub fn solve_qcqp<T: Real>(
    a: &SquareMatrix<T>,
    b: &[T; MAX_TANGENTS],
    axes: &[T],
    bound: T,
    n: usize,
) -> ([T; MAX_TANGENTS], bool) {
    let small = T::of(QCQP_EPS);
    let mut multiplier = T::ZERO;
    let mut y = [T::ZERO; MAX_TANGENTS];
    for _ in 0..QCQP_MAX_STEPS {
        // scaled by the semi-axes
        let mut l = [[T::ZERO; MAX_TANGENTS]; MAX_TANGENTS];
        for i in 0..n {
            for j in 0..=i {
                l[i][j] = a[i][j] * axes[i] * axes[j];
            }
            l[i][i] += multiplier;
            y[i] = -(b[i] * axes[i]);
        }
        if !factor(&mut l, n) {
            return ([T::ZERO; MAX_TANGENTS], false);
        }
        solve(&l, &mut y, n);
        let over = squares(&y, n) - bound * bound;
        if over < small {
            break;
        }
        // derivative of the squared length with respect to the multiplier: -2 y' (a + λ)⁻¹ y
        let mut z = y;
        solve(&l, &mut z, n);
        let mut slope = T::ZERO;
        for k in 0..n {
            slope += T::of(2.0) * y[k] * z[k];
        }
        let step = over / slope;
        if step < small {
            break;
        }
        multiplier += step;
    }
    for k in 0..n {
        y[k] *= axes[k];
    }
    (y, multiplier != T::ZERO)
}

/// Replaces a lower triangle by its factors `L D L'`, `D` on the diagonal; false if it is singular, by the
/// determinant for up to three rows and by each pivot for more.
fn factor<T: Real>(l: &mut SquareMatrix<T>, n: usize) -> bool {
    let small = T::of(QCQP_EPS);
    let mut determinant = T::ONE;
    for j in 0..n {
        for k in 0..j {
            let x = l[j][k] * l[k][k];
            for i in j..n {
                let other = l[i][k];
                l[i][j] -= x * other;
            }
        }
        determinant *= l[j][j];
        let singular = if n > 3 { l[j][j] < small } else { l[j][j] <= T::ZERO };
        if singular {
            return false;
        }
        for i in j + 1..n {
            let pivot = l[j][j];
            l[i][j] /= pivot;
        }
    }
    n > 3 || determinant >= small
}

/// Solves `L D L' x = b` in place.
fn solve<T: Real>(l: &SquareMatrix<T>, x: &mut [T; MAX_TANGENTS], n: usize) {
    for i in 0..n {
        for k in 0..i {
            let other = x[k];
            x[i] -= l[i][k] * other;
        }
    }
    for i in (0..n).rev() {
        x[i] /= l[i][i];
        for k in i + 1..n {
            let other = x[k];
            x[i] -= l[k][i] * other;
        }
    }
}

/// Squared length of the first `n` elements.
pub fn squares<T: Real>(x: &[T], n: usize) -> T {
    let mut sum = T::ZERO;
    for k in 0..n {
        sum += x[k] * x[k];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::uniform::uniform;

    fn value(a: &SquareMatrix<f64>, b: &[f64; MAX_TANGENTS], x: &[f64; MAX_TANGENTS], n: usize) -> f64 {
        (0..n).map(|i| x[i] * (b[i] + 0.5 * (0..n).map(|j| a[i][j] * x[j]).sum::<f64>())).sum()
    }

    #[test]
    fn no_point_of_the_ellipsoid_is_better() {
        let (mut held, mut inside) = (0, 0);
        for trial in 0..300u64 {
            let draw = |k: u64| 2.0 * uniform(5, 0, 0, 100 * trial + k) - 1.0;
            let n = [2, 3, 5][trial as usize % 3];
            let root: SquareMatrix<f64> =
                std::array::from_fn(|i| std::array::from_fn(|j| draw((5 * i + j) as u64)));
            let a: SquareMatrix<f64> = std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    let own = if i == j { 0.3 } else { 0.0 };
                    own + (0..n).map(|k| root[i][k] * root[j][k]).sum::<f64>()
                })
            });
            let b: [f64; MAX_TANGENTS] = std::array::from_fn(|k| draw(30 + k as u64));
            let axes: [f64; MAX_TANGENTS] = std::array::from_fn(|k| 0.5 + draw(40 + k as u64).abs());
            let bound = 0.2 + 2.0 * draw(50).abs();
            let (x, on) = solve_qcqp(&a, &b, &axes, bound, n);
            let length =
                |x: &[f64; MAX_TANGENTS]| (0..n).map(|k| (x[k] / axes[k]).powi(2)).sum::<f64>().sqrt();
            assert!(length(&x) < bound + 1e-6, "{} {bound}", length(&x));
            assert!(!on || length(&x) > bound - 1e-6);
            held += usize::from(on);
            inside += usize::from(!on);
            // other points of the ellipsoid, far and near
            for other in 0..40u64 {
                let mut y: [f64; MAX_TANGENTS] = std::array::from_fn(|k| draw(51 + other + k as u64));
                if other % 2 == 0 {
                    y = std::array::from_fn(|k| x[k] + 1e-3 * y[k]);
                }
                let shrink = (bound / length(&y)).min(1.0);
                y = y.map(|v| v * shrink);
                assert!(value(&a, &b, &y, n) > value(&a, &b, &x, n) - 1e-8, "{trial} {other}");
            }
        }
        assert!(held > 50 && inside > 50, "{held} {inside}");
    }
}
