//! Planners: exact where the problem is linear and quadratic, bounded, alike on every run, and patient with bad models.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::ControlFlow;

use manyworlds::batch::{Backend, BatchOptions};
use manyworlds::model::Model;
use manyworlds::schema::Kind;
use manyworlds_control::planning::closed_loop::{ClosedLoop, Lag, LoopOptions, Push, Record};
use manyworlds_control::planning::ilqg::{Ilqg, IlqgOptions};
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::planner::{Iteration, Planner};
use manyworlds_control::planning::sampling::{Sampling, SamplingOptions, Update};
use manyworlds_control::planning::settings::{PlannerKind, Settings};
use manyworlds_control::planning::state::State;

/// Two masses on a rail, tied by a spring: linear dynamics, quadratic cost.
const RAIL: &str = r#"<mujoco>
  <option timestep="0.02" gravity="0 0 0"/>
  <custom>
    <text name="formula:place" data="[qpos[0] - 1, qpos[1] - 2]"/>
    <text name="formula:speed" data="qvel"/>
    <text name="formula:effort" data="ctrl"/>
    <numeric name="terminal:place" data="40"/>
  </custom>
  <worldbody>
    <body><joint name="a" type="slide" axis="1 0 0" damping="0.3" stiffness="2"/><geom size=".1" mass="1"/></body>
    <body pos="0 1 0"><joint name="b" type="slide" axis="1 0 0" damping="0.1"/><geom size=".1" mass="2"/></body>
  </worldbody>
  <tendon><fixed name="t" stiffness="5"><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed></tendon>
  <actuator><motor joint="a"/><motor joint="b" gear="2"/></actuator>
  <sensor>
    <user name="place" dim="2" user="0 4"/>
    <user name="speed" dim="2" user="0 0.1"/>
    <user name="effort" dim="2" user="0 0.02"/>
  </sensor>
</mujoco>"#;

fn ilqg(model: &Model, options: IlqgOptions) -> Ilqg {
    Ilqg::new(model, &Objective::of_model(model).unwrap(), options).unwrap()
}

#[test]
fn a_linear_system_with_quadratic_cost_takes_one_iteration() {
    let model = manyworlds::load_str(RAIL).unwrap();
    let mut planner = ilqg(&model, IlqgOptions::new(60));
    let mut start = State::initial(&model, None);
    start.get_mut("qpos").unwrap().copy_from_slice(&[-0.3, 0.4]);
    start.get_mut("qvel").unwrap().copy_from_slice(&[1.0, -2.0]);
    let first = planner.improve(&start).unwrap();
    assert_eq!(first.step, 1.0);
    assert!(first.after < 0.2 * first.before, "{first:?}");
    // the decrease is the one that the quadratic model expects
    assert!((first.before - first.after - first.expected).abs() < 1e-9 * first.before, "{first:?}");
    // and nothing is left to improve
    let controls = planner.policy().controls.clone();
    let second = planner.improve(&start).unwrap();
    assert!((second.before - first.after).abs() < 1e-9, "{second:?}");
    assert!(second.expected.abs() < 1e-9 * first.after, "{second:?}");
    let moved =
        controls.iter().zip(&planner.policy().controls).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved < 1e-8, "{moved}");
}

/// The optimum that `planning/optimum.py` has found by another optimiser over another engine.
#[derive(serde::Deserialize)]
struct Optimum {
    start: [f64; 2],
    cost: f64,
    controls: Vec<f64>,
}

#[test]
fn a_pendulum_reaches_the_optimum_of_another_optimiser() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planning");
    let model = manyworlds::load(&folder.join("pendulum.xml")).unwrap();
    let text = std::fs::read_to_string(folder.join("pendulum.json")).unwrap();
    let want: Optimum = serde_json::from_str(&text).unwrap();
    let mut start = State::initial(&model, None);
    start.get_mut("qpos").unwrap()[0] = want.start[0];
    start.get_mut("qvel").unwrap()[0] = want.start[1];
    let mut planner = ilqg(&model, IlqgOptions::new(want.controls.len()));
    let mut last = f64::INFINITY;
    for _ in 0..60 {
        let done = planner.improve(&start).unwrap();
        assert!(done.after <= done.before && done.before <= last + 1e-9, "{done:?}");
        last = done.after;
    }
    assert!((last - want.cost).abs() < 1e-6 * want.cost, "{last}, not {}", want.cost);
    // bounds are active, and kept
    let controls = &planner.policy().controls;
    assert!(controls.iter().filter(|u| **u == 1.0).count() > 30 && controls.iter().all(|u| u.abs() <= 1.0));
    let apart = controls.iter().zip(&want.controls).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 2e-3, "{apart}");
    // no feedback where a control is at its bound
    let gains = &planner.policy().feedback.as_ref().unwrap().gains;
    assert!(gains[..2 * 30].iter().all(|k| *k == 0.0) && gains[2 * 50..].iter().any(|k| *k != 0.0));
}

/// A task of the repository.
fn task(name: &str) -> Model {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tasks");
    manyworlds::load(&folder.join(name)).unwrap()
}

/// A motion of a task under its own settings.
fn motion(model: &Model, key: Option<usize>, change: impl Fn(&mut Settings, &mut LoopOptions)) -> Record {
    let objective = Objective::of_model(model).unwrap();
    let mut settings = Settings::of_model(model).unwrap();
    let mut options = LoopOptions::new(settings.seconds, settings.interval);
    change(&mut settings, &mut options);
    let options = LoopOptions { iterations: settings.iterations, interval: settings.interval, ..options };
    let batch = BatchOptions::on(Backend::Cpu);
    let mut planner = settings.planner(model, &objective, 7, &batch).unwrap();
    let mut plant = ClosedLoop::new(model, &objective, &State::initial(model, key), &batch).unwrap();
    plant.run(planner.as_mut(), &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_cart_pole_swings_up_and_stays_under_every_planner() {
    let model = task("cartpole.xml");
    for kind in [PlannerKind::Ilqg, PlannerKind::Sampling, PlannerKind::Mppi, PlannerKind::Cem] {
        let record = motion(&model, Some(0), |settings, options| {
            settings.planner = kind;
            options.seconds = 5.0;
        });
        // the pole of the last second; sampling keeps the cart moving
        let hinge = record.fields["qpos"].iter().skip(1).step_by(2);
        let least = hinge.skip(400).map(|angle| angle.cos()).fold(1.0, f64::min);
        assert!(record.steps == 500 && least > 0.95, "{}: {least}, {:?}", kind.name(), record.notice);
        assert!(kind != PlannerKind::Ilqg || record.success.is_some_and(|t| t < 3.5));
    }
}

#[test]
fn a_plan_holds_against_pushes_noise_and_lag() {
    let model = task("cartpole.xml");
    let pole = model.id(Kind::Body, "pole").unwrap();
    let record = motion(&model, Some(0), |settings, options| {
        settings.interval = 0.02;
        options.seconds = 6.0;
        options.lag = Lag::Simulated(0.02);
        options.control_noise = 0.05;
        options.state_noise = 0.002;
        options.pushes = vec![Push { body: pole, time: 2.5, duration: 0.1, force: [4.0, 0.0, 0.0] }];
    });
    assert!(record.success.is_some_and(|t| t < 5.7), "{:?}", record.success);
    // the push was felt
    let speed = &record.fields["qvel"];
    let most = |from: usize, to: usize| speed[2 * from..2 * to].iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert!(most(251, 262) > 2.0 * most(240, 249), "{} {}", most(251, 262), most(240, 249));
}

#[test]
fn motions_have_the_same_bits_on_every_run() {
    let model = task("acrobot.xml");
    for kind in [PlannerKind::Ilqg, PlannerKind::Mppi] {
        let run = |seed: u64| {
            motion(&model, Some(0), |settings, options| {
                settings.planner = kind;
                settings.iterations = 2;
                options.seconds = 0.2;
                options.control_noise = 0.1;
                options.seed = seed;
            })
        };
        let (a, b, c) = (run(3), run(3), run(4));
        assert_eq!((&a.fields, &a.cost), (&b.fields, &b.cost));
        assert_ne!(a.cost, c.cost);
    }
}

#[test]
fn a_planner_in_a_thread_of_its_own_swings_up_too() {
    let model = task("cartpole.xml");
    let record = motion(&model, Some(0), |settings, options| {
        settings.horizon = 1.0;
        options.seconds = 4.0;
        // slow enough for a debug build on a busy machine
        options.lag = Lag::Real { slowdown: 4.0 };
    });
    assert!(record.iterations.len() > 20);
    assert!(record.success.is_some(), "{} iterations, {:?}", record.iterations.len(), record.notice);
}

#[test]
fn kernels_plan_like_the_reference() {
    let model = task("cartpole.xml");
    let objective = Objective::of_model(&model).unwrap();
    let start = State::initial(&model, Some(0));
    let costs = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let batch = BatchOptions::on(backend);
        let options = IlqgOptions { batch: batch.clone(), ..IlqgOptions::new(25) };
        let mut planner = Ilqg::new(&model, &objective, options).unwrap();
        let done: Vec<Iteration> = (0..4).map(|_| planner.improve(&start).unwrap()).collect();
        assert!(done.windows(2).all(|w| w[1].before <= w[0].after * 1.0001), "{done:?}");
        let options = SamplingOptions { batch, ..SamplingOptions::new(25, Update::Best) };
        let mut sampling = Sampling::new(&model, &objective, options).unwrap();
        [done[3].after, sampling.improve(&start).unwrap().after]
    });
    for (cpu, gpu) in costs[0].iter().zip(&costs[1]) {
        assert!((cpu - gpu).abs() < 1e-3 * cpu, "{costs:?}");
    }
}

#[test]
fn wrong_plans_are_refused_and_bad_models_keep_the_last_plan() {
    let model = task("cartpole.xml");
    let objective = Objective::of_model(&model).unwrap();
    let says = |done: manyworlds::error::Result<()>, part: &str| {
        let said = done.unwrap_err().to_string();
        assert!(said.contains(part), "{said}");
    };
    says(Ilqg::new(&model, &objective, IlqgOptions::new(0)).map(|_| ()), "horizon of a plan is zero");
    let sizes = IlqgOptions { step_sizes: vec![0.0], ..IlqgOptions::new(5) };
    says(Ilqg::new(&model, &objective, sizes).map(|_| ()), "above 0 and at most 1");
    // draws need bounds
    let open = manyworlds::load_str(RAIL).unwrap();
    let drawn =
        Sampling::new(&open, &Objective::of_model(&open).unwrap(), SamplingOptions::new(5, Update::Best));
    says(drawn.map(|_| ()), "give a ctrlrange to control 0, control 1");
    // a state that is not finite
    let mut planner = ilqg(&model, IlqgOptions::new(5));
    let mut lost = State::initial(&model, None);
    lost.get_mut("qvel").unwrap()[0] = f64::NAN;
    says(planner.improve(&lost).map(|_| ()), "is not finite");
    // a state from which everything diverges: the plan stays in force
    let good = State::initial(&model, Some(0));
    planner.improve(&good).unwrap();
    let before = planner.policy().clone();
    let mut wild = good.clone();
    wild.get_mut("qvel").unwrap()[0] = 1e11;
    let done = planner.improve(&wild).unwrap();
    assert!(done.notice.is_some_and(|n| n.contains("diverges")) && planner.policy() == &before);
    // options out of their range
    let loops = |change: &dyn Fn(&mut LoopOptions)| {
        let mut options = LoopOptions::new(0.1, 0.02);
        change(&mut options);
        let batch = BatchOptions::on(Backend::Cpu);
        let mut planner = ilqg(&model, IlqgOptions::new(5));
        let mut plant = ClosedLoop::new(&model, &objective, &good, &batch).unwrap();
        plant.run(&mut planner, &options, &mut |_| ControlFlow::Continue(())).map(|_| ())
    };
    says(loops(&|o| o.seconds = 0.0), "the time of a motion is 0");
    says(loops(&|o| o.lag = Lag::Simulated(0.5)), "late by 0.5 s");
    says(
        loops(&|o| o.pushes = vec![Push { body: 9, time: 0.0, duration: 1.0, force: [0.0; 3] }]),
        "no body 9",
    );
}

#[test]
fn a_cost_that_is_not_finite_is_named() {
    let text = RAIL.replace("\"qvel\"", "\"log(qvel)\"");
    let model = manyworlds::load_str(&text).unwrap();
    let mut planner = ilqg(&model, IlqgOptions::new(5));
    let mut start = State::initial(&model, None);
    start.get_mut("qvel").unwrap().copy_from_slice(&[-1.0, -1.0]);
    let done = planner.improve(&start).unwrap();
    let notice = done.notice.unwrap();
    assert!(notice.contains("'speed' is NaN") && notice.contains("knot 0"), "{notice}");
    let settings = Settings { horizon: 0.0, ..Settings::of_model(&model).unwrap() };
    assert!(settings.check().unwrap_err().to_string().contains("zero steps"));
    let unknown = "ilqq".parse::<PlannerKind>().unwrap_err().to_string();
    assert!(unknown.contains("did you mean 'ilqg'?"), "{unknown}");
}

#[test]
fn an_acrobot_swings_up() {
    let record = motion(&task("acrobot.xml"), Some(0), |_, options| options.seconds = 4.0);
    assert!(record.success.is_some_and(|t| t < 3.8), "{:?}", record.success);
}

#[test]
fn a_swimmer_comes_nearer_to_its_target() {
    let model = task("swimmer.xml");
    let record = motion(&model, None, |_, options| options.seconds = 5.0);
    let reach = model.elements("sensordata", Kind::Sensor, "reach").unwrap();
    let n = model.sizes.nsensordata;
    let away = |step: usize| {
        let row = &record.fields["sensordata"][n * step..n * (step + 1)];
        row[reach.clone()].iter().map(|x| x * x).sum::<f64>().sqrt()
    };
    let (first, last) = (away(0), away(record.steps - 1));
    assert!(last < 0.7 * first, "from {first} m to {last} m");
}

#[test]
fn a_hopper_travels_on_one_leg() {
    let model = task("hopper.xml");
    let record = motion(&model, Some(0), |_, options| options.seconds = 2.6);
    assert!(record.success.is_some_and(|t| t < 2.5), "{:?}", record.success);
    // it hops: there are moments without contact, and it does not slide on its trunk
    let height = model.elements("sensordata", Kind::Sensor, "height").unwrap().start;
    let n = model.sizes.nsensordata;
    let heights = record.fields["sensordata"].chunks(n).map(|row| row[height]);
    assert!(heights.fold(0.0f64, |m, h| m.max(h.abs())) < 0.6);
}

#[test]
fn a_quadruped_stands_up() {
    let model = task("quadruped.xml");
    for key in ["lying", "slumped"] {
        let key = model.id(Kind::Key, key).unwrap();
        let record = motion(&model, Some(key), |_, options| options.seconds = 2.0);
        // and stays
        assert!(record.success.is_some_and(|t| t < 0.4), "{:?}", record.success);
    }
}

#[test]
fn a_humanoid_stands_up_from_a_squat() {
    let model = task("humanoid.xml");
    let key = model.id(Kind::Key, "squat").unwrap();
    let record = motion(&model, Some(key), |_, options| options.seconds = 0.6);
    assert!(record.success.is_some_and(|t| t < 0.5), "{:?}", record.success);
    let cost = &record.cost;
    assert!(cost.last().unwrap() < &(0.5 * cost[0]), "{cost:?}");
}
