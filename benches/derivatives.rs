//! Inverse against forward dynamics, and derivatives of a step of the humanoid at 100 knots, on both backends.

#![allow(clippy::expect_used, clippy::print_stderr, reason = "a benchmark")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use manyworlds::analysis::derivatives::{Derivatives, DifferenceOptions, Knots, Method};
use manyworlds::batch::control::{Control, fill};
use manyworlds::batch::{Backend, BatchOptions, max_capacity, probe};
use manyworlds::cpu;
use manyworlds::model::Model;
use manyworlds::model::data::Data;

const KNOTS: usize = 100;

fn humanoid() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/humanoid.xml");
    manyworlds::load(&path).expect("our own model")
}

/// First world of the falling humanoid with at least `least` contacts.
fn with_contacts(model: &Model, least: i32) -> Data {
    for world in 0..200 {
        let mut data = Data::new(model, max_capacity(model));
        data.reset(model, (model.sizes.nkey > 0).then_some(0));
        let mut ctrl = vec![0.0; model.sizes.nu];
        for step in 0..1_000 {
            fill(model, Control::Noise, 0, world, step, &mut ctrl);
            data.ctrl.copy_from_slice(&ctrl);
            cpu::step(model, &mut data);
            if data.ncon[0] >= least {
                cpu::forward(model, &mut data);
                return data;
            }
        }
    }
    unreachable!("no world had {least} contacts")
}

/// One evaluation each; the pipeline up to the velocities is shared.
fn inverse(c: &mut Criterion) {
    let model = humanoid();
    let data = with_contacts(&model, 10);
    let mut group = c.benchmark_group(format!("dynamics, humanoid, {} contacts", data.ncon[0]));
    let mut bench = |name: &str, run: fn(&Model, &mut Data)| {
        group.bench_function(name, |b| {
            b.iter_batched_ref(|| data.clone(), |d| run(black_box(&model), d), BatchSize::SmallInput);
        });
    };
    bench("forward", cpu::forward);
    bench("inverse", cpu::inverse);
    bench("forward, after the velocities", |m, d| {
        cpu::actuation::actuation::actuation(m, d);
        cpu::smooth::acceleration::acceleration(m, d);
        // warm start from the last solution, as in any step but the first
        cpu::solver::solve::solve(m, d);
    });
    bench("inverse, after the velocities", cpu::solver::inverse::inverse);
}

/// States along a motion.
fn knots(model: &Model) -> Knots {
    let mut data = Data::new(model, probe(model));
    data.reset(model, (model.sizes.nkey > 0).then_some(0));
    let mut fields: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut ctrl = vec![0.0; model.sizes.nu];
    for knot in 0..KNOTS {
        fill(model, Control::Noise, 1, 0, knot, &mut ctrl);
        data.ctrl.copy_from_slice(&ctrl);
        for _ in 0..5 {
            cpu::step(model, &mut data);
        }
        for (name, values) in [("qpos", &data.qpos), ("qvel", &data.qvel), ("ctrl", &data.ctrl)] {
            fields.entry(name.to_owned()).or_default().extend(values);
        }
    }
    Knots { count: KNOTS, fields }
}

/// All columns of all knots: one batch on a GPU. A software adapter serves if there is no other.
fn transition(c: &mut Criterion) {
    let model = humanoid();
    let knots = knots(&model);
    let mut group = c.benchmark_group("derivatives of a step, humanoid, 100 knots");
    group.throughput(Throughput::Elements(KNOTS as u64)).sample_size(10);
    let differences = |backend| (backend, Method::Differences(DifferenceOptions::best(backend)));
    let exact = (Backend::Cpu, Method::Exact);
    for (backend, method) in [exact, differences(Backend::Cpu), differences(Backend::Gpu)] {
        let made = Derivatives::new(&model, KNOTS, method, &BatchOptions::on(backend));
        let mut derivatives = match made {
            Ok(derivatives) => derivatives,
            Err(why) => {
                eprintln!("{}: {why}", backend.name());
                continue;
            }
        };
        let how = if method == Method::Exact { "exact" } else { "differences" };
        let name = format!("{how}, {}, {}", backend.name(), derivatives.device());
        group.bench_function(name, |b| {
            b.iter(|| derivatives.transition(black_box(&knots)).expect("derivatives"))
        });
    }
}

criterion_group!(benches, inverse, transition);
criterion_main!(benches);
