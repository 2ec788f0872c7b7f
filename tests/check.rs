//! The backend check finds faults and accepts rounding.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use manyworlds::analysis::check;
use manyworlds::analysis::check::{CheckOptions, CpuSubject, Report, Subject};
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::model::schedule;
use manyworlds::schema::stages::Stage;

const OPTIONS: CheckOptions = CheckOptions { worlds: 4, steps: 60, seed: 1, from: None };

/// A fault injected into a field of the last world.
#[derive(Clone, Copy)]
enum Fault {
    None,
    /// Adds a hundredth to one element.
    Perturb(&'static str),
    /// Adds a share of the largest magnitude to the first element of the last world.
    Add(&'static str, f64),
    /// Skips the stage that writes the field.
    Skip(&'static str),
}

/// The CPU in single precision with a fault.
struct Faulty {
    inner: CpuSubject<f32>,
    fault: Fault,
}

impl Subject for Faulty {
    fn has(&self, field: &str) -> bool {
        self.inner.has(field)
    }

    fn writes(&self, stage: Stage, field: &str) -> bool {
        self.inner.writes(stage, field)
    }

    fn set(&mut self, field: &str, values: &[f64]) -> Result<()> {
        self.inner.set(field, values)
    }

    fn get(&self, field: &str) -> Result<Vec<f64>> {
        let mut values = self.inner.get(field)?;
        match self.fault {
            Fault::Perturb(name) if name == field => *values.last_mut().unwrap() += 0.01 * scale(&values),
            Fault::Add(name, share) if name == field => {
                let first = values.len() / OPTIONS.worlds * (OPTIONS.worlds - 1);
                values[first] += share * (1.0 + scale(&values));
            }
            _ => {}
        }
        Ok(values)
    }

    fn poison(&mut self, fields: &[&str]) -> Result<()> {
        self.inner.poison(fields)
    }

    fn run(&mut self, stage: Stage) -> Result<()> {
        match self.fault {
            Fault::Skip(name) if name == stage.name() => Ok(()),
            _ => self.inner.run(stage),
        }
    }
}

fn scale(values: &[f64]) -> f64 {
    values.iter().fold(1.0, |m: f64, x| m.max(x.abs()))
}

fn humanoid() -> Model {
    manyworlds::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models/humanoid.xml")).unwrap()
}

/// Boxes flat on each other, a leaning capsule and a light arm on a heavy base: friction much stiffer than the normal
/// direction, and contacts in which rounding decides more than the usual tolerance.
fn strained() -> Model {
    manyworlds::load_str(
        r#"<mujoco><option cone="elliptic" impratio="100"/><worldbody><geom type="plane" size="5 5 1"/>
             <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" density="300"/></body>
             <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" density="3000"/></body>
             <body pos=".5 0 .2"><freejoint/><geom type="capsule" size=".05 .2" euler="0 80 0"/></body>
             <body pos="-.5 0 .3"><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/><geom type="box" size=".1 .1 .1"/>
               <body pos=".1 0 -.1"><joint axis="0 1 0" damping=".1"/>
                 <geom type="capsule" size=".03" fromto="0 0 0 .2 0 -.1"/></body></body>
           </worldbody></mujoco>"#,
    )
    .unwrap()
}

fn check(fault: Fault, options: &CheckOptions) -> Report {
    check_of(&humanoid(), fault, options)
}

fn check_of(model: &Model, fault: Fault, options: &CheckOptions) -> Report {
    let capacity = manyworlds::batch::probe(model);
    let worlds = vec![Data::new(model, capacity); options.worlds];
    let mut subject = Faulty { inner: CpuSubject::new(model, &worlds), fault };
    check::run(model, capacity, &mut subject, options).unwrap()
}

#[test]
fn rounding_passes() {
    let report = check(Fault::None, &OPTIONS);
    let over: Vec<_> = report.rows.iter().filter(|r| r.over()).collect();
    assert!(report.passed(), "{over:?}");
    // the same pipeline in the same precision shows no difference at all
    assert!(report.rows.iter().all(|r| r.single == 0.0));
    // every stage is reported
    assert!(schedule::stages(&humanoid()).all(|s| report.rows.iter().any(|r| r.stage == s)));
}

#[test]
fn one_wrong_element_fails() {
    for field in ["xpos", "cdof", "M", "qLD", "qfrc_bias", "actuator_force", "qacc_smooth", "qacc", "qvel"] {
        let report = check(Fault::Perturb(field), &OPTIONS);
        assert!(!report.passed(), "{field}");
        let first = report.rows.iter().find(|r| r.over()).unwrap();
        assert!(report.rows.iter().filter(|r| r.over()).all(|r| r.field == field), "{field}");
        assert_eq!((first.field, first.world), (field, 3));
    }
}

#[test]
fn rounding_passes_where_a_stage_magnifies_it() {
    let report = check_of(&strained(), Fault::None, &OPTIONS);
    let over: Vec<_> = report.rows.iter().filter(|r| r.over()).collect();
    assert!(report.passed(), "{over:?}");
    // some errors exceed the usual tolerances, and few comparisons are left out
    assert!(report.conditioned > 0 && report.borderline * 10 < report.compared, "{report:?}");
}

#[test]
fn a_fault_beyond_what_rounding_explains_fails_there_too() {
    let model = strained();
    for field in [
        "contact_dist",
        "contact_frame",
        "efc_D",
        "efc_aref",
        "qfrc_bias",
        "qacc",
        "efc_force",
        "qacc_damped",
    ] {
        // the bound of the last world shows where its error is large
        let row = |fault: f64| {
            let report = check_of(&model, Fault::Add(field, fault), &OPTIONS);
            let row = report.rows.iter().find(|r| r.field == field && r.over()).cloned();
            (row, report.passed())
        };
        let (large, _) = row(1e3);
        let bound = large.unwrap().tolerance;
        assert!(bound < 0.02, "{field}: {bound}");
        let (found, passed) = row(3.0 * bound);
        let found = found.unwrap();
        assert_eq!((found.world, passed), (OPTIONS.worlds - 1, false), "{field}");
    }
}

#[test]
fn what_is_not_finite_is_never_explained() {
    let report = check_of(&strained(), Fault::Add("contact_frame", f64::NAN), &OPTIONS);
    assert!(report.rows.iter().any(|r| r.field == "contact_frame" && r.over()));
}

#[test]
fn a_stage_that_does_not_run_fails() {
    for stage in schedule::stages(&humanoid()).filter(|s| s.name() != "check_state" && s.name() != "energies")
    {
        let report = check(Fault::Skip(stage.name()), &OPTIONS);
        assert!(report.rows.iter().any(|r| r.stage == stage && r.over()), "{}", stage.name());
    }
}

#[test]
fn from_a_stage_on_errors_add_up_and_earlier_stages_are_the_cpu_s() {
    let options = CheckOptions { from: Some(Stage::crb), ..OPTIONS };
    let report = check(Fault::None, &options);
    assert!(report.passed());
    assert!(report.rows.iter().all(|r| r.stage >= Stage::crb));
    // a fault shows in its stage and later ones, and in no earlier one
    let report = check(Fault::Skip("rne"), &options);
    let first = report.rows.iter().find(|r| r.over()).unwrap();
    assert_eq!(first.stage, Stage::rne);
}

/// Humanoids on the floor need more than nothing; more steps never need less.
#[test]
fn room_is_what_the_checked_states_need() {
    let model = humanoid();
    let needed = |steps| check::needed_capacity(&model, Capacity::NONE, &CheckOptions { steps, ..OPTIONS });
    let (short, long) = (needed(3), needed(300));
    assert!(long.nconmax >= 4 && long.njmax >= 4 * 4, "{long:?}");
    assert!(long.nconmax >= short.nconmax && long.njmax >= short.njmax);
}

#[test]
fn only_a_looser_tolerance_of_the_solver_changes() {
    let cases = [(1e-6, Some(1e-6), 1e-8), (1e-8, None, 1e-8), (1e-10, None, 1e-10), (0.0, None, 0.0)];
    for (before, said, after) in cases {
        let text = format!("<mujoco><option tolerance='{before:e}'/></mujoco>");
        let mut model = manyworlds::load_str(&text).unwrap();
        assert_eq!((check::tighten(&mut model), model.opt_tolerance[0]), (said, after));
    }
}
