//! Nothing but what is asked for: healthy runs leave standard error empty, in an environment that has no desktop.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn model(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).to_str().unwrap().to_owned()
}

/// Drivers: lavapipe, whose package brings the layer that looks for a desktop, and that of the tests, if it is another.
fn drivers() -> Vec<PathBuf> {
    let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").expect("no Vulkan driver is installed");
    let is_lavapipe = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lvp_icd"));
    let lavapipe = folder.flatten().map(|e| e.path()).find(is_lavapipe).expect("lavapipe is not installed");
    let own = std::env::var_os("VK_DRIVER_FILES").map(PathBuf::from).filter(|own| *own != lavapipe);
    [Some(lavapipe), own].into_iter().flatten().collect()
}

/// Standard error of a run that succeeds, with a path, a driver where one is given, and some variables in its environment.
fn printed(arguments: &[&str], driver: Option<&Path>, more: &[(&str, &str)]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    if let Some(driver) = driver {
        command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
    }
    let done = command.envs(more.iter().copied()).output().unwrap();
    let message = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(0), "{arguments:?} {driver:?}: {message}");
    message
}

#[test]
fn verbs_that_open_a_device_say_nothing_of_their_own_accord() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (cartpole, states) = (model("cartpole.xml"), file("states.npz"));
    let picture = file("cartpole.png");
    let runs = [
        "doctor".to_owned(),
        format!("rollout {cartpole} --worlds 4 --steps 4 --backend gpu --record qpos --out {states}"),
        format!("render {cartpole} --size 64x48 --backend cpu --out {picture}"),
        format!("check {cartpole} --worlds 2"),
        format!("bench {cartpole} --worlds 4 --steps 4 --warmup 4 --backend gpu"),
    ];
    for driver in drivers() {
        for run in &runs {
            let arguments: Vec<&str> = run.split(' ').collect();
            assert_eq!(printed(&arguments, Some(&driver), &[]), "", "{run} {}", driver.display());
        }
    }
    // with every driver that is installed, and a folder that is none
    for more in [&[][..], &[("XDG_RUNTIME_DIR", "nowhere")], &[("XDG_RUNTIME_DIR", "/nowhere")]] {
        assert_eq!(printed(&["doctor"], None, more), "", "{more:?}");
    }
}

#[test]
fn a_choice_of_devices_by_the_layer_of_the_driver_stays_in_force() {
    // the layer lists its devices where it is asked to
    let driver = drivers().remove(0);
    let listed = printed(&["doctor"], Some(&driver), &[("MESA_VK_DEVICE_SELECT", "list")]);
    assert!(listed.contains("selectable devices") && !listed.contains("XDG_RUNTIME_DIR"), "{listed}");
}
