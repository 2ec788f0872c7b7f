//! Damping and armature of actuators, reflected through the gear to their joint or tendon.
//!
//! `jnt_actuatorid` and `tendon_actuatorid` hold the only contributing actuator, -1 for none, -2 for several: then
//! all actuators on the target are summed.

use manyworlds_model::model::Model;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::transmission;

/// Sum over a target's actuators of squared gear times entry `k` of a row of `width` of `table`.
#[inline(always)]
fn reflected_coef<T: Real>(
    m: &Model<T>,
    id: i32,
    target: i32,
    tendon: bool,
    table: &[T],
    width: usize,
    k: usize,
) -> T {
    if id == -1 { T::ZERO } else { sum_reflected_coef(m, target, tendon, table, width, k) }
}

/// The sum itself, for targets with a contributing actuator.
fn sum_reflected_coef<T: Real>(
    m: &Model<T>,
    target: i32,
    tendon: bool,
    table: &[T],
    width: usize,
    k: usize,
) -> T {
    let mut sum = T::ZERO;
    for a in 0..m.sizes.nactuator {
        let kind = m.actuator_trntype[a];
        let on_tendon = kind == transmission::TENDON;
        let on_joint = kind == transmission::JOINT || kind == transmission::JOINTINPARENT;
        let reaches = if tendon { on_tendon } else { on_joint };
        if reaches && m.actuator_trnid[2 * a] == target {
            let gear = m.actuator_gear[6 * m.actuator_outadr[a] as usize];
            sum += gear * gear * table[width * a + k];
        }
    }
    sum
}

/// Armature of one degree of freedom, actuators included.
#[inline(always)]
pub fn armature_of_dof<T: Real>(m: &Model<T>, dof: usize) -> T {
    let jnt = m.dof_jntid[dof];
    let id = m.jnt_actuatorid[jnt as usize];
    m.dof_armature[dof] + reflected_coef(m, id, jnt, false, &m.actuator_armature, 1, 0)
}

/// Armature of one tendon, actuators included.
pub fn armature_of_tendon<T: Real>(m: &Model<T>, ten: usize) -> T {
    let id = m.tendon_actuatorid[ten];
    m.tendon_armature[ten] + reflected_coef(m, id, ten as i32, true, &m.actuator_armature, 1, 0)
}

/// Linear, quadratic and cubic damping of one degree of freedom, actuators included.
#[inline(always)]
pub fn damping_of_dof<T: Real>(m: &Model<T>, dof: usize) -> [T; 3] {
    let jnt = m.dof_jntid[dof];
    let id = m.jnt_actuatorid[jnt as usize];
    let poly = &m.actuator_dampingpoly;
    [
        m.dof_damping[dof] + reflected_coef(m, id, jnt, false, &m.actuator_damping, 1, 0),
        m.dof_dampingpoly[2 * dof] + reflected_coef(m, id, jnt, false, poly, 2, 0),
        m.dof_dampingpoly[2 * dof + 1] + reflected_coef(m, id, jnt, false, poly, 2, 1),
    ]
}

/// Linear, quadratic and cubic damping of one tendon, actuators included.
pub fn damping_of_tendon<T: Real>(m: &Model<T>, ten: usize) -> [T; 3] {
    let id = m.tendon_actuatorid[ten];
    let target = ten as i32;
    let poly = &m.actuator_dampingpoly;
    [
        m.tendon_damping[ten] + reflected_coef(m, id, target, true, &m.actuator_damping, 1, 0),
        m.tendon_dampingpoly[2 * ten] + reflected_coef(m, id, target, true, poly, 2, 0),
        m.tendon_dampingpoly[2 * ten + 1] + reflected_coef(m, id, target, true, poly, 2, 1),
    ]
}

/// Damping coefficient at velocity `v`: the force is minus this times `v`.
#[inline(always)]
pub fn damping_coefficient<T: Real>(b: [T; 3], v: T) -> T {
    b[0] + b[1] * v.abs() + b[2] * v * v
}

/// Derivative of a damper's resistance with respect to velocity.
#[inline(always)]
pub fn damping_derivative<T: Real>(b: [T; 3], v: T) -> T {
    b[0] + T::of(2.0) * b[1] * v.abs() + T::of(3.0) * b[2] * v * v
}
