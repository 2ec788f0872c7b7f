//! `<geom>` and `<site>`.

use manyworlds_model::schema::enums::{GeomType, geom as kind};

use super::joint::{SOLIMP, SOLREF};
use super::pose::pose;
use crate::spec::{Compiler, Geom, Pose, Ref, Site};
use crate::xml::El;

/// Type keywords of sites.
const SITE_TYPES: &[(&str, i32)] = &[
    ("sphere", kind::SPHERE),
    ("capsule", kind::CAPSULE),
    ("ellipsoid", kind::ELLIPSOID),
    ("cylinder", kind::CYLINDER),
    ("box", kind::BOX),
    ("mesh", kind::MESH),
    ("sdf", kind::SDF),
];

const CONDIMS: &[(&str, i32)] = &[("1", 1), ("3", 3), ("4", 4), ("6", 6)];

impl Default for Geom {
    fn default() -> Self {
        Self {
            base: Default::default(),
            body: 0,
            frame: None,
            kind: GeomType::SPHERE,
            size: [0.0; 3],
            nsize: 0,
            fromto: None,
            pose: Pose::default(),
            outer: Pose::default(),
            contype: 1,
            conaffinity: 1,
            condim: 3,
            group: 0,
            priority: 0,
            friction: [1.0, 0.005, 0.0001],
            solmix: 1.0,
            solref: SOLREF,
            solimp: SOLIMP,
            margin: 0.0,
            gap: 0.0,
            surfacevel: [0.0; 6],
            adhesion: 0.0,
            mass: None,
            density: 1000.0,
            shell: false,
            fluid: false,
            fluidcoef: [0.5, 0.25, 1.5, 1.0, 1.0],
            rgba: [0.5, 0.5, 0.5, 1.0],
            material: Ref::default(),
            mesh: Ref::default(),
            hfield: Ref::default(),
            fitscale: 1.0,
            plugin: None,
            userdata: Vec::new(),
        }
    }
}

impl Default for Site {
    fn default() -> Self {
        Self {
            base: Default::default(),
            body: 0,
            frame: None,
            kind: GeomType::SPHERE,
            size: [0.005; 3],
            fromto: None,
            pose: Pose::default(),
            outer: Pose::default(),
            group: 0,
            rgba: [0.5, 0.5, 0.5, 1.0],
            material: Ref::default(),
            mesh: Ref::default(),
            userdata: Vec::new(),
        }
    }
}

/// Reads a reference.
pub(super) fn reference(el: El<'_>, name: &str, to: &mut Ref) {
    el.set_reference(name, to);
}

/// Reads the attributes of a geom, of a default class or in a body, over its current values.
pub(super) fn geom(el: El<'_>, compiler: &Compiler, to: &mut Geom) {
    to.base.at.note(el);
    el.set_keyword("type", kind::WORDS, &mut to.kind);
    to.nsize = to.nsize.max(el.set_partial("size", &mut to.size));
    placement(el, compiler, &mut to.pose, &mut to.fromto);
    el.set_int("contype", &mut to.contype);
    el.set_int("conaffinity", &mut to.conaffinity);
    el.set_keyword("condim", CONDIMS, &mut to.condim);
    el.set_int("group", &mut to.group);
    el.set_int("priority", &mut to.priority);
    el.set_partial("friction", &mut to.friction);
    el.set_doubtful("solmix", &mut to.solmix);
    el.set_partial("solref", &mut to.solref);
    el.set_partial("solimp", &mut to.solimp);
    el.set_real("margin", &mut to.margin);
    el.set_real("gap", &mut to.gap);
    el.set_partial("surfacevel", &mut to.surfacevel);
    el.set_real("adhesion", &mut to.adhesion);
    let mut mass = to.mass.unwrap_or(0.0);
    if el.pen.is_none() || to.mass.is_some() {
        el.set_doubtful("mass", &mut mass);
    }
    if el.attr("mass").is_some() {
        to.mass = Some(mass);
    }
    el.set_doubtful("density", &mut to.density);
    el.set_flag("shellinertia", &mut to.shell);
    let mut shape = i32::from(to.fluid);
    el.set_keyword("fluidshape", &[("none", 0), ("ellipsoid", 1)], &mut shape);
    to.fluid = shape == 1;
    el.set_partial("fluidcoef", &mut to.fluidcoef);
    el.set_real("fitscale", &mut to.fitscale);
    el.set_fixed("rgba", &mut to.rgba);
    reference(el, "material", &mut to.material);
    reference(el, "mesh", &mut to.mesh);
    reference(el, "hfield", &mut to.hfield);
    el.set_list("user", &mut to.userdata);
}

/// Reads pose and end points; end points take precedence over a pose, whichever of element and class gives them.
fn placement(el: El<'_>, compiler: &Compiler, to: &mut Pose, fromto: &mut Option<[f64; 6]>) {
    pose(el, compiler, to);
    if let Some(ends) = el.fixed("fromto") {
        *fromto = Some(ends);
    }
}

/// Reads the attributes of a site, of a default class or in a body, over its current values.
pub(super) fn site(el: El<'_>, compiler: &Compiler, to: &mut Site) {
    to.base.at.note(el);
    el.set_keyword("type", SITE_TYPES, &mut to.kind);
    el.set_partial("size", &mut to.size);
    placement(el, compiler, &mut to.pose, &mut to.fromto);
    el.set_int("group", &mut to.group);
    el.set_fixed("rgba", &mut to.rgba);
    reference(el, "material", &mut to.material);
    reference(el, "mesh", &mut to.mesh);
    el.set_list("user", &mut to.userdata);
}
