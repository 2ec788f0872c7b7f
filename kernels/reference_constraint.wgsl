// Velocity and reference acceleration of each constraint row. Twin: src/cpu/reference_constraint.rs.

fn reference_constraint() {
//#if LOCAL
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_work_x(i, qvel(i));
    }
    sync();
//#endif
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        var vel = 0.0;
        //#unroll
        for (var i = 0u; i < nv; i++) {
//#if LOCAL
            vel += efc_J(r * nv + i) * work_x(i);
//#else
            vel += efc_J(r * nv + i) * qvel(i);
//#endif
        }
        let k = efc_KBIP_vec4(r);
        set_efc_vel(r, vel);
        set_efc_aref(r, -(k.y * vel) - k.x * k.z * (efc_pos(r) - efc_margin(r)));
    }
//#if HOLD
    sync();
    // what is held together moves apart while no joint accelerates
    for (var r = lane; r < u32(ne(0u)); r += lanes) {
        let eq = u32(efc_id(r));
        if (holds_bodies(eq) && first_row(r) == r) {
            take_drift(eq, r);
        }
    }
//#endif
}
