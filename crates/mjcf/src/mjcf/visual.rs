//! `<visual>`: visualisation settings, stored in the model but without effect on simulation.

use crate::spec::Visual;
use crate::xml::El;

/// Integers written as booleans.
pub(super) const FLAGS: &[&str] = &["global_orthographic", "global_ellipsoidinertia", "global_bvactive"];

/// Reads a `<visual>` element over the current values.
pub(super) fn visual(el: El<'_>, to: &mut Visual) {
    for group in el.children() {
        let Visual { real, int, written } = to;
        for (full, value) in real {
            let Some(name) = own_name(full, group.tag()) else {
                continue;
            };
            if let Some(numbers) = group.reals(name, value.len(), value.len()) {
                *value = numbers;
                written.push(*full);
            }
            check(group, full, name, value);
        }
        for (full, value) in int {
            let Some(name) = own_name(full, group.tag()) else {
                continue;
            };
            if FLAGS.contains(full) {
                group.set_keyword(name, &[("false", 0), ("true", 1)], value);
            } else {
                group.set_int(name, value);
            }
            if group.attr(name).is_some() {
                written.push(*full);
            }
        }
    }
}

/// Attribute of a setting, if it belongs to the group.
fn own_name(full: &'static str, group: &str) -> Option<&'static str> {
    full.split_once('_').filter(|(g, _)| *g == group).map(|(_, name)| name)
}

fn check(el: El<'_>, full: &str, name: &str, value: &[f64]) {
    if matches!(full, "global_realtime" | "map_znear") && value.iter().any(|&x| x <= 0.0) {
        el.wrong(name, format!("{name} is not positive: {}", value[0]), "write a number above zero");
    }
}
