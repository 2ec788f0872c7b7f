//! `<contact>`: explicit pairs and exclusions. `<keyframe>` and `<custom>` are here too: all are plain lists.

use super::attrs::El;
use super::geom::{condim, reference};
use super::spec::{Exclude, Kept, Key, Numeric, Pair};

const PAIR_NUMBERS: &[(&str, usize)] = &[
    ("solref", 2),
    ("solreffriction", 2),
    ("solimp", 5),
    ("friction", 5),
    ("margin", 1),
    ("gap", 1),
    ("adhesion", 1),
];

/// Reads the attributes of a pair, of a class or in the section, over what it has.
pub(super) fn pair(el: El<'_>, to: &mut Pair) {
    to.base.at.note(el);
    reference(el, "geom1", &mut to.geom1);
    reference(el, "geom2", &mut to.geom2);
    to.condim = condim(el).or(to.condim);
    for &(name, most) in PAIR_NUMBERS {
        let Some(numbers) = el.reals(name, usize::from(most == 1), most) else {
            continue;
        };
        let place = match to.real.iter().position(|r| r.0 == name) {
            Some(i) => i,
            None => {
                to.real.push((name, Vec::new()));
                to.real.len() - 1
            }
        };
        let value = &mut to.real[place].1;
        value.resize(value.len().max(numbers.len()), 0.0);
        value[..numbers.len()].copy_from_slice(&numbers);
    }
}

/// Reads an exclusion.
pub(super) fn exclude(el: El<'_>) -> Exclude {
    let mut exclude = Exclude::default();
    exclude.base.at.note(el);
    el.required("body1");
    el.required("body2");
    reference(el, "body1", &mut exclude.body1);
    reference(el, "body2", &mut exclude.body2);
    exclude
}

/// Reads a keyframe; the lengths are checked when the model's sizes are known.
pub(super) fn key(el: El<'_>) -> Key {
    let mut key = Key::default();
    key.base.at.note(el);
    el.set_real("time", &mut key.time);
    for name in ["qpos", "qvel", "act", "ctrl", "mpos", "mquat"] {
        if let Some(numbers) = el.list(name) {
            key.whole.push((name, numbers));
        }
    }
    key
}

/// Most numbers of a custom field.
const MAX_NUMERIC: i32 = 10_000_000;

/// Reads a custom numeric field.
pub(super) fn numeric(el: El<'_>) -> Numeric {
    let mut numeric = Numeric { data: el.list("data").unwrap_or_default(), ..Numeric::default() };
    numeric.base.at.note(el);
    el.required("name");
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

/// Keeps an element as it is written.
pub(super) fn kept(el: El<'_>, path: &'static str) -> Kept {
    let mut kept = Kept { path, ..Kept::default() };
    kept.base.at.note(el);
    kept.base.name = el.text("name").unwrap_or_default();
    kept.attrs = el.tree.nodes[el.id].attrs.iter().map(|a| (a.name.clone(), a.value.clone())).collect();
    kept
}
