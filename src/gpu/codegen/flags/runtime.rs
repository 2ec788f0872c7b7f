//! Lanes, the address space of the working set, and what the driver asks for.

use super::Room;
use crate::gpu::codegen::tiling::{Tiling, WorkingSetSpace};
use crate::model::Model;

pub(super) fn flags(model: &Model, tiling: Tiling) -> Room {
    vec![
        ("LANES", tiling.lanes > 1),
        ("REGISTERS", tiling.placement == WorkingSetSpace::Registers),
        ("LOCAL_WORKING_SET", tiling.placement != WorkingSetSpace::Storage),
        // of drivers that end long loops; the composer sets both for the driver at hand
        ("SPLIT_SOLVE", true),
        ("LOOP_LIMIT", true),
        ("SLEEP", model.has_sleep()),
    ]
}
