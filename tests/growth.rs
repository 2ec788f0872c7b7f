//! Worlds that need more contacts or constraint rows than they have room for: by default the batch grows, and has the bits
//! of one with room from the start.

use manyworlds::batch::{Backend, Batch, BatchOptions, Overflow};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::schema::enums::status;

/// Backends of this build.
const BACKENDS: &[Backend] =
    if cfg!(feature = "gpu") { &[Backend::Cpu, Backend::Gpu] } else { &[Backend::Cpu] };

const OVERFLOWS: i32 = status::CONTACT_OVERFLOW | status::CONSTRAINT_OVERFLOW;

/// Spheres that fall onto a plane one after the other, with a motor for each direction of the first.
fn model(flags: &str) -> Model {
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
        "<mujoco><option><flag {flags}/></option><worldbody><geom type='plane' size='5 5 1'/>{bodies}</worldbody>\
         <actuator><motor joint='x0'/><motor joint='z0'/></actuator></mujoco>"
    ))
    .expect("a model")
}

fn options(backend: Backend, capacity: (usize, usize), overflow: Overflow) -> BatchOptions {
    let (nconmax, njmax) = capacity;
    BatchOptions { capacity: Some(Capacity { nconmax, njmax }), overflow, ..BatchOptions::on(backend) }
}

/// Steps, reads, writes, resets and forward dynamics in turns.
fn run(batch: &mut Batch) -> Vec<u64> {
    let worlds = batch.worlds();
    let mut bits = Vec::new();
    let mut note = |batch: &mut Batch, field: &str| {
        bits.extend(batch.get(field, ..).expect("a field").data.to_f64().into_iter().map(f64::to_bits));
    };
    for round in 0..6 {
        let ctrl: Vec<f64> = (0..2 * worlds).map(|i| 0.3 * ((i + round) as f64).sin()).collect();
        batch.set("ctrl", .., &ctrl).expect("controls");
        // several calls without a look at what they have wanted
        for _ in 0..3 {
            batch.step(7).expect("steps");
        }
        batch.set("qfrc_applied", .., &vec![0.01; 8 * worlds]).expect("forces");
        batch.step(5).expect("steps");
        for field in ["qpos", "qvel", "qacc", "ncon", "status", "ncon_peak"] {
            note(batch, field);
        }
        if round == 2 {
            let mask: Vec<bool> = (0..worlds).map(|w| w == 1).collect();
            batch.reset(&mask, None).expect("a reset");
            batch.forward_worlds(&mask).expect("forward");
            note(batch, "qacc");
        }
    }
    bits
}

#[test]
fn a_batch_that_grows_has_the_bits_of_one_with_room() {
    let model = model("");
    for &backend in BACKENDS {
        let mut wide = Batch::new(&model, 3, &options(backend, (16, 64), Overflow::Flag)).expect("a batch");
        let want = run(&mut wide);
        let mut grown = Batch::new(&model, 3, &options(backend, (1, 4), Overflow::Grow)).expect("a batch");
        let got = run(&mut grown);
        assert!(got == want, "{backend:?}: {:?}", grown.growth());
        assert!(!grown.growth().is_empty());
        assert_eq!(grown.dropped().expect("status"), None);
        let sizes = *grown.sizes();
        assert!(sizes.nconmax >= 4 && sizes.njmax >= 16, "{sizes:?}");
        assert_eq!(grown.get("contact_dist", ..).expect("a field").shape, [3, sizes.nconmax]);
        // without growth the same steps leave contacts out
        let mut small = Batch::new(&model, 3, &options(backend, (1, 4), Overflow::Flag)).expect("a batch");
        assert_ne!(run(&mut small), want);
        let dropped = small.dropped().expect("status").expect("worlds without room").to_string();
        assert!(dropped.contains("in 3 of 3 worlds (0, 1, 2)"), "{dropped}");
        assert!(dropped.contains("there is room for 1 and 4"), "{dropped}");
        assert!(small.status().expect("status").iter().all(|bits| bits & OVERFLOWS != 0));
    }
}

#[test]
fn a_sleeping_batch_that_grows_keeps_its_sleepers() {
    let model = model("sleep='enable'");
    for &backend in BACKENDS {
        let last = |capacity, overflow| {
            let mut batch = Batch::new(&model, 2, &options(backend, capacity, overflow)).expect("a batch");
            let ctrl = [0.0, 2.0].repeat(2);
            batch.step(600).expect("steps");
            batch.set("ctrl", .., &ctrl).expect("controls");
            batch.step(60).expect("steps");
            ["qpos", "qvel", "xpos", "tree_asleep"].map(|f| batch.get(f, ..).expect("a field").data)
        };
        assert_eq!(last((1, 4), Overflow::Grow), last((16, 64), Overflow::Flag), "{backend:?}");
    }
}

#[test]
fn rollouts_that_grow_have_the_frames_of_ones_with_room() {
    let model = model("");
    for &backend in BACKENDS {
        let frames = |capacity, overflow| {
            let mut batch = Batch::new(&model, 3, &options(backend, capacity, overflow)).expect("a batch");
            let controls: Vec<f64> = (0..3 * 60 * 2).map(|i| (f64::from(i) * 0.1).sin()).collect();
            let frames =
                batch.rollout(60, Some(&controls), &["qpos", "contact_dist", "ncon"], 5).expect("a rollout");
            (frames, batch.sizes().nconmax)
        };
        let (mut got, nconmax) = frames((1, 4), Overflow::Grow);
        let (mut want, _) = frames((nconmax, 64), Overflow::Flag);
        // the rows of contacts that are none hold what was there before
        let (distances, wanted) = (got.remove(1), want.remove(1));
        assert_eq!(distances.shape, wanted.shape);
        assert_eq!(got, want, "{backend:?}");
        let counts = got[1].data.to_f64();
        let (distances, wanted) = (distances.data.to_f64(), wanted.data.to_f64());
        for (frame, n) in counts.iter().enumerate() {
            let of = |all: &[f64]| all[frame * nconmax..][..*n as usize].to_vec();
            assert_eq!(of(&distances), of(&wanted), "{backend:?}");
        }
    }
}

#[test]
fn worlds_that_differ_keep_their_fields() {
    let model = model("");
    for &backend in BACKENDS {
        let last = |capacity, overflow| {
            let mut batch = Batch::new(&model, 2, &options(backend, capacity, overflow)).expect("a batch");
            batch.expand(&["body_mass"]).expect("a field");
            let mut mass = batch.get_model("body_mass", ..).expect("masses").data.to_f64();
            mass[6] *= 2.0;
            batch.set_model("body_mass", .., &mass).expect("masses");
            batch.step(80).expect("steps");
            mass[2] *= 3.0;
            batch.set_model("body_mass", .., &mass).expect("masses");
            batch.step(20).expect("steps");
            ["qpos", "qvel", "qacc"].map(|f| batch.get(f, ..).expect("a field").data)
        };
        assert_eq!(last((1, 4), Overflow::Grow), last((16, 64), Overflow::Flag), "{backend:?}");
    }
}

#[test]
fn overflow_may_be_an_error() {
    let model = model("");
    for &backend in BACKENDS {
        let mut batch = Batch::new(&model, 2, &options(backend, (1, 4), Overflow::Error)).expect("a batch");
        batch.step(1).expect("no contact yet");
        let text = batch.step(200).expect_err("an error").to_string();
        assert!(text.contains("left out in 2 of 2 worlds"), "{text}");
        // the batch is as usable as before
        batch.reset(.., None).expect("a reset");
        batch.step(1).expect("a step");
    }
}

#[test]
fn a_batch_with_room_for_all_watches_nothing() {
    let model = model("");
    let limit = manyworlds::batch::max_capacity(&model);
    for &backend in BACKENDS {
        let capacity = (limit.nconmax, limit.njmax);
        let mut batch = Batch::new(&model, 2, &options(backend, capacity, Overflow::Grow)).expect("a batch");
        batch.step(200).expect("steps");
        assert!(batch.growth().is_empty() && batch.dropped().expect("status").is_none());
    }
}

#[test]
fn inverse_dynamics_grow_too() {
    let model = model("");
    for &backend in BACKENDS {
        let inverse = |capacity, overflow| {
            let mut batch = Batch::new(&model, 2, &options(backend, capacity, overflow)).expect("a batch");
            // all spheres in the plane
            let qpos: Vec<f64> = (0..16).map(|i| if i % 2 == 1 { -0.06 } else { 0.0 }).collect();
            batch.set("qpos", .., &qpos).expect("positions");
            batch.set("qacc", .., &[0.5; 16]).expect("accelerations");
            batch.inverse().expect("inverse dynamics");
            let grown = batch.growth().len();
            (["qfrc_inverse", "qacc"].map(|f| batch.get(f, ..).expect("a field").data), grown)
        };
        let (got, _) = inverse((1, 4), Overflow::Grow);
        assert_eq!(got, inverse((16, 64), Overflow::Flag).0, "{backend:?}");
    }
}

#[test]
fn rows_of_friction_that_only_worlds_have_get_room() {
    let model = model("");
    for &backend in BACKENDS {
        let mut batch = Batch::new(&model, 2, &options(backend, (16, 16), Overflow::Grow)).expect("a batch");
        batch.expand(&["dof_frictionloss"]).expect("a field");
        batch.set_model("dof_frictionloss", .., &[0.1; 16]).expect("values");
        let qpos: Vec<f64> = (0..16).map(|i| if i % 2 == 1 { -0.06 } else { 0.0 }).collect();
        batch.set("qpos", .., &qpos).expect("positions");
        batch.step(1).expect("a step");
        // three contacts of four rows, and eight degrees of freedom
        assert_eq!(batch.get("nefc", ..).expect("rows").data.to_f64(), [20.0; 2], "{backend:?}");
        assert_eq!(batch.dropped().expect("status"), None);
    }
}

#[test]
fn a_world_without_adhesion_grows_beside_one_that_has_some() {
    let text = "<mujoco><worldbody><geom type='plane' size='5 5 1' adhesion='0.1'/>\
        <body pos='0 0 .04'><freejoint/><geom size='.05'/></body><body pos='1 0 .04'><freejoint/><geom size='.05'/></body>\
        <body pos='2 0 .04'><freejoint/><geom size='.05'/></body></worldbody></mujoco>";
    let model = manyworlds::load_str(text).expect("a model");
    let mut batch = Batch::new(&model, 2, &options(Backend::Cpu, (1, 4), Overflow::Grow)).expect("a batch");
    batch.expand(&["geom_adhesion"]).expect("a field");
    batch.set_model("geom_adhesion", &[true, false], &[0.0; 4]).expect("values");
    batch.step(2).expect("steps");
    assert_eq!(batch.get("ncon", ..).expect("contacts").data.to_f64(), [3.0, 3.0]);
    let shape = batch.get("contact_adhesion", ..).expect("a field").shape;
    assert_eq!(shape, [2, batch.sizes().nconmax]);
}

#[test]
fn fields_expanded_after_growth_keep_the_room() {
    let model = model("");
    for &backend in BACKENDS {
        let mut batch = Batch::new(&model, 2, &options(backend, (1, 4), Overflow::Grow)).expect("a batch");
        // no read between: the batch does not know yet that it has to grow
        batch.step(80).expect("steps");
        batch.expand(&["body_mass"]).expect("a field");
        let sizes = *batch.sizes();
        assert!(sizes.nconmax >= 4 && sizes.njmax >= 16, "{backend:?}: {sizes:?}");
        batch.step(1).expect("a step");
        assert_eq!(batch.dropped().expect("status"), None, "{backend:?}");
        assert_eq!(*batch.sizes(), sizes, "{backend:?}");
    }
}
