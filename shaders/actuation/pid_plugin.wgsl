// Controllers of MuJoCo's plugin mujoco.pid: parameters and states as in the twin, crates/cpu/src/actuation/pid_plugin.rs.

import package::actuation::next_activation::next_activation;
import package::math::vector::clip;

struct PidPlugin {
    actuator: u32,
    target_ctrl: f32,
    error: f32,
    // integral at the end of the step
    sum: f32,
    // addresses of the states, and of the activation that drives the controller; -1 for none
    integral: i32,
    slew: i32,
    driver: i32,
}

// The controller with its control clamped; `early` looks one time step ahead at the activation that drives it.
fn of_actuator(a: u32, input: f32, early: bool) -> PidPlugin {
    let p = 6u * u32(actuator_plugin(a));
    // states in their order
    var next = max(actuator_actadr(a), 0);
    let has_integral = plugin_prm(p + 1u) != 0.0;
    let integral = select(-1, next, has_integral);
    next += select(0, 1, has_integral);
    let has_slew = plugin_prm(p + 4u) >= 0.0;
    let slew = select(-1, next, has_slew);
    next += select(0, 1, has_slew);
    let driver = select(-1, next, actuator_dyntype(a) != DYNAMICS_NONE);
    // target: the control, clamped even where other actuators' are not, or the activation
    var target_ctrl = input;
    if (driver < 0 && actuator_ctrllimited(a) != 0) {
        let u = u32(actuator_ctrladr(a));
        target_ctrl = clip(input, actuator_ctrlrange(2u * u), actuator_ctrlrange(2u * u + 1u));
    }
    let h = opt_timestep(0u);
    var sum = 0.0;
//#if ACTIVATION
    if (driver >= 0) {
        target_ctrl = act(u32(driver));
        if (early) {
            target_ctrl = next_activation(a, u32(driver), act_dot(u32(driver)));
        }
    }
    // nothing precedes the first step
    if (has_slew && time(0u) > 0.0) {
        let reach = plugin_prm(p + 4u) * h;
        let last = act(u32(slew));
        target_ctrl = clip(target_ctrl, last - reach, last + reach);
    }
//#endif
    let error = target_ctrl - actuator_length(u32(actuator_outadr(a)));
//#if ACTIVATION
    if (has_integral) {
        sum = act(u32(integral)) + error * h;
        let most = plugin_prm(p + 3u);
        if (most >= 0.0) {
            sum = clip(sum, -most, most);
        }
    }
//#endif
    return PidPlugin(a, target_ctrl, error, sum, integral, slew, driver);
}

// Writes the rates of the controller's own states: those that reach their next values in one step.
fn rates(pid: PidPlugin) {
//#if ACTIVATION
    let h = opt_timestep(0u);
    if (pid.integral >= 0) {
        let adr = u32(pid.integral);
        set_act_dot(adr, (pid.sum - act(adr)) / h);
    }
    if (pid.slew >= 0) {
        let adr = u32(pid.slew);
        set_act_dot(adr, (pid.target_ctrl - act(adr)) / h);
    }
//#endif
}

// Force of error, rate and integral.
fn drive(pid: PidPlugin) -> f32 {
    let p = 6u * u32(actuator_plugin(pid.actuator));
    var target_rate = 0.0;
//#if ACTIVATION
    if (pid.driver >= 0) {
        target_rate = act_dot(u32(pid.driver));
    }
//#endif
    let error_rate = target_rate - actuator_velocity(u32(actuator_outadr(pid.actuator)));
    return plugin_prm(p) * pid.error + plugin_prm(p + 2u) * error_rate + plugin_prm(p + 1u) * pid.sum;
}
