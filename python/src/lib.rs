//! The engine as Python's `manyworlds._core`: plain calls on arrays. Names, masks and defaults are Python's part,
//! `manyworlds/*.py`.

mod analysis;
mod array;
mod batch;
mod error;
mod evaluator;
mod fields;
mod fit;
mod interrupt;
mod model;
mod pace;
mod pictures;
mod planning;
mod spec;
mod table;
mod task;

use pyo3::prelude::*;

/// The engine of the package `manyworlds`: see its classes.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::error::{_panic, ModelError};
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::pictures::picture_flags;
    #[pymodule_export]
    use super::planning::motion::plan;
    #[pymodule_export]
    use super::planning::norms::{norm_number, norms};
    #[pymodule_export]
    use super::planning::planner::{Planner, planner_state};
    #[pymodule_export]
    use super::spec::Spec;
    #[pymodule_export]
    use super::table::{
        adapters, data_fields, enums, kinds, model_fields, motion_fields, sizes, state_words, suggest,
    };

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::error::keep_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
