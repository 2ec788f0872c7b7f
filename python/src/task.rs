//! Tasks: steps of an environment on a batch.

use manyworlds::batch::{Numbers, TypedArray};
use manyworlds::error::Error;
use manyworlds::model::task::Task;
use numpy::ndarray::Array1;
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::array::{self, numbers, typed};
use crate::batch::Batch;
use crate::error::exception;
use crate::model::Model;

/// Observation, reward, terminated and truncated worlds.
type Observed<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

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

    /// A step of the environment; true if some world has a status bit after it, None on the GPU, where a look would wait.
    fn step_task(&self, py: Python<'_>, action: PyReadonlyArrayDyn<'_, f64>) -> PyResult<Option<bool>> {
        let action = numbers(&action).map_err(exception)?;
        self.run(py, |batch| {
            if !action.is_empty() {
                batch.set("action", action)?;
            }
            batch.step_task()?;
            Ok(batch.flagged())
        })
    }

    /// What the last step has shown, in one copy.
    fn observed<'py>(&self, py: Python<'py>, single: bool) -> PyResult<Observed<'py>> {
        let arrays = self.run(py, |batch| {
            let names = ["observation", "reward", "terminated", "truncated"];
            let found = batch.read(&names, None)?;
            Ok(found.into_iter().map(|array| narrowed(array, single)).collect::<Vec<_>>())
        })?;
        let [observation, reward, terminated, truncated] =
            <[TypedArray; 4]>::try_from(arrays).map_err(|_| exception(missing()))?;
        Ok((typed(py, observation)?, flat(py, reward)?, flat(py, terminated)?, flat(py, truncated)?))
    }
}

fn missing() -> Error {
    Error::Argument("the batch has no task".to_owned())
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

/// A number for each world; flags as booleans.
fn flat(py: Python<'_>, array: TypedArray) -> PyResult<Bound<'_, PyAny>> {
    Ok(match array.data {
        Numbers::F32(v) => Array1::from_vec(v).into_pyarray(py).into_any(),
        Numbers::F64(v) => Array1::from_vec(v).into_pyarray(py).into_any(),
        Numbers::I32(v) => Array1::from_iter(v.into_iter().map(|x| x != 0)).into_pyarray(py).into_any(),
    })
}
