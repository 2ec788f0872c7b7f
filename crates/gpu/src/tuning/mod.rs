//! Tiling and partition of kernels, their tuning, and the cost of a step.

pub mod cache;
pub(crate) mod chunk;
pub mod options;
pub mod roofline;
pub(crate) mod solver;
pub mod traffic;
pub mod tune;
