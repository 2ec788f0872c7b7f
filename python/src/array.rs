//! Arrays of the library as NumPy's, without a copy.

use manyworlds::batch::{Numbers, NumbersRef, TypedArray};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::schema::Values;
use numpy::ndarray::{ArrayD, IxDyn};
use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Moves numbers into an array of a shape.
pub(crate) fn shaped<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    data: Vec<T>,
) -> PyResult<Bound<'py, PyAny>> {
    let array =
        ArrayD::from_shape_vec(IxDyn(shape), data).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(array.into_pyarray(py).into_any())
}

/// An array in the precision of the backend.
pub(crate) fn typed(py: Python<'_>, array: TypedArray) -> PyResult<Bound<'_, PyAny>> {
    match array.data {
        Numbers::F32(v) => shaped(py, &array.shape, v),
        Numbers::F64(v) => shaped(py, &array.shape, v),
        Numbers::I32(v) => shaped(py, &array.shape, v),
    }
}

/// An array of the library, with reals in single precision if asked for.
pub(crate) fn plain(py: Python<'_>, array: Array, single: bool) -> PyResult<Bound<'_, PyAny>> {
    match array.data {
        #[allow(clippy::cast_possible_truncation, reason = "they were in single precision")]
        ArrayData::F64(v) if single => shaped(py, &array.shape, v.into_iter().map(|x| x as f32).collect()),
        ArrayData::F64(v) => shaped(py, &array.shape, v),
        ArrayData::I32(v) => shaped(py, &array.shape, v),
    }
}

/// A copy of borrowed values.
pub(crate) fn copied<'py>(
    py: Python<'py>,
    shape: &[usize],
    values: Values<'_, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    match values {
        Values::Real(v) => shaped(py, shape, v.to_vec()),
        Values::Int(v) => shaped(py, shape, v.to_vec()),
    }
}

/// Reals in the precision that a caller has them in.
#[derive(FromPyObject)]
pub(crate) enum Reals<'py> {
    /// Single.
    Single(PyReadonlyArrayDyn<'py, f32>),
    /// Double.
    Double(PyReadonlyArrayDyn<'py, f64>),
}

impl Reals<'_> {
    /// The numbers of an array that Python has made contiguous.
    pub(crate) fn numbers(&self) -> Result<NumbersRef<'_>> {
        let contiguous = match self {
            Self::Single(array) => array.as_slice().map(NumbersRef::F32),
            Self::Double(array) => array.as_slice().map(NumbersRef::F64),
        };
        contiguous.map_err(|_| Error::Argument("the array is not contiguous".to_owned()))
    }
}

/// Numbers of an array that Python has made contiguous.
pub(crate) fn numbers<'a>(array: &'a PyReadonlyArrayDyn<'_, f64>) -> Result<&'a [f64]> {
    array.as_slice().map_err(|_| Error::Argument("the array is not contiguous".to_owned()))
}

/// A mask that Python has made contiguous.
pub(crate) fn mask<'a>(array: Option<&'a PyReadonlyArray1<'_, bool>>) -> Result<Option<&'a [bool]>> {
    let slice = |a: &'a PyReadonlyArray1<'_, bool>| {
        a.as_slice().map_err(|_| Error::Argument("the mask is not contiguous".to_owned()))
    };
    array.map(slice).transpose()
}
