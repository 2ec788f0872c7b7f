//! Rotations of elements: conversion between quaternions of glam and scalar-first arrays, and of axes.

use glam::{DMat3, DQuat, DVec3};

/// A vector that is not longer than this has no direction, and an axis this near the z axis is that: as in the reference.
pub(crate) const MIN_LENGTH: f64 = 1e-7;

/// Direction of a vector, if it has one.
pub(crate) fn direction(v: DVec3) -> Option<DVec3> {
    let length = v.length();
    if length.is_infinite() && v.is_finite() {
        // its square is too large, not the vector
        return direction(v / v.abs().max_element());
    }
    (length > MIN_LENGTH && length.is_finite()).then(|| v / length)
}

/// Unit quaternion of one that is finite and not zero, however small.
pub(crate) fn unit_quat(q: DQuat) -> Option<DQuat> {
    let most = q.to_array().into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if most == 0.0 || !q.is_finite() {
        return None;
    }
    // squares of very small and very large numbers are zero and infinite
    let scaled = if (1e-100..1e100).contains(&most) { q } else { q * (1.0 / most) };
    Some(scaled.normalize())
}

/// Quaternion as a scalar-first array.
pub(crate) fn quat_array(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

/// Quaternion from a scalar-first array.
pub(crate) fn quat_of(q: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(q[1], q[2], q[3], q[0])
}

/// Quaternion of orthonormal axes, of the sign that MuJoCo gives it: w is positive where the trace is, else the part of
/// the largest axis. A free joint starts from it.
pub(crate) fn of_axes(x: DVec3, y: DVec3, z: DVec3) -> DQuat {
    let q = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
    let leading = if x.x + y.y + z.z > 0.0 {
        q.w
    } else if x.x > y.y && x.x > z.z {
        q.x
    } else if y.y > z.z {
        q.y
    } else {
        q.z
    };
    if leading < 0.0 { -q } else { q }
}

/// Minimal rotation of the z axis to a unit vector.
pub(crate) fn z_to(axis: DVec3) -> DQuat {
    let cross = DVec3::Z.cross(axis);
    let sine = cross.length();
    let angle = sine.atan2(axis.z);
    if sine <= MIN_LENGTH {
        // parallel or antiparallel: rotation about x
        return DQuat::from_rotation_x(if axis.z < 0.0 { std::f64::consts::PI } else { 0.0 });
    }
    DQuat::from_axis_angle(cross / sine, angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_the_quaternion_whose_largest_part_is_positive() {
        for q in [[-0.9, 0.1, 0.2, 0.3], [0.1, -0.8, 0.3, 0.2], [-0.3, 0.2, -0.7, 0.5], [0.4, 0.3, 0.5, -0.7]]
        {
            let q = quat_of(q).normalize();
            let got = of_axes(q * DVec3::X, q * DVec3::Y, q * DVec3::Z);
            assert!((got + q).length() < 1e-12, "{q} {got}");
        }
        // half a turn about the diagonal of x and z: the later axis is positive
        let got = of_axes(DVec3::Z, -DVec3::Y, DVec3::X);
        assert!((got - DQuat::from_xyzw(0.5, 0.0, 0.5, 0.0).normalize()).length() < 1e-12, "{got}");
    }
}
