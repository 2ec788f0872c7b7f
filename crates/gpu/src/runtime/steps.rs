//! Steps of all worlds, and stages run once.

use web_time::Instant;

use super::batch::GpuBatch;
use crate::program::StageGroup;
use manyworlds_model::error::Result;
use manyworlds_model::model::plan;
use manyworlds_model::schema::stages::Stage;

impl GpuBatch {
    /// Advances all worlds by `n` steps. Asynchronous: `wait` or `get` synchronise. While the number of worlds of a chunk
    /// is being searched for (see [`KernelOptions::tune`]), a call waits for its steps.
    ///
    /// # Errors
    /// [`Error::Device`](manyworlds_model::error::Error::Device) if a kernel cannot be built or the device is lost.
    pub fn step(&mut self, n: usize) -> Result<()> {
        // all steps but the last, whose results must all be stored, may be lean
        let once = self.program.step_groups().to_vec();
        let steps_of = |groups: &[StageGroup]| groups.first().map_or(1, |g| g.steps);
        let lean = self.program.lean_groups().filter(|l| n > steps_of(l));
        self.build(&[lean.clone().unwrap_or_default(), once.clone()].concat())?;
        let each = lean.as_deref().map_or(1, steps_of);
        let mode = usize::from(lean.is_some());
        let mut left = n;
        while left > 0 {
            let (mut now, mut searching) = (left, false);
            if let Some(search) = &self.searches[mode] {
                searching = !search.done();
                if searching {
                    now = search.steps().next_multiple_of(each).min(left);
                }
                self.set_chunk(search.size())?;
            }
            // with lean steps only the last ones are whole
            let lean_steps = if lean.is_some() { now.min(left - 1) / each * each } else { 0 };
            let whole = if lean.is_none() || now == left { now - lean_steps } else { 0 };
            let begin = Instant::now();
            self.submit(&[(lean.as_deref().unwrap_or_default(), lean_steps / each), (&once, whole)])?;
            left -= lean_steps + whole;
            if searching {
                self.wait()?;
                let seconds = begin.elapsed().as_secs_f64();
                self.searches[mode].iter_mut().for_each(|s| s.report(lean_steps + whole, seconds));
            }
        }
        Ok(())
    }

    /// True if steps before the last of a call have kernels of their own, which a compiler may round differently.
    pub fn has_lean_steps(&self) -> bool {
        self.program.lean_groups().is_some()
    }

    /// Lets at most `worlds` worlds take all steps of a call before the next ones begin; changes no result.
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
        let groups = self.program.groups(plan::forward(&self.program.general));
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }

    /// Inverse dynamics: the force that produces the acceleration `qacc`.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn inverse(&mut self) -> Result<()> {
        let groups = self.program.groups(plan::inverse(&self.program.general));
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }

    /// Runs the given stages once, one dispatch per stage.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn run_stages(&mut self, stages: &[Stage]) -> Result<()> {
        let groups: Vec<StageGroup> = stages.iter().map(|s| StageGroup::whole(vec![*s])).collect();
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }
}
