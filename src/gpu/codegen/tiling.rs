//! Lanes and worlds of a workgroup, and the address space of the working set.

use crate::error::{Error, Result};

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
    /// Workgroup memory, and a row of the Hessian per lane in its variables: the solver's own, never an option.
    Rows,
}

impl WorkingSetSpace {
    /// `storage`, `workgroup` or `registers`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Workgroup => "workgroup",
            Self::Registers => "registers",
            Self::Rows => "rows",
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
