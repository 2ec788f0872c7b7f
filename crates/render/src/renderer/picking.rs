//! What is below pixels: objects, their depths, and points in the world.

use glam::{Mat3, Vec2, Vec3};

use super::renderer::Renderer;
use crate::buffers::read;
use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::layouts::ViewState;
use crate::scene::object;
use crate::view::View;
use crate::visuals::Visuals;
use manyworlds::error::Result;
use manyworlds::schema::Kind;

/// What is below a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The object.
    pub object: (Kind, usize),
    /// Its body.
    pub body: usize,
    /// The world, by its place in what was uploaded.
    pub world: usize,
    /// The point, in the world's frame, m.
    pub pos: Vec3,
}

impl Renderer {
    /// The objects and depths in each of several views, row by row from the top, after [`Renderer::draw_objects`], in one
    /// copy: `None` for the background; depths in m along the axis of the camera, infinite for the background.
    ///
    /// # Errors
    /// [`manyworlds::error::Error::Device`] if the device was lost.
    #[allow(clippy::type_complexity)]
    pub fn read_views(
        &self,
        canvas: &Canvas,
        views: &[View],
    ) -> Result<Vec<(Vec<Option<(Kind, usize)>>, Vec<f32>)>> {
        let (codes, depths) = canvas.read_objects([0, 0, canvas.width(), canvas.height()])?;
        let line = canvas.width() as usize;
        let cut = |view: &View| {
            let [x, y, width, height] = view.rect.map(|n| n as usize);
            let frustum = view.frustum(&self.model);
            let pixels = (y..y + height).flat_map(|row| row * line + x..row * line + x + width);
            // nothing, where nothing was drawn
            let at = |i: usize| {
                let depth = depths.get(i).copied().unwrap_or(0.0);
                (codes.get(i).copied().and_then(object), frustum.distance(depth))
            };
            pixels.map(at).unzip()
        };
        Ok(views.iter().map(cut).collect())
    }

    /// What is below a pixel of a view.
    ///
    /// # Errors
    /// As [`Renderer::draw`].
    pub fn pick(
        &mut self,
        canvas: &Canvas,
        view: &View,
        x: u32,
        y: u32,
        visuals: &Visuals,
    ) -> Result<Option<Hit>> {
        let [left, top, width, height] = view.rect;
        if x < left || y < top || x >= left + width || y >= top + height {
            return Ok(None);
        }
        // the nearest world of those that are drawn into each other
        let mut nearest: Option<(f32, Hit)> = None;
        for subject in &view.subjects {
            let one = View { subjects: vec![*subject], ..view.clone() };
            self.draw_objects(canvas, std::slice::from_ref(&one), visuals)?;
            let (codes, depths) = canvas.read_objects([x, y, 1, 1])?;
            let (Some(&code), Some(&depth)) = (codes.first(), depths.first()) else { continue };
            let Some(found) = object(code) else { continue };
            let frustum = view.frustum(&self.model);
            let distance = frustum.distance(depth);
            if nearest.as_ref().is_some_and(|(d, _)| *d <= distance) {
                continue;
            }
            // from the pixel back into the world
            let (eye, axes) = self.pose(view)?;
            let ndc = Vec2::new(
                2.0 * (x - left) as f32 / width as f32 + 1.0 / width as f32 - 1.0,
                1.0 - 2.0 * (y - top) as f32 / height as f32 - 1.0 / height as f32,
            );
            let pos = eye + axes * frustum.point(ndc, distance);
            // what has no body is of the world's
            let body = self.model.body_of(found.0, found.1).unwrap_or(0);
            nearest = Some((distance, Hit { object: found, body, world: subject.world, pos }));
        }
        Ok(nearest.map(|(_, hit)| hit))
    }

    /// Position and axes of a view's camera, as the device has computed them for the last picture.
    fn pose(&self, view: &View) -> Result<(Vec3, Mat3)> {
        if let Camera::Free(orbit) = view.camera {
            return Ok((orbit.eye(), orbit.axes()));
        }
        // the eye and the axes of the first view stand behind each other
        let first = std::mem::offset_of!(ViewState, eye) as u64;
        let bytes = read(&self.gpu, 64, |encoder, to| {
            encoder.copy_buffer_to_buffer(&self.inputs.views, first, to, 0, 64);
        })?;
        let words = bytemuck::pod_collect_to_vec::<u8, f32>(&bytes);
        let v = |i: usize| Vec3::new(words[4 * i], words[4 * i + 1], words[4 * i + 2]);
        Ok((v(0), Mat3::from_cols(v(1), v(2), v(3))))
    }
}
