//! `bench`: speed over models and numbers of worlds, under the workload `hold`; cost of a step, and how close it
//! comes to the limits of the device.

mod cost;
mod lines;
mod row;
mod saved;
mod table;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use manyworlds::batch::control::Control;
use manyworlds::batch::{Batch, BatchOptions};
use manyworlds::error::{Error, Result};
use serde::Serialize;
use serde_json::Value;

use clap::ValueEnum;
use cost::{Cost, Devices};
use row::{Case, Compared, Row};
use saved::Saved;

use crate::report::{self, ReportArguments};
use crate::shared::arguments::{BackendName, BatchArguments};
use crate::shared::drive::{ControlSchedule, ControlSource};
use crate::shared::input::load;
use crate::shared::measure::{measure, warm};
use crate::shared::output::Output;
use crate::shared::summary::{Measured, Summary};
use crate::shared::worlds::open;
use manyworlds::model::state::names;
use manyworlds::schema::Role;

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
    batch: BatchArguments,
    /// A second backend, measured in the same run; or a file that an earlier run with --format json printed,
    /// whose rows of the same model, worlds and backend are compared with.
    #[arg(long, value_name = "auto|cpu|gpu|FILE")]
    against: Option<String>,
    /// On the GPU: time every stage in a dispatch of its own, not the dispatches as they are grouped.
    #[arg(long)]
    split_stages: bool,
    #[command(flatten)]
    report: ReportArguments,
}

/// Baseline of a run.
enum Against {
    Nothing,
    Backend(BackendName),
    File(Saved),
}

impl Against {
    /// A backend if the word names one, else a file.
    fn parse(word: Option<&str>) -> Result<Self> {
        match word {
            None => Ok(Self::Nothing),
            Some(word) => match BackendName::from_str(word, false) {
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
    // mistakes in the last model or in the file are reported before the first measurement
    let against = Against::parse(arguments.against.as_deref())?;
    arguments.check_report(&against)?;
    let mut models = Vec::new();
    for path in &arguments.models {
        let begin = Instant::now();
        let model = load(path, output)?;
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
            let row = one(&case, &against, &mut devices, arguments, output)?;
            // each row is printed at once; the object of all rows comes last
            output.object(&row);
            rows.push(row);
        }
    }
    let objects = || rows.iter().map(object).collect::<Vec<_>>();
    arguments.report.write(|| report::of_bench(&objects()))?;
    table::print(&rows, output);
    output.object(&AllRows { workload: "hold", rows: &rows });
    match &against {
        // the backend was unknown until now: a comparison of nothing is no success
        Against::File(saved)
            if rows.iter().all(|row| matches!(row.against, Some(Compared::Unknown { .. }))) =>
        {
            saved.check(&[], &[], None)?;
        }
        _ => {}
    }
    Ok(true)
}

impl Arguments {
    /// Checks that a report can be written, and replaces no input.
    fn check_report(&self, against: &Against) -> Result<()> {
        let mut inputs: Vec<&Path> = self.models.iter().map(PathBuf::as_path).collect();
        if let Against::File(saved) = against {
            inputs.push(&saved.path);
        }
        self.report.check(&inputs)
    }
}

/// JSON object at the end.
#[derive(Serialize)]
struct AllRows<'a> {
    workload: &'static str,
    rows: &'a [Row],
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// One model and size on the backend, and on the backend that it is compared with.
fn one(
    case: &Case<'_>,
    against: &Against,
    devices: &mut Devices,
    arguments: &Arguments,
    output: &Output,
) -> Result<Row> {
    let options = arguments.batch.options(case.model)?;
    let mut backend_run = BackendRun::open(case, &options, arguments, output)?;
    let mut other = None;
    if let Against::Backend(backend) = against {
        // the same slots, so that both do the same work
        let mut options = options;
        options.capacity = Some(backend_run.capacity());
        options.backend = backend.backend();
        other = Some(BackendRun::open(case, &options, arguments, output)?);
    }
    // in turns: other load on the machine affects both
    for _ in 0..arguments.repeat {
        backend_run.round(output)?;
        other.as_mut().map_or(Ok(()), |o| o.round(output))?;
    }
    let mut row = backend_run.row(case, devices, arguments.split_stages)?;
    lines::head(&backend_run.batch, case, output);
    lines::speed(&row, output);
    if let Some(mut other) = other {
        let against = other.row(case, devices, arguments.split_stages)?;
        let ratio = row.summary.measured.steps_per_second / against.summary.measured.steps_per_second;
        lines::speed(&against, output);
        output.text(format_args!("  ratio {ratio:.2}"));
        row.against = Some(Compared::Backend { against: Box::new(against), ratio });
    }
    if let Against::File(saved) = against {
        row.against = Some(compare(&row, saved, output));
    }
    Ok(row)
}

/// A row as its JSON object.
fn object(row: &Row) -> serde_json::Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(object)) => object,
        _ => Default::default(),
    }
}

/// The matching saved row, and the comparison with it.
fn compare(row: &Row, saved: &Saved, output: &Output) -> Compared {
    let path = saved.path.display();
    // the new row in the form of the old one
    let new = object(row);
    let Some(old) = saved.find(&new) else {
        output.text(format_args!("  {path} has no row of {}", saved::key_text(&new)));
        return Compared::Unknown { against: () };
    };
    let comparison = saved::Comparison::new(&new, old, &saved.path);
    let ratios: Vec<String> =
        comparison.ratios.iter().map(|(name, ratio)| format!("{name} {ratio:.3}")).collect();
    output.text(format_args!("  new/old of {path}: {}", ratios.join(", ")));
    for (name, both) in saved::differences(&new, old) {
        output.text(format_args!("  not the same {name}: {both}"));
    }
    Compared::File(comparison)
}

/// One backend: its worlds after the warm-up, and the measurements so far.
struct BackendRun {
    batch: Batch,
    schedule: ControlSchedule,
    start: Vec<(&'static str, Vec<f64>)>,
    measured: Vec<Measured>,
    cost: Cost,
}

/// State at the start of a step: restoring it makes every round measure the same steps.
const STATE: &[Role] = &[Role::Time, Role::Motion, Role::History, Role::HistoryRemainder, Role::Warmstart];

impl BackendRun {
    fn open(case: &Case<'_>, options: &BatchOptions, arguments: &Arguments, output: &Output) -> Result<Self> {
        let (warmup, steps) = (arguments.warmup, arguments.steps);
        let schedule =
            ControlSchedule { source: ControlSource::Builtin(Control::Hold), seed: 0, warmup, steps };
        let mut batch = open(case.model, case.worlds, options, output)?;
        batch.reset(.., (case.model.sizes.nkey > 0).then_some(0))?;
        // without a warm-up the controls of step 0 are set in the measured region
        warm(&mut batch, &schedule)?;
        let mut start = Vec::new();
        if arguments.repeat > 1 {
            for name in names(STATE) {
                start.push((name, batch.get(name, ..)?.data.to_f64()));
            }
        }
        let mut cost = Cost::default();
        // without a warm-up no stage has run yet
        if warmup > 0 {
            cost.sample(&mut batch)?;
        }
        Ok(Self { batch, schedule, start, measured: Vec::new(), cost })
    }

    fn capacity(&self) -> manyworlds::model::data::Capacity {
        manyworlds::model::data::Capacity::of(self.batch.sizes())
    }

    /// One measurement of the steps after the warm-up.
    fn round(&mut self, output: &Output) -> Result<()> {
        for (name, values) in &self.start {
            self.batch.set(name, .., values)?;
        }
        self.batch.wait()?;
        let on = &mut |_: &mut Batch, _| Ok(ControlFlow::Continue(()));
        self.measured.push(measure(&mut self.batch, &self.schedule, 0, None, on, output)?);
        Ok(())
    }

    /// The round of median speed as a row, with the speed of every round.
    fn row(&mut self, case: &Case<'_>, devices: &mut Devices, split: bool) -> Result<Row> {
        let samples = self.measured.iter().map(|m| m.steps_per_second).collect();
        self.measured.sort_by(|a, b| a.steps_per_second.total_cmp(&b.steps_per_second));
        let median = self.measured.swap_remove(self.measured.len() / 2);
        let speed = median.steps_per_second;
        let summary = Summary::new(&self.batch, median, case.load);
        self.cost.sample(&mut self.batch)?;
        let cost = self.cost.of_step(&self.batch, speed);
        Ok(Row {
            model: case.name.to_owned(),
            summary,
            reached: devices.reached(&self.batch, &cost, speed)?,
            cost,
            workload: "hold",
            warmup: self.schedule.warmup,
            samples,
            stage_nanoseconds: self.batch.stage_times(split)?,
            against: None,
        })
    }
}
