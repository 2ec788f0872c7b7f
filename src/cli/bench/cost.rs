//! What a step costs and what the device could do, as figures of a row.

use std::collections::BTreeMap;

use manyworlds::batch::Batch;
use manyworlds::cpu::work::Work;
use manyworlds::error::Result;
use serde_json::{Map, Value, json};

use super::number;

/// Worlds whose arithmetic is counted, at each end of the measured steps.
const COUNTED: usize = 64;

/// Arithmetic and load of the worlds, sampled.
#[derive(Default)]
pub(super) struct Cost {
    work: Work,
    samples: usize,
    contacts: f64,
    rows: f64,
    iterations: f64,
}

impl Cost {
    /// Adds the worlds as they are now.
    pub(super) fn sample(&mut self, batch: &Batch) -> Result<()> {
        self.work = std::mem::take(&mut self.work).merge(batch.count_work(COUNTED)?);
        self.contacts += batch.mean("ncon")?;
        self.rows += batch.mean("nefc")?;
        self.iterations += batch.mean("solver_niter")?;
        self.samples += 1;
        Ok(())
    }

    /// Puts the figures into a row that has its speed.
    pub(super) fn insert(
        &self,
        batch: &Batch,
        devices: &mut Devices,
        row: &mut Map<String, Value>,
    ) -> Result<()> {
        let stages: Map<String, Value> =
            self.work.of_stages().iter().map(|(s, n)| (s.name().to_owned(), json!(n))).collect();
        let kinds: Map<String, Value> =
            self.work.kinds().into_iter().map(|(name, n)| (name.to_owned(), json!(n))).collect();
        let samples = self.samples.max(1) as f64;
        let pairs = [
            ("nanoseconds_per_step", json!(1e9 / number(row, "steps_per_second"))),
            ("flops_per_step", json!(self.work.flops())),
            ("flops_by_kind", Value::Object(kinds)),
            ("stage_flops", Value::Object(stages)),
            ("flops_counted_steps", json!(self.work.steps)),
            ("flops_counted_iterations", json!(self.work.iterations())),
            ("load_iterations", json!(self.iterations / samples)),
            ("load_contacts", json!(self.contacts / samples)),
            ("load_rows", json!(self.rows / samples)),
        ];
        row.extend(pairs.map(|(name, value)| (name.to_owned(), value)));
        self.of_kernels(batch, row);
        devices.insert(batch, row)
    }

    /// Bytes that kernels move.
    #[cfg(feature = "gpu")]
    fn of_kernels(&self, batch: &Batch, row: &mut Map<String, Value>) {
        use manyworlds::gpu::Partition;
        use manyworlds::gpu::tuning::traffic::{MeanLoad, Traffic};
        let samples = self.samples.max(1) as f64;
        let load = MeanLoad { contacts: self.contacts / samples, rows: self.rows / samples };
        let bytes = |all: &[Traffic]| -> f64 { all.iter().map(Traffic::bytes).sum() };
        let Some(used) = batch.traffic(None, load) else { return };
        let each: Map<String, Value> = used.iter().map(|t| (t.name(), json!(t.bytes()))).collect();
        row.insert("bytes_per_step".to_owned(), json!(bytes(&used)));
        row.insert("dispatch_bytes".to_owned(), Value::Object(each));
        for (name, partition) in
            [("bytes_per_step_split", Partition::Split), ("bytes_per_step_fused", Partition::Fused)]
        {
            let moved = batch.traffic(Some(partition), load).map(|all| bytes(&all));
            row.insert(name.to_owned(), json!(moved));
        }
    }

    #[cfg(not(feature = "gpu"))]
    fn of_kernels(&self, _: &Batch, _: &mut Map<String, Value>) {}
}

/// What every device that was met reaches at most: measured once each.
#[derive(Default)]
pub(super) struct Devices {
    known: BTreeMap<String, Map<String, Value>>,
}

impl Devices {
    /// Puts the limits of the batch's device into a row, and which shares of them it reaches.
    fn insert(&mut self, batch: &Batch, row: &mut Map<String, Value>) -> Result<()> {
        let device = batch.device();
        if !self.known.contains_key(&device) {
            self.known.insert(device.clone(), limits(batch)?);
        }
        let Some(limits) = self.known.get(&device).filter(|l| !l.is_empty()) else { return Ok(()) };
        row.extend(limits.clone());
        let speed = number(row, "steps_per_second");
        let copy = number(row, "bytes_per_step") * speed / number(row, "copy_bytes_per_second");
        let peak = number(row, "flops_per_step") * speed / number(row, "peak_flops_per_second");
        row.insert("copy_share".to_owned(), json!(copy));
        row.insert("peak_share".to_owned(), json!(peak));
        Ok(())
    }
}

/// Copy bandwidth and arithmetic of a GPU; nothing on the CPU.
#[cfg(feature = "gpu")]
fn limits(batch: &Batch) -> Result<Map<String, Value>> {
    let mut limits = Map::new();
    if let Some(found) = batch.roofline()? {
        limits.insert("copy_bytes_per_second".to_owned(), json!(found.copy_bytes_per_second));
        limits.insert("peak_flops_per_second".to_owned(), json!(found.peak_flops_per_second));
        limits.insert("roofline_seconds".to_owned(), json!(found.seconds));
        limits.insert("roofline_timestamps".to_owned(), json!(found.timestamps));
    }
    Ok(limits)
}

#[cfg(not(feature = "gpu"))]
fn limits(_: &Batch) -> Result<Map<String, Value>> {
    Ok(Map::new())
}
