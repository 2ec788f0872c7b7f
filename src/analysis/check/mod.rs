//! Validation of every stage of a backend against the CPU pipeline, field by field.
//!
//! Worlds are driven to varied states by control noise. Then each stage runs on the CPU, in double and in single
//! precision, and on the subject, from the same inputs, and every output field of the stage according to the field
//! table is compared. Outputs are filled with NaN before the subject runs, so that a value that is not written
//! cannot pass.

mod compare;
mod report;
mod run;
mod subject;
mod tolerance;

pub use compare::{Difference, compare};
pub use report::{FieldReport, Report};
pub use run::{CheckOptions, run};
pub use subject::{CpuSubject, Subject};
pub use tolerance::{CUMULATIVE, tolerance};
