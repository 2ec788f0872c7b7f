//! Cost of a step, and the limits of the device, as figures of a row.

use std::collections::BTreeMap;

use manyworlds::batch::Batch;
use manyworlds::cpu::work::Work;
use manyworlds::error::Result;
use serde::Serialize;

use crate::shared::output::pairs;

/// Worlds whose operations are counted, at each end of the measured steps.
const COUNTED: usize = 64;

/// Sampled operations and load of the worlds.
#[derive(Default)]
pub(super) struct Cost {
    work: Work,
    samples: usize,
    contacts: f64,
    rows: f64,
    iterations: f64,
}

/// Operations, load and traffic of a step of one world.
#[derive(Default, Serialize)]
pub(super) struct StepCost {
    pub(super) nanoseconds_per_step: f64,
    pub(super) flops_per_step: f64,
    #[serde(serialize_with = "pairs")]
    flops_by_kind: Vec<(&'static str, f64)>,
    #[serde(serialize_with = "pairs")]
    stage_flops: Vec<(&'static str, f64)>,
    flops_counted_steps: usize,
    flops_counted_iterations: f64,
    load_iterations: f64,
    load_contacts: f64,
    load_rows: f64,
    #[serde(flatten)]
    pub(super) moved: Option<KernelTraffic>,
}

/// Bytes moved by kernels; not available on the CPU.
#[derive(Serialize)]
pub(super) struct KernelTraffic {
    pub(super) bytes_per_step: f64,
    #[serde(serialize_with = "pairs")]
    dispatch_bytes: Vec<(String, f64)>,
    pub(super) bytes_per_step_split: Option<f64>,
    pub(super) bytes_per_step_fused: Option<f64>,
}

impl Cost {
    /// Adds a sample of the worlds in their present state.
    pub(super) fn sample(&mut self, batch: &mut Batch) -> Result<()> {
        self.work = std::mem::take(&mut self.work).merge(batch.count_work(COUNTED)?);
        self.contacts += batch.mean("ncon")?;
        self.rows += batch.mean("nefc")?;
        self.iterations += batch.mean("solver_niter")?;
        self.samples += 1;
        Ok(())
    }

    /// Figures at a given speed.
    pub(super) fn of_step(&self, batch: &Batch, steps_per_second: f64) -> StepCost {
        let samples = self.samples.max(1) as f64;
        let (contacts, rows) = (self.contacts / samples, self.rows / samples);
        StepCost {
            nanoseconds_per_step: 1e9 / steps_per_second,
            flops_per_step: self.work.flops(),
            flops_by_kind: self.work.kinds(),
            stage_flops: self.work.of_stages().iter().map(|(s, n)| (s.name(), *n)).collect(),
            flops_counted_steps: self.work.steps,
            flops_counted_iterations: self.work.iterations(),
            load_iterations: self.iterations / samples,
            load_contacts: contacts,
            load_rows: rows,
            moved: moved(batch, contacts, rows),
        }
    }
}

#[cfg(feature = "gpu")]
fn moved(batch: &Batch, contacts: f64, rows: f64) -> Option<KernelTraffic> {
    use manyworlds::gpu::Partition;
    use manyworlds::gpu::tuning::traffic::{MeanLoad, Traffic};
    let load = MeanLoad { contacts, rows };
    let bytes = |all: &[Traffic]| -> f64 { all.iter().map(Traffic::bytes).sum() };
    let under = |partition| batch.traffic(Some(partition), load).map(|all| bytes(&all));
    let used = batch.traffic(None, load)?;
    Some(KernelTraffic {
        bytes_per_step: bytes(&used),
        dispatch_bytes: used.iter().map(|t| (t.name(), t.bytes())).collect(),
        bytes_per_step_split: under(Partition::Split),
        bytes_per_step_fused: under(Partition::Fused),
    })
}

#[cfg(not(feature = "gpu"))]
fn moved(_: &Batch, _: f64, _: f64) -> Option<KernelTraffic> {
    None
}

/// Peak copy bandwidth and arithmetic throughput of a device.
#[derive(Clone, Serialize)]
pub(super) struct Limits {
    pub(super) copy_bytes_per_second: f64,
    pub(super) peak_flops_per_second: f64,
    roofline_seconds: f64,
    roofline_timestamps: bool,
}

/// Limits of a device, and the fractions of them that a step reaches.
#[derive(Serialize)]
pub(super) struct Reached {
    #[serde(flatten)]
    pub(super) limits: Limits,
    pub(super) copy_share: f64,
    pub(super) peak_share: f64,
}

/// Limits of all devices used so far: measured once each; none for the CPU.
#[derive(Default)]
pub(super) struct Devices {
    known: BTreeMap<String, Option<Limits>>,
}

impl Devices {
    /// Fractions of the device's limits that a step reaches.
    pub(super) fn reached(
        &mut self,
        batch: &Batch,
        cost: &StepCost,
        steps_per_second: f64,
    ) -> Result<Option<Reached>> {
        let device = batch.device();
        if !self.known.contains_key(&device) {
            self.known.insert(device.clone(), limits(batch)?);
        }
        let Some(limits) = self.known.get(&device).cloned().flatten() else { return Ok(None) };
        let bytes = cost.moved.as_ref().map_or(f64::NAN, |m| m.bytes_per_step);
        Ok(Some(Reached {
            copy_share: bytes * steps_per_second / limits.copy_bytes_per_second,
            peak_share: cost.flops_per_step * steps_per_second / limits.peak_flops_per_second,
            limits,
        }))
    }
}

#[cfg(feature = "gpu")]
fn limits(batch: &Batch) -> Result<Option<Limits>> {
    let of = |found: manyworlds::gpu::Roofline| Limits {
        copy_bytes_per_second: found.copy_bytes_per_second,
        peak_flops_per_second: found.peak_flops_per_second,
        roofline_seconds: found.seconds,
        roofline_timestamps: found.timestamps,
    };
    Ok(batch.roofline()?.map(of))
}

#[cfg(not(feature = "gpu"))]
fn limits(_: &Batch) -> Result<Option<Limits>> {
    Ok(None)
}
