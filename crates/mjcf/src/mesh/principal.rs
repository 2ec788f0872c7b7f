//! Principal axes of inertia tensors.

use glam::{DMat3, DQuat, DVec3};

/// Upper bound on Jacobi rotations of the eigenvalue iteration.
const EIG_STEPS: usize = 500;

/// Relative to the largest moment: off-diagonal tolerance of the iteration, and smallest difference that reorders.
const EIG_END: f64 = 4e-15;

const EIG_ORDER: f64 = 1e-12;

/// Principal moments in decreasing order, and the principal frame.
pub(crate) fn principal(tensor: &DMat3) -> ([f64; 3], DQuat) {
    principal_to(tensor, EIG_END, EIG_ORDER)
}

/// Principal axes with explicit tolerances: `end` for off-diagonal elements, `order` for equal moments.
pub(crate) fn principal_to(tensor: &DMat3, end: f64, order: f64) -> ([f64; 3], DQuat) {
    let scale = (0..3).map(|i| tensor.col(i)[i].abs()).fold(0.0, f64::max);
    let (end, order) = (end * scale, order * scale);
    let mut quat = DQuat::IDENTITY;
    let mut d = *tensor;
    for _ in 0..EIG_STEPS {
        let r = DMat3::from_quat(quat);
        d = r.transpose() * *tensor * r;
        // Jacobi rotation annihilates the largest off-diagonal element
        let (xy, xz, yz) = (d.y_axis.x, d.z_axis.x, d.z_axis.y);
        let (p, q, k) = if xy.abs() > xz.abs() && xy.abs() > yz.abs() {
            (0, 1, 2)
        } else if xz.abs() > yz.abs() {
            (0, 2, 1)
        } else {
            (1, 2, 0)
        };
        let off = d.col(q)[p];
        if off.abs() <= end {
            break;
        }
        let tau = (d.col(q)[q] - d.col(p)[p]) / (2.0 * off);
        let t = if tau >= 0.0 {
            1.0 / (tau + (1.0 + tau * tau).sqrt())
        } else {
            -1.0 / (-tau + (1.0 + tau * tau).sqrt())
        };
        // quaternion of the rotation: half the angle
        let (sine, w) = (-t.atan() / 2.0).sin_cos();
        let mut turn = [0.0; 3];
        turn[k] = if k == 1 { -sine } else { sine };
        quat = (quat * DQuat::from_xyzw(turn[0], turn[1], turn[2], w)).normalize();
    }
    let mut moments = [d.x_axis.x, d.y_axis.y, d.z_axis.z];
    // sort by three comparisons; each swap is a quarter turn about the remaining axis
    for step in 0..3 {
        let j = step % 2;
        if moments[j] + order < moments[j + 1] {
            moments.swap(j, j + 1);
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let turn = if j == 0 {
                DQuat::from_xyzw(0.0, 0.0, half, half)
            } else {
                DQuat::from_xyzw(half, 0.0, 0.0, half)
            };
            quat = (quat * turn).normalize();
        }
    }
    (moments, quat)
}

/// Inertia tensor of principal moments in a rotated frame.
pub(crate) fn turned(moments: [f64; 3], quat: DQuat) -> DMat3 {
    let r = DMat3::from_quat(quat);
    r * DMat3::from_diagonal(DVec3::from_array(moments)) * r.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_are_found_and_sorted() {
        let quat = DQuat::from_xyzw(0.1, -0.4, 0.3, 0.8).normalize();
        let tensor = turned([1.0, 3.0, 2.0], quat);
        let (moments, frame) = principal(&tensor);
        for (got, want) in moments.into_iter().zip([3.0, 2.0, 1.0]) {
            assert!((got - want).abs() < 1e-9);
        }
        let back = turned(moments, frame);
        assert!((back - tensor).abs().to_cols_array().iter().all(|&x| x < 1e-9));
    }
}
