//! Pipelines of stage groups, and their submission over all worlds.

use std::sync::Arc;

use rayon::prelude::*;
use web_time::Instant;

use super::batch::GpuBatch;
use super::buffers::{Arena, Chunk};
use super::held::{Dispatch, DispatchSequence};
use super::shader;
use crate::codegen::compose::module_of;
use crate::program::StageGroup;
use manyworlds_model::error::Result;

/// Upper bound on dispatches per submission.
pub(super) const MAX_DISPATCHES_PER_SUBMIT: usize = 1024;

impl GpuBatch {
    /// Builds everything that `step` needs, so that the first step is not slower than the others.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn prepare(&mut self) -> Result<()> {
        let mut groups = self.program.step_groups().to_vec();
        groups.extend(self.program.reduced_groups().unwrap_or_default());
        self.build(&groups)
    }

    /// Builds missing pipelines on several threads and runs each once: on drivers that compile at the first
    /// dispatch, no later step is delayed.
    pub(super) fn build(&mut self, groups: &[StageGroup]) -> Result<()> {
        let begin = Instant::now();
        let missing: Vec<StageGroup> =
            groups.iter().filter(|g| !self.pipelines.contains_key(*g)).cloned().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let made: Vec<(StageGroup, DispatchSequence)> =
            missing.par_iter().map(|g| Ok((g.clone(), self.pipelines(g)?))).collect::<Result<_>>()?;
        self.pipelines.extend(made);
        self.build.pipelines += begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        self.submit_on(&self.scratch, &[(&missing, 1)])?;
        self.gpu.wait()?;
        self.build.first += begin.elapsed().as_secs_f64();
        Ok(())
    }

    fn pipelines(&self, group: &StageGroup) -> Result<DispatchSequence> {
        let dispatches = self.program.dispatches(group);
        let made = |(calls, times): &(Vec<&str>, u32)| {
            Ok(Dispatch {
                pipeline: self.pipeline(calls, group)?,
                times: *times,
                worlds_per_group: self.program.tiling_of(calls).tile,
            })
        };
        dispatches.iter().map(made).collect()
    }

    /// The pipeline of a kernel: that of another batch on the device where it has the same text.
    fn pipeline(&self, calls: &[&str], group: &StageGroup) -> Result<Arc<wgpu::ComputePipeline>> {
        let text = self.program.text(calls, group)?;
        let label = calls.join("+");
        let begin = Instant::now();
        let checks = self.program.checks();
        let made = self.gpu.kernel(&text, checks, || {
            let module = module_of(calls, &text)?;
            self.gpu.checked(&format!("kernel {label}"), || {
                let module = shader::module(&self.gpu, &label, module, checks);
                self.gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(&label),
                    layout: Some(&self.pipeline_layout),
                    module: &module,
                    entry_point: Some("main"),
                    // kernels write workgroup memory before they read it
                    compilation_options: wgpu::PipelineCompilationOptions {
                        zero_initialize_workgroup_memory: false,
                        ..Default::default()
                    },
                    cache: None,
                })
            })
        });
        tracing::debug!(kernel = label, seconds = begin.elapsed().as_secs_f64(), "built");
        made
    }

    /// Dispatches of those groups that are built.
    pub(super) fn sequences(&self, groups: &[StageGroup]) -> Vec<&DispatchSequence> {
        groups.iter().filter_map(|group| self.pipelines.get(group)).collect()
    }

    /// Submits groups and how often they run, over all worlds: each chunk through all of them, in as few submissions as
    /// drivers take.
    pub(super) fn submit(&self, rounds: &[(&[StageGroup], usize)]) -> Result<()> {
        self.submit_on(&self.arenas, rounds)
    }

    /// As [`GpuBatch::submit`], over the worlds of some arenas.
    pub(super) fn submit_on(&self, arenas: &[Arena], rounds: &[(&[StageGroup], usize)]) -> Result<()> {
        self.gpu.check_not_lost()?;
        self.clear_step_outputs();
        // the dispatches of each round, how often it runs, and how many dispatches count as one run
        let mut all = Vec::new();
        for (groups, n) in rounds {
            let sequences = self.sequences(groups);
            let count: u32 = sequences.iter().copied().flatten().map(|d| d.times).sum();
            let steps = groups.iter().map(|g| g.steps).max().unwrap_or(1);
            all.push((sequences, *n, count as usize * steps));
        }
        for chunk in arenas.iter().flat_map(|a| &a.chunks) {
            let mut runs = all.iter().flat_map(|(sequences, n, count)| {
                std::iter::repeat_n((sequences, *count), if sequences.is_empty() { 0 } else { *n })
            });
            let mut next = runs.next();
            while next.is_some() {
                let mut encoder =
                    self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    pass.set_bind_group(0, &chunk.bind, &[]);
                    let mut dispatches = 0;
                    while let Some((sequences, count)) = next
                        && (dispatches == 0 || dispatches + count <= MAX_DISPATCHES_PER_SUBMIT)
                    {
                        dispatch(&mut pass, sequences, chunk);
                        dispatches += count;
                        next = runs.next();
                    }
                }
                self.gpu.queue().submit([encoder.finish()]);
            }
        }
        self.gpu.check_not_lost()
    }
}

/// Encodes the dispatches of some groups over the worlds of a chunk, whose bind group is set.
pub(super) fn dispatch(pass: &mut wgpu::ComputePass<'_>, sequences: &[&DispatchSequence], chunk: &Chunk) {
    for step in sequences.iter().copied().flatten() {
        pass.set_pipeline(&step.pipeline);
        (0..step.times).for_each(|_| dispatch_groups(pass, chunk.worlds / step.worlds_per_group));
    }
}

/// Encodes a dispatch of so many workgroups, along two axes, as each is limited to 65,535.
pub(super) fn dispatch_groups(pass: &mut wgpu::ComputePass<'_>, groups: usize) {
    let groups = u32::try_from(groups).unwrap_or(u32::MAX);
    let x = groups.min(32_768);
    pass.dispatch_workgroups(x, groups.div_ceil(x.max(1)), 1);
}
