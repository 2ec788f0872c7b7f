//! Poses of cameras and lights: fixed to a body, tracking it, or targeting another body.

use crate::math::{
    Mat3, Vec3, cross, mat3, normalize3, quat, quat_mul, quat_rotate, quat_to_mat, set_mat3, set_vec3,
    transpose, vec3,
};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::camera;

/// Poses of all cameras and lights.
pub fn camlight<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for cam in 0..m.sizes.ncam {
        place_camera(m, d, cam);
    }
    for light in 0..m.sizes.nlight {
        place_light(m, d, light);
    }
}

/// Point at which a targeting camera or light is aimed.
fn target_point<T: Real>(d: &Data<T>, mode: i32, target: usize) -> Vec3<T> {
    if mode == camera::TARGETBODYCOM { vec3(&d.subtree_com, target) } else { vec3(&d.xpos, target) }
}

/// Pose of one camera.
fn place_camera<T: Real>(m: &Model<T>, d: &mut Data<T>, cam: usize) {
    let mode = m.cam_mode[cam];
    let body = m.cam_bodyid[cam] as usize;
    // tracking cameras keep their orientation at `qpos0`
    if mode == camera::TRACK || mode == camera::TRACKCOM {
        let pos = if mode == camera::TRACK {
            vec3(&d.xpos, body) + vec3(&m.cam_pos0, cam)
        } else {
            vec3(&d.subtree_com, body) + vec3(&m.cam_poscom0, cam)
        };
        set_vec3(&mut d.cam_xpos, cam, pos);
        set_mat3(&mut d.cam_xmat, cam, mat3(&m.cam_mat0, cam));
        return;
    }
    let local = mat3(&d.xmat, body) * vec3(&m.cam_pos, cam);
    let pos = vec3(&d.xpos, body) + local;
    let mut mat = quat_to_mat(quat_mul(quat(&d.xquat, body), quat(&m.cam_quat, cam)));
    // the camera looks along its negative z axis; its x axis is horizontal
    let target = m.cam_targetbodyid[cam];
    if (mode == camera::TARGETBODY || mode == camera::TARGETBODYCOM) && target >= 0 {
        let z = normalize3(pos - target_point(d, mode, target as usize));
        let x = normalize3(cross(Vec3::Z, z));
        let y = normalize3(cross(z, x));
        mat = transpose(Mat3::from_rows(x, y, z));
    }
    set_vec3(&mut d.cam_xpos, cam, pos);
    set_mat3(&mut d.cam_xmat, cam, mat);
}

/// Pose of one light.
fn place_light<T: Real>(m: &Model<T>, d: &mut Data<T>, light: usize) {
    let mode = m.light_mode[light];
    let body = m.light_bodyid[light] as usize;
    // tracking lights keep their direction at `qpos0`
    let (pos, dir) = if mode == camera::TRACK {
        let pos = vec3(&d.xpos, body) + vec3(&m.light_pos0, light);
        (pos, vec3(&m.light_dir0, light))
    } else if mode == camera::TRACKCOM {
        let pos = vec3(&d.subtree_com, body) + vec3(&m.light_poscom0, light);
        (pos, vec3(&m.light_dir0, light))
    } else {
        let local = mat3(&d.xmat, body) * vec3(&m.light_pos, light);
        let pos = vec3(&d.xpos, body) + local;
        let target = m.light_targetbodyid[light];
        if (mode == camera::TARGETBODY || mode == camera::TARGETBODYCOM) && target >= 0 {
            (pos, target_point(d, mode, target as usize) - pos)
        } else {
            (pos, quat_rotate(quat(&d.xquat, body), vec3(&m.light_dir, light)))
        }
    };
    set_vec3(&mut d.light_xpos, light, pos);
    set_vec3(&mut d.light_xdir, light, normalize3(dir));
}
