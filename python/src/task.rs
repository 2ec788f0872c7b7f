//! Tasks: steps of an environment on a batch.

use manyworlds::batch::{Numbers, TypedArray};
use manyworlds::model::task::Task;
use numpy::ndarray::Array1;
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::array::{self, Reals, typed};
use crate::batch::Batch;
use crate::error::exception;
use crate::model::Model;

/// Observation, reward, terminated and truncated worlds, and their status.
type Observed<'py> = [Bound<'py, PyAny>; 5];

#[pymethods]
impl Model {
    /// The model with a task, from JSON.
    fn with_task(&self, py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::make(py, || {
            let mut model = (*self.inner).clone();
            model.set_task(&Task::from_json(text)?)?;
            Ok(model)
        })
    }

    /// An expression as text: nodes in JSON, names of some of them; the nodes with its own, and the number of its value.
    fn expression(&self, text: &str, nodes: &str, names: Vec<(String, usize)>) -> PyResult<(String, usize)> {
        self.inner.expression_json(text, nodes, &names).map_err(exception)
    }
}

#[pymethods]
impl Batch {
    /// Seeds and numbers of some worlds, on which draws depend.
    fn seed_task(
        &self,
        py: Python<'_>,
        mask: PyReadonlyArray1<'_, bool>,
        seeds: Vec<u64>,
        world_numbers: Vec<u32>,
    ) -> PyResult<()> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.seed_task(mask, &seeds, &world_numbers))
    }

    /// Begins episodes of some worlds.
    fn begin_episodes(&self, py: Python<'_>, mask: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.begin_episodes(mask))
    }

    /// Gives a command to some worlds; `None` lets the task draw it again.
    fn give_command(
        &self,
        py: Python<'_>,
        mask: PyReadonlyArray1<'_, bool>,
        name: &str,
        numbers: Option<Vec<f64>>,
    ) -> PyResult<()> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.command(mask, name, numbers.as_deref()))
    }

    /// A step of the environment under the policy of its task.
    fn step_by_policy(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, |batch| batch.follow_policy().and_then(|()| batch.step_task()))
    }

    /// A step of the environment.
    fn step_task(&self, py: Python<'_>, action: Reals<'_>) -> PyResult<()> {
        let action = action.numbers().map_err(exception)?;
        self.run(py, |batch| batch.act(action))
    }

    /// What the last step has shown, in one copy.
    fn observed<'py>(&self, py: Python<'py>, single: bool) -> PyResult<Observed<'py>> {
        let narrow =
            |found: Vec<TypedArray>| found.into_iter().map(|array| narrowed(array, single)).collect();
        let arrays: Vec<TypedArray> = self.run(py, |batch| batch.observed().map(narrow))?;
        let mut found = arrays.into_iter();
        let mut next = || found.next().ok_or_else(|| PyRuntimeError::new_err("a field was not read"));
        Ok([
            typed(py, next()?)?,
            each(py, next()?)?,
            flags(py, next()?)?,
            flags(py, next()?)?,
            each(py, next()?)?,
        ])
    }
}

/// The array in single or double precision.
#[allow(clippy::cast_possible_truncation, reason = "asked for")]
fn narrowed(array: TypedArray, single: bool) -> TypedArray {
    let data = match array.data {
        Numbers::F64(v) if single => Numbers::F32(v.into_iter().map(|x| x as f32).collect()),
        Numbers::F32(v) if !single => Numbers::F64(v.into_iter().map(f64::from).collect()),
        data => data,
    };
    TypedArray { data, ..array }
}

/// A number for each world.
fn each(py: Python<'_>, array: TypedArray) -> PyResult<Bound<'_, PyAny>> {
    let worlds = array.shape[..1].to_vec();
    typed(py, TypedArray { shape: worlds, ..array })
}

/// A flag for each world.
fn flags(py: Python<'_>, array: TypedArray) -> PyResult<Bound<'_, PyAny>> {
    let Numbers::I32(values) = array.data else {
        return Err(PyRuntimeError::new_err("flags are integers"));
    };
    Ok(Array1::from_iter(values.into_iter().map(|x| x != 0)).into_pyarray(py).into_any())
}
