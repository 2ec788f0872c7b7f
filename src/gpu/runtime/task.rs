//! Steps of a task: its kernels around those of the model, without a stop for the host.

use super::batch::GpuBatch;
use crate::error::{Error, Result};
use crate::gpu::program::StageGroup;
use crate::model::plan;
use crate::schema::stages::Stage;

impl GpuBatch {
    /// A step of the task in all worlds. Worlds whose episode begins take the steps of the model too: they are reset before
    /// the last one, which computes what follows from their state, and after it.
    ///
    /// # Errors
    /// [`Error::Argument`] for a model without a task; else as [`GpuBatch::step`].
    pub fn step_task(&mut self) -> Result<()> {
        let Some(task) = self.program.general.task.clone() else { return Err(no_task()) };
        let [begin, restart] =
            [Stage::task_begin, Stage::task_restart].map(|stage| [StageGroup::whole(vec![stage])]);
        let end = [self.task_end()];
        // nobody reads the results of the steps before the last
        let once = self.program.step_groups().to_vec();
        let before = task.frame_skip() - 1;
        let steps_of = |groups: &[StageGroup]| groups.first().map_or(1, |g| g.steps);
        let lean = self.program.lean_groups().filter(|lean| before >= steps_of(lean)).unwrap_or_default();
        let lean_runs = if lean.is_empty() { 0 } else { before / steps_of(&lean) };
        let rest = before - lean_runs * steps_of(&lean);
        let all: Vec<StageGroup> = [&begin[..], &restart, &end, &lean, &once].concat();
        self.build(&all)?;
        self.submit(&[
            (&begin, 1),
            (&lean, lean_runs),
            (&once, rest),
            (&restart, 1),
            (&once, 1),
            (&restart, 1),
            (&end, 1),
        ])
    }

    /// Begins the episodes of some worlds, and observes these.
    ///
    /// # Errors
    /// [`Error::Argument`] for a model without a task or a world out of range; else as [`GpuBatch::step`].
    pub fn restart_worlds(&mut self, worlds: &[usize]) -> Result<()> {
        if self.program.general.task.is_none() {
            return Err(no_task());
        }
        let ones = vec![1.0; worlds.len()];
        self.set_fields(&[("task_restarts", &ones)], worlds)?;
        let mut groups = vec![StageGroup::whole(vec![Stage::task_restart])];
        groups.extend(self.program.groups(plan::forward(&self.program.general)));
        groups.push(self.task_end());
        self.run_on(worlds, &groups)
    }

    /// What follows the last step of the model.
    fn task_end(&self) -> StageGroup {
        StageGroup::whole(plan::task_end(&self.program.general).collect())
    }
}

fn no_task() -> Error {
    Error::Argument("the model has no task".to_owned())
}
