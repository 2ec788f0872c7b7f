//! Texts as they may stand on a page.

use crate::shared::problem::visible;

/// Longest name in a page, in characters.
const LONGEST: usize = 120;

/// A text in one line, without characters that control something or that no page may have, cut where it is very long.
pub(super) fn clean(text: &str) -> String {
    let text: String = visible(text)
        .chars()
        .map(|c| match c {
            '\n' | '\t' => ' ',
            '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
            c => c,
        })
        .collect();
    text
}

/// A name of a model, short enough for a page.
pub(super) fn named(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// A text as HTML.
pub(super) fn escaped(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
