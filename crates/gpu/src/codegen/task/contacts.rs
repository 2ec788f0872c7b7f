//! Functions of the laws of contacts. Twin: `crates/cpu/src/collision/contact_laws.rs`.

use std::fmt::Write;

use super::Writer;
use manyworlds_model::model::task::{ContactLaw, ContactPart, Part, Program};

/// Text of such a function; `None` for other names.
pub(super) fn function(name: &str, formulas: Option<&Program>) -> Option<String> {
    match name {
        "contact_kept" => Some(kept(formulas)),
        "set_by_laws" => Some(parameters(formulas)),
        _ => None,
    }
}

/// Laws with their places.
fn laws(formulas: Option<&Program>) -> impl Iterator<Item = (usize, &Program, &ContactLaw)> {
    formulas
        .into_iter()
        .flat_map(|program| program.contact_laws().iter().enumerate().map(move |(k, law)| (k, program, law)))
}

/// True unless a law of one of its geoms drops a contact of a candidate.
fn kept(formulas: Option<&Program>) -> String {
    let mut out = "fn contact_kept(c: u32, dist: f32, pos: vec3f, normal: vec3f) -> bool {\n".to_owned();
    out.push_str("    let geom1 = u32(candidate_geom1(c));\n    let geom2 = u32(candidate_geom2(c));\n");
    for (k, program, law) in laws(formulas).filter(|(.., law)| law.part == ContactPart::Keep) {
        let value = of_geom(&mut out, program, k, law);
        let _ = writeln!(out, "    if ({} == 0.0) {{\n        return false;\n    }}\n    }}", value(0));
    }
    out.push_str("    return true;\n}");
    out
}

/// Parameters of a contact by the laws of its geoms, in the order of the laws.
fn parameters(formulas: Option<&Program>) -> String {
    let mut out = "fn set_by_laws(con: u32) {\n".to_owned();
    out.push_str(
        "    let geom1 = u32(contact_geom(2u * con));\n    let geom2 = u32(contact_geom(2u * con + 1u));\n",
    );
    out.push_str("    let dist = contact_dist(con);\n    let pos = contact_pos_vec3(con);\n");
    out.push_str("    let at = 9u * con;\n");
    out.push_str(
        "    let normal = vec3f(contact_frame(at), contact_frame(at + 1u), contact_frame(at + 2u));\n",
    );
    for (k, program, law) in laws(formulas).filter(|(.., law)| law.part != ContactPart::Keep) {
        let value = of_geom(&mut out, program, k, law);
        let (field, width) = match law.part {
            ContactPart::Friction | ContactPart::Keep => ("friction", 5),
            ContactPart::Solref => ("solref", 2),
            ContactPart::Solimp => ("solimp", 5),
        };
        for (j, element) in law.elements.iter().enumerate() {
            let x = value(j);
            let x = if field == "friction" { format!("max({x}, MIN_FRICTION)") } else { x };
            let _ = writeln!(out, "    set_contact_{field}({width}u * con + {element}u, {x});");
        }
        out.push_str("    }\n");
    }
    out.push('}');
    out
}

/// Begins the block of a law: what it sees of a contact of its geom, and its values.
fn of_geom<'a>(
    out: &mut String,
    program: &'a Program,
    k: usize,
    law: &'a ContactLaw,
) -> impl Fn(usize) -> String + use<'a> {
    let geom = law.geom;
    let _ = writeln!(out, "    if (geom1 == {geom}u || geom2 == {geom}u) {{");
    let _ = writeln!(out, "    let other = select(geom1, geom2, geom1 == {geom}u);");
    let _ = writeln!(out, "    let away = select(-normal, normal, geom1 == {geom}u);");
    let mut writer = Writer { program, out };
    program.order(Part::Contact(k)).iter().for_each(|node| writer.compute(*node));
    move |j| Writer { program, out: &mut String::new() }.one(law.value, j)
}
