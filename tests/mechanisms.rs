//! Signed distance fields as parts of machines, on both backends: a nut on a bolt, two gears, a ball in a bowl. What they
//! have to do follows from their shapes alone.
//!
//! Needs a GPU adapter, hardware or software; without one these tests fail.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::f64::consts::PI;

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::load_str;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Gpu];

/// One world of a model on a backend.
fn open(text: &str, backend: Backend) -> Batch {
    let model = load_str(text).unwrap();
    Batch::new(&model, 1, &BatchOptions::on(backend)).expect("both backends; software Vulkan is enough")
}

fn get(batch: &mut Batch, field: &str) -> Vec<f64> {
    batch.get(field, ..).unwrap().data.to_f64()
}

/// A plugin instance of a field, and the mesh made of it.
fn part(name: &str, plugin: &str, config: &[(&str, f64)]) -> [String; 2] {
    let config: String =
        config.iter().map(|(key, value)| format!("<config key='{key}' value='{value}'/>")).collect();
    let plugin =
        format!("<plugin plugin='mujoco.sdf.{plugin}'><instance name='{name}'>{config}</instance></plugin>");
    [plugin, format!("<mesh name='{name}'><plugin instance='{name}'/></mesh>")]
}

/// A geom with the field of a part.
fn geom(name: &str) -> String {
    format!("<geom type='sdf' name='{name}' mesh='{name}'><plugin instance='{name}'/></geom>")
}

/// The bolt has twelve turns a metre, of which the nut has four to itself: it goes down three turns and up again. Gravity
/// keeps it on one side of the thread.
#[test]
fn a_nut_on_a_bolt_advances_by_the_pitch_over_ten_turns() {
    let [nut, nut_mesh] = part("nut", "nut", &[("radius", 0.26)]);
    let [bolt, bolt_mesh] = part("bolt", "bolt", &[("radius", 0.255)]);
    let text = format!(
        "<mujoco><extension>{nut}{bolt}</extension><asset>{nut_mesh}{bolt_mesh}</asset>
        <option sdf_iterations='10' sdf_initpoints='20' gravity='0 0 -2'/>
        <default><geom solref='.01 1' solimp='.95 .99 .0001' friction='.01'/></default>
        <worldbody><body pos='0 0 .82' euler='180 0 0'><joint type='slide' axis='0 0 -1' damping='30'/>
        <joint name='around' axis='0 0 -1' damping='30'/>{}</body><body euler='180 0 0'>{}</body></worldbody>
        <actuator><velocity joint='around' kv='3000'/></actuator></mujoco>",
        geom("nut"),
        geom("bolt")
    );
    for backend in BACKENDS {
        let mut batch = open(&text, backend);
        let (mut path, mut turns) = (0.0, 0.0);
        for leg in 0..4 {
            let to = if leg % 2 == 0 { -1.0 } else { 1.0 };
            batch.set("ctrl", .., &[4.0 * PI * to]).unwrap();
            // half a turn to begin with
            batch.step(125).unwrap();
            let before = get(&mut batch, "qpos");
            batch.step(640).unwrap();
            let after = get(&mut batch, "qpos");
            let (rise, turned) = (after[0] - before[0], (after[1] - before[1]) / (2.0 * PI));
            assert!(turned * to > 2.5, "{}: leg {leg} has {turned} turns", backend.name());
            path += rise;
            turns += turned.abs();
            let pitch = 12.0 * rise / turned;
            assert!((pitch - 1.0).abs() < 0.02, "{}: leg {leg} has {pitch} of the pitch", backend.name());
            path += if to < 0.0 { -2.0 * rise } else { 0.0 };
        }
        let pitch = 12.0 * path / turns;
        assert!(turns > 10.0 && (pitch - 1.0).abs() < 0.01, "{}: {pitch} over {turns}", backend.name());
    }
}

#[test]
fn a_gear_with_half_the_teeth_turns_twice_as_fast() {
    let [large, large_mesh] = part("large", "gear", &[("diameter", 2.8), ("teeth", 28.0)]);
    // half a tooth further, so that gaps face teeth
    let [small, small_mesh] =
        part("small", "gear", &[("diameter", 1.4), ("teeth", 14.0), ("alpha", PI / 14.0)]);
    let text = format!(
        "<mujoco><extension>{large}{small}</extension><asset>{large_mesh}{small_mesh}</asset>
        <option sdf_iterations='5' sdf_initpoints='20'/>
        <default><geom solref='.01 1' solimp='.95 .99 .0001' friction='.2'/></default>
        <worldbody><body><joint name='drive' axis='0 0 1' damping='.1'/>{}</body>
        <body pos='2.15 0 0'><joint axis='0 0 1' damping='20'/>{}</body></worldbody>
        <actuator><velocity joint='drive' kv='2000'/></actuator></mujoco>",
        geom("large"),
        geom("small")
    );
    for backend in BACKENDS {
        let mut batch = open(&text, backend);
        batch.set("ctrl", .., &[2.0 * PI]).unwrap();
        batch.step(250).unwrap();
        let before = get(&mut batch, "qpos");
        batch.step(750).unwrap();
        let after = get(&mut batch, "qpos");
        let turned = [0, 1].map(|k| (after[k] - before[k]) / (2.0 * PI));
        let ratio = -turned[1] / turned[0];
        assert!(turned[0] > 0.7 && (ratio - 2.0).abs() < 0.02, "{}: {turned:?}", backend.name());
    }
}

/// The wall of the bowl is as thick on either side of its radius, so that a ball has its centre above the lowest point.
#[test]
fn a_ball_comes_to_rest_in_the_bowl() {
    let (radius, thickness, ball) = (1.0, 0.02, 0.15);
    let [bowl, mesh] = part("bowl", "bowl", &[("height", 0.4), ("radius", radius), ("thickness", thickness)]);
    let text = format!(
        "<mujoco><extension>{bowl}</extension><asset>{mesh}</asset><option sdf_iterations='5' sdf_initpoints='20'/>
        <default><geom solref='.01 1' solimp='.95 .99 .0001' condim='1'/></default>
        <worldbody><body euler='20 -15 0'>{}</body><body pos='.3 -.2 -.4'><joint type='free' damping='2'/>
        <geom size='{ball}' mass='1'/></body></worldbody></mujoco>",
        geom("bowl")
    );
    for backend in BACKENDS {
        let mut batch = open(&text, backend);
        batch.step(4000).unwrap();
        let (at, speed) = (get(&mut batch, "qpos"), get(&mut batch, "qvel"));
        let low = -(radius - thickness - ball);
        let what = format!("{}: at {at:?} with {speed:?}", backend.name());
        assert!((at[2] - low).abs() < 2e-3 && at[0].hypot(at[1]) < 0.01, "{what}");
        // normals of neighbouring starts differ a little
        assert!(speed[..3].iter().all(|v| v.abs() < 0.01), "{what}");
    }
}
