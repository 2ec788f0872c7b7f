//! Worlds that are stepped and recorded.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use manyworlds::formats::npz::{self, Array};
use serde_json::Value;

use crate::helpers::{in_folder, model, object, reals, refused, run, text};

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

/// Arrays of the folder `parts`, with the names of others.
fn joined(folder: &Path, names: &BTreeMap<String, Array>) -> BTreeMap<String, Array> {
    let file = |name: &String| (name.clone(), folder.join("parts").join(format!("{name}.npy")));
    let all = folder.join("joined.npz");
    npz::join(&all, &names.keys().map(file).collect::<Vec<_>>()).unwrap();
    npz::read(&all).unwrap()
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
    let got = joined(folder.path(), &want);
    for (name, array) in &want {
        assert_eq!(array.shape[..2], [80, 3], "{name}");
        assert!(*array == got[name], "{name}");
    }
    // no file but these is left
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    // other options, another file, an odd number of steps
    let says = |more: &[&str], text: &str| {
        let message = refused(&[&common[..], &record, &["--out", &parts, "--checkpoint"], more].concat());
        assert!(message.contains(text), "{message}");
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
    let message = text(&done.stderr);
    assert!(done.status.success(), "{message}");
    assert!(message.contains("room grew from 1 and 4 to"), "{message}");
    assert!(message.contains("to begin with it"), "{message}");
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
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(message.contains("interrupted after") && message.contains("frames recorded"), "{message}");
    let arrays = npz::read(&out).unwrap();
    assert_eq!(arrays["qpos"].shape[1..], [2, 6]);
    assert!(arrays["qpos"].shape[0] > 10);
    assert!(!part.exists());
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
        let message = refused(&[&common[..], more].concat());
        assert!(message.contains(part), "{message}");
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
        let message = refused(&[&["rollout", &model, "--backend", "cpu"], more].concat());
        assert!(message.contains(part), "{message}");
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
