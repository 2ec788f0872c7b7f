// From controls to forces: force = gain * ctrl + bias, then the limits of tendons, actuators and joints.
// Twin: src/cpu/actuation.rs.

// Value of actuator_gaintype and actuator_biastype.
const AFFINE: i32 = 1;

fn actuation() {
    // no actuator has a state yet
    for (var i = lane; i < na; i += lanes) {
        set_act_dot(i, 0.0);
    }
//#if ACTUATION
    // bad controls: all of them count as zero
    for (var k = lane; k < parts; k += lanes) {
        var bad = 0.0;
        for (var u = k; u < nu; u += parts) {
            bad += select(0.0, 1.0, is_bad(control(u)));
        }
        set_part(k, vec4f(bad));
    }
    let good = sum_parts().x == 0.0;
    if (!good) {
        raise(BAD_CTRL);
    }
    for (var a = lane; a < nactuator; a += lanes) {
        let out = u32(actuator_outadr(a));
        set_actuator_force(out, select(raw_force(a, out, good), 0.0, group_off(a)));
    }
    sync();
//#if TENDON
    for (var ten = lane; ten < ntendon; ten += lanes) {
        limit_tendon(ten);
    }
    sync();
//#endif
    for (var a = lane; a < nactuator; a += lanes) {
        limit_actuator(a);
    }
    sync();
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_actuator(dof, dof_force(dof));
    }
//#else
    for (var out = lane; out < nout; out += lanes) {
        set_actuator_force(out, 0.0);
    }
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_actuator(dof, 0.0);
    }
//#endif
}

// Control within its range; NaN stays NaN.
fn control(u: u32) -> f32 {
    let x = ctrl(u);
    if (actuator_ctrllimited(u) != 0 && !disabled(DISABLE_CLAMPCTRL)) {
        return clip(x, actuator_ctrlrange(2u * u), actuator_ctrlrange(2u * u + 1u));
    }
    return x;
}

// Whether an actuator's group is switched off.
fn group_off(a: u32) -> bool {
    let group = actuator_group(a);
    return group >= 0 && group <= 30 && (opt_disableactuator(0u) & (1 << u32(group & 31))) != 0;
}

// Force of one actuator before limits; bad controls count as zero.
fn raw_force(a: u32, out: u32, good: bool) -> f32 {
    let length = actuator_length(out);
    let velocity = actuator_velocity(out);
    var input = 0.0;
    if (good && actuator_ctrlnum(a) > 0) {
        input = control(u32(actuator_ctrladr(a)));
    }
    var gain = actuator_gainprm(10u * a);
    if (actuator_gaintype(a) == AFFINE) {
        gain += actuator_gainprm(10u * a + 1u) * length + actuator_gainprm(10u * a + 2u) * velocity;
    }
    var bias = 0.0;
    if (actuator_biastype(a) == AFFINE) {
        bias = actuator_biasprm(10u * a) + actuator_biasprm(10u * a + 1u) * length + actuator_biasprm(10u * a + 2u) * velocity;
    }
    return gain * input + bias;
}

// Scales the forces of a tendon's actuators so that their sum is within the tendon's range.
fn limit_tendon(ten: u32) {
    if (tendon_actfrclimited(ten) == 0) {
        return;
    }
    var total = 0.0;
    for (var a = 0u; a < nactuator; a++) {
        if (actuator_trntype(a) == TRN_TENDON && u32(actuator_trnid(2u * a)) == ten) {
            total += actuator_force(u32(actuator_outadr(a)));
        }
    }
    let within = clip(total, tendon_actfrcrange(2u * ten), tendon_actfrcrange(2u * ten + 1u));
    if (within == total || total == 0.0) {
        return;
    }
    for (var a = 0u; a < nactuator; a++) {
        if (actuator_trntype(a) == TRN_TENDON && u32(actuator_trnid(2u * a)) == ten) {
            let out = u32(actuator_outadr(a));
            set_actuator_force(out, actuator_force(out) * (within / total));
        }
    }
}

// Clamps the force of one actuator to its range.
fn limit_actuator(a: u32) {
    if (actuator_forcelimited(a) != 0) {
        let out = u32(actuator_outadr(a));
        set_actuator_force(out, clip(actuator_force(out), actuator_forcerange(2u * a), actuator_forcerange(2u * a + 1u)));
    }
}

// Force of all actuators in one degree of freedom, within the joint's range.
fn dof_force(dof: u32) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < nJmom; k++) {
        if (u32(moment_colind(k)) == dof) {
            sum += actuator_moment(k) * actuator_force(u32(moment_out(k)));
        }
    }
    let jnt = u32(dof_jntid(dof));
//#if GRAVCOMP
    if (jnt_actgravcomp(jnt) != 0) {
        sum += qfrc_gravcomp(dof);
    }
//#endif
    let scalar = jnt_type(jnt) == SLIDE || jnt_type(jnt) == HINGE;
    if (scalar && jnt_actfrclimited(jnt) != 0) {
        sum = clip(sum, jnt_actfrcrange(2u * jnt), jnt_actfrcrange(2u * jnt + 1u));
    }
    return sum;
}
