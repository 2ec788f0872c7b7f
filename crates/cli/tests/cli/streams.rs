//! Files that stay, terminals that are safe, and outputs that fail.

use std::process::Command;

use manyworlds::formats::npz;
use serde_json::Value;

use crate::helpers::{in_folder, model, reals, refused, run, text, written};

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
        let message = refused(arguments);
        assert!(message.contains(part), "{arguments:?}: {message}");
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
        let message = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{message}");
        assert!(message.contains("the most that fit are") && message.contains(part), "{message}");
    }
}
