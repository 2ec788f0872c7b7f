//! Derivatives of a step with every integrator, on both backends, against differences of whole steps: each from a world
//! that is reset and set anew, so that nothing of one column is left in the next. A missing GPU adapter is a failure here,
//! never a skip.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use manyworlds::analysis::derivatives::{Derivatives, DifferenceOptions, Knots, Method, Transition};
use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::model::Model;
use manyworlds::schema::Size;
use manyworlds::{cpu, load_str};

const INTEGRATORS: [&str; 4] = ["Euler", "RK4", "implicit", "implicitfast"];

/// Two links with a motor, a filtered servo and an integrator.
const LINKS: &str = "<body><joint name='a' axis='0 1 0' damping='.1'/><geom name='g' type='capsule' size='.02' fromto='0 0 0 0 0 -.5'/>
   <body name='tip' pos='0 0 -.5'><joint name='b' axis='0 1 0' damping='.05'/>
     <geom type='capsule' size='.02' fromto='0 0 0 0 0 -.5'/><site name='s' pos='0 0 -.5'/></body></body>";
const ACTUATORS: &str = "<motor joint='a' ctrlrange='-1 1'/><general joint='b' dyntype='filter' dynprm='.05' gainprm='2' biastype='affine' biasprm='0 -2 -.1'/>
   <general joint='a' dyntype='integrator' gainprm='3'/>";
const SENSORS: &str = "<jointpos joint='a'/><jointvel joint='b'/><actuatorfrc actuator='m'/><framelinvel objtype='site' objname='s'/>";
/// On the ground too large for differences in single precision.
const ACCELERATION: &str = "<accelerometer site='s'/>";

fn links(option: &str, sensors: &str, worldbody: &str, rest: &str) -> Model {
    let actuators = ACTUATORS.replace("<motor ", "<motor name='m' ");
    load_str(&format!(
        "<mujoco><option timestep='0.01' {option}<worldbody>{LINKS}{worldbody}</worldbody>
         <actuator>{actuators}</actuator><sensor>{SENSORS}{sensors}</sensor>{rest}</mujoco>"
    ))
    .unwrap()
}

/// State fields of some models along a motion, one knot each; columns of `qpos` are tangents.
fn knots(model: &Model, steps: &[usize], fields: &[&str]) -> Knots {
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (k, &steps) in steps.iter().enumerate() {
        let mut data = manyworlds::model::data::Data::new(model, manyworlds::batch::probe(model));
        let wave = |i: usize| 0.4 * (1.7 * i as f64 + k as f64 + 0.3).sin();
        data.ctrl.iter_mut().enumerate().for_each(|(i, u)| *u = wave(i));
        data.qvel.iter_mut().enumerate().take(2).for_each(|(i, v)| *v = 3.0 * wave(i + 1));
        (0..steps).for_each(|_| cpu::step(model, &mut data));
        for name in fields {
            all.entry((*name).to_owned()).or_default().extend(data.get(name).unwrap().to_f64());
        }
    }
    Knots { count: steps.len(), fields: all }
}

/// One column: a field, an element of the tangent.
type Column = (&'static str, usize);

fn columns(model: &Model) -> Vec<Column> {
    let s = &model.sizes;
    let kinds = [("qpos", s.nv), ("qvel", s.nv), ("act", s.na), ("ctrl", s.nu)];
    kinds.iter().flat_map(|&(name, n)| (0..n).map(move |i| (name, i))).collect()
}

/// Positions moved along one degree of freedom.
fn moved(model: &Model, qpos: &[f64], dof: usize, by: f64) -> Vec<f64> {
    let mut world = manyworlds::model::data::Data::new(model, manyworlds::model::data::Capacity::NONE);
    world.qpos.copy_from_slice(qpos);
    world.qvel.fill(0.0);
    world.qvel[dof] = 1.0;
    world.tree_asleep.fill(-1);
    cpu::integrate::advance::integrate_pos(model, &mut world, by);
    world.qpos
}

/// Matrices from whole steps, each world set from the knot anew.
fn whole_steps(model: &Model, knots: &Knots, eps: f64) -> Transition {
    let mut model = model.clone();
    model.opt_tolerance[0] = 0.0;
    model.opt_iterations[0] = model.opt_iterations[0].max(50);
    let s = model.sizes;
    let (n, columns) = (2 * s.nv + s.na, columns(&model));
    let mut found = Transition { A: vec![], B: vec![], C: vec![], D: vec![], one_sided: vec![] };
    for k in 0..knots.count {
        let row = |name: &str| {
            let values = &knots.fields[name];
            let len = values.len() / knots.count;
            values[k * len..(k + 1) * len].to_vec()
        };
        let after = |column: Option<Column>, by: f64| -> (Vec<f64>, Vec<f64>) {
            // one batch a step: nothing is shared
            let mut batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
            let restore = |batch: &mut Batch| {
                for name in knots.fields.keys() {
                    let mut values = row(name);
                    match column {
                        Some(("qpos", dof)) if name == "qpos" => values = moved(&model, &values, dof, by),
                        Some((field, i)) if name == field => values[i] += by,
                        _ => {}
                    }
                    batch.set(name, .., &values).unwrap();
                }
            };
            restore(&mut batch);
            // the solver starts where it ends, as it iterates to rounding
            batch.forward().unwrap();
            let start = batch.get("qacc", ..).unwrap().data.to_f64();
            batch.reset(.., None).unwrap();
            restore(&mut batch);
            batch.set("qacc_warmstart", .., &start).unwrap();
            batch.step(1).unwrap();
            assert_eq!(batch.status().unwrap(), [0]);
            let mut all = |name: &str| batch.get(name, ..).unwrap().data.to_f64();
            (all("qpos"), [all("qvel"), all("act"), all("sensordata")].concat())
        };
        let mut slopes = Vec::new();
        for &(name, i) in &columns {
            let (up, down) = match name {
                "ctrl" if model.actuator_ctrllimited[i] != 0 => {
                    let (u, range) = (row("ctrl")[i], &model.actuator_ctrlrange[2 * i..2 * i + 2]);
                    let room = |by: f64| if (range[0]..=range[1]).contains(&(u + by)) { by } else { 0.0 };
                    (room(eps), room(-eps))
                }
                _ => (eps, -eps),
            };
            let (plus, minus) = (after(Some((name, i)), up), after(Some((name, i)), down));
            let mut turn = vec![0.0; s.nv];
            cpu::integrate::advance::differentiate_pos(&model, &minus.0, &plus.0, &mut turn);
            turn.extend(plus.1.iter().zip(&minus.1).map(|(a, b)| a - b));
            turn.iter_mut().for_each(|x| *x /= up - down);
            slopes.push(turn);
        }
        let entry = |i: usize, j: usize| slopes[j][i];
        for i in 0..n + s.nsensordata {
            let (by_state, by_control) =
                if i < n { (&mut found.A, &mut found.B) } else { (&mut found.C, &mut found.D) };
            by_state.extend((0..n).map(|j| entry(i, j)));
            by_control.extend((n..columns.len()).map(|j| entry(i, j)));
        }
    }
    found
}

/// Checks the matrices of all knots against whole steps.
fn agree(what: &str, model: &Model, knots: &Knots, backend: Backend, eps: f64, tolerance: f64) {
    let want = whole_steps(model, knots, eps);
    is_near(what, model, knots, DifferenceOptions { eps, centred: true }, backend, &want, tolerance);
    if backend == Backend::Cpu {
        is_near(&format!("{what}, exact"), model, knots, Method::Exact, backend, &want, tolerance);
    }
}

/// Checks the matrices of all knots by one method.
fn is_near(
    what: &str,
    model: &Model,
    knots: &Knots,
    method: impl Into<Method>,
    backend: Backend,
    want: &Transition,
    tolerance: f64,
) {
    let mut derivatives = Derivatives::new(model, knots.count, method, &BatchOptions::on(backend)).unwrap();
    assert_eq!(derivatives.backend(), backend);
    let got = derivatives.transition(knots).unwrap();
    let pairs =
        [("A", &got.A, &want.A), ("B", &got.B, &want.B), ("C", &got.C, &want.C), ("D", &got.D, &want.D)];
    for (name, got, want) in pairs {
        assert_eq!(got.len(), want.len(), "{name} of {what}");
        // the largest element of one knot is the measure
        let each = (want.len() / knots.count).max(1);
        for (k, (got, want)) in got.chunks(each).zip(want.chunks(each)).enumerate() {
            let most = want.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            let worst = got.iter().zip(want).fold(0.0_f64, |w, (a, b)| w.max((a - b).abs()));
            assert!(worst <= tolerance * most, "{name} of {what}, knot {k}: {worst:.1e} of {most:.1e}");
        }
    }
}

const STATE: [&str; 5] = ["time", "qpos", "qvel", "act", "ctrl"];

/// Models with their knots: one for each feature that a step carries over or that a column could disturb.
fn cases(integrator: &str, sensors: &str) -> Vec<(&'static str, Model, Knots)> {
    let option = format!("integrator='{integrator}'/>");
    let with = |more: &[&'static str]| [&STATE[..], more].concat();
    let mut all = Vec::new();
    let plain = links(&option, sensors, "", "");
    let at = knots(&plain, &[0, 15], &STATE);
    all.push(("activations", plain, at));

    // a mocap body that holds the tip and has been moved, an equality that is off at first and on in the second knot
    let mocap = links(
        &option,
        sensors,
        "<body name='hand' mocap='true' pos='.1 0 -1'><geom size='.01' contype='0' conaffinity='0'/></body>",
        "<equality><connect body1='tip' body2='hand' anchor='0 0 -.5' solref='.05 1'/>
           <joint joint1='a' joint2='b' active='false'/></equality>",
    );
    let mut at = knots(&mocap, &[0, 15], &with(&["mocap_pos", "mocap_quat", "eq_active"]));
    at.fields.insert("mocap_pos".to_owned(), vec![0.1, 0.0, -1.0, 0.2, 0.05, -0.9]);
    at.fields.insert("eq_active".to_owned(), vec![1.0, 0.0, 0.0, 1.0]);
    all.push(("mocap and equality", mocap, at));

    // a limb on the ground
    let ground = links(&option, sensors, "<geom type='plane' size='3 3 1' pos='0 0 -.98'/>", "");
    let at = knots(&ground, &[1, 15], &STATE);
    all.push(("contact", ground, at));

    // laws read every input early in a step
    let laws = links(
        &option,
        sensors,
        "",
        "<custom><numeric name='x' data='0.5 -0.2'/><text name='rate:x' data='[x[1], ctrl(m) + qpos(a) - 4*x[0]]'/>
           <text name='force:joint:b' data='0.3*ctrl(m)*position - 0.2*velocity^2 + x[0] + 0.1*act[0]'/></custom>",
    );
    let at = knots(&laws, &[0, 15], &STATE);
    all.push(("laws", laws, at));

    // one box asleep at the second knot, none at the first
    let sleeping = links(
        &format!("integrator='{integrator}'><flag sleep='enable'/></option>"),
        sensors,
        "<geom type='plane' size='3 3 1' pos='0 0 -2'/>
         <body pos='1 0 -1.9'><freejoint/><geom type='box' size='.1 .1 .1'/></body>",
        "",
    );
    let at = knots(&sleeping, &[3, 150], &with(&["tree_asleep", "asleep_qpos"]));
    let asleep = &at.fields["tree_asleep"];
    assert!(asleep[1] < 0.0 && asleep[3] >= 0.0, "{asleep:?}");
    all.push(("sleep", sleeping, at));

    // delayed controls and sensors
    let text = "<mujoco><option timestep='.01' INTEGRATOR<worldbody>LINKS</worldbody><actuator>
          <motor joint='a' delay='.01' nsample='3' interp='linear'/><motor joint='b'/>
          <general joint='a' dyntype='filter' dynprm='.05' delay='.004' nsample='3' interp='linear'/></actuator>
        <sensor><jointpos joint='a' delay='.004' nsample='3' interp='linear'/><jointvel joint='b' interval='.02' nsample='2'/>
          <jointvel joint='a'/></sensor></mujoco>";
    let delays = load_str(&text.replace("INTEGRATOR", &option).replace("LINKS", LINKS)).unwrap();
    let at = knots(&delays, &[4, 15], &with(&["history"]));
    all.push(("delays", delays, at));
    all
}

#[test]
fn every_integrator_has_the_derivatives_of_whole_steps() {
    for integrator in INTEGRATORS {
        for (what, model, knots) in cases(integrator, ACCELERATION) {
            assert!(model.sizes.get(Size::nsensordata) > 0 && model.sizes.na > 0);
            agree(&format!("{what}, {integrator}"), &model, &knots, Backend::Cpu, 1e-6, 1e-5);
        }
    }
}

#[test]
fn kernels_have_the_derivatives_of_whole_steps() {
    // what differs in kernels: every integrator, every feature, not each with each
    for (k, integrator) in INTEGRATORS.into_iter().cycle().enumerate() {
        let Some((what, model, knots)) = cases(integrator, "").into_iter().nth(k) else { break };
        agree(&format!("{what}, {integrator}"), &model, &knots, Backend::Gpu, 1e-2, 2e-3);
    }
}
