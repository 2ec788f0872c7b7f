//! What a mouse does in the picture, and how far that is in the world.

use egui::{Modifiers, PointerButton};
use glam::{DVec3, Mat3, Vec3};
use manyworlds::analysis::perturb::Mode;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds_render::camera::Camera;

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drag {
    /// Turns the camera.
    Rotate,
    /// Moves the camera in the plane of the picture.
    Pan,
    /// Moves the camera horizontally.
    PanHorizontal,
    /// Moves the camera closer or away.
    Zoom,
    /// Pulls or turns the selected body, horizontally or about the view if `true`.
    Perturb(Mode, bool),
}

/// What a double click does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Click {
    /// Selects a body.
    Select,
    /// Looks at a point.
    LookAt,
    /// Follows a body.
    Track,
}

/// What a drag does, by its button and the held keys; `selected`: a body is selected.
pub(super) fn drag(button: PointerButton, held: Modifiers, selected: bool) -> Option<Drag> {
    let perturbs = selected && (held.ctrl || held.command);
    Some(match button {
        PointerButton::Primary if perturbs => Drag::Perturb(Mode::Rotate, held.shift),
        PointerButton::Secondary if perturbs => Drag::Perturb(Mode::Translate, held.shift),
        PointerButton::Primary => Drag::Rotate,
        PointerButton::Secondary if held.shift => Drag::PanHorizontal,
        PointerButton::Secondary => Drag::Pan,
        PointerButton::Middle => Drag::Zoom,
        _ => return None,
    })
}

/// What a double click does.
pub(super) fn click(button: PointerButton, held: Modifiers) -> Option<Click> {
    match button {
        PointerButton::Primary => Some(Click::Select),
        PointerButton::Secondary if held.ctrl || held.command => Some(Click::Track),
        PointerButton::Secondary => Some(Click::LookAt),
        _ => None,
    }
}

/// Position of a camera, and its axes: right, up and backward in columns.
pub(super) fn pose(camera: &Camera, model: &Model, data: &Data) -> (Vec3, Mat3) {
    let com = |body: usize| DVec3::from_slice(&data.subtree_com[3 * body..]).as_vec3();
    match *camera {
        Camera::Free(orbit) => (orbit.eye(), orbit.axes()),
        Camera::Tracking(body, orbit) if body < model.sizes.nbody => (orbit.eye() + com(body), orbit.axes()),
        Camera::Tracking(_, orbit) => (orbit.eye(), orbit.axes()),
        Camera::Fixed(id) => {
            let m: Vec<f32> = data.cam_xmat[9 * id..9 * id + 9].iter().map(|x| *x as f32).collect();
            let axes = Mat3::from_cols_slice(&m).transpose();
            (DVec3::from_slice(&data.cam_xpos[3 * id..]).as_vec3(), axes)
        }
    }
}

/// Vertical field of view of a camera in degrees, and true if its projection is orthographic: the field is in m then.
pub(super) fn fovy(camera: &Camera, model: &Model) -> (f32, bool) {
    match *camera {
        Camera::Free(orbit) | Camera::Tracking(_, orbit) => {
            (model.vis_global_fovy[0] as f32, orbit.orthographic)
        }
        Camera::Fixed(id) => (model.cam_fovy[id] as f32, model.cam_projection[id] != 0),
    }
}

/// What a height of the window shows at the depth of a point, m.
pub(super) fn height_at(camera: &Camera, model: &Model, data: &Data, point: DVec3) -> f64 {
    let (fovy, orthographic) = fovy(camera, model);
    if orthographic {
        return f64::from(fovy);
    }
    let (eye, axes) = pose(camera, model, data);
    let depth = (point - eye.as_dvec3()).dot(-axes.z_axis.as_dvec3());
    2.0 * depth.max(0.0) * f64::from(0.5 * fovy.to_radians()).tan()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::cpu;
    use manyworlds::model::data::Capacity;
    use manyworlds_render::camera::{Frustum, Orbit};

    #[test]
    fn buttons_and_keys_are_those_of_simulate() {
        let (none, ctrl, shift) = (Modifiers::NONE, Modifiers::CTRL, Modifiers::SHIFT);
        assert_eq!(drag(PointerButton::Primary, none, true), Some(Drag::Rotate));
        assert_eq!(drag(PointerButton::Secondary, shift, true), Some(Drag::PanHorizontal));
        assert_eq!(drag(PointerButton::Primary, ctrl, true), Some(Drag::Perturb(Mode::Rotate, false)));
        assert_eq!(
            drag(PointerButton::Secondary, ctrl | shift, true),
            Some(Drag::Perturb(Mode::Translate, true))
        );
        // without a selection control changes nothing
        assert_eq!(drag(PointerButton::Secondary, ctrl, false), Some(Drag::Pan));
        assert_eq!(drag(PointerButton::Middle, none, false), Some(Drag::Zoom));
        assert_eq!(click(PointerButton::Primary, none), Some(Click::Select));
        assert_eq!(click(PointerButton::Secondary, none), Some(Click::LookAt));
        assert_eq!(click(PointerButton::Secondary, ctrl), Some(Click::Track));
    }

    #[test]
    fn a_point_moves_with_the_pointer() {
        let text = "<mujoco><worldbody><camera name='side' pos='0 -2 1' xyaxes='1 0 0 0 0 1' fovy='60'/>\
            <camera name='flat' pos='0 -2 1' xyaxes='1 0 0 0 0 1' projection='orthographic' fovy='3'/>\
            <body pos='.3 .5 .2'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut data = Data::new(&model, Capacity::NONE);
        cpu::forward(&model, &mut data);
        let point = DVec3::new(0.3, 0.5, 0.2);
        let orbit = Orbit { azimuth: 30.0, ..Orbit::of(&model) };
        for camera in [Camera::Free(orbit), Camera::Tracking(1, orbit), Camera::Fixed(0), Camera::Fixed(1)] {
            let (eye, axes) = pose(&camera, &model, &data);
            let seen = |p: DVec3| {
                let view = (glam::Mat4::from_translation(eye) * glam::Mat4::from_mat3(axes)).inverse();
                (Frustum::of(&camera, &model, 1.0).projection() * view).project_point3(p.as_vec3())
            };
            // a tenth of the height upwards in the picture is a fifth of clip space
            let height = height_at(&camera, &model, &data, point);
            let moved = seen(point + 0.1 * height * axes.y_axis.as_dvec3()) - seen(point);
            assert!((moved.y - 0.2).abs() < 1e-4 && moved.x.abs() < 1e-4, "{camera:?} {moved}");
        }
    }
}
