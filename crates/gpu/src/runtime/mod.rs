//! Devices, buffers, transfers, and batches that step on them.

pub mod batch;
pub mod buffers;
pub mod checkpoint;
mod copies;
pub mod demand;
pub mod device;
pub mod fields;
#[cfg(not(target_arch = "wasm32"))]
pub mod instance;
mod pipelines;
mod resets;
mod rollout;
pub(crate) mod shader;
mod steps;
mod task;
pub(crate) mod timestamps;
pub mod timing;
pub mod transfer;
pub mod world_buffers;
