//! Many worlds of one model behind one interface, on either backend.

mod access;
pub mod control;
mod engine;
mod growth;
#[cfg(feature = "gpu")]
mod kernels;
mod memory;
mod models;
mod numbers;
mod overflow;
mod own;
mod probe;
mod randomize;
mod reset;
mod rollout;
mod selection;
mod snapshot;
mod state;
mod steps;
mod task;
mod timing;
mod typed;
mod variation;
mod views;
mod work;

pub use crate::model::unsupported::check as supported;

use std::sync::Arc;

use web_time::Instant;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::Capacity;
use crate::schema::Sizes;

pub use crate::error::{Dropped, suggest};
pub use crate::model::capacity::max_capacity;
pub use crate::schema::{Numbers, NumbersRef};
use engine::Engine;
pub use growth::Growth;
#[cfg(feature = "gpu")]
pub use memory::kernel_bytes;
pub use memory::{capacity, check_memory, cpu_bytes, measured};
pub use overflow::Overflow;
pub use own::OwnKernel;
pub use probe::{peaks, probe};
pub use randomize::{Distribution, Draw, Operation, Randomization};
pub use reset::Keys;
pub use rollout::Readback;
pub use selection::Worlds;
pub use snapshot::Snapshot;
pub use timing::ColdStart;
pub use typed::TypedArray;
pub use variation::expansion;
pub use views::View;

/// Backend that steps the worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// A hardware GPU if present, else the CPU; see [`Batch::notice`].
    #[default]
    Auto,
    /// All cores, in double precision.
    Cpu,
    /// Any Vulkan, Metal or DX12 adapter, software adapters included, in single precision.
    Gpu,
}

impl Backend {
    /// `auto`, `cpu` or `gpu`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Cpu => "cpu",
            Backend::Gpu => "gpu",
        }
    }
}

/// Options of a batch. The default selects the backend and measures the capacities.
#[derive(Clone, Debug, Default)]
pub struct BatchOptions {
    /// Backend that steps the worlds.
    pub backend: Backend,
    /// Capacities of a world; `None`: measured by [`probe`].
    pub capacity: Option<Capacity>,
    /// What to do where a world needs more than these capacities.
    pub overflow: Overflow,
    /// The adapter of [`Backend::Gpu`], see [`Gpu::open_named`](crate::gpu::Gpu::open_named); `None`: the best one.
    #[cfg(feature = "gpu")]
    pub adapter: Option<String>,
    /// A device that something else uses too, as a window or a renderer does, in place of the one that the batches of a
    /// process share.
    #[cfg(feature = "gpu")]
    pub device: Option<crate::gpu::Gpu>,
    /// Kernel options.
    #[cfg(feature = "gpu")]
    pub gpu: crate::gpu::KernelOptions,
}

impl BatchOptions {
    /// Defaults on a given backend.
    pub fn on(backend: Backend) -> Self {
        Self { backend, ..Self::default() }
    }
}

/// Worlds of one model that step together.
///
/// Arrays have the worlds as their first axis: `qpos` is `[world, nq]`, `contact_pos` is
/// `[world, nconmax, 3]`. Units are those of the [table of fields](crate::schema): m, kg, s, rad.
///
/// ```
/// use manyworlds::batch::{Backend, Batch, BatchOptions};
///
/// # fn main() -> manyworlds::error::Result<()> {
/// let model = manyworlds::load_str(
///     r#"<mujoco>
///          <worldbody>
///            <body>
///              <joint name="hinge" axis="0 1 0"/>
///              <geom size="0.1" pos="0 0 -0.5"/>
///            </body>
///          </worldbody>
///          <actuator><motor joint="hinge"/></actuator>
///        </mujoco>"#,
/// )?;
/// let mut batch = Batch::new(&model, 4, &BatchOptions::on(Backend::Cpu))?;
///
/// // one torque in N m per world
/// batch.set("ctrl", .., &[0.0, 0.1, 0.2, 0.3])?;
/// batch.step(100)?;
///
/// // angles in rad, one row per world
/// let qpos = batch.get("qpos", ..)?;
/// assert_eq!(qpos.shape, [4, 1]);
/// assert!(batch.status()?.iter().all(|&bits| bits == 0));
///
/// // an invalid argument is an error that says what would be valid
/// assert!(batch.set("ctrl", .., &[0.0]).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Batch {
    engine: Box<dyn Engine>,
    worlds: usize,
    overflow: Overflow,
    /// True if the capacities follow from a measurement with the model.
    capacity_is_measured: bool,
    probe_seconds: f64,
    notice: Option<String>,
    companion: Companion,
}

/// What another crate keeps with a batch between its calls, such as the renderer of its worlds.
pub type Companion = Option<Box<dyn std::any::Any + Send + Sync>>;

impl Batch {
    /// `worlds` worlds of `model`, each in the model's initial state.
    ///
    /// # Errors
    /// [`Error::Argument`] for zero worlds or an adapter that does not exist; [`Error::Memory`] for more worlds than
    /// memory holds (the message has the largest number that fits); [`Error::Device`] if the requested GPU is missing or
    /// too small; [`Error::Unsupported`] if the model has features that are not simulated yet, with all of them named.
    pub fn new(model: &Model, worlds: usize, options: &BatchOptions) -> Result<Self> {
        if worlds == 0 {
            return Err(Error::Argument("a batch needs at least one world".to_owned()));
        }
        crate::model::unsupported::check(model)?;
        let model = &*model.bounded();
        let begin = Instant::now();
        let capacity = options.capacity.map_or_else(|| measured(model), Ok)?;
        let probe_seconds = begin.elapsed().as_secs_f64();
        memory::check_count(&capacity.sizes(model), worlds)?;
        let (engine, notice) = engine::open(model, worlds, capacity, options)?;
        let mut batch = Self {
            engine,
            worlds,
            overflow: options.overflow,
            capacity_is_measured: options.capacity.is_none(),
            probe_seconds,
            notice,
            companion: None,
        };
        // until it is seeded, draws of a task depend on the world alone
        if batch.model().task.is_some() {
            let numbers: Vec<u32> = (0..worlds).map(|w| w as u32).collect();
            batch.seed_task(.., &vec![0; worlds], &numbers)?;
        }
        Ok(batch)
    }

    /// The model: of every world, but for the fields that were [expanded](Batch::expand).
    pub fn model(&self) -> &Model {
        self.engine.models().base()
    }

    /// The model, as [`Batch::model`], for whoever keeps it beside the batch.
    pub fn shared_model(&self) -> Arc<Model> {
        Arc::clone(self.engine.models().base())
    }

    /// What another crate keeps with this batch: one thing, of the crate that draws.
    #[doc(hidden)]
    pub fn companion(&mut self) -> &mut Companion {
        &mut self.companion
    }

    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        self.worlds
    }

    /// Axis lengths, with the capacities in `nconmax` and `njmax`; on the GPU with those that kernels alone have, such as `ntile`.
    pub fn sizes(&self) -> &Sizes {
        self.engine.sizes()
    }

    /// The selected backend: never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.engine.backend()
    }

    /// Description of the device.
    pub fn device(&self) -> String {
        self.engine.device()
    }

    /// `double` on the CPU, `single` on the GPU.
    pub fn precision(&self) -> &'static str {
        match self.backend() {
            Backend::Gpu => "single",
            _ => "double",
        }
    }

    /// One-line notice if the backend is not the one a user may expect.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Bytes per world.
    pub fn bytes_per_world(&self) -> usize {
        self.engine.bytes_per_world()
    }

    /// Seconds spent sizing, creating and [preparing](Batch::prepare) the batch: the sum of
    /// [`Batch::cold_start`].
    pub fn build_seconds(&self) -> f64 {
        self.cold_start().total()
    }

    /// True if the bits of a rollout may depend on how its steps are spread over calls: on hardware, steps before the last
    /// of a call have kernels of their own.
    pub fn rounds_by_call(&self) -> bool {
        self.engine.rounds_by_call()
    }

    /// Capacities of a world.
    fn capacity(&self) -> Capacity {
        Capacity::of(self.sizes())
    }
}
