// Setpoints of orientation servos, periodic in a full turn. Twin: crates/cpu/src/actuation/setpoint.rs.

import package::math::trig::PI;

// Full turn in units of actuator length, for position servos of an orientation: of a ball joint, or of a site
// relative to another. Zero for all other actuators.
fn full_turn(a: u32) -> f32 {
    let dyn = actuator_dyntype(a);
    let servo = (dyn == DYNAMICS_NONE || dyn == DYNAMICS_INTEGRATOR)
        && actuator_gaintype(a) == GAIN_FIXED
        && actuator_biastype(a) == BIAS_AFFINE
        && actuator_biasprm(10u * a + 1u) == -actuator_gainprm(10u * a);
    let follows = actuator_gaintype(a) == GAIN_PID && (actuator_ctrlspec(a) & INPUT_POS) != 0;
    if (!servo && !follows) {
        return 0.0;
    }
    let out = u32(actuator_outadr(a));
    let linear = actuator_gear_vec3(2u * out);
    let angular = actuator_gear_vec3(2u * out + 1u);
    let kind = actuator_trntype(a);
    if (kind == TRANSMISSION_JOINT || kind == TRANSMISSION_JOINTINPARENT) {
        if (jnt_type(u32(actuator_trnid(2u * a))) == JOINT_BALL) {
            return 2.0 * PI * sqrt(dot(linear, linear));
        }
    }
    if (kind == TRANSMISSION_SITE && actuator_trnid(2u * a + 1u) >= 0 && dot(linear, linear) == 0.0) {
        return 2.0 * PI * sqrt(dot(angular, angular));
    }
    return 0.0;
}

// Equivalent setpoint nearest to the current length.
fn unwrap_setpoint(a: u32, setpoint: f32) -> f32 {
    return unwrap_near(a, setpoint, actuator_length(u32(actuator_outadr(a))));
}

// Equivalent setpoint nearest to another number.
fn unwrap_near(a: u32, setpoint: f32, other: f32) -> f32 {
    let turn = full_turn(a);
    if (turn < MINVAL) {
        return setpoint;
    }
    return setpoint - turn * floor((setpoint - other) / turn + 0.5);
}
