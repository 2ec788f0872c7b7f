//! Composition of WGSL: conditional blocks, and a linker that takes only what an entry point needs.
//!
//! Library and kernels are plain `.wgsl` files. A composed module holds the items (functions, structs,
//! constants, variables) that its roots reach; a name that no file defines is asked of a provider, which
//! makes accessors and constants for the model at hand.
//!
//! A function named `f__A__B` is a template: `f__qLD__x` is the same text with the accessors of `qLD` in the
//! place of `A`'s and those of `x` in the place of `B`'s.

use std::collections::{BTreeMap, BTreeSet};

use super::unroll::UNROLL_DIRECTIVE;

/// A top-level item of WGSL text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Keeps the lines of `//#if NAME` … `//#else` … `//#endif` blocks whose flag holds; `!NAME` negates.
///
/// # Errors
/// An unknown flag or an unbalanced block, as text.
pub fn preprocess(source: &str, flags: &BTreeMap<&'static str, bool>) -> Result<String, String> {
    let mut out = String::with_capacity(source.len());
    // one entry per open block: whether its lines are kept
    let mut open: Vec<bool> = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let at = |what: &str| format!("line {}: {what}", number + 1);
        let word = line.trim();
        if let Some(name) = word.strip_prefix("//#if ") {
            let (negated, name) = name.strip_prefix('!').map_or((false, name), |n| (true, n));
            let flag = flags.get(name.trim()).ok_or_else(|| at(&format!("unknown flag '{name}'")))?;
            open.push(*flag != negated);
        } else if word == "//#else" {
            let top = open.last_mut().ok_or_else(|| at("//#else without //#if"))?;
            *top = !*top;
        } else if word == "//#endif" {
            open.pop().ok_or_else(|| at("//#endif without //#if"))?;
        } else if open.iter().all(|kept| *kept) {
            out.push_str(line);
            out.push('\n');
        }
    }
    if open.is_empty() { Ok(out) } else { Err("//#if without //#endif".into()) }
}

/// Splits WGSL text into its top-level items; comments between items are dropped.
pub fn items(source: &str) -> Vec<Item> {
    let text = strip_comments(source);
    let bytes = text.as_bytes();
    let (mut found, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (i, b) in bytes.iter().enumerate() {
        match b {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // an item ends at its closing brace, or at a semicolon outside braces
        let ends = (*b == b'}' || *b == b';') && depth == 0;
        if ends {
            let body = text[start..=i].trim();
            if let Some(name) = item_name(body) {
                found.push(Item { name, text: body.to_string() });
            }
            start = i + 1;
        }
    }
    found
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

/// The identifier after `fn`, `struct`, `const`, `var<…>` or `alias`.
fn item_name(body: &str) -> Option<String> {
    let mut words = identifiers(body);
    while let Some(word) = words.next() {
        match word {
            "fn" | "struct" | "const" | "alias" | "override" => {
                return words.next().map(str::to_string);
            }
            "var" => {
                return words
                    .find(|w| {
                        !matches!(*w, "private" | "workgroup" | "storage" | "uniform" | "read" | "read_write")
                    })
                    .map(str::to_string);
            }
            _ => {}
        }
    }
    None
}

/// Every identifier and number-like word of a text, in order.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

/// The same with whether a parenthesis follows: the name of a function, or of a type, is that.
fn references(text: &str) -> impl Iterator<Item = (&str, bool)> {
    identifiers(text).map(|word| {
        let end = word.as_ptr() as usize - text.as_ptr() as usize + word.len();
        (word, text[end..].starts_with('('))
    })
}

/// Replaces the accessors of each parameter (`A`, `set_A`, `A_vec3`, `f__A`) by those of its argument.
fn substitute(text: &str, params: &[&str], args: &[&str]) -> String {
    let replace = |word: &str| -> String {
        let part = |part: &str| {
            let (set, base) = part.strip_prefix("set_").map_or(("", part), |b| ("set_", b));
            let (name, rest) = base.find('_').map_or((base, ""), |at| base.split_at(at));
            let found = params.iter().position(|p| *p == name);
            found.map_or_else(|| part.to_string(), |k| format!("{set}{}{rest}", args[k]))
        };
        word.split("__").map(part).collect::<Vec<_>>().join("__")
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |n| start + n);
        out.push_str(&rest[..start]);
        out.push_str(&replace(&rest[start..end]));
        rest = &rest[end..];
    }
    out + rest
}

/// Items by name.
#[derive(Clone, Debug, Default)]
pub struct Library {
    items: BTreeMap<String, Item>,
}

impl Library {
    /// Adds the items of a preprocessed source file.
    pub fn add(&mut self, source: &str) {
        for item in items(source) {
            self.items.insert(item.name.clone(), item);
        }
    }

    /// The text of a template with its arguments.
    fn instantiate(&self, word: &str) -> Option<String> {
        let args: Vec<&str> = word.split("__").collect();
        let same = |name: &str| {
            let params: Vec<&str> = name.split("__").collect();
            params.len() == args.len() && args.len() > 1 && params[0] == args[0]
        };
        let item = self.items.values().find(|i| same(&i.name))?;
        let params: Vec<&str> = item.name.split("__").collect();
        Some(substitute(&item.text, &params[1..], &args[1..]))
    }

    /// Text of the value of a constant.
    pub fn constant(&self, name: &str) -> Option<&str> {
        let text = &self.items.get(name)?.text;
        text.strip_prefix("const ")?.split_once('=')?.1.strip_suffix(';').map(str::trim)
    }

    /// Parameter and expression of a function of one integer that only returns an expression.
    pub fn pure_function(&self, name: &str) -> Option<(&str, &str)> {
        let text = self.items.get(name)?.text.strip_prefix("fn ")?;
        let (_, after) = text.split_once('(')?;
        let (parameter, after) = after.split_once(": u32) -> u32 {")?;
        let value = after.trim().strip_prefix("return ")?.strip_suffix('}')?.trim().strip_suffix(';')?;
        (!value.contains(';')).then_some((parameter, value))
    }

    /// Everything that `roots` reach, from the library or else from `provide`, in a stable order, each text of the
    /// library passed through `write`.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn link<E>(
        &self,
        roots: &[Item],
        mut provide: impl FnMut(&str) -> Option<String>,
        write: impl Fn(&str) -> Result<String, E>,
    ) -> Result<String, E> {
        let mut done: BTreeSet<String> = roots.iter().map(|i| i.name.clone()).collect();
        let mut queue: Vec<String> = roots.iter().map(|i| i.text.clone()).collect();
        let mut out = Vec::new();
        while let Some(text) = queue.pop() {
            for (word, called) in references(&text) {
                if done.contains(word) {
                    continue;
                }
                let found = self.items.get(word).map(|i| i.text.clone());
                // a local variable may be named like a function
                if !called && found.as_ref().is_some_and(|text| text.starts_with("fn ")) {
                    continue;
                }
                let found = match found.or_else(|| self.instantiate(word)) {
                    Some(text) => Some(write(&text)?),
                    None => provide(word),
                };
                if let Some(found) = found {
                    done.insert(word.to_string());
                    queue.push(found);
                }
            }
            out.push(text);
        }
        Ok(out.join("\n\n"))
    }
}

/// Leaves a text as it is.
///
/// # Errors
/// None.
pub fn identity(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_only_what_is_reached() {
        let mut library = Library::default();
        library.add("const A: u32 = 1u;\nfn f() -> u32 { return A; } // uses A\nfn g() {}\nstruct S { x: f32, }\nvar<private> lane: u32;");
        let root = Item { name: "main".into(), text: "fn main() { let y = f() + made; }".into() };
        let made = |name: &str| (name == "made").then(|| "const made: u32 = 7u;".into());
        let Ok(text) = library.link(&[root], made, identity);
        assert!(text.contains("const A") && text.contains("fn f") && text.contains("const made"));
        assert!(!text.contains("fn g") && !text.contains("struct S") && !text.contains("lane"));
    }

    #[test]
    fn variables_named_like_functions_are_none() {
        let mut library = Library::default();
        library.add("fn gap() -> f32 { return 1.0; }\nfn f() -> f32 { let gap = 2.0; return gap; }\nfn g() -> f32 { return gap(); }");
        for (root, linked) in [("fn main() { let y = f(); }", false), ("fn main() { let y = g(); }", true)] {
            let Ok(text) =
                library.link(&[Item { name: "main".into(), text: root.into() }], |_| None, identity);
            assert_eq!(text.contains("fn gap"), linked, "{text}");
        }
    }

    #[test]
    fn templates_take_fields_as_arguments() {
        let mut library = Library::default();
        library.add("fn scale__A__B(n: u32) { set_A(n, B_vec3(n).x); step__A(n); }\nfn step__C(n: u32) { set_C(n, C(n)); }");
        let root = Item { name: "main".into(), text: "fn main() { scale__qLD__x(1u); }".into() };
        let Ok(text) = library.link(&[root], |_| None, identity);
        assert!(
            text.contains("fn scale__qLD__x(n: u32) { set_qLD(n, x_vec3(n).x); step__qLD(n); }"),
            "{text}"
        );
        assert!(text.contains("fn step__qLD(n: u32) { set_qLD(n, qLD(n)); }"), "{text}");
    }

    #[test]
    fn keeps_the_lines_of_true_blocks() {
        let flags = BTreeMap::from([("ON", true), ("OFF", false)]);
        let text = preprocess(
            "a\n//#if ON\nb\n//#else\nc\n//#endif\n//#if OFF\nd\n//#endif\n//#if !OFF\ne\n//#endif\n",
            &flags,
        );
        assert_eq!(text.as_deref(), Ok("a\nb\ne\n"));
        assert!(preprocess("//#if NO\n//#endif", &flags).is_err());
        assert!(preprocess("//#if ON", &flags).is_err());
    }

    #[test]
    fn constants_and_formulas_can_be_read() {
        let mut library = Library::default();
        library.add("const K: u32 = 3u;\nfn f(i: u32) -> u32 {\n    return i * K;\n}\nfn g(i: u32) -> u32 {\n    let a = i;\n    return a;\n}");
        assert_eq!(library.constant("K"), Some("3u"));
        assert_eq!(library.pure_function("f"), Some(("i", "i * K")));
        assert_eq!(library.pure_function("g"), None);
    }

    #[test]
    fn names_every_kind_of_item() {
        let found = items(
            "var<workgroup> w: array<f32, 4>;\n@group(0) @binding(0) var<storage, read_write> d: array<f32>;\n@compute @workgroup_size(1)\nfn main() { if (true) { } }",
        );
        let names: Vec<&str> = found.iter().map(|i| i.name.as_str()).collect();
        assert_eq!(names, ["w", "d", "main"]);
    }
}
