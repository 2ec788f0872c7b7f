// Histories of controls and sensors: what delays and sampling intervals read. Twin: src/cpu/actuation/history.rs.

// Share of a time step within which two times count as the same.
const SAME_TIME: f32 = 1e-3;

// Where the samples of an actuator or sensor are: the time of the last sampling, the place of the newest sample, times,
// values. Without one the count is zero.
struct Ring {
    at: u32,
    count: u32,
    dim: u32,
    // interpolation: 0 hold, 1 linear, 2 cubic
    order: i32,
}

fn ring_of_actuator(a: u32) -> Ring {
    let count = select(0, actuator_history(2u * a), actuator_historyadr(a) >= 0);
    let at = u32(max(actuator_historyadr(a), 0));
    return Ring(at, u32(max(count, 0)), u32(actuator_ctrlnum(a)), actuator_history(2u * a + 1u));
}

fn ring_of_sensor(s: u32) -> Ring {
    let count = select(0, sensor_history(2u * s), sensor_historyadr(s) >= 0);
    let at = u32(max(sensor_historyadr(s), 0));
    return Ring(at, u32(max(count, 0)), u32(sensor_dim(s)), sensor_history(2u * s + 1u));
}

// Place of sample k, the oldest one being the first. The newest may be whatever the caller has written.
fn ring_place(ring: Ring, k: u32) -> u32 {
    let newest = u32(clamp(i32(history(ring.at + 1u)), 0, i32(ring.count) - 1));
    return (newest + 1u + k) % ring.count;
}

// Where the time of a sample is, and where its values begin.
fn ring_time_at(ring: Ring, k: u32) -> u32 {
    return ring.at + 2u + ring_place(ring, k);
}

fn ring_values_at(ring: Ring, k: u32) -> u32 {
    return ring.at + 2u + ring.count + ring.dim * ring_place(ring, k);
}

// Number of samples that are not later than a time.
fn ring_passed(ring: Ring, when: f32) -> u32 {
    var low = 0u;
    var high = ring.count;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (history(ring_time_at(ring, middle)) <= when) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

// The samples that a time is between, where their values begin, and their weights; of the hold only `low` counts, of
// the linear interpolation `low` and `high`.
struct Blend {
    order: i32,
    earlier: u32,
    low: u32,
    high: u32,
    later: u32,
    weights: vec4f,
}

// Before the first sample the first, after the last the last.
fn ring_blend(ring: Ring, when: f32, close: f32) -> Blend {
    let after = ring_passed(ring, when + select(0.0, close, ring.order == 0));
    let before = max(after, 1u) - 1u;
    let low = ring_values_at(ring, before);
    if (ring.order == 0 || after == 0u || after == ring.count) {
        return Blend(0, low, low, low, low, vec4f(0.0));
    }
    let high = ring_values_at(ring, after);
    let begin = history(ring_time_at(ring, before));
    let end = history(ring_time_at(ring, after));
    let span = end - begin;
    let x = (when - begin) / span;
    if (ring.order == 1) {
        return Blend(1, low, low, high, high, vec4f(0.0, 1.0 - x, x, 0.0));
    }
    // Catmull-Rom; level at the first and last sample
    var rise = 0.0;
    var fall = 0.0;
    if (before > 0u) {
        rise = span / (end - history(ring_time_at(ring, before - 1u)));
    }
    if (after + 1u < ring.count) {
        fall = span / (history(ring_time_at(ring, after + 1u)) - begin);
    }
    let xx = x * x;
    let xxx = xx * x;
    let a = (xxx - 2.0 * xx + x) * rise;
    let b = (xxx - xx) * fall;
    let step = 3.0 * xx - 2.0 * xxx;
    let earlier = ring_values_at(ring, max(before, 1u) - 1u);
    let later = ring_values_at(ring, min(after + 1u, ring.count - 1u));
    return Blend(2, earlier, low, high, later, vec4f(-a, 1.0 - step - b, step + a, b));
}

// Number i of the samples at hand. What is not finite in one that does not count has no part in it.
fn blended(blend: Blend, i: u32) -> f32 {
    if (blend.order == 0) {
        return history(blend.low + i);
    }
    let inner = blend.weights.y * history(blend.low + i) + blend.weights.z * history(blend.high + i);
    if (blend.order == 1) {
        return inner;
    }
    return inner + blend.weights.x * history(blend.earlier + i) + blend.weights.w * history(blend.later + i);
}

// Adds the numbers V from `first` on as a sample in the place of the oldest one, or changes the one of that time.
fn ring_insert__V(ring: Ring, when: f32, close: f32, first: u32) {
    let passed = ring_passed(ring, when + close);
    var k = max(passed, 1u) - 1u;
    let same = passed > 0u && abs(when - history(ring_time_at(ring, k))) <= close;
    if (passed == ring.count && !same) {
        set_history(ring.at + 1u, f32(ring_place(ring, 0u)));
        k = ring.count - 1u;
    } else if (!same) {
        // earlier ones move up, where it comes between them
        for (var j = 0u; j < k; j++) {
            set_history(ring_time_at(ring, j), history(ring_time_at(ring, j + 1u)));
            let source = ring_values_at(ring, j + 1u);
            let target_at = ring_values_at(ring, j);
            for (var i = 0u; i < ring.dim; i++) {
                set_history(target_at + i, history(source + i));
            }
        }
    }
    set_history(ring_time_at(ring, k), when);
    let adr = ring_values_at(ring, k);
    for (var i = 0u; i < ring.dim; i++) {
        set_history(adr + i, V(first + i));
    }
}

// Distance of two times that count as the same.
fn close_time(when: f32) -> f32 {
    return max(SAME_TIME * opt_timestep(0u), 4.7683716e-7 * abs(when));
}

// Whether an interval has passed since the last sampling.
fn sample_due(s: u32, ring: Ring) -> bool {
    let when = time(0u);
    return history(ring.at) + sensor_interval(2u * s) <= when + close_time(when);
}

// The controls that act now, in ctrl_late.
fn delay_controls() {
    let when = time(0u);
    for (var a = lane; a < nactuator; a += lanes) {
        let ring = ring_of_actuator(a);
        let first = u32(actuator_ctrladr(a));
        let end = first + u32(actuator_ctrlnum(a));
        let delay = actuator_delay(a);
        if (ring.count > 0u && delay > 0.0) {
            let blend = ring_blend(ring, when - delay, close_time(when));
            for (var u = first; u < end; u++) {
                set_ctrl_late(u, blended(blend, u - first));
            }
        } else {
            for (var u = first; u < end; u++) {
                set_ctrl_late(u, ctrl(u));
            }
        }
    }
}

// Keeps what the sensors measure now in sensor_fresh, and puts what they show in its place.
fn delay_sensors() {
    let when = time(0u);
    for (var s = lane; s < nsensor; s += lanes) {
        let adr = u32(sensor_adr(s));
        let count = u32(sensor_dim(s));
        for (var i = 0u; i < count; i++) {
            set_sensor_fresh(adr + i, sensordata(adr + i));
        }
        let ring = ring_of_sensor(s);
        if (ring.count > 0u) {
            let delay = max(sensor_delay(s), 0.0);
            // between samples, the last one
            let waits = sensor_interval(2u * s) > 0.0 && !sample_due(s, ring);
            if (delay > 0.0 || waits) {
                let blend = ring_blend(ring, when - delay, close_time(when));
                for (var i = 0u; i < count; i++) {
                    set_sensordata(adr + i, blended(blend, i));
                }
            }
        }
        // switched off, they still have histories
        if (disabled(DISABLE_SENSOR)) {
            for (var i = 0u; i < count; i++) {
                set_sensordata(adr + i, 0.0);
            }
        }
    }
}

// Adds the controls of this step and what the sensors measured to the histories of a world that goes on.
fn record_histories(going: bool) {
    let when = time(0u);
    if (going) {
        for (var a = lane; a < nactuator; a += lanes) {
            let ring = ring_of_actuator(a);
            if (ring.count > 0u) {
                ring_insert__ctrl(ring, when, close_time(when), u32(actuator_ctrladr(a)));
            }
        }
        for (var s = lane; s < nsensor; s += lanes) {
            record_sensor(s, when);
        }
    }
    sync();
}

fn record_sensor(s: u32, when: f32) {
    let ring = ring_of_sensor(s);
    if (ring.count == 0u) {
        return;
    }
    let period = sensor_interval(2u * s);
    if (period > 0.0) {
        if (!sample_due(s, ring)) {
            return;
        }
        // on time by the interval, with what rounding loses carried on
        let last = history(ring.at);
        let step = period - history_rest(s);
        let next = last + step;
        set_history_rest(s, (next - last) - step);
        set_history(ring.at, next);
    }
    ring_insert__sensor_fresh(ring, when, close_time(when), u32(sensor_adr(s)));
}

// Histories before the first step: samples of nothing, one for each time step or interval that has passed.
fn reset_histories() {
    let h = opt_timestep(0u);
    for (var a = lane; a < nactuator; a += lanes) {
        let ring = ring_of_actuator(a);
        if (ring.count > 0u) {
            reset_ring(ring, h, 0.0, 0.0);
            if (actuator_gaintype(a) == GAIN_SO3 && actuator_ctrlspec(a) == INPUT_QUAT) {
                for (var k = 0u; k < ring.count; k++) {
                    set_history(ring.at + 2u + ring.count + ring.dim * k, 1.0);
                }
            }
        }
    }
    for (var s = lane; s < nsensor; s += lanes) {
        set_history_rest(s, 0.0);
        let ring = ring_of_sensor(s);
        if (ring.count > 0u) {
            let period = sensor_interval(2u * s);
            let phase = sensor_interval(2u * s + 1u);
            reset_ring(ring, h, period, select(phase, -period, phase == 0.0));
            if (period <= 0.0) {
                set_history(ring.at, -h);
            }
        }
    }
}

// Samples of zeros: of the time steps before, or where there is a period, of the first time step of each interval up to
// the last sampling.
fn reset_ring(ring: Ring, h: f32, period: f32, last: f32) {
    set_history(ring.at, select(0.0, last, period > 0.0));
    set_history(ring.at + 1u, f32(ring.count - 1u));
    for (var k = 0u; k < ring.count; k++) {
        let past = f32(ring.count - 1u - k);
        var when = -(past + 1.0) * h;
        if (period > 0.0) {
            when = last - past * period;
            if (h > 0.0) {
                // not the next one where only rounding is in the way
                let turns = when / h;
                when = ceil(turns - 4.7683716e-7 * abs(turns)) * h;
            }
        }
        set_history(ring.at + 2u + k, when);
    }
    let first = ring.at + 2u + ring.count;
    let end = first + ring.count * ring.dim;
    for (var i = first; i < end; i++) {
        set_history(i, 0.0);
    }
}
