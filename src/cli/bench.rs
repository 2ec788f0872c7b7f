//! `bench`: speed over models and numbers of worlds, under the workload `hold`.

use std::path::PathBuf;

use manyworlds::batch::control::Control;
use manyworlds::batch::{Backend, BatchOptions};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use serde_json::{Map, Value, json};

use super::drive::{Schedule, Source};
use super::eval::open;
use super::output::{Output, scaled};
use super::rollout::{Record, measure, summary};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// MJCF or URDF files.
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
    #[command(flatten)]
    batch: super::BatchArguments,
    /// A second backend, measured in the same run.
    #[arg(long, value_enum)]
    against: Option<super::BackendName>,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    if arguments.warmup.checked_add(arguments.steps).is_none() {
        return Err(Error::Argument("--warmup and --steps are too many together".to_owned()));
    }
    if arguments.steps == 0 {
        return Err(Error::Argument("--steps has to be at least 1".to_owned()));
    }
    // a mistake in the last model is told before the first is measured
    let models: Vec<Model> = arguments.models.iter().map(|p| super::load(p)).collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for (path, model) in arguments.models.iter().zip(&models) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for &worlds in &arguments.worlds {
            rows.push(Value::Object(one(model, &name, worlds, arguments, output)?));
        }
    }
    output.object(&json!({ "workload": "hold", "rows": rows }));
    Ok(true)
}

/// One model and size on the backend, and on the one that it is measured against.
fn one(
    model: &Model,
    name: &str,
    worlds: usize,
    arguments: &Arguments,
    output: &Output,
) -> Result<Map<String, Value>> {
    let options = arguments.batch.options()?;
    let mut row = rate(model, worlds, &options, arguments, output)?;
    row.insert("model".to_owned(), json!(name));
    let speed = number(&row, "steps_per_second");
    let device = row.get("device").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut text = format!("{name:<24} {worlds:>7} worlds  {:>9}steps/s  {device}", scaled(speed));
    if let Some(other) = arguments.against {
        // the same slots, so that both do the same work
        let options = BatchOptions { backend: other.backend(), ..options };
        let against = rate(model, worlds, &options, arguments, output)?;
        let ratio = speed / number(&against, "steps_per_second");
        text.push_str(&format!("  {ratio:.2}x {}", other.backend().name()));
        row.insert("against".to_owned(), Value::Object(against));
        row.insert("ratio".to_owned(), json!(ratio));
    }
    output.text(text);
    print_stages(&row, output);
    Ok(row)
}

fn rate(
    model: &Model,
    worlds: usize,
    options: &BatchOptions,
    arguments: &Arguments,
    output: &Output,
) -> Result<Map<String, Value>> {
    let (warmup, steps) = (arguments.warmup, arguments.steps);
    let schedule = Schedule { source: Source::Built(Control::Hold), seed: 0, warmup, steps };
    let mut batch = open(model, worlds, options, output)?;
    batch.reset_all((model.sizes.nkey > 0).then_some(0))?;
    let measured = measure(&mut batch, &schedule, usize::MAX, &mut Record::default(), output)?;
    let mut row = summary(&batch, &measured);
    let stages: Map<String, Value> =
        batch.stage_times()?.into_iter().map(|(stage, ns)| (stage, json!(ns))).collect();
    row.insert("stage_nanoseconds".to_owned(), Value::Object(stages));
    debug_assert!(batch.backend() != Backend::Auto, "a batch knows its backend");
    Ok(row)
}

/// Stages that take a share worth seeing.
fn print_stages(row: &Map<String, Value>, output: &Output) {
    let Some(Value::Object(stages)) = row.get("stage_nanoseconds") else { return };
    let mut times: Vec<(&str, f64)> =
        stages.iter().map(|(k, v)| (k.as_str(), v.as_f64().unwrap_or(0.0))).collect();
    times.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = times.iter().map(|t| t.1).sum();
    let shown: Vec<String> = times
        .iter()
        .filter(|t| t.1 > 0.02 * total)
        .map(|(stage, ns)| format!("{stage} {:.0}%", 100.0 * ns / total))
        .collect();
    if !shown.is_empty() {
        output.text(format_args!("  {:.2} us per world and step: {}", total / 1000.0, shown.join(", ")));
    }
}

fn number(row: &Map<String, Value>, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
}
