// Activations: the states of actuators that have one. Their rates, and their values a time step later.
// Twin: src/cpu/actuation/activation.rs.

// Writes the rates of an actuator's activations; `input` is its first control, `good` whether all controls are.
fn activation_rates(a: u32, input: f32, good: bool) {
//#if ACTIVATION
    if (actuator_actadr(a) < 0) {
        return;
    }
    let first = u32(actuator_actadr(a));
    let end = first + u32(actuator_actnum(a));
    for (var i = first; i < end; i++) {
        set_act_dot(i, 0.0);
    }
    let kind = actuator_dyntype(a);
//#if DCMOTOR
    if (kind == DYNAMICS_DCMOTOR) {
        motor_rates(motor_at(a, input, good));
        return;
    }
//#endif
//#if PID
    if (kind == DYNAMICS_PID) {
        pid_rates(pid_at(a, input, good));
        return;
    }
//#endif
//#if SO3
    if (actuator_gaintype(a) == GAIN_SO3) {
        orientation_rates(a, good);
        return;
    }
//#endif
    // the last one drives the force
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
//#endif
}

// An activation one time step later, within its range, when it changes at `rate`.
fn next_activation(a: u32, adr: u32, rate: f32) -> f32 {
    let h = opt_timestep(0u);
//#if DCMOTOR
    if (actuator_dyntype(a) == DYNAMICS_DCMOTOR) {
        return next_motor_state(a, adr, rate);
    }
//#endif
    // the rate of an exact filter falls as it goes
    var elapsed = h;
    if (actuator_dyntype(a) == DYNAMICS_FILTEREXACT) {
        let time = max(actuator_dynprm(10u * a), MINVAL);
        elapsed = -(time * exponential_m1(-h / time));
    }
    let next = act(adr) + rate * elapsed;
    if (actuator_actlimited(a) != 0) {
        return clip(next, actuator_actrange(2u * a), actuator_actrange(2u * a + 1u));
    }
    return next;
}

// Activations of all actuators one time step later, when they change at the rates R. Those whose group is switched
// off stay as they are.
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
                unwind_orientation(a);
            }
//#endif
        }
    }
//#endif
}

// Whether an actuator's group is switched off.
fn actuator_disabled(a: u32) -> bool {
    let group = actuator_group(a);
    return group >= 0 && group <= 30 && (opt_disableactuator(0u) & (1 << u32(group & 31))) != 0;
}

// A full turn in units of length, where an actuator is a position servo of an orientation: of a ball joint, or of a
// site relative to another. Zero for all others.
fn full_turn(a: u32) -> f32 {
    let dyn = actuator_dyntype(a);
    let servo = (dyn == DYNAMICS_NONE || dyn == DYNAMICS_INTEGRATOR)
        && actuator_gaintype(a) == GAIN_FIXED
        && actuator_biastype(a) == BIAS_AFFINE
        && actuator_biasprm(10u * a + 1u) == -actuator_gainprm(10u * a);
    let follows = actuator_gaintype(a) == GAIN_PID && (actuator_ctrlspec(a) & INPUT_POS) != 0;
    if (!servo && !follows) {
        return 0.0;
    }
    let out = u32(actuator_outadr(a));
    let linear = actuator_gear_vec3(2u * out);
    let angular = actuator_gear_vec3(2u * out + 1u);
    let kind = actuator_trntype(a);
    if (kind == TRANSMISSION_JOINT || kind == TRANSMISSION_JOINTINPARENT) {
        if (jnt_type(u32(actuator_trnid(2u * a))) == JOINT_BALL) {
            return 2.0 * PI * sqrt(dot(linear, linear));
        }
    }
    if (kind == TRANSMISSION_SITE && actuator_trnid(2u * a + 1u) >= 0 && dot(linear, linear) == 0.0) {
        return 2.0 * PI * sqrt(dot(angular, angular));
    }
    return 0.0;
}

// Of all setpoints that differ by full turns, the one nearest to the present length.
fn unwrap_setpoint(a: u32, setpoint: f32) -> f32 {
    return unwrap_near(a, setpoint, actuator_length(u32(actuator_outadr(a))));
}

// Of all setpoints that differ by full turns, the one nearest to another number.
fn unwrap_near(a: u32, setpoint: f32, other: f32) -> f32 {
    let turn = full_turn(a);
    if (turn < MINVAL) {
        return setpoint;
    }
    return setpoint - turn * floor((setpoint - other) / turn + 0.5);
}
