//! Rotations of elements: conversion between quaternions of glam and scalar-first arrays, and of axes.

use glam::{DQuat, DVec3};

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
