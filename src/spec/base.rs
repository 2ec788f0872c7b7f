//! What all elements have: names, places, references, poses.

use glam::{DQuat, DVec3};

use super::source::Span;

/// Places of an element and of its attributes.
#[derive(Clone, Debug, Default)]
pub struct At {
    /// The element.
    pub element: Span,
    attrs: Vec<(String, Span)>,
}

impl At {
    /// Adds the places of one layer: a default class or the element itself.
    pub(crate) fn note(&mut self, el: crate::mjcf::El<'_>) {
        self.element = el.span();
        self.note_as(el, "");
    }

    /// Adds the places of attributes under their names with a prefix.
    pub(crate) fn note_as(&mut self, el: crate::mjcf::El<'_>, prefix: &str) {
        for attr in &el.tree.nodes[el.id].attrs {
            let name = format!("{prefix}{}", attr.name);
            self.attrs.retain(|a| a.0 != name);
            self.attrs.push((name, attr.span));
        }
    }

    /// Place of an attribute, or of the element where it was not written.
    pub fn of(&self, attr: &str) -> Span {
        self.attrs.iter().find(|a| a.0 == attr).map_or(self.element, |a| a.1)
    }

    /// Whether an attribute was written, by the element or a default class of it.
    pub fn has(&self, attr: &str) -> bool {
        self.attrs.iter().any(|a| a.0 == attr)
    }
}

/// What all elements have.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// Name as written; empty for none.
    pub name: String,
    /// Name space that the name and all references live in.
    pub scope: usize,
    /// Places.
    pub at: At,
}

/// A name space: what `attach` puts before names and `replicate` behind them.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The name space around it.
    pub parent: Option<usize>,
    /// Put before names.
    pub prefix: String,
    /// Put behind names.
    pub suffix: String,
    /// Whether names inside can also mean what is outside: in copies of something, not in other models.
    pub open: bool,
}

/// A name that refers to another element.
#[derive(Clone, Debug, Default)]
pub struct Ref {
    /// The name as written; empty for none.
    pub name: String,
    /// Place of the name.
    pub span: Span,
}

/// A position and orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position.
    pub pos: DVec3,
    /// Orientation.
    pub quat: DQuat,
}

impl Default for Pose {
    fn default() -> Self {
        Self { pos: DVec3::ZERO, quat: DQuat::IDENTITY }
    }
}

impl Pose {
    /// The pose of something inside this frame, in the frame around it.
    pub fn then(&self, inner: &Pose) -> Pose {
        if *self == Pose::default() {
            return *inner;
        }
        Pose { pos: self.pos + self.quat * inner.pos, quat: self.quat * inner.quat }
    }

    /// The inverse motion.
    pub fn inverse(&self) -> Pose {
        let quat = self.quat.conjugate();
        Pose { pos: -(quat * self.pos), quat }
    }
}
