//! How long kernels take to build and to run.

use super::batch::GpuBatch;
use super::pipelines::dispatch;
use super::timestamps::Timestamps;
use crate::program::StageGroup;
use manyworlds_model::error::Result;
use manyworlds_model::model::schedule;

impl GpuBatch {
    /// Nanoseconds per world and step of each dispatch, averaged over `steps` steps; empty if the device
    /// has no timestamps. With `split` every stage is a dispatch of its own, whatever the partition.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn stage_times(&mut self, steps: usize, split: bool) -> Result<Vec<(String, f64)>> {
        if !self.gpu.adapter().timestamps || steps == 0 {
            return Ok(Vec::new());
        }
        let groups: Vec<StageGroup> = match split {
            true => schedule::step(&self.program.general).map(|s| StageGroup::full(vec![s])).collect(),
            false => self.program.step_groups().to_vec(),
        };
        self.build(&groups)?;
        let mut total = vec![0.0; groups.len()];
        for _ in 0..steps {
            for (sum, ticks) in total.iter_mut().zip(self.timed_step(&groups)?) {
                *sum += ticks;
            }
        }
        let scale = f64::from(self.gpu.queue().get_timestamp_period()) / (steps * self.worlds) as f64;
        let name = |g: &StageGroup| g.stages.iter().map(|s| s.name()).collect::<Vec<_>>().join("+");
        Ok(groups.iter().zip(total).map(|(g, t)| (name(g), t * scale)).collect())
    }

    /// Timestamp ticks of each group in one step, summed over chunks.
    fn timed_step(&self, groups: &[StageGroup]) -> Result<Vec<f64>> {
        self.clear_step_outputs();
        let timestamps = Timestamps::new(&self.gpu, groups.len());
        let mut total = vec![0.0; groups.len()];
        for chunk in self.arenas.iter().flat_map(|a| &a.chunks) {
            let mut encoder =
                self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for (group, number) in groups.iter().zip(0..) {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: None,
                    timestamp_writes: Some(timestamps.of_pass(number)),
                });
                pass.set_bind_group(0, &chunk.bind, &[]);
                dispatch(&mut pass, &self.sequences(std::slice::from_ref(group)), chunk);
            }
            timestamps.resolve(&mut encoder);
            self.gpu.queue().submit([encoder.finish()]);
            for (sum, ticks) in total.iter_mut().zip(timestamps.read(&self.gpu)?) {
                *sum += ticks.unwrap_or(0) as f64;
            }
        }
        Ok(total)
    }
}
