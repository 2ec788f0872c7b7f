//! `Spec`: a model before it is compiled, built and edited element by element, with attributes as in MJCF.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use manyworlds::error::Error;
use manyworlds::files;
use manyworlds::mjcf::element::{self, Attribute};
use manyworlds::schema::Kind;
use manyworlds::spec::{self, Parent, Part, bases};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::error::{detached, exception, guarded};
use crate::model::{Model, kind};

/// A model before it is compiled.
#[pyclass(frozen, module = "manyworlds._core")]
pub(crate) struct Spec {
    inner: Mutex<spec::Spec>,
}

impl Spec {
    fn of(inner: spec::Spec) -> Self {
        Self { inner: Mutex::new(inner) }
    }

    fn hold(&self) -> PyResult<MutexGuard<'_, spec::Spec>> {
        self.inner
            .lock()
            .map_err(|_| PyRuntimeError::new_err("a call failed within the engine; make a new Spec"))
    }

    /// Calls the engine with the model.
    fn edited<R>(&self, work: impl FnOnce(&mut spec::Spec) -> manyworlds::error::Result<R>) -> PyResult<R> {
        guarded(|| work(&mut *self.hold()?).map_err(exception))
    }

    /// A copy to compute with while other Python threads run.
    fn copied(&self) -> PyResult<spec::Spec> {
        Ok(self.hold()?.clone())
    }
}

/// A parent by kind and id.
fn parent(kind_name: &str, id: usize) -> PyResult<Parent> {
    Ok(match kind(kind_name)? {
        Kind::Body => Parent::Body(id),
        Kind::Frame => Parent::Frame(id),
        Kind::Site => Parent::Site(id),
        other => {
            let text = format!("a {} holds no elements; valid: body, frame, site", other.word());
            return Err(PyValueError::new_err(text));
        }
    })
}

fn borrowed(attributes: &[(String, String)]) -> Vec<Attribute<'_>> {
    attributes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[pymethods]
impl Spec {
    #[new]
    fn new() -> Self {
        Self::of(spec::Spec::new())
    }

    #[staticmethod]
    fn from_path(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        detached(py, || spec::Spec::from_file(&path)).map(Self::of)
    }

    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str, assets: Vec<(String, PyBackedBytes)>) -> PyResult<Self> {
        detached(py, || {
            spec::Spec::from_text_with(text, &assets.iter().map(|(name, bytes)| (name, &bytes[..])).collect())
        })
        .map(Self::of)
    }

    fn copy(&self) -> PyResult<Self> {
        self.copied().map(Self::of)
    }

    /// Adds an element; its kind and id.
    fn add(
        &self,
        path: &str,
        parent_kind: &str,
        parent_id: usize,
        attributes: Vec<(String, String)>,
        content: &str,
    ) -> PyResult<(&'static str, usize)> {
        let place = parent(parent_kind, parent_id)?;
        self.edited(|spec| element::add(spec, path, place, &borrowed(&attributes), content))
            .map(|(kind, id)| (kind.name(), id))
    }

    fn set(&self, kind_name: &str, id: usize, attributes: Vec<(String, String)>) -> PyResult<()> {
        let kind = kind(kind_name)?;
        self.edited(|spec| element::set(spec, kind, id, &borrowed(&attributes)))
    }

    fn set_section(&self, path: &str, attributes: Vec<(String, String)>) -> PyResult<()> {
        self.edited(|spec| element::set_section(spec, path, &borrowed(&attributes)))
    }

    fn attributes(&self, kind_name: &str, id: usize) -> PyResult<Vec<(String, String)>> {
        let kind = kind(kind_name)?;
        self.edited(|spec| element::attributes(spec, kind, id))
    }

    fn names(&self, kind_name: &str) -> PyResult<Vec<String>> {
        let (spec, kind) = (self.hold()?, kind(kind_name)?);
        let whole = bases(&spec, kind).map(|base| spec.full_name(&base.name, base.scope));
        Ok(whole.collect())
    }

    fn id(&self, kind_name: &str, name: &str) -> PyResult<usize> {
        let (spec, kind) = (self.hold()?, kind(kind_name)?);
        spec.find(kind, name).ok_or_else(|| {
            let names: Vec<String> = bases(&spec, kind)
                .map(|base| spec.full_name(&base.name, base.scope))
                .filter(|n| !n.is_empty())
                .collect();
            let near = manyworlds::batch::suggest(name, names.iter().map(String::as_str));
            PyKeyError::new_err(format!("there is no {} '{name}'{near}", kind.word()))
        })
    }

    fn remove(&self, kind_name: &str, id: usize, referrers: bool) -> PyResult<()> {
        let kind = kind(kind_name)?;
        self.edited(
            |spec| if referrers { spec.remove_with_referrers(kind, id) } else { spec.remove(kind, id) },
        )
    }

    /// Attaches the world, a body or a frame of another model; the kind and id of the copy.
    #[pyo3(signature = (child, part, place, prefix, suffix))]
    fn attach(
        &self,
        child: &Self,
        part: Option<(String, usize)>,
        place: (String, usize),
        prefix: &str,
        suffix: &str,
    ) -> PyResult<(&'static str, usize)> {
        let refused =
            || exception(Error::Argument("a body, a frame or the whole world is attached".to_owned()));
        let (part, made) = match part {
            None => (Part::World, Kind::Frame),
            Some((name, id)) => match kind(&name)? {
                Kind::Body => (Part::Body(id), Kind::Body),
                Kind::Frame => (Part::Frame(id), Kind::Frame),
                _ => return Err(refused()),
            },
        };
        // a model may be attached to itself: one lock at a time
        let child = child.copied()?;
        let place = parent(&place.0, place.1)?;
        let id = self.edited(|spec| spec.attach(&child, part, place, prefix, suffix))?;
        Ok((made.name(), id))
    }

    fn compile(&self, py: Python<'_>) -> PyResult<Model> {
        let spec = self.copied()?;
        Model::make(py, || spec.compile())
    }

    fn to_xml(&self, py: Python<'_>, folder: PathBuf) -> PyResult<String> {
        let spec = self.copied()?;
        detached(py, || spec.to_xml(&folder))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let spec = self.copied()?;
        detached(py, || {
            let text = spec.to_xml(path.parent().unwrap_or(Path::new(".")))?;
            files::write(&path, text.as_bytes())
        })
    }

    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.hold()?.name.clone())
    }

    fn set_name(&self, name: String) -> PyResult<()> {
        self.hold()?.name = name;
        Ok(())
    }

    #[getter]
    fn warnings(&self) -> PyResult<Vec<String>> {
        Ok(self.hold()?.warnings.iter().map(ToString::to_string).collect())
    }
}
