//! A picture before its passes are recorded: what is drawn on which canvas.

use super::shadows::Square;
use crate::canvas::Canvas;
use crate::pipelines::Pass;
use crate::scene::Group;
use crate::view::View;
use crate::visuals::{Flag, Visuals};

/// A picture that is being drawn.
pub(super) struct Picture<'a> {
    pub(super) canvas: &'a Canvas,
    pub(super) views: &'a [View],
    pub(super) visuals: &'a Visuals,
    /// Numbers of objects instead of colours.
    pub(super) objects: bool,
    /// Groups of the shapes of each view.
    pub(super) shapes: Vec<Vec<Group>>,
    /// Squares of each view in the atlas of shadows, one a light.
    pub(super) squares: Vec<Vec<Square>>,
    /// Lights with shadows, and mirrors, in this picture.
    pub(super) shadows: usize,
    pub(super) mirrors: usize,
}

impl Picture<'_> {
    /// How opaque triangles are drawn.
    pub(super) fn opaque(&self) -> Pass {
        match (self.objects, self.visuals.has(Flag::Wireframe)) {
            (true, _) => Pass::Object,
            (_, true) => Pass::Wireframe,
            _ => Pass::Opaque,
        }
    }

    /// How transparent triangles are drawn.
    pub(super) fn transparent(&self) -> Pass {
        if self.objects { Pass::Object } else { Pass::Transparent }
    }

    /// Samples of a pixel of the views.
    pub(super) fn samples(&self) -> u32 {
        if self.objects { 1 } else { self.canvas.samples() }
    }
}
