//! Engines: the worlds of a batch and their models on one backend, behind one trait.
//!
//! An engine trusts its arguments: names, shapes and numbers are checked by the [`Batch`](super::Batch) in front of it.

mod cpu;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "gpu")]
mod growing;
#[cfg(any(feature = "gpu", test))]
mod replay;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::models::Models;
use super::{Backend, BatchOptions, ColdStart, Growth};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::schema::{Elem, Field, Numbers, NumbersRef, Sizes};

/// Calls that compute something in worlds. From the same state they give the same bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Call {
    /// Steps.
    Step(usize),
    /// Forward dynamics.
    Forward,
    /// Forward dynamics of some worlds, in ascending order.
    ForwardOf(Vec<usize>),
    /// Inverse dynamics.
    Inverse,
    /// A step of the task.
    Task,
    /// A step of the task under an action, `[world, naction]`.
    Act(Numbers),
    /// The begin of episodes of some worlds, in ascending order.
    Restart(Vec<usize>),
    /// A kernel of a caller's own, by its place.
    Kernel(usize),
}

/// Fields and their numbers, `[world, …]` each.
pub(super) type Columns<'a> = [(&'static Field, NumbersRef<'a>)];

/// Steps under given controls, with records of some fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recording<'a> {
    pub(super) steps: usize,
    /// `[world, step, nu]`; none: worlds keep the controls that they have.
    pub(super) controls: Option<&'a [f64]>,
    pub(super) fields: &'a [&'static Field],
    /// Steps from one frame to the next.
    pub(super) every: usize,
}

/// Numbers that may be on their way from a device.
pub(super) trait Pending: std::fmt::Debug + Send {
    /// The numbers; waits for them.
    fn wait(self: Box<Self>) -> Result<Vec<f64>>;
}

/// Numbers that are here.
impl Pending for Vec<f64> {
    fn wait(self: Box<Self>) -> Result<Vec<f64>> {
        Ok(*self)
    }
}

/// Worlds and their models on one backend. Lists of worlds are in ascending order, each world once.
pub(super) trait Engine: std::fmt::Debug + Send + Sync {
    /// The backend: never [`Backend::Auto`].
    fn backend(&self) -> Backend;

    /// Description of the device.
    fn device(&self) -> String;

    /// Axis lengths, with the present capacities.
    fn sizes(&self) -> &Sizes;

    /// Bytes of a world.
    fn bytes_per_world(&self) -> usize;

    /// Seconds spent on opening and building so far, but for the probe.
    fn cold_start(&self) -> ColdStart;

    /// Models of the worlds.
    fn models(&self) -> &Models;

    /// True if a field of Data is stored; on the GPU, also for fields of the model that differ from world to world.
    fn has(&self, field: &str) -> bool;

    /// Enlargements so far.
    fn growth(&self) -> &[Growth];

    /// True if some world had a status bit after the last steps; `None` where a look would wait for them.
    fn flagged(&self) -> Option<bool>;

    /// True if steps before the last of a call have kernels of their own, which a compiler may round differently.
    fn rounds_by_call(&self) -> bool {
        false
    }

    /// Builds what steps need.
    fn prepare(&mut self) -> Result<()>;

    /// Makes a call.
    fn call(&mut self, call: Call) -> Result<()>;

    /// Makes calls again that lacked something: after that capacities are final, and nothing is made again.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Waits for all calls.
    fn wait(&mut self) -> Result<()>;

    /// Leaves worlds that are reset for a bad acceleration where they are reset, as nobody wants them any more.
    fn forgo_owed_steps(&mut self);

    /// Validates the state, as a step does first.
    fn check_state(&mut self) -> Result<()>;

    /// Resets worlds, each to a keyframe or to its initial state, and clears their counters.
    fn reset(&mut self, worlds: &[usize], keys: &[Option<usize>]) -> Result<()>;

    /// Clears what steps count.
    fn clear_counters(&mut self, worlds: &[usize]) -> Result<()>;

    /// Copies a world and its model to others.
    fn broadcast(&mut self, from: usize, worlds: &[usize]) -> Result<()>;

    /// Writes fields of Data, `[world, …]`.
    fn write(&mut self, columns: &Columns<'_>, worlds: &[usize]) -> Result<()>;

    /// Writes a field of Data from rows, `[world, …]`, in a buffer on the device.
    #[cfg(feature = "gpu")]
    fn write_from_buffer(
        &mut self,
        field: &'static Field,
        worlds: &[usize],
        rows: crate::gpu::wgpu::BufferSlice<'_>,
    ) -> Result<()> {
        let _ = (worlds, rows);
        let name = field.name;
        Err(Error::Unsupported(format!(
            "'{name}' from a buffer: the CPU backend reads no buffers of a device; use the GPU backend, or set numbers"
        )))
    }

    /// Reads fields of Data, `[field][world, …]`; all in one copy.
    fn read(&mut self, fields: &[&'static Field], worlds: &[usize]) -> Result<Vec<Numbers>>;

    /// Starts to read a field, as it is now.
    fn read_later(&mut self, field: &'static Field, worlds: &[usize]) -> Result<Box<dyn Pending>>;

    /// A world with everything that is stored of it.
    fn world(&mut self, world: usize) -> Result<Data>;

    /// What the last step of the task has shown, the fields of [`STEP_OUTPUTS`](crate::model::task::STEP_OUTPUTS), where
    /// it is on its way from the device.
    fn step_outputs(&mut self) -> Result<Option<Vec<Numbers>>>;

    /// Takes steps and records fields, `[field][world, frame, …]`.
    fn rollout(&mut self, recording: Recording<'_>) -> Result<Vec<Vec<f64>>>;

    /// Nanoseconds per world and step of each stage, or of each dispatch.
    fn stage_times(&mut self, split: bool) -> Result<Vec<(String, f64)>>;

    /// Recomputes what follows from fields of models that were written.
    fn refresh_models(&mut self) -> Result<()>;

    /// Writes a field that differs from world to world, `[world, …]`.
    fn write_model(&mut self, field: &str, worlds: &[usize], rows: &[f64]) -> Result<()>;

    /// Reads a field of the models, `[world, …]`.
    fn read_model(&mut self, field: &str, worlds: &[usize]) -> Result<Vec<f64>>;

    /// Gives the worlds, which keep their state, models in which other fields differ; worlds may want `rows` more than
    /// their common model can. Nothing changes in case of an error.
    fn vary(&mut self, models: Models, sizes: Sizes, rows: usize) -> Result<()>;

    /// The batch on a device, for what does not change it.
    #[cfg(feature = "gpu")]
    fn kernels(&self) -> Option<&crate::gpu::GpuBatch> {
        None
    }

    /// Adds a kernel of a caller's own, and returns its place.
    fn add_kernel(&mut self, name: &str, text: &str) -> Result<usize> {
        let _ = text;
        Err(no_kernels(&format!("kernel '{name}'")))
    }

    /// The batch on a device, for kernels of a caller's own: what they do is no call that can be made again.
    #[cfg(feature = "gpu")]
    fn on_device(&mut self) -> Result<Option<&mut crate::gpu::GpuBatch>> {
        Ok(None)
    }
}

/// Fields that outlast a step, and where trees sleep, whose results stay, all numbers but those of contacts and rows.
pub(super) fn lasting(engine: &dyn Engine) -> Vec<&'static Field> {
    let sleeps = engine.models().base().has_sleep();
    let lasts = |f: &&Field| f.outlasts_a_step() || (sleeps && f.elem == Elem::Real && f.is_result());
    let stored = |f: &&Field| engine.has(f.name) && f.len(engine.sizes()) > 0;
    Data::<f64>::FIELDS.iter().filter(lasts).filter(stored).collect()
}

/// The engine of the requested backend, and a notice if [`Backend::Auto`] fell back.
pub(super) fn open(
    model: &Model,
    worlds: usize,
    capacity: Capacity,
    options: &BatchOptions,
) -> Result<(Box<dyn Engine>, Option<String>)> {
    let model = Arc::new(model.clone());
    let cpu = || -> Result<Box<dyn Engine>> {
        Ok(Box::new(cpu::CpuEngine::open(Arc::clone(&model), worlds, capacity, options.overflow)?))
    };
    match options.backend {
        Backend::Cpu => Ok((cpu()?, None)),
        Backend::Gpu => Ok((open_gpu(&model, worlds, capacity, options)?, None)),
        Backend::Auto => match open_gpu(&model, worlds, capacity, options) {
            Ok(engine) => Ok((engine, None)),
            Err(why @ (Error::Device { .. } | Error::Memory(_) | Error::Unsupported(_))) => {
                Ok((cpu()?, Some(format!("using the CPU backend: {why}"))))
            }
            // what is wrong on every device
            Err(why) => Err(why),
        },
    }
}

/// Worlds in kernels, which grow and take again what they owe.
#[cfg(feature = "gpu")]
fn open_gpu(
    model: &Arc<Model>,
    worlds: usize,
    capacity: Capacity,
    options: &BatchOptions,
) -> Result<Box<dyn Engine>> {
    let engine = gpu::GpuEngine::open(Arc::clone(model), worlds, capacity, options)?;
    Ok(Box::new(growing::grow(engine, options.overflow)))
}

#[cfg(not(feature = "gpu"))]
fn open_gpu(_: &Arc<Model>, _: usize, _: Capacity, _: &BatchOptions) -> Result<Box<dyn Engine>> {
    Err(Error::device("this build has no GPU backend; build with the feature 'gpu'"))
}

/// What the CPU says of kernels.
fn no_kernels(what: &str) -> Error {
    Error::Unsupported(format!("{what}: the CPU backend runs no kernels; use the GPU backend"))
}

/// Fields of a model that differ from world to world, by name.
pub(super) fn names_of(models: &Models) -> BTreeSet<&'static str> {
    models.varied().map(|f| f.name).collect()
}
