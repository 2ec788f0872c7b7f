//! Worlds side by side have the bits that they have alone: with all instructions of the machine, in all models of the tests,
//! beside worlds that diverge, and where they take different ways.

use std::path::Path;

use manyworlds_cpu::lanes::instructions::Instructions;
use manyworlds_cpu::lanes::number::WIDTH;
use manyworlds_cpu::lanes::stepper::Stepper;
use manyworlds_cpu::step;
use manyworlds_cpu::task::{restart, step as step_task, step_beside};
use manyworlds_model::model::Model;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::task::Task;
use manyworlds_model::schema::enums::{integrator, status};
use manyworlds_model::schema::{Field, Need, Role, Values, ValuesMut};

/// Steps of each model.
const STEPS: usize = 30;

/// Fields in which two worlds differ, besides what integrators implicit in velocity keep for themselves within a step.
fn differences(a: &Data, b: &Data) -> Vec<&'static str> {
    let bits = |data: &Data, name: &str| -> Vec<u64> {
        match data.get(name).unwrap() {
            Values::Real(values) => values.iter().map(|x| x.to_bits()).collect(),
            Values::Int(values) => values.iter().map(|x| *x as u64).collect(),
        }
    };
    let lasts = |field: &&Field| field.role != Role::Scratch || field.traits.need != Need::VelocityDerivative;
    let names = Data::<f64>::FIELDS.iter().filter(lasts).map(|field| field.name);
    names.filter(|name| bits(a, name) != bits(b, name)).collect()
}

/// Numbers between -1 and 1 that depend on a world, a step and a place.
fn number(world: usize, step: usize, place: usize) -> f64 {
    let mixed = (world as u64 + 1) * 0x9e37_79b9 + (step as u64) * 0x85eb_ca6b + (place as u64) * 0xc2b2_ae35;
    let mixed = mixed.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 40;
    mixed as f64 / f64::from(1 << 23) - 1.0
}

/// Worlds that begin alike and are driven differently.
fn worlds(m: &Model) -> [Data; WIDTH] {
    std::array::from_fn(|_| {
        let mut data = Data::new(m, Capacity::NONE);
        data.capacity_limit = max_capacity(m);
        data.keep_asleep(m);
        data.reset(m, (m.sizes.nkey > 0).then_some(0));
        data
    })
}

fn drive(world: usize, step: usize, d: &mut Data) {
    for (k, x) in d.ctrl.iter_mut().enumerate() {
        *x = 2.0 * number(world, step, k);
    }
    for (k, x) in d.qfrc_applied.iter_mut().enumerate() {
        *x = 0.3 * number(world, step / 10, k + 1000);
    }
}

/// Compares worlds side by side with worlds alone; `disturb` changes both before each step.
fn compare(name: &str, m: &Model, disturb: impl Fn(usize, usize, &mut Data)) {
    for instructions in Instructions::available() {
        compare_steps(
            &format!("{name}, {instructions:?}"),
            [m; WIDTH],
            &Stepper::with(m, 1, instructions),
            &disturb,
        );
    }
}

/// The same by a stepper, of worlds that may have models of their own.
fn compare_steps(
    name: &str,
    models: [&Model; WIDTH],
    stepper: &Stepper,
    disturb: &impl Fn(usize, usize, &mut Data),
) {
    let (mut alone, mut beside) = (worlds(models[0]), worlds(models[0]));
    let mut group = stepper.group(models);
    for k in 0..STEPS {
        for (w, d) in alone.iter_mut().chain(&mut beside).enumerate() {
            drive(w % WIDTH, k, d);
            disturb(w % WIDTH, k, d);
        }
        alone.iter_mut().zip(models).for_each(|(d, m)| step(m, d));
        match &mut group {
            Some(group) => group.step(&mut beside),
            None => beside.iter_mut().zip(models).for_each(|(d, m)| stepper.step(m, d)),
        }
        for (w, (a, b)) in alone.iter().zip(&beside).enumerate() {
            let different = differences(a, b);
            assert!(different.is_empty(), "{name}, world {w}, step {k}: {different:?}");
        }
    }
}

fn load(path: &str) -> Model {
    manyworlds_mjcf::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

#[test]
fn worlds_side_by_side_have_the_bits_of_worlds_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.join("models"), root.join("models/laws"), root.join("tests/parity/models")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files =
        files.map(|file| file.unwrap().path()).filter(|file| file.extension().is_some_and(|e| e == "xml"));
    let mut lanes = 0;
    for file in files {
        let model: Model = manyworlds_mjcf::load(&file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        compare(&name, &model, |_, _, _| {});
        lanes += usize::from(Stepper::new(&model, 1).group([&model; WIDTH]).is_some());
    }
    assert!(lanes >= 20, "{lanes} models have lanes");
}

#[test]
fn integrators_implicit_in_velocity_have_the_bits_of_worlds_alone() {
    let models = ["models/humanoid.xml", "models/quadruped.xml", "tests/parity/models/joints.xml"];
    for (name, kind) in
        models.iter().flat_map(|name| [(name, integrator::IMPLICIT), (name, integrator::IMPLICITFAST)])
    {
        let mut m = load(name);
        m.opt_integrator[0] = kind;
        compare(name, &m, |_, _, _| {});
        // one that is reset beside others that go on
        compare(name, &m, |w, k, d| {
            if (w, k) == (2, 5) {
                d.qfrc_applied[0] = f64::NAN;
            }
        });
    }
}

#[test]
fn a_world_that_diverges_leaves_the_others_their_bits() {
    let m = load("models/humanoid.xml");
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        compare("velocity", &m, |w, k, d| {
            if (w, k) == (2, 5) {
                d.qvel[7] = bad;
            }
        });
        compare("force", &m, |w, k, d| {
            if (w, k) == (1, 5) {
                d.qfrc_applied[3] = bad;
            }
        });
        compare("control", &m, |w, k, d| {
            if (w, k) == (3, 5) {
                d.ctrl[0] = bad;
            }
        });
    }
    // it was noticed
    let stepper = Stepper::new(&m, 1);
    let (mut group, mut worlds) = (stepper.group([&m; WIDTH]).unwrap(), worlds(&m));
    worlds[2].qfrc_applied[3] = f64::NAN;
    group.step(&mut worlds);
    assert_eq!(worlds.each_ref().map(|d| d.status[0] & status::BAD_QACC != 0), [false, false, true, false]);
    assert_eq!(worlds.each_ref().map(|d| d.nreset[0]), [0, 0, 1, 0]);
}

#[test]
fn worlds_take_different_ways() {
    let m = load("models/humanoid.xml");
    // a zero quaternion in one world alone: the identity
    compare("quaternion", &m, |w, k, d| {
        if (w, k) == (0, 3) {
            d.qpos[3..7].fill(0.0);
        }
    });
    // a force on a body of one world alone
    compare("wrench", &m, |w, k, d| {
        if w == 1 && k > 3 {
            d.xfrc_applied[6 * 4] = 1.0;
        }
    });
}

/// Heights of three boxes in each world: in the air, on the plane, or on the box before.
const HEIGHTS: [[f64; 3]; WIDTH] = [[2.0, 4.0, 6.0], [0.1, 4.0, 6.0], [0.1, 0.299, 6.0], [0.1, 3.0, 0.1]];

/// Worlds without rows, with one island of one box or of two, and with two islands: what is dense in them are other degrees of
/// freedom.
#[test]
fn worlds_with_other_islands_have_the_bits_of_worlds_alone() {
    for (option, iterations) in [("", 100), ("cone='elliptic' impratio='5'", 100), ("", 1), ("", 0)] {
        let body = |x: f64| {
            format!("<body pos='{x} 0 1'><freejoint/><geom type='box' size='.1 .1 .1' friction='.4'/></body>")
        };
        let text = format!(
            "<mujoco><option {option} iterations='{iterations}'/><worldbody><geom type='plane' size='5 5 1'/>\
             {}{}{}</worldbody></mujoco>",
            body(0.0),
            body(0.0),
            body(1.0)
        );
        let model: Model = manyworlds_mjcf::load_str(&text).unwrap();
        assert!(Stepper::new(&model, 1).group([&model; WIDTH]).is_some());
        // the second world after a while as the third
        compare(&format!("{option} {iterations}"), &model, |w, k, d| {
            let like = if w == 1 && k >= 20 { 2 } else { w };
            if k == 0 || (w, k) == (1, 20) {
                for (box_of, z) in HEIGHTS[like].iter().enumerate() {
                    d.qpos[7 * box_of + 2] = *z;
                    d.qvel[6 * box_of] = 0.5 + 0.1 * w as f64;
                }
            }
        });
    }
}

/// Places in the table of fields of the model.
fn places(names: &[&str]) -> Vec<usize> {
    let place = |name: &&str| Model::<f64>::FIELDS.iter().position(|field| field.name == *name).unwrap();
    names.iter().map(place).collect()
}

#[test]
fn worlds_of_other_models_have_the_bits_of_worlds_alone() {
    let names = [
        "body_mass",
        "body_ipos",
        "body_inertia",
        "dof_damping",
        "dof_armature",
        "jnt_stiffness",
        "actuator_gainprm",
        "actuator_gear",
        "geom_friction",
        "opt_gravity",
        "opt_timestep",
    ];
    for name in ["models/humanoid.xml", "models/quadruped.xml", "models/hopper.xml"] {
        let base = load(name);
        let models: [Model; WIDTH] = std::array::from_fn(|w| {
            let mut m = base.clone();
            for (k, field) in names.iter().enumerate() {
                let Some(ValuesMut::Real(values)) = m.get_mut(field) else { panic!("{field}") };
                for (place, x) in values.iter_mut().enumerate() {
                    *x *= 1.0 + 0.1 * number(w, k, place);
                }
            }
            // one without a spring that the others have, and the other way round
            m.jnt_stiffness[1] = if w == 1 { 0.0 } else { 2.0 };
            m.dof_damping[m.sizes.nv - 1] = if w == 2 { 1.5 } else { 0.0 };
            m
        });
        let all = models.each_ref();
        let stepper = Stepper::varying(&base, 1, &places(&names)).unwrap();
        assert!(stepper.group(all).is_some(), "{name}");
        compare_steps(name, all, &stepper, &|_, _, _| {});
        // the same memory for worlds in another order
        let turned = [all[2], all[3], all[0], all[1]];
        compare_steps(name, turned, &stepper, &|_, _, _| {});
    }
}

#[test]
fn worlds_whose_models_choose_other_stages_step_by_themselves() {
    let m = load("models/humanoid.xml");
    for name in ["opt_density", "geom_adhesion", "geom_condim"] {
        assert!(Stepper::varying(&m, 1, &places(&[name])).is_none(), "{name}");
    }
}

/// A step of an environment whose episodes end at a limit that differs by what was drawn, and after nine steps.
const TASK: &str = r#"{
    "frame_skip": SKIP, "max_episode_steps": 9, "autoreset": true, "action": 6,
    "nodes": [
        {"op": "field", "name": "qpos", "elements": [2], "size": 1},
        {"op": "variable", "name": "limit", "elements": [0], "size": 1},
        {"op": "lt", "args": [0, 1], "size": 1},
        {"op": "action", "elements": [0, 1, 2, 3, 4, 5], "size": 6},
        {"op": "uniform", "size": 1},
        {"op": "const", "values": [0.45], "size": 1},
        {"op": "mul", "args": [4, 5], "size": 1},
        {"op": "field", "name": "qvel", "elements": [0, 1, 2, 3], "size": 4}
    ],
    "variables": [{"name": "limit", "reset": 6, "update": 1}],
    "writes": [{"field": "ctrl", "elements": [0, 1, 2, 3, 4, 5], "value": 3}],
    "resets": [{"field": "qpos", "elements": [0], "value": 4}],
    "observation": [{"name": "speeds", "value": 7}],
    "reward": [{"name": "height", "value": 0}],
    "termination": [{"name": "low", "value": 2}]
}"#;

#[test]
fn environments_side_by_side_have_the_bits_of_environments_alone() {
    for skip in [1, 3] {
        let mut base = load("models/quadruped.xml");
        base.set_task(&Task::from_json(&TASK.replace("SKIP", &skip.to_string())).unwrap()).unwrap();
        // the same model, and models with masses of their own
        let heavier = |w: usize| {
            let mut m = base.clone();
            m.body_mass.iter_mut().for_each(|mass| *mass *= 1.0 + 0.1 * w as f64);
            m
        };
        let others: [Model; WIDTH] = std::array::from_fn(heavier);
        let same = Stepper::new(&base, 1);
        let varying = Stepper::varying(&base, 1, &places(&["body_mass"])).unwrap();
        for (stepper, models) in [(&same, [&base; WIDTH]), (&varying, others.each_ref())] {
            let begun = || {
                let mut all = worlds(&base);
                for (w, d) in all.iter_mut().enumerate() {
                    d.task_key.copy_from_slice(&[7, 0, w as i32]);
                    restart(models[w], d);
                }
                all
            };
            let (mut alone, mut beside) = (begun(), begun());
            let mut group = stepper.group(models).unwrap();
            // how many worlds have begun an episode in a step
            let mut counts = [0; WIDTH + 1];
            for k in 0..40 {
                for (w, d) in alone.iter_mut().chain(&mut beside).enumerate() {
                    d.action.iter_mut().enumerate().for_each(|(a, x)| *x = 0.7 * number(w % WIDTH, k, a));
                }
                let ended = beside.iter().filter(|d| d.terminated[0] != 0 || d.truncated[0] != 0).count();
                counts[ended] += 1;
                alone.iter_mut().zip(models).for_each(|(d, m)| step_task(m, d));
                step_beside(&mut group, &mut beside);
                for (w, (a, b)) in alone.iter().zip(&beside).enumerate() {
                    let different = differences(a, b);
                    assert!(different.is_empty(), "skip {skip}, world {w}, step {k}: {different:?}");
                }
            }
            assert!(counts[0] > 0 && counts[1] + counts[2] + counts[3] > 0, "{counts:?}");
        }
    }
}
