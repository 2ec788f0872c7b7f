//! `<actuator>`: general and its shortcuts.

use super::attrs::El;
use super::geom::reference;
use super::joint::polynomial;
use super::spec::{Actuator, Ref, Target};

/// Values of the dynamics, gain and bias types that shortcuts set.
pub(crate) const DYN_NONE: i32 = 0;
pub(crate) const DYN_INTEGRATOR: i32 = 1;
pub(crate) const DYN_FILTER: i32 = 2;
pub(crate) const DYN_FILTEREXACT: i32 = 3;
pub(crate) const FIXED: i32 = 0;
pub(crate) const AFFINE: i32 = 1;

const DYNTYPES: &[(&str, i32)] = &[
    ("none", DYN_NONE),
    ("integrator", DYN_INTEGRATOR),
    ("filter", DYN_FILTER),
    ("filterexact", DYN_FILTEREXACT),
    ("muscle", 4),
    ("dcmotor", 5),
    ("user", 6),
];
const GAINTYPES: &[(&str, i32)] = &[
    ("fixed", FIXED),
    ("affine", AFFINE),
    ("muscle", 2),
    ("user", 3),
    ("pid", 4),
    ("so3", 5),
    ("dcmotor", 6),
];
const BIASTYPES: &[(&str, i32)] =
    &[("none", 0), ("affine", AFFINE), ("muscle", 2), ("user", 3), ("pid", 4), ("so3", 5), ("dcmotor", 6)];

/// Elements that are not understood yet.
const FOREIGN: &[&str] = &["muscle", "adhesion", "orientation", "pid", "dcmotor", "plugin"];

/// Whether an element of the section is one that is read here.
pub(super) fn is_known(tag: &str) -> bool {
    !FOREIGN.contains(&tag)
}

const TARGETS: &[(&str, Target)] = &[
    ("joint", Target::Joint),
    ("jointinparent", Target::JointInParent),
    ("tendon", Target::Tendon),
    ("site", Target::Site),
    ("body", Target::Body),
    ("cranksite", Target::SliderCrank),
];

impl Default for Actuator {
    fn default() -> Self {
        let mut one = [0.0; 10];
        one[0] = 1.0;
        Self {
            base: Default::default(),
            uid: 0,
            tag: "general".to_owned(),
            target_kind: Target::None,
            target: Ref::default(),
            dyntype: DYN_NONE,
            gaintype: FIXED,
            biastype: 0,
            dynprm: one,
            gainprm: one,
            biasprm: [0.0; 10],
            actdim: -1,
            actearly: false,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            cranklength: 0.0,
            lengthrange: [0.0; 2],
            inheritrange: 0.0,
            damping: [0.0; 3],
            armature: 0.0,
            ctrllimited: None,
            ctrlrange: [0.0; 2],
            forcelimited: None,
            forcerange: [0.0; 2],
            actlimited: None,
            actrange: [0.0; 2],
            group: 0,
        }
    }
}

/// Reads the attributes of an actuator, of a class or in the section, over what it has.
pub(super) fn actuator(el: El<'_>, to: &mut Actuator) {
    to.base.at.note(el);
    common(el, to);
    // a shortcut starts from the gains of its own kind, or of `general`; others are forgotten
    if el.tag() != "general" && to.tag != "general" && to.tag != el.tag() {
        let fresh = Actuator::default();
        (to.dyntype, to.gaintype, to.biastype) = (fresh.dyntype, fresh.gaintype, fresh.biastype);
        (to.dynprm, to.gainprm, to.biasprm) = (fresh.dynprm, fresh.gainprm, fresh.biasprm);
    }
    match el.tag() {
        "motor" => motor(to),
        "position" | "intvelocity" => position(el, to),
        "velocity" => velocity(el, to),
        "damper" => damper(el, to),
        "cylinder" => cylinder(el, to),
        _ => general(el, to),
    }
    el.tag().clone_into(&mut to.tag);
}

/// What all kinds have.
fn common(el: El<'_>, to: &mut Actuator) {
    el.set_partial("gear", &mut to.gear);
    el.set_real("cranklength", &mut to.cranklength);
    el.set_fixed("lengthrange", &mut to.lengthrange);
    polynomial(el, "damping", &mut to.damping);
    el.set_positive("armature", &mut to.armature);
    el.set_auto("ctrllimited", &mut to.ctrllimited);
    el.set_fixed("ctrlrange", &mut to.ctrlrange);
    el.set_auto("forcelimited", &mut to.forcelimited);
    el.set_fixed("forcerange", &mut to.forcerange);
    el.set_auto("actlimited", &mut to.actlimited);
    el.set_fixed("actrange", &mut to.actrange);
    el.set_positive("inheritrange", &mut to.inheritrange);
    el.set_int("group", &mut to.group);
    el.list("user");
    // the target; the section's check that there is exactly one is done when it is compiled
    for &(name, kind) in TARGETS {
        if el.attr(name).is_none() {
            continue;
        }
        if to.target_kind != Target::None {
            el.wrong(name, "the actuator has more than one transmission target", "keep one of them");
        }
        to.target_kind = kind;
        reference(el, name, &mut to.target);
    }
}

fn general(el: El<'_>, to: &mut Actuator) {
    el.set_keyword("dyntype", DYNTYPES, &mut to.dyntype);
    el.set_keyword("gaintype", GAINTYPES, &mut to.gaintype);
    el.set_keyword("biastype", BIASTYPES, &mut to.biastype);
    el.set_partial("dynprm", &mut to.dynprm);
    el.set_partial("gainprm", &mut to.gainprm);
    el.set_partial("biasprm", &mut to.biasprm);
    el.set_int("actdim", &mut to.actdim);
    el.set_flag("actearly", &mut to.actearly);
}

fn motor(to: &mut Actuator) {
    let fresh = Actuator::default();
    (to.dyntype, to.gaintype, to.biastype) = (fresh.dyntype, fresh.gaintype, fresh.biastype);
    (to.gainprm, to.biasprm) = (fresh.gainprm, fresh.biasprm);
}

/// Force kp (ctrl - length) - kv velocity. A positive `biasprm[2]` is a damping ratio until it is compiled.
fn position(el: El<'_>, to: &mut Actuator) {
    el.set_positive("kp", &mut to.gainprm[0]);
    if el.attr("kv").is_some() && el.attr("dampratio").is_some() {
        el.wrong("dampratio", "kv and dampratio cannot both be given", "keep one of them");
    }
    let mut kv = 0.0;
    el.set_positive("kv", &mut kv);
    if el.attr("kv").is_some() {
        to.biasprm[2] = -kv;
    }
    el.set_positive("dampratio", &mut to.biasprm[2]);
    to.gaintype = FIXED;
    to.biastype = AFFINE;
    to.biasprm[0] = 0.0;
    to.biasprm[1] = -to.gainprm[0];
    if el.tag() == "intvelocity" {
        to.dyntype = DYN_INTEGRATOR;
    } else if el.attr("timeconst").is_some() {
        el.set_positive("timeconst", &mut to.dynprm[0]);
        to.dyntype = if to.dynprm[0] > 0.0 { DYN_FILTEREXACT } else { DYN_NONE };
    }
}

/// Force kv (ctrl - velocity).
fn velocity(el: El<'_>, to: &mut Actuator) {
    el.set_positive("kv", &mut to.gainprm[0]);
    to.dyntype = DYN_NONE;
    to.gaintype = FIXED;
    to.biastype = AFFINE;
    to.biasprm = [0.0; 10];
    to.biasprm[2] = -to.gainprm[0];
}

/// Force -kv velocity ctrl.
fn damper(el: El<'_>, to: &mut Actuator) {
    let mut kv = if to.tag == "damper" { -to.gainprm[2] } else { 0.0 };
    el.set_positive("kv", &mut kv);
    to.dyntype = DYN_NONE;
    to.gaintype = AFFINE;
    to.biastype = 0;
    to.gainprm = [0.0; 10];
    to.gainprm[2] = -kv;
    to.ctrllimited = Some(true);
    if to.ctrlrange[0] < 0.0 || to.ctrlrange[1] < 0.0 {
        el.wrong(
            "ctrlrange",
            "the control range of a damper must not be negative",
            "for example ctrlrange=\"0 1\"",
        );
    }
}

/// A pneumatic or hydraulic cylinder: a filter, with the area as gain.
fn cylinder(el: El<'_>, to: &mut Actuator) {
    el.set_positive("timeconst", &mut to.dynprm[0]);
    el.set_partial("bias", &mut to.biasprm[..3]);
    el.set_positive("area", &mut to.gainprm[0]);
    let mut diameter = -1.0;
    el.set_positive("diameter", &mut diameter);
    if diameter >= 0.0 {
        to.gainprm[0] = std::f64::consts::FRAC_PI_4 * diameter * diameter;
    }
    to.dyntype = DYN_FILTER;
    to.gaintype = FIXED;
    to.biastype = AFFINE;
}
