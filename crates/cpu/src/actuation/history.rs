//! Histories of controls and sensors, read by delays and sampling intervals (MuJoCo documentation, "Delays").
//!
//! The history of an actuator or sensor is a buffer of samples: time of the last sampling, slot of the newest sample,
//! times, values. Only the end of a step adds a sample.

use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::history::HistoryBuffer;
use manyworlds_model::real::Real;

/// Fraction of a time step within which two times count as equal: sums of time steps are rounded.
const TIME_TOLERANCE: f64 = 1e-3;

/// Difference up to which two times count as equal.
fn time_tolerance<T: Real>(m: &Model<T>, time: T) -> T {
    (T::of(TIME_TOLERANCE) * m.opt_timestep[0]).max(T::of(4.0) * T::EPSILON * time.abs())
}

/// True if a full interval has passed since the last sampling.
fn sample_due<T: Real>(m: &Model<T>, d: &Data<T>, s: usize, buffer: HistoryBuffer) -> bool {
    let time = d.time[0];
    d.history[buffer.at] + m.sensor_interval[2 * s] <= time + time_tolerance(m, time)
}

/// Writes the controls in effect now, after delays, to `ctrl_delayed`; only in models with histories.
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

/// Keeps the current measurements in `sensordata_undelayed` and replaces the outputs by delayed or held samples.
pub fn delay_sensors<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if m.sizes.nhistory == 0 {
        return;
    }
    d.sensordata_undelayed.copy_from_slice(&d.sensordata);
    let time = d.time[0];
    for s in 0..m.sizes.nsensor {
        let Some(buffer) = HistoryBuffer::of_sensor(m, s) else { continue };
        let delay = m.sensor_delay[s].max(T::ZERO);
        // between samples, the last sample is held
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

/// Records this step's controls and measurements.
pub fn record_histories<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let time = d.time[0];
    for a in 0..m.sizes.nactuator {
        if let Some(buffer) = HistoryBuffer::of_actuator(m, a) {
            let first = m.actuator_ctrladr[a] as usize;
            buffer.insert(&mut d.history, time, time_tolerance(m, time), &d.ctrl[first..first + buffer.dim]);
        }
    }
    for s in 0..m.sizes.nsensor {
        record_sensor(m, d, s, time);
    }
}

/// Records one sensor, if its interval has passed.
fn record_sensor<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize, time: T) {
    let Some(buffer) = HistoryBuffer::of_sensor(m, s) else { return };
    let period = m.sensor_interval[2 * s];
    if period > T::ZERO {
        if !sample_due(m, d, s, buffer) {
            return;
        }
        // sampling times advance by exact intervals, with compensated summation
        let last = d.history[buffer.at];
        let step = period - d.history_compensation[s];
        let next = last + step;
        d.history_compensation[s] = (next - last) - step;
        d.history[buffer.at] = next;
    }
    let first = m.sensor_adr[s] as usize;
    let values = &d.sensordata_undelayed[first..first + buffer.dim];
    buffer.insert(&mut d.history, time, time_tolerance(m, time), values);
}

#[cfg(test)]
mod tests {
    use super::*;

    const RING: HistoryBuffer = HistoryBuffer { at: 0, count: 4, dim: 1, order: 0 };

    fn buffer(order: i32) -> (HistoryBuffer, Vec<f64>) {
        // the oldest sample is in slot 2
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
        // values of `mj_readCtrl` for these samples
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
        // an equal time, a time in between, a time before all
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
