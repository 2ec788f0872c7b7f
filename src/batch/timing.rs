//! Where the time of a step goes.

use std::time::{Duration, Instant};

use super::Batch;
use super::engine::Engine;
use crate::cpu;
use crate::error::Result;
use crate::model::Model;
use crate::model::data::Data;
use crate::model::plan;
use crate::schema::stages::Stage;

/// Worlds whose stages are timed on the CPU: enough to average, few enough for the cache.
const TIMED: usize = 8;
/// Times that a stage runs for one figure.
const REPEATS: u32 = 20;

/// Where the time before the first step of a batch went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColdStart {
    /// Measuring the capacities.
    pub probe: f64,
    /// Opening the device; nothing on the CPU.
    pub device: f64,
    /// Memory of the worlds.
    pub buffers: f64,
    /// Kernels composed and made into pipelines; nothing on the CPU.
    pub pipelines: f64,
    /// First run of each pipeline, where some drivers compile; nothing on the CPU.
    pub first_run: f64,
}

impl ColdStart {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.parts().iter().map(|p| p.1).sum()
    }

    /// Every part with its name, in order.
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
    /// Nanoseconds per world and step of each stage; empty where the device cannot tell. On the CPU: one
    /// core, stages one by one. On the GPU: of each dispatch, or with `split` of each stage in a dispatch
    /// of its own. The worlds stay as they are on the CPU; on the GPU they may step.
    #[cfg_attr(not(feature = "gpu"), expect(unused_variables, reason = "only kernels are grouped"))]
    pub fn stage_times(&mut self, split: bool) -> Result<Vec<(String, f64)>> {
        match &mut self.engine {
            Engine::Cpu(worlds) => Ok(cpu_times(&self.model, worlds)),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.stage_times(REPEATS as usize, split),
        }
    }

    /// Where the time before the first step went; complete after [`Batch::prepare`] or a step.
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
