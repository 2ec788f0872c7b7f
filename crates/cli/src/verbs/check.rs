//! `check`: compares every stage of the GPU with the CPU.

use std::path::PathBuf;

use manyworlds::analysis::check;
use manyworlds::analysis::check::{CheckOptions, CpuSubject, FieldReport, Report};
use manyworlds::batch;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::stages::Stage;
use serde::Serialize;

#[cfg(feature = "gpu")]
use crate::shared::arguments::KernelArguments;
use crate::shared::input::load;
use crate::shared::output::Output;

/// Copies of every world kept by a check.
const COPIES: usize = 5;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// Worlds, each in a state of its own.
    #[arg(long, default_value_t = 8)]
    worlds: usize,
    /// Steps under noise before the last of three comparisons.
    #[arg(long, default_value_t = 120)]
    steps: usize,
    /// Seed of the noise.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The CPU runs the stages before this one, the GPU the rest on its own results.
    #[arg(long)]
    from: Option<String>,
    /// What is checked: the GPU, software ones included, or the CPU in single precision.
    #[arg(long, value_enum, default_value_t = SubjectName::Gpu)]
    backend: SubjectName,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    kernels: KernelArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SubjectName {
    Gpu,
    Cpu,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    if arguments.worlds == 0 {
        return Err(Error::Argument("--worlds has to be at least 1".to_owned()));
    }
    let mut model = load(&arguments.model, output)?;
    if let Some(loose) = check::tighten(&mut model) {
        let tight = model.opt_tolerance[0];
        output.text(format_args!(
            "tolerance of the solver: {tight:e}, as two solutions to the model's {loose:e} may differ"
        ));
    }
    let from = arguments.from.as_deref().map(stage).transpose()?;
    let Arguments { worlds, steps, seed, .. } = *arguments;
    let options = CheckOptions { worlds, steps, seed, from };
    let probed = batch::measured(&model)?;
    batch::check_memory(&model, probed, worlds, COPIES)?;
    let capacity = check::needed_capacity(&model, probed, &options);
    batch::check_memory(&model, capacity, worlds, COPIES)?;
    let (device, report) = match arguments.backend {
        SubjectName::Cpu => on_cpu(&model, capacity, &options, arguments)?,
        SubjectName::Gpu => on_gpu(&model, capacity, &options, arguments)?,
    };
    print(&device, &report, output);
    Ok(report.passed())
}

fn stage(name: &str) -> Result<Stage> {
    Stage::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Stage::ALL.iter().map(|s| s.name()).collect();
        let near = batch::suggest(name, names.iter().copied());
        Error::Argument(format!("there is no stage '{name}' (valid: {}){near}", names.join(" ")))
    })
}

#[cfg_attr(not(feature = "gpu"), expect(unused_variables, reason = "kernels have the only arguments"))]
fn on_cpu(
    model: &Model,
    capacity: Capacity,
    options: &CheckOptions,
    arguments: &Arguments,
) -> Result<(String, Report)> {
    #[cfg(feature = "gpu")]
    arguments.kernels.refuse_on_cpu()?;
    let worlds = vec![Data::new(model, capacity); options.worlds];
    let mut subject = CpuSubject::<f32>::new(model, &worlds);
    let report = check::run(model, capacity, &mut subject, options)?;
    Ok(("cpu in single precision".to_owned(), report))
}

#[cfg(feature = "gpu")]
fn on_gpu(
    model: &Model,
    capacity: Capacity,
    options: &CheckOptions,
    arguments: &Arguments,
) -> Result<(String, Report)> {
    use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions as Kernels};
    let gpu = Gpu::open(AdapterPreference::Any)?;
    // bounds checks inside the kernels: an index out of range is an error of its own
    let kernels = Kernels { checks: true, ..arguments.kernels.options()? };
    let mut subject = GpuBatch::new(&gpu, model.clone(), options.worlds, capacity, &kernels)?;
    let report = check::run(model, capacity, &mut subject, options)?;
    Ok((gpu.adapter().to_string(), report))
}

#[cfg(not(feature = "gpu"))]
fn on_gpu(_: &Model, _: Capacity, _: &CheckOptions, _: &Arguments) -> Result<(String, Report)> {
    Err(Error::device("this build has no GPU backend; build with the feature 'gpu'"))
}

fn print(device: &str, report: &Report, output: &Output) {
    output.text(format_args!("device {device}"));
    output.text(format_args!(
        "{:<22} {:<24} {:>9} {:>9} {:>9}",
        "stage", "field", "double", "single", "allowed"
    ));
    for row in &report.rows {
        // fields that a stage does not touch are shown only if they changed
        let idle = row.double == 0.0 && row.single == 0.0;
        if idle && !row.over() && is_state(row) {
            continue;
        }
        let place = if row.over() {
            format!("  OVER at world {} element {}", row.world, row.index)
        } else {
            String::new()
        };
        output.text(format_args!(
            "{:<22} {:<24} {:>9.1e} {:>9.1e} {:>9.1e}{place}",
            row.stage.name(),
            row.field,
            row.double,
            row.single,
            row.tolerance
        ));
    }
    let over = report.rows.iter().filter(|r| r.over()).count();
    output.text(format_args!(
        "{} fields, {over} over; {} comparisons, {} left out as borderline, {} errors explained by rounding",
        report.rows.len(),
        report.compared,
        report.borderline,
        report.conditioned
    ));
    if !report.absent.is_empty() {
        output.text(format_args!("not kept by the kernels of this model: {}", report.absent.join(" ")));
    }
    output.object(&Checked {
        device,
        absent: &report.absent,
        passed: report.passed(),
        over,
        compared: report.compared,
        borderline: report.borderline,
        conditioned: report.conditioned,
        rows: report.rows.iter().map(Row::of).collect(),
    });
}

fn is_state(row: &FieldReport) -> bool {
    Data::<f64>::FIELDS.iter().any(|f| f.name == row.field && f.role.is_state())
}

/// JSON object of a check.
#[derive(Serialize)]
struct Checked<'a> {
    device: &'a str,
    absent: &'a [&'static str],
    passed: bool,
    over: usize,
    compared: usize,
    borderline: usize,
    conditioned: usize,
    rows: Vec<Row>,
}

/// A field after a stage; an infinite error, which JSON lacks, becomes null.
#[derive(Serialize)]
struct Row {
    stage: &'static str,
    field: &'static str,
    double: f64,
    single: f64,
    tolerance: f64,
    over: bool,
    world: usize,
    index: usize,
}

impl Row {
    fn of(report: &FieldReport) -> Self {
        let FieldReport { stage, field, double, single, tolerance, world, index } = *report;
        Self { stage: stage.name(), field, double, single, tolerance, over: report.over(), world, index }
    }
}
