//! The simulation behind the window: worlds that step with a clock, forth and back, under the hands of a user.

use std::time::{Duration, Instant};

use glam::DVec3;
use manyworlds::analysis::perturb::{self, Perturb};
use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::cpu;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::model::state::{DIVERGED, keyframe_fields};
use manyworlds::schema::enums::{state, status};
use manyworlds::schema::stages::Stage;
use manyworlds::schema::{Kind, ValuesMut};
use manyworlds_control::planning::state::State;

use super::carry;
use super::clock::Clock;
use super::history::History;
use super::mpc::Mpc;
use super::noise::Noise;
use super::source::Source;

/// Numbers of a state of all worlds above which it is kept once for a picture, not for every step.
const LARGE_STATE: usize = 1 << 13;

/// Worlds of a model, and everything that a user does to them.
#[derive(Debug)]
pub(super) struct Session {
    /// The model as it is stepped, changes of the user included.
    model: Model,
    batch: Batch,
    options: BatchOptions,
    source: Option<Source>,
    /// The chosen world, and what it holds.
    chosen: usize,
    data: Data,
    /// Pace.
    pub(super) clock: Clock,
    /// Noise on the controls of all worlds.
    pub(super) noise: Noise,
    history: History,
    /// Selection and pull.
    pub(super) perturb: Perturb,
    /// Body that a pull has acted on in the last step.
    pulled: usize,
    /// Planner, with a task.
    pub(super) mpc: Option<Mpc>,
    running: bool,
    /// True if the chosen world was changed by hand since it was computed.
    stale: bool,
    notice: Option<String>,
    /// Bits of status that were told.
    told: i32,
    key: Option<usize>,
    steps: u64,
    resets: u64,
    step_seconds: f64,
    /// Counts up whenever the model is another one.
    generation: u64,
}

/// Resets all worlds and computes what follows; with a task of reinforcement learning, episodes begin.
fn begin(batch: &mut Batch, key: Option<usize>) -> Result<()> {
    if batch.model().task.is_some() && key.is_none() {
        return batch.begin_episodes(&vec![true; batch.worlds()]);
    }
    batch.reset_all(key)?;
    batch.forward()
}

/// Bits of a state vector that is gone back to.
const PARTS: i32 = state::INTEGRATION;

impl Session {
    /// Worlds in their initial state, or in that of a keyframe.
    ///
    /// # Errors
    /// As [`Batch::new`] and [`Batch::reset`].
    pub(super) fn new(
        model: &Model,
        source: Option<Source>,
        worlds: usize,
        options: &BatchOptions,
        key: Option<usize>,
    ) -> Result<Self> {
        let mut batch = Batch::new(model, worlds, options)?;
        begin(&mut batch, key)?;
        let first = batch.get_state(PARTS)?.data.to_f64();
        let data = batch.world(0)?;
        let notice = batch.notice().map(str::to_owned);
        Ok(Self {
            model: batch.model().clone(),
            batch,
            options: options.clone(),
            source,
            chosen: 0,
            data,
            clock: Clock::new(model.vis_global_realtime[0]),
            noise: Noise::default(),
            history: History::new(first),
            perturb: Perturb::default(),
            pulled: 0,
            mpc: None,
            running: true,
            stale: false,
            notice,
            told: 0,
            key,
            steps: 0,
            resets: 0,
            step_seconds: 0.0,
            generation: 0,
        })
    }

    /// The model as it is stepped.
    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    /// The chosen world.
    pub(super) fn data(&self) -> &Data {
        &self.data
    }

    /// The worlds.
    pub(super) fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Number of worlds.
    pub(super) fn worlds(&self) -> usize {
        self.batch.worlds()
    }

    /// Backend and device.
    pub(super) fn device(&self) -> String {
        self.batch.device()
    }

    /// Backend that steps the worlds.
    pub(super) fn backend(&self) -> Backend {
        self.batch.backend()
    }

    /// Number of the chosen world.
    pub(super) fn chosen(&self) -> usize {
        self.chosen
    }

    /// True unless the simulation is paused.
    pub(super) fn is_running(&self) -> bool {
        self.running
    }

    /// Steps so far, those that were gone back included.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Resets by hand so far.
    pub(super) fn resets(&self) -> u64 {
        self.resets
    }

    /// Seconds of the last step.
    pub(super) fn step_seconds(&self) -> f64 {
        self.step_seconds
    }

    /// A number that changes when the model does.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Number of states to go back to, and the place of the current one.
    pub(super) fn history(&self) -> (usize, usize) {
        (self.history.len(), self.history.place())
    }

    /// What went wrong last.
    pub(super) fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Shows a line, or none.
    pub(super) fn tell(&mut self, line: Option<String>) {
        self.notice = line;
    }

    /// Shows what went wrong and pauses: the window goes on.
    pub(super) fn failed(&mut self, error: &Error) {
        self.notice = Some(error.to_string());
        self.running = false;
    }

    /// Pauses, or goes on.
    pub(super) fn pause(&mut self, paused: bool) {
        self.running = !paused;
        self.clock.restart();
    }

    /// Chooses a world.
    pub(super) fn choose(&mut self, world: usize) -> Result<()> {
        self.chosen = world.min(self.batch.worlds() - 1);
        self.perturb = Perturb::default();
        self.told = 0;
        self.look()
    }

    /// Goes on for `wall` seconds of wall-clock time, or as far as the worlds get within `budget`. Returns the steps taken.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub(super) fn advance(&mut self, wall: f64, budget: Duration) -> Result<usize> {
        if let Some(mpc) = &mut self.mpc
            && let Some(why) = mpc.receive()
        {
            self.notice = Some(why);
        }
        if !self.running {
            self.hold()?;
            return Ok(0);
        }
        let timestep = self.timestep();
        let due = self.clock.steps(wall, timestep);
        let (begin, mut taken) = (Instant::now(), 0);
        // a pull and a plan follow the state of every step; on the GPU they follow that of a picture
        let each = self.backend() == Backend::Cpu;
        while taken < due && (taken == 0 || begin.elapsed() < budget) {
            let count = if each { 1 } else { due };
            self.step(count)?;
            taken += count;
        }
        self.clock.took(taken, timestep, wall);
        if taken > 0 {
            self.step_seconds = begin.elapsed().as_secs_f64() / taken as f64;
            if self.is_large() {
                self.keep()?;
            }
        } else if self.stale {
            self.refresh()?;
        }
        Ok(taken)
    }

    /// Goes to the next state: that of the history, or that after a step.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub(super) fn forwards(&mut self) -> Result<()> {
        self.pause(true);
        if !self.history.is_newest() {
            return self.go(self.history.place() + 1);
        }
        self.step(1)?;
        if self.is_large() {
            self.keep()?;
        }
        Ok(())
    }

    /// Goes back to the state before.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub(super) fn backwards(&mut self) -> Result<()> {
        self.pause(true);
        self.go(self.history.place().saturating_sub(1))
    }

    /// Goes to a state of the history, 0 for the oldest.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub(super) fn go(&mut self, place: usize) -> Result<()> {
        self.running = false;
        self.noise.restart();
        let Some(state) = self.history.go(place) else { return Ok(()) };
        self.batch.set_state(PARTS, state)?;
        self.refresh()?;
        // what forward dynamics changes is no part of this state
        if let Some(state) = self.history.go(place) {
            self.batch.set_state(PARTS, state)?;
        }
        Ok(())
    }

    /// Resets all worlds to the initial state, or to a keyframe.
    ///
    /// # Errors
    /// As [`Batch::reset`].
    pub(super) fn reset(&mut self, key: Option<usize>) -> Result<()> {
        begin(&mut self.batch, key)?;
        self.key = key;
        self.perturb.end();
        self.noise.restart();
        self.pulled = 0;
        self.told = 0;
        self.notice = None;
        self.resets += 1;
        self.clock.restart();
        self.stale = false;
        self.look()?;
        self.history = History::new(self.batch.get_state(PARTS)?.data.to_f64());
        if let Some(mpc) = &mut self.mpc {
            mpc.forget();
        }
        Ok(())
    }

    /// Resets to where the last reset led, as Backspace does.
    ///
    /// # Errors
    /// As [`Session::reset`].
    pub(super) fn reset_again(&mut self) -> Result<()> {
        self.reset(self.key)
    }

    /// Selects a body at a point of the chosen world.
    pub(super) fn select(&mut self, body: usize, point: DVec3) {
        if body < self.model.sizes.nbody {
            self.perturb.select(&self.data, body, point);
        }
    }

    /// Sets a number of a field of the chosen world: a control, a position, whether an equality holds.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that cannot be set.
    pub(super) fn set(&mut self, field: &str, place: usize, value: f64) -> Result<()> {
        let mut values = self.data.get(field).map(|v| v.to_f64()).unwrap_or_default();
        let Some(to) = values.get_mut(place) else { return Ok(()) };
        *to = value;
        if field == "ctrl" {
            // what is set by hand is without noise
            self.noise.forget(self.chosen, self.model.sizes.nu, place);
        }
        self.batch.set_worlds(field, &self.mask(), &values)?;
        match self.data.get_mut(field) {
            Some(ValuesMut::Real(all)) => all[place] = value,
            Some(ValuesMut::Int(all)) => all[place] = value as i32,
            None => {}
        }
        self.stale = true;
        if !self.running {
            self.history.replace(self.batch.get_state(PARTS)?.data.to_f64());
        }
        Ok(())
    }

    /// Sets all controls of the chosen world to zero.
    ///
    /// # Errors
    /// As [`Session::set`].
    pub(super) fn clear_controls(&mut self) -> Result<()> {
        (0..self.model.sizes.nu).try_for_each(|i| self.set("ctrl", i, 0.0))
    }

    /// Changes the model while it runs: options, flags, weights of costs. A change that is refused is taken back.
    ///
    /// # Errors
    /// As [`Batch::new`].
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Model)) -> Result<()> {
        let mut model = self.model.clone();
        change(&mut model);
        if model == self.model {
            return Ok(());
        }
        let state = self.batch.get_state(PARTS)?.data.to_f64();
        // room for contacts as there is now
        let capacity = Some(Capacity::of(self.batch.sizes()));
        let options = BatchOptions { capacity, ..self.options.clone() };
        let mut batch = Batch::new(&model, self.batch.worlds(), &options)?;
        batch.set_state(PARTS, &state)?;
        self.batch = batch;
        self.model = model;
        self.stale = true;
        if let Some(mpc) = &mut self.mpc {
            mpc.set_plant(&self.model)?;
        }
        if !self.running {
            self.refresh()?;
        }
        Ok(())
    }

    /// Reads the model again if its files have changed; true if there is another model now. A broken file is told, and the
    /// old model goes on.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub(super) fn reload_if_changed(&mut self) -> Result<bool> {
        if self.source.as_ref().is_some_and(Source::is_changed) { self.reload() } else { Ok(false) }
    }

    /// Reads the model again, and goes on with as much of the state as fits.
    ///
    /// # Errors
    /// As [`Session::reload_if_changed`].
    pub(super) fn reload(&mut self) -> Result<bool> {
        let Some(source) = &mut self.source else { return Ok(false) };
        let name = source.path().display().to_string();
        let task = self.model.task.clone();
        let made = source.read().and_then(|mut model| {
            if let Some(program) = task {
                model.set_task(program.task())?;
            }
            let batch = Batch::new(&model, self.batch.worlds(), &self.options)?;
            Ok((model, batch))
        });
        match made {
            Ok((_, batch)) => {
                self.replace(batch)?;
                self.notice = Some(format!("{name} was read again"));
                Ok(true)
            }
            Err(Error::Device(why)) => Err(Error::Device(why)),
            Err(error) => {
                self.notice = Some(format!("{error}; the model as it was before goes on"));
                Ok(false)
            }
        }
    }

    /// Goes on in worlds of another model.
    fn replace(&mut self, mut batch: Batch) -> Result<()> {
        let model = batch.model().clone();
        for world in 0..batch.worlds() {
            let from = self.batch.world(world)?;
            let mut to = Data::new(&model, Capacity::NONE);
            carry::carry((&self.model, &from), (&model, &mut to));
            let mask: Vec<bool> = (0..batch.worlds()).map(|w| w == world).collect();
            for field in keyframe_fields().map(|(field, _)| field.name) {
                let values = to.get(field).map(|v| v.to_f64()).unwrap_or_default();
                if batch.has(field) && !values.is_empty() {
                    batch.set_worlds(field, &mask, &values)?;
                }
            }
        }
        let selected = carry::counterpart(&self.model, &model, Kind::Body, self.perturb.body);
        let local = self.perturb.local;
        self.perturb = Perturb { body: selected.unwrap_or(0), local, ..Perturb::default() };
        self.noise.restart();
        self.key = self.key.filter(|k| *k < model.sizes.nkey);
        self.batch = batch;
        self.model = model;
        self.pulled = 0;
        self.told = 0;
        self.generation += 1;
        self.refresh()?;
        self.history = History::new(self.batch.get_state(PARTS)?.data.to_f64());
        if let Some(mpc) = &mut self.mpc
            && let Err(why) = mpc.set_plant(&self.model)
        {
            self.mpc = None;
            self.notice = Some(format!("{why}; the planner is gone"));
        }
        Ok(())
    }

    /// A world with all that follows from its positions and velocities, which kernels keep only where they need it.
    ///
    /// # Errors
    /// As [`Batch::world`].
    pub(super) fn world(&mut self, world: usize) -> Result<Data> {
        let mut data = self.batch.world(world)?;
        if self.backend() == Backend::Gpu {
            let stages = [Stage::kinematics, Stage::com_pos, Stage::camlight, Stage::tendon, Stage::com_vel];
            stages.into_iter().for_each(|stage| cpu::run_stage(stage, &self.model, &mut data));
        }
        Ok(data)
    }

    /// A number of every world, to colour them by or to find the worst.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that there is not.
    pub(super) fn numbers(&mut self, field: &str, place: usize) -> Result<Vec<f64>> {
        let worlds = self.worlds();
        let all = self.batch.get(field)?.data.to_f64();
        let width = all.len() / worlds;
        if place >= width {
            return Err(Error::Argument(format!("'{field}' has {width} numbers, there is no {place}")));
        }
        Ok(all.chunks(width).map(|row| row[place]).collect())
    }

    /// True for worlds that have diverged since they were reset.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub(super) fn diverged(&mut self) -> Result<Vec<bool>> {
        Ok(self.batch.status()?.iter().map(|bits| bits & DIVERGED != 0).collect())
    }

    /// Steps all worlds.
    fn step(&mut self, count: usize) -> Result<()> {
        // from a state that was gone back to, its own bits go on
        if !self.history.is_newest()
            && let Some(state) = self.history.go(self.history.place())
        {
            self.batch.set_state(PARTS, state)?;
        }
        self.pull()?;
        self.pose()?;
        self.plan()?;
        self.disturb(count)?;
        let skip = self.frame_skip();
        if self.model.task.is_some() {
            (0..count).try_for_each(|_| self.batch.step_task())?;
        } else {
            self.batch.step(count)?;
        }
        self.steps += (count * skip) as u64;
        self.stale = false;
        if !self.is_large() {
            self.keep()?;
        }
        self.look()
    }

    /// Steps of the model in a step of the worlds: those of an environment have several.
    fn frame_skip(&self) -> usize {
        self.model.task.as_ref().map_or(1, |program| program.task().frame_skip.max(1))
    }

    /// Simulated seconds of a step of the worlds.
    pub(super) fn timestep(&self) -> f64 {
        self.frame_skip() as f64 * self.model.opt_timestep[0]
    }

    /// True if the state of all worlds is kept once a picture only.
    fn is_large(&self) -> bool {
        self.backend() != Backend::Cpu
            || self.batch.worlds() * (self.model.sizes.nq + 2 * self.model.sizes.nv) > LARGE_STATE
    }

    /// Adds the current state to the history.
    fn keep(&mut self) -> Result<()> {
        self.history.push(self.batch.get_state(PARTS)?.data.to_f64());
        Ok(())
    }

    /// What a user does to a world that stands still.
    fn hold(&mut self) -> Result<()> {
        if self.pose()? {
            self.history.replace(self.batch.get_state(PARTS)?.data.to_f64());
        }
        if self.stale { self.refresh() } else { Ok(()) }
    }

    /// Computes what follows from the state, and looks at it.
    fn refresh(&mut self) -> Result<()> {
        self.batch.forward()?;
        self.stale = false;
        self.look()
    }

    /// Reads the chosen world, and tells what its status says.
    fn look(&mut self) -> Result<()> {
        self.data = self.world(self.chosen)?;
        let new = self.data.status.first().copied().unwrap_or(0) & !self.told;
        if new != 0 {
            let words = status::WORDS.iter().filter(|(_, bit)| new & bit != 0);
            let words: Vec<&str> = words.map(|(word, _)| *word).collect();
            let (time, world) = (self.data.time[0], self.chosen);
            let what = if new & DIVERGED != 0 { "; it was reset" } else { "" };
            self.notice = Some(format!("world {world} at {time:.3} s: {}{what}", words.join(", ")));
            self.told |= new;
        }
        Ok(())
    }

    /// Mask of the chosen world.
    fn mask(&self) -> Vec<bool> {
        (0..self.batch.worlds()).map(|w| w == self.chosen).collect()
    }

    /// Sets the force of the pull, or takes away that of the last one.
    fn pull(&mut self) -> Result<()> {
        let force = match perturb::mocap(&self.model, self.perturb.body) {
            Some(_) => None,
            None => self.perturb.force(&self.model, &self.data)?,
        };
        if force.is_none() && self.pulled == 0 {
            return Ok(());
        }
        let mut forces = vec![0.0; 6 * self.model.sizes.nbody];
        self.pulled = 0;
        if let Some(force) = force {
            self.pulled = self.perturb.body;
            forces[6 * self.pulled..6 * self.pulled + 6].copy_from_slice(&force);
        }
        self.batch.set_worlds("xfrc_applied", &self.mask(), &forces)
    }

    /// Moves the selected body directly: a mocap body always, one that floats while the simulation is paused. True if so.
    fn pose(&mut self) -> Result<bool> {
        let Some((pos, quat)) = self.perturb.pose(&self.model, &self.data) else { return Ok(false) };
        let body = self.perturb.body;
        if let Some(id) = perturb::mocap(&self.model, body) {
            self.put("mocap_pos", 3 * id, &pos)?;
            self.put("mocap_quat", 4 * id, &quat)?;
        } else if !self.running
            && let Some(first) = perturb::free_joint(&self.model, body)
        {
            self.put("qpos", first, &pos)?;
            self.put("qpos", first + 3, &quat)?;
        } else {
            return Ok(false);
        }
        self.stale = true;
        Ok(true)
    }

    /// Writes numbers of a field of the chosen world from a place on.
    fn put(&mut self, field: &str, first: usize, values: &[f64]) -> Result<()> {
        let mut all = self.data.get(field).map(|v| v.to_f64()).unwrap_or_default();
        all.iter_mut().skip(first).zip(values).for_each(|(to, x)| *to = *x);
        self.batch.set_worlds(field, &self.mask(), &all)?;
        if let Some(ValuesMut::Real(to)) = self.data.get_mut(field) {
            to.copy_from_slice(&all);
        }
        Ok(())
    }

    /// Replaces the noise on the controls by that of the next steps.
    fn disturb(&mut self, count: usize) -> Result<()> {
        if !self.noise.acts() || self.model.sizes.nu == 0 {
            return Ok(());
        }
        let mut ctrl = self.batch.get("ctrl")?.data.to_f64();
        let seconds = count as f64 * self.timestep();
        self.noise.change(&self.model, &mut ctrl, seconds);
        self.batch.set("ctrl", &ctrl)
    }

    /// Controls of the plan in force, and the state for the next one.
    fn plan(&mut self) -> Result<()> {
        let Some(mpc) = self.mpc.as_mut().filter(|mpc| mpc.is_on()) else { return Ok(()) };
        if let Some(why) = mpc.receive() {
            self.notice = Some(why);
        }
        let state = State::of(&mut self.batch, self.chosen)?;
        let mut ctrl = vec![0.0; self.model.sizes.nu];
        let has_plan = mpc.control(&self.model, &state, &mut ctrl);
        mpc.offer(state);
        if has_plan {
            (0..ctrl.len()).for_each(|i| self.noise.forget(self.chosen, ctrl.len(), i));
            let mask = self.mask();
            self.batch.set_worlds("ctrl", &mask, &ctrl)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::analysis::perturb::Mode;
    use manyworlds::schema::enums::{disable, enable};
    use std::path::Path;
    use std::time::SystemTime;

    const BALL: &str = "<mujoco><worldbody><body name='ball' pos='0 0 1'><freejoint/><geom size='.1'/></body>\
        <body name='hand' mocap='true' pos='1 0 0'><geom size='.1'/></body>\
        <body name='arm' pos='-1 0 1'><joint name='hinge' axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 .5 0 0'/>\
        </body><geom type='plane' size='5 5 .1'/></worldbody><actuator><motor joint='hinge'/></actuator>\
        <keyframe><key name='high' qpos='0 0 3 1 0 0 0 0.5'/></keyframe></mujoco>";

    fn open(worlds: usize) -> Session {
        let model = manyworlds::load_str(BALL).unwrap();
        Session::new(&model, None, worlds, &BatchOptions::on(Backend::Cpu), None).unwrap()
    }

    fn second(session: &mut Session) {
        (0..60).for_each(|_| {
            session.advance(1.0 / 60.0, Duration::MAX).unwrap();
        });
    }

    #[test]
    fn a_simulation_keeps_time_with_the_wall() {
        let mut session = open(1);
        second(&mut session);
        assert!((session.data().time[0] - 1.0).abs() < 0.003, "{}", session.data().time[0]);
        session.clock.change(false);
        session.clock.change(false);
        session.clock.change(false);
        second(&mut session);
        assert!((session.data().time[0] - 1.5).abs() < 0.005, "{}", session.data().time[0]);
        session.pause(true);
        second(&mut session);
        assert!((session.data().time[0] - 1.5).abs() < 0.005);
    }

    #[test]
    fn a_machine_that_is_too_slow_is_told_by_its_speed_and_answers_all_the_same() {
        let mut session = open(1);
        for _ in 0..60 {
            assert_eq!(session.advance(1.0 / 60.0, Duration::ZERO).unwrap(), 1);
        }
        assert!(session.clock.measured() < 0.2, "{}", session.clock.measured());
    }

    #[test]
    fn steps_back_and_forth_have_the_same_bits() {
        let mut session = open(1);
        session.set("ctrl", 0, 0.3).unwrap();
        session.pause(true);
        let mut states = Vec::new();
        for _ in 0..300 {
            states.push((session.data().time[0], session.batch().get("qpos").unwrap()));
            session.forwards().unwrap();
        }
        for _ in 0..20 {
            session.backwards().unwrap();
        }
        assert_eq!(session.history(), (301, 280));
        assert_eq!(session.batch().get("qpos").unwrap(), states[280].1);
        // forth through what was, then once more from there
        session.forwards().unwrap();
        assert_eq!(session.batch().get("qpos").unwrap(), states[281].1);
        session.pause(false);
        session.go(250).unwrap();
        assert!(!session.is_running());
        session.pause(false);
        for place in 251..270 {
            session.advance(0.002, Duration::MAX).unwrap();
            assert_eq!(session.batch().get("qpos").unwrap(), states[place].1, "{place}");
        }
        assert_eq!(session.history(), (270, 269));
    }

    #[test]
    fn resets_go_to_where_they_are_asked_to() {
        let mut session = open(2);
        second(&mut session);
        session.reset(Some(0)).unwrap();
        assert_eq!((session.data().qpos[2], session.data().time[0], session.history()), (3.0, 0.0, (1, 0)));
        second(&mut session);
        session.reset_again().unwrap();
        assert_eq!((session.data().qpos[2], session.resets()), (3.0, 2));
        session.reset(None).unwrap();
        assert_eq!(session.data().qpos[2], 1.0);
        assert!(session.reset(Some(7)).is_err());
    }

    #[test]
    fn a_pull_lifts_a_ball_and_lets_it_go() {
        let mut session = open(2);
        session.choose(1).unwrap();
        session.select(1, DVec3::new(0.0, 0.0, 1.0));
        let (model, data) = (session.model().clone(), session.data().clone());
        session.perturb.begin(&model, &data, Mode::Translate);
        session.perturb.target.z = 2.0;
        (0..3).for_each(|_| second(&mut session));
        // gravity is left of the spring: g over the stiffness
        let height = 2.0 - 9.81 / session.model().vis_map_stiffness[0];
        assert!((session.data().qpos[2] - height).abs() < 0.02, "{}", session.data().qpos[2]);
        let others = session.batch().get("qpos").unwrap().data.to_f64();
        assert!(others[2] < 0.2, "the other world is not pulled");
        session.perturb.end();
        (0..3).for_each(|_| second(&mut session));
        assert!(session.data().qpos[2] < 0.2);
        assert!(session.data().xfrc_applied.iter().all(|f| *f == 0.0));
    }

    #[test]
    fn mocap_bodies_follow_and_floating_ones_do_while_paused() {
        let mut session = open(1);
        session.select(2, DVec3::new(1.0, 0.0, 0.0));
        let (model, data) = (session.model().clone(), session.data().clone());
        session.perturb.begin(&model, &data, Mode::Translate);
        session.perturb.target.x = 1.5;
        session.advance(0.01, Duration::MAX).unwrap();
        assert_eq!(session.data().mocap_pos, [1.5, 0.0, 0.0]);
        session.pause(true);
        session.select(1, DVec3::new(0.0, 0.0, 1.0));
        session.perturb.begin(&model, &data, Mode::Translate);
        session.perturb.target.z = 4.0;
        session.advance(0.01, Duration::MAX).unwrap();
        assert!((session.data().qpos[2] - 4.0).abs() < 0.01 && session.data().xpos[5] > 3.9);
    }

    #[test]
    fn options_change_while_it_runs_and_what_is_refused_stays() {
        let mut session = open(2);
        second(&mut session);
        let before = session.data().qpos.clone();
        session.change(|m| m.opt_disableflags[0] |= disable::GRAVITY | disable::CONTACT).unwrap();
        assert_eq!(session.batch().get("qpos").unwrap().data.to_f64()[..8], before[..]);
        session.set("qvel", 2, 1.0).unwrap();
        second(&mut session);
        assert!(session.data().qpos[2] > before[2] + 0.9);
        assert!(session.model().disabled(disable::GRAVITY));
        // a change that no batch takes
        assert!(session.change(|m| m.opt_enableflags[0] |= enable::IPC).is_err());
        assert!(!session.model().enabled(enable::IPC));
        second(&mut session);
    }

    #[test]
    fn an_environment_moves_by_its_actions_and_earns_rewards() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let mut model = manyworlds::load(&folder.join("cartpole.xml")).unwrap();
        let text = std::fs::read_to_string(folder.join("tasks/cartpole_swing_up.json")).unwrap();
        model.set_task(&manyworlds::model::task::Task::from_json(&text).unwrap()).unwrap();
        let mut session = Session::new(&model, None, 4, &BatchOptions::on(Backend::Cpu), None).unwrap();
        let before = session.numbers("qpos", 0).unwrap();
        assert!(before.windows(2).any(|w| w[0] != w[1]), "episodes begin at random");
        session.choose(3).unwrap();
        session.set("action", 0, 1.0).unwrap();
        second(&mut session);
        assert!(
            (session.data().time[0] - 1.0).abs() < 2.0 * session.timestep(),
            "{}",
            session.data().time[0]
        );
        assert_eq!(session.data().ctrl, [1.0]);
        assert!(session.numbers("reward", 0).unwrap().iter().any(|r| *r != 0.0));
        let moved = session.numbers("qpos", 0).unwrap();
        assert!(moved[3] - before[3] > moved[0] - before[0]);
    }

    #[test]
    fn worlds_that_diverge_are_told_and_the_others_go_on() {
        let mut session = open(3);
        session.choose(2).unwrap();
        session.set("qvel", 0, 1e20).unwrap();
        second(&mut session);
        assert!(
            session.notice().is_some_and(|n| n.contains("world 2") && n.contains("bad_qvel")),
            "{:?}",
            session.notice()
        );
        assert_eq!(session.diverged().unwrap(), [false, false, true]);
        assert_eq!(session.numbers("qpos", 2).unwrap().len(), 3);
        assert!(session.numbers("qpos", 99).is_err() && session.numbers("qpox", 0).is_err());
        assert!(session.is_running());
    }

    #[test]
    fn a_changed_file_is_read_again_and_a_broken_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ball.xml");
        let write = |path: &Path, text: &str, age: u64| {
            std::fs::write(path, text).unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        write(&path, BALL, 100);
        let (model, source) = (manyworlds::load(&path).unwrap(), Source::new(&path));
        let mut session =
            Session::new(&model, Some(source), 2, &BatchOptions::on(Backend::Cpu), None).unwrap();
        session.set("qpos", 7, 0.7).unwrap();
        session.set("ctrl", 0, 0.1).unwrap();
        session.select(3, DVec3::ZERO);
        assert!(!session.reload_if_changed().unwrap());
        write(&path, &BALL.replace("name='hinge'", "name='hinge' type='bal'"), 90);
        assert!(!session.reload_if_changed().unwrap());
        assert!(session.notice().is_some_and(|n| n.contains("ball.xml:1")), "{:?}", session.notice());
        assert_eq!((session.data().qpos[7], session.generation()), (0.7, 0));
        // another body before the others
        write(
            &path,
            &BALL.replace("<worldbody>", "<worldbody><body name='new'><geom size='.1'/></body>"),
            80,
        );
        assert!(session.reload_if_changed().unwrap());
        assert_eq!((session.model().sizes.nbody, session.generation()), (5, 1));
        assert_eq!((session.data().qpos[7], session.data().ctrl[0], session.perturb.body), (0.7, 0.1, 4));
        second(&mut session);
    }
}
