//! Where an element of a body tree stands: its body, frame, classes and namespace.

use crate::spec::Pose;

/// Upper bound on elements created by replicate and attach.
pub(super) const MAX_ELEMENTS: usize = 1 << 20;

/// Context of an element.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) body: usize,
    pub(super) frame: Option<usize>,
    pub(super) pose: Pose,
    pub(super) class: usize,
    /// Class of the body, ignoring frames.
    pub(super) body_class: usize,
    pub(super) scope: usize,
    /// First copy of all enclosing replicates.
    pub(super) first: bool,
    /// Directly inside a replicate, not in a body within it.
    pub(super) copied: bool,
}
