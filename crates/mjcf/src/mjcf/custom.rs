//! `<custom>`: numerics, texts and tuples.

use crate::spec::{Numeric, Object, Ref, Text, Tuple, TupleObject, did_you_mean};
use crate::xml::El;
use manyworlds_model::schema::sensors::OBJECT_KINDS;

/// Most numbers of a custom numeric: MuJoCo has 500, which a small network exceeds.
const MAX_NUMERIC: i32 = 1 << 16;

/// Reads a custom numeric.
pub(super) fn numeric(el: El<'_>) -> Numeric {
    let data = el.reals("data", 0, MAX_NUMERIC as usize).unwrap_or_default();
    let mut numeric = Numeric { data, ..Numeric::default() };
    numeric.base.at.note(el);
    numeric.base.name = el.required("name").unwrap_or_default();
    let mut size = numeric.data.len() as i32;
    el.set_count("size", &mut size);
    if size > MAX_NUMERIC || (size as usize) < numeric.data.len() {
        let message = format!("size {size} does not fit the {} numbers of 'data'", numeric.data.len());
        el.wrong("size", message, format!("at least as many, at most {MAX_NUMERIC}"));
    } else {
        numeric.data.resize(size as usize, 0.0);
    }
    if size == 0 {
        el.wrong("size", "the numeric field has neither data nor size", "give one of them");
    }
    numeric
}

/// Reads a custom text.
pub(super) fn text(el: El<'_>) -> Text {
    let mut text = Text { data: el.text("data").unwrap_or_default(), ..Text::default() };
    text.base.at.note(el);
    text.base.name = el.required("name").unwrap_or_default();
    if text.data.is_empty() {
        el.wrong("data", "the text field has no text", "write it into 'data'");
    }
    text
}

/// Reads a custom tuple.
pub(super) fn tuple(el: El<'_>) -> Tuple {
    let mut tuple = Tuple::default();
    tuple.base.at.note(el);
    tuple.base.name = el.required("name").unwrap_or_default();
    for child in el.children() {
        let mut prm = 0.0;
        child.set_real("prm", &mut prm);
        let (Some(word), Some(name)) = (child.required("objtype"), child.required("objname")) else {
            continue;
        };
        let Some(&(_, kind)) = OBJECT_KINDS.iter().find(|k| k.0 == word) else {
            let help = did_you_mean(&word, OBJECT_KINDS.iter().map(|k| k.0)).unwrap_or_default();
            child.wrong("objtype", format!("'{}' is no kind of object", crate::xml::short(&word)), help);
            continue;
        };
        let name = Ref { name, span: child.at("objname") };
        tuple.objects.push(TupleObject { object: Object { kind, name }, prm });
    }
    if el.children().next().is_none() {
        el.log.add(el.span(), "the tuple has no elements", "add <element objtype=… objname=…/>");
    }
    tuple
}
