//! Planners, motions under them, and norms of costs.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use manyworlds::batch::{Backend, BatchOptions, suggest};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::Model as Compiled;
use manyworlds_control::planning::closed_loop::{ClosedLoop, Lag, LoopOptions, Push, Record, recorded};
use manyworlds_control::planning::norm::Norm;
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::planner::{self, Iteration};
use manyworlds_control::planning::policy::{Interpolation, Policy};
use manyworlds_control::planning::settings::Settings;
use manyworlds_control::planning::state::State;
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;

use crate::array::{numbers, plain};
use crate::batch::device_of;
use crate::error::{detached, exception};
use crate::interrupt::{interruptible, interruptible_part};
use crate::model::Model;

/// Names of interpolations, by their numbers in task files.
const INTERPOLATIONS: [&str; 3] = ["zero", "linear", "cubic"];

/// Settings that are given instead of those of the model.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Given {
    kind: Option<String>,
    horizon: Option<f64>,
    timestep: Option<f64>,
    candidates: Option<usize>,
    points: Option<usize>,
    interpolation: Option<String>,
    spread: Option<f64>,
    temperature: Option<f64>,
    elites: Option<usize>,
    step_sizes: Option<usize>,
    solref: Option<[f64; 2]>,
    solimp: Option<[f64; 5]>,
}

impl Given {
    /// Settings of a model, and what is given instead.
    fn settings(&self, model: &Compiled) -> Result<Settings> {
        let mut settings = Settings::of_model(model)?;
        let times = [
            (&mut settings.horizon, self.horizon),
            (&mut settings.interval, self.timestep),
            (&mut settings.timestep, self.timestep),
            (&mut settings.spread, self.spread),
            (&mut settings.temperature, self.temperature),
        ];
        times.into_iter().for_each(|(to, given)| *to = given.unwrap_or(*to));
        let counts = [
            (&mut settings.candidates, self.candidates),
            (&mut settings.points, self.points),
            (&mut settings.step_sizes, self.step_sizes),
        ];
        counts.into_iter().for_each(|(to, given)| *to = given.unwrap_or(*to));
        settings.elites = self.elites.or(settings.elites);
        if let Some(kind) = &self.kind {
            settings.planner = kind.parse()?;
        }
        if let Some(name) = &self.interpolation {
            let number = INTERPOLATIONS.iter().position(|known| known == name);
            settings.interpolation = number.and_then(Interpolation::from_number).ok_or_else(|| {
                let near = suggest(name, INTERPOLATIONS.into_iter());
                let valid = INTERPOLATIONS.join(", ");
                Error::Argument(format!("there is no interpolation '{name}'{near}; valid: {valid}"))
            })?;
        }
        settings.solref = self.solref.or(settings.solref);
        settings.solimp = self.solimp.or(settings.solimp);
        settings.check()?;
        Ok(settings)
    }
}

type Shared = Arc<Mutex<Box<dyn planner::Planner>>>;

/// A planner. Calls of several threads wait for each other.
#[pyclass(frozen, module = "manyworlds._core")]
pub(crate) struct Planner {
    shared: Shared,
    settings: Settings,
    /// The model whose motion is planned, as it was given.
    plant: Arc<Compiled>,
}

fn hold(shared: &Shared) -> Result<MutexGuard<'_, Box<dyn planner::Planner>>> {
    let failed = |_| Error::Device("a call failed within the engine; make a new planner".to_owned());
    shared.lock().map_err(failed)
}

/// What an iteration has done: cost before and after, step, penalty, expected decrease, seconds by phase, notice.
type Done = (f64, f64, f64, f64, f64, Vec<(&'static str, f64)>, Option<String>);

fn done(i: Iteration) -> Done {
    (i.before, i.after, i.step, i.regularization, i.expected, i.seconds, i.notice)
}

/// Fields of a state, and the numbers of each.
type Fields<'py> = Vec<(String, PyReadonlyArrayDyn<'py, f64>)>;

/// A state: that of a keyframe or the initial one, and fields that are given instead.
fn state(model: &Compiled, key: Option<usize>, fields: &Fields<'_>) -> Result<State> {
    let mut state = State::initial(model, key);
    for (name, values) in fields {
        let values = numbers(values)?;
        let Some(to) = state.get_mut(name) else {
            return Err(Error::Argument(format!("'{name}' is no field of a state from which to plan")));
        };
        if to.len() != values.len() {
            let (need, got) = (to.len(), values.len());
            return Err(Error::Argument(format!("'{name}' of a state has {need} numbers, {got} are given")));
        }
        to.copy_from_slice(values);
    }
    Ok(state)
}

fn reals(py: Python<'_>, shape: Vec<usize>, values: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    plain(py, Array { shape, data: ArrayData::F64(values) }, false)
}

impl Planner {
    /// What `look` reads from the planner, once an iteration under way has ended.
    fn read<R: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&dyn planner::Planner) -> R + Send,
    ) -> PyResult<R> {
        let shared = &self.shared;
        detached(py, move || Ok(look(hold(shared)?.as_ref())))
    }

    /// Knots of the path.
    fn knots(path: &[f64], nq: usize) -> usize {
        path.len().checked_div(nq).unwrap_or(0)
    }
}

#[pymethods]
impl Planner {
    #[new]
    fn new(py: Python<'_>, model: &Model, given: Given, seed: u64, device: &str) -> PyResult<Self> {
        let plant = Arc::clone(&model.inner);
        let (backend, adapter) = device_of(device);
        let batch = BatchOptions { adapter, ..BatchOptions::on(backend) };
        let (made, settings) = interruptible(py, move |_| {
            let settings = given.settings(&plant)?;
            let made = settings.planner(&plant, &Objective::of_model(&plant)?, seed, &batch)?;
            Ok((made, settings))
        })?;
        Ok(Self { shared: Arc::new(Mutex::new(made)), settings, plant: Arc::clone(&model.inner) })
    }

    /// An iteration from a state on.
    fn improve(&self, py: Python<'_>, key: Option<usize>, fields: Fields<'_>) -> PyResult<Done> {
        let start = state(&self.plant, key, &fields).map_err(exception)?;
        let shared = Arc::clone(&self.shared);
        interruptible(py, move |_| hold(&shared)?.improve(&start)).map(done)
    }

    /// Controls in a state.
    fn control<'py>(
        &self,
        py: Python<'py>,
        time: f64,
        qpos: PyReadonlyArrayDyn<'py, f64>,
        qvel: PyReadonlyArrayDyn<'py, f64>,
        act: PyReadonlyArrayDyn<'py, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let s = &self.plant.sizes;
        let given = [("qpos", &qpos, s.nq), ("qvel", &qvel, s.nv), ("act", &act, s.na)];
        let mut rows: [&[f64]; 3] = [&[]; 3];
        for (row, (name, array, need)) in rows.iter_mut().zip(given) {
            *row = numbers(array).map_err(exception)?;
            if row.len() != need {
                let text = format!("'{name}' has {need} numbers, {} are given", row.len());
                return Err(exception(Error::Argument(text)));
            }
        }
        let [qpos, qvel, act] = rows;
        let mut ctrl = vec![0.0; s.nu];
        let out = &mut ctrl;
        self.read(py, move |p| p.policy().control(p.model(), time, qpos, qvel, act, out))?;
        reals(py, vec![s.nu], ctrl)
    }

    /// Controls at the knots within the plan, `[knot, nu]`.
    #[getter]
    fn controls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nu = self.plant.sizes.nu;
        let controls = self.read(py, |p| {
            let (policy, within) = (p.policy(), p.policy().within());
            policy.controls[nu * within.start..nu * within.end].to_vec()
        })?;
        reals(py, vec![controls.len() / nu.max(1), nu], controls)
    }

    /// Times of the knots within the plan, `[knot]`.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let times: Vec<f64> = self.read(py, |p| {
            let policy: &Policy = p.policy();
            policy.within().map(|k| policy.start + k as f64 * policy.interval).collect()
        })?;
        reals(py, vec![times.len()], times)
    }

    /// Gains, `[knot, nu, 2 nv + na]`; of no knot where there is no feedback.
    #[getter]
    fn gains<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let s = &self.plant.sizes;
        let n = 2 * s.nv + s.na;
        let gains = self.read(py, |p| p.policy().feedback.as_ref().map(|f| f.gains.clone()))?;
        let gains = gains.unwrap_or_default();
        reals(py, vec![gains.len() / (n * s.nu).max(1), s.nu, n], gains)
    }

    /// Planned positions, `[knot + 1, nq]`; of no knot where the planner keeps none.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nq = self.plant.sizes.nq;
        let path = self.read(py, |p| p.path().to_vec())?;
        reals(py, vec![Self::knots(&path, nq), nq], path)
    }

    #[getter]
    fn device(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |p| p.device())
    }

    /// Settings in force: names with numbers, and the names of planner and interpolation.
    #[allow(clippy::type_complexity, reason = "rows for Python")]
    fn settings(&self) -> (&'static str, &'static str, Vec<(&'static str, f64)>, Vec<(&'static str, usize)>) {
        let s = &self.settings;
        let same = |number: &usize| Interpolation::from_number(*number) == Some(s.interpolation);
        let interpolation = (0..INTERPOLATIONS.len()).find(same).map_or("", |k| INTERPOLATIONS[k]);
        let reals = vec![
            ("horizon", s.horizon),
            ("timestep", s.timestep),
            ("interval", s.interval),
            ("seconds", s.seconds),
            ("spread", s.spread),
            ("temperature", s.temperature),
        ];
        let counts = vec![
            ("steps", s.steps()),
            ("iterations", s.iterations),
            ("candidates", s.candidates),
            ("points", s.points),
            ("elites", s.elites()),
            ("step_sizes", s.step_sizes),
        ];
        (s.planner.name(), interpolation, reals, counts)
    }
}

/// Fields of a state from which to plan.
#[pyfunction]
pub(crate) fn planner_state(model: &Model) -> Vec<&'static str> {
    State::initial(&model.inner, None).names().collect()
}

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
    let Record { mut fields, steps, cost, iterations, times, success, has_goal, mut notice } =
        record.unwrap_or_default();
    if raised.is_some() {
        notice = notice.or_else(|| Some(format!("interrupted after {steps} steps; the motion ends there")));
    }
    let mut arrays = Vec::new();
    // a motion of no step has no fields
    for field in recorded() {
        let shape = [steps].into_iter().chain(field.axes(&model.inner.sizes)).collect();
        arrays.push((field.name, reals(py, shape, fields.remove(field.name).unwrap_or_default())?));
    }
    arrays.push(("cost", reals(py, vec![steps], cost)?));
    let times = reals(py, vec![times.len()], times)?;
    Ok((arrays, iterations.into_iter().map(done).collect(), times, success, has_goal, notice, raised))
}

/// Norms: name, number in task files, number of parameters.
#[pyfunction]
pub(crate) fn norms() -> Vec<(&'static str, i32, usize)> {
    Norm::all().collect()
}

/// The number of a norm by name, whose parameters are right.
#[pyfunction]
pub(crate) fn norm_number(name: &str, parameters: Vec<f64>) -> PyResult<i32> {
    let wrong = |text: String| exception(Error::Argument(text));
    let Some((_, number, count)) = Norm::all().find(|(known, ..)| *known == name) else {
        let names = || Norm::all().map(|(known, ..)| known);
        let valid = names().collect::<Vec<_>>().join(", ");
        return Err(wrong(format!("there is no norm '{name}'{}; valid: {valid}", suggest(name, names()))));
    };
    if parameters.len() != count {
        let got = parameters.len();
        return Err(wrong(format!("the norm '{name}' has {count} parameters, {got} are given")));
    }
    Norm::from_number(number, &parameters).map_err(exception)?;
    Ok(number)
}
