//! Steps a batch under a schedule of controls.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use manyworlds::batch::Batch;
use manyworlds::batch::control::{Control, NOISE_STEPS, fill};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz;
use manyworlds::model::Model;

/// About how long steps are taken before a caller that may end them is asked.
const PIECE: Duration = Duration::from_millis(100);

/// Where bits depend on how steps are spread over calls, pieces have a fixed number of steps: as many as step so many degrees of
/// freedom of all worlds, and no more than so many.
const FIXED_WORK: usize = 4_000_000;
const FIXED_MOST: usize = 100;

/// Source of the controls.
pub(crate) enum ControlSource {
    /// One of the built-in workloads.
    Builtin(Control),
    /// Frames `[frame, world, nu]`, spread evenly over the steps.
    Frames { frames: usize, values: Vec<f64> },
}

/// Controls over the warm-up and the steps after it.
pub(crate) struct ControlSchedule {
    pub(crate) source: ControlSource,
    pub(crate) seed: u64,
    pub(crate) warmup: usize,
    pub(crate) steps: usize,
}

impl ControlSource {
    /// `zero`, `hold`, `noise`, or an npz file with an array `ctrl`: `[nu]`, `[world, nu]` or
    /// `[frame, world, nu]`.
    pub(crate) fn parse(word: &str, model: &Model, worlds: usize, steps: usize) -> Result<Self> {
        match word {
            "zero" => Ok(ControlSource::Builtin(Control::Zero)),
            "hold" => Ok(ControlSource::Builtin(Control::Hold)),
            "noise" => Ok(ControlSource::Builtin(Control::Noise)),
            path if path.ends_with(".npz") => Self::read(&PathBuf::from(path), model, worlds, steps),
            other => Err(Error::Argument(format!("--ctrl is '{other}'; valid: zero hold noise FILE.npz"))),
        }
    }

    fn read(path: &Path, model: &Model, worlds: usize, steps: usize) -> Result<Self> {
        let fail = |text: String| Error::Argument(format!("{}: {text}", path.display()));
        let mut arrays = npz::read(path)?;
        let array = arrays.remove("ctrl").ok_or_else(|| fail("has no array 'ctrl'".to_owned()))?;
        let (nu, given) = (model.sizes.nu, array.data.to_f64());
        let (frames, values) = match array.shape[..] {
            // one row for all worlds: repeated when it is set
            [n] if n == nu => (1, given),
            [w, n] if n == nu && w == worlds => (1, given),
            [f, w, n] if n == nu && w == worlds && f > 0 => (f, given),
            _ => {
                let shape = &array.shape;
                let text = format!(
                    "'ctrl' has shape {shape:?}; it has to be [{nu}], [{worlds}, {nu}] or [frame, {worlds}, {nu}]"
                );
                return Err(fail(text));
            }
        };
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            return Err(fail(format!("'ctrl' holds {} at element {i}; it has to be finite", values[i])));
        }
        if !steps.is_multiple_of(frames) {
            return Err(fail(format!("{frames} frames do not divide {steps} steps; change --steps")));
        }
        Ok(ControlSource::Frames { frames, values })
    }
}

impl ControlSchedule {
    /// Steps from `from` to `to`, counted from the start of the warm-up, stopping at every multiple of `every` after the
    /// warm-up, and after the last step, for `at`, which may end it; where it is `watched`, also some times a second between
    /// these. Returns the steps where it ended.
    pub(crate) fn run(
        &self,
        batch: &mut Batch,
        (from, to): (usize, usize),
        (every, watched): (usize, bool),
        mut at: impl FnMut(&mut Batch, usize) -> Result<ControlFlow<()>>,
    ) -> Result<usize> {
        let mut step = from;
        let work = (batch.worlds() * batch.sizes().nv).max(1);
        let fixed = (FIXED_WORK / work).clamp(1, FIXED_MOST);
        let by_clock = watched && !batch.rounds_by_call();
        let after_warmup = |s: usize, n: usize| s >= self.warmup && (s - self.warmup).is_multiple_of(n);
        let is_stop = |s: usize| after_warmup(s, every) || (watched && !by_clock && after_warmup(s, fixed));
        // steps between two looks by the clock at whether to go on; step and time of the last look
        let mut piece = if by_clock { 1 } else { usize::MAX };
        let mut last = (from, Instant::now());
        while step < to {
            if self.changes(step) {
                self.apply(batch, step)?;
            }
            // as many steps as nothing interrupts
            let most = to.min(last.0.saturating_add(piece));
            let next = (step + 1..most).find(|s| self.changes(*s) || is_stop(*s)).unwrap_or(most);
            batch.step(next - step)?;
            step = next;
            let looks = step - last.0 >= piece;
            if looks {
                batch.wait()?;
                piece = if last.1.elapsed() < PIECE { piece.saturating_mul(2) } else { (piece / 2).max(1) };
                last = (step, Instant::now());
            }
            let asks = is_stop(step) || (looks && step >= self.warmup) || step == self.warmup + self.steps;
            if asks && at(batch, step - self.warmup)?.is_break() {
                break;
            }
        }
        Ok(step)
    }

    /// True if the controls change at a step.
    fn changes(&self, step: usize) -> bool {
        match &self.source {
            ControlSource::Builtin(Control::Noise) => step.is_multiple_of(NOISE_STEPS),
            ControlSource::Builtin(_) => step == 0,
            ControlSource::Frames { .. } if step < self.warmup => step == 0,
            ControlSource::Frames { frames, .. } => {
                (step - self.warmup).is_multiple_of((self.steps / frames).max(1))
            }
        }
    }

    /// Sets the controls of a step.
    fn apply(&self, batch: &mut Batch, step: usize) -> Result<()> {
        let row = batch.worlds() * batch.sizes().nu;
        if row == 0 {
            return Ok(());
        }
        match &self.source {
            ControlSource::Builtin(control) => {
                let mut ctrl = vec![0.0; row];
                fill(batch.model(), *control, self.seed, 0, step, &mut ctrl);
                batch.set("ctrl", .., &ctrl)
            }
            ControlSource::Frames { values, .. } if values.len() < row => {
                batch.set("ctrl", .., &values.repeat(batch.worlds()))
            }
            ControlSource::Frames { frames, values } => {
                let frame = step.saturating_sub(self.warmup) / (self.steps / frames).max(1);
                let frame = frame.min(frames - 1);
                batch.set("ctrl", .., &values[frame * row..(frame + 1) * row])
            }
        }
    }
}
