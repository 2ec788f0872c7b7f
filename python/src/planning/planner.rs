//! Planners, and the states from which they plan.

use std::sync::{Arc, Mutex, MutexGuard};

use manyworlds::batch::{BatchOptions, suggest};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::Model as Compiled;
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
use crate::interrupt::interruptible;
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

/// A planner that several threads may call.
pub(super) type Shared = Arc<Mutex<Box<dyn planner::Planner>>>;

/// A planner. Calls of several threads wait for each other.
#[pyclass(frozen, module = "manyworlds._core")]
pub(crate) struct Planner {
    pub(super) shared: Shared,
    settings: Settings,
    /// The model whose motion is planned, as it was given.
    pub(super) plant: Arc<Compiled>,
}

/// The planner, for this thread alone.
pub(super) fn hold(shared: &Shared) -> Result<MutexGuard<'_, Box<dyn planner::Planner>>> {
    let failed = |_| Error::device("a call failed within the engine; make a new planner");
    shared.lock().map_err(failed)
}

/// What an iteration has done: cost before and after, step, penalty, expected decrease, seconds by phase, notice.
pub(super) type Done = (f64, f64, f64, f64, f64, Vec<(&'static str, f64)>, Option<String>);

/// An iteration as a row.
pub(super) fn done(i: Iteration) -> Done {
    (i.before, i.after, i.step, i.regularization, i.expected, i.seconds, i.notice)
}

/// Fields of a state, and the numbers of each.
pub(super) type Fields<'py> = Vec<(String, PyReadonlyArrayDyn<'py, f64>)>;

/// A state: that of a keyframe or the initial one, and fields that are given instead.
pub(super) fn state(model: &Compiled, key: Option<usize>, fields: &Fields<'_>) -> Result<State> {
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

/// An array of real numbers for Python.
pub(super) fn reals(py: Python<'_>, shape: Vec<usize>, values: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    plain(py, Array { shape, data: ArrayData::F64(values) }, false)
}

impl Planner {
    /// What a function reads from the planner, once an iteration under way has ended.
    fn read<R: Send>(
        &self,
        py: Python<'_>,
        of: impl FnOnce(&dyn planner::Planner) -> R + Send,
    ) -> PyResult<R> {
        let shared = &self.shared;
        detached(py, move || Ok(of(hold(shared)?.as_ref())))
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
