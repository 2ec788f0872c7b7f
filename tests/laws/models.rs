//! The models of `models/laws`, against the closed forms of what they show.

use super::{BACKENDS, Backend, Batch, example, get, near, open, tolerance};
use manyworlds::model::Model;

/// A world of a model where it comes to rest on the CPU, in double precision, and some steps further on a backend.
fn settled(model: &Model, key: Option<usize>, steps: usize, backend: Backend) -> Batch {
    let mut long = open(model, 1, Backend::Cpu);
    long.reset(.., key).unwrap();
    long.step(steps).unwrap();
    let mut batch = open(model, 1, backend);
    for field in ["qpos", "qvel", "act"] {
        if !long.has(field) {
            continue;
        }
        let values = get(&mut long, field);
        if !values.is_empty() {
            batch.set(field, .., &values).unwrap();
        }
    }
    batch.step(100).unwrap();
    batch.forward().unwrap();
    batch
}

/// In a steady glide the tail flies at no angle of attack, the wings at their incidence; drag is to lift as height to way.
#[test]
fn a_glider_glides_by_its_coefficients() {
    let model = example("wing.xml");
    let (air, area, slope, drag) = (1.2, [0.2, 0.06], 5.0, [0.06, 0.06]);
    let (sin, cos) = 6f64.to_radians().sin_cos();
    let lift: f64 = slope * sin * cos;
    let resistance = 2.0 * area[0] * (drag[0] + drag[1] * lift * lift) + area[1] * drag[0];
    let ratio = 2.0 * area[0] * lift / resistance;
    // weight is carried by both
    let force = 0.5 * air * (2.0 * area[0] * lift).hypot(resistance);
    let speed = (0.8f64 * 9.81 / force).sqrt();
    for backend in BACKENDS {
        let mut batch = settled(&model, Some(0), 12_000, *backend);
        let bound = tolerance(*backend, 1e-4, 1e-3);
        near(&get(&mut batch, "sensordata"), &[ratio, 6.0], bound, backend.name());
        let velocity = get(&mut batch, "qvel");
        near(&[velocity[0].hypot(velocity[2])], &[speed], bound, backend.name());
        // straight ahead
        assert!(velocity[1].abs() < 1e-2 && velocity[3..].iter().all(|w| w.abs() < 1e-2), "{velocity:?}");
    }
}

/// At rest a spring is turned by the torque of gravity over its stiffness, and the rotor by that over the servo's.
#[test]
fn springs_of_arms_are_turned_by_torque_over_stiffness() {
    let model = example("series_elastic.xml");
    for backend in BACKENDS {
        let mut batch = settled(&model, None, 15_000, *backend);
        let (angles, act) = (get(&mut batch, "qpos"), get(&mut batch, "act"));
        let bound = tolerance(*backend, 1e-9, 1e-4);
        // bars of 0.3 kg around 0.225 m, loads of 0.8 kg at 0.42 m
        let torque: Vec<f64> =
            angles.iter().map(|angle| 9.81 * (0.3 * 0.225 + 0.8 * 0.42) * angle.cos()).collect();
        let stiffness = [10.0, 20.0, 60.0];
        let want: Vec<f64> = (0..3).map(|k| -torque[k] / stiffness[k]).collect();
        near(&get(&mut batch, "sensordata"), &want, bound, backend.name());
        let rotors: Vec<f64> = (0..3).map(|k| act[2 * k]).collect();
        near(&rotors, &torque.iter().map(|t| t / 80.0).collect::<Vec<_>>(), bound, backend.name());
        let deflection: Vec<f64> = (0..3).map(|k| rotors[k] - angles[k]).collect();
        near(&deflection, &want, bound, backend.name());
    }
}

/// Kepler's third law, on a circle and on an ellipse; momentum, angular momentum and energy are kept.
#[test]
fn magnets_orbit_by_the_laws_of_kepler() {
    let model = example("magnets.xml");
    let (strength, masses) = (0.75, [0.5, 1.5]);
    let reduced = masses[0] * masses[1] / (masses[0] + masses[1]);
    for backend in BACKENDS {
        for slower in [1.0, 0.8] {
            let mut batch = open(&model, 1, *backend);
            batch.reset(.., Some(0)).unwrap();
            let start: Vec<f64> = get(&mut batch, "qvel").iter().map(|v| slower * v).collect();
            batch.set("qvel", .., &start).unwrap();
            let invariants = |batch: &mut Batch| {
                let (q, v) = (get(batch, "qpos"), get(batch, "qvel"));
                let part = |k: usize| ([q[7 * k], q[7 * k + 1]], [v[6 * k], v[6 * k + 1]]);
                let mut all = [0.0; 4];
                for (k, mass) in masses.into_iter().enumerate() {
                    let (x, v) = part(k);
                    all[0] += mass * v[0];
                    all[1] += mass * v[1];
                    all[2] += mass * (x[0] * v[1] - x[1] * v[0]);
                    all[3] += 0.5 * mass * (v[0] * v[0] + v[1] * v[1]);
                }
                let apart = (part(0).0[0] - part(1).0[0]).hypot(part(0).0[1] - part(1).0[1]);
                all[3] -= strength / apart;
                (all, apart)
            };
            let (before, _) = invariants(&mut batch);
            // half the largest axis by the energy, and the period by that
            let axis = -strength / (2.0 * before[3]);
            let period = std::f64::consts::TAU * (reduced * axis.powi(3) / strength).sqrt();
            assert!((slower < 1.0) == (axis < 0.79), "{axis}");
            // the red one begins at angle zero: where it is after a period, and where a step takes it
            let steps = (period / model.opt_timestep[0]).round() as usize;
            batch.step(steps - 20).unwrap();
            let mut last = get(&mut batch, "qpos")[1];
            let mut crossed = None;
            for k in steps - 19..steps + 20 {
                batch.step(1).unwrap();
                let now = get(&mut batch, "qpos")[1];
                if last < 0.0 && now >= 0.0 {
                    crossed = Some((k as f64 - now / (now - last)) * model.opt_timestep[0]);
                }
                last = now;
            }
            let found = crossed.expect("a whole orbit");
            let what = format!("{slower} on {}", backend.name());
            near(&[found], &[period], tolerance(*backend, 1e-6, 1e-3), &what);
            let (after, _) = invariants(&mut batch);
            near(&after, &before, tolerance(*backend, 1e-8, 1e-3), &what);
        }
    }
}
