//! Many worlds of one model on the GPU.

use std::collections::{BTreeMap, BTreeSet};
use web_time::Instant;

use rayon::prelude::*;

use super::buffers::{Arena, ModelBinding, arenas, bind_layout, buffer};
use super::device::Gpu;
use super::transfer::{Part, Place, Readback, ReadbackSlot, Transfer, Watch};
use crate::codegen::layout::{AddressSpace, Slot};
use crate::codegen::tiling::Tiling;
use crate::program::{Program, StageGroup};
use crate::tuning::chunk::ChunkSearch;
use crate::tuning::options::{KernelOptions, Partition};
use crate::tuning::traffic::{MeanLoad, Traffic};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::plan;
use manyworlds_model::schema::stages::Stage;
use manyworlds_model::schema::{Elem, NumbersRef, Role};

/// Bits of a poisoned element: NaN, or an absurd integer.
const POISON: u32 = 0x7fc0_0000;

/// Pipelines of a stage group in order, each with its dispatch count.
pub(super) type DispatchSequence = Vec<Dispatch>;

/// One pipeline, its dispatch count, and the worlds of its workgroups.
#[derive(Debug)]
pub(super) struct Dispatch {
    pipeline: wgpu::ComputePipeline,
    pub(super) times: u32,
    worlds_per_group: usize,
}

/// Buffers of consecutive worlds.
#[derive(Clone, Copy, Debug)]
pub struct WorldBuffers<'a> {
    /// First world.
    pub first: usize,
    /// Number of worlds.
    pub worlds: usize,
    /// Real fields, single precision.
    pub reals: &'a wgpu::Buffer,
    /// Integer fields.
    pub ints: &'a wgpu::Buffer,
}

/// Place of a field in [`WorldBuffers`]: element i of world w, counted from the first of its buffers, is word
/// `(w / tile) * stride * tile + (offset + i) * tile + w % tile` of the buffer of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// First element.
    pub offset: usize,
    /// Elements of a world.
    pub len: usize,
    /// Elements of all fields of a world.
    pub stride: usize,
    /// Worlds side by side.
    pub tile: usize,
    /// True in the buffer of integers.
    pub int: bool,
}

/// A field on its way from the device.
#[derive(Debug)]
pub struct FieldReadback {
    gpu: Gpu,
    pending: Vec<Readback>,
    elem: Elem,
}

impl FieldReadback {
    /// The numbers, `[world, …]` in the order of the worlds.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn wait(self) -> Result<Vec<f64>> {
        let mut out = Vec::new();
        for pending in self.pending {
            let (words, _) = pending.wait(&self.gpu)?;
            out.extend(words.into_iter().map(|w| number(self.elem, w)));
        }
        Ok(out)
    }
}

/// Upper bound on dispatches per submission.
pub(super) const MAX_DISPATCHES_PER_SUBMIT: usize = 1024;

/// Build times before the first step, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BuildTimes {
    /// Allocation of the worlds and their initial state.
    pub buffers: f64,
    /// Composing and validating kernels, creating pipelines.
    pub pipelines: f64,
    /// First run of each pipeline: some drivers compile only then.
    pub first: f64,
}

impl BuildTimes {
    /// Sum of all parts.
    pub fn total(&self) -> f64 {
        self.buffers + self.pipelines + self.first
    }
}

/// Worlds of one model on one device. All worlds step together; nothing returns to the host unless requested.
#[derive(Debug)]
pub struct GpuBatch {
    pub(super) gpu: Gpu,
    pub(super) program: Program,
    pub(super) worlds: usize,
    pub(super) arenas: Vec<Arena>,
    scratch: Vec<Arena>,
    pub(super) model: ModelBinding,
    /// Worlds that take all steps of a call before the next ones begin, at most.
    chunk: usize,
    /// Searches for that number while steps are lean and while they are whole, where it is left open.
    searches: [Option<ChunkSearch>; 2],
    pub(super) transfer: Transfer,
    /// Worlds in the initial state, and at each keyframe; made when first needed.
    pub(super) initial: Option<Arena>,
    pub(super) watch: Watch,
    /// What the last step of the task has shown.
    pub(super) seen: ReadbackSlot,
    pipeline_layout: wgpu::PipelineLayout,
    pub(super) pipelines: BTreeMap<StageGroup, DispatchSequence>,
    build: BuildTimes,
}

impl GpuBatch {
    /// `worlds` worlds in the model's initial state, each with the given `capacity`.
    ///
    /// # Errors
    /// [`Error::Argument`] for invalid options, [`Error::Unsupported`] for a model with a number beyond
    /// single precision, [`Error::Device`] if memory or a limit of the device is insufficient.
    pub fn new(
        gpu: &Gpu,
        model: &Model,
        worlds: usize,
        capacity: Capacity,
        options: &KernelOptions,
    ) -> Result<Self> {
        let begin = Instant::now();
        gpu.check_not_lost()?;
        let options = options.resolved(model, gpu.adapter(), worlds);
        let program = Program::new(model, gpu.adapter(), capacity, &options)?;
        let layout = &program.layout;
        // buffers: the model once, the worlds in arenas
        let (reals, ints) = layout.model_buffers(model);
        let bind = bind_layout(&gpu.device);
        let model = gpu.checked("the model", || {
            let usage = wgpu::BufferUsages::STORAGE;
            let f = buffer(&gpu.device, "model reals", reals.len(), usage);
            let i = buffer(&gpu.device, "model ints", ints.len(), usage);
            gpu.queue.write_buffer(&f, 0, bytemuck::cast_slice(&reals));
            gpu.queue.write_buffer(&i, 0, bytemuck::cast_slice(&ints));
            ModelBinding { reals: f, ints: i, layout: bind }
        })?;
        let chunk = options.chunk(gpu.adapter())?;
        // a scratch tile for the first run of each pipeline, so that no world is modified
        let made = |worlds| arenas(gpu, layout, &model, worlds);
        let (arenas, scratch) = (made(worlds)?, made(layout.world_multiple)?);
        let search = options.tunes_chunk(gpu.adapter()).then(|| ChunkSearch::new(worlds)).flatten();
        let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("world"),
            bind_group_layouts: &[Some(&model.layout)],
            immediate_size: 0,
        });
        let mut batch = Self {
            gpu: gpu.clone(),
            program,
            worlds,
            arenas,
            scratch,
            model,
            chunk: usize::MAX,
            searches: [search.clone(), search],
            transfer: Transfer::new(gpu)?,
            initial: None,
            watch: Watch::default(),
            seen: ReadbackSlot::default(),
            pipeline_layout,
            pipelines: BTreeMap::new(),
            build: BuildTimes::default(),
        };
        batch.set_chunk(chunk)?;
        batch.fill_initial()?;
        batch.build.buffers = begin.elapsed().as_secs_f64();
        Ok(batch)
    }

    /// Writes the initial state to all worlds, and the model's values of fields that each world has, padding of the last
    /// tile included.
    fn fill_initial(&mut self) -> Result<()> {
        let data = Data::new(&self.program.model, Capacity::NONE);
        for arena in self.arenas.iter().chain(&self.scratch) {
            // one world through the host, the others from it
            self.fill_world(arena, 0, &data)?;
            let rest: Vec<u32> = (1..arena.padded).filter_map(|w| u32::try_from(w).ok()).collect();
            self.copy_within(arena, &vec![0; rest.len()], &rest)?;
        }
        Ok(())
    }

    /// Writes the state of `data`, and the model's values of fields that each world has, to a world.
    pub(super) fn fill_world(&self, arena: &Arena, world: u32, data: &Data) -> Result<()> {
        let layout = &self.program.layout;
        let own = |s: &Slot| s.space == AddressSpace::World && s.field.role == Role::Constant;
        let first = |s: &Slot| s.field.role.is_state() || s.field.role == Role::Task;
        let slots: Vec<&Slot> = layout.slots().filter(|s| (first(s) || own(s)) && s.len > 0).collect();
        let worlds = [world];
        let place = |slot: &&Slot| Place { arena, part: Part::of(slot), worlds: &worlds };
        let places: Vec<Place<'_>> = slots.iter().map(place).collect();
        let values = |slot: &Slot| {
            let values = data.get(slot.field.name).or_else(|| self.program.model.get(slot.field.name));
            bits(slot.field.elem, &values.map(|v| v.to_f64()).unwrap_or_default())
        };
        let rows: Vec<Vec<u32>> = slots.iter().map(|slot| values(slot)).collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        self.transfer.write(&self.gpu, layout, &places, &rows)
    }

    pub(super) fn slot(&self, field: &str) -> Result<&Slot> {
        match self.program.layout.slot(field) {
            Some(slot) if slot.space == AddressSpace::World => Ok(slot),
            Some(slot) if matches!(slot.space, AddressSpace::Register | AddressSpace::Workgroup) => {
                Err(Error::Argument(format!(
                    "'{field}' is work space of the kernels: with this placement nothing of it is left to read"
                )))
            }
            Some(_) => {
                Err(Error::Argument(format!("'{field}' is a field of the model: the same for all worlds")))
            }
            None => Err(Error::Argument(format!(
                "'{field}' is not a Data field that the kernels of this model compute"
            ))),
        }
    }

    /// True if the kernels of this model store a Data field.
    pub fn has(&self, field: &str) -> bool {
        self.slot(field).is_ok()
    }

    /// A field of all worlds, `[world, …]` row-major; integers as numbers.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field, [`Error::Device`] for a lost device.
    pub fn get(&self, field: &str) -> Result<Vec<f64>> {
        let all: Vec<usize> = (0..self.worlds).collect();
        Ok(self.get_worlds(&[field], &all)?.pop().unwrap_or_default())
    }

    /// Fields of the given worlds in ascending order, `[field][world, …]`, gathered on the device and copied at once.
    ///
    /// # Errors
    /// As [`GpuBatch::get`].
    pub fn get_worlds(&self, fields: &[&str], worlds: &[usize]) -> Result<Vec<Vec<f64>>> {
        let all = fields.iter().zip(self.get_words(fields, worlds)?);
        all.map(|(field, words)| {
            let elem = self.slot(field)?.field.elem;
            Ok(words.into_iter().map(|w| number(elem, w)).collect())
        })
        .collect()
    }

    /// As [`GpuBatch::get_worlds`], as bits: of single-precision numbers or of 32-bit integers.
    ///
    /// # Errors
    /// As [`GpuBatch::get`].
    pub fn get_words(&self, fields: &[&str], worlds: &[usize]) -> Result<Vec<Vec<u32>>> {
        self.check_worlds(worlds)?;
        let slots = fields.iter().map(|field| self.slot(field)).collect::<Result<Vec<_>>>()?;
        let split = self.split(worlds);
        let places: Vec<Place<'_>> = slots
            .iter()
            .flat_map(|slot| split.iter().map(|(arena, ids, _)| place(arena, slot, ids)))
            .collect();
        let mut words = self.transfer.read(&self.gpu, &self.program.layout, &places)?.into_iter();
        let joined = slots.iter().map(|_| {
            // what one arena holds is not copied again
            let mut of_field = words.next().unwrap_or_default();
            for _ in 1..split.len() {
                of_field.extend(words.next().unwrap_or_default());
            }
            of_field
        });
        Ok(joined.collect())
    }

    /// Starts to read a field of the given worlds; [`FieldReadback::wait`] returns it. Steps go on meanwhile.
    ///
    /// # Errors
    /// As [`GpuBatch::get`].
    pub fn get_later(&self, field: &str, worlds: &[usize]) -> Result<FieldReadback> {
        self.check_worlds(worlds)?;
        let slot = self.slot(field)?;
        let mut pending = Vec::new();
        for (arena, ids, _) in self.split(worlds) {
            let layout = &self.program.layout;
            pending.extend(self.transfer.read_all_later(&self.gpu, layout, place(arena, slot, &ids))?);
        }
        Ok(FieldReadback { gpu: self.gpu.clone(), pending, elem: slot.field.elem })
    }

    /// The given worlds by arena, counted from its first, and their places in the list.
    pub(super) fn split(&self, worlds: &[usize]) -> Vec<(&Arena, Vec<u32>, Vec<usize>)> {
        let of = |arena: &Arena| {
            let inside = |w: usize| (arena.first..arena.first + arena.worlds).contains(&w);
            let rows: Vec<usize> = (0..worlds.len()).filter(|r| inside(worlds[*r])).collect();
            let id = |r: &usize| u32::try_from(worlds[*r] - arena.first).ok();
            (rows.iter().filter_map(id).collect(), rows)
        };
        let split = self.arenas.iter().map(|arena| {
            let (ids, rows) = of(arena);
            (arena, ids, rows)
        });
        split.filter(|(_, ids, _): &(_, Vec<u32>, _)| !ids.is_empty()).collect()
    }

    pub(super) fn check_worlds(&self, worlds: &[usize]) -> Result<()> {
        match worlds.iter().find(|w| **w >= self.worlds) {
            Some(w) => {
                Err(Error::Argument(format!("world {w} does not exist: the batch has {}", self.worlds)))
            }
            None => Ok(()),
        }
    }

    /// Sets a Data field of all worlds from `[world, …]`.
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown field or a wrong number of values, [`Error::Device`] for a lost device.
    pub fn set(&mut self, field: &str, values: &[f64]) -> Result<()> {
        let worlds: Vec<usize> = (0..self.worlds).collect();
        self.set_worlds(field, &worlds, values)
    }

    /// Sets a Data field of the given worlds from `[world, …]`, rows in the order of `worlds`.
    ///
    /// # Errors
    /// As [`GpuBatch::set`], and [`Error::Argument`] for a world out of range.
    pub fn set_worlds(&mut self, field: &str, worlds: &[usize], values: &[f64]) -> Result<()> {
        self.set_fields(&[(field, NumbersRef::from(values))], worlds)
    }

    /// Sets fields of the given worlds from `[world, …]`, rows in the order of `worlds`, in one submission.
    ///
    /// # Errors
    /// As [`GpuBatch::set_worlds`].
    pub fn set_fields(&mut self, fields: &[(&str, NumbersRef<'_>)], worlds: &[usize]) -> Result<()> {
        self.check_worlds(worlds)?;
        self.clear_step_outputs();
        let split = self.split(worlds);
        let (mut places, mut rows) = (Vec::new(), Vec::new());
        for (field, values) in fields {
            let slot = self.slot(field)?;
            if values.len() != worlds.len() * slot.len {
                let (got, want) = (values.len(), worlds.len());
                let text = format!("'{field}': {got} values given, {want} x {} expected", slot.len);
                return Err(Error::Argument(text));
            }
            for (arena, ids, own) in &split {
                let mut words = Vec::with_capacity(own.len() * slot.len);
                let row = |r: &usize| values.part(r * slot.len, slot.len);
                own.iter().for_each(|r| row(r).extend_words(slot.field.elem, &mut words));
                rows.push(words);
                places.push(place(arena, slot, ids));
            }
        }
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        self.transfer.write(&self.gpu, &self.program.layout, &places, &rows)
    }

    /// Advances all worlds by `n` steps. Asynchronous: `wait` or `get` synchronise. While the number of worlds of a chunk
    /// is being searched for (see [`KernelOptions::tune`]), a call waits for its steps.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel cannot be built or the device is lost.
    pub fn step(&mut self, n: usize) -> Result<()> {
        // all steps but the last, whose results must all be stored, may be lean
        let once = self.program.step_groups().to_vec();
        let steps_of = |groups: &[StageGroup]| groups.first().map_or(1, |g| g.steps);
        let lean = self.program.lean_groups().filter(|l| n > steps_of(l));
        self.build(&[lean.clone().unwrap_or_default(), once.clone()].concat())?;
        let each = lean.as_deref().map_or(1, steps_of);
        let mode = usize::from(lean.is_some());
        let mut left = n;
        while left > 0 {
            let (mut now, mut searching) = (left, false);
            if let Some(search) = &self.searches[mode] {
                searching = !search.done();
                if searching {
                    now = search.steps().next_multiple_of(each).min(left);
                }
                self.set_chunk(search.size())?;
            }
            // with lean steps only the last ones are whole
            let lean_steps = if lean.is_some() { now.min(left - 1) / each * each } else { 0 };
            let whole = if lean.is_none() || now == left { now - lean_steps } else { 0 };
            let begin = Instant::now();
            self.submit(&[(lean.as_deref().unwrap_or_default(), lean_steps / each), (&once, whole)])?;
            left -= lean_steps + whole;
            if searching {
                self.wait()?;
                let seconds = begin.elapsed().as_secs_f64();
                self.searches[mode].iter_mut().for_each(|s| s.report(lean_steps + whole, seconds));
            }
        }
        Ok(())
    }

    /// True if steps before the last of a call have kernels of their own, which a compiler may round differently.
    pub fn has_lean_steps(&self) -> bool {
        self.program.lean_groups().is_some()
    }

    /// Lets at most `worlds` worlds take all steps of a call before the next ones begin; changes no result.
    fn set_chunk(&mut self, worlds: usize) -> Result<()> {
        if worlds == self.chunk {
            return Ok(());
        }
        let (gpu, layout, model) = (&self.gpu, &self.program.layout, &self.model);
        let arenas = &mut self.arenas;
        gpu.checked("chunks of worlds", || {
            arenas.iter_mut().for_each(|a| a.cut(gpu, layout, model, worlds))
        })?;
        tracing::debug!(worlds, "chunks");
        self.chunk = worlds;
        Ok(())
    }

    /// Forward dynamics: computes everything that depends on the state, without advancing it.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn forward(&mut self) -> Result<()> {
        let groups = self.program.groups(plan::forward(&self.program.general));
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }

    /// Inverse dynamics: the force that produces the acceleration `qacc`.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn inverse(&mut self) -> Result<()> {
        let groups = self.program.groups(plan::inverse(&self.program.general));
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }

    /// Runs the given stages once, one dispatch per stage.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn run_stages(&mut self, stages: &[Stage]) -> Result<()> {
        let groups: Vec<StageGroup> = stages.iter().map(|s| StageGroup::whole(vec![*s])).collect();
        self.build(&groups)?;
        self.submit(&[(&groups, 1)])
    }

    /// Builds everything that `step` needs, so that the first step is not slower than the others.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn prepare(&mut self) -> Result<()> {
        let mut groups = self.program.step_groups().to_vec();
        groups.extend(self.program.lean_groups().unwrap_or_default());
        self.build(&groups)
    }

    /// Builds missing pipelines on several threads and runs each once: on drivers that compile at the first
    /// dispatch, no later step is delayed.
    pub(super) fn build(&mut self, groups: &[StageGroup]) -> Result<()> {
        let begin = Instant::now();
        let missing: Vec<StageGroup> =
            groups.iter().filter(|g| !self.pipelines.contains_key(*g)).cloned().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let made: Vec<(StageGroup, DispatchSequence)> =
            missing.par_iter().map(|g| Ok((g.clone(), self.pipelines(g)?))).collect::<Result<_>>()?;
        self.pipelines.extend(made);
        self.build.pipelines += begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        self.submit_on(&self.scratch, &[(&missing, 1)])?;
        self.gpu.wait()?;
        self.build.first += begin.elapsed().as_secs_f64();
        Ok(())
    }

    fn pipelines(&self, group: &StageGroup) -> Result<DispatchSequence> {
        let dispatches = self.program.dispatches(group);
        let made = |(calls, times): &(Vec<&str>, u32)| {
            Ok(Dispatch {
                pipeline: self.pipeline(calls, group)?,
                times: *times,
                worlds_per_group: self.program.tiling_of(calls).tile,
            })
        };
        dispatches.iter().map(made).collect()
    }

    fn pipeline(&self, calls: &[&str], group: &StageGroup) -> Result<wgpu::ComputePipeline> {
        let (module, _) = self.program.module(calls, group)?;
        let label = calls.join("+");
        let begin = Instant::now();
        let made = self.gpu.checked(&format!("kernel {label}"), || {
            let module = shader(&self.gpu.device, &label, module, self.program.checks());
            self.gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&label),
                layout: Some(&self.pipeline_layout),
                module: &module,
                entry_point: Some("main"),
                // kernels write workgroup memory before they read it
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        });
        tracing::debug!(kernel = label, seconds = begin.elapsed().as_secs_f64(), "built");
        made
    }

    /// Submits dispatches over all worlds: groups and how often they run, each chunk through all of them, in as few
    /// submissions as drivers take.
    pub(super) fn submit(&self, rounds: &[(&[StageGroup], usize)]) -> Result<()> {
        self.submit_on(&self.arenas, rounds)
    }

    pub(super) fn submit_on(&self, arenas: &[Arena], rounds: &[(&[StageGroup], usize)]) -> Result<()> {
        self.gpu.check_not_lost()?;
        self.clear_step_outputs();
        // what runs in order: groups, and how many dispatches they are
        let mut all = Vec::new();
        for (groups, n) in rounds {
            let programs: Vec<&DispatchSequence> =
                groups.iter().filter_map(|g| self.pipelines.get(g)).collect();
            let count: u32 = programs.iter().copied().flatten().map(|d| d.times).sum();
            let steps = groups.iter().map(|g| g.steps).max().unwrap_or(1);
            all.push((programs, *n, count as usize * steps));
        }
        for chunk in arenas.iter().flat_map(|a| &a.chunks) {
            let mut turns = all.iter().flat_map(|(programs, n, count)| {
                std::iter::repeat_n((programs, *count), if programs.is_empty() { 0 } else { *n })
            });
            let mut next = turns.next();
            while next.is_some() {
                let mut encoder =
                    self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    pass.set_bind_group(0, &chunk.bind, &[]);
                    let mut dispatches = 0;
                    while let Some((programs, count)) = next
                        && (dispatches == 0 || dispatches + count <= MAX_DISPATCHES_PER_SUBMIT)
                    {
                        programs.iter().for_each(|program| dispatch(&mut pass, program, chunk.worlds));
                        dispatches += count;
                        next = turns.next();
                    }
                }
                self.gpu.queue.submit([encoder.finish()]);
            }
        }
        self.gpu.check_not_lost()
    }

    /// Waits until all submitted work has finished.
    ///
    /// # Errors
    /// [`Error::Device`] for a lost device.
    pub fn wait(&self) -> Result<()> {
        self.gpu.wait()
    }

    /// Fills fields with NaN (integers with an absurd value), to expose elements that a kernel does not write.
    ///
    /// # Errors
    /// As [`GpuBatch::set`].
    pub fn poison(&mut self, fields: &[&str]) -> Result<()> {
        self.clear_step_outputs();
        for field in fields {
            let slot = self.slot(field)?;
            for arena in &self.arenas {
                let worlds: Vec<u32> = (0..arena.worlds).filter_map(|w| u32::try_from(w).ok()).collect();
                let bits = vec![POISON; arena.worlds * slot.len];
                let places = [place(arena, slot, &worlds)];
                self.transfer.write(&self.gpu, &self.program.layout, &places, &[&bits])?;
            }
        }
        Ok(())
    }

    /// Nanoseconds per world and step of each dispatch, averaged over `steps` steps; empty if the device
    /// has no timestamps. With `split` every stage is a dispatch of its own, whatever the partition.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn stage_times(&mut self, steps: usize, split: bool) -> Result<Vec<(String, f64)>> {
        if !self.gpu.adapter().timestamps || steps == 0 {
            return Ok(Vec::new());
        }
        let groups: Vec<StageGroup> = match split {
            true => plan::step(&self.program.general).map(|s| StageGroup::whole(vec![s])).collect(),
            false => self.program.step_groups().to_vec(),
        };
        self.build(&groups)?;
        let mut total = vec![0.0; groups.len()];
        for _ in 0..steps {
            for (sum, ticks) in total.iter_mut().zip(self.timed_step(&groups)?) {
                *sum += ticks;
            }
        }
        let scale = f64::from(self.gpu.queue.get_timestamp_period()) / (steps * self.worlds) as f64;
        let name = |g: &StageGroup| g.stages.iter().map(|s| s.name()).collect::<Vec<_>>().join("+");
        Ok(groups.iter().zip(total).map(|(g, t)| (name(g), t * scale)).collect())
    }

    /// Timestamp ticks of each group in one step, summed over chunks.
    fn timed_step(&self, groups: &[StageGroup]) -> Result<Vec<f64>> {
        self.clear_step_outputs();
        let device = &self.gpu.device;
        let count = u32::try_from(2 * groups.len()).unwrap_or(u32::MAX);
        let set = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let resolved = buffer(device, "ticks", 2 * count as usize, usage);
        let host = buffer(device, "ticks", 2 * count as usize, wgpu::BufferUsages::MAP_READ);
        let mut total = vec![0.0; groups.len()];
        for chunk in self.arenas.iter().flat_map(|a| &a.chunks) {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for (g, at) in groups.iter().zip((0..).step_by(2)) {
                let writes = wgpu::ComputePassTimestampWrites {
                    query_set: &set,
                    beginning_of_pass_write_index: Some(at),
                    end_of_pass_write_index: Some(at + 1),
                };
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: None,
                    timestamp_writes: Some(writes),
                });
                if let Some(program) = self.pipelines.get(g) {
                    pass.set_bind_group(0, &chunk.bind, &[]);
                    dispatch(&mut pass, program, chunk.worlds);
                }
            }
            encoder.resolve_query_set(&set, 0..count, &resolved, 0);
            encoder.copy_buffer_to_buffer(&resolved, 0, &host, 0, 8 * u64::from(count));
            self.gpu.queue.submit([encoder.finish()]);
            host.slice(..).map_async(wgpu::MapMode::Read, |_| {});
            self.gpu.wait()?;
            let ticks: Vec<u64> = match host.slice(..).get_mapped_range() {
                Ok(view) => bytemuck::cast_slice(&view).to_vec(),
                Err(e) => return Err(Error::Device(format!("reading timestamps failed: {e}"))),
            };
            host.unmap();
            for (sum, pair) in total.iter_mut().zip(ticks.chunks(2)) {
                *sum += pair[1].saturating_sub(pair[0]) as f64;
            }
        }
        Ok(total)
    }

    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        self.worlds
    }

    /// Bytes of device memory per world.
    pub fn bytes_per_world(&self) -> usize {
        self.program.layout.bytes_per_world()
    }

    /// Time spent on buffers and kernels so far.
    pub fn build_times(&self) -> BuildTimes {
        self.build
    }

    /// The selected partition: never [`Partition::Auto`].
    pub fn partition(&self) -> Partition {
        self.program.partition()
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Lanes per world and worlds per workgroup.
    pub fn tiling(&self) -> Tiling {
        self.program.tiling
    }

    /// Composed kernel text of the given stages, as passed to the driver.
    ///
    /// # Errors
    /// As [`GpuBatch::step`].
    pub fn kernel_text(&self, stages: &[Stage]) -> Result<String> {
        let names: Vec<&str> = stages.iter().map(|s| s.name()).collect();
        let group = StageGroup::whole(stages.to_vec());
        self.program.module(&names, &group).map(|(_, text)| text)
    }

    /// Arena bytes that each dispatch of a step moves per world, under the given partition or the current one.
    pub fn traffic(&self, partition: Option<Partition>, load: MeanLoad) -> Vec<Traffic> {
        self.program.traffic(partition, load)
    }

    /// Fields that the kernel of a stage writes.
    pub fn writes(&self, stage: Stage) -> BTreeSet<&'static str> {
        self.program.writes(stage)
    }
}

pub(super) fn place<'a>(arena: &'a Arena, slot: &Slot, worlds: &'a [u32]) -> Place<'a> {
    Place { arena, part: Part::of(slot), worlds }
}

/// Dispatches workgroups over two axes: one axis is limited to 65,535.
pub(super) fn dispatch(pass: &mut wgpu::ComputePass<'_>, program: &DispatchSequence, worlds: usize) {
    for step in program {
        let groups = u32::try_from(worlds / step.worlds_per_group).unwrap_or(u32::MAX);
        let x = groups.min(32_768);
        pass.set_pipeline(&step.pipeline);
        for _ in 0..step.times {
            pass.dispatch_workgroups(x, groups.div_ceil(x.max(1)), 1);
        }
    }
}

/// Creates every module of kernels.
pub(crate) fn shader(
    device: &wgpu::Device,
    label: &str,
    module: naga::Module,
    checks: bool,
) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
    };
    if checks {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: the text is composed from this crate's kernels, never from input. Every index is bounded by a size of
    // the model or a capacity that the buffers were allocated for, ids were validated by the compiler, and every
    // loop is bounded. Tests run the same kernels with checks enabled and compare the bits.
    #[allow(unsafe_code)]
    unsafe {
        device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
    }
}

#[allow(clippy::cast_possible_truncation)]
pub(super) fn bits(elem: Elem, values: &[f64]) -> Vec<u32> {
    match elem {
        Elem::Real => values.iter().map(|x| (*x as f32).to_bits()).collect(),
        Elem::Int => values.iter().map(|x| (*x as i32).cast_unsigned()).collect(),
    }
}

pub(super) fn number(elem: Elem, word: u32) -> f64 {
    match elem {
        Elem::Real => f64::from(f32::from_bits(word)),
        Elem::Int => f64::from(word.cast_signed()),
    }
}
