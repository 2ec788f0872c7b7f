//! Worlds in kernels, with capacities that stay: [`growing`](super::growing) enlarges them.

use std::sync::Arc;

use web_time::Instant;

use super::replay::{Entry, Replay};
use super::{Call, Columns, Engine, Pending, Recording, lasting, names_of};
use crate::batch::models::Models;
use crate::batch::numbers::{of_words, write};
use crate::batch::{Backend, BatchOptions, ColdStart, Growth, memory};
use crate::error::Result;
use crate::gpu::wgpu::{Buffer, BufferSlice};
use crate::gpu::{AdapterPreference, FieldReadback, Gpu, GpuBatch, KernelOptions};
use crate::model::Model;
use crate::model::data::{Capacity, Data};
use crate::model::state::names;
use crate::schema::stages::Stage;
use crate::schema::{Demand, Field, Need, Numbers, NumbersRef, Role, Sizes};

/// Steps over which stages are timed.
const TIMED_STEPS: usize = 20;

/// Worlds on a device.
#[derive(Debug)]
pub(super) struct GpuEngine {
    batch: Box<GpuBatch>,
    models: Models,
    sizes: Sizes,
    options: KernelOptions,
    /// Kernels of a caller, by name and text: new batches have them too.
    own_kernels: Vec<(String, String)>,
    /// Seconds for opening the device.
    opening: f64,
}

impl Pending for FieldReadback {
    fn wait(self: Box<Self>) -> Result<Vec<f64>> {
        FieldReadback::wait(*self)
    }
}

impl GpuEngine {
    /// Worlds in their initial state on the adapter that the options name.
    pub(super) fn open(
        model: Arc<Model>,
        worlds: usize,
        capacity: Capacity,
        options: &BatchOptions,
    ) -> Result<Self> {
        let begin = Instant::now();
        let gpu = device(options)?;
        if gpu.adapter().software {
            memory::check_software(&capacity.sizes(&model), worlds)?;
        }
        let batch = Box::new(GpuBatch::new(&gpu, Arc::clone(&model), worlds, capacity, &options.gpu)?);
        let (sizes, opening) = (*batch.sizes(), begin.elapsed().as_secs_f64() - batch.build_times().total());
        let (models, own_kernels) = (Models::new(model), Vec::new());
        Ok(Self { batch, models, sizes, options: options.gpu.clone(), own_kernels, opening })
    }

    /// Sends some of the fields that differ from world to world.
    fn send_models(&mut self, worlds: &[usize], wanted: impl Fn(&Field) -> bool) -> Result<()> {
        let wanted = self.models.varied().filter(|f| wanted(f) && self.batch.has(f.name));
        let rows = wanted.map(|f| {
            let rows = worlds.iter().flat_map(|w| self.models.column(*w, f.name));
            (f.name, rows.collect::<Vec<f64>>())
        });
        let rows: Vec<_> = rows.collect();
        let fields: Vec<_> = rows.iter().map(|(name, rows)| (*name, NumbersRef::from(rows))).collect();
        self.batch.set_fields(&fields, worlds)
    }

    /// A field of some worlds in a buffer on the device.
    pub(super) fn copy_to_buffer(&self, field: &Field, worlds: &[usize]) -> Result<Buffer> {
        self.batch.copy_to_buffer(field.name, worlds)
    }

    /// Builds the caller's kernels for a new batch.
    fn add_own_kernels(&self, batch: &mut GpuBatch) -> Result<()> {
        self.own_kernels.iter().try_for_each(|(name, text)| batch.add_kernel(name, text).map(|_| ()))
    }

    /// True for a field with elements that not kernels alone read.
    fn is_for_others(&self, field: &Field) -> bool {
        field.traits.need != Need::Kernels && field.len(&self.sizes) > 0
    }

    fn all_worlds(&self) -> Vec<usize> {
        (0..self.batch.worlds()).collect()
    }

    /// Results that calls which begin with this one do not compute, of other worlds, or read.
    fn results_before(&self, first: Option<&Entry>) -> Result<Vec<(&'static Field, Numbers)>> {
        if !matches!(first, Some(Entry::Call(Call::ForwardOf(_) | Call::Inverse | Call::Restart(_)))) {
            return Ok(Vec::new());
        }
        let stored = |f: &&Field| self.batch.has(f.name) && !f.outlasts_a_step() && self.is_for_others(f);
        let fields = Data::<f64>::FIELDS.iter().filter(stored);
        fields.map(|f| Ok((f, Numbers::F64(self.batch.get(f.name)?)))).collect()
    }
}

/// The device that the options name, or the one that the batches of this process share.
fn device(options: &BatchOptions) -> Result<Gpu> {
    let is_chosen = options.backend == Backend::Gpu;
    // a software adapter is slower than the CPU backend: only on request
    let choice = if is_chosen { AdapterPreference::Any } else { AdapterPreference::Hardware };
    match &options.device {
        Some(given) if is_chosen || !given.adapter().software => Ok(given.clone()),
        _ => Gpu::shared(options.adapter.as_deref().filter(|_| is_chosen), choice),
    }
}

impl Engine for GpuEngine {
    fn backend(&self) -> Backend {
        Backend::Gpu
    }

    fn device(&self) -> String {
        self.batch.gpu().adapter().to_string()
    }

    fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    fn bytes_per_world(&self) -> usize {
        self.batch.bytes_per_world()
    }

    fn cold_start(&self) -> ColdStart {
        let built = self.batch.build_times();
        let (buffers, pipelines, first_run) = (built.buffers, built.pipelines, built.first);
        ColdStart { device: self.opening, buffers, pipelines, first_run, ..ColdStart::default() }
    }

    fn models(&self) -> &Models {
        &self.models
    }

    fn has(&self, field: &str) -> bool {
        self.batch.has(field)
    }

    fn growth(&self) -> &[Growth] {
        &[]
    }

    fn flagged(&self) -> Option<bool> {
        None
    }

    fn rounds_by_call(&self) -> bool {
        self.batch.has_reduced_stores()
    }

    fn prepare(&mut self) -> Result<()> {
        self.batch.prepare()
    }

    fn call(&mut self, call: Call) -> Result<()> {
        self.refresh_models()?;
        self.apply(&Entry::Call(call), false)
    }

    fn wait(&mut self) -> Result<()> {
        self.batch.wait()
    }

    /// Nobody takes them here.
    fn forgo_owed_steps(&mut self) {}

    fn check_state(&mut self) -> Result<()> {
        self.refresh_models()?;
        self.batch.run_stages(&[Stage::check_state])
    }

    fn reset(&mut self, worlds: &[usize], keys: &[Option<usize>]) -> Result<()> {
        self.refresh_models()?;
        if !self.models.starts_differ() {
            return self.batch.reset_worlds(worlds, keys);
        }
        // each world to its own initial state
        let initial = |(w, key): (&usize, &Option<usize>)| {
            let model = self.models.of(*w);
            let mut data = Data::new(&model, Capacity::NONE);
            data.reset(&model, *key);
            data
        };
        let states: Vec<Data> = worlds.iter().zip(keys).map(initial).collect();
        self.batch.reset_to(worlds, &states)
    }

    fn clear_counters(&mut self, worlds: &[usize]) -> Result<()> {
        let zeros = vec![0; worlds.len()];
        let fields: Vec<_> = names(&[Role::Counter]).map(|name| (name, NumbersRef::from(&zeros))).collect();
        self.batch.set_fields(&fields, worlds)
    }

    fn broadcast(&mut self, from: usize, worlds: &[usize]) -> Result<()> {
        self.refresh_models()?;
        self.models.broadcast(from, worlds);
        self.batch.broadcast(from, worlds)
    }

    fn write(&mut self, columns: &Columns<'_>, worlds: &[usize]) -> Result<()> {
        self.write_columns(columns, worlds)
    }

    fn write_from_buffer(
        &mut self,
        field: &'static Field,
        worlds: &[usize],
        rows: BufferSlice<'_>,
    ) -> Result<()> {
        self.batch.set_from_buffer(field.name, worlds, rows)
    }

    fn read(&mut self, fields: &[&'static Field], worlds: &[usize]) -> Result<Vec<Numbers>> {
        let names: Vec<&str> = fields.iter().map(|f| f.name).collect();
        let words = self.batch.get_words(&names, worlds)?;
        Ok(fields.iter().zip(words).map(|(field, words)| of_words(field.elem, words)).collect())
    }

    fn read_later(&mut self, field: &'static Field, worlds: &[usize]) -> Result<Box<dyn Pending>> {
        Ok(Box::new(self.batch.get_later(field.name, worlds)?))
    }

    fn world(&mut self, world: usize) -> Result<Data> {
        let mut data = Data::zeroed(self.sizes);
        let stored = |f: &&'static Field| self.has(f.name) && self.is_for_others(f);
        let fields: Vec<&'static Field> = Data::<f64>::FIELDS.iter().filter(stored).collect();
        for (field, values) in fields.iter().zip(self.read(&fields, &[world])?) {
            write(&mut data, field, values.as_ref());
        }
        // kernels keep no order in the rows beyond the last
        data.forget_spans();
        Ok(data)
    }

    fn step_outputs(&mut self) -> Result<Option<Vec<Numbers>>> {
        Ok(self.batch.step_outputs()?.map(|(words, _)| step_outputs(words)))
    }

    fn rollout(&mut self, recording: Recording<'_>) -> Result<Vec<Vec<f64>>> {
        self.refresh_models()?;
        self.record(recording, false)
    }

    fn stage_times(&mut self, split: bool) -> Result<Vec<(String, f64)>> {
        self.refresh_models()?;
        self.batch.stage_times(TIMED_STEPS, split)
    }

    fn refresh_models(&mut self) -> Result<()> {
        let worlds = self.models.refresh();
        if worlds.is_empty() {
            return Ok(());
        }
        self.send_models(&worlds, |f| !f.traits.follows.is_empty())
    }

    fn write_model(&mut self, field: &str, worlds: &[usize], rows: &[f64]) -> Result<()> {
        self.models.put_rows(field, worlds, rows);
        self.send_models(worlds, |f| f.name == field)
    }

    /// As kernels read it, where they do.
    fn read_model(&mut self, field: &str, worlds: &[usize]) -> Result<Vec<f64>> {
        self.refresh_models()?;
        if self.batch.has(field) {
            return Ok(self.batch.get_worlds(&[field], worlds)?.pop().unwrap_or_default());
        }
        Ok(worlds.iter().flat_map(|w| self.models.column(*w, field)).collect())
    }

    fn vary(&mut self, models: Models, sizes: Sizes, _: usize) -> Result<()> {
        // new kernels, with the same state
        let options = KernelOptions { per_world: names_of(&models), ..self.options.clone() };
        let (gpu, worlds) = (self.batch.gpu(), self.batch.worlds());
        let mut batch =
            GpuBatch::new(gpu, Arc::clone(models.base()), worlds, Capacity::of(&sizes), &options)?;
        self.add_own_kernels(&mut batch)?;
        let sizes = *batch.sizes();
        let same = |f: &&Field| f.len(&self.sizes) == f.len(&sizes) && batch.has(f.name);
        let fields: Vec<&'static Field> = lasting(self).into_iter().filter(same).collect();
        for field in fields {
            batch.set(field.name, &self.batch.get(field.name)?)?;
        }
        *self.batch = batch;
        (self.models, self.sizes, self.options) = (models, sizes, options);
        self.send_models(&self.all_worlds(), |_| true)
    }

    fn add_kernel(&mut self, name: &str, text: &str) -> Result<usize> {
        let place = self.batch.add_kernel(name, text)?;
        self.own_kernels.push((name.to_owned(), text.to_owned()));
        Ok(place)
    }

    fn kernels(&self) -> Option<&GpuBatch> {
        Some(&self.batch)
    }

    fn on_device(&mut self) -> Result<Option<&mut GpuBatch>> {
        self.batch.clear_step_outputs();
        Ok(Some(&mut self.batch))
    }
}

/// What a step of the task shows, from the bits of its fields.
fn step_outputs(words: Vec<Vec<u32>>) -> Vec<Numbers> {
    let elem = |name: &str| Data::<f64>::FIELDS.iter().find(|f| f.name == name).map(|f| f.elem);
    let shown = crate::model::task::STEP_OUTPUTS.iter().filter_map(|name| elem(name));
    shown.zip(words).map(|(elem, words)| of_words(elem, words)).collect()
}

impl Replay for GpuEngine {
    fn capacity(&self) -> Capacity {
        Capacity::of(&self.sizes)
    }

    fn checkpoint(&mut self, first: Option<&Entry>) -> Result<()> {
        match first {
            // the submission of this call copies the state itself
            Some(Entry::Call(Call::Act(_))) => self.batch.reserve_checkpoint(),
            _ => self.batch.checkpoint(),
        }
    }

    fn restore(&mut self) -> Result<()> {
        let checkpoint = self.batch.read_checkpoint()?;
        self.batch.restore(checkpoint)
    }

    fn apply(&mut self, entry: &Entry, is_first: bool) -> Result<()> {
        match entry {
            Entry::Write(columns, worlds) => {
                let columns: Vec<_> = columns.iter().map(|(field, v)| (*field, v.as_ref())).collect();
                self.write_columns(&columns, worlds)
            }
            Entry::Rows(field, worlds, rows) => {
                self.batch.set_from_buffer(field.name, worlds, rows.slice(..))
            }
            Entry::Call(Call::Step(n)) => self.batch.step(*n),
            Entry::Call(Call::Forward) => self.batch.forward(),
            Entry::Call(Call::ForwardOf(worlds)) => self.batch.forward_worlds(worlds),
            Entry::Call(Call::Inverse) => self.batch.inverse(),
            Entry::Call(Call::Task) => self.batch.step_task(),
            Entry::Call(Call::Act(action)) => self.batch.act(action.as_ref(), is_first),
            Entry::Call(Call::Restart(worlds)) => self.batch.restart_worlds(worlds),
            Entry::Call(Call::Kernel(place)) => self.batch.run_kernel(*place),
        }
    }

    fn apply_with_owed(&mut self, entry: &Entry) -> Result<()> {
        match entry {
            Entry::Call(Call::Step(n)) => {
                self.batch.step(*n)?;
                self.batch.take_owed_steps()
            }
            Entry::Call(Call::Task) => self.batch.step_task_with_owed(),
            Entry::Call(Call::Act(action)) => {
                let all = self.all_worlds();
                self.batch.set_fields(&[("action", action.as_ref())], &all)?;
                self.batch.step_task_with_owed()
            }
            other => self.apply(other, false),
        }
    }

    fn write_columns(&mut self, columns: &Columns<'_>, worlds: &[usize]) -> Result<()> {
        let fields: Vec<_> = columns.iter().map(|(field, values)| (field.name, *values)).collect();
        self.batch.set_fields(&fields, worlds)
    }

    fn finish(&mut self) -> Result<()> {
        self.batch.wait()
    }

    fn record(&mut self, recording: Recording<'_>, with_owed: bool) -> Result<Vec<Vec<f64>>> {
        let Recording { steps, controls, fields, every } = recording;
        let fields: Vec<&str> = fields.iter().map(|field| field.name).collect();
        match with_owed {
            false => self.batch.rollout(steps, controls, &fields, every),
            true => self.batch.rollout_with_owed(steps, controls, &fields, every),
        }
    }

    fn look_for_demand(&mut self) -> Result<()> {
        self.batch.request_demand()
    }

    fn look_for_demand_later(&mut self) {
        self.batch.postpone_demand();
    }

    fn demand(&mut self) -> Result<Demand> {
        self.batch.demand()
    }

    fn step_outputs_with_demand(&mut self) -> Result<Option<(Vec<Numbers>, Demand)>> {
        let outputs = self.batch.step_outputs()?;
        Ok(outputs.map(|(words, demand)| (step_outputs(words), demand)))
    }

    fn enlarge(&mut self, to: Capacity, first: Option<&Entry>) -> Result<bool> {
        let checkpoint = self.batch.read_checkpoint()?;
        let results = self.results_before(first)?;
        let needed = to.sizes(self.models.base());
        let (gpu, worlds) = (self.batch.gpu(), self.batch.worlds());
        // memory of a software adapter is the machine's
        let enough = if gpu.adapter().software { memory::check_software(&needed, worlds) } else { Ok(()) };
        let made = enough.and_then(|()| {
            let mut batch = GpuBatch::new(gpu, Arc::clone(self.models.base()), worlds, to, &self.options)?;
            self.add_own_kernels(&mut batch)?;
            batch.restore(checkpoint)?;
            batch.checkpoint()?;
            Ok(batch)
        });
        let batch = match made {
            Ok(batch) => batch,
            // a lost device is an error of the next call
            Err(why) => {
                tracing::warn!("no room for {} contacts and {} rows: {why}", to.nconmax, to.njmax);
                return Ok(false);
            }
        };
        let sizes = *batch.sizes();
        let before = std::mem::replace(&mut self.sizes, sizes);
        *self.batch = batch;
        self.send_models(&self.all_worlds(), |_| true)?;
        for (field, values) in results {
            self.batch.set(field.name, &longer_rows(&values.into_f64(), field, &before, &sizes, worlds))?;
        }
        Ok(true)
    }
}

/// Rows of a field for worlds that have grown, with zeros behind what they held.
fn longer_rows(values: &[f64], field: &Field, before: &Sizes, after: &Sizes, worlds: usize) -> Vec<f64> {
    let len = field.len(after);
    let mut rows = vec![0.0; len * worlds];
    let old = values.chunks(field.len(before).max(1));
    rows.chunks_mut(len).zip(old).for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
    rows
}
