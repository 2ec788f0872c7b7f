//! Kernels of one model: composition of WGSL, accessors, memory layout.

pub mod access;
pub(crate) mod branches;
pub mod compose;
mod conditions;
mod constants;
#[cfg(test)]
mod contract;
pub mod export;
pub(crate) mod flags;
pub mod items;
mod joints;
pub mod layout;
pub mod lifetime;
pub mod link;
pub mod namespace;
mod narrow_phase;
mod own;
pub(crate) mod row_width;
pub mod schedule;
pub mod syntax;
pub(crate) mod task;
pub mod tiling;
pub mod unroll;
mod working_set;
