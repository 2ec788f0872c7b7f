// Spatial velocities of bodies and rates of the motion axes, about the tree's centre of mass.
// Twin: crates/cpu/src/smooth/com_vel.rs.

import package::math::spatial::{motion_cross, spatial_add_scaled, spatial_zero};
import package::runtime::group::{lane, sync};

// cvel and cdof_dot of one world, root to leaves.
fn com_vel() {
    if (lane == 0u) {
        set_cvel_spatial(0u, spatial_zero());
    }
    for (var level = 1u; level < nlevel; level++) {
        sync();
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            body_velocity(u32(level_body(k)));
        }
    }
}

// Velocity of one body and the rates of its joints' motion axes.
fn body_velocity(body: u32) {
    var vel = cvel_spatial(u32(body_parentid(body)));
    let first = u32(max(body_jntadr(body), 0));
    let end = first + u32(body_jntnum(body));
    for (var jnt = first; jnt < end; jnt++) {
        var dof = u32(jnt_dofadr(jnt));
        let kind = jnt_type(jnt);
        // the translational axes of a free joint are global and do not rotate
//#if FREE
        if (kind == JOINT_FREE) {
            for (var i = dof; i < dof + 3u; i++) {
                set_cdof_dot_spatial(i, spatial_zero());
                vel = spatial_add_scaled(vel, cdof_spatial(i), qvel(i));
            }
            dof = dof + 3u;
        }
//#endif
        // all axes of a joint rotate with the frame that precedes it
        let count = select(1u, 3u, kind == JOINT_FREE || kind == JOINT_BALL);
        for (var i = dof; i < dof + count; i++) {
            set_cdof_dot_spatial(i, motion_cross(vel, cdof_spatial(i)));
        }
        for (var i = dof; i < dof + count; i++) {
            vel = spatial_add_scaled(vel, cdof_spatial(i), qvel(i));
        }
    }
    set_cvel_spatial(body, vel);
}
