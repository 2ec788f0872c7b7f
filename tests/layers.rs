//! Architecture tests, from the imports: allowed dependencies between layers, and no cycles between files, in the
//! library and in the kernels.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Modules of `src` with the modules that each may import, in the order of the data flow.
const LAYERS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("real", &[]),
    ("files", &["error"]),
    ("assets", &["error"]),
    ("schema", &["real"]),
    ("images", &[]),
    ("model", &["schema", "real", "error", "images"]),
    ("formats", &["model", "schema", "real", "error", "files"]),
    ("mesh", &["schema", "error"]),
    ("spec", &["assets", "mesh", "schema", "error"]),
    ("xml", &["assets", "spec"]),
    ("urdf", &["assets", "xml", "spec", "mesh"]),
    ("mjcf", &["assets", "urdf", "xml", "spec", "mesh", "schema", "model", "error"]),
    ("cpu", &["model", "schema", "real"]),
    ("impulse", &["cpu", "model", "schema", "real", "error"]),
    ("compile", &["assets", "spec", "mesh", "schema", "model", "error"]),
    ("gpu", &["model", "schema", "real", "error"]),
    ("batch", &["gpu", "cpu", "formats", "model", "schema", "real", "error"]),
    ("render", &["batch", "gpu", "cpu", "images", "model", "schema", "error"]),
    ("analysis", &["batch", "gpu", "cpu", "model", "schema", "real", "error"]),
    ("planning", &["analysis", "batch", "cpu", "model", "schema", "error"]),
    ("identification", &["batch", "formats", "cpu", "model", "schema", "error"]),
    ("load", &["assets", "compile", "mjcf", "spec", "model", "error"]),
    ("prelude", &["batch", "formats", "load", "model", "schema", "error"]),
];

/// Exceptions to the layers: constants at `qpos0` are computed by the reference pipeline itself; operations are
/// counted by running it.
const EXCEPTIONS: &[(&str, &str)] = &[("compile::constants", "cpu")];

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

/// Paths that begin with `crate`, `super` or `self`, with groups in braces expanded.
fn paths(text: &str) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for head in ["crate", "super", "self"] {
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

/// Import graph of the library's files.
fn library() -> Graph {
    let src = root().join("src");
    let sources: BTreeMap<String, String> = files(&src, "rs")
        .iter()
        .map(|file| (module(&src, file), code(&std::fs::read_to_string(file).unwrap())))
        .filter(|(name, _)| !name.is_empty() && name != "main" && !name.starts_with("cli"))
        .collect();
    let mut graph = Graph::new();
    for (name, text) in &sources {
        let own: Vec<&str> = name.split("::").collect();
        let targets = graph.entry(name.clone()).or_default();
        for path in paths(text) {
            let ups = path.iter().filter(|s| *s == "super").count();
            let tail =
                path.iter().filter(|s| !["crate", "super", "self"].contains(&s.as_str())).map(String::as_str);
            let base = if path[0] == "crate" { &[][..] } else { &own[..own.len().saturating_sub(ups)] };
            let full: Vec<&str> = base.iter().copied().chain(tail).collect();
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
            let imports = text.split("\nimport package::").skip(1).map(|statement| {
                let path = statement.split(';').next().unwrap();
                path.split("::{").next().unwrap().rsplit_once("::").map_or(path, |(module, name)| {
                    if path.contains('{') {
                        path.split("::{").next().unwrap()
                    } else {
                        let _ = name;
                        module
                    }
                })
            });
            graph.insert(module(&below, &file), imports.map(str::to_owned).collect());
        }
    }
    graph
}

/// A cycle of modules, if there is one. A module and its submodules do not count as a cycle.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    fn related(a: &str, b: &str) -> bool {
        a.starts_with(&format!("{b}::")) || b.starts_with(&format!("{a}::"))
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

#[test]
fn rooms_import_only_what_is_below_them() {
    let mut wrong = Vec::new();
    for (name, targets) in &library() {
        let room = name.split("::").next().unwrap();
        let (_, allowed) =
            LAYERS.iter().find(|l| l.0 == room).unwrap_or_else(|| panic!("{room} has no layer"));
        for target in targets {
            let other = target.split("::").next().unwrap();
            let excepted = EXCEPTIONS.iter().any(|e| name.starts_with(e.0) && other == e.1);
            if other != room && !allowed.contains(&other) && !excepted {
                wrong.push(format!("{name} imports {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn layers_have_no_circles() {
    for (at, (room, below)) in LAYERS.iter().enumerate() {
        for other in *below {
            assert!(LAYERS[..at].iter().any(|l| l.0 == *other), "{room} is above {other}");
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
    assert_eq!(paths("use super::{a, b::c};\nlet x = crate::m::f();").len(), 4);
}
