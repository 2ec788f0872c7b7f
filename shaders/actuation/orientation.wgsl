// Orientation servos: three torques about the axes of the moving frame. Parameters as in the twin:
// crates/cpu/src/actuation/orientation.rs.

import package::actuation::control::{actuator_disabled, control, within_range};
import package::actuation::next_activation::next_activation;
import package::math::quaternion::{axis_angle_quat, quat_normalize, quat_sub};
import package::math::trig::PI;

// Fraction of the largest torque above which the torque counts as saturated.
const SATURATED_TORQUE: f32 = 1.0 - 1e-6;

// Quaternion of a rotation vector.
fn rotvec_to_quat(v: vec3f) -> vec4f {
    let angle = sqrt(dot(v, v));
    if (angle < MINVAL) {
        return vec4f(1.0, 0.0, 0.0, 0.0);
    }
    return axis_angle_quat(v / angle, angle);
}

// Target orientation.
fn target_orientation(a: u32, good: bool) -> vec4f {
    var v = vec4f(0.0);
//#if ACTIVATION
    if (actuator_actadr(a) >= 0) {
        let first = u32(actuator_actadr(a));
        for (var i = 0u; i < 3u; i++) {
            v[i] = act(first + i);
            if (actuator_actearly(a) != 0) {
                v[i] = next_activation(a, first + i, act_dot(first + i));
            }
        }
        return rotvec_to_quat(v.xyz);
    }
//#endif
    let first = u32(actuator_ctrladr(a));
    let count = u32(actuator_ctrlnum(a));
    for (var i = 0u; i < min(count, 4u); i++) {
        v[i] = control(first + i, good);
    }
    if (actuator_ctrlspec(a) == INPUT_QUAT) {
        return quat_normalize(v);
    }
    return rotvec_to_quat(v.xyz);
}

// Writes the torques before limits.
fn drive(a: u32, good: bool) {
    let out = u32(actuator_outadr(a));
    let present = rotvec_to_quat(vec3f(actuator_length(out), actuator_length(out + 1u), actuator_length(out + 2u)));
    let error = quat_sub(target_orientation(a, good), present);
    let b = 10u * a;
    for (var i = 0u; i < 3u; i++) {
        let damping = actuator_biasprm(b + 2u) * actuator_velocity(out + i);
        let torque = actuator_biasprm(b) + actuator_gainprm(b) * error[i] + damping;
        set_actuator_force(out + i, select(torque, 0.0, actuator_disabled(a)));
    }
}

// Writes the activation rates: the controls.
fn rates(a: u32, good: bool) {
    let first = u32(actuator_actadr(a));
    for (var i = 0u; i < 3u; i++) {
        set_act_dot(first + i, control(u32(actuator_ctrladr(a)) + i, good));
    }
}

// Replaces an activation rotation vector by the equivalent one of less than half a turn.
fn unwind(a: u32) {
    let first = u32(actuator_actadr(a));
    let v = vec3f(act(first), act(first + 1u), act(first + 2u));
    let angle = sqrt(dot(v, v));
    let turn = 2.0 * PI;
    let rest = angle - turn * floor(angle / turn + 0.5);
    if (rest != angle) {
        for (var i = 0u; i < 3u; i++) {
            set_act(first + i, v[i] * (rest / angle));
        }
    }
}

// Clamps the length of the torque vector to its range.
fn limit(a: u32) {
    let out = u32(actuator_outadr(a));
    let torque = vec3f(actuator_force(out), actuator_force(out + 1u), actuator_force(out + 2u));
    let most = actuator_forcerange(2u * a + 1u);
    let size = sqrt(dot(torque, torque));
    if (actuator_forcelimited(a) != 0 && size > most) {
        for (var i = 0u; i < 3u; i++) {
            set_actuator_force(out + i, torque[i] * (most / size));
        }
    }
}

// Derivative of each torque with respect to the velocity about its axis; zero where the range saturates.
fn force_derivative(a: u32) -> f32 {
    if (actuator_disabled(a) || is_saturated(a)) {
        return 0.0;
    }
    return actuator_biasprm(10u * a + 2u);
}

// Stiffness of each torque about its axis, as if the others did not turn it.
fn stiffness(a: u32) -> f32 {
    return select(-actuator_biasprm(10u * a + 1u), 0.0, is_saturated(a));
}

// True if the torque is at the end of its range.
fn is_saturated(a: u32) -> bool {
    let out = u32(actuator_outadr(a));
    let torque = vec3f(actuator_force(out), actuator_force(out + 1u), actuator_force(out + 2u));
    let most = SATURATED_TORQUE * actuator_forcerange(2u * a + 1u);
    return actuator_forcelimited(a) != 0 && dot(torque, torque) >= most * most;
}
