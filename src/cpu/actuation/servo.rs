//! What controllers on board of actuators have in common: their inputs, a limit on the rate of the first one, and the
//! integral of an error.

use super::control::control;
use crate::cpu::math::clip;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::input;

/// Inputs of a controller: position, velocity, feedforward, voltage; zero for those that it lacks. `first` is the first
/// one of those it has.
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

/// An input that changes by at most `most` a second.
pub fn slewed<T: Real>(m: &Model<T>, x: T, last: T, most: T) -> T {
    let reach = most * m.opt_timestep[0];
    clip(x, last - reach, last + reach)
}

/// Rate of the integral of an error: it does not grow beyond its limit, where there is one.
pub fn integral_rate<T: Real>(error: T, integral: T, most: T) -> T {
    if most > T::ZERO && integral >= most {
        error.min(T::ZERO)
    } else if most > T::ZERO && integral <= -most {
        error.max(T::ZERO)
    } else {
        error
    }
}
