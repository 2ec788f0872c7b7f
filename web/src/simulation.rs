//! A world of a model that the page steps in real time.

use std::path::Path;
use std::sync::Arc;

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::error::Error;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::joint_widths;
use manyworlds_render::interaction::{Acting, Clock, Pull};
use serde_json::json;
use wasm_bindgen::prelude::*;
use web_time::Instant;

use crate::files::Files;
use crate::report::{problems, thrown};

/// Steps between two readings of the real clock.
const STRIDE: usize = 4;

/// Longest time that one frame of the page makes up for, in seconds: a page in the background gets none.
const LONGEST: f64 = 0.1;

/// A world in double precision, on the thread of the page.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    batch: Batch,
    clock: Clock,
    /// Resets of a world that diverged.
    diverged: u32,
    /// Policy and commands, where the model has a task.
    acting: Acting,
    /// The body that is pulled, if one is.
    pub(crate) pull: Pull,
}

#[wasm_bindgen]
impl Simulation {
    /// Compiles a model and puts it into its first keyframe, if it has one; with a task, an episode begins.
    ///
    /// # Errors
    /// A list of problems as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(files: &Files, name: &str) -> Result<Simulation, JsValue> {
        let model = manyworlds::load_with(Path::new(name), &files.assets).map_err(thrown)?;
        let batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).map_err(thrown)?;
        let acting = Acting::new(&model);
        let mut simulation =
            Self { batch, clock: Clock::new(1.0), diverged: 0, acting, pull: Pull::default() };
        let key = (model.sizes.nkey > 0 && model.task.is_none()).then_some(0);
        simulation.reset(key)?;
        Ok(simulation)
    }

    /// What the model holds, as JSON: `name`, `timestep` in s, sizes, names of `keyframes` and `cameras`, `actuators`
    /// with the range of their controls, `commands` of a task with the ranges of their numbers, whether it has a `policy`,
    /// `joints` with their places in `qpos` and `qvel`, and the `warnings` of the reader.
    pub fn info(&self) -> String {
        let m = self.model();
        let named = |names: &[String], kind: &str| -> Vec<String> {
            let one = |(i, name): (usize, &String)| {
                if name.is_empty() { format!("{kind} {i}") } else { name.clone() }
            };
            names.iter().enumerate().map(one).collect()
        };
        let actuators = named(&m.names.actuator, "actuator").into_iter().enumerate().map(|(i, name)| {
            let limited = m.actuator_ctrllimited[i] != 0;
            let range = &m.actuator_ctrlrange[2 * i..2 * i + 2];
            json!({ "name": name, "limited": limited, "low": range[0], "high": range[1] })
        });
        // dimensions of position and velocity by kind of joint
        let joints = named(&m.names.joint, "joint").into_iter().enumerate().map(|(j, name)| {
            let (nq, nv) = joint_widths(m.jnt_type[j]);
            json!({ "name": name, "qposadr": m.jnt_qposadr[j], "dofadr": m.jnt_dofadr[j], "nq": nq, "nv": nv })
        });
        json!({
            "timestep": self.timestep(),
            "policy": Acting::has_policy(m),
            "commands": Acting::commands(m),
            "nq": m.sizes.nq, "nv": m.sizes.nv, "nu": m.sizes.nu, "nbody": m.sizes.nbody, "ngeom": m.sizes.ngeom,
            "keyframes": named(&m.names.key, "keyframe"),
            "cameras": named(&m.names.camera, "camera"),
            "actuators": actuators.collect::<Vec<_>>(),
            "joints": joints.collect::<Vec<_>>(),
            "warnings": problems(&m.warnings),
        })
        .to_string()
    }

    /// Follows the real clock: takes the steps that are due after `elapsed` seconds, for at most `budget` seconds, and
    /// gives up the rest. Returns the number of steps.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn advance(&mut self, elapsed: f64, budget: f64) -> Result<u32, JsValue> {
        let timestep = self.timestep();
        self.clock.pass(elapsed.clamp(0.0, LONGEST), timestep);
        let (begin, mut steps, mut spent) = (Instant::now(), 0, 0.0);
        loop {
            let count = self.clock.due(timestep).min(STRIDE);
            if count == 0 {
                break;
            }
            if spent >= budget {
                self.clock.give_up(timestep);
                break;
            }
            self.pull().and_then(|()| self.take(count)).map_err(thrown)?;
            let now = begin.elapsed().as_secs_f64();
            self.clock.took(count, timestep, now - spent);
            steps += count as u32;
            spent = now;
        }
        self.note_divergence()?;
        Ok(steps)
    }

    /// Takes steps, whatever the clock says; returns the seconds that they took.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn step(&mut self, count: u32) -> Result<f64, JsValue> {
        let begin = Instant::now();
        self.take(count as usize).map_err(thrown)?;
        self.note_divergence()?;
        Ok(begin.elapsed().as_secs_f64())
    }

    /// Simulated seconds per real second that are wanted.
    #[wasm_bindgen(setter)]
    pub fn set_speed(&mut self, speed: f64) {
        self.clock.speed = if speed.is_finite() { speed.max(0.0) } else { 1.0 };
    }

    /// Back to a keyframe, or to the initial state: with a task, to the begin of an episode.
    ///
    /// # Errors
    /// A list of problems as JSON, for a keyframe that does not exist.
    pub fn reset(&mut self, key: Option<usize>) -> Result<(), JsValue> {
        if self.model().task.is_some() && key.is_none() {
            self.batch.begin_episodes(..).map_err(thrown)?;
        } else {
            self.batch.reset(.., key).map_err(thrown)?;
            self.batch.forward().map_err(thrown)?;
        }
        self.clock.restart();
        self.diverged = 0;
        self.release()
    }

    /// Lets go of the body that is pulled.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn release(&mut self) -> Result<(), JsValue> {
        self.pull.release(&mut self.batch, 0).map_err(thrown)
    }

    /// Sets the control of one actuator.
    ///
    /// # Errors
    /// A list of problems as JSON, for an actuator that does not exist.
    pub fn set_control(&mut self, actuator: usize, value: f64) -> Result<(), JsValue> {
        let mut ctrl = self.get("ctrl")?;
        let missing = || thrown(Error::Argument(format!("there is no actuator {actuator}")));
        *ctrl.get_mut(actuator).ok_or_else(missing)? = value;
        self.batch.set("ctrl", .., &ctrl).map_err(thrown)
    }

    /// Gives a command of the task, or, without numbers, lets the task draw it again.
    ///
    /// # Errors
    /// A list of problems as JSON, for a command that does not exist or another count of numbers.
    pub fn give(&mut self, name: &str, numbers: Option<Vec<f64>>) -> Result<(), JsValue> {
        self.acting.give(&mut self.batch, name, numbers).map_err(thrown)
    }

    /// Changes a number of the task's first command by a tenth of its range.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn steer(&mut self, number: usize, up: bool) -> Result<(), JsValue> {
        self.acting.steer(&mut self.batch, number, up).map_err(thrown)
    }

    /// Numbers of a command of the task, as they are.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn command(&mut self, name: &str) -> Result<Vec<f64>, JsValue> {
        let remembered = self.get("task_variable")?;
        Ok(self.acting.numbers(self.batch.model(), &remembered, name))
    }

    /// A field of the world, flat.
    ///
    /// # Errors
    /// A list of problems as JSON, for a field that does not exist.
    pub fn get(&mut self, field: &str) -> Result<Vec<f64>, JsValue> {
        self.batch.get(field, ..).map(|array| array.data.to_f64()).map_err(thrown)
    }

    /// The numbers that the page shows: time in s, steps per second of stepping, simulated seconds per real second,
    /// contacts, resets of a world that diverged.
    ///
    /// # Errors
    /// A list of problems as JSON.
    pub fn numbers(&mut self) -> Result<Vec<f64>, JsValue> {
        let time = self.get("time")?[0];
        let contacts = self.get("ncon")?[0];
        Ok(vec![time, self.clock.rate(), self.clock.measured(), contacts, f64::from(self.diverged)])
    }
}

impl Simulation {
    /// The model.
    pub(crate) fn model(&self) -> &Model {
        self.batch.model()
    }

    /// Simulated seconds of a step: those of an environment have several of the model.
    fn timestep(&self) -> f64 {
        let m = self.model();
        m.opt_timestep[0] * m.task.as_ref().map_or(1, |program| program.frame_skip()) as f64
    }

    /// Takes steps, of the environment where the model has a task.
    fn take(&mut self, count: usize) -> manyworlds::error::Result<()> {
        match self.model().task {
            Some(_) => (0..count).try_for_each(|_| self.acting.step(&mut self.batch)),
            None => self.batch.step(count),
        }
    }

    /// The model, for the renderer.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "pictures are in browsers only"))]
    pub(crate) fn shared_model(&self) -> Arc<Model> {
        self.batch.shared_model()
    }

    /// The world as it is.
    #[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "pictures are in browsers only"))]
    pub(crate) fn world(&mut self) -> manyworlds::error::Result<Data> {
        self.batch.world(0)
    }

    /// Pulls the body that is held; one that forces do not move is put there.
    fn pull(&mut self) -> manyworlds::error::Result<()> {
        if self.pull.perturb.mode.is_none() {
            return Ok(());
        }
        let mut world = self.batch.world(0)?;
        self.pull.set_force(&mut self.batch, 0, &world)?;
        self.pull.set_pose(&mut self.batch, 0, &mut world, false).map(|_| ())
    }

    /// Counts a world that diverged, which has been reset.
    fn note_divergence(&mut self) -> Result<(), JsValue> {
        let status = self.batch.status().map_err(thrown)?[0];
        if status & manyworlds::model::state::DIVERGED != 0 {
            self.diverged += 1;
            self.batch.clear_status(&[true]).map_err(thrown)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::analysis::perturb::Mode;

    fn simulation() -> Simulation {
        let text = b"<mujoco><option gravity='0 0 0'/><visual><map stiffness='50'/></visual><worldbody>
            <body name='ball'><freejoint/><geom size='.1' mass='3'/></body>
            <body name='hand' mocap='true' pos='1 0 0'><geom size='.1'/></body></worldbody></mujoco>";
        let mut files = Files::new();
        files.add("a.xml", text).unwrap();
        Simulation::new(&files, "a.xml").unwrap()
    }

    fn hold(simulation: &mut Simulation, body: usize, by: f64) {
        let (model, world) = (simulation.model().clone(), simulation.world().unwrap());
        simulation.pull.perturb.select(&world, body, [world.xpos[3 * body], 0.0, 0.0].into());
        simulation.pull.perturb.begin(&model, &world, Mode::Translate);
        simulation.pull.perturb.target.z += by;
    }

    #[test]
    fn a_ball_is_pulled_by_a_spring_for_its_mass_and_let_go() {
        let mut simulation = simulation();
        hold(&mut simulation, 1, 0.5);
        simulation.pull().unwrap();
        // 3 kg, 50 / s^2, 0.5 m
        let force = simulation.get("xfrc_applied").unwrap();
        assert!((force[8] - 75.0).abs() < 1e-9 && force[6..8] == [0.0; 2], "{force:?}");
        for _ in 0..2000 {
            simulation.pull().unwrap();
            simulation.step(1).unwrap();
        }
        assert!((simulation.get("qpos").unwrap()[2] - 0.5).abs() < 1e-3);
        simulation.release().unwrap();
        assert_eq!(simulation.get("xfrc_applied").unwrap(), [0.0; 18]);
    }

    /// A slider that goes where its policy is told to.
    const TASK: &str = r#"{
        "frame_skip": 5, "autoreset": true, "action": 1,
        "nodes": [
            {"op": "variable", "name": "goal", "elements": [0], "size": 1},
            {"op": "const", "values": [0.2], "size": 1},
            {"op": "action", "elements": [0], "size": 1}
        ],
        "variables": [{"name": "goal", "reset": 1, "update": 0}],
        "writes": [{"field": "ctrl", "elements": [0], "value": 2}],
        "observation": [{"name": "goal", "value": 0}],
        "policy": {"mean": [0], "deviation": [1], "limit": 10, "low": [-1], "high": [1],
            "layers": [{"weights": [1], "biases": [0]}]},
        "commands": [{"name": "goal", "numbers": [{"name": "x", "low": -1, "high": 1}]}]
    }"#;

    #[test]
    fn a_compiled_model_with_a_policy_follows_commands() {
        let text = "<mujoco><option timestep='.01' gravity='0 0 0'/><worldbody><body><joint name='x' type='slide'/>
            <geom size='.1' mass='1'/></body></worldbody><actuator><position joint='x' kp='100' kv='20'/></actuator></mujoco>";
        let mut model = manyworlds::load_str(text).unwrap();
        model.set_task(&manyworlds::model::task::Task::from_json(TASK).unwrap()).unwrap();
        let mut files = Files::new();
        files.add("slider.mwb", &model.to_mwb()).unwrap();
        let mut simulation = Simulation::new(&files, "slider.mwb").unwrap();
        let info: serde_json::Value = serde_json::from_str(&simulation.info()).unwrap();
        assert_eq!((&info["policy"], &info["timestep"]), (&json!(true), &json!(0.05)));
        assert_eq!(info["commands"][0]["numbers"][0]["name"], "x");
        simulation.step(40).unwrap();
        assert_eq!(simulation.command("goal").unwrap(), [0.2]);
        assert!((simulation.get("qpos").unwrap()[0] - 0.2).abs() < 1e-3);
        simulation.give("goal", Some(vec![-0.6])).unwrap();
        simulation.step(40).unwrap();
        assert!((simulation.get("qpos").unwrap()[0] + 0.6).abs() < 1e-3);
        // by keys, up to the end of its range; a reset begins an episode, under the same command
        (0..30).for_each(|_| simulation.steer(0, true).unwrap());
        simulation.reset(None).unwrap();
        assert_eq!(simulation.get("qpos").unwrap(), [0.0]);
        simulation.step(40).unwrap();
        assert!((simulation.get("qpos").unwrap()[0] - 1.0).abs() < 1e-3);
    }
}
