//! manyworlds: a physics engine for robots, compatible with MuJoCo, that steps thousands of worlds at once.

pub mod batch;
pub mod check;
pub mod compile;
pub mod cpu;
pub mod data;
pub mod derivatives;
pub mod error;
pub mod fields;
pub mod files;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod mesh;
pub mod mjcf;
pub mod model;
pub mod mwb;
pub mod npz;
pub mod objects;
pub mod plan;
pub mod query;
pub mod real;
pub mod spec;
pub mod stages;
mod support;
mod urdf;
