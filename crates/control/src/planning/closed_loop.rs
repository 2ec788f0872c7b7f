//! Model-predictive control: a plant that moves while a planner improves the plan (Tassa, Erez and Todorov 2012, section II.G).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc;
use std::time::Duration;

use web_time::Instant;

use super::objective::Objective;
use super::planner::{Iteration, Planner};
use super::policy::Policy;
use super::state::State;
use manyworlds::batch::{Batch, BatchOptions};
use manyworlds::cpu::integrate::advance::integrate_joint;
use manyworlds::cpu::math::philox::{normal, philox};
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::state::{DIVERGED, names};
use manyworlds::schema::{Field, Kind, Role};

/// Largest slowdown of a plant.
const MAX_SLOWDOWN: f64 = 1e3;

/// When a plan is in force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lag {
    /// So many seconds of the plant's time after the state from which it begins: a run has the same bits every time.
    Simulated(f64),
    /// When the planner, on a thread of its own, has it; the plant runs `slowdown` times slower than real time.
    Real {
        /// Seconds of wall-clock time a second of the plant's.
        slowdown: f64,
    },
}

/// A force on a body for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// Body.
    pub body: usize,
    /// First moment, in s.
    pub time: f64,
    /// Time that it lasts, in s.
    pub duration: f64,
    /// Force at the body's centre of mass, in N.
    pub force: [f64; 3],
}

/// Options of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopOptions {
    /// Time of the motion, in s.
    pub seconds: f64,
    /// Time from one iteration of the planner to the next, in s; without meaning for a real lag.
    pub interval: f64,
    /// When a plan is in force.
    pub lag: Lag,
    /// Iterations before the motion begins, from its first state; without any, the planner's plan is in force as it is.
    pub iterations: usize,
    /// Standard deviation of noise on the controls, in half ranges, or in units of the control where it has no range.
    pub control_noise: f64,
    /// Standard deviation of noise on the positions and velocities that planner and feedback see, in m, rad, m/s, rad/s.
    pub state_noise: f64,
    /// Pushes.
    pub pushes: Vec<Push>,
    /// Seed of the noise.
    pub seed: u64,
}

impl LoopOptions {
    /// A motion of so many seconds with an iteration every `interval`, in force at once, without noise.
    pub fn new(seconds: f64, interval: f64) -> Self {
        Self {
            seconds,
            interval,
            lag: Lag::Simulated(0.0),
            iterations: 1,
            control_noise: 0.0,
            state_noise: 0.0,
            pushes: Vec::new(),
            seed: 0,
        }
    }
}

/// A moment of a loop, after a step of the plant.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Time after the step, in s.
    pub time: f64,
    /// Cost of the state before it, under its controls.
    pub cost: f64,
    /// The last iteration of the planner.
    pub iteration: &'a Iteration,
    /// Iterations so far.
    pub iterations: usize,
    /// What is recorded so far.
    pub record: &'a Record,
}

/// What a loop has recorded.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Data fields at every step of the plant, `[step, …]`: the state before the step, its controls, and its sensors.
    pub fields: BTreeMap<&'static str, Vec<f64>>,
    /// Steps of the plant.
    pub steps: usize,
    /// Cost of each step.
    pub cost: Vec<f64>,
    /// Iterations of the planner.
    pub iterations: Vec<Iteration>,
    /// Time of the plant at which each iteration began, in s; those before the motion at its begin.
    pub times: Vec<f64>,
    /// Since when the motion has done what it is for, in s; `None` if it has not, or the task does not say.
    pub success: Option<f64>,
    /// True if the task says what success is.
    pub has_goal: bool,
    /// Why the loop ended early, if so.
    pub notice: Option<String>,
}

impl Record {
    /// Takes over what a newer record of the same motion has beyond this one.
    pub fn catch_up(&mut self, newer: &Self) {
        for (name, values) in &newer.fields {
            extend(self.fields.entry(name).or_default(), values);
        }
        extend(&mut self.cost, &newer.cost);
        extend(&mut self.iterations, &newer.iterations);
        extend(&mut self.times, &newer.times);
        (self.steps, self.success, self.has_goal) = (newer.steps, newer.success, newer.has_goal);
        self.notice.clone_from(&newer.notice);
    }
}

/// Appends what a longer list has more.
fn extend<T: Clone>(to: &mut Vec<T>, longer: &[T]) {
    to.extend_from_slice(longer.get(to.len()..).unwrap_or_default());
}

/// Roles of the recorded state.
const RECORDED: &[Role] = &[Role::Time, Role::Motion];

/// Fields of [`Record::fields`], in the order of the table: the state, controls and sensors.
pub fn recorded() -> impl Iterator<Item = &'static Field> {
    let is_recorded =
        |f: &&Field| RECORDED.contains(&f.role) || f.role == Role::Control || f.name == "sensordata";
    Data::<f64>::FIELDS.iter().filter(is_recorded)
}

/// A plant and what it is asked for.
#[derive(Debug)]
pub struct ClosedLoop {
    model: Model,
    plant: Batch,
    objective: Objective,
}

/// Noise of a loop.
struct Noise<'a> {
    key: [u32; 2],
    options: &'a LoopOptions,
}

impl Noise<'_> {
    /// A number of the standard normal distribution.
    fn draw(&self, kind: u32, step: usize, place: usize) -> f64 {
        let words = philox([place as u32, kind, step as u32, 0x6c6f_6f70], self.key);
        normal([words[0], words[1]])
    }

    /// A state as it is seen.
    fn seen(&self, model: &Model, state: &State, step: usize) -> State {
        let mut seen = state.clone();
        let scale = self.options.state_noise;
        if scale == 0.0 {
            return seen;
        }
        let nv = model.sizes.nv;
        let moves: Vec<f64> = (0..nv).map(|i| scale * self.draw(1, step, i)).collect();
        if let Some(qpos) = seen.get_mut("qpos") {
            for jnt in 0..model.sizes.njnt {
                integrate_joint(model, qpos, &moves[model.jnt_dofadr[jnt] as usize..], jnt, 1.0);
            }
        }
        if let Some(qvel) = seen.get_mut("qvel") {
            qvel.iter_mut().enumerate().for_each(|(i, v)| *v += scale * self.draw(2, step, i));
        }
        seen
    }

    /// Controls as they act.
    fn act(&self, policy: &Policy, ctrl: &mut [f64], step: usize) {
        let scale = self.options.control_noise;
        if scale == 0.0 {
            return;
        }
        for (i, u) in ctrl.iter_mut().enumerate() {
            let half = 0.5 * (policy.bounds.high[i] - policy.bounds.low[i]);
            *u += scale * if half.is_finite() { half } else { 1.0 } * self.draw(3, step, i);
        }
        policy.bounds.clamp(ctrl);
    }
}

impl ClosedLoop {
    /// A plant in a state.
    ///
    /// # Errors
    /// As [`Batch::new`].
    pub fn new(model: &Model, objective: &Objective, start: &State, batch: &BatchOptions) -> Result<Self> {
        let mut plant = Batch::new(model, 1, batch)?;
        start.put(&mut plant)?;
        Ok(Self { model: model.clone(), plant, objective: objective.clone() })
    }

    /// The plant.
    pub fn plant(&mut self) -> &mut Batch {
        &mut self.plant
    }

    /// Moves the plant under the plans of a planner. `watch` sees every step, and may end the motion.
    ///
    /// # Errors
    /// [`Error::Argument`] for options out of their range; else as [`Planner::improve`]. A plant that diverges ends the motion with a
    /// [notice](Record::notice).
    pub fn run(
        &mut self,
        planner: &mut dyn Planner,
        options: &LoopOptions,
        watch: &mut dyn FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<Record> {
        self.check(options)?;
        let mut record = Record { has_goal: self.objective.has_goal(), ..Record::default() };
        let start = State::of(&mut self.plant, 0)?;
        let noise = Noise { key: [options.seed as u32, (options.seed >> 32) as u32], options };
        let seen = noise.seen(&self.model, &start, 0);
        for _ in 0..options.iterations {
            record.iterations.push(planner.improve(&seen)?);
            record.times.push(start.time());
        }
        match options.lag {
            Lag::Simulated(lag) => self.simulated(planner, &noise, lag, &mut record, watch)?,
            Lag::Real { slowdown } => self.real(planner, &noise, slowdown, &mut record, watch)?,
        }
        Ok(record)
    }

    /// Plans in force after a time of the plant.
    fn simulated(
        &mut self,
        planner: &mut dyn Planner,
        noise: &Noise<'_>,
        lag: f64,
        record: &mut Record,
        watch: &mut dyn FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let options = noise.options;
        let h = self.model.opt_timestep[0];
        let every = ((options.interval / h).round() as usize).max(1);
        let behind = (lag / h).round() as usize;
        let mut policy = planner.policy().clone();
        let mut next: Option<(usize, Policy)> = None;
        for step in 0..self.steps(options) {
            let state = State::of(&mut self.plant, 0)?;
            let seen = noise.seen(&self.model, &state, step);
            // what is planned now is in force after the lag
            if step % every == 0 {
                if let Some((_, waiting)) = next.take() {
                    policy = waiting;
                }
                record.iterations.push(planner.improve(&seen)?);
                record.times.push(state.time());
                next = Some((step + behind, planner.policy().clone()));
            }
            if next.as_ref().is_some_and(|(from, _)| step >= *from)
                && let Some((_, waiting)) = next.take()
            {
                policy = waiting;
            }
            if self.step(&policy, noise, &state, &seen, step, record, watch)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Plans in force when a planner on a thread of its own has them.
    fn real(
        &mut self,
        planner: &mut dyn Planner,
        noise: &Noise<'_>,
        slowdown: f64,
        record: &mut Record,
        watch: &mut dyn FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let h = self.model.opt_timestep[0];
        let steps = self.steps(noise.options);
        let mut policy = planner.policy().clone();
        std::thread::scope(|scope| {
            let (to_planner, states) = mpsc::sync_channel::<State>(0);
            let (to_plant, plans) = mpsc::channel::<Result<(Iteration, Policy, f64)>>();
            let planning = move || {
                while let Ok(state) = states.recv() {
                    let done = planner.improve(&state);
                    let done = done.map(|iteration| (iteration, planner.policy().clone(), state.time()));
                    let failed = done.is_err();
                    if to_plant.send(done).is_err() || failed {
                        break;
                    }
                }
            };
            std::thread::Builder::new().spawn_scoped(scope, planning).map_err(|e| {
                Error::Unsupported(format!("a planner beside its plant needs a thread of its own: {e}"))
            })?;
            let begin = Instant::now();
            for step in 0..steps {
                let state = State::of(&mut self.plant, 0)?;
                let seen = noise.seen(&self.model, &state, step);
                // a planner that waits gets the newest state
                let _ = to_planner.try_send(seen.clone());
                // the plant does not run ahead of its clock
                let due = Duration::from_secs_f64(slowdown * h * step as f64);
                if let Some(rest) = due.checked_sub(begin.elapsed()) {
                    std::thread::sleep(rest);
                }
                while let Ok(done) = plans.try_recv() {
                    let (iteration, newest, time) = done?;
                    record.iterations.push(iteration);
                    record.times.push(time);
                    policy = newest;
                }
                if self.step(&policy, noise, &state, &seen, step, record, watch)?.is_break() {
                    break;
                }
            }
            // what the planner still does counts too, its errors above all
            drop(to_planner);
            for done in plans {
                let (iteration, _, time) = done?;
                record.iterations.push(iteration);
                record.times.push(time);
            }
            Ok(())
        })
    }

    /// A step of the plant under a plan.
    fn step(
        &mut self,
        policy: &Policy,
        noise: &Noise<'_>,
        state: &State,
        seen: &State,
        step: usize,
        record: &mut Record,
        watch: &mut dyn FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let mut ctrl = vec![0.0; self.model.sizes.nu];
        let (qpos, qvel, act) = (seen.get("qpos"), seen.get("qvel"), seen.get("act"));
        policy.control(&self.model, state.time(), qpos, qvel, act, &mut ctrl);
        noise.act(policy, &mut ctrl, step);
        self.push(noise.options, state.time())?;
        self.plant.set("ctrl", .., &ctrl)?;
        self.plant.step(1)?;
        // the step has computed the sensors of the state that it leaves
        let sensors = self.plant.get("sensordata", ..)?.data.to_f64();
        let cost = self.objective.value(&sensors, false)?;
        for name in names(RECORDED) {
            record.fields.entry(name).or_default().extend(state.get(name));
        }
        record.fields.entry("ctrl").or_default().extend(&ctrl);
        record.fields.entry("sensordata").or_default().extend(&sensors);
        record.cost.push(cost);
        record.steps += 1;
        match self.objective.succeeded(&sensors) {
            Some(true) => record.success = record.success.or(Some(state.time())),
            _ => record.success = None,
        }
        if self.plant.status()?.iter().any(|bits| bits & DIVERGED != 0) {
            record.notice =
                Some(format!("the plant diverged at {:.3} s; the motion ends there", state.time()));
            record.success = None;
            return Ok(ControlFlow::Break(()));
        }
        // before the first iteration there is a plan that was made before, or none
        let none = Iteration::default();
        let iteration = record.iterations.last().unwrap_or(&none);
        let time = state.time() + self.model.opt_timestep[0];
        Ok(watch(&Moment { time, cost, iteration, iterations: record.iterations.len(), record }))
    }

    /// Sets the forces of the pushes at a time.
    fn push(&mut self, options: &LoopOptions, time: f64) -> Result<()> {
        if options.pushes.is_empty() {
            return Ok(());
        }
        let mut forces = vec![0.0; 6 * self.model.sizes.nbody];
        for push in
            options.pushes.iter().filter(|p| time >= p.time - 1e-9 && time < p.time + p.duration - 1e-9)
        {
            forces[6 * push.body..6 * push.body + 3].iter_mut().zip(push.force).for_each(|(to, f)| *to += f);
        }
        self.plant.set("xfrc_applied", .., &forces)
    }

    fn steps(&self, options: &LoopOptions) -> usize {
        (options.seconds / self.model.opt_timestep[0]).round() as usize
    }

    fn check(&self, options: &LoopOptions) -> Result<()> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let least = |x: f64| x >= 0.0 && x.is_finite();
        let numbers = [
            ("the time of a motion", options.seconds, positive(options.seconds)),
            ("the interval between iterations", options.interval, positive(options.interval)),
            ("the noise on controls", options.control_noise, least(options.control_noise)),
            ("the noise on the state", options.state_noise, least(options.state_noise)),
            match options.lag {
                Lag::Simulated(lag) => ("the lag of a plan", lag, least(lag)),
                Lag::Real { slowdown } => {
                    ("the slowdown of the plant", slowdown, positive(slowdown) && slowdown <= MAX_SLOWDOWN)
                }
            },
        ];
        if let Some((name, x, _)) = numbers.iter().find(|n| !n.2) {
            return Err(Error::Argument(format!("{name} is {x}, out of range")));
        }
        if let Lag::Simulated(lag) = options.lag
            && lag > options.interval * (1.0 + 1e-9)
        {
            let interval = options.interval;
            return Err(Error::Argument(format!(
                "a plan is late by {lag} s, but the next iteration begins after {interval} s; raise the interval"
            )));
        }
        if let Some(push) = options.pushes.iter().find(|p| p.body == 0 || p.body >= self.model.sizes.nbody) {
            return Err(Error::Argument(format!("there is no body {} that can be pushed", push.body)));
        }
        let bad =
            |p: &&Push| !(p.time.is_finite() && least(p.duration) && p.force.iter().all(|f| f.is_finite()));
        if let Some(push) = options.pushes.iter().find(bad) {
            let name = self.model.name(Kind::Body, push.body).unwrap_or("a body");
            return Err(Error::Argument(format!("the push of {name} has numbers that are not finite")));
        }
        Ok(())
    }
}
