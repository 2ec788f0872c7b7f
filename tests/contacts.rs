//! What contacts are bought for: things that stand stay, things that should slide do, and masses may differ.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write;

use manyworlds::batch::{Backend, Batch, BatchOptions, bound};
use manyworlds::compile::load_str;
use manyworlds::cpu;
use manyworlds::data::Data;
use manyworlds::model::Model;

/// A world in its initial state, with room for everything.
fn world(m: &Model) -> Data {
    Data::new(m, bound(m))
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

/// Boxes of half size 0.1 on each other, of these masses from below.
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

/// Whether the boxes of a stack are where they were, but for what they sink into each other.
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
        // the light box is under a thousand times the load that its contacts are made for
        stands(&d, 0.15);
        assert!(fastest(&d) < 1e-2, "{}", fastest(&d));
        let m = stack(option, &[1000.0, 1.0]);
        let mut d = world(&m);
        run(&m, &mut d, 10.0);
        stands(&d, 0.01);
        assert!(fastest(&d) < 1e-3, "{}", fastest(&d));
    }
}

/// A box with friction 0.5 on a plane, under gravity that leans by an angle in degrees from the plane's normal.
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

#[test]
fn a_box_slides_beyond_its_angle_of_friction_and_not_before() {
    let limit = 0.5f64.atan().to_degrees();
    for option in ["impratio='10'", "cone='elliptic' impratio='10'"] {
        // soft friction creeps; it does not slide
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
        for v in batch.get("qvel").unwrap().data.to_f64().chunks(6) {
            assert_eq!(v[0] > 0.1, slides, "{angle}: {v:?}");
        }
    }
}
