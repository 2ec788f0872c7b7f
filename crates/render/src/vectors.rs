//! Vectors, matrices and colours out of the lists of a model or a world, in single precision.

use glam::{Mat3, Vec3};

/// Three numbers of a list, from place `3 * i` on.
pub(super) fn vec3(list: &[f64], i: usize) -> Vec3 {
    Vec3::new(list[3 * i] as f32, list[3 * i + 1] as f32, list[3 * i + 2] as f32)
}

/// A matrix of a list, stored by rows.
pub(super) fn mat3(list: &[f64], i: usize) -> Mat3 {
    let row = |r: usize| vec3(&list[9 * i..], r);
    Mat3::from_cols(row(0), row(1), row(2)).transpose()
}

/// Four numbers of a list.
pub(super) fn rgba(list: &[f64], i: usize) -> [f32; 4] {
    [0, 1, 2, 3].map(|k| list[4 * i + k] as f32)
}
