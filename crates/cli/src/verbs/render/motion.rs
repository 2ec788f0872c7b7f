//! What a film shows: a simulation, or states from a file.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use manyworlds::batch::{Batch, Draw};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz;
use manyworlds::model::Model;
use manyworlds::model::data::Data;

use super::arguments::Arguments;
use crate::shared::drive::{ControlSchedule, ControlSource};
use crate::shared::input::keyframe;
use crate::shared::output::Output;
use crate::shared::worlds::open;
use manyworlds::model::state::names;
use manyworlds::schema::Role;

/// States that are taken from a file, where it has them.
const STATES: &[Role] = &[Role::Motion, Role::Control, Role::Scene, Role::Force];

/// Arrays by field.
type States = BTreeMap<&'static str, Vec<f64>>;

/// Worlds that move from one frame to the next.
pub(super) struct Motion {
    batch: Batch,
    frames: usize,
    next: usize,
    kind: Kind,
}

enum Kind {
    /// Stepped, with so many frames a second.
    Simulated { schedule: ControlSchedule, fps: f64, step: usize },
    /// Arrays by field, `[frame, world, …]`.
    Recorded(States),
}

impl Motion {
    /// The motion that the arguments ask for.
    ///
    /// # Errors
    /// For states or controls that do not fit the model, or a batch that cannot be made.
    pub(super) fn new(arguments: &Arguments, model: &Model, output: &Output) -> Result<Self> {
        if let Some(path) = &arguments.states {
            let (frames, worlds, states) = recorded(model, path)?;
            if arguments.worlds != 1 && arguments.worlds != worlds {
                let text = format!("{}: has {worlds} worlds, not {}", path.display(), arguments.worlds);
                return Err(Error::Argument(text));
            }
            let batch = open(model, worlds, &arguments.batch.options(model)?, output)?;
            return Ok(Self { batch, frames, next: 0, kind: Kind::Recorded(states) });
        }
        let key = keyframe(model, arguments.keyframe.as_deref())?;
        let steps = (arguments.duration / model.opt_timestep[0]).round() as usize;
        let source = ControlSource::parse(&arguments.ctrl, model, arguments.worlds, steps.max(1))?;
        let schedule = ControlSchedule { source, seed: arguments.seed, warmup: 0, steps };
        let mut batch = open(model, arguments.worlds, &arguments.batch.options(model)?, output)?;
        batch.reset(.., key)?;
        let draw = Draw { seed: arguments.seed, ..Draw::default() };
        batch.randomize(&arguments.randomize, draw, ..)?;
        let frames = 1 + (arguments.duration * arguments.fps + 1e-9).floor() as usize;
        let kind = Kind::Simulated { schedule, fps: arguments.fps, step: 0 };
        Ok(Self { batch, frames, next: 0, kind })
    }

    /// Number of frames.
    pub(super) fn frames(&self) -> usize {
        self.frames
    }

    /// The worlds.
    pub(super) fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Moves the worlds to the next frame, with all that follows from their state; false after the last.
    ///
    /// # Errors
    /// If the device is lost.
    pub(super) fn next(&mut self) -> Result<bool> {
        if self.next == self.frames {
            return Ok(false);
        }
        match &mut self.kind {
            Kind::Simulated { schedule, fps, step } => {
                let time = self.next as f64 / *fps;
                let to = ((time / self.batch.model().opt_timestep[0]).round() as usize).min(schedule.steps);
                *step = schedule.run(&mut self.batch, (*step, to), (usize::MAX, false), |_, _| {
                    Ok(ControlFlow::Continue(()))
                })?;
            }
            Kind::Recorded(states) => {
                for (name, values) in states {
                    let len = values.len() / self.frames;
                    self.batch.set(name, .., &values[self.next * len..(self.next + 1) * len])?;
                }
            }
        }
        self.batch.forward()?;
        self.next += 1;
        Ok(true)
    }
}

/// Frames, worlds, and the states of a file.
fn recorded(model: &Model, path: &Path) -> Result<(usize, usize, States)> {
    let fail = |text: String| Error::Argument(format!("{}: {text}", path.display()));
    let arrays = npz::read(path)?;
    let nq = model.sizes.nq;
    let shape = arrays.get("qpos").map(|a| a.shape.clone()).unwrap_or_default();
    let (frames, worlds) = match shape[..] {
        [frames, n] if n == nq && frames > 0 => (frames, 1),
        [frames, worlds, n] if n == nq && frames > 0 && worlds > 0 => (frames, worlds),
        [] => {
            return Err(fail(format!(
                "has no array 'qpos'; it has to be [frame, {nq}] or [frame, world, {nq}]"
            )));
        }
        _ => {
            let text = format!(
                "'qpos' has shape {shape:?}; of this model it is [frame, {nq}] or [frame, world, {nq}]"
            );
            return Err(fail(text));
        }
    };
    let sizes = manyworlds::model::data::Capacity::NONE.sizes(model);
    let mut states = BTreeMap::new();
    for name in names(STATES) {
        let Some(array) = arrays.get(name) else { continue };
        let len = Data::<f64>::FIELDS.iter().find(|f| f.name == name).map_or(0, |f| f.len(&sizes));
        let values = array.data.to_f64();
        if values.len() != frames * worlds * len {
            let text =
                format!("'{name}' has shape {:?}: of this model it has {len} numbers a world", array.shape);
            return Err(fail(text));
        }
        if let Some(bad) = values.iter().position(|x| !(*x as f32).is_finite()) {
            return Err(fail(format!("'{name}' holds {} in frame {}", values[bad], bad / (worlds * len))));
        }
        if len > 0 {
            states.insert(name, values);
        }
    }
    Ok((frames, worlds, states))
}
