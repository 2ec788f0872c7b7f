//! Identification: parameters recovered from simulated recordings with noise, what a recording does not determine, bounds,
//! bits, and what is refused.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::load_str;
use manyworlds::model::Model;
use manyworlds_control::identification::least_squares::{Bound, Options, Stop};
use manyworlds_control::identification::{Estimate, Fit, FitOptions, Parameter, ReadOptions, Recording, fit};

/// Three links of an arm on a vertical axis, with friction in the elbow.
fn arm(upper: f64, fore: f64, hand: f64, loss: f64, damping: f64) -> Model {
    load_str(&format!(
        r#"<mujoco>
             <option timestep="0.005" integrator="implicitfast"/>
             <worldbody>
               <body name="upper" pos="0 0 1">
                 <joint name="shoulder" axis="0 1 0" damping="0.3"/>
                 <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.4" mass="{upper}"/>
                 <body name="fore" pos="0 0 -0.4">
                   <joint name="elbow" axis="0 1 0" damping="{damping}" frictionloss="{loss}"/>
                   <geom type="capsule" size="0.025" fromto="0 0 0 0 0 -0.3" mass="{fore}"/>
                   <body name="hand" pos="0 0 -0.3">
                     <joint name="wrist" axis="1 0 0" damping="0.05"/>
                     <geom type="box" size="0.02 0.04 0.06" pos="0 0 -0.06" mass="{hand}"/>
                     <site name="tip" pos="0 0 -0.12"/>
                   </body>
                 </body>
               </body>
             </worldbody>
             <actuator><motor joint="shoulder"/><motor joint="elbow"/><motor joint="wrist"/></actuator>
             <sensor><framequat objtype="site" objname="tip"/><jointvel joint="elbow"/></sensor>
           </mujoco>"#
    ))
    .unwrap()
}

/// A box that is pushed over a floor; guided, so that it does not rattle: contacts that come and go make the cost jagged.
fn sliding(friction: f64) -> Model {
    load_str(&format!(
        r#"<mujoco>
             <option timestep="0.002" cone="elliptic"/>
             <worldbody>
               <geom name="floor" type="plane" size="5 5 0.1" friction="{friction} 0.005 0.0001"/>
               <body name="box" pos="0 0 0.05">
                 <joint name="along" type="slide" axis="1 0 0"/>
                 <joint name="across" type="slide" axis="0 1 0"/>
                 <joint name="up" type="slide" axis="0 0 1" damping="1000"/>
                 <geom type="box" size="0.1 0.1 0.05" mass="1" friction="0.01 0.005 0.0001"/>
               </body>
             </worldbody>
             <actuator><motor joint="along"/><motor joint="across" gear="3"/><motor joint="up"/></actuator>
           </mujoco>"#
    ))
    .unwrap()
}

/// Torques that move all joints: sums of sines.
fn excitation(steps: usize, dt: f64) -> Vec<f64> {
    let torque = |t: f64, joint: usize| {
        let [large, small] = [[5.0, 3.0], [2.0, 1.3], [0.25, 0.15]][joint];
        let j = joint as f64;
        large * ((2.1 + j) * t + j).sin() + small * ((5.3 + 2.0 * j) * t + 2.0 * j).sin()
    };
    (0..steps).flat_map(|k| (0..3).map(move |j| torque(dt * k as f64, j))).collect()
}

/// Normal numbers of a seed (Marsaglia's xorshift, and Box and Muller).
struct Noise(u64);

impl Noise {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (self.unit(), self.unit());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

type Arrays = BTreeMap<String, Array>;

/// Frames of a rollout, `[frame, world, …]`; its noise is a part of the root mean square of each element.
fn recorded(model: &Model, steps: usize, start: &[(&str, &[f64])], noise: f64, seed: u64) -> Arrays {
    let mut batch = Batch::new(model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
    start.iter().for_each(|(name, values)| batch.set(name, .., *values).unwrap());
    let ctrl = if model.sizes.nu > 0 { excitation(steps, model.opt_timestep[0]) } else { Vec::new() };
    let mut names = vec!["qpos", "qvel", "time", "xpos"];
    if model.sizes.nu > 0 {
        names.extend(["ctrl", "sensordata"]);
    }
    let arrays = batch.rollout(steps, Some(&ctrl), &names, 1).unwrap();
    let mut noises = Noise(seed);
    let of = |(name, array): (&&str, Array)| {
        let mut values = array.data.to_f64();
        if ["qpos", "qvel"].contains(name) && noise > 0.0 {
            let width = values.len() / steps;
            for element in 0..width {
                let column = || (0..steps).map(|f| f * width + element).collect::<Vec<_>>();
                let mean = column().iter().map(|i| values[*i]).sum::<f64>() / steps as f64;
                let square: f64 = column().iter().map(|i| (values[*i] - mean).powi(2)).sum();
                let size = noise * (square / steps as f64).sqrt();
                column().iter().for_each(|i| values[*i] += size * noises.normal());
            }
        }
        let mut shape = array.shape;
        shape.swap(0, 1);
        ((*name).to_owned(), Array { shape, data: ArrayData::F64(values) })
    };
    names.iter().zip(arrays).map(of).collect()
}

fn parameters(model: &Model, texts: &[&str]) -> Vec<Parameter> {
    texts.iter().flat_map(|text| Parameter::parse(text, model).unwrap()).collect()
}

fn on_cpu() -> FitOptions {
    FitOptions { batch: BatchOptions::on(Backend::Cpu), ..FitOptions::default() }
}

fn fitted(model: &Model, arrays: &Arrays, read: &ReadOptions, texts: &[&str]) -> Fit {
    let recording = Recording::from_arrays(arrays, model, read).unwrap();
    fit(model, &recording, &parameters(model, texts), &on_cpu()).unwrap()
}

fn refused(model: &Model, arrays: &Arrays, read: &ReadOptions, texts: &[&str]) -> String {
    let done = Recording::from_arrays(arrays, model, read)
        .and_then(|recording| fit(model, &recording, &parameters(model, texts), &on_cpu()));
    done.unwrap_err().to_string()
}

fn of<'f>(found: &'f Fit, name: &str) -> &'f Estimate {
    found.estimates.iter().find(|e| e.name == name).unwrap()
}

fn near(found: &Fit, name: &str, wanted: f64, part: f64) {
    let estimate = of(found, name);
    let off = (estimate.value / wanted - 1.0).abs();
    assert!(off <= part, "{name}: {} for {wanted}", estimate.value);
    // and within what the deviation allows
    let deviation = estimate.deviation.unwrap();
    assert!((estimate.value - wanted).abs() < 4.0 * deviation, "{name}: {} ± {deviation}", estimate.value);
}

const MASSES: [&str; 3] = ["mass:upper=0.2..10", "mass:fore=log:0.05..10", "mass:hand=0.02..5"];

#[test]
fn masses_and_joint_friction_are_recovered_from_noise() {
    let truth = arm(2.0, 1.1, 0.45, 0.15, 0.2);
    let arrays = recorded(&truth, 801, &[("qvel", &[0.5, -0.3, 1.0])], 0.01, 7);
    let model = arm(1.4, 1.6, 0.6, 0.05, 0.1);
    let frictions = ["dof_frictionloss:elbow=0..1", "dof_damping:elbow=0..2"];
    let texts = [&MASSES[..], &frictions, &["start_qpos", "start_qvel"]].concat();
    let found = fitted(&model, &arrays, &ReadOptions::default(), &texts);
    assert!(found.has_converged() && found.cost < 0.01 * found.start_cost);
    near(&found, "mass:upper", 2.0, 0.01);
    near(&found, "mass:fore", 1.1, 0.01);
    near(&found, "mass:hand", 0.45, 0.01);
    near(&found, "dof_frictionloss:elbow", 0.15, 0.03);
    near(&found, "dof_damping:elbow", 0.2, 0.03);
    // residuals of the noise, one part in a hundred of the motion that they are measured by
    let square = 2.0 * found.cost / found.residuals.len() as f64;
    assert!((0.9..1.1).contains(&(square.sqrt() / 0.01)), "{square}");
    // the model that was found has the values, and what follows from them
    let hand = found.model.id(manyworlds::schema::Kind::Body, "hand").unwrap();
    assert_eq!(found.model.body_mass[hand], of(&found, "mass:hand").value);
    let ratio = found.model.body_inertia[3 * hand] / model.body_inertia[3 * hand];
    assert!((ratio - found.model.body_mass[hand] / 0.6).abs() < 1e-12);
    assert!((found.model.body_subtreemass[hand] - found.model.body_mass[hand]).abs() < 1e-12);
}

#[test]
fn short_segments_find_the_same() {
    let truth = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let arrays = recorded(&truth, 301, &[], 0.0, 1);
    let model = arm(1.0, 2.0, 1.0, 0.0, 0.2);
    for segment in [None, Some(70), Some(10)] {
        let read = ReadOptions { segment, ..ReadOptions::default() };
        let found = fitted(&model, &arrays, &read, &MASSES);
        for (estimate, wanted) in found.estimates.iter().zip([2.0, 1.1, 0.45]) {
            assert!((estimate.value / wanted - 1.0).abs() < 1e-6, "{segment:?}: {}", estimate.value);
        }
        assert!(found.errors.iter().all(|(_, rms)| *rms < 1e-6), "{:?}", found.errors);
    }
}

#[test]
fn the_friction_of_a_contact_is_recovered_from_noise() {
    let start = [("qvel", &[1.5, 0.6, 0.0][..])];
    let arrays = recorded(&sliding(0.42), 601, &start, 0.01, 3);
    // where it begins on the floor is a shift; how fast it begins is nearly known
    let texts = ["geom_friction:floor[0]=0.1..2", "start_qpos:along", "start_qpos:across"];
    let found = fitted(&sliding(0.9), &arrays, &ReadOptions::default(), &texts);
    near(&found, "geom_friction:floor[0]", 0.42, 0.03);
}

#[test]
fn sensors_and_quaternions_are_compared_too() {
    let truth = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let mut arrays = recorded(&truth, 201, &[], 0.0, 1);
    // the negative of a quaternion is the same turn
    if let ArrayData::F64(values) = &mut arrays.get_mut("sensordata").unwrap().data {
        values.chunks_mut(5).step_by(3).for_each(|row| row[..4].iter_mut().for_each(|x| *x = -*x));
    }
    let read = ReadOptions {
        fields: vec![("sensordata".to_owned(), Some(0.1)), ("xpos".to_owned(), None)],
        segment: Some(60),
    };
    let found = fitted(&arm(1.5, 1.5, 0.7, 0.0, 0.2), &arrays, &read, &MASSES);
    for (estimate, wanted) in found.estimates.iter().zip([2.0, 1.1, 0.45]) {
        assert!((estimate.value / wanted - 1.0).abs() < 1e-5, "{}", estimate.value);
    }
}

#[test]
fn a_start_is_corrected_along_tangents() {
    let model = load_str(
        r#"<mujoco><option gravity="0 0 0" timestep="0.005"/><worldbody><body><freejoint name="root"/>
           <geom size="0.1"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    let start = [("qvel", &[1.0, 0.0, 0.0, 0.0, 0.0, 2.0][..])];
    let mut arrays = recorded(&model, 201, &start, 0.0, 1);
    // the first orientation was measured wrongly, by a turn of 0.2 about the vertical instead of that of a step
    if let ArrayData::F64(values) = &mut arrays.get_mut("qpos").unwrap().data {
        values[3..7].copy_from_slice(&[0.1f64.cos(), 0.0, 0.0, 0.1f64.sin()]);
    }
    let found = fitted(&model, &arrays, &ReadOptions::default(), &["start_qpos:root[5]"]);
    // the wrong one counts as one of 201
    let (value, wanted) = (found.estimates[0].value, -0.19 * 200.0 / 201.0);
    assert!((value - wanted).abs() < 1e-5, "{value} {wanted}");
}

#[test]
fn a_bound_that_is_reached_is_told() {
    let truth = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let arrays = recorded(&truth, 201, &[], 0.0, 1);
    let model = arm(1.5, 1.1, 0.45, 0.0, 0.2);
    let found = fitted(&model, &arrays, &ReadOptions::default(), &["mass:upper=1..1.8", "mass:hand"]);
    let upper = of(&found, "mass:upper");
    assert_eq!((upper.value, upper.bound, upper.deviation), (1.8, Some(Bound::Upper), None));
    assert!(of(&found, "mass:hand").bound.is_none() && of(&found, "mass:hand").deviation.is_some());
    assert!(found.covariance[0].is_nan() && found.covariance[3] > 0.0);
}

#[test]
fn what_a_recording_does_not_determine_is_told() {
    let truth = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let arrays = recorded(&truth, 151, &[], 0.0, 1);
    // the arm touches nothing, and the world does not move
    let texts = ["mass:hand", "jnt_solref:wrist[0]", "dof_damping:elbow"];
    let found = fitted(&arm(2.0, 1.1, 0.6, 0.0, 0.3), &arrays, &ReadOptions::default(), &texts);
    let told: Vec<bool> = found.estimates.iter().map(|e| e.identifiable).collect();
    assert_eq!(told, [true, false, true]);
    let idle = of(&found, "jnt_solref:wrist[0]");
    assert_eq!((idle.value, idle.deviation), (idle.start, None));
    assert!((of(&found, "mass:hand").value - 0.45).abs() < 1e-5);
    // two dampers on one joint act as one: only their sum counts
    let model = load_str(
        r#"<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody>
           <actuator><general name="d" joint="j" biastype="affine" biasprm="0 0 -0.1"/><motor joint="j"/>
           <general name="e" joint="j" biastype="affine" biasprm="0 0 -0.1"/></actuator></mujoco>"#,
    )
    .unwrap();
    let arrays = recorded(&model, 101, &[], 0.0, 1);
    let texts = ["actuator_biasprm:d[2]@-0.15", "actuator_biasprm:e[2]"];
    let found = fitted(&model, &arrays, &ReadOptions::default(), &texts);
    assert!(found.estimates.iter().all(|e| !e.identifiable && e.deviation.is_none()));
    let sum = found.estimates[0].value + found.estimates[1].value;
    assert!((sum + 0.2).abs() < 1e-4, "{sum}");
}

#[test]
fn the_same_recording_gives_the_same_bits() {
    let truth = arm(2.0, 1.1, 0.45, 0.1, 0.2);
    let arrays = recorded(&truth, 101, &[], 0.01, 5);
    let read = ReadOptions { segment: Some(25), ..ReadOptions::default() };
    let once =
        || fitted(&arm(1.5, 1.5, 0.6, 0.05, 0.2), &arrays, &read, &[&MASSES[..], &["start_qvel"]].concat());
    let (a, b) = (once(), once());
    let bits = |f: &Fit| f.estimates.iter().map(|e| e.value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&a), bits(&b));
    assert_eq!(a.history, b.history);
    assert_eq!(a.jacobian, b.jacobian);
    // starts of four segments are columns of one world each
    assert_eq!(a.estimates.len(), 3 + 3 * 4);
    assert!(a.estimates[3].name.starts_with("start_qvel[0] of world 0, frames 0 to 25"));
}

#[test]
fn both_backends_find_the_same() {
    let truth = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let arrays = recorded(&truth, 61, &[], 0.0, 1);
    let model = arm(1.5, 1.4, 0.6, 0.0, 0.2);
    let read = ReadOptions { segment: Some(20), ..ReadOptions::default() };
    let recording = Recording::from_arrays(&arrays, &model, &read).unwrap();
    let options = FitOptions { batch: BatchOptions::on(Backend::Gpu), ..FitOptions::default() };
    let found = fit(&model, &recording, &parameters(&model, &MASSES), &options).unwrap();
    for (estimate, wanted) in found.estimates.iter().zip([2.0, 1.1, 0.45]) {
        assert!((estimate.value / wanted - 1.0).abs() < 0.005, "{}: {}", estimate.name, estimate.value);
    }
}

#[test]
fn too_few_iterations_are_told() {
    let truth = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let arrays = recorded(&truth, 101, &[], 0.0, 1);
    let model = arm(1.0, 2.0, 1.0, 0.0, 0.2);
    let recording = Recording::from_arrays(&arrays, &model, &ReadOptions::default()).unwrap();
    let search = Some(Options { iterations: 1, ..Options::DOUBLE });
    let options = FitOptions { search, ..on_cpu() };
    let found = fit(&model, &recording, &parameters(&model, &MASSES), &options).unwrap();
    assert_eq!((found.stop, found.has_converged(), found.history.len()), (Stop::Iterations, false, 1));
}

#[test]
fn wrong_recordings_are_refused_with_their_place() {
    let model = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let arrays = recorded(&model, 21, &[], 0.0, 1);
    let says = |change: &dyn Fn(&mut Arrays), read: &ReadOptions, part: &str| {
        let mut arrays = arrays.clone();
        change(&mut arrays);
        let said = refused(&model, &arrays, read, &["mass:hand"]);
        assert!(said.contains(part), "{said}");
    };
    let usual = ReadOptions::default();
    let put = |name: &'static str, at: usize, x: f64| {
        move |arrays: &mut Arrays| {
            if let ArrayData::F64(values) = &mut arrays.get_mut(name).unwrap().data {
                values[at] = x;
            }
        }
    };
    says(&|a| drop(a.remove("qpos")), &usual, "has no array 'qpos'");
    says(&|a| drop(a.remove("ctrl")), &usual, "has no array 'ctrl' [frame, world, 3]");
    says(&|a| a.get_mut("qvel").unwrap().shape = vec![21, 3], &usual, "'qvel' has shape [21, 3]");
    says(&put("qvel", 3 * 5 + 1, f64::NAN), &usual, "'qvel' is NaN in frame 5, world 0, element 1");
    says(&put("time", 7, 0.0), &usual, "the time of world 0 goes from 0.035 to 0 at frame 7");
    let read = |name: &str, deviation: Option<f64>| ReadOptions {
        fields: vec![(name.to_owned(), deviation)],
        segment: None,
    };
    says(&|_| (), &read("qpoz", None), "did you mean 'qpos'?");
    says(&|_| (), &read("xquat", None), "has no array 'xquat'");
    says(&|_| (), &read("contact_pos", None), "cannot be measured");
    says(&|_| (), &read("qpos", Some(0.0)), "a deviation of 'qpos' is 0");
    says(&|_| (), &ReadOptions { segment: Some(0), ..usual.clone() }, "at least one frame");
    // the size of a residual
    let mut recording = Recording::from_arrays(&arrays, &model, &usual).unwrap();
    recording.measured[0].deviation.pop();
    let said =
        fit(&model, &recording, &parameters(&model, &["mass:hand"]), &on_cpu()).unwrap_err().to_string();
    assert!(said.contains("'qpos' has 2 deviations; its residual has 3 elements"), "{said}");
    let mut recording = Recording::from_arrays(&arrays, &model, &usual).unwrap();
    recording.segments[0].frames[1].pop();
    let said =
        fit(&model, &recording, &parameters(&model, &["mass:hand"]), &on_cpu()).unwrap_err().to_string();
    assert!(
        said.contains("'qvel' of segment world 0, frames 0 to 20 has 59 numbers; 20 frames need 60"),
        "{said}"
    );
    // elements that are set twice
    let said = refused(&model, &arrays, &usual, &["mass:hand", "body_mass:hand"]);
    assert!(said.contains("'body_mass' is set by 'mass:hand' and by 'body_mass:hand'"), "{said}");
    assert!(refused(&model, &arrays, &usual, &[]).contains("0 variables"));
}

#[test]
fn a_model_that_diverges_is_refused_with_its_step() {
    let model = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let mut arrays = recorded(&model, 41, &[], 0.0, 1);
    // a torque that no number holds for long
    if let ArrayData::F64(values) = &mut arrays.get_mut("ctrl").unwrap().data {
        values[3 * 12] = 1e13;
    }
    let read = ReadOptions { segment: Some(10), ..ReadOptions::default() };
    let said = refused(&model, &arrays, &read, &["mass:hand"]);
    assert!(said.contains("world 0, frames 10 to 20 is not finite at the start"), "{said}");
    assert!(said.contains("after 2 steps") && said.contains("mass:hand = 0.45"), "{said}");
}

#[test]
fn a_cost_that_is_not_finite_is_refused() {
    let model = arm(2.0, 1.1, 0.45, 0.0, 0.2);
    let mut arrays = recorded(&model, 21, &[], 0.0, 1);
    if let ArrayData::F64(values) = &mut arrays.get_mut("qvel").unwrap().data {
        values[3 * 4] = 1e200;
    }
    let read = ReadOptions { fields: vec![("qvel".to_owned(), Some(1.0))], segment: None };
    let said = refused(&model, &arrays, &read, &["mass:hand"]);
    assert!(
        said.contains("the cost is not finite at the start") && said.contains("'qvel' [0] after 4 steps"),
        "{said}"
    );
}
