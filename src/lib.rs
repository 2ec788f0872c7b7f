//! manyworlds: a physics engine for robots, compatible with MuJoCo, that steps thousands of worlds at once.

pub mod analysis;
pub mod batch;
pub mod prelude;

pub use manyworlds_cpu as cpu;
#[cfg(feature = "gpu")]
pub use manyworlds_gpu as gpu;
pub use manyworlds_mjcf::{compile, load, load_str, load_str_with, load_with, mesh, mjcf, spec};
pub use manyworlds_model::{assets, error, files, formats, images, model, real, schema};
