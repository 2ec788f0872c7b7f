//! A kernel of one's own beside those of a batch: a whirl that pushes every body sideways, computed on the device from
//! positions and written as external forces, without a copy to the host.
//!
//!     cargo run --release --example force_field -- models/quadruped.xml
#![allow(clippy::print_stdout, reason = "an example")]

use manyworlds::batch::Overflow;
use manyworlds::gpu::wgpu;
use manyworlds::gpu::{FieldLayout, GpuBatch};
use manyworlds::prelude::*;

const WORLDS: usize = 64;

/// One invocation for each body of each world; places of fields are constants of the text.
const KERNEL: &str = r"
@group(0) @binding(0) var<storage, read_write> reals: array<f32>;

fn at(world: u32, offset: u32, i: u32) -> u32 {
    return (world / tile) * stride * tile + (offset + i) * tile + world % tile;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let world = id.x / nbody;
    let body = id.x % nbody;
    if (world >= worlds || body == 0u) {
        return;
    }
    let x = reals[at(world, xipos, 3u * body)];
    let y = reals[at(world, xipos, 3u * body + 1u)];
    // worlds whirl the stronger, the higher their number
    let strength = 0.02 * f32(world);
    reals[at(world, xfrc_applied, 6u * body)] = -strength * y;
    reals[at(world, xfrc_applied, 6u * body + 1u)] = strength * x;
}
";

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "models/quadruped.xml".to_owned());
    let model = manyworlds::load(&path)?;
    // a batch that grew would have other buffers than those that the kernel is bound to
    let options = BatchOptions { overflow: Overflow::Flag, ..BatchOptions::on(Backend::Gpu) };
    let mut batch = Batch::new(&model, WORLDS, &options)?;
    println!("{}", batch.device());
    batch.forward()?;
    let whirl = match batch.on_device() {
        Some(gpu) => Whirl::new(gpu, model.sizes.nbody)?,
        None => return Err(Error::Device("a batch on the GPU was asked for".to_owned())),
    };
    for _ in 0..200 {
        batch.on_device().into_iter().for_each(|gpu| whirl.push(gpu));
        batch.step(1)?;
    }
    let (force, qpos) = (batch.get("xfrc_applied", ..)?.data.to_f64(), batch.get("qpos", ..)?.data.to_f64());
    for world in [0, WORLDS / 2, WORLDS - 1] {
        let row = &force[world * 6 * model.sizes.nbody..(world + 1) * 6 * model.sizes.nbody];
        let most = row.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let at = &qpos[world * model.sizes.nq..][..2];
        println!("world {world:>3}: largest force {most:.3} N, at {:.3} {:.3} m", at[0], at[1]);
    }
    Ok(())
}

/// The kernel, bound to the worlds of a batch.
struct Whirl {
    pipeline: wgpu::ComputePipeline,
    binds: Vec<(wgpu::BindGroup, u32)>,
}

impl Whirl {
    fn new(gpu: &GpuBatch, nbody: usize) -> Result<Self> {
        let [xipos, xfrc]: [FieldLayout; 2] = [gpu.layout_of("xipos")?, gpu.layout_of("xfrc_applied")?];
        let device = gpu.gpu().device();
        let constants = format!(
            "const nbody = {nbody}u; const worlds = {WORLDS}u; const tile = {}u; const stride = {}u;\n\
             const xipos = {}u; const xfrc_applied = {}u;\n",
            xipos.tile, xipos.stride, xipos.offset, xfrc.offset
        );
        let text = constants + KERNEL;
        let parsed =
            naga::front::wgsl::parse_str(&text).map_err(|e| Error::Device(e.emit_to_string(&text)))?;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("whirl"),
            source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(parsed)),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("whirl"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let layout = pipeline.get_bind_group_layout(0);
        let bind = |buffers: manyworlds::gpu::WorldBuffers<'_>| {
            let entry = wgpu::BindGroupEntry { binding: 0, resource: buffers.reals.as_entire_binding() };
            let bind = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("whirl"),
                layout: &layout,
                entries: &[entry],
            });
            (bind, u32::try_from((buffers.worlds * nbody).div_ceil(64)).unwrap_or(1))
        };
        let binds = gpu.buffers().map(bind).collect();
        Ok(Self { pipeline, binds })
    }

    /// Writes the forces of all worlds; the next step reads them.
    fn push(&self, gpu: &GpuBatch) {
        let device = gpu.gpu().device();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (bind, groups) in &self.binds {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, bind, &[]);
            pass.dispatch_workgroups(*groups, 1, 1);
        }
        gpu.gpu().queue().submit([encoder.finish()]);
    }
}
