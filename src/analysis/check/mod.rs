//! Every stage of a backend against the CPU pipeline, field by field.
//!
//! Worlds are brought to varied states by noise. Then each stage runs on the CPU, in double and in single
//! precision, and on the subject of the check, from the same inputs, and every field that the table says
//! the stage writes is compared. The outputs are filled with NaN before the subject runs, so that a value
//! that is not written cannot pass.

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
