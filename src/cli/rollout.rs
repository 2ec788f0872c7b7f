//! `rollout`: steps worlds, measures the speed, records fields.

use std::path::{Path, PathBuf};
use std::time::Instant;

use manyworlds::batch::{self, Batch, Draw, Randomization};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::data::Data;
use manyworlds::schema::Field;
use serde::Serialize;

use super::drive::{ControlSchedule, ControlSource};
use super::eval::{open, squeeze};
use super::output::{Output, scaled};
use super::states;
use super::summary::{Measured, Summary};

/// Most bytes of all recorded fields.
const MAX_RECORD: u64 = 1 << 33;
/// Updates of the progress bar.
const TICKS: usize = 100;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    model: PathBuf,
    /// Worlds that step together.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1)]
    worlds: usize,
    /// Steps of each world.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1000)]
    steps: usize,
    #[command(flatten)]
    batch: super::BatchArguments,
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
    /// File for the recorded fields, [frame, world, …], and time, [frame, world].
    #[arg(long, requires = "record")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, output: &Output) -> Result<bool> {
    let begin = Instant::now();
    let model = super::load(&arguments.model, output)?;
    let load = begin.elapsed().as_secs_f64();
    let Arguments { worlds, steps, warmup, every, .. } = *arguments;
    if every == 0 || steps == 0 {
        return Err(Error::Argument("--every and --steps have to be at least 1".to_owned()));
    }
    if warmup.checked_add(steps).is_none() {
        return Err(Error::Argument("--warmup and --steps are too many together".to_owned()));
    }
    if let Some(out) = &arguments.out {
        if every > steps {
            let text = format!("--every {every} of {steps} steps records no frame; lower it");
            return Err(Error::Argument(text));
        }
        npz::check_target(out)?;
    }
    let source = ControlSource::parse(&arguments.ctrl, &model, worlds, steps)?;
    let key = super::keyframe(&model, arguments.keyframe.as_deref())?;
    let schedule = ControlSchedule { source, seed: arguments.seed, warmup, steps };
    let mut batch = open(&model, worlds, &arguments.batch.options()?, output)?;
    let mut record = Recording::new(&arguments.record, &batch, steps / every)?;
    batch.reset_all(key)?;
    if let Some(file) = &arguments.from {
        start_from(&mut batch, file)?;
    }
    let draw = Draw { seed: arguments.seed, ..Draw::default() };
    batch.randomize(&arguments.randomize, draw, &vec![true; worlds])?;
    warm(&mut batch, &schedule)?;
    let done = measure(&mut batch, &schedule, every, &mut record, output);
    let measured = match (done, &arguments.out) {
        (Err(error), Some(out)) => {
            return Err(save_partial_recording(error, &mut record, steps / every, out));
        }
        (done, _) => done?,
    };
    if let Some(out) = &arguments.out {
        npz::write(out, &record.arrays())?;
    }
    print(&batch, &measured, &record, load, output);
    Ok(true)
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
            batch.set(name, &all)?;
        }
    }
    Ok(())
}

/// Prepares the batch for stepping and runs the warm-up.
pub(super) fn warm(batch: &mut Batch, schedule: &ControlSchedule) -> Result<()> {
    batch.prepare()?;
    schedule.run(batch, (0, schedule.warmup), usize::MAX, |_, _| Ok(()))?;
    batch.wait()
}

/// Times the steps after the warm-up, until the device has finished.
pub(super) fn measure(
    batch: &mut Batch,
    schedule: &ControlSchedule,
    every: usize,
    record: &mut Recording,
    output: &Output,
) -> Result<Measured> {
    let (warmup, steps) = (schedule.warmup, schedule.steps);
    let bar = output.progress(steps);
    // without frames or a progress bar, all steps are submitted at once
    let stops = match (record.fields.is_empty(), bar.is_hidden()) {
        (false, _) => every,
        (true, false) => steps.div_ceil(TICKS),
        (true, true) => usize::MAX,
    };
    let begin = Instant::now();
    schedule.run(batch, (warmup, warmup + steps), stops, |batch, done| {
        bar.set_position(done as u64);
        record.take(batch)
    })?;
    batch.wait()?;
    let seconds = begin.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let contacts: f64 = batch.get("ncon")?.data.to_f64().iter().sum();
    Ok(Measured {
        steps,
        seconds,
        steps_per_second: batch.worlds() as f64 * steps as f64 / seconds,
        finite: batch.finite_share()?,
        contacts_mean: contacts / batch.worlds() as f64,
        status: batch.status_counts()?,
    })
}

/// Writes the frames recorded before an error, such as a lost device, and adds a note to the error.
fn save_partial_recording(error: Error, record: &mut Recording, all: usize, out: &Path) -> Error {
    let frames = record.frames;
    let saved = match frames {
        0 => "no frame was recorded".to_owned(),
        _ => match npz::write(out, &record.arrays()) {
            Ok(()) => format!("the first {frames} of {all} frames are in {}", out.display()),
            Err(why) => format!("{frames} of {all} frames could not be saved: {why}"),
        },
    };
    match error {
        Error::Device(text) => Error::Device(format!("{text}; {saved}")),
        other => other,
    }
}

/// Recorded frames.
#[derive(Default)]
pub(super) struct Recording {
    fields: Vec<(&'static Field, Option<Array>)>,
    frames: usize,
}

impl Recording {
    fn new(names: &[String], batch: &Batch, frames: usize) -> Result<Self> {
        let mut fields = Vec::new();
        let mut all_bytes = 0u64;
        // every record includes the time of each frame
        let time = (!names.is_empty()).then_some("time");
        for name in names.iter().map(String::as_str).filter(|n| *n != "time").chain(time) {
            let all = Data::<f64>::FIELDS;
            let field = all.iter().find(|f| f.name == name).ok_or_else(|| {
                let near = batch::suggest(name, all.iter().map(|f| f.name));
                Error::Argument(format!("--record names '{name}', which is no data field{near}"))
            })?;
            if fields.iter().any(|(known, _): &(&Field, _)| known.name == name) {
                return Err(Error::Argument(format!("--record names '{name}' twice")));
            }
            if !batch.has(name) {
                let text = format!("--record names '{name}', which the kernels of this model do not keep");
                return Err(Error::Argument(format!("{text}; record it with --backend cpu")));
            }
            let lengths = [frames, batch.worlds(), field.len(batch.sizes())];
            let bytes = lengths.iter().try_fold(8u64, |n, &x| n.checked_mul(x as u64));
            all_bytes = bytes.and_then(|n| n.checked_add(all_bytes)).unwrap_or(u64::MAX);
            if all_bytes > MAX_RECORD {
                let text = format!("{frames} frames of '{name}' make a record of more than 8 GiB");
                return Err(Error::Argument(format!("{text}; record less with --every")));
            }
            fields.push((field, None));
        }
        Ok(Self { fields, frames: 0 })
    }

    /// Adds a frame of all fields or, if one cannot be read, of none.
    fn take(&mut self, batch: &Batch) -> Result<()> {
        let read = |field: &'static Field| Ok(squeeze(batch.get(field.name)?, field));
        let frame = self.fields.iter().map(|(field, _)| read(field)).collect::<Result<Vec<_>>>()?;
        for ((_, all), frame) in self.fields.iter_mut().zip(frame) {
            match all {
                None => *all = Some(frame),
                Some(array) => append(&mut array.data, frame.data),
            }
        }
        self.frames += usize::from(!self.fields.is_empty());
        Ok(())
    }

    /// Every field with its frames as the first axis.
    fn arrays(&mut self) -> Vec<(String, Array)> {
        let frames = self.frames;
        let of = |(field, array): &mut (&'static Field, Option<Array>)| {
            // moved, not copied: frames may fill half of the memory
            array.take().map(|mut array| {
                array.shape.insert(0, frames);
                (field.name.to_owned(), array)
            })
        };
        self.fields.iter_mut().filter_map(of).collect()
    }
}

fn append(to: &mut ArrayData, from: ArrayData) {
    match (to, from) {
        (ArrayData::F64(to), ArrayData::F64(from)) => to.extend(from),
        (ArrayData::I32(to), ArrayData::I32(from)) => to.extend(from),
        _ => {}
    }
}

fn print(batch: &Batch, measured: &Measured, record: &Recording, load: f64, output: &Output) {
    let (worlds, timestep) = (batch.worlds(), batch.model().opt_timestep[0]);
    let realtime = measured.steps_per_second * timestep;
    let raised: Vec<String> =
        measured.status.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name} {n}")).collect();
    let status = if raised.is_empty() { "clean".to_owned() } else { raised.join(", ") };
    let line = |name: &str, value: String| output.text(format_args!("{name:<10} {value}"));
    line("device", format!("{}, {} precision", batch.device(), batch.precision()));
    line("worlds", format!("{worlds} of {:.1} KiB", batch.bytes_per_world() as f64 / 1024.0));
    line("built", cold_text(batch, load));
    line("stepped", format!("{} times in {:.3} s", measured.steps, measured.seconds));
    line("speed", format!("{}steps/s, {}x real time", scaled(measured.steps_per_second), scaled(realtime)));
    line("finite", format!("{:.1} % of worlds", 100.0 * measured.finite));
    line("contacts", format!("{:.2} per world", measured.contacts_mean));
    line("status", status);
    if record.frames > 0 {
        line("recorded", format!("{} frames", record.frames));
    }
    output.object(&Rollout {
        summary: Summary::new(batch, measured, load),
        realtime_factor: realtime,
        frames: record.frames,
    });
}

/// JSON object of a rollout.
#[derive(Serialize)]
struct Rollout<'a> {
    #[serde(flatten)]
    summary: Summary<&'a Measured>,
    realtime_factor: f64,
    frames: usize,
}

/// Cold-start times before the first step, as text.
pub(super) fn cold_text(batch: &Batch, load: f64) -> String {
    let cold = batch.cold_start();
    let parts = [("load", load)].into_iter().chain(cold.parts());
    // times that round to zero are left out
    let shown: Vec<String> =
        parts.filter(|p| p.1 >= 0.005).map(|(name, s)| format!("{name} {s:.2}")).collect();
    format!("{:.2} s: {}", load + cold.total(), shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds::batch::{Backend, BatchOptions};

    #[test]
    fn what_was_recorded_before_a_loss_is_saved() {
        let text = "<mujoco><worldbody><body><joint/><geom size='0.1'/></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).expect("a good model");
        let batch = Batch::new(&model, 2, &BatchOptions::on(Backend::Cpu)).expect("room for two worlds");
        let mut record = Recording::new(&["qpos".to_owned()], &batch, 5).expect("a field");
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("r.npz");
        let lost = || Error::Device("the device was lost".to_owned());
        // nothing to save
        let said = save_partial_recording(lost(), &mut record, 5, &out).to_string();
        assert!(said.contains("no frame") && !out.exists(), "{said}");
        for _ in 0..3 {
            record.take(&batch).expect("a frame");
        }
        let said = save_partial_recording(lost(), &mut record, 5, &out).to_string();
        assert!(said.contains("lost") && said.contains("the first 3 of 5 frames are in"), "{said}");
        let arrays = npz::read(&out).expect("readable");
        assert_eq!(arrays["qpos"].shape, [3, 2, 1]);
    }
}
