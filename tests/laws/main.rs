//! Laws: formulas that act on worlds, against built-in elements that do the same, and closed forms; on both backends.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod contacts;
mod elements;
mod models;
mod networks;
mod states;
mod worlds;

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::model::Model;

/// Backends of this build. A missing GPU adapter is a failure, never a skip.
const BACKENDS: &[Backend] =
    if cfg!(feature = "gpu") { &[Backend::Cpu, Backend::Gpu] } else { &[Backend::Cpu] };

fn open(model: &Model, worlds: usize, backend: Backend) -> Batch {
    Batch::new(model, worlds, &BatchOptions::on(backend)).expect("both backends; software Vulkan is enough")
}

fn get(batch: &mut Batch, field: &str) -> Vec<f64> {
    batch.get(field, ..).unwrap().data.to_f64()
}

/// What is allowed on a backend.
fn tolerance(backend: Backend, cpu: f64, gpu: f64) -> f64 {
    if backend == Backend::Cpu { cpu } else { gpu }
}

/// Compares numbers, relative to one plus their size.
fn near(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (k, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what}, element {k}: {a}, not {b}");
    }
}

/// A model of the folder `models/laws`.
fn example(name: &str) -> Model {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models/laws");
    manyworlds::load(&folder.join(name)).unwrap()
}
