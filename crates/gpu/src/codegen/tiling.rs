//! Lanes and worlds of a workgroup, and the address space of the working set.

use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;

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
}

impl WorkingSetSpace {
    /// `storage`, `workgroup` or `registers`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Workgroup => "workgroup",
            Self::Registers => "registers",
            Self::Tiles => "tiles",
        }
    }
}

/// Tiles of 4 x 4 of the lower triangle of a solver's Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HessianTiles {
    /// Rows of tiles.
    pub(crate) rows: usize,
    /// Rows of tiles of the largest tree.
    pub(crate) of_tree: usize,
}

impl HessianTiles {
    /// Tiles for a model: each tree begins a new one.
    pub(crate) fn new(model: &Model) -> Self {
        let trees = model.tree_dofnum.iter().map(|&n| usize::try_from(n).unwrap_or(0).div_ceil(4));
        Self { rows: trees.clone().sum::<usize>().max(1), of_tree: trees.max().unwrap_or(1).max(1) }
    }

    /// Number of tiles.
    pub(crate) fn count(&self) -> usize {
        self.rows * (self.rows + 1) / 2
    }

    /// Tiles of a lane.
    pub(crate) fn per_lane(&self, lanes: usize) -> usize {
        self.count().div_ceil(lanes)
    }

    /// Bytes of workgroup memory for a world of `nv` degrees of freedom.
    pub(crate) fn workgroup_bytes(&self, nv: usize) -> usize {
        self.rows * (4 * 16 + 7 * 4) + 64 * self.count() + 16 * self.of_tree * nv
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
