//! Integrators, inverse dynamics, activations and derivatives, without an oracle.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

use manyworlds::analysis::derivatives::{Derivatives, DifferenceOptions, Inverse, Knots, Method};
use manyworlds::batch::{Backend, Batch, BatchOptions, probe};
use manyworlds::cpu;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::enums::enable;
use manyworlds::{load as load_file, load_str};

fn model(name: &str) -> Model {
    load_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name)).unwrap()
}

fn world(model: &Model) -> Data {
    Data::new(model, probe(model))
}

/// A reproducible number in [-1, 1].
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Frictionless links on hinges, each about another axis than the one before.
fn chain(links: usize, option: &str) -> Model {
    let mut text = String::new();
    for i in 0..links {
        let axis = if i % 2 == 0 { "0 1 0" } else { "1 0 0" };
        text += &format!(
            "<body pos='0 0 {}'><joint axis='{axis}'/><geom type='capsule' fromto='0 0 0 0 0 -.2' size='.02'/>",
            if i == 0 { 0.0 } else { -0.2 }
        );
    }
    text += &"</body>".repeat(links);
    load_str(&format!(
        "<mujoco><option {option}><flag contact='disable' energy='enable'/></option><worldbody>{text}</worldbody></mujoco>"
    ))
    .unwrap()
}

#[test]
fn runge_kutta_keeps_the_energy_of_a_chain() {
    let m = chain(10, "integrator='RK4' timestep='0.001'");
    let mut d = world(&m);
    d.qpos.iter_mut().enumerate().for_each(|(i, q)| *q = 0.3 * (i as f64 + 1.0).sin());
    let total = |d: &mut Data| {
        cpu::forward(&m, d);
        d.energy[0] + d.energy[1]
    };
    let before = total(&mut d);
    let mut moved: f64 = 0.0;
    for _ in 0..10_000 {
        cpu::step(&m, &mut d);
        moved = moved.max(d.energy[1]);
    }
    let drift = (total(&mut d) - before).abs();
    assert!(moved > 0.5, "it hardly moves: {moved} J");
    assert!(drift < 1e-6, "{drift} J");
    assert!((d.time[0] - 10.0).abs() < 1e-9);
}

#[test]
fn runge_kutta_is_of_fourth_order() {
    let end = |h: f64| {
        let m = chain(3, &format!("integrator='RK4' timestep='{h}'"));
        let mut d = world(&m);
        d.qpos.copy_from_slice(&[0.5, -0.8, 1.1]);
        for _ in 0..(0.4 / h).round() as usize {
            cpu::step(&m, &mut d);
        }
        d.qpos
    };
    let exact = end(0.0005);
    let error = |h: f64| norm(&end(h).iter().zip(&exact).map(|(a, b)| a - b).collect::<Vec<_>>());
    let order = (error(0.02) / error(0.01)).log2();
    assert!((3.5..4.6).contains(&order), "{order}");
}

#[test]
fn inverse_dynamics_returns_the_applied_force() {
    // exact without constraints; with them, up to the residual of the solver
    for (m, tolerance) in [(chain(6, ""), 1e-9), (model("humanoid.xml"), 1e-6), (model("pile.xml"), 1e-6)] {
        let mut m = m;
        (m.opt_tolerance[0], m.opt_iterations[0]) = (0.0, 100);
        m.opt_enableflags[0] |= enable::FWDINV;
        let mut d = world(&m);
        let mut seed = 7;
        for step in 0..60 {
            d.ctrl.iter_mut().for_each(|x| *x = 0.5 * noise(&mut seed));
            d.qfrc_applied.iter_mut().for_each(|x| *x = noise(&mut seed));
            d.xfrc_applied[6..].iter_mut().for_each(|x| *x = noise(&mut seed));
            cpu::step(&m, &mut d);
            if step % 10 != 9 {
                continue;
            }
            let mut other = d.clone();
            cpu::forward(&m, &mut other);
            let constraint = other.qfrc_constraint.clone();
            let forces = other.efc_force.clone();
            cpu::solver::fwdinv::fwdinv(&m, &mut other);
            assert!(forces == other.efc_force && constraint == other.qfrc_constraint);
            cpu::inverse(&m, &mut other);
            // the remaining force is the applied one, wrenches on bodies included
            let scale = 1.0 + norm(&other.qfrc_inverse);
            assert!(other.solver_fwdinv[1] < tolerance * scale, "{:?} of {scale}", other.solver_fwdinv);
            let off: Vec<f64> = constraint.iter().zip(&other.qfrc_constraint).map(|(a, b)| a - b).collect();
            assert!(norm(&off) < tolerance * scale, "{}", norm(&off));
            assert!(other.solver_fwdinv[0] < tolerance * scale);
        }
    }
}

#[test]
fn discrete_inverse_dynamics_undoes_a_step() {
    for integrator in ["Euler", "implicit", "implicitfast"] {
        let text = format!(
            "<mujoco><option timestep='0.01' integrator='{integrator}' density='2'>
            <flag invdiscrete='enable' contact='disable'/></option><worldbody>
            <body><joint axis='0 1 0' damping='3' stiffness='2'/><geom size='.1' pos='0 0 -.5'/>
            <body pos='0 0 -1'><joint type='ball' damping='1'/><geom type='box' size='.1 .2 .3' pos='0 0 -.4'/></body></body>
            <body pos='3 0 0'><freejoint/><geom type='box' size='.1 .2 .3'/></body>
            </worldbody></mujoco>"
        );
        let m = load_str(&text).unwrap();
        let mut d = Data::new(&m, Capacity::NONE);
        let mut seed = 5;
        d.qvel.iter_mut().for_each(|x| *x = 4.0 * noise(&mut seed));
        d.qfrc_applied.iter_mut().for_each(|x| *x = noise(&mut seed));
        d.qpos[0] = 0.4;
        let start = d.clone();
        cpu::step(&m, &mut d);
        let mut back = start.clone();
        for i in 0..m.sizes.nv {
            back.qacc[i] = (d.qvel[i] - start.qvel[i]) / 0.01;
        }
        cpu::inverse(&m, &mut back);
        let off: Vec<f64> = back.qfrc_inverse.iter().zip(&start.qfrc_applied).map(|(a, b)| a - b).collect();
        assert!(norm(&off) < 1e-9, "{integrator}: {off:?}");
    }
}

#[test]
fn filters_follow_their_closed_forms() {
    let text = "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><joint name='j'/><geom size='.1'/></body>
        </worldbody><actuator><general joint='j' dyntype='filterexact' dynprm='0.2'/>
        <general joint='j' dyntype='filter' dynprm='0.2'/><general joint='j' dyntype='integrator'/></actuator></mujoco>";
    let m = load_str(text).unwrap();
    let mut d = Data::new(&m, Capacity::NONE);
    d.ctrl.fill(1.0);
    for _ in 0..50 {
        cpu::step(&m, &mut d);
    }
    let exact = 1.0 - (-0.5_f64 / 0.2).exp();
    assert!((d.act[0] - exact).abs() < 1e-12);
    // each Euler step multiplies the remainder by 1 - h / tau
    assert!((d.act[1] - (1.0 - 0.95_f64.powi(50))).abs() < 1e-12);
    assert!((d.act[2] - 0.5).abs() < 1e-12);
}

/// States of a model along a motion, with their accelerations.
fn knots(m: &Model, count: usize) -> Knots {
    let mut d = world(m);
    let mut fields: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut seed = 3;
    for _ in 0..count {
        d.ctrl.iter_mut().for_each(|x| *x = 0.3 * noise(&mut seed));
        for _ in 0..20 {
            cpu::step(m, &mut d);
        }
        let mut now = d.clone();
        cpu::forward(m, &mut now);
        let all = [("qpos", &d.qpos), ("qvel", &d.qvel), ("ctrl", &d.ctrl), ("qacc", &now.qacc)];
        for (name, values) in all {
            fields.entry(name.to_owned()).or_default().extend(values);
        }
    }
    Knots { count, fields }
}

fn without_acceleration(knots: &Knots) -> Knots {
    let mut knots = knots.clone();
    knots.fields.remove("qacc");
    knots
}

/// Both methods on the CPU, with what they reach.
fn methods(of_differences: f64) -> [(Method, f64); 2] {
    [(Method::Exact, 1e-14), (DifferenceOptions::best(Backend::Cpu).into(), of_differences)]
}

#[test]
fn derivatives_of_a_linear_system_are_its_matrices() {
    // a mass on a spring and a damper: v' = (k x + b v) with k = -h s / m, b = 1 - h c / (m + h c)
    let text =
        "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><joint name='j' type='slide'
        stiffness='20' damping='3'/><geom size='.1' mass='2'/></body></worldbody>
        <actuator><motor joint='j' gear='4'/></actuator></mujoco>";
    let m = load_str(text).unwrap();
    let fields = [("qpos", vec![0.3]), ("qvel", vec![-1.0]), ("ctrl", vec![0.2])];
    let knots = Knots { count: 1, fields: fields.map(|(n, v)| (n.to_owned(), v)).into() };
    let (h, mass) = (0.01, 2.0 + 0.01 * 3.0);
    let by_x = -h * 20.0 / mass;
    let by_v = 1.0 - h * 3.0 / mass;
    let a = [1.0 + h * by_x, h * by_v, by_x, by_v];
    let b = [h * h * 4.0 / mass, h * 4.0 / mass];
    for (method, tolerance) in methods(1e-9) {
        let mut derivatives = Derivatives::new(&m, 1, method, &BatchOptions::on(Backend::Cpu)).unwrap();
        let found = derivatives.transition(&knots).unwrap();
        let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < tolerance);
        assert!(near(&found.A, &a) && near(&found.B, &b), "{found:?}");
    }
}

#[test]
fn derivatives_by_the_acceleration_are_the_inertia() {
    let m = chain(5, "");
    let knots = knots(&m, 2);
    let mut d = world(&m);
    d.qpos.copy_from_slice(&knots.fields["qpos"][..5]);
    cpu::forward(&m, &mut d);
    for (method, tolerance) in methods(1e-8) {
        let mut derivatives = Derivatives::new(&m, 2, method, &BatchOptions::on(Backend::Cpu)).unwrap();
        let Inverse { by_qacc, .. } = derivatives.inverse(&knots).unwrap();
        for column in 0..5 {
            let mut unit = vec![0.0; 5];
            unit[column] = 1.0;
            let mut product = vec![0.0; 5];
            cpu::smooth::factor_m::mul_m(&m, &d.M, &unit, &mut product);
            for row in 0..5 {
                assert!((by_qacc[5 * row + column] - product[row]).abs() < tolerance);
            }
        }
    }
}

#[test]
fn both_backends_take_the_same_derivatives() {
    let m = model("cartpole.xml");
    let knots = knots(&m, 3);
    let options = DifferenceOptions { eps: 1e-2, centred: true };
    let take = |backend: Backend| {
        let mut d = Derivatives::new(&m, 2, options, &BatchOptions::on(backend)).unwrap();
        (d.transition(&without_acceleration(&knots)).unwrap(), d.inverse(&knots).unwrap())
    };
    let (cpu, gpu) = (take(Backend::Cpu), take(Backend::Gpu));
    let near = |x: &[f64], y: &[f64]| {
        let most = y.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-3 * most)
    };
    assert!(near(&gpu.0.A, &cpu.0.A) && near(&gpu.0.B, &cpu.0.B));
    assert!(near(&gpu.1.by_qpos, &cpu.1.by_qpos) && near(&gpu.1.by_qvel, &cpu.1.by_qvel));
    assert!(near(&gpu.1.by_qacc, &cpu.1.by_qacc));
}

#[test]
fn controls_at_their_limits_have_derivatives_from_inside() {
    let text = "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='0 0 -.5'/></body></worldbody>
        <actuator><motor joint='j' ctrlrange='-1 1'/></actuator></mujoco>";
    let m = load_str(text).unwrap();
    for (method, tolerance) in methods(1e-8) {
        let mut derivatives = Derivatives::new(&m, 1, method, &BatchOptions::on(Backend::Cpu)).unwrap();
        let mut at = |ctrl: f64| {
            let knots = Knots { count: 1, fields: [("ctrl".to_owned(), vec![ctrl])].into() };
            derivatives.transition(&knots).unwrap().B[1]
        };
        let (inside, low, high) = (at(0.0), at(-1.0), at(1.0));
        assert!(
            (low - inside).abs() < tolerance && (high - inside).abs() < tolerance,
            "{inside} {low} {high}"
        );
        assert_eq!(at(2.0), 0.0);
    }
}

#[test]
fn what_has_no_derivative_is_refused() {
    let m = model("cartpole.xml");
    let options = DifferenceOptions::best(Backend::Cpu);
    let batch = BatchOptions::on(Backend::Cpu);
    assert!(Derivatives::new(&m, 0, options, &batch).is_err());
    assert!(Derivatives::new(&m, 1, DifferenceOptions { eps: 0.0, ..options }, &batch).is_err());
    for (method, _) in methods(0.0) {
        let mut derivatives = Derivatives::new(&m, 1, method, &batch).unwrap();
        let mut refused = |name: &str, values: Vec<f64>| {
            let knots = Knots { count: 1, fields: [(name.to_owned(), values)].into() };
            derivatives.transition(&knots).unwrap_err().to_string()
        };
        assert!(refused("qpos", vec![0.0]).contains("need 2 numbers"));
        assert!(refused("qvel", vec![f64::NAN, 0.0]).contains("finite"));
        assert!(refused("xpos", vec![0.0]).contains("no field of the state"));
        assert!(refused("qvel", vec![1e9, 1e11]).contains("diverges"));
    }
}

#[test]
fn inverse_dynamics_on_the_gpu_agrees() {
    // contact stiffness amplifies the rounding error of an acceleration
    for (m, tolerance) in [(chain(6, ""), 1e-4), (model("humanoid.xml"), 2e-2)] {
        let knots = knots(&m, 4);
        let take = |backend: Backend| {
            let mut batch = Batch::new(&m, 4, &BatchOptions::on(backend)).unwrap();
            for (name, values) in &knots.fields {
                batch.set(name, .., values).unwrap();
            }
            batch.inverse().unwrap();
            batch.get("qfrc_inverse", ..).unwrap().data.to_f64()
        };
        let (cpu, gpu) = (take(Backend::Cpu), take(Backend::Gpu));
        let most = cpu.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        let worst = cpu.iter().zip(&gpu).fold(0.0_f64, |w, (a, b)| w.max((a - b).abs()));
        assert!(worst < tolerance * most, "{worst} of {most}");
    }
}
