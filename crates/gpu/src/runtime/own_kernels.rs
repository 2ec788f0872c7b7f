//! Kernels of a caller's own beside those of the model, on the same worlds, without a copy to the host.

use super::batch::GpuBatch;
use super::held::OwnKernel;
use super::pipelines::dispatch_groups;
use super::shader;
use manyworlds_model::error::{Error, Result};

impl GpuBatch {
    /// Adds a kernel: WGSL whose function `name` runs once for each lane of each world. Fields are read and written by
    /// accessors that are named after them, as in the engine's kernels: `xipos_vec3(i)` is row i of `xipos` in the
    /// world of the invocation, `set_ctrl(i, x)` writes element i of `ctrl`. Sizes have their names (`nbody`), `lane`
    /// and `lanes` share a loop, and `world_number()` is the number of the world. Returns the kernel's place among
    /// those that were added.
    ///
    /// # Errors
    /// [`Error::Argument`] for text that is no such kernel, with the report of the compiler; [`Error::Device`] for a
    /// lost device.
    pub fn add_kernel(&mut self, name: &str, text: &str) -> Result<usize> {
        let of_arena = |first: usize| {
            let module = self.program.own_module(name, text, first)?;
            self.gpu.checked(&format!("kernel {name}"), || {
                let module = shader::module(&self.gpu, name, module, self.program.checks());
                self.gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(name),
                    layout: Some(&self.pipeline_layout),
                    module: &module,
                    entry_point: Some("main"),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                })
            })
        };
        let pipelines = self.arenas.iter().map(|arena| of_arena(arena.first)).collect::<Result<_>>()?;
        self.own_kernels.push(OwnKernel { pipelines });
        Ok(self.own_kernels.len() - 1)
    }

    /// Runs a kernel that was [added](GpuBatch::add_kernel) in all worlds.
    ///
    /// # Errors
    /// [`Error::Argument`] for a place that has none, [`Error::Device`] for a lost device.
    pub fn run_kernel(&mut self, place: usize) -> Result<()> {
        self.gpu.check_not_lost()?;
        self.clear_step_outputs();
        let Some(kernel) = self.own_kernels.get(place) else {
            return Err(Error::Argument("the kernel was added to another batch".to_owned()));
        };
        let mut encoder =
            self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (arena, pipeline) in self.arenas.iter().zip(&kernel.pipelines) {
            // the whole arena, as numbers of worlds are counted from its first
            let buffers = [&arena.reals, &arena.ints, &self.model.reals, &self.model.ints];
            let resources = buffers.map(wgpu::Buffer::as_entire_binding);
            let bind = self.gpu.bind_group("own kernel", &self.model.layout, resources);
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &bind, &[]);
            dispatch_groups(&mut pass, arena.padded / self.program.tiling.tile.max(1));
        }
        self.gpu.queue().submit([encoder.finish()]);
        self.gpu.check_not_lost()
    }
}
