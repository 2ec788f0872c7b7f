//! The engine that holds a batch's worlds, and its selection.

use super::numbers::write;
use super::overflow::{Overflow, room_on_cpu};
use super::{Backend, BatchOptions, cpu, memory};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::schema::{Field, Sizes};

/// Worlds on one backend.
#[derive(Debug)]
pub(super) enum Engine {
    Cpu(Vec<Data>),
    #[cfg(feature = "gpu")]
    Gpu {
        batch: Box<crate::gpu::GpuBatch>,
        device: String,
    },
}

impl Engine {
    /// Engine of the requested backend, and a notice if `Auto` fell back.
    pub(super) fn open(
        model: &Model,
        worlds: usize,
        sizes: &Sizes,
        options: &BatchOptions,
    ) -> Result<(Self, Option<String>)> {
        match options.backend {
            Backend::Cpu => Ok((Self::cpu(model, worlds, sizes, options)?, None)),
            Backend::Gpu => Ok((Self::gpu(model, worlds, sizes, options)?, None)),
            Backend::Auto => match Self::gpu(model, worlds, sizes, options) {
                Ok(engine) => Ok((engine, None)),
                // an invalid argument is an error on every device
                Err(Error::Argument(why)) => Err(Error::Argument(why)),
                Err(why) => {
                    let notice = format!("using the CPU backend: {why}");
                    Ok((Self::cpu(model, worlds, sizes, options)?, Some(notice)))
                }
            },
        }
    }

    fn cpu(model: &Model, worlds: usize, sizes: &Sizes, options: &BatchOptions) -> Result<Self> {
        memory::check_available(sizes, worlds)?;
        let capacity = Capacity::of(sizes);
        let room = match options.overflow {
            Overflow::Grow => room_on_cpu(model, sizes, worlds),
            Overflow::Flag | Overflow::Error => capacity,
        };
        Ok(Engine::Cpu(cpu::new(model, worlds, capacity, room)))
    }

    #[cfg(feature = "gpu")]
    fn gpu(model: &Model, worlds: usize, sizes: &Sizes, options: &BatchOptions) -> Result<Self> {
        use crate::gpu::{AdapterPreference, Gpu, GpuBatch};
        let is_chosen = options.backend == Backend::Gpu;
        // a software adapter is slower than the CPU backend: only on request
        let choice = if is_chosen { AdapterPreference::Any } else { AdapterPreference::Hardware };
        let gpu = match (&options.device, &options.adapter) {
            (Some(shared), _) if is_chosen || !shared.adapter().software => shared.clone(),
            (_, Some(wanted)) if is_chosen => Gpu::open_named(wanted)?,
            _ => Gpu::open(choice)?,
        };
        if gpu.adapter().software {
            memory::check_software(sizes, worlds)?;
        }
        let capacity = Capacity::of(sizes);
        let batch = GpuBatch::new(&gpu, model, worlds, capacity, &options.gpu)?;
        Ok(Engine::Gpu { batch: Box::new(batch), device: gpu.adapter().to_string() })
    }

    /// An engine for worlds of another model, in its initial state; `None` if worlds of this one serve it as well. On the
    /// CPU only `new_structure` needs other worlds.
    pub(super) fn with_model(
        &self,
        model: &Model,
        sizes: &Sizes,
        worlds: usize,
        options: &BatchOptions,
        new_structure: bool,
    ) -> Result<Option<Self>> {
        match self {
            Engine::Cpu(_) if !new_structure => Ok(None),
            Engine::Cpu(_) => Self::cpu(model, worlds, sizes, options).map(Some),
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, device } => {
                let capacity = Capacity::of(sizes);
                let batch = crate::gpu::GpuBatch::new(batch.gpu(), model, worlds, capacity, &options.gpu)?;
                Ok(Some(Engine::Gpu { batch: Box::new(batch), device: device.clone() }))
            }
        }
    }

    /// Writes `[world, …]` numbers of Data fields of some worlds; on the GPU at once.
    pub(super) fn set(&mut self, fields: &[(&Field, &[f64])], worlds: &[usize], sizes: &Sizes) -> Result<()> {
        match self {
            Engine::Cpu(all) => {
                for (field, values) in fields {
                    let rows = values.chunks(field.len(sizes).max(1));
                    worlds.iter().zip(rows).for_each(|(w, row)| write(&mut all[*w], field, row));
                }
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } => {
                let fields: Vec<(&str, &[f64])> =
                    fields.iter().map(|(field, values)| (field.name, *values)).collect();
                batch.set_fields(&fields, worlds)
            }
        }
    }

    /// Writes a Data field of every world, whatever stage it is of.
    pub(super) fn put(&mut self, field: &Field, sizes: &Sizes, values: &[f64]) -> Result<()> {
        match self {
            Engine::Cpu(worlds) => {
                let rows = values.chunks(field.len(sizes).max(1));
                worlds.iter_mut().zip(rows).for_each(|(data, row)| write(data, field, row));
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Engine::Gpu { batch, .. } if batch.has(field.name) => batch.set(field.name, values),
            #[cfg(feature = "gpu")]
            Engine::Gpu { .. } => Ok(()),
        }
    }

    #[cfg(not(feature = "gpu"))]
    fn gpu(_: &Model, _: usize, _: &Sizes, _: &BatchOptions) -> Result<Self> {
        Err(Error::Device("this build has no GPU backend; build with the feature 'gpu'".to_owned()))
    }
}
