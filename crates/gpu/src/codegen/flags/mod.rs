//! Optional blocks of the kernels (`//#if NAME`): the flags of a model, room by room.

mod actuation;
mod collision;
mod constraint;
mod integrate;
mod runtime;
mod sensor;
mod smooth;
mod solver;

pub(crate) use collision::{has_convex_pairs, shape_pairs, side_bodies};
pub(crate) use runtime::of_tiling;
pub(crate) use solver::{has_metric_contacts, is_coupled, is_coupled_by_flexes};

use std::collections::BTreeMap;

use super::tiling::Tiling;
use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::disable;

/// Flags by name; true if the blocks are kept.
pub(crate) type Flags = BTreeMap<&'static str, bool>;

/// The flags of one room.
type Room = Vec<(&'static str, bool)>;

/// The flags of all rooms.
pub(crate) fn flags(model: &Model, tiling: Tiling) -> Flags {
    let rooms = [
        of_tiling(tiling),
        smooth::flags(model),
        actuation::flags(model),
        collision::flags(model, tiling),
        constraint::flags(model),
        solver::flags(model, tiling),
        sensor::flags(model),
        integrate::flags(model),
    ];
    rooms.into_iter().flatten().collect()
}

/// True if any number is non-zero.
fn some(v: &[f64]) -> bool {
    v.iter().any(|x| *x != 0.0)
}

/// True if any element is one of these kinds.
fn any_of(kinds: &[i32], wanted: &[i32]) -> bool {
    kinds.iter().any(|kind| wanted.contains(kind))
}

/// True if a type of constraint is enabled: neither it nor all constraints are disabled.
fn constrains(model: &Model, bit: i32) -> bool {
    !model.disabled(bit) && !model.disabled(disable::CONSTRAINT)
}

/// True if contacts can make constraint rows.
fn has_contacts(model: &Model) -> bool {
    constrains(model, disable::CONTACT) && model.sizes.ncandidate + model.sizes.nflexpair > 0
}

/// True if any actuator adds damping or armature to its target.
fn has_reflected_inertia(model: &Model) -> bool {
    model.jnt_actuatorid.iter().chain(&model.tendon_actuatorid).any(|id| *id != -1)
}
