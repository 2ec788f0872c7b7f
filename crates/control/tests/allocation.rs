//! Steps on the CPU do not allocate.

#![allow(unsafe_code, reason = "a global allocator that counts")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use manyworlds::batch::control::{Control, fill};
use manyworlds::batch::{Backend, Batch, BatchOptions, probe};
use manyworlds::cpu;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::model::task::Task;
use manyworlds::schema::enums::cone;
use manyworlds_control::impulse::{Formulation, Parameters};

/// The system allocator with a request counter.
struct Counting;

/// Requests of all threads.
static ALL: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Requests of this thread: other tests run at the same time.
    static HERE: Cell<usize> = const { Cell::new(0) };
}

/// Counts a request; a thread that is ending no longer has a counter.
fn count() {
    ALL.fetch_add(1, Ordering::Relaxed);
    let _ = HERE.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every call is forwarded to the system allocator unchanged; counting does not allocate
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the contract of the system allocator
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Measured steps.
const STEPS: usize = 50;
/// Steps before the measured ones; by then the worlds are in contact.
const WARM_UP: usize = 200;

fn model(name: &str) -> Model {
    manyworlds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)).unwrap()
}

/// Models with sensors, constraints and solvers of every kind.
const KINDS: &[&str] = &[
    "../tests/parity/models/sensors.xml",
    "../tests/parity/models/contact_sensors.xml",
    "../tests/parity/models/delays.xml",
    "../tests/parity/models/equality.xml",
    "../tests/parity/models/elliptic.xml",
    "../tests/parity/models/surface.xml",
    "../tests/parity/models/meshes.xml",
    "../tests/parity/models/cg.xml",
    "../tests/parity/models/pgs_elliptic.xml",
    "../tests/parity/models/noslip.xml",
    "../tests/parity/models/diagexact.xml",
    "../tests/parity/models/enclosed.xml",
];

/// Models whose geoms are used by distance sensors only.
const DISTANCES: &[&str] =
    &["../tests/parity/models/distance.xml", "../tests/parity/models/convex_distance.xml"];

/// Runs one test at a time: allocations of others would count.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A world in contact under its own controls.
fn warm_world(model: &Model, capacity: Capacity) -> Data {
    let mut data = Data::new(model, capacity);
    fill(model, Control::Hold, 3, 0, 0, &mut data.ctrl);
    for _ in 0..WARM_UP {
        cpu::step(model, &mut data);
    }
    data
}

/// Requests of this thread while a world steps.
fn requests(model: &Model, data: &mut Data) -> usize {
    let before = HERE.get();
    for _ in 0..STEPS {
        cpu::step(model, data);
    }
    HERE.get() - before
}

#[test]
fn the_counter_counts() {
    let _turn = turn();
    let before = HERE.get();
    let made = std::hint::black_box(vec![0u8; 100]);
    assert_eq!(HERE.get() - before, 1, "{}", made.len());
}

#[test]
fn steps_of_a_world_allocate_nothing() {
    let _turn = turn();
    let names = ["humanoid.xml", "pile.xml", "quadruped.xml", "three_humanoids.xml"];
    for name in names.into_iter().chain(KINDS.iter().chain(DISTANCES).copied()) {
        let model = model(name);
        let mut data = warm_world(&model, probe(&model));
        assert!(data.nefc[0] > 0 || DISTANCES.contains(&name), "{name}: no constraint");
        assert_eq!(requests(&model, &mut data), 0, "{name}");
    }
}

#[test]
fn steps_of_the_impulse_formulation_allocate_nothing() {
    let _turn = turn();
    for name in ["humanoid.xml", "pile.xml", "../tests/parity/models/equality.xml"] {
        let mut model = model(name);
        model.opt_cone[0] = cone::ELLIPTIC;
        let mut data = Data::new(&model, probe(&model));
        let mut formulation = Formulation::new(&model, Parameters::Model).unwrap();
        (0..WARM_UP).for_each(|_| formulation.step(&model, &mut data).unwrap());
        assert!(data.nefc[0] > 0, "{name}");
        let next = data.qvel.clone();
        formulation.inverse(&model, &mut data, &next).unwrap();
        let before = HERE.get();
        for _ in 0..STEPS {
            formulation.step(&model, &mut data).unwrap();
            formulation.inverse(&model, &mut data, &next).unwrap();
        }
        assert_eq!(HERE.get() - before, 0, "{name}");
    }
}

#[test]
fn steps_of_a_task_allocate_nothing() {
    let _turn = turn();
    let task = r#"{"frame_skip": 2, "max_episode_steps": 10, "autoreset": true, "action": 21, "nodes": [
        {"op": "action", "elements": [0], "size": 1},
        {"op": "field", "name": "cfrc_ext", "elements": [6, 7, 8], "size": 3},
        {"op": "sum", "args": [1], "size": 1},
        {"op": "normal", "size": 1},
        {"op": "concat", "args": [1, 2, 3], "size": 5}
    ], "variables": [{"name": "last", "reset": 3, "update": 0}],
    "writes": [{"field": "ctrl", "elements": [3], "value": 0}],
    "resets": [{"field": "qvel", "elements": [2], "value": 3}],
    "observation": [{"name": "all", "value": 4}], "reward": [{"name": "sum", "value": 2}]}"#;
    let mut model = model("humanoid.xml");
    model.set_task(&Task::from_json(task).unwrap()).unwrap();
    let mut data = warm_world(&model, probe(&model));
    let before = HERE.get();
    (0..STEPS).for_each(|_| cpu::task::step(&model, &mut data));
    assert_eq!((HERE.get() - before, data.task_tick[0]), (0, STEPS as i32));
}

#[test]
fn overflow_and_reset_allocate_nothing() {
    let _turn = turn();
    let model = model("humanoid.xml");
    let mut data = warm_world(&model, Capacity { nconmax: 2, njmax: 6 });
    data.qvel[0] = f64::NAN;
    assert_eq!(requests(&model, &mut data), 0);
    assert_eq!(data.nreset[0], 1);
    assert_ne!(data.status[0], 0);
}

#[test]
fn a_batch_allocates_for_calls_and_not_for_steps() {
    let _turn = turn();
    // few worlds step one by one, many side by side
    for (name, worlds) in [("humanoid.xml", 4), ("humanoid.xml", 64), ("pile.xml", 4)] {
        let mut batch = Batch::new(&model(name), worlds, &BatchOptions::on(Backend::Cpu)).unwrap();
        batch.step(WARM_UP).unwrap();
        // one-off work of the thread pool does not count: the minimum over several calls
        let mut least = usize::MAX;
        for _ in 0..10 {
            let before = ALL.load(Ordering::Relaxed);
            batch.step(STEPS).unwrap();
            least = least.min(ALL.load(Ordering::Relaxed) - before);
        }
        assert!(least < STEPS, "{name}, {worlds} worlds: {least} requests in {STEPS} steps");
    }
}
