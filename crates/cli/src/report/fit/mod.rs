//! Report of `fit`: costs of the iterations, parameters before and after, and what is left of the differences.

mod estimates;
mod residuals;

use std::path::Path;

use manyworlds::error::Result;
use manyworlds_control::identification::{Fit, Recording};

use super::axis::{seconds, short};
use super::facts;
use super::page::{Page, Value};
use super::text::named;
use estimates::{correlation, cost, parameters, table};
use residuals::{Residuals, errors, fitted, over_time};

/// The page of a fit.
///
/// # Errors
/// [`manyworlds::error::Error::Argument`] where a chart cannot be drawn.
pub(crate) fn page(
    model_file: &Path,
    recording_file: &Path,
    found: &Fit,
    recording: &Recording,
    took: f64,
) -> Result<Page> {
    let name = facts::file_name(model_file);
    let about = format!("from {}; {}", facts::file_name(recording_file), found.device);
    let mut page = Page::new(&format!("Fit of {name}"), &about);
    if !found.has_converged() {
        page.warning(&format!("No minimum after {} iterations: more may lead further.", found.history.len()));
    }
    let lost: Vec<String> =
        found.estimates.iter().filter(|e| !e.identifiable).map(|e| named(&e.name)).collect();
    if !lost.is_empty() {
        page.warning(&format!("Not identifiable from this recording: {}.", lost.join(", ")));
    }
    let iterations = found.history.len();
    page.tiles(&[
        ("cost in the end", Value::figure("cost", found.cost, short(found.cost))),
        ("at the start", Value::figure("start_cost", found.start_cost, short(found.start_cost))),
        ("iterations", Value::words(iterations.to_string())),
        (
            "residuals",
            Value::figure("residuals", found.residuals.len() as f64, found.residuals.len().to_string()),
        ),
        ("took", Value::figure("seconds", took, seconds(took))),
    ]);

    page.section("Parameters");
    parameters(&mut page, found)?;
    table(&mut page, found);
    correlation(&mut page, found)?;
    page.section("Search");
    cost(&mut page, found)?;
    page.section("Residuals");
    let residuals = Residuals::new(found, recording);
    fitted(&mut page, found, recording, &residuals)?;
    over_time(&mut page, found, recording, &residuals)?;
    errors(&mut page, found);

    page.section("Settings");
    settings(&mut page, model_file, recording_file, found, recording);
    Ok(page)
}

/// What was asked for, and how the search ended.
fn settings(page: &mut Page, model_file: &Path, recording_file: &Path, found: &Fit, recording: &Recording) {
    page.facts(&[
        ("model", Value::words(model_file.display().to_string())),
        ("contents", facts::contents(&found.model)),
        ("step", facts::options(&found.model)),
        ("recording", Value::words(recording_file.display().to_string())),
        (
            "segments",
            Value::figure("segments", recording.segments.len() as f64, recording.segments.len().to_string()),
        ),
        ("steps between frames", Value::words(recording.every.to_string())),
        ("ended by", Value::words(found.stop.name())),
        (
            "rollouts of all segments",
            Value::figure("evaluations", found.evaluations as f64, found.evaluations.to_string()),
        ),
        ("device", Value::words(found.device.clone())),
    ]);
}
