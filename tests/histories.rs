//! Delays, histories and sampling intervals over many steps, on both backends; `tests/parity/models/delays.xml`
//! compares them with the reference step by step. A missing GPU adapter is a failure here, never a skip.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::analysis::derivatives::{Derivatives, DifferenceOptions, Knots};
use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::cpu;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::enums::status;

const WORLDS: usize = 5;
const NONE: Capacity = Capacity::NONE;

fn backends() -> [Backend; 2] {
    [Backend::Cpu, Backend::Gpu]
}

/// A cart with delayed control and delayed sensors.
fn cart(option: &str) -> Model {
    manyworlds::load_str(&format!(
        "<mujoco><option {option}/><worldbody><body><joint name='x' type='slide' damping='1'/><geom size='.1' mass='1'/>
           </body></worldbody>
         <actuator>
           <motor name='m' joint='x' delay='.02' nsample='4'/>
           <position joint='x' kp='3' delay='.013' nsample='5' interp='cubic'/>
         </actuator>
         <sensor>
           <jointpos joint='x' delay='.015' nsample='6' interp='linear'/>
           <jointvel joint='x' interval='.03' nsample='2'/>
           <clock interval='.02 -.01' nsample='2'/>
           <actuatorfrc actuator='m'/>
         </sensor></mujoco>"
    ))
    .unwrap()
}

fn open(model: &Model, backend: Backend) -> Batch {
    let options = BatchOptions { capacity: Some(NONE), ..BatchOptions::on(backend) };
    Batch::new(model, WORLDS, &options).expect("both backends have to work; software Vulkan is enough")
}

/// Steps under controls that differ by world and step.
fn drive(batch: &mut Batch, steps: std::ops::Range<usize>) {
    for step in steps {
        let wave = |w: usize, u: usize| (0.3 * step as f64 + w as f64 + 2.0 * u as f64).sin();
        let ctrl: Vec<f64> = (0..WORLDS).flat_map(|w| [wave(w, 0), wave(w, 1)]).collect();
        batch.set("ctrl", .., &ctrl).unwrap();
        batch.step(1).unwrap();
    }
}

fn only(world: usize) -> Vec<bool> {
    (0..WORLDS).map(|w| w == world).collect()
}

fn row(batch: &mut Batch, field: &str, world: usize) -> Vec<f64> {
    batch.get(field, &only(world)).unwrap().data.to_f64()
}

fn all(batch: &mut Batch, field: &str) -> Vec<f64> {
    batch.get(field, ..).unwrap().data.to_f64()
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-4 * (1.0 + b.abs()))
}

#[test]
fn both_backends_have_the_same_histories_after_many_steps() {
    for option in ["timestep='.01'", "timestep='.002'", "timestep='.01' integrator='RK4'"] {
        let model = cart(option);
        let [mut cpu, mut gpu] = backends().map(|b| open(&model, b));
        for part in 0..4 {
            let steps = 40 * part..40 * (part + 1) + part;
            drive(&mut cpu, steps.clone());
            drive(&mut gpu, steps);
            for field in ["qpos", "qvel", "history", "sensordata", "actuator_force"] {
                let (a, b) = (all(&mut gpu, field), all(&mut cpu, field));
                assert!(close(&a, &b), "{option} {field}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_control_acts_after_its_delay_and_a_sensor_holds_its_sample() {
    let model = cart("timestep='.01'");
    for backend in backends() {
        let mut batch = open(&model, backend);
        let mut seen = Vec::new();
        for step in 0..8 {
            let ctrl: Vec<f64> = (0..WORLDS).flat_map(|_| [f64::from(step + 1), 0.0]).collect();
            batch.set("ctrl", .., &ctrl).unwrap();
            batch.step(1).unwrap();
            let sensed = row(&mut batch, "sensordata", 2);
            seen.push((sensed[3], sensed[2]));
        }
        // delayed by two steps; sampled at .01, .03, .05, .07
        let force: Vec<f64> = seen.iter().map(|s| s.0).collect();
        assert_eq!(force, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{}", backend.name());
        let clock: Vec<f64> = seen.iter().map(|s| (1e4 * s.1).round() / 1e4).collect();
        assert_eq!(clock, [0.0, 0.01, 0.01, 0.03, 0.03, 0.05, 0.05, 0.07], "{}", backend.name());
    }
}

#[test]
fn a_masked_reset_restores_the_history_of_its_world_only() {
    let model = cart("timestep='.01'");
    for backend in backends() {
        let mut batch = open(&model, backend);
        let fresh = row(&mut batch, "history", 3);
        assert_eq!(fresh.len(), model.sizes.nhistory);
        drive(&mut batch, 0..17);
        let before: Vec<_> = (0..WORLDS).map(|w| row(&mut batch, "history", w)).collect();
        batch.reset(&only(3), None).unwrap();
        for (w, was) in before.iter().enumerate() {
            let now = row(&mut batch, "history", w);
            let want = if w == 3 { &fresh } else { was };
            assert_eq!(&now, want, "world {w} on {}", backend.name());
            assert_ne!(&now == was, w == 3, "world {w} on {}", backend.name());
        }
    }
}

#[test]
fn a_world_that_diverges_starts_with_an_empty_history_again() {
    for option in
        ["timestep='.01'", "timestep='.01' integrator='RK4'", "timestep='.01' integrator='implicit'"]
    {
        let model = cart(option);
        for backend in backends() {
            let (mut batch, mut clean) = (open(&model, backend), open(&model, backend));
            drive(&mut batch, 0..17);
            batch.set("qvel", &only(1), &[f64::NAN]).unwrap();
            batch.step(3).unwrap();
            assert_ne!(row(&mut batch, "status", 1)[0] as i32 & status::BAD_QVEL, 0);
            // a reset clears the controls too
            clean.step(3).unwrap();
            for field in ["history", "time", "qpos", "sensordata"] {
                let (a, b) = (row(&mut batch, field, 1), row(&mut clean, field, 1));
                assert!(close(&a, &b), "{option} {field} on {}: {a:?} {b:?}", backend.name());
            }
            assert_ne!(row(&mut batch, "history", 2), row(&mut clean, "history", 2));
        }
    }
}

#[test]
fn a_state_that_is_put_back_goes_on_as_before() {
    let model = cart("timestep='.01'");
    const STATE: [&str; 7] =
        ["time", "time_compensation", "qpos", "qvel", "history", "history_compensation", "qacc_warmstart"];
    for backend in backends() {
        let (mut one, mut two) = (open(&model, backend), open(&model, backend));
        drive(&mut one, 0..23);
        for field in STATE {
            two.set(field, .., &all(&mut one, field)).unwrap();
        }
        drive(&mut one, 23..40);
        drive(&mut two, 23..40);
        for field in ["qpos", "history", "sensordata"] {
            assert_eq!(all(&mut one, field), all(&mut two, field), "{field} on {}", backend.name());
        }
    }
}

#[test]
fn whatever_is_written_to_a_history_stays_in_its_world() {
    let model = cart("timestep='.01'");
    for backend in backends() {
        let (mut batch, mut clean) = (open(&model, backend), open(&model, backend));
        for bad in [f64::NAN, f64::INFINITY, -1e30, 1e30] {
            batch.set("history", &only(2), &vec![bad; model.sizes.nhistory]).unwrap();
            drive(&mut batch, 0..5);
            drive(&mut clean, 0..5);
            for w in (0..WORLDS).filter(|&w| w != 2) {
                assert_eq!(
                    row(&mut batch, "history", w),
                    row(&mut clean, "history", w),
                    "{bad} on {}",
                    backend.name()
                );
            }
        }
    }
}

#[test]
fn samples_keep_their_rate_in_single_precision() {
    let model = cart("timestep='.002'").cast::<f32>();
    let mut data = Data::new(&model, NONE);
    let (mut samples, mut last) = (0, data.history.clone());
    let adr = model.sensor_historyadr[2] as usize;
    for _ in 0..50_000 {
        cpu::step(&model, &mut data);
        samples += i32::from(data.history[adr] != last[adr]);
        last.clone_from(&data.history);
    }
    // a hundred seconds at .02 s, from .01 on
    assert!((data.time[0] - 100.0).abs() < 1e-4);
    assert_eq!(samples, 5000);
    assert!((data.history[adr] - 99.99).abs() < 1e-4, "{}", data.history[adr]);
}

#[test]
fn sensors_that_are_switched_off_have_histories() {
    let text = "<mujoco><option timestep='.01'><flag sensor='disable'/></option><worldbody/>
        <sensor><clock nsample='3'/></sensor></mujoco>";
    let model = manyworlds::load_str(text).unwrap();
    for backend in backends() {
        let mut batch = open(&model, backend);
        batch.step(3).unwrap();
        // as in the reference
        assert!(close(&row(&mut batch, "history", 0), &[-0.01, 2.0, 0.0, 0.01, 0.02, 0.0, 0.01, 0.02]));
        assert_eq!(row(&mut batch, "sensordata", 0), [0.0]);
    }
}

#[test]
fn a_late_control_has_no_slope_within_a_step() {
    let model = manyworlds::load_str(
        "<mujoco><option timestep='.01'/><worldbody><body><joint name='x' type='slide'/><geom size='.1' mass='1'/>
           </body></worldbody>
         <actuator><motor joint='x' delay='.02' nsample='4'/><motor joint='x'/></actuator></mujoco>",
    )
    .unwrap();
    let fields = [("qpos", vec![0.1]), ("qvel", vec![0.2]), ("ctrl", vec![3.0, 4.0])];
    let knots = Knots { count: 1, fields: fields.map(|(n, v)| (n.to_owned(), v)).into() };
    for backend in backends() {
        let options = DifferenceOptions { eps: 1e-2, centred: true };
        let mut d = Derivatives::new(&model, 1, options, &BatchOptions::on(backend)).unwrap();
        let slopes = d.transition(&knots).unwrap();
        // velocity by the two controls: zero, and time step over mass
        let by = &slopes.B[2..4];
        assert!(by[0].abs() < 1e-6 && (by[1] - 0.01).abs() < 1e-5, "{by:?} on {}", backend.name());
    }
}
