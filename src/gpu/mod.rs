//! The GPU backend: kernels specialised for a model, worlds in tiled arenas, recorded steps.

pub mod codegen;
pub mod runtime;
pub mod tuning;

pub use codegen::compose::{Composer, Placement, Shape};
pub use runtime::batch::{BuildTimes, GpuBatch};
pub use runtime::device::{Adapter, Choice, Gpu, adapters};
pub use tuning::options::{Options, Partition};
pub use tuning::roofline::Roofline;
