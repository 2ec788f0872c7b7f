// Poses of cameras and lights: fixed to a body, tracking it, or targeting another body.
// Twin: crates/cpu/src/smooth/camlight.rs.

import package::math::quaternion::{quat_mul, quat_rotate, quat_to_mat};
import package::math::vector::normalize3;
import package::runtime::group::lane;

// Poses of all cameras, then of all lights.
fn camlight() {
    for (var cam = lane; cam < ncam; cam += lanes) {
        place_camera(cam);
    }
    for (var light = lane; light < nlight; light += lanes) {
        place_light(light);
    }
}

// Point at which a targeting camera or light is aimed.
fn target_point(mode: i32, body: u32) -> vec3f {
    if (mode == CAMERA_TARGETBODYCOM) {
        return subtree_com_vec3(body);
    }
    return xpos_vec3(body);
}

// Pose of one camera.
fn place_camera(cam: u32) {
    let mode = cam_mode(cam);
    let body = u32(cam_bodyid(cam));
    // tracking cameras keep their orientation at qpos0
    if (mode == CAMERA_TRACK || mode == CAMERA_TRACKCOM) {
        if (mode == CAMERA_TRACK) {
            set_cam_xpos_vec3(cam, xpos_vec3(body) + cam_pos0_vec3(cam));
        } else {
            set_cam_xpos_vec3(cam, subtree_com_vec3(body) + cam_poscom0_vec3(cam));
        }
        set_cam_xmat_mat3(cam, cam_mat0_mat3(cam));
        return;
    }
    let pos = xpos_vec3(body) + xmat_mat3(body) * cam_pos_vec3(cam);
    var mat = quat_to_mat(quat_mul(xquat_vec4(body), cam_quat_vec4(cam)));
    // the camera looks along its negative z axis; its x axis is horizontal
    let goal = cam_targetbodyid(cam);
    if ((mode == CAMERA_TARGETBODY || mode == CAMERA_TARGETBODYCOM) && goal >= 0) {
        let z = normalize3(pos - target_point(mode, u32(goal)));
        let x = normalize3(cross(vec3f(0.0, 0.0, 1.0), z));
        let y = normalize3(cross(z, x));
        mat = mat3x3f(x, y, z);
    }
    set_cam_xpos_vec3(cam, pos);
    set_cam_xmat_mat3(cam, mat);
}

// Pose of one light.
fn place_light(light: u32) {
    let mode = light_mode(light);
    let body = u32(light_bodyid(light));
    var pos = xpos_vec3(body) + xmat_mat3(body) * light_pos_vec3(light);
    var dir = quat_rotate(xquat_vec4(body), light_dir_vec3(light));
    let goal = light_targetbodyid(light);
    // tracking lights keep their direction at qpos0
    if (mode == CAMERA_TRACK) {
        pos = xpos_vec3(body) + light_pos0_vec3(light);
        dir = light_dir0_vec3(light);
    } else if (mode == CAMERA_TRACKCOM) {
        pos = subtree_com_vec3(body) + light_poscom0_vec3(light);
        dir = light_dir0_vec3(light);
    } else if ((mode == CAMERA_TARGETBODY || mode == CAMERA_TARGETBODYCOM) && goal >= 0) {
        dir = target_point(mode, u32(goal)) - pos;
    }
    set_light_xpos_vec3(light, pos);
    set_light_xdir_vec3(light, normalize3(dir));
}
