//! What a reset leaves, on both backends: every result is of the new state or zero, and a world with a bad acceleration
//! takes its step from the initial state. Numbers are MuJoCo 3.17.0's.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::task::Task;
use manyworlds::schema::Role;
use manyworlds::schema::enums::status;

const WORLDS: usize = 4;

/// A ball in the ground and an arm with a spring, which both are felt.
fn scene(option: &str) -> Model {
    manyworlds::load_str(&format!(
        r#"<mujoco><option {option}/><worldbody><geom type="plane" size="5 5 1"/>
             <body pos="0 0 0.09"><freejoint/><geom size="0.1"/><site name="b" size="0.1"/></body>
             <body pos="1 0 0.3"><joint name="arm" axis="0 1 0" damping="0.1" stiffness="2" springref="1"/>
               <geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 0"/><site name="s" pos=".3 0 0"/></body></worldbody>
           <actuator><motor joint="arm"/></actuator>
           <sensor><accelerometer site="s"/><touch site="b"/></sensor>
           <keyframe><key time="2" qpos="0 0 0.5 1 0 0 0 0.3" ctrl="0.25"/></keyframe></mujoco>"#
    ))
    .unwrap()
}

/// The CPU, kernels with one lane and in pieces, and for `whole` ones with four lanes and in one piece, which take long to build.
fn backends(whole: bool) -> Vec<BatchOptions> {
    let mut all = vec![BatchOptions::on(Backend::Cpu)];
    #[cfg(feature = "gpu")]
    for (lanes, partition) in [(1, manyworlds::gpu::Partition::Split), (4, manyworlds::gpu::Partition::Fused)]
        .into_iter()
        .take(if whole { 2 } else { 1 })
    {
        let gpu = manyworlds::gpu::KernelOptions {
            lanes: Some(lanes),
            worlds_per_group: Some(8 / lanes),
            partition,
            ..Default::default()
        };
        all.push(BatchOptions { gpu, ..BatchOptions::on(Backend::Gpu) });
    }
    all
}

fn only(worlds: &[usize]) -> Vec<bool> {
    (0..WORLDS).map(|w| worlds.contains(&w)).collect()
}

fn row(batch: &mut Batch, field: &str, world: usize) -> Vec<f64> {
    batch.get(field, &only(&[world])).unwrap().data.to_f64()
}

/// Spoils the arm's force in a world.
fn spoil(batch: &mut Batch, world: usize) {
    let mut force = vec![0.0; 7];
    force[6] = f64::NAN;
    batch.set("qfrc_applied", &only(&[world]), &force).unwrap();
}

fn close(got: &[f64], want: &[f64], tolerance: f64) -> bool {
    let scale = 1.0 + want.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    got.len() == want.len() && got.iter().zip(want).all(|(a, b)| (a - b).abs() <= tolerance * scale)
}

#[test]
fn after_a_reset_results_are_zero() {
    let model = scene("");
    for options in backends(true) {
        let mut batch = Batch::new(&model, WORLDS, &options).unwrap();
        for (masked, key, apart) in
            [(vec![1], None, false), (vec![0, 3], Some(0), false), (vec![2], None, true)]
        {
            if apart {
                batch.expand(&["qpos0"]).unwrap();
            }
            batch.reset(.., None).unwrap();
            batch.step(2).unwrap();
            batch.forward().unwrap();
            let results: Vec<&str> = Data::<f64>::FIELDS
                .iter()
                .filter(|f| f.is_result() || f.counted_by().is_some())
                .filter(|f| {
                    !f.role.is_state() && !matches!(f.role, Role::Task | Role::Scratch) && batch.has(f.name)
                })
                .map(|f| f.name)
                .collect();
            let before: Vec<Vec<f64>> =
                results.iter().map(|f| row(&mut batch, f, (masked[0] + 1) % WORLDS)).collect();
            let felt = |batch: &mut Batch, w| (row(batch, "ncon", w)[0], row(batch, "sensordata", w)[3]);
            assert!(felt(&mut batch, masked[0]).0 > 0.0 && felt(&mut batch, masked[0]).1 > 0.0);
            batch.reset(&only(&masked), key).unwrap();
            for (field, other) in results.iter().zip(before) {
                for world in &masked {
                    let values = row(&mut batch, field, *world);
                    assert!(values.iter().all(|x| *x == 0.0), "{field} on {:?}: {values:?}", options.backend);
                }
                assert_eq!(row(&mut batch, field, (masked[0] + 1) % WORLDS), other, "{field}");
            }
        }
    }
}

/// Integrator; of MuJoCo after a step that began with a bad acceleration: height and angle, their velocities and
/// accelerations.
type Stepped = (&'static str, [f64; 2], [f64; 2], [f64; 2]);

const STEPPED: &[Stepped] = &[
    ("Euler", [0.090098038, 0.000171951098], [0.049019, 0.085975549153], [24.5095, 43.074452875839]),
    ("implicitfast", [0.090098038, 0.000171951098], [0.049019, 0.085975549153], [24.5095, 43.074452875839]),
    (
        "RK4",
        [9.004587361417e-02, 8.609045384372e-05],
        [0.044354025167, 0.086060954072],
        [19.950733, 42.985953560402],
    ),
];

#[test]
fn a_world_with_a_bad_acceleration_takes_its_step_from_the_initial_state() {
    for (integrator, pos, vel, acc) in STEPPED {
        let model = scene(&format!("integrator='{integrator}'"));
        for options in backends(*integrator == "Euler") {
            let tolerance = if options.backend == Backend::Cpu { 1e-9 } else { 1e-4 };
            let mut batch = Batch::new(&model, WORLDS, &options).unwrap();
            batch.step(5).unwrap();
            batch.set("ctrl", .., &[0.1; WORLDS]).unwrap();
            spoil(&mut batch, 2);
            batch.step(1).unwrap();
            let what = format!("{integrator} on {:?}", options.backend);
            let of = |values: Vec<f64>, places: [usize; 2]| places.map(|k| values[k]).to_vec();
            assert!(close(&row(&mut batch, "time", 2), &[0.002], 1e-6), "{what}");
            assert!(close(&of(row(&mut batch, "qpos", 2), [2, 7]), pos, tolerance), "{what}");
            assert!(close(&of(row(&mut batch, "qvel", 2), [2, 6]), vel, tolerance), "{what}");
            let found = of(row(&mut batch, "qacc", 2), [2, 6]);
            assert!(close(&found, acc, tolerance), "{what}: {found:?}");
            let felt = row(&mut batch, "sensordata", 2);
            assert!(
                close(&felt, &[0.0, 0.0, -3.112335862752, 143.757185433167], tolerance),
                "{what}: {felt:?}"
            );
            assert_eq!(
                (row(&mut batch, "ncon", 2), row(&mut batch, "nefc", 2)),
                (vec![1.0], vec![4.0]),
                "{what}"
            );
            assert_eq!(row(&mut batch, "status", 2), [f64::from(status::BAD_QACC)], "{what}");
            assert_eq!(row(&mut batch, "nreset", 2), [1.0], "{what}");
        }
    }
}

/// Bits of the state and of some results of a world.
fn bits(batch: &mut Batch, world: usize) -> Vec<u64> {
    let fields = ["time", "qpos", "qvel", "ctrl", "qacc_warmstart", "qacc", "xpos", "sensordata", "ncon"];
    fields.iter().flat_map(|f| row(batch, f, world)).map(f64::to_bits).collect()
}

#[test]
fn it_goes_on_as_a_world_that_was_new_and_no_other_notices() {
    let model = scene("");
    for options in backends(false) {
        let of = |worlds| Batch::new(&model, worlds, &options).unwrap();
        let (mut clean, mut spoiled, mut fresh) = (of(WORLDS), of(WORLDS), of(WORLDS));
        for batch in [&mut clean, &mut spoiled] {
            batch.step(3).unwrap();
        }
        spoil(&mut spoiled, 1);
        // calls that nobody reads between, with controls of their own
        for batch in [&mut clean, &mut spoiled, &mut fresh] {
            for (steps, ctrl) in [(4, 0.3), (1, -0.5), (2, 0.1)] {
                batch.step(steps).unwrap();
                batch.set("ctrl", .., &[ctrl; WORLDS]).unwrap();
            }
        }
        assert_eq!(bits(&mut spoiled, 1), bits(&mut fresh, 1), "{:?}", options.backend);
        for other in [0, 2, 3] {
            assert_eq!(bits(&mut spoiled, other), bits(&mut clean, other), "{:?}", options.backend);
        }
        assert!(fresh.status().unwrap().iter().all(|bits| *bits == 0));
    }
}

#[test]
fn recorded_frames_are_those_of_a_new_world() {
    let model = scene("");
    for options in backends(false) {
        let of = || Batch::new(&model, WORLDS, &options).unwrap();
        let (mut spoiled, mut fresh) = (of(), of());
        spoiled.step(3).unwrap();
        spoil(&mut spoiled, 2);
        let record = |batch: &mut Batch| {
            let frames = batch.rollout(6, None, &["qpos", "qacc", "sensordata"], 2).unwrap();
            frames.iter().map(|a| a.data.to_f64()).collect::<Vec<_>>()
        };
        let (found, want) = (record(&mut spoiled), record(&mut fresh));
        for (found, want) in found.iter().zip(&want) {
            let len = want.len() / WORLDS;
            assert_eq!(found[2 * len..3 * len], want[2 * len..3 * len], "{:?}", options.backend);
            assert!(found.iter().all(|x| x.is_finite()));
        }
    }
}

/// Observes the ball's height, acceleration and touch after each step.
const TASK: &str = r#"{
    "frame_skip": 1, "max_episode_steps": 100, "autoreset": true, "action": 1,
    "nodes": [
        {"op": "field", "name": "qpos", "elements": [2], "size": 1},
        {"op": "field", "name": "qacc", "elements": [2], "size": 1},
        {"op": "field", "name": "sensordata", "elements": [3], "size": 1},
        {"op": "concat", "args": [0, 1, 2], "size": 3},
        {"op": "action", "elements": [0], "size": 1}
    ],
    "variables": [], "resets": [], "reward": [], "termination": [], "metrics": [],
    "writes": [{"field": "ctrl", "elements": [0], "value": 4}],
    "observation": [{"name": "all", "value": 3}]
}"#;

#[test]
fn what_a_learner_sees_of_a_world_that_diverged_is_its_new_state() {
    let mut model = scene("");
    model.set_task(&Task::from_json(TASK).unwrap()).unwrap();
    for options in backends(false) {
        let tolerance = if options.backend == Backend::Cpu { 1e-9 } else { 1e-4 };
        let mut batch = Batch::new(&model, WORLDS, &options).unwrap();
        batch.begin_episodes(&[true; WORLDS]).unwrap();
        (0..3).for_each(|_| batch.act(&[0.1; WORLDS]).unwrap());
        spoil(&mut batch, 2);
        // after the step with the bad acceleration; when the next episode has begun
        for (ends, height) in [(1.0, 0.090098038), (0.0, 0.09)] {
            batch.act(&[0.1; WORLDS]).unwrap();
            let shown = batch.observed().unwrap();
            let seen = shown[0].data.clone().into_f64();
            let want = [height, 24.5095, 143.757185433167];
            assert!(close(&seen[6..9], &want, tolerance), "{:?}: {seen:?}", options.backend);
            assert!(close(&row(&mut batch, "observation", 2), &want, tolerance));
            assert_eq!(row(&mut batch, "terminated", 2), [ends], "{:?}", options.backend);
            assert_eq!(row(&mut batch, "terminated", 1), [0.0]);
        }
    }
}

/// Bytes from the host and to it.
#[cfg(feature = "gpu")]
fn moved(batch: &mut Batch, work: impl FnOnce(&mut Batch)) -> [u64; 2] {
    let before = batch.transfer_stats();
    work(batch);
    let after = batch.transfer_stats();
    [after.to_device - before.to_device, after.to_host - before.to_host]
}

#[cfg(feature = "gpu")]
#[test]
fn an_object_of_a_world_costs_what_a_world_costs() {
    let model = scene("");
    for backend in [Backend::Cpu, Backend::Gpu] {
        let few = Batch::new(&model, 4, &BatchOptions::on(backend)).unwrap();
        let many = Batch::new(&model, 64, &BatchOptions::on(backend)).unwrap();
        let costs = [few, many].map(|mut batch| {
            batch.expand(&["body_mass"]).unwrap();
            batch.wait().unwrap();
            let mask: Vec<bool> = (0..batch.worlds()).map(|w| w == 3).collect();
            let set = moved(&mut batch, |batch| {
                batch.joint("arm").unwrap().set("qpos", &mask, &[0.25]).unwrap();
            });
            let get = moved(&mut batch, |batch| {
                let found = batch.joint("arm").unwrap().get("qpos", &mask).unwrap();
                assert_eq!((found.shape, found.data.to_f64()), (vec![1, 1], vec![0.25]));
            });
            // no other world has changed
            let angles = batch.joint("arm").unwrap().get("qpos", ..).unwrap().data.to_f64();
            assert!(angles.iter().enumerate().all(|(w, x)| *x == if w == 3 { 0.25 } else { 0.0 }));
            [set, get]
        });
        assert_eq!(costs[0], costs[1], "{backend:?}");
        // the positions of one world, eight numbers of four bytes, and nothing else back
        let on_device = u64::from(backend == Backend::Gpu);
        assert_eq!((costs[1][0][1], costs[1][1][1]), (32 * on_device, 32 * on_device));
        // there: these numbers, and two jobs, as the others of its row are read before
        assert!(costs[1][0][0] <= on_device * (32 + 2 * 256), "{costs:?}");
    }
}
