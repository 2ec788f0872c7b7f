//! Flags of lanes, of the working set's address space, and of driver limits: of the tiling, not of the model.

use super::Room;
use crate::codegen::tiling::{Tiling, WorkingSetSpace};

/// Flags on which any kernel may depend: the table of stages does not list them.
pub(crate) fn of_tiling(tiling: Tiling) -> Room {
    vec![
        ("LANES", tiling.lanes > 1),
        ("REGISTERS", tiling.placement == WorkingSetSpace::Registers),
        ("TILES", tiling.placement.has_tiles()),
        ("LANE_TILES", tiling.placement == WorkingSetSpace::Tiles),
        ("STORED_TILES", tiling.placement == WorkingSetSpace::StoredTiles),
        ("LOCAL_WORKING_SET", tiling.placement != WorkingSetSpace::Storage),
        // for drivers that end long loops; the composer sets both for the current driver
        ("SPLIT_SOLVE", true),
        ("LOOP_LIMIT", true),
    ]
}
