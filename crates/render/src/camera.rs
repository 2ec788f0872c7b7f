//! Cameras: of the model, free, or tracking a body; the matrices of each, and how a mouse moves a free one.

use glam::{Mat3, Mat4, Vec2, Vec3};

use super::vectors::vec3;
use manyworlds::error::{Error, Result, suggest};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds::schema::enums::joint;

/// A camera that orbits a point (`mjvCamera`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Point to look at, m; of a tracking camera, relative to the centre of mass of what it tracks.
    pub lookat: Vec3,
    /// Distance to that point, m.
    pub distance: f32,
    /// Direction of view around the vertical, degrees: 0 looks along x, 90 along y.
    pub azimuth: f32,
    /// Direction of view above the horizon, degrees: -90 looks down.
    pub elevation: f32,
    /// Orthographic instead of perspective projection.
    pub orthographic: bool,
}

impl Orbit {
    /// The initial free camera of a model (`mjv_defaultFreeCamera`).
    pub fn of(model: &Model) -> Self {
        Self {
            lookat: vec3(&model.stat_center, 0),
            distance: 1.5 * model.stat_extent[0] as f32,
            azimuth: model.vis_global_azimuth[0] as f32,
            elevation: model.vis_global_elevation[0] as f32,
            orthographic: model.vis_global_orthographic[0] != 0,
        }
    }

    /// Unit vector of the direction of view.
    pub fn forward(&self) -> Vec3 {
        let (a, e) = (self.azimuth.to_radians(), self.elevation.to_radians());
        Vec3::new(e.cos() * a.cos(), e.cos() * a.sin(), e.sin())
    }

    /// Unit vector upwards in the picture.
    pub fn up(&self) -> Vec3 {
        let (a, e) = (self.azimuth.to_radians(), self.elevation.to_radians());
        Vec3::new(-e.sin() * a.cos(), -e.sin() * a.sin(), e.cos())
    }

    /// Unit vector to the right in the picture.
    pub fn right(&self) -> Vec3 {
        self.forward().cross(self.up())
    }

    /// Position, m.
    pub fn eye(&self) -> Vec3 {
        self.lookat - self.distance * self.forward()
    }

    /// Orientation: columns are the right, up and backward directions of the picture, as in `cam_xmat`.
    pub fn axes(&self) -> Mat3 {
        Mat3::from_cols(self.right(), self.up(), -self.forward())
    }

    /// Turns the camera by a movement of the mouse, in heights of the window; a height is half a turn.
    pub fn rotate(&mut self, moved: Vec2) {
        self.azimuth = (self.azimuth - 180.0 * moved.x + 180.0).rem_euclid(360.0) - 180.0;
        self.elevation = (self.elevation - 180.0 * moved.y).clamp(-90.0, 90.0);
    }

    /// Moves the point to look at with the mouse, in heights of the window: what is there stays below the pointer.
    pub fn pan(&mut self, moved: Vec2, fovy: f32) {
        let height =
            if self.orthographic { fovy } else { 2.0 * self.distance * (0.5 * fovy.to_radians()).tan() };
        self.lookat += height * (moved.y * self.up() - moved.x * self.right());
    }

    /// Moves the point to look at horizontally: forward with the mouse upwards.
    pub fn pan_horizontal(&mut self, moved: Vec2, fovy: f32) {
        let (a, scale) = (self.azimuth.to_radians(), 2.0 * self.distance * (0.5 * fovy.to_radians()).tan());
        let forward = Vec3::new(a.cos(), a.sin(), 0.0);
        self.lookat += scale * (moved.y * forward - moved.x * self.right());
    }

    /// Moves closer (positive) or away, in notches of a wheel; an eighth of the distance each.
    pub fn zoom(&mut self, notches: f32) {
        self.distance = (self.distance * (-0.125 * notches).exp()).clamp(1e-4, 1e6);
    }
}

/// What a picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// Orbits a point of the world.
    Free(Orbit),
    /// Orbits the centre of mass of the subtree of a body, and follows it.
    Tracking(usize, Orbit),
    /// A camera of the model, by its id.
    Fixed(usize),
}

impl Camera {
    /// The camera that a model names first: that of `visual/global/cameraid`, else a free one.
    pub fn initial(model: &Model) -> Self {
        match usize::try_from(model.vis_global_cameraid[0]) {
            Ok(id) if id < model.sizes.ncam => Self::Fixed(id),
            _ => Self::Free(Orbit::of(model)),
        }
    }

    /// A camera that follows a body, at the distance of the free camera.
    ///
    /// # Errors
    /// [`Error::Argument`] if the model has no such body.
    pub fn tracking(model: &Model, body: usize) -> Result<Self> {
        if body >= model.sizes.nbody {
            let text = format!("there is no body {body}: the model has {}, from 0", model.sizes.nbody);
            return Err(Error::Argument(text));
        }
        Ok(Self::Tracking(body, Orbit { lookat: Vec3::ZERO, ..Orbit::of(model) }))
    }

    /// A camera by a word: `free`; `track`, which follows the first body that moves, or `track:BODY`; else a camera of the
    /// model by name or number. A camera of the model with one of these names comes first.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown camera or body, with the nearest name.
    pub fn parse(word: &str, model: &Model) -> Result<Self> {
        let names = model.names.of(Kind::Camera);
        if let Some(id) = names.iter().position(|n| n == word && !n.is_empty()) {
            return Ok(Self::Fixed(id));
        }
        if word == "free" {
            return Ok(Self::Free(Orbit::of(model)));
        }
        if word == "track" {
            return Self::tracking(model, Self::mover(model));
        }
        if let Some(body) = word.strip_prefix("track:") {
            let id = body.parse().ok().map_or_else(|| model.id(Kind::Body, body), Ok)?;
            return Self::tracking(model, id);
        }
        if let Some(id) = word.parse().ok().filter(|&id: &usize| id < model.sizes.ncam) {
            return Ok(Self::Fixed(id));
        }
        let known = names.iter().map(String::as_str).filter(|n| !n.is_empty()).chain(["free", "track"]);
        let (near, ncam) = (suggest(word, known), model.sizes.ncam);
        let text = format!("there is no camera '{word}': the model has {ncam}{near}");
        Err(Error::Argument(format!("{text}; give a name, a number, free, track or track:BODY")))
    }

    /// The first body that moves freely, else the first that moves at all, else the world.
    fn mover(model: &Model) -> usize {
        let free = (0..model.sizes.njnt).find(|&j| model.jnt_type[j] == joint::FREE);
        free.or((model.sizes.njnt > 0).then_some(0)).map_or(0, |j| model.jnt_bodyid[j] as usize)
    }

    /// The orbit of a free or tracking camera.
    pub fn orbit_mut(&mut self) -> Option<&mut Orbit> {
        match self {
            Self::Free(orbit) | Self::Tracking(_, orbit) => Some(orbit),
            Self::Fixed(_) => None,
        }
    }
}

/// Shape of what a camera sees, in its own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// Half the height and the width of the near plane, m, and the offset of its centre.
    pub half: Vec2,
    /// Centre of the near plane, m.
    pub center: Vec2,
    /// Distance of the near plane, m.
    pub near: f32,
    /// Distance of the far plane, m.
    pub far: f32,
    /// Orthographic projection.
    pub orthographic: bool,
}

impl Frustum {
    /// What a camera of a model sees in a picture of `aspect` = width / height.
    pub fn of(camera: &Camera, model: &Model, aspect: f32) -> Self {
        let extent = model.stat_extent[0] as f32;
        let (near, far) = (model.vis_map_znear[0] as f32 * extent, model.vis_map_zfar[0] as f32 * extent);
        let mut frustum = Self { half: Vec2::ZERO, center: Vec2::ZERO, near, far, orthographic: false };
        let fovy = match *camera {
            Camera::Free(orbit) | Camera::Tracking(_, orbit) => {
                frustum.orthographic = orbit.orthographic;
                model.vis_global_fovy[0] as f32
            }
            Camera::Fixed(id) => {
                frustum.orthographic = model.cam_projection[id] != 0;
                let size = [0, 1].map(|k| model.cam_sensorsize[2 * id + k] as f32);
                if !frustum.orthographic && size[0] > 0.0 && size[1] > 0.0 {
                    // a sensor of a size behind a lens; the axis meets it left of and above its centre by the principal point
                    let [fx, fy, cx, cy] = [0, 1, 2, 3].map(|k| model.cam_intrinsic[4 * id + k] as f32);
                    frustum.half = 0.5 * near * Vec2::new(size[0] / fx, size[1] / fy);
                    frustum.center = near * Vec2::new(cx / fx, -cy / fy);
                    return frustum;
                }
                model.cam_fovy[id] as f32
            }
        };
        let half = if frustum.orthographic { 0.5 * fovy } else { near * (0.5 * fovy.to_radians()).tan() };
        frustum.half = Vec2::new(half * aspect, half);
        frustum
    }

    /// Distance along the axis of the camera, m, of a depth in clip space; infinite where nothing was drawn.
    pub fn distance(&self, depth: f32) -> f32 {
        let (n, f) = (self.near, self.far);
        match depth {
            d if d <= 0.0 => f32::INFINITY,
            d if self.orthographic => f - d * (f - n),
            d => f * n / (d * (f - n) + n),
        }
    }

    /// The point at a place of the picture, x and y in [-1, 1], and a distance along the axis of the camera, m; in the axes
    /// of the camera.
    pub fn point(&self, place: Vec2, distance: f32) -> Vec3 {
        let plane = self.center + place * self.half;
        let plane = if self.orthographic { plane } else { plane * (distance / self.near) };
        plane.extend(-distance)
    }

    /// Projection to clip space: x and y in [-1, 1], depth 1 at the near plane and 0 at the far one, where floating-point
    /// numbers are finest where they have to be.
    pub fn projection(&self) -> Mat4 {
        let (low, high) = (self.center - self.half, self.center + self.half);
        let (n, f) = (self.near, self.far);
        if self.orthographic {
            let (size, sum) = (high - low, high + low);
            return Mat4::from_cols_array(&[
                2.0 / size.x,
                0.0,
                0.0,
                0.0,
                0.0,
                2.0 / size.y,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0 / (f - n),
                0.0,
                -sum.x / size.x,
                -sum.y / size.y,
                f / (f - n),
                1.0,
            ]);
        }
        Mat4::from_cols_array(&[
            2.0 * n / (high.x - low.x),
            0.0,
            0.0,
            0.0,
            0.0,
            2.0 * n / (high.y - low.y),
            0.0,
            0.0,
            (high.x + low.x) / (high.x - low.x),
            (high.y + low.y) / (high.y - low.y),
            n / (f - n),
            -1.0,
            0.0,
            0.0,
            f * n / (f - n),
            0.0,
        ])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn model() -> Model {
        let text = "<mujoco><worldbody><camera name='side' pos='0 -1 0' xyaxes='1 0 0 0 0 1'/><body name='arm'>\
             <joint/><geom size='0.1'/></body></worldbody></mujoco>";
        manyworlds::load_str(text).unwrap()
    }

    #[test]
    fn a_mouse_turns_a_camera_half_around_over_a_height_of_the_window() {
        let mut orbit = Orbit::of(&model());
        assert_eq!((orbit.azimuth, orbit.elevation), (90.0, -45.0));
        orbit.rotate(Vec2::new(0.5, -0.25));
        assert_eq!((orbit.azimuth, orbit.elevation), (0.0, 0.0));
        assert!(orbit.forward().abs_diff_eq(Vec3::X, 1e-6));
        assert!(orbit.up().abs_diff_eq(Vec3::Z, 1e-6));
        assert!(orbit.right().abs_diff_eq(-Vec3::Y, 1e-6));
    }

    #[test]
    fn what_is_panned_stays_below_the_pointer() {
        let mut orbit = Orbit::of(&model());
        let before = orbit.lookat;
        orbit.pan(Vec2::new(0.1, 0.2), 45.0);
        let frustum = Frustum::of(&Camera::Free(orbit), &model(), 1.0);
        let seen = frustum.projection().project_point3(orbit.axes().transpose() * (before - orbit.eye()));
        assert!((seen.x - 0.2).abs() < 1e-5 && (seen.y + 0.4).abs() < 1e-5, "{seen}");
    }

    #[test]
    fn depth_is_one_at_the_near_plane_and_zero_at_the_far_one() {
        let model = model();
        for orthographic in [false, true] {
            let orbit = Orbit { orthographic, ..Orbit::of(&model) };
            let frustum = Frustum::of(&Camera::Free(orbit), &model, 2.0);
            let depth = |z: f32| frustum.projection().project_point3(Vec3::new(0.0, 0.0, -z)).z;
            assert!((depth(frustum.near) - 1.0).abs() < 1e-5);
            assert!(depth(frustum.far).abs() < 1e-5);
            let corner = Vec3::new(frustum.half.x, frustum.half.y, -frustum.near);
            let seen = frustum.projection().project_point3(corner);
            assert!((seen.x - 1.0).abs() < 1e-5 && (seen.y - 1.0).abs() < 1e-5, "{seen}");
        }
    }

    #[test]
    fn what_is_on_the_axis_of_a_lens_is_left_of_the_centre_and_above_it_by_the_principal_point() {
        // columns 159.5 of 400 and rows 89.5 of 300 in the pictures of MuJoCo 3.17.0
        let lens = "resolution='40 30' sensorsize='0.04 0.03' focal='0.03 0.035'";
        let axis = |attributes: &str| {
            let text = format!("<mujoco><worldbody><camera {lens} {attributes}/></worldbody></mujoco>");
            let frustum = Frustum::of(&Camera::Fixed(0), &manyworlds::load_str(&text).unwrap(), 4.0 / 3.0);
            frustum.projection().project_point3(Vec3::new(0.0, 0.0, -2.0)).truncate()
        };
        for (attributes, want) in [
            ("principal='0.004 0'", [-0.2, 0.0]),
            ("principal='0 0.006'", [0.0, 0.4]),
            ("principalpixel='4 6'", [-0.2, 0.4]),
            ("principal='0.002 0.006' principalpixel='4 0'", [-0.2, 0.4]),
            // the axis of an orthographic camera is in the middle
            ("principal='0.004 0.006' projection='orthographic'", [0.0, 0.0]),
        ] {
            let got = axis(attributes);
            assert!(got.abs_diff_eq(Vec2::from_array(want), 1e-6), "{attributes}: {got}");
        }
    }

    #[test]
    fn cameras_are_found_by_their_words() {
        let model = model();
        assert_eq!(Camera::parse("side", &model).unwrap(), Camera::Fixed(0));
        assert_eq!(Camera::parse("0", &model).unwrap(), Camera::Fixed(0));
        assert!(matches!(Camera::parse("track", &model).unwrap(), Camera::Tracking(1, _)));
        assert!(matches!(Camera::parse("track:arm", &model).unwrap(), Camera::Tracking(1, _)));
        let why = Camera::parse("sid", &model).unwrap_err().to_string();
        assert!(why.contains("did you mean 'side'?"), "{why}");
        assert!(Camera::parse("track:leg", &model).is_err());
        assert!(Camera::parse("7", &model).is_err());
    }
}
