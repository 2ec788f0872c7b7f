//! The command line from outside: exit status, messages, files.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use manyworlds::formats::npz;
use manyworlds::formats::npz::{Array, ArrayData};
use serde_json::{Value, json};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manyworlds")).args(arguments).output().unwrap()
}

fn model(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).to_str().unwrap().to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// JSON object printed by a successful run.
fn object(arguments: &[&str]) -> Value {
    let done = run(&[arguments, &["--format", "json"]].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap()
}

/// Standard error of a refused run.
fn refused(arguments: &[&str]) -> String {
    let done = run(arguments);
    assert_eq!(done.status.code(), Some(2), "{arguments:?}: {}", text(&done.stdout));
    text(&done.stderr)
}

fn in_folder(folder: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let text = path.to_str().unwrap().to_owned();
    (path, text)
}

fn reals(shape: &[usize], data: Vec<f64>) -> Array {
    Array { shape: shape.to_vec(), data: ArrayData::F64(data) }
}

#[test]
fn the_version_names_the_reference() {
    let done = run(&["--version"]);
    let out = text(&done.stdout);
    assert!(out.contains(env!("CARGO_PKG_VERSION")) && out.contains("reference: MuJoCo 3.17.0"), "{out}");
}

#[test]
fn info_counts_what_the_model_has() {
    let info = object(&["info", &model("humanoid.xml")]);
    assert_eq!(info["sizes"]["nv"], 27);
    assert_eq!(info["names"]["keyframes"][0], "stand");
}

#[test]
fn a_broken_model_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "broken.xml");
    std::fs::write(&path, "<mujoco>\n <worldbody>\n  <geom sise='1'/>\n </worldbody>\n</mujoco>\n").unwrap();
    let said = refused(&["info", &name]);
    assert!(said.contains("broken.xml:3:9"), "{said}");
    // the JSON format carries the same information
    let done = run(&["info", &name, "--format", "json"]);
    let object: Value = serde_json::from_str(text(&done.stdout).trim()).unwrap();
    assert_eq!(object["problems"][0]["line"], 3);

    assert!(refused(&["info", "no_such_file.xml"]).contains("no_such_file.xml"));
}

#[test]
fn compile_writes_fields_and_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "m.npz");
    object(&["compile", &model("hopper.xml"), "--out", &name]);
    let arrays = npz::read(&path).unwrap();
    assert_eq!(arrays["nv"].data.to_f64(), [6.0]);
    assert_eq!(arrays["body_pos"].shape, [5, 3]);
    // an unwritable path is an error and leaves no file behind
    let (missing, name) = in_folder(&folder, "no/such/folder.npz");
    assert!(refused(&["compile", &model("hopper.xml"), "--out", &name]).contains("folder.npz"));
    assert!(!missing.exists());
}

#[test]
fn compile_writes_what_the_end_of_the_name_says() {
    let folder = tempfile::tempdir().unwrap();
    let arrays = |from: &str| {
        let (path, name) = in_folder(&folder, "m.npz");
        object(&["compile", from, "--out", &name]);
        npz::read(&path).unwrap()
    };
    for model in [model("hopper.xml"), model("humanoid.xml")] {
        let direct = arrays(&model);
        // a compiled model is identical to the bit for every verb
        let (path, name) = in_folder(&folder, "m.mwb");
        object(&["compile", &model, "--out", &name]);
        assert_eq!(arrays(&name), direct);
        assert_eq!(object(&["info", &name])["sizes"], object(&["info", &model])["sizes"]);
        // plain MJCF is identical up to rounding
        let (_, text_name) = in_folder(&folder, "m.xml");
        object(&["compile", &model, "--out", &text_name]);
        for (field, array) in arrays(&text_name) {
            for (a, b) in array.data.to_f64().iter().zip(direct[&field].data.to_f64()) {
                assert!((a - b).abs() <= 1e-11 * (1.0 + b.abs()), "{field}: {a} {b}");
            }
        }
        assert!(refused(&["compile", &name, "--out", &text_name]).contains("cannot be turned back"));
        // a damaged file is reported as such
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(refused(&["info", &name]).contains("checksum"));
    }
    let said = refused(&["compile", &model("hopper.xml"), "--out", "model.bin"]);
    assert!([".npz", ".mwb", ".xml"].iter().all(|end| said.contains(end)), "{said}");
}

#[test]
fn info_of_a_model_that_cannot_be_simulated_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "m.xml");
    std::fs::write(
        &path,
        "<mujoco><option><flag diagexact='enable'/></option><worldbody><body><freejoint/><geom size='.1'/></body>\
         </worldbody></mujoco>",
    )
    .unwrap();
    let info = object(&["info", &name]);
    assert_eq!(info["sizes"]["nv"], 6);
    assert!(info["unsupported"].as_str().unwrap().contains("flag diagexact"), "{info}");
    assert_eq!(object(&["info", &model("hopper.xml")])["unsupported"], Value::Null);
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
        let said = refused(&["eval", &model, "--in", &given_name, "--out", &out_name, "--backend", "cpu"]);
        assert!(said.contains(part), "{said}");
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
    let said = refused(&["eval", &model, "--in", &given_name, "--out", &out_name, "--backend", "cpu"]);
    assert!(said.contains("in.npz"), "{said}");
    assert!(!Path::new(&out_name).exists());
}

#[test]
fn eval_says_which_states_a_step_would_reset() {
    let folder = tempfile::tempdir().unwrap();
    let (given, given_name) = in_folder(&folder, "in.npz");
    let (out, out_name) = in_folder(&folder, "out.npz");
    // the initial state, a good one, and one fault in each of the others
    let (count, far) = (8, [1e11, -1e11, 1e200]);
    let mut qpos = [0.0, 0.0, 0.1, 0.2].repeat(4);
    let (mut qvel, mut ctrl, mut force) = (vec![0.0; 16], vec![0.1; 8], vec![0.0; 16]);
    ctrl[0] = 0.0;
    (qpos[2 * 2 + 1], qpos[2 * 3], qvel[2 * 4 + 1]) = (far[0], far[2], far[1]);
    (qvel[2 * 5], ctrl[6], force[2 * 7]) = (far[2], far[2], far[2]);
    let states = [
        ("qpos".to_owned(), reals(&[count, 2], qpos)),
        ("qvel".to_owned(), reals(&[count, 2], qvel)),
        ("ctrl".to_owned(), reals(&[count, 1], ctrl)),
        ("qfrc_applied".to_owned(), reals(&[count, 2], force)),
    ];
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
        let said = text(&done.stderr);
        for line in [
            "state 2: qpos[1] is 1e11, beyond 1e10: replaced by the initial state",
            "state 3: qpos[0] is 1e200, beyond 1e10: replaced by the initial state",
            "state 4: qvel[1] is -1e11, beyond 1e10: replaced by the initial state",
            "state 5: qvel[0] is 1e200, beyond 1e10: replaced by the initial state",
            "state 6: ctrl[0] is 1e200, beyond 1e10: all controls count as zero",
            "state 7: qacc is not finite or beyond 1e10: the step resets it to the initial state",
        ] {
            assert!(said.contains(line), "{line} in {said} on {backend}");
        }
        assert!(!said.contains("state 0") && !said.contains("state 1"), "{said}");
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
fn rollout_measures_and_records() {
    let folder = tempfile::tempdir().unwrap();
    let (out, name) = in_folder(&folder, "r.npz");
    let model = model("quadruped.xml");
    let common =
        ["rollout", &model, "--steps", "50", "--backend", "cpu", "--ctrl", "noise", "--warmup", "10"];
    let recorded = ["--every", "10", "--record", "qpos,ncon", "--out", &name, "--worlds"];
    let summary = object(&[&common[..], &recorded, &["3"]].concat());
    for key in ["steps_per_second", "seconds", "finite", "contacts_mean", "bytes_per_world", "build_seconds"]
    {
        assert!(summary[key].is_number(), "{key}");
    }
    assert_eq!((&summary["worlds"], &summary["steps"]), (&Value::from(3), &Value::from(50)));
    assert_eq!(summary["status"]["contact_overflow"], 0);
    let arrays = npz::read(&out).unwrap();
    assert_eq!(arrays["qpos"].shape, [5, 3, 19]);
    assert_eq!((&arrays["ncon"].shape[..], &arrays["time"].shape[..]), (&[5, 3][..], &[5, 3][..]));
    let time = arrays["time"].data.to_f64();
    assert!((time[0] - 0.08).abs() < 1e-9 && (time[14] - 0.24).abs() < 1e-9, "{time:?}");

    // a world does not depend on the number of worlds
    let first = arrays["qpos"].data.to_f64();
    object(&[&common[..], &recorded, &["5"]].concat());
    let again = npz::read(&out).unwrap()["qpos"].data.to_f64();
    assert_eq!(first[..19], again[..19]);
}

/// A rollout that is killed and goes on from its checkpoint has the frames of one that was not.
#[test]
fn rollout_goes_on_from_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let model = model("hopper.xml");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (whole, parts, kept) = (path("whole.npz"), path("parts/"), path("c.npz"));
    let mass = "body_mass=scale:0.8..1.2@b,body_inertia=scale:0.8..1.2@b";
    let common =
        ["rollout", &model, "--worlds", "3", "--backend", "cpu", "--ctrl", "noise", "--warmup", "15"];
    // with little room at first, as with too little measured
    let record = [
        "--nconmax",
        "1",
        "--njmax",
        "4",
        "--randomize",
        mass,
        "--every",
        "5",
        "--record",
        "qpos,contact_dist,nefc",
    ];
    let long = [&common[..], &record, &["--steps", "400", "--out", &whole]].concat();
    object(&long);
    // the same in a folder, cut off after 200 steps: frames after the last checkpoint are taken again
    let part = |steps: &'static str, resume: bool| {
        let mut all = [&common[..], &record].concat();
        all.extend(["--out", &parts, "--checkpoint", &kept, "--checkpoint-every", "150", "--steps", steps]);
        if resume {
            all.push("--resume");
        }
        object(&all)
    };
    part("150", false);
    let checkpoint = std::fs::read(&kept).unwrap();
    part("200", true);
    std::fs::write(&kept, checkpoint).unwrap();
    let done = part("400", true);
    assert_eq!((&done["steps"], &done["frames"]), (&Value::from(250), &Value::from(80)));
    let want = npz::read(Path::new(&whole)).unwrap();
    let files: Vec<_> = want
        .keys()
        .map(|name| (name.clone(), folder.path().join("parts").join(format!("{name}.npy"))))
        .collect();
    let joined = folder.path().join("joined.npz");
    npz::join(&joined, &files).unwrap();
    let got = npz::read(&joined).unwrap();
    for (name, array) in &want {
        assert_eq!(array.shape[..2], [80, 3], "{name}");
        assert!(*array == got[name], "{name}");
    }
    // no file but these is left
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    // other options, another file, an odd number of steps
    let says = |more: &[&str], text: &str| {
        let said = refused(&[&common[..], &record, &["--out", &parts, "--checkpoint"], more].concat());
        assert!(said.contains(text), "{said}");
    };
    says(&[&kept, "--resume", "--seed", "7"], "seed 0, ctrl noise");
    says(&[&whole, "--resume"], "no checkpoint of a rollout");
    says(&[&kept, "--checkpoint-every", "7"], "no multiple of --every 5");
    says(&[&kept, "--resume", "--steps", "10"], "give --steps 400 or more");
}

#[test]
fn rollout_grows_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (out, name) = in_folder(&folder, "r.npz");
    let model = model("humanoid.xml");
    let common = ["rollout", &model, "--worlds", "2", "--backend", "cpu", "--warmup", "0", "--steps", "150"];
    let few =
        ["--nconmax", "1", "--njmax", "4", "--every", "10", "--record", "contact_dist,ncon", "--out", &name];
    let done = run(&[&common[..], &few].concat());
    let said = text(&done.stderr);
    assert!(done.status.success(), "{said}");
    assert!(said.contains("room grew from 1 and 4 to"), "{said}");
    assert!(said.contains("to begin with it"), "{said}");
    // frames from before have the length of the last ones
    let arrays = npz::read(&out).unwrap();
    assert!(arrays["contact_dist"].shape[2] >= 8, "{:?}", arrays["contact_dist"].shape);
    let flag = object(&[&common[..], &few, &["--overflow", "flag"]].concat());
    assert_eq!((&flag["nconmax"], &flag["grown"]), (&Value::from(1), &Value::from(0)));
    assert_eq!(flag["status"]["contact_overflow"], 2);
    let error = refused(&[&common[..], &few, &["--overflow", "error"]].concat());
    assert!(error.contains("left out in 2 of 2 worlds (0, 1)"), "{error}");
    assert!(refused(&[&common[..], &["--overflow", "explode"]].concat()).contains("grow flag error"));
}

#[cfg(unix)]
#[test]
fn interrupted_rollouts_keep_their_frames() {
    let folder = tempfile::tempdir().unwrap();
    let (out, name) = in_folder(&folder, "r.npz");
    let model = model("hopper.xml");
    let mut run = Command::new(env!("CARGO_BIN_EXE_manyworlds"))
        .args(["rollout", &model, "--worlds", "2", "--backend", "cpu", "--steps", "100000000"])
        .args(["--record", "qpos", "--out", &name, "--every", "10"])
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // once the first frames are on the disk
    let part = folder.path().join("r.npz.parts/qpos.npy");
    let begun = || std::fs::metadata(&part).is_ok_and(|meta| meta.len() > 4096);
    while !begun() && run.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let done = run.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("interrupted after") && said.contains("frames recorded"), "{said}");
    let arrays = npz::read(&out).unwrap();
    assert_eq!(arrays["qpos"].shape[1..], [2, 6]);
    assert!(arrays["qpos"].shape[0] > 10);
    assert!(!part.exists());
}

#[test]
fn one_number_of_slots_leaves_the_other_measured() {
    let model = model("quadruped.xml");
    let slots = |more: &[&str]| {
        let common =
            ["rollout", &model, "--worlds", "1", "--steps", "1", "--warmup", "0", "--backend", "cpu"];
        let summary = object(&[&common[..], more].concat());
        (summary["nconmax"].as_u64().unwrap(), summary["njmax"].as_u64().unwrap())
    };
    let (nconmax, njmax) = slots(&[]);
    assert_eq!(slots(&["--nconmax", "33"]), (33, njmax));
    assert_eq!(slots(&["--njmax", "99"]), (nconmax, 99));
    assert_eq!(slots(&["--nconmax", "33", "--njmax", "99"]), (33, 99));
}

#[test]
fn rollout_takes_controls_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (given, given_name) = in_folder(&folder, "ctrl.npz");
    let (out, out_name) = in_folder(&folder, "r.npz");
    let model = model("cartpole.xml");
    let frames = vec![1.0, -1.0, 0.0, 0.0];
    npz::write(&given, &[("ctrl".to_owned(), reals(&[2, 2, 1], frames))]).unwrap();
    let common =
        ["rollout", &model, "--worlds", "2", "--backend", "cpu", "--warmup", "0", "--ctrl", &given_name];
    object(
        &[&common[..], &["--steps", "20", "--every", "10", "--record", "ctrl,qpos", "--out", &out_name]]
            .concat(),
    );
    let arrays = npz::read(&out).unwrap();
    assert_eq!(arrays["ctrl"].data.to_f64(), [1.0, -1.0, 0.0, 0.0]);
    let qpos = arrays["qpos"].data.to_f64();
    assert!(qpos[0] > 0.0 && qpos[2] < 0.0, "{qpos:?}");
    assert!(refused(&[&common[..], &["--steps", "21"]].concat()).contains("2 frames do not divide 21 steps"));
    // one row serves all worlds; non-numbers and more worlds than allowed are refused
    let given = |values: Vec<f64>| npz::write(&given, &[("ctrl".to_owned(), reals(&[1], values))]).unwrap();
    given(vec![0.5]);
    object(&[&common[..], &["--steps", "2", "--record", "ctrl", "--out", &out_name]].concat());
    assert_eq!(npz::read(&out).unwrap()["ctrl"].data.to_f64(), [0.5; 4]);
    let many = ["rollout", &model, "--worlds", "9999999999999", "--backend", "cpu", "--ctrl", &given_name];
    assert!(refused(&many).contains("too many"));
    given(vec![f64::NAN]);
    assert!(refused(&common).contains("'ctrl' holds NaN"));
}

#[test]
fn rollout_starts_from_a_file_and_draws_worlds() {
    let folder = tempfile::tempdir().unwrap();
    let (states, states_name) = in_folder(&folder, "states.npz");
    let (out, out_name) = in_folder(&folder, "r.npz");
    let model = model("cartpole.xml");
    npz::write(&states, &[("qpos".to_owned(), reals(&[2, 2], vec![0.1, 0.2, 0.3, 0.4]))]).unwrap();
    let common = ["rollout", &model, "--worlds", "3", "--backend", "cpu", "--warmup", "0", "--steps", "5"];
    let record = ["--record", "qpos", "--every", "5", "--out", &out_name];
    let last = |more: &[&str]| {
        object(&[&common[..], &record, more].concat());
        npz::read(&out).unwrap()["qpos"].data.to_f64()
    };
    // worlds take the states in turns
    let from = last(&["--from", &states_name]);
    assert_eq!(from[..2], from[4..]);
    assert!((from[2] - 0.3).abs() < 0.05 && from[..2] != from[2..4]);
    // worlds that draw their masses part; the seed decides
    let heavy =
        ["--from", &states_name, "--randomize", "body_mass=scale:0.5..2@b,body_inertia=scale:0.5..2@b"];
    let drawn = last(&heavy);
    assert!(drawn[..2] != drawn[4..] && drawn == last(&heavy));
    assert_ne!(drawn, last(&[&heavy[..], &["--seed", "1"]].concat()));
    // messages
    let says = |more: &[&str], part: &str| {
        let said = refused(&[&common[..], more].concat());
        assert!(said.contains(part), "{said}");
    };
    says(&["--randomize", "body_mass=half"], "neither set, scale nor add");
    says(&["--randomize", "geom_type=set:0..1"], "structure of the model");
    says(&["--randomize", "body_mas=scale:0..1"], "did you mean 'body_mass'?");
    says(&["--randomize", "body_mass=scale:-1..-0.5"], "'body_mass' of world 0");
    says(&["--from", "/no/such/file.npz"], "/no/such/file.npz");
    npz::write(&states, &[("qpos".to_owned(), reals(&[1, 3], vec![0.0; 3]))]).unwrap();
    says(&["--from", &states_name], "the model needs [1, 2]");
    let both = vec![
        ("qpos".to_owned(), reals(&[1, 2], vec![0.0; 2])),
        ("qacc".to_owned(), reals(&[1, 2], vec![0.0; 2])),
    ];
    npz::write(&states, &both).unwrap();
    says(&["--from", &states_name], "no state to start from");
}

#[test]
fn rollout_refuses_what_makes_no_sense() {
    let model = model("humanoid.xml");
    let says = |more: &[&str], part: &str| {
        let said = refused(&[&["rollout", &model, "--backend", "cpu"], more].concat());
        assert!(said.contains(part), "{said}");
    };
    says(&["--worlds", "0"], "at least one world");
    says(&["--worlds", "100000000"], "the most that fit are");
    says(&["--worlds", "99999999999999999999"], "99999999999999999999");
    says(&["--steps", "0"], "at least 1");
    says(&["--worlds", "-1"], "'-1'");
    says(&["--steps", "18446744073709551615", "--warmup", "1"], "too many together");
    says(&["--nconmax", "18446744073709551615", "--njmax", "1"], "lower them");
    says(&["--record", "qpos,qpos", "--out", "unwritten.npz"], "twice");
    says(&["--record", "qpos", "--every", "2000", "--out", "unwritten.npz"], "records no frame");
    says(&["--record", "qpos", "--out", "/no/such/folder/r.npz"], "folder does not exist");
    says(&["--ctrl", "wild"], "valid: zero hold noise FILE.npz");
    says(&["--keyframe", "9"], "the model has 3: 0 'stand', 1 'squat', 2 'face_down'");
    says(&["--keyframe", "stan"], "did you mean 'stand'?");
    says(&["--record", "qpos"], "--out");
    says(&["--record", "qpos", "--out", "/dev/null"], "no regular file");
    says(&["--record", "qpoz", "--out", "unwritten.npz"], "did you mean 'qpos'?");
}

#[test]
fn check_reports_and_fails_by_its_status() {
    let model = model("hopper.xml");
    let report = object(&["check", &model, "--backend", "cpu", "--worlds", "2", "--steps", "30"]);
    assert_eq!(report["passed"], true);
    assert!(report["rows"].as_array().unwrap().len() > 100);
    assert!(refused(&["check", &model, "--from", "solv"]).contains("did you mean 'solve'?"));
    let many = ["check", &model, "--backend", "cpu", "--worlds", "1000000000"];
    assert!(refused(&many).contains("the most that fit are"));
}

#[test]
fn bench_gives_a_row_for_each_size() {
    let model = model("hopper.xml");
    let bench =
        object(&["bench", &model, "--worlds", "1,4", "--steps", "20", "--warmup", "5", "--backend", "cpu"]);
    assert_eq!(bench["rows"].as_array().unwrap().len(), 2);
    assert!(bench["rows"][0]["cold_seconds"]["load"].as_f64().unwrap() > 0.0);
    assert!(bench["rows"][1]["stage_nanoseconds"]["solve"].as_f64().unwrap() > 0.0);
}

#[test]
fn bench_measures_two_backends_in_turns() {
    let common = ["bench", &model("hopper.xml"), "--steps", "5", "--warmup", "5", "--backend", "cpu"];
    let more = ["--worlds", "2", "--repeat", "3", "--against", "cpu"];
    let done = run(&[&common[..], &more, &["--format", "json"]].concat());
    // one line for each row, and one for all rows
    let lines: Vec<Value> = text(&done.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]["rows"][0]), (2, &lines[0]));
    assert_eq!(lines[0]["samples"].as_array().unwrap().len(), 3);
    assert!(lines[0]["ratio"].as_f64().unwrap() > 0.0);
}

#[test]
fn bench_says_what_a_step_costs() {
    let both = object(&[
        "bench",
        &model("pendulum.xml"),
        &model("humanoid.xml"),
        "--worlds",
        "3",
        "--steps",
        "5",
        "--warmup",
        "5",
        "--backend",
        "cpu",
    ]);
    let figure = |row: usize, name: &str| both["rows"][row][name].as_f64().unwrap();
    assert!(figure(0, "flops_per_step") > 100.0);
    assert!(figure(1, "flops_per_step") > 10.0 * figure(0, "flops_per_step"));
    // stages and kinds have the same total
    for part in ["stage_flops", "flops_by_kind"] {
        let sum: f64 = both["rows"][1][part].as_object().unwrap().values().filter_map(Value::as_f64).sum();
        assert!((sum / figure(1, "flops_per_step") - 1.0).abs() < 1e-9, "{part}");
    }
    assert!((figure(1, "nanoseconds_per_step") * figure(1, "steps_per_second") / 1e9 - 1.0).abs() < 1e-9);
    // kernels move bytes; the CPU reports none
    assert!(both["rows"][1]["bytes_per_step"].is_null());
}

#[cfg(feature = "gpu")]
#[test]
fn bench_knows_traffic_and_limits_of_an_adapter() {
    let begin = std::time::Instant::now();
    let done = object(&[
        "bench",
        &model("pendulum.xml"),
        "--worlds",
        "8",
        "--steps",
        "5",
        "--warmup",
        "5",
        "--backend",
        "gpu",
    ]);
    let figure = |name: &str| done["rows"][0][name].as_f64().unwrap();
    let (split, used) = (figure("bytes_per_step_split"), figure("bytes_per_step"));
    let fused = figure("bytes_per_step_fused");
    assert!(split >= used && used >= fused && fused > 0.0, "{split} {used} {fused}");
    let each = done["rows"][0]["dispatch_bytes"].as_object().unwrap();
    let sum: f64 = each.values().filter_map(Value::as_f64).sum();
    assert!((sum - used).abs() < 1e-6);
    assert!(figure("copy_bytes_per_second") > 1e6 && figure("peak_flops_per_second") > 1e6);
    assert!(figure("copy_share") > 0.0 && figure("peak_share") > 0.0 && figure("peak_share") < 1.0);
    assert!(figure("roofline_seconds") < begin.elapsed().as_secs_f64());
}

#[test]
fn bench_compares_with_what_it_printed_before() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "old.jsonl");
    let model = model("pendulum.xml");
    let common = ["bench", &model, "--steps", "5", "--warmup", "5", "--backend", "cpu", "--worlds"];
    let done = run(&[&common[..], &["2", "--format", "json"]].concat());
    std::fs::write(&path, &done.stdout).unwrap();
    // the saved row appears beside the new one; a missing size is reported without failure
    let new = object(&[&common[..], &["2,3", "--against", &name]].concat());
    let (known, unknown) = (&new["rows"][0], &new["rows"][1]);
    let speeds = [&known["steps_per_second"], &known["against"]["steps_per_second"]];
    let ratio = speeds[0].as_f64().unwrap() / speeds[1].as_f64().unwrap();
    assert!((known["ratio"].as_f64().unwrap() - ratio).abs() < 1e-9 * ratio);
    assert_eq!(
        (&known["ratios"]["flops_per_step"], &known["against_differs"]),
        (&Value::from(1.0), &json!([]))
    );
    assert!(unknown["against"].is_null() && unknown["ratio"].is_null());
    let said = text(&run(&[&common[..], &["2,3", "--against", &name]].concat()).stdout);
    assert!(said.contains("has no row of pendulum.xml x 3 on cpu"), "{said}");
    // a different device is named
    let other = text(&done.stdout).replace("threads", "cores");
    std::fs::write(&path, other).unwrap();
    let said = text(&run(&[&common[..], &["2", "--against", &name]].concat()).stdout);
    assert!(said.contains("not the same device") && said.contains("cores"), "{said}");
}

#[test]
fn bench_refuses_what_it_cannot_compare_with() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "old.jsonl");
    let model = model("pendulum.xml");
    let says = |against: &str, part: &str| {
        let common = ["bench", &model, "--steps", "5", "--worlds", "2", "--backend", "cpu", "--against"];
        let said = refused(&[&common[..], &[against]].concat());
        assert!(said.contains(part) && said.contains("(auto, cpu, gpu)"), "{said}");
    };
    says("no_such_file.jsonl", "no_such_file.jsonl");
    says("gpux", "gpux");
    says(folder.path().to_str().unwrap(), "--against");
    let given = |bytes: &[u8]| std::fs::write(&path, bytes).unwrap();
    given(b"");
    says(&name, "no row of `bench --format json`");
    given(b"{\"workload\": \"hold\"}\nnonsense\n");
    says(&name, "line 2 is not JSON");
    given(b"\xff\xfe\x00");
    says(&name, "not text");
    given(b"[1, {\"rows\": 7}, {\"model\": \"pendulum.xml\", \"worlds\": -2, \"backend\": \"cpu\"}]");
    says(&name, "no row of `bench --format json`");
    given(br#"{"model": "pendulum.xml", "worlds": 2, "backend": "gpu", "steps_per_second": 1.0}"#);
    says(&name, "it has pendulum.xml x 2 on gpu");
}

#[test]
fn options_of_kernels_are_refused_where_none_run() {
    let model = model("hopper.xml");
    for verb in ["rollout", "bench", "check"] {
        let said = refused(&[verb, &model, "--backend", "cpu", "--lanes", "4"]);
        assert!(said.contains("--lanes is for the GPU"), "{said}");
    }
    assert!(refused(&["rollout", &model, "--partition", "half"]).contains("split, grouped or fused"));
}

#[test]
fn doctor_says_what_it_sees() {
    let done = run(&["doctor", "--format", "json"]);
    let seen: Value = serde_json::from_str(text(&done.stdout).trim()).unwrap();
    // without an adapter there is advice, and a failing status
    let adapters = seen["adapters"].as_array().unwrap().len();
    assert_eq!(done.status.code(), Some(if adapters > 0 { 0 } else { 1 }));
    assert!(adapters > 0 || !seen["hints"].as_array().unwrap().is_empty());
}

#[test]
#[cfg(feature = "gpu")]
fn a_way_to_spread_worlds_that_does_not_fit_is_refused_with_the_limit() {
    let model = model("humanoid.xml");
    let rollout = |more: &[&str]| {
        refused(&[&["rollout", &model, "--backend", "gpu", "--steps", "1", "--worlds", "1"], more].concat())
    };
    assert!(rollout(&["--lanes", "3"]).contains("not a power of two from 1 to 64"));
    assert!(rollout(&["--lanes", "64", "--worlds-per-group", "32"]).contains("invocations of a group"));
    assert!(rollout(&["--placement", "attic"]).contains("expected storage, workgroup or registers"));
    assert!(rollout(&["--placement", "registers", "--lanes", "8"]).contains("at most 40, 512 and 1 fit"));
    assert!(
        refused(&["rollout", &model, "--backend", "cpu", "--placement", "storage"]).contains("for the GPU")
    );
}

#[test]
#[cfg(feature = "gpu")]
fn what_tune_finds_is_kept_listed_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let with = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
        let done = command.args(arguments).env("MANYWORLDS_CACHE", folder.path()).output().unwrap();
        (done.status.code(), text(&done.stdout).to_owned(), text(&done.stderr).to_owned())
    };
    let model = model("pendulum.xml");
    let json = |arguments: &[&str]| -> Value {
        let (code, out, err) = with(&[arguments, &["--format", "json"]].concat());
        assert_eq!(code, Some(0), "{err}");
        serde_json::from_str(out.lines().last().unwrap()).unwrap()
    };
    // nothing is stored before; a damaged file is reported, ignored and replaced
    assert_eq!(json(&["tune", "--list"])["entries"], serde_json::json!({}));
    let file = folder.path().join("tuning.json");
    std::fs::write(&file, "{").unwrap();
    assert!(with(&["tune", "--list"]).2.contains("not a JSON object"));
    let step = ["rollout", &model, "--worlds", "16", "--steps", "1", "--backend", "gpu"];
    let (code, _, said) = with(&step);
    assert!(code == Some(0) && said.contains("WARN") && said.contains("not a JSON object"), "{said}");
    let found = json(&["tune", &model, "--worlds", "16", "--backend", "gpu", "--seconds", "0"]);
    let kept = json(&["tune", "--list"]);
    assert_eq!(kept["entries"].as_object().unwrap().len(), 1);
    // the stepping verbs use the stored tuning
    let other = std::fs::read_to_string(&file)
        .unwrap()
        .replace("\"worlds_per_group\": 8", "\"worlds_per_group\": 16");
    std::fs::write(&file, &other).unwrap();
    let used = json(&["rollout", &model, "--worlds", "16", "--steps", "2", "--backend", "gpu"]);
    assert_eq!(used["worlds_per_group"], 16);
    assert_eq!(used["placement"], found["rows"][0]["placement"]);
    // explicit options take precedence
    let by_hand = ["rollout", &model, "--worlds", "16", "--steps", "2", "--backend", "gpu", "--lanes", "1"];
    assert_eq!(json(&by_hand)["worlds_per_group"], 8);
    // there is nothing to tune on the CPU
    let (code, _, said) = with(&["tune", &model, "--backend", "cpu"]);
    assert!(code == Some(2) && said.contains("nothing to tune"), "{said}");
}

#[test]
fn kernels_are_written_without_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let (out, path) = in_folder(&folder, "kernels");
    let model = model("humanoid.xml");
    let said = object(&["kernels", &model, "--out", &path, "--arena", "--lanes", "16"]);
    let stored: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("config.json")).unwrap()).unwrap();
    assert_eq!(said, stored);
    assert_eq!((&said["lanes"], &said["placement"]), (&json!(16), &json!("workgroup")));
    // every kernel in three languages: SPIR-V begins with its magic number
    let kernels = said["kernels"].as_array().unwrap();
    assert!(kernels.iter().any(|k| k["calls"].as_array().unwrap().contains(&json!("solve"))));
    for kernel in kernels {
        let name = kernel["name"].as_str().unwrap();
        let spirv = std::fs::read(out.join(format!("{name}.spv"))).unwrap();
        assert_eq!(&spirv[..4], 0x0723_0203u32.to_le_bytes());
        assert_eq!(spirv.len() as u64, kernel["spirv_bytes"].as_u64().unwrap());
        assert!(std::fs::read_to_string(out.join(format!("{name}.metal"))).unwrap().contains("kernel void"));
        assert!(std::fs::read_to_string(out.join(format!("{name}.wgsl"))).unwrap().contains("fn main"));
    }
    // one world's reals: the initial position where config.json says
    let world = std::fs::read(out.join("world_f.bin")).unwrap();
    assert_eq!(world.len() as u64, 4 * said["stride_f"].as_u64().unwrap());
    let slots = said["slots"].as_array().unwrap();
    let at = slots.iter().find(|s| s["name"] == "qpos").unwrap()["offset"].as_u64().unwrap() as usize;
    let height = manyworlds::load(&model).unwrap().qpos0[2] as f32;
    assert_eq!(world[4 * (at + 2)..4 * (at + 3)], height.to_le_bytes());
    // options that fit no device
    let why = refused(&["kernels", &model, "--out", &path, "--lanes", "3"]);
    assert!(why.contains("lanes: 3 is not a power of two"), "{why}");
    let file = out.join("config.json");
    let why = refused(&["kernels", &model, "--out", file.to_str().unwrap()]);
    assert!(why.contains("config.json"), "{why}");
}

/// A file of the folder with some text.
fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> (PathBuf, String) {
    let (path, name) = in_folder(folder, name);
    std::fs::write(&path, text).unwrap();
    (path, name)
}

#[test]
fn outputs_replace_neither_inputs_nor_files_of_another_kind() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(model("pendulum.xml")).unwrap();
    let (path, xml) = written(&folder, "m.xml", &text);
    let (states, given) = in_folder(&folder, "s.npz");
    npz::write(
        &states,
        &[("qpos".to_owned(), reals(&[1, 1], vec![0.1])), ("ctrl".to_owned(), reals(&[1], vec![0.0]))],
    )
    .unwrap();
    let before = std::fs::read(&states).unwrap();
    let (_, notes) = written(&folder, "notes.npz", "not an archive");
    let says = |arguments: &[&str], part: &str| {
        let said = refused(arguments);
        assert!(said.contains(part), "{arguments:?}: {said}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{arguments:?}");
        assert_eq!(std::fs::read(&states).unwrap(), before, "{arguments:?}");
    };
    let lost = "which would be lost";
    says(&["rollout", &xml, "--record", "qpos", "--out", &xml], "end the name with .npz");
    says(&["rollout", &xml, "--ctrl", &given, "--record", "qpos", "--out", &given], lost);
    says(&["rollout", &xml, "--from", &given, "--record", "qpos", "--out", &given], lost);
    for verb in ["eval", "derivatives"] {
        says(&[verb, &xml, "--in", &given, "--out", &given], lost);
        says(&[verb, &xml, "--in", &given, "--out", &xml], "end the name with .npz");
        says(&[verb, &xml, "--in", &given, "--out", &notes], "does not hold arrays");
        // before anything is read
        says(&[verb, "no_such.xml", "--in", "no_such.npz", "--out", "o.txt"], "end the name with .npz");
    }
    says(&["compile", &xml, "--out", &xml], lost);
    let (_, part) = in_folder(&folder, "part.xml");
    let (whole, whole_name) =
        written(&folder, "whole.xml", "<mujoco><include file='part.xml'/><worldbody/></mujoco>");
    std::fs::write(&part, "<mujoco><option timestep='0.01'/></mujoco>").unwrap();
    says(&["compile", &whole_name, "--out", &part], lost);
    says(&["compile", whole.to_str().unwrap(), "--out", &notes], "does not hold arrays");
    #[cfg(unix)]
    for soft in [true, false] {
        let (other, other_name) = in_folder(&folder, if soft { "soft.npz" } else { "hard.npz" });
        let linked = if soft {
            std::os::unix::fs::symlink(&states, &other)
        } else {
            std::fs::hard_link(&states, &other)
        };
        linked.unwrap();
        says(&["eval", &xml, "--in", &given, "--out", &other_name], lost);
        says(&["eval", &xml, "--in", &other_name, "--out", &given], lost);
    }
    let around = folder.path().join("../").join(folder.path().file_name().unwrap()).join("s.npz");
    says(&["eval", &xml, "--in", &given, "--out", around.to_str().unwrap()], lost);
    // a folder of another program
    #[cfg(feature = "gpu")]
    {
        let (config, _) = written(&folder, "config.json", "{\"theme\": \"dark\"}");
        says(&["kernels", &xml, "--out", folder.path().to_str().unwrap()], "is not of kernels");
        assert!(std::fs::read_to_string(config).unwrap().contains("dark"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_standard_output_that_takes_nothing_is_an_error() {
    let model = model("pendulum.xml");
    let runs: [&[&str]; 4] =
        [&["info", &model], &["info", &model, "--format", "json"], &["--help"], &["rollout", "--help"]];
    for arguments in runs {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let done = command.args(arguments).stdout(full).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&done.stderr).contains("error: standard output: No space left"),
            "{}",
            text(&done.stderr)
        );
        // a reader that went away is none: the command ends, and says nothing
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = command.stdout(writer).output().unwrap();
        assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(141), ""), "{arguments:?}");
    }
}

#[test]
fn control_characters_of_a_model_stay_out_of_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let clean = |bytes: &[u8]| {
        let text = text(bytes);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        text
    };
    // names in a compiled model
    let mut sly = manyworlds::load(&model("pendulum.xml")).unwrap();
    sly.names.body[1] = "a\x1b[31mb\u{9b}2J\x07".to_owned();
    sly.names.model = "\x1b]0;title\x07".to_owned();
    let (path, name) = in_folder(&folder, "sly.mwb");
    std::fs::write(&path, sly.to_mwb()).unwrap();
    let done = run(&["info", &name]);
    assert!(clean(&done.stdout).contains("a␛[31mb\u{fffd}2J␇"));
    let done = run(&["info", &name, "--format", "json"]);
    let object: Value = serde_json::from_str(clean(&done.stdout).trim()).unwrap();
    assert_eq!(object["names"]["bodies"][1], sly.names.body[1].as_str());
    // values in MJCF, in the message and in the line that is shown, and names of files
    let (_, name) =
        written(&folder, "c1\u{9b}.xml", "<mujoco><worldbody><geom type='x\u{9b}31m'/></worldbody></mujoco>");
    for format in ["text", "json"] {
        let done = run(&["info", &name, "--format", format]);
        assert_eq!(done.status.code(), Some(2));
        clean(&done.stdout);
        assert!(clean(&done.stderr).contains("x\u{fffd}31m"));
        clean(&run(&["info", "none\x1b[2J.xml", "--format", format]).stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn limits_of_the_process_count_as_memory() {
    let model = model("humanoid.xml");
    for (limit, part) in [("-v 1500000", "(ulimit -v)"), ("-d 1000000", "(ulimit -d)")] {
        let script = format!(
            "ulimit {limit} && exec {} rollout {model} --backend cpu --worlds 50000",
            env!("CARGO_BIN_EXE_manyworlds")
        );
        let done = Command::new("sh").args(["-c", &script]).output().unwrap();
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains("the most that fit are") && said.contains(part), "{said}");
    }
}

#[test]
fn warnings_are_printed_and_errors_under_strict() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "m.xml");
    std::fs::write(&path, "<mujoco>\n<option tolerance='-1'/></mujoco>").unwrap();
    let done = run(&["info", &name]);
    let said = text(&done.stderr);
    assert!(
        done.status.success() && said.contains("tolerance is negative") && said.contains("2:20"),
        "{said}"
    );
    for verb in [vec!["info"], vec!["compile", "--out", "unwritten.xml"], vec!["rollout", "--backend", "cpu"]]
    {
        let said = refused(&[&verb[..1], &[name.as_str(), "--strict"], &verb[1..]].concat());
        assert!(said.contains("m.xml:2:20: tolerance is negative (write zero or more)"), "{said}");
    }
    let done = run(&["--strict", "--format", "json", "info", &name]);
    let object: Value = serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap();
    assert_eq!((&object["problems"][0]["line"], &object["problems"][0]["column"]), (&json!(2), &json!(20)));
    // nothing to warn of
    assert!(run(&["--strict", "info", &model("hopper.xml")]).status.success());
}

/// Runs with a text on standard input.
fn piped(arguments: &[&str], input: &str) -> Output {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_manyworlds"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_model_comes_from_standard_input() {
    let xml = std::fs::read_to_string(model("hopper.xml")).unwrap();
    let from_file = run(&["info", &model("hopper.xml")]);
    let piped_info = piped(&["info", "-"], &xml);
    assert!(piped_info.status.success(), "{}", text(&piped_info.stderr));
    assert_eq!(text(&piped_info.stdout), text(&from_file.stdout));
    let wrong =
        piped(&["rollout", "-", "--backend", "cpu"], "<mujoco>\n <worldbody><geom/></worldbody></mujoco>");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("<stdin>:2:14: size of geom must be positive"),
        "{}",
        text(&wrong.stderr)
    );
    assert!(text(&piped(&["info", "-"], "").stderr).contains("the file is empty"));
}

#[test]
fn info_says_joints_actuators_sensors_and_fields() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "m.xml");
    std::fs::write(
        &path,
        "<mujoco><worldbody><body name='b'><joint name='lift' type='slide' range='-1 2'/><joint/><geom size='.1'/>\
         <site name='s'/></body></worldbody><actuator><motor name='push' joint='lift' ctrlrange='-3 3'/>\
         <motor joint='lift'/></actuator><sensor><gyro name='spin' site='s'/><framepos objtype='xbody' objname='b'/>\
         <clock/></sensor></mujoco>",
    )
    .unwrap();
    let info = object(&["info", &name]);
    assert_eq!(
        info["joints"][0],
        json!({"name": "lift", "type": "slide", "range": [-1.0, 2.0], "unit": "m"})
    );
    assert_eq!(info["joints"][1], json!({"name": "1", "type": "hinge", "range": null, "unit": "rad"}));
    assert_eq!(
        info["actuators"][0],
        json!({"name": "push", "target": "joint lift", "control": [[-3.0, 3.0]]})
    );
    assert_eq!(info["actuators"][1]["control"], json!([null]));
    let spin = json!({"name": "spin", "type": "gyro", "object": "site s", "first": 0, "count": 3});
    assert_eq!(info["sensors"][0], spin);
    assert_eq!(info["sensors"][1]["object"], "xbody b");
    assert_eq!((&info["sensors"][2]["object"], &info["sensors"][2]["first"]), (&json!(""), &json!(6)));
    let said = text(&run(&["info", &name]).stdout);
    for line in [
        "nv          2  degrees of freedom",
        "lift  slide  -1.0000 to 2.0000 m",
        "push  joint lift  -3.0000 to 3.0000",
    ] {
        assert!(squeezed(&said).contains(&squeezed(line)), "{line} in\n{said}");
    }
    // what can be recorded, with shapes
    let fields = object(&["info", &name, "--fields"]);
    let field = |name: &str| fields["fields"].as_array().unwrap().iter().find(|f| f["name"] == name).cloned();
    assert_eq!(field("qpos").unwrap()["shape"], json!([2]));
    assert_eq!(field("xpos").unwrap()["unit"], "m");
    assert!(field("qpos").unwrap()["meaning"].as_str().is_some_and(|m| !m.is_empty()));
    assert!(
        squeezed(&text(&run(&["info", &name, "--fields"]).stdout)).contains("sensordata [nsensordata] = [7]")
    );
}

/// Blanks in a row as one.
fn squeezed(text: &str) -> String {
    text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
