//! `<tendon>`: fixed and spatial tendons.

use super::geom::reference;
use super::joint::{SOLIMP, SOLREF, polynomial};
use crate::spec::{Ref, Tendon, Wrap, WrapKind};
use crate::xml::El;

impl Default for Tendon {
    fn default() -> Self {
        Self {
            base: Default::default(),
            spatial: false,
            path: Vec::new(),
            group: 0,
            limited: None,
            range: [0.0; 2],
            actfrclimited: None,
            actfrcrange: [0.0; 2],
            margin: 0.0,
            solref_limit: SOLREF,
            solimp_limit: SOLIMP,
            solref_friction: SOLREF,
            solimp_friction: SOLIMP,
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            armature: 0.0,
            frictionloss: 0.0,
            springlength: [-1.0; 2],
            width: 0.003,
            rgba: [0.5, 0.5, 0.5, 1.0],
            material: Ref::default(),
        }
    }
}

/// Reads the attributes of a tendon, of a default class or in the section, over its current values.
pub(super) fn tendon(el: El<'_>, to: &mut Tendon) {
    to.base.at.note(el);
    el.set_int("group", &mut to.group);
    el.set_auto("limited", &mut to.limited);
    el.set_fixed("range", &mut to.range);
    el.set_auto("actuatorfrclimited", &mut to.actfrclimited);
    el.set_fixed("actuatorfrcrange", &mut to.actfrcrange);
    el.set_real("margin", &mut to.margin);
    el.set_partial("solreflimit", &mut to.solref_limit);
    el.set_partial("solimplimit", &mut to.solimp_limit);
    el.set_partial("solreffriction", &mut to.solref_friction);
    el.set_partial("solimpfriction", &mut to.solimp_friction);
    polynomial(el, "stiffness", &mut to.stiffness);
    polynomial(el, "damping", &mut to.damping);
    el.set_positive("armature", &mut to.armature);
    el.set_real("frictionloss", &mut to.frictionloss);
    if let Some(lengths) = el.reals("springlength", 1, 2) {
        to.springlength = [lengths[0], *lengths.last().unwrap_or(&lengths[0])];
    }
    el.set_real("width", &mut to.width);
    el.set_fixed("rgba", &mut to.rgba);
    reference(el, "material", &mut to.material);
    el.list("user");
}

/// Reads the path of a tendon.
pub(super) fn path(el: El<'_>, to: &mut Tendon) {
    to.spatial = el.tag() == "spatial";
    for child in el.children() {
        let kind = match child.tag() {
            "joint" => WrapKind::Joint(needed(child, "joint"), number(child, "coef", 0.0)),
            "site" => WrapKind::Site(needed(child, "site")),
            "geom" => {
                let mut side = Ref::default();
                reference(child, "sidesite", &mut side);
                WrapKind::Geom(needed(child, "geom"), side)
            }
            _ => WrapKind::Pulley(number(child, "divisor", 1.0)),
        };
        to.path.push(Wrap { kind, span: child.span() });
    }
}

/// A required reference.
fn needed(el: El<'_>, attr: &str) -> Ref {
    let mut target = Ref { span: el.span(), ..Ref::default() };
    reference(el, attr, &mut target);
    el.required(attr);
    target
}

/// A required number.
fn number(el: El<'_>, attr: &str, otherwise: f64) -> f64 {
    el.required(attr);
    el.real(attr).unwrap_or(otherwise)
}
