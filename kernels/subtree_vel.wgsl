// Linear velocities and angular momenta of subtrees about their centres of mass. Twin: crates/cpu/src/smooth/subtree_vel.rs.

import package::runtime::group::{lane, sync};
import package::sensor::object_frames::motion_at;

// subtree_linvel and subtree_angmom, leaves to root.
fn subtree_vel() {
    for (var up = 0u; up < nlevel; up++) {
        sync();
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            subtree_momentum(u32(level_body(k)));
        }
    }
}

// Momenta of one subtree from those of its children.
fn subtree_momentum(body: u32) {
    let center = xipos_vec3(body);
    let vel = motion_at__cvel(body, center);
    let mass = body_mass(body);
    let adr = u32(body_childadr(body));
    let end = adr + u32(body_childnum(body));
    // linear momentum
    var momentum = mass * vel.lin;
    for (var k = adr; k < end; k++) {
        let child = u32(child_body(k));
        momentum += body_subtreemass(child) * subtree_linvel_vec3(child);
    }
    let linvel = momentum * (1.0 / max(body_subtreemass(body), MINVAL));
    // angular momentum of the body about its own centre of mass, then of all parts about the subtree's
    let axes = ximat_mat3(body);
    let com = subtree_com_vec3(body);
    var angmom = axes * (body_inertia_vec3(body) * (vel.ang * axes));
    angmom += mass * cross(center - com, vel.lin - linvel);
    for (var k = adr; k < end; k++) {
        let child = u32(child_body(k));
        let relative = subtree_linvel_vec3(child) - linvel;
        angmom += subtree_angmom_vec3(child);
        angmom += body_subtreemass(child) * cross(subtree_com_vec3(child) - com, relative);
    }
    set_subtree_linvel_vec3(body, linvel);
    set_subtree_angmom_vec3(body, angmom);
}
