//! Devices, buffers, transfers, and batches that step on them.

pub mod batch;
pub mod buffers;
mod copies;
pub mod device;
pub mod fields;
#[cfg(not(target_arch = "wasm32"))]
pub mod instance;
mod own_kernels;
mod pipelines;
mod resets;
mod rollout;
pub(crate) mod shader;
mod steps;
mod task;
pub(crate) mod timestamps;
pub mod timing;
pub mod transfer;
pub mod watch;
pub mod world_buffers;
