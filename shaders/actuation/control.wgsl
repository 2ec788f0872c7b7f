// Controls of actuators, clamped to their ranges. Twin: crates/cpu/src/actuation/control.rs.

import package::math::vector::clip;
import package::runtime::options::disabled;

// Control clamped to its range; NaN stays NaN.
fn within_range(u: u32) -> f32 {
    let x = delayed_ctrl(u);
    if (actuator_ctrllimited(u) != 0 && !disabled(DISABLE_CLAMPCTRL)) {
        return clip(x, actuator_ctrlrange(2u * u), actuator_ctrlrange(2u * u + 1u));
    }
    return x;
}

// First control of an actuator; zero if it has none, or if any control is bad.
fn first_control(a: u32, good: bool) -> f32 {
    if (good && actuator_ctrlnum(a) > 0) {
        return within_range(u32(actuator_ctrladr(a)));
    }
    return 0.0;
}

// True if an actuator's group is disabled.
fn actuator_disabled(a: u32) -> bool {
    let group = actuator_group(a);
    return group >= 0 && group <= 30 && (opt_disableactuator(0u) & (1 << u32(group & 31))) != 0;
}

// Control in effect now, after any delay.
fn delayed_ctrl(u: u32) -> f32 {
//#if HISTORY
    return ctrl_delayed(u);
//#else
    return ctrl(u);
//#endif
}

// A control within limits; zero if any control is bad.
fn control(u: u32, good: bool) -> f32 {
    return select(0.0, within_range(u), good);
}
