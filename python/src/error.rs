//! Errors of the library as Python's exceptions, and work that runs without the interpreter.

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
        Error::Argument(text) => PyValueError::new_err(text),
        Error::Memory(text) => PyMemoryError::new_err(text),
        Error::Device(text) => PyRuntimeError::new_err(text),
        Error::Io { path, reason } if !path.exists() => {
            PyFileNotFoundError::new_err(format!("{}: {reason}", path.display()))
        }
        Error::Io { path, reason } => PyOSError::new_err(format!("{}: {reason}", path.display())),
    }
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
    py.detach(work).map_err(exception)
}

/// As [`detached`], for work that has exceptions of its own.
pub(crate) fn detached_py<R: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<R> + Send) -> PyResult<R> {
    check_fork()?;
    py.detach(work)
}
