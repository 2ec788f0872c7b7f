//! manyworlds: a physics engine for robots, compatible with MuJoCo, that steps thousands of worlds at once.
//!
//! A model comes from a file ([`load`]) or is built in code ([`spec`]); a [`Batch`](batch::Batch) of it steps worlds on every core
//! of the CPU ([`cpu`]) or, with the feature `gpu`, in compute kernels. [`analysis`] has derivatives, rays and the comparison
//! of both. Pictures are in the crate `manyworlds-render`; planning, identification and impulses in `manyworlds-control`.
//!
//! ```
//! use manyworlds::prelude::*;
//! let model = load_str("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")?;
//! let mut batch = Batch::new(&model, 8, &BatchOptions::on(Backend::Cpu))?;
//! batch.step(100)?;
//! assert_eq!(batch.get("qpos", ..)?.shape, [8, 7]);
//! # Ok::<(), Error>(())
//! ```

pub mod analysis;
pub mod batch;
pub mod prelude;

pub use manyworlds_cpu as cpu;
#[cfg(feature = "gpu")]
pub use manyworlds_gpu as gpu;
pub use manyworlds_mjcf::{compile, load, load_str, load_str_with, load_with, mesh, mjcf, spec};
pub use manyworlds_model::{assets, error, files, formats, images, model, real, schema};
