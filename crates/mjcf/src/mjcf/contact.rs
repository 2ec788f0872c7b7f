//! `<contact>`: explicit pairs and exclusions; also `<keyframe>`.

use super::geom::reference;
use crate::spec::{Exclude, Key, Pair, key_vectors};
use crate::xml::El;

const PAIR_NUMBERS: &[(&str, usize)] = &[
    ("solref", 2),
    ("solreffriction", 2),
    ("solimp", 5),
    ("friction", 5),
    ("margin", 1),
    ("gap", 1),
    ("adhesion", 1),
];

/// Reads the attributes of a pair, of a default class or in the section, over its current values.
pub(super) fn pair(el: El<'_>, to: &mut Pair) {
    to.base.at.note(el);
    reference(el, "geom1", &mut to.geom1);
    reference(el, "geom2", &mut to.geom2);
    // a class may hold a number that no pair uses
    to.condim = el.ints("condim", 1, 1).map(|n| n[0]).or(to.condim);
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

/// Reads a keyframe; lengths are checked once the model's sizes are known.
pub(super) fn key(el: El<'_>) -> Key {
    let mut key = Key::default();
    key.base.at.note(el);
    el.set_real("time", &mut key.time);
    for (name, _) in key_vectors() {
        if let Some(numbers) = el.list(name) {
            key.whole.push((name, numbers));
        }
    }
    key
}
