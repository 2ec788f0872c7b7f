//! `<actuator>`: attributes common to all actuators, and `general`.

use super::geom::reference;
use super::inputs::inputs;
use super::joint::polynomial;
use super::{dcmotor, plugin, shortcuts};
use crate::spec::{Actuator, Law, Ref, Target};
use crate::xml::El;
use manyworlds_model::schema::enums::{BiasType, DynamicsType, GainType, bias, dynamics, gain};

const INTERPS: &[(&str, i32)] = &[("zoh", 0), ("linear", 1), ("cubic", 2)];

/// Attributes that name the target; if several are given, the last in this list wins.
pub(super) const TARGETS: &[(&str, Target)] = &[
    ("joint", Target::Joint),
    ("jointinparent", Target::JointInParent),
    ("tendon", Target::Tendon),
    ("cranksite", Target::SliderCrank),
    ("site", Target::Site),
    ("body", Target::Body),
];

impl Default for Law {
    fn default() -> Self {
        let mut one = [0.0; 10];
        one[0] = 1.0;
        Self {
            dyntype: DynamicsType::NONE,
            gaintype: GainType::FIXED,
            biastype: BiasType::NONE,
            dynprm: one,
            gainprm: one,
            biasprm: [0.0; 10],
            actdim: -1,
            actearly: false,
            ctrlspec: 0,
            inheritrange: 0.0,
            velrange: [0.0; 2],
            ffrange: [0.0; 2],
        }
    }
}

impl Default for Actuator {
    fn default() -> Self {
        Self {
            base: Default::default(),
            uid: 0,
            tag: String::new(),
            target_kind: Target::None,
            target: Ref::default(),
            refsite: Ref::default(),
            slidersite: Ref::default(),
            law: Law::default(),
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            cranklength: 0.0,
            lengthrange: [0.0; 2],
            damping: [0.0; 3],
            armature: 0.0,
            ctrllimited: None,
            ctrlrange: [0.0; 2],
            forcelimited: None,
            forcerange: [0.0; 2],
            actlimited: None,
            actrange: [0.0; 2],
            group: 0,
            nsample: 0,
            interp: 0,
            delay: 0.0,
            plugin: None,
        }
    }
}

/// Reads the attributes of an actuator, of a default class or in the section, over its current values. A shortcut
/// continues from the law of the nearest class set by the same shortcut, `known`, and ignores any other.
pub(super) fn actuator(el: El<'_>, to: &mut Actuator, known: Option<Law>) {
    to.base.at.note(el);
    common(el, to);
    let fresh = known.is_none();
    if !matches!(el.tag(), "general" | "plugin") {
        to.law = known.unwrap_or_default();
        el.tag().clone_into(&mut to.tag);
    }
    match el.tag() {
        "motor" => shortcuts::motor(to),
        "position" => shortcuts::position(el, to),
        "intvelocity" => shortcuts::intvelocity(el, to),
        "velocity" => shortcuts::velocity(el, to),
        "damper" => shortcuts::damper(el, to, fresh),
        "cylinder" => shortcuts::cylinder(el, to),
        "muscle" => shortcuts::muscle(el, to, fresh),
        "adhesion" => shortcuts::adhesion(el, to),
        "orientation" => shortcuts::orientation(el, to),
        "pid" => shortcuts::pid(el, to, fresh),
        "dcmotor" => dcmotor::dcmotor(el, to, fresh),
        _ => general(el, to),
    }
    if el.tag() == "plugin" {
        to.plugin = Some(plugin::usage(el));
    }
}

/// Reads the common attributes.
pub(super) fn common(el: El<'_>, to: &mut Actuator) {
    el.set_partial("gear", &mut to.gear);
    el.set_real("cranklength", &mut to.cranklength);
    el.set_fixed("lengthrange", &mut to.lengthrange);
    polynomial(el, "damping", &mut to.damping);
    el.set_real("armature", &mut to.armature);
    el.set_auto("ctrllimited", &mut to.ctrllimited);
    el.set_fixed("ctrlrange", &mut to.ctrlrange);
    el.set_auto("forcelimited", &mut to.forcelimited);
    el.set_fixed("forcerange", &mut to.forcerange);
    el.set_auto("actlimited", &mut to.actlimited);
    el.set_fixed("actrange", &mut to.actrange);
    el.set_int("group", &mut to.group);
    el.set_int("nsample", &mut to.nsample);
    el.set_keyword("interp", INTERPS, &mut to.interp);
    el.set_real("delay", &mut to.delay);
    el.list("user");
}

/// Reads the transmission target of an actuator in the section.
pub(super) fn target(el: El<'_>, to: &mut Actuator) {
    for &(name, kind) in TARGETS.iter().filter(|t| el.attr(t.0).is_some()) {
        to.target_kind = kind;
        reference(el, name, &mut to.target);
    }
    reference(el, "refsite", &mut to.refsite);
    reference(el, "slidersite", &mut to.slidersite);
    if to.target_kind == Target::None {
        return;
    }
    if !to.refsite.name.is_empty() && to.target_kind != Target::Site {
        el.wrong("refsite", "refsite goes with site only", "remove it, or add site=\"…\"");
    }
    for name in ["slidersite", "cranklength"] {
        if el.attr(name).is_some() && to.target_kind != Target::SliderCrank {
            el.wrong(name, format!("{name} is only for slider-cranks"), "remove it, or add cranksite=\"…\"");
        }
    }
}

pub(super) fn general(el: El<'_>, to: &mut Actuator) {
    let law = &mut to.law;
    el.set_keyword("dyntype", dynamics::WORDS, &mut law.dyntype);
    el.set_keyword("gaintype", gain::WORDS, &mut law.gaintype);
    el.set_keyword("biastype", bias::WORDS, &mut law.biastype);
    el.set_partial("dynprm", &mut law.dynprm);
    el.set_partial("gainprm", &mut law.gainprm);
    el.set_partial("biasprm", &mut law.biasprm);
    el.set_int("actdim", &mut law.actdim);
    el.set_flag("actearly", &mut law.actearly);
    el.set_real("inheritrange", &mut law.inheritrange);
    el.set_fixed("velrange", &mut law.velrange);
    el.set_fixed("ffrange", &mut law.ffrange);
    inputs(el, &mut law.ctrlspec);
}
