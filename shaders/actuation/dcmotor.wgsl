// DC motors: winding, onboard servo, temperature and friction. Parameters as in the twin:
// crates/cpu/src/actuation/dcmotor.rs.

import package::actuation::servo::{self, integral_rate, slewed};
import package::math::trig::{exponential, exponential_m1, sincos};
import package::math::vector::clip;

struct DcMotor {
    actuator: u32,
    first: u32,
    length: f32,
    velocity: f32,
    // first input, limited in rate
    input: f32,
    voltage: f32,
    resistance: f32,
}

// Number of states before state k, or -1 if the motor lacks it: slew, integral, temperature, bristle, current.
fn state_slot(a: u32, k: u32) -> i32 {
    var has = array<bool, 5>(
        actuator_dynprm(10u * a + 7u) > 0.0,
        actuator_gainprm(10u * a + 5u) > 0.0,
        actuator_dynprm(10u * a + 2u) > 0.0,
        actuator_dynprm(10u * a + 5u) > 0.0,
        actuator_dynprm(10u * a) > 0.0,
    );
    var slot = -1;
    for (var i = 0u; i <= k; i++) {
        slot += select(0, 1, has[i]);
    }
    return select(-1, slot, has[k]);
}

// A state of a motor; zero if the motor lacks it.
fn state(a: u32, k: u32) -> f32 {
    let slot = state_slot(a, k);
    if (slot < 0) {
        return 0.0;
    }
    return act(u32(actuator_actadr(a) + slot));
}

// The motor with its first control clamped; bad controls count as zero.
fn of_actuator(a: u32, ctrl: f32, good: bool) -> DcMotor {
    let out = u32(actuator_outadr(a));
    let first = u32(max(actuator_actadr(a), 0));
    var input = ctrl;
    if (state_slot(a, 0u) >= 0) {
        input = slewed(ctrl, state(a, 0u), actuator_dynprm(10u * a + 7u));
    }
    // resistance at the temperature of the winding
    var resistance = actuator_gainprm(10u * a);
    if (state_slot(a, 2u) >= 0) {
        let above = state(a, 2u) + actuator_dynprm(10u * a + 4u) - actuator_gainprm(10u * a + 3u);
        resistance *= 1.0 + actuator_gainprm(10u * a + 2u) * above;
    }
    var motor = DcMotor(a, first, actuator_length(out), actuator_velocity(out), input, 0.0, max(resistance, MINVAL));
    motor.voltage = servo(motor, good);
    return motor;
}

// Winding voltage: the input, or the output of the onboard servo.
fn servo(motor: DcMotor, good: bool) -> f32 {
    let a = motor.actuator;
    let spec = actuator_ctrlspec(a);
    if (actuator_ctrlnum(a) == 0) {
        return 0.0;
    }
    if ((spec & (INPUT_POS | INPUT_VEL | INPUT_FF)) == 0) {
        return motor.input;
    }
    let inputs = servo::inputs(a, motor.input, good);
    let g = 10u * a;
    let torque = actuator_gainprm(g + 4u) * (inputs.x - motor.length)
        + actuator_gainprm(g + 6u) * (inputs.y - motor.velocity)
        + actuator_gainprm(g + 5u) * state(a, 1u)
        + inputs.z;
    var voltage = actuator_gainprm(g) / actuator_gainprm(g + 1u) * torque + actuator_gainprm(g + 1u) * motor.velocity;
    let most = actuator_gainprm(g + 7u);
    if (most > 0.0) {
        voltage = clip(voltage, -most, most);
    }
    return voltage + inputs.w;
}

// Steady-state current at the present voltage and velocity.
fn steady_current(motor: DcMotor) -> f32 {
    return (motor.voltage - actuator_gainprm(10u * motor.actuator + 1u) * motor.velocity) / motor.resistance;
}

// Writes the rates of the states.
fn rates(motor: DcMotor) {
    let a = motor.actuator;
    let p = 10u * a;
    // slew-limited input
    let slew = state_slot(a, 0u);
    if (slew >= 0) {
        set_act_dot(motor.first + u32(slew), (motor.input - state(a, 0u)) / opt_timestep(0u));
    }
    // integral of the position error
    let integral = state_slot(a, 1u);
    if (integral >= 0) {
        let rate = integral_rate(motor.input - motor.length, state(a, 1u), actuator_dynprm(p + 8u));
        set_act_dot(motor.first + u32(integral), rate);
    }
    // winding temperature
    let winding = state_slot(a, 4u);
    let temperature = state_slot(a, 2u);
    if (temperature >= 0) {
        let current = select(steady_current(motor), state(a, 4u), winding >= 0);
        let heat = motor.resistance * current * current - state(a, 2u) / actuator_dynprm(p + 2u);
        set_act_dot(motor.first + u32(temperature), heat / actuator_dynprm(p + 3u));
    }
    // bristle deflection
    let bristle = state_slot(a, 3u);
    if (bristle >= 0) {
        let rate = bristle_decay(a, motor.velocity) * state(a, 3u) + motor.velocity;
        set_act_dot(motor.first + u32(bristle), rate);
    }
    // winding current
    if (winding >= 0) {
        var rate = (steady_current(motor) - state(a, 4u)) / max(actuator_dynprm(p), MINVAL);
        let most = actuator_dynprm(p + 1u);
        if (most > 0.0) {
            rate = clip(rate, -most, most);
        }
        set_act_dot(motor.first + u32(winding), rate);
    }
}

// Force of the current, before limits.
fn drive(motor: DcMotor) -> f32 {
    let a = motor.actuator;
    let constant = actuator_gainprm(10u * a + 1u);
    let winding = state_slot(a, 4u);
    if (winding < 0) {
        return constant * steady_current(motor);
    }
    let adr = motor.first + u32(winding);
    if (actuator_actearly(a) != 0) {
        return constant * next_state(a, adr, act_dot(adr));
    }
    return constant * act(adr);
}

// Cogging and friction, which force limits do not clamp.
fn losses(motor: DcMotor) -> f32 {
    let a = motor.actuator;
    let b = 10u * a;
    var force = 0.0;
    if (actuator_biasprm(b) != 0.0) {
        force += actuator_biasprm(b) * sincos(actuator_biasprm(b + 1u) * motor.length + actuator_biasprm(b + 2u)).x;
    }
    let bristle = state_slot(a, 3u);
    if (bristle >= 0) {
        let adr = motor.first + u32(bristle);
        force -= actuator_dynprm(b + 5u) * act(adr) + actuator_dynprm(b + 6u) * act_dot(adr);
    }
    return force;
}

// Derivative of a motor's force with respect to velocity, limits ignored: back EMF and onboard servo, as far as the
// current follows within a time step, plus bristle damping.
fn force_derivative(a: u32) -> f32 {
    let g = 10u * a;
    let constant = actuator_gainprm(g + 1u);
    var voltage = 0.0;
    if (is_servo(a)) {
        voltage = constant - actuator_gainprm(g + 6u) * max(actuator_gainprm(g), MINVAL) / constant;
    }
    return torque_of(a, voltage - constant) - max(actuator_dynprm(g + 6u), 0.0);
}

// Minus the derivative of a motor's force with respect to length: that of its onboard servo, as far as the current follows
// within a time step.
fn stiffness(a: u32) -> f32 {
    let g = 10u * a;
    if (is_servo(a)) {
        return torque_of(a, actuator_gainprm(g + 4u) * max(actuator_gainprm(g), MINVAL) / actuator_gainprm(g + 1u));
    }
    return 0.0;
}

// True if a motor's voltage comes from an onboard servo.
fn is_servo(a: u32) -> bool {
    return (actuator_ctrlspec(a) & (INPUT_POS | INPUT_VEL | INPUT_FF)) != 0;
}

// Torque that a voltage adds, as far as the current follows it within a time step.
fn torque_of(a: u32, voltage: f32) -> f32 {
    let g = 10u * a;
    var follows = 1.0;
    if (actuator_dynprm(g) > 0.0) {
        follows = -exponential_m1(-opt_timestep(0u) / actuator_dynprm(g));
    }
    return actuator_gainprm(g + 1u) * voltage * follows / of_actuator(a, 0.0, false).resistance;
}

// Decay rate of the bristle deflection: stiffness times speed over the friction at that speed.
fn bristle_decay(a: u32, velocity: f32) -> f32 {
    let b = 10u * a + 3u;
    let ratio = velocity / max(actuator_biasprm(b + 2u), MINVAL);
    let low = actuator_biasprm(b);
    let friction = low + (actuator_biasprm(b + 1u) - low) * exponential(-(ratio * ratio));
    return -(actuator_dynprm(10u * a + 5u) * abs(velocity)) / max(friction, MINVAL);
}

// A state of a motor one time step later, when it changes at `rate`.
fn next_state(a: u32, adr: u32, rate: f32) -> f32 {
    let slot = i32(adr) - max(actuator_actadr(a), 0);
    let p = 10u * a;
    let h = opt_timestep(0u);
    let x = act(adr);
    if (slot == state_slot(a, 4u)) {
        let time = max(actuator_dynprm(p), MINVAL);
        return x - rate * time * exponential_m1(-h / time);
    }
    if (slot == state_slot(a, 3u)) {
        // exact for constant velocity
        let velocity = actuator_velocity(u32(actuator_outadr(a)));
        let decay = bristle_decay(a, velocity);
        let lost = exponential_m1(decay * h);
        var reach = h;
        if (abs(decay) > MINVAL) {
            reach = lost / decay;
        }
        return x + lost * x + reach * velocity;
    }
    let next = x + rate * h;
    let most = actuator_dynprm(p + 8u);
    if (slot == state_slot(a, 1u) && most > 0.0) {
        return clip(next, -most, most);
    }
    return next;
}
