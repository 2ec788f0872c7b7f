//! DC motors: winding, onboard servo, temperature and friction (MuJoCo documentation, "DC motor model").
//!
//! `gainprm`: resistance, motor constant, temperature coefficient and reference temperature of the resistance, servo
//! gains (position, integral, velocity), maximum voltage. `dynprm`: electrical time constant, maximum rate of
//! current, thermal resistance and capacity, ambient temperature, bristle stiffness and damping, maximum slew rate of
//! the input, maximum integral. `biasprm`: cogging amplitude, poles and phase, Coulomb friction, static friction,
//! Stribeck velocity.

use super::servo::{inputs, integral_rate, slewed};
use crate::math::clip;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::input;

/// States of a motor, as offsets from its first activation.
#[derive(Clone, Copy, Debug, Default)]
struct Slots {
    slew: Option<usize>,
    integral: Option<usize>,
    temperature: Option<usize>,
    bristle: Option<usize>,
    current: Option<usize>,
}

impl Slots {
    /// States in order; each exists if its parameter is positive.
    fn of_actuator<T: Real>(m: &Model<T>, a: usize) -> Self {
        let dynamics = |k: usize| m.actuator_dynprm[10 * a + k];
        let mut next = 0;
        let mut slot = |parameter: T| {
            let here = parameter > T::ZERO;
            next += usize::from(here);
            here.then(|| next - 1)
        };
        Self {
            slew: slot(dynamics(7)),
            integral: slot(m.actuator_gainprm[10 * a + 5]),
            temperature: slot(dynamics(2)),
            bristle: slot(dynamics(5)),
            current: slot(dynamics(0)),
        }
    }
}

/// A motor with its current inputs.
#[derive(Clone, Copy, Debug)]
pub struct DcMotor<T> {
    a: usize,
    first: usize,
    slots: Slots,
    length: T,
    velocity: T,
    /// First input, limited in rate.
    input: T,
    voltage: T,
    resistance: T,
}

impl<T: Real> DcMotor<T> {
    /// The motor of actuator `a` with its first control clamped; bad controls count as zero.
    pub fn of_actuator(m: &Model<T>, d: &Data<T>, a: usize, ctrl: T, good: bool) -> Self {
        let out = m.actuator_outadr[a] as usize;
        let first = m.actuator_actadr[a].max(0) as usize;
        let slots = Slots::of_actuator(m, a);
        let mut input = ctrl;
        if let Some(k) = slots.slew {
            input = slewed(m, ctrl, d.act[first + k], m.actuator_dynprm[10 * a + 7]);
        }
        let (length, velocity) = (d.actuator_length[out], d.actuator_velocity[out]);
        let resistance = T::ZERO;
        let mut motor = Self { a, first, slots, length, velocity, input, voltage: T::ZERO, resistance };
        motor.resistance = motor.resistance_at_temperature(m, d);
        motor.voltage = motor.servo(m, d, good);
        motor
    }

    fn state(&self, d: &Data<T>, slot: Option<usize>) -> T {
        slot.map_or(T::ZERO, |k| d.act[self.first + k])
    }

    /// Resistance at the temperature of the winding.
    fn resistance_at_temperature(&self, m: &Model<T>, d: &Data<T>) -> T {
        let g = &m.actuator_gainprm[10 * self.a..10 * self.a + 4];
        let mut resistance = g[0];
        if self.slots.temperature.is_some() {
            let above = self.state(d, self.slots.temperature) + m.actuator_dynprm[10 * self.a + 4] - g[3];
            resistance *= T::ONE + g[2] * above;
        }
        resistance.max(T::MINVAL)
    }

    /// Winding voltage: the input, or the output of the onboard servo.
    fn servo(&self, m: &Model<T>, d: &Data<T>, good: bool) -> T {
        let spec = m.actuator_ctrlspec[self.a];
        if m.actuator_ctrlnum[self.a] == 0 {
            return T::ZERO;
        }
        if spec & (input::POS | input::VEL | input::FF) == 0 {
            return self.input;
        }
        let inputs = inputs(m, d, self.a, self.input, good);
        let g = &m.actuator_gainprm[10 * self.a..10 * self.a + 8];
        let torque = g[4] * (inputs[0] - self.length)
            + g[6] * (inputs[1] - self.velocity)
            + g[5] * self.state(d, self.slots.integral)
            + inputs[2];
        let mut voltage = g[0] / g[1] * torque + g[1] * self.velocity;
        if g[7] > T::ZERO {
            voltage = clip(voltage, -g[7], g[7]);
        }
        voltage + inputs[3]
    }

    /// Steady-state current at the present voltage and velocity.
    fn steady_current(&self, m: &Model<T>) -> T {
        (self.voltage - m.actuator_gainprm[10 * self.a + 1] * self.velocity) / self.resistance
    }

    /// Writes the rates of the states.
    pub fn rates(&self, m: &Model<T>, d: &mut Data<T>) {
        let p = &m.actuator_dynprm[10 * self.a..10 * self.a + 10];
        let at = |slot: usize| self.first + slot;
        if let Some(k) = self.slots.slew {
            d.act_dot[at(k)] = (self.input - d.act[at(k)]) / m.opt_timestep[0];
        }
        if let Some(k) = self.slots.integral {
            d.act_dot[at(k)] = integral_rate(self.input - self.length, d.act[at(k)], p[8]);
        }
        if let Some(k) = self.slots.temperature {
            let current = match self.slots.current {
                Some(c) => d.act[at(c)],
                None => self.steady_current(m),
            };
            d.act_dot[at(k)] = (self.resistance * current * current - d.act[at(k)] / p[2]) / p[3];
        }
        if let Some(k) = self.slots.bristle {
            d.act_dot[at(k)] = bristle_decay(m, self.a, self.velocity) * d.act[at(k)] + self.velocity;
        }
        if let Some(k) = self.slots.current {
            let rate = (self.steady_current(m) - d.act[at(k)]) / p[0].max(T::MINVAL);
            d.act_dot[at(k)] = if p[1] > T::ZERO { clip(rate, -p[1], p[1]) } else { rate };
        }
    }

    /// Force of the current, before limits.
    pub fn drive(&self, m: &Model<T>, d: &Data<T>) -> T {
        let constant = m.actuator_gainprm[10 * self.a + 1];
        match self.slots.current {
            None => constant * self.steady_current(m),
            Some(k) => {
                let adr = self.first + k;
                let early = m.actuator_actearly[self.a] != 0;
                let current = if early { next_state(m, d, self.a, adr, d.act_dot[adr]) } else { d.act[adr] };
                constant * current
            }
        }
    }

    /// Cogging and friction, which force limits do not clamp.
    pub fn losses(&self, m: &Model<T>, d: &Data<T>) -> T {
        let b = &m.actuator_biasprm[10 * self.a..10 * self.a + 3];
        let p = &m.actuator_dynprm[10 * self.a..10 * self.a + 10];
        let mut force = T::ZERO;
        if b[0] != T::ZERO {
            force += b[0] * (b[1] * self.length + b[2]).sin();
        }
        if let Some(k) = self.slots.bristle {
            force -= p[5] * d.act[self.first + k] + p[6] * d.act_dot[self.first + k];
        }
        force
    }
}

/// Derivative of a motor's force with respect to velocity, limits ignored: back EMF and onboard servo, as far as the
/// current follows within a time step, plus bristle damping.
pub fn force_derivative<T: Real>(m: &Model<T>, d: &Data<T>, a: usize) -> T {
    let g = &m.actuator_gainprm[10 * a..10 * a + 7];
    let voltage = if is_servo(m, a) { g[1] - g[6] * g[0].max(T::MINVAL) / g[1] } else { T::ZERO };
    torque_of(m, d, a, voltage - g[1]) - m.actuator_dynprm[10 * a + 6].max(T::ZERO)
}

/// Minus the derivative of a motor's force with respect to length: that of its onboard servo, as far as the current follows
/// within a time step. MuJoCo leaves out those of cogging and of bristles.
pub fn stiffness<T: Real>(m: &Model<T>, d: &Data<T>, a: usize) -> T {
    let g = &m.actuator_gainprm[10 * a..10 * a + 7];
    if is_servo(m, a) { torque_of(m, d, a, g[4] * g[0].max(T::MINVAL) / g[1]) } else { T::ZERO }
}

/// True if a motor's voltage comes from an onboard servo.
fn is_servo<T: Real>(m: &Model<T>, a: usize) -> bool {
    m.actuator_ctrlspec[a] & (input::POS | input::VEL | input::FF) != 0
}

/// Torque that a voltage adds, as far as the current follows it within a time step.
fn torque_of<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, voltage: T) -> T {
    let time = m.actuator_dynprm[10 * a];
    let follows = if time > T::ZERO { -(-m.opt_timestep[0] / time).exp_m1() } else { T::ONE };
    let resistance = DcMotor::of_actuator(m, d, a, T::ZERO, false).resistance;
    m.actuator_gainprm[10 * a + 1] * voltage * follows / resistance
}

/// Decay rate of the bristle deflection: stiffness times speed over the friction at that speed, which falls from
/// static to Coulomb friction (Canudas de Wit et al., IEEE TAC 40(3), 1995).
fn bristle_decay<T: Real>(m: &Model<T>, a: usize, velocity: T) -> T {
    let b = &m.actuator_biasprm[10 * a + 3..10 * a + 6];
    let ratio = velocity / b[2].max(T::MINVAL);
    let friction = b[0] + (b[1] - b[0]) * (-(ratio * ratio)).exp();
    -(m.actuator_dynprm[10 * a + 5] * velocity.abs()) / friction.max(T::MINVAL)
}

/// A state of a motor one time step later, when it changes at `rate`.
pub fn next_state<T: Real>(m: &Model<T>, d: &Data<T>, a: usize, adr: usize, rate: T) -> T {
    let slots = Slots::of_actuator(m, a);
    let slot = Some(adr - m.actuator_actadr[a].max(0) as usize);
    let p = &m.actuator_dynprm[10 * a..10 * a + 10];
    let (h, x) = (m.opt_timestep[0], d.act[adr]);
    if slot == slots.current {
        let time = p[0].max(T::MINVAL);
        return x - rate * time * (-h / time).exp_m1();
    }
    if slot == slots.bristle {
        // exact for constant velocity
        let velocity = d.actuator_velocity[m.actuator_outadr[a] as usize];
        let decay = bristle_decay(m, a, velocity);
        let lost = (decay * h).exp_m1();
        let reach = if decay.abs() > T::MINVAL { lost / decay } else { h };
        return x + lost * x + reach * velocity;
    }
    let next = x + rate * h;
    if slot == slots.integral && p[8] > T::ZERO {
        return clip(next, -p[8], p[8]);
    }
    next
}
