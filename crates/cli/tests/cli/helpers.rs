//! What all tests of the command share: it runs, and what it prints is read.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use manyworlds::formats::npz::{Array, ArrayData};
use serde_json::Value;

pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manyworlds")).args(arguments).output().unwrap()
}

pub(crate) fn model(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).to_str().unwrap().to_owned()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// JSON object printed by a successful run.
pub(crate) fn object(arguments: &[&str]) -> Value {
    let done = run(&[arguments, &["--format", "json"]].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    serde_json::from_str(text(&done.stdout).lines().last().unwrap()).unwrap()
}

/// Standard error of a refused run.
pub(crate) fn refused(arguments: &[&str]) -> String {
    let done = run(arguments);
    assert_eq!(done.status.code(), Some(2), "{arguments:?}: {}", text(&done.stdout));
    text(&done.stderr)
}

pub(crate) fn in_folder(folder: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let text = path.to_str().unwrap().to_owned();
    (path, text)
}

pub(crate) fn reals(shape: &[usize], data: Vec<f64>) -> Array {
    Array { shape: shape.to_vec(), data: ArrayData::F64(data) }
}

/// A file of the folder with some text.
pub(crate) fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> (PathBuf, String) {
    let (path, name) = in_folder(folder, name);
    std::fs::write(&path, text).unwrap();
    (path, name)
}

/// Runs with a text on standard input.
pub(crate) fn piped(arguments: &[&str], input: &str) -> Output {
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

/// Blanks in a row as one.
pub(crate) fn squeezed(text: &str) -> String {
    text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
