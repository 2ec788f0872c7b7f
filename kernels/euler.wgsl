// Semi-implicit Euler with implicit joint damping; a diverged world is reset instead. Twin: src/cpu/euler.rs.

fn euler() {
    // count what is bad, and whether any dof is damped
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        for (var i = k; i < nv; i += parts) {
            sum.x += select(0.0, 1.0, is_bad(qacc(i)));
        }
        set_part(k, sum);
    }
    let bad = sum_parts().x > 0.0;
//#if EULERDAMP
    implicit_damping();
//#endif
    if (bad) {
        give_up(BAD_QACC);
    }
    // a bad acceleration moves nothing unless resets are switched off
    if (!bad || disabled(DISABLE_AUTORESET)) {
        let h = opt_timestep(0u);
        for (var jnt = lane; jnt < njnt; jnt += lanes) {
            move_joint_by(jnt, h);
        }
        for (var i = lane; i < nv; i += lanes) {
            set_qacc_warmstart(i, qacc(i));
        }
        if (lane == 0u) {
            advance_time(h);
        }
    }
}

// Acceleration with implicit damping, in qacc_damped.
fn implicit_damping() {
    let h = opt_timestep(0u);
    for (var k = lane; k < nC; k += lanes) {
        set_qH(k, M(k));
    }
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let last = u32(M_rowadr(i) + M_rownnz(i)) - 1u;
        set_qH(last, qH(last) + h * damping_slope(damping_of_dof(i), qvel(i)));
        set_qacc_damped(i, qfrc_smooth(i) + qfrc_constraint(i));
    }
    sync();
//#if LOCAL
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_work_LD(k, qH(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_work_x(i, qacc_damped(i));
    }
    sync();
    factor_ld__work_LD__work_inv();
    solve_ld__work_LD__work_inv__work_x();
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_qH(k, work_LD(k));
    }
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qHDiagInv(i, work_inv(i));
        set_qacc_damped(i, work_x(i));
    }
    sync();
//#else
    factor_ld__qH__qHDiagInv();
    solve_ld__qH__qHDiagInv__qacc_damped();
//#endif
}

// New velocity of one degree of freedom.
fn new_velocity(dof: u32, h: f32) -> f32 {
//#if EULERDAMP
    let v = qvel(dof) + h * qacc_damped(dof);
//#else
    let v = qvel(dof) + h * qacc(dof);
//#endif
    set_qvel(dof, v);
    return v;
}

fn new_velocity3(dof: u32, h: f32) -> vec3f {
    return vec3f(new_velocity(dof, h), new_velocity(dof + 1u, h), new_velocity(dof + 2u, h));
}

// New velocities of one joint, and its coordinates moved along them.
fn move_joint_by(jnt: u32, h: f32) {
    var adr = u32(jnt_qposadr(jnt));
    var dof = u32(jnt_dofadr(jnt));
    let kind = jnt_type(jnt);
    if (kind == SLIDE || kind == HINGE) {
        set_qpos(adr, qpos(adr) + h * new_velocity(dof, h));
        return;
    }
//#if FREE
    if (kind == FREE) {
        let pos = qpos_at3(adr) + h * new_velocity3(dof, h);
        set_qpos(adr, pos.x);
        set_qpos(adr + 1u, pos.y);
        set_qpos(adr + 2u, pos.z);
        adr += 3u;
        dof += 3u;
    }
//#endif
    let quat = quat_integrate(qpos_at4(adr), new_velocity3(dof, h), h);
    set_qpos(adr, quat.x);
    set_qpos(adr + 1u, quat.y);
    set_qpos(adr + 2u, quat.z);
    set_qpos(adr + 3u, quat.w);
}

// Time after one more step, with what rounding loses carried to the next one (Kahan, CACM 8(1), 1965): thousands of
// small steps do not add up exactly in single precision.
fn advance_time(h: f32) {
    let step = h - time_rest(0u);
    let next = time(0u) + step;
    set_time_rest(0u, (next - time(0u)) - step);
    set_time(0u, next);
}
