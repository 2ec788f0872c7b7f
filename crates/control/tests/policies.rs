//! Plans in force: carried out as they were made, at what they are said to cost, and without feedback after their end.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::ControlFlow;

use manyworlds::batch::{Backend, BatchOptions};
use manyworlds::model::Model;
use manyworlds_control::planning::closed_loop::{ClosedLoop, Lag, LoopOptions};
use manyworlds_control::planning::ilqg::{Ilqg, IlqgOptions};
use manyworlds_control::planning::objective::Objective;
use manyworlds_control::planning::planner::Planner;
use manyworlds_control::planning::policy::Interpolation;
use manyworlds_control::planning::sampling::{Sampling, SamplingOptions, Update};
use manyworlds_control::planning::state::State;

/// A mass on a rail, with a cost.
fn rail(cost: &str) -> Model {
    let text = format!(
        r#"<mujoco>
          <option timestep="0.01" gravity="0 0 0"/>
          <custom><text name="formula:cost" data="{cost}"/></custom>
          <worldbody><body><joint name="j" type="slide"/><geom size=".1" mass="1"/></body></worldbody>
          <actuator><motor joint="j" ctrlrange="-40 40"/></actuator>
          <sensor><user name="cost" dim="1" user="0 3"/></sensor>
        </mujoco>"#
    );
    manyworlds::load_str(&text).unwrap()
}

fn sampling(model: &Model, options: SamplingOptions) -> Sampling {
    Sampling::new(model, &Objective::of_model(model).unwrap(), options).unwrap()
}

#[test]
fn a_sampled_plan_is_carried_out_in_time_whatever_the_steps() {
    // a cost that no control changes: no candidate is better than the plan
    let plant = rail("time");
    // controls k² at knots 0.1 s apart: a stair, its chords, and a parabola
    let knots: Vec<f64> = (0..6).map(|k| f64::from(k * k)).collect();
    let stair = |t: f64| (10.0 * t + 1e-9).floor().powi(2);
    let chord = |t: f64| {
        let k = (10.0 * t + 1e-9).floor();
        k * k + (10.0 * t - k) * (2.0 * k + 1.0)
    };
    let parabola = |t: f64| (10.0 * t).powi(2);
    type Law<'a> = &'a dyn Fn(f64) -> f64;
    // a cubic spline has no neighbours to take its slopes from at the ends
    let laws: [(Interpolation, Law<'_>, [f64; 2]); 3] = [
        (Interpolation::Zero, &stair, [0.0, 0.5]),
        (Interpolation::Linear, &chord, [0.0, 0.5]),
        (Interpolation::Cubic, &parabola, [0.1, 0.4]),
    ];
    for (interpolation, law, [from, to]) in laws {
        for (timestep, steps) in [(0.01, 50), (0.025, 20)] {
            for every in [1, 3, 7, 10, 13] {
                let mut model = plant.clone();
                model.opt_timestep[0] = timestep;
                let options = SamplingOptions {
                    points: 6,
                    candidates: 2,
                    interpolation,
                    ..SamplingOptions::new(steps, Update::Best)
                };
                let mut planner = sampling(&model, options);
                planner.set_controls(0.0, &knots).unwrap();
                let (objective, start) = (Objective::of_model(&plant).unwrap(), State::initial(&plant, None));
                let batch = BatchOptions::on(Backend::Cpu);
                let mut motion = ClosedLoop::new(&plant, &objective, &start, &batch).unwrap();
                let options = LoopOptions {
                    lag: Lag::Simulated(0.0),
                    iterations: 0,
                    ..LoopOptions::new(0.5, 0.01 * f64::from(every))
                };
                let record = motion.run(&mut planner, &options, &mut |_| ControlFlow::Continue(())).unwrap();
                assert_eq!(record.steps, 50);
                for (k, u) in record.fields["ctrl"].iter().enumerate() {
                    let t = 0.01 * k as f64;
                    if (from - 1e-9..to - 1e-9).contains(&t) {
                        let what = format!("{interpolation:?}, every {every} steps, {t} s");
                        assert!((u - law(t)).abs() < 1e-6, "{what}: {u}, not {}", law(t));
                    }
                }
            }
        }
    }
    let options = SamplingOptions::new(50, Update::Best);
    let said = sampling(&plant, options).set_controls(0.0, &[1.0; 5]).unwrap_err().to_string();
    assert!(said.contains("a plan has 6 controls, all finite; 5 are given"), "{said}");
}

#[test]
fn the_cost_after_an_iteration_is_that_of_the_plan_in_force() {
    // 3/2 (u − 7)² at every step, and at the end under the last control
    let model = rail("ctrl - 7");
    let start = State::initial(&model, None);
    for backend in [Backend::Cpu, Backend::Gpu] {
        for update in [
            Update::Best,
            Update::Weighted { temperature: 1e3 },
            Update::Elites { count: 6, least_spread: 0.01 },
        ] {
            let options = SamplingOptions {
                batch: BatchOptions::on(backend),
                interpolation: Interpolation::Linear,
                ..SamplingOptions::new(20, update)
            };
            let mut planner = sampling(&model, options);
            for iteration in 0..4 {
                let done = planner.improve(&start).unwrap();
                let control = |k: i32| {
                    let mut u = [0.0];
                    planner.policy().open_loop(0.01 * f64::from(k), &mut u);
                    u[0]
                };
                let cost = |k: i32| 1.5 * (control(k) - 7.0).powi(2);
                let sum = (0..20).map(cost).sum::<f64>() + cost(19);
                let what = format!("{backend:?} {update:?} {iteration}: {} {}", done.after, sum);
                assert!((done.after - sum).abs() < 1e-5 * sum, "{what}");
                assert!(done.notice.is_none() && done.step == 1.0, "{done:?}");
            }
        }
    }
}

#[test]
fn a_mean_between_two_ways_gives_way_to_the_best_candidate() {
    // no number within half a newton of none: what is drawn goes one way or the other
    let model = rail("sqrt(ctrl * ctrl - 0.25)");
    let start = State::initial(&model, None);
    for update in [Update::Weighted { temperature: 1e9 }, Update::Elites { count: 8, least_spread: 0.01 }] {
        let options = SamplingOptions {
            points: 2,
            interpolation: Interpolation::Zero,
            spread: 0.02,
            ..SamplingOptions::new(10, update)
        };
        let mut planner = sampling(&model, options);
        let done = planner.improve(&start).unwrap();
        let u = planner.policy().controls[0];
        assert!(done.before.is_infinite() && u.abs() > 0.5, "{update:?}: {u}, {done:?}");
        // 11 times 3/2 (u² − 1/4)
        assert!((done.after - 16.5 * (u * u - 0.25)).abs() < 1e-9 * done.after, "{update:?}: {u}, {done:?}");
        assert!(done.notice.is_some_and(|text| text.contains("the best of them is in force")));
    }
}

#[test]
fn after_its_end_a_plan_feeds_nothing_back() {
    let model = rail("qpos - 1 + 0.1 * ctrl");
    let objective = Objective::of_model(&model).unwrap();
    let mut planner = Ilqg::new(&model, &objective, IlqgOptions::new(20)).unwrap();
    planner.improve(&State::initial(&model, None)).unwrap();
    let policy = planner.policy();
    let control = |time: f64, q: f64| {
        let mut u = [0.0];
        policy.control(&model, time, &[q], &[3.0], &[], &mut u);
        u[0]
    };
    let last = *policy.controls.last().unwrap();
    // twenty steps of 0.01 s
    assert!((control(0.195, 0.4) - control(0.195, 0.5)).abs() > 0.01);
    for time in [0.2, 0.2 - 1e-10, 0.25, 7.0, f64::INFINITY] {
        assert_eq!([control(time, 0.4), control(time, -5.0)], [last, last], "{time}");
    }
}
