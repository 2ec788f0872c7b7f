// Actuator forces from controls: force = gain * input + bias, then the limits of tendons, actuators and joints. The
// input is the control, or the activation of an actuator that has one. Twin: crates/cpu/src/actuation/actuation.rs. The
// schedule differs: each degree of freedom gathers the forces on it, which the twin adds up moment by moment.

import package::actuation::activation::activation_rates;
import package::actuation::control::{actuator_disabled, first_control, within_range};
import package::actuation::dcmotor;
import package::actuation::history::delay_controls;
import package::actuation::muscle;
import package::actuation::next_activation::driving_input;
import package::actuation::orientation;
import package::actuation::pid;
import package::actuation::pid_plugin;
import package::actuation::setpoint::unwrap_setpoint;
import package::integrate::reset::is_bad;
import package::math::vector::clip;
import package::runtime::group::{lane, parts, set_partial, sum_partials, sync};
import package::runtime::status::raise_status;

// Activation rates, actuator forces and their joint forces qfrc_actuator.
fn actuation() {
//#if LAW_STATES
    state_rates();
//#endif
//#if ACTUATION
//#if HISTORY
    delay_controls();
    sync();
//#endif
    // one bad control sets all controls of the world to zero
    for (var k = lane; k < parts; k += lanes) {
        var bad = 0.0;
        for (var u = k; u < nu; u += parts) {
            bad += select(0.0, 1.0, is_bad(within_range(u)));
        }
        set_partial(k, vec4f(bad));
    }
    let good = sum_partials().x == 0.0;
    if (!good) {
        raise_status(STATUS_BAD_CTRL);
    }
    // activation rates, and forces before limits
    for (var a = lane; a < nactuator; a += lanes) {
        let input = first_control(a, good);
        activation_rates(a, input, good);
//#if SO3
        if (actuator_gaintype(a) == GAIN_SO3) {
            orientation::drive(a, good);
            continue;
        }
//#endif
        var force = select(raw_force(a, input, good), 0.0, actuator_disabled(a));
//#if PID_PLUGIN
        // a plugin does not know that its actuator is disabled
        if (actuator_plugin(a) >= 0) {
            force = pid_plugin::drive(pid_plugin::of_actuator(a, input, actuator_actearly(a) != 0));
        }
//#endif
        set_actuator_force(u32(actuator_outadr(a)), force);
    }
    sync();
//#if TENDON
    // limits of tendons before those of actuators and joints
    for (var ten = lane; ten < ntendon; ten += lanes) {
        limit_tendon(ten);
    }
    sync();
//#endif
    for (var a = lane; a < nactuator; a += lanes) {
        limit_actuator(a, good);
    }
    sync();
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_actuator(dof, dof_force(dof));
    }
//#else
    // no actuation: rates and forces are zero
    for (var i = lane; i < na; i += lanes) {
//#if LAW_STATES
        if (i >= first_state) {
            continue;
        }
//#endif
        set_act_dot(i, 0.0);
    }
    for (var out = lane; out < nout; out += lanes) {
        set_actuator_force(out, 0.0);
    }
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_actuator(dof, 0.0);
    }
//#endif
}

// Force of one actuator before limits.
fn raw_force(a: u32, ctrl: f32, good: bool) -> f32 {
//#if DCMOTOR
    if (actuator_gaintype(a) == GAIN_DCMOTOR) {
        return dcmotor::drive(dcmotor::of_actuator(a, ctrl, good));
    }
//#endif
//#if PID
    if (actuator_gaintype(a) == GAIN_PID) {
        return pid::drive(pid::of_actuator(a, ctrl, good)) + bias_of(a);
    }
//#endif
    var input = driving_input(a, ctrl);
//#if ORIENTATION
    input = unwrap_setpoint(a, input);
//#endif
    return gain_of(a) * input + bias_of(a);
}

// Gain: force per unit of input.
fn gain_of(a: u32) -> f32 {
    let out = u32(actuator_outadr(a));
    let g = 10u * a;
    let kind = actuator_gaintype(a);
    if (kind == GAIN_AFFINE) {
        return actuator_gainprm(g) + actuator_gainprm(g + 1u) * actuator_length(out)
            + actuator_gainprm(g + 2u) * actuator_velocity(out);
    }
    if (kind == GAIN_USER) {
//#if LAWS
        return law_gain(a);
//#endif
//#if !LAWS
        // as without a callback
        return 1.0;
//#endif
    }
//#if MUSCLE
    if (kind == GAIN_MUSCLE) {
        return muscle::gain(a, out);
    }
//#endif
    return actuator_gainprm(g);
}

// Bias: force at zero input.
fn bias_of(a: u32) -> f32 {
    let out = u32(actuator_outadr(a));
    let b = 10u * a;
    let kind = actuator_biastype(a);
    if (kind == BIAS_AFFINE) {
        return actuator_biasprm(b) + actuator_biasprm(b + 1u) * actuator_length(out)
            + actuator_biasprm(b + 2u) * actuator_velocity(out);
    }
//#if LAWS
    if (kind == BIAS_USER) {
        return law_bias(a);
    }
//#endif
//#if MUSCLE
    if (kind == BIAS_MUSCLE) {
        return muscle::bias(a, out);
    }
//#endif
    return 0.0;
}

// Scales the forces of a tendon's actuators so that their sum stays within the tendon's range.
fn limit_tendon(ten: u32) {
    if (tendon_actfrclimited(ten) == 0) {
        return;
    }
    var total = 0.0;
    for (var a = 0u; a < nactuator; a++) {
        if (actuator_trntype(a) == TRANSMISSION_TENDON && u32(actuator_trnid(2u * a)) == ten) {
            total += actuator_force(u32(actuator_outadr(a)));
        }
    }
    let within = clip(total, tendon_actfrcrange(2u * ten), tendon_actfrcrange(2u * ten + 1u));
    if (within == total || total == 0.0) {
        return;
    }
    for (var a = 0u; a < nactuator; a++) {
        if (actuator_trntype(a) == TRANSMISSION_TENDON && u32(actuator_trnid(2u * a)) == ten) {
            let out = u32(actuator_outadr(a));
            set_actuator_force(out, actuator_force(out) * (within / total));
        }
    }
}

// Clamps the force of one actuator to its range, then adds the terms that the range does not limit.
fn limit_actuator(a: u32, good: bool) {
//#if SO3
    if (actuator_gaintype(a) == GAIN_SO3) {
        orientation::limit(a);
        return;
    }
//#endif
    let out = u32(actuator_outadr(a));
    if (actuator_forcelimited(a) != 0) {
        set_actuator_force(out, clip(actuator_force(out), actuator_forcerange(2u * a), actuator_forcerange(2u * a + 1u)));
    }
//#if DCMOTOR
    if (actuator_biastype(a) == BIAS_DCMOTOR && !actuator_disabled(a)) {
        let motor = dcmotor::of_actuator(a, first_control(a, good), good);
        set_actuator_force(out, actuator_force(out) + dcmotor::losses(motor));
    }
//#endif
}

// Sum of all actuator forces on one degree of freedom, clamped to the joint's range.
fn dof_force(dof: u32) -> f32 {
    var sum = 0.0;
    for (var k = u32(dof_momentbegin(dof)); k < u32(dof_momentend(dof)); k++) {
        if (u32(moment_colind(k)) == dof) {
            sum += actuator_moment(k) * actuator_force(u32(moment_rowind(k)));
        }
    }
    let jnt = u32(dof_jntid(dof));
//#if GRAVCOMP
    if (jnt_actgravcomp(jnt) != 0) {
        sum += qfrc_gravcomp(dof);
    }
//#endif
    let scalar = jnt_type(jnt) == JOINT_SLIDE || jnt_type(jnt) == JOINT_HINGE;
    if (scalar && jnt_actfrclimited(jnt) != 0) {
        sum = clip(sum, jnt_actfrcrange(2u * jnt), jnt_actfrcrange(2u * jnt + 1u));
    }
    return sum;
}
