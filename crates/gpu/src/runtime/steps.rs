//! Steps of all worlds, and stages run once.

use web_time::Instant;

use super::batch::GpuBatch;
use crate::program::{StageGroup, steps_per_dispatch};
use manyworlds_model::error::Result;
use manyworlds_model::model::schedule;
use manyworlds_model::schema::stages::Stage;

impl GpuBatch {
    /// Advances all worlds by `n` steps. Results that a step computes, such as `xpos`, are afterwards those of the last
    /// step: the kernels of the steps before it may have [reduced stores](crate::Program).
    ///
    /// Returns before the device has finished: [`GpuBatch::wait`] waits, and [`GpuBatch::get`] reads what the steps
    /// have computed. While the size of chunks is measured (see [`KernelOptions::tune`](crate::KernelOptions::tune)), a
    /// call waits for its steps.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if a kernel cannot be built or the device is lost.
    pub fn step(&mut self, n: usize) -> Result<()> {
        let full = self.program.step_groups().to_vec();
        let reduced = self.program.reduced_groups().filter(|groups| n > steps_per_dispatch(groups));
        let reduced = reduced.unwrap_or_default();
        self.build(&[reduced.clone(), full.clone()].concat())?;
        let each = steps_per_dispatch(&reduced);
        let search = usize::from(!reduced.is_empty());
        let mut left = n;
        while left > 0 {
            let (mut now, mut is_trial) = (left, false);
            if let Some(search) = &self.searches[search] {
                is_trial = !search.done();
                if is_trial {
                    now = search.steps().next_multiple_of(each).min(left);
                }
                self.set_chunk(search.size())?;
            }
            // the last step of the call stores all results
            let reduced_steps = if reduced.is_empty() { 0 } else { now.min(left - 1) / each * each };
            let full_steps = if reduced.is_empty() || now == left { now - reduced_steps } else { 0 };
            let begin = Instant::now();
            self.submit(&[(&reduced, reduced_steps / each), (&full, full_steps)])?;
            left -= reduced_steps + full_steps;
            if is_trial {
                self.wait()?;
                let seconds = begin.elapsed().as_secs_f64();
                let search = self.searches[search].iter_mut();
                search.for_each(|s| s.report(reduced_steps + full_steps, seconds));
            }
        }
        Ok(())
    }

    /// True if the steps of a call before its last one run kernels with reduced stores: a compiler that fuses
    /// multiplications and additions may round these differently.
    pub fn has_reduced_stores(&self) -> bool {
        self.program.reduced_groups().is_some()
    }

    /// Cuts the worlds into chunks of at most `worlds` worlds; changes no result.
    pub(super) fn set_chunk(&mut self, worlds: usize) -> Result<()> {
        if worlds == self.chunk {
            return Ok(());
        }
        let (gpu, layout, model) = (&self.gpu, &self.program.layout, &self.model);
        let arenas = &mut self.arenas;
        gpu.checked("chunks of worlds", || {
            arenas.iter_mut().for_each(|a| a.cut(gpu, layout, model, worlds))
        })?;
        tracing::debug!(worlds, "chunks");
        self.chunk = worlds;
        Ok(())
    }

    /// Forward dynamics: computes everything that depends on the state, without advancing it.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn forward(&mut self) -> Result<()> {
        let groups = self.program.groups(schedule::forward(&self.program.general));
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }

    /// Inverse dynamics: the force that produces the acceleration `qacc`.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn inverse(&mut self) -> Result<()> {
        let groups = self.program.groups(schedule::inverse(&self.program.general));
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }

    /// Runs the given stages once, one dispatch per stage.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn run_stages(&mut self, stages: &[Stage]) -> Result<()> {
        let groups: Vec<StageGroup> = stages.iter().map(|s| StageGroup::full(vec![*s])).collect();
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }
}
