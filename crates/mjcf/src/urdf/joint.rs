//! Joints and mimic joints.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use crate::spec::Span;
use crate::spec::rotation::{direction, z_to};
use crate::xml::{El, Tree};

use super::robot::Robot;
use super::{called, child, origin};

/// How a joint moves.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Hinge,
    Slide,
    Fixed,
    Free,
    Planar,
    Ball,
}

/// Joint types, with common synonyms.
const TYPES: &[(&str, Type)] = &[
    ("revolute", Type::Hinge),
    ("continuous", Type::Hinge),
    ("prismatic", Type::Slide),
    ("fixed", Type::Fixed),
    ("floating", Type::Free),
    ("planar", Type::Planar),
    ("spherical", Type::Ball),
];

/// A mimic joint: names, source locations, polynomial coefficients.
pub(super) struct Mimic {
    follower: (String, Span),
    leader: (String, Span),
    coefficients: [f64; 5],
}

/// Adds joints to the bodies of their child links; returns the mimic joints.
pub(super) fn joints(robot: &Robot<'_>, out: &mut Tree, places: &[usize]) -> Vec<Mimic> {
    // only scalar joints can lead or follow
    let scalar = |el: El<'_>| {
        el.text("type")
            .is_some_and(|t| TYPES.iter().any(|k| k.0 == t && matches!(k.1, Type::Hinge | Type::Slide)))
    };
    let scalars: HashMap<String, bool> =
        robot.joints.iter().map(|j| (j.el.text("name").unwrap_or_default(), scalar(j.el))).collect();
    let mut mimics = Vec::new();
    let mut names = HashSet::new();
    for joint in &robot.joints {
        let el = joint.el;
        el.required("name");
        el.required("type");
        let kind = el.keyword("type", TYPES);
        let body = places[joint.child];
        let is_world = robot.links[joint.child].name == "world";
        if !is_world {
            origin(el, out, body);
        }
        let axis = axis(el);
        if let (Some(kind), Some(axis)) = (kind, axis) {
            moving(el, out, body, (kind, axis), &mut names);
        }
        if scalar(el)
            && let Some(mimic) = mimic(el, &scalars)
        {
            mimics.push(mimic);
        }
    }
    mimics
}

fn axis(el: El<'_>) -> Option<[f64; 3]> {
    let Some(axis) = child(el, "axis") else {
        return Some([1.0, 0.0, 0.0]);
    };
    axis.required("xyz")?;
    axis.fixed("xyz")
}

/// Writes one joint, or the three joints of a planar joint.
fn moving(
    el: El<'_>,
    out: &mut Tree,
    body: usize,
    (kind, axis): (Type, [f64; 3]),
    names: &mut HashSet<String>,
) {
    let at = child(el, "axis").map_or(el.span(), |a| a.at("xyz"));
    let name = el.text("name").unwrap_or_default();
    let mut add = |suffix: &str, tag: &str, axis: Option<[f64; 3]>| {
        let joint = out.element(Some(body), "joint", el.span());
        let name = format!("{name}{suffix}");
        // a duplicate name is dropped
        if names.insert(name.clone()) {
            out.word(joint, "name", &name, el.at("name"));
        } else {
            el.log.warn(el.at("name"), format!("{} is there twice", called(el)), "rename one of them");
        }
        out.word(joint, "type", tag, el.at("type"));
        if let Some(axis) = axis {
            out.numbers(joint, "axis", &axis, at);
        }
        joint
    };
    let joints = match kind {
        Type::Fixed => vec![],
        Type::Hinge => vec![add("", "hinge", Some(axis))],
        Type::Slide => vec![add("", "slide", Some(axis))],
        Type::Free => vec![add("", "free", None)],
        Type::Ball => vec![add("", "ball", None)],
        Type::Planar => {
            // two slides perpendicular to the axis, then a hinge about it
            let turn = z_to(direction(DVec3::from_array(axis)).unwrap_or_default());
            let across = |v: DVec3| Some((turn * v).to_array());
            vec![
                add("_TX", "slide", across(DVec3::X)),
                add("_TY", "slide", across(DVec3::Y)),
                add("_RZ", "hinge", Some(axis)),
            ]
        }
    };
    dynamics(el, out, &joints);
    if let Some(&first) = joints.first() {
        limits(el, out, first);
    }
}

/// Damping and friction of all components of a joint.
fn dynamics(el: El<'_>, out: &mut Tree, joints: &[usize]) {
    let Some(dynamics) = child(el, "dynamics") else {
        return;
    };
    for (name, ours) in [("damping", "damping"), ("friction", "frictionloss")] {
        if let Some(value) = optional(dynamics, name) {
            joints.iter().for_each(|&j| out.numbers(j, ours, &[value], dynamics.at(name)));
        }
    }
}

/// Range and effort limit. A one-sided or reversed range does not limit.
fn limits(el: El<'_>, out: &mut Tree, joint: usize) {
    let Some(limit) = child(el, "limit") else {
        return;
    };
    let (lower, upper) = (optional(limit, "lower"), optional(limit, "upper"));
    let range = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
    let span = if lower.is_some() { limit.at("lower") } else { limit.at("upper") };
    if lower.is_some() || upper.is_some() {
        out.numbers(joint, "range", &range, span);
    }
    if lower.is_some() != upper.is_some() || range[0] > range[1] {
        out.word(joint, "limited", "false", span);
    }
    let effort = optional(limit, "effort").unwrap_or(0.0).abs();
    if effort > 0.0 {
        out.numbers(joint, "actuatorfrcrange", &[-effort, effort], limit.at("effort"));
    }
}

/// An optional number.
fn optional(el: El<'_>, name: &str) -> Option<f64> {
    if el.text(name)?.trim().is_empty() { None } else { el.real(name) }
}

/// The leader of a mimic joint; `None` unless it is a hinge or slide, as in MuJoCo.
fn mimic(el: El<'_>, scalars: &HashMap<String, bool>) -> Option<Mimic> {
    let mimic = child(el, "mimic")?;
    let leader = mimic.required("joint")?;
    let multiplier = optional(mimic, "multiplier").unwrap_or(1.0);
    let offset = optional(mimic, "offset").unwrap_or(0.0);
    if leader == el.text("name")? {
        mimic.wrong("joint", format!("{} mimics itself", called(el)), "name another joint");
    }
    if !scalars.get(&leader).copied().unwrap_or(false) {
        let message = format!("{} does not mimic '{leader}'", called(el));
        el.log.warn(mimic.at("joint"), message, "it can mimic revolute, continuous and prismatic joints");
        return None;
    }
    Some(Mimic {
        follower: (el.text("name").unwrap_or_default(), el.at("name")),
        leader: (leader, mimic.at("joint")),
        coefficients: [offset, multiplier, 0.0, 0.0, 0.0],
    })
}

/// Writes the equality constraints of mimic joints.
pub(super) fn mimics(mimics: &[Mimic], out: &mut Tree, model: usize, span: Span) {
    if mimics.is_empty() {
        return;
    }
    let section = out.element(Some(model), "equality", span);
    for mimic in mimics {
        let joint = out.element(Some(section), "joint", mimic.leader.1);
        out.word(joint, "joint1", &mimic.follower.0, mimic.follower.1);
        out.word(joint, "joint2", &mimic.leader.0, mimic.leader.1);
        out.numbers(joint, "polycoef", &mimic.coefficients, mimic.leader.1);
    }
}
