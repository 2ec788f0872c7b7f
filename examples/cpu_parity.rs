//! Compares the CPU pipeline with the reference release, field by field.
//!
//!     tests/parity/dump_reference.py MODEL.xml M.npz
//!     cargo run --release -p manyworlds --no-default-features --example cpu_parity -- M.npz …
//!
//! `--single` runs the pipeline in single precision, `--time` measures steps.
//!
//! An error is `max|a - b| / (1 + max|b|)` over a field of a state. Up to twice the distance of the reference's
//! truncated solver from its own converged solution is tolerated, and printed.

#![allow(clippy::print_stdout, reason = "this is a command-line tool")]
#![allow(clippy::unwrap_used, reason = "a development tool may stop on bad input")]

use std::collections::BTreeMap;
use std::time::Instant;

use manyworlds::cpu::{self, Precision};
use manyworlds::formats::npz;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::{Size, Sizes, ValuesMut};

/// Arrays of an archive: shape and values.
type Arrays = BTreeMap<String, (Vec<usize>, Vec<f64>)>;

fn load(path: &str) -> Arrays {
    let arrays = npz::read(path.as_ref()).unwrap();
    arrays.into_iter().map(|(name, array)| (name, (array.shape, array.data.to_f64()))).collect()
}

#[allow(clippy::cast_possible_truncation, reason = "ids and flags are small")]
fn fill(target: ValuesMut<'_, f64>, values: &[f64]) {
    match target {
        ValuesMut::Real(t) => {
            let n = t.len().min(values.len());
            t[..n].copy_from_slice(&values[..n]);
        }
        ValuesMut::Int(t) => {
            for (x, v) in t.iter_mut().zip(values) {
                *x = *v as i32;
            }
        }
    }
}

fn model_of(arrays: &Arrays) -> Model<f64> {
    let mut sizes = Sizes::default();
    for &size in Size::ALL {
        if let Some((_, v)) = arrays.get(&format!("size.{}", size.name())) {
            *sizes.get_mut(size) = v[0] as usize;
        }
    }
    let mut model = Model::<f64>::zeroed(sizes);
    for field in Model::<f64>::FIELDS {
        let (_, v) = &arrays[&format!("model.{}", field.name)];
        fill(model.get_mut(field.name).unwrap(), v);
    }
    model
}

fn set_state(arrays: &Arrays, k: usize, model: &Model<f64>, data: &mut Data<f64>) {
    data.reset(model, None);
    for (name, (shape, v)) in arrays {
        if let Some(name) = name.strip_prefix("state.") {
            let n = shape[1];
            fill(data.get_mut(name).unwrap(), &v[k * n..(k + 1) * n]);
        }
    }
}

/// Largest relative error of a field; infinite if the lengths differ.
fn error(name: &str, got: &[f64], want: &[f64]) -> f64 {
    let want: Vec<f64> = want.iter().copied().take_while(|x| !x.is_nan()).collect();
    if got.len() < want.len() {
        return f64::INFINITY;
    }
    let top = want.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let mut worst = 0.0_f64;
    for i in 0..want.len() {
        let mut e = (got[i] - want[i]).abs();
        if name == "xquat" {
            e = e.min((got[i] + want[i]).abs());
        }
        worst = if e.is_finite() { worst.max(e) } else { f64::INFINITY };
    }
    worst / (1.0 + top)
}

/// Part of a field that belongs to the `nefc` rows or `ncon` contacts in use.
fn value(model: &Model<f64>, data: &Data<f64>, name: &str) -> Option<Vec<f64>> {
    let all = data.get(name)?.to_f64();
    let rows = if name.starts_with("efc_") {
        let n = data.nefc[0] as usize;
        n * (all.len() / data.sizes.njmax)
    } else if name.starts_with("contact_") {
        data.ncon[0] as usize * (all.len() / data.sizes.nconmax)
    } else {
        all.len()
    };
    let _ = model;
    Some(all[..rows].to_vec())
}

fn compare<T: Precision>(path: &str) {
    let arrays = load(path);
    let model = model_of(&arrays);
    let typed = model.cast::<T>();
    let count = arrays["state.qpos"].0[0];
    let mut data = Data::new(&model, Capacity { nconmax: 200, njmax: 900 });
    let mut worst: BTreeMap<String, (f64, f64, usize)> = BTreeMap::new();
    let mut note = |name: &str, k: usize, e: f64, slack: f64| {
        let w = worst.entry(name.to_owned()).or_insert((-1.0, 0.0, 0));
        if e - 2.0 * slack > w.0 {
            *w = (e - 2.0 * slack, slack, k);
        }
    };
    let limit = if T::EPSILON.f64() < 1e-12 { 1e-9 } else { 1e-5 };
    let verbose = std::env::var("VERBOSE").is_ok();
    for k in 0..count {
        set_state(&arrays, k, &model, &mut data);
        let mut world = data.cast::<T>();
        cpu::forward(&typed, &mut world);
        data = world.cast();
        let mut stepped = data.clone();
        set_state(&arrays, k, &model, &mut stepped);
        let mut world = stepped.cast::<T>();
        cpu::step(&typed, &mut world);
        stepped = world.cast();
        for (key, (shape, v)) in &arrays {
            let Some(name) = key.strip_prefix("want.") else {
                continue;
            };
            let want = &v[k * shape[1]..(k + 1) * shape[1]];
            let slack = arrays.get(&format!("slack.{name}")).map_or(0.0, |s| s.1[k]);
            let got = match name.strip_suffix("_next") {
                Some(state) => value(&model, &stepped, state),
                None => value(&model, &data, name),
            };
            match got {
                None => note(name, k, f64::NAN, 0.0),
                Some(got) => {
                    let e = error(name, &got, want);
                    if verbose && e > 1e-6 {
                        println!("   {name} state {k}: {e:.1e} slack {slack:.1e}");
                    }
                    note(name, k, e, slack);
                }
            }
        }
    }
    println!("{path}: {count} states, nv {} ncandidate {}", model.sizes.nv, model.sizes.ncandidate);
    for (name, (e, slack, k)) in &worst {
        if *e > limit || verbose || *e < 0.0 {
            println!("  {name:24} {e:9.1e}  slack {slack:.1e}  state {k}");
        }
    }
    let fine = worst.values().filter(|w| w.0 <= limit).count();
    println!("  {fine} of {} fields within {limit:.0e}", worst.len());
}

/// Microseconds per step from the first state with constant controls.
fn time<T: Precision>(path: &str) {
    let arrays = load(path);
    let model = model_of(&arrays);
    let mut data = Data::new(&model, Capacity { nconmax: 100, njmax: 400 });
    set_state(&arrays, 0, &model, &mut data);
    data.qvel.fill(0.0);
    fill(ValuesMut::Real(&mut data.ctrl), &arrays["hold.ctrl"].1);
    data.qfrc_applied.fill(0.0);
    let (model, mut data) = (model.cast::<T>(), data.cast::<T>());
    let steps = 20000;
    let (mut contacts, mut iterations, mut rows) = (0, 0, 0);
    for _ in 0..500 {
        cpu::step(&model, &mut data);
    }
    // fastest of many short runs: other programs share the machine
    let (mut us, mut start) = (f64::INFINITY, Instant::now());
    for k in 0..steps {
        if k % 500 == 0 {
            start = Instant::now();
        }
        cpu::step(&model, &mut data);
        if k % 500 == 499 {
            us = us.min(start.elapsed().as_secs_f64() * 1e6 / 500.0);
        }
        contacts += data.ncon[0];
        iterations += data.solver_niter[0];
        rows += data.nefc[0];
    }
    println!(
        "{path}: {us:.2} us per step, {:.2} contacts, {:.2} rows, {:.2} iterations, {} resets",
        f64::from(contacts) / f64::from(steps),
        f64::from(rows) / f64::from(steps),
        f64::from(iterations) / f64::from(steps),
        data.nreset[0]
    );
    if std::env::var("STAGES").is_ok() {
        time_stages(&model, &mut data);
    }
}

/// Microseconds per stage.
fn time_stages<T: Precision>(model: &Model<T>, data: &mut Data<T>) {
    let steps = 5000;
    let mut total: BTreeMap<&str, f64> = BTreeMap::new();
    for _ in 0..steps {
        for stage in manyworlds::model::plan::step(model) {
            let start = Instant::now();
            cpu::run_stage(stage, model, data);
            let best = total.entry(stage.name()).or_insert(f64::INFINITY);
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    for (name, seconds) in total {
        println!("  {name:22} {:6.2} us", seconds * 1e6);
    }
}

fn main() {
    let timing = std::env::args().any(|a| a == "--time");
    let single = std::env::args().any(|a| a == "--single");
    for path in std::env::args().skip(1).filter(|a| !a.starts_with("--")) {
        if timing && single {
            time::<f32>(&path);
        } else if timing {
            time::<f64>(&path);
        } else if single {
            compare::<f32>(&path);
        } else {
            compare::<f64>(&path);
        }
    }
}
