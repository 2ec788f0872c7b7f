//! `<joint>` and `<freejoint>`.

use glam::DVec3;

use manyworlds_model::schema::enums::{JointType, joint as kind};

use crate::spec::{Compiler, Joint};
use crate::xml::{El, words};

/// Default solver reference and impedance.
pub(super) const SOLREF: [f64; 2] = [0.02, 1.0];
pub(super) const SOLIMP: [f64; 5] = [0.9, 0.95, 0.001, 0.5, 2.0];

impl Default for Joint {
    fn default() -> Self {
        Self {
            base: Default::default(),
            body: 0,
            frame: None,
            kind: JointType::HINGE,
            free: false,
            align: None,
            pos: DVec3::ZERO,
            axis: DVec3::Z,
            reference: 0.0,
            springref: 0.0,
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            springdamper: [0.0; 2],
            limited: None,
            range: [0.0; 2],
            actfrclimited: None,
            actfrcrange: [0.0; 2],
            margin: 0.0,
            solref_limit: SOLREF,
            solimp_limit: SOLIMP,
            solref_friction: SOLREF,
            solimp_friction: SOLIMP,
            armature: 0.0,
            frictionloss: 0.0,
            group: 0,
            actgravcomp: false,
            userdata: Vec::new(),
        }
    }
}

/// Reads the attributes of a joint, of a default class or in a body, over its current values.
pub(super) fn joint(el: El<'_>, to: &mut Joint) {
    to.base.at.note(el);
    el.set_keyword("type", kind::WORDS, &mut to.kind);
    el.set_vector("pos", &mut to.pos);
    el.set_vector("axis", &mut to.axis);
    el.set_real("ref", &mut to.reference);
    el.set_real("springref", &mut to.springref);
    el.set_fixed("springdamper", &mut to.springdamper);
    polynomial(el, "stiffness", &mut to.stiffness);
    polynomial(el, "damping", &mut to.damping);
    el.set_auto("limited", &mut to.limited);
    el.set_fixed("range", &mut to.range);
    el.set_auto("actuatorfrclimited", &mut to.actfrclimited);
    el.set_fixed("actuatorfrcrange", &mut to.actfrcrange);
    el.set_real("margin", &mut to.margin);
    el.set_partial("solreflimit", &mut to.solref_limit);
    el.set_partial("solimplimit", &mut to.solimp_limit);
    el.set_partial("solreffriction", &mut to.solref_friction);
    el.set_partial("solimpfriction", &mut to.solimp_friction);
    el.set_doubtful("armature", &mut to.armature);
    el.set_doubtful("frictionloss", &mut to.frictionloss);
    el.set_int("group", &mut to.group);
    el.set_flag("actuatorgravcomp", &mut to.actgravcomp);
    el.set_list("user", &mut to.userdata);
}

/// Reads one to three coefficients; omitted higher orders are zero.
pub(super) fn polynomial(el: El<'_>, name: &str, to: &mut [f64; 3]) {
    if el.put(name, || words(to)) {
        return;
    }
    if let Some(numbers) = el.reals(name, 1, 3) {
        *to = std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0));
    }
}

/// Reads a free joint, to which classes do not apply.
pub(super) fn freejoint(el: El<'_>) -> Joint {
    let mut joint = Joint { kind: JointType::FREE, free: true, ..Joint::default() };
    joint.base.at.note(el);
    el.set_int("group", &mut joint.group);
    el.set_auto("align", &mut joint.align);
    joint
}

/// Converts angles from degrees.
pub(super) fn to_radians(joint: &mut Joint, compiler: &Compiler) {
    if !compiler.degree || !matches!(joint.kind, JointType::HINGE | JointType::BALL) {
        return;
    }
    // MuJoCo does not convert ranges of unlimited joints
    if joint.limited.unwrap_or(joint.range[0] < joint.range[1]) {
        joint.range = joint.range.map(f64::to_radians);
    }
    if joint.kind == JointType::HINGE {
        joint.reference = joint.reference.to_radians();
        joint.springref = joint.springref.to_radians();
    }
}
