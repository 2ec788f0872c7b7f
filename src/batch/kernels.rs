//! What only a batch in kernels has: its tiling and their search, memory traffic, fields from buffers on the device, and the
//! device for a caller's own kernels.

use super::access::{rejects_some, settable};
use super::engine::names_of;
use super::{Batch, Worlds};
use crate::error::{Error, Result};
use crate::gpu::tuning::cache::{Trial, TuningCache};
use crate::gpu::tuning::traffic::{MeanLoad, Traffic};
use crate::gpu::wgpu::BufferSlice;
use crate::gpu::{Gpu, GpuBatch, KernelOptions, Partition, Roofline, Tiling, TransferStats};
use crate::model::data::Data;
use crate::model::{DataField, FieldName};

impl Batch {
    /// Lanes per world, worlds per workgroup and grouping of the stages; `None` on the CPU.
    pub fn kernel_tiling(&self) -> Option<(Tiling, Partition)> {
        self.engine.kernels().map(|batch| (batch.tiling(), batch.partition()))
    }

    /// Tunes the kernels for worlds like these in their current state, within about `seconds`; every trial is
    /// reported to `on_trial`, and options set in `fixed` are not varied. The worlds of this batch are neither
    /// stepped nor freed.
    ///
    /// # Errors
    /// [`Error::Argument`] on the CPU backend; else as [`crate::gpu::tuning::tune::search`].
    pub fn search(
        &mut self,
        fixed: &KernelOptions,
        seconds: f64,
        on_trial: &mut dyn FnMut(&Trial),
    ) -> Result<Trial> {
        self.engine.refresh_models()?;
        self.engine.flush()?;
        let Some(batch) = self.engine.kernels() else {
            return Err(Error::Argument("the CPU backend has nothing to search for".to_owned()));
        };
        let models = self.engine.models();
        let state = Data::<f64>::FIELDS.iter().filter(|f| f.role.is_state());
        let start = state.chain(models.varied()).filter(|f| batch.has(f.name));
        let start = start.map(|f| Ok((f.name, batch.get(f.name)?))).collect::<Result<Vec<_>>>()?;
        let fixed = KernelOptions { per_world: names_of(models), ..fixed.clone() };
        let (gpu, capacity) = (batch.gpu(), self.capacity());
        let model = models.base();
        crate::gpu::tuning::tune::search(gpu, model, self.worlds, capacity, &start, &fixed, seconds, on_trial)
    }

    /// Stores the result of a search for this model, number of worlds and device; nothing on the CPU backend.
    ///
    /// # Errors
    /// As [`TuningCache::store`].
    pub fn store_tuning(&self, cache: &mut TuningCache, found: &Trial) -> Result<()> {
        match self.engine.kernels() {
            Some(batch) => cache.store(batch.gpu().adapter(), self.model(), self.worlds, found),
            None => Ok(()),
        }
    }

    /// The device on which the worlds step, with its queue; none on the CPU backend. What is submitted to the queue runs
    /// after the calls before and before the calls after.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.engine.kernels().map(GpuBatch::gpu)
    }

    /// Sets a state field of some worlds from rows `[world, …]` in a buffer on the [device of the batch](Batch::gpu), as
    /// [`Batch::set`] does from the host: `f32`, or `i32` for an integer field. The numbers do not come to the host, and
    /// nothing is waited for. The buffer is read after what was submitted to the queue before, and may be written to again
    /// by what is submitted later; where a batch has to grow, it has a copy. It has to be made by the device of the batch:
    /// wgpu tells devices of one instance apart, but not those of several.
    ///
    /// ```
    /// use manyworlds::gpu::wgpu;
    /// use manyworlds::prelude::*;
    /// # fn main() -> Result<()> {
    /// # let text = "<mujoco><worldbody><body><joint name='a'/><geom size='0.1'/></body></worldbody>
    /// #     <actuator><motor joint='a'/></actuator></mujoco>";
    /// # let model = load_str(text)?;
    /// # let Ok(mut batch) = Batch::new(&model, 4, &BatchOptions::on(Backend::Gpu)) else { return Ok(()) };
    /// # let Some(gpu) = batch.gpu() else { return Ok(()) };
    /// let actions = gpu.device().create_buffer(&wgpu::BufferDescriptor {
    ///     label: Some("actions"),
    ///     size: 4 * 4,
    ///     usage: wgpu::BufferUsages::STORAGE,
    ///     mapped_at_creation: false,
    /// });
    /// // kernels of a policy write to it on `gpu.queue()`
    /// batch.set_from_buffer("ctrl", .., actions.slice(..))?;
    /// batch.step(1)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown or computed field, for one of which [`Batch::set`] rejects some numbers (such as
    /// `mocap_pos`), which have to be looked at on the host, and for a buffer of another size or without the usage
    /// `STORAGE`; [`Error::Unsupported`] on the CPU backend; [`Error::Device`] for a buffer that is mapped, destroyed or of
    /// another device of the instance, and for a lost device. As [`Worlds::resolve`].
    pub fn set_from_buffer<'w>(
        &mut self,
        field: impl FieldName<DataField>,
        worlds: impl Into<Worlds<'w>>,
        rows: BufferSlice<'_>,
    ) -> Result<()> {
        let entry = settable(field.entry()?)?;
        let worlds = self.resolve(worlds)?;
        if rejects_some(entry) {
            let name = entry.name;
            return Err(Error::Argument(format!(
                "numbers of '{name}' are checked on the host, so that it cannot be set from a buffer; use `set`"
            )));
        }
        self.engine.write_from_buffer(entry, &worlds, rows)
    }

    /// The batch on the device, for kernels of a caller's own beside these: device, queue, buffers and their layout. `None`
    /// on the CPU backend. A world that was reset for a bad acceleration since the batch last looked takes its step when it
    /// next looks.
    pub fn on_device(&mut self) -> Option<&GpuBatch> {
        self.engine.on_device().ok().flatten().map(|batch| &*batch)
    }

    /// Bytes that were copied between host and device so far; none on the CPU backend.
    pub fn transfer_stats(&self) -> TransferStats {
        self.engine.kernels().map(GpuBatch::transfer_stats).unwrap_or_default()
    }

    /// Bytes that each dispatch of a step moves per world, with the stages grouped by `partition`, or as they
    /// are: see [`traffic`](crate::gpu::tuning::traffic). `None` on the CPU.
    pub fn traffic(&self, partition: Option<Partition>, load: MeanLoad) -> Option<Vec<Traffic>> {
        self.engine.kernels().map(|batch| batch.traffic(partition, load))
    }

    /// Measured peak throughput of the device; `None` on the CPU.
    ///
    /// # Errors
    /// [`Error::Device`] if the device is lost.
    pub fn roofline(&self) -> Result<Option<Roofline>> {
        self.engine.kernels().map(|batch| batch.gpu().roofline()).transpose()
    }
}
