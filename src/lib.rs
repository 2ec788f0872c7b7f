//! A physics engine for robots, compatible with MuJoCo, that steps thousands of independent worlds at once.
//!
//! ```
//! use manyworlds::prelude::*;
//!
//! let model = load_str("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")?;
//! let mut batch = Batch::new(&model, 8, &BatchOptions::on(Backend::Cpu))?;
//! batch.step(100)?;
//! assert_eq!(batch.get("qpos", ..)?.shape, [8, 7]);
//! # Ok::<(), Error>(())
//! ```
//!
//! A *world* is the counterpart of MuJoCo's `mjData`: a state, and what follows from it. Fields have MuJoCo's names and
//! shapes, with the worlds as the first axis. Angles are in radians, whatever a file uses; lengths, masses and times have
//! the units of the model: metres, kilograms and seconds as a rule.
//!
//! | for | look at |
//! |---|---|
//! | a model from a file or a text | [`load`], [`load_str`]; compiled models in files: [`formats::mwb`] |
//! | a model in code | [`spec::Spec`] |
//! | worlds that step | [`batch::Batch`]: `step`, `get`, `set`, `reset`, `rollout`, `randomize` |
//! | a model that changes, for all worlds or for each | [`mjcf::element`]; [`batch::Batch::set_model`], `randomize` |
//! | a world by itself, without a batch | [`cpu`]: `step` on a [`model::data::Data`], which leaves out what [`batch::supported`] names |
//! | the names of fields, stages, elements | [`schema`] |
//! | derivatives, Jacobians, rays, distances; kernels against the CPU | [`analysis`] |
//! | what goes wrong | [`error::Error`]; a world that diverges is flagged and reset, and ends no call |
//! | pictures | the crate `manyworlds-render` |
//! | planning, identification, contact by impulses | the crate `manyworlds-control` |
//!
//! **Where worlds step.** [`Backend::Auto`](batch::Backend) takes a hardware GPU where there is one, in single precision,
//! else all cores of the CPU, in double precision; `Batch::notice` says why. GPUs go through wgpu (Vulkan, Metal, DX12) and
//! are the feature `gpu`, which is on by default; without it the crate brings no kernels and no wgpu.
//!
//! **Results.** The same model, inputs, calls and device give the same bits, wherever a world stands in a batch. What differs
//! from MuJoCo, and by how much, is in `docs/models.md` of the repository; what is not simulated is an error when a batch is
//! made.
//!
//! A build with debug assertions reads kernels from the source tree when it runs, and needs that tree; a release build
//! carries them.

pub mod analysis;
pub mod batch;
pub mod prelude;

pub use manyworlds_cpu as cpu;
#[cfg(feature = "gpu")]
pub use manyworlds_gpu as gpu;
pub use manyworlds_mjcf::{compile, load, load_str, load_str_with, load_with, mesh, mjcf, spec};
pub use manyworlds_model::{assets, error, files, formats, images, model, real, schema};
