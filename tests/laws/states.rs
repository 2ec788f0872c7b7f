//! States of laws: their rates, where they begin, and where they are kept.

use std::path::Path;

use super::{BACKENDS, Backend, Batch, get, near, open, tolerance};
use manyworlds::model::Model;
use manyworlds::spec::Spec;

/// An oscillator of 3 rad/s, beside a joint and an actuator with an activation of its own.
const OSCILLATOR: &str = r#"<mujoco><option timestep="0.002" integrator="{integrator}"/>
  <custom>
    <numeric name="wave" data="1 0.5"/>
    <numeric name="other" data="7"/>
    <text name="rate:wave" data="[wave[1], -9*wave[0]]"/>
    <text name="formula:seen" data="wave"/>
  </custom>
  <worldbody><body><joint name="a" type="slide"/><geom size=".1"/></body></worldbody>
  <actuator><general joint="a" dyntype="integrator"/></actuator>
  <sensor><user name="seen" dim="2"/></sensor>
  <keyframe><key name="k" qpos="0.3" act="0.25"/></keyframe></mujoco>"#;

fn oscillator(integrator: &str) -> Model {
    manyworlds::load_str(&OSCILLATOR.replace("{integrator}", integrator)).unwrap()
}

#[test]
fn an_oscillator_is_exact_by_runge_kutta() {
    let model = oscillator("RK4");
    assert_eq!(model.sizes.na, 3);
    let (sin, cos) = 3f64.sin_cos();
    // x = cos 3t + 0.5/3 sin 3t
    let want = [0.0, cos + sin / 6.0, 0.5 * cos - 3.0 * sin];
    for backend in BACKENDS {
        let mut batch = open(&model, 1, *backend);
        batch.step(500).unwrap();
        near(&get(&mut batch, "act"), &want, tolerance(*backend, 1e-10, 1e-4), backend.name());
        // a sensor of a step sees the state that the step began with
        batch.forward().unwrap();
        near(&get(&mut batch, "sensordata"), &want[1..], tolerance(*backend, 1e-10, 1e-4), backend.name());
    }
}

#[test]
fn other_integrators_take_rates_times_the_time_step() {
    for integrator in ["Euler", "implicit", "implicitfast"] {
        let model = oscillator(integrator);
        let mut wave = [1.0, 0.5];
        for _ in 0..200 {
            wave = [wave[0] + 0.002 * wave[1], wave[1] - 0.002 * (9.0 * wave[0])];
        }
        for backend in BACKENDS {
            let mut batch = open(&model, 1, *backend);
            batch.step(200).unwrap();
            let what = format!("{integrator} on {}", backend.name());
            near(&get(&mut batch, "act")[1..], &wave, tolerance(*backend, 1e-13, 1e-5), &what);
        }
    }
}

/// Stages of a Runge-Kutta step see their own time: Simpson's rule, which is exact for cubics.
#[test]
fn stages_of_a_step_have_their_own_time() {
    for (rate, want) in [("time^3", 0.25), ("4*time - 3*time^2", 1.0)] {
        let model = manyworlds::load_str(&format!(
            r#"<mujoco><option timestep="0.25" integrator="RK4"/><custom><numeric name="x" data="0"/>
               <text name="rate:x" data="{rate}"/></custom>
               <worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>"#
        ))
        .unwrap();
        for backend in BACKENDS {
            let mut batch = open(&model, 1, *backend);
            batch.step(4).unwrap();
            near(&get(&mut batch, "act"), &[want], tolerance(*backend, 1e-13, 1e-6), rate);
            near(&get(&mut batch, "time"), &[1.0], 1e-6, backend.name());
        }
    }
}

#[test]
fn resets_put_states_back_to_their_numerics() {
    let model = oscillator("Euler");
    for backend in BACKENDS {
        let mut batch = open(&model, 3, *backend);
        let start = get(&mut batch, "act");
        assert_eq!(start, [0.0, 1.0, 0.5, 0.0, 1.0, 0.5, 0.0, 1.0, 0.5]);
        batch.step(10).unwrap();
        let moved = get(&mut batch, "act");
        batch.reset(1..2, None).unwrap();
        batch.reset(2..3, Some(0)).unwrap();
        let after = get(&mut batch, "act");
        assert_eq!(after[..3], moved[..3], "{}", backend.name());
        // the keyframe has the activation of the actuator
        assert_eq!(after[3..], [0.0, 1.0, 0.5, 0.25, 1.0, 0.5], "{}", backend.name());
    }
}

/// A world that diverges begins anew with its states.
#[test]
fn worlds_that_diverge_begin_with_their_numerics() {
    let model = oscillator("Euler");
    for backend in BACKENDS {
        let mut batch = open(&model, 2, *backend);
        batch.step(10).unwrap();
        batch.set("qvel", .., &[0.0, f64::NAN]).unwrap();
        batch.step(1).unwrap();
        let act = get(&mut batch, "act");
        let bound = tolerance(*backend, 1e-13, 1e-6);
        near(&act[4..], &[1.0 + 0.002 * 0.5, 0.5 - 0.018], bound, backend.name());
        assert!((act[1] - 1.0).abs() > 5e-3, "the other goes on");
        assert_eq!(get(&mut batch, "nreset"), [0.0, 1.0]);
    }
}

#[test]
fn snapshots_and_states_keep_what_laws_remember() {
    let model = oscillator("RK4");
    for backend in BACKENDS {
        let mut batch = open(&model, 2, *backend);
        batch.step(7).unwrap();
        let snapshot = batch.snapshot().unwrap();
        batch.step(20).unwrap();
        let first = get(&mut batch, "act");
        batch.restore(&snapshot).unwrap();
        batch.step(20).unwrap();
        assert_eq!(get(&mut batch, "act"), first, "{}", backend.name());
        let mut fresh = open(&model, 2, *backend);
        fresh.restore(&snapshot).unwrap();
        fresh.step(20).unwrap();
        assert_eq!(get(&mut fresh, "act"), first, "{}", backend.name());
    }
}

/// Laws are texts of the model: whatever keeps texts keeps them.
#[test]
fn saved_models_keep_their_laws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/laws");
    let texts = ["wing.xml", "series_elastic.xml", "magnets.xml", "one_way.xml"]
        .map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    for text in texts.into_iter().chain([OSCILLATOR.replace("{integrator}", "Euler")]) {
        let spec = Spec::from_text(&text).unwrap();
        let model = spec.compile().unwrap();
        let (compiled, saved) = (model.to_mwb(), spec.to_xml(Path::new(".")).unwrap());
        let again = [Model::from_mwb(&compiled).unwrap(), manyworlds::load_str(&saved).unwrap()];
        assert_eq!(again[0], model);
        let moved = |model: &Model| {
            let mut batch: Batch = open(model, 1, Backend::Cpu);
            batch.reset(.., (model.sizes.nkey > 0).then_some(0)).unwrap();
            batch.step(50).unwrap();
            ["qpos", "qvel", "act"].map(|field| batch.get(field, ..).ok().map(|values| values.data))
        };
        let want = moved(&model);
        for model in &again {
            assert!(model.formulas.as_ref().is_some_and(|formulas| formulas.acts()), "{}", model.names.model);
            assert_eq!(moved(model), want, "{}", model.names.model);
        }
    }
}

/// Sensors that a law reads are those of the step before, also within one call.
#[test]
fn laws_see_the_sensors_of_the_step_before() {
    let text = r#"<mujoco><option timestep="0.01" gravity="0 0 0"/>
      <custom><numeric name="way" data="0"/><text name="rate:way" data="seen"/></custom>
      <worldbody><body><joint name="a" type="slide"/><geom size=".1"/></body></worldbody>
      <sensor><jointpos name="seen" joint="a"/></sensor></mujoco>"#;
    let model = manyworlds::load_str(text).unwrap();
    for backend in BACKENDS {
        let mut batch = open(&model, 1, *backend);
        batch.set("qvel", .., &[2.0]).unwrap();
        batch.step(10).unwrap();
        // none, then 0, 0.02, … 0.16
        let want = 0.01 * (0..9).map(|k| 0.02 * f64::from(k)).sum::<f64>();
        near(&get(&mut batch, "act"), &[want], tolerance(*backend, 1e-13, 1e-6), backend.name());
    }
}
