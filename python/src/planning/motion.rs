//! Motions under the plans of a planner.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use manyworlds::batch::{Backend, BatchOptions};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model as Compiled;
use manyworlds_control::planning::closed_loop::{ClosedLoop, Lag, LoopOptions, Push, Record, recorded};
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::planner::{self, Iteration};
use manyworlds_control::planning::policy::Policy;
use manyworlds_control::planning::state::State;
use pyo3::prelude::*;

use super::planner::{Done, Fields, Planner, done, hold, reals, state};
use crate::error::exception;
use crate::interrupt::interruptible_part;
use crate::model::Model;

/// Options of a motion.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MotionOptions {
    seconds: f64,
    interval: f64,
    iterations: usize,
    lag: Option<f64>,
    slowdown: Option<f64>,
    control_noise: f64,
    state_noise: f64,
    /// Body, time, duration, force.
    pushes: Vec<(usize, f64, f64, [f64; 3])>,
    seed: u64,
}

impl MotionOptions {
    fn options(self) -> Result<LoopOptions> {
        let lag = match (self.lag, self.slowdown) {
            (Some(_), Some(_)) => {
                let text =
                    "a plan is late by the lag, or by what planning takes (slowdown): give one of them";
                return Err(Error::Argument(text.to_owned()));
            }
            (lag, None) => Lag::Simulated(lag.unwrap_or(self.interval)),
            (None, Some(slowdown)) => Lag::Real { slowdown },
        };
        let push = |(body, time, duration, force)| Push { body, time, duration, force };
        Ok(LoopOptions {
            lag,
            iterations: self.iterations,
            control_noise: self.control_noise,
            state_noise: self.state_noise,
            pushes: self.pushes.into_iter().map(push).collect(),
            seed: self.seed,
            ..LoopOptions::new(self.seconds, self.interval)
        })
    }
}

/// A planner that begins no iteration once it is told to end.
#[derive(Debug)]
struct Ending<'a> {
    inner: &'a mut dyn planner::Planner,
    ended: &'a AtomicBool,
}

impl planner::Planner for Ending<'_> {
    fn improve(&mut self, start: &State) -> Result<Iteration> {
        if self.ended.load(Ordering::Relaxed) {
            return Err(Error::Argument("the motion was interrupted".to_owned()));
        }
        self.inner.improve(start)
    }

    fn policy(&self) -> &Policy {
        self.inner.policy()
    }

    fn model(&self) -> &Compiled {
        self.inner.model()
    }

    fn path(&self) -> &[f64] {
        self.inner.path()
    }

    fn device(&self) -> String {
        self.inner.device()
    }
}

/// Refuses a planner of a model with other states or controls than the plant's.
fn check_fits(planner: &Compiled, plant: &Compiled) -> Result<()> {
    let sizes =
        |m: &Compiled| [("nq", m.sizes.nq), ("nv", m.sizes.nv), ("na", m.sizes.na), ("nu", m.sizes.nu)];
    let different = sizes(planner).into_iter().zip(sizes(plant)).find(|(a, b)| a != b);
    match different {
        Some(((name, a), (_, b))) => Err(Error::Argument(format!(
            "the planner is of a model with {name} {a}, the model that moves has {b}: make a planner of this model"
        ))),
        None => Ok(()),
    }
}

/// A motion of a model under the plans of a planner: fields by name, iterations with their times, success, whether the task says
/// what success is, notice, and what a signal handler has raised, which ends the motion early.
#[allow(clippy::type_complexity, reason = "a row for Python")]
#[pyfunction]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    model: &Model,
    planner: &Planner,
    key: Option<usize>,
    fields: Fields<'py>,
    options: MotionOptions,
) -> PyResult<(
    Vec<(&'static str, Bound<'py, PyAny>)>,
    Vec<Done>,
    Bound<'py, PyAny>,
    Option<f64>,
    bool,
    Option<String>,
    Option<PyErr>,
)> {
    let plant = Arc::clone(&model.inner);
    let start = state(&plant, key, &fields).map_err(exception)?;
    let options = options.options().map_err(exception)?;
    check_fits(&planner.plant, &plant).map_err(exception)?;
    let shared = Arc::clone(&planner.shared);
    // a copy grows with the motion: an iteration that takes long must not keep what was recorded before it
    let copy = Arc::new(Mutex::new(Record::default()));
    let growing = Arc::clone(&copy);
    let (record, raised) = interruptible_part(py, move |ended| {
        let objective = Objective::of_model(&plant)?;
        if let Ok(mut copy) = growing.lock() {
            copy.has_goal = objective.has_goal();
        }
        let mut motion = ClosedLoop::new(&plant, &objective, &start, &BatchOptions::on(Backend::Cpu))?;
        let mut held = hold(&shared)?;
        let mut planner = Ending { inner: held.as_mut(), ended };
        motion.run(&mut planner, &options, &mut |moment| {
            if let Ok(mut copy) = growing.lock() {
                copy.catch_up(moment.record);
            }
            match ended.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
    })?;
    let record = record.or_else(|| copy.lock().ok().map(|mut copy| std::mem::take(&mut *copy)));
    let Record { fields, steps, cost, iterations, times, success, has_goal, mut notice } =
        record.unwrap_or_default();
    if raised.is_some() {
        notice = notice.or_else(|| Some(format!("interrupted after {steps} steps; the motion ends there")));
    }
    let mut arrays = arrays(py, model, steps, fields)?;
    arrays.push(("cost", reals(py, vec![steps], cost)?));
    let times = reals(py, vec![times.len()], times)?;
    Ok((arrays, iterations.into_iter().map(done).collect(), times, success, has_goal, notice, raised))
}

/// Recorded fields of a motion, `[step, …]`; a motion of no step has no fields.
fn arrays<'py>(
    py: Python<'py>,
    model: &Model,
    steps: usize,
    mut fields: BTreeMap<&'static str, Vec<f64>>,
) -> PyResult<Vec<(&'static str, Bound<'py, PyAny>)>> {
    let mut arrays = Vec::new();
    for field in recorded() {
        let shape = [steps].into_iter().chain(field.axes(&model.inner.sizes)).collect();
        arrays.push((field.name, reals(py, shape, fields.remove(field.name).unwrap_or_default())?));
    }
    Ok(arrays)
}
