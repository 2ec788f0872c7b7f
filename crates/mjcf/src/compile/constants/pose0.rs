//! World poses at `qpos0`, and the motion axes of all dofs there.

use glam::{DQuat, DVec3};

use crate::spec::rotation::quat_of;
use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::{JointType, sameframe};

/// World poses at `qpos0` and motion axes of all dofs.
pub(crate) struct Pose0 {
    pub(crate) xpos: Vec<DVec3>,
    pub(crate) xquat: Vec<DQuat>,
    pub(crate) xipos: Vec<DVec3>,
    pub(crate) xanchor: Vec<DVec3>,
    /// Per dof: true for a rotation, axis or direction of translation, anchor.
    axis: Vec<(bool, DVec3, DVec3)>,
    pub(crate) subtree_com: Vec<DVec3>,
}

pub(crate) fn vec(v: &[f64], i: usize) -> DVec3 {
    DVec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2])
}

pub(crate) fn quat(v: &[f64], i: usize) -> DQuat {
    quat_of([v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]])
}

pub(crate) fn kinematics(m: &Model) -> Pose0 {
    let n = m.sizes;
    let mut pose = Pose0 {
        xpos: vec![DVec3::ZERO; n.nbody],
        xquat: vec![DQuat::IDENTITY; n.nbody],
        xipos: vec![DVec3::ZERO; n.nbody],
        xanchor: vec![DVec3::ZERO; n.njnt],
        axis: Vec::with_capacity(n.nv),
        subtree_com: vec![DVec3::ZERO; n.nbody],
    };
    for b in 1..n.nbody {
        // displacements of scalar joints are zero at qpos0
        let p = m.body_parentid[b] as usize;
        pose.xpos[b] = pose.xpos[p] + pose.xquat[p] * vec(&m.body_pos, b);
        pose.xquat[b] = (pose.xquat[p] * quat(&m.body_quat, b)).normalize();
        let joints = m.body_jntadr[b].max(0) as usize..(m.body_jntadr[b] + m.body_jntnum[b]).max(0) as usize;
        for j in joints {
            displace(m, b, j, &mut pose);
            axes(m, b, j, &mut pose);
        }
        // nearly coincident frames are identical
        pose.xipos[b] = match m.body_sameframe[b] {
            sameframe::BODY => pose.xpos[b],
            _ => pose.xpos[b] + pose.xquat[b] * vec(&m.body_ipos, b),
        };
    }
    // centres of mass of subtrees
    let mut mass = m.body_mass.clone();
    for b in 0..n.nbody {
        pose.subtree_com[b] = pose.xipos[b] * m.body_mass[b];
    }
    for b in (1..n.nbody).rev() {
        let p = m.body_parentid[b] as usize;
        let moment = pose.subtree_com[b];
        pose.subtree_com[p] += moment;
        mass[p] += mass[b];
    }
    for b in 0..n.nbody {
        pose.subtree_com[b] = if mass[b] < MINVAL { pose.xipos[b] } else { pose.subtree_com[b] / mass[b] };
    }
    pose
}

/// Moves a body to the reference position of a free or ball joint.
fn displace(m: &Model, b: usize, j: usize, pose: &mut Pose0) {
    let q = &m.qpos0[m.jnt_qposadr[j] as usize..];
    match JointType::of(m.jnt_type[j]) {
        Some(JointType::FREE) => {
            pose.xpos[b] = vec(q, 0);
            pose.xquat[b] = quat(&q[3..7], 0).normalize();
        }
        Some(JointType::BALL) if q[..4] != [1.0, 0.0, 0.0, 0.0] => {
            let arm = vec(&m.jnt_pos, j);
            let anchor = pose.xpos[b] + pose.xquat[b] * arm;
            pose.xquat[b] = (pose.xquat[b] * quat(q, 0)).normalize();
            pose.xpos[b] = anchor - pose.xquat[b] * arm;
        }
        Some(JointType::BALL | JointType::SLIDE | JointType::HINGE) | None => {}
    }
}

/// Motion axes of a joint.
fn axes(m: &Model, b: usize, j: usize, pose: &mut Pose0) {
    let r = pose.xquat[b];
    let anchor = pose.xpos[b] + r * vec(&m.jnt_pos, j);
    let axis = r * vec(&m.jnt_axis, j);
    pose.xanchor[j] = anchor;
    let unit = [DVec3::X, DVec3::Y, DVec3::Z];
    match JointType::of(m.jnt_type[j]) {
        Some(JointType::FREE) => {
            pose.axis.extend(unit.map(|u| (false, u, anchor)));
            pose.axis.extend(unit.map(|u| (true, r * u, anchor)));
        }
        Some(JointType::BALL) => pose.axis.extend(unit.map(|u| (true, r * u, anchor))),
        Some(JointType::SLIDE) => pose.axis.push((false, axis, anchor)),
        Some(JointType::HINGE) => pose.axis.push((true, axis, anchor)),
        None => {}
    }
}

impl Pose0 {
    /// Jacobian column of a dof at a point: linear and angular part.
    pub(crate) fn jac_column(&self, d: usize, point: DVec3) -> (DVec3, DVec3) {
        let (rotates, axis, anchor) = self.axis[d];
        if rotates { (axis.cross(point - anchor), axis) } else { (axis, DVec3::ZERO) }
    }
}
