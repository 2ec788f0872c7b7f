// Composite-rigid-body algorithm: the joint-space inertia matrix. Twin: src/cpu/smooth/crb.rs.

import package::math::spatial::{dot6, Inertia, inertia_add, inertia_mul};
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
//#if TENDON
    sync();
    if (lane == 0u) {
        for (var ten = 0u; ten < ntendon; ten++) {
            add_tendon_armature(ten);
        }
    }
//#endif
}

// Inertia of a body plus its children's composite inertias.
fn composite_inertia(body: u32) {
    var sum = cinert_inertia(body);
    let adr = u32(body_childadr(body));
    let end = adr + u32(body_childnum(body));
    for (var k = adr; k < end; k++) {
        sum = inertia_add(sum, crb_inertia(u32(child_body(k))));
    }
    set_crb_inertia(body, sum);
}

// One row of the inertia matrix.
fn inertia_row(dof: u32) {
    let body = u32(dof_bodyid(dof));
    let momentum = inertia_mul(crb_inertia(body), cdof_spatial(dof));
    let adr = u32(M_rowadr(dof));
    let last = adr + u32(M_rownnz(dof)) - 1u;
    for (var k = adr; k < last; k++) {
        set_M(k, dot6(cdof_spatial(u32(M_colind(k))), momentum));
    }
    set_M(last, dot6(cdof_spatial(dof), momentum) + armature_of_dof(dof));
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
