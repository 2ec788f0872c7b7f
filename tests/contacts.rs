//! Behaviour of contacts: stacks stand, bodies slide only when they should, and mass ratios may be large.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write;

use manyworlds::batch::{Backend, Batch, BatchOptions, max_capacity};
use manyworlds::cpu;
use manyworlds::load_str;
use manyworlds::model::Model;
use manyworlds::model::data::Data;

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

/// Speed of the fastest free body.
fn fastest(d: &Data) -> f64 {
    d.qvel.chunks(6).map(|v| v[..3].iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max)
}

/// A stack of boxes of half size 0.1 with these masses, from the bottom up.
fn stack(option: &str, masses: &[f64]) -> Model {
    let mut text = format!("<mujoco><option {option}/><worldbody><geom type='plane' size='5 5 1'/>");
    for (k, mass) in masses.iter().enumerate() {
        let z = 0.1 + 0.2 * k as f64;
        write!(
            text,
            "<body pos='0 0 {z}'><freejoint/><geom type='box' size='.1 .1 .1' mass='{mass}'/></body>"
        )
        .unwrap();
    }
    load_str(&(text + "</worldbody></mujoco>")).unwrap()
}

/// Checks that the boxes of a stack are at their initial places, having sunk by less than `sinks`.
fn stands(d: &Data, sinks: f64) {
    for (k, q) in d.qpos.chunks(7).enumerate() {
        let z = 0.1 + 0.2 * k as f64;
        assert!(q[0].abs() < 0.01 && q[1].abs() < 0.01, "box {k} at {q:?}");
        assert!(q[2] <= z && q[2] > z - sinks, "box {k} at height {}", q[2]);
        assert!(q[3].abs() > 0.9999, "box {k} leans: {q:?}");
    }
}

#[test]
fn ten_boxes_stand_for_a_minute() {
    for option in ["", "cone='elliptic'"] {
        let m = stack(option, &[1.0; 10]);
        let mut d = world(&m);
        run(&m, &mut d, 60.0);
        stands(&d, 0.01);
        assert!(fastest(&d) < 1e-3, "{}", fastest(&d));
    }
}

#[test]
fn a_thousandfold_mass_stays_on_top() {
    for option in ["", "cone='elliptic'"] {
        let m = stack(option, &[1.0, 1000.0]);
        let mut d = world(&m);
        run(&m, &mut d, 10.0);
        // the light box carries a thousand times the load that its contacts are made for
        stands(&d, 0.15);
        assert!(fastest(&d) < 1e-2, "{}", fastest(&d));
        let m = stack(option, &[1000.0, 1.0]);
        let mut d = world(&m);
        run(&m, &mut d, 10.0);
        stands(&d, 0.01);
        assert!(fastest(&d) < 1e-3, "{}", fastest(&d));
    }
}

/// A box with friction 0.5 on a plane; gravity is tilted from the plane's normal by an angle in degrees.
fn slope(option: &str, angle: f64) -> Model {
    let (sin, cos) = angle.to_radians().sin_cos();
    load_str(&format!(
        "<mujoco><option gravity='{} 0 {}' {option}/><worldbody><geom type='plane' size='50 50 1' friction='.5'/>\
         <body pos='0 0 .05'><freejoint/><geom type='box' size='.2 .2 .05' friction='.5'/></body></worldbody></mujoco>",
        9.81 * sin,
        -9.81 * cos
    ))
    .unwrap()
}

/// A block of 1.9 tonnes on a plane, with a tile and a pin of a gram and less on it: one island.
#[cfg(feature = "gpu")]
fn light_on_heavy(option: &str) -> Model {
    load_str(&format!(
        "<mujoco><option timestep='0.005' impratio='10' {option}/><worldbody><geom type='plane' size='5 5 1'/>\
         <body pos='0 0 .19'><freejoint/><geom type='box' size='.4 .3 .2' density='20000'/></body>\
         <body pos='0 0 .405' euler='0 2 0'><freejoint/><geom type='box' size='.02 .02 .01' density='20'/></body>\
         <body pos='.1 0 .41' euler='10 0 0'><freejoint/>\
         <geom type='capsule' size='.01 .02' density='20' euler='0 90 0'/></body></worldbody></mujoco>"
    ))
    .unwrap()
}

/// What a light body gains is small beside what a heavy one has gained, and is sought all the same.
#[cfg(feature = "gpu")]
#[test]
fn light_bodies_on_heavy_ones_are_solved_on_the_gpu() {
    use manyworlds::analysis::check::{self, CheckOptions};
    use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions};

    let gpu = Gpu::open(AdapterPreference::Any).unwrap();
    let options = CheckOptions { worlds: 16, steps: 40, seed: 0, from: None };
    for option in ["", "cone='elliptic'"] {
        let m = light_on_heavy(option);
        let capacity = check::needed_capacity(&m, max_capacity(&m), &options);
        let mut batch = GpuBatch::new(&gpu, m.clone(), 16, capacity, &KernelOptions::default()).unwrap();
        let report = check::run(&m, capacity, &mut batch, &options).unwrap();
        let row = report.rows.iter().find(|row| row.field == "qacc").unwrap();
        assert!(!row.over(), "{option}: {row:?}");
    }
}

#[test]
fn a_box_slides_beyond_its_angle_of_friction_and_not_before() {
    let limit = 0.5f64.atan().to_degrees();
    for option in ["impratio='10'", "cone='elliptic' impratio='10'"] {
        // regularised friction creeps; it does not slide
        let m = slope(option, limit - 1.0);
        let mut d = world(&m);
        run(&m, &mut d, 2.0);
        assert!(fastest(&d) < 0.02, "{option}: creeps with {}", fastest(&d));
        let m = slope(option, limit + 1.0);
        let mut d = world(&m);
        run(&m, &mut d, 2.0);
        let (sin, cos) = (limit + 1.0).to_radians().sin_cos();
        let free = 2.0 * 9.81 * (sin - 0.5 * cos);
        assert!((fastest(&d) - free).abs() < 0.1 * free, "{option}: {} of {free}", fastest(&d));
    }
}

#[test]
fn the_slope_is_the_same_on_the_gpu() {
    let limit = 0.5f64.atan().to_degrees();
    for (angle, slides) in [(limit - 1.0, false), (limit + 1.0, true)] {
        let m = slope("cone='elliptic' impratio='10'", angle);
        let mut batch = Batch::new(&m, 8, &BatchOptions::on(Backend::Gpu)).unwrap();
        batch.step(500).unwrap();
        assert!(batch.status().unwrap().iter().all(|bits| *bits == 0));
        for v in batch.get("qvel", ..).unwrap().data.to_f64().chunks(6) {
            assert_eq!(v[0] > 0.1, slides, "{angle}: {v:?}");
        }
    }
}

#[test]
fn a_cube_of_27_boxes_keeps_together() {
    let mut text =
        String::from("<mujoco><option timestep='.005'/><worldbody><geom type='plane' size='5 5 1'/>");
    let place = |k: usize| [k % 3, k / 3 % 3, k / 9].map(|i| 0.05 + 0.1 * i as f64);
    for [x, y, z] in (0..27).map(place) {
        write!(text, "<body pos='{x} {y} {z}'><freejoint/><geom type='box' size='.05 .05 .05'/></body>")
            .unwrap();
    }
    let m = load_str(&(text + "</worldbody></mujoco>")).unwrap();
    let mut d = world(&m);
    run(&m, &mut d, 5.0);
    for (k, q) in d.qpos.chunks(7).enumerate() {
        let apart = place(k).iter().zip(q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 2e-3 && q[3].abs() > 0.9999, "box {k} at {q:?}");
    }
    assert!(fastest(&d) < 1e-2, "{}", fastest(&d));
}

/// A hand of three fingers with two links each around a ball, on a palm that can be raised; tendons bend the fingers.
fn hand(option: &str) -> Model {
    let mut text = format!(
        "<mujoco><option timestep='.002' {option}/><worldbody><geom type='plane' size='1 1 .1'/>\
         <body name='ball' pos='0 0 .05'><freejoint/><geom name='ball' size='.05' mass='.2' condim='4' \
         friction='1 .01 .001'/></body>\
         <body name='palm' pos='0 0 .15'><joint name='lift' type='slide' axis='0 0 1' damping='5'/>\
         <geom type='cylinder' size='.04 .01' mass='.3' contype='0' conaffinity='0'/>"
    );
    let link = "<geom type='capsule' size='.012' fromto='0 0 0 0 0 -.06' mass='.03' condim='4' friction='1 .01 .001'/>";
    for k in 0..3 {
        write!(
            text,
            "<body pos='0 0 0' euler='0 0 {}'><body pos='.07 0 -.02'>\
             <joint name='near{k}' axis='0 1 0' range='-30 80' damping='.02' armature='.001'/>{link}\
             <body pos='0 0 -.06'><joint name='far{k}' axis='0 1 0' range='-10 90' damping='.02' armature='.001'/>{link}\
             </body></body></body>",
            120 * k
        )
        .unwrap();
    }
    text += "</body></worldbody><tendon>";
    for k in 0..3 {
        write!(
            text,
            "<fixed name='bend{k}'><joint joint='near{k}' coef='1'/><joint joint='far{k}' coef='.6'/></fixed>"
        )
        .unwrap();
    }
    text += "</tendon><actuator><position joint='lift' kp='800' kv='40'/>";
    for k in 0..3 {
        write!(text, "<motor tendon='bend{k}'/>").unwrap();
    }
    load_str(&(text + "</actuator></mujoco>")).unwrap()
}

#[test]
fn a_hand_keeps_its_grip() {
    for option in ["", "cone='elliptic' impratio='10'", "cone='elliptic' noslip_iterations='5'"] {
        let m = hand(option);
        let mut d = world(&m);
        // close the fingers, lift, then shake
        d.ctrl.copy_from_slice(&[0.0, 0.6, 0.6, 0.6]);
        run(&m, &mut d, 1.0);
        d.ctrl[0] = 0.2;
        run(&m, &mut d, 1.0);
        let below = |d: &Data| d.xpos[3 * 2 + 2] - d.qpos[2];
        let held = below(&d);
        assert!(d.qpos[2] > 0.2, "{option}: the ball is at height {}", d.qpos[2]);
        for k in 0..10 {
            d.ctrl[0] = if k % 2 == 0 { 0.25 } else { 0.15 };
            run(&m, &mut d, 0.3);
        }
        let slipped = below(&d) - held;
        assert!(slipped.abs() < 0.003, "{option}: the ball has slipped by {slipped} m");
    }
}

#[test]
fn a_humanoid_stands_on_a_height_field() {
    // bumps of a centimetre, every 27 centimetres
    const N: usize = 12;
    let bumps: Vec<String> = (0..N * N).map(|k| format!("{}", (k * 7919 + k * k * 31) % 101)).collect();
    let field = format!(
        "<asset><hfield name='ground' nrow='{N}' ncol='{N}' size='1.5 1.5 .01 .1' elevation='{}'/></asset>",
        bumps.join(" ")
    );
    let text = include_str!("../models/humanoid.xml")
        .replacen("type=\"plane\" size=\"20 20 0.1\"", "type=\"hfield\" hfield=\"ground\"", 1)
        .replacen("<worldbody>", &(field + "<worldbody>"), 1)
        .replacen("timestep=\"0.005\"", "timestep=\"0.002\"", 1);
    let m = load_str(&text).unwrap();
    assert_eq!(m.sizes.nhfield, 1);
    let mut d = world(&m);
    d.qpos[2] = 0.928;
    // upright, each joint held at zero by its motor
    for _ in 0..2500 {
        for a in 0..m.sizes.nu {
            let joint = m.actuator_trnid[2 * a] as usize;
            let (q, v) = (m.jnt_qposadr[joint] as usize, m.jnt_dofadr[joint] as usize);
            let torque = -800.0 * d.qpos[q] - 40.0 * d.qvel[v];
            d.ctrl[a] = (torque / m.actuator_gear[6 * a]).clamp(-1.0, 1.0);
        }
        cpu::step(&m, &mut d);
    }
    assert_eq!(d.status[0], 0);
    assert!(d.qpos[2] > 0.9 && d.qpos[2] < 0.94, "the pelvis is at {:?}", &d.qpos[..3]);
    assert!(d.ncon[0] >= 3 && d.qpos[..2].iter().all(|x| x.abs() < 0.1), "{:?}", &d.qpos[..3]);
}

#[test]
fn a_tendon_between_fixed_points_has_no_rows() {
    let ball = "<body pos='{} 0 1'><freejoint/><geom size='.1'/></body>";
    let balls = ["0", "1"].map(|x| ball.replace("{}", x)).concat();
    let text = format!(
        "<mujoco><worldbody><site name='a'/><site name='b' pos='1 0 0'/>{balls}</worldbody><tendon>
        <spatial frictionloss='1' limited='true' range='0 .5'><site site='a'/><site site='b'/></spatial>
        </tendon></mujoco>"
    );
    let m = load_str(&text).unwrap();
    let mut d = world(&m);
    cpu::step(&m, &mut d);
    assert_eq!((d.nefc[0], d.ten_length[0]), (0, 1.0));
}

#[test]
fn capsules_that_share_an_end_touch_across_both_axes() {
    for k in 0..60 {
        let (s, c) = (0.37 * f64::from(k)).sin_cos();
        let (x, y) = (0.28 * c, 0.28 * s);
        let capsule = |from: [f64; 2], to: [f64; 2]| {
            format!(
                "<body pos='{} {} .522'><freejoint/><geom type='capsule' size='.08' fromto='0 0 0 {} {} 0'/></body>",
                from[0], from[1], to[0], to[1]
            )
        };
        // at a right angle, and nearly in line
        for (along, across) in [(0.0, 1.2), (1.1, 0.002)] {
            let end = [along * x - across * y, along * y + across * x];
            let (one, two) = (capsule([0.2, 0.2], [x, y]), capsule([0.2 + x, 0.2 + y], end));
            let m = load_str(&format!("<mujoco><worldbody>{one}{two}</worldbody></mujoco>")).unwrap();
            let mut d = world(&m);
            cpu::forward(&m, &mut d);
            assert_eq!(d.ncon[0], 1);
            let normal = &d.contact_frame[..3];
            assert!(normal[2].abs() > 0.999_999, "{k}: {normal:?}");
        }
    }
}

#[test]
fn convex_shapes_that_just_touch_are_apart() {
    let box_on_field = |lower: f64| {
        let z = 0.2 - lower;
        format!(
            "<mujoco><asset><hfield name='h' nrow='10' ncol='10' size='1 1 .1 .01'/></asset><worldbody>
             <geom type='hfield' hfield='h'/><body pos='0 0 {z}'><freejoint/>
             <geom type='box' size='.3 .3 .2'/></body></worldbody></mujoco>"
        )
    };
    let ellipsoids = |lower: f64| {
        let z = 1.1 - lower;
        format!(
            "<mujoco><worldbody><geom type='ellipsoid' size='.1 .05 .3' pos='.1 .7 .5'/>
             <body pos='.1 .7 {z}'><freejoint/><geom type='ellipsoid' size='.1 .05 .3'/></body></worldbody></mujoco>"
        )
    };
    for scene in [&box_on_field as &dyn Fn(f64) -> String, &ellipsoids] {
        let count = |lower: f64| {
            let m = load_str(&scene(lower)).unwrap();
            let mut d = world(&m);
            cpu::forward(&m, &mut d);
            d.ncon[0]
        };
        assert_eq!(count(0.0), 0);
        assert!(count(1e-12) > 0);
    }
}
