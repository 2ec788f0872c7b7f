//! Policy and physics on one device: every world acts by a policy of its own, a small net whose parameters differ from the
//! mean ones by noise, and the mean moves towards those that earned more (an evolution strategy after Salimans, Ho, Chen,
//! Sidor and Sutskever 2017, with ranks, pairs of opposite noise and Adam). Observations, actions and returns stay where
//! the worlds are; of each generation the host reads its returns, to print their mean.
//!
//!     cargo run --release --example evolution                     the cart-pole swings up
//!     cargo run --release --example evolution -- MODEL TASK.json [GENERATIONS]
//!
//! A task is what `Task.to_dict` of the Python package says, as JSON; its actions are numbers of -1 to 1. The same device
//! gives the same bits in every run.
#![allow(clippy::print_stdout, reason = "an example")]

use std::path::Path;
use std::time::Instant;

use manyworlds::batch::Overflow;
use manyworlds::gpu::{FieldLayout, GpuBatch, wgpu};
use manyworlds::model::task::Task;
use manyworlds::prelude::*;

const WORLDS: usize = 256;
const HIDDEN: usize = 16;
/// Standard deviation of the noise, and about the largest step of a parameter in a generation.
const DEVIATION: f64 = 0.1;
const RATE: f64 = 0.1;
const SEED: u32 = 1;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = |i: usize, default: &str| arguments.get(i).map_or_else(|| root.join(default), Into::into);
    let mut model = manyworlds::load(&path(0, "models/cartpole.xml"))?;
    let task = path(1, "models/tasks/cartpole_swing_up.json");
    let text = std::fs::read_to_string(&task).map_err(|e| Error::io_from(task.clone(), "", e))?;
    model.set_task(&Task::from_json(&text)?)?;
    let generations = match arguments.get(2) {
        Some(n) => n.parse().map_err(|_| Error::Argument(format!("'{n}' is not a number of generations")))?,
        None => 100,
    };

    // a world with more contacts than there is room for is flagged: to look for it would stop the host
    let options = BatchOptions { overflow: Overflow::Flag, ..BatchOptions::on(Backend::Gpu) };
    let mut batch = Batch::new(&model, WORLDS, &options)?;
    let device = batch.device();
    println!("{device}, {WORLDS} worlds");
    let steps = batch.task()?.max_episode_steps.unwrap_or(1000);
    let evolution = Evolution::new(on(&mut batch)?, &model)?;
    for generation in 0..=generations {
        // the last one shows what the mean policy has learnt, without noise
        let last = generation == generations;
        let begin = Instant::now();
        evolution.begin(on(&mut batch)?, generation, !last);
        // the two worlds of a pair begin alike
        let pairs: Vec<u32> = (0..WORLDS as u32).map(|world| world / 2).collect();
        batch.seed_task(.., &vec![u64::from(SEED) << 32 | u64::from(generation); WORLDS], &pairs)?;
        batch.begin_episodes(..)?;
        for _ in 0..steps {
            evolution.run(on(&mut batch)?, &["act"]);
            batch.step_task()?;
            evolution.run(on(&mut batch)?, &["score"]);
        }
        evolution.run(on(&mut batch)?, &["rank", "learn"]);
        let returns = evolution.returns(on(&mut batch)?)?;
        let mean = returns.iter().sum::<f32>() / WORLDS as f32;
        let rate = (WORLDS * steps) as f64 / begin.elapsed().as_secs_f64();
        let best = returns.iter().copied().fold(f32::MIN, f32::max);
        let name = if last { "mean policy" } else { "generation" };
        println!("{name} {generation:>3}: return {mean:>7.1}, best {best:>7.1}, {rate:>8.0} steps/s");
    }
    Ok(())
}

/// The batch on its device, whose buffers stay: it does not grow.
fn on(batch: &mut Batch) -> Result<&GpuBatch> {
    batch.on_device().ok_or_else(|| Error::device("the device of the batch was lost"))
}

/// Buffers of the policies, and the kernels of `evolution.wgsl` bound to them and to the worlds of a batch.
struct Evolution {
    kernels: Vec<(&'static str, wgpu::ComputePipeline)>,
    shares: Vec<Share>,
    scores: wgpu::Buffer,
    parameters: usize,
}

/// Consecutive worlds, whose fields are in buffers of their own.
struct Share {
    first: usize,
    worlds: usize,
    turn: wgpu::Buffer,
    bind: wgpu::BindGroup,
}

impl Evolution {
    fn new(gpu: &GpuBatch, model: &Model) -> Result<Self> {
        let device = gpu.gpu().device();
        let (observations, actions) = (model.sizes.nobservation, model.sizes.naction);
        let parameters = HIDDEN * (1 + observations + actions);
        let text = constants(gpu, observations, actions, parameters)?
            + include_str!("../shaders/math/philox.wgsl")
            + include_str!("evolution.wgsl");
        let parsed =
            naga::front::wgsl::parse_str(&text).map_err(|e| Error::device(e.emit_to_string(&text)))?;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("evolution"),
            source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(parsed)),
        });

        // all kernels have the same buffers
        let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = wgpu::BufferBindingType::Storage { read_only: false };
        let kinds = [storage, storage, wgpu::BufferBindingType::Uniform, storage, storage, storage];
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("evolution"),
            entries: &(0..).zip(kinds).map(entry).collect::<Vec<_>>(),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("evolution"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let kernel = |name| {
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(name),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(name),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            (name, pipeline)
        };
        let kernels = ["vary", "act", "score", "rank", "learn"].map(kernel).into();

        // buffers begin with zeros, and so does the mean policy
        let buffer = |name, words: usize, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(name),
                size: 4 * words as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let storage = wgpu::BufferUsages::STORAGE;
        let policies = buffer("policies", parameters * WORLDS, storage);
        let centre = buffer("centre", 3 * parameters, storage);
        let scores = buffer("scores", 3 * WORLDS, storage | wgpu::BufferUsages::COPY_SRC);
        let share = |worlds: manyworlds::gpu::WorldBuffers<'_>| {
            let turn = buffer("turn", 4, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST);
            let bound = [worlds.reals, worlds.ints, &turn, &policies, &centre, &scores];
            let bound = bound.map(wgpu::Buffer::as_entire_binding);
            let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
            let bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("evolution"),
                layout: &layout,
                entries: &(0..).zip(bound).map(entry).collect::<Vec<_>>(),
            });
            Share { first: worlds.first, worlds: worlds.worlds, turn, bind }
        };
        let shares = gpu.buffers().map(share).collect();
        Ok(Self { kernels, shares, scores, parameters })
    }

    /// Begins a generation: each world has a policy of its own, or with `noisy` false the mean one.
    fn begin(&self, gpu: &GpuBatch, generation: u32, noisy: bool) {
        for share in &self.shares {
            let words = [share.first as u32, share.worlds as u32, generation, u32::from(noisy)];
            gpu.gpu().queue().write_buffer(&share.turn, 0, bytemuck::cast_slice(&words));
        }
        self.run(gpu, &["vary"]);
    }

    /// Submits kernels, each for all worlds; `learn` for all parameters.
    fn run(&self, gpu: &GpuBatch, names: &[&str]) {
        let mut encoder =
            gpu.gpu().device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (name, pipeline) in names.iter().filter_map(|n| self.kernels.iter().find(|(name, _)| name == n)) {
            let learns = *name == "learn";
            for share in self.shares.iter().take(if learns { 1 } else { usize::MAX }) {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &share.bind, &[]);
                let invocations = if learns { self.parameters } else { share.worlds };
                pass.dispatch_workgroups(invocations.div_ceil(64) as u32, 1, 1);
            }
        }
        gpu.gpu().queue().submit([encoder.finish()]);
    }

    /// Returns of all worlds: the only numbers that the host reads.
    fn returns(&self, gpu: &GpuBatch) -> Result<Vec<f32>> {
        let (device, size) = (gpu.gpu().device(), 4 * WORLDS as u64);
        let host = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("returns"),
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.scores, 0, &host, 0, size);
        gpu.gpu().queue().submit([encoder.finish()]);
        host.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        gpu.wait()?;
        let view = host.slice(..).get_mapped_range();
        let view = view.map_err(|e| Error::device_from("reading the returns failed", e))?;
        Ok(bytemuck::cast_slice(&view).to_vec())
    }
}

/// Sizes and places of fields, as WGSL.
fn constants(gpu: &GpuBatch, observations: usize, actions: usize, parameters: usize) -> Result<String> {
    let names = ["observation", "action", "reward", "terminated", "truncated"];
    let places: Vec<FieldLayout> = names.iter().map(|name| gpu.layout_of(name)).collect::<Result<_>>()?;
    let number = |name: &str, value: usize| format!("const {name} = {value}u;\n");
    let mut text =
        names.iter().zip(&places).map(|(name, place)| number(name, place.offset)).collect::<String>();
    for (name, value) in [
        ("tile", places[0].tile),
        ("real_stride", places[0].stride),
        ("int_stride", places[3].stride),
        ("num_worlds", WORLDS),
        ("observations", observations),
        ("actions", actions),
        ("hidden", HIDDEN),
        ("parameters", parameters),
        ("seed", SEED as usize),
    ] {
        text += &number(name, value);
    }
    Ok(text + &format!("const deviation = {DEVIATION:?};\nconst rate = {RATE:?};\n"))
}
