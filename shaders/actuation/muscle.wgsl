// Muscles: activation dynamics, and the force-length-velocity model. Twin: crates/cpu/src/actuation/muscle.rs.

import package::math::vector::clip;

struct Muscle {
    length: f32,
    unit: f32,
    force: f32,
}

// Activation rate for an excitation; prm holds the time constants of activation and deactivation and the width of the
// blend.
fn muscle_rate(excitation: f32, activation: f32, prm: vec3f) -> f32 {
    let scale = 0.5 + 1.5 * clip(activation, 0.0, 1.0);
    let rising = prm.x * scale;
    let falling = prm.y / scale;
    let gap = clip(excitation, 0.0, 1.0) - activation;
    var time = select(falling, rising, gap > 0.0);
    if (prm.z >= MINVAL) {
        time = falling + (rising - falling) * smooth_step(gap / prm.z + 0.5);
    }
    return gap / max(time, MINVAL);
}

// Quintic smooth step from 0 to 1 on [0, 1]; two derivatives vanish at both ends.
fn smooth_step(t: f32) -> f32 {
    let x = clip(t, 0.0, 1.0);
    return x * x * x * (x * (x * 6.0 - 15.0) + 10.0);
}

// Muscle of actuator a at the length of its output, with parameters P.
fn of_actuator__P(a: u32, out: u32) -> Muscle {
    let low = actuator_lengthrange(2u * out);
    let high = actuator_lengthrange(2u * out + 1u);
    let unit = (high - low) / max(P(10u * a + 1u) - P(10u * a), MINVAL);
    let peak = P(10u * a + 2u);
    let force = select(peak, P(10u * a + 3u) / max(actuator_acc0(out), MINVAL), peak < 0.0);
    return Muscle(P(10u * a) + (actuator_length(out) - low) / max(unit, MINVAL), unit, force);
}

// Gain: force per unit of activation, negative because muscles pull.
fn gain(a: u32, out: u32) -> f32 {
    let muscle = of_actuator__actuator_gainprm(a, out);
    let g = 10u * a;
    let speed = actuator_velocity(out) / max(muscle.unit * actuator_gainprm(g + 6u), MINVAL);
    let bump = force_length(muscle.length, actuator_gainprm(g + 4u), actuator_gainprm(g + 5u));
    return -(muscle.force * bump * force_velocity(speed, actuator_gainprm(g + 8u)));
}

// Derivative of the gain with respect to velocity.
fn gain_derivative(a: u32, out: u32) -> f32 {
    let muscle = of_actuator__actuator_gainprm(a, out);
    let g = 10u * a;
    let per = max(muscle.unit * actuator_gainprm(g + 6u), MINVAL);
    let bump = force_length(muscle.length, actuator_gainprm(g + 4u), actuator_gainprm(g + 5u));
    return -(muscle.force * bump * force_velocity_derivative(actuator_velocity(out) / per, actuator_gainprm(g + 8u))) / per;
}

// Derivative of the gain with respect to length.
fn gain_by_length(a: u32, out: u32) -> f32 {
    let muscle = of_actuator__actuator_gainprm(a, out);
    let g = 10u * a;
    let speed = actuator_velocity(out) / max(muscle.unit * actuator_gainprm(g + 6u), MINVAL);
    let slope = force_length_derivative(muscle.length, actuator_gainprm(g + 4u), actuator_gainprm(g + 5u));
    return -(muscle.force * slope * force_velocity(speed, actuator_gainprm(g + 8u))) / max(muscle.unit, MINVAL);
}

// Derivative of the passive force with respect to length.
fn bias_by_length(a: u32, out: u32) -> f32 {
    let muscle = of_actuator__actuator_biasprm(a, out);
    let b = 10u * a;
    if (muscle.length <= 1.0) {
        return 0.0;
    }
    let width = max(0.5 * (1.0 + actuator_biasprm(b + 5u)) - 1.0, MINVAL);
    let x = min((muscle.length - 1.0) / width, 1.0);
    return -(muscle.force * actuator_biasprm(b + 7u) * x) / width / max(muscle.unit, MINVAL);
}

// Passive force.
fn bias(a: u32, out: u32) -> f32 {
    let muscle = of_actuator__actuator_biasprm(a, out);
    let b = 10u * a;
    let middle = 0.5 * (1.0 + actuator_biasprm(b + 5u));
    if (muscle.length <= 1.0) {
        return 0.0;
    }
    let width = max(middle - 1.0, MINVAL);
    let most = muscle.force * actuator_biasprm(b + 7u);
    if (muscle.length <= middle) {
        let x = (muscle.length - 1.0) / width;
        return -(most * 0.5 * x * x);
    }
    let x = (muscle.length - middle) / width;
    return -(most * (0.5 + x));
}

// Active force-length curve: a piecewise parabola from low to high with value one at length one.
fn force_length(length: f32, low: f32, high: f32) -> f32 {
    if (length < low || length > high) {
        return 0.0;
    }
    let left = 0.5 * (low + 1.0);
    let right = 0.5 * (1.0 + high);
    if (length <= left) {
        let x = (length - low) / max(left - low, MINVAL);
        return 0.5 * x * x;
    }
    if (length <= 1.0) {
        let x = (1.0 - length) / max(1.0 - left, MINVAL);
        return 1.0 - 0.5 * x * x;
    }
    if (length <= right) {
        let x = (length - 1.0) / max(right - 1.0, MINVAL);
        return 1.0 - 0.5 * x * x;
    }
    let x = (high - length) / max(high - right, MINVAL);
    return 0.5 * x * x;
}

// Derivative of the active force-length curve.
fn force_length_derivative(length: f32, low: f32, high: f32) -> f32 {
    if (length < low || length > high) {
        return 0.0;
    }
    let left = 0.5 * (low + 1.0);
    let right = 0.5 * (1.0 + high);
    let lower = max(left - low, MINVAL);
    let upper = max(right - 1.0, MINVAL);
    // both parabolas of a side are as wide
    if (length <= left) {
        return (length - low) / lower / lower;
    }
    if (length <= 1.0) {
        return (1.0 - length) / lower / lower;
    }
    if (length <= right) {
        return -((length - 1.0) / upper / upper);
    }
    return -((high - length) / upper / upper);
}

// Active force-velocity curve: zero at the fastest shortening, one at rest, `most` at the fastest lengthening.
fn force_velocity(speed: f32, most: f32) -> f32 {
    let rise = most - 1.0;
    if (speed <= -1.0) {
        return 0.0;
    }
    if (speed <= 0.0) {
        return (speed + 1.0) * (speed + 1.0);
    }
    if (speed <= rise) {
        return most - (rise - speed) * (rise - speed) / max(rise, MINVAL);
    }
    return most;
}

// Derivative of the force-velocity curve.
fn force_velocity_derivative(speed: f32, most: f32) -> f32 {
    let rise = most - 1.0;
    if (speed <= -1.0 || speed > rise) {
        return 0.0;
    }
    if (speed <= 0.0) {
        return 2.0 * (speed + 1.0);
    }
    return 2.0 * (rise - speed) / max(rise, MINVAL);
}
