//! Cameras as shaders read them: those of the model, and what views ask for.

use glam::{Mat3, Vec3};

use super::shadows::Square;
use crate::camera::Camera;
use crate::layouts::{AS_GIVEN, ModelCamera, OF_MODEL, TRACKING, ViewRequest};
use crate::vectors::vec3;
use crate::view::View;
use manyworlds::model::Model;
use manyworlds::schema::enums::camera;

/// Cameras of the model.
pub(super) fn model_cameras(m: &Model) -> Vec<ModelCamera> {
    (0..m.sizes.ncam).map(|c| model_camera(m, c)).collect()
}

/// A camera of the model.
fn model_camera(m: &Model, c: usize) -> ModelCamera {
    let com = m.cam_mode[c] == camera::TRACKCOM;
    // columns of a matrix in rows
    let axis = |k: usize| Vec3::from_array([0, 3, 6].map(|r| m.cam_mat0[9 * c + r + k] as f32));
    let [right0, up0, back0] = [0, 1, 2].map(|k| axis(k).extend(0.0).to_array());
    ModelCamera {
        pos: vec3(&m.cam_pos, c).extend(0.0).to_array(),
        quat: [1, 2, 3, 0].map(|k| m.cam_quat[4 * c + k] as f32),
        pos0: vec3(if com { &m.cam_poscom0 } else { &m.cam_pos0 }, c).extend(0.0).to_array(),
        right0,
        up0,
        back0,
        body: m.cam_bodyid[c] as u32,
        mode: m.cam_mode[c] as u32,
        aim: m.cam_targetbodyid[c],
        pad: 0,
    }
}

/// What the camera of a view is to be computed from, with the squares of its shadows in an atlas of a side.
pub(super) fn request(m: &Model, view: &View, squares: &[Square], atlas: f32) -> ViewRequest {
    let frustum = view.frustum(m);
    let (kind, id, eye, axes) = match view.camera {
        Camera::Free(orbit) => (AS_GIVEN, 0, orbit.eye(), orbit.axes()),
        Camera::Tracking(body, orbit) => (TRACKING, body as u32, orbit.eye(), orbit.axes()),
        Camera::Fixed(id) => (OF_MODEL, id as u32, Vec3::ZERO, Mat3::IDENTITY),
    };
    // half sizes at distance 1
    let scale = if frustum.orthographic { 1.0 } else { 1.0 / frustum.near };
    let (half, center) = (scale * frustum.half, scale * frustum.center);
    let mut request = ViewRequest {
        eye: eye.extend(frustum.near).to_array(),
        right: axes.x_axis.extend(frustum.far).to_array(),
        up: axes.y_axis.extend(f32::from(u8::from(frustum.orthographic))).to_array(),
        back: axes.z_axis.extend(0.0).to_array(),
        frustum: [half.x, half.y, center.x, center.y],
        world: view.subjects.first().map_or(0, |s| s.world as u32),
        kind,
        id,
        ..ViewRequest::default()
    };
    for (to, square) in request.places.iter_mut().zip(squares) {
        let of = |n: u32| n as f32 / atlas;
        *to = [of(square.x), of(square.y), of(square.side), of(square.side)];
    }
    request
}
