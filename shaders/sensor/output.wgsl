// Sensor outputs, with cutoff. Twin: crates/cpu/src/sensor/output.rs.

import package::math::vector::clip;

// Address of the next output.
var<private> output_adr: u32;

// An output clamped to the cutoff.
fn cut_off(s: u32, x: f32) -> f32 {
    let most = sensor_cutoff(s);
    if (most <= 0.0 || sensor_datatype(s) > DATATYPE_POSITIVE || sensor_type(s) == SENSOR_CONTACT) {
        return x;
    }
    return clip(x, select(x, -most, sensor_datatype(s) == DATATYPE_REAL), most);
}

// Writes one output if the sensor reports it.
fn write1(s: u32, bit: i32, x: f32) {
    if ((sensor_intprm(3u * s) & bit) != 0) {
        set_sensordata(output_adr, cut_off(s, x));
        output_adr += 1u;
    }
}

// Writes three outputs if the sensor reports them.
fn write3(s: u32, bit: i32, v: vec3f) {
    if ((sensor_intprm(3u * s) & bit) != 0) {
        for (var k = 0u; k < 3u; k++) {
            set_sensordata(output_adr + k, cut_off(s, v[k]));
        }
        output_adr += 3u;
    }
}
