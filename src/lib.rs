//! manyworlds: a physics engine for robots, compatible with MuJoCo, that steps thousands of worlds at once.

pub mod analysis;
pub mod assets;
pub mod batch;
pub mod compile;
pub mod cpu;
pub mod error;
pub mod files;
pub mod formats;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod identification;
pub mod images;
pub mod impulse;
mod load;
pub mod mesh;
pub mod mjcf;
pub mod model;
pub mod planning;
pub mod prelude;
pub mod real;
#[cfg(feature = "gpu")]
pub mod render;
pub mod schema;
pub mod spec;
mod urdf;
mod xml;

pub use load::{load, load_str, load_str_with, load_with};
