//! Kernels that grow: whatever reads or changes worlds flushes the log first, see [`replay`](super::replay).

use super::gpu::GpuEngine;
use super::replay::{Entry, Growing};
use super::{Call, Columns, Engine, Pending, Recording};
use crate::batch::models::Models;
use crate::batch::{Backend, ColdStart, Growth, Overflow};
use crate::error::Result;
use crate::gpu::GpuBatch;
use crate::gpu::wgpu::BufferSlice;
use crate::model::Model;
use crate::model::capacity::max_capacity;
use crate::model::data::{Capacity, Data};
use crate::schema::enums::disable;
use crate::schema::{Field, Numbers, Sizes};

/// Worlds in kernels that grow as `overflow` says, and take the steps that they owe.
pub(super) fn grow(engine: GpuEngine, overflow: Overflow) -> Growing<GpuEngine> {
    let model = engine.models().base();
    let frame_skip = model.task.as_ref().map_or(0, |task| task.frame_skip());
    let (limit, takes_owed) = (limit(model, 0), !model.disabled(disable::AUTORESET));
    Growing::new(engine, overflow, limit, takes_owed, frame_skip)
}

/// What worlds can want, with rows beyond those of their common model.
fn limit(model: &Model, rows: usize) -> Capacity {
    let limit = max_capacity(model);
    Capacity { njmax: limit.njmax.saturating_add(rows), ..limit }
}

impl Engine for Growing<GpuEngine> {
    fn backend(&self) -> Backend {
        self.engine().backend()
    }

    fn device(&self) -> String {
        self.engine().device()
    }

    fn sizes(&self) -> &Sizes {
        self.engine().sizes()
    }

    fn bytes_per_world(&self) -> usize {
        self.engine().bytes_per_world()
    }

    fn cold_start(&self) -> ColdStart {
        self.engine().cold_start()
    }

    fn models(&self) -> &Models {
        self.engine().models()
    }

    fn has(&self, field: &str) -> bool {
        self.engine().has(field)
    }

    fn growth(&self) -> &[Growth] {
        Growing::growth(self)
    }

    fn flagged(&self) -> Option<bool> {
        self.engine().flagged()
    }

    fn rounds_by_call(&self) -> bool {
        self.engine().rounds_by_call()
    }

    fn prepare(&mut self) -> Result<()> {
        self.beside_log().prepare()
    }

    fn call(&mut self, call: Call) -> Result<()> {
        self.refresh_models()?;
        // what other worlds hold is no result of a call that is made again
        if matches!(call, Call::ForwardOf(_) | Call::Restart(_)) {
            self.flushed()?;
        }
        Growing::call(self, call)
    }

    fn flush(&mut self) -> Result<()> {
        self.flushed().map(|_| ())
    }

    fn wait(&mut self) -> Result<()> {
        self.flushed()?.wait()
    }

    fn forgo_owed_steps(&mut self) {
        Growing::forgo_owed_steps(self);
    }

    fn check_state(&mut self) -> Result<()> {
        self.flushed()?.check_state()
    }

    fn reset(&mut self, worlds: &[usize], keys: &[Option<usize>]) -> Result<()> {
        self.flushed()?.reset(worlds, keys)
    }

    fn clear_counters(&mut self, worlds: &[usize]) -> Result<()> {
        self.flushed()?.clear_counters(worlds)
    }

    fn broadcast(&mut self, from: usize, worlds: &[usize]) -> Result<()> {
        self.flushed()?.broadcast(from, worlds)
    }

    fn write(&mut self, columns: &Columns<'_>, worlds: &[usize]) -> Result<()> {
        Growing::write(self, columns, worlds)
    }

    fn write_from_buffer(
        &mut self,
        field: &'static Field,
        worlds: &[usize],
        rows: BufferSlice<'_>,
    ) -> Result<()> {
        self.write_with(|engine, is_logged| {
            engine.write_from_buffer(field, worlds, rows)?;
            if !is_logged || rows.size() == 0 {
                return Ok(None);
            }
            // the caller may write to his buffer before a replay
            let copy = engine.copy_to_buffer(field, worlds)?;
            Ok(Some(Entry::Rows(field, worlds.to_vec(), copy)))
        })
    }

    fn read(&mut self, fields: &[&'static Field], worlds: &[usize]) -> Result<Vec<Numbers>> {
        Growing::read(self, |engine| engine.read(fields, worlds))
    }

    fn read_later(&mut self, field: &'static Field, worlds: &[usize]) -> Result<Box<dyn Pending>> {
        self.flushed()?.read_later(field, worlds)
    }

    fn world(&mut self, world: usize) -> Result<Data> {
        self.flushed()?.world(world)
    }

    fn step_outputs(&mut self) -> Result<Option<Vec<Numbers>>> {
        Growing::step_outputs(self)
    }

    fn rollout(&mut self, recording: Recording<'_>) -> Result<Vec<Vec<f64>>> {
        self.refresh_models()?;
        self.record(recording)
    }

    fn stage_times(&mut self, split: bool) -> Result<Vec<(String, f64)>> {
        self.flushed()?.stage_times(split)
    }

    /// Models that were written have flushed the log: what follows from them concerns no call in it.
    fn refresh_models(&mut self) -> Result<()> {
        self.beside_log().refresh_models()
    }

    fn write_model(&mut self, field: &str, worlds: &[usize], rows: &[f64]) -> Result<()> {
        // the calls before had other values
        self.flushed()?.write_model(field, worlds, rows)
    }

    fn read_model(&mut self, field: &str, worlds: &[usize]) -> Result<Vec<f64>> {
        self.flushed()?.read_model(field, worlds)
    }

    fn vary(&mut self, models: Models, sizes: Sizes, rows: usize) -> Result<()> {
        self.flushed()?.vary(models, sizes, rows)?;
        self.set_limit(limit(self.models().base(), rows));
        Ok(())
    }

    fn add_kernel(&mut self, name: &str, text: &str) -> Result<usize> {
        self.beside_log().add_kernel(name, text)
    }

    fn kernels(&self) -> Option<&GpuBatch> {
        self.engine().kernels()
    }

    fn on_device(&mut self) -> Result<Option<&mut GpuBatch>> {
        self.released()?.on_device()
    }
}
