//! Time per stage of a step.

use std::time::Duration;

use web_time::Instant;

use super::Batch;
use super::engine::Engine;
use crate::cpu;
use crate::error::Result;
use crate::model::Model;
use crate::model::data::Data;
use crate::model::plan;
use crate::schema::stages::Stage;

/// Worlds timed per stage on the CPU: enough to average, few enough for the cache.
const TIMED: usize = 8;
/// Repetitions of a stage per measurement.
const REPEATS: u32 = 20;

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
    #[cfg_attr(not(feature = "gpu"), expect(unused_variables, reason = "only kernels are grouped"))]
    pub fn stage_times(&mut self, split: bool) -> Result<Vec<(String, f64)>> {
        self.refresh_models()?;
        self.flush()?;
        match &mut self.engine {
            Engine::Cpu(worlds) => Ok(cpu_times(self.models.base(), worlds)),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.stage_times(REPEATS as usize, split),
        }
    }

    /// Breakdown of the time before the first step; complete after [`Batch::prepare`] or a step.
    pub fn cold_start(&self) -> ColdStart {
        match &self.engine {
            Engine::Cpu(_) => self.cold,
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => {
                let built = batch.build_times();
                let (buffers, pipelines, first_run) = (built.buffers, built.pipelines, built.first);
                ColdStart { buffers, pipelines, first_run, ..self.cold }
            }
        }
    }
}

fn cpu_times(model: &Model, worlds: &[Data]) -> Vec<(String, f64)> {
    let mut some: Vec<Data> = worlds.iter().take(TIMED).cloned().collect();
    let mut times = vec![Duration::ZERO; Stage::ALL.len()];
    for _ in 0..REPEATS {
        for data in &mut some {
            for stage in plan::step(model) {
                let begin = Instant::now();
                cpu::run_stage(stage, model, data);
                times[stage as usize] += begin.elapsed();
            }
        }
    }
    let runs = f64::from(REPEATS) * some.len() as f64;
    let stages = plan::stages(model).filter(|s| plan::step(model).any(|t| t == *s));
    stages.map(|s| (s.name().to_owned(), times[s as usize].as_nanos() as f64 / runs)).collect()
}
