//! A rollout on its way: what is done where it stops.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use manyworlds::batch::Batch;
use manyworlds::error::Result;

use super::checkpoint::Checkpoints;
use super::record::Recording;
use crate::report::Samples;
use crate::shared::summary::Measured;

/// A rollout on its way: at stops, frames are recorded, samples taken and checkpoints written.
pub(super) struct Course {
    /// Steps from one frame to the next, and all of them.
    pub(super) every: usize,
    pub(super) steps: usize,
    pub(super) record: Option<Recording>,
    pub(super) samples: Option<Samples>,
    pub(super) checkpoints: Option<Checkpoints>,
    /// True once Ctrl-C was pressed, where there is something to keep.
    pub(super) ended: Option<Arc<AtomicBool>>,
    /// Steps so far.
    pub(super) reached: usize,
}

impl Course {
    /// Stops after some steps.
    pub(super) fn stop(&mut self, batch: &mut Batch, step: usize) -> Result<ControlFlow<()>> {
        self.reached = step;
        if let Some(record) = self.record.as_mut().filter(|_| step.is_multiple_of(self.every)) {
            record.take(batch)?;
        }
        let ends = self.ended.as_ref().is_some_and(|ended| ended.load(Ordering::Relaxed));
        if let Some(samples) = &mut self.samples {
            samples.take(batch, step, ends || step == self.steps)?;
        }
        if let Some(checkpoints) = &mut self.checkpoints
            && (ends || step == self.steps || checkpoints.is_due(step))
        {
            // what it counts is on the disk before
            self.record.as_mut().map(Recording::flush).transpose()?;
            checkpoints.take(batch, step, self.record.as_ref().map_or(0, Recording::frames))?;
        }
        Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Closes the record; of a rollout that has failed, keeps what was recorded until then.
    pub(super) fn end(&mut self, done: Result<Measured>) -> Result<Measured> {
        let goes_on = self.checkpoints.is_some();
        let measured = match (done, &mut self.record) {
            (Err(error), Some(record)) => {
                return Err(record.rescue(error, self.steps / self.every, goes_on));
            }
            (done, _) => done?,
        };
        if let Some(record) = &mut self.record {
            record.finish(goes_on)?;
        }
        Ok(measured)
    }
}
