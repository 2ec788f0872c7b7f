//! `rollout`: steps worlds, measures the speed, records fields.

mod arguments;
mod checkpoint;
mod course;
mod record;

use std::path::Path;
use std::time::Instant;

use manyworlds::batch::{Batch, Draw};
use manyworlds::error::{Error, Result};
use serde::Serialize;

use crate::report::{self, Finals, Samples};
use crate::shared::drive::{ControlSchedule, ControlSource};
use crate::shared::input::{keyframe, load};
use crate::shared::interrupt::interrupts;
use crate::shared::measure::{cold_text, measure, warm};
use crate::shared::output::{Output, scaled};
use crate::shared::states;
use crate::shared::summary::{Measured, Summary};
use crate::shared::worlds::{open, report_slots};
pub(crate) use arguments::Arguments;
use arguments::check_output;
use checkpoint::{Checkpoints, Standing};
use course::Course;
use record::{RecordFile, Recording, fields_of};

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

impl Arguments {
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
