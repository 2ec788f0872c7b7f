//! Reports of verbs: a page with figures for those who would rather look than read numbers.
//!
//! A verb hands over what it has measured; a file here, named as the verb, says what of it is drawn; `charts` draws, and
//! `page` puts figures, tables and words into one file.

mod axis;
mod bench;
mod charts;
mod fit;
mod page;
mod panels;
mod plan;
mod rollout;
mod samples;
mod text;

use std::path::{Path, PathBuf};

use manyworlds::error::Result;
use manyworlds::files::{self, FileKind};
use manyworlds::model::Model;
use manyworlds::schema::enums::{self, word};

pub(super) use bench::page as of_bench;
pub(super) use fit::page as of_fit;
pub(super) use plan::{Motion, page as of_plan};
pub(super) use rollout::{Steps, page as of_rollout};
pub(super) use samples::{Finals, Samples, interval};

use page::{Page, Value};

/// The option of every verb that writes a report.
#[derive(clap::Args)]
pub(super) struct ReportArguments {
    /// Writes a report for people to look at: one page with figures and a sentence under each, which opens without a network.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl ReportArguments {
    /// True if a report is wanted.
    pub(super) fn is_given(&self) -> bool {
        self.report.is_some()
    }

    /// Checks before any work that the report can be written, and that it replaces neither an input nor a file of another
    /// kind.
    ///
    /// # Errors
    /// As [`files::check_output`].
    pub(super) fn check(&self, inputs: &[&Path]) -> Result<()> {
        self.report.as_deref().map_or(Ok(()), |file| files::check_output(file, FileKind::HTML, inputs))
    }

    /// Makes and writes the report, if one is wanted.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Io`] where it cannot be written, else what `page` returns.
    pub(super) fn write(&self, page: impl FnOnce() -> Result<Page>) -> Result<()> {
        match &self.report {
            Some(file) => files::write(file, page()?.html().as_bytes()),
            None => Ok(()),
        }
    }
}

/// Name of a model's file.
fn file_name(path: &Path) -> String {
    match path.file_name() {
        Some(name) if !super::is_stdin(path) => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

/// What a model is made of, in a line.
fn contents(model: &Model) -> Value {
    let s = &model.sizes;
    let bodies = s.nbody.saturating_sub(1);
    let counts = [
        (bodies, "body", "bodies"),
        (s.njnt, "joint", "joints"),
        (s.ngeom, "geom", "geoms"),
        (s.nu, "control", "controls"),
        (s.nsensor, "sensor", "sensors"),
    ];
    let said = counts.iter().filter(|c| c.0 > 0);
    let said = said.map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many }));
    let all: Vec<String> = std::iter::once(format!("nq {}, nv {}", s.nq, s.nv)).chain(said).collect();
    Value::words(all.join(", "))
}

/// How a model is stepped, in a line.
fn options(model: &Model) -> Value {
    Value::words(format!(
        "{} s, {}, solver {}, {} cones",
        model.opt_timestep[0],
        word(enums::integrator::WORDS, model.opt_integrator[0]),
        word(enums::solver::WORDS, model.opt_solver[0]),
        word(enums::cone::WORDS, model.opt_cone[0]),
    ))
}
