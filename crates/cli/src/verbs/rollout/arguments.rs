//! What a rollout is asked for.

use std::path::{Path, PathBuf};

use manyworlds::batch::Randomization;
use manyworlds::error::{Error, Result};
use manyworlds::files::{self, FileKind};

use super::record::RecordFile;
use crate::report::ReportArguments;
use crate::shared::arguments::BatchArguments;

/// At most so many steps are between readings of the clock where only checkpoints are taken.
const CHECKPOINT_STOPS: usize = 1000;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Model: MJCF, URDF, or compiled (.mwb); `-` for standard input.
    pub(super) model: PathBuf,
    /// Worlds that step together.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1)]
    pub(super) worlds: usize,
    /// Steps of each world.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1000)]
    pub(super) steps: usize,
    #[command(flatten)]
    pub(super) batch: BatchArguments,
    /// zero; hold: a constant of each world's own, uniform in 0.3 of the control range; noise: uniform in
    /// the control range, drawn anew every 10 steps; or a file with an array ctrl: [nu], [world, nu] or
    /// [frame, world, nu], the frames spread evenly over the steps.
    #[arg(long, default_value = "zero", value_name = "zero|hold|noise|FILE.npz")]
    pub(super) ctrl: String,
    /// Keyframe to start from, number or name; none: the initial state. Default: the first, if any.
    #[arg(long, allow_negative_numbers = true)]
    pub(super) keyframe: Option<String>,
    /// States to start from, as for eval: world w takes state w modulo their number. What the file lacks is as in the
    /// keyframe.
    #[arg(long, value_name = "FILE.npz")]
    pub(super) from: Option<PathBuf>,
    /// Fields that each world draws for itself before the first step, separated by commas: of the model, such as
    /// geom_friction, body_mass, actuator_gainprm, or qpos, qvel, act. FIELD=set|scale|add:LOW..HIGH is uniform,
    /// FIELD=…:log:LOW..HIGH has a uniform logarithm, FIELD=…:normal:MEAN:DEVIATION is normal. scale and add start from the
    /// model's values, scale with one number for each object; fields with the same @NAME behind them draw the same numbers.
    #[arg(long, value_delimiter = ',', value_name = "FIELD=HOW")]
    pub(super) randomize: Vec<Randomization>,
    /// Seed of the controls, and of what is drawn.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Steps before the measured ones.
    #[arg(long, default_value_t = 200)]
    pub(super) warmup: usize,
    /// Steps from one recorded frame to the next.
    #[arg(long, default_value_t = 1)]
    pub(super) every: usize,
    /// Data fields to record, separated by commas.
    #[arg(long, value_delimiter = ',', requires = "out")]
    pub(super) record: Vec<String>,
    /// File for the recorded fields, [frame, world, …], and time, [frame, world]: R.npz, or R/ for a folder of npy files.
    /// Frames are on disk as they come, in R.npz.parts until the end, or, with --checkpoint, for good; Ctrl-C keeps them.
    #[arg(long, requires = "record")]
    pub(super) out: Option<PathBuf>,
    /// File that keeps where the rollout stands, so that it can go on with the same bits.
    #[arg(long, value_name = "FILE.npz")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Steps from one checkpoint to the next; half a minute where not given.
    #[arg(long, requires = "checkpoint")]
    pub(super) checkpoint_every: Option<usize>,
    /// Goes on from the checkpoint, where there is one.
    #[arg(long, requires = "checkpoint")]
    pub(super) resume: bool,
    #[command(flatten)]
    pub(super) report: ReportArguments,
}

impl Arguments {
    /// Rejects numbers of steps that make no sense.
    pub(super) fn check(&self) -> Result<()> {
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

    /// Steps from one stop to the next; none where nothing is recorded or kept.
    pub(super) fn stops(&self) -> Result<Option<usize>> {
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
    pub(super) fn settings(&self) -> Vec<(&'static str, String)> {
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
    pub(super) fn fixed(&self) -> String {
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
pub(super) fn check_output(arguments: &Arguments) -> Result<()> {
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
