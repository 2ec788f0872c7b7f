//! History buffers of controls and sensors: layout, interpolation, insertion and initial contents (MuJoCo
//! documentation, "Delays").

use super::Model;
use crate::real::Real;
use crate::schema::enums::{gain, input};

/// Layout of the history of an actuator or sensor in `history`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryBuffer {
    /// Address of the time of the last sampling.
    pub at: usize,
    /// Number of samples.
    pub count: usize,
    /// Values per sample.
    pub dim: usize,
    /// Interpolation: 0 zero-order hold, 1 linear, 2 cubic.
    pub order: i32,
}

impl HistoryBuffer {
    /// History of an actuator's controls, if there is one.
    pub fn of_actuator<T: Real>(m: &Model<T>, a: usize) -> Option<Self> {
        Self::new(m.actuator_historyadr[a], &m.actuator_history[2 * a..2 * a + 2], m.actuator_ctrlnum[a])
    }

    /// History of a sensor's outputs, if there is one.
    pub fn of_sensor<T: Real>(m: &Model<T>, s: usize) -> Option<Self> {
        Self::new(m.sensor_historyadr[s], &m.sensor_history[2 * s..2 * s + 2], m.sensor_dim[s])
    }

    fn new(adr: i32, shape: &[i32], dim: i32) -> Option<Self> {
        let (Ok(at), Ok(count @ 1..)) = (usize::try_from(adr), usize::try_from(shape[0])) else {
            return None;
        };
        Some(Self { at, count, dim: usize::try_from(dim).unwrap_or(0), order: shape[1] })
    }

    /// One past the buffer's last element.
    pub fn end(&self) -> usize {
        self.at + 2 + self.count * (1 + self.dim)
    }

    /// Slot of the newest sample.
    fn newest<T: Real>(&self, history: &[T]) -> usize {
        // the caller may have written anything here
        history[self.at + 1].f64().clamp(0.0, (self.count - 1) as f64) as usize
    }

    /// Slot of sample `k`, oldest first.
    fn sample_slot<T: Real>(&self, history: &[T], k: usize) -> usize {
        (self.newest(history) + 1 + k) % self.count
    }

    /// Address of a sample's time.
    fn time_adr<T: Real>(&self, history: &[T], k: usize) -> usize {
        self.at + 2 + self.sample_slot(history, k)
    }

    /// Time of a sample.
    fn time<T: Real>(&self, history: &[T], k: usize) -> T {
        history[self.time_adr(history, k)]
    }

    /// Address of a sample's first value.
    fn values_adr<T: Real>(&self, history: &[T], k: usize) -> usize {
        self.at + 2 + self.count + self.dim * self.sample_slot(history, k)
    }

    /// Number of samples no later than a time.
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
        // Catmull-Rom with zero slope at the first and last sample
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

    /// Inserts a sample in place of the oldest, or overwrites the sample of equal time.
    pub fn insert<T: Real>(&self, history: &mut [T], time: T, time_tolerance: T, values: &[T]) {
        let passed = self.upper_bound(history, time + time_tolerance);
        let same = passed > 0 && (time - self.time(history, passed - 1)).abs() <= time_tolerance;
        let k = if passed == self.count && !same {
            history[self.at + 1] = T::of(self.sample_slot(history, 0) as f64);
            self.count - 1
        } else {
            let k = passed.max(1) - 1;
            // samples out of order: earlier ones move up to make room
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

/// True if the controls of an actuator are a quaternion.
pub fn is_quaternion<T: Real>(m: &Model<T>, a: usize) -> bool {
    m.actuator_gaintype[a] == gain::SO3 && m.actuator_ctrlspec[a] == input::QUAT
}

/// Histories before the first step: zero samples, one for each time step or interval in the past. Quaternion controls
/// start from the identity.
pub(super) fn reset_histories<T: Real>(m: &Model<T>, history: &mut [T], ctrl: &mut [T]) {
    let h = m.opt_timestep[0];
    history.fill(T::ZERO);
    for a in 0..m.sizes.nactuator {
        let identity = is_quaternion(m, a);
        if identity {
            ctrl[m.actuator_ctrladr[a] as usize] = T::ONE;
        }
        let Some(buffer) = HistoryBuffer::of_actuator(m, a) else { continue };
        reset_buffer(&buffer, history, |past| -(past + T::ONE) * h);
        for k in 0..if identity { buffer.count } else { 0 } {
            history[buffer.at + 2 + buffer.count + buffer.dim * k] = T::ONE;
        }
    }
    for s in 0..m.sizes.nsensor {
        let Some(buffer) = HistoryBuffer::of_sensor(m, s) else { continue };
        let (period, phase) = (m.sensor_interval[2 * s], m.sensor_interval[2 * s + 1]);
        if period <= T::ZERO {
            reset_buffer(&buffer, history, |past| -(past + T::ONE) * h);
            history[buffer.at] = -h;
            continue;
        }
        // preceding samples at the first time step of each interval, up to the last sampling
        let last = if phase == T::ZERO { -period } else { phase };
        reset_buffer(&buffer, history, |past| time_step_from(last - past * period, h));
        history[buffer.at] = last;
    }
}

/// Sets the times of the samples by their age; the newest is last.
fn reset_buffer<T: Real>(buffer: &HistoryBuffer, history: &mut [T], time: impl Fn(T) -> T) {
    history[buffer.at + 1] = T::of((buffer.count - 1) as f64);
    for k in 0..buffer.count {
        history[buffer.at + 2 + k] = time(T::of((buffer.count - 1 - k) as f64));
    }
}

/// First time step no earlier than a time.
fn time_step_from<T: Real>(time: T, h: T) -> T {
    if h <= T::ZERO {
        return time;
    }
    let steps = time / h;
    // rounding up by rounding error alone is not a further step
    let steps = steps - T::of(4.0) * T::EPSILON * steps.abs();
    -(-steps).floor() * h
}
