//! Figures of a measured batch, as in the JSON output.

use manyworlds::batch::{Backend, Batch};
use serde::Serialize;

use super::output::pairs;

/// Results of a rollout.
#[derive(Default, Serialize)]
pub(crate) struct Measured {
    pub(crate) steps: usize,
    pub(crate) seconds: f64,
    pub(crate) steps_per_second: f64,
    pub(crate) finite: f64,
    pub(crate) contacts_mean: f64,
    #[serde(serialize_with = "pairs")]
    pub(crate) status: Vec<(&'static str, usize)>,
}

/// Figures of a rollout under their public names.
#[derive(Default, Serialize)]
pub(crate) struct Summary<M = Measured> {
    #[serde(flatten)]
    pub(crate) measured: M,
    pub(crate) worlds: usize,
    pub(crate) backend: &'static str,
    pub(crate) device: String,
    pub(crate) precision: &'static str,
    pub(crate) bytes_per_world: usize,
    pub(crate) build_seconds: f64,
    pub(crate) nconmax: usize,
    pub(crate) njmax: usize,
    /// Times that worlds got more room.
    pub(crate) grown: usize,
    #[serde(flatten)]
    pub(crate) kernels: Option<Kernels>,
    #[serde(serialize_with = "pairs")]
    pub(crate) cold_seconds: Vec<(&'static str, f64)>,
}

/// Partition and layout of the kernels.
#[derive(Serialize)]
pub(crate) struct Kernels {
    pub(crate) lanes: usize,
    pub(crate) worlds_per_group: usize,
    pub(crate) partition: &'static str,
    pub(crate) placement: &'static str,
}

impl<M> Summary<M> {
    /// Summary of a measured batch; `load`: seconds for reading and compiling the model.
    pub(crate) fn new(batch: &Batch, measured: M, load: f64) -> Self {
        debug_assert!(batch.backend() != Backend::Auto, "a batch knows its backend");
        Self {
            measured,
            worlds: batch.worlds(),
            backend: batch.backend().name(),
            device: batch.device(),
            precision: batch.precision(),
            bytes_per_world: batch.bytes_per_world(),
            build_seconds: batch.build_seconds(),
            nconmax: batch.sizes().nconmax,
            njmax: batch.sizes().njmax,
            grown: batch.growth().len(),
            kernels: kernels(batch),
            cold_seconds: [("load", load)].into_iter().chain(batch.cold_start().parts()).collect(),
        }
    }
}

/// None on the CPU.
#[cfg(feature = "gpu")]
fn kernels(batch: &Batch) -> Option<Kernels> {
    batch.kernel_tiling().map(|(shape, partition)| Kernels {
        lanes: shape.lanes,
        worlds_per_group: shape.tile,
        partition: partition.name(),
        placement: shape.placement.name(),
    })
}

#[cfg(not(feature = "gpu"))]
fn kernels(_: &Batch) -> Option<Kernels> {
    None
}
