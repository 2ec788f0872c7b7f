//! Cameras under the hands of a user: where they are in a world, and how a pointer moves them.

use glam::{DVec3, Mat3, Vec2, Vec3};

use crate::camera::{Camera, Frustum, Orbit};
use crate::vectors::{mat3, vec3};
use manyworlds::model::Model;
use manyworlds::model::data::Data;

/// What a movement of a pointer does to a free or tracking camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drag {
    /// Turns it.
    Rotate,
    /// Moves it in the plane of the picture.
    Pan,
    /// Moves it horizontally.
    PanHorizontal,
    /// Moves it closer or away.
    Zoom,
}

impl Camera {
    /// Position in a world, m, and axes: right, up and backward in columns.
    pub fn pose(&self, model: &Model, data: &Data) -> (Vec3, Mat3) {
        match *self {
            Self::Free(orbit) => (orbit.eye(), orbit.axes()),
            Self::Tracking(body, orbit) if body < model.sizes.nbody => {
                (orbit.eye() + vec3(&data.subtree_com, body), orbit.axes())
            }
            Self::Tracking(_, orbit) => (orbit.eye(), orbit.axes()),
            Self::Fixed(id) => (vec3(&data.cam_xpos, id), mat3(&data.cam_xmat, id)),
        }
    }

    /// Vertical field of view in degrees, and true if the projection is orthographic: the field is in m then.
    pub fn fovy(&self, model: &Model) -> (f32, bool) {
        match *self {
            Self::Free(orbit) | Self::Tracking(_, orbit) => {
                (model.vis_global_fovy[0] as f32, orbit.orthographic)
            }
            Self::Fixed(id) => (model.cam_fovy[id] as f32, model.cam_projection[id] != 0),
        }
    }

    /// What a height of the picture shows at the depth of a point, m.
    pub fn height_at(&self, model: &Model, data: &Data, point: DVec3) -> f64 {
        let (fovy, orthographic) = self.fovy(model);
        if orthographic {
            return f64::from(fovy);
        }
        let (eye, axes) = self.pose(model, data);
        let depth = (point - eye.as_dvec3()).dot(-axes.z_axis.as_dvec3());
        2.0 * depth.max(0.0) * f64::from(0.5 * fovy.to_radians()).tan()
    }

    /// A ray through a place of a picture of `aspect` = width / height, in widths and heights from its upper left corner: its
    /// start, and a direction that is 1 m long along the axis of the camera.
    pub fn ray(&self, model: &Model, data: &Data, aspect: f32, at: Vec2) -> (Vec3, Vec3) {
        let (eye, axes) = self.pose(model, data);
        let frustum = Frustum::of(self, model, aspect);
        let place = Vec2::new(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y);
        let (from, to) = (frustum.point(place, 0.0), frustum.point(place, 1.0));
        (eye + axes * from, axes * (to - from))
    }

    /// Moves a free or tracking camera by a movement of a pointer, in heights of the picture; one of the model stays.
    pub fn drag(&mut self, model: &Model, drag: Drag, moved: Vec2) {
        let (fovy, _) = self.fovy(model);
        let Some(orbit) = self.orbit_mut() else { return };
        match drag {
            Drag::Rotate => orbit.rotate(moved),
            Drag::Pan => orbit.pan(moved, fovy),
            Drag::PanHorizontal => orbit.pan_horizontal(moved, fovy),
            Drag::Zoom => orbit.zoom(8.0 * moved.y),
        }
    }

    /// The orbit of a free camera where this one is; of a camera of the model, that of [`Orbit::of`].
    pub fn to_orbit(&self, model: &Model, data: &Data) -> Orbit {
        match *self {
            Self::Free(orbit) => orbit,
            Self::Tracking(body, orbit) => {
                let com = if body < model.sizes.nbody { vec3(&data.subtree_com, body) } else { Vec3::ZERO };
                Orbit { lookat: orbit.lookat + com, ..orbit }
            }
            Self::Fixed(_) => Orbit::of(model),
        }
    }

    /// The camera after this one, or before it: a free one, then those of the model.
    #[must_use]
    pub fn next(&self, model: &Model, data: &Data, forwards: bool) -> Self {
        let count = model.sizes.ncam + 1;
        let place = match *self {
            Self::Fixed(id) => id + 1,
            _ => 0,
        };
        match (place + if forwards { 1 } else { count - 1 }) % count {
            0 => Self::Free(self.to_orbit(model, data)),
            id => Self::Fixed(id - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::cpu;
    use manyworlds::model::data::Capacity;

    /// A body before cameras of both projections.
    fn world() -> (Model, Data) {
        let text = "<mujoco><worldbody><camera name='side' pos='0 -2 1' xyaxes='1 0 0 0 0 1' fovy='60'/>\
            <camera name='flat' pos='0 -2 1' xyaxes='1 0 0 0 0 1' projection='orthographic' fovy='3'/>\
            <body pos='.3 .5 .2'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut data = Data::new(&model, Capacity::NONE);
        cpu::forward(&model, &mut data);
        (model, data)
    }

    fn cameras(model: &Model) -> [Camera; 4] {
        let orbit = Orbit { azimuth: 30.0, ..Orbit::of(model) };
        [Camera::Free(orbit), Camera::Tracking(1, orbit), Camera::Fixed(0), Camera::Fixed(1)]
    }

    /// Where a point is in a picture, in clip space.
    fn seen(camera: &Camera, model: &Model, data: &Data, point: Vec3) -> Vec3 {
        let (eye, axes) = camera.pose(model, data);
        let view = (glam::Mat4::from_translation(eye) * glam::Mat4::from_mat3(axes)).inverse();
        (Frustum::of(camera, model, 1.0).projection() * view).project_point3(point)
    }

    #[test]
    fn a_point_moves_with_the_pointer() {
        let (model, data) = world();
        let point = DVec3::new(0.3, 0.5, 0.2);
        for camera in cameras(&model) {
            let (_, axes) = camera.pose(&model, &data);
            // a tenth of the height upwards in the picture is a fifth of clip space
            let height = camera.height_at(&model, &data, point);
            let above = point + 0.1 * height * axes.y_axis.as_dvec3();
            let [before, after] = [point, above].map(|p| seen(&camera, &model, &data, p.as_vec3()));
            let moved = after - before;
            assert!((moved.y - 0.2).abs() < 1e-4 && moved.x.abs() < 1e-4, "{camera:?} {moved}");
        }
    }

    #[test]
    fn a_ray_goes_through_the_place_that_it_is_asked_for() {
        let (model, data) = world();
        for camera in cameras(&model) {
            let (from, along) = camera.ray(&model, &data, 1.0, Vec2::new(0.75, 0.4));
            let (_, axes) = camera.pose(&model, &data);
            assert!((along.dot(-axes.z_axis) - 1.0).abs() < 1e-5, "{camera:?} {along}");
            let there = seen(&camera, &model, &data, from + 3.0 * along);
            assert!((there.x - 0.5).abs() < 1e-4 && (there.y - 0.2).abs() < 1e-4, "{camera:?} {there}");
        }
    }

    #[test]
    fn cameras_follow_each_other_and_a_free_one_stays_where_the_tracking_one_was() {
        let (model, data) = world();
        let [_, tracking, side, flat] = cameras(&model);
        assert_eq!(tracking.next(&model, &data, true), side);
        assert_eq!(side.next(&model, &data, true), flat);
        assert_eq!(tracking.next(&model, &data, false), flat);
        assert_eq!(flat.next(&model, &data, true), Camera::Free(Orbit::of(&model)));
        let free = Camera::Free(tracking.to_orbit(&model, &data));
        let [a, b] = [&free, &tracking].map(|camera| camera.pose(&model, &data).0);
        assert!(a.abs_diff_eq(b, 1e-6), "{a} {b}");
    }
}
