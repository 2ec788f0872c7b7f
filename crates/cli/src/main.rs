//! The command line: one file per verb.

mod bench;
mod check;
mod checkpoint;
mod compile;
mod concerns;
mod contents;
mod dense;
mod derivatives;
mod doctor;
mod draw;
mod drive;
mod eval;
mod fit;
mod info;
#[cfg(feature = "gpu")]
mod kernels;
mod output;
mod plan;
mod record;
#[cfg(feature = "gpu")]
mod render;
mod report;
mod rollout;
mod states;
mod summary;
#[cfg(feature = "gpu")]
mod tune;
#[cfg(feature = "view")]
mod view;

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use manyworlds::batch::{self, Backend, BatchOptions, Overflow};
use manyworlds::error::{Error, Result};
use manyworlds::mjcf;
use manyworlds::model::Model;
use manyworlds::spec::Spec;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use output::Output;

/// MuJoCo release whose results are the reference.
const REFERENCE: &str = "MuJoCo 3.17.0";
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\nreference: MuJoCo 3.17.0");

/// Steps thousands of worlds of a MuJoCo model at once, on any GPU or on the CPU.
///
/// Exit status: 0 done, 1 a check failed, 2 bad input, no device, or results that could not be written; 141 where the
/// reader of the output went away, as `head` does.
#[derive(Parser)]
#[command(name = "manyworlds", version = VERSION)]
struct Cli {
    /// How results are printed.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Takes warnings about a model for errors.
    #[arg(long, global = true)]
    strict: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs: the last line is one JSON object.
    Json,
}

#[derive(Subcommand)]
enum Verb {
    /// What a model contains, and what a world of it takes.
    Info(info::Arguments),
    /// Compiles a model and writes its arrays under MuJoCo's names.
    Compile(compile::Arguments),
    /// Evaluates a model at given states: everything that follows from them, and one step.
    ///
    /// As the reference does in a step, a state with positions or velocities beyond 1e10 is replaced by the initial state,
    /// and one whose acceleration is not finite or beyond 1e10 is reset by the step. Standard error names each with its
    /// field, and the array status has its bits: bad_qpos 4, bad_qvel 8, bad_qacc 16, bad_ctrl 32 (all controls count as
    /// zero). The exit status is 0, as the other states are not affected. NaN and infinity are refused: exit status 2.
    Eval(eval::Arguments),
    /// Derivatives of a time step, or of inverse dynamics, at given states.
    Derivatives(derivatives::Arguments),
    /// Moves a robot by model-predictive control: a task file says what it is to achieve.
    ///
    /// Exit status 1 if the task says what success is, and the motion does not end in it.
    Plan(plan::Arguments),
    /// Steps worlds, measures the speed, records fields.
    Rollout(rollout::Arguments),
    /// Draws worlds: a picture, a film, depths or numbers of objects; needs no display.
    #[cfg(feature = "gpu")]
    Render(Box<render::Arguments>),
    /// Estimates parameters of a model from a recording, with their standard deviations.
    ///
    /// Rollouts under the recorded controls are compared with what was recorded, all changes of parameters at once, each in
    /// worlds of its own. The exit status is 1 where the iterations have ended before a minimum.
    Fit(fit::Arguments),
    /// Opens a window in which a model moves, under the hands of a user or, with a task, of a planner.
    #[cfg(feature = "view")]
    View(view::Arguments),
    /// Compares every stage of the GPU with the CPU, field by field.
    Check(check::Arguments),
    /// Measures speed over models and numbers of worlds.
    Bench(bench::Arguments),
    /// Finds the fastest way to spread models over the GPU, and keeps it for the other verbs.
    #[cfg(feature = "gpu")]
    Tune(tune::Arguments),
    /// Writes the kernels of a model as a driver gets them; needs no GPU.
    #[cfg(feature = "gpu")]
    Kernels(kernels::Arguments),
    /// Lists the GPU adapters and what is missing.
    Doctor,
    // verbs that this build leaves out, to say so
    #[cfg(not(feature = "gpu"))]
    #[command(hide = true)]
    Render(Ignored),
    #[cfg(not(feature = "gpu"))]
    #[command(hide = true)]
    Tune(Ignored),
    #[cfg(not(feature = "gpu"))]
    #[command(hide = true)]
    Kernels(Ignored),
    #[cfg(not(feature = "view"))]
    #[command(hide = true)]
    View(Ignored),
}

/// Arguments of a verb that this build leaves out.
#[cfg(not(feature = "view"))]
#[derive(Args)]
struct Ignored {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    _arguments: Vec<std::ffi::OsString>,
}

/// Says which feature a verb needs.
#[cfg(not(feature = "view"))]
fn left_out(verb: &str, feature: &str) -> Result<bool> {
    Err(Error::Argument(format!("this build has no '{verb}'; build it with the feature '{feature}'")))
}

/// Backend and capacities, the same for every verb that steps.
#[derive(Args, Clone)]
struct BatchArguments {
    /// Where worlds are stepped; auto: a hardware GPU where there is one, else the CPU.
    #[arg(long, value_enum, default_value_t = BackendName::Auto)]
    backend: BackendName,
    /// Contact slots of a world; measured where not given.
    #[arg(long)]
    nconmax: Option<usize>,
    /// Constraint row slots of a world; measured where not given.
    #[arg(long)]
    njmax: Option<usize>,
    /// Where a world needs more slots than that: grow makes room and, on the GPU, takes the steps again; flag leaves contacts
    /// out and raises a status bit; error ends.
    #[arg(long, default_value = "grow", value_name = "grow|flag|error")]
    overflow: Overflow,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    kernels: KernelArguments,
}

/// How kernels are cut and spread, the same for every verb that runs them.
#[cfg(feature = "gpu")]
#[derive(Args, Clone)]
struct KernelArguments {
    /// Grouping of the stages into dispatches on the GPU: auto, split, grouped or fused.
    #[arg(long, value_name = "auto|split|grouped|fused")]
    partition: Option<String>,
    /// Lanes per world on the GPU, a power of two; chosen from the model where not given.
    #[arg(long)]
    lanes: Option<usize>,
    /// Worlds per workgroup on the GPU, a power of two; chosen where not given.
    #[arg(long)]
    worlds_per_group: Option<usize>,
    /// Where kernels on the GPU keep what only they use: storage, workgroup or registers; chosen where not given.
    #[arg(long, value_name = "storage|workgroup|registers")]
    placement: Option<String>,
    /// Whether steps on the GPU store, but for the last of a call, only what the next step reads; true on hardware.
    #[arg(long, value_name = "true|false")]
    lean: Option<bool>,
    /// Worlds that take all steps of a call on the GPU before the next ones begin; on hardware measured while they step.
    #[arg(long)]
    chunk: Option<usize>,
    /// Measures nothing while worlds step on the GPU: chunks of 8192 worlds on hardware, where not given.
    #[arg(long)]
    no_tune: bool,
}

#[cfg(feature = "gpu")]
impl KernelArguments {
    fn options(&self) -> Result<manyworlds::gpu::KernelOptions> {
        Ok(manyworlds::gpu::KernelOptions {
            partition: self.partition.as_deref().unwrap_or("auto").parse()?,
            lanes: self.lanes,
            worlds_per_group: self.worlds_per_group,
            tuning_file: tune::file(),
            placement: self.placement.as_deref().map(str::parse).transpose()?,
            lean: self.lean,
            chunk: self.chunk,
            tune: self.no_tune.then_some(false),
            ..Default::default()
        })
    }

    /// Rejects kernel options where no kernel runs.
    fn refuse_on_cpu(&self) -> Result<()> {
        let given = [
            ("--partition", self.partition.is_some()),
            ("--lanes", self.lanes.is_some()),
            ("--worlds-per-group", self.worlds_per_group.is_some()),
            ("--placement", self.placement.is_some()),
            ("--lean", self.lean.is_some()),
            ("--chunk", self.chunk.is_some()),
            ("--no-tune", self.no_tune),
        ];
        match given.iter().find(|g| g.1) {
            Some((name, _)) => {
                Err(Error::Argument(format!("{name} is for the GPU: leave it out, or give --backend gpu")))
            }
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BackendName {
    Auto,
    Cpu,
    Gpu,
}

impl BackendName {
    fn backend(self) -> Backend {
        match self {
            BackendName::Auto => Backend::Auto,
            BackendName::Cpu => Backend::Cpu,
            BackendName::Gpu => Backend::Gpu,
        }
    }

    /// Name of the backend, if the choice is certain.
    fn known(self) -> Option<&'static str> {
        (self != BackendName::Auto).then(|| self.backend().name())
    }
}

impl BatchArguments {
    /// Options for a model, whose slots are measured here where only one of the two numbers is given.
    fn options(&self, model: &Model) -> Result<BatchOptions> {
        #[cfg(feature = "gpu")]
        if self.backend == BackendName::Cpu {
            self.kernels.refuse_on_cpu()?;
        }
        let capacity = batch::capacity(model, self.nconmax, self.njmax)?;
        Ok(BatchOptions {
            #[cfg(feature = "gpu")]
            adapter: None,
            #[cfg(feature = "gpu")]
            device: None,
            backend: self.backend.backend(),
            capacity,
            overflow: self.overflow,
            #[cfg(feature = "gpu")]
            gpu: self.kernels.options()?,
        })
    }
}

/// Parses the arguments, runs the verb, and returns the exit status.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return tell(&told),
    };
    let output = Output::new(cli.format == Format::Json, cli.strict);
    let done = show_log().and_then(|()| run(&cli.verb, &output));
    if let Err(error) = &done {
        output.error(error);
    }
    match done {
        _ if output.is_lost() => ExitCode::from(2),
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}

/// Prints the help, the version, or what is wrong with the arguments.
fn tell(told: &clap::Error) -> ExitCode {
    let output = Output::new(false, false);
    let done = told.print();
    if told.use_stderr() {
        return ExitCode::from(2);
    }
    output.written(done.and_then(|()| std::io::Write::flush(&mut std::io::stdout())));
    if output.is_lost() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Runs a verb; false if a check failed.
fn run(verb: &Verb, output: &Output) -> Result<bool> {
    match verb {
        Verb::Info(arguments) => info::run(arguments, output),
        Verb::Compile(arguments) => compile::run(arguments, output),
        Verb::Eval(arguments) => eval::run(arguments, output),
        Verb::Derivatives(arguments) => derivatives::run(arguments, output),
        Verb::Plan(arguments) => plan::run(arguments, output),
        Verb::Rollout(arguments) => rollout::run(arguments, output),
        #[cfg(feature = "gpu")]
        Verb::Render(arguments) => render::run(arguments, output),
        Verb::Fit(arguments) => fit::run(arguments, output),
        #[cfg(feature = "view")]
        Verb::View(arguments) => view::run(arguments, output),
        Verb::Check(arguments) => check::run(arguments, output),
        Verb::Bench(arguments) => bench::run(arguments, output),
        #[cfg(feature = "gpu")]
        Verb::Tune(arguments) => tune::run(arguments, output),
        #[cfg(feature = "gpu")]
        Verb::Kernels(arguments) => kernels::run(arguments, output),
        Verb::Doctor => doctor::run(output),
        #[cfg(not(feature = "gpu"))]
        Verb::Render(_) => left_out("render", "gpu"),
        #[cfg(not(feature = "gpu"))]
        Verb::Tune(_) => left_out("tune", "gpu"),
        #[cfg(not(feature = "gpu"))]
        Verb::Kernels(_) => left_out("kernels", "gpu"),
        #[cfg(not(feature = "view"))]
        Verb::View(_) => left_out("view", "view"),
    }
}

/// Prints what the library logs to standard error: warnings, or what `MANYWORLDS_LOG` asks for.
fn show_log() -> Result<()> {
    let targets = match std::env::var("MANYWORLDS_LOG") {
        Ok(wanted) => wanted.parse().map_err(|e| {
            Error::Argument(format!("MANYWORLDS_LOG: {e}; give a level such as debug, or manyworlds=debug"))
        })?,
        // of displays winit warns whatever they are like
        Err(_) => Targets::new().with_default(LevelFilter::WARN).with_target("winit", LevelFilter::ERROR),
    };
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(false).with_target(false).without_time();
    tracing_subscriber::registry().with(lines).with(targets).init();
    Ok(())
}

/// Reads and compiles a model; prints its warnings, or fails with them under `--strict`.
fn load(path: &Path, output: &Output) -> Result<Model> {
    let model =
        if is_stdin(path) { manyworlds::compile::compile(&spec(path)?)? } else { manyworlds::load(path)? };
    output.warnings(&model.warnings)?;
    Ok(model)
}

/// True if a model comes from standard input.
fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a model without compiling it; from standard input, its references are relative to the working folder.
fn spec(path: &Path) -> Result<Spec> {
    if !is_stdin(path) {
        return mjcf::parse(path);
    }
    let fail = |reason: String| Error::io("standard input", reason);
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_STDIN + 1).read_to_string(&mut text);
    match read {
        Err(e) => Err(fail(format!("{e}; give MJCF or URDF in UTF-8"))),
        Ok(n) if n as u64 > MAX_STDIN => Err(fail(format!("more than {MAX_STDIN} bytes"))),
        Ok(_) => mjcf::parse_str(&text, "<stdin>"),
    }
}

/// Largest model from standard input, in bytes.
const MAX_STDIN: u64 = 256 << 20;

/// A keyframe by number or name; `none` is the initial state, no word the first keyframe.
fn keyframe(model: &Model, word: Option<&str>) -> Result<Option<usize>> {
    let nkey = model.sizes.nkey;
    match word {
        None => Ok((nkey > 0).then_some(0)),
        Some("none") => Ok(None),
        Some(word) => {
            let named = model.names.key.iter().position(|n| n == word);
            let key = named.or_else(|| word.parse().ok()).filter(|&k| k < nkey);
            key.map(Some).ok_or_else(|| {
                let near = batch::suggest(word, model.names.key.iter().map(String::as_str));
                let text = format!("there is no keyframe '{word}': the model has {nkey}");
                Error::Argument(format!("{text}{}{near}", known_keyframes(&model.names.key)))
            })
        }
    }
}

/// Most keyframes that a message names.
const NAMED_KEYFRAMES: usize = 20;

/// The keyframes in a message.
fn known_keyframes(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let shown = names.iter().enumerate().take(NAMED_KEYFRAMES);
    let listed = shown.map(|(k, name)| if name.is_empty() { k.to_string() } else { format!("{k} '{name}'") });
    let more = if names.len() > NAMED_KEYFRAMES { ", …" } else { "" };
    format!(": {}{more}", listed.collect::<Vec<_>>().join(", "))
}
