//! Physics of the CPU pipeline without an oracle: closed forms, conserved quantities, force balances, capacities, and
//! non-finite states.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::cpu;
use manyworlds::load_str;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::enums::disable;
use manyworlds::schema::enums::status;

/// Bodies on every joint type, with springs, damping, limits and dry friction.
const JOINTS: &str = include_str!("parity/models/joints.xml");
/// Every pair of primitives and every contact dimension.
const CONTACTS: &str = include_str!("parity/models/contacts.xml");
/// Tendons with limits, friction, springs and actuators.
const TENDONS: &str = include_str!("parity/models/tendons.xml");

/// Every force with a velocity derivative, in a fluid.
const FLUID: &str = include_str!("parity/models/fluid_implicit.xml");

fn load(text: &str) -> Model {
    load_str(text).unwrap()
}

fn world(model: &Model, nconmax: usize, njmax: usize) -> Data {
    Data::new(model, Capacity { nconmax, njmax })
}

/// A reproducible number in [-1, 1].
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn disturb(values: &mut [f64], size: f64, seed: &mut u64) {
    for x in values {
        *x += size * noise(seed);
    }
}

/// Product of the inertia matrix, stored as lower-triangle rows, with a vector.
fn mul_m(m: &Model, d: &Data, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; m.sizes.nv];
    manyworlds::cpu::smooth::factor_m::mul_m(m, &d.M, v, &mut out);
    out
}

/// Momentum of the tree of body `root` about its centre of mass: rotation, then translation.
fn momentum(m: &Model, d: &Data, root: i32) -> [f64; 6] {
    use manyworlds::cpu::math::{Spatial, Vec3, inertia, inertia_mul, spatial};
    let mut sum = Spatial::ZERO;
    for body in 1..m.sizes.nbody {
        if m.body_rootid[body] == root {
            sum += inertia_mul(inertia(&d.cinert, body), spatial(&d.cvel, body));
        }
    }
    let (Vec3([x, y, z]), Vec3([u, v, w])) = (sum.ang, sum.lin);
    [x, y, z, u, v, w]
}

#[test]
fn a_falling_body_follows_the_discrete_parabola() {
    let m = load_str(
        "<mujoco><worldbody><body pos='0 0 5'><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
    )
    .unwrap();
    let mut d = world(&m, 4, 16);
    d.qvel[0] = 2.0;
    for _ in 0..200 {
        cpu::step(&m, &mut d);
    }
    // n steps of semi-implicit Euler fall g h² n (n + 1) / 2
    let (h, n) = (0.002, 200.0);
    assert!((d.qpos[2] - (5.0 - 9.81 * h * h * n * (n + 1.0) / 2.0)).abs() < 1e-12);
    assert!((d.qpos[0] - 2.0 * h * n).abs() < 1e-12);
    assert!((d.time[0] - h * n).abs() < 1e-12);
}

#[test]
fn a_small_pendulum_has_its_period() {
    let m = load_str(
        "<mujoco><option timestep='1e-4'/><worldbody><body><joint axis='0 1 0'/>
         <inertial pos='0 0 -1' mass='1' diaginertia='1e-9 1e-9 1e-9'/></body></worldbody></mujoco>",
    )
    .unwrap();
    let mut d = world(&m, 1, 1);
    d.qpos[0] = 1e-3;
    let mut last = d.qpos[0];
    let mut crossings = Vec::new();
    while crossings.len() < 3 {
        cpu::step(&m, &mut d);
        if last * d.qpos[0] < 0.0 {
            crossings.push(d.time[0]);
        }
        last = d.qpos[0];
    }
    let period = crossings[2] - crossings[0];
    assert!((period - 2.0 * std::f64::consts::PI / 9.81_f64.sqrt()).abs() < 2e-4, "{period}");
}

#[test]
fn energy_is_conserved_without_dissipation() {
    for text in [JOINTS, TENDONS] {
        let mut m = load(text);
        m.opt_timestep[0] = 1e-5;
        m.opt_disableflags[0] |= disable::CONSTRAINT | disable::ACTUATION;
        m.dof_damping.fill(0.0);
        m.tendon_damping.fill(0.0);
        m.actuator_damping.fill(0.0);
        let mut d = world(&m, 1, 1);
        disturb(&mut d.qvel, 0.5, &mut 1);
        cpu::forward(&m, &mut d);
        let before = d.energy[0] + d.energy[1];
        assert!(d.energy[1] > 0.0);
        for _ in 0..5000 {
            cpu::step(&m, &mut d);
        }
        cpu::forward(&m, &mut d);
        let change = (d.energy[0] + d.energy[1] - before).abs();
        assert!(change < 1e-4 * (1.0 + before.abs()), "{before} changed by {change}");
    }
}

#[test]
fn inner_forces_do_not_change_the_momentum() {
    let mut m = load(JOINTS);
    m.opt_timestep[0] = 1e-5;
    m.opt_gravity.fill(0.0);
    m.opt_disableflags[0] |= disable::CONTACT;
    for x in &mut m.jnt_range {
        *x *= 0.1;
    }
    // without controls, because the actuator on the free joint exerts an external force
    let mut d = world(&m, 1, 50);
    disturb(&mut d.qvel, 1.0, &mut 2);
    cpu::forward(&m, &mut d);
    let before = momentum(&m, &d, 1);
    let mut limited = 0;
    for _ in 0..5000 {
        cpu::step(&m, &mut d);
        limited += d.nl[0];
    }
    cpu::forward(&m, &mut d);
    assert!(limited > 0, "limits should have been active");
    let after = momentum(&m, &d, 1);
    let scale = before.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    for k in 0..6 {
        assert!((after[k] - before[k]).abs() < 1e-4 * scale, "{before:?} became {after:?}");
    }
}

#[test]
fn forces_balance_in_every_state() {
    for text in [JOINTS, CONTACTS, TENDONS] {
        let m = load(text);
        let mut d = world(&m, 100, 400);
        let mut seed = 3;
        for k in 0..60 {
            disturb(&mut d.ctrl, 0.3, &mut seed);
            cpu::step(&m, &mut d);
            if k % 10 != 0 {
                continue;
            }
            cpu::forward(&m, &mut d);
            let inertial = mul_m(&m, &d, &d.qacc);
            for i in 0..m.sizes.nv {
                let rest = inertial[i] + d.qfrc_bias[i]
                    - d.qfrc_passive[i]
                    - d.qfrc_actuator[i]
                    - d.qfrc_constraint[i];
                let size = inertial[i].abs() + d.qfrc_constraint[i].abs() + 1.0;
                assert!(rest.abs() < 1e-4 * size, "dof {i}: {rest} of {size}");
            }
        }
    }
}

#[test]
fn a_resting_box_is_carried_by_its_weight() {
    let m = load_str(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/>
         <geom type='box' size='.1 .1 .1' mass='3'/></body></worldbody></mujoco>",
    )
    .unwrap();
    let mut d = world(&m, 8, 32);
    for _ in 0..2000 {
        cpu::step(&m, &mut d);
    }
    cpu::forward(&m, &mut d);
    assert_eq!(d.ncon[0], 4);
    let carried: f64 = d.efc_force[..d.nefc[0] as usize].iter().sum();
    assert!((carried - 3.0 * 9.81).abs() < 1e-3, "{carried}");
    assert!(d.qvel.iter().all(|v| v.abs() < 1e-4));
}

#[test]
fn dry_friction_holds_up_to_its_bound() {
    let m = load_str(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='slide' frictionloss='2'/><geom size='.1'/>
         </body></worldbody></mujoco>",
    )
    .unwrap();
    let moved = |push: f64| {
        let mut d = world(&m, 1, 4);
        d.qfrc_applied[0] = push;
        for _ in 0..500 {
            cpu::step(&m, &mut d);
        }
        (d.qvel[0], d.efc_force[0])
    };
    let (slow, held) = moved(1.9);
    assert!(slow.abs() < 0.05 && (held + 1.9).abs() < 0.05, "{slow} {held}");
    let (fast, slipping) = moved(3.0);
    assert!(fast > 0.1 && (slipping + 2.0).abs() < 1e-9, "{fast} {slipping}");
}

#[test]
fn single_precision_follows_double() {
    for text in [JOINTS, TENDONS] {
        let m = load(text);
        let single = m.cast::<f32>();
        let mut d = world(&m, 50, 200);
        disturb(&mut d.qvel, 0.2, &mut 4);
        let mut s = d.cast::<f32>();
        for _ in 0..100 {
            cpu::step(&m, &mut d);
            cpu::step(&single, &mut s);
        }
        for i in 0..m.sizes.nq {
            assert!((d.qpos[i] - f64::from(s.qpos[i])).abs() < 1e-3, "{i}: {} {}", d.qpos[i], s.qpos[i]);
        }
    }
}

#[test]
fn too_few_contact_slots_keep_the_deepest() {
    let m = load(CONTACTS);
    let mut all = world(&m, 100, 400);
    for _ in 0..300 {
        cpu::step(&m, &mut all);
    }
    cpu::forward(&m, &mut all);
    let wanted = all.ncon[0] as usize;
    assert!(wanted > 8);
    for slots in [0, 1, 3, wanted - 1, wanted] {
        let mut few = world(&m, slots, 400);
        few.qpos.copy_from_slice(&all.qpos);
        few.qvel.copy_from_slice(&all.qvel);
        cpu::forward(&m, &mut few);
        assert_eq!(few.ncon[0] as usize, slots);
        assert_eq!(few.ncon_peak[0] as usize, wanted);
        assert_eq!(few.status[0] & status::CONTACT_OVERFLOW != 0, slots < wanted);
        // the contacts kept are the deepest, in the order of the full list
        let mut order: Vec<usize> = (0..wanted).collect();
        order.sort_by(|&a, &b| all.contact_dist[a].total_cmp(&all.contact_dist[b]));
        let mut kept = order[..slots].to_vec();
        kept.sort_unstable();
        for (slot, &k) in kept.iter().enumerate() {
            assert_eq!(few.contact_dist[slot], all.contact_dist[k]);
            assert_eq!(few.contact_geom[2 * slot..2 * slot + 2], all.contact_geom[2 * k..2 * k + 2]);
        }
    }
}

#[test]
fn too_few_rows_leave_out_whole_contacts() {
    let m = load(CONTACTS);
    let mut all = world(&m, 100, 400);
    for _ in 0..300 {
        cpu::step(&m, &mut all);
    }
    cpu::forward(&m, &mut all);
    let wanted = all.nefc[0];
    for slots in 0..wanted + 2 {
        let mut few = world(&m, 100, slots as usize);
        few.qpos.copy_from_slice(&all.qpos);
        few.qvel.copy_from_slice(&all.qvel);
        cpu::forward(&m, &mut few);
        assert!(few.nefc[0] <= slots);
        assert_eq!(few.nefc_peak[0], wanted);
        assert_eq!(few.status[0] & status::CONSTRAINT_OVERFLOW != 0, slots < wanted);
        for c in 0..few.ncon[0] as usize {
            let first = few.contact_efc_address[c];
            let rows = (2 * (few.contact_dim[c] - 1)).max(1);
            assert!(first < 0 || first + rows <= few.nefc[0]);
        }
        cpu::step(&m, &mut few);
        assert!(few.qpos.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn bad_states_reset_the_world_and_are_flagged() {
    let m = load(JOINTS);
    for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e11] {
        for (field, bit) in
            [("qpos", status::BAD_QPOS), ("qvel", status::BAD_QVEL), ("qfrc_applied", status::BAD_QACC)]
        {
            let mut d = world(&m, 50, 200);
            cpu::step(&m, &mut d);
            if let Some(manyworlds::schema::ValuesMut::Real(v)) = d.get_mut(field) {
                v[7] = if field == "qfrc_applied" { bad * 1e6 } else { bad };
            }
            cpu::step(&m, &mut d);
            assert!(d.status[0] & bit != 0, "{field} {bad}: {}", d.status[0]);
            assert_eq!(d.nreset[0], 1);
            assert!(d.qpos.iter().chain(&d.qvel).all(|x| x.is_finite()));
            cpu::step(&m, &mut d);
            assert_eq!(d.nreset[0], 1);
        }
    }
}

#[test]
fn bad_controls_count_as_zero() {
    let m = load(JOINTS);
    let mut d = world(&m, 50, 200);
    d.ctrl[0] = f64::NAN;
    d.ctrl[1] = 0.4;
    cpu::forward(&m, &mut d);
    assert!(d.status[0] & status::BAD_CTRL != 0);
    assert_eq!(d.actuator_force[0], 0.0);
    let mut zero = world(&m, 50, 200);
    cpu::forward(&m, &mut zero);
    assert_eq!(d.qacc, zero.qacc);
}

#[test]
fn no_state_makes_the_pipeline_panic() {
    for text in [JOINTS, CONTACTS, TENDONS] {
        let mut m = load(text);
        m.opt_disableflags[0] |= disable::AUTORESET;
        let mut seed = 5;
        for bad in [f64::NAN, f64::INFINITY, 1e300, -1e300, 1e-320, 0.0] {
            for field in
                ["qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "qacc_warmstart", "mocap_quat"]
            {
                for every in [1, 5] {
                    let mut d = world(&m, 30, 100);
                    disturb(&mut d.qpos, 0.3, &mut seed);
                    if let Some(manyworlds::schema::ValuesMut::Real(v)) = d.get_mut(field) {
                        for k in (0..v.len()).step_by(every) {
                            v[k] = bad;
                        }
                    }
                    for _ in 0..3 {
                        cpu::step(&m, &mut d);
                    }
                    cpu::forward(&m, &mut d);
                }
            }
        }
    }
}

#[test]
fn equal_inputs_give_equal_bits() {
    let m = load(CONTACTS);
    let run = || {
        let mut d = world(&m, 60, 300);
        for _ in 0..200 {
            cpu::step(&m, &mut d);
        }
        d
    };
    assert_eq!(run(), run());
}

#[test]
fn islands_do_not_change_the_converged_solution() {
    let m = load(CONTACTS);
    let mut whole = m.clone();
    whole.opt_disableflags[0] |= disable::ISLAND;
    let mut d = world(&m, 100, 400);
    for _ in 0..250 {
        cpu::step(&m, &mut d);
    }
    let mut e = d.clone();
    cpu::forward(&m, &mut d);
    cpu::forward(&whole, &mut e);
    assert!(d.nisland[0] > 1 && e.nisland[0] == 1);
    for i in 0..m.sizes.nv {
        assert!((d.qacc[i] - e.qacc[i]).abs() < 1e-3 * (1.0 + d.qacc[i].abs()), "{i}");
    }
}

/// The smooth forces that are differentiated, at the velocities of a world.
fn smooth_forces(m: &Model, d: &Data) -> Vec<f64> {
    let mut d = d.clone();
    cpu::forward(m, &mut d);
    (0..m.sizes.nv).map(|i| d.qfrc_passive[i] + d.qfrc_actuator[i] - d.qfrc_bias[i]).collect()
}

#[test]
fn derivatives_are_those_of_the_forces() {
    let mut m = load(FLUID);
    // force ranges of tendons are not differentiated
    m.tendon_actfrclimited.fill(0);
    let mut seed = 7;
    for _ in 0..5 {
        let mut d = world(&m, 30, 100);
        disturb(&mut d.qvel, 0.7, &mut seed);
        disturb(&mut d.ctrl, 0.5, &mut seed);
        cpu::integrate::advance::integrate_pos(&m, &mut d, 1.0);
        disturb(&mut d.qvel, 0.7, &mut seed);
        cpu::forward(&m, &mut d);
        cpu::integrate::velocity_derivative::derivative(&m, &mut d);
        let most = d.qDeriv.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
        let h = 1e-5;
        for j in 0..m.sizes.nv {
            let (mut after, mut before) = (d.clone(), d.clone());
            after.qvel[j] += h;
            before.qvel[j] -= h;
            let (after, before) = (smooth_forces(&m, &after), smooth_forces(&m, &before));
            // the sparse rows have no entries for tendon couplings across trees
            for i in 0..m.sizes.nv {
                for k in
                    cpu::integrate::velocity_derivative::row(&m, i).filter(|&k| m.D_colind[k] as usize == j)
                {
                    let slope = (after[i] - before[i]) / (2.0 * h);
                    let off = (slope - d.qDeriv[k]).abs();
                    assert!(off < 1e-6 * most, "{i} by {j}: {} is off by {off}", d.qDeriv[k]);
                }
            }
        }
    }
}

#[test]
fn fast_derivatives_are_symmetric_but_for_free_bodies_alone() {
    let mut m = load(FLUID);
    m.opt_integrator[0] = manyworlds::schema::enums::integrator::IMPLICITFAST;
    let mut d = world(&m, 30, 100);
    disturb(&mut d.qvel, 0.7, &mut 3);
    cpu::forward(&m, &mut d);
    cpu::integrate::velocity_derivative::derivative(&m, &mut d);
    let mut lopsided = 0;
    for i in 0..m.sizes.nv {
        for k in cpu::integrate::velocity_derivative::row(&m, i) {
            let j = m.D_colind[k] as usize;
            let mirror = cpu::integrate::velocity_derivative::row(&m, j)
                .find(|&l| m.D_colind[l] as usize == i)
                .unwrap();
            let differs = (d.qDeriv[k] - d.qDeriv[mirror]).abs() > 1e-9;
            lopsided += usize::from(differs);
            assert!(
                !differs || manyworlds::model::features::is_single_free_body(&m, m.dof_treeid[i]),
                "{i} {j}"
            );
        }
    }
    assert!(lopsided > 0);
}

#[test]
fn a_tumbling_body_keeps_its_momentum_and_does_not_gain_energy() {
    for integrator in ["implicit", "implicitfast"] {
        let m = load_str(&format!(
            "<mujoco><option integrator='{integrator}' gravity='0 0 0'><flag energy='enable'/></option><worldbody>
             <body><freejoint/><geom type='box' size='.1 .2 .3' pos='.1 .05 .02'/></body></worldbody></mujoco>"
        ))
        .unwrap();
        let mut d = world(&m, 1, 1);
        // rotation about the middle axis: it tumbles again and again
        d.qvel[3..6].copy_from_slice(&[0.1, 5.0, 0.2]);
        cpu::forward(&m, &mut d);
        let (before, energy) = (momentum(&m, &d, 1), d.energy[1]);
        for _ in 0..5000 {
            cpu::step(&m, &mut d);
        }
        cpu::forward(&m, &mut d);
        let after = momentum(&m, &d, 1);
        let norm = |p: &[f64]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
        let change: Vec<f64> = (0..3).map(|k| after[k] - before[k]).collect();
        // figures of the reference after these 10 s: 1.4635e-2 and -2.2025e-2
        let drift = norm(&change) / norm(&before[..3]);
        assert!((drift - 1.463_538e-2).abs() < 1e-6, "{drift}");
        let loss = d.energy[1] / energy - 1.0;
        assert!((loss + 2.202_462e-2).abs() < 1e-6, "{loss}");
    }
}

#[test]
fn a_ball_falls_at_its_terminal_velocity() {
    let pi = std::f64::consts::PI;
    let (radius, mass, gravity) = (0.1, 0.5, 9.81);
    // by Stokes's law on the inertia box, with its edge for the diameter, and quadratic drag on the area alone
    let edge = 2.4_f64.sqrt() * radius;
    let cases = [
        ("viscosity='2'", "ellipsoid", mass * gravity / (6.0 * pi * 2.0 * radius)),
        ("viscosity='2'", "none", mass * gravity / (3.0 * pi * 2.0 * edge)),
        ("density='20'", "ellipsoid", (mass * gravity / (20.0 * 0.5 * pi * radius * radius)).sqrt()),
        ("density='20'", "none", (2.0 * mass * gravity / (20.0 * edge * edge)).sqrt()),
    ];
    for (medium, shape, expected) in cases {
        for integrator in ["Euler", "RK4", "implicit", "implicitfast"] {
            let m = load_str(&format!(
                "<mujoco><option integrator='{integrator}' {medium} wind='0 0 0.3'/><worldbody><body><freejoint/>
                 <geom size='{radius}' mass='{mass}' fluidshape='{shape}'/></body></worldbody></mujoco>"
            ))
            .unwrap();
            let mut d = world(&m, 1, 1);
            for _ in 0..3000 {
                cpu::step(&m, &mut d);
            }
            let speed = 0.3 - d.qvel[2];
            assert!(
                (speed - expected).abs() < 1e-6 * expected,
                "{medium} {shape} {integrator}: {speed} {expected}"
            );
        }
    }
}

#[test]
fn frames_that_nearly_coincide_are_one() {
    let m = load(
        "<mujoco><worldbody><body pos='.1 .2 .3' quat='.8 .6 0 0'><freejoint/>
         <inertial pos='3e-7 0 0' mass='1' diaginertia='1 2 3'/>
         <geom size='.1' pos='4e-7 0 0'/><geom size='.1' pos='0 5e-5 0'/><site pos='0 0 6e-7'/></body>
         </worldbody></mujoco>",
    );
    let mut d = world(&m, 0, 0);
    cpu::forward(&m, &mut d);
    // their offsets stay in the model, their poses are the body's, to the bit
    assert_eq!(m.geom_pos[0], 4e-7);
    assert_eq!(d.geom_xpos[..3], d.xpos[3..6]);
    assert_eq!(d.geom_xmat[..9], d.xmat[9..18]);
    assert_eq!(d.site_xpos[..3], d.xpos[3..6]);
    assert_eq!(d.xipos[3..6], d.xpos[3..6]);
    assert!((d.geom_xpos[4] - d.xpos[4]).abs() > 1e-5);
}
