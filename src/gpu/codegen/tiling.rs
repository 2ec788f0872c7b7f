//! Lanes and worlds of a workgroup, and the address space of the working set.

use crate::error::{Error, Result};

/// How worlds are spread over invocations and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tiling {
    /// Lanes per world, a power of two.
    pub lanes: usize,
    /// Worlds per workgroup, side by side in memory.
    pub tile: usize,
    /// Where kernels keep what only they use.
    pub placement: WorkingSetSpace,
}

/// Where kernels keep the fields that only they use and use most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkingSetSpace {
    /// With all other fields.
    Storage,
    /// In the memory of the workgroup, as far as it goes.
    Workgroup,
    /// In variables of the one lane of a world, with the loops over them written out.
    Registers,
}

impl WorkingSetSpace {
    /// `storage`, `workgroup` or `registers`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Workgroup => "workgroup",
            Self::Registers => "registers",
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
