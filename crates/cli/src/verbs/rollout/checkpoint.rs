//! Checkpoints of a rollout: a snapshot of its worlds with the number of steps, from which it continues with the same bits.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use manyworlds::batch::{Batch, Snapshot};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{Array, ArrayData};

/// Time between checkpoints where no number of steps is given.
const PERIOD: Duration = Duration::from_secs(30);

/// Names of a checkpoint's own arrays.
const STEP: &str = "step";
const FRAMES: &str = "frames";
const OPTIONS: &str = "options";

/// The checkpoints of a rollout.
pub(super) struct Checkpoints {
    file: PathBuf,
    every: Option<usize>,
    options: String,
    last: Instant,
}

/// Where an interrupted rollout stood.
pub(super) struct Standing {
    pub(super) step: usize,
    pub(super) frames: u64,
    snapshot: Snapshot,
}

impl Checkpoints {
    /// Checkpoints in a file, every so many steps or half a minute. `options`, as text, have to be the same when the rollout
    /// goes on.
    pub(super) fn new(file: &Path, every: Option<usize>, options: String) -> Self {
        Self { file: file.to_owned(), every, options, last: Instant::now() }
    }

    /// True if one is due after that many steps.
    pub(super) fn is_due(&self, step: usize) -> bool {
        match self.every {
            Some(every) => step.is_multiple_of(every),
            None => self.last.elapsed() > PERIOD,
        }
    }

    /// Writes a checkpoint in place of the last one.
    pub(super) fn take(&mut self, batch: &mut Batch, step: usize, frames: u64) -> Result<()> {
        let mut snapshot = batch.snapshot()?;
        let number = |x: f64| Array { shape: vec![1], data: ArrayData::F64(vec![x]) };
        let bytes: Vec<i32> = self.options.bytes().map(i32::from).collect();
        snapshot.set_note(STEP, number(step as f64));
        snapshot.set_note(FRAMES, number(frames as f64));
        snapshot.set_note(OPTIONS, Array { shape: vec![bytes.len()], data: ArrayData::I32(bytes) });
        snapshot.write(&self.file)?;
        self.last = Instant::now();
        Ok(())
    }

    /// The last checkpoint; none if there is no file.
    ///
    /// # Errors
    /// [`Error::Argument`] for a file that is no checkpoint, or one of a rollout with other options.
    pub(super) fn read(&self) -> Result<Option<Standing>> {
        if !self.file.exists() {
            return Ok(None);
        }
        let snapshot = Snapshot::read(&self.file)?;
        let fail = |why: String| Error::Argument(format!("{}: {why}", self.file.display()));
        let note = |name: &str| {
            let array =
                snapshot.note(name).ok_or_else(|| fail("is no checkpoint of a rollout".to_owned()))?;
            Ok(array.data.to_f64())
        };
        let options: Vec<u8> = note(OPTIONS)?.iter().map(|x| *x as u8).collect();
        let options = String::from_utf8_lossy(&options).into_owned();
        if options != self.options {
            let text = "was taken with other options";
            return Err(fail(format!("{text}: '{options}', now '{}'; give the same", self.options)));
        }
        let number = |name: &str| Ok::<f64, Error>(note(name)?.first().copied().unwrap_or(0.0).max(0.0));
        let (step, frames) = (number(STEP)? as usize, number(FRAMES)? as u64);
        Ok(Some(Standing { step, frames, snapshot }))
    }
}

impl Standing {
    /// Puts the worlds where they stood.
    pub(super) fn restore(&self, batch: &mut Batch) -> Result<()> {
        batch.restore(&self.snapshot)
    }
}
