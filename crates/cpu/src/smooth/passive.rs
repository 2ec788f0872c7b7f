//! Springs, dampers, elasticity, gravity compensation, fluid forces and elastic cables; velocities of tendons, edges of flexes
//! and actuators.
//!
//! The force of a spring of stiffness `k, k2, k3` at displacement `x` is `-(k + k2 x + k3 x²) x`, that of a damper
//! `b, b2, b3` at velocity `v` is `-(b + b2 |v| + b3 v²) v`. For a ball joint, and for the translation and rotation
//! of a free joint, the displacement is a vector, with its norm as `x` in the parentheses.

use std::ops::Range;

use super::applied_force::subtree_end;
use super::cable::cables;
use super::elasticity::{edge_velocities, flex_forces};
use super::reflected_inertia::{damping_coefficient, damping_of_dof, damping_of_tendon};
use crate::constraint::adhesion::adhesion_forces;
use crate::constraint::passive_contact::passive_contact_forces;
use crate::math::{Vec3, cross, dot, length, quat_at, quat_normalize, quat_sub, spatial, vec3, vec3_at};
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::schedule::has_fluid;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{disable, joint};
use manyworlds_model::schema::stages::Stage;

/// `qfrc_passive` and its parts.
#[inline(always)]
pub fn passive<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    rates(m, d);
    let count = runs(m, d, Stage::passive);
    for k in 0..count {
        let dofs = run_at(m, d, k).dofs();
        d.qfrc_spring[dofs.clone()].fill(T::ZERO);
        d.qfrc_damper[dofs.clone()].fill(T::ZERO);
        d.qfrc_gravcomp[dofs.clone()].fill(T::ZERO);
        d.qfrc_adhesion[dofs.clone()].fill(T::ZERO);
        d.qfrc_passive[dofs].fill(T::ZERO);
    }
    let springs = !m.disabled(disable::SPRING);
    let dampers = !m.disabled(disable::DAMPER);
    if !springs && !dampers {
        return;
    }
    for k in 0..count {
        let run = run_at(m, d, k);
        if springs {
            for jnt in run.joints() {
                joint_spring(m, d, jnt);
            }
        }
        if dampers {
            for dof in run.dofs() {
                let v = d.qvel[dof];
                d.qfrc_damper[dof] = -(damping_coefficient(damping_of_dof(m, dof), v) * v);
            }
        }
    }
    for ten in 0..m.sizes.ntendon {
        tendon_forces(m, d, ten, springs, dampers);
    }
    flex_forces(m, d, springs, dampers);
    if springs {
        passive_contact_forces(m, d);
    }
    if !m.disabled(disable::GRAVITY) {
        gravity_compensation(m, d, count);
    }
    adhesion_forces(m, d);
    for k in 0..count {
        sum_passive(m, d, run_at(m, d, k).dofs());
    }
    cables(m, d);
}

/// Velocities of tendons, edges of flexes and actuators.
#[inline(always)]
fn rates<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for ten in 0..m.sizes.ntendon {
        let adr = m.ten_J_rowadr[ten] as usize;
        let mut rate = T::ZERO;
        for k in adr..adr + m.ten_J_rownnz[ten] as usize {
            rate += d.ten_J[k] * d.qvel[m.ten_J_colind[k] as usize];
        }
        d.ten_velocity[ten] = rate;
    }
    edge_velocities(m, d);
    let off = m.disabled(disable::ACTUATION);
    for out in 0..m.sizes.nout {
        let adr = m.moment_rowadr[out] as usize;
        let mut rate = T::ZERO;
        for k in adr..adr + m.moment_rownnz[out] as usize {
            rate += d.actuator_moment[k] * d.qvel[m.moment_colind[k] as usize];
        }
        d.actuator_velocity[out] = if off { T::ZERO } else { rate };
    }
}

/// Stiffness at a displacement: polynomial with coefficients k, k2, k3.
#[inline(always)]
pub fn stiffness_at<T: Real>(k: [T; 3], x: T) -> T {
    k[0] + k[1] * x + k[2] * x * x
}

/// Stiffness coefficients of a joint.
#[inline(always)]
pub fn joint_stiffness<T: Real>(m: &Model<T>, jnt: usize) -> [T; 3] {
    [m.jnt_stiffness[jnt], m.jnt_stiffnesspoly[2 * jnt], m.jnt_stiffnesspoly[2 * jnt + 1]]
}

/// Stiffness coefficients of a tendon.
pub fn stiffness_of_tendon<T: Real>(m: &Model<T>, ten: usize) -> [T; 3] {
    [m.tendon_stiffness[ten], m.tendon_stiffnesspoly[2 * ten], m.tendon_stiffnesspoly[2 * ten + 1]]
}

/// Rotation vector from the rest orientation to the current one, for the quaternion at `adr`.
pub fn spring_rotation<T: Real>(m: &Model<T>, d: &Data<T>, adr: usize) -> Vec3<T> {
    quat_sub(quat_normalize(quat_at(&d.qpos, adr)), quat_at(&m.qpos_spring, adr))
}

/// Displacement of a tendon from the range in which its spring is slack.
pub fn tendon_stretch<T: Real>(m: &Model<T>, d: &Data<T>, ten: usize) -> T {
    let length = d.ten_length[ten];
    let (low, high) = (m.tendon_lengthspring[2 * ten], m.tendon_lengthspring[2 * ten + 1]);
    // without slack a spring at its length is about to be stretched as well
    if length > high || (T::HAS_SLOPES && low == high) {
        length - high
    } else if length < low {
        length - low
    } else {
        T::ZERO
    }
}

/// Spring force of one joint.
#[inline(always)]
fn joint_spring<T: Real>(m: &Model<T>, d: &mut Data<T>, jnt: usize) {
    let k = joint_stiffness(m, jnt);
    if k[0] == T::ZERO && k[1] == T::ZERO && k[2] == T::ZERO {
        return;
    }
    let mut adr = m.jnt_qposadr[jnt] as usize;
    let mut dof = m.jnt_dofadr[jnt] as usize;
    let kind = m.jnt_type[jnt];
    if kind == joint::SLIDE || kind == joint::HINGE {
        let x = d.qpos[adr] - m.qpos_spring[adr];
        d.qfrc_spring[dof] = -(stiffness_at(k, x) * x);
        return;
    }
    if kind == joint::FREE {
        let x = vec3_at(&d.qpos, adr) - vec3_at(&m.qpos_spring, adr);
        let force = x * -stiffness_at(k, length(x));
        d.qfrc_spring[dof..dof + 3].copy_from_slice(&force.0);
        adr += 3;
        dof += 3;
    }
    let x = spring_rotation(m, d, adr);
    let force = x * -stiffness_at(k, length(x));
    d.qfrc_spring[dof..dof + 3].copy_from_slice(&force.0);
}

/// Adds the spring and damper force of one tendon.
#[inline(always)]
fn tendon_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, ten: usize, springs: bool, dampers: bool) {
    let (mut spring, mut damper) = (T::ZERO, T::ZERO);
    if springs {
        let x = tendon_stretch(m, d, ten);
        spring = -(stiffness_at(stiffness_of_tendon(m, ten), x) * x);
    }
    if dampers {
        let v = d.ten_velocity[ten];
        damper = -(damping_coefficient(damping_of_tendon(m, ten), v) * v);
    }
    let adr = m.ten_J_rowadr[ten] as usize;
    for k in adr..adr + m.ten_J_rownnz[ten] as usize {
        let dof = m.ten_J_colind[k] as usize;
        d.qfrc_spring[dof] += d.ten_J[k] * spring;
        d.qfrc_damper[dof] += d.ten_J[k] * damper;
    }
}

/// Gravity-compensation force in some runs: for each degree of freedom a sum over the bodies that it moves.
#[inline(always)]
fn gravity_compensation<T: Real>(m: &Model<T>, d: &mut Data<T>, count: usize) {
    let mut any = false;
    for body in 1..m.sizes.nbody {
        any = any || m.body_gravcomp[body] != T::ZERO;
    }
    if !any {
        return;
    }
    let gravity = vec3(&m.opt_gravity, 0);
    for k in 0..count {
        for dof in run_at(m, d, k).dofs() {
            d.qfrc_gravcomp[dof] = dof_compensation(m, d, dof, gravity);
        }
    }
}

/// Gravity-compensation force on one degree of freedom.
fn dof_compensation<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize, gravity: Vec3<T>) -> T {
    let top = m.dof_bodyid[dof] as usize;
    let mut sum = T::ZERO;
    for body in top..subtree_end(m, top) {
        let weight = m.body_mass[body] * m.body_gravcomp[body];
        if weight != T::ZERO {
            sum -= point_axis_dot(m, d, dof, body, gravity) * weight;
        }
    }
    sum
}

/// Velocity of a body's centre of mass along `direction`, for unit velocity of a degree of freedom.
fn point_axis_dot<T: Real>(m: &Model<T>, d: &Data<T>, dof: usize, body: usize, direction: Vec3<T>) -> T {
    let axis = spatial(&d.cdof, dof);
    let offset = vec3(&d.xipos, body) - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    dot(axis.lin + cross(axis.ang, offset), direction)
}

/// Sum of the passive forces, including fluid and adhesion; gravity compensation may count as actuator force instead.
#[inline(always)]
fn sum_passive<T: Real>(m: &Model<T>, d: &mut Data<T>, dofs: Range<usize>) {
    let fluid = has_fluid(m);
    for dof in dofs {
        let mut sum = d.qfrc_spring[dof] + d.qfrc_damper[dof];
        if fluid {
            sum += d.qfrc_fluid[dof];
        }
        sum += d.qfrc_adhesion[dof];
        if m.jnt_actgravcomp[m.dof_jntid[dof] as usize] == 0 {
            sum += d.qfrc_gravcomp[dof];
        }
        d.qfrc_passive[dof] = sum;
    }
}
