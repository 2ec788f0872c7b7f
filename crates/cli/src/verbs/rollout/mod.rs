//! `rollout`: steps worlds, measures the speed, records fields.

mod checkpoint;
mod record;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use manyworlds::batch::{Batch, Draw, Randomization};
use manyworlds::error::{Error, Result};
use manyworlds::files::{self, FileKind};
use serde::Serialize;

use crate::report::{self, Finals, ReportArguments, Samples};
use crate::shared::arguments::BatchArguments;
use crate::shared::drive::{ControlSchedule, ControlSource};
use crate::shared::input::{keyframe, load};
use crate::shared::interrupt::interrupts;
use crate::shared::measure::{cold_text, measure, warm};
use crate::shared::output::{Output, scaled};
use crate::shared::states;
use crate::shared::summary::{Measured, Summary};
use crate::shared::worlds::{open, report_slots};
use checkpoint::{Checkpoints, Standing};
use record::{RecordFile, Recording, fields_of};

/// Steps between readings of the clock where only checkpoints are taken.
const CHECKPOINT_STOPS: usize = 1000;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// Worlds that step together.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1)]
    worlds: usize,
    /// Steps of each world.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1000)]
    steps: usize,
    #[command(flatten)]
    batch: BatchArguments,
    /// zero; hold: a constant of each world's own, uniform in 0.3 of the control range; noise: uniform in
    /// the control range, drawn anew every 10 steps; or a file with an array ctrl: [nu], [world, nu] or
    /// [frame, world, nu], the frames spread evenly over the steps.
    #[arg(long, default_value = "zero", value_name = "zero|hold|noise|FILE.npz")]
    ctrl: String,
    /// Keyframe to start from, number or name; none: the initial state. Default: the first, if any.
    #[arg(long, allow_negative_numbers = true)]
    keyframe: Option<String>,
    /// States to start from, as for eval: world w takes state w modulo their number. What the file lacks is as in the
    /// keyframe.
    #[arg(long, value_name = "FILE.npz")]
    from: Option<PathBuf>,
    /// Fields that each world draws for itself before the first step, separated by commas: of the model, such as
    /// geom_friction, body_mass, actuator_gainprm, or qpos, qvel, act. FIELD=set|scale|add:LOW..HIGH is uniform,
    /// FIELD=…:log:LOW..HIGH has a uniform logarithm, FIELD=…:normal:MEAN:DEVIATION is normal. scale and add start from the
    /// model's values, scale with one number for each object; fields with the same @NAME behind them draw the same numbers.
    #[arg(long, value_delimiter = ',', value_name = "FIELD=HOW")]
    randomize: Vec<Randomization>,
    /// Seed of the controls, and of what is drawn.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Steps before the measured ones.
    #[arg(long, default_value_t = 200)]
    warmup: usize,
    /// Steps from one recorded frame to the next.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Data fields to record, separated by commas.
    #[arg(long, value_delimiter = ',', requires = "out")]
    record: Vec<String>,
    /// File for the recorded fields, [frame, world, …], and time, [frame, world]: R.npz, or R/ for a folder of npy files.
    /// Frames are on disk as they come, in R.npz.parts until the end, or, with --checkpoint, for good; Ctrl-C keeps them.
    #[arg(long, requires = "record")]
    out: Option<PathBuf>,
    /// File that keeps where the rollout stands, so that it can go on with the same bits.
    #[arg(long, value_name = "FILE.npz")]
    checkpoint: Option<PathBuf>,
    /// Steps from one checkpoint to the next; half a minute where not given.
    #[arg(long, requires = "checkpoint")]
    checkpoint_every: Option<usize>,
    /// Goes on from the checkpoint, where there is one.
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    #[command(flatten)]
    report: ReportArguments,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    check_output(arguments)?;
    let begin = Instant::now();
    let target = arguments.out.as_deref().map(RecordFile::of).transpose()?;
    let model = load(&arguments.model, output)?;
    let load = begin.elapsed().as_secs_f64();
    arguments.check()?;
    let Arguments { worlds, steps, warmup, every, .. } = *arguments;
    let stops = arguments.stops()?;
    let source = ControlSource::parse(&arguments.ctrl, &model, worlds, steps)?;
    let key = keyframe(&model, arguments.keyframe.as_deref())?;
    let schedule = ControlSchedule { source, seed: arguments.seed, warmup, steps };
    let mut batch = open(&model, worlds, &arguments.batch.options(&model)?, output)?;
    let fields = target.as_ref().map(|_| fields_of(&arguments.record, &batch)).transpose()?;
    let checkpoints = arguments
        .checkpoint
        .as_deref()
        .map(|file| Checkpoints::new(file, arguments.checkpoint_every, arguments.fixed()));
    let standing = arguments.start(&mut batch, checkpoints.as_ref(), &schedule, key)?;
    let first = standing.as_ref().map_or(0, |s| s.step);
    let frames = standing.as_ref().map(|s| s.frames);
    let record = match (target, &fields) {
        (Some(target), Some(fields)) => Some(Recording::open(target, fields, &batch, frames)?),
        _ => None,
    };
    // a report reads the worlds at stops, on the way to others or at its own
    let recorded = fields.as_deref().unwrap_or_default();
    let samples = match arguments.report.is_given() {
        true => Some(Samples::new(&mut batch, first, steps, stops.unwrap_or(1), recorded)?),
        false => None,
    };
    let stops = stops.or(samples.as_ref().map(|_| report::interval(steps)));
    // Ctrl-C ends a rollout between steps if there is something to keep
    let ended = stops.map(|_| interrupts());
    let mut course = Course { every, steps, record, samples, checkpoints, ended, reached: first };
    let done =
        measure(&mut batch, &schedule, first, stops, &mut |batch, step| course.stop(batch, step), output);
    let measured = course.end(done)?;
    let is_whole = course.reached == steps || stops.is_none();
    report_slots(&mut batch, output)?;
    let frames = course.record.as_ref().map_or(0, Recording::frames);
    let rollout = Rollout {
        summary: Summary::new(&batch, &measured, load),
        realtime_factor: measured.steps_per_second * batch.model().opt_timestep[0],
        frames,
        interrupted: !is_whole,
        report_seconds: course.samples.as_ref().map(|samples| samples.seconds),
    };
    arguments.write_report(&rollout, &mut batch, course.samples.as_ref())?;
    print(&batch, &rollout, load, output);
    if !is_whole {
        let reached = course.reached;
        output.notice(format_args!(
            "interrupted after {reached} of {steps} steps, with {frames} frames recorded"
        ));
    }
    Ok(is_whole)
}

/// A rollout on its way: at stops, frames are recorded, samples taken and checkpoints written.
struct Course {
    /// Steps from one frame to the next, and all of them.
    every: usize,
    steps: usize,
    record: Option<Recording>,
    samples: Option<Samples>,
    checkpoints: Option<Checkpoints>,
    /// True once Ctrl-C was pressed, where there is something to keep.
    ended: Option<Arc<AtomicBool>>,
    /// Steps so far.
    reached: usize,
}

impl Course {
    /// Stops after some steps.
    fn stop(&mut self, batch: &mut Batch, step: usize) -> Result<ControlFlow<()>> {
        self.reached = step;
        if let Some(record) = self.record.as_mut().filter(|_| step.is_multiple_of(self.every)) {
            record.take(batch)?;
        }
        let ends = self.ended.as_ref().is_some_and(|ended| ended.load(Ordering::Relaxed));
        if let Some(samples) = &mut self.samples {
            samples.take(batch, step, ends || step == self.steps)?;
        }
        if let Some(checkpoints) = &mut self.checkpoints
            && (ends || step == self.steps || checkpoints.is_due(step))
        {
            // what it counts is on the disk before
            self.record.as_mut().map(Recording::flush).transpose()?;
            checkpoints.take(batch, step, self.record.as_ref().map_or(0, Recording::frames))?;
        }
        Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Closes the record; of a rollout that has failed, keeps what was recorded until then.
    fn end(&mut self, done: Result<Measured>) -> Result<Measured> {
        let goes_on = self.checkpoints.is_some();
        let measured = match (done, &mut self.record) {
            (Err(error), Some(record)) => {
                return Err(record.rescue(error, self.steps / self.every, goes_on));
            }
            (done, _) => done?,
        };
        if let Some(record) = &mut self.record {
            record.finish(goes_on)?;
        }
        Ok(measured)
    }
}

impl Arguments {
    /// Rejects numbers of steps that make no sense.
    fn check(&self) -> Result<()> {
        let Self { steps, warmup, every, .. } = *self;
        if every == 0 || steps == 0 {
            return Err(Error::Argument("--every and --steps have to be at least 1".to_owned()));
        }
        if warmup.checked_add(steps).is_none() {
            return Err(Error::Argument("--warmup and --steps are too many together".to_owned()));
        }
        if self.out.is_some() && every > steps {
            let text = format!("--every {every} of {steps} steps records no frame; lower it");
            return Err(Error::Argument(text));
        }
        Ok(())
    }

    /// Brings the worlds to where the rollout begins, or to where it was interrupted, which is returned.
    fn start(
        &self,
        batch: &mut Batch,
        checkpoints: Option<&Checkpoints>,
        schedule: &ControlSchedule,
        key: Option<usize>,
    ) -> Result<Option<Standing>> {
        let standing = match checkpoints {
            Some(checkpoints) if self.resume => checkpoints.read()?,
            _ => None,
        };
        let Some(standing) = standing else {
            // an old one belongs to frames that are about to be lost
            if let Some(file) = self.checkpoint.as_deref().filter(|file| file.exists()) {
                std::fs::remove_file(file).map_err(|e| Error::io_from(file.to_owned(), "", e))?;
            }
            batch.reset(.., key)?;
            if let Some(file) = &self.from {
                start_from(batch, file)?;
            }
            let draw = Draw { seed: self.seed, ..Draw::default() };
            batch.randomize(&self.randomize, draw, ..)?;
            warm(batch, schedule)?;
            return Ok(None);
        };
        standing.restore(batch)?;
        batch.prepare()?;
        let (first, steps) = (standing.step, self.steps);
        if first > steps {
            let text = format!("the checkpoint was taken after {first} steps; give --steps {first} or more");
            return Err(Error::Argument(text));
        }
        Ok(Some(standing))
    }

    /// Writes the report, if one is wanted.
    fn write_report(
        &self,
        rollout: &Rollout<'_>,
        batch: &mut Batch,
        samples: Option<&Samples>,
    ) -> Result<()> {
        let Some(samples) = samples else { return Ok(()) };
        let finals = Finals::read(batch)?;
        let steps = report::Steps {
            model: &self.model,
            summary: &rollout.summary,
            realtime: rollout.realtime_factor,
            wanted: rollout.interrupted.then_some(self.steps),
            settings: self.settings(),
        };
        self.report.write(|| report::of_rollout(&steps, batch, samples, &finals))
    }

    /// Steps from one stop to the next; none where nothing is recorded or kept.
    fn stops(&self) -> Result<Option<usize>> {
        if self.checkpoint_every == Some(0) {
            return Err(Error::Argument("--checkpoint-every has to be at least 1".to_owned()));
        }
        Ok(match (&self.out, &self.checkpoint, self.checkpoint_every) {
            (Some(_), _, None) => Some(self.every),
            (Some(_), _, Some(n)) if n.is_multiple_of(self.every) => Some(self.every),
            (Some(_), _, Some(n)) => {
                let text = format!("--checkpoint-every {n} is no multiple of --every {}", self.every);
                return Err(Error::Argument(text));
            }
            (None, Some(_), n) => Some(n.unwrap_or(CHECKPOINT_STOPS)),
            (None, None, _) => None,
        })
    }

    /// What was asked for, in words for a report.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let Self { warmup, seed, ctrl, every, .. } = self;
        let mut settings = vec![
            ("warm-up", format!("{warmup} steps")),
            ("controls", ctrl.clone()),
            ("seed", seed.to_string()),
        ];
        if let Some(key) = &self.keyframe {
            settings.push(("keyframe", key.clone()));
        }
        if let Some(file) = &self.from {
            settings.push(("states", file.display().to_string()));
        }
        if let Some(out) = &self.out {
            settings.push((
                "recording",
                format!("{}, every {every} steps: {}", out.display(), self.record.join(", ")),
            ));
        }
        if !self.randomize.is_empty() {
            let fields: Vec<&str> = self.randomize.iter().map(|r| r.field.as_str()).collect();
            settings.push(("drawn by each world", fields.join(", ")));
        }
        settings
    }

    /// Options that stay the same when a rollout goes on.
    fn fixed(&self) -> String {
        let Self { worlds, warmup, every, seed, ctrl, .. } = self;
        let mut text = format!("worlds {worlds}, warmup {warmup}, every {every}, seed {seed}, ctrl {ctrl}");
        // frames of controls are spread over the steps
        if ctrl.ends_with(".npz") {
            text += &format!(", steps {}", self.steps);
        }
        if self.out.is_some() {
            text += &format!(", record {}", self.record.join(" "));
        }
        text
    }
}

/// Checks that the record and the checkpoint replace neither an input nor a file of another kind.
fn check_output(arguments: &Arguments) -> Result<()> {
    let ctrl = Path::new(&arguments.ctrl);
    let inputs = [Some(arguments.model.as_path()), Some(ctrl), arguments.from.as_deref()];
    let mut inputs: Vec<&Path> = inputs.into_iter().flatten().collect();
    if let Some(out) = &arguments.out {
        if let RecordFile::Npz(file) = RecordFile::of(out)? {
            files::check_output(&file, FileKind::NPZ, &inputs)?;
        }
        inputs.push(out);
    }
    arguments.report.check(&inputs)?;
    match &arguments.checkpoint {
        Some(file) => files::check_output(file, FileKind::NPZ, &inputs),
        None => Ok(()),
    }
}

/// Starts the worlds from the states of a file, in turns.
fn start_from(batch: &mut Batch, file: &Path) -> Result<()> {
    let (count, states) = states::read(batch.model(), file)?;
    if states.contains_key("qacc") {
        let text = format!("{}: array 'qacc' is no state to start from; it is for eval", file.display());
        return Err(Error::Argument(text));
    }
    for (name, values) in states {
        let rows = values.chunks((values.len() / count).max(1)).cycle();
        let all: Vec<f64> = rows.take(batch.worlds()).flatten().copied().collect();
        if !all.is_empty() {
            batch.set(name, .., &all)?;
        }
    }
    Ok(())
}

fn print(batch: &Batch, rollout: &Rollout<'_>, load: f64, output: &Output) {
    let measured = rollout.summary.measured;
    let raised: Vec<String> =
        measured.status.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name} {n}")).collect();
    let status = if raised.is_empty() { "clean".to_owned() } else { raised.join(", ") };
    let (speed, realtime) = (scaled(measured.steps_per_second), scaled(rollout.realtime_factor));
    let line = |name: &str, value: String| output.text(format_args!("{name:<10} {value}"));
    line("device", format!("{}, {} precision", batch.device(), batch.precision()));
    line("worlds", format!("{} of {:.1} KiB", batch.worlds(), batch.bytes_per_world() as f64 / 1024.0));
    line("built", cold_text(batch, load));
    line("stepped", format!("{} times in {:.3} s", measured.steps, measured.seconds));
    line("speed", format!("{speed}steps/s, {realtime}x real time"));
    line("finite", format!("{:.1} % of worlds", 100.0 * measured.finite));
    line("contacts", format!("{:.2} per world", measured.contacts_mean));
    line("status", status);
    if rollout.frames > 0 {
        line("recorded", format!("{} frames", rollout.frames));
    }
    if let Some(seconds) = rollout.report_seconds {
        line("report", format!("read the worlds in {seconds:.3} s of these"));
    }
    output.object(rollout);
}

/// JSON object of a rollout.
#[derive(Serialize)]
struct Rollout<'a> {
    #[serde(flatten)]
    summary: Summary<&'a Measured>,
    realtime_factor: f64,
    frames: u64,
    interrupted: bool,
    /// Seconds of reading for a report, part of `seconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    report_seconds: Option<f64>,
}
