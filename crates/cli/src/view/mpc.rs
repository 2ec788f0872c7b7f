//! The planner of a task on a thread of its own: it gets states and gives plans, and nothing waits for it.

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use manyworlds::batch::BatchOptions;
use manyworlds::cpu;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::planner::{Iteration, Planner};
use manyworlds_control::planning::policy::Policy;
use manyworlds_control::planning::settings::Settings;
use manyworlds_control::planning::state::State;

/// What the thread plans for.
#[derive(Clone, Debug)]
struct Order {
    model: Model,
    settings: Settings,
    objective: Objective,
    options: BatchOptions,
    /// Counts up with every order.
    number: u64,
}

/// What the thread has done.
struct Plan {
    order: u64,
    policy: Policy,
    iteration: Iteration,
    /// Positions at the knots, `[knots, nq]`.
    path: Vec<f64>,
    /// Time of the state from which it begins, s, and seconds that it took.
    from: f64,
    seconds: f64,
}

/// A planner beside the simulation.
#[derive(Debug)]
pub(crate) struct Mpc {
    order: Order,
    newest: Arc<Mutex<Order>>,
    states: SyncSender<(State, u64)>,
    plans: Receiver<Result<Plan>>,
    on: bool,
    policy: Option<Policy>,
    path: Vec<f64>,
    iteration: Iteration,
    iterations: u64,
    /// Order from which on plans count.
    since: u64,
    from: f64,
    seconds: f64,
    device: String,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan").field("from", &self.from).finish_non_exhaustive()
    }
}

impl Mpc {
    /// A planner for a task, with the settings of its file.
    ///
    /// # Errors
    /// As [`Objective::of_model`] and [`Settings::planner`].
    pub(crate) fn new(model: &Model, options: &BatchOptions) -> Result<Self> {
        let (objective, settings) = (Objective::of_model(model)?, Settings::of_model(model)?);
        let order = Order { model: model.clone(), settings, objective, options: options.clone(), number: 0 };
        // a task that cannot be planned is refused at once
        let planner = make(&order)?;
        let device = planner.device();
        let newest = Arc::new(Mutex::new(order.clone()));
        let (states, inbox) = mpsc::sync_channel(0);
        let (outbox, plans) = mpsc::channel();
        let shared = Arc::clone(&newest);
        std::thread::spawn(move || work(planner, &shared, &inbox, &outbox));
        Ok(Self {
            order,
            newest,
            states,
            plans,
            on: true,
            policy: None,
            path: Vec::new(),
            iteration: Iteration::default(),
            iterations: 0,
            since: 0,
            from: 0.0,
            seconds: 0.0,
            device,
        })
    }

    /// True if the plan moves the plant.
    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Switches the planner.
    pub(crate) fn set_on(&mut self, on: bool) {
        self.on = on;
        if !on {
            self.forget();
        }
    }

    /// Settings of the planner.
    pub(super) fn settings(&self) -> &Settings {
        &self.order.settings
    }

    /// Costs.
    pub(super) fn objective(&self) -> &Objective {
        &self.order.objective
    }

    /// Device that plans.
    pub(super) fn device(&self) -> &str {
        &self.device
    }

    /// The last iteration, and the number of all.
    pub(crate) fn iteration(&self) -> (&Iteration, u64) {
        (&self.iteration, self.iterations)
    }

    /// Age of the plan in force at a time of the plant, s; and seconds that the last iteration took.
    pub(super) fn lag(&self, time: f64) -> Option<(f64, f64)> {
        self.policy.as_ref().map(|_| (time - self.from, self.seconds))
    }

    /// Planned positions, `[knots, nq]`.
    pub(super) fn path(&self) -> &[f64] {
        &self.path
    }

    /// Plans by other settings from the next iteration on.
    ///
    /// # Errors
    /// As [`Settings::check`].
    pub(super) fn set_settings(&mut self, settings: Settings) -> Result<()> {
        settings.check()?;
        self.order.settings = settings;
        self.send();
        Ok(())
    }

    /// Plans for a changed plant from the next iteration on, with the weights of its costs.
    ///
    /// # Errors
    /// As [`Objective::of_model`].
    pub(super) fn set_plant(&mut self, model: &Model) -> Result<()> {
        self.order.objective = Objective::of_model(model)?;
        if model.sizes != self.order.model.sizes {
            self.order.settings = Settings::of_model(model)?;
            self.forget();
        }
        self.order.model = model.clone();
        self.send();
        Ok(())
    }

    /// Forgets the plan in force, as after a reset.
    pub(super) fn forget(&mut self) {
        self.policy = None;
        self.path.clear();
        self.send();
        self.since = self.order.number;
    }

    fn send(&mut self) {
        self.order.number += 1;
        if let Ok(mut newest) = self.newest.lock() {
            *newest = self.order.clone();
        }
    }

    /// Offers the thread a state: it takes it if it has nothing to do.
    pub(super) fn offer(&self, state: State) {
        let _ = self.states.try_send((state, self.order.number));
    }

    /// Takes what the thread has done; a line about what went wrong, if so.
    pub(super) fn receive(&mut self) -> Option<String> {
        let mut notice = None;
        while let Ok(done) = self.plans.try_recv() {
            match done {
                Ok(plan) if plan.order >= self.since => {
                    notice = plan.iteration.notice.clone().or(notice);
                    self.policy = Some(plan.policy);
                    self.path = plan.path;
                    self.iteration = plan.iteration;
                    self.iterations += 1;
                    (self.from, self.seconds) = (plan.from, plan.seconds);
                }
                Ok(_) => {}
                Err(why) => {
                    self.on = false;
                    notice = Some(format!("{why}; the planner is off"));
                }
            }
        }
        notice
    }

    /// Controls of the plan in a state; false if there is no plan yet.
    pub(super) fn control(&self, model: &Model, state: &State, ctrl: &mut [f64]) -> bool {
        let Some(policy) = self.policy.as_ref().filter(|p| p.nu() == ctrl.len()) else { return false };
        let (qpos, qvel, act) = (state.get("qpos"), state.get("qvel"), state.get("act"));
        policy.control(model, state.time(), qpos, qvel, act, ctrl);
        true
    }
}

fn make(order: &Order) -> Result<Box<dyn Planner>> {
    order.settings.planner(&order.model, &order.objective, order.number, &order.options)
}

/// The thread: until the window is gone.
fn work(
    mut planner: Box<dyn Planner>,
    newest: &Mutex<Order>,
    states: &Receiver<(State, u64)>,
    plans: &mpsc::Sender<Result<Plan>>,
) {
    let mut current = 0;
    while let Ok((state, number)) = states.recv() {
        // settings, weights or the plant have changed
        if number != current {
            let Some(order) = newest.lock().ok().map(|order| order.clone()) else { return };
            current = order.number;
            match make(&order) {
                Ok(made) => planner = made,
                Err(why) => {
                    if plans.send(Err(why)).is_err() {
                        return;
                    }
                    continue;
                }
            }
        }
        let begin = Instant::now();
        let done = planner.improve(&state).map(|iteration| {
            let path = match planner.path() {
                [] => path(planner.as_ref(), &state),
                path => path.to_vec(),
            };
            let seconds = begin.elapsed().as_secs_f64();
            Plan {
                order: current,
                policy: planner.policy().clone(),
                iteration,
                path,
                from: state.time(),
                seconds,
            }
        });
        if plans.send(done).is_err() {
            return;
        }
    }
}

/// Positions under a plan without feedback, `[knots, nq]`: one world on this thread.
fn path(planner: &dyn Planner, start: &State) -> Vec<f64> {
    let (model, policy) = (planner.model(), planner.policy());
    let horizon = policy.interval * policy.within().len().saturating_sub(1) as f64;
    let steps = (horizon / model.opt_timestep[0]).round().clamp(0.0, 1000.0) as usize;
    let capacity = manyworlds::batch::probe(model);
    let mut data = Data { capacity_limit: capacity, ..Data::new(model, capacity) };
    for name in start.names() {
        if let Some(manyworlds::schema::ValuesMut::Real(to)) = data.get_mut(name)
            && to.len() == start.get(name).len()
        {
            to.copy_from_slice(start.get(name));
        }
    }
    let mut all = data.qpos.clone();
    for _ in 0..steps {
        let time = data.time[0];
        policy.open_loop(time, &mut data.ctrl);
        cpu::step(model, &mut data);
        all.extend_from_slice(&data.qpos);
    }
    all
}
