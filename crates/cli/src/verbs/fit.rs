//! `fit`: parameters of a model from a recording.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use manyworlds::error::{Error, Result};
use manyworlds::files::{self, FileKind};
use manyworlds::formats::npz::{self, Array, ArrayData};
use manyworlds_control::identification::least_squares::{Options, Stop};
use manyworlds_control::identification::{
    Estimate, Fit, FitOptions, Parameter, ReadOptions, Recording, fit_watched,
};
use serde::Serialize;

use crate::report::{self, ReportArguments};
use crate::shared::arguments::BatchArguments;
use crate::shared::input::load;
use crate::shared::interrupt::interrupts;
use crate::shared::output::Output;

/// Most parameters whose correlation is shown as text.
const SHOWN: usize = 12;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input. Its values are the start.
    model: PathBuf,
    /// Recording, as rollout --record qpos,qvel,ctrl writes it: arrays [frame, world, …] of qpos, qvel, act where the model
    /// has activations, ctrl, the compared fields, and time. The controls of a frame are those of the steps that lead to it.
    recording: PathBuf,
    /// What is estimated, once for each parameter: FIELD:OBJECT, such as dof_damping:elbow, with [ELEMENT] where one of
    /// several is meant, such as geom_friction:floor[0]; mass:BODY, the mass with the inertia; FIELD alone, all of its
    /// elements; several with + between them keep their ratios. start_qpos, start_qvel and start_act, with :JOINT or without,
    /// correct the states in which segments begin. =LOW..HIGH behind it is a range, either end of which may be left out,
    /// =log:LOW..HIGH one of which the logarithm is searched, @START a value to start from.
    #[arg(long = "parameter", required = true, value_name = "TARGET[=LOW..HIGH][@START]")]
    parameters: Vec<String>,
    /// Fields that are compared, separated by commas, each with :DEVIATION behind it or without: the standard deviation of
    /// its elements, by which differences are divided. Default: the root mean square of the motion of each element.
    #[arg(long, value_delimiter = ',', default_value = "qpos,qvel", value_name = "FIELD[:DEVIATION]")]
    fields: Vec<String>,
    /// Frames of a segment, which begins in a recorded state; all frames of a world where not given.
    #[arg(long)]
    segment: Option<usize>,
    /// Most iterations.
    #[arg(long, default_value_t = Options::DOUBLE.iterations)]
    iterations: usize,
    /// File for the result. Its end says what: .json, what --format json prints; .npz, the fields of the model that were
    /// changed, and value, deviation, covariance, correlation; .mwb, the model with the values found.
    #[arg(long)]
    out: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArguments,
    #[command(flatten)]
    batch: BatchArguments,
}

/// A file for the result.
#[derive(Clone, Copy)]
enum OutputFormat {
    Json,
    Npz,
    Mwb,
}

impl OutputFormat {
    /// Format by the end of a name; the file is checked as every output.
    fn of(path: &Path, inputs: &[&Path]) -> Result<Self> {
        let all = [
            (OutputFormat::Json, FileKind::JSON),
            (OutputFormat::Npz, FileKind::NPZ),
            (OutputFormat::Mwb, FileKind::MWB),
        ];
        let Some((format, kind)) = all.into_iter().find(|(_, kind)| kind.has_ending(path)) else {
            let text = "end it with .json (result), .npz (arrays) or .mwb (the model with the values found)";
            return Err(Error::Argument(format!(
                "--out {}: what to write is not clear; {text}",
                path.display()
            )));
        };
        files::check_output(path, kind, inputs)?;
        Ok(format)
    }
}

/// JSON object of a fit.
#[derive(Serialize)]
struct Fitted<'a> {
    parameters: Vec<Row<'a>>,
    correlation: Vec<Vec<Option<f64>>>,
    start_cost: f64,
    cost: f64,
    iterations: Vec<Step>,
    stop: &'static str,
    converged: bool,
    segments: usize,
    residuals: usize,
    evaluations: usize,
    errors: Vec<FieldError<'a>>,
    device: &'a str,
    seconds: f64,
}

/// A parameter.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    value: f64,
    deviation: Option<f64>,
    start: f64,
    lower: Option<f64>,
    upper: Option<f64>,
    bound: Option<&'static str>,
    identifiable: bool,
}

/// An iteration.
#[derive(Serialize)]
struct Step {
    cost: f64,
    damping: f64,
    gradient: f64,
    step: f64,
}

/// Root mean square of the differences of a field.
#[derive(Serialize)]
struct FieldError<'a> {
    field: &'a str,
    rms: f64,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let inputs = [arguments.model.as_path(), arguments.recording.as_path()];
    let format = arguments.out.as_deref().map(|out| OutputFormat::of(out, &inputs)).transpose()?;
    arguments.report.check(&inputs)?;
    let fields = arguments.fields.iter().map(|text| compared(text)).collect::<Result<_>>()?;
    let model = load(&arguments.model, output)?;
    let mut parameters = Vec::new();
    for text in &arguments.parameters {
        parameters.extend(Parameter::parse(text, &model)?);
    }
    let read = ReadOptions { fields, segment: arguments.segment };
    let recording = Recording::read(&arguments.recording, &model, &read)?;
    let options = FitOptions {
        batch: arguments.batch.options(&model)?,
        search: None,
        iterations: Some(arguments.iterations),
    };

    let begin = Instant::now();
    // Ctrl-C ends it after the iteration under way
    let ended = interrupts();
    let found = fit_watched(&model, &recording, &parameters, &options, &mut |_| {
        if ended.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    let object = object(&found, &recording, seconds);
    if let (Some(out), Some(format)) = (&arguments.out, format) {
        write(out, format, &found, &object)?;
    }
    arguments
        .report
        .write(|| report::of_fit(&arguments.model, &arguments.recording, &found, &recording, seconds))?;
    print(&found, &recording, arguments, seconds, output);
    output.object(&object);
    if !found.has_converged() {
        let text = match found.stop {
            Stop::Interrupted => "interrupted; what was found until then is kept",
            _ => "more iterations may lead further: give --iterations",
        };
        output.notice(format_args!("no minimum after {} iterations; {text}", found.history.len()));
    }
    Ok(found.has_converged())
}

/// A compared field, with its deviation where one is given.
fn compared(text: &str) -> Result<(String, Option<f64>)> {
    let Some((field, deviation)) = text.split_once(':') else { return Ok((text.to_owned(), None)) };
    match deviation.parse::<f64>() {
        Ok(deviation) if deviation > 0.0 && deviation.is_finite() => Ok((field.to_owned(), Some(deviation))),
        _ => {
            let text = format!("--fields {text}: the deviation '{deviation}' has to be a number above 0");
            Err(Error::Argument(text))
        }
    }
}

/// The result for programs.
fn object<'a>(found: &'a Fit, recording: &Recording, seconds: f64) -> Fitted<'a> {
    let finite = |x: f64| x.is_finite().then_some(x);
    let row = |e: &'a Estimate| Row {
        name: &e.name,
        value: e.value,
        deviation: e.deviation,
        start: e.start,
        lower: finite(e.lower),
        upper: finite(e.upper),
        bound: e.bound.map(|b| b.name()),
        identifiable: e.identifiable,
    };
    let n = found.estimates.len();
    let rows = found.correlation.chunks(n.max(1));
    let history = found.history.iter();
    Fitted {
        parameters: found.estimates.iter().map(row).collect(),
        correlation: rows.map(|row| row.iter().map(|x| finite(*x)).collect()).collect(),
        start_cost: found.start_cost,
        cost: found.cost,
        iterations: history
            .map(|i| Step { cost: i.cost, damping: i.damping, gradient: i.gradient, step: i.step })
            .collect(),
        stop: found.stop.name(),
        converged: found.has_converged(),
        segments: recording.segments.len(),
        residuals: found.residuals.len(),
        evaluations: found.evaluations,
        errors: found.errors.iter().map(|(field, rms)| FieldError { field, rms: *rms }).collect(),
        device: &found.device,
        seconds,
    }
}

/// Writes the result.
fn write(out: &Path, format: OutputFormat, found: &Fit, object: &Fitted) -> Result<()> {
    match format {
        OutputFormat::Json => {
            let text = serde_json::to_string_pretty(object)
                .map_err(|e| Error::io_from(out.to_owned(), "", e.into()))?;
            files::write(out, format!("{text}\n").as_bytes())
        }
        OutputFormat::Mwb => files::write(out, &found.model.to_mwb()),
        OutputFormat::Npz => {
            let n = found.estimates.len();
            let reals =
                |shape: &[usize], data: Vec<f64>| Array { shape: shape.to_vec(), data: ArrayData::F64(data) };
            let of = |get: fn(&Estimate) -> f64| reals(&[n], found.estimates.iter().map(get).collect());
            let mut arrays = vec![
                ("value".to_owned(), of(|e| e.value)),
                ("deviation".to_owned(), of(|e| e.deviation.unwrap_or(f64::NAN))),
                ("covariance".to_owned(), reals(&[n, n], found.covariance.clone())),
                ("correlation".to_owned(), reals(&[n, n], found.correlation.clone())),
            ];
            let changed = npz::model_arrays(&found.model);
            arrays.extend(changed.into_iter().filter(|(name, _)| found.fields.iter().any(|f| f == name)));
            npz::write(out, &arrays)
        }
    }
}

/// The result for people.
fn print(found: &Fit, recording: &Recording, arguments: &Arguments, seconds: f64, output: &Output) {
    let line = |name: &str, value: String| output.text(format_args!("{name:<10} {value}"));
    let (segments, residuals) = (recording.segments.len(), found.residuals.len());
    line("device", found.device.clone());
    line(
        "recording",
        format!("{segments} segments, {residuals} residuals of {}", arguments.fields.join(" ")),
    );
    let (iterations, why) = (found.history.len(), found.stop.name());
    line("fitted", format!("in {iterations} iterations, {seconds:.3} s; ended by {why}"));
    let costs: Vec<String> =
        std::iter::once(found.start_cost).chain(found.history.iter().map(|i| i.cost)).map(short).collect();
    line("cost", costs.join(" "));
    let errors: Vec<String> =
        found.errors.iter().map(|(field, rms)| format!("{field} {}", short(*rms))).collect();
    line("error", errors.join(", "));
    if let Some(out) = &arguments.out {
        line("written", out.display().to_string());
    }
    let width = found.estimates.iter().map(|e| e.name.chars().count()).max().unwrap_or_default().max(9);
    output
        .text(format_args!("\n{:<width$} {:>13} {:>11} {:>11}", "parameter", "value", "deviation", "start"));
    for e in &found.estimates {
        let deviation = e.deviation.map_or("-".to_owned(), short);
        let remark = match (e.bound, e.identifiable) {
            (Some(bound), _) => format!("  at its {} bound", bound.name()),
            (None, false) => "  not identifiable from this recording".to_owned(),
            _ => String::new(),
        };
        output.text(format_args!(
            "{:<width$} {:>13.6} {deviation:>11} {:>11}{remark}",
            e.name,
            e.value,
            short(e.start)
        ));
    }
    let n = found.estimates.len();
    if (2..=SHOWN).contains(&n) {
        output.text("\ncorrelation");
        for (e, row) in found.estimates.iter().zip(found.correlation.chunks(n)) {
            let cell = |x: &f64| if x.is_finite() { format!("{x:>6.2}") } else { format!("{:>6}", "-") };
            output.text(format_args!(
                "{:<width$} {}",
                e.name,
                row.iter().map(cell).collect::<Vec<_>>().join(" ")
            ));
        }
    }
}

/// A number in a few digits.
fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e5).contains(&size) => format!("{x:.4}"),
        _ => format!("{x:.3e}"),
    }
}
