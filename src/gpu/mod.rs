//! The GPU backend: kernels specialised for a model, worlds in tiled arenas, recorded steps.

pub mod access;
mod batch;
mod buffers;
mod compose;
mod device;
pub mod layout;
pub mod link;
mod options;
mod roofline;
pub mod traffic;
mod transfer;
pub mod tune;
pub mod unroll;

pub use batch::{BuildTimes, GpuBatch};
pub use compose::{Composer, Placement, Shape};
pub use device::{Adapter, Choice, Gpu, adapters};
pub use options::{Options, Partition};
pub use roofline::Roofline;
