//! What all decorations of a world share.

use glam::{Mat3, Vec3};

use crate::shape::Shape;
use crate::visuals::Visuals;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::Kind;

/// What all decorations of a world share.
pub(super) struct World<'a> {
    pub(super) m: &'a Model,
    pub(super) d: &'a Data,
    pub(super) visuals: &'a Visuals,
    pub(super) shapes: Vec<Shape>,
}

impl World<'_> {
    /// A size of `visual/scale` in metres.
    pub(super) fn scaled(&self, scale: &[f64]) -> f32 {
        (scale[0] * self.m.stat_meansize[0]) as f32
    }

    pub(super) fn arrow(
        &mut self,
        from: Vec3,
        to: Vec3,
        radius: f32,
        color: [f32; 4],
        object: Option<(Kind, usize)>,
    ) {
        if (to - from).length() > 1e-9 {
            let shapes = Shape::arrow(from, to, radius, color);
            self.shapes.extend(shapes.map(|shape| Shape { object, ..shape }));
        }
    }

    pub(super) fn frame(&mut self, pos: Vec3, mat: Mat3, object: Option<(Kind, usize)>) {
        let (length, width) =
            (self.scaled(&self.m.vis_scale_framelength), self.scaled(&self.m.vis_scale_framewidth));
        for (k, axis) in [mat.x_axis, mat.y_axis, mat.z_axis].into_iter().enumerate() {
            let mut color = [0.0, 0.0, 0.0, 1.0];
            color[k] = 0.9;
            let bar = Shape::cylinder(pos, pos + length * axis, width, color);
            self.shapes.push(Shape { object, ..bar });
        }
    }
}
