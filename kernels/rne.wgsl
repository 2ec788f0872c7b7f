// Bias force by the recursive Newton-Euler algorithm. Twin: crates/cpu/src/smooth/rne.rs.

import package::math::spatial::{dot6, force_cross, inertia_mul, Spatial, spatial_add, spatial_add_scaled};
import package::runtime::group::{lane, sync};
import package::runtime::options::gravity;
import package::smooth::reflected_inertia::armature_of_tendon;
import package::smooth::tendon_path::{for_each_segment, segment_length_acceleration, StraightSegment};

// qfrc_bias: Coriolis, centrifugal and gravitational forces.
fn rne() {
    // accelerations at zero joint acceleration, root to leaves
    if (lane == 0u) {
        set_bias_cacc_spatial(0u, Spatial(vec3f(0.0), -gravity()));
    }
    for (var level = 1u; level < nlevel; level++) {
        sync();
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            body_acceleration(u32(level_body(k)));
        }
    }
    // forces, leaves to root
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
        set_qfrc_bias(dof, dot6(cdof_spatial(dof), bias_cfrc_spatial(u32(dof_bodyid(dof)))));
    }
//#if TENDON_ARMATURE
    sync();
    if (lane == 0u) {
        for (var ten = 0u; ten < ntendon; ten++) {
            add_tendon_bias(ten);
        }
    }
//#endif
}

// Adds the bias force of one spatial tendon's armature, which arises as the path changes direction.
fn add_tendon_bias(ten: u32) {
    let armature = armature_of_tendon(ten);
    if (armature == 0.0 || wrap_type(u32(tendon_adr(ten))) == WRAP_JOINT) {
        return;
    }
    bias_length_acceleration = 0.0;
    for_each_segment__bias(ten);
    let adr = u32(ten_J_rowadr(ten));
    let end = adr + u32(ten_J_rownnz(ten));
    for (var k = adr; k < end; k++) {
        let dof = u32(ten_J_colind(k));
        set_qfrc_bias(dof, qfrc_bias(dof) + ten_J(k) * (armature * bias_length_acceleration));
    }
}

// Second time derivative of the current tendon's length at zero joint acceleration.
var<private> bias_length_acceleration: f32;

// Straight segment: adds its length acceleration.
fn bias_straight(ten: u32, segment: StraightSegment) {
    bias_length_acceleration += segment_length_acceleration__bias_cacc(segment);
}

// Arc on a geom: contributes nothing.
fn bias_arc(ten: u32, length: f32) {
}

// Acceleration of one body at zero joint acceleration.
fn body_acceleration(body: u32) {
    var acc = bias_cacc_spatial(u32(body_parentid(body)));
    let first = u32(max(body_dofadr(body), 0));
    let end = first + u32(body_dofnum(body));
    for (var dof = first; dof < end; dof++) {
        acc = spatial_add_scaled(acc, cdof_dot_spatial(dof), qvel(dof));
    }
    set_bias_cacc_spatial(body, acc);
}

// Force on one body plus its children's subtrees; the world has no inertia of its own.
fn body_force(body: u32) {
    let inertia = cinert_inertia(body);
    let vel = cvel_spatial(body);
    let momentum = inertia_mul(inertia, vel);
    var total = inertia_mul(inertia, bias_cacc_spatial(body));
    total = spatial_add(total, force_cross(vel, momentum));
    let adr = u32(body_childadr(body));
    let end = adr + u32(body_childnum(body));
    for (var k = adr; k < end; k++) {
        total = spatial_add(total, bias_cfrc_spatial(u32(child_body(k))));
    }
    set_bias_cfrc_spatial(body, total);
}
