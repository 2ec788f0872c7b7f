//! Time of each stage and of a whole step. Small by default; `cargo test --bench stages` runs each once.

#![allow(missing_docs, clippy::expect_used, reason = "benchmarks; criterion's macro makes a public function")]

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use manyworlds::batch::control::{Control, fill};
use manyworlds::batch::probe;
use manyworlds::cpu;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::schedule;

/// Steps before the measured ones; by then the humanoid is in contact.
const WARMUP: usize = 200;

fn humanoid() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/humanoid.xml");
    manyworlds::load(&path).expect("our own model")
}

/// A world of the workload `hold` after its warm-up.
fn warm(model: &Model) -> Data {
    let mut data = Data::new(model, probe(model));
    data.reset(model, (model.sizes.nkey > 0).then_some(0));
    let mut ctrl = vec![0.0; model.sizes.nu];
    fill(model, Control::Hold, 0, 0, 0, &mut ctrl);
    data.ctrl.copy_from_slice(&ctrl);
    for _ in 0..WARMUP {
        cpu::step(model, &mut data);
    }
    data
}

/// Each stage on the CPU in double precision, on the results of the stages before it.
fn cpu_stages(c: &mut Criterion) {
    let model = humanoid();
    let mut data = warm(&model);
    let mut group = c.benchmark_group("cpu stage, humanoid");
    for stage in schedule::step(&model) {
        let before = data.clone();
        group.bench_function(stage.name(), |b| {
            b.iter_batched_ref(
                || before.clone(),
                |d| cpu::run_stage(stage, black_box(&model), d),
                BatchSize::SmallInput,
            );
        });
        cpu::run_stage(stage, &model, &mut data);
    }
}

/// A whole step of one world on one core.
fn cpu_step(c: &mut Criterion) {
    let model = humanoid();
    let start = warm(&model);
    let mut group = c.benchmark_group("cpu step, humanoid");
    group.throughput(Throughput::Elements(1));
    group.bench_function("1 world", |b| {
        b.iter_batched_ref(|| start.clone(), |d| cpu::step(black_box(&model), d), BatchSize::SmallInput);
    });
}

/// Each kernel in a dispatch of its own on the first adapter, software ones included. Submission and wait are
/// included too, so few worlds measure those rather than the kernel.
#[cfg(feature = "gpu")]
fn gpu_stages(c: &mut Criterion) {
    use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions};
    const WORLDS: usize = 64;
    let model = humanoid();
    let gpu = Gpu::open(AdapterPreference::Any).expect("an adapter: see `manyworlds doctor`");
    let mut batch = GpuBatch::new(&gpu, model.clone(), WORLDS, probe(&model), &KernelOptions::default())
        .expect("memory of 64 worlds");
    let mut ctrl = vec![0.0; WORLDS * model.sizes.nu];
    fill(&model, Control::Hold, 0, 0, 0, &mut ctrl);
    batch.reset(&[true; WORLDS], (model.sizes.nkey > 0).then_some(0)).expect("a keyframe");
    batch.set("ctrl", &ctrl).expect("controls");
    batch.step(WARMUP / 10).and_then(|()| batch.wait()).expect("steps");
    let mut group = c.benchmark_group("gpu stage, humanoid, 64 worlds");
    group.throughput(Throughput::Elements(WORLDS as u64));
    // in order, each on the results of the stages before it; the first run builds the kernel
    for stage in schedule::step(&model) {
        batch.run_stages(&[stage]).and_then(|()| batch.wait()).expect("a kernel");
        group.bench_function(stage.name(), |b| {
            b.iter(|| batch.run_stages(&[stage]).and_then(|()| batch.wait()).expect("a dispatch"));
        });
    }
}

#[cfg(not(feature = "gpu"))]
fn gpu_stages(_: &mut Criterion) {}

/// Whole steps of small batches on the first adapter, software ones included.
#[cfg(feature = "gpu")]
fn gpu_step(c: &mut Criterion) {
    use manyworlds::batch::{Backend, Batch, BatchOptions};
    const STEPS: usize = 10;
    let model = humanoid();
    let options = BatchOptions { capacity: Some(probe(&model)), ..BatchOptions::on(Backend::Gpu) };
    let mut group = c.benchmark_group("gpu 10 steps, humanoid");
    for worlds in [1, 64] {
        let mut batch = Batch::new(&model, worlds, &options).expect("an adapter: see `manyworlds doctor`");
        let mut ctrl = vec![0.0; worlds * model.sizes.nu];
        fill(&model, Control::Hold, 0, 0, 0, &mut ctrl);
        batch.reset(.., (model.sizes.nkey > 0).then_some(0)).expect("a keyframe");
        batch.set("ctrl", .., &ctrl).expect("controls");
        batch.step(WARMUP / 10).and_then(|()| batch.wait()).expect("steps");
        group.throughput(Throughput::Elements((worlds * STEPS) as u64));
        group.bench_function(format!("{worlds} worlds"), |b| {
            b.iter(|| batch.step(STEPS).and_then(|()| batch.wait()).expect("steps"));
        });
    }
}

#[cfg(not(feature = "gpu"))]
fn gpu_step(_: &mut Criterion) {}

/// Seconds for the whole set, not minutes.
fn quick() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
}

criterion_group! {
    name = all;
    config = quick();
    targets = cpu_stages, cpu_step, gpu_stages, gpu_step
}
criterion_main!(all);
