//! Files that models of random inputs name: good ones, cut or of another kind than their names say, and some that are
//! not there.

use std::sync::LazyLock;

use manyworlds::assets::Assets;

use super::mutate::Random;
use super::{contents, folder};

/// Folders of the corpus whose files can be named.
const FOLDERS: &[&str] = &["stl", "stl_text", "obj", "msh", "gmsh", "skin", "png", "field", "files"];

/// Files with the content of others.
const DISGUISED: &[(&str, &str)] = &[
    ("obj.stl", "plain.obj"),
    ("stl.obj", "binary.stl"),
    ("gmsh.msh", "2.2.msh"),
    ("msh.xml", "full.msh"),
    ("png.skn", "rgb.png"),
    ("xml.png", "part.xml"),
];

/// Names without a file.
const MISSING: &[&str] =
    &["missing.stl", "missing.obj", "missing.msh", "missing.xml", "missing.png", "missing", ".stl", ""];

/// What may stand before a name.
const PREFIXES: &[&str] = &[
    "",
    "",
    "",
    "package://robot/",
    "package://robot/meshes/",
    "package://",
    "model://robot/",
    "file://",
    "file:///",
    "../",
    "meshes/",
    "meshes\\",
    "/",
];

/// All files, in memory.
static FILES: LazyLock<Assets> = LazyLock::new(|| {
    let mut files: Vec<(String, Vec<u8>)> =
        FOLDERS.iter().flat_map(|f| contents(&folder("corpus", f))).collect();
    let named = |name: &str| files.iter().find(|f| f.0 == name).unwrap().1.clone();
    let mut more: Vec<(String, Vec<u8>)> =
        DISGUISED.iter().map(|(name, of)| ((*name).to_owned(), named(of))).collect();
    more.extend(
        files.iter().map(|(name, bytes)| (format!("half-{name}"), bytes[..bytes.len() / 2].to_vec())),
    );
    more.push(("empty.obj".to_owned(), Vec::new()));
    more.push(("empty.xml".to_owned(), Vec::new()));
    files.extend(more);
    files.into_iter().collect()
});

/// Names of all files, and of some that are missing.
static NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| FILES.names().chain(MISSING.iter().copied()).map(str::to_owned).collect());

/// All files, in memory.
pub(crate) fn files() -> &'static Assets {
    &FILES
}

/// The name of a file that is there or not.
pub(crate) fn name(random: &mut Random) -> String {
    format!("{}{}", random.of(PREFIXES), random.of(&NAMES))
}
