// Applied wrenches on bodies. Twin: crates/cpu/src/smooth/applied_force.rs.

// True if a vector is non-zero, by its bits: a comparison may call NaN equal to zero, and a NaN force must be
// noticed.
fn is_set(v: vec3f) -> bool {
    return any((bitcast<vec3u>(v) & vec3u(0x7fffffffu)) != vec3u(0u));
}

// Joint-space force of the wrenches applied to all bodies that a degree of freedom moves. Rows of xfrc_applied store
// the force first, then the torque.
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

// One past the last body of a subtree: bodies are numbered depth first.
fn subtree_end(top: u32) -> u32 {
    var end = top + 1u;
    while (end < nbody && u32(body_parentid(end)) >= top) {
        end++;
    }
    return end;
}
