//! Parts of a canvas, and the worlds that they show.

use super::camera::{Camera, Frustum};
use super::shape::Shape;
use manyworlds::error::{Error, Result};
use manyworlds::model::Model;

/// A world in a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subject {
    /// Its place in what was [uploaded](crate::Renderer::upload) or [gathered](crate::Renderer::gather).
    pub world: usize,
    /// A colour, and how much of it: 0 none, 1 nothing else.
    pub tint: [f32; 4],
    /// Opacity: below 1, all of it is transparent.
    pub alpha: f32,
}

impl Subject {
    /// A world as it is.
    pub fn plain(world: usize) -> Self {
        Self { world, tint: [0.0; 4], alpha: 1.0 }
    }
}

/// A part of a canvas, and what is to be seen there.
#[derive(Clone, Debug)]
pub struct View {
    /// Left, top, width and height, in pixels of the canvas.
    pub rect: [u32; 4],
    /// From where. Cameras of the model and tracking ones follow the first subject.
    pub camera: Camera,
    /// Worlds; several are drawn into each other.
    pub subjects: Vec<Subject>,
    /// Shapes in the world's frame.
    pub shapes: Vec<Shape>,
}

impl View {
    /// A world in a part of a canvas.
    pub fn new(rect: [u32; 4], camera: Camera, world: usize) -> Self {
        Self { rect, camera, subjects: vec![Subject::plain(world)], shapes: Vec::new() }
    }

    /// What the camera sees in this part of a canvas.
    pub(super) fn frustum(&self, model: &Model) -> Frustum {
        let aspect = self.rect[2] as f32 / self.rect[3].max(1) as f32;
        Frustum::of(&self.camera, model, aspect)
    }

    /// Fails for what cannot be drawn: `worlds` were uploaded for a canvas of a size.
    pub(super) fn check(&self, model: &Model, worlds: usize, [across, down]: [u32; 2]) -> Result<()> {
        let [x, y, width, height] = self.rect;
        let inside = |at: u32, n: u32, most: u32| n > 0 && at.checked_add(n).is_some_and(|end| end <= most);
        if !inside(x, width, across) || !inside(y, height, down) {
            return Err(Error::Argument(format!(
                "a view of {width} x {height} pixels at {x}, {y} is not within {across} x {down}"
            )));
        }
        if let Some(bad) = self.subjects.iter().find(|s| s.world >= worlds) {
            return Err(Error::Argument(format!("there is no world {}: {worlds} were uploaded", bad.world)));
        }
        if self.subjects.is_empty() {
            return Err(Error::Argument("a view shows at least one world".to_owned()));
        }
        if let Camera::Fixed(id) = self.camera
            && id >= model.sizes.ncam
        {
            let ncam = model.sizes.ncam;
            return Err(Error::Argument(format!("there is no camera {id}: the model has {ncam}")));
        }
        Ok(())
    }
}
