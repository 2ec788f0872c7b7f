//! Devices, buffers, transfers, and batches that step on them.

pub mod batch;
pub mod buffers;
pub mod device;
#[cfg(not(target_arch = "wasm32"))]
pub mod instance;
pub mod rollout;
mod task;
pub mod transfer;
pub mod watch;
pub mod worlds;
