//! `<default>`: default classes. A class starts as a copy of its parent.

use std::path::Path;

use super::{actuator, asset, camera, contact, equality, geom, joint, looks, tendon};
use crate::spec::{
    Actuator, Camera, Compiler, Equality, Geom, Joint, Light, Material, Mesh, Pair, Site, Tendon, Texture,
};
use crate::spec::{Law, Log, Span, did_you_mean};
use crate::xml::El;

/// Upper bound on classes; each holds a copy of every element type.
const MAX_CLASSES: usize = 2_000;

/// A default class: initial values of each element type.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) name: String,
    /// Parent class.
    pub(super) parent: Option<usize>,
    pub(super) joint: Joint,
    pub(super) geom: Geom,
    pub(super) site: Site,
    pub(super) camera: Camera,
    pub(super) light: Light,
    pub(super) pair: Pair,
    pub(super) equality: Equality,
    pub(super) material: Material,
    pub(super) texture: Texture,
    pub(super) tendon: Tendon,
    pub(super) actuator: Actuator,
    pub(super) mesh: Mesh,
}

/// All classes; the first is `main`.
#[derive(Clone, Debug)]
pub(super) struct Classes(pub(super) Vec<Class>);

impl Default for Classes {
    fn default() -> Self {
        Self(vec![Class { name: "main".to_owned(), ..Class::default() }])
    }
}

impl Classes {
    /// The class with a name; an unknown name is reported.
    pub(super) fn find(&self, log: &Log, name: &str, span: Span) -> Option<usize> {
        let found = self.0.iter().position(|c| c.name == name);
        if found.is_none() {
            let help = did_you_mean(name, self.0.iter().map(|c| c.name.as_str()))
                .unwrap_or_else(|| "define it in <default>".to_owned());
            log.add(span, format!("unknown default class '{}'", crate::xml::short(name)), help);
        }
        found
    }

    /// Adds a class without settings.
    pub(super) fn plain(&mut self, name: &str) {
        self.0.push(Class { name: name.to_owned(), ..Class::default() });
    }

    /// Base of an actuator shortcut: the law of the nearest class set by the same shortcut.
    pub(super) fn law(&self, class: usize, tag: &str) -> Option<Law> {
        let mut at = Some(class);
        while let Some(class) = at.and_then(|c| self.0.get(c)) {
            if class.actuator.tag == tag {
                return Some(class.actuator.law.clone());
            }
            at = class.parent;
        }
        None
    }

    /// Reads a top-level `<default>` element.
    pub(super) fn read(&mut self, el: El<'_>, compiler: &Compiler, folder: &Path) {
        if el.text("class").is_some_and(|c| c != "main") {
            el.wrong(
                "class",
                "the top-level default class is always 'main'",
                "put this default inside another <default>",
            );
        }
        let mut stack = vec![(el, 0)];
        while let Some((el, class)) = stack.pop() {
            // settings first: nested classes inherit them regardless of document order
            for child in el.children().filter(|c| c.tag() != "default") {
                let law = self.law(class, child.tag());
                setting(child, (compiler, folder), &mut self.0[class], law);
            }
            let mut nested = Vec::new();
            for child in el.children().filter(|c| c.tag() == "default") {
                if let Some(id) = self.add(child, class) {
                    nested.push((child, id));
                }
            }
            stack.extend(nested.into_iter().rev());
        }
    }

    fn add(&mut self, el: El<'_>, parent: usize) -> Option<usize> {
        let name = el.text("class").unwrap_or_default();
        if name.is_empty() {
            el.wrong("class", "a nested default needs a class name", "add class=\"…\"");
            return None;
        }
        if self.0.iter().any(|c| c.name == name) {
            el.wrong(
                "class",
                format!("default class '{}' is defined twice", crate::xml::short(&name)),
                "rename one of them",
            );
            return None;
        }
        if self.0.len() >= MAX_CLASSES {
            el.log.add(el.span(), format!("more than {MAX_CLASSES} default classes"), "");
            return None;
        }
        self.0.push(Class { name, parent: Some(parent), ..self.0[parent].clone() });
        Some(self.0.len() - 1)
    }
}

/// Reads one element of a class.
fn setting(el: El<'_>, (compiler, folder): (&Compiler, &Path), class: &mut Class, law: Option<Law>) {
    match el.tag() {
        "joint" => joint::joint(el, &mut class.joint),
        "geom" => geom::geom(el, compiler, &mut class.geom),
        "site" => geom::site(el, compiler, &mut class.site),
        "camera" => camera::camera(el, compiler, &mut class.camera),
        "light" => camera::light(el, &mut class.light),
        "pair" => contact::pair(el, &mut class.pair),
        "tendon" => tendon::tendon(el, &mut class.tendon),
        "material" => looks::material(el, &mut class.material),
        "texture" => looks::texture(el, compiler, folder, &mut class.texture),
        "equality" => equality::common(el, &mut class.equality),
        "mesh" => asset::mesh_class(el, &mut class.mesh),
        _ => actuator::actuator(el, &mut class.actuator, law),
    }
}
