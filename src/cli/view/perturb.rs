//! Perturbation of a body by the mouse: a spring between a point of the body and a point of the world, another between
//! orientations, and the poses of bodies that are moved directly (`mjvPerturb`, `mjv_applyPerturbForce`,
//! `mjv_applyPerturbPose`).

use glam::{DQuat, DVec3, Vec3};
use manyworlds::analysis::query::{self, Object};
use manyworlds::cpu;
use manyworlds::cpu::smooth::factor_m::solve_ld;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::enums::joint;
use manyworlds::schema::stages::Stage;

/// Least inverse of a mass or an inertia, below which a body counts as immovable (`mjMINVAL`).
const LEAST_INVERSE: f64 = 1e-15;

/// What the mouse does to the selected body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A force at the selected point.
    Translate,
    /// A torque.
    Rotate,
}

/// The selected body and the pull on it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Perturb {
    /// Selected body; 0 for none.
    pub(super) body: usize,
    /// Selected point, m, in the frame of the body.
    pub(super) local: DVec3,
    /// The pull, while there is one.
    pub(super) mode: Option<Mode>,
    /// Where the selected point is pulled to, m.
    pub(super) target: DVec3,
    /// How the inertial frame of the body is turned to.
    pub(super) rotation: DQuat,
    /// Mass that a force at the point feels, kg, and inertia that a torque feels, kg m².
    pub(super) mass: f64,
    /// See `mass`.
    pub(super) inertia: f64,
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

/// Position and orientation of the frame of a body.
fn frame(data: &Data, body: usize) -> (DVec3, DQuat) {
    (DVec3::from_slice(&data.xpos[3 * body..]), quat(&data.xquat, body).normalize())
}

impl Perturb {
    /// Selects a body at a point of the world.
    pub(super) fn select(&mut self, data: &Data, body: usize, point: DVec3) {
        let (pos, turn) = frame(data, body);
        *self = Self { body, local: turn.inverse() * (point - pos), ..Self::default() };
    }

    /// The selected point in the world, m.
    pub(super) fn point(&self, data: &Data) -> DVec3 {
        let (pos, turn) = frame(data, self.body);
        pos + turn * self.local
    }

    /// Begins to pull.
    pub(super) fn begin(&mut self, model: &Model, data: &Data, mode: Mode) {
        if self.body == 0 || self.body >= model.sizes.nbody {
            return;
        }
        self.mode = Some(mode);
        self.target = self.point(data);
        self.rotation = frame(data, self.body).1 * quat(&model.body_iquat, self.body);
        self.mass = apparent_mass(model, data, self.body, self.target);
        self.inertia = 1.0 / model.body_invweight0[2 * self.body + 1].max(LEAST_INVERSE);
    }

    /// Ends the pull; the selection stays.
    pub(super) fn end(&mut self) {
        self.mode = None;
    }

    /// Moves what the body is pulled to by a movement of the mouse, in heights of the window: right and down are positive.
    /// `height` is what a height of the window shows at the selected point, in m; `right` and `forward` are directions of
    /// the view. A point moves vertically, or horizontally if `level`; turns are about the vertical or, if `level`,
    /// about the direction of view, and about the right.
    pub(super) fn drag(&mut self, moved: [f64; 2], height: f64, right: Vec3, forward: Vec3, level: bool) {
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
    pub(super) fn force(&self, model: &Model, data: &Data) -> Result<Option<[f64; 6]>> {
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
                let spring = stiffness * (self.target - point) - stiffness.sqrt() * speed;
                let force = self.mass * spring;
                let com = DVec3::from_slice(&data.xipos[3 * self.body..]);
                // a pull does not stop a body from spinning about its direction: a damper does
                let axis = (self.target - point).normalize_or_zero();
                let spin = model.vis_map_stiffnessrot[0].sqrt() * self.inertia * angular.dot(axis);
                (force, (point - com).cross(force) - spin * axis)
            }
            Mode::Rotate => {
                let stiffness = model.vis_map_stiffnessrot[0];
                let now = frame(data, self.body).1 * quat(&model.body_iquat, self.body);
                let turn = short_turn(self.rotation * now.inverse());
                let torque = self.inertia * (stiffness * turn - stiffness.sqrt() * angular);
                (DVec3::ZERO, torque)
            }
        };
        Ok(Some([force.x, force.y, force.z, torque.x, torque.y, torque.z]))
    }

    /// Pose that the selected body is to have: position, and orientation scalar first. `None` without a pull.
    pub(super) fn pose(&self, model: &Model, data: &Data) -> Option<([f64; 3], [f64; 4])> {
        let mode = self.mode.filter(|_| self.body > 0 && self.body < model.sizes.nbody)?;
        let turn = match mode {
            Mode::Translate => frame(data, self.body).1,
            Mode::Rotate => self.rotation * quat(&model.body_iquat, self.body).inverse(),
        };
        let pos = self.target - turn * self.local;
        Some((pos.to_array(), [turn.w, turn.x, turn.y, turn.z]))
    }
}

/// Turn as a rotation vector, the short way round.
fn short_turn(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_scaled_axis()
}

/// Number of the mocap body, if a body is one.
pub(super) fn mocap(model: &Model, body: usize) -> Option<usize> {
    model.body_mocapid.get(body).and_then(|id| usize::try_from(*id).ok())
}

/// First position in `qpos` of the free joint of a body, if it has one.
pub(super) fn free_joint(model: &Model, body: usize) -> Option<usize> {
    let first = model.body_jntadr.get(body).and_then(|adr| usize::try_from(*adr).ok())?;
    (model.jnt_type[first] == joint::FREE).then(|| model.jnt_qposadr[first] as usize)
}

/// Mass that a force on a point feels: three by the trace of the inverse inertia of the point.
fn apparent_mass(model: &Model, data: &Data, body: usize, point: DVec3) -> f64 {
    let nv = model.sizes.nv;
    // positions are at hand from either backend, factors of the inertia matrix are not
    let mut world = Data::new(model, Capacity { nconmax: 0, njmax: 0 });
    world.qpos.copy_from_slice(&data.qpos);
    world.mocap_pos.copy_from_slice(&data.mocap_pos);
    world.mocap_quat.copy_from_slice(&data.mocap_quat);
    for stage in [Stage::kinematics, Stage::com_pos, Stage::tendon, Stage::crb, Stage::factor_m] {
        cpu::run_stage(stage, model, &mut world);
    }
    let Ok(jacobian) = query::jacobian(model, &world, body, point.to_array()) else { return 0.0 };
    let mut inverse = 0.0;
    for row in jacobian.linear.chunks(nv.max(1)) {
        let mut x = row.to_vec();
        solve_ld(model, &world.qLD, &world.qLDiagInv, &mut x);
        inverse += row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
    }
    3.0 / inverse.max(LEAST_INVERSE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// A box that floats, with a capsule on a hinge, both in motion.
    fn floating() -> (Model, Data) {
        let text = "<mujoco><option gravity='0 0 0'/><visual><map stiffness='150' stiffnessrot='300'/></visual><worldbody>\
            <body name='a' pos='0.1 0.2 1' euler='10 20 30'><freejoint/>\
            <geom type='box' size='.1 .2 .3' pos='.02 .03 .04' density='1000'/><body name='b' pos='0 0 .5'>\
            <joint axis='0 1 0'/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 .1'/></body></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut data = Data::new(&model, Capacity { nconmax: 0, njmax: 0 });
        data.qvel.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * (i + 1) as f64);
        cpu::forward(&model, &mut data);
        (model, data)
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
        // mjv_applyPerturbForce of MuJoCo 3.17.0
        let (model, data) = floating();
        for (body, force, torque) in [
            (
                1,
                [
                    663.6552832167188,
                    -485.5750165438583,
                    1261.2986059175455,
                    -2.912108919027923,
                    -41.671877485556784,
                    -31.202627439656,
                ],
                [96.06317993210335, -13.216474984894232, 122.15572895482026],
            ),
            (
                2,
                [
                    108.3066534605251,
                    -106.49051170877553,
                    300.2021859471603,
                    -10.180359287549768,
                    30.54278217343309,
                    12.816802856943564,
                ],
                [13.024176871530042, -3.4423476544413174, 14.568117662426348],
            ),
        ] {
            let mut pull = selected(&model, &data, body, Mode::Translate);
            pull.target += DVec3::new(0.1, -0.05, 0.2);
            let got = pull.force(&model, &data).unwrap().unwrap();
            got.iter()
                .zip(force)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-8 * b.abs().max(1.0), "{got:?}"));
            let mut turn = selected(&model, &data, body, Mode::Rotate);
            let axis = DVec3::new(0.6, 0.0, 0.8);
            turn.rotation = DQuat::from_axis_angle(axis, 0.4) * turn.rotation;
            let got = turn.force(&model, &data).unwrap().unwrap();
            assert_eq!(got[..3], [0.0; 3]);
            got[3..]
                .iter()
                .zip(torque)
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-8 * b.abs().max(1.0), "{got:?}"));
        }
    }

    #[test]
    fn a_mouse_moves_the_target_in_a_vertical_or_a_horizontal_plane() {
        let (model, data) = floating();
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
        let (model, data) = floating();
        let mut pull = selected(&model, &data, 1, Mode::Translate);
        pull.target += DVec3::new(0.0, 0.0, 0.5);
        let (pos, turn) = pull.pose(&model, &data).unwrap();
        assert!((pos[2] - data.xpos[5] - 0.5).abs() < 1e-12 && (pos[0] - data.xpos[3]).abs() < 1e-12);
        assert!((turn[0] - data.xquat[4]).abs() < 1e-9);
        assert_eq!((free_joint(&model, 1), free_joint(&model, 2), mocap(&model, 1)), (Some(0), None, None));
    }

    #[test]
    fn the_world_is_never_pulled() {
        let (model, data) = floating();
        let mut pull = Perturb::default();
        pull.select(&data, 0, DVec3::ONE);
        pull.begin(&model, &data, Mode::Translate);
        assert_eq!((pull.mode, pull.force(&model, &data).unwrap()), (None, None));
    }
}
