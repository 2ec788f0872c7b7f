// Composite-rigid-body algorithm: the joint-space inertia matrix. Twin: crates/cpu/src/smooth/crb.rs.

import package::math::spatial::{dot6, Inertia, inertia_about, inertia_add, inertia_moved, inertia_mul, Spatial};
import package::runtime::group::{lane, sync};
import package::smooth::reflected_inertia::{armature_of_dof, armature_of_tendon};

// Composite inertias, the sparse matrix M and the armature of tendons.
fn crb() {
    // composite inertias, leaves first; the world has none
    if (lane == 0u) {
        set_crb_inertia(0u, Inertia(vec3f(0.0), vec3f(0.0), vec3f(0.0), 0.0));
    }
    for (var up = 0u; up + 1u < nlevel; up++) {
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            composite_inertia(u32(level_body(k)));
        }
        sync();
    }
    for (var dof = lane; dof < nv; dof += lanes) {
        inertia_row(dof);
    }
    sync();
    // composite inertias as they are kept: about the tree's centre of mass
    for (var body = 1u + lane; body < nbody; body += lanes) {
        set_crb_inertia(body, inertia_moved(crb_inertia(body), from_root(body)));
    }
//#if TENDON
    sync();
    if (lane == 0u) {
        for (var ten = 0u; ten < ntendon; ten++) {
            add_tendon_armature(ten);
        }
    }
//#endif
}

// Inertia of a body and its children's subtrees about their common centre of mass: about that of the whole tree, the
// inertia of a small part far from it would be lost in rounding.
fn composite_inertia(body: u32) {
    let center = subtree_com_vec3(body);
    let own = xipos_vec3(body) - center;
    var sum = inertia_about(body_inertia_vec3(body), ximat_mat3(body), own, body_mass(body));
    let adr = u32(body_childadr(body));
    let end = adr + u32(body_childnum(body));
    for (var k = adr; k < end; k++) {
        let child = u32(child_body(k));
        sum = inertia_add(sum, inertia_moved(crb_inertia(child), subtree_com_vec3(child) - center));
    }
    sum.moment = vec3f(0.0);
    set_crb_inertia(body, sum);
}

// Centre of mass of a subtree, from that of its tree.
fn from_root(body: u32) -> vec3f {
    return subtree_com_vec3(body) - subtree_com_vec3(u32(body_rootid(body)));
}

// A motion axis, seen from a point.
fn axis_at(dof: u32, point: vec3f) -> Spatial {
    let v = cdof_spatial(dof);
    return Spatial(v.ang, v.lin + cross(v.ang, point));
}

// One row of the inertia matrix; motion axes are seen from the centre of mass of the subtree that moves.
fn inertia_row(dof: u32) {
    let body = u32(dof_bodyid(dof));
    let center = from_root(body);
    let momentum = inertia_mul(crb_inertia(body), axis_at(dof, center));
    let adr = u32(M_rowadr(dof));
    let last = adr + u32(M_rownnz(dof)) - 1u;
    for (var k = adr; k < last; k++) {
        set_M(k, dot6(axis_at(u32(M_colind(k)), center), momentum));
    }
    set_M(last, dot6(axis_at(dof, center), momentum) + armature_of_dof(dof));
}

// Adds a tendon's armature to the entries of M that exist.
fn add_tendon_armature(ten: u32) {
    let armature = armature_of_tendon(ten);
    if (armature == 0.0) {
        return;
    }
    let adr = u32(ten_J_rowadr(ten));
    let end = adr + u32(ten_J_rownnz(ten));
    for (var a = adr; a < end; a++) {
        let row = u32(ten_J_colind(a));
        let first = u32(M_rowadr(row));
        for (var k = first; k < first + u32(M_rownnz(row)); k++) {
            for (var b = adr; b < end; b++) {
                if (ten_J_colind(b) == M_colind(k)) {
                    set_M(k, M(k) + armature * ten_J(a) * ten_J(b));
                }
            }
        }
    }
}
