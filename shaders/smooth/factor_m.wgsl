// The inertia matrix: factors, solves, products. Rows of the lower triangle as in M_rowadr, M_colind.
// Twin: src/cpu/smooth/factor_m.rs.

// Gravity, unless it is switched off.
fn gravity() -> vec3f {
    return select(opt_gravity_vec3(0u), vec3f(0.0), disabled(DISABLE_GRAVITY));
}

// Replaces the lower triangle A by its factors L' D L, D also inverted in B; leaves are eliminated first.
fn factor_ld__A__B() {
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        let adr = u32(M_rowadr(k));
        let last = adr + u32(M_rownnz(k)) - 1u;
        // a singular matrix has the smallest pivot that counts as nonzero
        let pivot = A(last);
        let singular = pivot < MINVAL;
        let inv = 1.0 / select(pivot, MINVAL, singular);
        // the row of each ancestor loses its share
        //#unroll
        for (var p = adr + lane; p < last; p += lanes) {
            let row = u32(M_rowadr(u32(M_colind(p))));
            let share = A(p) * inv;
            //#unroll
            for (var q = adr; q <= p; q++) {
                let x = share * A(q);
                set_A(row + q - adr, A(row + q - adr) - x);
            }
        }
        sync();
        //#unroll
        for (var p = adr + lane; p < last; p += lanes) {
            set_A(p, A(p) * inv);
        }
        if (lane == 0u) {
            set_B(k, inv);
            if (singular) {
                set_A(last, MINVAL);
                raise_status(STATUS_SINGULAR_INERTIA);
            }
        }
        sync();
    }
}

// Solves L' D L x = X in place, with factors from factor_ld.
fn solve_ld__A__B__X() {
    // L' from the leaves up
    //#unroll
    for (var up = 0u; up < nv; up++) {
        let k = nv - 1u - up;
        let adr = u32(M_rowadr(k));
        let last = adr + u32(M_rownnz(k)) - 1u;
        let xk = X(k);
        //#unroll
        for (var p = adr + lane; p < last; p += lanes) {
            let j = u32(M_colind(p));
            set_X(j, X(j) - A(p) * xk);
        }
        sync();
    }
    // D, then L from the root down: each row waits for all rows above it
    if (lane == 0u) {
        //#unroll
        for (var k = 0u; k < nv; k++) {
            let adr = u32(M_rowadr(k));
            let last = adr + u32(M_rownnz(k)) - 1u;
            var sum = X(k) * B(k);
            //#unroll
            for (var p = adr; p < last; p++) {
                sum -= A(p) * X(u32(M_colind(p)));
            }
            set_X(k, sum);
        }
    }
    sync();
}

// Product of the inertia matrix A with V, into Y.
fn mul_m__A__V__Y() {
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        let adr = u32(F_rowadr(i));
        var sum = 0.0;
        //#unroll
        for (var q = adr; q < adr + u32(F_rownnz(i)); q++) {
            sum += A(u32(mapM2F(q))) * V(u32(F_colind(q)));
        }
        set_Y(i, sum);
    }
}

// Product of a row of the tendon Jacobian with V.
fn mul_ten_j__V(ten: u32) -> f32 {
    let adr = u32(ten_J_rowadr(ten));
    let end = adr + u32(ten_J_rownnz(ten));
    var sum = 0.0;
    for (var k = adr; k < end; k++) {
        sum += ten_J(k) * V(u32(ten_J_colind(k)));
    }
    return sum;
}

// Neither finite nor of a size that can be simulated.
fn is_bad(x: f32) -> bool {
    return !is_finite(x) || abs(x) > 1e10;
}

// Puts the world back to its initial state; status and counters are kept. Twin: Data::reset.
fn reset_world() {
    if (lane == 0u) {
        set_time(0u, 0.0);
        set_time_compensation(0u, 0.0);
        set_nreset(0u, nreset(0u) + 1);
    }
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
    for (var i = lane; i < nu; i += lanes) {
        set_ctrl(i, initial_ctrl(i));
    }
//#if EQUALITY
    for (var i = lane; i < neq; i += lanes) {
        set_eq_active(i, eq_active0(i));
    }
//#endif
//#if SLEEP
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

// What a control starts from: quaternions from the identity.
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

// Flags what went wrong and puts the world back to its initial state, unless that is switched off.
fn auto_reset(bit: i32) {
    raise_status(bit);
    if (!disabled(DISABLE_AUTORESET)) {
        reset_world();
    }
}

// One past the last body of a subtree: bodies are numbered depth first.
fn subtree_end(top: u32) -> u32 {
    var end = top + 1u;
    while (end < nbody && u32(body_parentid(end)) >= top) {
        end++;
    }
    return end;
}

fn raise_status(bits: i32) {
    if (lane == 0u) {
        set_status(0u, status(0u) | bits);
    }
}
