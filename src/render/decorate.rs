//! Decorations of a world: tendons, contacts, forces, joints, frames and the rest that flags ask for.

use super::shape::Shape;
use super::visuals::{Flag, Visuals};
use crate::model::Model;
use crate::model::data::Data;

/// True if something is shown that follows from the data of a world on the host.
pub(super) fn needs_data(m: &Model, visuals: &Visuals) -> bool {
    let _ = (m, visuals.has(Flag::Tendon));
    false
}

/// The decorations of a world that flags ask for.
pub fn decorate(m: &Model, d: &Data, visuals: &Visuals) -> Vec<Shape> {
    let _ = (m, d, visuals);
    Vec::new()
}
