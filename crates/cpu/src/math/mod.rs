//! Vectors, quaternions, matrices and spatial algebra, with the types, operators and function names of the WGSL
//! library.

pub mod count;
pub mod dual;
pub mod graded;
pub mod matrix;
pub mod philox;
pub mod polar;
pub mod quaternion;
#[cfg(test)]
pub(crate) mod random;
pub mod rows;
pub mod spatial;
pub mod uniform;
pub mod vector;

pub use matrix::{
    Mat3, diagonal, make_frame, make_frame_hint, mat_column, mat_row, mat3, mat3_at, outer, set_mat3, skew,
    transpose,
};
pub use polar::nearest_rotation;
pub use quaternion::{
    Quat, axis_angle_quat, quat, quat_at, quat_conj, quat_integrate, quat_mul, quat_normalize, quat_rotate,
    quat_sub, quat_to_mat, quat_to_rotvec, set_quat,
};
pub use rows::{add_four_rows, add_row, add_rows4, add_rows4_if_any, dot_n, dot_rows4};
pub use spatial::{
    Inertia, Spatial, dot6, force_cross, inertia, inertia_about, inertia_moved, inertia_mul, motion_cross,
    set_inertia, set_spatial, spatial,
};
pub use vector::{Vec3, add_vec3, clip, cross, dot, length, normalize3, set_vec3, vec3, vec3_at};
