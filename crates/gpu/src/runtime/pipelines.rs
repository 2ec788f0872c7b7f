//! Pipelines of stage groups, and their submission over all worlds.

use rayon::prelude::*;
use web_time::Instant;

use super::batch::GpuBatch;
use super::buffers::Arena;
use super::shader;
use crate::program::StageGroup;
use manyworlds_model::error::Result;

/// Upper bound on dispatches per submission.
pub(super) const MAX_DISPATCHES_PER_SUBMIT: usize = 1024;

/// Pipelines of a stage group in order, each with its dispatch count.
pub(super) type DispatchSequence = Vec<Dispatch>;

/// One pipeline, its dispatch count, and the worlds of its workgroups.
#[derive(Debug)]
pub(super) struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    pub(super) times: u32,
    worlds_per_group: usize,
}

impl GpuBatch {
    /// Builds everything that `step` needs, so that the first step is not slower than the others.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn prepare(&mut self) -> Result<()> {
        let mut groups = self.program.step_groups().to_vec();
        groups.extend(self.program.lean_groups().unwrap_or_default());
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

    fn pipeline(&self, calls: &[&str], group: &StageGroup) -> Result<wgpu::ComputePipeline> {
        let (module, _) = self.program.module(calls, group)?;
        let label = calls.join("+");
        let begin = Instant::now();
        let made = self.gpu.checked(&format!("kernel {label}"), || {
            let module = shader::module(&self.gpu, &label, module, self.program.checks());
            self.gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
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
        });
        tracing::debug!(kernel = label, seconds = begin.elapsed().as_secs_f64(), "built");
        made
    }

    /// Submits dispatches over all worlds: groups and how often they run, each chunk through all of them, in as few
    /// submissions as drivers take.
    pub(super) fn submit(&self, rounds: &[(&[StageGroup], usize)]) -> Result<()> {
        self.submit_on(&self.arenas, rounds)
    }

    pub(super) fn submit_on(&self, arenas: &[Arena], rounds: &[(&[StageGroup], usize)]) -> Result<()> {
        self.gpu.check_not_lost()?;
        self.clear_step_outputs();
        // what runs in order: groups, and how many dispatches they are
        let mut all = Vec::new();
        for (groups, n) in rounds {
            let programs: Vec<&DispatchSequence> =
                groups.iter().filter_map(|g| self.pipelines.get(g)).collect();
            let count: u32 = programs.iter().copied().flatten().map(|d| d.times).sum();
            let steps = groups.iter().map(|g| g.steps).max().unwrap_or(1);
            all.push((programs, *n, count as usize * steps));
        }
        for chunk in arenas.iter().flat_map(|a| &a.chunks) {
            let mut turns = all.iter().flat_map(|(programs, n, count)| {
                std::iter::repeat_n((programs, *count), if programs.is_empty() { 0 } else { *n })
            });
            let mut next = turns.next();
            while next.is_some() {
                let mut encoder =
                    self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    pass.set_bind_group(0, &chunk.bind, &[]);
                    let mut dispatches = 0;
                    while let Some((programs, count)) = next
                        && (dispatches == 0 || dispatches + count <= MAX_DISPATCHES_PER_SUBMIT)
                    {
                        programs.iter().for_each(|program| dispatch(&mut pass, program, chunk.worlds));
                        dispatches += count;
                        next = turns.next();
                    }
                }
                self.gpu.queue.submit([encoder.finish()]);
            }
        }
        self.gpu.check_not_lost()
    }
}

/// Dispatches workgroups over two axes: one axis is limited to 65,535.
pub(super) fn dispatch(pass: &mut wgpu::ComputePass<'_>, program: &DispatchSequence, worlds: usize) {
    for step in program {
        let groups = u32::try_from(worlds / step.worlds_per_group).unwrap_or(u32::MAX);
        let x = groups.min(32_768);
        pass.set_pipeline(&step.pipeline);
        for _ in 0..step.times {
            pass.dispatch_workgroups(x, groups.div_ceil(x.max(1)), 1);
        }
    }
}
