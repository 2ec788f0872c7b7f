// Histories of controls and sensors, read by delays and sampling intervals. Twin: crates/cpu/src/actuation/history.rs.

import package::actuation::history_buffer::{self, HistoryBuffer, interpolate};
import package::runtime::group::{lane, sync};
import package::runtime::options::disabled;

// Fraction of a time step within which two times count as equal.
const TIME_TOLERANCE: f32 = 1e-3;

// Difference up to which two times count as equal.
fn time_tolerance(when: f32) -> f32 {
    return max(TIME_TOLERANCE * opt_timestep(0u), 4.7683716e-7 * abs(when));
}

// True if a full interval has passed since the last sampling.
fn sample_due(s: u32, buffer: HistoryBuffer) -> bool {
    let when = time(0u);
    return history(buffer.at) + sensor_interval(2u * s) <= when + time_tolerance(when);
}

// Writes the controls in effect now, after delays, to ctrl_delayed.
fn delay_controls() {
    let when = time(0u);
    for (var a = lane; a < nactuator; a += lanes) {
        let buffer = history_buffer::of_actuator(a);
        let first = u32(actuator_ctrladr(a));
        let end = first + u32(actuator_ctrlnum(a));
        let delay = actuator_delay(a);
        if (buffer.count > 0u && delay > 0.0) {
            let stencil = history_buffer::stencil(buffer, when - delay, time_tolerance(when));
            for (var u = first; u < end; u++) {
                set_ctrl_delayed(u, interpolate(stencil, u - first));
            }
        } else {
            for (var u = first; u < end; u++) {
                set_ctrl_delayed(u, ctrl(u));
            }
        }
    }
}

// Keeps the current measurements in sensordata_undelayed and replaces the outputs by delayed or held samples.
fn delay_sensors() {
    let when = time(0u);
    for (var s = lane; s < nsensor; s += lanes) {
        let adr = u32(sensor_adr(s));
        let count = u32(sensor_dim(s));
        for (var i = 0u; i < count; i++) {
            set_sensordata_undelayed(adr + i, sensordata(adr + i));
        }
        let buffer = history_buffer::of_sensor(s);
        if (buffer.count > 0u) {
            let delay = max(sensor_delay(s), 0.0);
            // between samples, the last sample is held
            let waits = sensor_interval(2u * s) > 0.0 && !sample_due(s, buffer);
            if (delay > 0.0 || waits) {
                let stencil = history_buffer::stencil(buffer, when - delay, time_tolerance(when));
                for (var i = 0u; i < count; i++) {
                    set_sensordata(adr + i, interpolate(stencil, i));
                }
            }
        }
        // disabled sensors still have histories
        if (disabled(DISABLE_SENSOR)) {
            for (var i = 0u; i < count; i++) {
                set_sensordata(adr + i, 0.0);
            }
        }
    }
}

// Records this step's controls and measurements, in worlds that are not reset.
fn record_histories(going: bool) {
    let when = time(0u);
    if (going) {
        for (var a = lane; a < nactuator; a += lanes) {
            let buffer = history_buffer::of_actuator(a);
            if (buffer.count > 0u) {
                history_buffer::insert__ctrl(buffer, when, time_tolerance(when), u32(actuator_ctrladr(a)));
            }
        }
        for (var s = lane; s < nsensor; s += lanes) {
            record_sensor(s, when);
        }
    }
    sync();
}

// Records one sensor, if its interval has passed.
fn record_sensor(s: u32, when: f32) {
    let buffer = history_buffer::of_sensor(s);
    if (buffer.count == 0u) {
        return;
    }
    let period = sensor_interval(2u * s);
    if (period > 0.0) {
        if (!sample_due(s, buffer)) {
            return;
        }
        // sampling times advance by exact intervals, with compensated summation
        let last = history(buffer.at);
        let step = period - history_compensation(s);
        let next = last + step;
        set_history_compensation(s, (next - last) - step);
        set_history(buffer.at, next);
    }
    history_buffer::insert__sensordata_undelayed(buffer, when, time_tolerance(when), u32(sensor_adr(s)));
}
