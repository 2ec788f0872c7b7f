//! The command line: a file in `verbs` for each verb; what several share is in `shared`, pages with figures in `report`,
//! the window in `view`.

mod report;
mod shared;
mod verbs;
#[cfg(feature = "view")]
mod view;

use std::process::ExitCode;

#[cfg(not(feature = "view"))]
use clap::Args;
use clap::{Parser, Subcommand, ValueEnum};
use manyworlds::error::{Error, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use shared::output::Output;
use shared::version::VERSION;
use verbs::{bench, check, compile, derivatives, doctor, eval, fit, info, plan, rollout};
#[cfg(feature = "gpu")]
use verbs::{kernels, render, tune};

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
    View(verbs::view::Arguments),
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

/// Parses the arguments, runs the verb, and returns the exit status.
fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return print(&message),
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

/// Prints the help, the version, or why the arguments are refused.
fn print(message: &clap::Error) -> ExitCode {
    let output = Output::new(false, false);
    let done = message.print();
    if message.use_stderr() {
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
        Verb::View(arguments) => verbs::view::run(arguments, output),
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
