//! Orientation servos: of a ball joint, or of a site relative to another (MuJoCo XML reference,
//! "actuator/orientation"). Three torques about the axes of the moving frame.
//!
//! `gainprm`: stiffness. `biasprm`: constant bias, minus stiffness, minus damping. The controls, or the activations
//! that integrate them, are a rotation vector; the controls may also be a quaternion.

use super::control::{actuator_disabled, control};
use super::next_activation::next_activation;
use crate::math::{Quat, Vec3, axis_angle_quat, dot, length, quat_normalize, quat_sub, vec3_at};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::history::is_quaternion;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::gain;

/// Fraction of the largest torque above which the torque counts as saturated.
const SATURATED_TORQUE: f64 = 1.0 - 1e-6;

/// True if an actuator is an orientation servo.
pub fn is_orientation<T: Real>(m: &Model<T>, a: usize) -> bool {
    m.actuator_gaintype[a] == gain::SO3
}

/// Quaternion of a rotation vector.
fn rotvec_to_quat<T: Real>(v: Vec3<T>) -> Quat<T> {
    let angle = length(v);
    if angle < T::MINVAL {
        // to the first order, for whoever wants its slopes
        return if T::HAS_SLOPES { Quat::new(T::ONE, v * T::of(0.5)) } else { Quat::IDENTITY };
    }
    axis_angle_quat(v * (T::ONE / angle), angle)
}

/// Target orientation.
fn target_orientation<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, good: bool) -> Quat<T> {
    let first = m.actuator_ctrladr[a] as usize;
    if let Ok(act) = usize::try_from(m.actuator_actadr[a]) {
        let early = m.actuator_actearly[a] != 0;
        let state = |adr: usize| {
            if early { next_activation(m, d, a, adr, d.act_dot[adr]) } else { d.act[adr] }
        };
        return rotvec_to_quat(Vec3::from_fn(|i| state(act + i)));
    }
    if is_quaternion(m, a) {
        return quat_normalize(Quat([0, 1, 2, 3].map(|i| control(m, d, first + i, good))));
    }
    rotvec_to_quat(Vec3::from_fn(|i| control(m, d, first + i, good)))
}

/// Writes the torques before limits.
pub fn drive<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, good: bool) {
    let out = m.actuator_outadr[a] as usize;
    let present = rotvec_to_quat(vec3_at(&d.actuator_length, out));
    let error = quat_sub(target_orientation(m, d, a, good), present);
    let b = &m.actuator_biasprm[10 * a..10 * a + 3];
    for i in 0..3 {
        let torque = b[0] + m.actuator_gainprm[10 * a] * error[i] + b[2] * d.actuator_velocity[out + i];
        d.actuator_force[out + i] = if actuator_disabled(m, a) { T::ZERO } else { torque };
    }
}

/// Writes the activation rates: the controls.
pub fn rates<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize, good: bool) {
    let Ok(act) = usize::try_from(m.actuator_actadr[a]) else {
        return;
    };
    for i in 0..3 {
        d.act_dot[act + i] = control(m, d, m.actuator_ctrladr[a] as usize + i, good);
    }
}

/// Replaces an activation rotation vector by the equivalent one of less than half a turn.
pub fn unwind<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize) {
    let act = m.actuator_actadr[a].max(0) as usize;
    let v = vec3_at(&d.act, act);
    let angle = length(v);
    let turn = T::of(2.0 * std::f64::consts::PI);
    let rest = angle - turn * (angle / turn + T::of(0.5)).floor();
    if rest != angle {
        let v = v * (rest / angle);
        d.act[act..act + 3].copy_from_slice(&v.0);
    }
}

/// Clamps the length of the torque vector to its range.
pub fn limit<T: Real>(m: &Model<T>, d: &mut Data<T>, a: usize) {
    let out = m.actuator_outadr[a] as usize;
    let torque = vec3_at(&d.actuator_force, out);
    let (length, most) = (length(torque), m.actuator_forcerange[2 * a + 1]);
    if m.actuator_forcelimited[a] != 0 && length > most {
        d.actuator_force[out..out + 3].copy_from_slice(&(torque * (most / length)).0);
    }
}

/// Derivative of each torque with respect to the velocity about its axis; zero where the range saturates.
pub fn force_derivative<T: Real>(m: &Model<T>, d: &Data<T>, a: usize) -> T {
    if is_saturated(m, d, a) { T::ZERO } else { m.actuator_biasprm[10 * a + 2] }
}

/// Stiffness of each torque about its axis, as if the others did not turn it: what MuJoCo takes for the derivative.
pub fn stiffness<T: Real>(m: &Model<T>, d: &Data<T>, a: usize) -> T {
    if is_saturated(m, d, a) { T::ZERO } else { -m.actuator_biasprm[10 * a + 1] }
}

/// True if the torque is at the end of its range.
fn is_saturated<T: Real>(m: &Model<T>, d: &Data<T>, a: usize) -> bool {
    let torque = vec3_at(&d.actuator_force, m.actuator_outadr[a] as usize);
    let most = T::of(SATURATED_TORQUE) * m.actuator_forcerange[2 * a + 1];
    m.actuator_forcelimited[a] != 0 && dot(torque, torque) >= most * most
}
