//! Lexical analysis of WGSL: top-level items, words and imports.

use std::collections::BTreeMap;

use super::syntax::{self, UNROLL_DIRECTIVE};

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

/// Top-level items of WGSL text, without comments.
///
/// # Errors
/// A declaration that the parser does not know, with its line.
pub fn items(source: &str) -> Result<Vec<Item>, String> {
    let text = strip_comments(source);
    let found = syntax::items(&text).map_err(|e| e.to_string())?;
    Ok(found.iter().map(|item| Item { name: item.name.to_owned(), text: item.text.to_owned() }).collect())
}

fn strip_comments(source: &str) -> String {
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

/// Imported names with their modules, and the text without the imports. An import has the form `import
/// package::room::stem::name;` or `import package::room::stem::{name, name};`, as in WESL.
///
/// # Errors
/// A malformed import, as text.
pub fn imports(source: &str) -> Result<(BTreeMap<String, String>, String), String> {
    let (mut names, mut rest, mut text) = (BTreeMap::new(), String::new(), source);
    // imports start at the beginning of a line
    while let Some(start) = find_import(text) {
        rest.push_str(&text[..start]);
        let statement = &text[start..];
        let end = statement.find(';').ok_or("an import without a semicolon")?;
        let path = statement["import ".len()..end].trim();
        let (module, list) = path.rsplit_once("::").ok_or_else(|| format!("import {path}: no module"))?;
        for name in list.trim_matches(['{', '}']).split(',').map(str::trim).filter(|name| !name.is_empty()) {
            if names.insert(name.to_owned(), module.to_owned()).is_some() {
                return Err(format!("{name} is imported twice"));
            }
        }
        text = &statement[end + 1..];
    }
    rest.push_str(text);
    Ok((names, rest))
}

/// Position of the next import.
fn find_import(text: &str) -> Option<usize> {
    if text.starts_with("import ") { Some(0) } else { text.find("\nimport ").map(|at| at + 1) }
}

/// Local names of a function: its parameters and variables.
pub fn locals(text: &str) -> impl Iterator<Item = &str> {
    let words: Vec<(&str, &str)> = identifiers(text)
        .map(|word| (word, &text[word.as_ptr() as usize - text.as_ptr() as usize + word.len()..]))
        .collect();
    // a name before a colon is a parameter or typed variable; one after `let` or `var` is a variable
    let mut previous = "";
    words.into_iter().filter_map(move |(word, after)| {
        let declared = matches!(previous, "let" | "var") || after.trim_start().starts_with(':');
        previous = word;
        declared.then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_every_kind_of_item() {
        let found = items(
            "var<workgroup> w: array<f32, 4>;\n@group(0) @binding(0) var<storage, read_write> d: array<f32>;\n@compute @workgroup_size(1)\nfn main() { if (true) { } }",
        )
        .unwrap_or_default();
        let names: Vec<&str> = found.iter().map(|i| i.name.as_str()).collect();
        assert_eq!(names, ["w", "d", "main"]);
    }

    #[test]
    fn imports_are_read_and_taken_out() {
        let source = "// a file\nimport package::math::trig::PI;\nimport package::a::b::{\n    c, d,\n};\n\nfn f() {}\n";
        let (names, rest) = imports(source).unwrap_or_default();
        let names: Vec<(&str, &str)> = names.iter().map(|(n, m)| (n.as_str(), m.as_str())).collect();
        assert_eq!(names, [("PI", "package::math::trig"), ("c", "package::a::b"), ("d", "package::a::b")]);
        assert!(rest.contains("fn f()") && !rest.contains("import"));
        assert!(imports("import package::a::{b, b};").is_err() && imports("import package::a").is_err());
    }

    #[test]
    fn locals_are_parameters_and_variables() {
        let text = "fn f(a: u32, b: f32) -> f32 { let c = a; var d: u32 = 1u; return g(c) + x.y; }";
        assert_eq!(locals(text).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    }
}
