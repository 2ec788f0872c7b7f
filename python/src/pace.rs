//! Long calls in parts, so that Ctrl-C is noticed between them.
//!
//! Where the bits of steps do not depend on how they are spread over calls, a part takes as many as a tenth of a second
//! holds, by the time of those before. On a GPU whose kernels round by call, a part has a fixed number of steps, from
//! the size of the model and the number of worlds: bits never depend on time.

use std::time::Instant;

use manyworlds::batch::{Backend, Batch};
use manyworlds::error::Result;

/// Seconds of a part.
const PART: f64 = 0.1;

/// Degrees of freedom, of all worlds, that a part of fixed size steps.
const FIXED_WORK: usize = 4_000_000;

/// Most steps of a part of fixed size.
const FIXED_MOST: usize = 100;

/// How fast steps are.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    seconds_per_step: Option<f64>,
}

impl Pace {
    /// Steps of the next part, a multiple of `every` unless fewer are left.
    pub(crate) fn part(&self, batch: &Batch, left: usize, every: usize) -> usize {
        let steps = if batch.rounds_by_call() {
            let work = (batch.worlds() * batch.sizes().nv).max(1);
            (FIXED_WORK / work).clamp(1, FIXED_MOST)
        } else {
            let fit = self.seconds_per_step.map_or(1.0, |seconds| PART / seconds.max(1e-9));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            let fit = fit as usize;
            fit.max(1)
        };
        steps.next_multiple_of(every.max(1)).min(left)
    }

    /// Runs `work`, which takes some steps, and notes how long they took; `wait` where the device goes on by itself.
    pub(crate) fn timed<R>(
        &mut self,
        batch: &mut Batch,
        steps: usize,
        wait: bool,
        work: impl FnOnce(&mut Batch) -> Result<R>,
    ) -> Result<R> {
        let begin = Instant::now();
        let done = work(batch)?;
        if wait {
            batch.wait()?;
        }
        if wait || batch.backend() == Backend::Cpu {
            self.seconds_per_step = Some(begin.elapsed().as_secs_f64() / steps.max(1) as f64);
        }
        Ok(done)
    }
}
