//! Many worlds of one model behind one interface, on either backend.

mod access;
pub mod control;
mod cpu;
mod engine;
mod growth;
mod memory;
mod models;
mod numbers;
mod overflow;
mod probe;
mod randomize;
mod rollout;
mod snapshot;
mod state;
mod task;
mod timing;
mod typed;
mod variation;
mod views;
mod work;

pub use crate::model::unsupported::check as supported;

use web_time::Instant;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::Capacity;
#[cfg(feature = "gpu")]
use crate::model::data::Data;
use crate::model::smooth::check_inverse;
use crate::schema::Sizes;
use crate::schema::enums::status;
#[cfg(feature = "gpu")]
use crate::schema::stages::Stage;

pub use crate::error::suggest;
pub use crate::model::capacity::max_capacity;
use engine::Engine;
use growth::{Call, Room};
pub use growth::{Dropped, Growth};
pub use memory::{bytes_of_world, capacity, check_memory, measured};
use models::Models;
use numbers::chosen;
pub use overflow::Overflow;
pub use probe::{peaks, probe};
pub use randomize::{Distribution, Draw, Operation, Randomization};
pub use rollout::Readback;
pub use snapshot::Snapshot;
pub use timing::ColdStart;
pub use typed::{Numbers, TypedArray};
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
    /// A device that something else uses too, as a window or a renderer does, in place of one of the batch's own.
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

    /// These options for kernels in which some fields of the model have a value for each world.
    #[cfg_attr(not(feature = "gpu"), expect(unused_variables, reason = "only kernels have options"))]
    fn with_per_world(&self, fields: &std::collections::BTreeSet<&'static str>) -> Self {
        Self {
            #[cfg(feature = "gpu")]
            gpu: crate::gpu::KernelOptions { per_world: fields.clone(), ..self.gpu.clone() },
            ..self.clone()
        }
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
/// batch.set("ctrl", &[0.0, 0.1, 0.2, 0.3])?;
/// batch.step(100)?;
///
/// // angles in rad, one row per world
/// let qpos = batch.get("qpos")?;
/// assert_eq!(qpos.shape, [4, 1]);
/// assert!(batch.status()?.iter().all(|&bits| bits == 0));
///
/// // an invalid argument is an error that says what would be valid
/// assert!(batch.set("ctrl", &[0.0]).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Batch {
    models: Models,
    options: BatchOptions,
    sizes: Sizes,
    worlds: usize,
    notice: Option<String>,
    cold: ColdStart,
    room: Room,
    engine: Engine,
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
        let probe = begin.elapsed().as_secs_f64();
        let sizes = capacity.sizes(model);
        memory::check_count(&sizes, worlds)?;
        let begin = Instant::now();
        let (engine, notice) = Engine::open(model, worlds, &sizes, options)?;
        let opened = begin.elapsed().as_secs_f64();
        let cold = match &engine {
            Engine::Cpu(_) => ColdStart { probe, buffers: opened, ..ColdStart::default() },
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => {
                let device = opened - batch.build_times().total();
                ColdStart { probe, device, ..ColdStart::default() }
            }
        };
        let models = Models::new(model.clone());
        let room = Room::new(model, options.overflow);
        let mut batch = Self {
            models,
            options: options.clone(),
            sizes,
            worlds,
            notice,
            cold,
            room,
            engine,
            companion: None,
        };
        // until it is seeded, draws of a task depend on the world alone
        if batch.model().task.is_some() {
            let numbers: Vec<u32> = (0..worlds).map(|w| w as u32).collect();
            batch.seed_task(&vec![true; worlds], &vec![0; worlds], &numbers)?;
        }
        Ok(batch)
    }

    /// The model: of every world, but for the fields that were [expanded](Batch::expand).
    pub fn model(&self) -> &Model {
        self.models.base()
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

    /// Axis lengths, with the capacities in `nconmax` and `njmax`.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The selected backend: never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        match &self.engine {
            Engine::Cpu(_) => Backend::Cpu,
            #[cfg(feature = "gpu")]
            Engine::Gpu { .. } => Backend::Gpu,
        }
    }

    /// Description of the device.
    pub fn device(&self) -> String {
        match &self.engine {
            Engine::Cpu(_) => format!("cpu x{} threads", rayon::current_num_threads()),
            #[cfg(feature = "gpu")]
            Engine::Gpu { device, .. } => device.clone(),
        }
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
        match &self.engine {
            Engine::Cpu(_) => memory::cpu_bytes(&self.sizes),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.bytes_per_world(),
        }
    }

    /// Seconds spent sizing, creating and [preparing](Batch::prepare) the batch: the sum of
    /// [`Batch::cold_start`].
    pub fn build_seconds(&self) -> f64 {
        self.cold_start().total()
    }

    /// Lanes per world, worlds per workgroup and grouping of the stages; `None` on the CPU.
    #[cfg(feature = "gpu")]
    pub fn kernel_tiling(&self) -> Option<(crate::gpu::Tiling, crate::gpu::Partition)> {
        match &self.engine {
            Engine::Cpu(_) => None,
            Engine::Gpu { batch, .. } => Some((batch.tiling(), batch.partition())),
        }
    }

    /// Tunes the kernels for worlds like these in their current state, within about `seconds`; every trial is
    /// reported to `on_trial`, and options set in `fixed` are not varied. The worlds of this batch are neither
    /// stepped nor freed.
    ///
    /// # Errors
    /// [`Error::Argument`] on the CPU backend; else as [`crate::gpu::tuning::tune::search`].
    #[cfg(feature = "gpu")]
    pub fn search(
        &mut self,
        fixed: &crate::gpu::KernelOptions,
        seconds: f64,
        on_trial: &mut dyn FnMut(&crate::gpu::tuning::cache::Trial),
    ) -> Result<crate::gpu::tuning::cache::Trial> {
        self.refresh_models()?;
        self.flush()?;
        let Engine::Gpu { batch, .. } = &self.engine else {
            return Err(Error::Argument("the CPU backend has nothing to search for".to_owned()));
        };
        let state = Data::<f64>::FIELDS.iter().filter(|f| f.role.is_state());
        let start = state.chain(self.models.varied().filter(|f| batch.has(f.name)));
        let start = start.map(|f| Ok((f.name, batch.get(f.name)?))).collect::<Result<Vec<_>>>()?;
        let fixed =
            crate::gpu::KernelOptions { per_world: self.options.gpu.per_world.clone(), ..fixed.clone() };
        crate::gpu::tuning::tune::search(
            batch.gpu(),
            self.model(),
            self.worlds,
            self.capacity(),
            &start,
            &fixed,
            seconds,
            on_trial,
        )
    }

    /// Stores the result of a search for this model, number of worlds and device.
    ///
    /// # Errors
    /// As [`crate::gpu::tuning::cache::TuningCache::keep`]; a no-op on the CPU backend.
    #[cfg(feature = "gpu")]
    pub fn keep(
        &self,
        cache: &mut crate::gpu::tuning::cache::TuningCache,
        found: &crate::gpu::tuning::cache::Trial,
    ) -> Result<()> {
        match &self.engine {
            Engine::Gpu { batch, .. } => cache.keep(batch.gpu().adapter(), self.model(), self.worlds, found),
            Engine::Cpu(_) => Ok(()),
        }
    }

    /// Builds everything that steps need, so that the first one is as fast as the rest. Modifies no world.
    pub fn prepare(&mut self) -> Result<()> {
        match &mut self.engine {
            Engine::Cpu(_) => {}
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.prepare()?,
        }
        Ok(())
    }

    /// Steps every world `n` times. On the GPU the call is asynchronous; reading a field or [`Batch::wait`]
    /// synchronises. Steps before the last of a call may store only what the next one reads; after the call, what a step
    /// computes is that of the last one.
    pub fn step(&mut self, n: usize) -> Result<()> {
        self.refresh_models()?;
        self.call(Call::Step(n))
    }

    /// True if the bits of a rollout may depend on how its steps are spread over calls: on hardware, steps before the last
    /// of a call have kernels of their own.
    pub fn rounds_by_call(&self) -> bool {
        match &self.engine {
            Engine::Cpu(_) => false,
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.has_lean_steps(),
        }
    }

    /// What a step does first: worlds with positions or velocities that are not finite, or beyond 1e10, are flagged in
    /// their status and, unless the flag `autoreset` is disabled, reset to their initial state. [`Batch::forward`] computes
    /// from any state.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel cannot be built or the device is lost.
    pub fn check_state(&mut self) -> Result<()> {
        self.refresh_models()?;
        self.flush()?;
        match &mut self.engine {
            Engine::Cpu(worlds) => cpu::check_state(&mut self.models, worlds),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.run_stages(&[Stage::check_state])?,
        }
        Ok(())
    }

    /// Forward dynamics: computes everything that depends on the state, without advancing time.
    pub fn forward(&mut self) -> Result<()> {
        self.refresh_models()?;
        self.call(Call::Forward)
    }

    /// Inverse dynamics: the force that produces the acceleration `qacc` of each world, in `qfrc_inverse`, and the
    /// corresponding constraint forces, in `efc_force` and `qfrc_constraint`. Time does not advance.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with solver Smooth, whose forces do not follow from the acceleration; [`Error::Device`] if a
    /// kernel cannot be built or the device is lost.
    pub fn inverse(&mut self) -> Result<()> {
        check_inverse(self.models.base())?;
        self.refresh_models()?;
        self.call(Call::Inverse)
    }

    /// As [`Batch::forward`], in the worlds where `mask` is true; all other fields are preserved.
    pub fn forward_worlds(&mut self, mask: &[bool]) -> Result<()> {
        self.check_mask(mask)?;
        self.refresh_models()?;
        // what other worlds hold is no result of a call that is made again
        self.flush()?;
        self.call(Call::ForwardOf(chosen(mask)))
    }

    /// Resets the worlds where `mask` is true to the initial state, or to keyframe `key`, and clears
    /// their status.
    pub fn reset(&mut self, mask: &[bool], key: Option<usize>) -> Result<()> {
        let count = mask.iter().filter(|m| **m).count();
        self.reset_to_keys(mask, &vec![key; count])
    }

    /// Resets the worlds where `mask` is true, each to a keyframe of its own or, where it has none, to the initial state;
    /// `keys` has one entry for each chosen world.
    ///
    /// # Errors
    /// [`Error::Argument`] for a mask or list of the wrong length, or a keyframe out of range.
    pub fn reset_to_keys(&mut self, mask: &[bool], keys: &[Option<usize>]) -> Result<()> {
        self.check_mask(mask)?;
        let (worlds, nkey) = (chosen(mask), self.sizes.nkey);
        if keys.len() != worlds.len() {
            let (got, want) = (keys.len(), worlds.len());
            return Err(Error::Argument(format!("{got} keyframes are given for {want} worlds")));
        }
        if let Some(k) = keys.iter().flatten().find(|k| **k >= nkey) {
            return Err(Error::Argument(format!(
                "keyframe {k} does not exist: the model has {nkey}, from 0"
            )));
        }
        self.refresh_models()?;
        self.flush()?;
        match &mut self.engine {
            Engine::Cpu(all) => {
                let mut of_world = vec![None; all.len()];
                worlds.iter().zip(keys).for_each(|(w, key)| of_world[*w] = *key);
                cpu::reset(&mut self.models, all, mask, |w| of_world[w]);
            }
            // each world to its own initial state
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } if self.models.starts_differ() => {
                let of = |(w, key): (&usize, &Option<usize>)| initial(&self.models.of(*w), *key);
                let states: Vec<Data> = worlds.iter().zip(keys).map(of).collect();
                batch.reset_to(&worlds, &states)?;
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.reset_worlds(&worlds, keys)?,
        }
        Ok(())
    }

    /// Copies world `from`, results included, to the worlds where `mask` is true. Where fields of the model differ, these
    /// are copied too.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range or a mask of the wrong length.
    pub fn broadcast(&mut self, from: usize, mask: &[bool]) -> Result<()> {
        self.check_world(from)?;
        self.check_mask(mask)?;
        self.refresh_models()?;
        self.flush()?;
        let worlds: Vec<usize> = chosen(mask).into_iter().filter(|w| *w != from).collect();
        self.models.broadcast(from, &worlds);
        match &mut self.engine {
            Engine::Cpu(all) => {
                let world = all[from].clone();
                worlds.iter().for_each(|w| all[*w].clone_from(&world));
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.broadcast(from, &worlds)?,
        }
        Ok(())
    }

    /// As [`Batch::reset`], for every world.
    pub fn reset_all(&mut self, key: Option<usize>) -> Result<()> {
        self.reset(&vec![true; self.worlds], key)
    }

    /// Capacities of a world.
    fn capacity(&self) -> Capacity {
        Capacity::of(&self.sizes)
    }

    /// The batch on the device, for kernels of a caller's own beside these: device, queue, buffers and their layout. `None`
    /// on the CPU backend. A world that was reset for a bad acceleration since the batch last looked takes its step when it
    /// next looks.
    #[cfg(feature = "gpu")]
    pub fn on_device(&mut self) -> Option<&crate::gpu::GpuBatch> {
        // what a caller writes there is no call that can be made again
        self.forget_calls().ok()?;
        match &self.engine {
            Engine::Cpu(_) => None,
            Engine::Gpu { batch, .. } => {
                batch.clear_step_outputs();
                Some(batch)
            }
        }
    }

    /// Bytes that were copied between host and device so far; none on the CPU backend.
    #[cfg(feature = "gpu")]
    pub fn transfer_stats(&self) -> crate::gpu::TransferStats {
        match &self.engine {
            Engine::Cpu(_) => crate::gpu::TransferStats::default(),
            Engine::Gpu { batch, .. } => batch.transfer_stats(),
        }
    }

    /// Waits until the device has finished all steps.
    pub fn wait(&mut self) -> Result<()> {
        self.flush()?;
        match &self.engine {
            Engine::Cpu(_) => Ok(()),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => batch.wait(),
        }
    }

    /// Warnings of each world since its status was last cleared: bits of [`status`].
    pub fn status(&mut self) -> Result<Vec<i32>> {
        self.get_ints("status")
    }

    /// True if some world had a status bit after the last [steps](Batch::step), which the CPU notes on the way; `None` on
    /// the GPU, where a look would wait for the steps.
    pub fn flagged(&self) -> Option<bool> {
        (self.backend() == Backend::Cpu).then_some(self.models.flagged)
    }

    /// Number of worlds with each bit of [`status`], in the order of its names.
    pub fn status_counts(&mut self) -> Result<Vec<(&'static str, usize)>> {
        let all = self.status()?;
        let count = |bit: i32| all.iter().filter(|&&s| s & bit != 0).count();
        Ok(status::WORDS.iter().map(|&(name, bit)| (name, count(bit))).collect())
    }

    /// Fraction of worlds whose positions and velocities are finite.
    pub fn finite_share(&mut self) -> Result<f64> {
        let (qpos, qvel) = (self.numbers("qpos")?, self.numbers("qvel")?);
        let finite = |v: &[f64], n: usize, w: usize| v[w * n..(w + 1) * n].iter().all(|x| x.is_finite());
        let (nq, nv) = (self.sizes.nq, self.sizes.nv);
        let good = (0..self.worlds).filter(|&w| finite(&qpos, nq, w) && finite(&qvel, nv, w)).count();
        Ok(good as f64 / self.worlds as f64)
    }
}

/// State of a world after a reset, without room for contacts.
#[cfg(feature = "gpu")]
fn initial(model: &Model, key: Option<usize>) -> Data {
    let mut data = Data::new(model, Capacity::NONE);
    data.reset(model, key);
    data
}
