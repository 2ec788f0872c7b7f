//! Parts shared by onboard controllers: inputs, a slew-rate limit on the first input, and the error integral.

use super::control::control;
use crate::math::clip;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::input;

/// Inputs of a controller: position, velocity, feedforward, voltage; zero for those it lacks. `first` is the value of
/// the first one it has.
pub fn inputs<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, first: T, good: bool) -> [T; 4] {
    let begin = m.actuator_ctrladr[a] as usize;
    let mut inputs = [T::ZERO; 4];
    let mut next = begin;
    // in the order of their bits
    for (x, bit) in inputs.iter_mut().zip([input::POS, input::VEL, input::FF, input::VOLTAGE]) {
        if m.actuator_ctrlspec[a] & bit != 0 {
            *x = if next == begin { first } else { control(m, d, next, good) };
            next += 1;
        }
    }
    inputs
}

/// Slew-rate limiter: an input that changes by at most `most` a second.
pub fn slewed<T: Real>(m: &Model<T>, x: T, last: T, most: T) -> T {
    let reach = most * m.opt_timestep[0];
    clip(x, last - reach, last + reach)
}

/// Rate of the error integral; anti-windup stops it at its limit, if there is one.
pub fn integral_rate<T: Real>(error: T, integral: T, most: T) -> T {
    if most > T::ZERO && integral >= most {
        error.min(T::ZERO)
    } else if most > T::ZERO && integral <= -most {
        error.max(T::ZERO)
    } else {
        error
    }
}
