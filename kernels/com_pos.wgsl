// Subtree centres of mass; body inertias and motion axes about the centre of mass of their kinematic tree.
// Twin: crates/cpu/src/smooth/com_pos.rs.

import package::math::spatial::{Inertia, inertia_about, Spatial};
import package::runtime::group::{lane, sync};

// subtree_com, cinert and cdof of one world.
fn com_pos() {
    // first moments of mass, leaves first
    for (var up = 0u; up < nlevel; up++) {
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            sum_subtree(u32(level_body(k)));
        }
        sync();
    }
    // division by the subtree mass
    for (var body = lane; body < nbody; body += lanes) {
        let mass = body_subtreemass(body);
        if (mass < MINVAL) {
            set_subtree_com_vec3(body, xipos_vec3(body));
        } else {
            set_subtree_com_vec3(body, subtree_com_vec3(body) * (1.0 / mass));
        }
    }
    sync();
    for (var body = lane; body < nbody; body += lanes) {
        place_body_inertia(body);
    }
    for (var jnt = lane; jnt < njnt; jnt += lanes) {
        joint_cdof(jnt);
    }
}

// First moment of mass of a body plus its children's subtrees.
fn sum_subtree(body: u32) {
    var sum = xipos_vec3(body) * body_mass(body);
    let adr = u32(body_childadr(body));
    let end = adr + u32(body_childnum(body));
    for (var k = adr; k < end; k++) {
        sum = sum + subtree_com_vec3(u32(child_body(k)));
    }
    set_subtree_com_vec3(body, sum);
}

// Spatial inertia of one body about its tree's centre of mass; zero for the world.
fn place_body_inertia(body: u32) {
    if (body == 0u) {
        set_cinert_inertia(0u, Inertia(vec3f(0.0), vec3f(0.0), vec3f(0.0), 0.0));
        return;
    }
    let root = u32(body_rootid(body));
    let offset = xipos_vec3(body) - subtree_com_vec3(root);
    set_cinert_inertia(body, inertia_about(body_inertia_vec3(body), ximat_mat3(body), offset, body_mass(body)));
}

// Motion axes of one joint's degrees of freedom about its tree's centre of mass.
fn joint_cdof(jnt: u32) {
    let body = u32(jnt_bodyid(jnt));
    var dof = u32(jnt_dofadr(jnt));
    let root = u32(body_rootid(body));
    let offset = subtree_com_vec3(root) - xanchor_vec3(jnt);
    let kind = jnt_type(jnt);
    let axis = xaxis_vec3(jnt);
//#if SLIDE
    if (kind == JOINT_SLIDE) {
        set_cdof_spatial(dof, Spatial(vec3f(0.0), axis));
        return;
    }
//#endif
//#if HINGE
    if (kind == JOINT_HINGE) {
        set_cdof_spatial(dof, rotational_cdof(axis, offset));
        return;
    }
//#endif
    // a free joint translates along the global axes
//#if FREE
    if (kind == JOINT_FREE) {
        set_cdof_spatial(dof, Spatial(vec3f(0.0), vec3f(1.0, 0.0, 0.0)));
        set_cdof_spatial(dof + 1u, Spatial(vec3f(0.0), vec3f(0.0, 1.0, 0.0)));
        set_cdof_spatial(dof + 2u, Spatial(vec3f(0.0), vec3f(0.0, 0.0, 1.0)));
        dof = dof + 3u;
    }
//#endif
    // free and ball joints rotate about the body's axes
    let mat = xmat_mat3(body);
    set_cdof_spatial(dof, rotational_cdof(mat[0], offset));
    set_cdof_spatial(dof + 1u, rotational_cdof(mat[1], offset));
    set_cdof_spatial(dof + 2u, rotational_cdof(mat[2], offset));
}

// Spatial motion of unit rotation about an axis, seen from a point at `offset` from it.
fn rotational_cdof(axis: vec3f, offset: vec3f) -> Spatial {
    return Spatial(axis, cross(axis, offset));
}
