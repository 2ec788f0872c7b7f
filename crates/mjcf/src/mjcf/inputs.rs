//! Controls of an actuator: charts of orientations, and lists of inputs.

use crate::xml::El;
use manyworlds_model::schema::enums::input;

/// Control components, in canonical order.
const INPUTS: &[(&str, i32)] = &[
    ("pos", input::POS),
    ("vel", input::VEL),
    ("ff", input::FF),
    ("voltage", input::VOLTAGE),
    ("pressure", input::PRESSURE),
];
/// Charts of SO(3).
const CHARTS: &[(&str, i32)] = &[("expmap", input::EXPMAP), ("quat", input::QUAT)];

/// Text of the `input` attribute for a list of controls or a chart; `None` if not given.
pub(super) fn input_words(spec: i32) -> Option<String> {
    if spec == 0 {
        return None;
    }
    if let Some(chart) = CHARTS.iter().chain(&[("none", input::NONE)]).find(|i| i.1 == spec) {
        return Some(chart.0.to_owned());
    }
    let words: Vec<&str> = INPUTS.iter().filter(|i| spec & i.1 != 0).map(|i| i.0).collect();
    Some(words.join(" "))
}

/// Reads the chart of an orientation servo, or the list of controls.
pub(super) fn inputs(el: El<'_>, to: &mut i32) {
    let Some(text) = el.text("input") else {
        return;
    };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    if let [word] = words[..]
        && let Some(found) = CHARTS.iter().chain(&[("none", input::NONE)]).find(|i| i.0 == word)
    {
        *to = found.1;
        return;
    }
    let mut found = 0;
    for word in words {
        let Some(bit) = INPUTS.iter().find(|i| i.0 == word).map(|i| i.1) else {
            el.keyword_error("input", word, INPUTS.iter().chain(CHARTS).map(|i| i.0));
            return;
        };
        if bit <= found {
            el.wrong("input", "controls are listed once and in order", "pos vel ff voltage pressure");
            return;
        }
        found |= bit;
    }
    if found != 0 {
        *to = found;
    }
}
