// Bias force by the recursive Newton-Euler algorithm. Twin: src/cpu/rne.rs.

fn rne() {
    // accelerations without those of the joints, root to leaf
    if (lane == 0u) {
        set_cacc_spatial(0u, Spatial(vec3f(0.0), -gravity()));
    }
    for (var level = 1u; level < nlevel; level++) {
        sync();
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            body_acceleration(u32(level_body(k)));
        }
    }
    // forces, leaf to root
    for (var up = 0u; up < nlevel; up++) {
        sync();
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            body_force(u32(level_body(k)));
        }
    }
    sync();
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_bias(dof, dot6(cdof_spatial(dof), cfrc_body_spatial(u32(dof_bodyid(dof)))));
    }
//#if TENDON_BIAS
    sync();
    if (lane == 0u) {
        for (var ten = 0u; ten < ntendon; ten++) {
            let force = tendon_bias_force(ten);
            let adr = u32(ten_J_rowadr(ten));
            let end = adr + u32(ten_J_rownnz(ten));
            for (var k = adr; k < end; k++) {
                let dof = u32(ten_J_colind(k));
                set_qfrc_bias(dof, qfrc_bias(dof) + ten_J(k) * force);
            }
        }
    }
//#endif
}

// Acceleration of one body at zero joint acceleration.
fn body_acceleration(body: u32) {
    var acc = cacc_spatial(u32(body_parentid(body)));
    let first = u32(max(body_dofadr(body), 0));
    let end = first + u32(body_dofnum(body));
    for (var dof = first; dof < end; dof++) {
        acc = spatial_add_scaled(acc, cdof_dot_spatial(dof), qvel(dof));
    }
    set_cacc_spatial(body, acc);
}

// Force that moves one body and its children's subtrees; the world has no inertia of its own.
fn body_force(body: u32) {
    let inertia = cinert_inertia(body);
    let vel = cvel_spatial(body);
    let momentum = inertia_mul(inertia, vel);
    var force = inertia_mul(inertia, cacc_spatial(body));
    force = spatial_add(force, force_cross(vel, momentum));
    let adr = u32(body_childadr(body));
    let end = adr + u32(body_childnum(body));
    for (var k = adr; k < end; k++) {
        force = spatial_add(force, cfrc_body_spatial(u32(child_body(k))));
    }
    set_cfrc_body_spatial(body, force);
}
