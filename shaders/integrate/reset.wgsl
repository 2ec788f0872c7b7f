// Reset to the initial state. Twins: crates/model/src/model/state.rs and crates/cpu/src/integrate/check_state.rs.

import package::actuation::history_buffer::reset_histories;
import package::math::spatial::spatial_zero;
import package::math::vector::is_finite;
import package::runtime::group::{base_f, base_i, data_f, data_i, lane};
import package::runtime::options::disabled;
import package::runtime::status::raise_status;

// True if a number is not finite or too large to simulate.
fn is_bad(x: f32) -> bool {
    return !is_finite(x) || abs(x) > 1e10;
}

// Resets the world to its initial state, and counts that.
fn reset_world() {
    if (lane == 0u) {
        set_nreset(0u, nreset(0u) + 1);
    }
    clear_results();
    reset_state();
}

// Zeroes everything that follows from the state: it is side by side in the arena. Twin: Data::clear_results.
fn clear_results() {
    for (var i = zeroed_f + lane; i < zeroed_f_end; i += lanes) {
        data_f[base_f + i * arena_tile] = 0.0;
    }
    for (var i = zeroed_i + lane; i < zeroed_i_end; i += lanes) {
        data_i[base_i + i * arena_tile] = 0;
    }
}

// Resets the state alone: results, status and counters are kept. Twin: Data::reset_state.
fn reset_state() {
    // time
    if (lane == 0u) {
        set_time(0u, 0.0);
        set_time_compensation(0u, 0.0);
    }
    // state, warm start and inputs
    for (var i = lane; i < nq; i += lanes) {
        set_qpos(i, qpos0(i));
    }
    for (var i = lane; i < nv; i += lanes) {
        set_qvel(i, 0.0);
        set_qacc_warmstart(i, 0.0);
        set_qfrc_applied(i, 0.0);
    }
    for (var i = lane; i < na; i += lanes) {
        set_act(i, 0.0);
    }
//#if LAW_STATES
    reset_states();
//#endif
    for (var i = lane; i < nu; i += lanes) {
        set_ctrl(i, initial_ctrl(i));
    }
    for (var i = lane; i < naction; i += lanes) {
        set_action(i, 0.0);
    }
//#if EQUALITY
    // active constraints
    for (var i = lane; i < neq; i += lanes) {
        set_eq_active(i, eq_active0(i));
    }
//#endif
//#if SLEEP
    // sleep
    for (var i = lane; i < ntree; i += lanes) {
        set_tree_asleep(i, tree_asleep0(i));
    }
    for (var i = lane; i < nq; i += lanes) {
        set_asleep_qpos(i, qpos0(i));
    }
//#endif
//#if HISTORY
    reset_histories();
//#endif
    // applied wrenches and mocap poses
    for (var i = lane; i < nbody; i += lanes) {
        set_xfrc_applied_spatial(i, spatial_zero());
//#if MOCAP
        let mocap = body_mocapid(i);
        if (mocap >= 0) {
            set_mocap_pos_vec3(u32(mocap), body_pos_vec3(i));
            set_mocap_quat_vec4(u32(mocap), body_quat_vec4(i));
        }
//#endif
    }
}

// Initial value of a control: quaternions start from the identity.
fn initial_ctrl(u: u32) -> f32 {
//#if SO3
    for (var a = 0u; a < nactuator; a++) {
        let quaternion = actuator_gaintype(a) == GAIN_SO3 && actuator_ctrlspec(a) == INPUT_QUAT;
        if (quaternion && u32(actuator_ctrladr(a)) == u) {
            return 1.0;
        }
    }
//#endif
    return 0.0;
}

// Ends a step: resets a world with a bad acceleration, which then owes the step, unless autoreset is disabled. A step that
// it owed has been taken. Twin: stays_behind in check_state.rs.
fn end_step(bad: bool, takes_owed: bool) {
    if (bad) {
        auto_reset(STATUS_BAD_QACC);
    }
    if (lane == 0u && bad && !disabled(DISABLE_AUTORESET)) {
        set_step_owed(0u, step_owed(0u) + 1);
    }
    if (lane == 0u && takes_owed) {
        set_step_owed(0u, 0);
    }
}

// Raises a status bit and resets the world, unless autoreset is disabled.
fn auto_reset(bit: i32) {
    raise_status(bit);
    if (!disabled(DISABLE_AUTORESET)) {
        reset_world();
    }
}
