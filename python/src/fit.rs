//! Identification: parameters of a model from a recording.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use manyworlds::batch::BatchOptions;
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds_control::identification::{
    Estimate, Fit, FitOptions, Parameter, ReadOptions, Recording, fit_watched,
};
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{numbers, plain};
use crate::batch::device_of;
use crate::error::exception;
use crate::interrupt::{PartialResult, interruptible_part};
use crate::model::Model;

/// Estimates parameters from arrays `[frame, world, …]`; what was found by name, and what a signal handler has raised, which ends
/// the search after the iteration under way. Nothing is found where that takes long.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
#[pyo3(signature = (model, arrays, parameters, fields, segment, device, iterations))]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    model: &Model,
    arrays: BTreeMap<String, PyReadonlyArrayDyn<'py, f64>>,
    parameters: Vec<String>,
    fields: Vec<(String, Option<f64>)>,
    segment: Option<usize>,
    device: &str,
    iterations: Option<usize>,
) -> PyResult<PartialResult<Option<Bound<'py, PyDict>>>> {
    let mut recorded = BTreeMap::new();
    for (name, array) in &arrays {
        let values = numbers(array).map_err(exception)?.to_vec();
        recorded.insert(name.clone(), Array { shape: array.shape().to_vec(), data: ArrayData::F64(values) });
    }
    let (backend, adapter) = device_of(device);
    let batch = BatchOptions { adapter, ..BatchOptions::on(backend) };
    let inner = Arc::clone(&model.inner);
    let (found, raised) = interruptible_part(py, move |ended| {
        let recording = Recording::from_arrays(&recorded, &inner, &ReadOptions { fields, segment })?;
        let mut all = Vec::new();
        for text in &parameters {
            all.extend(Parameter::parse(text, &inner)?);
        }
        let options = FitOptions { batch, iterations, ..FitOptions::default() };
        fit_watched(&inner, &recording, &all, &options, &mut |_| match ended.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
    })?;
    Ok((found.map(|found| to_dict(py, found)).transpose()?, raised))
}

/// What was found, under the names that Python gives it.
fn to_dict(py: Python<'_>, found: Fit) -> PyResult<Bound<'_, PyDict>> {
    let n = found.estimates.len();
    let reals = |shape: &[usize], data: Vec<f64>| {
        plain(py, Array { shape: shape.to_vec(), data: ArrayData::F64(data) }, false)
    };
    let of = |get: fn(&Estimate) -> f64| reals(&[n], found.estimates.iter().map(get).collect());
    let out = PyDict::new(py);
    out.set_item("names", found.estimates.iter().map(|e| e.name.as_str()).collect::<Vec<_>>())?;
    out.set_item("values", of(|e| e.value)?)?;
    out.set_item("deviations", of(|e| e.deviation.unwrap_or(f64::NAN))?)?;
    out.set_item("bounds", found.estimates.iter().map(|e| e.bound.map(|b| b.name())).collect::<Vec<_>>())?;
    out.set_item("identifiable", found.estimates.iter().map(|e| e.identifiable).collect::<Vec<_>>())?;
    out.set_item("covariance", reals(&[n, n], found.covariance.clone())?)?;
    out.set_item("correlation", reals(&[n, n], found.correlation.clone())?)?;
    let costs = std::iter::once(found.start_cost).chain(found.history.iter().map(|i| i.cost));
    out.set_item("costs", reals(&[1 + found.history.len()], costs.collect())?)?;
    out.set_item("converged", found.has_converged())?;
    out.set_item("stop", found.stop.name())?;
    out.set_item("evaluations", found.evaluations)?;
    out.set_item("residuals", reals(&[found.residuals.len()], found.residuals.clone())?)?;
    out.set_item("jacobian", reals(&[found.residuals.len(), n], found.jacobian.clone())?)?;
    out.set_item("errors", found.errors.iter().cloned().collect::<BTreeMap<String, f64>>())?;
    out.set_item("device", found.device)?;
    out.set_item("model", Py::new(py, Model { inner: Arc::new(found.model) })?)?;
    Ok(out)
}
