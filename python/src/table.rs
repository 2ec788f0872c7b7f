//! The tables of the schema as Python's lists: the source of attributes, docstrings and stubs.

use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::state::names;
use manyworlds::schema::enums::{ENUMS, state};
use manyworlds::schema::{Dim, Elem, Field, Kind, Role, Size};
use pyo3::prelude::*;

/// An axis: the name of a size, or a number.
#[derive(IntoPyObject)]
pub(crate) enum Axis {
    /// Name of a size, or a multiple of one.
    Size(String),
    /// Fixed length.
    Length(usize),
}

/// Name, `real` or `int`, axes without that of the worlds, unit, meaning, the stage that writes it, and whether it is
/// state.
type Row = (&'static str, &'static str, Vec<Axis>, &'static str, &'static str, &'static str, bool);

fn row(field: &Field) -> Row {
    let axis = |dim: &Dim| match dim {
        Dim::Const(n) => Axis::Length(*n),
        size => Axis::Size(size.to_string()),
    };
    let elem = if field.elem == Elem::Real { "real" } else { "int" };
    (
        field.name,
        elem,
        field.dims.iter().map(axis).collect(),
        field.unit,
        field.doc,
        field.role.name(),
        field.role.is_state(),
    )
}

/// Fields of a model: (name, "real" or "int", axes, unit, meaning, "", false).
#[pyfunction]
pub(crate) fn model_fields() -> Vec<Row> {
    Model::<f64>::FIELDS.iter().map(row).collect()
}

/// Fields of a world: (name, "real" or "int", axes, unit, meaning, stage that writes it, whether it is state).
#[pyfunction]
pub(crate) fn data_fields() -> Vec<Row> {
    Data::<f64>::FIELDS.iter().map(row).collect()
}

/// Sizes: (name, what is counted).
#[pyfunction]
pub(crate) fn sizes() -> Vec<(&'static str, &'static str)> {
    Size::ALL.iter().map(|s| (s.name(), s.doc())).collect()
}

/// Kinds of objects: (name, plural, word in messages, size that counts them or None).
#[pyfunction]
pub(crate) fn kinds() -> Vec<(&'static str, &'static str, &'static str, Option<&'static str>)> {
    Kind::ALL.iter().map(|k| (k.name(), k.list(), k.word(), k.size().map(Size::name))).collect()
}

/// Enumerations: (name, [(member, value)]).
#[pyfunction]
pub(crate) fn enums() -> Vec<(&'static str, Vec<(&'static str, i32)>)> {
    ENUMS.iter().map(|(name, members)| (*name, members.to_vec())).collect()
}

/// Fields that are parts of MuJoCo's state vector, with their bits.
#[pyfunction]
pub(crate) fn state_words() -> Vec<(&'static str, i32)> {
    state::WORDS.to_vec()
}

/// Fields of a world that randomisations draw, beside those of the model: positions, velocities and activations.
#[pyfunction]
pub(crate) fn motion_fields() -> Vec<&'static str> {
    names(&[Role::Motion]).collect()
}

/// GPU adapters, hardware first; their places are the numbers of devices such as "gpu:0".
#[pyfunction]
pub(crate) fn adapters(py: Python<'_>) -> Vec<String> {
    py.detach(|| manyworlds::gpu::adapters().iter().map(ToString::to_string).collect())
}

/// "; did you mean 'x'?" if one of the names is near, else "".
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "from Python")]
pub(crate) fn suggest(word: &str, names: Vec<String>) -> String {
    manyworlds::batch::suggest(word, names.iter().map(String::as_str))
}
