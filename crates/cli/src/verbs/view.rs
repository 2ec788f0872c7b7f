//! `view`: a window in which a model moves.

use std::path::PathBuf;

use manyworlds::batch::{self, Backend, BatchOptions};
use manyworlds::error::{Error, Result};
use manyworlds::gpu::Gpu;
use manyworlds::model::Model;
use manyworlds::model::task::Task;
use manyworlds_control::planning::objective::Objective;
use manyworlds_render::Camera;
use manyworlds_render::interaction::Clock;
use serde::Serialize;

use crate::shared::arguments::BatchArguments;
use crate::shared::input::{is_stdin, keyframe, load};
use crate::shared::output::Output;
use crate::view::{App, ModelFiles, Mpc, Session, open};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model, or task: a model whose user sensors are costs.
    model: PathBuf,
    /// Task of reinforcement learning, as JSON: worlds are its environments, under actions of the panels.
    #[arg(long, value_name = "TASK.json")]
    task: Option<PathBuf>,
    /// Number of worlds.
    #[arg(long, default_value_t = 1)]
    worlds: usize,
    /// Keyframe at which worlds begin, by name or number, or `none`.
    #[arg(long)]
    keyframe: Option<String>,
    /// Camera: a name or number of the model's, free, track or track:BODY.
    #[arg(long)]
    camera: Option<String>,
    /// Size of the window, WIDTHxHEIGHT in points.
    #[arg(long, default_value = "1280x800")]
    size: String,
    /// Simulated seconds a second.
    #[arg(long)]
    speed: Option<f64>,
    /// Standard deviation of noise on the controls, in half ranges.
    #[arg(long, default_value_t = 0.0)]
    noise: f64,
    /// Begins paused.
    #[arg(long)]
    paused: bool,
    /// Moves a task under its own controls, without the planner.
    #[arg(long)]
    no_plan: bool,
    /// Folder for pictures that Ctrl P takes.
    #[arg(long, default_value = ".")]
    pictures: PathBuf,
    #[command(flatten)]
    batch: BatchArguments,
}

/// JSON object of what was done in the window.
#[derive(Serialize)]
struct Viewed {
    time: f64,
    steps: u64,
    resets: u64,
    worlds: usize,
    world: usize,
    selected: usize,
    device: String,
    adapter: String,
    pictures_per_second: f64,
    pictures: usize,
    plans: u64,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let mut model = load(&arguments.model, output)?;
    if let Some(path) = &arguments.task {
        let fail = |e: std::io::Error| Error::io_from(path.clone(), "", e);
        model.set_task(&Task::from_json(&std::fs::read_to_string(path).map_err(fail)?)?)?;
    }
    // bad arguments are refused before a window opens
    batch::supported(&model)?;
    let size = parse_size(&arguments.size)?;
    let key = keyframe(&model, Some(arguments.keyframe.as_deref().unwrap_or("none")))?;
    let key = if arguments.keyframe.is_none() && is_task(&model) { keyframe(&model, None)? } else { key };
    let camera = match &arguments.camera {
        Some(word) => Camera::parse(word, &model)?,
        None => Camera::initial(&model),
    };
    if arguments.worlds == 0 {
        return Err(Error::Argument("--worlds has to be at least 1".to_owned()));
    }
    if arguments.speed.is_some_and(|s| !(s > 0.0 && s.is_finite())) {
        return Err(Error::Argument("--speed has to be above 0".to_owned()));
    }
    if !(arguments.noise >= 0.0 && arguments.noise.is_finite()) {
        return Err(Error::Argument("--noise has to be at least 0".to_owned()));
    }
    if is_task(&model) {
        Objective::of_model(&model)?;
    }
    if !arguments.pictures.is_dir() {
        let path = arguments.pictures.clone();
        return Err(Error::io(path, "there is no such folder for pictures"));
    }
    let options = arguments.batch.options(&model)?;
    let source = if is_stdin(&arguments.model) { None } else { Some(ModelFiles::new(&arguments.model)) };
    let title = title(arguments, &model);
    let mut start = |gpu: &Gpu| {
        let stepped = on_device(&options, gpu, arguments.worlds);
        let mut session = Session::new(&model, source.clone(), arguments.worlds, &stepped, key)?;
        if let Some(speed) = arguments.speed {
            session.clock = Clock::near(speed);
        }
        session.noise.scale = arguments.noise;
        session.pause(arguments.paused);
        if is_task(&model) {
            let mut mpc = Mpc::new(&model, &for_planner(&options, gpu))?;
            mpc.set_on(!arguments.no_plan);
            session.mpc = Some(mpc);
        }
        Ok(App::new(session, camera, arguments.pictures.clone()))
    };
    let app = open(&title, size, &mut start)?;
    print(&app, output);
    Ok(true)
}

/// True for a model whose user sensors are costs, or whose numerics are settings of a planner.
fn is_task(model: &Model) -> bool {
    let says_so = |name: &String| name.starts_with("agent_");
    Objective::of_model(model).is_ok() || model.names.numeric.iter().any(says_so)
}

/// Options of the worlds: on the device of the window, or, for a single world, on the CPU, where it steps faster.
fn on_device(options: &BatchOptions, gpu: &Gpu, worlds: usize) -> BatchOptions {
    let backend = match options.backend {
        Backend::Auto if worlds == 1 || gpu.adapter().software => Backend::Cpu,
        backend => backend,
    };
    BatchOptions { backend, device: Some(gpu.clone()), ..options.clone() }
}

/// Options of the candidates of a plan: as many worlds as they are, on a GPU, where there is one.
fn for_planner(options: &BatchOptions, gpu: &Gpu) -> BatchOptions {
    on_device(options, gpu, usize::MAX)
}

fn parse_size(text: &str) -> Result<[u32; 2]> {
    let parts = text.split_once('x').map(|(w, h)| (w.trim().parse(), h.trim().parse()));
    match parts {
        Some((Ok(width), Ok(height))) if (1..=16384).contains(&width) && (1..=16384).contains(&height) => {
            Ok([width, height])
        }
        _ => Err(Error::Argument(format!("--size {text}: write WIDTHxHEIGHT, as 1280x800"))),
    }
}

fn title(arguments: &Arguments, model: &Model) -> String {
    let file = arguments.model.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let worlds = if arguments.worlds > 1 { format!(", {} worlds", arguments.worlds) } else { String::new() };
    let task = if is_task(model) { ", task" } else { "" };
    format!("manyworlds: {file}{task}{worlds}")
}

/// What was done in the window.
fn print(app: &App, output: &Output) {
    let session = &app.session;
    let viewed = Viewed {
        time: session.data().time[0],
        steps: session.steps(),
        resets: session.resets(),
        worlds: session.worlds(),
        world: session.chosen(),
        selected: session.pull.perturb.body,
        device: session.device(),
        adapter: app.adapter.clone(),
        pictures_per_second: app.rate,
        pictures: app.shots,
        plans: session.mpc.as_ref().map_or(0, |mpc| mpc.iteration().1),
    };
    output.object(&viewed);
}
