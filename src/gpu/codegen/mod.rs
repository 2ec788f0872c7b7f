//! Kernels for one model: composition of WGSL, accessors, the layout of memory.

pub mod access;
pub mod compose;
mod conditions;
mod constants;
mod flags;
pub mod items;
pub mod layout;
pub mod link;
mod narrow_phase;
mod sources;
pub mod tiling;
pub mod unroll;
