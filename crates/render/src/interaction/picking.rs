//! What is below a pointer, by a ray on the host: where pictures cannot be read back at once, as in browsers.
//! [`Renderer::pick`](crate::Renderer::pick) asks the picture itself.

use glam::{DVec3, Vec2};

use crate::camera::Camera;
use manyworlds::analysis::query;
use manyworlds::cpu::collision::ray::RayFilter;
use manyworlds::model::Model;
use manyworlds::model::data::Data;

/// A point of a body below a pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// The body.
    pub body: usize,
    /// The point in the world, m.
    pub point: DVec3,
    /// Its distance along the axis of the camera, m.
    pub distance: f64,
}

/// The body that a pointer can pull at a place of a picture of `aspect` = width / height, in widths and heights from its
/// upper left corner; `None` where there is no geom and no flex, or what cannot move.
pub fn pick(model: &Model, data: &Data, camera: &Camera, aspect: f32, at: Vec2) -> Option<Picked> {
    let (from, along) = camera.ray(model, data, aspect, at);
    let (from, along) = (from.as_dvec3(), along.as_dvec3());
    let geom = query::ray(model, data, from.into(), along.into(), &RayFilter::default());
    let mut nearest = geom.map(|(geom, hit)| (hit.dist, model.geom_bodyid[geom] as usize));
    // a vertex is a body
    for flex in 0..model.sizes.nflex {
        let hit = query::ray_flex(model, data, flex, from.into(), along.into()).ok().flatten();
        if let Some(hit) = hit.filter(|hit| nearest.is_none_or(|(least, _)| hit.dist < least)) {
            let point = from + hit.dist * along;
            let body = query::flex_body(model, data, flex, point.into()).ok().flatten();
            nearest = Some((hit.dist, body.unwrap_or(0)));
        }
    }
    let (distance, body) = nearest?;
    let picked = Picked { body, point: from + distance * along, distance };
    (model.body_weldid[body] != 0).then_some(picked)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::cpu;
    use manyworlds::model::data::Capacity;

    #[test]
    fn of_a_sheet_the_nearest_vertex_is_picked() {
        let text = "<mujoco><worldbody><camera pos='0 -2 0' xyaxes='1 0 0 0 0 1' fovy='90'/>\
            <body><freejoint/><geom size='.25' pos='0 1 0'/></body>\
            <flexcomp name='s' type='grid' dim='2' count='3 3 1' spacing='.5 .5 .5' euler='90 0 0' radius='.02' mass='1'>\
            <edge equality='true'/></flexcomp></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut data = Data::new(&model, Capacity::NONE);
        cpu::forward(&model, &mut data);
        // two metres in front of the camera, a picture is four metres wide
        let picked = pick(&model, &data, &Camera::Fixed(0), 1.0, Vec2::new(0.5 + 0.4 / 4.0, 0.5)).unwrap();
        assert!((picked.distance - 1.98).abs() < 1e-6, "{picked:?}");
        let place = [0, 1, 2].map(|k| data.xpos[3 * picked.body + k]);
        assert!((place[0] - 0.5).abs() < 1e-9 && place[2].abs() < 1e-9, "{place:?}");
    }

    #[test]
    fn a_body_is_picked_at_the_surface_that_faces_the_camera() {
        let text = "<mujoco><worldbody><camera pos='0 -2 0' xyaxes='1 0 0 0 0 1' fovy='90'/>\
            <geom type='box' size='.5 .1 .5' pos='1.4 0 0'/><body><freejoint/><geom size='.25'/></body></worldbody></mujoco>";
        let model = manyworlds::load_str(text).unwrap();
        let mut data = Data::new(&model, Capacity::NONE);
        cpu::forward(&model, &mut data);
        let at = |x: f32| pick(&model, &data, &Camera::Fixed(0), 1.0, Vec2::new(x, 0.5));
        let picked = at(0.5).unwrap();
        assert_eq!(picked.body, 1);
        assert!((picked.distance - 1.75).abs() < 1e-6, "{picked:?}");
        assert!((picked.point - DVec3::new(0.0, -0.25, 0.0)).length() < 1e-6, "{picked:?}");
        // a fixed geom, and nothing
        assert_eq!([at(0.85), at(0.1)], [None, None]);
    }
}
