// Forces of laws on degrees of freedom, and their states. Twin: crates/cpu/src/actuation/laws.rs.

import package::math::vector::vec3_at;
import package::runtime::group::lane;

// Force on degrees of freedom that follow each other.
fn law_force_on_dofs(dof: u32, first: u32, count: u32, adr: u32) -> f32 {
    if (dof < first || dof >= first + count) {
        return 0.0;
    }
    return law_force(adr + dof - first);
}

// Force along a tendon on a degree of freedom.
fn law_force_along_tendon(dof: u32, ten: u32, adr: u32) -> f32 {
    let first = u32(ten_J_rowadr(ten));
    let end = first + u32(ten_J_rownnz(ten));
    var sum = 0.0;
    for (var k = first; k < end; k++) {
        if (u32(ten_J_colind(k)) == dof) {
            sum += ten_J(k) * law_force(adr);
        }
    }
    return sum;
}

// Force and torque at a point of a body on a degree of freedom.
fn law_force_at(dof: u32, body: u32, point: vec3f, adr: u32) -> f32 {
    // the body, or one above it, is moved
    let top = u32(dof_bodyid(dof));
    var moved = body;
    while (moved > top) {
        moved = u32(body_parentid(moved));
    }
    if (moved != top) {
        return 0.0;
    }
    let axis = cdof_spatial(dof);
    let com = subtree_com_vec3(u32(body_rootid(top)));
    let velocity = axis.lin + cross(axis.ang, point - com);
    return dot(velocity, vec3_at__law_force(adr)) + dot(axis.ang, vec3_at__law_force(adr + 3u));
}

// States of laws one time step later, at the rates R: they follow the activations of actuators.
fn advance_states__R() {
    let h = opt_timestep(0u);
    for (var i = first_state + lane; i < na; i += lanes) {
        set_act(i, act(i) + h * R(i));
    }
}
