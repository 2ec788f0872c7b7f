//! Validation of every stage of a backend against the CPU pipeline, field by field.
//!
//! Worlds are driven to varied states by control noise. Then each stage runs on the CPU, in double and in single
//! precision, and on the subject, from the same inputs, and every output field of the stage according to the field
//! table is compared. Outputs are filled with NaN before the subject runs, so that a value that is not written
//! cannot pass. What exceeds the tolerance of its field is judged by the conditioning of the stage: the CPU in single
//! precision, from these inputs and from rounded ones, says how far correct results lie apart.

mod compare;
mod conditioning;
mod report;
mod run;
mod subject;
mod tolerance;

pub use compare::{Difference, compare};
pub use conditioning::MARGIN;
pub use report::{FieldReport, Report};
pub use run::{CheckOptions, needed_capacity, run};
pub use subject::{CpuSubject, Subject};
pub use tolerance::{CUMULATIVE, tighten, tolerance};

use crate::model::data::Data;
use crate::schema::Field;

/// Number of elements in use: slots beyond the count are undefined.
fn used(field: &Field, data: &Data) -> usize {
    let full = field.len(&data.sizes);
    let slots = |count: i32, most: usize| count.clamp(0, most as i32) as usize * (full / most.max(1));
    match field.counted_by() {
        Some("nefc") => slots(data.nefc[0], data.sizes.njmax),
        Some(_) => slots(data.ncon[0], data.sizes.nconmax),
        None => full,
    }
}

/// A field of one world as numbers.
fn numbers(data: &Data, field: &str) -> Vec<f64> {
    data.get(field).map(|v| v.to_f64()).unwrap_or_default()
}
