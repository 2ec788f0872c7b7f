//! `tune`: measures the fastest way to spread a model over the GPU, and keeps it for the verbs that step.

use std::path::PathBuf;

use manyworlds::batch::Backend;
use manyworlds::batch::control::Control;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::tuning::cache::{Trial, TuningCache};
use serde::Serialize;
use serde_json::Value;

use crate::shared::arguments::{BatchArguments, tuning_file};
use crate::shared::drive::{ControlSchedule, ControlSource};
use crate::shared::input::load;
use crate::shared::measure::warm;
use crate::shared::output::{Output, pairs, scaled};
use crate::shared::worlds::open;

/// Steps before the search: the worlds are in contact then.
const WARMUP: usize = 200;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Models: MJCF, URDF, or compiled (.mwb).
    #[arg(required_unless_present = "list")]
    models: Vec<PathBuf>,
    /// Number of worlds that the model is to be stepped with.
    #[arg(long, default_value_t = 4096)]
    worlds: usize,
    /// Seconds that a search may take, about: a trial that has begun is finished.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    #[command(flatten)]
    batch: BatchArguments,
    /// Prints what is kept, and where.
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let missing = || Error::Argument("no folder for a cache: name one in MANYWORLDS_CACHE".to_owned());
    let path = tuning_file().ok_or_else(missing)?;
    let (mut cache, damaged) = TuningCache::open(&path);
    if let Some(why) = damaged {
        output.notice(&why);
    }
    if arguments.list {
        output.text(format_args!("{}", path.display()));
        for (place, found) in cache.entries() {
            output.text(format_args!("{place}: {found}"));
        }
        output.object(&Kept { file: path.display().to_string(), entries: cache.entries().collect() });
        return Ok(true);
    }
    if !arguments.seconds.is_finite() || arguments.seconds < 0.0 {
        return Err(Error::Argument("--seconds has to be a number, 0 or more".to_owned()));
    }
    let mut rows = Vec::new();
    for path in &arguments.models {
        let model = load(path, output)?;
        let mut options = arguments.batch.options(&model)?;
        // a search does not start from earlier results
        options.gpu.tuning_file = None;
        let fixed = options.gpu.clone();
        let mut batch = open(&model, arguments.worlds, &options, output)?;
        if batch.backend() != Backend::Gpu {
            return Err(Error::device("the CPU backend has nothing to tune; give --backend gpu"));
        }
        batch.reset(.., (model.sizes.nkey > 0).then_some(0))?;
        let source = ControlSource::Builtin(Control::Hold);
        warm(&mut batch, &ControlSchedule { source, seed: 0, warmup: WARMUP, steps: 0 })?;
        output.text(format_args!("{}, {} worlds, {}", path.display(), arguments.worlds, batch.device()));
        let mut on_trial = |trial: &Trial| print(trial, arguments.worlds, "", output);
        let best = batch.search(&fixed, arguments.seconds, &mut on_trial)?;
        print(&best, arguments.worlds, "  kept", output);
        batch.store_tuning(&mut cache, &best)?;
        let row = Row::new(&best, arguments.worlds, path.display().to_string(), batch.device());
        output.object(&row);
        rows.push(row);
    }
    output.object(&Tuned { file: path.display().to_string(), rows });
    Ok(true)
}

fn print(trial: &Trial, worlds: usize, what: &str, output: &Output) {
    output.text(format_args!(
        "  {:>2} lanes a world, {:>2} worlds a group, {:<9} {:<7} {:>9}steps/s, built in {:.1} s{what}",
        trial.lanes,
        trial.worlds_per_group,
        trial.placement.name(),
        trial.partition.name(),
        scaled(worlds as f64 / trial.step_seconds),
        trial.build_seconds,
    ));
}

/// JSON object of all results kept.
#[derive(Serialize)]
struct Kept<'a> {
    file: String,
    #[serde(serialize_with = "pairs")]
    entries: Vec<(&'a str, &'a Value)>,
}

/// JSON object of a tuning run.
#[derive(Serialize)]
struct Tuned {
    file: String,
    rows: Vec<Row>,
}

/// Fastest way for a model.
#[derive(Serialize)]
struct Row {
    model: String,
    worlds: usize,
    device: String,
    lanes: usize,
    worlds_per_group: usize,
    placement: &'static str,
    partition: &'static str,
    steps_per_second: f64,
    build_seconds: f64,
}

impl Row {
    fn new(trial: &Trial, worlds: usize, model: String, device: String) -> Self {
        Self {
            model,
            worlds,
            device,
            lanes: trial.lanes,
            worlds_per_group: trial.worlds_per_group,
            placement: trial.placement.name(),
            partition: trial.partition.name(),
            steps_per_second: worlds as f64 / trial.step_seconds,
            build_seconds: trial.build_seconds,
        }
    }
}
