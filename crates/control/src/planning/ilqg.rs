//! Trajectory optimisation by iterative LQG (Tassa, Erez and Todorov 2012, section II).

use web_time::Instant;

use rayon::prelude::*;

use super::backward::{self, Changes, Indefinite};
use super::bounds::Bounds;
use super::objective::Objective;
use super::planner::{Iteration, Planner};
use super::policy::{Feedback, Interpolation, Policy};
use super::rollouts::{Path, Rollouts};
use super::state::State;
use manyworlds::analysis::derivatives::{Derivatives, DifferenceOptions, Knots, Method};
use manyworlds::batch::{Backend, BatchOptions};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;

/// Least penalty that is not zero.
const MU_MIN: f64 = 1e-6;
/// Penalty beyond which a backward pass is given up.
const MU_MAX: f64 = 1e10;
/// Least factor by which the penalty changes.
const DELTA_0: f64 = 2.0;
/// Largest factor.
const MAX_DELTA: f64 = 1e6;
/// Expected decrease, as a share of the cost, below which a plan has converged.
const CONVERGED: f64 = 1e-9;
/// Step sizes from which on the penalty falls, and below which it grows.
const LONG_STEP: f64 = 0.3;
const SHORT_STEP: f64 = 0.1;

/// Options of iLQG.
#[derive(Clone, Debug)]
pub struct IlqgOptions {
    /// Steps of the model in a plan.
    pub steps: usize,
    /// Step sizes of the line search, each a world.
    pub step_sizes: Vec<f64>,
    /// Share of the expected decrease that a step has to bring (c₁ of equation 13).
    pub sufficient: f64,
    /// How derivatives are found; `None`: exactly on the CPU, unless the model has laws in code, else by the best differences
    /// for the backend.
    pub derivatives: Option<Method>,
    /// Where candidates are stepped and derivatives computed.
    pub batch: BatchOptions,
}

impl IlqgOptions {
    /// Defaults for a plan of so many steps.
    pub fn new(steps: usize) -> Self {
        Self {
            steps,
            step_sizes: step_sizes(8),
            sufficient: 1e-3,
            derivatives: None,
            batch: BatchOptions::on(Backend::Cpu),
        }
    }
}

/// So many step sizes from 1 down to a thousandth, evenly spread by their logarithms.
pub(super) fn step_sizes(count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count.max(1)).map(|k| 10f64.powf(-3.0 * k as f64 / last)).collect()
}

/// Trajectory optimiser.
#[derive(Debug)]
pub struct Ilqg {
    model: Model,
    objective: Objective,
    options: IlqgOptions,
    /// The plan as it is, with and without feedback.
    nominal: Rollouts,
    /// The plan with changes of several sizes.
    search: Rollouts,
    derivatives: Derivatives,
    policy: Policy,
    /// True until there is a plan.
    is_new: bool,
    changes: Changes,
    mu: f64,
    delta: f64,
}

impl Ilqg {
    /// An optimiser for a model whose user sensors are costs.
    ///
    /// # Errors
    /// [`Error::Argument`] for a horizon of zero steps, step sizes that are not between 0 and 1, or a model without costs or
    /// controls; else as [`manyworlds::batch::Batch::new`].
    pub fn new(model: &Model, objective: &Objective, options: IlqgOptions) -> Result<Self> {
        if options.steps == 0 {
            return Err(Error::Argument(
                "the horizon of a plan is zero steps; it has at least one".to_owned(),
            ));
        }
        if options.step_sizes.is_empty() || options.step_sizes.iter().any(|a| !(*a > 0.0 && *a <= 1.0)) {
            let text = format!("step sizes are above 0 and at most 1, got {:?}", options.step_sizes);
            return Err(Error::Argument(text));
        }
        if model.sizes.nhistory > 0 {
            return Err(Error::Unsupported(
                "derivatives of a step say nothing of delays: iLQG plans no models whose actuators or sensors have a history; use a \
                 sampling planner, or remove nsample and delay"
                    .to_owned(),
            ));
        }
        if model.sizes.nu == 0 {
            return Err(Error::Argument("the model has no controls to plan".to_owned()));
        }
        let method = options.derivatives.unwrap_or_else(|| match options.batch.backend {
            Backend::Cpu if model.leaves.is_empty() => Method::Exact,
            backend => DifferenceOptions::best(backend).into(),
        });
        let batch = &options.batch;
        let bounds = Bounds::of_model(model);
        let mut controls = vec![0.0; options.steps * model.sizes.nu];
        bounds.clamp(&mut controls);
        let policy = Policy {
            start: 0.0,
            interval: model.opt_timestep[0],
            controls,
            interpolation: Interpolation::Zero,
            feedback: None,
            bounds,
        };
        Ok(Self {
            nominal: Rollouts::new(model, objective, 2, batch)?,
            search: Rollouts::new(model, objective, options.step_sizes.len(), batch)?,
            derivatives: Derivatives::new(model, options.steps + 1, method, batch)?,
            model: model.clone(),
            objective: objective.clone(),
            options,
            policy,
            is_new: true,
            changes: Changes::default(),
            mu: 0.0,
            delta: 1.0,
        })
    }

    /// Sets the controls of the plan, `[steps, nu]`, from a time on; without feedback.
    ///
    /// # Errors
    /// [`Error::Argument`] for a wrong number of controls, or one that is not finite.
    pub fn set_controls(&mut self, start: f64, controls: &[f64]) -> Result<()> {
        if controls.len() != self.policy.controls.len() || !controls.iter().all(|u| u.is_finite()) {
            let (got, need) = (controls.len(), self.policy.controls.len());
            return Err(Error::Argument(format!("a plan has {need} controls, all finite; {got} are given")));
        }
        self.policy.start = start;
        self.policy.controls.copy_from_slice(controls);
        self.policy.bounds.clamp(&mut self.policy.controls);
        self.policy.feedback = None;
        self.is_new = false;
        Ok(())
    }

    /// The plan shifted to a state: with feedback, and open loop; the better one. If both diverge, why.
    fn shifted(&mut self, start: &State) -> Result<std::result::Result<Path, String>> {
        let (model, policy) = (&self.model, &self.policy);
        let (first, h) = (start.time(), policy.interval);
        let mut paths = self.nominal.paths(start, self.options.steps, &mut |world, step, knot, ctrl| {
            let time = first + step as f64 * h;
            match world {
                0 => policy.control(model, time, knot.qpos, knot.qvel, knot.act, ctrl),
                _ => policy.open_loop(time, ctrl),
            }
        })?;
        paths.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let found = paths.into_iter().next().map(|path| match path.cost.is_finite() {
            true => Ok(path),
            false => Err(self.why_infinite(&path)),
        });
        Ok(found.unwrap_or_else(|| Err("there is no plan".to_owned())))
    }

    /// Why a path has no finite cost, in words.
    fn why_infinite(&self, path: &Path) -> String {
        let n = self.model.sizes.nsensordata.max(1);
        let wrong = path.sensors.chunks(n).enumerate().find_map(|(k, sensors)| {
            let term = self.worst_term(sensors);
            (!term.is_empty()).then(|| format!("the cost of knot {k} is not finite{term}"))
        });
        wrong.unwrap_or_else(|| "the plan diverges from this state".to_owned())
    }

    /// Derivatives of dynamics and costs along a path.
    fn expand(&mut self, start: &State, path: &Path) -> Result<Expanded> {
        let s = self.model.sizes;
        let (steps, nu, n) = (self.options.steps, s.nu, 2 * s.nv + s.na);
        let mut knots = Knots { count: steps + 1, ..Knots::default() };
        let mut put = |name: &str, values: Vec<f64>| {
            if !values.is_empty() {
                knots.fields.insert(name.to_owned(), values);
            }
        };
        put("time", path.time.clone());
        put("qpos", path.qpos.clone());
        put("qvel", path.qvel.clone());
        put("act", path.act.clone());
        put("qacc_warmstart", path.warmstart.clone());
        // the end is under the last controls
        let last = &path.ctrl[(steps - 1) * nu..];
        put("ctrl", path.ctrl.iter().chain(last).copied().collect());
        for (name, values) in start.constant() {
            put(name, values.repeat(steps + 1));
        }
        let found = self.derivatives.transition(&knots)?;
        // costs, by state and controls
        let outputs = s.nsensordata;
        let costs = (0..=steps).into_par_iter().map(|k| {
            let (c, d) = (&found.C[k * outputs * n..], &found.D[k * outputs * nu..]);
            let mut rows = Vec::with_capacity(outputs * (n + nu));
            for i in 0..outputs {
                rows.extend(&c[i * n..(i + 1) * n]);
                rows.extend(&d[i * nu..(i + 1) * nu]);
            }
            let sensors = &path.sensors[k * outputs..(k + 1) * outputs];
            let cost = self.objective.expand(sensors, &rows, n + nu, k == steps)?;
            let bad = cost.gradient.iter().chain(&cost.hessian).any(|x| !x.is_finite());
            if bad {
                let term = self.worst_term(sensors);
                return Err(Error::Argument(format!("the cost of knot {k} has no finite derivatives{term}")));
            }
            Ok(cost)
        });
        let costs = costs.collect::<Result<Vec<_>>>()?;
        if let Some(at) = found.A.iter().chain(&found.B).position(|x| !x.is_finite()) {
            let knot = if at < found.A.len() { at / (n * n) } else { (at - found.A.len()) / (n * nu) };
            return Err(Error::Argument(format!(
                "the derivatives of the step from knot {knot} are not finite"
            )));
        }
        Ok(Expanded { a: found.A, b: found.B, costs })
    }

    /// The first term that is not finite, in words.
    fn worst_term(&self, sensors: &[f64]) -> String {
        let cost = self.objective.running();
        let values = cost.values(&self.objective.residual(sensors)).unwrap_or_default();
        let bad = cost.terms().iter().zip(values).find(|(_, value)| !value.is_finite());
        bad.map_or_else(String::new, |(term, value)| format!(": '{}' is {value}", term.name))
    }

    /// Larger penalty (section II.F); false beyond the largest.
    fn raise(&mut self) -> bool {
        self.delta = (self.delta * DELTA_0).clamp(DELTA_0, MAX_DELTA);
        self.mu = (self.mu * self.delta).max(MU_MIN);
        self.mu <= MU_MAX
    }

    /// Smaller penalty.
    fn lower(&mut self) {
        self.delta = (self.delta / DELTA_0).min(1.0 / DELTA_0);
        let mu = self.mu * self.delta;
        self.mu = if mu > MU_MIN { mu } else { 0.0 };
    }

    /// Backward passes with growing penalties until one succeeds.
    fn backward(&mut self, path: &Path, expanded: &Expanded) -> std::result::Result<Changes, Indefinite> {
        let s = self.model.sizes;
        let nu = s.nu;
        let distance = |bound: &[f64]| -> Vec<f64> {
            path.ctrl.iter().enumerate().map(|(i, u)| bound[i % nu] - u).collect()
        };
        let (low, high) = (distance(&self.policy.bounds.low), distance(&self.policy.bounds.high));
        let n = 2 * s.nv + s.na;
        loop {
            let model = backward::Model {
                n,
                m: nu,
                a: &expanded.a,
                b: &expanded.b,
                costs: &expanded.costs,
                low: &low,
                high: &high,
            };
            match backward::pass(&model, self.mu, &self.changes) {
                Ok(changes) => return Ok(changes),
                Err(at) => {
                    if !self.raise() {
                        return Err(at);
                    }
                }
            }
        }
    }

    /// Paths under changes of every size (equation 12); the best that brings enough (equation 13), with its size.
    fn line_search(&mut self, start: &State, path: &Path, changes: &Changes) -> Result<Option<(Path, f64)>> {
        let s = self.model.sizes;
        let (nq, nv, na, nu) = (s.nq, s.nv, s.na, s.nu);
        let n = 2 * nv + na;
        let (model, sizes, bounds) = (&self.model, &self.options.step_sizes, &self.policy.bounds);
        let mut away = vec![0.0; n];
        let paths = self.search.paths(start, self.options.steps, &mut |world, k, knot, ctrl| {
            let planned = &path.qpos[nq * k..nq * (k + 1)];
            manyworlds::cpu::integrate::advance::differentiate_pos(
                model,
                planned,
                knot.qpos,
                &mut away[..nv],
            );
            for i in 0..nv {
                away[nv + i] = knot.qvel[i] - path.qvel[nv * k + i];
            }
            for i in 0..na {
                away[2 * nv + i] = knot.act[i] - path.act[na * k + i];
            }
            for (i, u) in ctrl.iter_mut().enumerate() {
                let gains = &changes.gains[(k * nu + i) * n..(k * nu + i + 1) * n];
                let fed_back: f64 = gains.iter().zip(&away).map(|(k, x)| k * x).sum();
                *u = path.ctrl[k * nu + i] + sizes[world] * changes.feedforward[k * nu + i] + fed_back;
            }
            bounds.clamp(ctrl);
        })?;
        let expected = |a: f64| -(a * changes.expected[0] + a * a * changes.expected[1]);
        let brings_enough = |(tried, a): &(Path, f64)| {
            let decrease = path.cost - tried.cost;
            decrease > 0.0 && decrease >= self.options.sufficient * expected(*a)
        };
        let tried = paths.into_iter().zip(sizes.iter().copied());
        Ok(tried.filter(brings_enough).min_by(|a, b| a.0.cost.total_cmp(&b.0.cost)))
    }
}

/// Derivatives along a path.
#[derive(Debug)]
struct Expanded {
    a: Vec<f64>,
    b: Vec<f64>,
    costs: Vec<super::cost::Expansion>,
}

impl Planner for Ilqg {
    fn improve(&mut self, start: &State) -> Result<Iteration> {
        if !start.is_finite() {
            return Err(Error::Argument("the state from which to plan is not finite".to_owned()));
        }
        if std::mem::take(&mut self.is_new) {
            self.policy.hold(start.time(), start.get("ctrl"));
        }
        let mut done = Iteration { after: f64::INFINITY, before: f64::INFINITY, ..Iteration::default() };
        let mut clock = Clock::start();
        // the plan as it is
        let path = self.shifted(start)?;
        done.seconds.push(("rollout", clock.lap()));
        let path = match path {
            Ok(path) => path,
            Err(why) => {
                done.notice = Some(format!("{why}; the last plan stays in force"));
                return Ok(done);
            }
        };
        (done.before, done.after) = (path.cost, path.cost);
        // derivatives
        let expanded = self.expand(start, &path);
        done.seconds.push(("derivatives", clock.lap()));
        let expanded = match expanded {
            Ok(expanded) => expanded,
            Err(why @ (Error::Diverged(_) | Error::Overflow(_))) => {
                done.notice = Some(format!("{why}; the plan stays as it was"));
                self.set_policy(start, path, None);
                return Ok(done);
            }
            Err(error) => return Err(error),
        };
        // backward pass
        let changes = self.backward(&path, &expanded);
        done.seconds.push(("backward", clock.lap()));
        done.regularization = self.mu;
        let changes = match changes {
            Ok(changes) => changes,
            Err(Indefinite(knot)) => {
                done.notice = Some(format!(
                    "the cost is not convex in the controls of knot {knot}, with every penalty; the plan stays as it was"
                ));
                (self.mu, self.delta) = (MU_MIN, 1.0);
                self.set_policy(start, path, None);
                return Ok(done);
            }
        };
        done.expected = -(changes.expected[0] + changes.expected[1]);
        // line search
        let found = self.line_search(start, &path, &changes)?;
        done.seconds.push(("search", clock.lap()));
        match found {
            Some((better, size)) => {
                (done.after, done.step) = (better.cost, size);
                // short steps: the model is wrong at that distance, and a penalty keeps the next one nearer
                if size >= LONG_STEP {
                    self.lower();
                } else if size < SHORT_STEP {
                    self.raise();
                    self.mu = self.mu.min(MU_MAX);
                }
                self.set_policy(start, better, Some(&changes));
            }
            // nothing is left to gain: the penalty would only spoil the feedback
            None if done.expected <= CONVERGED * (1.0 + path.cost.abs()) => {
                self.lower();
                self.set_policy(start, path, Some(&changes));
            }
            None => {
                self.raise();
                self.mu = self.mu.min(MU_MAX);
                // feedback about the plan as it is
                self.set_policy(start, path, Some(&changes));
            }
        }
        self.changes = changes;
        Ok(done)
    }

    fn policy(&self) -> &Policy {
        &self.policy
    }

    fn model(&self) -> &Model {
        &self.model
    }

    fn device(&self) -> String {
        self.search.device()
    }
}

impl Ilqg {
    /// Puts a path in force.
    fn set_policy(&mut self, start: &State, path: Path, changes: Option<&Changes>) {
        self.policy.start = start.time();
        self.policy.controls = path.ctrl;
        self.policy.feedback = changes.map(|changes| Feedback {
            qpos: path.qpos,
            qvel: path.qvel,
            act: path.act,
            gains: changes.gains.clone(),
        });
    }
}

/// Laps of wall-clock time.
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the last lap.
    pub(super) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.0).as_secs_f64();
        self.0 = now;
        seconds
    }
}
