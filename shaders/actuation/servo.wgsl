// Parts shared by onboard controllers: inputs, a slew-rate limit on the first input, and the error integral.
// Twin: crates/cpu/src/actuation/servo.rs.

import package::actuation::control::within_range;
import package::math::vector::clip;

// Inputs of a controller: position, velocity, feedforward, voltage; zero for those it lacks. `first` is the value of
// the first one it has.
fn inputs(a: u32, first: f32, good: bool) -> vec4f {
    let spec = actuator_ctrlspec(a);
    let begin = u32(actuator_ctrladr(a));
    var next = begin;
    var inputs = vec4f(0.0);
    // in the order of their bits
    for (var k = 0u; k < 4u; k++) {
        if ((spec & (1i << k)) != 0) {
            var x = first;
            if (next != begin) {
                x = select(0.0, within_range(next), good);
            }
            inputs[k] = x;
            next++;
        }
    }
    return inputs;
}

// Slew-rate limiter: an input that changes by at most `most` a second.
fn slewed(x: f32, last: f32, most: f32) -> f32 {
    let reach = most * opt_timestep(0u);
    return clip(x, last - reach, last + reach);
}

// Rate of the error integral; anti-windup stops it at its limit, if there is one.
fn integral_rate(error: f32, sum: f32, most: f32) -> f32 {
    if (most > 0.0 && sum >= most) {
        return min(error, 0.0);
    }
    if (most > 0.0 && sum <= -most) {
        return max(error, 0.0);
    }
    return error;
}
