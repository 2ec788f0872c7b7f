//! Arguments that several verbs have: where worlds are stepped, with how many slots, and how kernels are cut.

#[cfg(feature = "gpu")]
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use manyworlds::batch::{self, Backend, BatchOptions, Overflow};
#[cfg(feature = "gpu")]
use manyworlds::error::Error;
use manyworlds::error::Result;
use manyworlds::model::Model;

/// Backend and capacities, the same for every verb that steps.
#[derive(Args, Clone)]
pub(crate) struct BatchArguments {
    /// Where worlds are stepped; auto: a hardware GPU where there is one, else the CPU.
    #[arg(long, value_enum, default_value_t = BackendName::Auto)]
    pub(crate) backend: BackendName,
    /// Contact slots of a world; measured where not given.
    #[arg(long)]
    nconmax: Option<usize>,
    /// Constraint row slots of a world; measured where not given.
    #[arg(long)]
    njmax: Option<usize>,
    /// Where a world needs more slots than that: grow makes room and, on the GPU, takes the steps again; flag leaves contacts
    /// out and raises a status bit; error ends.
    #[arg(long, default_value = "grow", value_name = "grow|flag|error")]
    overflow: Overflow,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    kernels: KernelArguments,
}

/// How kernels are cut and spread, the same for every verb that runs them.
#[cfg(feature = "gpu")]
#[derive(Args, Clone)]
pub(crate) struct KernelArguments {
    /// Grouping of the stages into dispatches on the GPU: auto, split, grouped or fused.
    #[arg(long, value_name = "auto|split|grouped|fused")]
    partition: Option<String>,
    /// Lanes per world on the GPU, a power of two; chosen from the model where not given.
    #[arg(long)]
    lanes: Option<usize>,
    /// Worlds per workgroup on the GPU, a power of two; chosen where not given.
    #[arg(long)]
    worlds_per_group: Option<usize>,
    /// Where kernels on the GPU keep what only they use: storage, workgroup or registers; chosen where not given.
    #[arg(long, value_name = "storage|workgroup|registers")]
    placement: Option<String>,
    /// Whether the steps of a call before its last one store, on the GPU, only what later stages or steps read; true on
    /// hardware.
    #[arg(long, alias = "lean", value_name = "true|false")]
    reduced_stores: Option<bool>,
    /// Whether kernels solve by Newton's method where the model says so, and not by conjugate gradients; true but for large
    /// worlds of small trees.
    #[arg(long, value_name = "true|false")]
    newton: Option<bool>,
    /// Worlds of a chunk on the GPU, which takes all steps of a call before the next chunk begins; on hardware measured while
    /// worlds step.
    #[arg(long)]
    chunk: Option<usize>,
    /// Measures nothing while worlds step on the GPU: chunks of 8192 worlds on hardware, where not given.
    #[arg(long)]
    no_tune: bool,
}

#[cfg(feature = "gpu")]
impl KernelArguments {
    pub(crate) fn options(&self) -> Result<manyworlds::gpu::KernelOptions> {
        Ok(manyworlds::gpu::KernelOptions {
            partition: self.partition.as_deref().unwrap_or("auto").parse()?,
            lanes: self.lanes,
            worlds_per_group: self.worlds_per_group,
            tuning_file: tuning_file(),
            placement: self.placement.as_deref().map(str::parse).transpose()?,
            reduced_stores: self.reduced_stores,
            newton: self.newton,
            chunk: self.chunk,
            tune: self.no_tune.then_some(false),
            ..Default::default()
        })
    }

    /// Rejects kernel options where no kernel runs.
    pub(crate) fn refuse_on_cpu(&self) -> Result<()> {
        let given = [
            ("--partition", self.partition.is_some()),
            ("--lanes", self.lanes.is_some()),
            ("--worlds-per-group", self.worlds_per_group.is_some()),
            ("--placement", self.placement.is_some()),
            ("--reduced-stores", self.reduced_stores.is_some()),
            ("--newton", self.newton.is_some()),
            ("--chunk", self.chunk.is_some()),
            ("--no-tune", self.no_tune),
        ];
        match given.iter().find(|g| g.1) {
            Some((name, _)) => {
                Err(Error::Argument(format!("{name} is for the GPU: leave it out, or give --backend gpu")))
            }
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BackendName {
    Auto,
    Cpu,
    Gpu,
}

impl BackendName {
    pub(crate) fn backend(self) -> Backend {
        match self {
            BackendName::Auto => Backend::Auto,
            BackendName::Cpu => Backend::Cpu,
            BackendName::Gpu => Backend::Gpu,
        }
    }

    /// Name of the backend, if the choice is certain.
    pub(crate) fn known(self) -> Option<&'static str> {
        (self != BackendName::Auto).then(|| self.backend().name())
    }
}

impl BatchArguments {
    /// Options for a model, whose slots are measured here where only one of the two numbers is given.
    pub(crate) fn options(&self, model: &Model) -> Result<BatchOptions> {
        #[cfg(feature = "gpu")]
        if self.backend == BackendName::Cpu {
            self.kernels.refuse_on_cpu()?;
        }
        let capacity = batch::capacity(model, self.nconmax, self.njmax)?;
        Ok(BatchOptions {
            #[cfg(feature = "gpu")]
            adapter: None,
            #[cfg(feature = "gpu")]
            device: None,
            backend: self.backend.backend(),
            capacity,
            overflow: self.overflow,
            #[cfg(feature = "gpu")]
            gpu: self.kernels.options()?,
        })
    }
}

/// File of this machine's tuning results: in the folder named by `MANYWORLDS_CACHE`, else in the user's cache.
#[cfg(feature = "gpu")]
pub(crate) fn tuning_file() -> Option<PathBuf> {
    let named = std::env::var_os("MANYWORLDS_CACHE").filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = named.or_else(|| dirs::cache_dir().map(|c| c.join("manyworlds")))?;
    Some(folder.join("tuning.json"))
}
