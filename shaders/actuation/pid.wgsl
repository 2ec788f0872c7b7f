// PID controllers of position and velocity. Parameters and states as in the twin: crates/cpu/src/actuation/pid.rs.

import package::actuation::next_activation::next_activation;
import package::actuation::servo::{self, integral_rate, slewed};
import package::actuation::setpoint::{unwrap_near, unwrap_setpoint};

struct Pid {
    actuator: u32,
    // addresses of the states; -1 for none
    slew: i32,
    integral: i32,
    inputs: vec4f,
    // target position, unwrapped to near the current one
    setpoint: f32,
}

// The controller with its first control clamped; bad controls count as zero.
fn of_actuator(a: u32, first: f32, good: bool) -> Pid {
    let p = 10u * a;
    var next = max(actuator_actadr(a), 0);
    let stateful = actuator_dyntype(a) == DYNAMICS_PID;
    let has_slew = stateful && actuator_dynprm(p + 1u) > 0.0;
    let slew = select(-1, next, has_slew);
    next += select(0, 1, has_slew);
    let integral = select(-1, next, stateful && actuator_gainprm(p) > 0.0);
    var inputs = servo::inputs(a, first, good);
    if (has_slew) {
        let last = act(u32(slew));
        inputs.x = slewed(unwrap_near(a, inputs.x, last), last, actuator_dynprm(p + 1u));
    }
    var setpoint = 0.0;
    if ((actuator_ctrlspec(a) & INPUT_POS) != 0) {
        setpoint = unwrap_setpoint(a, inputs.x);
    }
    return Pid(a, slew, integral, inputs, setpoint);
}

// Writes the rates of the states.
fn rates(pid: Pid) {
    let a = pid.actuator;
    if (pid.slew >= 0) {
        let adr = u32(pid.slew);
        set_act_dot(adr, (pid.inputs.x - act(adr)) / opt_timestep(0u));
    }
    if (pid.integral >= 0) {
        let adr = u32(pid.integral);
        let error = pid.setpoint - actuator_length(u32(actuator_outadr(a)));
        set_act_dot(adr, integral_rate(error, act(adr), actuator_dynprm(10u * a)));
    }
}

// Force from the inputs and the integral.
fn drive(pid: Pid) -> f32 {
    let a = pid.actuator;
    let b = 10u * a;
    var total = pid.inputs.z - actuator_biasprm(b + 1u) * pid.setpoint - actuator_biasprm(b + 2u) * pid.inputs.y;
    if (pid.integral >= 0) {
        let adr = u32(pid.integral);
        var sum = act(adr);
        if (actuator_actearly(a) != 0) {
            sum = next_activation(a, adr, act_dot(adr));
        }
        total += actuator_gainprm(b) * sum;
    }
    return total;
}
