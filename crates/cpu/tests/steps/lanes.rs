//! Worlds side by side have the bits that they have alone: with all instructions of the machine, in all models of the tests,
//! beside worlds that diverge, and where they take different ways.

use std::path::Path;

use manyworlds_cpu::lanes::instructions::Instructions;
use manyworlds_cpu::lanes::number::WIDTH;
use manyworlds_cpu::lanes::stepper::Stepper;
use manyworlds_cpu::step;
use manyworlds_model::model::Model;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::schema::enums::{integrator, status};
use manyworlds_model::schema::{Field, Need, Role, Values};

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
        let stepper = Stepper::with(m, 1, instructions);
        let (mut alone, mut beside) = (worlds(m), worlds(m));
        let mut group = stepper.group();
        for k in 0..STEPS {
            for (w, d) in alone.iter_mut().chain(&mut beside).enumerate() {
                drive(w % WIDTH, k, d);
                disturb(w % WIDTH, k, d);
            }
            alone.iter_mut().for_each(|d| step(m, d));
            match &mut group {
                Some(group) => group.step(m, &mut beside),
                None => beside.iter_mut().for_each(|d| stepper.step(m, d)),
            }
            for (w, (a, b)) in alone.iter().zip(&beside).enumerate() {
                let different = differences(a, b);
                assert!(different.is_empty(), "{name}, {instructions:?}, world {w}, step {k}: {different:?}");
            }
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
        lanes += usize::from(Stepper::new(&model, 1).group().is_some());
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
    let (mut group, mut worlds) = (stepper.group().unwrap(), worlds(&m));
    worlds[2].qfrc_applied[3] = f64::NAN;
    group.step(&m, &mut worlds);
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
        assert!(Stepper::new(&model, 1).group().is_some());
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
