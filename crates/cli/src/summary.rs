//! Figures of a measured batch, as in the JSON output.

use manyworlds::batch::{Backend, Batch};
use serde::Serialize;

use super::output::pairs;

/// Results of a rollout.
#[derive(Default, Serialize)]
pub(super) struct Measured {
    pub(super) steps: usize,
    pub(super) seconds: f64,
    pub(super) steps_per_second: f64,
    pub(super) finite: f64,
    pub(super) contacts_mean: f64,
    #[serde(serialize_with = "pairs")]
    pub(super) status: Vec<(&'static str, usize)>,
}

/// Figures of a rollout under their public names.
#[derive(Default, Serialize)]
pub(super) struct Summary<M = Measured> {
    #[serde(flatten)]
    pub(super) measured: M,
    pub(super) worlds: usize,
    pub(super) backend: &'static str,
    pub(super) device: String,
    pub(super) precision: &'static str,
    pub(super) bytes_per_world: usize,
    pub(super) build_seconds: f64,
    pub(super) nconmax: usize,
    pub(super) njmax: usize,
    /// Times that worlds got more room.
    pub(super) grown: usize,
    #[serde(flatten)]
    pub(super) kernels: Option<Kernels>,
    #[serde(serialize_with = "pairs")]
    pub(super) cold_seconds: Vec<(&'static str, f64)>,
}

/// Partition and layout of the kernels.
#[derive(Serialize)]
pub(super) struct Kernels {
    pub(super) lanes: usize,
    pub(super) worlds_per_group: usize,
    pub(super) partition: &'static str,
    pub(super) placement: &'static str,
}

impl<M> Summary<M> {
    /// Summary of a measured batch; `load`: seconds for reading and compiling the model.
    pub(super) fn new(batch: &Batch, measured: M, load: f64) -> Self {
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
