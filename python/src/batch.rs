//! `Batch`: worlds that step, one call at a time.

use std::sync::{Mutex, MutexGuard};
use std::thread::ThreadId;

use manyworlds::batch::{self, Backend, BatchOptions, Overflow};
use manyworlds::error::Result;
use manyworlds::model::data::Capacity;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::array;
use crate::error::{detached, detached_py, exception};
use crate::evaluator::Evaluator;
use crate::model::Model;
use crate::pace::Pace;

/// Worlds of one model. Calls of several threads wait for each other.
#[pyclass(frozen, module = "manyworlds._core")]
pub(crate) struct Batch {
    state: Mutex<State>,
    /// The thread that computes.
    holder: Mutex<Option<ThreadId>>,
    /// Number of worlds.
    worlds: usize,
}

/// The worlds, none once closed, and what calls keep for the next ones.
pub(crate) struct State {
    batch: Option<batch::Batch>,
    pace: Pace,
    /// The adapter that was asked for.
    pub(crate) adapter: Option<String>,
    /// An evaluator of derivatives, whose kernels take seconds to build.
    pub(crate) evaluator: Option<Evaluator>,
}

impl State {
    pub(crate) fn parts(&mut self) -> PyResult<(&mut batch::Batch, &mut Pace)> {
        match &mut self.batch {
            Some(batch) => Ok((batch, &mut self.pace)),
            None => Err(PyRuntimeError::new_err("the batch is closed")),
        }
    }
}

/// The state of a batch, held by one thread.
struct Held<'a> {
    state: MutexGuard<'a, State>,
    holder: &'a Mutex<Option<ThreadId>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Ok(mut holder) = self.holder.lock() {
            *holder = None;
        }
    }
}

impl Batch {
    fn hold(&self) -> PyResult<Held<'_>> {
        let own = Some(std::thread::current().id());
        // a signal handler runs within the call that it interrupts
        if self.holder.lock().is_ok_and(|holder| *holder == own) {
            return Err(PyRuntimeError::new_err(
                "the batch is busy: it was called from a handler of its own call",
            ));
        }
        let failed = |_| PyRuntimeError::new_err("a call failed within the engine; make a new batch");
        let state = self.state.lock().map_err(failed)?;
        if let Ok(mut holder) = self.holder.lock() {
            *holder = own;
        }
        Ok(Held { state, holder: &self.holder })
    }

    /// Computes with the worlds while other Python threads run.
    pub(crate) fn run<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut batch::Batch) -> Result<R> + Send,
    ) -> PyResult<R> {
        self.run_py(py, |state| work(state.parts()?.0).map_err(exception))
    }

    /// As [`Batch::run`], for work that has exceptions of its own.
    pub(crate) fn run_py<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        detached_py(py, || work(&mut self.hold()?.state))
    }
}

/// Raises what a signal handler raises, such as KeyboardInterrupt; only the main thread has signals.
pub(crate) fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// The backend and adapter of a device's name.
pub(crate) fn device_of(name: &str) -> (Backend, Option<String>) {
    match name {
        "auto" => (Backend::Auto, None),
        "cpu" => (Backend::Cpu, None),
        "gpu" => (Backend::Gpu, None),
        other => (Backend::Gpu, Some(other.strip_prefix("gpu:").unwrap_or(other).to_owned())),
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (model, worlds, device, nconmax, njmax, overflow))]
    fn new(
        py: Python<'_>,
        model: &Model,
        worlds: usize,
        device: &str,
        nconmax: Option<usize>,
        njmax: Option<usize>,
        overflow: &str,
    ) -> PyResult<Self> {
        let overflow: Overflow = overflow.parse().map_err(exception)?;
        let (backend, adapter) = device_of(device);
        let made = detached(py, || {
            let model = &model.inner;
            let capacity = batch::capacity(model, nconmax, njmax)?;
            let adapter = adapter.clone();
            let options = BatchOptions { backend, capacity, overflow, adapter, ..BatchOptions::default() };
            batch::Batch::new(model, worlds, &options)
        })?;
        let state = State { batch: Some(made), pace: Pace::default(), adapter, evaluator: None };
        Ok(Self { state: Mutex::new(state), holder: Mutex::new(None), worlds })
    }

    /// Frees the worlds; later calls raise RuntimeError.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.run_py(py, |state| {
            (state.batch, state.evaluator) = (None, None);
            Ok(())
        })
    }

    #[getter]
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        self.run_py(py, |state| Ok(state.batch.is_none()))
    }

    /// Steps every world; true if some world has a status bit after that, None on the GPU, where reading it would wait.
    fn step(&self, py: Python<'_>, n: usize) -> PyResult<Option<bool>> {
        self.run_py(py, |state| {
            let (batch, pace) = state.parts()?;
            let mut left = n;
            while left > 0 {
                let part = pace.part(batch, left, 1);
                let more = part < left || left < n;
                pace.timed(batch, part, more, |batch| batch.step(part)).map_err(exception)?;
                left -= part;
                if left > 0 {
                    check_signals()?;
                }
            }
            Ok(batch.flagged().map(|flagged| flagged && n > 0))
        })
    }

    #[pyo3(signature = (mask))]
    fn forward(&self, py: Python<'_>, mask: Option<PyReadonlyArray1<'_, bool>>) -> PyResult<()> {
        let mask = array::mask(mask.as_ref()).map_err(exception)?;
        self.run(py, |batch| match mask {
            Some(mask) => batch.forward_worlds(mask),
            None => batch.forward(),
        })
    }

    fn inverse(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, batch::Batch::inverse)
    }

    /// Resets worlds; `keys` has a keyframe, or -1 for the initial state, for each chosen world.
    #[pyo3(signature = (mask, keys))]
    fn reset(
        &self,
        py: Python<'_>,
        mask: PyReadonlyArray1<'_, bool>,
        keys: Option<Vec<i64>>,
    ) -> PyResult<()> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| match keys {
            None => batch.reset(mask, None),
            Some(keys) => {
                let keys: Vec<Option<usize>> = keys.into_iter().map(|k| usize::try_from(k).ok()).collect();
                batch.reset(mask, &keys)
            }
        })
    }

    fn copy_world(&self, py: Python<'_>, from: usize, mask: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.broadcast(from, mask))
    }

    fn prepare(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, batch::Batch::prepare)
    }

    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, batch::Batch::wait)
    }

    fn clear_status(&self, py: Python<'_>, mask: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.clear_status(mask))
    }

    fn status_counts(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, usize)>> {
        self.run(py, batch::Batch::status_counts)
    }

    /// Enlargements: (nconmax, njmax) before, wanted and after, steps taken again, seconds, and a sentence.
    #[allow(clippy::type_complexity, reason = "rows for Python")]
    fn growth(
        &self,
        py: Python<'_>,
    ) -> PyResult<Vec<((usize, usize), (usize, usize), (usize, usize), usize, f64, String)>> {
        let pair = |c: Capacity| (c.nconmax, c.njmax);
        self.run(py, |batch| {
            batch.wait()?;
            let rows = batch.growth().iter();
            Ok(rows
                .map(|g| (pair(g.from), pair(g.wanted), pair(g.to), g.steps, g.seconds, g.to_string()))
                .collect())
        })
    }

    /// Worlds in which contacts or rows were left out, what was wanted, and a sentence.
    #[allow(clippy::type_complexity, reason = "a row for Python")]
    fn dropped(&self, py: Python<'_>) -> PyResult<Option<(Vec<usize>, (usize, usize), String)>> {
        self.run(py, |batch| {
            let found = batch.dropped()?;
            Ok(found.map(|d| {
                let text = d.to_string();
                (d.worlds, (d.wanted.nconmax, d.wanted.njmax), text)
            }))
        })
    }

    /// Bytes to the device, bytes to the host, submissions.
    fn moved(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        self.run(py, |batch| {
            let moved = batch.transfer_stats();
            Ok((moved.to_device, moved.to_host, moved.submissions))
        })
    }

    /// Backend, device, precision, notice, bytes per world, seconds of the build.
    #[allow(clippy::type_complexity, reason = "a row for Python")]
    fn about(
        &self,
        py: Python<'_>,
    ) -> PyResult<(&'static str, String, &'static str, Option<String>, usize, f64)> {
        self.run(py, |batch| {
            let notice = batch.notice().map(str::to_owned);
            let (bytes, seconds) = (batch.bytes_per_world(), batch.build_seconds());
            Ok((batch.backend().name(), batch.device(), batch.precision(), notice, bytes, seconds))
        })
    }

    /// Capacities: contacts and constraint rows of a world.
    fn capacity(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.run(py, |batch| Ok((batch.sizes().nconmax, batch.sizes().njmax)))
    }

    #[getter]
    fn num_worlds(&self) -> usize {
        self.worlds
    }
}
