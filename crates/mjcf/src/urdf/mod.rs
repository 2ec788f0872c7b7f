//! URDF -> equivalent MJCF elements, which the MJCF reader then reads. Every attribute keeps its location in the
//! URDF file.
//!
//! Semantics follow MuJoCo: static links are fused and visual shapes discarded unless the extension element
//! `<mujoco><compiler/></mujoco>` says otherwise, and unknown elements are ignored.

mod joint;
mod link;
mod mesh;
mod robot;

use std::path::Path;

use crate::spec::Log;
use crate::xml::{El, Tree};
use manyworlds_model::assets::Assets;
use robot::Robot;

/// Rewrites a robot; returns the root of the MJCF tree.
pub(crate) fn rewrite(
    log: &Log,
    assets: &Assets,
    tree: &mut Tree,
    root: usize,
    path: &Path,
) -> Option<usize> {
    let source = std::mem::take(tree);
    let el = El { log, tree: &source, id: root, pen: None };
    let mut out = Tree::default();
    let model = out.element(None, "mujoco", el.span());
    out.copy(model, "model", el.attr("name"));
    settings(el, &mut out, model);
    let robot = Robot::read(el)?;
    let mut meshes = mesh::Meshes::new(el, assets, path);
    let world = out.element(Some(model), "worldbody", el.span());
    let places = robot.bodies(&mut out, world);
    link::links(&robot, &mut out, &places, &mut meshes);
    meshes.write(&mut out, model, el.span());
    let mimics = joint::joints(&robot, &mut out, &places);
    joint::mimics(&mimics, &mut out, model, el.span());
    *tree = out;
    log.is_clean().then_some(model)
}

/// The extension element: compiler settings, options and sizes. Angles are always radians here.
fn settings(el: El<'_>, out: &mut Tree, model: usize) {
    let defaults = out.element(Some(model), "compiler", el.span());
    for name in ["fusestatic", "discardvisual"] {
        out.word(defaults, name, "true", el.span());
    }
    if let Some(extension) = child(el, "mujoco") {
        for section in ["compiler", "option", "size"] {
            if let Some(section) = child(extension, section) {
                out.copy_tree(model, section);
            }
        }
    }
    let fixed = out.element(Some(model), "compiler", el.span());
    out.word(fixed, "angle", "radian", el.span());
    out.word(fixed, "eulerseq", "XYZ", el.span());
}

/// The only child with a tag; a second one is an error.
fn child<'a>(el: El<'a>, tag: &str) -> Option<El<'a>> {
    let mut all = el.children().filter(|c| c.tag() == tag);
    let first = all.next()?;
    if let Some(second) = all.next() {
        let message = format!("{} has a second element '{tag}'", el.tag());
        el.log.add(second.span(), message, "keep one of them");
    }
    Some(first)
}

/// The only child with a tag; a missing one is an error.
fn required<'a>(el: El<'a>, tag: &str) -> Option<El<'a>> {
    let found = child(el, tag);
    if found.is_none() {
        el.log.add(el.span(), format!("{} has no element '{tag}'", el.tag()), "add it");
    }
    found
}

/// A required number.
fn number(el: El<'_>, name: &str) -> Option<f64> {
    el.required(name)?;
    el.real(name)
}

/// Position and roll-pitch-yaw of an element's `<origin>`.
fn origin(el: El<'_>, out: &mut Tree, to: usize) {
    let Some(origin) = child(el, "origin") else {
        return;
    };
    if let Some(pos) = origin.fixed::<3>("xyz") {
        out.numbers(to, "pos", &pos, origin.at("xyz"));
    }
    if let Some(angles) = origin.fixed::<3>("rpy") {
        out.numbers(to, "euler", &angles, origin.at("rpy"));
    }
}

/// Name of an element in messages: kind and name.
fn called(el: El<'_>) -> String {
    format!("{} '{}'", el.tag(), el.text("name").unwrap_or_default().chars().take(60).collect::<String>())
}
