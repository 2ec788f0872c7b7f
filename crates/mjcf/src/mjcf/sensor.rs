//! `<sensor>`.

use super::plugin;
use crate::spec::{Object, Ref, Sensor, did_you_mean};
use crate::xml::El;
use manyworlds_model::schema::enums::{datatype, reduce};
use manyworlds_model::schema::sensors::SensorType;
use manyworlds_model::schema::sensors::{CONTACT_DATA, OBJECT_KINDS, RAY_DATA};

pub(super) const INTERPOLATIONS: &[(&str, i32)] = &[("zoh", 0), ("linear", 1), ("cubic", 2)];
pub(super) const STAGES: &[(&str, i32)] = &[("none", 0), ("pos", 1), ("vel", 2), ("acc", 3)];

/// Object types with a frame.
const FRAMES: &[(&str, i32)] = &[("body", 1), ("xbody", 2), ("geom", 5), ("site", 6), ("camera", 7)];

/// Reads a sensor.
pub(super) fn sensor(el: El<'_>) -> Sensor {
    let mut to = Sensor::default();
    to.base.at.note(el);
    to.base.name = el.text("name").unwrap_or_default();
    to.kind = SensorType::of_tag(el.tag()).unwrap_or_default();
    el.set_positive("cutoff", &mut to.cutoff);
    el.set_positive("noise", &mut to.noise);
    el.set_int("nsample", &mut to.nsample);
    el.set_keyword("interp", INTERPOLATIONS, &mut to.interp);
    el.set_real("delay", &mut to.delay);
    interval(el, &mut to.interval);
    to.userdata = el.list("user").unwrap_or_default();
    let attr = to.kind.rule().attr;
    match el.tag() {
        "rangefinder" => rangefinder(el, &mut to),
        "camprojection" => {
            to.object = named(el, "site", 6);
            to.reference = named(el, "camera", 7);
        }
        "insidesite" => {
            to.object = framed(el, "objtype", "objname", true);
            to.reference = named(el, "site", 6);
            let mut enclosed = false;
            el.set_flag("enclosed", &mut enclosed);
            to.intprm[0] = i32::from(enclosed);
        }
        "distance" | "normal" | "fromto" => {
            to.object = one_of(el, &[("geom1", 5), ("body1", 1)], true);
            to.reference = one_of(el, &[("geom2", 5), ("body2", 1)], true);
        }
        "contact" => contact(el, &mut to),
        "tactile" => {
            to.object = named(el, "mesh", 10);
            to.reference = named(el, "geom", 5);
        }
        "user" => user(el, &mut to),
        "plugin" => {
            to.object = any(el, "objtype", "objname");
            to.reference = any(el, "reftype", "refname");
            to.plugin = Some(plugin::usage(el));
        }
        _ if !attr.is_empty() => {
            let number = OBJECT_KINDS.iter().find(|k| k.0 == attr).map_or(0, |k| k.1);
            to.object = named(el, attr, number);
        }
        tag if tag.starts_with("frame") => {
            to.object = framed(el, "objtype", "objname", true);
            to.reference = framed(el, "reftype", "refname", false);
        }
        _ => {}
    }
    to
}

fn interval(el: El<'_>, to: &mut [f64; 2]) {
    el.set_partial("interval", to);
    let message = if to[0] < 0.0 {
        format!("the period of 'interval' is negative: {}", to[0])
    } else if to[1] > 0.0 {
        format!("the phase of 'interval' is positive: {}", to[1])
    } else if to[0] > 0.0 && to[1] <= -to[0] {
        format!("the phase {} of 'interval' is a period or more back", to[1])
    } else {
        return;
    };
    el.wrong("interval", message, "a period, then a phase between minus the period and zero");
}

/// A required object of a fixed type.
fn named(el: El<'_>, attr: &str, kind: i32) -> Option<Object> {
    el.required(attr)?;
    object(el, attr, kind)
}

fn object(el: El<'_>, attr: &str, kind: i32) -> Option<Object> {
    let attr = el.attr(attr)?;
    Some(Object { kind, name: Ref { name: attr.value.clone(), span: attr.span } })
}

/// An object of one of several types.
fn one_of(el: El<'_>, attrs: &[(&str, i32)], needed: bool) -> Option<Object> {
    let mut written = attrs.iter().filter(|a| el.attr(a.0).is_some());
    let first = written.next();
    if let (Some(first), Some(second)) = (first, written.next()) {
        let message = format!("both '{}' and '{}' are given", first.0, second.0);
        el.wrong(second.0, message, "keep one of them");
    }
    let Some(&(attr, kind)) = first else {
        if needed {
            let names: Vec<&str> = attrs.iter().map(|a| a.0).collect();
            let message = format!("{} has neither of {}", el.tag(), names.join(", "));
            el.log.add(el.span(), message, "add one of them");
        }
        return None;
    };
    object(el, attr, kind)
}

/// An object with a frame.
fn framed(el: El<'_>, kind: &str, name: &str, needed: bool) -> Option<Object> {
    if needed || el.attr(kind).is_some() || el.attr(name).is_some() {
        el.required(kind);
        el.required(name);
    }
    let number = el.keyword(kind, FRAMES)?;
    object(el, name, number)
}

/// An object of any type; MuJoCo treats unknown keywords as no object.
fn any(el: El<'_>, kind: &str, name: &str) -> Option<Object> {
    if el.attr(kind).is_none() && el.attr(name).is_none() {
        return None;
    }
    let word = el.required(kind)?;
    el.required(name)?;
    match OBJECT_KINDS.iter().find(|k| k.0 == word) {
        Some(&(_, number)) => object(el, name, number),
        None => {
            let help = did_you_mean(&word, OBJECT_KINDS.iter().map(|k| k.0)).unwrap_or_default();
            let message = format!("'{}' is no kind of object: it is ignored", crate::xml::short(&word));
            el.log.warn(el.at(kind), message, help);
            None
        }
    }
}

fn rangefinder(el: El<'_>, to: &mut Sensor) {
    to.object = one_of(el, &[("site", 6), ("camera", 7)], true);
    to.intprm[0] = data(el, RAY_DATA);
}

fn contact(el: El<'_>, to: &mut Sensor) {
    to.object = one_of(el, &[("geom1", 5), ("body1", 1), ("subtree1", 2), ("site", 6)], false);
    to.reference = one_of(el, &[("geom2", 5), ("body2", 1), ("subtree2", 2)], false);
    to.intprm = [data(el, CONTACT_DATA), 0, 1];
    el.set_keyword("reduce", reduce::WORDS, &mut to.intprm[1]);
    el.set_int("num", &mut to.intprm[2]);
    if to.intprm[2] <= 0 {
        let message = format!("num must be positive: {}", to.intprm[2]);
        el.wrong("num", message, "the number of contacts to report");
        to.intprm[2] = 1;
    }
}

/// Bit mask of the listed keywords, which must be in order; the first one by default.
fn data(el: El<'_>, words: &[(&str, i32)]) -> i32 {
    let list = words.iter().map(|w| w.0).collect::<Vec<_>>().join(" ");
    let (mut bits, mut last) = (0, None);
    for word in el.text("data").unwrap_or_default().split_ascii_whitespace() {
        let Some(place) = words.iter().position(|w| w.0 == word) else {
            let help = did_you_mean(word, words.iter().map(|w| w.0)).unwrap_or_default();
            let message = format!("'{}' is no word of attribute 'data'", crate::xml::short(word));
            el.wrong("data", message, format!("{help} valid: {list}").trim_start().to_owned());
            return 1;
        };
        if last.is_some_and(|l| l >= place) {
            el.wrong("data", format!("'{word}' is repeated or out of order"), format!("the order is {list}"));
            return 1;
        }
        last = Some(place);
        bits |= 1 << place;
    }
    if bits == 0 { 1 } else { bits }
}

fn user(el: El<'_>, to: &mut Sensor) {
    to.user = [0, 0, 3];
    el.required("dim");
    el.set_count("dim", &mut to.user[0]);
    el.set_keyword("datatype", datatype::WORDS, &mut to.user[1]);
    el.set_keyword("needstage", STAGES, &mut to.user[2]);
    to.object = any(el, "objtype", "objname");
}
