//! Report of `bench`: rates over worlds, ratios, time by stage, cold start; from the rows as they are printed.

use std::collections::BTreeMap;

use manyworlds::error::Result;
use serde_json::{Map, Value as Json};

use super::axis::{Scale, seconds, short};
use super::canvas::COLORS;
use super::charts::{Chart, HALF, WIDE};
use super::marks::Mark;
use super::page::{Figure, Key, Page, Value};
use super::rows::{BarRow, bars};
use super::text::named;

/// Stages with a colour of their own; the rest is one part.
const STAGES: usize = COLORS - 1;
/// Parts of a cold start, in the order in which they happen.
const COLD: [&str; 6] = ["load", "probe", "device", "buffers", "pipelines", "first_run"];

/// A row of the JSON output.
type JsonRow = Map<String, Json>;

/// A line of rates: model, backend, and whether it is the baseline of a file.
type Line<'a> = (&'a str, &'a str, bool);

/// The page of measurements, from the rows of the JSON output.
///
/// # Errors
/// [`manyworlds::error::Error::Argument`] where a chart cannot be drawn.
pub(crate) fn page(rows: &[JsonRow]) -> Result<Page> {
    let mut devices: Vec<&str> = all(rows).map(|(row, _)| word(row, "device")).collect();
    devices.sort_unstable();
    devices.dedup();
    let mut page = Page::new("Speed of models", &devices.join("; "));
    let fastest = rows.iter().max_by(|a, b| number(a, SPEED).total_cmp(&number(b, SPEED)));
    if let Some(row) = fastest {
        let steps = row.get("steps").and_then(Json::as_u64).unwrap_or_default();
        page.tiles(&[
            (
                "steps a second at most",
                Value::figure("fastest", number(row, SPEED), short(number(row, SPEED))),
            ),
            ("with this model", Value::words(named(word(row, "model")))),
            ("worlds at once", Value::words(short(number(row, "worlds")))),
            ("measured steps", Value::figure("steps", steps as f64, steps.to_string())),
        ]);
    }
    page.section("Rates");
    rates(&mut page, rows)?;
    ratios(&mut page, rows)?;
    table(&mut page, rows);
    page.section("Where the time goes");
    stages(&mut page, rows)?;
    cold_start(&mut page, rows)?;
    page.section("Settings");
    let mut facts = vec![("workload", Value::words("hold: a constant control of each world's own"))];
    if let Some(row) = rows.first() {
        let count = |name: &str| row.get(name).map(Json::to_string).unwrap_or_default();
        facts.push(("warm-up", Value::words(format!("{} steps", count("warmup")))));
        let samples = row.get("samples").and_then(Json::as_array).map_or(1, Vec::len);
        facts.push(("measurements", Value::words(format!("{samples} of the same steps; the median counts"))));
    }
    page.facts(&facts);
    Ok(page)
}

/// Name of the speed.
const SPEED: &str = "steps_per_second";

fn word<'a>(row: &'a JsonRow, name: &str) -> &'a str {
    row.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number(row: &JsonRow, name: &str) -> f64 {
    row.get(name).and_then(Json::as_f64).unwrap_or(f64::NAN)
}

/// Rows and their baselines, which are `true`.
fn all(rows: &[JsonRow]) -> impl Iterator<Item = (&JsonRow, bool)> {
    let of = |row: &'_ JsonRow| row.get("against").and_then(Json::as_object).is_some();
    rows.iter().map(|row| (row, false)).chain(
        rows.iter()
            .filter(move |row| of(row))
            .filter_map(|row| row.get("against").and_then(Json::as_object))
            .map(|row| (row, true)),
    )
}

/// True if baselines are of a file, not of a backend that was measured beside.
fn is_file(rows: &[JsonRow]) -> bool {
    rows.iter().any(|row| row.contains_key("against_file"))
}

/// Points by line, in the order of the rows.
fn lines<'a>(
    rows: impl Iterator<Item = (&'a JsonRow, bool)>,
    of: impl Fn(&JsonRow) -> f64,
    from_file: bool,
) -> Vec<(Line<'a>, Vec<(f64, f64)>)> {
    let mut found: Vec<(Line, Vec<(f64, f64)>)> = Vec::new();
    for (row, is_other) in rows {
        let line = (word(row, "model"), word(row, "backend"), is_other && from_file);
        let point = (number(row, "worlds"), of(row));
        match found.iter_mut().find(|(known, _)| *known == line) {
            Some((_, points)) => points.push(point),
            None => found.push((line, vec![point])),
        }
    }
    found.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    found
}

/// Colours by model, dashes by what it is compared with.
fn drawn(found: Vec<(Line<'_>, Vec<(f64, f64)>)>) -> (Vec<Mark>, Vec<(Key, String)>) {
    let mut models: Vec<&str> = Vec::new();
    let mut backends: Vec<(&str, bool)> = Vec::new();
    let (mut marks, mut legend) = (Vec::new(), Vec::new());
    for ((model, backend, from_file), points) in found {
        let color = models.iter().position(|m| *m == model).unwrap_or_else(|| {
            models.push(model);
            models.len() - 1
        });
        let kind = backends.iter().position(|b| *b == (backend, from_file)).unwrap_or_else(|| {
            backends.push((backend, from_file));
            backends.len() - 1
        });
        let then = if from_file { ", earlier" } else { "" };
        let text = format!("{}, {backend}{then}", named(model));
        marks.push(Mark::Dots { points: points.clone(), color });
        if kind == 0 {
            marks.push(Mark::Line { points, color });
            legend.push((Key::Line(color), text));
        } else {
            marks.push(Mark::Dashed { points, color });
            legend.push((Key::Dashed(color), text));
        }
    }
    (marks, legend)
}

/// Numbers of worlds that were measured.
fn counts(rows: &[JsonRow]) -> Vec<f64> {
    let mut counts: Vec<f64> = rows.iter().map(|row| number(row, "worlds")).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    counts
}

fn over_worlds(title: &str, y: Scale, rows: &[JsonRow], marks: Vec<Mark>, size: (i32, i32)) -> Chart {
    Chart {
        title: title.to_owned(),
        across: "worlds".to_owned(),
        x: Scale::Log,
        y,
        x_ticks: (counts(rows).len() <= 8).then(|| counts(rows)),
        marks,
        size,
    }
}

/// Steps a second, and the time of a step of one world, over worlds.
fn rates(page: &mut Page, rows: &[JsonRow]) -> Result<()> {
    let from_file = is_file(rows);
    let (marks, legend) = drawn(lines(all(rows), |row| number(row, SPEED), from_file));
    let fast = over_worlds("steps a second", Scale::Log, rows, marks, (HALF, 300)).svg()?;
    let whole = |row: &JsonRow| 1e3 * number(row, "worlds") / number(row, SPEED);
    let (marks, _) = drawn(lines(all(rows), whole, from_file));
    let slow =
        over_worlds("time of a step of all worlds (ms)", Scale::Log, rows, marks, (HALF, 300)).svg()?;
    page.figure(
        Figure {
            id: "rates",
            title: "Rates over worlds".to_owned(),
            legend,
            charts: [fast, slow].into_iter().flatten().collect(),
            caption: "Both axes are logarithmic. Where the left line rises steadily, more worlds cost no more time; where it is \
                      flat, the device is full, and the right line rises instead."
                .to_owned(),
        },
        "No rate was measured.",
    );
    Ok(())
}

/// Ratios to the baselines.
fn ratios(page: &mut Page, rows: &[JsonRow]) -> Result<()> {
    let has_ratio = rows.iter().any(|row| number(row, "ratio").is_finite());
    let (mut marks, legend) =
        drawn(lines(rows.iter().map(|row| (row, false)), |row| number(row, "ratio"), false));
    marks.push(Mark::Limit(1.0));
    let other = match rows.iter().find_map(|row| row.get("against_file").and_then(Json::as_str)) {
        Some(file) => format!("the file {file}"),
        None => {
            let other = rows.iter().find_map(|row| row.get("against").and_then(Json::as_object));
            format!("the backend {}", other.map_or("", |row| word(row, "backend")))
        }
    };
    let chart = over_worlds("ratio of speeds", Scale::Log, rows, marks, (WIDE, 240));
    page.figure(
        Figure {
            id: "ratios",
            title: format!("Against {other}"),
            legend,
            charts: if has_ratio { chart.svg()?.into_iter().collect() } else { vec![] },
            caption: "Above the dashed line, at 1, this run is the faster one.".to_owned(),
        },
        "Compared with nothing: --against BACKEND or --against FILE adds ratios.",
    );
    Ok(())
}

/// All figures.
fn table(page: &mut Page, rows: &[JsonRow]) {
    let cold = |row: &JsonRow| {
        let parts = row.get("cold_seconds").and_then(Json::as_object);
        parts.map_or(f64::NAN, |parts| parts.values().filter_map(Json::as_f64).sum())
    };
    let line = |(row, is_other): (&JsonRow, bool)| {
        let speed = number(row, SPEED);
        let percent = |name: &str| short(100.0 * number(row, name));
        let own = |name: &'static str, text: String| {
            if is_other { Value::words(text) } else { Value::figure(name, number(row, name), text) }
        };
        vec![
            Value::words(named(word(row, "model"))),
            Value::words(word(row, "backend")),
            own("worlds", number(row, "worlds").to_string()),
            own(SPEED, short(speed)),
            own("ratio", short(number(row, "ratio"))),
            Value::words(seconds(number(row, "worlds") / speed)),
            Value::words(short(number(row, "flops_per_step") / 1e3)),
            Value::words(short(number(row, "bytes_per_step") / 1024.0)),
            Value::words(percent("finite")),
            Value::words(short(number(row, "contacts_mean"))),
            Value::words(seconds(cold(row))),
        ]
    };
    let head = [
        "model",
        "backend",
        "worlds",
        "steps/s",
        "ratio",
        "step",
        "kflop",
        "KiB moved",
        "finite %",
        "contacts",
        "cold start",
    ];
    let lines: Vec<Vec<Value>> = all(rows).map(line).collect();
    page.table("rows", "Measurements; kflop and KiB are of one world and step", &head, &lines);
}

/// The row of each model and backend with the most worlds.
fn largest(rows: &[JsonRow]) -> Vec<&JsonRow> {
    let mut found: Vec<&JsonRow> = Vec::new();
    let from_file = is_file(rows);
    for (row, is_other) in all(rows).filter(|(_, is_other)| !(*is_other && from_file)) {
        let _ = is_other;
        let same = |known: &&JsonRow| {
            word(known, "model") == word(row, "model") && word(known, "backend") == word(row, "backend")
        };
        match found.iter_mut().find(|known| same(known)) {
            Some(known) if number(row, "worlds") > number(known, "worlds") => *known = row,
            Some(_) => {}
            None => found.push(row),
        }
    }
    found
}

fn title_of(row: &JsonRow) -> String {
    let worlds = number(row, "worlds");
    format!("{}, {}, {worlds} worlds", named(word(row, "model")), word(row, "backend"))
}

/// Time by stage.
fn stages(page: &mut Page, rows: &[JsonRow]) -> Result<()> {
    let found = largest(rows);
    let times = |row: &JsonRow| -> Vec<(String, f64)> {
        let parts = row.get("stage_nanoseconds").and_then(Json::as_object);
        parts.into_iter().flatten().filter_map(|(stage, ns)| Some((stage.clone(), ns.as_f64()?))).collect()
    };
    // the stages that take most, as shares of their steps, have colours
    let mut weights: BTreeMap<String, f64> = BTreeMap::new();
    for row in &found {
        let own = times(row);
        let total: f64 = own.iter().map(|(_, ns)| ns).sum();
        own.iter().for_each(|(stage, ns)| *weights.entry(stage.clone()).or_default() += ns / total.max(1e-9));
    }
    let mut order: Vec<(&String, &f64)> = weights.iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(a.1));
    let shown: Vec<&String> = order.iter().take(STAGES).map(|(stage, _)| *stage).collect();
    let row_of = |row: &&JsonRow| {
        let own = times(row);
        let total: f64 = own.iter().map(|(_, ns)| ns).sum();
        let part = |stage: &String| own.iter().find(|(s, _)| s == stage).map_or(0.0, |(_, ns)| *ns);
        let known: f64 = shown.iter().map(|stage| part(stage)).sum();
        let mut parts: Vec<(usize, f64)> =
            shown.iter().enumerate().map(|(k, stage)| (k, part(stage) / total)).collect();
        parts.push((STAGES, (total - known) / total));
        BarRow { name: title_of(row), parts, text: seconds(1e-9 * total) }
    };
    let bars_of: Vec<BarRow> = found.iter().filter(|row| !times(row).is_empty()).map(row_of).collect();
    let mut legend: Vec<(Key, String)> =
        shown.iter().enumerate().map(|(k, stage)| (Key::Area(k), (*stage).clone())).collect();
    if weights.len() > STAGES {
        legend.push((Key::Area(STAGES), "all others".to_owned()));
    }
    let stages = Figure {
        id: "stages",
        title: "Time by stage".to_owned(),
        legend,
        charts: bars("shares of a step of one world, and its time", &bars_of, WIDE)?.into_iter().collect(),
        caption: "Each bar is a step at the largest number of worlds, by the stages that take most of it: the longest part is \
                  where a faster step begins."
            .to_owned(),
    };
    page.figure(stages, "This device has no clock for stages.");
    Ok(())
}

/// Time before the first step.
fn cold_start(page: &mut Page, rows: &[JsonRow]) -> Result<()> {
    let row_of = |row: &&JsonRow| {
        let parts = row.get("cold_seconds").and_then(Json::as_object)?;
        let part = |name: &str| parts.get(name).and_then(Json::as_f64).unwrap_or(0.0);
        let all: Vec<(usize, f64)> = COLD.iter().enumerate().map(|(k, name)| (k, part(name))).collect();
        let total = all.iter().map(|p| p.1).sum();
        Some(BarRow { name: title_of(row), parts: all, text: seconds(total) })
    };
    let bars_of: Vec<BarRow> = largest(rows).iter().filter_map(row_of).collect();
    let used = |k: usize| bars_of.iter().any(|bar| bar.parts[k].1 > 0.0);
    let legend = COLD
        .iter()
        .enumerate()
        .filter(|(k, _)| used(*k))
        .map(|(k, name)| (Key::Area(k), name.replace('_', " ")))
        .collect();
    let cold = Figure {
        id: "cold",
        title: "Cold start".to_owned(),
        legend,
        charts: bars("seconds before the first step", &bars_of, WIDE)?.into_iter().collect(),
        caption: "From the model's file to the first step, by part, at the largest number of worlds."
            .to_owned(),
    };
    page.figure(cold, "The time before the first step was not measured.");
    Ok(())
}
