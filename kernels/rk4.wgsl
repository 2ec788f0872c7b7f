// Fourth-order Runge-Kutta: one of the four stages of a step. Twin: crates/cpu/src/integrate/rk4.rs. The
// schedule differs: a lane does all that a stage does with a joint.

import package::actuation::activation::advance_activations;
import package::actuation::history::record_histories;
import package::actuation::laws::advance_states;
import package::integrate::advance::{advance_time, bad_acceleration, integrate_joint};
import package::integrate::reset::end_step;
import package::runtime::group::{lane, sync};
import package::runtime::options::disabled;

// Added to the stage number after a reset: the remaining stages do nothing.
const RK4_IDLE: i32 = 4;

// One stage of one world; the fourth completes the step.
fn rk4() {
    // a step that is owed is taken at any acceleration
    let takes_owed = step_owed(0u) < 0;
    let bad = bad_acceleration() && !takes_owed;
    let part = rk4_stage(0u);
    sync();
    // a bad acceleration resets the world; its remaining stages are idle
    if (part == 0) {
        end_step(bad, takes_owed);
    }
    let given_up = part == 0 && bad && !disabled(DISABLE_AUTORESET);
    if (lane == 0u) {
        let next = select(select(part + 1, 0, part == 3 || part == RK4_IDLE + 3), RK4_IDLE + 1, given_up);
        set_rk4_stage(0u, next);
    }
    let going = part < RK4_IDLE && !given_up;
    let h = opt_timestep(0u);
//#if STAGE_TIME
    // time matters within a step only to delays and laws
    if (lane == 0u && going) {
        if (part == 0) {
            set_rk4_time(0u, time(0u));
        }
        set_time(0u, rk4_time(0u) + select(h * rk4_node(part), 0.0, part == 3));
    }
    sync();
//#endif
//#if HISTORY
    record_histories(going && part == 3);
//#endif
    if (going) {
        for (var jnt = lane; jnt < njnt; jnt += lanes) {
            rk4_joint(jnt, part, h);
        }
        for (var i = lane; i < na; i += lanes) {
            rk4_activation(i, part, h);
        }
    }
    sync();
    if (going && part == 3) {
        advance_activations__rk4_act_dot();
//#if LAW_STATES
        advance_states__rk4_act_dot();
//#endif
        for (var i = lane; i < nv; i += lanes) {
            set_qacc_warmstart(i, qacc(i));
        }
        if (lane == 0u) {
            advance_time(h);
        }
    }
}

// Weight of a stage's rates in the final sum.
fn rk4_weight(part: i32) -> f32 {
    return select(1.0 / 3.0, 1.0 / 6.0, part == 0 || part == 3);
}

// Fraction of the time step at which the next stage is evaluated.
fn rk4_node(part: i32) -> f32 {
    return select(0.5, 1.0, part >= 2);
}

// One joint: accumulates the weighted rates, and moves it to the state of the next stage, or to the end of the step.
fn rk4_joint(jnt: u32, part: i32, h: f32) {
    let dof = u32(jnt_dofadr(jnt));
    let end = dof + joint_dofnum(jnt_type(jnt));
    let weight = rk4_weight(part);
    let first = part == 0;
    // weighted rates, and a copy of the initial velocity
    for (var i = dof; i < end; i++) {
        if (first) {
            set_rk4_qvel(i, qvel(i));
        }
        set_rk4_vel(i, select(rk4_vel(i), 0.0, first) + weight * qvel(i));
        set_rk4_acc(i, select(rk4_acc(i), 0.0, first) + weight * qacc(i));
    }
    // a copy of the initial position
    if (first) {
        let adr = u32(jnt_qposadr(jnt));
        let stop = adr + joint_qposnum(jnt_type(jnt));
        for (var i = adr; i < stop; i++) {
            set_rk4_qpos(i, qpos(i));
        }
    }
    // always from the start of the step: by this stage's rates, in the last stage by the weighted sum
    if (part == 3) {
        integrate_joint__rk4_qpos__rk4_vel(jnt, h);
        for (var i = dof; i < end; i++) {
            set_qvel(i, rk4_qvel(i) + h * rk4_acc(i));
        }
        return;
    }
    let reach = h * rk4_node(part);
    integrate_joint__rk4_qpos__qvel(jnt, reach);
    for (var i = dof; i < end; i++) {
        set_qvel(i, rk4_qvel(i) + reach * qacc(i));
    }
}

// One activation likewise; the last stage restores it for advance_activations.
fn rk4_activation(i: u32, part: i32, h: f32) {
    let first = part == 0;
    if (first) {
        set_rk4_act(i, act(i));
    }
    set_rk4_act_dot(i, select(rk4_act_dot(i), 0.0, first) + rk4_weight(part) * act_dot(i));
    if (part == 3) {
        set_act(i, rk4_act(i));
        return;
    }
    set_act(i, rk4_act(i) + h * rk4_node(part) * act_dot(i));
}
