// Histories of actuators and sensors: buffers of samples. Twin: crates/model/src/model/history.rs.

import package::runtime::group::lane;

// Layout of the history of an actuator or sensor: time of the last sampling, slot of the newest sample, times,
// values. The count is zero if there is no history.
struct HistoryBuffer {
    at: u32,
    count: u32,
    dim: u32,
    // interpolation: 0 zero-order hold, 1 linear, 2 cubic
    order: i32,
}

// History of an actuator's controls.
fn of_actuator(a: u32) -> HistoryBuffer {
    let count = select(0, actuator_history(2u * a), actuator_historyadr(a) >= 0);
    let at = u32(max(actuator_historyadr(a), 0));
    return HistoryBuffer(at, u32(max(count, 0)), u32(actuator_ctrlnum(a)), actuator_history(2u * a + 1u));
}

// History of a sensor's outputs.
fn of_sensor(s: u32) -> HistoryBuffer {
    let count = select(0, sensor_history(2u * s), sensor_historyadr(s) >= 0);
    let at = u32(max(sensor_historyadr(s), 0));
    return HistoryBuffer(at, u32(max(count, 0)), u32(sensor_dim(s)), sensor_history(2u * s + 1u));
}

// Slot of sample k, oldest first. The newest may be anything that the caller has written.
fn sample_slot(buffer: HistoryBuffer, k: u32) -> u32 {
    let newest = u32(clamp(i32(history(buffer.at + 1u)), 0, i32(buffer.count) - 1));
    return (newest + 1u + k) % buffer.count;
}

// Address of a sample's time.
fn time_adr(buffer: HistoryBuffer, k: u32) -> u32 {
    return buffer.at + 2u + sample_slot(buffer, k);
}

// Address of a sample's first value.
fn values_adr(buffer: HistoryBuffer, k: u32) -> u32 {
    return buffer.at + 2u + buffer.count + buffer.dim * sample_slot(buffer, k);
}

// Number of samples no later than a time.
fn upper_bound(buffer: HistoryBuffer, when: f32) -> u32 {
    var low = 0u;
    var high = buffer.count;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (history(time_adr(buffer, middle)) <= when) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// Interpolation stencil: addresses of the samples around a time, and their weights. The hold uses only `low`, linear
// interpolation `low` and `high`.
struct InterpolationStencil {
    order: i32,
    earlier: u32,
    low: u32,
    high: u32,
    later: u32,
    weights: vec4f,
}

// Stencil at a time; before the first sample it is the first one, after the last the last one.
fn stencil(buffer: HistoryBuffer, when: f32, tolerance: f32) -> InterpolationStencil {
    let after = upper_bound(buffer, when + select(0.0, tolerance, buffer.order == 0));
    let before = max(after, 1u) - 1u;
    let low = values_adr(buffer, before);
    if (buffer.order == 0 || after == 0u || after == buffer.count) {
        return InterpolationStencil(0, low, low, low, low, vec4f(0.0));
    }
    let high = values_adr(buffer, after);
    let begin = history(time_adr(buffer, before));
    let end = history(time_adr(buffer, after));
    let span = end - begin;
    let x = (when - begin) / span;
    if (buffer.order == 1) {
        return InterpolationStencil(1, low, low, high, high, vec4f(0.0, 1.0 - x, x, 0.0));
    }
    // Catmull-Rom with zero slope at the first and last sample
    var rise = 0.0;
    var fall = 0.0;
    if (before > 0u) {
        rise = span / (end - history(time_adr(buffer, before - 1u)));
    }
    if (after + 1u < buffer.count) {
        fall = span / (history(time_adr(buffer, after + 1u)) - begin);
    }
    let xx = x * x;
    let xxx = xx * x;
    let a = (xxx - 2.0 * xx + x) * rise;
    let b = (xxx - xx) * fall;
    let step = 3.0 * xx - 2.0 * xxx;
    let earlier = values_adr(buffer, max(before, 1u) - 1u);
    let later = values_adr(buffer, min(after + 1u, buffer.count - 1u));
    return InterpolationStencil(2, earlier, low, high, later, vec4f(-a, 1.0 - step - b, step + a, b));
}

// Interpolated value i. Values of zero weight are skipped, so that non-finite ones among them do no harm.
fn interpolate(stencil: InterpolationStencil, i: u32) -> f32 {
    if (stencil.order == 0) {
        return history(stencil.low + i);
    }
    let inner = stencil.weights.y * history(stencil.low + i) + stencil.weights.z * history(stencil.high + i);
    if (stencil.order == 1) {
        return inner;
    }
    return inner + stencil.weights.x * history(stencil.earlier + i) + stencil.weights.w * history(stencil.later + i);
}

// Inserts the values of V from `first` on as a new sample in place of the oldest, or overwrites the sample of equal
// time.
fn insert__V(buffer: HistoryBuffer, when: f32, tolerance: f32, first: u32) {
    let passed = upper_bound(buffer, when + tolerance);
    var k = max(passed, 1u) - 1u;
    let same = passed > 0u && abs(when - history(time_adr(buffer, k))) <= tolerance;
    if (passed == buffer.count && !same) {
        set_history(buffer.at + 1u, f32(sample_slot(buffer, 0u)));
        k = buffer.count - 1u;
    } else if (!same) {
        // samples out of order: earlier ones move up to make room
        for (var j = 0u; j < k; j++) {
            set_history(time_adr(buffer, j), history(time_adr(buffer, j + 1u)));
            let source = values_adr(buffer, j + 1u);
            let target_at = values_adr(buffer, j);
            for (var i = 0u; i < buffer.dim; i++) {
                set_history(target_at + i, history(source + i));
            }
        }
    }
    set_history(time_adr(buffer, k), when);
    let adr = values_adr(buffer, k);
    for (var i = 0u; i < buffer.dim; i++) {
        set_history(adr + i, V(first + i));
    }
}

// Histories before the first step: zero samples, one for each time step or interval in the past.
fn reset_histories() {
    let h = opt_timestep(0u);
    for (var a = lane; a < nactuator; a += lanes) {
        let buffer = of_actuator(a);
        if (buffer.count > 0u) {
            reset_buffer(buffer, h, 0.0, 0.0);
            if (actuator_gaintype(a) == GAIN_SO3 && actuator_ctrlspec(a) == INPUT_QUAT) {
                for (var k = 0u; k < buffer.count; k++) {
                    set_history(buffer.at + 2u + buffer.count + buffer.dim * k, 1.0);
                }
            }
        }
    }
    for (var s = lane; s < nsensor; s += lanes) {
        set_history_compensation(s, 0.0);
        let buffer = of_sensor(s);
        if (buffer.count > 0u) {
            let period = sensor_interval(2u * s);
            let phase = sensor_interval(2u * s + 1u);
            reset_buffer(buffer, h, period, select(phase, -period, phase == 0.0));
            if (period <= 0.0) {
                set_history(buffer.at, -h);
            }
        }
    }
}

// Fills a history with zero samples: at the preceding time steps, or with a period at the first time step of each
// interval up to the last sampling.
fn reset_buffer(buffer: HistoryBuffer, h: f32, period: f32, last: f32) {
    set_history(buffer.at, select(0.0, last, period > 0.0));
    set_history(buffer.at + 1u, f32(buffer.count - 1u));
    for (var k = 0u; k < buffer.count; k++) {
        let past = f32(buffer.count - 1u - k);
        var when = -(past + 1.0) * h;
        if (period > 0.0) {
            when = last - past * period;
            if (h > 0.0) {
                // rounding up by rounding error alone is not a further step
                let turns = when / h;
                when = ceil(turns - 4.7683716e-7 * abs(turns)) * h;
            }
        }
        set_history(buffer.at + 2u + k, when);
    }
    let first = buffer.at + 2u + buffer.count;
    let end = first + buffer.count * buffer.dim;
    for (var i = first; i < end; i++) {
        set_history(i, 0.0);
    }
}
