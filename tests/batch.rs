//! A batch: determinism, masks, errors, status, capacities.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

#[cfg(feature = "gpu")]
use manyworlds::batch::Numbers;
use manyworlds::batch::control::{Control, fill};
use manyworlds::batch::{self, Backend, Batch, BatchOptions, Overflow};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
#[cfg(feature = "gpu")]
use manyworlds::model::data::Data;
#[cfg(feature = "gpu")]
use manyworlds::schema::Need;
use manyworlds::schema::enums::{state, status};

fn model(name: &str) -> Model {
    manyworlds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name)).unwrap()
}

fn on_cpu(model: &Model, worlds: usize) -> Batch {
    Batch::new(model, worlds, &BatchOptions::on(Backend::Cpu)).unwrap()
}

/// Steps every world under control noise that depends on its number, counted from `first`.
fn run(batch: &mut Batch, first: usize, steps: usize) {
    let mut ctrl = vec![0.0; batch.worlds() * batch.sizes().nu];
    for step in (0..steps).step_by(10) {
        fill(&batch.model().clone(), Control::Noise, 7, first, step, &mut ctrl);
        batch.set("ctrl", .., &ctrl).unwrap();
        batch.step(10).unwrap();
    }
}

/// Bits of the state of one world.
fn bits(batch: &mut Batch, world: usize) -> Vec<u64> {
    let mut mask = vec![false; batch.worlds()];
    mask[world] = true;
    let mut of = |name| batch.get(name, &mask).unwrap().data.to_f64();
    of("qpos").into_iter().chain(of("qvel")).map(f64::to_bits).collect()
}

#[test]
fn a_world_has_the_same_bits_wherever_it_sits() {
    let model = model("humanoid.xml");
    let (mut many, mut one) = (on_cpu(&model, 9), on_cpu(&model, 1));
    run(&mut many, 0, 400);
    run(&mut one, 6, 400);
    assert_eq!(bits(&mut many, 6), bits(&mut one, 0));
    assert_ne!(bits(&mut many, 5), bits(&mut one, 0));
}

/// Runs `work` on one thread, where every four worlds step side by side.
fn on_one_thread<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work)
}

#[test]
fn worlds_have_the_same_bits_side_by_side() {
    let model = model("quadruped.xml");
    let alone = |w| {
        let mut one = on_cpu(&model, 1);
        run(&mut one, w, 100);
        bits(&mut one, 0)
    };
    let alone: Vec<_> = (0..11).map(alone).collect();
    // some of them numbers that no width divides
    for worlds in [1, 3, 4, 8, 11] {
        let all = on_one_thread(|| {
            let mut many = on_cpu(&model, worlds);
            run(&mut many, 0, 100);
            (0..worlds).map(|w| bits(&mut many, w)).collect::<Vec<_>>()
        });
        assert_eq!(all, alone[..worlds], "{worlds} worlds");
    }
}

#[test]
fn a_world_that_diverges_leaves_those_beside_it_their_bits() {
    let model = model("humanoid.xml");
    let all = |bad: Option<usize>| {
        on_one_thread(|| {
            let mut batch = on_cpu(&model, 5);
            run(&mut batch, 0, 50);
            if let Some(world) = bad {
                let mut mask = vec![false; 5];
                mask[world] = true;
                batch.set("qfrc_applied", &mask, &vec![1e200; batch.sizes().nv]).unwrap();
                batch.step(1).unwrap();
                batch.set("qfrc_applied", &mask, &vec![0.0; batch.sizes().nv]).unwrap();
            } else {
                batch.step(1).unwrap();
            }
            run(&mut batch, 0, 50);
            let resets = batch.get("nreset", ..).unwrap().data.to_f64();
            ((0..5).map(|w| bits(&mut batch, w)).collect::<Vec<_>>(), resets)
        })
    };
    let (healthy, _) = all(None);
    let (beside, resets) = all(Some(2));
    assert_eq!(resets, [0.0, 0.0, 1.0, 0.0, 0.0]);
    for world in [0, 1, 3, 4] {
        assert_eq!(healthy[world], beside[world], "world {world}");
    }
    assert_ne!(healthy[2], beside[2]);
}

#[test]
fn threads_and_runs_do_not_change_bits() {
    let model = model("pile.xml");
    let all = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut batch = on_cpu(&model, 5);
            run(&mut batch, 0, 200);
            (0..5).map(|w| bits(&mut batch, w)).collect::<Vec<_>>()
        })
    };
    assert_eq!(all(1), all(3));
}

#[test]
fn steps_in_one_call_or_many_are_the_same() {
    let model = model("hopper.xml");
    let (mut a, mut b) = (on_cpu(&model, 3), on_cpu(&model, 3));
    a.step(60).unwrap();
    (0..60).for_each(|_| b.step(1).unwrap());
    assert_eq!(bits(&mut a, 2), bits(&mut b, 2));
}

#[test]
fn masks_choose_worlds() {
    let model = model("humanoid.xml");
    let mut batch = on_cpu(&model, 3);
    run(&mut batch, 0, 50);
    let before = bits(&mut batch, 0);
    batch.reset(&[false, true, false], Some(1)).unwrap();
    assert_eq!(bits(&mut batch, 0), before);
    let qpos = batch.get("qpos", &[false, true, false]).unwrap();
    assert_eq!(qpos.shape, [1, 28]);
    assert_eq!(qpos.data.to_f64(), model.key_qpos[28..56]);

    // forward dynamics of one world leaves the results of the others
    let height = |b: &mut Batch, w: usize| b.get("xpos", ..).unwrap().data.to_f64()[w * 14 * 3 + 5];
    let old = [height(&mut batch, 0), height(&mut batch, 1)];
    batch.set("qpos", &[true, false, false], &model.qpos0).unwrap();
    batch.forward_worlds(&[false, true, false]).unwrap();
    assert_eq!(height(&mut batch, 0), old[0]);
    assert_ne!(height(&mut batch, 1), old[1]);
}

#[test]
fn wrong_arguments_are_errors_that_help() {
    let model = model("humanoid.xml");
    let mut batch = on_cpu(&model, 2);
    let mut says = |field: &str, values: &[f64], part: &str| {
        let error = batch.set(field, .., values).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    says("qpoz", &[], "did you mean 'qpos'?");
    says("ctrl", &[0.0; 21], "2 worlds need 42, got 21");
    says("xpos", &[0.0; 84], "computed by the stage kinematics");
    says("status", &[0.0; 2], "can only be cleared");
    says("time", &[0.0, f64::NAN], "'time' of world 1 is NaN");
    assert!(batch.get("nothing", ..).is_err());
    assert!(batch.reset(&[true], None).is_err());
    let error = batch.reset(.., Some(3)).unwrap_err().to_string();
    assert!(error.contains("the model has 3"), "{error}");
}

#[test]
fn too_few_and_too_many_worlds_are_errors() {
    let model = model("humanoid.xml");
    let open = |worlds| Batch::new(&model, worlds, &BatchOptions::on(Backend::Cpu)).unwrap_err().to_string();
    assert!(open(0).contains("at least one"));
    assert!(open(1 << 30).contains("the most that fit are"));
    assert!(open(usize::MAX).contains("too many"));
}

#[test]
fn a_broken_world_is_flagged_and_disturbs_no_other() {
    let model = model("humanoid.xml");
    let (mut clean, mut batch) = (on_cpu(&model, 3), on_cpu(&model, 3));
    let mut qpos = batch.get("qpos", ..).unwrap().data.to_f64();
    qpos[28 + 2] = f64::NAN;
    batch.set("qpos", .., &qpos).unwrap();
    let mut ctrl = vec![0.0; 3 * 21];
    ctrl[2 * 21] = f64::NAN;
    batch.set("ctrl", .., &ctrl).unwrap();
    batch.step(5).unwrap();
    clean.step(5).unwrap();

    let flags = batch.status().unwrap();
    assert_eq!(flags[0], 0);
    assert_eq!(flags[1] & status::BAD_QPOS, status::BAD_QPOS);
    assert_eq!(flags[2], status::BAD_CTRL);
    assert!(batch.status_counts().unwrap().contains(&("bad_qpos", 1)));
    // world 0 never noticed; the others went on from the initial state, without control
    (0..3).for_each(|w| assert_eq!(bits(&mut batch, w), bits(&mut clean, w), "world {w}"));
    assert_eq!(batch.finite_share().unwrap(), 1.0);

    batch.clear_status(&[true, false, true]).unwrap();
    let left = batch.status().unwrap();
    assert_eq!([left[0], left[2]], [0, 0]);
    assert_ne!(left[1], 0);
}

#[test]
fn the_probe_has_room_for_long_rollouts() {
    for name in ["humanoid.xml", "quadruped.xml", "hopper.xml", "pile.xml"] {
        let model = model(name);
        let mut batch = on_cpu(&model, 8);
        run(&mut batch, 100, 1000);
        assert!(batch.status().unwrap().iter().all(|&s| s == 0), "{name}");
        let limit = batch::max_capacity(&model);
        assert!(batch.sizes().nconmax <= limit.nconmax && batch.sizes().njmax <= limit.njmax, "{name}");
    }
}

#[test]
fn a_model_without_contacts_has_no_slots_for_them() {
    let batch = on_cpu(&model("cartpole.xml"), 1);
    assert_eq!(batch.sizes().nconmax, 0);
    assert!(batch.sizes().njmax <= 2);
}

#[test]
fn overflow_is_flagged_in_its_world() {
    let model = model("humanoid.xml");
    let capacity = Some(Capacity { nconmax: 2, njmax: 8 });
    let overflow = Overflow::Flag;
    let options = BatchOptions { capacity, overflow, ..BatchOptions::on(Backend::Cpu) };
    let mut batch = Batch::new(&model, 2, &options).unwrap();
    batch.reset(&[false, true], Some(2)).unwrap();
    batch.step(200).unwrap();
    let flags = batch.status().unwrap();
    assert_ne!(flags[1] & status::CONTACT_OVERFLOW, 0);
    assert_eq!(batch.finite_share().unwrap(), 1.0);
}

#[test]
fn state_vectors_have_the_sizes_of_mujoco() {
    // mj_stateSize of MuJoCo 3.17.0 for physics, full physics, user and integration
    for (name, sizes) in [
        ("models/humanoid.xml", [55, 56, 132, 215]),
        ("tests/parity/models/delays.xml", [229, 230, 41, 276]),
        ("tests/parity/models/equality.xml", [41, 42, 93, 154]),
        ("tests/parity/models/sleep.xml", [69, 70, 108, 210]),
    ] {
        let batch = on_cpu(&manyworlds::load(Path::new(name)).unwrap(), 1);
        let parts = [state::PHYSICS, state::FULLPHYSICS, state::USER, state::INTEGRATION];
        assert_eq!(parts.map(|p| batch.state_size(p).unwrap()), sizes, "{name}");
    }
}

#[test]
fn worlds_of_the_same_state_continue_with_the_same_bits() {
    let model = manyworlds::load(Path::new("tests/parity/models/delays.xml")).unwrap();
    for backend in [Backend::Cpu, Backend::Gpu] {
        let open = |worlds| Batch::new(&model, worlds, &BatchOptions::on(backend)).unwrap();
        let state_of = |batch: &mut Batch, world: usize| {
            let mask: Vec<bool> = (0..batch.worlds()).map(|w| w == world).collect();
            batch.get_state(state::INTEGRATION, &mask).unwrap().data.to_f64()
        };
        let (mut a, mut b) = (open(3), open(2));
        run(&mut a, 0, 50);
        run(&mut b, 9, 30);
        // world 2 of one batch becomes world 0 of another
        let (one, other) = (state_of(&mut a, 2), state_of(&mut b, 1));
        b.set_state(state::INTEGRATION, &[true, false], &one).unwrap();
        assert_eq!(state_of(&mut b, 0), one, "what is set can be read");
        assert_eq!(state_of(&mut b, 1), other, "the other world is as it was");
        // rounding of the past is cleared in both
        let all = a.get_state(state::INTEGRATION, ..).unwrap();
        assert_eq!(all.shape, [3, one.len()]);
        a.set_state(state::INTEGRATION, .., &all.data.to_f64()).unwrap();
        a.step(100).unwrap();
        b.step(100).unwrap();
        assert_eq!(state_of(&mut a, 2), state_of(&mut b, 0), "{}", backend.name());
        assert_ne!(state_of(&mut a, 1), state_of(&mut b, 0));
    }
}

#[test]
fn a_state_that_does_not_fit_changes_nothing() {
    let mut batch = on_cpu(&model("humanoid.xml"), 2);
    run(&mut batch, 0, 20);
    let before = batch.get_state(state::INTEGRATION, ..).unwrap().data.to_f64();
    let said = |result: manyworlds::error::Result<()>| result.unwrap_err().to_string();
    // a part that is none
    let error = said(batch.set_state(1 << 20, .., &[0.0; 0]));
    assert!(error.contains("0x100000") && error.contains("qacc_warmstart"), "{error}");
    assert!(batch.state_size(-1).is_err() && batch.get_state(1 << 14, ..).is_err());
    // too few numbers
    let error = said(batch.set_state(state::PHYSICS, .., &before[..55]));
    assert!(error.contains("55 numbers a world: 2 worlds need 110, got 55"), "{error}");
    assert!(batch.set_state(state::PHYSICS, &[true], &before[..55]).is_err());
    // a number that no step repairs, behind others that are valid
    let mut wrong = vec![0.5; before.len()];
    let warmstart = before.len() / 2 + 56;
    wrong[warmstart] = f64::NAN;
    let error = said(batch.set_state(state::INTEGRATION, .., &wrong));
    assert!(error.contains("'qacc_warmstart' of world 1 is NaN"), "{error}");
    assert_eq!(batch.get_state(state::INTEGRATION, ..).unwrap().data.to_f64(), before);
}

/// A batch that was restored goes on as it did the first time, whatever happened in between.
#[test]
fn a_snapshot_continues_with_the_same_bits() {
    let cases = [
        (Backend::Cpu, "humanoid.xml", 1000),
        (Backend::Cpu, "pile.xml", 60),
        (Backend::Gpu, "hopper.xml", 1000),
    ];
    for (backend, name, steps) in cases.into_iter().filter(|case| BACKENDS.contains(&case.0)) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
        let model = manyworlds::load(&path).expect("a model");
        let worlds = 3;
        let mut batch = Batch::new(&model, worlds, &BatchOptions::on(backend)).expect("a batch");
        let draw = manyworlds::batch::Draw { seed: 5, ..Default::default() };
        let drawn = |text: &str| vec![text.parse().expect("a randomization")];
        let mass = drawn("body_mass=scale:0.8..1.2");
        batch.randomize(&mass, draw, ..).expect("draws");
        batch.randomize(&drawn("qvel=add:-0.1..0.1"), draw, ..).expect("draws");
        batch.set("ctrl", .., &vec![0.1; worlds * model.sizes.nu]).expect("controls");
        batch.step(steps).expect("steps");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("snapshot.npz");
        let snapshot = batch.snapshot().expect("a snapshot");
        snapshot.write(&file).expect("a file");
        batch.step(steps).expect("steps");
        let fields = ["qpos", "qvel", "qacc", "time", "status", "nefc", "qfrc_constraint", "sensordata"];
        let end = |batch: &mut Batch| fields.map(|f| batch.get(f, ..).ok().map(|a| a.data));
        let first = end(&mut batch);
        // the same batch, otherwise randomised
        let other = manyworlds::batch::Draw { seed: 6, ..draw };
        batch.randomize(&mass, other, ..).expect("draws");
        batch.restore(&snapshot).expect("restored");
        batch.step(steps).expect("steps");
        assert_eq!(end(&mut batch), first, "{name}");
        // a new batch, from the file
        let read = manyworlds::batch::Snapshot::read(&file).expect("the file");
        assert_eq!(read, snapshot);
        let mut fresh = Batch::new(&model, worlds, &BatchOptions::on(backend)).expect("a batch");
        fresh.restore(&read).expect("restored");
        fresh.step(steps).expect("steps");
        assert_eq!(end(&mut fresh), first, "{name}");
        // another number of worlds is refused
        let mut more = Batch::new(&model, worlds + 1, &BatchOptions::on(Backend::Cpu)).expect("a batch");
        let said = more.restore(&read).expect_err("an error").to_string();
        assert!(said.contains("in the snapshot, the batch needs [4"), "{said}");
        assert!(more.expanded().is_empty());
    }
}

/// Backends of this build.
const BACKENDS: &[Backend] =
    if cfg!(feature = "gpu") { &[Backend::Cpu, Backend::Gpu] } else { &[Backend::Cpu] };

/// What a call copies between host and device.
#[cfg(feature = "gpu")]
fn cost(batch: &mut Batch, work: impl FnOnce(&mut Batch)) -> [u64; 3] {
    let before = batch.transfer_stats();
    work(batch);
    let after = batch.transfer_stats();
    [
        after.to_device - before.to_device,
        after.to_host - before.to_host,
        after.submissions - before.submissions,
    ]
}

/// Copies within the device, and what a mask costs: the same for every number of worlds.
#[cfg(feature = "gpu")]
#[test]
fn masks_and_copies_stay_on_the_device() {
    let model = model("humanoid.xml");
    let (nq, nv, nu) = (model.sizes.nq, model.sizes.nv, model.sizes.nu);
    let numbers = |batch: &mut Batch, field: &str| batch.get(field, ..).unwrap().data.to_f64();
    let single = |v: &[f64]| v.iter().map(|x| f64::from(*x as f32)).collect::<Vec<_>>();
    let of_worlds = |worlds: usize| {
        let mut batch = Batch::new(&model, worlds, &BatchOptions::on(Backend::Gpu)).unwrap();
        let qvel: Vec<f64> = (0..worlds * nv).map(|i| 0.01 * (i % 17) as f64).collect();
        let ctrl = vec![0.25; worlds * nu];
        let write = cost(&mut batch, |b| b.set("ctrl", .., &ctrl).unwrap());
        // the numbers, and a job
        assert!(write[0] - 4 * (worlds * nu) as u64 <= 256 && write[1..] == [0, 1], "{write:?}");
        batch.set("qvel", .., &qvel).unwrap();
        batch.forward().unwrap();
        let mask: Vec<bool> = (0..worlds).map(|w| w == 1 || w == 4).collect();
        // one world: its bytes, in one submission
        let world = cost(&mut batch, |b| {
            assert_eq!(b.world(3).unwrap().qvel, single(&qvel[3 * nv..4 * nv]));
        });
        assert_eq!(world[2], 1);
        // a masked forward changes the chosen worlds and no others
        let other: Vec<f64> = (0..2 * nv).map(|i| 0.02 * i as f64).collect();
        batch.set("qvel", &mask, &other).unwrap();
        let before = numbers(&mut batch, "qacc");
        let forward = cost(&mut batch, |b| b.forward_worlds(&mask).unwrap());
        let after = numbers(&mut batch, "qacc");
        batch.forward().unwrap();
        let all = numbers(&mut batch, "qacc");
        for w in 0..worlds {
            let row = w * nv..(w + 1) * nv;
            assert_eq!(after[row.clone()], all[row.clone()], "world {w}");
            assert_eq!(before[row.clone()] != after[row], mask[w], "world {w}");
        }
        // resets to keyframes of their own; the first one makes them
        let keys = [Some(1), None];
        batch.reset(&mask, &keys).unwrap();
        let reset = cost(&mut batch, |b| b.reset(&mask, &keys).unwrap());
        let qpos = numbers(&mut batch, "qpos");
        assert_eq!(qpos[nq..2 * nq], single(&model.key_qpos[nq..2 * nq]));
        assert_eq!(qpos[4 * nq..5 * nq], single(&model.qpos0));
        assert_eq!(numbers(&mut batch, "qvel")[..nv], single(&qvel[..nv]));
        // a world copied to others
        let broadcast = cost(&mut batch, |b| b.broadcast(2, &mask).unwrap());
        let [a, b, c, d] = [1, 2, 4, 0].map(|w| batch.world(w).unwrap());
        assert!(a == b && b == c && a != d);
        // wrong arguments
        let said = batch.reset(&mask, &[None]).unwrap_err().to_string();
        assert!(said.contains("1 keyframes are given for 2 worlds"), "{said}");
        let said = batch.reset(&mask, &[None, Some(9)]).unwrap_err().to_string();
        assert!(said.contains("keyframe 9 does not exist"), "{said}");
        let said = batch.broadcast(worlds, &mask).unwrap_err().to_string();
        assert!(said.contains("there is no world"), "{said}");
        for host in [forward, reset, broadcast] {
            // the largest numbers of contacts and rows that were wanted and of steps that are owed, in 64 parts
            assert!(host[0] < 1 << 14 && host[1] <= 3 * 64 * 4, "{host:?}");
        }
        ([world, forward, reset, broadcast], batch)
    };
    let ((few, first), (many, second)) = (of_worlds(6), of_worlds(40));
    assert_eq!(few, many);
    drop((first, second));
}

/// A rollout in one call and steps from the host: the same bits.
#[test]
fn a_rollout_in_one_call_is_as_steps_one_by_one() {
    let model = model("quadruped.xml");
    let (worlds, steps, every, nu) = (20, 24, 4, model.sizes.nu);
    let controls: Vec<f64> = (0..worlds * steps * nu).map(|i| 0.2 * (i as f64).sin()).collect();
    let record = ["qpos", "ncon", "qacc", "sensordata", "time"];
    // batches share kernels with those that are there
    let mut before = Vec::new();
    for (backend, chunk) in BACKENDS.iter().flat_map(|b| [(*b, None), (*b, Some(8))]) {
        let mut options = BatchOptions::on(backend);
        #[cfg(feature = "gpu")]
        if chunk.is_some() {
            (options.gpu.chunk, options.gpu.worlds_per_group) = (chunk, Some(8));
        }
        if backend == Backend::Cpu && chunk.is_some() {
            continue;
        }
        options.capacity = Some(Capacity { nconmax: 16, njmax: 64 });
        let made = || Batch::new(&model, worlds, &options).unwrap();
        let (mut one, mut many) = (made(), made());
        let record: Vec<&str> =
            record.into_iter().filter(|f| one.has(f) && !one.get(f, ..).unwrap().data.is_empty()).collect();
        let frames = one.rollout(steps, Some(&controls), &record, every).unwrap();
        for step in 0..steps {
            let now: Vec<f64> =
                (0..worlds).flat_map(|w| &controls[(w * steps + step) * nu..][..nu]).copied().collect();
            many.set("ctrl", .., &now).unwrap();
            many.step(1).unwrap();
            for (name, array) in record.iter().zip(&frames).filter(|_| (step + 1) % every == 0) {
                let (all, want) = (array.data.to_f64(), many.get(name, ..).unwrap().data.to_f64());
                let (count, len) = (steps / every, want.len() / worlds);
                assert_eq!(array.shape[..2], [worlds, count]);
                for w in 0..worlds {
                    let at = (w * count + step / every) * len;
                    let same = all[at..at + len].iter().map(|x| x.to_bits());
                    let other = want[w * len..(w + 1) * len].iter().map(|x| x.to_bits());
                    assert!(same.eq(other), "{backend:?} {name} of world {w} at step {step}");
                }
            }
        }
        for field in ["qpos", "qvel", "qacc", "ctrl"] {
            assert_eq!(one.get(field, ..).unwrap(), many.get(field, ..).unwrap(), "{field}");
        }
        // without controls those of the last step stay; nothing recorded, nothing copied
        one.rollout(3, None, &[""; 0], 1).unwrap();
        many.step(3).unwrap();
        assert_eq!(one.get("qpos", ..).unwrap(), many.get("qpos", ..).unwrap());
        // wrong arguments
        let says = |done: manyworlds::error::Result<Vec<manyworlds::formats::npz::Array>>, part: &str| {
            let text = done.unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        };
        says(one.rollout(2, Some(&controls), &[""; 0], 1), "20 worlds, 2 steps");
        says(one.rollout(2, None, &["qpoz"], 1), "did you mean 'qpos'?");
        says(one.rollout(2, None, &["qpos"], 0), "at least 1");
        before.push((one, many));
    }
}

/// A read that was asked for returns what was there then.
#[test]
fn reads_do_not_see_later_steps() {
    let model = model("hopper.xml");
    for &backend in BACKENDS {
        let mut batch = Batch::new(&model, 4, &BatchOptions::on(backend)).unwrap();
        batch.step(3).unwrap();
        let mask = [true, false, true, true];
        let now = batch.get("qpos", &mask).unwrap();
        let later = batch.get_later("qpos", &mask).unwrap();
        let other = batch.get_later("status", &[true; 4]).unwrap();
        batch.step(5).unwrap();
        assert_ne!(batch.get("qpos", &mask).unwrap(), now);
        assert_eq!(later.wait().unwrap(), now);
        assert_eq!(other.wait().unwrap().shape, [4, 1]);
        assert!(batch.get_later("qpos", &[true]).unwrap_err().to_string().contains("the mask has 1"));
    }
}

#[cfg(feature = "gpu")]
#[test]
fn fields_are_read_in_the_precision_of_the_backend_at_once() {
    let model = model("hopper.xml");
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut batch = Batch::new(&model, 5, &BatchOptions::on(backend)).unwrap();
        run(&mut batch, 0, 10);
        batch.wait().unwrap();
        let (names, mask) = (["qpos", "ncon", "xpos"], [true, false, true, true, false]);
        let before = batch.transfer_stats();
        let arrays = batch.read(&names, &mask).unwrap();
        assert_eq!(
            batch.transfer_stats().submissions - before.submissions,
            u64::from(backend == Backend::Gpu)
        );
        for (name, array) in names.iter().zip(arrays) {
            let want = batch.get(name, &mask).unwrap();
            let (values, single) = match array.data {
                Numbers::F32(v) => (v.into_iter().map(f64::from).collect(), true),
                Numbers::F64(v) => (v, false),
                Numbers::I32(v) => (v.into_iter().map(f64::from).collect(), backend == Backend::Gpu),
            };
            assert_eq!((array.shape, values), (want.shape, want.data.to_f64()), "{name}");
            assert_eq!(single, backend == Backend::Gpu);
        }
        assert_eq!(batch.read(&["qvel"], None).unwrap()[0].shape, [5, model.sizes.nv]);
        assert!(batch.read(&["qpos"], &[true]).is_err());
        let told = batch.read(&["contact_adhesion"], None).unwrap_err().to_string();
        assert!(told.contains("does not keep 'contact_adhesion'"), "{told}");
    }
}

#[cfg(feature = "gpu")]
#[test]
fn every_array_of_kernels_has_the_shape_of_its_numbers() {
    use manyworlds::gpu::{KernelOptions, WorkingSetSpace};
    // with what kernels alone store: tiles of Hessians, exact diagonals, contacts in a metric
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity/models");
    let models =
        ["diagexact.xml", "diagexact_elliptic.xml", "flex_discrete.xml"].map(|name| tests.join(name));
    let humanoid = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/humanoid.xml");
    let mut own = 0;
    for path in models.into_iter().chain([humanoid]) {
        let model = manyworlds::load(&path).unwrap();
        let gpu = KernelOptions { placement: Some(WorkingSetSpace::Storage), ..KernelOptions::default() };
        let options = BatchOptions { gpu, ..BatchOptions::on(Backend::Gpu) };
        let mut batch = Batch::new(&model, 2, &options).unwrap();
        for field in Data::<f64>::FIELDS.iter().filter(|field| field.traits.need == Need::Kernels) {
            if batch.has(field.name) {
                let array = batch.get(field.name, ..).unwrap();
                assert_eq!(
                    array.data.len(),
                    array.shape.iter().product::<usize>(),
                    "{}: {path:?}",
                    field.name
                );
                own += usize::from(!array.data.is_empty());
            }
        }
    }
    assert!(own > 4, "{own}");
}

#[cfg(feature = "gpu")]
#[test]
fn an_adapter_is_found_by_number_and_by_name() {
    let model = model("cartpole.xml");
    let open = |adapter: &str| {
        let adapter = Some(adapter.to_owned());
        Batch::new(&model, 1, &BatchOptions { adapter, ..BatchOptions::on(Backend::Gpu) })
    };
    let first = open("0").unwrap().device();
    let part = first.split_whitespace().next().unwrap().to_uppercase();
    assert_eq!(open(&part).unwrap().device(), first);
    for wrong in ["99", "no such card"] {
        let told = open(wrong).unwrap_err();
        assert!(matches!(&told, manyworlds::error::Error::Argument(text) if text.contains(&first)), "{told}");
    }
}

#[test]
fn steps_on_the_cpu_note_status_bits_on_their_way() {
    let mut batch = on_cpu(&model("cartpole.xml"), 3);
    batch.step(1).unwrap();
    assert_eq!(batch.flagged(), Some(false));
    batch.set("ctrl", &[false, true, false], &[f64::NAN]).unwrap();
    batch.step(1).unwrap();
    assert_eq!(batch.flagged(), Some(true));
    batch.reset(.., None).unwrap();
    batch.step(1).unwrap();
    assert_eq!(batch.flagged(), Some(false));
}
