//! What the reader and the compiler understand, but the simulation does not do yet: refused with its place.
//! When a stage learns something new, a line goes away here.

use crate::mjcf::{AFFINE, DYN_NONE, Span, Target, type_name};
use crate::model::{enable, geom as kind};

use super::Build;
use super::pairs::Candidate;

/// Types whose geoms collide with each other.
const COLLIDING: &[(i32, i32)] = &[
    (kind::PLANE, kind::SPHERE),
    (kind::PLANE, kind::CAPSULE),
    (kind::PLANE, kind::BOX),
    (kind::SPHERE, kind::SPHERE),
    (kind::SPHERE, kind::CAPSULE),
    (kind::CAPSULE, kind::CAPSULE),
];

/// Options with the values that are simulated; everything else is refused.
const OPTIONS: &[(&str, &[i32], &str)] = &[
    ("integrator", &[0], "use Euler"),
    ("cone", &[0], "use pyramidal"),
    ("solver", &[2], "use Newton"),
    ("noslip_iterations", &[0], "remove it"),
];

/// Flags that must stay off.
const ENABLED: &[(&str, i32)] = &[
    ("override", enable::OVERRIDE),
    ("fwdinv", enable::FWDINV),
    ("invdiscrete", enable::INVDISCRETE),
    ("sleep", enable::SLEEP),
    ("diagexact", enable::DIAGEXACT),
    ("ipc", enable::IPC),
];

/// Refuses what is written but not simulated.
pub(super) fn check(build: &Build<'_>) {
    let refuse =
        |span: Span, what: &str, help: &str| build.wrong(span, format!("{what} is not supported yet"), help);
    for foreign in &build.spec.foreign {
        refuse(foreign.span, &foreign.what, "remove it to simulate the rest");
    }
    options(build, &refuse);
    compilers(build, &refuse);
    elements(build, &refuse);
    actuators(build, &refuse);
}

fn options(build: &Build<'_>, refuse: &dyn Fn(Span, &str, &str)) {
    let opt = &build.spec.option;
    for (name, simulated, help) in OPTIONS {
        if !simulated.contains(&opt.int(name)) {
            refuse(opt.at.of(name), &format!("this value of option {name}"), help);
        }
    }
    for name in ["density", "viscosity"] {
        if opt.reals(name) != [0.0] {
            refuse(opt.at.of(name), &format!("fluid {name}"), "remove it");
        }
    }
    for (name, bit) in ENABLED {
        if opt.enable & bit != 0 {
            refuse(opt.at.of(name), &format!("flag {name}"), "remove it");
        }
    }
}

fn compilers(build: &Build<'_>, refuse: &dyn Fn(Span, &str, &str)) {
    for compiler in &build.spec.compilers {
        for (name, on) in [
            ("fusestatic", compiler.fusestatic),
            ("discardvisual", compiler.discardvisual),
            ("alignfree", compiler.alignfree),
        ] {
            if on {
                refuse(compiler.at.of(name), &format!("compiler {name}"), "remove it");
            }
        }
    }
}

fn elements(build: &Build<'_>, refuse: &dyn Fn(Span, &str, &str)) {
    let spec = build.spec;
    for joint in spec.joints.iter().filter(|j| j.align == Some(true)) {
        refuse(joint.base.at.of("align"), "align of a free joint", "remove it");
    }
    for geom in &spec.geoms {
        let at = &geom.base.at;
        if matches!(geom.kind, kind::MESH | kind::HFIELD | kind::SDF) {
            refuse(at.of("type"), &format!("geom type {}", type_name(geom.kind)), "use a primitive shape");
        }
        for (name, on) in [
            ("fluidshape", geom.fluid),
            ("adhesion", geom.adhesion != 0.0),
            ("surfacevel", geom.surfacevel != [0.0; 6]),
        ] {
            if on {
                refuse(at.of(name), &format!("{name} of a geom"), "remove it");
            }
        }
    }
    for site in spec.sites.iter().filter(|s| s.kind == kind::MESH) {
        refuse(site.base.at.of("type"), "site type mesh", "use a primitive shape");
    }
    for pair in &spec.pairs {
        if pair.real.iter().any(|r| r.0 == "adhesion" && r.1[0] != 0.0) {
            refuse(pair.base.at.of("adhesion"), "adhesion of a pair", "remove it");
        }
    }
}

fn actuators(build: &Build<'_>, refuse: &dyn Fn(Span, &str, &str)) {
    for actuator in &build.spec.actuators {
        let at = &actuator.base.at;
        if !matches!(actuator.target_kind, Target::None | Target::Joint | Target::Tendon) {
            refuse(actuator.target.span, "this transmission of an actuator", "use joint or tendon");
        }
        if actuator.dyntype != DYN_NONE {
            let name = if at.has("timeconst") { "timeconst" } else { "dyntype" };
            refuse(
                at.of(name),
                "an actuator with activation",
                "use dyntype none, motor, position or velocity",
            );
        }
        if actuator.gaintype > AFFINE {
            refuse(at.of("gaintype"), "this gain of an actuator", "use fixed or affine");
        }
        if actuator.biastype > AFFINE {
            refuse(at.of("biastype"), "this bias of an actuator", "use none or affine");
        }
    }
}

/// Refuses geom pairs that would have to collide; one message for each pair of types.
pub(super) fn check_pairs(build: &Build<'_>, candidates: &[Candidate]) {
    let m = &build.model;
    let mut told = Vec::new();
    for candidate in candidates {
        let types = (m.geom_type[candidate.geom1], m.geom_type[candidate.geom2]);
        if COLLIDING.contains(&types) || told.contains(&types) {
            continue;
        }
        told.push(types);
        let geom = |g: usize| &build.spec.geoms[build.geom_order[g]].base;
        let (one, two) = (geom(candidate.geom1), geom(candidate.geom2));
        // the later one is where the message points
        let span = if candidate.geom1 > candidate.geom2 { one.at.of("type") } else { two.at.of("type") };
        let message = format!(
            "collision of {} and {} is not supported yet: {} ({}) and {} ({})",
            type_name(types.0),
            type_name(types.1),
            build.called("geom", one),
            build.log.place(one.at.element),
            build.called("geom", two),
            build.log.place(two.at.element),
        );
        build.wrong(span, message, "switch it off with contype and conaffinity, or use spheres and capsules");
    }
}
