//! A body that a pointer pulls: a spring between a point of the body and a point of the world, another between
//! orientations, and the poses of bodies that are moved directly (`mjvPerturb`, `mjv_applyPerturbForce`,
//! `mjv_applyPerturbPose`). The window and the page for browsers pull by it.
//!
//! ```
//! use manyworlds::analysis::perturb::{Mode, Perturb};
//! use manyworlds::batch::{Backend, Batch, BatchOptions};
//!
//! let model = manyworlds::load_str(
//!     "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
//! )?;
//! let mut batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu))?;
//! batch.forward()?;
//! let world = batch.world(0)?;
//! let mut pull = Perturb::default();
//! pull.select(&world, 1, [0.0, 0.0, 0.1].into());
//! pull.begin(&model, &world, Mode::Translate);
//! pull.target.z += 1.0;
//! let force = pull.force(&model, &world)?.unwrap_or_default();
//! batch.set("xfrc_applied", .., &[[0.0; 6], force].concat())?;
//! batch.step(1)?;
//! # Ok::<(), manyworlds::error::Error>(())
//! ```

use glam::{DQuat, DVec3, Vec3};

use super::query::{self, Object};
use crate::cpu;
use crate::cpu::smooth::factor_m::solve_ld;
use crate::error::Result;
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::real::MINVAL;
use crate::schema::enums::joint;
use crate::schema::stages::Stage;

/// What a pointer does to the selected body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A force at the selected point.
    Translate,
    /// A torque.
    Rotate,
}

/// The selected body and the pull on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturb {
    /// Selected body; 0 for none.
    pub body: usize,
    /// Selected point, m, in the frame of the body.
    pub local: DVec3,
    /// The pull, while there is one.
    pub mode: Option<Mode>,
    /// Where the selected point is pulled to, m.
    pub target: DVec3,
    /// How the inertial frame of the body is turned to.
    pub rotation: DQuat,
    /// Mass that a force at the point feels, kg, and inertia that a torque feels, kg m².
    pub mass: f64,
    /// See `mass`.
    pub inertia: f64,
}

impl Default for Perturb {
    fn default() -> Self {
        Self {
            body: 0,
            local: DVec3::ZERO,
            mode: None,
            target: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            mass: 0.0,
            inertia: 0.0,
        }
    }
}

/// A quaternion of an array, scalar first.
fn quat(list: &[f64], i: usize) -> DQuat {
    DQuat::from_xyzw(list[4 * i + 1], list[4 * i + 2], list[4 * i + 3], list[4 * i])
}

/// Position and orientation of the frame of a body; those of the world for one that does not exist.
fn frame(data: &Data, body: usize) -> (DVec3, DQuat) {
    let body = if body < data.xpos.len() / 3 { body } else { 0 };
    (DVec3::from_slice(&data.xpos[3 * body..]), quat(&data.xquat, body).normalize())
}

impl Perturb {
    /// Selects a body at a point of the world, in m; none if there is no such body.
    pub fn select(&mut self, data: &Data, body: usize, point: DVec3) {
        let body = if body < data.xpos.len() / 3 { body } else { 0 };
        let (pos, turn) = frame(data, body);
        *self = Self { body, local: turn.inverse() * (point - pos), ..Self::default() };
    }

    /// The selected point in the world, m.
    pub fn point(&self, data: &Data) -> DVec3 {
        let (pos, turn) = frame(data, self.body);
        pos + turn * self.local
    }

    /// Begins to pull.
    pub fn begin(&mut self, model: &Model, data: &Data, mode: Mode) {
        if self.body == 0 || self.body >= model.sizes.nbody {
            return;
        }
        self.mode = Some(mode);
        self.target = self.point(data);
        self.rotation = frame(data, self.body).1 * quat(&model.body_iquat, self.body);
        self.mass = apparent_mass(model, data, self.body, self.target);
        self.inertia = inverse_of(model.body_invweight0[2 * self.body + 1]);
    }

    /// Ends the pull; the selection stays.
    pub fn end(&mut self) {
        self.mode = None;
    }

    /// Moves what the body is pulled to by a movement of the mouse, in heights of the window: right and down are positive.
    /// `height` is what a height of the window shows at the selected point, in m; `right` and `forward` are directions of
    /// the view. A point moves vertically, or horizontally if `level`; turns are about the vertical or, if `level`,
    /// about the direction of view, and about the right.
    pub fn drag(&mut self, moved: [f64; 2], height: f64, right: Vec3, forward: Vec3, level: bool) {
        let (right, forward) = (right.as_dvec3(), forward.as_dvec3());
        let ahead = DVec3::new(forward.x, forward.y, 0.0).try_normalize();
        let ahead = ahead.or_else(|| DVec3::Z.cross(right).try_normalize()).unwrap_or(DVec3::X);
        match self.mode {
            Some(Mode::Translate) => {
                let up = if level { ahead } else { DVec3::Z };
                self.target += height * (moved[0] * right - moved[1] * up);
            }
            Some(Mode::Rotate) => {
                let axis = if level { ahead } else { DVec3::Z };
                let turn = moved[1] * right + moved[0] * axis;
                let angle = 2.0 * std::f64::consts::PI * turn.length();
                if let Some(axis) = turn.try_normalize() {
                    self.rotation = (DQuat::from_axis_angle(axis, angle) * self.rotation).normalize();
                }
            }
            None => {}
        }
    }

    /// Force and torque on the selected body at its centre of mass, `[6]` as in `xfrc_applied`; `None` without a pull.
    ///
    /// # Errors
    /// As [`query::velocity`].
    pub fn force(&self, model: &Model, data: &Data) -> Result<Option<[f64; 6]>> {
        let Some(mode) = self.mode.filter(|_| self.body > 0 && self.body < model.sizes.nbody) else {
            return Ok(None);
        };
        let velocity = query::velocity(model, data, Object::BodyFrame(self.body), false)?;
        let (linear, angular) = (DVec3::from(velocity.linear), DVec3::from(velocity.angular));
        let (force, torque) = match mode {
            // the reference damps by the root of the stiffness
            Mode::Translate => {
                let point = self.point(data);
                let stiffness = model.vis_map_stiffness[0];
                let speed = linear + angular.cross(point - frame(data, self.body).0);
                let spring = stiffness * (self.target - point) - root(stiffness) * speed;
                let force = self.mass * spring;
                let com = DVec3::from_slice(&data.xipos[3 * self.body..]);
                // a pull does not stop a body from spinning about its direction: a damper does
                let axis = (self.target - point).normalize_or_zero();
                let spin = root(model.vis_map_stiffnessrot[0]) * self.inertia * angular.dot(axis);
                (force, (point - com).cross(force) - spin * axis)
            }
            Mode::Rotate => {
                let stiffness = model.vis_map_stiffnessrot[0];
                let now = frame(data, self.body).1 * quat(&model.body_iquat, self.body);
                let turn = short_turn(self.rotation * now.inverse());
                let torque = self.inertia * (stiffness * turn - root(stiffness) * angular);
                (DVec3::ZERO, torque)
            }
        };
        Ok(Some([force.x, force.y, force.z, torque.x, torque.y, torque.z]))
    }

    /// Pose that the selected body is to have: position, and orientation scalar first. `None` without a pull.
    pub fn pose(&self, model: &Model, data: &Data) -> Option<([f64; 3], [f64; 4])> {
        let mode = self.mode.filter(|_| self.body > 0 && self.body < model.sizes.nbody)?;
        let turn = match mode {
            Mode::Translate => frame(data, self.body).1,
            Mode::Rotate => self.rotation * quat(&model.body_iquat, self.body).inverse(),
        };
        let pos = self.target - turn * self.local;
        Some((pos.to_array(), [turn.w, turn.x, turn.y, turn.z]))
    }
}

/// Root of a stiffness; none below zero.
fn root(stiffness: f64) -> f64 {
    stiffness.max(0.0).sqrt()
}

/// Turn as a rotation vector, the short way round.
fn short_turn(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_scaled_axis()
}

/// Number of the mocap body, if a body is one.
pub fn mocap(model: &Model, body: usize) -> Option<usize> {
    model.body_mocapid.get(body).and_then(|id| usize::try_from(*id).ok())
}

/// First position in `qpos` of the free joint of a body, if it has one.
pub fn free_joint(model: &Model, body: usize) -> Option<usize> {
    let first = model.body_jntadr.get(body).and_then(|adr| usize::try_from(*adr).ok())?;
    (model.jnt_type[first] == joint::FREE).then(|| model.jnt_qposadr[first] as usize)
}

/// Mass that a force on a point feels: three by the trace of the inverse inertia of the point.
fn apparent_mass(model: &Model, data: &Data, body: usize, point: DVec3) -> f64 {
    let nv = model.sizes.nv;
    // positions are at hand from either backend, factors of the inertia matrix are not
    let mut world = Data::new(model, Capacity::NONE);
    world.qpos.copy_from_slice(&data.qpos);
    world.mocap_pos.copy_from_slice(&data.mocap_pos);
    world.mocap_quat.copy_from_slice(&data.mocap_quat);
    for stage in [Stage::kinematics, Stage::com_pos, Stage::tendon, Stage::crb, Stage::factor_m] {
        cpu::run_stage(stage, model, &mut world);
    }
    let Ok(jacobian) = query::jacobian(model, &world, body, point.to_array()) else { return 1.0 };
    let mut inverse = 0.0;
    for row in jacobian.linear.chunks(nv.max(1)) {
        let mut x = row.to_vec();
        solve_ld(model, &world.qLD, &world.qLDiagInv, &mut x);
        inverse += row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
    }
    inverse_of(inverse / 3.0)
}

/// Mass or inertia by its inverse: 1 for what nothing moves.
fn inverse_of(x: f64) -> f64 {
    // immovable
    if x > MINVAL { 1.0 / x } else { 1.0 }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::schema::Kind;

    /// Bodies that float, hang on joints, are moved or fixed, in motion.
    fn bodies() -> (Model, Data) {
        let text = "<mujoco><option gravity='0 0 0'/><visual><map stiffness='150' stiffnessrot='300'/></visual><worldbody>\
            <body name='fixed' pos='1 1 1'><geom size='.1'/></body>\
            <body name='mocap' mocap='true' pos='2 0 0'><geom size='.1'/></body>\
            <body name='a' pos='0.1 0.2 1' euler='10 20 30'><freejoint/>\
            <geom type='box' size='.1 .2 .3' pos='.02 .03 .04' density='1000'/><body name='b' pos='0 0 .5'>\
            <joint axis='0 1 0'/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 .1'/></body></body>\
            <body name='slide' pos='0 2 0'><joint type='slide' axis='1 0 1' armature='.3'/>\
            <geom type='box' size='.1 .2 .05' euler='40 10 0'/><body name='ball' pos='.2 0 0'><joint type='ball'/>\
            <geom type='ellipsoid' size='.1 .05 .07' pos='0 .1 0'/><body name='welded' pos='0 .1 .1' euler='5 6 7'>\
            <geom size='.04'/></body></body></body></worldbody></mujoco>";
        let model = crate::load_str(text).unwrap();
        let mut data = Data::new(&model, Capacity::NONE);
        data.qvel.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * (i + 1) as f64);
        cpu::forward(&model, &mut data);
        (model, data)
    }

    /// For each body the force and torque of a pull, and the torque of a turn: mjv_applyPerturbForce of MuJoCo 3.17.0.
    const REFERENCE: &[(&str, &str, &str)] = &[
        ("fixed", "15 -7.5 30 0.825 -1.05 -0.675", "72 0 96"),
        ("mocap", "15 -7.5 30 0.825 -1.05 -0.675", "72 0 96"),
        (
            "a",
            "663.6552832167188 -485.5750165438583 1261.2986059175455 -2.912108919027923 -41.671877485556784 -31.202627439656",
            "96.06317993210335 -13.216474984894232 122.15572895482026",
        ),
        (
            "b",
            "108.3066534605251 -106.49051170877553 300.2021859471603 -10.180359287549768 30.54278217343309 12.816802856943564",
            "13.024176871530045 -3.442347654441318 14.56811766242635",
        ),
        (
            "slide",
            "209.46527235708285 -194.62699414962398 598.7192606563304 17.81319503761534 -23.65200486210404 -13.92065515462286",
            "72 0 96",
        ),
        (
            "ball",
            "30.643545420835384 -30.140537744632297 90.17154570412214 -6.413748038745383 -3.5371506652037565 0.7359757169260678",
            "0.6855353467640605 -0.2104856547928924 0.9350956944980364",
        ),
        (
            "welded",
            "5.414795528399175 -4.4830681894246505 14.77294359167113 0.36686627799328403 -0.5409452990165001 -0.5611325002572822",
            "0.6855353467640606 -0.21048565479289244 0.9350956944980364",
        ),
    ];

    /// Fails where numbers are not those of a list.
    fn assert_near(got: &[f64], list: &str, name: &str) {
        let want: Vec<f64> = list.split(' ').map(|x| x.parse().unwrap()).collect();
        assert_eq!(got.len(), want.len());
        for (a, b) in got.iter().zip(want) {
            assert!((a - b).abs() < 1e-8 * b.abs().max(1.0), "{name}: {got:?}");
        }
    }

    fn selected(model: &Model, data: &Data, body: usize, mode: Mode) -> Perturb {
        let local = DVec3::new(0.05, 0.02, 0.03);
        let mut perturb = Perturb { body, local, ..Perturb::default() };
        let point = perturb.point(data);
        perturb.select(data, body, point);
        assert!((perturb.local - local).length() < 1e-12);
        perturb.begin(model, data, mode);
        perturb
    }

    #[test]
    fn forces_and_torques_of_the_mouse_are_those_of_the_reference() {
        let (model, data) = bodies();
        for &(name, force, torque) in REFERENCE {
            let body = model.id(Kind::Body, name).unwrap();
            let mut pull = selected(&model, &data, body, Mode::Translate);
            pull.target += DVec3::new(0.1, -0.05, 0.2);
            assert_near(&pull.force(&model, &data).unwrap().unwrap(), force, name);
            let mut turn = selected(&model, &data, body, Mode::Rotate);
            turn.rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.4) * turn.rotation;
            let got = turn.force(&model, &data).unwrap().unwrap();
            assert_eq!(got[..3], [0.0; 3]);
            assert_near(&got[3..], torque, name);
        }
    }

    #[test]
    fn a_mouse_moves_the_target_in_a_vertical_or_a_horizontal_plane() {
        let (model, data) = bodies();
        let mut pull = selected(&model, &data, 1, Mode::Translate);
        let before = pull.target;
        // to the right and upwards
        pull.drag([0.1, -0.2], 2.0, Vec3::X, Vec3::new(0.0, 0.8, -0.6), false);
        assert!((pull.target - before - DVec3::new(0.2, 0.0, 0.4)).length() < 1e-9);
        pull.drag([0.0, -0.2], 2.0, Vec3::X, Vec3::new(0.0, 0.8, -0.6), true);
        assert!((pull.target - before - DVec3::new(0.2, 0.4, 0.4)).length() < 1e-9);
        pull.end();
        assert_eq!(pull.force(&model, &data).unwrap(), None);
        assert_eq!(pull.body, 1);
    }

    #[test]
    fn a_pose_brings_the_selected_point_to_its_target() {
        let (model, data) = bodies();
        let floats = model.id(Kind::Body, "a").unwrap();
        let mut pull = selected(&model, &data, floats, Mode::Translate);
        pull.target += DVec3::new(0.0, 0.0, 0.5);
        let (pos, turn) = pull.pose(&model, &data).unwrap();
        let [x, _, z] = [0, 1, 2].map(|k| data.xpos[3 * floats + k]);
        assert!((pos[2] - z - 0.5).abs() < 1e-12 && (pos[0] - x).abs() < 1e-12);
        assert!((turn[0] - data.xquat[4 * floats]).abs() < 1e-9);
        assert_eq!((1..model.sizes.nbody).filter_map(|b| free_joint(&model, b)).collect::<Vec<_>>(), [0]);
        assert_eq!((1..model.sizes.nbody).find_map(|b| mocap(&model, b).map(|id| (b, id))), Some((2, 0)));
    }

    #[test]
    fn the_world_is_never_pulled_nor_what_does_not_exist() {
        let (model, data) = bodies();
        for body in [0, 1000] {
            let mut pull = Perturb::default();
            pull.select(&data, body, DVec3::ONE);
            pull.begin(&model, &data, Mode::Translate);
            assert_eq!((pull.body, pull.mode, pull.force(&model, &data).unwrap()), (0, None, None));
            let wrong = Perturb { body, mode: Some(Mode::Translate), ..pull };
            assert_eq!((wrong.point(&data), wrong.force(&model, &data).unwrap()), (DVec3::ONE, None));
        }
    }
}
