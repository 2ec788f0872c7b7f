//! Declarations of a module.

use super::{Function, Parser, Result, Token, TokenKind, tokens};

/// Kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `fn`.
    Function,
    /// `struct`.
    Structure,
    /// `const`.
    Constant,
    /// `override`.
    Override,
    /// `var`.
    Variable,
    /// `alias`.
    Alias,
}

/// A declaration of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// Kind of the declaration.
    pub kind: ItemKind,
    /// Its name.
    pub name: &'a str,
    /// Text of the declaration, with attributes and inner comments.
    pub text: &'a str,
    /// Line of the source on which it begins, from 1.
    pub line: usize,
    /// Byte offset of the text in the source.
    pub start: usize,
    /// Byte offset of the name in the source.
    name_start: usize,
    source: &'a str,
    tokens: Vec<Token<'a>>,
}

/// An identifier in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// File before its name: `a` of `a::f`.
    pub module: Option<&'a str>,
    /// Its name.
    pub name: &'a str,
    /// True if it is called: a function or a type.
    pub called: bool,
    /// True if the declaration gives it the name.
    pub declares: bool,
    /// Line of the source, from 1.
    pub line: usize,
    /// Byte offset of its path in the source.
    pub start: usize,
    /// Byte offset behind its name.
    pub end: usize,
}

impl<'a> Item<'a> {
    /// Identifiers and keywords in order, including the declaration's own name, without members of structures.
    pub fn references(&self) -> impl Iterator<Item = Reference<'a>> {
        let is = |at: Option<usize>, text: &str| {
            at.and_then(|k| self.tokens.get(k)).is_some_and(|t| t.text == text)
        };
        let words = self.tokens.iter().enumerate().filter(|(_, t)| t.kind == TokenKind::Word);
        // a word before `::` belongs to the next one
        let words = words.filter(move |(k, _)| !is(k.checked_sub(1), ".") && !is(Some(k + 1), "::"));
        words.map(move |(k, t)| {
            let module = k.checked_sub(2).filter(|_| is(k.checked_sub(1), "::")).map(|k| &self.tokens[k]);
            Reference {
                module: module.map(|m| m.text),
                name: t.text,
                called: is(Some(k + 1), "("),
                declares: t.start == self.name_start,
                line: t.line,
                start: module.map_or(t.start, |m| m.start),
                end: t.start + t.text.len(),
            }
        })
    }

    /// Syntax tree of a function.
    ///
    /// # Errors
    /// A construct outside the kernels' WGSL, with its line; an item that is no function.
    pub fn function(&self) -> Result<Function> {
        let mut parser = Parser::new(self.source, &self.tokens);
        let function = parser.function()?;
        parser.end()?;
        Ok(function)
    }
}

/// Declarations of a source, in order.
///
/// # Errors
/// Text that is no declaration, or an unfinished one, with its line.
pub fn items(source: &str) -> Result<Vec<Item<'_>>> {
    let all = tokens(source)?;
    let mut parser = Parser::new(source, &all);
    let mut found = Vec::new();
    while parser.at < all.len() {
        if parser.take(";") {
            continue;
        }
        let start = parser.at;
        parser.attributes()?;
        let kind = match parser.text() {
            "fn" => ItemKind::Function,
            "struct" => ItemKind::Structure,
            "const" => ItemKind::Constant,
            "override" => ItemKind::Override,
            "var" => ItemKind::Variable,
            "alias" => ItemKind::Alias,
            _ => return Err(parser.error("expected a declaration")),
        };
        parser.at += 1;
        if parser.text() == "<" {
            parser.skip_template()?;
        }
        let name_start = parser.peek(0).map_or(0, |t| t.start);
        let name = parser.word()?;
        skip_item(&mut parser, matches!(kind, ItemKind::Function | ItemKind::Structure))?;
        let tokens = all[start..parser.at].to_vec();
        found.push(Item {
            kind,
            name,
            text: parser.text_since(start),
            line: all[start].line,
            start: all[start].start,
            name_start,
            source,
            tokens,
        });
    }
    Ok(found)
}

/// Skips the rest of a declaration: to its closing brace, or to a semicolon.
fn skip_item(parser: &mut Parser<'_, '_>, braced: bool) -> Result<()> {
    let mut depth = 0usize;
    loop {
        let text = parser.text();
        depth = match text {
            "{" => depth + 1,
            "}" => depth.checked_sub(1).ok_or_else(|| parser.error("expected no '}'"))?,
            "" => return Err(parser.error(if braced { "expected '}'" } else { "expected ';'" })),
            _ => depth,
        };
        parser.at += 1;
        if depth == 0 && text == if braced { "}" } else { ";" } {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// a file\nconst A: u32 = B * 2u;\n@group(0) @binding(0) var<storage, read_write> d: array<f32>;\n\
                          struct S { x: f32, }\nalias T = vec3f;\n@compute @workgroup_size(1)\nfn main() { if (true) { d[A] = g(S(1.0).x); } }";

    #[test]
    fn names_every_kind_of_item() {
        let found = items(SOURCE).expect("good text");
        let names: Vec<_> = found.iter().map(|i| (i.kind, i.name, i.line)).collect();
        assert_eq!(
            names,
            [
                (ItemKind::Constant, "A", 2),
                (ItemKind::Variable, "d", 3),
                (ItemKind::Structure, "S", 4),
                (ItemKind::Alias, "T", 5),
                (ItemKind::Function, "main", 6)
            ]
        );
        assert_eq!(found[3].text, "alias T = vec3f;");
        assert!(found[4].function().is_ok() && found[0].function().is_err());
    }

    #[test]
    fn references_know_calls_and_leave_out_members() {
        let found = items(SOURCE).expect("good text");
        let names = |called| {
            let all = found[4].references().filter(move |r| r.called == called);
            all.map(|r| r.name).collect::<Vec<_>>()
        };
        assert_eq!(names(true), ["workgroup_size", "main", "if", "g", "S"]);
        assert_eq!(names(false), ["compute", "fn", "true", "d", "A"]);
    }

    #[test]
    fn references_have_paths() {
        let source = "fn f() { a::g(b :: c); }";
        let found = items(source).expect("good text");
        let names: Vec<_> =
            found[0].references().filter(|r| !r.declares).map(|r| (r.module, r.name)).collect();
        assert_eq!(names, [(None, "fn"), (Some("a"), "g"), (Some("b"), "c")]);
        let place = found[0].references().find(|r| r.name == "g").map(|r| &source[r.start..r.end]);
        assert_eq!(place, Some("a::g"));
    }

    #[test]
    fn errors_say_where() {
        for (text, message) in [
            ("\n}", "line 2: expected a declaration, found '}'"),
            ("fn f() {\n", "line 1: expected '}', found the end"),
            ("const a = 1u", "line 1: expected ';', found the end"),
        ] {
            assert_eq!(items(text).map_err(|e| e.to_string()), Err(message.to_string()));
        }
    }
}
