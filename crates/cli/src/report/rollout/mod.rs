//! Report of `rollout`: speed, worlds over time, worlds in the end, and those to look at.

mod finals;
mod over_time;

use manyworlds::batch::Batch;
use manyworlds::error::Result;

use super::axis::{Scale, seconds, short};
use super::charts::{Chart, WIDE};
use super::facts;
use super::marks::Mark;
use super::page::{Figure, Page, Value};
use super::rows::{BarRow, bars};
use super::samples::{Finals, Samples};
use crate::shared::summary::{Measured, Summary};
use finals::{distributions, quantities, status_table, worst};
use over_time::worlds_over_time;

/// A rollout that has ended.
pub(crate) struct Steps<'a> {
    /// Name of the model's file.
    pub(crate) model: &'a std::path::Path,
    pub(crate) summary: &'a Summary<&'a Measured>,
    pub(crate) realtime: f64,
    /// Steps that were wanted, where the rollout was interrupted.
    pub(crate) wanted: Option<usize>,
    /// What was asked for: names and words.
    pub(crate) settings: Vec<(&'static str, String)>,
}

/// The page of a rollout.
///
/// # Errors
/// [`manyworlds::error::Error::Argument`] where a chart cannot be drawn.
pub(crate) fn page(steps: &Steps<'_>, batch: &Batch, samples: &Samples, finals: &Finals) -> Result<Page> {
    let (summary, worlds) = (steps.summary, steps.summary.worlds);
    let name = facts::file_name(steps.model);
    let about = format!("{}, {} precision", summary.device, summary.precision);
    let mut page = Page::new(&format!("Rollout of {name}"), &about);
    head(&mut page, steps);

    page.section("Speed");
    speed_figure(&mut page, samples)?;
    cold_start(&mut page, &summary.cold_seconds)?;
    reading(&mut page, samples, summary.measured);

    page.section("Worlds over time");
    worlds_over_time(&mut page, samples, worlds, batch.model().sizes.nsensor > 0)?;

    page.section("Worlds in the end");
    distributions(&mut page, finals, worlds)?;
    quantities(&mut page, finals, worlds);
    worst(&mut page, finals, worlds);
    status_table(&mut page, summary.measured);

    page.section("Settings");
    settings(&mut page, steps, batch);
    Ok(page)
}

/// Warnings, and the numbers that come first.
fn head(page: &mut Page, steps: &Steps<'_>) {
    let (measured, worlds) = (steps.summary.measured, steps.summary.worlds);
    if let Some(wanted) = steps.wanted {
        page.warning(&format!("Interrupted after {} of {wanted} steps.", measured.steps));
    }
    let raised: Vec<String> =
        measured.status.iter().filter(|s| s.1 > 0).map(|(bit, n)| format!("{bit} in {n}")).collect();
    if !raised.is_empty() {
        page.warning(&format!("Status of worlds: {}.", raised.join(", ")));
    }
    let speed = measured.steps_per_second;
    page.tiles(&[
        ("steps a second", Value::figure("steps_per_second", speed, short(speed))),
        (
            "times real time",
            Value::figure("realtime_factor", steps.realtime, format!("{}×", short(steps.realtime))),
        ),
        ("worlds", Value::figure("worlds", worlds as f64, worlds.to_string())),
        ("steps of each", Value::figure("steps", measured.steps as f64, measured.steps.to_string())),
        (
            "of the worlds finite",
            Value::figure("finite", measured.finite, format!("{} %", short(100.0 * measured.finite))),
        ),
    ]);
}

/// Steps a second from moment to moment.
fn speed_figure(page: &mut Page, samples: &Samples) -> Result<()> {
    let middles = samples.times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let points: Vec<(f64, f64)> = middles.zip(samples.speed.iter().copied()).collect();
    let mut chart = Chart::over_time("steps a second", (WIDE, 200), vec![Mark::Line { points, color: 0 }]);
    chart.y = Scale::FromZero;
    let charts = if samples.speed.len() > 1 { chart.svg()? } else { None };
    page.figure(
        Figure {
            id: "speed",
            title: "Speed over the measured steps".to_owned(),
            legend: vec![],
            charts: charts.into_iter().collect(),
            caption: "Steps of all worlds a second, without the reading for this report. It falls as worlds come into contact; \
                      single dips are other work of the machine."
                .to_owned(),
        },
        "Too few moments for a line of the speed.",
    );
    Ok(())
}

/// Time before the first step by part.
fn cold_start(page: &mut Page, parts: &[(&'static str, f64)]) -> Result<()> {
    let rows: Vec<BarRow> = parts
        .iter()
        .filter(|part| part.1 > 0.0)
        .map(|(name, s)| BarRow { name: name.replace('_', " "), parts: vec![(0, *s)], text: seconds(*s) })
        .collect();
    let total: f64 = parts.iter().map(|part| part.1).sum();
    page.figure(
        Figure {
            id: "cold",
            title: "Cold start".to_owned(),
            legend: vec![],
            charts: bars("seconds before the first step", &rows, WIDE)?.into_iter().collect(),
            caption: format!(
                "{} before the first step, by part: what a short run waits for.",
                seconds(total)
            ),
        },
        "The time before the first step was not measured.",
    );
    Ok(())
}

/// What reading the worlds for this report took.
fn reading(page: &mut Page, samples: &Samples, measured: &Measured) {
    let share = samples.seconds / measured.seconds.max(1e-9);
    page.none(&format!(
        "Reading the worlds for this report took {} of the {} in which they stepped ({} %); the figure of steps a second at the \
         top includes it, the line above does not.",
        seconds(samples.seconds),
        seconds(measured.seconds),
        short(100.0 * share)
    ));
}

/// What was asked for, and where it ran.
fn settings(page: &mut Page, steps: &Steps<'_>, batch: &Batch) {
    let (summary, model) = (steps.summary, batch.model());
    let mut facts = vec![
        ("model", Value::words(steps.model.display().to_string())),
        ("contents", facts::contents(model)),
        ("step", facts::options(model)),
    ];
    facts.extend(steps.settings.iter().map(|(name, words)| (*name, Value::words(words.clone()))));
    facts.extend([
        ("backend", Value::words(summary.backend)),
        ("device", Value::words(summary.device.clone())),
        ("room for contacts", Value::figure("nconmax", summary.nconmax as f64, summary.nconmax.to_string())),
        ("room for constraint rows", Value::figure("njmax", summary.njmax as f64, summary.njmax.to_string())),
        (
            "room was extended",
            Value::figure("grown", summary.grown as f64, format!("{} times", summary.grown)),
        ),
        (
            "memory of a world",
            Value::figure(
                "bytes_per_world",
                summary.bytes_per_world as f64,
                format!("{} KiB", short(summary.bytes_per_world as f64 / 1024.0)),
            ),
        ),
    ]);
    if let Some(k) = &summary.kernels {
        let words = format!(
            "{} lanes a world, {} worlds a group, {}, {}",
            k.lanes, k.worlds_per_group, k.partition, k.placement
        );
        facts.push(("kernels", Value::words(words)));
    }
    page.facts(&facts);
}
