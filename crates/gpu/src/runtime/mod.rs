//! Devices, buffers, transfers, and batches that step on them.

pub(crate) mod batch;
pub(crate) mod buffers;
pub(crate) mod checkpoint;
mod copies;
pub(crate) mod demand;
pub(crate) mod device;
mod device_rows;
pub(crate) mod fields;
pub(crate) mod held;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod instance;
mod narrow_rows;
mod own_kernels;
mod pipelines;
mod resets;
mod rollout;
pub(crate) mod shader;
mod steps;
mod task;
pub(crate) mod timestamps;
pub(crate) mod timing;
pub(crate) mod transfer;
pub(crate) mod world_buffers;
