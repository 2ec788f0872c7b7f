//! Polar decomposition: the rotation nearest to a matrix.

use super::{
    Mat3, Quat, Vec3, axis_angle_quat, cross, length, mat_column, normalize3, outer, quat_mul,
    quat_normalize, quat_to_mat, transpose,
};
use manyworlds_model::real::Real;

/// Most steps, against numbers that do not converge.
const MOST_STEPS: usize = 50;

/// Largest angle of a step of Newton's method, rad.
const MOST_ANGLE: f64 = 1.0;

/// Rotation `R` nearest to a matrix `F`: the one with the largest trace of `R'F`, also where `F` turns inside out.
///
/// A small rotation by `w` changes the trace by `g · w - ½ w' H w`, with the moment `g = Σ r_i × f_i` over the columns of both and
/// `H = tr(S) - S`, where `S` is the symmetric part of `F R'`. Newton's method where that is convex, and else a step along the
/// moment (Müller, Bender, Chentanez, Macklin, *A robust method to extract the rotational part of deformations*, 2016).
pub fn nearest_rotation<T: Real>(f: Mat3<T>) -> Mat3<T> {
    let half = T::of(0.5);
    let mut turn = Quat::IDENTITY;
    for _ in 0..MOST_STEPS {
        let r = quat_to_mat(turn);
        let (mut moment, mut product) = (Vec3::ZERO, Mat3::ZERO);
        for k in 0..3 {
            let (rotated, column) = (mat_column(r, k), mat_column(f, k));
            moment += cross(rotated, column);
            product += outer(column, rotated);
        }
        let trace = product[0] + product[4] + product[8];
        let bend = Mat3::IDENTITY * trace - (product + transpose(product)) * half;
        let newton = solve_positive(bend, moment).filter(|w| length(*w) < T::of(MOST_ANGLE));
        let step = newton.unwrap_or_else(|| moment / (trace.abs() + T::MINVAL));
        let angle = length(step);
        turn = quat_normalize(quat_mul(axis_angle_quat(normalize3(step), angle), turn));
        // not a number either
        let moves = angle > T::of(4.0) * T::EPSILON;
        if !moves {
            break;
        }
    }
    quat_to_mat(turn)
}

/// Solution of a system with a symmetric matrix by its Cholesky factors; none unless the matrix is positive definite.
fn solve_positive<T: Real>(a: Mat3<T>, b: Vec3<T>) -> Option<Vec3<T>> {
    let positive = |x: T| (x > T::ZERO).then_some(x);
    let d0 = positive(a[0])?;
    let (l10, l20) = (a[3] / d0, a[6] / d0);
    let d1 = positive(a[4] - l10 * a[3])?;
    let l21 = (a[7] - l20 * a[3]) / d1;
    let d2 = positive(a[8] - l20 * a[6] - l21 * l21 * d1)?;
    let y1 = b[1] - l10 * b[0];
    let y2 = b[2] - l20 * b[0] - l21 * y1;
    let x2 = y2 / d2;
    let x1 = y1 / d1 - l21 * x2;
    Some(Vec3([b[0] / d0 - l10 * x1 - l20 * x2, x1, x2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// Rotation by a random angle about a random axis, with the stretch of a random symmetric matrix.
    #[test]
    fn the_rotation_of_a_stretched_frame_is_found() {
        let mut random = Random(7);
        for _ in 0..500 {
            let axis: Vec3<f64> = normalize3(random.vector());
            let r = quat_to_mat(axis_angle_quat(axis, 3.1 * random.vector()[0]));
            let (x, y) = (random.vector(), random.vector());
            let stretch = Mat3::IDENTITY * 0.2 + outer(x, x) + outer(y, y);
            let found = nearest_rotation(r * stretch);
            assert!((0..9).all(|k| (found[k] - r[k]).abs() < 1e-12), "{found:?} {r:?}");
        }
    }

    #[test]
    fn a_frame_turned_inside_out_has_the_rotation_of_largest_trace() {
        // singular values 3, 2 and 1, the least of them negative
        let mut random = Random(9);
        for _ in 0..200 {
            let axis: Vec3<f64> = normalize3(random.vector());
            let r = quat_to_mat(axis_angle_quat(axis, 2.0 * random.vector()[0]));
            let stretch = Mat3::from_rows(Vec3::X * 3.0, Vec3([0.0, 2.0, 0.0]), Vec3::Z * -1.0);
            let found = nearest_rotation(r * stretch);
            assert!((0..9).all(|k| (found[k] - r[k]).abs() < 1e-11), "{found:?} {r:?}");
        }
    }

    #[test]
    fn what_has_no_rotation_has_a_finite_one() {
        for f in [Mat3::ZERO, Mat3::IDENTITY * -1.0, outer(Vec3::<f64>::X, Vec3::Z)] {
            let r = nearest_rotation(f);
            let product = r * transpose(r);
            assert!((0..9).all(|k| (product[k] - Mat3::<f64>::IDENTITY[k]).abs() < 1e-12), "{r:?}");
        }
    }
}
