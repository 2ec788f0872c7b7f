//! Norms of costs.

use manyworlds::batch::suggest;
use manyworlds::error::Error;
use manyworlds_control::planning::norm::Norm;
use pyo3::prelude::*;

use crate::error::exception;

/// Norms: name, number in task files, number of parameters.
#[pyfunction]
pub(crate) fn norms() -> Vec<(&'static str, i32, usize)> {
    Norm::all().collect()
}

/// The number of a norm by name, whose parameters are right.
#[pyfunction]
pub(crate) fn norm_number(name: &str, parameters: Vec<f64>) -> PyResult<i32> {
    let refused = |text: String| exception(Error::Argument(text));
    let Some((_, number, count)) = Norm::all().find(|(known, ..)| *known == name) else {
        let names = || Norm::all().map(|(known, ..)| known);
        let valid = names().collect::<Vec<_>>().join(", ");
        return Err(refused(format!("there is no norm '{name}'{}; valid: {valid}", suggest(name, names()))));
    };
    if parameters.len() != count {
        let got = parameters.len();
        return Err(refused(format!("the norm '{name}' has {count} parameters, {got} are given")));
    }
    Norm::from_number(number, &parameters).map_err(exception)?;
    Ok(number)
}
