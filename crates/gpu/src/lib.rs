//! The GPU backend: kernels composed for a model ([`codegen`]), what a device needs to run them ([`program`]), buffers of
//! worlds and recorded steps (`runtime`), and how a model is spread over a device ([`tuning`]).
//!
//! Programs use it through `manyworlds::batch::Batch`; on their own stand the kernels of a model as texts, for an adapter
//! that is only described ([`program::Program`], [`codegen::export`]).

pub mod codegen;
pub mod program;
mod runtime;
pub mod tuning;

pub use codegen::compose::Composer;
pub use codegen::tiling::{Tiling, WorkingSetSpace};
pub use program::Program;
pub use runtime::batch::GpuBatch;
pub use runtime::checkpoint::Checkpoint;
pub use runtime::device::{Adapter, AdapterPreference, Gpu, adapters};
pub use runtime::fields::FieldReadback;
pub use runtime::held::BuildTimes;
#[cfg(not(target_arch = "wasm32"))]
pub use runtime::instance::instance;
pub use runtime::transfer::TransferStats;
pub use runtime::world_buffers::{FieldLayout, WorldBuffers};
pub use tuning::options::{KernelOptions, Partition};
pub use tuning::roofline::Roofline;
/// The version of wgpu whose devices, queues and buffers these are.
pub use wgpu;
