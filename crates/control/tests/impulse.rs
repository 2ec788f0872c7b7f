//! The impulse formulation: round trips of forward and inverse dynamics, optimality, closed-form cases, agreement with
//! the solver's own formulation, and bad input.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use manyworlds::batch::control::{Control, fill, uniform};
use manyworlds::batch::max_capacity;
use manyworlds::cpu;
use manyworlds::error::Error;
use manyworlds::load_str;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::enums::{cone, constraint, disable, enable, solver};
use manyworlds_control::impulse::{Formulation, Parameters, Softness, Table};

const SOFT: Softness = Softness { epsilon: 0.05, kappa: 0.02 };

/// Boxes and capsules that fall on each other, with contacts of every dimension.
const PILE: &str = "<mujoco><option cone='elliptic' timestep='0.004'/><worldbody>
    <geom type='plane' size='3 3 1' condim='3' friction='0.8 0.02 0.001'/>
    <body pos='0 0 0.12'><freejoint/><geom type='box' size='.1 .12 .1' condim='4'/></body>
    <body pos='.03 .02 0.36'><freejoint/><geom type='box' size='.1 .1 .1' condim='6'/></body>
    <body pos='.3 0 0.1' euler='90 20 0'><freejoint/><geom type='capsule' size='.06 .15' condim='3'/></body>
    <body pos='.25 .05 0.5' euler='80 70 0'><freejoint/><geom type='capsule' size='.05 .12' condim='6'/></body>
    <body pos='-.4 0 0.1'><freejoint/><geom size='.08' condim='1'/></body>
    </worldbody></mujoco>";

/// An arm with dry friction, damping, limits, a limited and rubbing tendon, and a motor, which pushes on the ground.
const ARM: &str = "<mujoco><option cone='elliptic' timestep='0.005'/><default><geom density='800'/></default><worldbody>
    <geom type='plane' size='3 3 1' pos='0 0 -.35'/>
    <body><joint name='shoulder' axis='0 1 0' damping='.2' frictionloss='.6' limited='true' range='-50 50'
        armature='.01'/>
      <geom type='capsule' fromto='0 0 0 .4 0 0' size='.04'/>
      <body pos='.4 0 0'><joint name='elbow' axis='0 1 0' frictionloss='.3' limited='true' range='-60 70'/>
        <geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/>
        <body pos='.3 0 0'><joint name='wrist' type='ball' limited='true' range='0 40' damping='.01'/>
          <geom type='box' pos='.05 0 0' size='.05 .03 .02'/></body></body></body></worldbody>
    <tendon><fixed name='strap' limited='true' range='-.4 .5' frictionloss='.1'><joint joint='shoulder' coef='.5'/>
      <joint joint='elbow' coef='-.7'/></fixed></tendon>
    <actuator><motor joint='shoulder' gear='5'/><motor joint='elbow' gear='3'/></actuator></mujoco>";

/// A closed chain: bars that are connected, welded and coupled, the last dragging on the ground.
const CHAIN: &str = "<mujoco><option cone='elliptic' timestep='0.004'/><worldbody>
    <geom type='plane' size='3 3 1' pos='0 0 -.25'/>
    <body name='a'><joint name='a' axis='0 1 0' damping='.05'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/>
      <body name='b' pos='.3 0 0'><joint name='b' axis='0 1 0'/>
        <geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></body>
    <body name='c' pos='0 .2 0'><joint name='c' axis='0 1 0'/>
      <geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body>
    <body name='d' pos='.65 0 -.2'><freejoint/><geom type='box' size='.06 .06 .05' mass='1'/></body>
    <body name='e' pos='.9 0 -.1'><freejoint/><geom size='.05' mass='.3'/></body></worldbody>
    <equality><connect body1='b' body2='d' anchor='.3 0 0'/><joint joint1='a' joint2='c' polycoef='0 .8 0 0 0'/>
      <weld body1='d' body2='e'/></equality></mujoco>";

/// A mechanism of one joint with dry friction, which hits the ground (figure 1, left, of the paper).
const MECHANISM: &str = "<mujoco><option cone='elliptic' timestep='0.01'/><worldbody>
    <geom type='plane' size='2 2 1' pos='0 0 -.3'/>
    <body><joint name='hinge' axis='0 1 0' frictionloss='.5'/><geom type='capsule' fromto='0 0 0 .5 0 0' size='.05' mass='1'/>
    </body></worldbody><actuator><motor joint='hinge' gear='1'/></actuator></mujoco>";

fn converged(m: &Model, parameters: Parameters) -> Formulation {
    let mut formulation = Formulation::new(m, parameters).unwrap();
    formulation.iterations = 20_000;
    formulation.tolerance = 1e-15;
    formulation
}

fn world(m: &Model) -> Data {
    Data::new(m, max_capacity(m))
}

fn humanoid() -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/humanoid.xml");
    let mut m = manyworlds::load(&path).unwrap();
    m.opt_cone[0] = cone::ELLIPTIC;
    m
}

/// A number from -1 to 1.
fn number(draw: usize) -> f64 {
    2.0 * uniform(5, 0, draw as u64, 0) - 1.0
}

fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |a, b| if b.is_nan() { f64::NAN } else { a.max(b.abs()) })
}

/// Largest error of a round trip in forces, relative to the largest of them, and in impulses of rows.
fn round_trip(f: &mut Formulation, m: &Model, d: &mut Data) -> (f64, f64) {
    let next = f.forward(m, d).unwrap().to_vec();
    let impulse = f.impulses().to_vec();
    // what acts from outside
    let mut applied: Vec<f64> =
        (0..m.sizes.nv).map(|i| d.qfrc_smooth[i] - d.qfrc_passive[i] + d.qfrc_bias[i]).collect();
    let constraint = d.qfrc_constraint.clone();
    let scale = 1.0 + largest(constraint.iter().chain(&d.qfrc_bias).copied());
    // a world that knows only the state
    let mut fresh = world(m);
    fresh.qpos.copy_from_slice(&d.qpos);
    fresh.qvel.copy_from_slice(&d.qvel);
    fresh.eq_active.copy_from_slice(&d.eq_active);
    fresh.qfrc_applied.fill(1e3);
    for (a, u) in applied.iter_mut().zip(f.inverse(m, &mut fresh, &next).unwrap()) {
        *a -= u;
    }
    let change = f.impulses().iter().zip(&impulse).map(|(a, b)| a - b);
    (largest(applied) / scale, largest(change) / (scale * m.opt_timestep[0]))
}

/// Random inputs of a step.
fn disturb(m: &Model, d: &mut Data, step: usize, size: f64) {
    for i in 0..m.sizes.nv {
        d.qfrc_applied[i] = size * number(1000 * step + i);
    }
    for i in 0..m.sizes.nu {
        d.ctrl[i] = number(1000 * step + 500 + i);
    }
}

#[test]
fn inverse_dynamics_finds_the_force_of_forward_dynamics() {
    for (text, size) in [(MECHANISM, 1.5), (ARM, 2.0), (CHAIN, 1.0), (PILE, 2.0)] {
        let m = load_str(text).unwrap();
        let table = Table::uniform(&m, Softness { epsilon: 0.2, kappa: 0.03 });
        for parameters in [Parameters::Model, Parameters::Uniform(SOFT), Parameters::Each(Box::new(table))] {
            let mut f = converged(&m, parameters);
            let mut d = world(&m);
            let (mut kinds, mut worst) = ([0; 8], (0.0_f64, 0.0_f64));
            for step in 0..120 {
                disturb(&m, &mut d, step, size);
                let (force, impulse) = round_trip(&mut f, &m, &mut d);
                worst = (worst.0.max(force), worst.1.max(impulse));
                assert!(
                    force < 1e-10 && impulse < 1e-10,
                    "{text}, step {step}: {force:e} {impulse:e} {}",
                    f.sweeps()
                );
                for r in 0..d.nefc[0] as usize {
                    kinds[d.efc_type[r] as usize] += 1;
                }
                f.step(&m, &mut d).unwrap();
            }
            assert!(kinds[constraint::CONTACT_ELLIPTIC as usize] > 50, "{kinds:?}");
        }
    }
}

#[test]
fn the_humanoid_in_contact_goes_round() {
    let m = humanoid();
    let mut most = 0;
    for key in 0..m.sizes.nkey {
        let mut f = converged(&m, Parameters::Uniform(Softness { epsilon: 0.1, kappa: 0.03 }));
        let mut d = world(&m);
        d.reset(&m, Some(key));
        for step in 0..300 {
            fill(&m, Control::Noise, 0, key, step, &mut d.ctrl);
            if step % 10 == 0 {
                let (force, impulse) = round_trip(&mut f, &m, &mut d);
                assert!(
                    force < 1e-10 && impulse < 1e-10,
                    "{key} {step}: {force:e} {impulse:e} {}",
                    f.sweeps()
                );
            }
            f.step(&m, &mut d).unwrap();
            most = most.max(d.ncon[0]);
        }
    }
    assert!(most >= 8, "{most}");
}

/// All elements of a row of the Jacobian.
fn whole_row(d: &Data, r: usize) -> Vec<f64> {
    let mut row = vec![0.0; d.sizes.nv];
    d.copy_whole_row(r, &mut row);
    row
}

/// Largest violation of the optimality conditions of problem (11), and of the soft Gauss principle (5).
fn residual(f: &Formulation, m: &Model, d: &Data, next: &[f64]) -> f64 {
    let (nefc, h) = (d.nefc[0] as usize, m.opt_timestep[0]);
    let impulse = f.impulses();
    // gradient: J v' − v* + R f
    let gradient: Vec<f64> = (0..nefc)
        .map(|r| {
            let velocity: f64 = whole_row(d, r).iter().zip(next).map(|(x, v)| x * v).sum();
            velocity - f.target()[r] + f.regulariser()[r] * impulse[r]
        })
        .collect();
    let mut worst = 0.0_f64;
    let mut r = 0;
    while r < nefc {
        let (x, g) = (impulse[r], gradient[r]);
        match d.efc_type[r] {
            constraint::EQUALITY => worst = worst.max(g.abs()),
            constraint::FRICTION_DOF | constraint::FRICTION_TENDON => {
                let most = h * d.efc_frictionloss[r];
                assert!(x.abs() <= most);
                // only at a bound may the gradient push outwards
                worst = worst.max(if x < most { -g } else { 0.0 }).max(if x > -most { g } else { 0.0 });
            }
            constraint::CONTACT_ELLIPTIC => {
                let con = d.efc_id[r] as usize;
                let dim = d.contact_dim[con] as usize;
                let mu = &d.contact_friction[5 * con..];
                let side: f64 = (1..dim).map(|k| (impulse[r + k] / mu[k - 1]).powi(2)).sum::<f64>().sqrt();
                let dual: f64 = (1..dim).map(|k| (gradient[r + k] * mu[k - 1]).powi(2)).sum::<f64>().sqrt();
                let product: f64 = (0..dim).map(|k| impulse[r + k] * gradient[r + k]).sum();
                // in the friction cone, in its dual, and complementary
                assert!(side <= x * (1.0 + 1e-12), "{side} {x}");
                worst = worst.max(dual - g).max(if x > 0.0 { product.abs() / x } else { 0.0 });
                r += dim - 1;
            }
            _ => {
                assert!(x >= 0.0);
                worst = worst.max(-g).max(if x > 0.0 { g.abs() } else { 0.0 });
            }
        }
        r += 1;
    }
    worst
}

#[test]
fn impulses_are_optimal_and_in_their_bounds_and_cones() {
    for (text, size) in [(MECHANISM, 1.5), (ARM, 3.0), (CHAIN, 1.0), (PILE, 2.0)] {
        let m = load_str(text).unwrap();
        let mut f = converged(&m, Parameters::Uniform(SOFT));
        let mut d = world(&m);
        // impulses inside of cones, on their surface, and zero
        let mut zones = [0; 3];
        for step in 0..150 {
            disturb(&m, &mut d, step, size);
            let next = f.forward(&m, &mut d).unwrap().to_vec();
            let worst = residual(&f, &m, &d, &next);
            assert!(worst < 1e-12, "{text}, step {step}: {worst:e} {} {:e}", f.sweeps(), f.change());
            // the dynamics themselves: M (v' - v) = (p + u - c) h + J'f, with M damped
            let mut product = vec![0.0; m.sizes.nv];
            cpu::smooth::factor_m::mul_m(&m, &d.M, &d.qacc, &mut product);
            for i in 0..m.sizes.nv {
                product[i] += m.opt_timestep[0] * m.dof_damping[i] * d.qacc[i]
                    - d.qfrc_smooth[i]
                    - d.qfrc_constraint[i];
            }
            assert!(largest(product) < 1e-9 * (1.0 + largest(d.qfrc_constraint.iter().copied())));
            for con in 0..d.ncon[0] as usize {
                let (r, dim) = (d.contact_efc_address[con], d.contact_dim[con] as usize);
                if r >= 0 && dim > 1 {
                    let x = &f.impulses()[r as usize..r as usize + dim];
                    let mu = &d.contact_friction[5 * con..];
                    let side: f64 = (1..dim).map(|k| (x[k] / mu[k - 1]).powi(2)).sum::<f64>().sqrt();
                    zones[if x[0] == 0.0 { 0 } else { 1 + usize::from(side < 0.999 * x[0]) }] += 1;
                }
            }
            f.step(&m, &mut d).unwrap();
        }
        if text == PILE {
            assert!(zones.iter().all(|n| *n > 20), "{zones:?}");
        }
    }
}

#[test]
fn a_sweep_lowers_the_cost_and_few_sweeps_stay_feasible() {
    let m = load_str(PILE).unwrap();
    let mut d = world(&m);
    let mut f = converged(&m, Parameters::Uniform(SOFT));
    for _ in 0..60 {
        f.step(&m, &mut d).unwrap();
    }
    let (nv, mut last) = (m.sizes.nv, f64::INFINITY);
    f.warmstart = false;
    for iterations in [0, 1, 2, 3, 5, 10, 20, 50] {
        f.iterations = iterations;
        let next = f.forward(&m, &mut d).unwrap().to_vec();
        // ½ (v' - v0)' M (v' - v0) + Σ f (½ R f - v*) + v0 J' f, where M (v' - v0) = J' f
        let x = f.impulses();
        let mut cost = 0.0;
        for r in 0..d.nefc[0] as usize {
            let row = whole_row(&d, r);
            let mean = |i: usize| 0.5 * (next[i] + d.qvel[i] + m.opt_timestep[0] * d.qacc_smooth[i]);
            let free: f64 = (0..nv).map(|i| row[i] * mean(i)).sum();
            cost += x[r] * (free - f.target()[r] + 0.5 * f.regulariser()[r] * x[r]);
        }
        assert!(cost <= last + 1e-15, "{iterations}: {cost} {last}");
        assert!(residual(&f, &m, &d, &next).is_finite());
        last = cost;
    }
    assert!(last < -1e-6, "{last}");
}

#[test]
fn dry_friction_of_one_joint_has_a_closed_form() {
    // a slider of mass 2 on which the motor pulls, without gravity
    let m = load_str(
        "<mujoco><option cone='elliptic' timestep='0.01' gravity='0 0 0'/><worldbody><body>
         <joint type='slide' frictionloss='3'/><geom size='.1' mass='2'/></body></worldbody></mujoco>",
    )
    .unwrap();
    let (mass, loss, h) = (2.0, 3.0, 0.01);
    let Softness { epsilon, kappa } = SOFT;
    let mut slips = [0; 2];
    for i in 0..200 {
        let (velocity, pull) = (0.05 * number(2 * i), 6.0 * number(2 * i + 1));
        let mut d = world(&m);
        d.qvel[0] = velocity;
        d.qfrc_applied[0] = pull;
        let mut f = converged(&m, Parameters::Uniform(SOFT));
        let next = f.forward(&m, &mut d).unwrap()[0];
        // v* = v - 2 h (1 + ε)/κ v; the impulse that is least, then clamped
        let target = velocity * (1.0 - 2.0 * h * (1.0 + epsilon) / kappa);
        let free = velocity + h * pull / mass;
        let wanted = (target - free) / ((1.0 + epsilon) / mass);
        let impulse = wanted.clamp(-h * loss, h * loss);
        slips[usize::from(impulse == wanted)] += 1;
        assert!((f.impulses()[0] - impulse).abs() < 1e-15);
        assert!((next - (free + impulse / mass)).abs() < 1e-15, "{next}");
        assert!(f.sweeps() <= 2);
        let force = f.inverse(&m, &mut d, &[next]).unwrap();
        assert!((force[0] - pull).abs() < 1e-11, "{} {pull}", force[0]);
    }
    assert!(slips.iter().all(|n| *n > 20), "{slips:?}");
}

#[test]
fn a_violation_decays_as_a_critically_damped_oscillator() {
    // no force but that of the constraint, on one degree of freedom: A is its own diagonal, and (26) holds exactly
    let m = load_str(
        "<mujoco><option cone='elliptic' timestep='4e-6' gravity='0 0 0'/><worldbody><body>
         <joint name='a' type='slide'/><geom size='.1'/></body></worldbody>
         <equality><joint joint1='a'/></equality></mujoco>",
    )
    .unwrap();
    let kappa = 0.02;
    let mut f = converged(&m, Parameters::Uniform(Softness { epsilon: 0.5, kappa }));
    let mut d = world(&m);
    d.qpos[0] = -0.01;
    // (26) is driven by a = 0: x = x0 (1 + t/κ) exp(-t/κ)
    for _ in 0..10_000 {
        f.step(&m, &mut d).unwrap();
        let t = d.time[0] / kappa;
        let exact = -0.01 * (1.0 + t) * (-t).exp();
        assert!((d.qpos[0] - exact).abs() < 1e-5, "{} {exact}", d.qpos[0]);
    }
}

#[test]
fn a_resting_body_sinks_by_the_papers_formula_whatever_its_mass() {
    for mass in [0.1, 1.0, 50.0] {
        let m = load_str(&format!(
            "<mujoco><option cone='elliptic'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'>
             <freejoint/><geom size='.1' mass='{mass}'/></body></worldbody></mujoco>"
        ))
        .unwrap();
        let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
        let mut d = world(&m);
        for _ in 0..400 {
            f.step(&m, &mut d).unwrap();
        }
        let depth = SOFT.kappa * SOFT.kappa * SOFT.epsilon * 9.81 / (1.0 + SOFT.epsilon);
        assert!((0.1 - d.qpos[2] - depth).abs() < 1e-9, "{} {depth}", 0.1 - d.qpos[2]);
    }
}

/// The same step by the solver of forces and accelerations, converged.
fn next_of_newton(m: &Model, d: &Data) -> Vec<f64> {
    let mut m = m.clone();
    m.opt_solver[0] = solver::NEWTON;
    m.opt_tolerance[0] = 0.0;
    m.opt_ls_tolerance[0] = 1e-12;
    m.opt_iterations[0] = 200;
    m.opt_ls_iterations[0] = 200;
    let mut other = world(&m);
    for (to, from) in [
        (&mut other.qpos, &d.qpos),
        (&mut other.qvel, &d.qvel),
        (&mut other.ctrl, &d.ctrl),
        (&mut other.qfrc_applied, &d.qfrc_applied),
    ] {
        to.copy_from_slice(from);
    }
    cpu::forward(&m, &mut other);
    (0..m.sizes.nv).map(|i| d.qvel[i] + m.opt_timestep[0] * other.qacc[i]).collect()
}

#[test]
fn with_the_models_parameters_the_next_velocity_is_that_of_newtons_method() {
    for (text, size) in [(MECHANISM, 1.5), (ARM, 2.0), (CHAIN, 1.0), (PILE, 2.0)] {
        let mut m = load_str(text).unwrap();
        // joint damping explicit in both
        m.opt_disableflags[0] |= disable::EULERDAMP;
        let mut f = converged(&m, Parameters::Model);
        let mut d = world(&m);
        for step in 0..100 {
            disturb(&m, &mut d, step, size);
            let want = next_of_newton(&m, &d);
            let next = f.forward(&m, &mut d).unwrap();
            let apart = largest(next.iter().zip(&want).map(|(a, b)| a - b));
            assert!(apart < 1e-10, "step {step}: {apart:e}");
            f.step(&m, &mut d).unwrap();
        }
    }
}

#[test]
fn epsilon_and_kappa_are_a_solref_and_a_solimp() {
    // a limit, a coupling, dry friction and a contact that slides and sticks, all with the parameters of the mapping
    let soft = Softness { epsilon: 0.08, kappa: 0.025 };
    let [timeconst, dampratio] = soft.solref();
    let d0 = soft.solimp()[0];
    let text = format!(
        "<mujoco><option cone='elliptic' impratio='1' timestep='.004'/><worldbody>
         <geom type='plane' size='2 2 1' solref='{timeconst} {dampratio}' solimp='{d0} {d0} .001'/>
         <body pos='0 0 .099'><freejoint/><geom type='box' size='.1 .1 .1' condim='3' friction='.6'
           solref='{timeconst} {dampratio}' solimp='{d0} {d0} .001'/></body>
         <body pos='1 0 1'><joint name='a' type='slide' limited='true' range='-.01 1' frictionloss='2'
           solreflimit='{timeconst} {dampratio}' solimplimit='{d0} {d0} .001'
           solreffriction='{timeconst} {dampratio}' solimpfriction='{d0} {d0} .001'/><geom size='.05'/></body>
         <body pos='1 1 1'><joint name='b' axis='1 0 0'/><geom pos='0 0 -.2' size='.05'/></body></worldbody>
         <equality><joint joint1='a' joint2='b' solref='{timeconst} {dampratio}' solimp='{d0} {d0} .001'/></equality>
         </mujoco>"
    );
    let m = load_str(&text).unwrap();
    let mut f = converged(&m, Parameters::Uniform(soft));
    let mut d = world(&m);
    let mut rows = 0;
    for step in 0..100 {
        disturb(&m, &mut d, step, 20.0);
        let want = next_of_newton(&m, &d);
        let next = f.forward(&m, &mut d).unwrap();
        let apart = largest(next.iter().zip(&want).map(|(a, b)| a - b));
        assert!(apart < 1e-10, "step {step}: {apart:e}");
        rows = rows.max(d.nefc[0]);
        f.step(&m, &mut d).unwrap();
    }
    assert!(rows >= 14, "{rows}");
    assert_eq!(Softness::from_solref(soft.solref(), soft.solimp()).map(|s| s.kappa), Some(0.025));
}

#[test]
fn other_solver_parameters_do_not_coincide() {
    // a varying impedance is not an ε: the next velocities differ
    let text = |solimp: &str| {
        format!(
            "<mujoco><option cone='elliptic'/><worldbody><body><joint type='slide' limited='true' range='0 1'
             solimplimit='{solimp}'/><geom size='.1'/></body></worldbody></mujoco>"
        )
    };
    let apart = |solimp: &str| {
        let m = load_str(&text(solimp)).unwrap();
        let mut d = world(&m);
        d.qpos[0] = -0.0004;
        let soft = Softness { epsilon: 0.05 / 0.95, kappa: 0.02 };
        let next = converged(&m, Parameters::Uniform(soft)).forward(&m, &mut d).unwrap()[0];
        (next - next_of_newton(&m, &d)[0]).abs()
    };
    assert!(apart("0.95 0.95 0.001") < 1e-12);
    assert!(apart("0.9 0.95 0.001") > 1e-6);
}

#[test]
fn equality_constraints_eliminated_are_those_that_are_solved_for() {
    // theorem 1 against the soft Gauss principle (5) itself: M (v' - v0) = J_E' R_E^-1 (v_E* - J_E v')
    let mut m = load_str(CHAIN).unwrap();
    m.opt_disableflags[0] |= disable::CONTACT;
    for epsilon in [1e-9, 1e-3, 1.0] {
        let mut f = converged(&m, Parameters::Uniform(Softness { epsilon, kappa: 0.02 }));
        let mut d = world(&m);
        for _ in 0..50 {
            let next = f.forward(&m, &mut d).unwrap().to_vec();
            assert_eq!(d.ne[0], d.nefc[0]);
            for r in 0..d.ne[0] as usize {
                let velocity: f64 = whole_row(&d, r).iter().zip(&next).map(|(x, v)| x * v).sum();
                let pull = f.regulariser()[r] * f.impulses()[r];
                let error = pull - (f.target()[r] - velocity);
                assert!(error.abs() < 1e-12 * (1.0 + pull.abs()), "{epsilon}: {error:e}");
            }
            f.step(&m, &mut d).unwrap();
        }
    }
}

#[test]
fn energy_does_not_grow_in_a_passive_system() {
    for (text, steps) in [(MECHANISM, 300), (PILE, 400), (CHAIN, 400)] {
        let mut m = load_str(text).unwrap();
        m.opt_timestep[0] = 0.001;
        m.opt_enableflags[0] |= enable::ENERGY;
        let mut f = converged(&m, Parameters::Uniform(SOFT));
        f.tolerance = 1e-12;
        let mut d = world(&m);
        let energy = |d: &mut Data| {
            cpu::forward(&m, d);
            d.energy[0] + d.energy[1]
        };
        let mut start = d.clone();
        let first = energy(&mut start);
        let (mut last, mut gained, mut lost) = (first, 0.0, 0.0);
        let mut moved = d.clone();
        for step in 0..steps {
            f.step(&m, &mut d).unwrap();
            moved.qpos.copy_from_slice(&d.qpos);
            moved.qvel.copy_from_slice(&d.qvel);
            let now = energy(&mut moved);
            assert!(now <= first + 1e-3 * first.abs().max(1.0), "{text}, step {step}: {first} {now}");
            gained += (now - last).max(0.0);
            lost += (last - now).max(0.0);
            last = now;
        }
        // virtual springs, pressed in at an impact, give back a small part
        assert!(gained < 0.1 * lost, "{text}: {gained} {lost}");
        assert!(last < first - 0.05, "{first} {last}");
    }
}

#[test]
fn a_sliding_body_is_braked_by_its_friction_coefficient() {
    let m = load_str(
        "<mujoco><option cone='elliptic' timestep='.002'/><worldbody><geom type='plane' size='5 5 1'/>
         <body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' condim='3' friction='.4' priority='1'/></body>
         </worldbody></mujoco>",
    )
    .unwrap();
    let mut f = converged(&m, Parameters::Uniform(Softness { epsilon: 0.01, kappa: 0.01 }));
    let mut d = world(&m);
    for _ in 0..100 {
        f.step(&m, &mut d).unwrap();
    }
    d.qvel[0] = 2.0;
    let mut speeds = Vec::new();
    for _ in 0..200 {
        f.step(&m, &mut d).unwrap();
        speeds.push(d.qvel[0]);
        // all impulses on the surface of their cones
        for x in f.impulses().chunks_exact(3) {
            assert!((x[1].hypot(x[2]) - 0.4 * x[0]).abs() < 1e-12, "{x:?}");
        }
    }
    // sliding lifts a body off a soft ground, so that it hops a little
    let slope = (speeds[199] - speeds[0]) / (199.0 * 0.002);
    assert!((slope + 0.4 * 9.81).abs() < 0.4, "{slope}");
}

#[test]
fn the_same_state_gives_the_same_bits() {
    let m = load_str(PILE).unwrap();
    let run = |f: &mut Formulation| {
        let mut d = world(&m);
        for _ in 0..100 {
            f.step(&m, &mut d).unwrap();
        }
        d.qpos.iter().chain(&d.qvel).map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    let first = run(&mut f);
    // memory that has been used for something else
    let mut other = world(&m);
    disturb(&m, &mut other, 0, 10.0);
    f.step(&m, &mut other).unwrap();
    assert_eq!(run(&mut f), first);
}

/// The message of an error.
fn message<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => "no error".to_owned(),
        Err(why) => why.to_string(),
    }
}

#[test]
fn numbers_that_are_not_finite_are_named_with_their_place() {
    let m = load_str(ARM).unwrap();
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    let spoil = |change: fn(&mut Data)| {
        let mut d = world(&m);
        change(&mut d);
        d
    };
    for (mut d, words) in [
        (spoil(|d| d.qvel[1] = f64::NAN), "qvel[1] of joint 'elbow' is NaN at time 0"),
        (spoil(|d| d.qpos[3] = f64::INFINITY), "qpos[3] of joint 'wrist' is inf"),
        (spoil(|d| d.ctrl[1] = f64::NAN), "ctrl[1] of actuator 1 is NaN"),
        (spoil(|d| d.qfrc_applied[0] = f64::NAN), "qfrc_applied[0] of joint 'shoulder' is NaN"),
        (spoil(|d| d.xfrc_applied[7] = f64::NAN), "xfrc_applied[7] of body 1 is NaN"),
    ] {
        let before = d.clone();
        let said = message(f.step(&m, &mut d));
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
        assert_eq!(d.time, before.time);
        assert!(message(f.inverse(&m, &mut d, &[0.0; 5])).contains(words));
    }
    let mut d = world(&m);
    let said = message(f.inverse(&m, &mut d, &[0.0, 0.0, f64::NAN, 0.0, 0.0]));
    assert!(said.contains("next_velocity[2] of joint 'wrist' is NaN"), "{said}");
    let said = message(f.inverse(&m, &mut d, &[0.0; 4]));
    assert!(said.contains("next_velocity has 4 elements, the model 5"), "{said}");
    let other = load_str(MECHANISM).unwrap();
    let said = message(f.forward(&m, &mut world(&other)));
    assert!(said.contains("belongs to another model"), "{said}");
}

#[test]
fn a_singular_matrix_is_named_with_its_place() {
    let mut m = load_str(MECHANISM).unwrap();
    // a body without mass or inertia
    m.body_mass.fill(0.0);
    m.body_inertia.fill(0.0);
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    let said = message(f.forward(&m, &mut world(&m)));
    assert!(said.contains("the inertia matrix is singular at degree of freedom 0 (joint 'hinge')"), "{said}");
    // damping makes it regular: M has it
    m.dof_damping[0] = 1.0;
    assert_eq!(message(f.forward(&m, &mut world(&m)).map(<[f64]>::len)), "no error");
    // a weld whose rotation weighs without limit
    let mut m = load_str(CHAIN).unwrap();
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    m.eq_data[12 * 2 + 10] = f64::INFINITY;
    let said = message(f.forward(&m, &mut world(&m)));
    assert!(said.contains("A + R is singular or not finite at constraint row 4 (equality"), "{said}");
}

#[test]
fn parameters_out_of_range_are_refused() {
    let m = load_str(ARM).unwrap();
    let said = |epsilon: f64, kappa: f64| {
        message(Formulation::new(&m, Parameters::Uniform(Softness { epsilon, kappa })))
    };
    assert!(said(0.0, 0.02).contains("the softness ε of all constraints is 0"));
    assert!(said(f64::NAN, 0.02).contains("is NaN"));
    // the time step is 0.005
    assert!(said(0.1, 0.006).contains("the time constant κ of all constraints is 0.006 s"));
    assert_eq!(said(0.1, 0.0061), "no error");
    let mut table = Table::uniform(&m, SOFT);
    table.joint_limit[1].epsilon = -1.0;
    let said = message(Formulation::new(&m, Parameters::Each(Box::new(table.clone()))));
    assert!(said.contains("joint_limit[1] is -1"), "{said}");
    table.geom.pop();
    table.joint_limit[1] = SOFT;
    let said = message(Formulation::new(&m, Parameters::Each(Box::new(table))));
    assert!(said.contains("the list 'geom' of softness has 3 elements, the model 4"), "{said}");
    // later changes are found too
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    f.parameters = Parameters::Uniform(Softness { epsilon: -1.0, kappa: 0.02 });
    assert!(message(f.forward(&m, &mut world(&m)).map(<[f64]>::len)).contains("is -1"));
    f.parameters = Parameters::Model;
    f.r_min = 0.0;
    assert!(message(f.forward(&m, &mut world(&m)).map(<[f64]>::len)).contains("r_min is 0"));
}

#[test]
fn options_that_do_not_exist_here_are_refused() {
    for (option, words) in [
        ("", "set the option cone to elliptic"),
        ("cone='elliptic' integrator='RK4'", "set the option integrator to Euler"),
        ("cone='elliptic' noslip_iterations='3'", "noslip_iterations to 0"),
    ] {
        let text = format!(
            "<mujoco><option {option}/><worldbody><body><joint/><geom size='0.1'/></body></worldbody></mujoco>"
        );
        let m = load_str(&text).unwrap();
        let said = message(Formulation::new(&m, Parameters::Model));
        assert!(said.contains(words), "{said}");
    }
    // and those of another model
    let (arm, chain) = (load_str(ARM).unwrap(), load_str(CHAIN).unwrap());
    let mut f = Formulation::new(&arm, Parameters::Model).unwrap();
    assert!(
        message(f.forward(&chain, &mut world(&chain)).map(<[f64]>::len)).contains("a model of other sizes")
    );
}

#[test]
fn a_world_without_motion_or_without_constraints_steps() {
    for text in [
        "<mujoco><option cone='elliptic'/><worldbody><geom size='0.1'/></worldbody></mujoco>",
        "<mujoco><option cone='elliptic'/><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>",
    ] {
        let m = load_str(text).unwrap();
        let mut d = Data::new(&m, Capacity::NONE);
        let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
        f.step(&m, &mut d).unwrap();
        let still = vec![0.0; m.sizes.nv];
        let force = f.inverse(&m, &mut d, &still).unwrap();
        assert_eq!(force.len(), m.sizes.nv);
        assert_eq!(d.time[0], m.opt_timestep[0]);
    }
}

#[test]
fn sensors_see_the_forces_of_the_impulses() {
    let m = load_str(
        "<mujoco><option cone='elliptic'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'>
         <freejoint/><geom size='.1' mass='3'/><site name='s' size='.2'/></body></worldbody>
         <sensor><touch site='s'/><accelerometer site='s'/></sensor></mujoco>",
    )
    .unwrap();
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    let mut d = world(&m);
    for _ in 0..400 {
        f.step(&m, &mut d).unwrap();
    }
    assert!((d.sensordata[0] - 3.0 * 9.81).abs() < 1e-6, "{:?}", d.sensordata);
    assert!((d.sensordata[3] - 9.81).abs() < 1e-6, "{:?}", d.sensordata);
}

#[test]
fn a_world_without_room_is_an_error() {
    let m = load_str(PILE).unwrap();
    let mut d = Data::new(&m, Capacity { nconmax: 32, njmax: 7 });
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    let said = (0..100).map(|_| message(f.step(&m, &mut d))).find(|said| said != "no error").unwrap();
    assert!(said.contains("7 constraint rows") && said.contains("larger capacity"), "{said}");
}
