//! `plan`: a motion under model-predictive control, from a task file.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use manyworlds::batch::{Backend, BatchOptions};
use manyworlds::error::{Error, Result};
use manyworlds::files::{self, FileKind};
use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds_control::planning::closed_loop::{ClosedLoop, Lag, LoopOptions, Push, Record, recorded};
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::planner::Planner;
use manyworlds_control::planning::settings::{PlannerKind, Settings};
use manyworlds_control::planning::state::State;

use crate::report::{self, PlannedMotion, ReportArguments};
use crate::shared::arguments::BatchArguments;
use crate::shared::input::{keyframe, load};
use crate::shared::interrupt::interrupts;
use crate::shared::output::Output;
use crate::shared::planned::Planned;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Task: a model whose user sensors are costs.
    model: PathBuf,
    /// Planner; that of the task where not given.
    #[arg(long, value_name = "ilqg|sampling|mppi|cem")]
    planner: Option<PlannerKind>,
    /// Time of the motion in s; that of the task where not given.
    #[arg(long)]
    seconds: Option<f64>,
    /// Length of a plan in s.
    #[arg(long)]
    horizon: Option<f64>,
    /// Time step of the model that plans, in s.
    #[arg(long)]
    timestep: Option<f64>,
    /// Time from one iteration of the planner to the next, in s.
    #[arg(long)]
    interval: Option<f64>,
    /// Iterations before the motion begins.
    #[arg(long)]
    iterations: Option<usize>,
    /// Candidates of a sampling planner.
    #[arg(long)]
    candidates: Option<usize>,
    /// Time after which a plan is in force, in s; the interval where not given. Runs have the same bits every time.
    #[arg(long)]
    lag: Option<f64>,
    /// Plans while the plant moves, on a thread of its own; the plant so many times slower than real time.
    #[arg(long, value_name = "SLOWDOWN", num_args = 0..=1, default_missing_value = "1", conflicts_with = "lag")]
    real: Option<f64>,
    /// Standard deviation of noise on the controls, in half ranges.
    #[arg(long, default_value_t = 0.0)]
    control_noise: f64,
    /// Standard deviation of noise on the state that the planner sees, in m, rad, m/s, rad/s.
    #[arg(long, default_value_t = 0.0)]
    state_noise: f64,
    /// Pushes, BODY@TIME:DURATION=FX:FY:FZ in s and N.
    #[arg(long = "push", value_delimiter = ',', allow_hyphen_values = true)]
    pushes: Vec<PushWords>,
    /// Keyframe at which the motion begins, by name or number, or `none`; the first where there is one.
    #[arg(long)]
    keyframe: Option<String>,
    /// Seed of the draws and of the noise.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// File for the motion: time, qpos, qvel, act, ctrl, sensordata [frame, world, …], cost [frame, world], and what each
    /// iteration has done, plan_*.
    #[arg(long)]
    out: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArguments,
    #[command(flatten)]
    batch: BatchArguments,
}

/// A push with the name of its body.
#[derive(Clone, Debug)]
pub(super) struct PushWords {
    body: String,
    numbers: [f64; 5],
}

impl FromStr for PushWords {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || Error::Argument(format!("'{text}' is no push: write BODY@TIME:DURATION=FX:FY:FZ"));
        let (body, rest) = text.rsplit_once('@').ok_or_else(refused)?;
        let (when, force) = rest.split_once('=').ok_or_else(refused)?;
        let words = when.split(':').chain(force.split(':'));
        let numbers =
            words.map(|word| word.trim().parse().map_err(|_| refused())).collect::<Result<Vec<f64>>>()?;
        Ok(Self { body: body.to_owned(), numbers: numbers.try_into().map_err(|_| refused())? })
    }
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    if let Some(out) = &arguments.out {
        files::check_output(out, FileKind::NPZ, &[&arguments.model])?;
    }
    arguments.report.check(&[&arguments.model])?;
    let model = load(&arguments.model, output)?;
    let settings = arguments.settings(&model)?;
    let options = arguments.loop_options(&model, &settings)?;
    let objective = Objective::of_model(&model)?;
    let key = keyframe(&model, arguments.keyframe.as_deref())?;
    let start = State::initial(&model, key);
    let mut planner =
        settings.planner(&model, &objective, arguments.seed, &arguments.batch.options(&model)?)?;
    let mut plant = ClosedLoop::new(&model, &objective, &start, &BatchOptions::on(Backend::Cpu))?;
    let record = watched(&mut plant, planner.as_mut(), &options, output)?;
    if let Some(out) = &arguments.out {
        npz::write(out, &arrays(&record, &model))?;
    }
    let planned = Planned::of(&record, planner.as_ref(), &settings, &options);
    arguments.report.write(|| {
        report::of_plan(&PlannedMotion {
            file: &arguments.model,
            model: &model,
            objective: &objective,
            record: &record,
            settings: &settings,
            options: &options,
            figures: &planned,
        })
    })?;
    print(&planned, &settings, output);
    Ok(record.success.is_some() || !record.has_goal)
}

/// Runs the loop with a live line; Ctrl-C ends the motion early.
fn watched(
    plant: &mut ClosedLoop,
    planner: &mut dyn Planner,
    options: &LoopOptions,
    output: &Output,
) -> Result<Record> {
    let ended = interrupts();
    let line =
        if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        line.set_style(style);
    }
    let begin = Instant::now();
    let record = plant.run(planner, options, &mut |moment| {
        let (iteration, wall) = (moment.iteration, begin.elapsed().as_secs_f64());
        line.set_message(format!(
            "{:.2} of {:.2} s, cost {:.4}, plan {:.4}, iteration {} in {:.1} ms, {:.2}x real time",
            moment.time,
            options.seconds,
            moment.cost,
            iteration.after,
            moment.iterations,
            1e3 * iteration.total(),
            moment.time / wall,
        ));
        line.tick();
        if ended.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    line.finish_and_clear();
    if ended.load(Ordering::Relaxed) {
        output.notice("interrupted; what was recorded until then is kept");
    }
    record
}

impl Arguments {
    /// Settings of the task, and those given instead.
    fn settings(&self, model: &Model) -> Result<Settings> {
        let mut settings = Settings::of_model(model)?;
        // an iteration a step, where the task does not say otherwise
        let interval = self.timestep.filter(|_| model.numeric("agent_interval").is_none());
        let times = [
            (&mut settings.horizon, self.horizon),
            (&mut settings.interval, self.interval.or(interval)),
            (&mut settings.timestep, self.timestep),
            (&mut settings.seconds, self.seconds),
        ];
        times.into_iter().for_each(|(to, given)| *to = given.unwrap_or(*to));
        settings.planner = self.planner.unwrap_or(settings.planner);
        settings.iterations = self.iterations.unwrap_or(settings.iterations);
        settings.candidates = self.candidates.unwrap_or(settings.candidates);
        settings.check()?;
        Ok(settings)
    }

    fn loop_options(&self, model: &Model, settings: &Settings) -> Result<LoopOptions> {
        let push = |words: &PushWords| {
            let [time, duration, x, y, z] = words.numbers;
            Ok(Push { body: model.id(Kind::Body, &words.body)?, time, duration, force: [x, y, z] })
        };
        Ok(LoopOptions {
            lag: match self.real {
                Some(slowdown) => Lag::Real { slowdown },
                None => Lag::Simulated(self.lag.unwrap_or(settings.interval)),
            },
            iterations: settings.iterations,
            control_noise: self.control_noise,
            state_noise: self.state_noise,
            pushes: self.pushes.iter().map(push).collect::<Result<_>>()?,
            seed: self.seed,
            ..LoopOptions::new(settings.seconds, settings.interval)
        })
    }
}

/// What is recorded: fields of one world, costs, and iterations.
fn arrays(record: &Record, model: &Model) -> Vec<(String, Array)> {
    let array = |shape: Vec<usize>, data: Vec<f64>| Array { shape, data: ArrayData::F64(data) };
    let axes = |name: &str| recorded().find(|f| f.name == name).map(|f| f.axes(&model.sizes));
    let mut all = Vec::new();
    for (name, values) in &record.fields {
        let mut shape = vec![record.steps, 1];
        shape.extend(axes(name).unwrap_or_default());
        all.push(((*name).to_owned(), array(shape, values.clone())));
    }
    all.push(("cost".to_owned(), array(vec![record.steps, 1], record.cost.clone())));
    let count = record.iterations.len();
    let of = |get: &dyn Fn(usize) -> f64| array(vec![count], (0..count).map(get).collect());
    let each = &record.iterations;
    all.push(("plan_time".to_owned(), of(&|k| record.times[k])));
    all.push(("plan_before".to_owned(), of(&|k| each[k].before)));
    all.push(("plan_after".to_owned(), of(&|k| each[k].after)));
    all.push(("plan_step".to_owned(), of(&|k| each[k].step)));
    all.push(("plan_regularization".to_owned(), of(&|k| each[k].regularization)));
    for (name, _) in each.first().map_or(&[][..], |first| first.seconds.as_slice()) {
        let own = |k: usize| each[k].seconds.iter().find(|(n, _)| n == name).map_or(0.0, |(_, s)| *s);
        all.push((format!("plan_seconds_{name}"), of(&own)));
    }
    all
}

fn print(planned: &Planned, settings: &Settings, output: &Output) {
    let Planned { seconds, steps, cost, .. } = planned;
    let line = |name: &str, value: String| output.text(format_args!("{name:<10} {value}"));
    let parts: Vec<String> =
        planned.phases.iter().map(|(name, s)| format!("{name} {:.2}", 1e3 * s)).collect();
    let mean = 1e3 * planned.iteration_seconds;
    line("planner", format!("{}, {}", planned.planner, planned.device));
    line("plan", format!("{} steps of {} s", settings.steps(), settings.timestep));
    line("motion", format!("{steps} steps, {seconds:.3} s, mean cost {cost:.4}"));
    line("iterations", format!("{}, {mean:.2} ms: {}", planned.iterations, parts.join(", ")));
    line("real time", format!("{:.2}x", planned.realtime_factor));
    match (planned.success, planned.success_since) {
        (Some(true), Some(since)) => line("success", format!("since {since:.3} s")),
        (Some(_), _) => line("success", "no".to_owned()),
        _ => {}
    }
    if let Some(notice) = &planned.notice {
        output.notice(notice);
    }
    output.object(planned);
}
