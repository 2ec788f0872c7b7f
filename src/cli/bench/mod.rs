//! `bench`: speed over models and numbers of worlds, under the workload `hold`; what a step costs, and how far
//! it is from what the device can do.

mod cost;
mod saved;
mod table;

use std::path::{Path, PathBuf};
use std::time::Instant;

use manyworlds::batch::control::Control;
use manyworlds::batch::{Batch, BatchOptions};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use serde_json::{Map, Value, json};

use clap::ValueEnum;
use cost::{Cost, Devices};
use saved::Saved;

use super::drive::{ControlSchedule, ControlSource};
use super::eval::open;
use super::output::{Output, scaled};
use super::rollout::{Measured, Recording, cold_object, cold_text, measure, summary, warm};

/// Stages that take less than this share of a step are not shown.
const WORTH_SEEING: f64 = 0.02;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Models: MJCF, URDF, or compiled (.mwb).
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// Numbers of worlds, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "1,64,4096")]
    worlds: Vec<usize>,
    /// Measured steps.
    #[arg(long, default_value_t = 200)]
    steps: usize,
    /// Steps before the measured ones: the worlds are in contact then.
    #[arg(long, default_value_t = 200)]
    warmup: usize,
    /// Measurements of the same steps; the median counts. With --against BACKEND the two take turns.
    #[arg(long, default_value_t = 1)]
    repeat: usize,
    #[command(flatten)]
    batch: super::BatchArguments,
    /// A second backend, measured in the same run; or a file that an earlier run with --format json printed,
    /// whose rows of the same model, worlds and backend are compared with.
    #[arg(long, value_name = "auto|cpu|gpu|FILE")]
    against: Option<String>,
    /// On the GPU: time every stage in a dispatch of its own, not the dispatches as they are grouped.
    #[arg(long)]
    split_stages: bool,
}

/// What a run is measured against.
enum Against {
    Nothing,
    Backend(super::BackendName),
    File(Saved),
}

impl Against {
    /// A word that names a backend is one; any other is a file.
    fn parse(word: Option<&str>) -> Result<Self> {
        match word {
            None => Ok(Self::Nothing),
            Some(word) => match super::BackendName::from_str(word, false) {
                Ok(backend) => Ok(Self::Backend(backend)),
                Err(_) => Saved::read(Path::new(word)).map(Self::File),
            },
        }
    }
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    if arguments.warmup.checked_add(arguments.steps).is_none() {
        return Err(Error::Argument("--warmup and --steps are too many together".to_owned()));
    }
    if arguments.steps == 0 || arguments.repeat == 0 {
        return Err(Error::Argument("--steps and --repeat have to be at least 1".to_owned()));
    }
    // a mistake in the last model or in the file is told before the first is measured
    let against = Against::parse(arguments.against.as_deref())?;
    let mut models = Vec::new();
    for path in &arguments.models {
        let begin = Instant::now();
        let model = super::load(path, output)?;
        models.push((name_of(path), model, begin.elapsed().as_secs_f64()));
    }
    if let Against::File(saved) = &against {
        let names: Vec<&str> = models.iter().map(|m| m.0.as_str()).collect();
        saved.check(&names, &arguments.worlds, arguments.batch.backend.known())?;
    }
    let (mut rows, mut devices) = (Vec::new(), Devices::default());
    for (name, model, load) in &models {
        for &worlds in &arguments.worlds {
            let case = Case { model, name, worlds, load: *load };
            let row = Value::Object(one(&case, &against, &mut devices, arguments, output)?);
            // a line as soon as it is known; the object of all rows comes last
            output.object(&row);
            rows.push(row);
        }
    }
    table::print(&rows, output);
    output.object(&json!({ "workload": "hold", "rows": rows }));
    match &against {
        // the backend was not known before: a comparison of nothing is no success
        Against::File(saved) if rows.iter().all(|row| row["against"].is_null()) => {
            saved.check(&[], &[], None)?;
        }
        _ => {}
    }
    Ok(true)
}

/// What a row is of.
struct Case<'a> {
    model: &'a Model,
    name: &'a str,
    worlds: usize,
    /// Seconds that reading and compiling the model took.
    load: f64,
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// One model and size on the backend, and on the one that it is measured against.
fn one(
    case: &Case<'_>,
    against: &Against,
    devices: &mut Devices,
    arguments: &Arguments,
    output: &Output,
) -> Result<Map<String, Value>> {
    let options = arguments.batch.options()?;
    let mut backend_run = BackendRun::open(case, &options, arguments, output)?;
    let mut other = None;
    if let Against::Backend(backend) = against {
        // the same slots, so that both do the same work
        let mut options = options;
        options.capacity = Some(backend_run.capacity());
        options.backend = backend.backend();
        other = Some(BackendRun::open(case, &options, arguments, output)?);
    }
    // in turns: what else the machine does hits both
    for _ in 0..arguments.repeat {
        backend_run.round(output)?;
        other.as_mut().map_or(Ok(()), |o| o.round(output))?;
    }
    let mut row = backend_run.row(case, devices, arguments.split_stages)?;
    print_head(&backend_run, case, output);
    print_line(&row, output);
    if let Some(mut other) = other {
        let against = other.row(case, devices, arguments.split_stages)?;
        let ratio = number(&row, "steps_per_second") / number(&against, "steps_per_second");
        print_line(&against, output);
        output.text(format_args!("  ratio {ratio:.2}"));
        row.insert("against".to_owned(), Value::Object(against));
        row.insert("ratio".to_owned(), json!(ratio));
    }
    if let Against::File(saved) = against {
        compare(&mut row, saved, output);
    }
    Ok(row)
}

/// Adds the saved row that matches, and says how the two compare.
fn compare(row: &mut Map<String, Value>, saved: &Saved, output: &Output) {
    let path = saved.path.display();
    let Some(old) = saved.find(row) else {
        output.text(format_args!("  {path} has no row of {}", saved::key_text(row)));
        row.insert("against".to_owned(), Value::Null);
        return;
    };
    let ratios: Vec<String> =
        saved::ratios(row, old).iter().map(|(name, ratio)| format!("{name} {ratio:.3}")).collect();
    output.text(format_args!("  new/old of {path}: {}", ratios.join(", ")));
    for (name, both) in saved::differences(row, old) {
        output.text(format_args!("  not the same {name}: {both}"));
    }
    saved::insert(row, old, &saved.path);
}

/// One backend: its worlds after the warm-up, and what was measured so far.
struct BackendRun {
    batch: Batch,
    schedule: ControlSchedule,
    start: Vec<(&'static str, Vec<f64>)>,
    measured: Vec<Measured>,
    cost: Cost,
}

/// What a step starts from: with it, every round measures the same steps.
const STATE: &[&str] = &["time", "qpos", "qvel", "act", "history", "history_compensation", "qacc_warmstart"];

impl BackendRun {
    fn open(case: &Case<'_>, options: &BatchOptions, arguments: &Arguments, output: &Output) -> Result<Self> {
        let (warmup, steps) = (arguments.warmup, arguments.steps);
        let schedule =
            ControlSchedule { source: ControlSource::Builtin(Control::Hold), seed: 0, warmup, steps };
        let mut batch = open(case.model, case.worlds, options, output)?;
        batch.reset_all((case.model.sizes.nkey > 0).then_some(0))?;
        // with no warm-up the controls of step 0 are set by the measured region
        warm(&mut batch, &schedule)?;
        let mut start = Vec::new();
        if arguments.repeat > 1 {
            for name in STATE {
                start.push((*name, batch.get(name)?.data.to_f64()));
            }
        }
        let mut cost = Cost::default();
        // without a warm-up no stage has run yet
        if warmup > 0 {
            cost.sample(&batch)?;
        }
        Ok(Self { batch, schedule, start, measured: Vec::new(), cost })
    }

    fn capacity(&self) -> manyworlds::model::data::Capacity {
        let sizes = self.batch.sizes();
        manyworlds::model::data::Capacity { nconmax: sizes.nconmax, njmax: sizes.njmax }
    }

    /// One measurement of the steps after the warm-up.
    fn round(&mut self, output: &Output) -> Result<()> {
        for (name, values) in &self.start {
            self.batch.set(name, values)?;
        }
        self.batch.wait()?;
        let none = &mut Recording::default();
        self.measured.push(measure(&mut self.batch, &self.schedule, usize::MAX, none, output)?);
        Ok(())
    }

    /// The round with the median speed, as a row, with the speed of every round.
    fn row(&mut self, case: &Case<'_>, devices: &mut Devices, split: bool) -> Result<Map<String, Value>> {
        let samples: Vec<f64> = self.measured.iter().map(|m| m.steps_per_second).collect();
        self.measured.sort_by(|a, b| a.steps_per_second.total_cmp(&b.steps_per_second));
        let mut row = summary(&self.batch, &self.measured[self.measured.len() / 2]);
        self.cost.sample(&self.batch)?;
        self.cost.insert(&self.batch, devices, &mut row)?;
        let stages: Map<String, Value> =
            self.batch.stage_times(split)?.into_iter().map(|(stage, ns)| (stage, json!(ns))).collect();
        row.insert("model".to_owned(), json!(case.name));
        row.insert("workload".to_owned(), json!("hold"));
        row.insert("warmup".to_owned(), json!(self.schedule.warmup));
        row.insert("samples".to_owned(), json!(samples));
        row.insert("cold_seconds".to_owned(), cold_object(&self.batch, case.load));
        row.insert("stage_nanoseconds".to_owned(), Value::Object(stages));
        Ok(row)
    }
}

/// What stands above the speeds: model, size, cold start.
fn print_head(backend_run: &BackendRun, case: &Case<'_>, output: &Output) {
    let cold = cold_text(&backend_run.batch, case.load);
    output.text(format_args!("{}, {} worlds, cold start {cold}", case.name, case.worlds));
}

/// Speed of one backend, and the stages that take a share worth seeing.
fn print_line(row: &Map<String, Value>, output: &Output) {
    let word = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let step = 1e6 * number(row, "seconds") / number(row, "steps");
    output.text(format_args!(
        "  {:<4} {:>9}steps/s {step:>11.1} us a step {:>6.1} % finite {:>7.2} contacts  {}",
        word("backend"),
        scaled(number(row, "steps_per_second")),
        100.0 * number(row, "finite"),
        number(row, "contacts_mean"),
        word("device"),
    ));
    print_shape(row, output);
    print_cost(row, output);
    print_stages(row, output);
}

/// Arithmetic and traffic of a world and step, and the device's limits.
fn print_cost(row: &Map<String, Value>, output: &Output) {
    let mut text = format!("       {:.1} kflop", number(row, "flops_per_step") / 1e3);
    if row.contains_key("bytes_per_step") {
        let kib = |name: &str| number(row, name) / 1024.0;
        text += &format!(
            ", {:.1} KiB moved (split {:.1}, fused {:.1})",
            kib("bytes_per_step"),
            kib("bytes_per_step_split"),
            kib("bytes_per_step_fused")
        );
    }
    text += " per world and step";
    if row.contains_key("copy_bytes_per_second") {
        text += &format!(
            "; {:.3} % of a copy's {:.1} GB/s, {:.3} % of {:.1} Gflop/s",
            100.0 * number(row, "copy_share"),
            number(row, "copy_bytes_per_second") / 1e9,
            100.0 * number(row, "peak_share"),
            number(row, "peak_flops_per_second") / 1e9
        );
    }
    output.text(text);
}

fn print_shape(row: &Map<String, Value>, output: &Output) {
    if let Some(partition) = row.get("partition").and_then(Value::as_str) {
        let (lanes, worlds) = (number(row, "lanes"), number(row, "worlds_per_group"));
        output.text(format_args!("       {lanes} lanes a world, {worlds} worlds a group, {partition}"));
    }
}

fn print_stages(row: &Map<String, Value>, output: &Output) {
    let Some(Value::Object(stages)) = row.get("stage_nanoseconds") else { return };
    let mut times: Vec<(&str, f64)> =
        stages.iter().map(|(k, v)| (k.as_str(), v.as_f64().unwrap_or(0.0))).collect();
    times.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = times.iter().map(|t| t.1).sum();
    let shown: Vec<String> = times
        .iter()
        .filter(|t| t.1 > WORTH_SEEING * total)
        .map(|(stage, ns)| format!("{stage} {:.0}%", 100.0 * ns / total))
        .collect();
    if !shown.is_empty() {
        let each = total / 1000.0;
        output.text(format_args!("       {each:.2} us per world and step: {}", shown.join(", ")));
    }
}

fn number(row: &Map<String, Value>, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
}
