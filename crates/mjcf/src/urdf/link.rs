//! Links: inertia, shapes and colours.

use std::collections::{HashMap, HashSet};

use glam::{DMat3, DQuat, DVec3};

use crate::spec::Span;
use crate::xml::{El, Tree};

use super::mesh::Meshes;
use super::robot::Robot;
use super::{child, number, origin, required};

/// A colour and its source location.
type Color = ([f64; 4], Span);

/// State shared by the shapes of all links.
struct Shapes<'a, 'm> {
    out: &'a mut Tree,
    meshes: &'a mut Meshes<'m>,
    /// Colours of named materials.
    materials: HashMap<String, Color>,
    /// Geom names so far: a duplicate is dropped.
    names: HashSet<String>,
    /// Visual-only shapes are discarded.
    discard: bool,
}

/// Fills the bodies of all links.
pub(super) fn links(robot: &Robot<'_>, out: &mut Tree, places: &[usize], meshes: &mut Meshes<'_>) {
    let discard = meshes.discards_visual();
    let materials = materials(meshes.root());
    let mut shapes = Shapes { out, meshes, materials, names: HashSet::new(), discard };
    for (link, &place) in robot.links.iter().zip(places) {
        if let Some(inertial) = child(link.el, "inertial") {
            crate::urdf::link::inertial(inertial, shapes.out, place);
        }
        shapes.link(link.el, place);
    }
}

/// Colours of all named materials in the document; the first definition of a name wins.
fn materials(root: El<'_>) -> HashMap<String, Color> {
    let mut found = HashMap::new();
    let mut stack = vec![root];
    while let Some(el) = stack.pop() {
        if let ("material", Some(name)) = (el.tag(), el.text("name"))
            && !found.contains_key(&name)
            && let Some(color) = color(el)
        {
            found.insert(name, color);
        }
        stack.extend(el.children().rev());
    }
    found
}

fn color(material: El<'_>) -> Option<Color> {
    let color = child(material, "color")?;
    color.required("rgba")?;
    Some((color.fixed("rgba")?, color.at("rgba")))
}

/// Inertia of a link.
fn inertial(el: El<'_>, out: &mut Tree, body: usize) {
    let (Some(mass), Some(inertia)) = (required(el, "mass"), required(el, "inertia")) else {
        return;
    };
    let Some(kilograms) = number(mass, "value") else {
        return;
    };
    let mut tensor = [0.0; 6];
    for (place, name) in tensor.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
        let Some(moment) = number(inertia, name) else {
            return;
        };
        *place = moment;
    }
    let to = out.element(Some(body), "inertial", el.span());
    out.numbers(to, "mass", &[kilograms], mass.at("value"));
    origin(el, out, to);
    if out.nodes[to].attr("pos").is_none() {
        out.numbers(to, "pos", &[0.0; 3], el.span());
    }
    // an all-zero tensor means unspecified
    if tensor == [0.0; 6] {
        out.numbers(to, "diaginertia", &[0.0; 3], inertia.span());
        return;
    }
    // rotate the tensor into the link frame, where its principal axes are found
    out.nodes[to].attrs.retain(|a| a.name != "euler");
    let angles = child(el, "origin").and_then(|o| o.fixed("rpy")).unwrap_or_default();
    out.numbers(to, "fullinertia", &turned(tensor, angles), inertia.span());
}

/// Rotates a tensor (xx yy zz xy xz yz) by roll, pitch and yaw.
fn turned(tensor: [f64; 6], [roll, pitch, yaw]: [f64; 3]) -> [f64; 6] {
    if [roll, pitch, yaw] == [0.0; 3] {
        return tensor;
    }
    let [xx, yy, zz, xy, xz, yz] = tensor;
    let tensor = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    let turn = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll);
    let turn = DMat3::from_quat(turn.normalize());
    let t = turn * tensor * turn.transpose();
    [t.x_axis.x, t.y_axis.y, t.z_axis.z, t.y_axis.x, t.z_axis.x, t.z_axis.y]
}

impl Shapes<'_, '_> {
    fn link(&mut self, link: El<'_>, body: usize) {
        // a collision inherits the colour of the preceding visual
        let mut rgba = None;
        for el in link.children() {
            match el.tag() {
                "visual" => {
                    if let Some(material) = child(el, "material") {
                        rgba = self.color_of(material).or(rgba);
                    }
                    if !self.discard
                        && let Some(geom) = self.shape(el, body, rgba)
                    {
                        for (name, value) in
                            [("contype", "0"), ("conaffinity", "0"), ("group", "1"), ("density", "0")]
                        {
                            self.out.word(geom, name, value, el.span());
                        }
                    }
                }
                "collision" => {
                    self.shape(el, body, rgba);
                }
                _ => {}
            }
        }
    }

    /// Colour of a visual: inline, or of the named material.
    fn color_of(&self, material: El<'_>) -> Option<Color> {
        if child(material, "color").is_some() {
            return color(material);
        }
        let name = material.required("name")?;
        self.materials.get(&name).copied()
    }

    /// Writes a geom.
    fn shape(&mut self, el: El<'_>, body: usize, rgba: Option<Color>) -> Option<usize> {
        let geometry = required(el, "geometry")?;
        let geom = self.out.element(Some(body), "geom", el.span());
        if let Some(name) = el.attr("name")
            && self.names.insert(name.value.clone())
        {
            self.out.copy(geom, "name", Some(name));
        }
        self.size(geometry, geom)?;
        origin(el, self.out, geom);
        if let Some((rgba, span)) = rgba.filter(|c| c.0[0] >= 0.0) {
            self.out.numbers(geom, "rgba", &rgba, span);
        }
        Some(geom)
    }

    /// Type and size, or the mesh. URDF boxes and lengths are full sizes, MJCF's half sizes.
    fn size(&mut self, geometry: El<'_>, geom: usize) -> Option<()> {
        let shapes = ["box", "cylinder", "sphere", "capsule", "mesh"];
        let Some(shape) = shapes.iter().find_map(|s| child(geometry, s)) else {
            let message = "geometry has no shape that is known";
            geometry.log.add(geometry.span(), message, format!("valid: {}", shapes.join(", ")));
            return None;
        };
        self.out.word(geom, "type", shape.tag(), shape.span());
        let size = match shape.tag() {
            "box" => {
                shape.required("size")?;
                shape.fixed::<3>("size")?.map(|s| s / 2.0).to_vec()
            }
            "sphere" => vec![number(shape, "radius")?],
            "mesh" => {
                let (name, span) = self.meshes.name(shape)?;
                self.out.word(geom, "mesh", &name, span);
                return Some(());
            }
            _ => vec![number(shape, "radius")?, number(shape, "length")? / 2.0],
        };
        let at = if shape.tag() == "box" { shape.at("size") } else { shape.at("radius") };
        self.out.numbers(geom, "size", &size, at);
        Some(())
    }
}
