//! Models that are read, described and compiled.

use manyworlds::formats::npz;
use serde_json::{Value, json};

use crate::helpers::{in_folder, model, object, piped, refused, run, squeezed, text};

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
    let message = text(&run(&["info", &name]).stdout);
    for line in [
        "nv          2  degrees of freedom",
        "lift  slide  -1.0000 to 2.0000 m",
        "push  joint lift  -3.0000 to 3.0000",
    ] {
        assert!(squeezed(&message).contains(&squeezed(line)), "{line} in\n{message}");
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

#[test]
fn info_of_a_model_that_cannot_be_simulated_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "m.xml");
    std::fs::write(
        &path,
        "<mujoco><option integrator='discrete' solver='CG'><flag ipc='enable'/></option><worldbody><body><freejoint/>\
         <geom size='.1'/></body></worldbody></mujoco>",
    )
    .unwrap();
    let info = object(&["info", &name]);
    assert_eq!(info["sizes"]["nv"], 6);
    assert!(info["unsupported"].as_str().unwrap().contains("flag ipc"), "{info}");
    assert_eq!(object(&["info", &model("hopper.xml")])["unsupported"], Value::Null);
}

#[test]
fn a_broken_model_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "broken.xml");
    std::fs::write(&path, "<mujoco>\n <worldbody>\n  <geom sise='1'/>\n </worldbody>\n</mujoco>\n").unwrap();
    let message = refused(&["info", &name]);
    assert!(message.contains("broken.xml:3:9"), "{message}");
    // the JSON format carries the same information
    let done = run(&["info", &name, "--format", "json"]);
    let object: Value = serde_json::from_str(text(&done.stdout).trim()).unwrap();
    assert_eq!(object["problems"][0]["line"], 3);

    assert!(refused(&["info", "no_such_file.xml"]).contains("no_such_file.xml"));
}

#[test]
fn warnings_are_printed_and_errors_under_strict() {
    let folder = tempfile::tempdir().unwrap();
    let (path, name) = in_folder(&folder, "m.xml");
    std::fs::write(&path, "<mujoco>\n<option tolerance='-1'/></mujoco>").unwrap();
    let done = run(&["info", &name]);
    let message = text(&done.stderr);
    assert!(
        done.status.success() && message.contains("tolerance is negative") && message.contains("2:20"),
        "{message}"
    );
    for verb in [vec!["info"], vec!["compile", "--out", "unwritten.xml"], vec!["rollout", "--backend", "cpu"]]
    {
        let message = refused(&[&verb[..1], &[name.as_str(), "--strict"], &verb[1..]].concat());
        assert!(message.contains("m.xml:2:20: tolerance is negative (write zero or more)"), "{message}");
    }
    let done = run(&["--strict", "--format", "json", "info", &name]);
    let object: Value = serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap();
    assert_eq!((&object["problems"][0]["line"], &object["problems"][0]["column"]), (&json!(2), &json!(20)));
    // nothing to warn of
    assert!(run(&["--strict", "info", &model("hopper.xml")]).status.success());
}

#[test]
fn a_model_comes_from_standard_input() {
    let xml = std::fs::read_to_string(model("hopper.xml")).unwrap();
    let from_file = run(&["info", &model("hopper.xml")]);
    let piped_info = piped(&["info", "-"], &xml);
    assert!(piped_info.status.success(), "{}", text(&piped_info.stderr));
    assert_eq!(text(&piped_info.stdout), text(&from_file.stdout));
    let refused_model =
        piped(&["rollout", "-", "--backend", "cpu"], "<mujoco>\n <worldbody><geom/></worldbody></mujoco>");
    assert_eq!(refused_model.status.code(), Some(2));
    assert!(
        text(&refused_model.stderr).contains("<stdin>:2:14: size of geom must be positive"),
        "{}",
        text(&refused_model.stderr)
    );
    assert!(text(&piped(&["info", "-"], "").stderr).contains("the file is empty"));
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
    let message = refused(&["compile", &model("hopper.xml"), "--out", "model.bin"]);
    assert!([".npz", ".mwb", ".xml"].iter().all(|end| message.contains(end)), "{message}");
}
