//! Lexical analysis of WGSL: comments, words and names.

use super::syntax::UNROLL_DIRECTIVE;

/// A top-level item of WGSL text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Item {
    /// True if it is a function.
    pub fn is_function(&self) -> bool {
        self.text.starts_with("fn ")
    }
}

/// The text of an item without comments, but for those that are directives.
pub fn strip_comments(source: &str) -> String {
    source
        .lines()
        .map(|line| {
            if line.trim() == UNROLL_DIRECTIVE {
                UNROLL_DIRECTIVE
            } else {
                line.find("//").map_or(line, |at| &line[..at])
            }
        })
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every identifier and number-like word of a text, in order.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

/// Identifiers, each with true if a parenthesis follows: then it names a function or a type.
pub fn references(text: &str) -> impl Iterator<Item = (&str, bool)> {
    identifiers(text).map(|word| {
        let end = word.as_ptr() as usize - text.as_ptr() as usize + word.len();
        (word, text[end..].starts_with('('))
    })
}

/// Local names of a function: its parameters and variables.
pub fn locals(text: &str) -> impl Iterator<Item = &str> {
    let words: Vec<(&str, &str)> = identifiers(text)
        .map(|word| (word, &text[word.as_ptr() as usize - text.as_ptr() as usize + word.len()..]))
        .collect();
    // a name before a colon is a parameter or typed variable, or one of the values of a case; one after `let` or `var` is a
    // variable
    let (mut previous, mut is_value) = (("", ""), false);
    words.into_iter().filter_map(move |(word, after)| {
        is_value = previous.0 == "case" || (is_value && previous.1.trim_start().starts_with(','));
        let is_typed = !is_value && after.trim_start().starts_with(':');
        let declared = matches!(previous.0, "let" | "var") || is_typed;
        previous = (word, after);
        declared.then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_directives_stay() {
        let text = "fn f() { // says\n    // more\n\n    //#unroll\n    for (;;) {}\n}";
        assert_eq!(strip_comments(text), "fn f() {\n//#unroll\n    for (;;) {}\n}");
    }

    #[test]
    fn locals_are_parameters_and_variables() {
        let text = "fn f(a: u32, b: f32) -> f32 { let c = a; var d: u32 = 1u; return g(c) + x.y; }";
        assert_eq!(locals(text).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        let text =
            "fn f(a: u32) { switch (a) { case ONE: { } case TWO, THREE: { let b = a; } default: { } } }";
        assert_eq!(locals(text).filter(|name| *name != "default").collect::<Vec<_>>(), ["a", "b"]);
    }
}
