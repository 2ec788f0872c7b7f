//! Steps of a schedule, timed.

use std::ops::ControlFlow;
use std::time::Instant;

use manyworlds::batch::Batch;
use manyworlds::error::Result;

use super::drive::ControlSchedule;
use super::output::Output;
use super::summary::Measured;

/// Updates of the progress bar.
const TICKS: usize = 100;

/// Prepares the batch for stepping and runs the warm-up.
pub(crate) fn warm(batch: &mut Batch, schedule: &ControlSchedule) -> Result<()> {
    batch.prepare()?;
    schedule.run(batch, (0, schedule.warmup), (usize::MAX, false), |_, _| Ok(ControlFlow::Continue(())))?;
    batch.wait()
}

/// What a rollout does when it stops: goes on, or ends.
pub(crate) type Stop<'a> = &'a mut dyn FnMut(&mut Batch, usize) -> Result<ControlFlow<()>>;

/// Times the steps from `first` after the warm-up on, until the device has finished. At multiples of `every`,
/// and where that is given some times a second between them, it stops for `at`, which may end it.
pub(crate) fn measure(
    batch: &mut Batch,
    schedule: &ControlSchedule,
    first: usize,
    every: Option<usize>,
    at: Stop<'_>,
    output: &Output,
) -> Result<Measured> {
    let (warmup, steps) = (schedule.warmup, schedule.steps);
    let bar = output.progress(steps);
    // without stops or a progress bar, all steps are submitted at once
    let stops = match (every, bar.is_hidden()) {
        (Some(every), _) => every,
        (None, false) => steps.div_ceil(TICKS),
        (None, true) => usize::MAX,
    };
    let begin = Instant::now();
    let done =
        schedule.run(batch, (warmup + first, warmup + steps), (stops, every.is_some()), |batch, done| {
            bar.set_position(done as u64);
            at(batch, done)
        })?;
    batch.wait()?;
    let seconds = begin.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let taken = done - warmup - first;
    let contacts: f64 = batch.get("ncon", ..)?.data.to_f64().iter().sum();
    Ok(Measured {
        steps: taken,
        seconds,
        steps_per_second: batch.worlds() as f64 * taken as f64 / seconds,
        finite: batch.finite_share()?,
        contacts_mean: contacts / batch.worlds() as f64,
        status: batch.status_counts()?,
    })
}

/// Cold-start times before the first step, as text.
pub(crate) fn cold_text(batch: &Batch, load: f64) -> String {
    let cold = batch.cold_start();
    let parts = [("load", load)].into_iter().chain(cold.parts());
    // times that round to zero are left out
    let shown: Vec<String> =
        parts.filter(|p| p.1 >= 0.005).map(|(name, s)| format!("{name} {s:.2}")).collect();
    format!("{:.2} s: {}", load + cold.total(), shown.join(", "))
}
