// Activation dynamics: rates of the actuator states, and their values one time step later.
// Twin: crates/cpu/src/actuation/activation.rs.

import package::actuation::control::actuator_disabled;
import package::actuation::dcmotor;
import package::actuation::muscle::muscle_rate;
import package::actuation::next_activation::next_activation;
import package::actuation::orientation;
import package::actuation::pid;
import package::actuation::pid_plugin;
import package::actuation::setpoint::unwrap_setpoint;
import package::runtime::group::lane;

// Writes the activation rates of an actuator; `input` is its first control, `good` is false if any control is bad.
fn activation_rates(a: u32, input: f32, good: bool) {
//#if ACTIVATION
    if (actuator_actadr(a) < 0) {
        return;
    }
    let first = u32(actuator_actadr(a));
    let end = first + u32(actuator_actnum(a));
    // states without a rate of their own stay
    for (var i = first; i < end; i++) {
        set_act_dot(i, 0.0);
    }
    let kind = actuator_dyntype(a);
//#if DCMOTOR
    if (kind == DYNAMICS_DCMOTOR) {
        dcmotor::rates(dcmotor::of_actuator(a, input, good));
        return;
    }
//#endif
//#if PID
    if (kind == DYNAMICS_PID) {
        pid::rates(pid::of_actuator(a, input, good));
        return;
    }
//#endif
//#if SO3
    if (actuator_gaintype(a) == GAIN_SO3) {
        orientation::rates(a, good);
        return;
    }
//#endif
//#if LAWS
    if (kind == DYNAMICS_USER) {
        for (var i = first; i < end; i++) {
            set_act_dot(i, law_act_dot(i));
        }
        return;
    }
//#endif
    // the last activation drives the force
    let last = end - 1u;
    var rate = 0.0;
    if (kind == DYNAMICS_INTEGRATOR) {
        rate = input;
    }
    if (kind == DYNAMICS_FILTER || kind == DYNAMICS_FILTEREXACT) {
        rate = (input - act(last)) / max(actuator_dynprm(10u * a), MINVAL);
    }
//#if MUSCLE
    if (kind == DYNAMICS_MUSCLE) {
        let prm = vec3f(actuator_dynprm(10u * a), actuator_dynprm(10u * a + 1u), actuator_dynprm(10u * a + 2u));
        rate = muscle_rate(input, act(last), prm);
    }
//#endif
    set_act_dot(last, rate);
//#if PID_PLUGIN
    if (actuator_plugin(a) >= 0) {
        pid_plugin::rates(pid_plugin::of_actuator(a, input, false));
    }
//#endif
//#endif
}

// Activations of all actuators one time step later, at the rates R. Actuators of disabled groups keep theirs.
fn advance_activations__R() {
//#if ACTIVATION
    for (var a = lane; a < nactuator; a += lanes) {
        if (actuator_actadr(a) >= 0 && !actuator_disabled(a)) {
            let first = u32(actuator_actadr(a));
            let end = first + u32(actuator_actnum(a));
            for (var i = first; i < end; i++) {
                var next = next_activation(a, i, R(i));
                if (actuator_dyntype(a) == DYNAMICS_INTEGRATOR) {
                    next = unwrap_setpoint(a, next);
                }
                set_act(i, next);
            }
//#if SO3
            if (actuator_gaintype(a) == GAIN_SO3) {
                orientation::unwind(a);
            }
//#endif
        }
    }
//#endif
}
