//! Kernels for one model: composition of WGSL, accessors, the layout of memory.

pub mod access;
pub mod compose;
pub mod layout;
pub mod link;
pub mod syntax;
pub mod unroll;
