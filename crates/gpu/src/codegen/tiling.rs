//! Lanes and worlds of a workgroup, and the address space of the working set.

use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::schema::Sizes;
use manyworlds_model::schema::enums::enable;

/// Distribution of worlds over invocations and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tiling {
    /// Lanes per world, a power of two.
    pub lanes: usize,
    /// Worlds per workgroup, side by side in memory.
    pub tile: usize,
    /// Address space of the working set.
    pub placement: WorkingSetSpace,
}

/// Address space of the working set: the most used of the fields private to kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkingSetSpace {
    /// Storage, like all other fields.
    Storage,
    /// Workgroup memory, as far as it reaches.
    Workgroup,
    /// Variables of a world's single lane, with the loops over them unrolled.
    Registers,
    /// Workgroup memory, and tiles of the Hessian in the variables of lanes: the solver's own, never an option.
    Tiles,
    /// Workgroup memory, and tiles of the Hessian in storage: the solver's own for worlds of more tiles.
    StoredTiles,
}

impl WorkingSetSpace {
    /// `storage`, `workgroup` or `registers`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Workgroup => "workgroup",
            Self::Registers => "registers",
            Self::Tiles => "tiles",
            Self::StoredTiles => "stored tiles",
        }
    }

    /// True if the solver cuts the Hessian into tiles.
    pub(crate) fn has_tiles(self) -> bool {
        matches!(self, Self::Tiles | Self::StoredTiles)
    }
}

/// Most lanes of a world that find exact diagonals of constraint rows, each with memory for a row.
const MAX_EXACT_LANES: usize = 32;

impl Tiling {
    /// Lanes of a world that find exact diagonals of constraint rows; none where the model does not ask for them.
    pub(crate) fn exact_lanes(&self, model: &Model) -> usize {
        if model.enabled(enable::DIAGEXACT) { self.lanes.min(MAX_EXACT_LANES) } else { 0 }
    }
}

/// Most bytes of workgroup memory for the bits of the rows that touch stored tiles.
const MAX_TOUCHING_BYTES: usize = 8 << 10;

/// Most stored tiles whose factors are in workgroup memory.
const MAX_NEAR_TILES: usize = 320;

/// Most bytes of workgroup memory for the rows of sliding contacts, and most contacts whose rows are there at once.
const MAX_SLIDING_BYTES: usize = 4 << 10;
const MAX_SLIDING_AT_ONCE: usize = 8;

/// Tiles of 4 x 4 of the lower triangle of a solver's Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HessianTiles {
    /// Rows of tiles.
    pub(crate) rows: usize,
    /// Rows of tiles of the largest tree.
    pub(crate) of_tree: usize,
    /// Most rows that a sliding contact adds to the Hessian; none without elliptic cones.
    pub(crate) cone_rows: usize,
}

impl HessianTiles {
    /// Tiles for a model: each tree begins a new one.
    pub(crate) fn new(model: &Model) -> Self {
        let trees = model.tree_dofnum.iter().map(|&n| usize::try_from(n).unwrap_or(0).div_ceil(4));
        let dims = [&model.geom_condim, &model.pair_dim, &model.flex_condim].into_iter().flatten();
        let most = dims.max().map_or(0, |&dim| usize::try_from(dim).unwrap_or(0)).max(3);
        Self {
            rows: trees.clone().sum::<usize>().max(1),
            of_tree: trees.max().unwrap_or(1).max(1),
            cone_rows: if model.has_elliptic_cones() { most - 1 } else { 0 },
        }
    }

    /// Number of tiles.
    pub(crate) fn count(&self) -> usize {
        self.rows * (self.rows + 1) / 2
    }

    /// Tiles of a lane.
    pub(crate) fn per_lane(&self, lanes: usize) -> usize {
        self.count().div_ceil(lanes)
    }

    /// Constraint rows that share a bit of those that say which of them touch a row of tiles: one, unless the bits of a world
    /// with stored tiles would take too much memory.
    pub(crate) fn rows_per_bit(&self, placement: WorkingSetSpace, njmax: usize) -> usize {
        let fits = |rows: &usize| 4 * self.rows * njmax.div_ceil(32 * rows) <= MAX_TOUCHING_BYTES;
        let shared = || (0..32).map(|k| 1 << k).find(fits).unwrap_or(1);
        if placement == WorkingSetSpace::StoredTiles { shared() } else { 1 }
    }

    /// Words of these bits for a row of tiles.
    pub(crate) fn row_words(&self, placement: WorkingSetSpace, njmax: usize) -> usize {
        njmax.div_ceil(32 * self.rows_per_bit(placement, njmax)).max(1)
    }

    /// Stored tiles whose factors are in workgroup memory.
    pub(crate) fn near(&self) -> usize {
        self.count().min(MAX_NEAR_TILES)
    }

    /// Sliding contacts whose rows are in workgroup memory at once.
    pub(crate) fn sliding_at_once(&self) -> usize {
        (MAX_SLIDING_BYTES / (16 * self.rows * self.cone_rows.max(1))).clamp(1, MAX_SLIDING_AT_ONCE)
    }

    /// Bytes of workgroup memory for a world of a model with these sizes, beside fields; none without tiles.
    pub(crate) fn workgroup_bytes(&self, placement: WorkingSetSpace, sizes: &Sizes) -> usize {
        let bits = (12 + 4 * self.rows) * self.row_words(placement, sizes.njmax);
        let row = 7 * 4;
        match placement {
            WorkingSetSpace::Tiles => {
                let inertia = 16 * self.of_tree * sizes.nv;
                let sliding = (8 + 16 * self.rows * self.cone_rows) * self.sliding_at_once();
                let sliding = if self.cone_rows > 0 { sliding } else { 0 };
                bits + self.rows * (row + 4 * 16) + 64 * self.count() + inertia + 8 * sizes.ntree + sliding
            }
            WorkingSetSpace::StoredTiles => {
                bits + self.rows * (row + 2 * 16) + 64 * self.near() + 16 * sizes.ntree + 4
            }
            WorkingSetSpace::Storage | WorkingSetSpace::Workgroup | WorkingSetSpace::Registers => 0,
        }
    }
}

impl std::str::FromStr for WorkingSetSpace {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Storage, Self::Workgroup, Self::Registers];
        let found = all.into_iter().find(|p| p.name() == text);
        found.ok_or_else(|| {
            Error::Argument(format!("unknown placement '{text}'; expected storage, workgroup or registers"))
        })
    }
}
