// Activations one time step later, and the input to the gain. Twin: crates/cpu/src/actuation/next_activation.rs.

import package::actuation::dcmotor;
import package::math::trig::exponential_m1;
import package::math::vector::clip;

// An activation one time step later, clamped to its range, when it changes at `rate`.
fn next_activation(a: u32, adr: u32, rate: f32) -> f32 {
    let h = opt_timestep(0u);
//#if DCMOTOR
    if (actuator_dyntype(a) == DYNAMICS_DCMOTOR) {
        return dcmotor::next_state(a, adr, rate);
    }
//#endif
    // exact filter: effective duration of an exponential decay
    var elapsed = h;
    if (actuator_dyntype(a) == DYNAMICS_FILTEREXACT) {
        let time = max(actuator_dynprm(10u * a), MINVAL);
        elapsed = -(time * exponential_m1(-h / time));
    }
    let next = act(adr) + rate * elapsed;
    if (actuator_actlimited(a) != 0) {
        return clip(next, actuator_actrange(2u * a), actuator_actrange(2u * a + 1u));
    }
    return next;
}

// Input to the gain: the last activation, current or one time step later, or the control.
fn driving_input(a: u32, ctrl: f32) -> f32 {
//#if ACTIVATION
    if (actuator_actadr(a) >= 0) {
        let last = u32(actuator_actadr(a) + actuator_actnum(a)) - 1u;
        if (actuator_actearly(a) != 0) {
            return next_activation(a, last, act_dot(last));
        }
        return act(last);
    }
//#endif
    return ctrl;
}
