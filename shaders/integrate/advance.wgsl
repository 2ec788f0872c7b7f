// Operations common to all integrators: integration of positions, and time. Twin: crates/cpu/src/integrate/advance.rs.

import package::actuation::activation::advance_activations;
import package::actuation::history::record_histories;
import package::actuation::laws::advance_states;
import package::integrate::reset::{end_step, is_bad};
import package::math::quaternion::quat_integrate;
import package::runtime::group::{lane, parts, set_partial, sum_partials};
import package::runtime::options::disabled;
import package::sleep::asleep::dof_sleeps;

// Position coordinates of one joint: Q integrated with the velocities V over the time h.
fn integrate_joint__Q__V(jnt: u32, h: f32) {
    var adr = u32(jnt_qposadr(jnt));
    var dof = u32(jnt_dofadr(jnt));
    let kind = jnt_type(jnt);
    // a sleeping tree must not change even by rounding
    if (dof_sleeps(dof)) {
        return;
    }
    if (kind == JOINT_SLIDE || kind == JOINT_HINGE) {
        set_qpos(adr, Q(adr) + h * V(dof));
        return;
    }
//#if FREE
    if (kind == JOINT_FREE) {
        for (var k = 0u; k < 3u; k++) {
            set_qpos(adr + k, Q(adr + k) + h * V(dof + k));
        }
        adr += 3u;
        dof += 3u;
    }
//#endif
    let quat = vec4f(Q(adr), Q(adr + 1u), Q(adr + 2u), Q(adr + 3u));
    let next = quat_integrate(quat, vec3f(V(dof), V(dof + 1u), V(dof + 2u)), h);
    set_qpos(adr, next.x);
    set_qpos(adr + 1u, next.y);
    set_qpos(adr + 2u, next.z);
    set_qpos(adr + 3u, next.w);
}

// Time after one more step, by compensated summation (Kahan, CACM 8(1), 1965): thousands of small steps do not add up
// exactly in single precision.
fn advance_time(h: f32) {
    let step = h - time_compensation(0u);
    let next = time(0u) + step;
    set_time_compensation(0u, (next - time(0u)) - step);
    set_time(0u, next);
}

// True if any acceleration is not finite or too large.
fn bad_acceleration() -> bool {
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        for (var i = k; i < nv; i += parts) {
            sum.x += select(0.0, 1.0, is_bad(qacc(i)));
        }
        set_partial(k, sum);
    }
    return sum_partials().x > 0.0;
}

// Advances one world by a time step at the accelerations A.
fn advance_world__A() {
    let h = opt_timestep(0u);
    advance_activations__act_dot();
//#if LAW_STATES
    advance_states__act_dot();
//#endif
    for (var jnt = lane; jnt < njnt; jnt += lanes) {
        let dof = u32(jnt_dofadr(jnt));
        let end = dof + joint_dofnum(jnt_type(jnt));
        for (var i = dof; i < end; i++) {
            set_qvel(i, qvel(i) + h * A(i));
        }
        integrate_joint__qpos__qvel(jnt, h);
    }
    for (var i = lane; i < nv; i += lanes) {
        set_qacc_warmstart(i, qacc(i));
    }
    if (lane == 0u) {
        advance_time(h);
    }
}

// Ends a step: advances the world by a time step at the accelerations A, or resets it where they are bad.
fn finish_step__A(bad: bool, takes_owed: bool) {
    // a bad acceleration is integrated only where autoreset is disabled
    let going = !bad || disabled(DISABLE_AUTORESET);
//#if HISTORY
    record_histories(going);
//#endif
    end_step(bad, takes_owed);
    if (going) {
        advance_world__A();
    }
}
