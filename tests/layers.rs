//! Architecture tests, from the imports: allowed dependencies between rooms, and no cycles between files, in every crate,
//! in the kernels and in the Python package.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates: name, folder of the sources, and the name in paths. What a crate may use of others stands in its manifest;
/// names that the façade passes on are looked up in `FACADE`.
const CRATES: &[(&str, &str, &str)] = &[
    ("shaders", "shaders", "manyworlds_shaders"),
    ("kernels", "kernels", "manyworlds_kernels"),
    ("model", "crates/model/src", "manyworlds_model"),
    ("cpu", "crates/cpu/src", "manyworlds_cpu"),
    ("mjcf", "crates/mjcf/src", "manyworlds_mjcf"),
    ("gpu", "crates/gpu/src", "manyworlds_gpu"),
    ("manyworlds", "src", "manyworlds"),
    ("render", "crates/render/src", "manyworlds_render"),
    ("control", "crates/control/src", "manyworlds_control"),
    ("cli", "crates/cli/src", "manyworlds_cli"),
    ("python", "python/src", "manyworlds_python"),
    ("web", "web/src", "manyworlds_web"),
];

/// What the façade passes on, and from where.
const FACADE: &[(&str, &[&str])] = &[
    ("model", &["assets", "error", "files", "formats", "images", "model", "real", "schema"]),
    ("mjcf", &["compile", "load", "load_str", "load_str_with", "load_with", "mesh", "mjcf", "spec"]),
    ("", &["cpu", "gpu"]),
];

/// Rooms of the crates that have several, with the rooms of the same crate that each may import.
const ROOMS: &[(&str, &[&str])] = &[
    ("model::real", &[]),
    ("model::schema", &["real"]),
    ("model::error", &["schema"]),
    ("model::files", &["error"]),
    ("model::assets", &["error"]),
    ("model::images", &[]),
    ("model::model", &["schema", "real", "error", "images"]),
    ("model::formats", &["model", "schema", "real", "error", "files"]),
    ("mjcf::mesh", &[]),
    ("mjcf::spec", &["mesh"]),
    ("mjcf::xml", &["spec"]),
    ("mjcf::urdf", &["xml", "spec", "mesh"]),
    ("mjcf::mjcf", &["urdf", "xml", "spec", "mesh"]),
    ("mjcf::compile", &["spec", "mesh"]),
    ("mjcf::load", &["compile", "mjcf", "spec"]),
    ("manyworlds::batch", &[]),
    ("manyworlds::analysis", &["batch"]),
    ("manyworlds::prelude", &["batch"]),
    ("control::impulse", &[]),
    ("control::planning", &[]),
    ("control::identification", &[]),
    ("cli::shared", &[]),
    ("cli::report", &["shared"]),
    ("cli::view", &[]),
    ("cli::verbs", &["shared", "report", "view"]),
];

/// Crates in which not even a module and its submodules import each other.
const STRICT: &[&str] = &["render", "cli", "python", "web"];

/// Where the compiler uses the pipeline: constants at `qpos0` are what its stages compute there, and meshes of signed
/// distance fields are where its fields are zero.
const USES_PIPELINE: [&str; 2] = ["mjcf::compile::constants", "mjcf::compile::distance_fields"];

/// Import graph: modules with the modules that each imports.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Files with an extension below a folder.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Module path `a::b` of a file below a folder.
fn module(folder: &Path, file: &Path) -> String {
    let path = file.strip_prefix(folder).unwrap().with_extension("");
    let mut parts: Vec<String> = path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts.join("::")
}

/// Source text without comments and without its test module.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// Paths that begin with `crate`, `super`, `self` or one of our crates, with groups in braces expanded.
fn paths(text: &str) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for head in ["crate", "super", "self"].into_iter().chain(CRATES.iter().map(|c| c.2)) {
        for (at, _) in text.match_indices(head) {
            let (before, rest) = (&text[..at], &text[at + head.len()..]);
            if before.ends_with(|c: char| is_word(c) || c == ':' || c == '$') || !rest.starts_with("::") {
                continue;
            }
            let end = rest.find(|c: char| !is_word(c) && c != ':').unwrap_or(rest.len());
            let mut path: Vec<String> =
                rest[..end].split("::").filter(|s| !s.is_empty()).map(str::to_owned).collect();
            path.insert(0, head.to_owned());
            if rest[end..].starts_with('{') && rest[..end].ends_with("::") {
                let close = rest[end..].find(';').map_or(rest.len(), |n| end + n);
                for word in rest[end..close].split(|c: char| !is_word(c)).filter(|w| !w.is_empty()) {
                    found.push(path.iter().cloned().chain([word.to_owned()]).collect());
                }
            } else {
                found.push(path);
            }
        }
    }
    found
}

/// Paths that begin with a submodule of a file, `use child::Item`, as if they began with `self`.
fn child_paths(text: &str, children: &[&str]) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for child in children {
        for (at, _) in text.match_indices(&format!("{child}::")) {
            if !text[..at].ends_with(|c: char| is_word(c) || c == ':') {
                found.push(vec!["self".to_owned(), (*child).to_owned()]);
            }
        }
    }
    found
}

/// Sources of all crates by module, with the name of the crate before its path.
fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (name, folder, _) in CRATES {
        let folder = root().join(folder);
        for file in files(&folder, "rs") {
            let inner = module(&folder, &file);
            let full = if inner.is_empty() { (*name).to_owned() } else { format!("{name}::{inner}") };
            found.insert(full, code(&std::fs::read_to_string(file).unwrap()));
        }
    }
    found
}

/// A path with the name of its crate first: of the crate itself, or of the one where the façade has it from.
fn resolved(path: &[String], own: &[&str]) -> Vec<String> {
    let tail = || path.iter().filter(|s| !["crate", "super", "self"].contains(&s.as_str())).cloned();
    if let Some((name, ..)) = CRATES.iter().find(|c| c.2 == path[0]) {
        let rest = path[1..].to_vec();
        let passed = FACADE
            .iter()
            .find(|f| *name == "manyworlds" && rest.first().is_some_and(|n| f.1.contains(&&**n)));
        let from = passed.map_or(*name, |f| f.0);
        return [from.to_owned()].into_iter().filter(|n| !n.is_empty()).chain(rest).collect();
    }
    let ups = path.iter().filter(|s| *s == "super").count();
    let base = if path[0] == "crate" { &own[..1] } else { &own[..own.len().saturating_sub(ups)] };
    base.iter().map(|s| (*s).to_owned()).chain(tail()).collect()
}

/// Import graph of all crates' files.
fn library() -> Graph {
    let sources = sources();
    let mut graph = Graph::new();
    for (name, text) in &sources {
        let own: Vec<&str> = name.split("::").collect();
        let targets = graph.entry(name.clone()).or_default();
        let inside = sources.keys().filter_map(|other| other.strip_prefix(&format!("{name}::")));
        let children: Vec<&str> = inside.filter(|child| !child.contains("::")).collect();
        for path in paths(text).into_iter().chain(child_paths(text, &children)) {
            let full = resolved(&path, &own);
            // the file that holds the item: the longest prefix that is a module
            let holds =
                (1..=full.len()).rev().map(|n| full[..n].join("::")).find(|m| sources.contains_key(m));
            if let Some(target) = holds.filter(|target| target != name) {
                targets.insert(target);
            }
        }
    }
    graph
}

/// Import graph of the kernels' files.
fn kernels() -> Graph {
    let mut graph = Graph::new();
    for folder in ["shaders", "kernels"] {
        let below = if folder == "shaders" { root().join(folder) } else { root() };
        for file in files(&root().join(folder), "wgsl") {
            let text = std::fs::read_to_string(&file).unwrap();
            // `room::stem` of a file, `room::stem::item`, or several of these in braces
            let imports = text.split("\nimport package::").skip(1).flat_map(|statement| {
                let path = statement.split(';').next().unwrap();
                let (head, list) = path.split_once('{').unwrap_or(("", path));
                let items = list.trim_end_matches('}').split(',').map(str::trim).filter(|i| !i.is_empty());
                items
                    .map(|i| format!("{head}{i}").split("::").take(2).collect::<Vec<_>>().join("::"))
                    .collect::<Vec<_>>()
            });
            graph.insert(module(&below, &file), imports.collect());
        }
    }
    graph
}

/// Import graph of the Python package: files with what each imports, for type checkers too.
fn python() -> Graph {
    let folder = root().join("python/manyworlds");
    let mut sources = BTreeMap::new();
    for file in files(&folder, "py").into_iter().chain(files(&folder, "pyi")) {
        let name = module(&folder, &file);
        let name =
            name.strip_suffix("__init__").map_or(name.as_str(), |n| n.trim_end_matches("::")).to_owned();
        let is_package = file.file_stem().is_some_and(|stem| stem == "__init__");
        let text = sources.entry(name).or_insert((String::new(), is_package));
        text.0 += &std::fs::read_to_string(file).unwrap();
    }
    let mut graph = Graph::new();
    for (name, (text, is_package)) in &sources {
        let own: Vec<&str> = name.split("::").filter(|n| !n.is_empty()).collect();
        let targets = graph.entry(name.clone()).or_default();
        // `from .a import b, c` and `from . import a`, in parentheses or not
        for line in text.split('\n').map(str::trim_start).filter(|line| line.starts_with("from .")) {
            let (from, names) = line["from ".len()..].split_once(" import").unwrap();
            let dots = from.len() - from.trim_start_matches('.').len();
            // a dot is the package of the file, each more the one above
            let mut base = own.clone();
            base.truncate(base.len().saturating_sub(dots - usize::from(*is_package)));
            base.extend(from[dots..].split('.').filter(|n| !n.is_empty()));
            let names = names.split(',').map(|n| n.trim_matches(|c: char| c == ' ' || c == '(' || c == ')'));
            for full in names.map(|n| base.iter().copied().chain([n]).collect::<Vec<_>>()) {
                let target =
                    (0..=full.len()).rev().map(|n| full[..n].join("::")).find(|m| sources.contains_key(m));
                targets.extend(target.filter(|target| target != name));
            }
        }
    }
    graph
}

/// A cycle of modules, if there is one. A module and its submodules do not count as a cycle, but in [`STRICT`] crates.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    fn related(a: &str, b: &str) -> bool {
        let is_strict = STRICT.iter().any(|krate| a == *krate || a.starts_with(&format!("{krate}::")));
        !is_strict && (a.starts_with(&format!("{b}::")) || b.starts_with(&format!("{a}::")))
    }
    fn visit<'a>(
        graph: &'a Graph,
        at: &'a str,
        path: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|m| *m == at) {
            return Some(path[start..].iter().map(|m| (*m).to_owned()).collect());
        }
        if done.contains(at) {
            return None;
        }
        path.push(at);
        for next in graph.get(at).into_iter().flatten().filter(|next| !related(at, next)) {
            if let Some(found) = visit(graph, next, path, done) {
                return Some(found);
            }
        }
        path.pop();
        done.insert(at);
        None
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| visit(graph, module, &mut Vec::new(), &mut done))
}

/// The room of a module: its crate, and the first module in it where the crate has several.
fn room(name: &str) -> String {
    let several = |krate: &str| ROOMS.iter().any(|r| r.0.starts_with(&format!("{krate}::")));
    let mut parts = name.split("::");
    let (krate, first) = (parts.next().unwrap_or_default(), parts.next());
    match first {
        Some(first) if several(krate) => format!("{krate}::{first}"),
        _ => krate.to_owned(),
    }
}

#[test]
fn rooms_import_only_what_is_below_them() {
    let mut wrong = Vec::new();
    for (name, targets) in &library() {
        let own = room(name);
        let krate = own.split("::").next().unwrap();
        for target in targets {
            let other = room(target);
            let within = other.strip_prefix(&format!("{krate}::"));
            let rooms = ROOMS.iter().find(|r| r.0 == own);
            let allowed = within.is_none_or(|w| rooms.is_none_or(|r| r.1.contains(&w)));
            // the compiler sees the pipeline in few places only
            let knows = || USES_PIPELINE.iter().any(|place| name.starts_with(place));
            let hidden = krate == "mjcf" && other == "cpu" && !knows();
            if other != own && (!allowed || hidden) {
                wrong.push(format!("{name} imports {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_room_has_its_layer() {
    for name in library().keys() {
        let own = room(name);
        assert!(!own.contains("::") || ROOMS.iter().any(|r| r.0 == own), "{own} has no layer");
    }
    for (at, (room, below)) in ROOMS.iter().enumerate() {
        let krate = room.split("::").next().unwrap();
        for other in *below {
            assert!(
                ROOMS[..at].iter().any(|l| l.0 == format!("{krate}::{other}")),
                "{room} is above {other}"
            );
        }
    }
}

#[test]
fn modules_have_no_circles() {
    let graph = library();
    assert!(graph.len() > 200, "only {} modules were read", graph.len());
    assert_eq!(circle(&graph), None);
}

#[test]
fn python_has_no_circles() {
    let graph = python();
    assert!(graph.values().map(BTreeSet::len).sum::<usize>() > 100, "imports of Python were not read");
    assert!(graph["task"].contains("_expression") && graph["envs::_terms"].contains("task"));
    assert_eq!(circle(&graph), None);
}

#[test]
fn kernels_have_no_circles() {
    let graph = kernels();
    assert!(graph.values().map(BTreeSet::len).sum::<usize>() > 200, "imports of kernels were not read");
    assert!(graph.values().flatten().all(|m| graph.contains_key(m)), "an import of no file");
    assert_eq!(circle(&graph), None);
    // library files do not import kernels
    let upward = graph
        .iter()
        .filter(|(name, _)| !name.starts_with("kernels"))
        .find(|(_, t)| t.iter().any(|m| m.starts_with("kernels")));
    assert_eq!(upward, None);
}

#[test]
fn a_circle_is_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (a, b) in edges {
            graph.entry((*a).to_owned()).or_default().insert((*b).to_owned());
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])).map(|c| c.len()), Some(2));
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "a::x"), ("a::x", "a")])), None);
    assert_eq!(circle(&graph(&[("cli", "cli::x"), ("cli::x", "cli")])).map(|c| c.len()), Some(2));
    assert_eq!(paths("use super::{a, b::c};\nlet x = crate::m::f();").len(), 4);
    assert_eq!(child_paths("use a::{b, c};\nlet x = other::a::f();", &["a", "b"]).len(), 1);
}
