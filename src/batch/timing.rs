//! Time per stage of a step.

use super::Batch;
use crate::error::Result;

/// Breakdown of the time before the first step of a batch, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColdStart {
    /// Measurement of the capacities.
    pub probe: f64,
    /// Opening the device; zero on the CPU.
    pub device: f64,
    /// Allocation of the worlds.
    pub buffers: f64,
    /// Composing kernels and creating pipelines; zero on the CPU.
    pub pipelines: f64,
    /// First run of each pipeline, when some drivers compile; zero on the CPU.
    pub first_run: f64,
}

impl ColdStart {
    /// Sum of all parts.
    pub fn total(&self) -> f64 {
        self.parts().iter().map(|p| p.1).sum()
    }

    /// All parts with their names, in order.
    pub fn parts(&self) -> [(&'static str, f64); 5] {
        [
            ("probe", self.probe),
            ("device", self.device),
            ("buffers", self.buffers),
            ("pipelines", self.pipelines),
            ("first_run", self.first_run),
        ]
    }
}

impl Batch {
    /// Nanoseconds per world and step of each stage; empty if the device has no timestamps. On the CPU: one
    /// core, one stage at a time. On the GPU: per dispatch, or with `split` per stage in a dispatch of its own. The
    /// worlds are unchanged on the CPU; on the GPU they may step.
    ///
    /// # Errors
    /// [`Error::Device`](crate::error::Error::Device) if a kernel cannot be built or the device is lost.
    pub fn stage_times(&mut self, split: bool) -> Result<Vec<(String, f64)>> {
        self.engine.stage_times(split)
    }

    /// Breakdown of the time before the first step; complete after [`Batch::prepare`] or a step.
    pub fn cold_start(&self) -> ColdStart {
        ColdStart { probe: self.probe_seconds, ..self.engine.cold_start() }
    }
}
