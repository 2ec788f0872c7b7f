//! Errors of the library as Python's exceptions, faults of it too, and work that runs without the interpreter.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use manyworlds::error::{Error, Result};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyMemoryError, PyNotImplementedError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    manyworlds,
    ModelError,
    PyValueError,
    "The text of a model, or its meaning, is wrong: one line for each problem, with file, line, column and remedy."
);

/// The exception of an error.
pub(crate) fn exception(error: Error) -> PyErr {
    match error {
        Error::Model(_) => ModelError::new_err(error.to_string()),
        Error::Unsupported(text) => PyNotImplementedError::new_err(text),
        Error::Argument(text) | Error::Diverged(text) => PyValueError::new_err(text),
        Error::Overflow(dropped) => PyValueError::new_err(dropped.to_string()),
        Error::Memory(text) => PyMemoryError::new_err(text),
        Error::Device { reason, .. } => PyRuntimeError::new_err(reason),
        Error::Io { path, reason, .. } if !path.exists() => {
            PyFileNotFoundError::new_err(format!("{}: {reason}", path.display()))
        }
        Error::Io { path, reason, .. } => PyOSError::new_err(format!("{}: {reason}", path.display())),
        other => PyRuntimeError::new_err(other.to_string()),
    }
}

/// Calls into the engine under way, and the text of the last panic in one of them.
static CALLS: AtomicUsize = AtomicUsize::new(0);
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Keeps what a panic within a call says, with its place, for the exception; others are printed as ever.
pub(crate) fn keep_panics() {
    let printed = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if CALLS.load(Ordering::Relaxed) == 0 {
            return printed(info);
        }
        if let Ok(mut text) = PANIC.lock() {
            *text = Some(info.to_string());
        }
    }));
}

/// The exception of a panic: an Exception of Python's, which programs can catch and go on, not PyO3's PanicException.
pub(crate) fn fault(remedy: &str) -> PyErr {
    let text = PANIC.lock().ok().and_then(|mut text| text.take()).unwrap_or_else(|| "unknown".to_owned());
    let text = text.replace('\n', " ");
    PyRuntimeError::new_err(format!(
        "a fault of the engine, please report it with this text: {text}; {remedy}"
    ))
}

/// Calls the engine; a panic in it becomes an exception.
pub(crate) fn guarded<R>(work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    // what the work held is not used again: locks are poisoned
    let done = catch_unwind(AssertUnwindSafe(work));
    CALLS.fetch_sub(1, Ordering::Relaxed);
    done.unwrap_or_else(|_| Err(fault("what it was called on may be unusable now")))
}

/// Panics within a call, for the tests.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>) -> PyResult<()> {
    detached(py, || panic!("on purpose"))
}

/// Refuses to compute in a process that was forked off from one that has computed: the threads stayed behind, and work
/// for them would never end.
fn check_fork() -> PyResult<()> {
    static FIRST: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let now = std::process::id();
    if *FIRST.get_or_init(|| now) == now {
        return Ok(());
    }
    let text = "manyworlds was used before this process was forked, and its threads are not in the copy; \
                start processes with multiprocessing.get_context('spawn')";
    Err(PyRuntimeError::new_err(text))
}

/// Computes while other Python threads run.
pub(crate) fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R> + Send) -> PyResult<R> {
    check_fork()?;
    py.detach(|| guarded(|| work().map_err(exception)))
}

/// As [`detached`], for work that has exceptions of its own.
pub(crate) fn detached_py<R: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<R> + Send) -> PyResult<R> {
    check_fork()?;
    py.detach(|| guarded(work))
}
