//! Poses of bodies, joints, geoms and sites from the position coordinates.
//!
//! Forward kinematics in maximal coordinates, parents first (RBDA §4; MuJoCo documentation, Computation, "Kinematics"). A
//! body's joints act in order, each in the frame left by those before it. Kernels go level by level of the body tree.

use crate::math::{
    Mat3, Quat, Vec3, axis_angle_quat, mat3, quat, quat_at, quat_mul, quat_normalize, quat_rotate,
    quat_to_mat, set_mat3, set_quat, set_vec3, vec3, vec3_at,
};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_simple_slider;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{joint, sameframe};
use manyworlds_model::schema::stages::Stage;

/// Forward kinematics, root to leaves.
#[inline(always)]
pub fn kinematics<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let count = runs(m, d, Stage::kinematics);
    place_world(d);
    for k in 0..count {
        let run = run_at(m, d, k);
        for body in run.bodies_but_world() {
            place_body(m, d, body);
        }
        for body in run.bodies() {
            place_inertia(m, d, body);
        }
        for geom in run.geoms() {
            place_geom(m, d, geom);
        }
        for site in run.sites() {
            place_site(m, d, site);
        }
    }
}

/// Sets the world's frame to the identity.
#[inline(always)]
fn place_world<T: Real>(d: &mut Data<T>) {
    let quat = Quat::IDENTITY;
    set_vec3(&mut d.xpos, 0, Vec3::ZERO);
    set_quat(&mut d.xquat, 0, quat);
    set_mat3(&mut d.xmat, 0, quat_to_mat(quat));
}

/// Pose of one body from its parent's, and of its joints.
#[inline(always)]
fn place_body<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    if is_simple_slider(m, body) {
        return place_slider(m, d, body);
    }
    let first = m.body_jntadr[body];
    let free = first >= 0 && m.jnt_type[first as usize] == joint::FREE;
    let (pos, quat) = if free { place_free(m, d, first as usize) } else { place_jointed(m, d, body) };
    let quat = quat_normalize(quat);
    set_vec3(&mut d.xpos, body, pos);
    set_quat(&mut d.xquat, body, quat);
    set_mat3(&mut d.xmat, body, quat_to_mat(quat));
}

/// Pose of a body that only slides, along axes that do not turn.
#[inline(always)]
fn place_slider<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let parent = m.body_parentid[body] as usize;
    let quat = quat_normalize(quat_mul(quat(&d.xquat, parent), quat(&m.body_quat, body)));
    let mat = quat_to_mat(quat);
    let mut pos = vec3(&d.xpos, parent) + mat3(&d.xmat, parent) * vec3(&m.body_pos, body);
    let first = m.body_jntadr[body] as usize;
    for jnt in first..first + m.body_jntnum[body] as usize {
        let (axis, adr) = (mat * vec3(&m.jnt_axis, jnt), m.jnt_qposadr[jnt] as usize);
        set_vec3(&mut d.xanchor, jnt, pos + mat * vec3(&m.jnt_pos, jnt));
        set_vec3(&mut d.xaxis, jnt, axis);
        pos += axis * (d.qpos[adr] - m.qpos0[adr]);
    }
    set_vec3(&mut d.xpos, body, pos);
    set_quat(&mut d.xquat, body, quat);
    set_mat3(&mut d.xmat, body, mat);
}

/// Pose of a body on a free joint: its coordinates are the pose.
#[inline(always)]
fn place_free<T: Real>(m: &Model<T>, d: &mut Data<T>, jnt: usize) -> (Vec3<T>, Quat<T>) {
    let adr = m.jnt_qposadr[jnt] as usize;
    let pos = vec3_at(&d.qpos, adr);
    let quat = quat_normalize(quat_at(&d.qpos, adr + 3));
    set_vec3(&mut d.xanchor, jnt, pos);
    set_vec3(&mut d.xaxis, jnt, vec3(&m.jnt_axis, jnt));
    (pos, quat)
}

/// Pose of a fixed or mocap body, or of one on ball, slide and hinge joints.
#[inline(always)]
fn place_jointed<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) -> (Vec3<T>, Quat<T>) {
    let parent = m.body_parentid[body] as usize;
    let mocap = m.body_mocapid[body];
    // frame before the joints act
    let (local_pos, local_quat) = if mocap >= 0 {
        let id = mocap as usize;
        (vec3(&d.mocap_pos, id), quat_normalize(quat(&d.mocap_quat, id)))
    } else {
        (vec3(&m.body_pos, body), quat(&m.body_quat, body))
    };
    let mut pos = vec3(&d.xpos, parent) + mat3(&d.xmat, parent) * local_pos;
    let mut quat = quat_mul(quat(&d.xquat, parent), local_quat);
    // the joints in order
    if m.body_jntnum[body] > 0 {
        let first = m.body_jntadr[body] as usize;
        for jnt in first..first + m.body_jntnum[body] as usize {
            (pos, quat) = apply_joint(m, d, jnt, pos, quat);
        }
    }
    (pos, quat)
}

/// Frame after one joint has acted on it; writes the joint's anchor and axis.
#[inline(always)]
fn apply_joint<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    jnt: usize,
    pos: Vec3<T>,
    quat: Quat<T>,
) -> (Vec3<T>, Quat<T>) {
    let adr = m.jnt_qposadr[jnt] as usize;
    let local = vec3(&m.jnt_pos, jnt);
    let anchor = pos + quat_rotate(quat, local);
    let axis = quat_rotate(quat, vec3(&m.jnt_axis, jnt));
    set_vec3(&mut d.xanchor, jnt, anchor);
    set_vec3(&mut d.xaxis, jnt, axis);
    let kind = m.jnt_type[jnt];
    if kind == joint::SLIDE {
        return (pos + axis * (d.qpos[adr] - m.qpos0[adr]), quat);
    }
    // rotation about the anchor
    let turn = if kind == joint::BALL {
        quat_normalize(quat_at(&d.qpos, adr))
    } else {
        axis_angle_quat(vec3(&m.jnt_axis, jnt), d.qpos[adr] - m.qpos0[adr])
    };
    let quat = quat_mul(quat, turn);
    (anchor - quat_rotate(quat, local), quat)
}

/// Pose of a frame of a body at `offset`, which coincides with another frame of it as `kind` says.
#[inline(always)]
fn attached<T: Real>(
    d: &Data<T>,
    body: usize,
    kind: i32,
    (offset, turn): (Vec3<T>, Quat<T>),
) -> (Vec3<T>, Mat3<T>) {
    let pos = match kind {
        sameframe::BODY => vec3(&d.xpos, body),
        sameframe::INERTIA => vec3(&d.xipos, body),
        _ => vec3(&d.xpos, body) + mat3(&d.xmat, body) * offset,
    };
    let mat = match kind {
        sameframe::BODY | sameframe::BODYROT => mat3(&d.xmat, body),
        sameframe::INERTIA | sameframe::INERTIAROT => mat3(&d.ximat, body),
        _ => quat_to_mat(quat_mul(quat(&d.xquat, body), turn)),
    };
    (pos, mat)
}

/// Centre of mass and principal axes of one body.
#[inline(always)]
fn place_inertia<T: Real>(m: &Model<T>, d: &mut Data<T>, body: usize) {
    let own = (vec3(&m.body_ipos, body), quat(&m.body_iquat, body));
    let (pos, mat) = attached(d, body, m.body_sameframe[body], own);
    set_vec3(&mut d.xipos, body, pos);
    set_mat3(&mut d.ximat, body, mat);
}

/// Pose of one geom.
#[inline(always)]
fn place_geom<T: Real>(m: &Model<T>, d: &mut Data<T>, geom: usize) {
    let own = (vec3(&m.geom_pos, geom), quat(&m.geom_quat, geom));
    let (pos, mat) = attached(d, m.geom_bodyid[geom] as usize, m.geom_sameframe[geom], own);
    set_vec3(&mut d.geom_xpos, geom, pos);
    set_mat3(&mut d.geom_xmat, geom, mat);
}

/// Pose of one site.
#[inline(always)]
fn place_site<T: Real>(m: &Model<T>, d: &mut Data<T>, site: usize) {
    let own = (vec3(&m.site_pos, site), quat(&m.site_quat, site));
    let (pos, mat) = attached(d, m.site_bodyid[site] as usize, m.site_sameframe[site], own);
    set_vec3(&mut d.site_xpos, site, pos);
    set_mat3(&mut d.site_xmat, site, mat);
}
