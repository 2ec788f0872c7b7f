//! Kernels give the same bits over runs, batch sizes, places in the batch, and partitions of the work.
//!
//! Needs a GPU adapter, hardware or software; without one these tests fail.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions, Partition, WorkingSetSpace};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;

const CAPACITY: Capacity = Capacity { nconmax: 40, njmax: 160 };
const ROOM: Capacity = Capacity { nconmax: 100, njmax: 400 };

/// Fields compared bit by bit: the state, and results of a step.
const FIELDS: &[&str] = &["qpos", "qvel", "qacc", "qfrc_constraint", "ncon", "nefc", "status"];

fn model(name: &str) -> Model {
    manyworlds::load(&format!("models/{name}.xml")).unwrap()
}

/// The device of a test, for which kernels are built once as long as the test holds it.
fn device() -> Gpu {
    Gpu::shared(None, AdapterPreference::Any).unwrap()
}

/// Control of a world, by its number rather than its place.
fn control(model: &Model, world: usize) -> Vec<f64> {
    (0..model.sizes.nu).map(|u| 0.3 * ((7 * world + 3 * u) as f64).sin()).collect()
}

/// Bits of the worlds `first..first + count` after some steps from a keyframe, in a batch of just these.
fn run(model: &Model, options: &KernelOptions, first: usize, count: usize, steps: usize) -> Vec<Vec<u64>> {
    run_with(model, CAPACITY, options, first, count, steps)
}

/// [`run`] of worlds with another capacity.
fn run_with(
    model: &Model,
    capacity: Capacity,
    options: &KernelOptions,
    first: usize,
    count: usize,
    steps: usize,
) -> Vec<Vec<u64>> {
    let mut batch = GpuBatch::new(&device(), model.clone(), count, capacity, options).unwrap();
    let key = model.sizes.nkey.checked_sub(1);
    batch.reset(&vec![true; count], key).unwrap();
    let ctrl: Vec<f64> = (first..first + count).flat_map(|w| control(model, w)).collect();
    batch.set("ctrl", &ctrl).unwrap();
    batch.step(steps).unwrap();
    // one row of bits per world
    let mut worlds = vec![Vec::new(); count];
    for field in FIELDS {
        let values = batch.get(field).unwrap();
        let len = values.len() / count;
        for (w, row) in worlds.iter_mut().enumerate() {
            row.extend(values[w * len..(w + 1) * len].iter().map(|x| x.to_bits()));
        }
    }
    worlds
}

fn with(lanes: usize, worlds_per_group: usize, partition: Partition, checks: bool) -> KernelOptions {
    KernelOptions {
        partition,
        lanes: Some(lanes),
        worlds_per_group: Some(worlds_per_group),
        checks,
        ..KernelOptions::default()
    }
}

fn placed(options: KernelOptions, placement: WorkingSetSpace) -> KernelOptions {
    KernelOptions { placement: Some(placement), ..options }
}

#[test]
fn runs_batch_sizes_and_places_give_the_same_bits() {
    let _held = device();
    let model = model("humanoid");
    let options = KernelOptions::default();
    let all = run(&model, &options, 0, 13, 40);
    assert_eq!(all, run(&model, &options, 0, 13, 40), "two runs differ");
    assert_eq!(all[5..8], run(&model, &options, 5, 3, 40), "another batch size and place differ");
    // the worlds differ, and are in contact
    assert_ne!(all[0], all[1]);
}

#[test]
fn tiles_of_the_hessian_give_the_same_bits_and_differ_from_other_forms_by_rounding() {
    let _held = device();
    // in workgroup memory Newton's method has tiles: one tree or several, several worlds of a group or one
    let tiled = |lanes, worlds_per_group, checks| {
        placed(with(lanes, worlds_per_group, Partition::Grouped, checks), WorkingSetSpace::Workgroup)
    };
    let (alone, many, few) = (tiled(8, 1, true), tiled(16, 1, false), tiled(4, 8, false));
    for (name, steps, variants) in [
        ("humanoid", 20, &[&alone, &many, &few][..]),
        ("quadruped", 20, &[&many]),
        ("hopper", 60, &[&alone, &few]),
        ("pile", 30, &[&alone, &few]),
    ] {
        let model = model(name);
        let reference = run(&model, &tiled(8, 4, false), 0, 5, steps);
        for options in variants {
            assert_eq!(reference, run(&model, options, 0, 5, steps), "{name}, {options:?}");
        }
        let one = run(&model, &with(1, 8, Partition::Grouped, false), 0, 3, steps);
        for (a, b) in one.iter().flatten().zip(reference.iter().flatten()) {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            assert!((a - b).abs() <= 1e-4 * (100.0 + a.abs()), "{name}: {a} {b}");
        }
    }
}

#[test]
fn tiles_with_elliptic_cones_keep_their_bits_in_any_batch() {
    let _held = device();
    let model = manyworlds::load("tests/parity/models/elliptic.xml").unwrap();
    let one_lane = with(1, 8, Partition::Grouped, false);
    let with = |worlds_per_group| {
        placed(with(8, worlds_per_group, Partition::Grouped, false), WorkingSetSpace::Workgroup)
    };
    let all = run(&model, &with(4), 0, 5, 20);
    assert_eq!(all, run(&model, &with(1), 0, 5, 20), "other groups differ");
    assert_eq!(all[3..5], run(&model, &with(4), 3, 2, 20), "another batch size and place differ");
    // and are near those of one lane
    let one = run(&model, &one_lane, 0, 5, 20);
    let state = model.sizes.nq + model.sizes.nv;
    for (a, b) in all.iter().zip(&one).flat_map(|(a, b)| a[..state].iter().zip(&b[..state])) {
        let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
        assert!((a - b).abs() <= 1e-3 * (1.0 + a.abs()), "{a} {b}");
    }
}

/// Stacks of boxes: a tree each, of which those of a stack are coupled.
fn stacks(cone: &str) -> Model {
    // links that touch nothing make the trees large
    let link = "<body pos='0 0 .01'><joint damping='.1'/><geom size='.02' contype='0' conaffinity='0'/>";
    let links = link.repeat(8) + &"</body>".repeat(8);
    let body = |k: usize| {
        let (x, z) = (k % 4, k / 4);
        format!(
            "<body pos='{} 0 {}'><freejoint/><geom type='box' size='.1 .1 .1' euler='0 0 {}'/>{links}</body>",
            0.3 * x as f64,
            0.0999 + 0.1998 * z as f64,
            7 * k
        )
    };
    let bodies: String = (0..10).map(body).collect();
    manyworlds::load_str(&format!(
        "<mujoco><option cone='{cone}'/><worldbody><geom type='plane' size='3 3 1'/>{bodies}</worldbody></mujoco>"
    ))
    .unwrap()
}

#[test]
fn stored_tiles_give_the_same_bits_and_differ_from_other_forms_by_rounding() {
    let _held = device();
    for cone in ["pyramidal", "elliptic"] {
        // 140 degrees of freedom are too many for the variables of lanes
        let model = stacks(cone);
        let with = |lanes, worlds_per_group, placement| {
            placed(with(lanes, worlds_per_group, Partition::Grouped, false), placement)
        };
        let tiles = run_with(&model, ROOM, &with(8, 4, WorkingSetSpace::Workgroup), 0, 5, 20);
        let other = run_with(&model, ROOM, &with(16, 1, WorkingSetSpace::Workgroup), 3, 2, 20);
        assert_eq!(tiles[3..5], other, "{cone}: other groups, another batch size and place differ");
        let packed = run_with(&model, ROOM, &with(8, 4, WorkingSetSpace::Storage), 0, 5, 20);
        assert_ne!(tiles, packed, "{cone}: the packed Hessian has the bits of tiles");
        let state = model.sizes.nq + model.sizes.nv;
        for (a, b) in tiles.iter().zip(&packed).flat_map(|(a, b)| a[..state].iter().zip(&b[..state])) {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            assert!((a - b).abs() <= 1e-4 * (1.0 + a.abs()), "{cone}: {a} {b}");
        }
    }
}

#[test]
fn lanes_groups_partitions_and_bounds_checks_do_not_change_bits() {
    let _held = device();
    let model = model("hopper");
    let reference = run(&model, &with(1, 8, Partition::Split, false), 0, 5, 60);
    let variants = [
        with(1, 16, Partition::Split, false),
        with(1, 8, Partition::Grouped, false),
        with(1, 8, Partition::Fused, false),
        with(4, 2, Partition::Fused, false),
        placed(with(16, 1, Partition::Grouped, false), WorkingSetSpace::Storage),
        with(1, 8, Partition::Split, true),
        placed(with(1, 8, Partition::Split, false), WorkingSetSpace::Storage),
        placed(with(4, 2, Partition::Split, false), WorkingSetSpace::Storage),
    ];
    for options in variants {
        assert_eq!(reference, run(&model, &options, 0, 5, 60), "{options:?}");
    }
}

#[test]
fn many_lanes_step_many_contacts_to_the_same_bits() {
    let _held = device();
    for (name, steps) in [("humanoid", 15), ("pile", 60)] {
        let model = model(name);
        let reference = run(&model, &with(1, 8, Partition::Grouped, false), 0, 3, steps);
        for options in [
            with(16, 1, Partition::Fused, false),
            placed(with(8, 2, Partition::Grouped, false), WorkingSetSpace::Storage),
            placed(with(32, 1, Partition::Split, false), WorkingSetSpace::Storage),
            placed(with(1, 8, Partition::Split, false), WorkingSetSpace::Storage),
        ] {
            assert_eq!(reference, run(&model, &options, 0, 3, steps), "{name} {options:?}");
        }
    }
}

#[test]
fn every_solver_gives_the_same_bits() {
    let _held = device();
    for name in ["cg", "pgs_elliptic"] {
        let mut model = manyworlds::load(&format!("tests/parity/models/{name}.xml")).unwrap();
        model.opt_iterations[0] = model.opt_iterations[0].min(20);
        let steps = 12;
        let reference = run(&model, &with(1, 8, Partition::Grouped, false), 0, 3, steps);
        assert!(reference[0].iter().any(|bits| *bits != 0));
        for options in [
            with(8, 2, Partition::Grouped, false),
            placed(with(1, 8, Partition::Split, false), WorkingSetSpace::Storage),
        ] {
            assert_eq!(reference, run(&model, &options, 0, 3, steps), "{name} {options:?}");
        }
    }
}

#[test]
fn reduced_stores_do_not_change_bits() {
    let _held = device();
    // tiles, history, four parts of a step, sparse Jacobians
    for (name, steps) in [
        ("models/quadruped.xml", 12),
        ("tests/parity/models/delays_rk4.xml", 12),
        ("tests/parity/models/tendons.xml", 12),
    ] {
        let model = manyworlds::load(&name).unwrap();
        let of = |reduced| {
            run(
                &model,
                &KernelOptions { reduced_stores: Some(reduced), ..with(4, 2, Partition::Grouped, false) },
                0,
                3,
                steps,
            )
        };
        assert_eq!(of(false), of(true), "{name}");
    }
}

#[test]
fn reduced_stores_leave_the_next_call_alone() {
    // the number of the next part of a step outlasts a call, and so do fields that no step computes
    let model = manyworlds::load_str(
        "<mujoco><option integrator='RK4'/><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 0.06'>\
         <joint name='j' axis='0 1 0' limited='true' range='-10 10'/><geom size='0.05' pos='0.3 0 0'/></body></worldbody>\
         <sensor><jointlimitfrc joint='j'/></sensor></mujoco>",
    )
    .unwrap();
    let gpu = device();
    let finish = |reduced| {
        let options =
            KernelOptions { reduced_stores: Some(reduced), ..with(2, 4, Partition::Grouped, false) };
        let mut batch = GpuBatch::new(&gpu, model.clone(), 3, CAPACITY, &options).unwrap();
        batch.set("qvel", &[3.0, -5.0, 40.0]).unwrap();
        batch.forward().unwrap();
        for n in [40, 40, 1, 40] {
            batch.step(n).unwrap();
        }
        let view = batch.get("subtree_linvel").unwrap();
        (batch.get("qpos").unwrap(), batch.get("solver_niter").unwrap(), view)
    };
    let whole = finish(false);
    assert!(whole.1.iter().any(|n| *n > 0.0), "no world is at its limit: {whole:?}");
    assert_eq!(whole, finish(true));
}

#[test]
fn steps_in_one_submission_or_many_are_the_same() {
    let gpu = device();
    let model = model("pendulum");
    let finish = |calls: &[usize], chunk: Option<usize>| {
        let options = KernelOptions { chunk, ..KernelOptions::default() };
        let mut batch = GpuBatch::new(&gpu, model.clone(), 200, CAPACITY, &options).unwrap();
        let qvel: Vec<f64> = (0..200 * model.sizes.nv).map(|k| 0.1 * k as f64).collect();
        batch.set("qvel", &qvel).unwrap();
        calls.iter().for_each(|n| batch.step(*n).unwrap());
        batch.get("qpos").unwrap()
    };
    assert_eq!(finish(&[30], None), finish(&[1, 9, 20], None));
    // worlds in the smallest chunks that can be bound, each of which takes all steps of a call before the next
    assert_eq!(finish(&[30], None), finish(&[30], Some(1)));
}

#[test]
fn a_search_for_the_size_of_chunks_changes_nothing() {
    let gpu = device();
    let model = model("pendulum");
    let finish = |tune: bool, reduced: bool, partition: Partition| {
        let options = KernelOptions {
            tune: Some(tune),
            reduced_stores: Some(reduced),
            partition,
            ..KernelOptions::default()
        };
        let mut batch = GpuBatch::new(&gpu, model.clone(), 2100, CAPACITY, &options).unwrap();
        let qvel: Vec<f64> = (0..2100 * model.sizes.nv).map(|k| 0.001 * k as f64).collect();
        batch.set("qvel", &qvel).unwrap();
        for n in [1, 2, 20, 1, 16] {
            batch.step(n).unwrap();
        }
        (batch.get("time").unwrap(), batch.get("qpos").unwrap(), batch.get("xpos").unwrap())
    };
    let plain = finish(false, false, Partition::Grouped);
    assert!((plain.0[0] - 40.0 * model.opt_timestep[0]).abs() < 1e-3, "{} s", plain.0[0]);
    for (reduced, partition) in [(true, Partition::Grouped), (true, Partition::Fused)] {
        assert_eq!(plain, finish(true, reduced, partition), "reduced stores {reduced}, {partition:?}");
    }
}
