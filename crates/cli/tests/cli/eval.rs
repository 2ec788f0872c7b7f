//! States that are evaluated.

use std::path::Path;

use manyworlds::formats::npz::{self, Array};
use serde_json::{Value, json};

use crate::helpers::{in_folder, model, object, reals, refused, run, text};

#[test]
fn eval_gives_dense_fields_and_one_step() {
    let folder = tempfile::tempdir().unwrap();
    let (given, given_name) = in_folder(&folder, "in.npz");
    let (out, out_name) = in_folder(&folder, "out.npz");
    // a rod of 0.5 m and 1 kg, at rest and horizontal
    let states = [("qpos".to_owned(), reals(&[2, 1], vec![0.0, std::f64::consts::FRAC_PI_2]))];
    npz::write(&given, &states).unwrap();
    object(&["eval", &model("pendulum.xml"), "--in", &given_name, "--out", &out_name, "--backend", "cpu"]);
    let arrays = npz::read(&out).unwrap();
    assert_eq!(arrays["M"].shape, [2, 1, 1]);
    assert_eq!(arrays["nefc"].shape, [2]);
    assert_eq!(arrays["efc_J"].shape, [2, 0, 1]);
    let (qacc, inertia) = (arrays["qacc"].data.to_f64(), arrays["M"].data.to_f64());
    assert!(qacc[0].abs() < 1e-9, "{qacc:?}");
    assert!((qacc[1].abs() * inertia[1] - 9.81 * 0.5).abs() < 1e-9, "{qacc:?}");
    // the step starts from the given state and is semi-implicit
    let next = [arrays["qvel_next"].data.to_f64()[1], arrays["qpos_next"].data.to_f64()[1]];
    assert!((next[0] - 0.001 * qacc[1]).abs() < 1e-12);
    assert!((next[1] - states[0].1.data.to_f64()[1] - 0.001 * next[0]).abs() < 1e-12);
}

#[test]
fn eval_refuses_bad_states() {
    let folder = tempfile::tempdir().unwrap();
    let (given, given_name) = in_folder(&folder, "in.npz");
    let (_, out_name) = in_folder(&folder, "out.npz");
    let model = model("pendulum.xml");
    let says = |arrays: &[(&str, Array)], part: &str| {
        let arrays: Vec<_> = arrays.iter().map(|(n, a)| ((*n).to_owned(), a.clone())).collect();
        npz::write(&given, &arrays).unwrap();
        let message = refused(&["eval", &model, "--in", &given_name, "--out", &out_name, "--backend", "cpu"]);
        assert!(message.contains(part), "{message}");
    };
    let qpos = || ("qpos", reals(&[1, 1], vec![0.0]));
    says(&[], "needs an array 'qpos'");
    says(&[("qpos", reals(&[1, 2], vec![0.0; 2]))], "has shape [1, 2]; the model needs [1, 1]");
    says(&[qpos(), ("qvel", reals(&[2, 1], vec![0.0; 2]))], "'qvel' has shape [2, 1]");
    says(&[qpos(), ("qvle", reals(&[1, 1], vec![0.0]))], "did you mean 'qvel'?");
    let bad = |x: f64| [("qpos", reals(&[2, 1], vec![0.0; 2])), ("qvel", reals(&[2, 1], vec![0.0, x]))];
    says(&bad(f64::NAN), "'qvel' holds NaN in state 1, element 0; it has to be finite");
    says(&bad(f64::INFINITY), "'qvel' holds inf in state 1, element 0; it has to be finite");
    says(
        &[qpos(), ("time", reals(&[1], vec![1e200]))],
        "'time' holds 1e200 in state 0, element 0; it has to be finite in single",
    );
    says(&[qpos(), ("qacc", reals(&[1, 1], vec![1e200]))], "'qacc' holds 1e200 in state 0, element 0");
    std::fs::write(&given, b"nonsense").unwrap();
    let message = refused(&["eval", &model, "--in", &given_name, "--out", &out_name, "--backend", "cpu"]);
    assert!(message.contains("in.npz"), "{message}");
    assert!(!Path::new(&out_name).exists());
}

/// The initial state, a good one, and one fault in each of the others; their number, and their arrays.
fn faulty_states() -> (usize, Vec<(String, Array)>) {
    let (count, far) = (8, [1e11, -1e11, 1e200]);
    let mut qpos = [0.0, 0.0, 0.1, 0.2].repeat(4);
    let (mut qvel, mut ctrl, mut force) = (vec![0.0; 16], vec![0.1; 8], vec![0.0; 16]);
    ctrl[0] = 0.0;
    (qpos[2 * 2 + 1], qpos[2 * 3], qvel[2 * 4 + 1]) = (far[0], far[2], far[1]);
    (qvel[2 * 5], ctrl[6], force[2 * 7]) = (far[2], far[2], far[2]);
    let states = vec![
        ("qpos".to_owned(), reals(&[count, 2], qpos)),
        ("qvel".to_owned(), reals(&[count, 2], qvel)),
        ("ctrl".to_owned(), reals(&[count, 1], ctrl)),
        ("qfrc_applied".to_owned(), reals(&[count, 2], force)),
    ];
    (count, states)
}

#[test]
fn eval_says_which_states_a_step_would_reset() {
    let folder = tempfile::tempdir().unwrap();
    let (given, given_name) = in_folder(&folder, "in.npz");
    let (out, out_name) = in_folder(&folder, "out.npz");
    let (count, states) = faulty_states();
    npz::write(&given, &states).unwrap();
    let backends = if cfg!(feature = "gpu") { vec!["cpu", "gpu"] } else { vec!["cpu"] };
    let (path, model) = in_folder(&folder, "model.xml");
    std::fs::write(
        &path,
        "<mujoco><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><joint axis='0 1 0'/>\
           <geom size='.1' pos='0 0 -.5'/></body></worldbody><actuator><motor joint='x'/></actuator></mujoco>",
    )
    .unwrap();
    for backend in backends {
        let command = ["eval", &model, "--in", &given_name, "--out", &out_name, "--backend", backend];
        let done = run(&[&command[..], &["--format", "json"]].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let message = text(&done.stderr);
        for line in [
            "state 2: qpos[1] is 1e11, beyond 1e10: replaced by the initial state",
            "state 3: qpos[0] is 1e200, beyond 1e10: replaced by the initial state",
            "state 4: qvel[1] is -1e11, beyond 1e10: replaced by the initial state",
            "state 5: qvel[0] is 1e200, beyond 1e10: replaced by the initial state",
            "state 6: ctrl[0] is 1e200, beyond 1e10: all controls count as zero",
            "state 7: qacc is not finite or beyond 1e10: the step resets it to the initial state",
        ] {
            assert!(message.contains(line), "{line} in {message} on {backend}");
        }
        assert!(!message.contains("state 0") && !message.contains("state 1"), "{message}");
        let summary: Value = serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap();
        let counts = json!({"bad_qpos": 2, "bad_qvel": 2, "bad_qacc": 1, "bad_ctrl": 1});
        assert_eq!(summary["status"], counts, "{backend}");
        let arrays = npz::read(&out).unwrap();
        assert_eq!(arrays["status"].data.to_f64(), [0.0, 0.0, 4.0, 4.0, 8.0, 8.0, 32.0, 16.0], "{backend}");
        // a replaced state has the results of the initial one, the others their own
        for (name, array) in arrays.iter().filter(|(name, _)| *name != "status") {
            let values = array.data.to_f64();
            let rows: Vec<&[f64]> = values.chunks((values.len() / count).max(1)).collect();
            for (state, row) in rows.iter().enumerate().take(7) {
                assert!(row.iter().all(|x| x.is_finite()), "{name} of state {state} on {backend}");
                if (2..=5).contains(&state) {
                    assert_eq!(row, &rows[0], "{name} of state {state} on {backend}");
                }
            }
        }
        let next = arrays["qpos_next"].data.to_f64();
        assert!(
            (next[2] - 0.1).abs() < 0.1 && next[14..].iter().all(|x| x.abs() < 0.1),
            "{next:?} on {backend}"
        );
    }
}

#[test]
fn derivatives_are_matrices_of_each_state() {
    let folder = tempfile::tempdir().unwrap();
    let (given, given_name) = in_folder(&folder, "in.npz");
    let (out, out_name) = in_folder(&folder, "out.npz");
    let states = [
        ("qpos".to_owned(), reals(&[3, 2], vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5])),
        ("qacc".to_owned(), reals(&[3, 2], vec![0.0; 6])),
    ];
    npz::write(&given, &states).unwrap();
    let model = model("cartpole.xml");
    let common = ["derivatives", &model, "--in", &given_name, "--out", &out_name, "--backend", "cpu"];
    assert_eq!(object(&common)["states"], 3);
    let arrays = npz::read(&out).unwrap();
    assert_eq!((&arrays["A"].shape[..], &arrays["B"].shape[..]), (&[3, 4, 4][..], &[3, 4, 1][..]));
    // the next position depends on the position
    assert!((arrays["A"].data.to_f64()[0] - 1.0).abs() < 1e-6);
    object(&[&common[..], &["--inverse"]].concat());
    assert_eq!(npz::read(&out).unwrap()["DfDq"].shape, [3, 2, 2]);
    assert!(refused(&[&common[..], &["--eps", "0"]].concat()).contains("positive"));
}
