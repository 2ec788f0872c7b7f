//! The simplified contact model, solver Smooth: its closed form against explicit matrices, what bodies do under it, and
//! both backends alike. A missing GPU adapter is a failure here, never a skip.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

use manyworlds::analysis::derivatives::{Derivatives, DifferenceOptions, Knots};
use manyworlds::batch::{Backend, Batch, BatchOptions, max_capacity};
use manyworlds::error::Error;
use manyworlds::gpu::{KernelOptions, Partition, WorkingSetSpace};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::{constraint, enable, solver};
use manyworlds::spec::Spec;
use manyworlds::{cpu, load_str};
use manyworlds_control::planning::settings::Settings;

/// Rows of every kind: equalities, dry friction of a joint and a tendon, limits, and contacts of 1, 3, 4 and 6 dimensions.
const EVERYTHING: &str = "<mujoco><option timestep='.008' solver='Smooth' smooth='0.4 0.3' density='2'/><worldbody>
  <geom type='plane' size='5 5 1' condim='1' friction='.7 .02 .01'/>
  <body pos='0 0 .5'><joint name='a' axis='0 1 0' range='-10 60' limited='true' frictionloss='.3' margin='.1'/>
    <geom type='capsule' size='.04' fromto='0 0 0 .3 0 -.05'/>
    <body pos='.3 0 -.05'><joint name='b' axis='0 1 0' range='-5 5' limited='true' frictionloss='.1'/>
      <geom type='capsule' size='.03' fromto='0 0 0 .25 0 -.38'/></body></body>
  <body pos='1 0 .099'><freejoint/><geom type='box' size='.1 .15 .1' condim='3' gap='.02'/></body>
  <body pos='2 0 .098'><freejoint/><geom type='sphere' size='.1' condim='4' gap='.02'/></body>
  <body pos='3 0 .1'><freejoint/><geom type='sphere' size='.1' condim='6' gap='.02'/></body>
  <body pos='4 0 .11'><freejoint/><geom type='sphere' size='.1' condim='1' gap='.02'/></body>
  <body name='hung' pos='1 1 1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>
  <body pos='0 1 1'><joint name='c' axis='0 1 0'/><geom size='.05' pos='.2 0 0'/></body>
  <body pos='0 1.5 1'><joint name='d' axis='0 1 0'/><geom size='.05' pos='.2 0 0'/></body>
  </worldbody>
  <tendon><fixed name='t' frictionloss='.05' range='-.1 .02' limited='true'><joint joint='c' coef='.3'/><joint joint='d' coef='-.2'/></fixed></tendon>
  <equality><connect body1='hung' anchor='.1 .1 .1'/><joint joint1='c' joint2='d' polycoef='.05 1 0 0 0'/></equality></mujoco>";

/// A world in its initial state, with room for all contacts and rows.
fn world(m: &Model) -> Data {
    Data::new(m, max_capacity(m))
}

fn run(m: &Model, d: &mut Data, seconds: f64) {
    for _ in 0..(seconds / m.opt_timestep[0]).round() as usize {
        cpu::step(m, d);
    }
    assert_eq!(d.status[0], 0);
}

/// A world of some model, moving.
fn moving(m: &Model) -> Data {
    let mut d = world(m);
    d.qvel.iter_mut().enumerate().for_each(|(i, v)| *v = 0.5 * (1.3 * i as f64 + 0.4).sin());
    d
}

/// Inertia matrix, row by row.
fn dense_inertia(m: &Model, d: &Data) -> Vec<Vec<f64>> {
    let mut dense = vec![vec![0.0; m.sizes.nv]; m.sizes.nv];
    for i in 0..m.sizes.nv {
        let first = m.M_rowadr[i] as usize;
        for p in first..first + m.M_rownnz[i] as usize {
            let j = m.M_colind[p] as usize;
            dense[i][j] = d.M[p];
            dense[j][i] = d.M[p];
        }
    }
    dense
}

/// Solution of a linear system by elimination.
fn solved(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut a: Vec<Vec<f64>> = matrix.to_vec();
    let mut x = right.to_vec();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (x[k] - sum) / a[k][k];
    }
    x
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Forces of all rows as the paper has them, from explicit matrices.
fn reference_forces(m: &Model, d: &Data) -> Vec<f64> {
    let (nv, h, eta, beta) = (m.sizes.nv, m.opt_timestep[0], m.opt_smooth[0], m.opt_smooth[1]);
    let inertia = dense_inertia(m, d);
    let nefc = d.nefc[0] as usize;
    let rows = d.whole_rows();
    let jacobian = |r: usize| &rows[r * nv..(r + 1) * nv];
    let diagonals: Vec<f64> = (0..nefc).map(|r| dot(jacobian(r), &solved(&inertia, jacobian(r)))).collect();
    // a thousandth of what is typical
    let mut regularised: Vec<f64> = (0..nefc).map(|r| diagonals[r] + 1e-3 * d.efc_diagApprox[r]).collect();
    for con in 0..d.ncon[0] as usize {
        let Ok(first) = usize::try_from(d.contact_efc_address[con]) else { continue };
        for rows in [vec![1, 2], vec![3], vec![4, 5]] {
            if *rows.last().unwrap() < d.contact_dim[con] as usize {
                let sum: f64 = rows.iter().map(|k| diagonals[first + k]).sum();
                rows.iter().for_each(|k| regularised[first + k] = diagonals[first + k] + 1e-3 * sum);
            }
        }
    }
    let stopping: Vec<f64> = (0..nefc)
        .map(|r| {
            let jac = jacobian(r);
            // hinges do not move a point along their axes
            if diagonals[r] == 0.0 {
                return 0.0;
            }
            let next: Vec<f64> = (0..nv).map(|i| d.qvel[i] + h * d.qacc_smooth[i]).collect();
            -(d.efc_pos[r] / h + dot(jac, &next)) / regularised[r]
        })
        .collect();
    let smax = |x: f64| ((x * x + beta * beta).sqrt() + x) / 2.0;
    let (ne, nf) = (d.ne[0] as usize, d.nf[0] as usize);
    let mut impulse = vec![f64::NAN; nefc];
    for r in 0..nefc {
        let x = stopping[r];
        if r < ne {
            impulse[r] = eta * x;
        } else if r < ne + nf {
            let bound = h * d.efc_frictionloss[r];
            impulse[r] = x * bound / bound.hypot(x);
        } else if d.efc_type[r] != constraint::CONTACT_ELLIPTIC {
            impulse[r] = smax(eta * x);
        }
    }
    for con in 0..d.ncon[0] as usize {
        let Ok(first) = usize::try_from(d.contact_efc_address[con]) else { continue };
        let normal = smax(eta * stopping[first]);
        impulse[first] = normal;
        for rows in [vec![1, 2], vec![3], vec![4, 5]] {
            if *rows.last().unwrap() < d.contact_dim[con] as usize {
                let of = |k: usize| stopping[first + k] / d.contact_friction[5 * con + k - 1];
                let length = rows.iter().map(|&k| of(k).powi(2)).sum::<f64>().sqrt();
                for &k in &rows {
                    impulse[first + k] = stopping[first + k] * normal / normal.hypot(length);
                }
            }
        }
    }
    impulse.iter().map(|x| x / h).collect()
}

#[test]
fn forces_are_those_of_explicit_matrices() {
    let m = load_str(EVERYTHING).unwrap();
    let mut d = moving(&m);
    let mut kinds = BTreeMap::new();
    for step in 0..40 {
        cpu::forward(&m, &mut d);
        let nv = m.sizes.nv;
        let want = reference_forces(&m, &d);
        for (r, want) in want.iter().enumerate() {
            let got = d.efc_force[r];
            assert!((got - want).abs() < 1e-8 * (1.0 + want.abs()), "step {step} row {r}: {got} {want}");
            *kinds.entry((d.efc_type[r], d.contact_dim.get(d.efc_id[r] as usize).copied())).or_insert(0) += 1;
        }
        // what follows from them
        let rows = d.whole_rows();
        let force: Vec<f64> = (0..nv)
            .map(|i| want.iter().enumerate().map(|(r, f)| f * rows[r * nv + i]).sum::<f64>())
            .collect();
        let change = solved(&dense_inertia(&m, &d), &force);
        for i in 0..nv {
            assert!((d.qfrc_constraint[i] - force[i]).abs() < 1e-7 * (1.0 + force[i].abs()), "{step} {i}");
            let acceleration = d.qacc_smooth[i] + change[i];
            assert!((d.qacc[i] - acceleration).abs() < 1e-6 * (1.0 + acceleration.abs()), "{step} {i}");
        }
        assert_eq!(d.solver_niter[0], 1);
        cpu::step(&m, &mut d);
    }
    // every kind of row was there
    let types: Vec<i32> = kinds.keys().map(|k| k.0).collect();
    for kind in [
        constraint::EQUALITY,
        constraint::FRICTION_DOF,
        constraint::FRICTION_TENDON,
        constraint::LIMIT_JOINT,
        constraint::LIMIT_TENDON,
        constraint::CONTACT_FRICTIONLESS,
    ] {
        assert!(types.contains(&kind), "no row of kind {kind}: {kinds:?}");
    }
    for dim in [3, 4, 6] {
        assert!(
            kinds.contains_key(&(constraint::CONTACT_ELLIPTIC, Some(dim))),
            "no contact of {dim}: {kinds:?}"
        );
    }
}

#[test]
fn friction_never_leaves_its_cone() {
    let m = load_str(EVERYTHING).unwrap();
    let mut d = moving(&m);
    let mut met = 0;
    for _ in 0..200 {
        cpu::step(&m, &mut d);
        for con in 0..d.ncon[0] as usize {
            let Ok(first) = usize::try_from(d.contact_efc_address[con]) else { continue };
            let dim = d.contact_dim[con] as usize;
            let force = &d.efc_force[first..first + dim];
            assert!(force[0] > 0.0, "{force:?}");
            let scaled = |k: usize| force[k] / d.contact_friction[5 * con + k - 1];
            for rows in [1..3, 3..4, 4..6].into_iter().filter(|rows| rows.end <= dim) {
                let length = rows.map(|k| scaled(k).powi(2)).sum::<f64>().sqrt();
                assert!(length < force[0] * (1.0 + 1e-12), "{force:?}");
                met += 1;
            }
        }
    }
    assert!(met > 500, "{met}");
}

/// A ball of 1 kg above a plane; the impulse of its weight in a step is 0.0196 N s.
fn ball(option: &str) -> Model {
    load_str(&format!(
        "<mujoco><option timestep='.002' {option}/><worldbody><geom type='plane' size='5 5 1' gap='.05'/>\
         <body pos='0 0 .3'><freejoint/><geom size='.1' mass='1'/></body></worldbody></mujoco>"
    ))
    .unwrap()
}

#[test]
fn a_ball_comes_to_rest_on_a_plane_where_the_contact_carries_it() {
    for (eta, beta) in [(0.5, 0.01), (0.2, 0.02), (0.7, 0.05)] {
        let m = ball(&format!("solver='Smooth' smooth='{eta} {beta}'"));
        let mut d = world(&m);
        run(&m, &mut d, 3.0);
        assert!(d.qvel.iter().all(|v| v.abs() < 1e-9), "{:?}", d.qvel);
        // smax(x) = weight: x = weight - β²/(4 weight), and A is 1/kg and its regulariser; without forces it falls h g
        let (h, weight) = (0.002, 9.81 * 0.002);
        let x = weight - beta * beta / (4.0 * weight);
        let distance = h * (weight - 1.001 * x / eta);
        let got = d.qpos[2] - 0.1;
        assert!((got - distance).abs() < 1e-9, "{eta} {beta}: {got} {distance}");
    }
}

/// A box with friction 0.5 on a plane; gravity is tilted from the plane's normal by an angle in degrees.
fn slope(option: &str, angle: f64) -> Model {
    let (sin, cos) = angle.to_radians().sin_cos();
    load_str(&format!(
        "<mujoco><option gravity='{} 0 {}' solver='Smooth' smooth='.4 .005' {option}/>\
         <worldbody><geom type='plane' size='50 50 1' friction='.5'/>\
         <body pos='0 0 .05'><freejoint/><geom type='box' size='.2 .2 .05' mass='1' friction='.5' gap='.01'/></body>\
         </worldbody></mujoco>",
        9.81 * sin,
        -9.81 * cos
    ))
    .unwrap()
}

/// Speed after two seconds on a slope.
fn speed_on_slope(angle: f64) -> f64 {
    let m = slope("", angle);
    let mut d = world(&m);
    run(&m, &mut d, 2.0);
    d.qvel[0]
}

#[test]
fn a_box_sticks_below_the_angle_of_friction_and_slides_above_it() {
    let limit = 0.5f64.atan().to_degrees();
    for angle in [2.0, 10.0, limit - 4.0] {
        let speed = speed_on_slope(angle);
        // smooth friction creeps: it needs some sliding for any force
        assert!((0.0..0.03).contains(&speed), "{angle}: {speed}");
    }
    for angle in [limit + 5.0, limit + 15.0] {
        let (sin, cos) = angle.to_radians().sin_cos();
        let free = 2.0 * 9.81 * (sin - 0.5 * cos);
        let speed = speed_on_slope(angle);
        assert!((speed - free).abs() < 0.1 * free, "{angle}: {speed} of {free}");
    }
    // and between the two there is no jump
    let speeds: Vec<f64> = (0..=40).map(|k| speed_on_slope(limit - 2.0 + 0.1 * f64::from(k))).collect();
    let rise = speeds[40] - speeds[0];
    for pair in speeds.windows(2) {
        assert!(pair[1] > pair[0] && pair[1] - pair[0] < 0.1 * rise, "{speeds:?}");
    }
}

#[test]
fn a_pyramidal_cone_is_taken_for_an_elliptic_one() {
    let [pyramidal, elliptic] = ["cone='pyramidal'", "cone='elliptic'"].map(|cone| {
        let m = slope(cone, 20.0);
        let mut d = world(&m);
        run(&m, &mut d, 0.5);
        (d.nefc[0], d.qpos)
    });
    assert_eq!(pyramidal, elliptic);
    assert_eq!(pyramidal.0, 12);
}

/// `d qvel' / d qpos`, and by qvel, of a box or ball on a plane that slides at a contact distance: every matrix entry.
fn derivatives_at(solver: &str, geom: &str, distance: f64) -> Vec<f64> {
    let m = load_str(&format!(
        "<mujoco><option timestep='.008' {solver}/><worldbody><geom type='plane' size='5 5 1' friction='.6'/>\
         <body pos='0 0 .1'><freejoint/><geom {geom} mass='1' friction='.6' margin='0' gap='.02'/></body></worldbody></mujoco>"
    ))
    .unwrap();
    let options = DifferenceOptions { eps: 1e-7, centred: true };
    let mut differences = Derivatives::new(&m, 1, options, &BatchOptions::on(Backend::Cpu)).unwrap();
    let fields = BTreeMap::from([
        ("qpos".to_owned(), vec![0.0, 0.0, 0.1 + distance, 1.0, 0.0, 0.0, 0.0]),
        ("qvel".to_owned(), vec![0.05, 0.02, 0.0, 0.0, 0.0, 0.0]),
    ]);
    differences.transition(&Knots { count: 1, fields }).unwrap().A
}

/// Largest change of any derivative over steps of 0.1 mm of the distance, from 2 mm inside to 10 mm apart, as a share of the
/// largest derivative.
fn largest_jump(solver: &str, geom: &str) -> f64 {
    let found: Vec<Vec<f64>> =
        (0..=120).map(|k| derivatives_at(solver, geom, -0.002 + 1e-4 * f64::from(k) + 3e-6)).collect();
    let largest = found.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let jumps = found.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs()));
    jumps.fold(0.0, f64::max) / largest
}

#[test]
fn derivatives_are_continuous_in_the_distance_of_a_contact_unlike_newtons() {
    for geom in ["size='.1'", "type='box' size='.1 .1 .1'"] {
        let smooth = largest_jump("solver='Smooth' smooth='.5 .5'", geom);
        let newton = largest_jump("solver='Newton' cone='elliptic'", geom);
        assert!(smooth < 0.03, "{geom}: {smooth}");
        assert!(newton > 0.3, "{geom}: {newton}");
    }
}

fn humanoid(option: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/humanoid.xml");
    let text = std::fs::read_to_string(path).unwrap();
    let text = text
        .replace("timestep=\"0.005\"", option)
        .replace("<geom type=\"capsule\" condim=\"3\"", "<geom type=\"capsule\" condim=\"3\" gap=\"0.01\"");
    load_str(&text).unwrap()
}

#[test]
fn a_humanoid_stands_for_a_second_in_steps_of_8_ms() {
    let m = humanoid("timestep=\"0.008\" solver=\"Smooth\" smooth=\"0.4 1\"");
    let mut d = world(&m);
    d.reset(&m, Some(0));
    let pose = d.qpos.clone();
    for _ in 0..125 {
        for a in 0..m.sizes.nu {
            let joint = m.actuator_trnid[2 * a] as usize;
            let (q, v) = (m.jnt_qposadr[joint] as usize, m.jnt_dofadr[joint] as usize);
            let torque = 400.0 * (pose[q] - d.qpos[q]) - 15.0 * d.qvel[v];
            d.ctrl[a] = (torque / m.actuator_gear[6 * a]).clamp(-1.0, 1.0);
        }
        cpu::step(&m, &mut d);
        let fastest = d.qvel.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(fastest < 10.0, "{fastest} at {} s", d.time[0]);
    }
    assert_eq!(d.status[0], 0);
    assert!(d.qpos[2] > 0.8, "the pelvis is at {}", d.qpos[2]);
    assert!(d.qpos[3] > 0.97, "it leans: {:?}", &d.qpos[3..7]);
}

/// Velocities and positions of three worlds after 20 steps.
fn after_steps(m: &Model, options: &BatchOptions, begin: &dyn Fn(&mut Batch)) -> [Vec<f64>; 2] {
    let mut batch = Batch::new(m, 3, options).unwrap();
    begin(&mut batch);
    batch.step(20).unwrap();
    assert!(batch.status().unwrap().iter().all(|bits| *bits == 0));
    ["qvel", "qpos"].map(|field| batch.get(field, ..).unwrap().data.to_f64())
}

/// Ways to run kernels: one lane or several, in storage or workgroup memory, stage by stage, grouped, fused, and with reduced stores.
fn kernel_options() -> Vec<KernelOptions> {
    let usual = KernelOptions { checks: true, ..KernelOptions::default() };
    let with = |lanes, partition, placement| KernelOptions {
        lanes: Some(lanes),
        worlds_per_group: Some(2),
        placement: Some(placement),
        partition,
        ..usual.clone()
    };
    vec![
        with(1, Partition::Split, WorkingSetSpace::Storage),
        with(4, Partition::Grouped, WorkingSetSpace::Workgroup),
        KernelOptions { reduced_stores: Some(true), ..with(8, Partition::Fused, WorkingSetSpace::Workgroup) },
        usual,
    ]
}

/// Compares kernels run in these ways with the CPU.
fn kernels_agree(m: &Model, ways: &[KernelOptions], begin: &dyn Fn(&mut Batch)) {
    let want = after_steps(m, &BatchOptions::on(Backend::Cpu), begin);
    for gpu in ways {
        let got = after_steps(m, &BatchOptions { gpu: gpu.clone(), ..BatchOptions::on(Backend::Gpu) }, begin);
        for ((want, got), bound) in want.iter().zip(&got).zip([2e-3, 1e-4]) {
            assert!(want.iter().any(|x| x.abs() > 1e-3));
            let apart = want.iter().zip(got).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            assert!(apart < bound, "{apart} with {gpu:?}");
        }
    }
}

#[test]
fn kernels_do_what_the_cpu_does_however_they_run() {
    let m = load_str(EVERYTHING).unwrap();
    let velocities: Vec<f64> = (0..3 * m.sizes.nv).map(|i| 0.5 * (1.3 * i as f64 + 0.4).sin()).collect();
    kernels_agree(&m, &kernel_options(), &|batch| batch.set("qvel", .., &velocities).unwrap());
    // loops are unrolled in registers: a small model
    let placement = Some(WorkingSetSpace::Registers);
    let registers = KernelOptions { lanes: Some(1), placement, checks: true, ..KernelOptions::default() };
    kernels_agree(&slope("", 20.0), &[registers], &|batch| batch.set("qvel", .., &[0.3; 18]).unwrap());
}

#[test]
fn kernels_step_a_humanoid_like_the_cpu() {
    let m = humanoid("timestep=\"0.008\" solver=\"Smooth\" smooth=\"0.4 1\"");
    let begin = |batch: &mut Batch| batch.reset(&[true; 3], Some(0)).unwrap();
    kernels_agree(&m, &[KernelOptions::default()], &begin);
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (written, told) in
        [("0 1", "0;"), ("1 1", "1;"), ("-.5 1", "-0.5"), (".5 0", "N s"), (".5 -2", "-2 N s")]
    {
        let text = format!("<mujoco><option solver='Smooth' smooth='{written}'/><worldbody/></mujoco>");
        let error = load_str(&text).unwrap_err().to_string();
        assert!(error.contains(told) && error.contains("0.5 1"), "{written}: {error}");
    }
    let mut m = ball("solver='Smooth'");
    assert_eq!(m.opt_smooth, [0.5, 1.0]);
    for wrong in [[0.0, 1.0], [1.0, 1.0], [f64::NAN, 1.0], [0.5, 0.0], [0.5, f64::INFINITY]] {
        m.opt_smooth.copy_from_slice(&wrong);
        let error = Batch::new(&m, 1, &BatchOptions::on(Backend::Cpu)).unwrap_err();
        assert!(matches!(error, Error::Argument(_)) && error.to_string().contains("opt_smooth"), "{error}");
        // and do not matter to other solvers
        let other = Model { opt_solver: vec![solver::NEWTON], ..m.clone() };
        Batch::new(&other, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
    }
}

#[test]
fn what_the_closed_form_excludes_is_refused_by_name() {
    let m = ball("solver='Smooth'");
    let mut batch = Batch::new(&m, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
    let error = batch.inverse().unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)) && error.to_string().contains("solver Smooth"), "{error}");
    let options = DifferenceOptions::best(Backend::Cpu);
    let mut differences = Derivatives::new(&m, 1, options, &BatchOptions::on(Backend::Cpu)).unwrap();
    let fields = BTreeMap::from([("qacc".to_owned(), vec![0.0; 6])]);
    let error = differences.inverse(&Knots { count: 1, fields }).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
    let mut compared = m.clone();
    compared.opt_enableflags[0] |= enable::FWDINV;
    let mut slipless = m;
    slipless.opt_noslip_iterations[0] = 3;
    for (model, told) in [(compared, "fwdinv"), (slipless, "noslip")] {
        let error = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap_err().to_string();
        assert!(error.contains(told) && error.contains("Smooth"), "{error}");
    }
}

#[test]
fn a_planner_plans_with_it_where_asked_for() {
    let text = |numeric: &str| {
        format!(
            "<mujoco><option noslip_iterations='2'/><custom>{numeric}</custom><worldbody><geom type='plane' size='5 5 1'/>
             <body pos='0 0 .3'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
        )
    };
    let plant = load_str(&text("<numeric name='agent_smooth' data='.4 .2'/>")).unwrap();
    let settings = Settings::of_model(&plant).unwrap();
    let model = settings.planner_model(&plant);
    assert_eq!((model.opt_solver[0], &model.opt_smooth[..]), (solver::SMOOTH, &[0.4, 0.2][..]));
    assert_eq!(plant.opt_solver[0], solver::NEWTON);
    Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
    let usual = load_str(&text("")).unwrap();
    let model = Settings::of_model(&usual).unwrap().planner_model(&usual);
    assert_eq!(model.opt_solver[0], solver::NEWTON);
    let wrong = load_str(&text("<numeric name='agent_smooth' data='.4'/>")).unwrap();
    assert!(Settings::of_model(&wrong).unwrap_err().to_string().contains("agent_smooth"));
}

#[test]
fn the_solver_and_its_parameters_survive_writing_and_compiled_files() {
    let text = "<mujoco><option solver='Smooth' smooth='.3 .02'/><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    let spec = Spec::from_text(text).unwrap();
    let written = spec.to_xml(Path::new(".")).unwrap();
    let m = load_str(&written).unwrap();
    for m in [Model::from_mwb(&m.to_mwb()).unwrap(), m] {
        assert_eq!((m.opt_solver[0], &m.opt_smooth[..]), (solver::SMOOTH, &[0.3, 0.02][..]), "{written}");
    }
}

#[test]
fn friction_in_a_plane_is_whole_although_nothing_moves_across_it() {
    let m = load_str(
        "<mujoco><option timestep='.002' solver='Smooth' smooth='.5 .01'/><worldbody><geom type='plane' size='50 5 1'/>
         <body pos='0 0 .1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>
         <geom size='.1' mass='1' friction='.5'/></body></worldbody></mujoco>"
            .replace("<geom type='plane'", "<geom friction='.5' gap='.02' type='plane'")
            .as_str(),
    )
    .unwrap();
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut batch = Batch::new(&m, 1, &BatchOptions::on(backend)).unwrap();
        // at rest along the normal, then sliding
        batch.step(1000).unwrap();
        batch.set("qvel", .., &[3.0, 0.0]).unwrap();
        batch.step(100).unwrap();
        let speed = batch.get("qvel", ..).unwrap().data.to_f64()[0];
        let expected = 3.0 - 0.5 * 9.81 * 0.2;
        assert!((speed - expected).abs() < 1e-2, "{backend:?}: {speed} of {expected}");
    }
}
