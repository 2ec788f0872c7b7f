//! `Model`: a compiled model, which does not change.

use std::path::PathBuf;
use std::sync::Arc;

use manyworlds::error::Result;
use manyworlds::formats::npz;
use manyworlds::schema::{Dim, Kind};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::array::copied;
use crate::error::{detached, exception};

/// A compiled model.
#[pyclass(frozen, module = "manyworlds._core")]
pub(crate) struct Model {
    pub(crate) inner: Arc<manyworlds::model::Model>,
}

impl Model {
    /// Compiles or reads a model while other Python threads run.
    pub(crate) fn make(
        py: Python<'_>,
        make: impl FnOnce() -> Result<manyworlds::model::Model> + Send,
    ) -> PyResult<Self> {
        Ok(Self { inner: Arc::new(detached(py, make)?) })
    }
}

/// The kind with a name.
pub(crate) fn kind(name: &str) -> PyResult<Kind> {
    Kind::from_name(name).ok_or_else(|| {
        let near = manyworlds::batch::suggest(name, Kind::ALL.iter().map(|k| k.name()));
        PyKeyError::new_err(format!("there is no kind of objects '{name}'{near}"))
    })
}

#[pymethods]
impl Model {
    #[staticmethod]
    fn from_path(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::make(py, || manyworlds::load(&path))
    }

    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str, assets: Vec<(String, PyBackedBytes)>) -> PyResult<Self> {
        Self::make(py, || {
            manyworlds::load_str_with(text, &assets.iter().map(|(name, bytes)| (name, &bytes[..])).collect())
        })
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Self::make(py, || manyworlds::model::Model::from_mwb(bytes))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_mwb())
    }

    /// Writes a compiled model (.mwb), or all fields as arrays (.npz).
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || match path.extension().and_then(|e| e.to_str()) {
            Some("npz") => npz::write_model(&path, &*self.inner),
            _ => manyworlds::files::write(&path, &self.inner.to_mwb()),
        })
    }

    /// A field, copied.
    fn get<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let entry = manyworlds::model::Model::<f64>::FIELDS.iter().find(|f| f.name == field);
        match (entry, self.inner.get(field)) {
            (Some(entry), Some(values)) => copied(py, &entry.shape(&self.inner.sizes), values),
            _ => Err(PyKeyError::new_err(format!("the model has no field '{field}'"))),
        }
    }

    /// A size, or the length of an axis by its name in the tables.
    fn size(&self, name: &str) -> Option<usize> {
        Dim::from_name(name)?.length(&self.inner.sizes)
    }

    fn names(&self, kind_name: &str) -> PyResult<Vec<String>> {
        Ok(self.inner.names.of(kind(kind_name)?).to_vec())
    }

    /// First and last place, plus one, of an object's elements in a field.
    fn elements(&self, field: &str, kind_name: &str, id: usize) -> PyResult<(usize, usize)> {
        let range = self.inner.elements_of(field, kind(kind_name)?, id).map_err(exception)?;
        Ok((range.start, range.end))
    }

    /// Id of an object by name.
    fn id(&self, kind_name: &str, name: &str) -> PyResult<usize> {
        self.inner.id(kind(kind_name)?, name).map_err(|e| PyKeyError::new_err(e.to_string()))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.names.model
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings.iter().map(ToString::to_string).collect()
    }

    fn equals(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}
