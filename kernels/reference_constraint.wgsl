// Velocity and reference acceleration of each constraint row. Twin: src/cpu/reference_constraint.rs.

fn reference_constraint() {
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        var vel = 0.0;
        for (var i = 0u; i < nv; i++) {
            vel += efc_J(r * nv + i) * qvel(i);
        }
        let k = efc_KBIP_vec4(r);
        set_efc_vel(r, vel);
        set_efc_aref(r, -(k.y * vel) - k.x * k.z * (efc_pos(r) - efc_margin(r)));
    }
}
