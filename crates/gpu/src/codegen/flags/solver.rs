//! Flags of the solver and its sparsity.

use super::constraint::is_elliptic;
use super::{Room, has_contacts};
use crate::codegen::row_width::narrow_row_width;
use crate::codegen::tiling::{Tiling, WorkingSetSpace};
use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::{enable, solver};

pub(super) fn flags(model: &Model, tiling: Tiling) -> Room {
    let mut room = vec![
        ("SPARSE", tiling.placement != WorkingSetSpace::Registers && model.sizes.ntree > 1),
        ("NARROW_ROWS", tiling.placement != WorkingSetSpace::Registers && narrow_row_width(model) > 0),
        ("NOSLIP", model.opt_noslip_iterations[0] > 0),
        ("DUAL", model.is_dual()),
        ("DUAL_PYRAMIDAL", model.is_dual() && has_contacts(model)),
        ("DUAL_ELLIPTIC", model.is_dual() && is_elliptic(model)),
        ("INVDISCRETE", model.enabled(enable::INVDISCRETE)),
    ];
    // a flag of its own name for each solver
    room.extend(solver::ALL.iter().map(|&(name, value)| (name, model.opt_solver[0] == value)));
    room
}
