//! Where the time of a step goes.

use std::time::{Duration, Instant};

use super::Batch;
use super::engine::Engine;
use crate::cpu;
use crate::data::Data;
use crate::error::Result;
use crate::model::Model;
use crate::stages::Stage;

/// Worlds whose stages are timed on the CPU: enough to average, few enough for the cache.
const TIMED: usize = 8;
/// Times that a stage runs for one figure.
const REPEATS: u32 = 20;

impl Batch {
    /// Nanoseconds per world and step of each stage; empty where the device cannot tell. On the CPU: one
    /// core, stages one by one. The worlds stay as they are on the CPU; on the GPU they may step.
    pub fn stage_times(&mut self) -> Result<Vec<(String, f64)>> {
        match &mut self.engine {
            Engine::Cpu(worlds) => Ok(cpu_times(&self.model, worlds)),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.stage_times(REPEATS as usize),
        }
    }
}

fn cpu_times(model: &Model, worlds: &[Data]) -> Vec<(String, f64)> {
    let mut some: Vec<Data> = worlds.iter().take(TIMED).cloned().collect();
    let mut times = vec![Duration::ZERO; Stage::ALL.len()];
    for _ in 0..REPEATS {
        for data in &mut some {
            for stage in Stage::step() {
                let begin = Instant::now();
                cpu::run_stage(stage, model, data);
                times[stage as usize] += begin.elapsed();
            }
        }
    }
    let runs = f64::from(REPEATS) * some.len() as f64;
    Stage::step().map(|s| (s.name().to_owned(), times[s as usize].as_nanos() as f64 / runs)).collect()
}
