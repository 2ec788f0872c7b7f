//! Expansion of a cable into bodies: one per edge between its points, with x along the edge.

pub(super) mod skin;

use std::collections::HashSet;

use glam::{DQuat, DVec3};

use crate::spec::{
    Span,
    rotation::{of_axes, quat_array},
};
use crate::xml::El;
use crate::xml::Tree;
use skin::Template;

/// Class of all generated elements: no default applies to it. The name cannot be written in XML.
pub(super) const CLASS: &str = "\u{0}composite";

/// A cable, as given.
pub(super) struct Cable<'a> {
    pub(super) el: El<'a>,
    pub(super) prefix: String,
    /// Joint of the first body: `ball`, `free`, or none.
    pub(super) initial: Option<&'static str>,
    pub(super) offset: [f64; 3],
    /// Points between the bodies, in single precision as in MuJoCo.
    pub(super) points: Vec<[f32; 3]>,
    pub(super) geom: El<'a>,
    pub(super) joint: Option<El<'a>>,
    pub(super) site: Option<El<'a>>,
    pub(super) plugin: Option<El<'a>>,
    pub(super) skin: Template,
}

impl Cable<'_> {
    /// True if its geoms are boxes, whose skin is drawn.
    pub(super) fn is_of_boxes(&self) -> bool {
        self.geom.text("type").is_some_and(|kind| kind == "box")
    }
}

/// Names used by composites; a duplicate name is omitted.
#[derive(Default)]
pub(super) struct Taken(HashSet<String>);

impl Taken {
    /// Names an element, unless another element of its kind has the name.
    pub(super) fn name(&mut self, tree: &mut Tree, to: usize, name: &str, span: Span) {
        if self.0.insert(format!("{} {name}", tree.nodes[to].tag)) {
            tree.word(to, "name", name, span);
        }
    }
}

/// A vector shorter than this has no direction.
const MIN_LENGTH: f64 = 1e-14;

/// Template attributes that are not copied.
const NOT_COPIED: &[&str] = &["name", "kind", "type", "axis", "solreffix", "solimpfix", "mesh"];

/// Attributes of the joints that a free joint does not share.
const NOT_OF_FREE: &[&str] = &["limited", "damping", "armature", "frictionloss"];

/// An edge of the cable.
struct Edge {
    length: f64,
    /// Orientation relative to the previous edge.
    turn: DQuat,
}

/// Writes a cable: bodies into a holder, the rest into sections of the model. Returns the names of the bodies.
pub(super) fn write(
    cable: &Cable<'_>,
    tree: &mut Tree,
    root: usize,
    holder: usize,
    taken: &mut Taken,
) -> Vec<String> {
    let span = cable.el.span();
    let plugin = cable.plugin.map(|p| instance(cable, p, tree, root));
    let edges = edges(&cable.points);
    let first = cable.points[0].map(f64::from);
    let mut pos: [f64; 3] = std::array::from_fn(|i| cable.offset[i] + first[i]);
    let mut parent = holder;
    let mut names: Vec<String> = Vec::new();
    for (i, edge) in edges.iter().enumerate() {
        let last = i + 1 == edges.len();
        let place = match i {
            0 => "first".to_owned(),
            _ if last => "last".to_owned(),
            _ => i.to_string(),
        };
        let body = tree.element(Some(parent), "body", span);
        let name = format!("{}B_{place}", cable.prefix);
        taken.name(tree, body, &name, span);
        names.push(name);
        tree.numbers(body, "pos", &pos, span);
        tree.numbers(body, "quat", &quat_array(edge.turn), span);
        if i == 0 {
            tree.word(body, "childclass", CLASS, span);
        }
        joint(cable, tree, body, &place, taken);
        geom(cable, tree, body, i, edge.length, taken);
        if i == 0 || last {
            site(cable, tree, body, &place, if last { edge.length } else { 0.0 }, taken);
        }
        if let (Some(element), Some(name)) = (cable.plugin, &plugin) {
            let to = tree.element(Some(body), "plugin", element.span());
            tree.copy(to, "plugin", element.attr("plugin"));
            tree.word(to, "instance", name, element.at("instance"));
        }
        (parent, pos) = (body, [edge.length, 0.0, 0.0]);
    }
    sections(cable, tree, root, &names, taken);
    names
}

/// Neighbours are excluded from collision; a custom text marks cables for other programs.
fn sections(cable: &Cable<'_>, tree: &mut Tree, root: usize, names: &[String], taken: &mut Taken) {
    let span = cable.el.span();
    if names.len() > 1 {
        let contact = tree.element(Some(root), "contact", span);
        for pair in names.windows(2) {
            let exclude = tree.element(Some(contact), "exclude", span);
            tree.word(exclude, "body1", &pair[0], span);
            tree.word(exclude, "body2", &pair[1], span);
        }
    }
    let custom = tree.element(Some(root), "custom", span);
    let text = tree.element(Some(custom), "text", span);
    taken.name(tree, text, &format!("composite_{}", cable.prefix), span);
    tree.word(text, "data", &format!("rope_{}", cable.prefix), span);
    if tree.nodes[text].attrs.len() < 2 {
        tree.nodes[custom].children.clear();
    }
}

/// Adds the attributes of a template, with a default group.
fn template(tree: &mut Tree, to: usize, from: Option<El<'_>>, group: &str) {
    let span = tree.nodes[to].span;
    for attr in from.map_or(&[][..], |f| &f.tree.nodes[f.id].attrs[..]) {
        if !NOT_COPIED.contains(&attr.name.as_str()) {
            tree.copy(to, &attr.name, Some(attr));
        }
    }
    if from.is_none_or(|f| f.attr("group").is_none()) {
        tree.word(to, "group", group, span);
    }
}

fn joint(cable: &Cable<'_>, tree: &mut Tree, body: usize, place: &str, taken: &mut Taken) {
    let kind = if place == "first" { cable.initial } else { Some("ball") };
    let Some(kind) = kind else {
        return;
    };
    let span = cable.joint.unwrap_or(cable.el).span();
    let joint = tree.element(Some(body), "joint", span);
    taken.name(tree, joint, &format!("{}J_{place}", cable.prefix), span);
    tree.word(joint, "type", kind, span);
    template(tree, joint, cable.joint, "3");
    if kind == "free" {
        // it moves without friction and limits, though not without a spring
        tree.nodes[joint].attrs.retain(|a| !NOT_OF_FREE.contains(&a.name.as_str()));
        tree.word(joint, "limited", "false", span);
    }
}

fn geom(cable: &Cable<'_>, tree: &mut Tree, body: usize, i: usize, length: f64, taken: &mut Taken) {
    let span = cable.geom.span();
    let geom = tree.element(Some(body), "geom", span);
    taken.name(tree, geom, &format!("{}G{i}", cable.prefix), span);
    tree.copy(geom, "type", cable.geom.attr("type"));
    template(tree, geom, Some(cable.geom), "0");
    if !cable.is_of_boxes() {
        tree.numbers(geom, "fromto", &[0.0, 0.0, 0.0, length, 0.0, 0.0], span);
        return;
    }
    // box length follows the edge, width and height are explicit
    let mut size = [0.0; 3];
    cable.geom.set_partial("size", &mut size);
    size[0] = length / 2.0;
    tree.nodes[geom].attrs.retain(|a| a.name != "size");
    tree.numbers(geom, "size", &size, cable.geom.at("size"));
    tree.numbers(geom, "pos", &[length / 2.0, 0.0, 0.0], span);
}

fn site(cable: &Cable<'_>, tree: &mut Tree, body: usize, place: &str, at: f64, taken: &mut Taken) {
    let span = cable.site.unwrap_or(cable.el).span();
    let site = tree.element(Some(body), "site", span);
    taken.name(tree, site, &format!("{}S_{place}", cable.prefix), span);
    template(tree, site, cable.site, "3");
    tree.numbers(site, "pos", &[at, 0.0, 0.0], span);
}

/// Name of the plugin instance shared by all bodies; created if none is named.
fn instance(cable: &Cable<'_>, plugin: El<'_>, tree: &mut Tree, root: usize) -> String {
    if let Some(name) = plugin.text("instance") {
        return name;
    }
    let name = format!("composite{}", cable.prefix);
    let extension = tree.element(Some(root), "extension", plugin.span());
    let outer = tree.element(Some(extension), "plugin", plugin.span());
    tree.copy(outer, "plugin", plugin.attr("plugin"));
    let instance = tree.element(Some(outer), "instance", plugin.span());
    tree.word(instance, "name", &name, plugin.span());
    for config in plugin.children() {
        tree.copy_tree(instance, config);
    }
    name
}

/// Edge lengths and frames. The z axis of the first frame is normal to the first two edges; later frames are parallel
/// transported. If the first two edges are collinear there is no normal, and each frame is the minimal rotation of x,
/// or of -x, onto its edge.
fn edges(points: &[[f32; 3]]) -> Vec<Edge> {
    let along =
        |i: usize| DVec3::from_array(std::array::from_fn(|k| f64::from(points[i + 1][k] - points[i][k])));
    let count = points.len() - 1;
    let mut normal = DVec3::ZERO;
    let mut before = (DVec3::ZERO, DQuat::IDENTITY);
    let mut edges = Vec::new();
    for i in 0..count {
        let edge = along(i);
        let tangent = unit(edge);
        if i == 0 {
            let next = if count > 1 { unit(along(1)) } else { DVec3::ZERO };
            normal = unit(unit(tangent.cross(next)).cross(tangent));
        } else {
            let axis = before.0.cross(tangent);
            let angle = axis.length().atan2(before.0.dot(tangent));
            let axis = unit(axis);
            if axis != DVec3::ZERO {
                normal = unit(DQuat::from_axis_angle(axis, angle) * normal);
            }
        }
        let frame = frame(tangent, normal);
        let turn = if i == 0 { frame } else { (before.1.conjugate() * frame).normalize() };
        edges.push(Edge { length: edge.length(), turn });
        before = (tangent, frame);
    }
    edges
}

/// Orientation with x along the tangent and y along the normal, if any.
fn frame(tangent: DVec3, normal: DVec3) -> DQuat {
    if normal != DVec3::ZERO {
        return of_axes(tangent, normal, unit(tangent.cross(normal)));
    }
    let [x, y, z] = tangent.to_array();
    if x > 0.0 {
        DQuat::from_xyzw(0.0, -z, y, 1.0 + x).normalize()
    } else {
        DQuat::from_xyzw(z, 0.0, 1.0 - x, y).normalize()
    }
}

/// Unit vector; zero if the vector has no direction.
fn unit(v: DVec3) -> DVec3 {
    let length = v.length();
    if length < MIN_LENGTH { DVec3::ZERO } else { v / length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_a_bent_cable_have_x_along_the_edges() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 2.0, 2.0]];
        let mut at = DVec3::ZERO;
        let mut turn = DQuat::IDENTITY;
        for (edge, end) in edges(&points).iter().zip(&points[1..]) {
            turn *= edge.turn;
            at += turn * DVec3::X * edge.length;
            let end = DVec3::from_array(end.map(f64::from));
            assert!((at - end).length() < 1e-12, "{at} {end}");
        }
    }

    #[test]
    fn a_free_joint_has_the_spring_of_the_others_but_no_friction() {
        let m = crate::load_str(
            "<mujoco><worldbody><composite type='cable' curve='s' count='5' size='1' initial='free'>\
             <geom type='capsule' size='.01'/><joint kind='main' stiffness='.3' damping='.2' armature='.1' \
             frictionloss='.4' margin='.01' limited='true' range='0 90' group='2'/></composite></worldbody></mujoco>",
        )
        .expect("a cable");
        assert_eq!(m.jnt_stiffness, [0.3; 4]);
        assert_eq!((&m.jnt_margin[..], &m.jnt_group[..]), (&[0.01; 4][..], &[2; 4][..]));
        assert_eq!(m.jnt_limited[..2], [0, 1]);
        assert_eq!(m.jnt_range[..2], [0.0, 90.0]);
        for of in [&m.dof_damping, &m.dof_armature, &m.dof_frictionloss] {
            assert!(of[..6].iter().all(|x| *x == 0.0) && of[6..].iter().all(|x| *x > 0.0), "{of:?}");
        }
    }

    #[test]
    fn a_straight_cable_turns_x_onto_its_line() {
        let turn = edges(&[[0.0; 3], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]])[0].turn;
        assert!(
            (turn * DVec3::X - DVec3::Z).length() < 1e-12 && (turn * DVec3::Z - DVec3::X).length() < 1e-12
        );
    }
}
