//! `<equality>`: equality constraints.

use super::joint::{SOLIMP, SOLREF};
use crate::spec::{Equality, Kind, Ref};
use crate::xml::El;
use manyworlds_model::schema::enums::{EqualityType, equality as kind};

impl Default for Equality {
    fn default() -> Self {
        let mut data = [0.0; 12];
        // linear polynomial coefficient, and torque scale of a weld
        (data[1], data[10]) = (1.0, 1.0);
        Self {
            base: Default::default(),
            kind: EqualityType::CONNECT,
            targets: Vec::new(),
            active: true,
            solref: SOLREF,
            solimp: SOLIMP,
            data,
        }
    }
}

/// Reads the common attributes, of a default class or in the section, over the current values.
pub(super) fn common(el: El<'_>, to: &mut Equality) {
    to.base.at.note(el);
    el.set_flag("active", &mut to.active);
    el.set_partial("solref", &mut to.solref);
    el.set_partial("solimp", &mut to.solimp);
}

/// Reads a constraint over the values of its class.
pub(super) fn equality(el: El<'_>, to: &mut Equality) {
    common(el, to);
    let kind = kind::WORDS.iter().find(|w| w.0 == el.tag()).and_then(|w| EqualityType::of(w.1));
    to.kind = kind.unwrap_or(EqualityType::CONNECT);
    to.base.name = el.text("name").unwrap_or_default();
    match el.tag() {
        "connect" | "weld" => rigid(el, to),
        "joint" => two(el, to, Kind::Joint, ["joint1", "joint2"]),
        "tendon" => two(el, to, Kind::Tendon, ["tendon1", "tendon2"]),
        _ => {
            el.required("flex");
            target(el, to, Kind::Flex, "flex");
        }
    }
    let coefficients = el.reals("polycoef", 0, 5).unwrap_or_default();
    to.data[..coefficients.len()].copy_from_slice(&coefficients);
    if el.tag() == "flexstrain"
        && let Some(cell) = el.ints("cell", 3, 3)
    {
        to.data[..3].iter_mut().zip(cell).for_each(|(to, c)| *to = f64::from(c));
    }
}

/// Two scalar elements, the second optional.
fn two(el: El<'_>, to: &mut Equality, kind: Kind, names: [&str; 2]) {
    el.required(names[0]);
    target(el, to, kind, names[0]);
    if el.text(names[1]).is_some_and(|n| !n.is_empty()) {
        target(el, to, kind, names[1]);
    }
}

/// Two bodies with an anchor, or two sites.
fn rigid(el: El<'_>, to: &mut Equality) {
    let by_site = ["site1", "site2"].iter().any(|a| el.attr(a).is_some());
    let bodily = ["body1", "body2", "anchor", "relpose"].into_iter().find(|a| el.attr(a).is_some());
    if let (true, Some(name)) = (by_site, bodily) {
        let message = format!("{} is given by sites and by '{name}'", el.tag());
        el.wrong(name, message, "keep the sites, or the bodies with what goes with them");
        return;
    }
    if by_site {
        for name in ["site1", "site2"] {
            el.required(name);
            target(el, to, Kind::Site, name);
        }
    } else {
        el.required("body1");
        target(el, to, Kind::Body, "body1");
        if el.text("body2").is_some_and(|n| !n.is_empty()) {
            target(el, to, Kind::Body, "body2");
        }
    }
    if el.tag() == "connect" {
        connect(el, to, by_site);
    } else {
        weld(el, to, by_site);
    }
}

fn connect(el: El<'_>, to: &mut Equality, by_site: bool) {
    if by_site {
        to.data = [0.0; 12];
        return;
    }
    el.required("anchor");
    if let Some(anchor) = el.fixed::<3>("anchor") {
        to.data[..3].copy_from_slice(&anchor);
    }
}

fn weld(el: El<'_>, to: &mut Equality, by_site: bool) {
    el.set_real("torquescale", &mut to.data[10]);
    if by_site {
        return;
    }
    to.data[..10].fill(0.0);
    if let Some(anchor) = el.fixed::<3>("anchor") {
        to.data[..3].copy_from_slice(&anchor);
    }
    if let Some(pose) = el.fixed::<7>("relpose") {
        to.data[3..10].copy_from_slice(&pose);
    }
}

fn target(el: El<'_>, to: &mut Equality, kind: Kind, name: &str) {
    if let Some(attr) = el.attr(name) {
        to.targets.push((kind, Ref { name: attr.value.clone(), span: attr.span }));
    }
}
