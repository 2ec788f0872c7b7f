//! Exact derivatives against closed forms, along rollouts, and in their bits. Against differences of whole steps, with every
//! integrator and feature: `tests/derivatives.rs`; of every model: `tests/parity/exact.py`.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

use manyworlds::analysis::derivatives::{Derivatives, Knots, Method, Transition};
use manyworlds::batch::{Backend, BatchOptions, max_capacity};
use manyworlds::cpu::math::{Mat3, Quat, Vec3, axis_angle_quat, length, quat_to_mat, skew, transpose};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::{cpu, load_str};

fn transition(model: &Model, knots: &Knots) -> Transition {
    Derivatives::new(model, knots.count, Method::Exact, &BatchOptions::on(Backend::Cpu))
        .unwrap()
        .transition(knots)
        .unwrap()
}

fn knots(count: usize, fields: &[(&str, Vec<f64>)]) -> Knots {
    Knots { count, fields: fields.iter().map(|(name, v)| ((*name).to_owned(), v.clone())).collect() }
}

fn own_model(name: &str) -> Model {
    manyworlds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name)).unwrap()
}

#[test]
fn a_spinning_body_has_the_derivatives_of_eulers_equations() {
    let text = "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><freejoint/>
        <geom type='box' size='.1 .2 .3' mass='1'/></body></worldbody></mujoco>";
    let model = load_str(text).unwrap();
    let (h, spin) = (0.01, Vec3([1.0, -2.0, 0.5]));
    let turned = Quat([0.8, 0.0, 0.6, 0.0]);
    let qvel = [vec![0.3, 0.0, -0.2], spin.0.to_vec()].concat();
    let qpos = [vec![0.0; 3], turned.0.to_vec()].concat();
    let found = transition(&model, &knots(1, &[("qpos", qpos), ("qvel", qvel)]));
    // moments of a box of 0.2 x 0.4 x 0.6 m: m (a² + b²) / 12
    let moments = [0.52, 0.40, 0.20].map(|sum| sum / 12.0);
    let scaled = |v: Vec3<f64>| Vec3(std::array::from_fn(|i| moments[i] * v[i]));
    // I dω'/dω = I - h ([ω]× I - [Iω]×)
    let (spin_cross, momentum_cross) = (skew(spin), skew(scaled(spin)));
    let by_spin = |i: usize, j: usize| {
        let torque = spin_cross[3 * i + j] * moments[j] - momentum_cross[3 * i + j];
        f64::from(u8::from(i == j)) - h * torque / moments[i]
    };
    let torque = spin_cross * scaled(spin);
    let next = Vec3(std::array::from_fn(|i| spin[i] - h * torque[i] / moments[i]));
    let angle = h * length(next);
    // a turn before the step is one in the frame after it
    let back: Mat3<f64> = transpose(quat_to_mat(axis_angle_quat(next / length(next), angle)));
    for i in 0..3 {
        for j in 0..3 {
            let entry = |row: usize, column: usize| found.A[12 * row + column];
            assert!((entry(9 + i, 9 + j) - by_spin(i, j)).abs() < 1e-14, "velocity {i} {j}");
            assert!((entry(3 + i, 3 + j) - back[3 * i + j]).abs() < 1e-14, "turn {i} {j}");
            assert!((entry(i, 6 + j) - if i == j { h } else { 0.0 }).abs() < 1e-15, "place {i} {j}");
            assert!(entry(9 + i, 3 + j).abs() < 1e-14, "a turn of a body that nothing holds {i} {j}");
        }
    }
    assert_eq!(found.one_sided, [false]);
}

#[test]
fn a_body_at_rest_turns_as_its_velocity_says() {
    // neither the axis of no rotation nor the direction of no velocity has a derivative, but the step has
    let text = "<mujoco><option timestep='0.01' gravity='0 0 0' density='1.2' viscosity='1e-5'/><worldbody>
        <body><joint type='ball' stiffness='2'/><geom type='box' size='.1 .2 .3' mass='3'/></body></worldbody></mujoco>";
    let model = load_str(text).unwrap();
    let found = transition(&model, &knots(1, &[("qvel", vec![0.0; 3])]));
    let moments = [0.52, 0.40, 0.20].map(|sum| 3.0 * sum / 12.0);
    for i in 0..3 {
        for j in 0..3 {
            let same = f64::from(u8::from(i == j));
            let by_turn = -0.01 * 2.0 / moments[i] * same;
            assert!((found.A[6 * (3 + i) + j] - by_turn).abs() < 1e-14, "{i} {j}: {:?}", found.A);
            assert!((found.A[6 * i + j] - same * (1.0 + 0.01 * by_turn)).abs() < 1e-14, "{i} {j}");
            // but for the viscosity of air
            assert!((found.A[6 * i + 3 + j] - same * 0.01).abs() < 1e-7, "{i} {j}");
        }
    }
}

#[test]
fn the_gradient_of_the_potential_energy_is_the_force() {
    let text = "<mujoco><option gravity='0 0 -9.81'/><worldbody>
        <body name='a' pos='0 0 1'><joint name='h' axis='0 1 0' stiffness='3' springref='20'/><geom size='.1' pos='.2 0 0'/>
          <body pos='.4 0 0'><joint type='ball' stiffness='2 1'/><geom size='.05' pos='.1 0 .1'/><site name='s' pos='.2 0 .1'/></body></body>
        <body pos='1 0 1'><joint type='free' stiffness='5'/><geom size='.1 .2 .1' type='box'/><site name='t' pos='.1 .1 0'/></body>
        </worldbody><tendon><spatial stiffness='4' springlength='.2'><site site='s'/><site site='t'/></spatial></tendon>
        <sensor><e_potential/></sensor></mujoco>";
    let model = load_str(text).unwrap();
    let mut data = Data::new(&model, Capacity::NONE);
    let turn = |v: Vec3<f64>| axis_angle_quat(v / length(v), length(v));
    data.qpos[0] = 0.7;
    data.qpos[1..5].copy_from_slice(&turn(Vec3([0.3, -0.5, 0.2])).0);
    data.qpos[5..8].copy_from_slice(&[1.2, -0.3, 0.9]);
    data.qpos[8..12].copy_from_slice(&turn(Vec3([-0.4, 0.1, 0.6])).0);
    let found = transition(&model, &knots(1, &[("qpos", data.qpos.clone())]));
    cpu::forward(&model, &mut data);
    for i in 0..model.sizes.nv {
        let force = data.qfrc_passive[i] - data.qfrc_bias[i];
        assert!((found.C[i] + force).abs() < 1e-12, "degree of freedom {i}: {} and {force}", found.C[i]);
    }
}

/// Positions moved along a direction.
fn moved(model: &Model, qpos: &[f64], along: &[f64], by: f64) -> Vec<f64> {
    let mut world = Data::new(model, Capacity::NONE);
    world.qpos.copy_from_slice(qpos);
    world.qvel.copy_from_slice(along);
    cpu::integrate::advance::integrate_pos(model, &mut world, by);
    world.qpos
}

#[test]
fn products_along_a_rollout_are_the_derivative_of_its_end() {
    for (name, steps) in [("hopper.xml", 100), ("humanoid.xml", 100), ("cartpole.xml", 100)] {
        let mut model = own_model(name);
        model.opt_tolerance[0] = 0.0;
        let (nv, n) = (model.sizes.nv, 2 * model.sizes.nv + model.sizes.na);
        let control = |step: usize, i: usize| 0.3 * (0.37 * step as f64 + 1.9 * i as f64).sin();
        let start = |data: &mut Data| {
            data.capacity_limit = max_capacity(&model);
            data.reset(&model, (model.sizes.nkey > 0).then_some(0));
        };
        let mut data = Data::new(&model, Capacity::NONE);
        start(&mut data);
        let first = data.qpos.clone();
        // the states, one after the other
        let mut fields: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for step in 0..steps {
            (0..model.sizes.nu).for_each(|i| data.ctrl[i] = control(step, i));
            for field in ["qpos", "qvel", "act", "ctrl", "qacc_warmstart"] {
                fields.entry(field.to_owned()).or_default().extend(data.get(field).unwrap().to_f64());
            }
            cpu::step(&model, &mut data);
        }
        let found = transition(&model, &Knots { count: steps, fields });
        let direction: Vec<f64> = (0..n).map(|i| (1.3 * i as f64 + 0.4).sin() / (n as f64).sqrt()).collect();
        let mut product = direction.clone();
        for a in found.A.chunks(n * n) {
            product = a.chunks(n).map(|row| row.iter().zip(&product).map(|(a, x)| a * x).sum()).collect();
        }
        let end = |by: f64| {
            let mut data = Data::new(&model, Capacity::NONE);
            start(&mut data);
            data.qpos.copy_from_slice(&moved(&model, &first, &direction[..nv], by));
            data.qvel.iter_mut().zip(&direction[nv..]).for_each(|(v, x)| *v += by * x);
            data.act.iter_mut().zip(&direction[2 * nv..]).for_each(|(v, x)| *v += by * x);
            for step in 0..steps {
                (0..model.sizes.nu).for_each(|i| data.ctrl[i] = control(step, i));
                cpu::step(&model, &mut data);
            }
            (data.qpos, [data.qvel, data.act].concat())
        };
        let eps = 1e-7;
        let (plus, minus) = (end(eps), end(-eps));
        let mut change = vec![0.0; nv];
        cpu::integrate::advance::differentiate_pos(&model, &minus.0, &plus.0, &mut change);
        change.extend(plus.1.iter().zip(&minus.1).map(|(a, b)| a - b));
        let most = product.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (i, (change, product)) in change.iter().zip(&product).enumerate() {
            let off = (change / (2.0 * eps) - product).abs() / most;
            assert!(off < 1e-5, "{name}, element {i}: {} and {product}", change / (2.0 * eps));
        }
    }
}

#[test]
fn knots_have_the_same_bits_wherever_they_stand() {
    let model = own_model("humanoid.xml");
    let mut data = Data::new(&model, max_capacity(&model));
    data.reset(&model, (model.sizes.nkey > 0).then_some(0));
    let mut all = Vec::new();
    for _ in 0..9 {
        (0..7).for_each(|_| cpu::step(&model, &mut data));
        all.push((data.qpos.clone(), data.qvel.clone()));
    }
    let of = |some: &[usize]| {
        let qpos = some.iter().flat_map(|k| all[*k].0.clone()).collect();
        let qvel = some.iter().flat_map(|k| all[*k].1.clone()).collect();
        transition(&model, &knots(some.len(), &[("qpos", qpos), ("qvel", qvel)]))
    };
    let together = of(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(together, of(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    let each = together.A.len() / 9;
    for k in [8, 3] {
        let alone = of(&[k]);
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&alone.A), bits(&together.A[k * each..(k + 1) * each]));
    }
}

#[test]
fn corners_are_flagged_and_have_the_side_on_which_the_state_is() {
    let text = "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' limited='true'
        range='-1 1'/><geom size='.1' mass='2'/></body></worldbody>
        <actuator><motor joint='j' ctrlrange='-1 1'/></actuator></mujoco>";
    let model = load_str(text).unwrap();
    let at = |qpos: f64, ctrl: f64| {
        let found = transition(&model, &knots(1, &[("qpos", vec![qpos]), ("ctrl", vec![ctrl])]));
        (found.one_sided[0], found.A[2], found.B[1])
    };
    let inside = at(0.3, 0.5);
    assert_eq!(inside, (false, 0.0, 0.01 / 2.0));
    // at the end of its range the limit does not push yet, and beyond it does
    assert_eq!(at(1.0, 0.5), (true, 0.0, 0.01 / 2.0));
    let beyond = at(1.01, 0.5);
    assert!(!beyond.0 && beyond.1 < -0.1, "{beyond:?}");
    // a control at its end, and one that is clamped
    assert_eq!(at(0.3, 1.0), (true, 0.0, 0.01 / 2.0));
    assert_eq!(at(0.3, 1.5), (false, 0.0, 0.0));
}
