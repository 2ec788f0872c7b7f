//! Faults in one world stay in that world, on both backends: bad numbers, exhausted slots, masked resets. A missing
//! GPU adapter is a failure here, never a skip.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::batch::{Backend, Batch, BatchOptions, Overflow};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::schema::enums::status;

const WORLDS: usize = 8;

/// Fields compared between worlds: the state, and some results.
const RESET: &[&str] = &[
    "time",
    "qpos",
    "qvel",
    "ctrl",
    "xfrc_applied",
    "mocap_pos",
    "qacc_warmstart",
    "qacc",
    "xpos",
    "ncon",
    "nefc",
    "status",
    "nreset",
];

/// The CPU, and the GPU with one lane and with several lanes per world.
fn backends() -> Vec<BatchOptions> {
    let mut all = vec![BatchOptions::on(Backend::Cpu)];
    #[cfg(feature = "gpu")]
    for (lanes, tile) in [(1, 8), (4, 2)] {
        let gpu = manyworlds::gpu::KernelOptions {
            lanes: Some(lanes),
            worlds_per_group: Some(tile),
            ..Default::default()
        };
        all.push(BatchOptions { gpu, ..BatchOptions::on(Backend::Gpu) });
    }
    all
}

fn open(model: &Model, options: &BatchOptions, capacity: Capacity) -> Batch {
    let options = BatchOptions { capacity: Some(capacity), overflow: Overflow::Flag, ..options.clone() };
    Batch::new(model, WORLDS, &options).expect("both backends have to work; software Vulkan is enough")
}

fn only(world: usize) -> Vec<bool> {
    (0..WORLDS).map(|w| w == world).collect()
}

fn row(batch: &mut Batch, field: &str, world: usize) -> Vec<f64> {
    batch.get(field, &only(world)).unwrap().data.to_f64()
}

/// Bits of the compared fields of one world.
fn bits(batch: &mut Batch, world: usize) -> Vec<u64> {
    let seen: Vec<&str> = RESET.iter().copied().filter(|f| batch.has(f)).collect();
    seen.into_iter().flat_map(|f| row(batch, f, world)).map(f64::to_bits).collect()
}

/// A ball on a plane, an actuated arm and a mocap body.
fn workshop(flags: &str) -> Model {
    manyworlds::load_str(&format!(
        r#"<mujoco>
             <option><flag {flags}/></option>
             <worldbody>
               <geom type="plane" size="5 5 1"/>
               <body pos="0 0 0.1"><freejoint/><geom size="0.1"/></body>
               <body pos="1 0 0.3">
                 <joint name="arm" axis="0 1 0" damping="0.1"/>
                 <geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 0"/>
               </body>
               <body mocap="true" pos="0.3 0 0.1"><geom size="0.05"/></body>
             </worldbody>
             <actuator><motor joint="arm"/></actuator>
             <keyframe><key time="2" qpos="0 0 0.5 1 0 0 0 0.3" ctrl="0.25" mpos="0 1 1"/></keyframe>
           </mujoco>"#
    ))
    .unwrap()
}

const ROOM: Capacity = Capacity { nconmax: 8, njmax: 40 };

/// Steps every world through a motion of its own.
fn started(model: &Model, batch: &mut Batch) {
    batch.reset(.., None).unwrap();
    let nv = model.sizes.nv;
    let qvel: Vec<f64> = (0..WORLDS * nv).map(|i| 0.01 * (i % 13) as f64).collect();
    batch.set("qvel", .., &qvel).unwrap();
    batch.set("ctrl", .., &[0.1; WORLDS]).unwrap();
    batch.step(5).unwrap();
}

/// Writes one bad number into a field of a world.
fn spoil(batch: &mut Batch, field: &str, world: usize, index: usize, bad: f64) {
    let mut values = row(batch, field, world);
    values[index] = bad;
    batch.set(field, &only(world), &values).unwrap();
}

/// Field, element, status bit, and number of resets.
const SPOILED: &[(&str, usize, i32, f64)] = &[
    ("qpos", 2, status::BAD_QPOS, 1.0),
    ("qpos", 7, status::BAD_QPOS, 1.0),
    ("qvel", 6, status::BAD_QVEL, 1.0),
    ("ctrl", 0, status::BAD_CTRL, 0.0),
    ("xfrc_applied", 6 + 2, status::BAD_QACC, 1.0),
    ("qfrc_applied", 6, status::BAD_QACC, 1.0),
];

#[test]
fn a_bad_number_resets_its_world_and_no_other_notices() {
    let model = workshop("");
    for backend in backends() {
        let mut clean = open(&model, &backend, ROOM);
        started(&model, &mut clean);
        clean.step(5).unwrap();
        let mut batch = open(&model, &backend, ROOM);
        let kinds = [f64::NAN, f64::INFINITY, -1e11];
        let cases = SPOILED.iter().flat_map(|row| kinds.map(|bad| (row, bad)));
        for (n, (&(field, index, bit, resets), bad)) in cases.enumerate() {
            let world = [0, 3, 7, 4][n % 4];
            let what = format!("{bad} in {field} of world {world} on {}", backend.backend.name());
            started(&model, &mut batch);
            spoil(&mut batch, field, world, index, bad);
            batch.step(5).unwrap();
            assert_eq!(row(&mut batch, "status", world), [f64::from(bit)], "{what}");
            assert_eq!(row(&mut batch, "nreset", world), [resets], "{what}");
            assert_eq!(batch.finite_share().unwrap(), 1.0, "{what}");
            for other in (0..WORLDS).filter(|&w| w != world) {
                assert_eq!(bits(&mut batch, other), bits(&mut clean, other), "{what}: world {other}");
            }
            // the clock shows the reset, after which each step is taken
            let steps = if resets > 0.0 { 5.0 } else { 10.0 };
            let time = row(&mut batch, "time", world)[0];
            assert!((time - steps * model.opt_timestep[0]).abs() < 1e-6, "{what}: {time}");
        }
    }
}

#[test]
fn a_reset_world_goes_on_as_from_the_initial_state() {
    let model = workshop("");
    for backend in backends() {
        let (mut fresh, mut batch) = (open(&model, &backend, ROOM), open(&model, &backend, ROOM));
        fresh.step(5).unwrap();
        started(&model, &mut batch);
        spoil(&mut batch, "qpos", 4, 0, f64::NAN);
        spoil(&mut batch, "qfrc_applied", 5, 6, f64::NAN);
        batch.step(5).unwrap();
        for (field, world) in
            ["time", "qpos", "qvel", "ctrl", "qacc"].into_iter().flat_map(|f| [(f, 4), (f, 5)])
        {
            assert_eq!(
                row(&mut batch, field, world),
                row(&mut fresh, field, world),
                "{field} of world {world} on {}",
                backend.backend.name()
            );
        }
    }
}

#[test]
fn without_autoreset_the_flag_is_set_and_the_state_stays() {
    let model = workshop(r#"autoreset="disable""#);
    for backend in backends() {
        let mut clean = open(&model, &backend, ROOM);
        started(&model, &mut clean);
        clean.step(5).unwrap();
        let mut batch = open(&model, &backend, ROOM);
        for &(field, index, bit, _) in SPOILED {
            let what = format!("{field} on {}", backend.backend.name());
            started(&model, &mut batch);
            spoil(&mut batch, field, 3, index, f64::NAN);
            batch.step(5).unwrap();
            assert_ne!(row(&mut batch, "status", 3)[0] as i32 & bit, 0, "{what}");
            assert_eq!(row(&mut batch, "nreset", 3), [0.0], "{what}");
            assert_eq!(row(&mut batch, "time", 3), row(&mut clean, "time", 3), "{what}");
            // bad controls count as zero; everything else keeps its value
            let state = row(&mut batch, if field == "qpos" { "qpos" } else { "qvel" }, 3);
            assert_eq!(state.iter().any(|x| x.is_nan()), field != "ctrl", "{what}: {state:?}");
            for other in (0..WORLDS).filter(|&w| w != 3) {
                assert_eq!(bits(&mut batch, other), bits(&mut clean, other), "{what}: world {other}");
            }
        }
    }
}

#[test]
fn what_no_step_checks_is_refused_and_changes_nothing() {
    let model = workshop("");
    for backend in backends() {
        let mut batch = open(&model, &backend, ROOM);
        started(&model, &mut batch);
        let before: Vec<_> = (0..WORLDS).map(|w| bits(&mut batch, w)).collect();
        for (field, len) in [("time", 1), ("mocap_pos", 3), ("mocap_quat", 4), ("qacc_warmstart", 7)] {
            for bad in [f64::NAN, f64::INFINITY, 1e39] {
                let mut values = vec![0.0; len];
                values[len - 1] = bad;
                let error = batch.set(field, &only(3), &values).unwrap_err().to_string();
                assert!(error.contains(field) && error.contains("world 3"), "{error}");
            }
        }
        let after: Vec<_> = (0..WORLDS).map(|w| bits(&mut batch, w)).collect();
        assert_eq!(before, after, "{}", backend.backend.name());
    }
}

/// Twelve balls over a plane.
fn balls() -> Model {
    balls_with("")
}

/// Twelve balls with options.
fn balls_with(option: &str) -> Model {
    balls_of(option, |_| "size='0.1'")
}

/// Twelve geoms with options, chosen by number.
fn balls_of(option: &str, geom: impl Fn(usize) -> &'static str) -> Model {
    let ball = |i| format!("<body><freejoint/><geom {}/></body>", geom(i));
    let all: String = (0..12).map(ball).collect();
    manyworlds::load_str(&format!(
        r#"<mujoco><option {option}/><worldbody><geom type="plane" size="5 5 1"/>{all}</worldbody></mujoco>"#
    ))
    .unwrap()
}

/// Odd worlds: a heap of balls that overlap by different depths. Even worlds: two balls on the plane.
fn heaps(crowded: bool) -> Vec<f64> {
    let ball = |w: usize, i: usize| {
        let i = i as f64;
        if crowded && w % 2 == 1 {
            [0.13 * (i % 4.0) + 0.0003 * i * i, 0.14 * (i / 4.0).floor() - 0.0002 * i * i, 0.09 - 0.001 * i]
        } else {
            [i, 0.3 * w as f64, if i < 2.0 { 0.099 } else { 3.0 }]
        }
    };
    let rows = (0..WORLDS).flat_map(|w| (0..12).map(move |i| (w, i)));
    rows.flat_map(|(w, i)| ball(w, i).into_iter().chain([1.0, 0.0, 0.0, 0.0])).collect()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let scale = 1.0 + b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * scale)
}

#[test]
fn too_many_contacts_keep_the_deepest() {
    let (model, few) = (balls(), Capacity { nconmax: 6, njmax: 60 });
    // reference with room for all contacts
    let mut all = open(&model, &BatchOptions::on(Backend::Cpu), Capacity { nconmax: 90, njmax: 400 });
    all.set("qpos", .., &heaps(true)).unwrap();
    all.forward().unwrap();
    let wanted = row(&mut all, "ncon", 1)[0] as usize;
    let mut deepest = row(&mut all, "contact_dist", 1)[..wanted].to_vec();
    deepest.sort_by(f64::total_cmp);
    assert!(wanted > 12, "{wanted}");

    let mut seen = Vec::new();
    for backend in backends() {
        let (mut calm, mut batch) = (open(&model, &backend, few), open(&model, &backend, few));
        calm.set("qpos", .., &heaps(false)).unwrap();
        batch.set("qpos", .., &heaps(true)).unwrap();
        calm.forward().unwrap();
        batch.forward().unwrap();
        assert_eq!(row(&mut batch, "ncon", 1), [6.0]);
        assert_eq!(row(&mut batch, "ncon_peak", 1), [wanted as f64]);
        let mut kept = row(&mut batch, "contact_dist", 1);
        seen.push((kept.clone(), row(&mut batch, "contact_geom", 1), row(&mut batch, "qacc", 1)));
        kept.sort_by(f64::total_cmp);
        assert!(close(&kept, &deepest[..6], 1e-5), "{kept:?} {deepest:?} on {}", backend.backend.name());
        isolated(&mut batch, &mut calm, status::CONTACT_OVERFLOW);
    }
    same_on_all(&seen);
}

#[test]
fn the_deepest_are_kept_whichever_way_they_are_found() {
    // round ellipsoids touch like spheres, but through support functions, which kernels process after closed forms
    let ellipsoid = "type='ellipsoid' size='0.1 0.1 0.1'";
    let model = balls_of("", |i| if i % 3 == 1 { ellipsoid } else { "size='0.1'" });
    for nconmax in [6, 90] {
        let mut seen: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for backend in backends() {
            let mut batch = open(&model, &backend, Capacity { nconmax, njmax: 400 });
            batch.set("qpos", .., &heaps(true)).unwrap();
            batch.forward().unwrap();
            // a driver that cuts the second pass short says so
            if row(&mut batch, "status", 1)[0] as i32 & status::LOOP_LIMIT != 0 {
                continue;
            }
            let n = row(&mut batch, "ncon", 1)[0] as usize;
            let (mut dist, mut geom) =
                (row(&mut batch, "contact_dist", 1), row(&mut batch, "contact_geom", 1));
            dist.truncate(n);
            geom.truncate(2 * n);
            seen.push((dist, geom));
        }
        for (dist, geom) in &seen {
            assert!(close(dist, &seen[0].0, 1e-5), "{nconmax} slots: {dist:?} {:?}", seen[0].0);
            assert_eq!(geom, &seen[0].1, "{nconmax} slots");
        }
        // both kinds occur, in candidate order: bodies ascend, and each has a single geom
        let round = |pair: &[f64]| pair.iter().any(|g| *g > 0.0 && (*g as usize - 1) % 3 == 1);
        let pairs: Vec<&[f64]> = seen[0].1.chunks(2).collect();
        assert!(pairs.iter().any(|p| round(p)) && pairs.iter().any(|p| !round(p)), "{pairs:?}");
        let ends = pairs.iter().map(|p| [p[0].min(p[1]), p[0].max(p[1])]);
        assert!(ends.is_sorted(), "{pairs:?}");
    }
}

#[test]
fn too_many_contacts_disturb_no_other_world_with_any_solver() {
    let few = Capacity { nconmax: 6, njmax: 60 };
    for option in [r#"solver="CG" cone="elliptic""#, r#"solver="PGS" cone="elliptic" noslip_iterations="3""#]
    {
        let model = balls_with(option);
        for backend in backends().into_iter().take(2) {
            let (mut calm, mut batch) = (open(&model, &backend, few), open(&model, &backend, few));
            calm.set("qpos", .., &heaps(false)).unwrap();
            batch.set("qpos", .., &heaps(true)).unwrap();
            isolated(&mut batch, &mut calm, status::CONTACT_OVERFLOW);
        }
    }
}

#[test]
fn too_many_rows_leave_out_the_last() {
    let (model, few) = (balls(), Capacity { nconmax: 90, njmax: 10 });
    let mut seen = Vec::new();
    for backend in backends() {
        let (mut calm, mut batch) = (open(&model, &backend, few), open(&model, &backend, few));
        calm.set("qpos", .., &heaps(false)).unwrap();
        batch.set("qpos", .., &heaps(true)).unwrap();
        calm.forward().unwrap();
        batch.forward().unwrap();
        assert!(row(&mut batch, "nefc", 1)[0] <= 10.0);
        assert!(row(&mut batch, "nefc_peak", 1)[0] > 10.0);
        let n = row(&mut batch, "ncon", 1)[0] as usize;
        let dist = row(&mut batch, "contact_dist", 1)[..n].to_vec();
        seen.push((dist, row(&mut batch, "contact_geom", 1)[..2 * n].to_vec(), row(&mut batch, "qacc", 1)));
        isolated(&mut batch, &mut calm, status::CONSTRAINT_OVERFLOW);
    }
    same_on_all(&seen);
}

#[test]
fn no_slots_at_all_are_flagged_too() {
    for backend in backends() {
        let mut batch = open(&balls(), &backend, Capacity::NONE);
        batch.set("qpos", .., &heaps(true)).unwrap();
        batch.step(3).unwrap();
        assert!(batch.status().unwrap().iter().all(|s| s & status::CONTACT_OVERFLOW != 0));
        assert_eq!(batch.finite_share().unwrap(), 1.0);
    }
}

/// Checks that odd worlds are flagged and finite after some steps, and that even ones have the bits of a batch
/// without overflow.
fn isolated(batch: &mut Batch, calm: &mut Batch, bit: i32) {
    batch.step(20).unwrap();
    calm.step(20).unwrap();
    let what = format!("on {}", batch.backend().name());
    for w in 0..WORLDS {
        if w % 2 == 1 {
            assert_ne!(row(batch, "status", w)[0] as i32 & bit, 0, "world {w} {what}");
        } else {
            assert_eq!(row(batch, "status", w), [0.0], "world {w} {what}");
            assert_eq!(bits(batch, w), bits(calm, w), "world {w} {what}");
        }
    }
    assert_eq!(batch.finite_share().unwrap(), 1.0, "{what}");
}

/// Checks that the backends agree on contacts and accelerations.
fn same_on_all(seen: &[(Vec<f64>, Vec<f64>, Vec<f64>)]) {
    for (dist, geom, qacc) in seen {
        assert!(close(dist, &seen[0].0, 1e-5), "{dist:?} {:?}", seen[0].0);
        assert_eq!(geom, &seen[0].1);
        assert!(close(qacc, &seen[0].2, 1e-3), "{qacc:?} {:?}", seen[0].2);
    }
}

#[test]
fn a_masked_reset_touches_its_worlds_only() {
    let model = workshop("");
    for backend in backends() {
        let what = backend.backend.name();
        let mut batch = open(&model, &backend, ROOM);
        started(&model, &mut batch);
        // worlds 1, 2 and 5 have something to clear
        spoil(&mut batch, "qpos", 1, 0, f64::NAN);
        spoil(&mut batch, "ctrl", 2, 0, f64::NAN);
        spoil(&mut batch, "qvel", 5, 0, f64::NAN);
        batch.step(3).unwrap();
        let before: Vec<_> = (0..WORLDS).map(|w| bits(&mut batch, w)).collect();
        let mask: Vec<bool> = (0..WORLDS).map(|w| w == 1 || w == 2 || w == 6).collect();
        batch.reset(&mask, Some(0)).unwrap();
        for w in 0..WORLDS {
            if !mask[w] {
                assert_eq!(bits(&mut batch, w), before[w], "world {w} on {what}");
                continue;
            }
            for (field, want) in [("status", 0.0), ("nreset", 0.0), ("ncon_peak", 0.0), ("time", 2.0)] {
                assert_eq!(row(&mut batch, field, w), [want], "{field} of world {w} on {what}");
            }
            assert!(close(&row(&mut batch, "qpos", w), &model.key_qpos, 1e-6), "world {w} on {what}");
            assert_eq!(row(&mut batch, "ctrl", w), [0.25], "world {w} on {what}");
            assert_eq!(row(&mut batch, "mocap_pos", w), [0.0, 1.0, 1.0], "world {w} on {what}");
            assert!(row(&mut batch, "qvel", w).iter().all(|x| *x == 0.0), "world {w} on {what}");
        }
        assert_ne!(row(&mut batch, "status", 5), [0.0]);
        // an empty mask does nothing; a wrong one is refused before anything changes
        batch.reset(&[false; WORLDS], Some(0)).unwrap();
        assert!(batch.reset(&[true; WORLDS + 1], None).is_err());
        assert!(batch.reset(&mask, Some(1)).is_err());
        assert_eq!(bits(&mut batch, 0), before[0]);
    }
}

#[test]
#[cfg(feature = "gpu")]
fn a_lost_device_is_an_error_of_every_later_call() {
    use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions};
    let model = manyworlds::load("models/pendulum.xml").unwrap();
    let gpu = Gpu::open(AdapterPreference::Any).unwrap();
    let capacity = manyworlds::model::data::Capacity::NONE;
    let mut batch = GpuBatch::new(&gpu, model.clone(), 3, capacity, &KernelOptions::default()).unwrap();
    batch.step(2).unwrap();
    batch.wait().unwrap();
    gpu.close();
    let said = [
        batch.step(1).err(),
        batch.forward().err(),
        batch.wait().err(),
        batch.get("qpos").err(),
        batch.set("qvel", &[0.0; 3]).err(),
        GpuBatch::new(&gpu, model.clone(), 3, capacity, &KernelOptions::default()).err(),
    ];
    for (call, error) in said.into_iter().enumerate() {
        let text = error.map(|e| e.to_string()).unwrap_or_default();
        assert!(text.contains("lost"), "call {call}: '{text}'");
    }
}

/// Unusual models that load: description, text, resulting status (0 for none), and whether the GPU is tried too.
const STRANGE: &[(&str, &str, i32, bool)] = &[
    (
        "a site inside the geom that its tendon wraps around",
        r#"<worldbody><geom name="g" size=".2"/><site name="a" pos=".05 0 0"/>
             <body pos="0 0 -1"><joint type="slide"/><geom size=".1"/><site name="b"/></body></worldbody>
           <tendon><spatial stiffness="10"><site site="a"/><geom geom="g"/><site site="b"/></spatial></tendon>"#,
        0,
        false,
    ),
    (
        "a tendon of no length",
        r#"<worldbody><site name="a"/>
             <body><joint type="slide"/><geom size=".1"/><site name="b"/></body></worldbody>
           <tendon><spatial name="t" stiffness="10" damping="1"><site site="a"/><site site="b"/></spatial></tendon>
           <actuator><motor tendon="t"/></actuator>"#,
        0,
        true,
    ),
    (
        "a muscle that is as long as it can be",
        r#"<worldbody><body><joint name="j"/><geom size=".1" pos="0 0 .3"/></body></worldbody>
           <actuator><muscle joint="j" lengthrange="0 0.000001"/></actuator>"#,
        0,
        false,
    ),
    (
        "a filter without a time constant",
        r#"<worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
           <actuator><general joint="j" dyntype="filter" dynprm="0"/></actuator>"#,
        status::BAD_QACC,
        true,
    ),
    (
        "a time step that diverges",
        r#"<option timestep="0.1"/>
           <worldbody><body><joint type="slide" stiffness="1e9" springref="1"/><geom size=".1"/></body></worldbody>"#,
        status::BAD_QVEL | status::BAD_QPOS | status::BAD_QACC,
        false,
    ),
    (
        "axes that move the same",
        r#"<worldbody><body><joint axis="0 1 0"/><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>"#,
        status::SINGULAR_INERTIA,
        true,
    ),
    (
        "constraints that contradict each other",
        r#"<worldbody><body name="a"><freejoint/><geom size=".1"/></body></worldbody>
           <equality><connect body1="a" anchor="0 0 0"/><weld body1="a" relpose="0 0 1 0 1 0 0"/>
             <weld body1="a" relpose="0 0 -1 0 0 1 0" torquescale="9" solref="-1e3 -1e2"/></equality>"#,
        0,
        true,
    ),
    (
        "a fluid as thick as iron",
        r#"<option density="8000" viscosity="100" integrator="implicit"/>
           <worldbody><body><freejoint/><geom type="ellipsoid" size=".1 .2 .3" fluidshape="ellipsoid"/></body></worldbody>"#,
        0,
        false,
    ),
];

#[test]
fn strange_models_stay_finite_or_are_flagged() {
    for (what, text, bits, gpu) in STRANGE {
        let model = manyworlds::load_str(&format!("<mujoco>{text}</mujoco>")).unwrap();
        let nv = model.sizes.nv;
        // one kernel configuration is enough, for some models the CPU alone: kernels take seconds to build
        let count = if *gpu { 2 } else { 1 };
        for backend in backends().into_iter().take(count) {
            let mut batch = open(&model, &backend, ROOM);
            batch.set("qvel", .., &vec![0.3; WORLDS * nv]).unwrap();
            if model.sizes.nu > 0 {
                batch.set("ctrl", .., &vec![1.0; WORLDS * model.sizes.nu]).unwrap();
            }
            batch.step(40).unwrap();
            let name = format!("{what} on {}", backend.backend.name());
            assert_eq!(batch.finite_share().unwrap(), 1.0, "{name}");
            for bit in batch.status().unwrap() {
                let said = if *bits == 0 { bit == 0 } else { bit & bits != 0 };
                assert!(said, "{name}: status {bit}");
            }
        }
    }
}

#[test]
fn a_mocap_body_without_orientation_is_upright() {
    let model = workshop("");
    for backend in backends() {
        let mut batch = open(&model, &backend, ROOM);
        let mut quats = [1.0, 0.0, 0.0, 0.0].repeat(WORLDS);
        quats[4 * 3] = 0.0;
        batch.set("mocap_quat", .., &quats).unwrap();
        batch.step(3).unwrap();
        assert_eq!(batch.finite_share().unwrap(), 1.0);
        let turned = row(&mut batch, "xquat", 3);
        assert!(close(&turned[4 * 3..], &[1.0, 0.0, 0.0, 0.0], 1e-6), "{turned:?}");
        assert_eq!(bits(&mut batch, 3), bits(&mut batch, 2));
    }
}

#[test]
fn a_constraint_let_go_in_one_world_holds_in_the_others() {
    let text = r#"<mujoco><worldbody>
         <body name="a" pos="0 0 1"><freejoint/><geom size=".1"/></body>
         <body pos="1 0 1"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
       </worldbody><equality>
         <weld body1="a"/><joint joint1="j" solref="0.02 1"/><connect body1="a" anchor="1 0 0" active="false"/>
       </equality></mujoco>"#;
    let model = manyworlds::load_str(text).unwrap();
    for backend in backends() {
        let what = backend.backend.name();
        let mut batch = open(&model, &backend, ROOM);
        // world 2 releases the ball, world 5 the arm
        let mut active = [1.0, 1.0, 0.0].repeat(WORLDS);
        (active[3 * 2], active[3 * 5 + 1]) = (0.0, 0.0);
        batch.set("eq_active", .., &active).unwrap();
        batch.step(100).unwrap();
        // free fall with a first-order error in the time step
        let (g, t, h) = (9.81, 0.2, model.opt_timestep[0]);
        let fallen = 1.0 - 0.5 * g * t * (t + h);
        for w in 0..WORLDS {
            let q = row(&mut batch, "qpos", w);
            let (height, angle) = (q[2], q[7]);
            assert!((height - if w == 2 { fallen } else { 1.0 }).abs() < 2e-3, "{what} {w}: {height}");
            assert!((angle.abs() > 0.3) == (w == 5), "{what} {w}: {angle}");
        }
        // a reset activates the constraint again
        batch.reset(&only(2), None).unwrap();
        assert_eq!(row(&mut batch, "eq_active", 2), [1.0, 1.0, 0.0], "{what}");
        assert_eq!(row(&mut batch, "eq_active", 5), [1.0, 0.0, 0.0], "{what}");
    }
}

/// More pairs of geoms that can collide than kernels list: spheres in a row, each touching the next.
#[test]
fn kernels_refuse_pairs_that_they_do_not_list() {
    let bodies: String = (0..1500)
        .map(|k| format!("<body pos='{} 0 0'><freejoint/><geom size='.1'/></body>", 0.19 * f64::from(k)))
        .collect();
    let model = manyworlds::load_str(&format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>")).unwrap();
    let room = Capacity { nconmax: 1600, njmax: 6400 };
    let open = |backend| {
        Batch::new(&model, 1, &BatchOptions { backend, capacity: Some(room), ..BatchOptions::default() })
    };
    let refused = open(Backend::Gpu).unwrap_err().to_string();
    assert!(
        refused.contains("1500 geoms can collide with too many others") && refused.contains("contype"),
        "{refused}"
    );
    // where the device is a choice, the CPU takes them
    let mut batch = open(Backend::Auto).unwrap();
    assert_eq!(batch.backend(), Backend::Cpu);
    batch.forward().unwrap();
    assert_eq!(batch.get("ncon", ..).unwrap().data.to_f64(), [1499.0]);
}
