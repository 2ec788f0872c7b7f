//! Flags of lanes, of the working set's address space, and of driver limits.

use super::Room;
use crate::codegen::tiling::{Tiling, WorkingSetSpace};
use manyworlds_model::model::Model;

pub(super) fn flags(model: &Model, tiling: Tiling) -> Room {
    vec![
        ("LANES", tiling.lanes > 1),
        ("REGISTERS", tiling.placement == WorkingSetSpace::Registers),
        ("TILES", tiling.placement == WorkingSetSpace::Tiles),
        ("LOCAL_WORKING_SET", tiling.placement != WorkingSetSpace::Storage),
        // for drivers that end long loops; the composer sets both for the current driver
        ("SPLIT_SOLVE", true),
        ("LOOP_LIMIT", true),
        ("SLEEP", model.has_sleep()),
    ]
}
