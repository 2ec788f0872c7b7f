//! The simulation behind the window: worlds that step with a clock, forth and back, under the hands of a user.

mod advance;
mod edit;
mod reload;

use std::sync::Arc;

use manyworlds::analysis::perturb::Perturb;
use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::cpu;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::state::DIVERGED;
use manyworlds::schema::enums::{state, status};
use manyworlds::schema::stages::Stage;
use manyworlds_render::interaction::{Acting, Clock, Pull};

use super::history::History;
use super::model_files::ModelFiles;
use super::mpc::Mpc;
use super::noise::Noise;

/// Worlds of a model, and everything that a user does to them.
#[derive(Debug)]
pub(crate) struct Session {
    /// The worlds, of the model with the changes of the user.
    batch: Batch,
    options: BatchOptions,
    source: Option<ModelFiles>,
    /// The chosen world, and what it holds.
    chosen: usize,
    data: Data,
    /// Pace.
    pub(crate) clock: Clock,
    /// Noise on the controls of all worlds.
    pub(crate) noise: Noise,
    history: History,
    /// Selection and pull.
    pub(crate) pull: Pull,
    /// Planner, with a task.
    pub(crate) mpc: Option<Mpc>,
    /// Policy and commands of environments.
    acting: Acting,
    running: bool,
    /// True if the chosen world was changed by hand since it was computed.
    stale: bool,
    notice: Option<String>,
    /// Bits of status that the notice has named.
    reported: i32,
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
        return batch.begin_episodes(..);
    }
    batch.reset(.., key)?;
    batch.forward()
}

/// Bits of a state vector that is gone back to.
const STATE: i32 = state::INTEGRATION;

impl Session {
    /// Worlds in their initial state, or in that of a keyframe.
    ///
    /// # Errors
    /// As [`Batch::new`] and [`Batch::reset`].
    pub(crate) fn new(
        model: &Model,
        source: Option<ModelFiles>,
        worlds: usize,
        options: &BatchOptions,
        key: Option<usize>,
    ) -> Result<Self> {
        let mut batch = Batch::new(model, worlds, options)?;
        begin(&mut batch, key)?;
        let first = batch.get_state(STATE, ..)?.data.to_f64();
        let data = batch.world(0)?;
        let notice = batch.notice().map(str::to_owned);
        Ok(Self {
            batch,
            options: options.clone(),
            source,
            chosen: 0,
            data,
            clock: Clock::near(model.vis_global_realtime[0]),
            noise: Noise::default(),
            history: History::new(first),
            pull: Pull::default(),
            mpc: None,
            acting: Acting::new(model),
            running: true,
            stale: false,
            notice,
            reported: 0,
            key,
            steps: 0,
            resets: 0,
            step_seconds: 0.0,
            generation: 0,
        })
    }

    /// The model as it is stepped.
    pub(crate) fn model(&self) -> &Model {
        self.batch.model()
    }

    /// Who acts in environments.
    pub(crate) fn acting(&self) -> &Acting {
        &self.acting
    }

    /// Lets the policy act, or the user.
    pub(crate) fn let_policy(&mut self, on: bool) {
        self.acting.let_policy(self.batch.model(), on);
    }

    /// Gives a command to all worlds, or lets the task draw it again.
    ///
    /// # Errors
    /// As [`Batch::command`].
    pub(crate) fn give(&mut self, name: &str, numbers: Option<Vec<f64>>) -> Result<()> {
        self.acting.give(&mut self.batch, name, numbers)
    }

    /// Changes a number of the first command, up or down.
    ///
    /// # Errors
    /// As [`Batch::command`].
    pub(crate) fn steer(&mut self, number: usize, up: bool) -> Result<()> {
        self.acting.steer(&mut self.batch, number, up)
    }

    /// The model, for the renderer.
    pub(crate) fn shared_model(&self) -> Arc<Model> {
        self.batch.shared_model()
    }

    /// The chosen world.
    pub(crate) fn data(&self) -> &Data {
        &self.data
    }

    /// The worlds.
    pub(crate) fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Number of worlds.
    pub(crate) fn worlds(&self) -> usize {
        self.batch.worlds()
    }

    /// Backend and device.
    pub(crate) fn device(&self) -> String {
        self.batch.device()
    }

    /// Backend that steps the worlds.
    pub(crate) fn backend(&self) -> Backend {
        self.batch.backend()
    }

    /// Number of the chosen world.
    pub(crate) fn chosen(&self) -> usize {
        self.chosen
    }

    /// True unless the simulation is paused.
    pub(crate) fn is_running(&self) -> bool {
        self.running
    }

    /// Steps so far, those that were gone back included.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Resets by hand so far.
    pub(crate) fn resets(&self) -> u64 {
        self.resets
    }

    /// Seconds of the last step.
    pub(crate) fn step_seconds(&self) -> f64 {
        self.step_seconds
    }

    /// A number that changes when the model does.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Number of states to go back to, and the place of the current one.
    pub(crate) fn history(&self) -> (usize, usize) {
        (self.history.len(), self.history.place())
    }

    /// What went wrong last.
    pub(crate) fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Shows a line, or none.
    pub(crate) fn set_notice(&mut self, line: Option<String>) {
        self.notice = line;
    }

    /// Shows what went wrong and pauses: the window goes on.
    pub(crate) fn failed(&mut self, error: &Error) {
        self.notice = Some(error.to_string());
        self.running = false;
    }

    /// Pauses, or goes on.
    pub(crate) fn pause(&mut self, paused: bool) {
        self.running = !paused;
        self.clock.restart();
    }

    /// Chooses a world.
    pub(crate) fn choose(&mut self, world: usize) -> Result<()> {
        self.chosen = world.min(self.batch.worlds() - 1);
        self.pull.perturb = Perturb::default();
        self.reported = 0;
        self.read_chosen()
    }

    /// Resets all worlds to the initial state, or to a keyframe.
    ///
    /// # Errors
    /// As [`Batch::reset`].
    pub(crate) fn reset(&mut self, key: Option<usize>) -> Result<()> {
        begin(&mut self.batch, key)?;
        self.key = key;
        self.pull.perturb.end();
        self.noise.restart();
        self.pull.forget_force();
        self.reported = 0;
        self.notice = None;
        self.resets += 1;
        self.clock.restart();
        self.stale = false;
        self.read_chosen()?;
        self.history = History::new(self.batch.get_state(STATE, ..)?.data.to_f64());
        if let Some(mpc) = &mut self.mpc {
            mpc.forget();
        }
        Ok(())
    }

    /// Resets to where the last reset led, as Backspace does.
    ///
    /// # Errors
    /// As [`Session::reset`].
    pub(crate) fn reset_again(&mut self) -> Result<()> {
        self.reset(self.key)
    }

    /// A world with all that follows from its positions and velocities, which kernels keep only where they need it.
    ///
    /// # Errors
    /// As [`Batch::world`].
    pub(crate) fn world(&mut self, world: usize) -> Result<Data> {
        let mut data = self.batch.world(world)?;
        if self.backend() == Backend::Gpu {
            let stages = [Stage::kinematics, Stage::com_pos, Stage::camlight, Stage::tendon, Stage::com_vel];
            stages.into_iter().for_each(|stage| cpu::run_stage(stage, self.batch.model(), &mut data));
        }
        Ok(data)
    }

    /// A number of every world, to colour them by or to find the worst.
    ///
    /// # Errors
    /// [`Error::Argument`] for a field that there is not.
    pub(crate) fn numbers(&mut self, field: &str, place: usize) -> Result<Vec<f64>> {
        let worlds = self.worlds();
        let all = self.batch.get(field, ..)?.data.to_f64();
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
    pub(crate) fn diverged(&mut self) -> Result<Vec<bool>> {
        Ok(self.batch.status()?.iter().map(|bits| bits & DIVERGED != 0).collect())
    }

    /// Computes what follows from the state, and reads the chosen world.
    fn refresh(&mut self) -> Result<()> {
        self.batch.forward()?;
        self.stale = false;
        self.read_chosen()
    }

    /// Reads the chosen world; the notice names what is new in its status.
    fn read_chosen(&mut self) -> Result<()> {
        self.data = self.world(self.chosen)?;
        let new = self.data.status.first().copied().unwrap_or(0) & !self.reported;
        if new != 0 {
            let words = status::WORDS.iter().filter(|(_, bit)| new & bit != 0);
            let words: Vec<&str> = words.map(|(word, _)| *word).collect();
            let (time, world) = (self.data.time[0], self.chosen);
            let what = if new & DIVERGED != 0 { "; it was reset" } else { "" };
            self.notice = Some(format!("world {world} at {time:.3} s: {}{what}", words.join(", ")));
            self.reported |= new;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    pub(crate) const BALL: &str = "<mujoco><worldbody><body name='ball' pos='0 0 1'><freejoint/><geom size='.1'/></body>\
        <body name='hand' mocap='true' pos='1 0 0'><geom size='.1'/></body>\
        <body name='arm' pos='-1 0 1'><joint name='hinge' axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 .5 0 0'/>\
        </body><geom type='plane' size='5 5 .1'/></worldbody><actuator><motor joint='hinge'/></actuator>\
        <keyframe><key name='high' qpos='0 0 3 1 0 0 0 0.5'/></keyframe></mujoco>";

    pub(crate) fn open(worlds: usize) -> Session {
        let model = manyworlds::load_str(BALL).unwrap();
        Session::new(&model, None, worlds, &BatchOptions::on(Backend::Cpu), None).unwrap()
    }

    pub(crate) fn second(session: &mut Session) {
        (0..60).for_each(|_| {
            session.advance(1.0 / 60.0, Duration::MAX).unwrap();
        });
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
    fn worlds_that_diverge_are_named_and_the_others_go_on() {
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
}
