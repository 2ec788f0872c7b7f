//! Transfer of fields between host and arenas, and between worlds on the device. Fields are packed on the device, so that
//! only what is asked for is copied, several fields in one submission; buffers and bind groups serve every transfer.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

use encase::{ShaderType, UniformBuffer};

use super::buffers::{Arena, buffer, storage};
use super::device::Gpu;
use crate::codegen::layout::{Layout, Slot};
use manyworlds_model::error::{Error, Result};
use manyworlds_model::schema::Elem;

/// Uniform of `shaders/runtime/transfer.wgsl`.
#[derive(ShaderType, Debug, Clone, Copy)]
struct TransferJob {
    len: u32,
    offset: u32,
    tile: u32,
    stride: u32,
    rows: u32,
    threads: u32,
    first: u32,
    ids: u32,
    base: u32,
    source_ids: u32,
}

const THREADS: u32 = 64 * 1024;

/// `ids` of a job whose worlds follow each other.
const NONE: u32 = u32::MAX;

/// Most words of one submission's packed buffer, so that it stays well below any limit.
pub(super) const MOST_WORDS: usize = 16 << 20;

/// Parts in which the largest number of a place is looked for.
const MOST_PARTS: usize = 64;

/// Words of the smallest buffers.
const LEAST_WORDS: usize = 1 << 10;

/// Bytes that were copied between host and device, and submissions for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferStats {
    /// Bytes from the host to the device.
    pub to_device: u64,
    /// Bytes from the device to the host.
    pub to_host: u64,
    /// Submissions.
    pub submissions: u64,
}

/// A field of some worlds of an arena, which are counted from its first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) arena: &'a Arena,
    /// Element type, first element and length of the field.
    pub(crate) part: Part,
    pub(crate) worlds: &'a [u32],
}

impl Place<'_> {
    /// Number of its elements.
    pub(crate) fn words(&self) -> usize {
        self.part.len * self.worlds.len()
    }
}

/// Elements of every world of an arena.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    elem: Elem,
    offset: usize,
    len: usize,
}

impl Part {
    /// A field.
    pub(crate) fn of(slot: &Slot) -> Self {
        Self { elem: slot.field.elem, offset: slot.offset, len: slot.len }
    }

    /// The elements from the first to the last of some fields of a type; none without a field.
    pub(crate) fn around<'a>(slots: impl Iterator<Item = &'a Slot>) -> Option<Self> {
        let join = |a: Self, b: Self| {
            let (first, end) = (a.offset.min(b.offset), (a.offset + a.len).max(b.offset + b.len));
            Self { offset: first, len: end - first, ..a }
        };
        slots.map(Self::of).reduce(join)
    }

    /// What a reset zeroes, of both types.
    pub(crate) fn zeroed(layout: &Layout) -> impl Iterator<Item = Self> {
        let of = |elem, range: &std::ops::Range<usize>| Self { elem, offset: range.start, len: range.len() };
        [of(Elem::Real, &layout.zeroed_f), of(Elem::Int, &layout.zeroed_i)].into_iter().filter(|p| p.len > 0)
    }

    /// All elements of both types.
    pub(crate) fn whole(layout: &Layout) -> [Self; 2] {
        [(Elem::Real, layout.stride_f), (Elem::Int, layout.stride_i)].map(|(elem, len)| Self {
            elem,
            offset: 0,
            len,
        })
    }
}

/// Numbers that are on their way to the host.
#[derive(Debug)]
pub(crate) struct Readback {
    host: wgpu::Buffer,
    words: usize,
    submission: wgpu::SubmissionIndex,
    done: Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
}

impl Readback {
    /// Asks for a buffer that was the last to be written.
    fn new(host: wgpu::Buffer, words: usize, submission: wgpu::SubmissionIndex) -> Self {
        let (send, done) = channel();
        host.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            let _ = send.send(result);
        });
        Self { host, words, submission, done }
    }

    /// The numbers, and their buffer.
    pub(crate) fn wait(self, gpu: &Gpu) -> Result<(Vec<u32>, wgpu::Buffer)> {
        self.wait_with(gpu, <[u32]>::to_vec)
    }

    /// What `take` makes of the numbers while they are mapped, and their buffer.
    fn wait_with<R>(self, gpu: &Gpu, take: impl FnOnce(&[u32]) -> R) -> Result<(R, wgpu::Buffer)> {
        let fail = |why: String| Error::Device(format!("{}: reading back failed: {why}", gpu.adapter()));
        gpu.wait_for(self.submission)?;
        match self.done.recv() {
            Ok(Ok(())) => {}
            other => return Err(fail(format!("{other:?}"))),
        }
        let taken = {
            let view = self.host.slice(..).get_mapped_range().map_err(|e| fail(e.to_string()))?;
            take(&bytemuck::cast_slice::<u8, u32>(&view)[..self.words])
        };
        self.host.unmap();
        Ok((taken, self.host))
    }
}

/// Numbers on their way to the host, or none; in a mutex, since what they wait on may not be shared between threads.
#[derive(Debug, Default)]
pub(crate) struct ReadbackSlot(Mutex<Option<Readback>>);

impl ReadbackSlot {
    /// True while numbers are on their way.
    pub(crate) fn is_pending(&mut self) -> bool {
        self.0.get_mut().is_ok_and(|pending| pending.is_some())
    }

    /// The numbers on their way, which are then no longer here.
    pub(crate) fn take(&self) -> Option<Readback> {
        self.0.lock().ok().and_then(|mut pending| pending.take())
    }

    /// Numbers that are now on their way.
    pub(crate) fn put(&mut self, pending: Readback) {
        self.0 = Mutex::new(Some(pending));
    }
}

/// Copies of the state, and what is looked for.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// A buffer for each part of each arena.
    pub(crate) kept: Vec<wgpu::Buffer>,
    /// The largest numbers that were wanted.
    pub(crate) peaks: ReadbackSlot,
    /// True if worlds have changed since the look that is on its way.
    pub(crate) later: bool,
}

/// One of several things that run in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scripted<'a> {
    /// Writes a field from a word of the controls on.
    Write(Place<'a>, usize),
    /// Reads a field to a word of the records on.
    Read(Place<'a>, usize),
    /// Copies a part of worlds to a buffer of its own, `[world, element]`.
    Keep(Place<'a>, &'a wgpu::Buffer),
    /// Other dispatches.
    Run(usize),
}

/// A job on the device.
struct Prepared {
    bind: wgpu::BindGroup,
    at: u32,
    groups: u32,
}

impl Prepared {
    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_bind_group(0, &self.bind, &[self.at]);
        pass.dispatch_workgroups(self.groups, 1, 1);
    }
}

/// Pipelines and buffers of transfers.
#[derive(Debug)]
pub(crate) struct Transfer {
    layout: wgpu::BindGroupLayout,
    gather: wgpu::ComputePipeline,
    scatter: wgpu::ComputePipeline,
    copy: wgpu::ComputePipeline,
    most: wgpu::ComputePipeline,
    /// Bytes from one job to the next.
    spacing: usize,
    pool: Mutex<Pool>,
}

/// Buffers that grow as needed, and the bind groups that hold them.
#[derive(Debug)]
struct Pool {
    packed: wgpu::Buffer,
    records: wgpu::Buffer,
    worlds: wgpu::Buffer,
    jobs: wgpu::Buffer,
    /// Bind groups by the arena's buffer and the other one.
    binds: Vec<(wgpu::Buffer, wgpu::Buffer, wgpu::BindGroup)>,
    /// Buffers from which the host has read.
    hosts: Vec<wgpu::Buffer>,
    moved: TransferStats,
}

/// Most bind groups and host buffers that are kept.
const MOST_KEPT: usize = 16;

fn word(x: usize) -> Result<u32> {
    u32::try_from(x).map_err(|_| Error::Argument(format!("{x} does not fit 32 bits")))
}

/// Usage of the buffer for packed fields.
const PACKED: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC);

/// Jobs of one submission, with the ids of their worlds.
#[derive(Default)]
struct Jobs<'a> {
    ids: Vec<u32>,
    /// The arena's buffer, the other one if it is not the packed one, and the job.
    jobs: Vec<(&'a wgpu::Buffer, Option<&'a wgpu::Buffer>, TransferJob)>,
}

impl<'a> Jobs<'a> {
    /// Adds a part of an arena, whose rows begin at a word of the packed buffer.
    fn add(&mut self, layout: &Layout, place: Place<'a>, first: usize) -> Result<()> {
        let Place { arena, part, worlds } = place;
        let (fields, stride) = buffer_of(layout, arena, part.elem);
        let base = worlds.first().copied().unwrap_or(0);
        let consecutive = worlds.iter().zip(base..).all(|(world, next)| *world == next);
        let ids = if consecutive { NONE } else { word(self.ids.len())? };
        if !consecutive {
            self.ids.extend(worlds);
        }
        let job = TransferJob {
            len: word(part.len)?,
            offset: word(part.offset)?,
            tile: word(layout.tile)?,
            stride: word(stride)?,
            rows: word(worlds.len())?,
            threads: THREADS,
            first: word(first)?,
            ids,
            base,
            source_ids: 0,
        };
        self.jobs.push((fields, None, job));
        Ok(())
    }

    /// As [`Jobs::add`], for another buffer than the packed one.
    fn add_beside(
        &mut self,
        layout: &Layout,
        place: Place<'a>,
        first: usize,
        other: &'a wgpu::Buffer,
    ) -> Result<()> {
        self.add(layout, place, first)?;
        if let Some((_, beside, _)) = self.jobs.last_mut() {
            *beside = Some(other);
        }
        Ok(())
    }
}

/// The buffer with a type's elements of an arena, and the elements of a world in it.
fn buffer_of<'a>(layout: &Layout, arena: &'a Arena, elem: Elem) -> (&'a wgpu::Buffer, usize) {
    match elem {
        Elem::Real => (&arena.reals, layout.stride_f),
        Elem::Int => (&arena.ints, layout.stride_i),
    }
}

impl Transfer {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self> {
        let uniform = wgpu::BindGroupLayoutEntry {
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: true,
                min_binding_size: Some(TransferJob::min_size()),
            },
            ..storage(3, true)
        };
        let text = manyworlds_shaders::TRANSFER.text().map_err(Error::Device)?;
        let module =
            naga::front::wgsl::parse_str(&text).map_err(|e| Error::Device(e.emit_to_string(&text)))?;
        let size = usize::try_from(TransferJob::min_size().get()).unwrap_or(0);
        let align = gpu.device.limits().min_uniform_buffer_offset_alignment as usize;
        gpu.checked("transfer kernels", || {
            let layout = gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("transfer"),
                entries: &[storage(0, false), storage(1, false), storage(2, true), uniform],
            });
            let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("transfer"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("transfer"),
                source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(module)),
            });
            let make = |entry| {
                gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(entry),
                    layout: Some(&pipeline_layout),
                    module: &module,
                    entry_point: Some(entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                })
            };
            let (gather, scatter) = (make("gather"), make("scatter"));
            let (copy, most) = (make("copy_worlds"), make("most"));
            let pool = Pool {
                packed: buffer(&gpu.device, "packed", LEAST_WORDS, PACKED),
                records: buffer(&gpu.device, "records", LEAST_WORDS, PACKED),
                worlds: buffer(&gpu.device, "worlds", LEAST_WORDS, wgpu::BufferUsages::STORAGE),
                jobs: buffer(&gpu.device, "jobs", LEAST_WORDS, wgpu::BufferUsages::UNIFORM),
                binds: Vec::new(),
                hosts: Vec::new(),
                moved: TransferStats::default(),
            };
            let spacing = size.next_multiple_of(align.max(4));
            Self { layout, gather, scatter, copy, most, spacing, pool: Mutex::new(pool) }
        })
    }

    /// What has been copied so far.
    pub(crate) fn transfer_stats(&self) -> TransferStats {
        self.pool.lock().map(|pool| pool.moved).unwrap_or_default()
    }

    /// Starts to read a field, in as many parts as packed buffers hold.
    pub(crate) fn read_all_later(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        place: Place<'_>,
    ) -> Result<Vec<Readback>> {
        let parts = rounds(&[place]).into_iter().flatten();
        parts.map(|(_, rows)| self.read_later(gpu, layout, &[cut(&place, &rows)])).collect()
    }

    /// Reads fields as bits, `[place][world, element]`.
    pub(crate) fn read(&self, gpu: &Gpu, layout: &Layout, places: &[Place<'_>]) -> Result<Vec<Vec<u32>>> {
        let mut out: Vec<Vec<u32>> = places.iter().map(|_| Vec::new()).collect();
        for round in rounds(places) {
            let parts: Vec<Place<'_>> = round.iter().map(|(p, rows)| cut(&places[*p], rows)).collect();
            let pending = self.read_later(gpu, layout, &parts)?;
            self.finish_with(gpu, pending, |mut words| {
                for ((place, _), part) in round.iter().zip(&parts) {
                    // rows of a place come in order, round by round
                    let (own, rest) = words.split_at(part.words());
                    out[*place].extend_from_slice(own);
                    words = rest;
                }
            })?;
        }
        Ok(out)
    }

    /// Starts to read fields that fit one packed buffer, in the order of the places.
    pub(crate) fn read_later(&self, gpu: &Gpu, layout: &Layout, places: &[Place<'_>]) -> Result<Readback> {
        gpu.check_not_lost()?;
        let mut jobs = Jobs::default();
        let mut words = 0;
        for place in places {
            jobs.add(layout, *place, words)?;
            words += place.worlds.len() * place.part.len;
        }
        let mut pool = self.pool.lock().map_err(poisoned)?;
        pool.grow(gpu, words)?;
        let host = pool.host(gpu, words)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.encode(gpu, &mut pool, &mut encoder, &self.gather, &jobs)?;
        if words > 0 {
            encoder.copy_buffer_to_buffer(&pool.packed, 0, &host, 0, 4 * words as u64);
        }
        let submission = gpu.queue.submit([encoder.finish()]);
        pool.moved.submissions += 1;
        pool.moved.to_host += 4 * words as u64;
        Ok(Readback::new(host, words, submission))
    }

    /// Waits for numbers on their way, and keeps their buffer for others.
    pub(crate) fn finish(&self, gpu: &Gpu, pending: Readback) -> Result<Vec<u32>> {
        self.finish_with(gpu, pending, <[u32]>::to_vec)
    }

    /// As [`Transfer::finish`], with what `take` makes of the numbers while they are mapped.
    pub(crate) fn finish_with<R>(
        &self,
        gpu: &Gpu,
        pending: Readback,
        take: impl FnOnce(&[u32]) -> R,
    ) -> Result<R> {
        let (taken, host) = pending.wait_with(gpu, take)?;
        let mut pool = self.pool.lock().map_err(poisoned)?;
        if pool.hosts.len() < MOST_KEPT {
            pool.hosts.push(host);
        }
        Ok(taken)
    }

    /// Writes fields from `[world, element]` bits of each place, in one submission where they fit.
    pub(crate) fn write(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        places: &[Place<'_>],
        bits: &[&[u32]],
    ) -> Result<()> {
        gpu.check_not_lost()?;
        for round in rounds(places) {
            let mut jobs = Jobs::default();
            let mut packed = Vec::new();
            for (p, rows) in &round {
                let part = cut(&places[*p], rows);
                jobs.add(layout, part, packed.len())?;
                let len = part.part.len;
                packed.extend_from_slice(&bits[*p][rows.start * len..rows.end * len]);
            }
            let mut pool = self.pool.lock().map_err(poisoned)?;
            pool.grow(gpu, packed.len())?;
            gpu.queue.write_buffer(&pool.packed, 0, bytemuck::cast_slice(&packed));
            pool.moved.to_device += 4 * packed.len() as u64;
            self.submit(gpu, &mut pool, &self.scatter, &jobs)?;
        }
        gpu.check_not_lost()
    }

    /// Copies parts of worlds of one arena to worlds of another; both lists have the same length.
    pub(crate) fn copy(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        (from, sources): (&Arena, &[u32]),
        (to, worlds): (&Arena, &[u32]),
        parts: &[Part],
    ) -> Result<()> {
        gpu.check_not_lost()?;
        let mut jobs = Jobs { ids: sources.to_vec(), ..Jobs::default() };
        for part in parts.iter().filter(|part| part.len > 0 && !worlds.is_empty()) {
            let (source, _) = buffer_of(layout, from, part.elem);
            jobs.add_beside(layout, Place { arena: to, part: *part, worlds }, 0, source)?;
        }
        let mut pool = self.pool.lock().map_err(poisoned)?;
        self.submit(gpu, &mut pool, &self.copy, &jobs)?;
        // arenas that come and go are not kept alive
        pool.forget_others();
        gpu.check_not_lost()
    }

    /// Buffers for copies of some places.
    pub(crate) fn room_for(&self, gpu: &Gpu, places: &[Place<'_>]) -> Result<Vec<wgpu::Buffer>> {
        gpu.checked("a copy of the state", || {
            places.iter().map(|place| buffer(&gpu.device, "kept", place.words(), PACKED)).collect()
        })
    }

    /// Copies each place to a buffer of its own, `[world, element]`.
    pub(crate) fn keep(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        places: &[Place<'_>],
        buffers: &[wgpu::Buffer],
    ) -> Result<()> {
        gpu.check_not_lost()?;
        let mut jobs = Jobs::default();
        for (place, buffer) in places.iter().zip(buffers) {
            jobs.add_beside(layout, *place, 0, buffer)?;
        }
        let mut pool = self.pool.lock().map_err(poisoned)?;
        self.submit(gpu, &mut pool, &self.gather, &jobs)
    }

    /// Reads a buffer from its first word on.
    pub(crate) fn read_buffer(&self, gpu: &Gpu, from: &wgpu::Buffer, words: usize) -> Result<Vec<u32>> {
        let mut out = Vec::with_capacity(words);
        for first in (0..words).step_by(MOST_WORDS) {
            let part = MOST_WORDS.min(words - first);
            let pending = {
                let mut pool = self.pool.lock().map_err(poisoned)?;
                let host = pool.host(gpu, part)?;
                let mut encoder =
                    gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                encoder.copy_buffer_to_buffer(from, 4 * first as u64, &host, 0, 4 * part as u64);
                let submission = gpu.queue.submit([encoder.finish()]);
                pool.moved.submissions += 1;
                pool.moved.to_host += 4 * part as u64;
                Readback::new(host, part, submission)
            };
            out.extend(self.finish(gpu, pending)?);
        }
        Ok(out)
    }

    /// Starts to read the largest integer of each place, in parts: `[place, MOST_PARTS]`.
    pub(crate) fn most_later(&self, gpu: &Gpu, layout: &Layout, places: &[Place<'_>]) -> Result<Readback> {
        gpu.check_not_lost()?;
        let mut jobs = Jobs::default();
        for (k, place) in places.iter().enumerate() {
            jobs.add(layout, *place, k * MOST_PARTS)?;
        }
        jobs.jobs.iter_mut().for_each(|(_, _, job)| job.threads = 64 * MOST_PARTS as u32);
        let words = places.len() * MOST_PARTS;
        let mut pool = self.pool.lock().map_err(poisoned)?;
        pool.grow(gpu, words)?;
        let host = pool.host(gpu, words)?;
        let prepared = self.prepare(gpu, &mut pool, &jobs)?;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.most);
            let all = |job: Prepared| Prepared { groups: MOST_PARTS as u32, ..job };
            prepared.into_iter().map(all).for_each(|job| job.dispatch(&mut pass));
        }
        encoder.copy_buffer_to_buffer(&pool.packed, 0, &host, 0, 4 * words as u64);
        let submission = gpu.queue.submit([encoder.finish()]);
        pool.moved.submissions += 1;
        pool.moved.to_host += 4 * words as u64;
        Ok(Readback::new(host, words, submission))
    }

    /// Runs a list in order, in one submission: writes of fields from `controls`, reads into `recorded` words, and other
    /// dispatches, for which `run` is called.
    pub(crate) fn script<'a>(
        &self,
        gpu: &Gpu,
        layout: &Layout,
        controls: &[u32],
        recorded: usize,
        list: &[Scripted<'a>],
        run: &mut dyn FnMut(&mut wgpu::ComputePass<'_>, usize),
    ) -> Result<Readback> {
        gpu.check_not_lost()?;
        let mut pool = self.pool.lock().map_err(poisoned)?;
        pool.grow(gpu, controls.len())?;
        pool.grow_records(gpu, recorded)?;
        let record = pool.records.clone();
        let host = pool.host(gpu, recorded)?;
        let mut jobs = Jobs::default();
        for scripted in list {
            match scripted {
                Scripted::Write(place, first) => jobs.add(layout, *place, *first)?,
                Scripted::Read(place, first) => jobs.add_beside(layout, *place, *first, &record)?,
                Scripted::Keep(place, kept) => jobs.add_beside(layout, *place, 0, kept)?,
                Scripted::Run(_) => {}
            }
        }
        gpu.queue.write_buffer(&pool.packed, 0, bytemuck::cast_slice(controls));
        pool.moved.to_device += 4 * controls.len() as u64;
        let mut prepared = self.prepare(gpu, &mut pool, &jobs)?.into_iter();
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for scripted in list {
                let pipeline = match scripted {
                    Scripted::Write(..) => &self.scatter,
                    Scripted::Read(..) | Scripted::Keep(..) => &self.gather,
                    Scripted::Run(what) => {
                        run(&mut pass, *what);
                        continue;
                    }
                };
                if let Some(job) = prepared.next() {
                    pass.set_pipeline(pipeline);
                    job.dispatch(&mut pass);
                }
            }
        }
        if recorded > 0 {
            encoder.copy_buffer_to_buffer(&record, 0, &host, 0, 4 * recorded as u64);
        }
        let submission = gpu.queue.submit([encoder.finish()]);
        // a frame that is larger than others ever are is not kept
        if recorded > MOST_WORDS {
            pool.records = buffer(&gpu.device, "records", LEAST_WORDS, PACKED);
            pool.forget_others();
        }
        pool.moved.submissions += 1;
        pool.moved.to_host += 4 * recorded as u64;
        Ok(Readback::new(host, recorded, submission))
    }

    /// Submits jobs.
    fn submit(
        &self,
        gpu: &Gpu,
        pool: &mut Pool,
        pipeline: &wgpu::ComputePipeline,
        jobs: &Jobs<'_>,
    ) -> Result<()> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.encode(gpu, pool, &mut encoder, pipeline, jobs)?;
        gpu.queue.submit([encoder.finish()]);
        pool.moved.submissions += 1;
        Ok(())
    }

    /// Encodes jobs in a pass of their own.
    fn encode(
        &self,
        gpu: &Gpu,
        pool: &mut Pool,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::ComputePipeline,
        jobs: &Jobs<'_>,
    ) -> Result<()> {
        let prepared = self.prepare(gpu, pool, jobs)?;
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        prepared.iter().for_each(|job| job.dispatch(&mut pass));
        Ok(())
    }

    /// Writes jobs and ids to the device, and makes their bind groups.
    fn prepare(&self, gpu: &Gpu, pool: &mut Pool, jobs: &Jobs<'_>) -> Result<Vec<Prepared>> {
        let mut uniforms = vec![0u8; jobs.jobs.len() * self.spacing];
        for ((_, _, job), to) in jobs.jobs.iter().zip(uniforms.chunks_mut(self.spacing)) {
            let mut uniform = UniformBuffer::new(Vec::<u8>::new());
            uniform.write(job).map_err(|e| Error::Device(format!("uniform: {e}")))?;
            let bytes = uniform.into_inner();
            to[..bytes.len()].copy_from_slice(&bytes);
        }
        gpu.checked("moving fields", || {
            let usage = wgpu::BufferUsages::STORAGE;
            let grown = grow(gpu, &mut pool.worlds, "worlds", jobs.ids.len(), usage)
                | grow(gpu, &mut pool.jobs, "jobs", uniforms.len().div_ceil(4), wgpu::BufferUsages::UNIFORM);
            if grown {
                pool.binds.clear();
            }
            if !jobs.ids.is_empty() {
                gpu.queue.write_buffer(&pool.worlds, 0, bytemuck::cast_slice(&jobs.ids));
            }
            gpu.queue.write_buffer(&pool.jobs, 0, &uniforms);
            pool.moved.to_device += 4 * jobs.ids.len() as u64 + uniforms.len() as u64;
            let prepared = jobs.jobs.iter().enumerate().map(|(k, (fields, other, job))| {
                let needed = (u64::from(job.rows) * u64::from(job.len)).div_ceil(64);
                Prepared {
                    bind: pool.bind(gpu, &self.layout, fields, *other),
                    at: u32::try_from(k * self.spacing).unwrap_or(0),
                    groups: u32::try_from(needed.clamp(1, u64::from(THREADS / 64))).unwrap_or(1),
                }
            });
            prepared.collect()
        })
    }
}

impl Pool {
    /// Makes room for packed fields.
    fn grow(&mut self, gpu: &Gpu, words: usize) -> Result<()> {
        let grown = gpu.checked("packed fields", || grow(gpu, &mut self.packed, "packed", words, PACKED))?;
        if grown {
            self.binds.clear();
        }
        Ok(())
    }

    /// Makes room for records.
    fn grow_records(&mut self, gpu: &Gpu, words: usize) -> Result<()> {
        let grown = gpu.checked("records", || grow(gpu, &mut self.records, "records", words, PACKED))?;
        if grown {
            self.binds.clear();
        }
        Ok(())
    }

    /// A buffer for the host to read from.
    fn host(&mut self, gpu: &Gpu, words: usize) -> Result<wgpu::Buffer> {
        let size = 4 * words as u64;
        // the smallest that fits
        let fits = self.hosts.iter().enumerate().filter(|(_, host)| host.size() >= size);
        let found = fits.min_by_key(|(_, host)| host.size()).map(|(k, _)| k);
        if let Some(k) = found {
            return Ok(self.hosts.swap_remove(k));
        }
        let words = words.max(LEAST_WORDS).next_power_of_two();
        gpu.checked("reading fields", || buffer(&gpu.device, "read", words, wgpu::BufferUsages::MAP_READ))
    }

    /// Drops the bind groups that hold anything but a buffer of the pool beside an arena.
    fn forget_others(&mut self) {
        let Self { packed, records, binds, .. } = self;
        binds.retain(|(_, other, _)| other == packed || other == records);
    }

    /// Bind group of a job.
    fn bind(
        &mut self,
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        fields: &wgpu::Buffer,
        other: Option<&wgpu::Buffer>,
    ) -> wgpu::BindGroup {
        let other = other.unwrap_or(&self.packed);
        let known = self.binds.iter().find(|(a, b, _)| a == fields && b == other);
        if let Some((_, _, bind)) = known {
            return bind.clone();
        }
        let job = wgpu::BufferBinding { buffer: &self.jobs, offset: 0, size: Some(TransferJob::min_size()) };
        let resources = [
            fields.as_entire_binding(),
            other.as_entire_binding(),
            self.worlds.as_entire_binding(),
            wgpu::BindingResource::Buffer(job),
        ];
        let entries = resources.into_iter().zip(0..);
        let entries: Vec<_> =
            entries.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
        let bind = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("transfer"),
            layout,
            entries: &entries,
        });
        if self.binds.len() >= MOST_KEPT {
            self.binds.remove(0);
        }
        self.binds.push((fields.clone(), other.clone(), bind.clone()));
        bind
    }
}

/// Makes a buffer larger where it has fewer words than needed.
fn grow(gpu: &Gpu, old: &mut wgpu::Buffer, label: &str, words: usize, usage: wgpu::BufferUsages) -> bool {
    let small = old.size() < 4 * words as u64;
    if small {
        // what is very large has no room to grow
        let words = if words > MOST_WORDS { words } else { words.next_power_of_two() };
        *old = buffer(&gpu.device, label, words, usage);
    }
    small
}

/// Rows of each place, in rounds that fit the packed buffer.
fn rounds(places: &[Place<'_>]) -> Vec<Vec<(usize, Range<usize>)>> {
    let mut rounds = Vec::new();
    let mut round = Vec::new();
    let mut room = MOST_WORDS;
    for (p, place) in places.iter().enumerate().filter(|(_, p)| p.part.len > 0) {
        let mut row = 0;
        while row < place.worlds.len() {
            let fit = room / place.part.len;
            if fit == 0 && !round.is_empty() {
                rounds.push(std::mem::take(&mut round));
                room = MOST_WORDS;
                continue;
            }
            let end = (row + fit.max(1)).min(place.worlds.len());
            round.push((p, row..end));
            room = room.saturating_sub((end - row) * place.part.len);
            row = end;
        }
    }
    if !round.is_empty() {
        rounds.push(round);
    }
    rounds
}

/// Some rows of a place.
fn cut<'a>(place: &Place<'a>, rows: &Range<usize>) -> Place<'a> {
    Place { worlds: &place.worlds[rows.clone()], ..*place }
}

fn poisoned<T>(_: T) -> Error {
    Error::Device("another thread failed while it moved fields".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_rounded_up_to_buffers() {
        let gpu = Gpu::open(crate::AdapterPreference::Any).expect("an adapter");
        let empty = || buffer(&gpu.device, "none", 1, PACKED);
        let arena = Arena {
            first: 0,
            worlds: 9,
            padded: 9,
            ids: Vec::new(),
            reals: empty(),
            ints: empty(),
            chunks: Vec::new(),
        };
        let worlds: Vec<u32> = (0..9).collect();
        let place =
            |len| Place { arena: &arena, part: Part { elem: Elem::Real, offset: 0, len }, worlds: &worlds };
        assert_eq!(rounds(&[place(1), place(0), place(2)]), [[(0, 0..9), (2, 0..9)]]);
        let half = MOST_WORDS / 2;
        let want = vec![
            vec![(0, 0..2)],
            vec![(0, 2..4)],
            vec![(0, 4..6)],
            vec![(0, 6..8)],
            vec![(0, 8..9), (1, 0..9)],
        ];
        assert_eq!(rounds(&[place(half), place(7)]), want);
        // a row that is larger than any buffer is a round of its own
        assert_eq!(rounds(&[place(MOST_WORDS + 1)]).len(), 9);
    }
}
