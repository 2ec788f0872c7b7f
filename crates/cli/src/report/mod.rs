//! Reports of verbs: a page with figures for those who would rather look than read numbers.
//!
//! A verb hands over what it has measured; a file here, named as the verb, says what of it is drawn; `charts` and `rows` draw, and
//! `page` puts figures, tables and words into one file.

mod axis;
mod bench;
mod canvas;
mod charts;
mod facts;
mod fit;
mod marks;
mod page;
mod panels;
mod plan;
mod rollout;
mod rows;
mod samples;
mod text;

use std::path::{Path, PathBuf};

use manyworlds::error::Result;
use manyworlds::files::{self, FileKind};

pub(crate) use bench::page as of_bench;
pub(crate) use fit::page as of_fit;
pub(crate) use plan::{PlannedMotion, page as of_plan};
pub(crate) use rollout::{Steps, page as of_rollout};
pub(crate) use samples::{Finals, Samples, interval};

use page::Page;

/// The option of every verb that writes a report.
#[derive(clap::Args)]
pub(crate) struct ReportArguments {
    /// Writes a report for people to look at: one page with figures and a sentence under each, which opens without a network.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl ReportArguments {
    /// True if a report is wanted.
    pub(crate) fn is_given(&self) -> bool {
        self.report.is_some()
    }

    /// Checks before any work that the report can be written, and that it replaces neither an input nor a file of another
    /// kind.
    ///
    /// # Errors
    /// As [`files::check_output`].
    pub(crate) fn check(&self, inputs: &[&Path]) -> Result<()> {
        self.report.as_deref().map_or(Ok(()), |file| files::check_output(file, FileKind::HTML, inputs))
    }

    /// Makes and writes the report, if one is wanted.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Io`] where it cannot be written, else what `page` returns.
    pub(crate) fn write(&self, page: impl FnOnce() -> Result<Page>) -> Result<()> {
        match &self.report {
            Some(file) => files::write(file, page()?.html().as_bytes()),
            None => Ok(()),
        }
    }
}
