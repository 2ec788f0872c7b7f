//! Histories of controls and sensors: what delays and sampling intervals read (MuJoCo documentation, "Delays").
//!
//! The history of an actuator or sensor is a buffer of samples: the time of the last sampling, where the newest sample
//! is, the times of the samples, their values. A step adds to it as it ends; nothing else does.

use crate::cpu::math::clip;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::{gain, input};

/// Share of a time step within which two times count as the same: sums of time steps are rounded.
const TIME_TOLERANCE: f64 = 1e-3;

/// Where the samples of an actuator or sensor are in `history`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryBuffer {
    /// The time of the last sampling.
    at: usize,
    /// Number of samples.
    count: usize,
    /// Numbers of a sample.
    dim: usize,
    /// Interpolation: 0 hold, 1 linear, 2 cubic.
    order: i32,
}

impl HistoryBuffer {
    /// The buffer of an actuator's controls, if it has one.
    pub fn of_actuator<T: Real>(m: &Model<T>, a: usize) -> Option<Self> {
        Self::new(m.actuator_historyadr[a], &m.actuator_history[2 * a..2 * a + 2], m.actuator_ctrlnum[a])
    }

    /// The buffer of a sensor's outputs, if it has one.
    pub fn of_sensor<T: Real>(m: &Model<T>, s: usize) -> Option<Self> {
        Self::new(m.sensor_historyadr[s], &m.sensor_history[2 * s..2 * s + 2], m.sensor_dim[s])
    }

    fn new(adr: i32, shape: &[i32], dim: i32) -> Option<Self> {
        let (Ok(at), Ok(count @ 1..)) = (usize::try_from(adr), usize::try_from(shape[0])) else {
            return None;
        };
        Some(Self { at, count, dim: usize::try_from(dim).unwrap_or(0), order: shape[1] })
    }

    /// One past its last number.
    pub fn end(&self) -> usize {
        self.at + 2 + self.count * (1 + self.dim)
    }

    /// Place of the newest sample.
    fn newest<T: Real>(&self, history: &[T]) -> usize {
        // whatever the caller has written there
        clip(history[self.at + 1].f64(), 0.0, (self.count - 1) as f64) as usize
    }

    /// Place of a sample, the oldest one being the first.
    fn slot<T: Real>(&self, history: &[T], k: usize) -> usize {
        (self.newest(history) + 1 + k) % self.count
    }

    /// Where the time of a sample is.
    fn time_adr<T: Real>(&self, history: &[T], k: usize) -> usize {
        self.at + 2 + self.slot(history, k)
    }

    /// Time of a sample.
    fn time<T: Real>(&self, history: &[T], k: usize) -> T {
        history[self.time_adr(history, k)]
    }

    /// Where the values of a sample begin.
    fn values_adr<T: Real>(&self, history: &[T], k: usize) -> usize {
        self.at + 2 + self.count + self.dim * self.slot(history, k)
    }

    /// Number of samples that are not later than a time.
    fn upper_bound<T: Real>(&self, history: &[T], time: T) -> usize {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            if self.time(history, middle) <= time {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Values at a time; before the first sample those of the first, after the last those of the last.
    pub fn read<T: Real>(&self, history: &[T], time: T, time_tolerance: T, out: &mut [T]) {
        let reach = if self.order == 0 { time_tolerance } else { T::ZERO };
        let after = self.upper_bound(history, time + reach);
        let before = after.max(1) - 1;
        let low = self.values_adr(history, before);
        if self.order == 0 || after == 0 || after == self.count {
            out.copy_from_slice(&history[low..low + self.dim]);
            return;
        }
        let high = self.values_adr(history, after);
        let (start, end) = (self.time(history, before), self.time(history, after));
        let span = end - start;
        let x = (time - start) / span;
        if self.order == 1 {
            for (i, y) in out.iter_mut().enumerate() {
                *y = history[low + i] + x * (history[high + i] - history[low + i]);
            }
            return;
        }
        // Catmull-Rom; level at the first and last sample
        let (earlier, later) = (before.max(1) - 1, (after + 1).min(self.count - 1));
        let rise = if before > 0 { span / (end - self.time(history, earlier)) } else { T::ZERO };
        let fall = if later > after { span / (self.time(history, later) - start) } else { T::ZERO };
        let (earlier, later) = (self.values_adr(history, earlier), self.values_adr(history, later));
        let [two, three] = [2.0, 3.0].map(T::of);
        let (xx, xxx) = (x * x, x * x * x);
        for (i, y) in out.iter_mut().enumerate() {
            let (a, b) = (history[low + i], history[high + i]);
            let (tangent_a, tangent_b) = (rise * (b - history[earlier + i]), fall * (history[later + i] - a));
            *y = (two * xxx - three * xx + T::ONE) * a
                + (xxx - two * xx + x) * tangent_a
                + (three * xx - two * xxx) * b
                + (xxx - xx) * tangent_b;
        }
    }

    /// Adds a sample in the slot of the oldest one, or changes the one of that time.
    pub fn insert<T: Real>(&self, history: &mut [T], time: T, time_tolerance: T, values: &[T]) {
        let passed = self.upper_bound(history, time + time_tolerance);
        let same = passed > 0 && (time - self.time(history, passed - 1)).abs() <= time_tolerance;
        let k = if passed == self.count && !same {
            history[self.at + 1] = T::of(self.slot(history, 0) as f64);
            self.count - 1
        } else {
            let k = passed.max(1) - 1;
            // earlier ones move up, where it comes between them
            let moved = if same { 0 } else { k };
            for j in 0..moved {
                history[self.time_adr(history, j)] = self.time(history, j + 1);
                let (from, to) = (self.values_adr(history, j + 1), self.values_adr(history, j));
                history.copy_within(from..from + self.dim, to);
            }
            k
        };
        let (at, adr) = (self.time_adr(history, k), self.values_adr(history, k));
        history[at] = time;
        history[adr..adr + self.dim].copy_from_slice(values);
    }
}

/// Distance of two times that count as the same.
fn time_tolerance<T: Real>(m: &Model<T>, time: T) -> T {
    (T::of(TIME_TOLERANCE) * m.opt_timestep[0]).max(T::of(4.0) * T::EPSILON * time.abs())
}

/// Whether an interval has passed since the last sampling.
fn sample_due<T: Real>(m: &Model<T>, d: &Data<T>, s: usize, buffer: HistoryBuffer) -> bool {
    let time = d.time[0];
    d.history[buffer.at] + m.sensor_interval[2 * s] <= time + time_tolerance(m, time)
}

/// The controls that act now, in `ctrl_delayed`; only in models with histories.
pub fn delay_controls<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if m.sizes.nhistory == 0 {
        return;
    }
    d.ctrl_delayed.copy_from_slice(&d.ctrl);
    let time = d.time[0];
    for a in 0..m.sizes.nactuator {
        let delay = m.actuator_delay[a];
        if let Some(buffer) = HistoryBuffer::of_actuator(m, a).filter(|_| delay > T::ZERO) {
            let first = m.actuator_ctrladr[a] as usize;
            buffer.read(
                &d.history,
                time - delay,
                time_tolerance(m, time),
                &mut d.ctrl_delayed[first..first + buffer.dim],
            );
        }
    }
}

/// A control that acts now.
pub fn delayed_ctrl<T: Real>(m: &Model<T>, d: &Data<T>, u: usize) -> T {
    if m.sizes.nhistory == 0 { d.ctrl[u] } else { d.ctrl_delayed[u] }
}

/// Keeps what the sensors measure now in `sensordata_undelayed`, and puts what they show in its slot.
pub fn delay_sensors<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if m.sizes.nhistory == 0 {
        return;
    }
    d.sensordata_undelayed.copy_from_slice(&d.sensordata);
    let time = d.time[0];
    for s in 0..m.sizes.nsensor {
        let Some(buffer) = HistoryBuffer::of_sensor(m, s) else { continue };
        let delay = m.sensor_delay[s].max(T::ZERO);
        // between samples, the last one
        let waits = m.sensor_interval[2 * s] > T::ZERO && !sample_due(m, d, s, buffer);
        if delay > T::ZERO || waits {
            let first = m.sensor_adr[s] as usize;
            buffer.read(
                &d.history,
                time - delay,
                time_tolerance(m, time),
                &mut d.sensordata[first..first + buffer.dim],
            );
        }
    }
}

/// Adds the controls of this step and what the sensors measured to the histories.
pub fn record_histories<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let time = d.time[0];
    for a in 0..m.sizes.nactuator {
        if let Some(buffer) = HistoryBuffer::of_actuator(m, a) {
            let first = m.actuator_ctrladr[a] as usize;
            buffer.insert(&mut d.history, time, time_tolerance(m, time), &d.ctrl[first..first + buffer.dim]);
        }
    }
    for s in 0..m.sizes.nsensor {
        let Some(buffer) = HistoryBuffer::of_sensor(m, s) else { continue };
        let period = m.sensor_interval[2 * s];
        if period > T::ZERO {
            if !sample_due(m, d, s, buffer) {
                continue;
            }
            // on time by the interval, with what rounding loses carried on
            let last = d.history[buffer.at];
            let step = period - d.history_compensation[s];
            let next = last + step;
            d.history_compensation[s] = (next - last) - step;
            d.history[buffer.at] = next;
        }
        let first = m.sensor_adr[s] as usize;
        buffer.insert(
            &mut d.history,
            time,
            time_tolerance(m, time),
            &d.sensordata_undelayed[first..first + buffer.dim],
        );
    }
}

/// Histories before the first step: samples of nothing, one for each time step or interval that has passed.
pub fn reset<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let h = m.opt_timestep[0];
    d.history_compensation.fill(T::ZERO);
    d.history.fill(T::ZERO);
    for a in 0..m.sizes.nactuator {
        let identity = is_quaternion(m, a);
        if identity {
            d.ctrl[m.actuator_ctrladr[a] as usize] = T::ONE;
        }
        let Some(buffer) = HistoryBuffer::of_actuator(m, a) else { continue };
        start(&buffer, &mut d.history, |past| -(past + T::ONE) * h);
        for k in 0..if identity { buffer.count } else { 0 } {
            d.history[buffer.at + 2 + buffer.count + buffer.dim * k] = T::ONE;
        }
    }
    for s in 0..m.sizes.nsensor {
        let Some(buffer) = HistoryBuffer::of_sensor(m, s) else { continue };
        let (period, phase) = (m.sensor_interval[2 * s], m.sensor_interval[2 * s + 1]);
        if period <= T::ZERO {
            start(&buffer, &mut d.history, |past| -(past + T::ONE) * h);
            d.history[buffer.at] = -h;
            continue;
        }
        // as if sampled before, at the first time step of each interval
        let last = if phase == T::ZERO { -period } else { phase };
        start(&buffer, &mut d.history, |past| time_step_from(last - past * period, h));
        d.history[buffer.at] = last;
    }
}

/// Whether the controls of an actuator are a quaternion.
pub fn is_quaternion<T: Real>(m: &Model<T>, a: usize) -> bool {
    m.actuator_gaintype[a] == gain::SO3 && m.actuator_ctrlspec[a] == input::QUAT
}

/// The first time step that is not before a time.
fn time_step_from<T: Real>(time: T, h: T) -> T {
    if h <= T::ZERO {
        return time;
    }
    let steps = time / h;
    // not the next one where only rounding is in the way
    let steps = steps - T::of(4.0) * T::EPSILON * steps.abs();
    -(-steps).floor() * h
}

/// Times of the samples by how many came after; the newest is the last.
fn start<T: Real>(buffer: &HistoryBuffer, history: &mut [T], time: impl Fn(T) -> T) {
    history[buffer.at + 1] = T::of((buffer.count - 1) as f64);
    for k in 0..buffer.count {
        history[buffer.at + 2 + k] = time(T::of((buffer.count - 1 - k) as f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RING: HistoryBuffer = HistoryBuffer { at: 0, count: 4, dim: 1, order: 0 };

    fn buffer(order: i32) -> (HistoryBuffer, Vec<f64>) {
        // the oldest sample is third
        (HistoryBuffer { order, ..RING }, vec![0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 30.0, 45.0, 10.0, 20.0])
    }

    fn at(order: i32, time: f64) -> f64 {
        let (buffer, history) = buffer(order);
        let mut out = [f64::NAN];
        buffer.read(&history, time, 1e-3, &mut out);
        out[0]
    }

    #[test]
    fn reads_hold_or_interpolate_as_the_reference_does() {
        // what `mj_readCtrl` gives of these samples
        let want = [
            (-0.5, [10.0, 10.0, 10.0]),
            (0.5, [10.0, 15.0, 13.75]),
            (1.25, [20.0, 22.5, 22.3828125]),
            (1.75, [20.0, 27.5, 27.1484375]),
            (2.0, [30.0, 30.0, 30.0]),
            (2.9, [30.0, 43.5, 44.6925]),
            (3.3, [45.0, 45.0, 45.0]),
        ];
        for (time, values) in want {
            for (order, value) in values.into_iter().enumerate() {
                let got = at(order as i32, time);
                assert!((got - value).abs() < 1e-12, "{order} at {time}: {got} {value}");
            }
        }
    }

    #[test]
    fn rounding_does_not_make_a_sample_late() {
        assert_eq!(at(0, 2.0 - 1e-9), 30.0);
        assert_eq!(at(0, 2.0 - 1e-2), 20.0);
    }

    #[test]
    fn a_sample_takes_the_place_of_the_oldest() {
        let (buffer, mut history) = buffer(0);
        buffer.insert(&mut history, 4.0, 1e-3, &[50.0]);
        assert_eq!(history, [0.0, 2.0, 2.0, 3.0, 4.0, 1.0, 30.0, 45.0, 50.0, 20.0]);
        // the same time again, one in between, one before all
        buffer.insert(&mut history, 4.0, 1e-3, &[51.0]);
        buffer.insert(&mut history, 2.5, 1e-3, &[25.0]);
        assert_eq!(history, [0.0, 2.0, 2.5, 3.0, 4.0, 2.0, 25.0, 45.0, 51.0, 30.0]);
        buffer.insert(&mut history, -1.0, 1e-3, &[9.0]);
        assert_eq!(history, [0.0, 2.0, 2.5, 3.0, 4.0, -1.0, 25.0, 45.0, 51.0, 9.0]);
    }

    #[test]
    fn what_the_caller_writes_as_the_newest_is_a_sample() {
        let (buffer, mut history) = buffer(1);
        for bad in [f64::NAN, -7.0, 1e300, 3.7] {
            history[1] = bad;
            let mut out = [0.0];
            buffer.read(&history, 1.5, 1e-3, &mut out);
            buffer.insert(&mut history, 9.0, 1e-3, &[1.0]);
        }
    }
}
