//! The verb `fit` from outside: a recording of `rollout`, results in every form, messages.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;
use std::process::{Command, Output};

use manyworlds::formats::npz;
use serde_json::Value;

/// A pendulum with a motor, whose bob weighs something.
fn pendulum(mass: f64, damping: f64) -> String {
    format!(
        r#"<mujoco>
             <option timestep="0.005"/>
             <worldbody>
               <body name="rod">
                 <joint name="hinge" axis="0 1 0" damping="{damping}"/>
                 <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5" mass="0.2"/>
                 <body name="bob" pos="0 0 -0.5"><geom size="0.05" mass="{mass}"/></body>
               </body>
             </worldbody>
             <actuator><motor joint="hinge" ctrlrange="-4 4" ctrllimited="true"/></actuator>
           </mujoco>"#
    )
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manyworlds")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with the model that is to be fitted, and a recording of the true one.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let case = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(case.path("truth.xml"), pendulum(1.3, 0.25)).unwrap();
        std::fs::write(case.path("model.xml"), pendulum(1.0, 0.1)).unwrap();
        let done = run(&[
            "rollout",
            &case.name("truth.xml"),
            "--backend",
            "cpu",
            "--worlds",
            "2",
            "--steps",
            "200",
            "--ctrl",
            "noise",
            "--record",
            "qpos,qvel,ctrl",
            "--out",
            &case.name("recording.npz"),
        ]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// `fit` on the CPU.
    fn fit(&self, more: &[&str]) -> Output {
        let (model, recording) = (self.name("model.xml"), self.name("recording.npz"));
        run(&[&["fit", &model, &recording, "--backend", "cpu"], more].concat())
    }

    fn refused(&self, more: &[&str], part: &str) {
        let done = self.fit(more);
        let message = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{message}");
        assert!(message.contains(part) && message.lines().count() == 1, "{message}");
    }
}

const BOTH: [&str; 4] = ["--parameter", "mass:bob=0.2..5", "--parameter", "dof_damping:hinge=log:0.01..2"];

#[test]
fn a_recording_of_rollout_is_fitted() {
    let case = Case::new();
    let out = case.name("fitted.json");
    let done = case.fit(&[&BOTH[..], &["--segment", "50", "--format", "json", "--out", &out]].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    let found: Value = serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap();
    let value = |k: usize| found["parameters"][k]["value"].as_f64().unwrap();
    assert_eq!(found["parameters"][0]["name"], "mass:bob");
    assert!((value(0) - 1.3).abs() < 1e-5 && (value(1) - 0.25).abs() < 1e-5, "{found}");
    assert!(found["parameters"][0]["deviation"].as_f64().unwrap() < 1e-4);
    // four segments of each of two worlds: 199 frames behind the first
    assert_eq!((&found["segments"], &found["residuals"]), (&8.into(), &(2 * 2 * 199).into()));
    assert_eq!((&found["converged"], &found["parameters"][0]["upper"]), (&true.into(), &5.0.into()));
    assert!(found["iterations"].as_array().unwrap().len() > 1);
    assert!((found["correlation"][0][0].as_f64().unwrap() - 1.0).abs() < 1e-12);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(written, found);
}

#[test]
fn results_are_written_as_arrays_and_as_a_model() {
    let case = Case::new();
    let (arrays, model) = (case.name("fitted.npz"), case.name("fitted.mwb"));
    let done = case.fit(&[&BOTH[..], &["--out", &arrays]].concat());
    let message = text(&done.stdout);
    assert!(
        done.status.success() && message.contains("mass:bob") && message.contains("correlation"),
        "{message}"
    );
    let found = npz::read(&case.path("fitted.npz")).unwrap();
    assert_eq!((&found["covariance"].shape[..], &found["body_mass"].shape[..]), (&[2, 2][..], &[3][..]));
    assert!((found["body_mass"].data.to_f64()[2] - 1.3).abs() < 1e-5);
    assert!(found.contains_key("body_inertia") && !found.contains_key("geom_friction"));
    // the model with the values steps as the true one
    assert!(case.fit(&[&BOTH[..], &["--out", &model]].concat()).status.success());
    let info = run(&["info", &model, "--format", "json"]);
    assert!(info.status.success(), "{}", text(&info.stderr));
    let again = run(&[
        "fit",
        &model,
        &case.name("recording.npz"),
        "--backend",
        "cpu",
        "--parameter",
        "mass:bob",
        "--format",
        "json",
    ]);
    let again: Value = serde_json::from_str(text(&again.stdout).trim()).unwrap();
    assert!((again["parameters"][0]["start"].as_f64().unwrap() - 1.3).abs() < 1e-5, "{again}");
}

#[test]
fn a_search_that_ends_early_has_an_exit_status_of_its_own() {
    let case = Case::new();
    let done = case.fit(&[&BOTH[..], &["--iterations", "1"]].concat());
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stderr).contains("no minimum after 1 iterations"), "{}", text(&done.stderr));
}

#[test]
fn wrong_arguments_are_told_in_one_line() {
    let case = Case::new();
    let one = |parameter: &'static str| ["--parameter", parameter];
    case.refused(&one("mass:bop"), "there is no body 'bop'; did you mean 'bob'?");
    case.refused(&one("dof_dampin:hinge"), "did you mean 'dof_damping'?");
    case.refused(&one("mass:bob=2..5"), "the start 1 is not in the range 2..5");
    case.refused(&[&BOTH[..], &["--fields", "qpoz"]].concat(), "did you mean 'qpos'?");
    case.refused(&[&BOTH[..], &["--fields", "qpos:x"]].concat(), "the deviation 'x'");
    case.refused(&[&BOTH[..], &["--fields", "xpos"]].concat(), "recording.npz: has no array 'xpos'");
    case.refused(&[&BOTH[..], &["--segment", "0"]].concat(), "at least one frame");
    case.refused(&[&BOTH[..], &["--out", "fitted.txt"]].concat(), ".json (result)");
    let done = run(&["fit", &case.name("model.xml"), &case.name("none.npz"), "--parameter", "mass:bob"]);
    assert!(done.status.code() == Some(2) && text(&done.stderr).contains("none.npz"));
    assert_eq!(case.fit(&[]).status.code(), Some(2));
}
