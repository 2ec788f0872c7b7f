//! Common parts of elements: names, source locations, references, poses.

use glam::{DQuat, DVec3};

use super::source::Span;

/// Source locations of an element and its attributes.
#[derive(Clone, Debug, Default)]
pub struct At {
    /// The element.
    pub element: Span,
    attrs: Vec<(String, Span)>,
}

impl At {
    /// Adds the location of an attribute; a later one replaces it.
    pub(crate) fn note_attr(&mut self, name: String, span: Span) {
        self.attrs.retain(|a| a.0 != name);
        self.attrs.push((name, span));
    }

    /// Location of an attribute, or of the element if it is not given.
    pub fn of(&self, attr: &str) -> Span {
        self.attrs.iter().find(|a| a.0 == attr).map_or(self.element, |a| a.1)
    }

    /// True if an attribute is given, by the element or one of its default classes.
    pub fn has(&self, attr: &str) -> bool {
        self.attrs.iter().any(|a| a.0 == attr)
    }
}

/// Common part of all elements.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// Local name; empty for none.
    pub name: String,
    /// Namespace of the name and of all references.
    pub scope: usize,
    /// Source locations.
    pub at: At,
}

/// A namespace: prefix of `attach`, suffix of `replicate`.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Enclosing namespace.
    pub parent: Option<usize>,
    /// Prefix of names.
    pub prefix: String,
    /// Suffix of names.
    pub suffix: String,
    /// References may also resolve to the enclosing namespace: for replicas, not for other models.
    pub open: bool,
    /// Compiler settings of the model that its elements come from.
    pub compiler: usize,
}

/// A name that refers to another element.
#[derive(Clone, Debug, Default)]
pub struct Ref {
    /// Local name; empty for none.
    pub name: String,
    /// Source location of the name.
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
    /// Composition: pose of `inner`, given in this frame, in the enclosing frame.
    pub fn then(&self, inner: &Pose) -> Pose {
        if *self == Pose::default() {
            return *inner;
        }
        Pose { pos: self.pos + self.quat * inner.pos, quat: self.quat * inner.quat }
    }

    /// Inverse transform.
    pub fn inverse(&self) -> Pose {
        let quat = self.quat.conjugate();
        Pose { pos: -(quat * self.pos), quat }
    }
}
