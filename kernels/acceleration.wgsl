// Acceleration without constraints. Twin: src/cpu/smooth/acceleration.rs.

fn acceleration() {
    // whether the caller pushes any body
    for (var k = lane; k < parts; k += lanes) {
        var has_xfrc = 0.0;
        for (var body = k; body < nbody; body += parts) {
            let xfrc = xfrc_applied_spatial(body);
            has_xfrc += select(0.0, 1.0, body > 0u && (is_set(xfrc.ang) || is_set(xfrc.lin)));
        }
        set_partial(k, vec4f(has_xfrc));
    }
    let has_xfrc = sum_partials().x > 0.0;
    for (var dof = lane; dof < nv; dof += lanes) {
        var sum = qfrc_passive(dof) - qfrc_bias(dof);
        sum += qfrc_applied(dof) + qfrc_actuator(dof);
        if (has_xfrc) {
            sum += applied_force(dof);
        }
        // nothing moves what sleeps
        sum = select(sum, 0.0, dof_sleeps(dof));
        set_qfrc_smooth(dof, sum);
        set_qacc_smooth(dof, sum);
    }
    sync();
//#if LOCAL_WORKING_SET
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_work_x(i, qacc_smooth(i));
    }
    sync();
    solve_ld__qLD__qLDiagInv__work_x();
    //#unroll
    for (var i = lane; i < nv; i += lanes) {
        set_qacc_smooth(i, work_x(i));
    }
//#else
    solve_ld__qLD__qLDiagInv__qacc_smooth();
//#endif
}

// Whether a vector is anything but zero. On the bits: a comparison may call NaN equal to zero, and a force that is
// NaN has to be noticed.
fn is_set(v: vec3f) -> bool {
    return any((bitcast<vec3u>(v) & vec3u(0x7fffffffu)) != vec3u(0u));
}

// Force in one degree of freedom of what the caller applies to the bodies that it moves. The rows of xfrc_applied
// hold the force first, then the torque.
fn applied_force(dof: u32) -> f32 {
    let axis = cdof_spatial(dof);
    let top = u32(dof_bodyid(dof));
    let com = subtree_com_vec3(u32(body_rootid(top)));
    let end = subtree_end(top);
    var sum = 0.0;
    for (var body = top; body < end; body++) {
        let xfrc = xfrc_applied_spatial(body);
        let velocity = axis.lin + cross(axis.ang, xipos_vec3(body) - com);
        sum += dot(velocity, xfrc.ang) + dot(axis.ang, xfrc.lin);
    }
    return sum;
}
