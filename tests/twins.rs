//! Twins: a function that kernels and the CPU both have has one name on both floors, in files of one stem.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// WGSL without a file of the same room and stem on the CPU: what a device needs to run kernels, and what the CPU has
/// elsewhere.
const ALONE: &[(&str, &str)] = &[
    ("runtime/group", "lanes and barriers"),
    ("runtime/options", "options of the model as constants"),
    ("runtime/roofline", "measures a device"),
    ("runtime/status", "bits of a world in shared memory"),
    ("runtime/transfer", "copies fields"),
    ("math/trig", "sines and cosines that do not depend on the driver"),
    ("integrate/reset", "crates/model/src/model/state.rs"),
    ("solver/primal", "solve.rs"),
    ("solver/state", "solve.rs"),
    ("solver/tiles", "tiles of the Hessian in registers: hessian.rs factors whole rows"),
    ("solver/update", "solve.rs and hessian.rs"),
];

/// Functions that have one name in both files of a stem: a pair that drifts apart makes them fewer. A new one makes them
/// more; then this number follows.
const PAIRS: usize = 361;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Texts of the files with an ending in the folders of a folder, by `room/stem`.
fn files(folder: &Path, ending: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for room in std::fs::read_dir(folder).unwrap().map(|r| r.unwrap().path()).filter(|r| r.is_dir()) {
        for file in std::fs::read_dir(&room).unwrap().map(|f| f.unwrap().path()) {
            if file.extension().is_some_and(|e| e == ending) {
                let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
                let text = std::fs::read_to_string(&file).unwrap();
                found.insert(format!("{}/{}", name(&room), name(&file)), text);
            }
        }
    }
    found
}

/// Names of the functions of a text, but for its tests.
fn functions(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let names = code
        .split("fn ")
        .skip(1)
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>());
    names.filter(|name| !name.is_empty()).collect()
}

/// Names of the functions of a stem on the CPU, and in its kernel and what kernels import.
struct Pair {
    host: BTreeSet<String>,
    device: BTreeSet<String>,
}

/// The stems that both floors have.
fn pairs() -> Vec<Pair> {
    let cpu = files(&root().join("crates/cpu/src"), "rs");
    let shaders = files(&root().join("shaders"), "wgsl");
    let stem = |name: &str| name.split('/').nth(1).unwrap().to_owned();
    let mut found = Vec::new();
    for (name, text) in cpu.iter().filter(|(name, _)| !name.ends_with("/mod")) {
        let kernel = std::fs::read_to_string(root().join("kernels").join(format!("{}.wgsl", stem(name))));
        let mut device = kernel.map(|text| functions(&text)).unwrap_or_default();
        device.extend(shaders.get(name).map(|text| functions(text)).unwrap_or_default());
        if !device.is_empty() {
            found.push(Pair { host: functions(text), device });
        }
    }
    found
}

#[test]
fn every_file_of_kernels_has_its_twin() {
    let cpu = files(&root().join("crates/cpu/src"), "rs");
    for name in files(&root().join("shaders"), "wgsl").keys().filter(|n| !n.starts_with("render/")) {
        let listed = ALONE.iter().any(|(alone, _)| alone == name);
        assert!(cpu.contains_key(name) != listed, "{name}");
    }
    for entry in std::fs::read_dir(root().join("kernels")).unwrap().map(|f| f.unwrap().path()) {
        if entry.extension().is_some_and(|e| e == "wgsl") {
            let stem = entry.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(cpu.keys().any(|name| name.ends_with(&format!("/{stem}"))), "{stem}");
        }
    }
}

#[test]
fn functions_keep_their_twins() {
    let pairs = pairs();
    let host: usize = pairs.iter().map(|p| p.host.len()).sum();
    let device: usize = pairs.iter().map(|p| p.device.len()).sum();
    let both: usize = pairs.iter().map(|p| p.host.intersection(&p.device).count()).sum();
    assert!(both == PAIRS, "{both} of {host} and {device} functions have one name, not {PAIRS}");
}
