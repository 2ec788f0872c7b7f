//! Muscles: activation dynamics, and the force-length-velocity model (MuJoCo documentation, Modeling, "Muscles").
//! Parameters in order: operating length range, peak force or a negative number, scale, shortest and longest length
//! with active force, fastest shortening velocity, passive force at the longest length, active force at the fastest
//! lengthening.

use crate::math::clip;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Activation rate for the excitation `ctrl`; `prm` holds the time constants of activation and deactivation and the
/// width of the blend.
pub fn muscle_rate<T: Real>(ctrl: T, act: T, prm: &[T]) -> T {
    let half = T::of(0.5);
    let excitation = clip(ctrl, T::ZERO, T::ONE);
    let scale = half + T::of(1.5) * clip(act, T::ZERO, T::ONE);
    let (rising, falling) = (prm[0] * scale, prm[1] / scale);
    let gap = excitation - act;
    let time = if prm[2] < T::MINVAL {
        if gap > T::ZERO { rising } else { falling }
    } else {
        falling + (rising - falling) * smooth_step(gap / prm[2] + half)
    };
    gap / time.max(T::MINVAL)
}

/// Quintic smooth step from 0 to 1 on [0, 1]; two derivatives vanish at both ends.
fn smooth_step<T: Real>(x: T) -> T {
    let x = clip(x, T::ZERO, T::ONE);
    x * x * x * (x * (x * T::of(6.0) - T::of(15.0)) + T::of(10.0))
}

/// A muscle at a length, normalised so that the optimal length is one.
#[derive(Clone, Copy, Debug)]
pub struct Muscle<T> {
    /// Normalised length.
    pub length: T,
    /// Optimal length in metres.
    pub unit: T,
    /// Peak active force.
    pub force: T,
}

impl<T: Real> Muscle<T> {
    /// Muscle of an actuator at the length of its output, with parameters `prm`.
    pub fn of_actuator(m: &Model<T>, d: &Data<T>, a: usize, prm: &[T]) -> Self {
        let out = m.actuator_outadr[a] as usize;
        let range = &m.actuator_lengthrange[2 * out..2 * out + 2];
        Self::new(d.actuator_length[out], range, m.actuator_acc0[out], prm)
    }

    /// The muscle at a length; `range` holds its shortest and longest length, `acc0` the acceleration by unit force.
    fn new(length: T, range: &[T], acc0: T, prm: &[T]) -> Self {
        let unit = (range[1] - range[0]) / (prm[1] - prm[0]).max(T::MINVAL);
        let force = if prm[2] < T::ZERO { prm[3] / acc0.max(T::MINVAL) } else { prm[2] };
        Self { length: prm[0] + (length - range[0]) / unit.max(T::MINVAL), unit, force }
    }

    /// Gain: force per unit of activation, negative because muscles pull.
    pub fn gain(&self, velocity: T, prm: &[T]) -> T {
        let speed = velocity / (self.unit * prm[6]).max(T::MINVAL);
        -(self.force * force_length(self.length, prm[4], prm[5]) * force_velocity(speed, prm[8]))
    }

    /// Derivative of the gain with respect to velocity.
    pub fn gain_derivative(&self, velocity: T, prm: &[T]) -> T {
        let per = (self.unit * prm[6]).max(T::MINVAL);
        -(self.force
            * force_length(self.length, prm[4], prm[5])
            * force_velocity_derivative(velocity / per, prm[8]))
            / per
    }

    /// Derivative of the gain with respect to length.
    pub fn gain_by_length(&self, velocity: T, prm: &[T]) -> T {
        let speed = velocity / (self.unit * prm[6]).max(T::MINVAL);
        let slope = force_length_derivative(self.length, prm[4], prm[5]);
        -(self.force * slope * force_velocity(speed, prm[8])) / self.unit.max(T::MINVAL)
    }

    /// Derivative of the passive force with respect to length.
    pub fn bias_by_length(&self, prm: &[T]) -> T {
        if self.length <= T::ONE {
            return T::ZERO;
        }
        let width = (T::of(0.5) * (T::ONE + prm[5]) - T::ONE).max(T::MINVAL);
        let x = ((self.length - T::ONE) / width).min(T::ONE);
        -(self.force * prm[7] * x) / width / self.unit.max(T::MINVAL)
    }

    /// Passive force.
    pub fn bias(&self, prm: &[T]) -> T {
        let half = T::of(0.5);
        let middle = half * (T::ONE + prm[5]);
        if self.length <= T::ONE {
            return T::ZERO;
        }
        let width = (middle - T::ONE).max(T::MINVAL);
        if self.length <= middle {
            let x = (self.length - T::ONE) / width;
            return -(self.force * prm[7] * half * x * x);
        }
        let x = (self.length - middle) / width;
        -(self.force * prm[7] * (half + x))
    }
}

/// Active force-length curve: a piecewise parabola from `low` to `high` with value one at length one.
fn force_length<T: Real>(length: T, low: T, high: T) -> T {
    if length < low || length > high {
        return T::ZERO;
    }
    let half = T::of(0.5);
    let (left, right) = (half * (low + T::ONE), half * (T::ONE + high));
    let part = |x: T, width: T| x / width.max(T::MINVAL);
    if length <= left {
        let x = part(length - low, left - low);
        half * x * x
    } else if length <= T::ONE {
        let x = part(T::ONE - length, T::ONE - left);
        T::ONE - half * x * x
    } else if length <= right {
        let x = part(length - T::ONE, right - T::ONE);
        T::ONE - half * x * x
    } else {
        let x = part(high - length, high - right);
        half * x * x
    }
}

/// Derivative of [`force_length`].
fn force_length_derivative<T: Real>(length: T, low: T, high: T) -> T {
    if length < low || length > high {
        return T::ZERO;
    }
    let half = T::of(0.5);
    let (left, right) = (half * (low + T::ONE), half * (T::ONE + high));
    let (lower, upper) = ((left - low).max(T::MINVAL), (right - T::ONE).max(T::MINVAL));
    // both parabolas of a side are as wide
    if length <= left {
        (length - low) / lower / lower
    } else if length <= T::ONE {
        (T::ONE - length) / lower / lower
    } else if length <= right {
        -((length - T::ONE) / upper / upper)
    } else {
        -((high - length) / upper / upper)
    }
}

/// Active force-velocity curve: zero at the fastest shortening, one at rest, `most` at the fastest lengthening.
fn force_velocity<T: Real>(speed: T, most: T) -> T {
    let rise = most - T::ONE;
    if speed <= -T::ONE {
        T::ZERO
    } else if speed <= T::ZERO {
        (speed + T::ONE) * (speed + T::ONE)
    } else if speed <= rise {
        most - (rise - speed) * (rise - speed) / rise.max(T::MINVAL)
    } else {
        most
    }
}

/// Derivative of [`force_velocity`].
fn force_velocity_derivative<T: Real>(speed: T, most: T) -> T {
    let two = T::of(2.0);
    let rise = most - T::ONE;
    if speed <= -T::ONE || speed > rise {
        T::ZERO
    } else if speed <= T::ZERO {
        two * (speed + T::ONE)
    } else {
        two * (rise - speed) / rise.max(T::MINVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRM: [f64; 9] = [0.75, 1.05, 100.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];

    /// A muscle of normalised length `x`.
    fn at(x: f64) -> Muscle<f64> {
        Muscle::new((x - 0.75) / 0.3, &[0.0, 1.0], 1.0, &PRM)
    }

    #[test]
    fn peak_force_at_optimal_length_and_rest() {
        assert!((at(1.0).gain(0.0, &PRM) + 100.0).abs() < 1e-9);
        assert_eq!((at(0.49).gain(0.0, &PRM), at(1.61).gain(0.0, &PRM)), (0.0, 0.0));
        // half the peak where two parabolas meet
        assert!((at(0.75).gain(0.0, &PRM) + 50.0).abs() < 1e-9);
        assert!((at(1.3).gain(0.0, &PRM) + 50.0).abs() < 1e-9);
    }

    #[test]
    fn passive_force_grows_beyond_optimal_length() {
        assert_eq!(at(1.0).bias(&PRM), 0.0);
        // half the passive force where the parabola ends, three halves as far again
        assert!((at(1.3).bias(&PRM) + 65.0).abs() < 1e-9);
        assert!((at(1.6).bias(&PRM) + 195.0).abs() < 1e-9);
    }

    #[test]
    fn slopes_are_derivatives() {
        let h = 1e-6;
        for v in [-9.0, -2.0, -0.3, 0.2, 0.9, 7.0] {
            let difference = (at(1.1).gain(v + h, &PRM) - at(1.1).gain(v - h, &PRM)) / (2.0 * h);
            assert!((difference - at(1.1).gain_derivative(v, &PRM)).abs() < 1e-4, "{v}");
        }
        // in metres: a normalised length has 1 / 0.3 of them
        let slope = |f: &dyn Fn(f64) -> f64, x: f64| (f(x + h) - f(x - h)) / (2.0 * h) * at(x).unit.recip();
        for x in [0.4, 0.6, 0.8, 0.99, 1.05, 1.2, 1.4, 1.59, 1.7] {
            let gain = |x| at(x).gain(-0.4, &PRM);
            assert!((slope(&gain, x) - at(x).gain_by_length(-0.4, &PRM)).abs() < 1e-4, "{x}");
            assert!((slope(&|x| at(x).bias(&PRM), x) - at(x).bias_by_length(&PRM)).abs() < 1e-4, "{x}");
        }
    }

    #[test]
    fn activation_rises_faster_than_it_falls() {
        let prm = [0.01, 0.04, 0.0];
        assert!((muscle_rate(1.0, 0.0, &prm) - 1.0 / 0.005).abs() < 1e-9);
        assert!((muscle_rate(0.0, 1.0, &prm) + 1.0 / 0.02).abs() < 1e-9);
        // midpoint of the blend
        let both = muscle_rate(0.5 + 1e-12, 0.5, &[0.01, 0.04, 0.2]) / 1e-12;
        let time = 0.5 * (0.01 * 1.25 + 0.04 / 1.25);
        assert!((both * time - 1.0).abs() < 1e-3);
    }
}
