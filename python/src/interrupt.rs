//! Long calls that cannot be taken in parts: work on a thread of its own, which Ctrl-C leaves with what was done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use manyworlds::error::Result;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::batch::check_signals;
use crate::error::{detached_py, exception, fault};

/// Time from one check for signals to the next.
const LOOK: Duration = Duration::from_millis(50);

/// Time that work which is told to end has for it, before the caller goes on without it.
const GRACE: Duration = Duration::from_millis(600);

/// A result, whole or what there is of it, and what a signal handler has raised meanwhile.
pub(crate) type PartialResult<R> = (R, Option<PyErr>);

/// Computes while other Python threads run. Raises what a signal handler raises, such as KeyboardInterrupt; the flag that `work`
/// gets is true then. What it holds is free once it has ended.
pub(crate) fn interruptible<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<R> + Send + 'static,
) -> PyResult<R> {
    let (found, raised) = interruptible_part(py, work)?;
    match (raised, found) {
        (Some(raised), _) => Err(raised),
        (None, found) => found.ok_or_else(|| fault("what it was called on may be unusable now")),
    }
}

/// As [`interruptible`], for work that returns what it has done so far once the flag is true. There is no result where it takes
/// too long for that.
pub(crate) fn interruptible_part<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<R> + Send + 'static,
) -> PyResult<PartialResult<Option<R>>> {
    detached_py(py, || {
        let ended = Arc::new(AtomicBool::new(false));
        let (done, result) = mpsc::channel();
        let flag = Arc::clone(&ended);
        let thread = std::thread::Builder::new().name("manyworlds".to_owned());
        thread
            .spawn(move || done.send(work(&flag)))
            .map_err(|e| PyRuntimeError::new_err(format!("there is no thread to compute on: {e}")))?;
        loop {
            match result.recv_timeout(LOOK) {
                Ok(found) => return found.map(|found| (Some(found), None)).map_err(exception),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(fault("what it was called on may be unusable now"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(raised) = check_signals() {
                        ended.store(true, Ordering::Relaxed);
                        // usually it ends within this time
                        let part = result.recv_timeout(GRACE).ok().and_then(std::result::Result::ok);
                        return Ok((part, Some(raised)));
                    }
                }
            }
        }
    })
}
