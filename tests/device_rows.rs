//! Fields set from buffers on the device: the bits of `set`, of some worlds, and where a batch grows after the buffer was
//! written to again.

#![cfg(feature = "gpu")]

use std::borrow::Cow;

use manyworlds::batch::Overflow;
use manyworlds::gpu::{Gpu, wgpu};
use manyworlds::prelude::*;
use wgpu::BufferUsages;

const WORLDS: usize = 3;

/// Spheres that fall onto a plane one after the other, with a motor and an equality constraint.
fn model() -> Model {
    let bodies: String = (0..4)
        .map(|k| {
            let (x, z) = (0.3 * f64::from(k), 0.1 + 0.02 * f64::from(k));
            format!(
                "<body pos='{x} 0 {z}'><joint name='x{k}' type='slide' axis='1 0 0'/>\
                 <joint name='z{k}' type='slide' axis='0 0 1'/><geom size='0.09'/></body>"
            )
        })
        .collect();
    manyworlds::load_str(&format!(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body name='hand' mocap='true'/>{bodies}</worldbody>\
         <equality><joint joint1='x0' joint2='x1'/></equality>\
         <actuator><motor joint='x0'/><motor joint='z0'/></actuator></mujoco>"
    ))
    .expect("a model")
}

fn batch(capacity: (usize, usize), overflow: Overflow) -> Batch {
    let (nconmax, njmax) = capacity;
    let capacity = Some(Capacity { nconmax, njmax });
    let options = BatchOptions { capacity, overflow, ..BatchOptions::on(Backend::Gpu) };
    Batch::new(&model(), WORLDS, &options).expect("a batch")
}

fn buffer(gpu: &Gpu, words: usize, usage: BufferUsages) -> wgpu::Buffer {
    let size = 4 * words as u64;
    gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("rows"),
        size,
        usage,
        mapped_at_creation: false,
    })
}

/// Writes `expression` of the number `k` of each word of a buffer in a compute pass on the batch's queue.
fn fill(gpu: &Gpu, rows: &wgpu::Buffer, element: &str, expression: &str) {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> rows: array<{element}>;\n\
         @compute @workgroup_size(1) fn fill(@builtin(global_invocation_id) id: vec3u) {{\n\
             let k = id.x; rows[k] = {expression};\n}}"
    );
    let module = naga::front::wgsl::parse_str(&text).expect("a kernel");
    let device = gpu.device();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Naga(Cow::Owned(module)),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("fill"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bind = gpu.bind_group("fill", &pipeline.get_bind_group_layout(0), [rows.as_entire_binding()]);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bind, &[]);
    pass.dispatch_workgroups(u32::try_from(rows.size() / 4).expect("few words"), 1, 1);
    drop(pass);
    gpu.queue().submit([encoder.finish()]);
}

fn gpu_of(batch: &Batch) -> Gpu {
    batch.gpu().expect("a device").clone()
}

fn get(batch: &mut Batch, field: &str) -> Vec<f64> {
    batch.get(field, ..).expect("a field").data.to_f64()
}

#[test]
fn rows_of_a_buffer_are_those_of_the_host() {
    let (mut from_buffer, mut from_host) = (batch((16, 64), Overflow::Flag), batch((16, 64), Overflow::Flag));
    let gpu = gpu_of(&from_buffer);
    // reals of all worlds
    let (nq, nu) = (from_buffer.sizes().nq, from_buffer.sizes().nu);
    for (field, len) in [("qpos", nq), ("ctrl", nu)] {
        let rows = buffer(&gpu, WORLDS * len, BufferUsages::STORAGE);
        fill(&gpu, &rows, "f32", "0.015625 * f32(k)");
        from_buffer.set_from_buffer(field, .., rows.slice(..)).expect("rows");
        let numbers: Vec<f64> = (0..WORLDS * len).map(|k| 0.015625 * k as f64).collect();
        from_host.set(field, .., &numbers).expect("numbers");
    }
    // integers of two worlds that are no neighbours, behind other words of their buffer
    let rows = buffer(&gpu, 5, BufferUsages::STORAGE);
    fill(&gpu, &rows, "i32", "i32(k) - 3");
    from_buffer.set_from_buffer("eq_active", &[0, 2], rows.slice(12..20)).expect("rows");
    from_host.set("eq_active", &[0, 2], &[0, 1]).expect("numbers");
    assert_eq!(get(&mut from_buffer, "eq_active"), [0.0, 1.0, 1.0]);
    for steps in [0, 20] {
        from_buffer.step(steps).expect("steps");
        from_host.step(steps).expect("steps");
        for field in ["qpos", "qvel", "ctrl", "eq_active"] {
            assert_eq!(get(&mut from_buffer, field), get(&mut from_host, field), "{field}");
        }
    }
}

#[test]
fn a_batch_that_grows_has_the_rows_that_it_was_given() {
    let (mut from_buffer, mut from_host) = (batch((1, 4), Overflow::Grow), batch((16, 64), Overflow::Flag));
    let gpu = gpu_of(&from_buffer);
    let rows = buffer(&gpu, 2 * (WORLDS - 1), BufferUsages::STORAGE);
    for turn in 0..12 {
        // the same buffer again and again, and no look at what the steps have wanted
        fill(&gpu, &rows, "f32", &format!("0.03125 * f32(k) - 0.0625 * f32({turn})"));
        from_buffer.set_from_buffer("ctrl", 1..WORLDS, rows.slice(..)).expect("rows");
        let numbers: Vec<f64> =
            (0..2 * (WORLDS - 1)).map(|k| 0.03125 * k as f64 - 0.0625 * f64::from(turn)).collect();
        from_host.set("ctrl", 1..WORLDS, &numbers).expect("numbers");
        from_buffer.step(7).expect("steps");
        from_host.step(7).expect("steps");
    }
    assert!(from_buffer.growth().is_empty(), "nobody has asked yet");
    for field in ["qpos", "qvel", "ctrl", "ncon", "status"] {
        assert_eq!(get(&mut from_buffer, field), get(&mut from_host, field), "{field}");
    }
    assert!(!from_buffer.growth().is_empty());
}

#[test]
fn what_no_field_can_be_set_from_is_an_error() {
    let mut batch = batch((16, 64), Overflow::Flag);
    let gpu = gpu_of(&batch);
    let rows = buffer(&gpu, 8, BufferUsages::STORAGE);
    let why = |batch: &mut Batch, field: &str, rows: wgpu::BufferSlice<'_>| {
        batch.set_from_buffer(field, .., rows).expect_err("an error")
    };
    let argument = |error: Error, part: &str| {
        assert!(matches!(error, Error::Argument(_)) && error.to_string().contains(part), "{error}");
    };
    argument(why(&mut batch, "xpos", rows.slice(..)), "it cannot be set");
    argument(why(&mut batch, "mocap_pos", rows.slice(..)), "use `set`");
    argument(why(&mut batch, "ctrl", rows.slice(..)), "3 worlds need 24 bytes of a buffer, got 32");
    argument(why(&mut batch, "ctrl", rows.slice(2..26)), "a multiple of 4");
    let copies = buffer(&gpu, 6, BufferUsages::COPY_SRC);
    argument(why(&mut batch, "ctrl", copies.slice(..)), "without the usage STORAGE");
    // what only the driver sees
    let destroyed = buffer(&gpu, 6, BufferUsages::STORAGE);
    destroyed.destroy();
    let mapped = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("mapped"),
        size: 24,
        usage: BufferUsages::STORAGE,
        mapped_at_creation: true,
    });
    for (what, buffer) in [("destroyed", &destroyed), ("mapped", &mapped)] {
        let result = batch.set_from_buffer("ctrl", .., buffer.slice(..));
        assert!(matches!(result, Err(Error::Device { .. })), "{what}: {result:?}");
    }
    // the batch is as usable as before
    batch.set_from_buffer("ctrl", .., rows.slice(8..)).expect("rows");
    batch.step(1).expect("a step");
    // the CPU reads no buffers
    let mut batch = Batch::new(&model(), WORLDS, &BatchOptions::on(Backend::Cpu)).expect("a batch");
    let error = why(&mut batch, "ctrl", rows.slice(8..));
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
}
