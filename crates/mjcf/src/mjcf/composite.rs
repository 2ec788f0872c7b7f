//! `<composite>`: a cable is expanded into bodies, joints and geoms. It is the only remaining type.

use super::cable;
use super::cable::skin as cable_skin;
use super::cable::{Cable, Taken};
use super::context::MAX_ELEMENTS;
use crate::spec::{Log, Skin};
use crate::xml::El;
use crate::xml::Tree;
use crate::xml::short;
use manyworlds_model::real::MINVAL;

/// Removed composite types, with their replacements.
const REMOVED: &[(&str, &str)] = &[
    ("particle", "use <replicate> around a body with a free joint or slides"),
    ("grid", "use <flexcomp type=\"grid\">"),
    ("rope", "use type=\"cable\""),
    ("loop", "use <flexcomp>, or a cable whose ends are connected by an equality constraint"),
    ("cloth", "use <flexcomp dim=\"2\"> with elasticity"),
    ("box", "use <flexcomp dim=\"3\">"),
    ("cylinder", "use <flexcomp dim=\"3\">"),
    ("ellipsoid", "use <flexcomp dim=\"3\">"),
];

/// A coordinate function of a curve.
#[derive(Clone, Copy)]
enum CurveTerm {
    Zero,
    Line,
    Cosine,
    Sine,
}

/// Expands every composite below the root. Returns their skins, if there was a composite.
pub(super) fn expand(log: &Log, tree: &mut Tree, root: usize) -> Option<Vec<Skin>> {
    let found = find(tree, root);
    if found.is_empty() || !log.is_clean() {
        return None;
    }
    let mut skins = Vec::new();
    let mut room = MAX_ELEMENTS;
    let source = tree.clone();
    let mut taken = Taken::default();
    for &(parent, id) in &found {
        let el = El { log, tree: &source, id, pen: None };
        // a holder replaces the composite; its children are spliced in below
        let holder = tree.element(None, "composite", el.span());
        if let Some(cable) = read(el) {
            if tree.nodes.len() + 8 * cable.points.len() > MAX_ELEMENTS {
                el.wrong(
                    "count",
                    format!("the model has more than {MAX_ELEMENTS} elements"),
                    "lower the count",
                );
                return Some(skins);
            }
            let bodies = cable::write(&cable, tree, root, holder, &mut taken);
            let skin = cable_skin::make(&cable, &bodies, room);
            room -= skin.as_ref().map_or(0, |skin| skin.vertex.len() / 3);
            skins.extend(skin);
        }
        let made = tree.nodes[holder].children.clone();
        let children = &mut tree.nodes[parent].children;
        if let Some(at) = children.iter().position(|&c| c == id) {
            children.splice(at..=at, made);
        }
    }
    Some(skins)
}

/// All composites with their parents, in document order.
fn find(tree: &Tree, root: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        let children = &tree.nodes[node].children;
        found.extend(children.iter().filter(|&&c| tree.nodes[c].tag == "composite").map(|&c| (node, c)));
        stack.extend(children.iter().rev());
    }
    found.sort_by_key(|&(_, id)| (tree.nodes[id].span.file, tree.nodes[id].span.start));
    found
}

/// Reads and validates a composite.
fn read(el: El<'_>) -> Option<Cable<'_>> {
    let kind = el.required("type")?;
    if let Some((_, help)) = REMOVED.iter().find(|r| r.0 == kind) {
        el.wrong("type", format!("composite type '{kind}' was removed from the format"), *help);
        return None;
    }
    el.keyword("type", &[("cable", 0)])?;
    let children = |tag: &'static str| el.children().filter(move |c| c.tag() == tag);
    let geom = children("geom").next();
    let shapes = [("capsule", 3), ("cylinder", 5), ("box", 6)];
    let Some(geom) = geom.filter(|g| g.attr("type").is_some()) else {
        let help = "add <geom type=\"capsule\" size=\"…\"/>; valid: capsule, cylinder, box";
        el.log.add(el.span(), "a cable needs a geom with a type", help);
        return None;
    };
    geom.keyword("type", &shapes)?;
    if let Some(second) = children("joint").nth(1) {
        el.log.add(second.span(), "a cable has one kind of joint", "put all attributes into one joint");
        return None;
    }
    let joint = children("joint").next();
    if let Some(joint) = joint {
        joint.required("kind")?;
        joint.keyword("kind", &[("main", 0)])?;
        // unlike joints of bodies, only linear springs and dampers
        ["stiffness", "damping"].iter().for_each(|name| joint.set_real(name, &mut 0.0));
    }
    let initial = match el.keyword("initial", &[("ball", 0), ("free", 1), ("none", 2)]) {
        Some(1) => Some("free"),
        Some(2) => None,
        _ => Some("ball"),
    };
    let points = points(el)?;
    if points.len() == 3 {
        let help = "use at least four points, or two";
        el.log.add(el.span(), "a cable of three points is not possible in MuJoCo", help);
        return None;
    }
    if points.len() == 2 && geom.text("type").is_some_and(|kind| kind == "box") {
        let help = "use at least four points, or capsules";
        el.log.add(el.span(), "a cable of one box is not possible in MuJoCo", help);
        return None;
    }
    Some(Cable {
        el,
        prefix: el.text("prefix").unwrap_or_default(),
        initial,
        offset: el.fixed("offset").unwrap_or_default(),
        points,
        geom,
        joint,
        site: children("site").next(),
        plugin: children("plugin").next(),
        skin: children("skin").next().map(cable_skin::read).unwrap_or_default(),
    })
}

/// Points of the cable: explicit, or along the curve.
fn points(el: El<'_>) -> Option<Vec<[f32; 3]>> {
    let mut counts = [1; 3];
    for (to, count) in counts.iter_mut().zip(el.ints("count", 0, 3).unwrap_or_default()) {
        *to = count;
    }
    if let Some(count) = counts.iter().find(|c| **c < 1) {
        el.wrong("count", format!("count {count} is not positive"), "write the number of points, at least 2");
        return None;
    }
    let written = el.list("vertex").unwrap_or_default();
    if !written.is_empty() {
        if counts[0] > 1 {
            el.wrong("count", "both vertex and count are given", "keep one of them");
            return None;
        }
        if !written.len().is_multiple_of(3) || written.len() < 6 {
            el.wrong(
                "vertex",
                "a cable needs two points or more, of three numbers each",
                "write x y z of every point",
            );
            return None;
        }
        return Some(written.chunks_exact(3).map(|p| [p[0] as f32, p[1] as f32, p[2] as f32]).collect());
    }
    let mut size = [1.0, 0.0, 0.0];
    el.set_partial("size", &mut size);
    if size.iter().map(|s| s * s).sum::<f64>() < MINVAL {
        el.wrong(
            "size",
            "the size of the cable is zero",
            "write its length, then radius and turns of a curve",
        );
        return None;
    }
    if counts[0] < 2 || counts[1] > 1 || counts[2] > 1 {
        el.wrong(
            "count",
            "a cable has one dimension",
            "for example count=\"10\": the number of points, 2 or more",
        );
        return None;
    }
    if counts[0] as usize > MAX_ELEMENTS {
        el.wrong("count", format!("{} points are more than {MAX_ELEMENTS}", counts[0]), "lower the count");
        return None;
    }
    let curve = curve(el)?;
    let quat = el.fixed("quat").unwrap_or([1.0, 0.0, 0.0, 0.0]);
    let last = f64::from(counts[0] - 1);
    Some((0..counts[0]).map(|i| on_curve(curve, size, f64::from(i) / last, quat)).collect())
}

/// Rotated point of a curve at a fraction of its length.
fn on_curve(curve: [CurveTerm; 3], size: [f64; 3], s: f64, quat: [f64; 4]) -> [f32; 3] {
    let angle = std::f64::consts::PI * s * size[2];
    let point = curve.map(|shape| match shape {
        CurveTerm::Zero => 0.0,
        CurveTerm::Line => size[0] * s,
        CurveTerm::Cosine => size[1] * angle.cos(),
        CurveTerm::Sine => size[1] * angle.sin(),
    });
    let (v, u) = (glam::DVec3::from_array(point), glam::DVec3::new(quat[1], quat[2], quat[3]));
    // the quaternion is not normalised
    let turned = v + 2.0 * u.cross(quat[0] * v + u.cross(v));
    turned.to_array().map(|x| x as f32)
}

/// Coordinate functions of the curve.
fn curve(el: El<'_>) -> Option<[CurveTerm; 3]> {
    let mut curve = [CurveTerm::Zero; 3];
    let text = el.text("curve").unwrap_or_default();
    for (i, word) in text.split_ascii_whitespace().enumerate() {
        let shape = match word {
            "s" => CurveTerm::Line,
            "cos(s)" => CurveTerm::Cosine,
            "sin(s)" => CurveTerm::Sine,
            "0" => CurveTerm::Zero,
            _ => {
                let message = format!("'{}' is no coordinate of a curve", short(word));
                el.wrong("curve", message, "valid: s, cos(s), sin(s), 0");
                return None;
            }
        };
        let Some(place) = curve.get_mut(i) else {
            el.wrong("curve", "the curve has more than three coordinates", "write at most three");
            return None;
        };
        *place = shape;
    }
    Some(curve)
}
