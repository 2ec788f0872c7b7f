//! Kernels that are checked, tuned and written, and the adapters that run them.

use std::process::Command;

use serde_json::{Value, json};

use crate::helpers::{in_folder, model, object, refused, run, text};

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
fn options_of_kernels_are_refused_where_none_run() {
    let model = model("hopper.xml");
    for verb in ["rollout", "bench", "check"] {
        let message = refused(&[verb, &model, "--backend", "cpu", "--lanes", "4"]);
        assert!(message.contains("--lanes is for the GPU"), "{message}");
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
    let (code, _, message) = with(&step);
    assert!(
        code == Some(0) && message.contains("WARN") && message.contains("not a JSON object"),
        "{message}"
    );
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
    let (code, _, message) = with(&["tune", &model, "--backend", "cpu"]);
    assert!(code == Some(2) && message.contains("nothing to tune"), "{message}");
}

#[test]
fn kernels_are_written_without_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let (out, path) = in_folder(&folder, "kernels");
    let model = model("humanoid.xml");
    let message = object(&["kernels", &model, "--out", &path, "--arena", "--lanes", "16"]);
    let stored: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("config.json")).unwrap()).unwrap();
    assert_eq!(message, stored);
    assert_eq!((&message["lanes"], &message["placement"]), (&json!(16), &json!("workgroup")));
    // every kernel in three languages: SPIR-V begins with its magic number
    let kernels = message["kernels"].as_array().unwrap();
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
    assert_eq!(world.len() as u64, 4 * message["stride_f"].as_u64().unwrap());
    let slots = message["slots"].as_array().unwrap();
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
