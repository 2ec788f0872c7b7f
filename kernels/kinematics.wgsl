// Poses of bodies, joints, geoms and sites from the position coordinates. Twin: crates/cpu/src/smooth/kinematics.rs.

import package::math::quaternion::{axis_angle_quat, quat_at, quat_mul, quat_normalize, quat_rotate, quat_to_mat};
import package::math::vector::vec3_at;
import package::runtime::group::{lane, sync};

// Forward kinematics of one world, root to leaves.
fn kinematics() {
    if (lane == 0u) {
        place_world();
    }
    for (var level = 1u; level < nlevel; level++) {
        sync();
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            place_body(u32(level_body(k)));
        }
    }
    sync();
    for (var body = lane; body < nbody; body += lanes) {
        place_inertia(body);
    }
    for (var geom = lane; geom < ngeom; geom += lanes) {
        place_geom(geom);
    }
    for (var site = lane; site < nsite; site += lanes) {
        place_site(site);
    }
}

// Sets the world's frame to the identity.
fn place_world() {
    let quat = vec4f(1.0, 0.0, 0.0, 0.0);
    set_xpos_vec3(0u, vec3f(0.0));
    set_xquat_vec4(0u, quat);
    set_xmat_mat3(0u, quat_to_mat(quat));
}

struct Pose {
    pos: vec3f,
    quat: vec4f,
}

// Pose of one body from its parent's, and of its joints.
fn place_body(body: u32) {
    let first = body_jntadr(body);
    var pose: Pose;
    if (first >= 0 && jnt_type(u32(first)) == JOINT_FREE) {
        pose = place_free(u32(first));
    } else {
        pose = place_jointed(body);
    }
    let quat = quat_normalize(pose.quat);
    set_xpos_vec3(body, pose.pos);
    set_xquat_vec4(body, quat);
    set_xmat_mat3(body, quat_to_mat(quat));
}

// Pose of a body on a free joint: its coordinates are the pose.
fn place_free(jnt: u32) -> Pose {
    let adr = u32(jnt_qposadr(jnt));
    let pos = vec3_at__qpos(adr);
    set_xanchor_vec3(jnt, pos);
    set_xaxis_vec3(jnt, jnt_axis_vec3(jnt));
    return Pose(pos, quat_normalize(quat_at__qpos(adr + 3u)));
}

// Pose of a fixed or mocap body, or of one on ball, slide and hinge joints.
fn place_jointed(body: u32) -> Pose {
    let parent = u32(body_parentid(body));
    // frame before the joints act
    var local = Pose(body_pos_vec3(body), body_quat_vec4(body));
//#if MOCAP
    let mocap = body_mocapid(body);
    if (mocap >= 0) {
        local = Pose(mocap_pos_vec3(u32(mocap)), quat_normalize(mocap_quat_vec4(u32(mocap))));
    }
//#endif
    var pose = Pose(
        xpos_vec3(parent) + xmat_mat3(parent) * local.pos,
        quat_mul(xquat_vec4(parent), local.quat),
    );
    // the joints in order
    let first = u32(max(body_jntadr(body), 0));
    let end = first + u32(body_jntnum(body));
    for (var jnt = first; jnt < end; jnt++) {
        pose = apply_joint(jnt, pose);
    }
    return pose;
}

// Frame after one joint has acted on it; writes the joint's anchor and axis.
fn apply_joint(jnt: u32, pose: Pose) -> Pose {
    let adr = u32(jnt_qposadr(jnt));
    let local = jnt_pos_vec3(jnt);
    let local_axis = jnt_axis_vec3(jnt);
    let anchor = pose.pos + quat_rotate(pose.quat, local);
    let axis = quat_rotate(pose.quat, local_axis);
    set_xanchor_vec3(jnt, anchor);
    set_xaxis_vec3(jnt, axis);
    let kind = jnt_type(jnt);
//#if SLIDE
    if (kind == JOINT_SLIDE) {
        return Pose(pose.pos + axis * (qpos(adr) - qpos0(adr)), pose.quat);
    }
//#endif
    // rotation about the anchor
    var turn = vec4f(1.0, 0.0, 0.0, 0.0);
//#if BALL
    if (kind == JOINT_BALL) {
        turn = quat_normalize(quat_at__qpos(adr));
    }
//#endif
//#if HINGE
    if (kind == JOINT_HINGE) {
        turn = axis_angle_quat(local_axis, qpos(adr) - qpos0(adr));
    }
//#endif
    let quat = quat_mul(pose.quat, turn);
    return Pose(anchor - quat_rotate(quat, local), quat);
}

// Centre of mass and principal axes of one body.
fn place_inertia(body: u32) {
    let pos = xmat_mat3(body) * body_ipos_vec3(body);
    let quat = quat_mul(xquat_vec4(body), body_iquat_vec4(body));
    set_xipos_vec3(body, xpos_vec3(body) + pos);
    set_ximat_mat3(body, quat_to_mat(quat));
}

// Pose of one geom.
fn place_geom(geom: u32) {
    let body = u32(geom_bodyid(geom));
    let pos = xmat_mat3(body) * geom_pos_vec3(geom);
    let quat = quat_mul(xquat_vec4(body), geom_quat_vec4(geom));
    set_geom_xpos_vec3(geom, xpos_vec3(body) + pos);
    set_geom_xmat_mat3(geom, quat_to_mat(quat));
}

// Pose of one site.
fn place_site(site: u32) {
    let body = u32(site_bodyid(site));
    let pos = xmat_mat3(body) * site_pos_vec3(site);
    let quat = quat_mul(xquat_vec4(body), site_quat_vec4(site));
    set_site_xpos_vec3(site, xpos_vec3(body) + pos);
    set_site_xmat_mat3(site, quat_to_mat(quat));
}
