//! Narrow-phase functions generated from the table of shape pairs, for the pairs of a model.

use std::fmt::Write as _;

use manyworlds_model::schema::enums::{geom, word};
use manyworlds_model::schema::shape_pairs::{Method, ShapePair};

/// Text of a narrow-phase function; `None` for other names.
pub(crate) fn function(name: &str, pairs: &[&'static ShapePair]) -> Option<String> {
    match name {
        "closed_form" => Some(closed_form(pairs)),
        "is_convex_pair" => Some(is_convex_pair(pairs)),
        _ => None,
    }
}

/// `closed_form`: contacts of two shapes within a margin, which also give their distance.
fn closed_form(pairs: &[&'static ShapePair]) -> String {
    let mut out = String::from(
        "fn closed_form(t1: i32, t2: i32, a: Shape, b: Shape, margin: f32) {\n    nfound = 0u;\n",
    );
    for pair in pairs.iter().filter(|pair| pair.method == Method::ClosedForm) {
        let _ = writeln!(out, "    if ({}) {{\n        {}(a, b, margin);\n    }}", test(pair), pair.function);
    }
    out.push('}');
    out
}

/// `is_convex_pair`: true if the contacts of two types come from support functions.
fn is_convex_pair(pairs: &[&'static ShapePair]) -> String {
    let tests: Vec<String> =
        pairs.iter().filter(|pair| pair.is_convex()).map(|pair| format!("({})", test(pair))).collect();
    let any = if tests.is_empty() { "false".to_owned() } else { tests.join("\n        || ") };
    format!("fn is_convex_pair(t1: i32, t2: i32) -> bool {{\n    return {any};\n}}")
}

/// Condition for one pair.
fn test(pair: &ShapePair) -> String {
    let name = |kind: i32| word(geom::WORDS, kind).to_uppercase();
    format!("t1 == GEOM_{} && t2 == GEOM_{}", name(pair.types.0), name(pair.types.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds_model::schema::shape_pairs::shape_pair;

    #[test]
    fn calls_are_made_for_the_pairs_of_a_model() {
        let pairs: Vec<_> = [(geom::PLANE, geom::BOX), (geom::SPHERE, geom::MESH)]
            .into_iter()
            .filter_map(shape_pair)
            .collect();
        let text = closed_form(&pairs);
        assert!(
            text.contains("if (t1 == GEOM_PLANE && t2 == GEOM_BOX) {\n        plane_box(a, b, margin);"),
            "{text}"
        );
        assert!(!text.contains("MESH"));
        assert!(is_convex_pair(&pairs).contains("return (t1 == GEOM_SPHERE && t2 == GEOM_MESH);"));
        assert!(is_convex_pair(&[]).contains("return false;"));
        assert_eq!(function("plane_box", &pairs), None);
    }
}
