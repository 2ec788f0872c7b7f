// Controls of actuators, within their ranges. Twin: src/cpu/actuation/control.rs.

import package::math::vector::clip;
import package::runtime::options::disabled;

// Control within its range; NaN stays NaN.
fn control(u: u32) -> f32 {
    let x = delayed_ctrl(u);
    if (actuator_ctrllimited(u) != 0 && !disabled(DISABLE_CLAMPCTRL)) {
        return clip(x, actuator_ctrlrange(2u * u), actuator_ctrlrange(2u * u + 1u));
    }
    return x;
}

// First control of an actuator; zero where it has none, or some control is bad.
fn first_control(a: u32, good: bool) -> f32 {
    if (good && actuator_ctrlnum(a) > 0) {
        return control(u32(actuator_ctrladr(a)));
    }
    return 0.0;
}

// Whether an actuator's group is switched off.
fn actuator_disabled(a: u32) -> bool {
    let group = actuator_group(a);
    return group >= 0 && group <= 30 && (opt_disableactuator(0u) & (1 << u32(group & 31))) != 0;
}

// A control that acts now.
fn delayed_ctrl(u: u32) -> f32 {
//#if HISTORY
    return ctrl_delayed(u);
//#else
    return ctrl(u);
//#endif
}
