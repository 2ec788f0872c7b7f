//! Rotations of elements: conversion between quaternions of glam and scalar-first arrays, and of axes.

use glam::{DQuat, DVec3};

/// A vector shorter than this has no direction.
pub(crate) const MIN_LENGTH: f64 = 1e-10;

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
    if sine < MIN_LENGTH {
        // parallel or antiparallel: rotation about x
        return DQuat::from_rotation_x(if axis.z < 0.0 { std::f64::consts::PI } else { 0.0 });
    }
    DQuat::from_axis_angle(cross / sine, angle)
}
