//! `<include file="…"/>`: replaced by the children of the other file's root.

use std::path::{Path, PathBuf};

use crate::spec::{Log, Span};
use crate::xml;
use crate::xml::{MAX_DEPTH, Tree};
use manyworlds_model::assets::Assets;

/// Upper bound on included files of a model.
const MAX_INCLUDES: usize = 1000;

/// A pending include: the element, and the chain of including files.
struct PendingInclude {
    node: usize,
    chain: Vec<PathBuf>,
}

/// Expands every include below the root, file by file.
pub(super) fn expand(log: &Log, assets: &Assets, tree: &mut Tree, root: usize, main: &Path) -> Option<()> {
    let folder = xml::folder(main);
    let mut seen = vec![assets.identity(main)];
    let mut pending = includes_from(tree, root, &[main.to_owned()]);
    let mut next = 0;
    while next < pending.len() {
        let PendingInclude { node, chain } = &pending[next];
        let (node, chain) = (*node, chain.clone());
        next += 1;
        if next > MAX_INCLUDES {
            log.add(tree.nodes[node].span, format!("more than {MAX_INCLUDES} included files"), "");
            return None;
        }
        if let Some(more) = expand_one(log, assets, tree, node, &folder, &chain, &mut seen) {
            pending.extend(more);
        }
    }
    splice(log, tree, root)
}

/// Loads the file of an include; returns its own includes.
fn expand_one(
    log: &Log,
    assets: &Assets,
    tree: &mut Tree,
    node: usize,
    folder: &Path,
    chain: &[PathBuf],
    seen: &mut Vec<PathBuf>,
) -> Option<Vec<PendingInclude>> {
    let span = tree.nodes[node].span;
    let Some(file) = tree.nodes[node].attr("file") else {
        log.add(span, "include has no attribute 'file'", "write <include file=\"…\"/>");
        return None;
    };
    for other in tree.nodes[node].attrs.iter().filter(|a| a.name != "file") {
        log.warn(other.name_span, format!("unknown attribute '{}' in include", other.name), "valid: file");
    }
    if let Some(&child) = tree.nodes[node].children.first() {
        log.add(tree.nodes[child].span, "include cannot have children", "move them out of the include");
        return None;
    }
    // paths are relative to the main model's folder, then to that of the including file
    let (value, span) = (file.value.clone(), file.span);
    let beside = chain.last().map(|p| xml::folder(p).join(&value));
    let path = match beside {
        Some(beside) if !assets.exists(&folder.join(&value)) && assets.exists(&beside) => beside,
        _ => folder.join(&value),
    };
    let id = assets.identity(&path);
    if seen.contains(&id) {
        let names: Vec<String> = chain.iter().chain([&path]).map(|p| p.display().to_string()).collect();
        let message = format!("'{value}' is already included: {}", names.join(" -> "));
        log.add(span, message, "include each file once; use asset/model and attach for copies");
        return None;
    }
    // a file that is not there is missing each time, not included twice
    let file = xml::read_text(log, assets, &path, Some(span))?;
    seen.push(id);
    let child_root = parse_included(log, tree, file, span, &value)?;
    if tree.nodes[child_root].children.is_empty() {
        log.add(
            span,
            format!("'{value}' has no elements to include"),
            "remove the include, or fill the file",
        );
        return None;
    }
    tree.nodes[node].children = tree.nodes[child_root].children.clone();
    let mut chain = chain.to_vec();
    chain.push(path);
    Some(includes_from(tree, child_root, &chain))
}

/// Parses an included file. Errors show no text of files that are not models.
fn parse_included(log: &Log, tree: &mut Tree, file: u32, span: Span, value: &str) -> Option<usize> {
    if !log.text(file).trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        log.add(
            span,
            format!("'{value}' is not an XML file"),
            "include a file that starts with <mujoco> or <mujocoinclude>",
        );
        return None;
    }
    xml::parse(log, tree, file)
}

fn includes_from(tree: &Tree, root: usize, chain: &[PathBuf]) -> Vec<PendingInclude> {
    // elements of a file are consecutive
    let of_file = tree.nodes[root].span.file;
    let ours = tree
        .nodes
        .iter()
        .enumerate()
        .skip(root)
        .filter(|(_, n)| n.span.file == of_file && n.tag == "include");
    ours.map(|(node, _)| PendingInclude { node, chain: chain.to_vec() }).collect()
}

/// Splices the children of includes in their place, and checks the total depth.
fn splice(log: &Log, tree: &mut Tree, root: usize) -> Option<()> {
    let mut stack = vec![(root, 0)];
    while let Some((node, depth)) = stack.pop() {
        if depth > MAX_DEPTH {
            log.add(tree.nodes[node].span, format!("elements are nested more than {MAX_DEPTH} deep"), "");
            return None;
        }
        let mut children = tree.nodes[node].children.clone();
        while let Some(i) = children.iter().position(|&c| tree.nodes[c].tag == "include") {
            let inside = tree.nodes[children[i]].children.clone();
            children.splice(i..=i, inside);
        }
        stack.extend(children.iter().map(|&c| (c, depth + 1)));
        tree.nodes[node].children = children;
    }
    Some(())
}
