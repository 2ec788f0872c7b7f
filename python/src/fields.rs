//! Fields of a batch: reading, writing, state vectors, models of worlds, snapshots, rollouts.

use std::collections::BTreeMap;
use std::sync::Arc;

use manyworlds::batch::{Backend, Distribution, Draw, Operation, Randomization, Snapshot};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{Array, ArrayData};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{self, Reals, numbers, plain, typed};
use crate::batch::{Batch, check_signals};
use crate::error::exception;
use crate::interrupt::PartialResult;
use crate::model::Model;

/// True if reals of the batch are in single precision.
fn is_single(batch: &manyworlds::batch::Batch) -> bool {
    batch.backend() == Backend::Gpu
}

/// A randomisation as Python gives it: field, operation, distribution, its two numbers, stream, elements.
type Term = (String, String, String, f64, f64, Option<String>, Option<Vec<usize>>);

fn randomization(
    (field, operation, distribution, low, high, stream, elements): Term,
) -> Result<Randomization> {
    let refused = |what: &str, got: &str, valid: &str| {
        Error::Argument(format!("'{field}': {what} is '{got}'; valid: {valid}"))
    };
    let operation = match operation.as_str() {
        "set" | "abs" => Operation::Set,
        "scale" => Operation::Scale,
        "add" => Operation::Add,
        other => return Err(refused("operation", other, "set (abs), scale, add")),
    };
    let distribution = match distribution.as_str() {
        "uniform" => Distribution::Uniform(low, high),
        "log_uniform" => Distribution::LogUniform(low, high),
        "normal" | "gaussian" => Distribution::Normal(low, high),
        other => return Err(refused("distribution", other, "uniform, log_uniform, normal (gaussian)")),
    };
    Ok(Randomization { field, operation, distribution, stream, elements })
}

#[pymethods]
impl Batch {
    /// Fields of some worlds, or of all, in one copy.
    #[pyo3(signature = (fields, mask))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        fields: Vec<String>,
        mask: Option<PyReadonlyArray1<'py, bool>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mask = array::mask(mask.as_ref()).map_err(exception)?;
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        let arrays = self.run(py, |batch| batch.read(&names, mask))?;
        arrays.into_iter().map(|array| typed(py, array)).collect()
    }

    /// Writes a field of some worlds, or of all.
    #[pyo3(signature = (field, values, mask))]
    fn set(
        &self,
        py: Python<'_>,
        field: &str,
        values: Reals<'_>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let (values, mask) =
            (values.numbers().map_err(exception)?, array::mask(mask.as_ref()).map_err(exception)?);
        self.run(py, |batch| batch.set(field, mask, values))
    }

    /// True if the backend keeps a field of this model.
    fn has(&self, py: Python<'_>, field: &str) -> PyResult<bool> {
        self.run(py, |batch| Ok(batch.has(field)))
    }

    fn state_size(&self, py: Python<'_>, parts: i32) -> PyResult<usize> {
        self.run(py, |batch| batch.state_size(parts))
    }

    fn get_state<'py>(
        &self,
        py: Python<'py>,
        parts: i32,
        mask: PyReadonlyArray1<'py, bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        let (array, single) = self.run(py, |batch| Ok((batch.get_state(parts, mask)?, is_single(batch))))?;
        plain(py, array, single)
    }

    fn set_state(
        &self,
        py: Python<'_>,
        parts: i32,
        values: Reals<'_>,
        mask: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let values = values.numbers().map_err(exception)?;
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.set_state(parts, mask, values))
    }

    fn expand(&self, py: Python<'_>, fields: Vec<String>) -> PyResult<()> {
        let names: Vec<&str> = fields.iter().map(String::as_str).collect();
        self.run(py, |batch| batch.expand(&names))
    }

    fn expanded(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        self.run(py, |batch| Ok(batch.expanded()))
    }

    /// A field of the model in some worlds, or in all.
    #[pyo3(signature = (field, mask=None))]
    fn get_model<'py>(
        &self,
        py: Python<'py>,
        field: &str,
        mask: Option<PyReadonlyArray1<'py, bool>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mask = array::mask(mask.as_ref()).map_err(exception)?;
        let (array, single) = self.run(py, |batch| {
            let array = batch.get_model(field, mask)?;
            Ok((array, is_single(batch)))
        })?;
        plain(py, array, single)
    }

    fn set_model(
        &self,
        py: Python<'_>,
        field: &str,
        values: Reals<'_>,
        mask: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let values = values.numbers().map_err(exception)?;
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.set_model(field, mask, values))
    }

    /// The model of a world, with its values of expanded fields.
    fn model_of(&self, py: Python<'_>, world: usize) -> PyResult<Model> {
        Ok(Model { inner: Arc::new(self.run(py, |batch| batch.model_of(world))?) })
    }

    fn randomize(
        &self,
        py: Python<'_>,
        terms: Vec<Term>,
        seed: u64,
        episode: u32,
        first_world: u32,
        mask: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let terms = terms.into_iter().map(randomization).collect::<Result<Vec<_>>>().map_err(exception)?;
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        self.run(py, |batch| batch.randomize(&terms, Draw { seed, episode, first_world }, mask))
    }

    /// All that the worlds need to go on with the same bits, by name.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let snapshot = self.run(py, manyworlds::batch::Batch::snapshot)?;
        let out = PyDict::new(py);
        for (name, array) in snapshot.into_arrays() {
            out.set_item(name, plain(py, array, false)?)?;
        }
        Ok(out)
    }

    fn restore(&self, py: Python<'_>, arrays: BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<()> {
        let arrays = arrays.into_iter().map(|(name, array)| {
            let array = of_python(&array).map_err(|e| PyValueError::new_err(format!("'{name}': {e}")))?;
            Ok((name, array))
        });
        let snapshot = Snapshot::from_arrays(arrays.collect::<PyResult<_>>()?);
        self.run(py, |batch| batch.restore(&snapshot))
    }

    /// Steps under controls `[world, step, nu]`; recorded fields `[world, frame, …]`, and what a signal handler has raised, after
    /// which there are fewer frames.
    #[pyo3(signature = (steps, controls, record, every))]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        steps: usize,
        controls: Option<PyReadonlyArrayDyn<'py, f64>>,
        record: Vec<String>,
        every: usize,
    ) -> PyResult<PartialResult<Vec<Bound<'py, PyAny>>>> {
        let controls = controls.as_ref().map(numbers).transpose().map_err(exception)?;
        let names: Vec<&str> = record.iter().map(String::as_str).collect();
        let (arrays, single, raised) = self.run_py(py, |state| {
            let (batch, pace) = state.parts()?;
            let (worlds, nu) = (batch.worlds(), batch.sizes().nu);
            let mut parts: Vec<Vec<Array>> = Vec::new();
            let (mut done, mut raised) = (0, None);
            loop {
                let part = pace.part(batch, steps - done, every);
                // the controls of these steps: all of them, or cut out
                let cut: Option<Vec<f64>> = controls.filter(|_| part < steps).map(|all| {
                    let of_world = |w: usize| &all[(w * steps + done) * nu..(w * steps + done + part) * nu];
                    (0..worlds).flat_map(|w| of_world(w).iter().copied()).collect()
                });
                let now = cut.as_deref().or(controls);
                let arrays = pace
                    .timed(batch, part, true, |batch| batch.rollout(part, now, &names, every))
                    .map_err(exception)?;
                parts.push(arrays);
                done += part;
                if done >= steps {
                    break;
                }
                raised = check_signals().err();
                if raised.is_some() {
                    break;
                }
            }
            Ok((joined(parts, worlds), is_single(batch), raised))
        })?;
        let arrays = arrays.into_iter().map(|array| plain(py, array, single)).collect::<PyResult<_>>()?;
        Ok((arrays, raised))
    }
}

/// An array of Python's.
fn of_python(array: &Bound<'_, PyAny>) -> PyResult<Array> {
    if let Ok(ints) = array.cast::<PyArrayDyn<i32>>() {
        let data = ArrayData::I32(ints.readonly().as_slice()?.to_vec());
        return Ok(Array { shape: ints.shape().to_vec(), data });
    }
    let reals = array.cast::<PyArrayDyn<f64>>()?;
    let data = ArrayData::F64(reals.readonly().as_slice()?.to_vec());
    Ok(Array { shape: reals.shape().to_vec(), data })
}

/// Joins the frames of parts of a rollout. A part whose worlds had less room is filled up with zeros.
fn joined(mut parts: Vec<Vec<Array>>, worlds: usize) -> Vec<Array> {
    if parts.len() == 1 {
        return parts.pop().unwrap_or_default();
    }
    let count = parts.first().map_or(0, Vec::len);
    let field = |k: usize| {
        let pieces: Vec<&Array> = parts.iter().map(|part| &part[k]).collect();
        let frames: usize = pieces.iter().map(|piece| piece.shape[1]).sum();
        // the last part has the most room
        let mut shape = pieces.last().map(|piece| piece.shape.clone()).unwrap_or_default();
        shape[1] = frames;
        let len: usize = shape[2..].iter().product();
        let is_int = pieces.iter().all(|piece| matches!(piece.data, ArrayData::I32(_)));
        let data = if is_int {
            ArrayData::I32(join(&pieces, worlds, len, |data| match data {
                ArrayData::I32(v) => v,
                ArrayData::F64(_) => &[],
            }))
        } else {
            ArrayData::F64(join(&pieces, worlds, len, |data| match data {
                ArrayData::F64(v) => v,
                ArrayData::I32(_) => &[],
            }))
        };
        Array { shape, data }
    };
    (0..count).map(field).collect()
}

/// Numbers of pieces, world by world, with frames of one length.
fn join<T: Copy + Default>(
    pieces: &[&Array],
    worlds: usize,
    len: usize,
    of: impl for<'a> Fn(&'a ArrayData) -> &'a [T],
) -> Vec<T> {
    let mut out = Vec::new();
    for world in 0..worlds {
        for piece in pieces {
            let (frames, own): (usize, usize) = (piece.shape[1], piece.shape[2..].iter().product());
            let rows = &of(&piece.data)[world * frames * own..(world + 1) * frames * own];
            for frame in 0..frames {
                out.extend_from_slice(&rows[frame * own..(frame + 1) * own]);
                out.extend(std::iter::repeat_n(T::default(), len - own));
            }
        }
    }
    out
}
