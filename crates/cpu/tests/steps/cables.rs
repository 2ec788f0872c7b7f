//! Elastic cables against closed forms of rods: Euler's elastica, the circle of a pure moment, Saint-Venant's torsion,
//! the frequency of a cantilever and its energy. A cable of n bodies bends at the n - 1 joints between them, each for half
//! a body to either side: it is a rod that is clamped in the middle of its first body, which is fixed.

use std::f64::consts::{FRAC_PI_2, PI};

use manyworlds_cpu::{forward, step};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};

/// Length of a cable, and its moduli of shear and elasticity.
const LENGTH: f64 = 1.0;
const SHEAR: f64 = 5e6;
const ELASTIC: f64 = 1e7;
/// Radius of a round cable, half sizes of one with edges, and the density of both.
const RADIUS: f64 = 0.01;
const SIDES: [f64; 2] = [0.012, 0.008];
const DENSITY: f64 = 1000.0;

/// A cross-section: its geom, for a length, and its stiffness against twist and against bending about y and z.
struct Section {
    geom: fn(f64) -> String,
    stiffness: [f64; 3],
}

fn round() -> Section {
    let bending = ELASTIC * PI * RADIUS.powi(4) / 4.0;
    Section {
        geom: |h| format!("type='cylinder' size='{RADIUS}' fromto='0 0 0 {h} 0 0'"),
        stiffness: [SHEAR * PI * RADIUS.powi(4) / 2.0, bending, bending],
    }
}

/// A rectangle, whose torsion is Saint-Venant's series.
fn rectangle() -> Section {
    let [y, z] = SIDES;
    let series = |n: i32| (f64::from(n) * PI * y / (2.0 * z)).tanh() / f64::from(n).powi(5);
    let sum: f64 = (0..50).map(|i| series(2 * i + 1)).sum();
    let twist = 2.0 * y * (2.0 * z).powi(3) * (1.0 / 3.0 - 64.0 * z / (PI.powi(5) * y) * sum);
    Section {
        geom: |h| format!("type='box' size='{} {} {}' pos='{} 0 0'", h / 2.0, SIDES[0], SIDES[1], h / 2.0),
        stiffness: [
            SHEAR * twist,
            ELASTIC * 2.0 * y * (2.0 * z).powi(3) / 12.0,
            ELASTIC * 2.0 * z * (2.0 * y).powi(3) / 12.0,
        ],
    }
}

/// A straight cable along x of n bodies, the first fixed at the origin.
fn cable(section: &Section, n: usize, option: &str, joint: &str) -> Model {
    let h = LENGTH / n as f64;
    let shape = format!(
        "<geom {} density='{DENSITY}' contype='0' conaffinity='0'/><plugin instance='i'/>",
        (section.geom)(h)
    );
    let more = format!("<body pos='{h} 0 0'><joint type='ball' {joint}/>{shape}").repeat(n - 1);
    let text = format!(
        "<mujoco><option gravity='0 0 0' {option}><flag energy='enable'/></option><extension>
        <plugin plugin='mujoco.elasticity.cable'><instance name='i'><config key='twist' value='{SHEAR}'/>
        <config key='bend' value='{ELASTIC}'/></instance></plugin></extension>
        <worldbody><body>{shape}{more}{}</body></worldbody></mujoco>",
        "</body>".repeat(n - 1)
    );
    manyworlds_mjcf::load_str(&text).unwrap()
}

/// Position of the tip, and the angle that the last body has turned about z.
fn tip(m: &Model, d: &Data) -> ([f64; 3], f64) {
    let last = m.sizes.nbody - 1;
    let x = [0, 3, 6].map(|k| d.xmat[9 * last + k]);
    let h = m.body_pos[3 * last];
    (std::array::from_fn(|k| d.xpos[3 * last + k] + h * x[k]), x[1].atan2(x[0]))
}

/// The cable at rest under a force and a torque at its tip that keep their directions. Inertia of the joints alone gives
/// every mode nearly the same frequency, so that critical damping stops all within a few hundred steps.
fn at_rest(section: &Section, n: usize, force: [f64; 3], torque: [f64; 3]) -> (Model, Data) {
    let stiffness = section.stiffness.iter().copied().fold(0.0, f64::max) * n as f64 / LENGTH;
    let option = format!("timestep='{}' integrator='implicitfast'", 0.5 / stiffness.sqrt());
    let m = cable(section, n, &option, &format!("armature='1' damping='{}'", 2.0 * stiffness.sqrt()));
    let mut d = Data::new(&m, Capacity::NONE);
    let last = m.sizes.nbody - 1;
    for _ in 0..400 {
        forward(&m, &mut d);
        let (tip, _) = tip(&m, &d);
        let [x, y, z] = std::array::from_fn(|k| tip[k] - d.xipos[3 * last + k]);
        let [u, v, w] = force;
        let moment = [y * w - z * v, z * u - x * w, x * v - y * u];
        d.xfrc_applied[6 * last..6 * last + 3].copy_from_slice(&force);
        (0..3).for_each(|k| d.xfrc_applied[6 * last + 3 + k] = torque[k] + moment[k]);
        step(&m, &mut d);
    }
    forward(&m, &mut d);
    let speed = d.qvel.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(speed * m.opt_timestep[0] < 1e-12, "{speed}");
    (m, d)
}

/// Integral by Gauss and Legendre's rule of three points on 400 intervals.
fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let half = (to - from) / 800.0;
    let interval = |i: i32| {
        let middle = from + f64::from(2 * i + 1) * half;
        let out = 0.6_f64.sqrt() * half;
        half / 9.0 * (8.0 * f(middle) + 5.0 * (f(middle - out) + f(middle + out)))
    };
    (0..400).map(interval).sum()
}

/// Tip of a rod of length one, clamped at the origin along x, under a force `load` along y with unit bending stiffness:
/// place and angle, by elliptic integrals (Bisshopp and Drucker 1945).
fn elastica(load: f64) -> ([f64; 2], f64) {
    let modulus = |angle: f64| f64::midpoint(1.0, angle.sin());
    let start = |angle: f64| (1.0 / (2.0 * modulus(angle)).sqrt()).asin();
    let root = |angle: f64, phi: f64| (1.0 - modulus(angle) * phi.sin().powi(2)).sqrt();
    // the angle at the tip grows with the load
    let (mut low, mut high) = (1e-9, FRAC_PI_2 - 1e-9);
    for _ in 0..60 {
        let angle = f64::midpoint(low, high);
        let length = integral(|phi| 1.0 / root(angle, phi), start(angle), FRAC_PI_2);
        if length < load.sqrt() { low = angle } else { high = angle }
    }
    let second = integral(|phi| root(low, phi), start(low), FRAC_PI_2);
    ([(2.0 * low.sin() / load).sqrt(), 1.0 - 2.0 * second / load.sqrt()], low)
}

/// Distance of the tip from that of the elastica, in lengths of the rod, and the error of its angle.
fn elastica_errors(section: &Section, n: usize, load: f64) -> [f64; 2] {
    let half = LENGTH / n as f64 / 2.0;
    let length = LENGTH - half;
    let (m, d) = at_rest(section, n, [0.0, load * section.stiffness[2] / length.powi(2), 0.0], [0.0; 3]);
    let ([x, y, z], angle) = tip(&m, &d);
    let (want, slope) = elastica(load);
    assert!(z.abs() < 1e-9, "{z}");
    [((x - half) / length - want[0]).hypot(y / length - want[1]), (angle - slope).abs()]
}

#[test]
fn elliptic_integrals_give_the_table_of_bisshopp_and_drucker() {
    for (load, sag) in [(1.0, 0.302), (5.0, 0.714), (10.0, 0.811)] {
        assert!((elastica(load).0[1] - sag).abs() < 5e-4, "{load}");
    }
}

#[test]
fn a_loaded_cable_is_eulers_elastica() {
    for section in [round(), rectangle()] {
        for load in [1.0, 5.0, 10.0] {
            let [coarse, fine] = [11, 21].map(|n| elastica_errors(&section, n, load));
            assert!(fine[0] < 1.2e-3, "{load} {fine:?}");
            // of second order in the length of a body: the rods have 10.5 and 20.5 of them
            let order = (coarse[0] / fine[0]).ln() / (20.5_f64 / 10.5).ln();
            assert!((order - 2.0).abs() < 0.1, "{load} {coarse:?} {fine:?} {order}");
            assert!(fine[1] < 0.01, "{load} {fine:?}");
        }
    }
}

#[test]
fn a_loaded_cable_is_that_of_the_reference() {
    // MuJoCo 3.17: the same model, at rest to 1e-13
    for (load, x, y) in [
        (1.0, 0.944_914_048_676_519_2, 0.294_345_707_003_668_74),
        (5.0, 0.621_714_177_299_504_1, 0.696_145_575_294_177_4),
        (10.0, 0.458_424_018_892_045_37, 0.790_390_014_762_435_5),
    ] {
        let section = round();
        let length = LENGTH * (1.0 - 0.5 / 21.0);
        let force = [0.0, load * section.stiffness[2] / length.powi(2), 0.0];
        let (m, d) = at_rest(&section, 21, force, [0.0; 3]);
        let (got, _) = tip(&m, &d);
        assert!((got[0] - x).abs() < 1e-9 && (got[1] - y).abs() < 1e-9, "{load} {got:?}");
    }
}

#[test]
fn a_pure_moment_bends_a_cable_into_a_circle() {
    let n = 16;
    for section in [round(), rectangle()] {
        for axis in [1, 2] {
            // one turn over the whole length
            let mut torque = [0.0; 3];
            torque[axis] = 2.0 * PI * section.stiffness[axis] / LENGTH;
            let (m, d) = at_rest(&section, n, [0.0; 3], torque);
            // a regular polygon, closed, whose corners are on a circle
            let (end, _) = tip(&m, &d);
            assert!(end.iter().all(|x| x.abs() < 1e-9), "{end:?}");
            let radius = LENGTH / n as f64 / 2.0 / (PI / n as f64).sin();
            let centre: [f64; 3] =
                std::array::from_fn(|k| d.xpos[3..].iter().skip(k).step_by(3).sum::<f64>() / n as f64);
            for corner in d.xpos[3..].chunks_exact(3) {
                let away = (0..3).map(|k| (corner[k] - centre[k]).powi(2)).sum::<f64>().sqrt();
                assert!((away - radius).abs() < 1e-9, "{away} {radius}");
            }
        }
    }
}

#[test]
fn a_torque_twists_a_cable_by_its_length_over_its_torsional_stiffness() {
    let n = 11;
    // MuJoCo's torsion of a rectangle is an approximation of the series
    for (section, error) in [(round(), 1e-9), (rectangle(), 5e-3)] {
        let torque = 0.1 * section.stiffness[0] * n as f64 / LENGTH;
        let (m, d) = at_rest(&section, n, [0.0; 3], [torque, 0.0, 0.0]);
        let last = m.sizes.nbody - 1;
        let turn = d.xmat[9 * last + 7].atan2(d.xmat[9 * last + 8]);
        let want = torque * (LENGTH - LENGTH / n as f64) / section.stiffness[0];
        assert!((turn / want - 1.0).abs() < error, "{turn} {want}");
        let (end, _) = tip(&m, &d);
        assert!((end[0] - LENGTH).abs() < 1e-9, "{end:?}");
    }
}

/// Energy of bending and twist: half the stiffness of each piece times its squared rotation vector.
fn elastic_energy(m: &Model, d: &Data) -> f64 {
    let piece = |i: usize| {
        let [w, x, y, z]: [f64; 4] = d.qpos[4 * i..4 * i + 4].try_into().unwrap();
        let sine = (x * x + y * y + z * z).sqrt();
        let share = if sine > 0.0 { 2.0 * sine.atan2(w) / sine } else { 2.0 };
        let turn = [x, y, z].map(|part| share * part);
        (0..3).map(|k| 0.5 * m.cable_stiffness[3 * i + k] * turn[k] * turn[k]).sum::<f64>()
    };
    (0..m.sizes.ncable).map(piece).sum()
}

#[test]
fn a_cantilever_vibrates_at_its_frequency_and_keeps_its_energy() {
    let (n, section) = (12, round());
    let m = cable(&section, n, "timestep='0.001' integrator='RK4'", "");
    let mut d = Data::new(&m, Capacity::NONE);
    // first mode of the rod: cosh - cos - ratio (sinh - sin) of WAVE s; its curvature bends the joints
    const WAVE: f64 = 1.875_104_068_711_961;
    let ratio = (WAVE.cosh() + WAVE.cos()) / (WAVE.sinh() + WAVE.sin());
    let half = LENGTH / n as f64 / 2.0;
    let length = LENGTH - half;
    for i in 0..n - 1 {
        let s = WAVE * ((2 * i + 1) as f64 * half) / length;
        let curvature = s.cosh() + s.cos() - ratio * (s.sinh() + s.sin());
        let angle = 1e-3 * curvature;
        d.qpos[4 * i..4 * i + 4].copy_from_slice(&[(angle / 2.0).cos(), 0.0, 0.0, (angle / 2.0).sin()]);
    }
    forward(&m, &mut d);
    let energy = elastic_energy(&m, &d);
    // four passages through the straight shape: one period and a half between the first and the last
    let (mut before, mut passages) = (tip(&m, &d).0[1], Vec::new());
    while passages.len() < 4 {
        step(&m, &mut d);
        forward(&m, &mut d);
        let now = tip(&m, &d).0[1];
        if (now > 0.0) != (before > 0.0) {
            passages.push(d.time[0] - m.opt_timestep[0] * now / (now - before));
        }
        before = now;
        // the reference counts no energy of cables either
        assert!(d.energy[0].abs() < 1e-15, "{}", d.energy[0]);
        let total = d.energy[1] + elastic_energy(&m, &d);
        assert!((total / energy - 1.0).abs() < 1e-6, "{total} {energy}");
    }
    let period = (passages[3] - passages[0]) / 1.5;
    let mass = DENSITY * PI * RADIUS * RADIUS;
    let want = 2.0 * PI / (WAVE / length).powi(2) * (mass / section.stiffness[2]).sqrt();
    assert!((period / want - 1.0).abs() < 0.01, "{period} {want}");
}
