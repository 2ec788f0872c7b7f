//! Syntax tree of WGSL, as far as the kernels use it.
//!
//! [`items`] splits a source into its declarations by tokens alone, which is all that a linker needs;
//! [`Item::function`] parses the body of a function into a tree, which [`print_function`] prints again. Types stay
//! text, and nothing is checked beyond the grammar: naga does that. Constructs that the kernels do not use
//! (`continuing`, pointers in types of values, templates of names other than the predeclared ones) are rejected with
//! a line number.
//!
//! The comment `//#unroll` on a line of its own belongs to the language here: an attribute of the `for` loop below
//! it.

mod expression;
mod item;
mod operator;
mod print;
mod statement;
mod token;
mod tree;

pub use item::{Item, ItemKind, Reference, items};
pub use operator::{BinaryOperator, UnaryOperator};
pub use print::print_function;
pub use token::{Token, TokenKind, UNROLL_DIRECTIVE, tokens};
pub use tree::{Block, Call, Case, Declaration, Expression, ForLoop, Function, Keyword, Statement};

/// A syntax error and its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SyntaxError {
    /// Line of the text, from 1.
    pub line: usize,
    /// Description of the error.
    pub message: String,
}

/// Result with a [`SyntaxError`].
pub type Result<T> = std::result::Result<T, SyntaxError>;

/// Parses an expression.
///
/// # Errors
/// Text that is no expression of the kernels' WGSL.
pub fn expression(source: &str) -> Result<Expression> {
    let tokens = tokens(source)?;
    let mut parser = Parser::new(source, &tokens);
    let expression = parser.expression()?;
    parser.end()?;
    Ok(expression)
}

/// Parser state: a position in the tokens of a source; the grammar is in `expression` and `statement`.
struct Parser<'a, 't> {
    source: &'a str,
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a, 't> Parser<'a, 't> {
    fn new(source: &'a str, tokens: &'t [Token<'a>]) -> Self {
        Self { source, tokens, at: 0 }
    }

    /// The token `ahead` of the next one.
    fn peek(&self, ahead: usize) -> Option<&'t Token<'a>> {
        self.tokens.get(self.at + ahead)
    }

    /// Text of the next token; empty at the end.
    fn text(&self) -> &'a str {
        self.peek(0).map_or("", |t| t.text)
    }

    /// Consumes the next token if it is `wanted`.
    fn take(&mut self, wanted: &str) -> bool {
        let found = self.text() == wanted;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &str) -> Result<()> {
        if self.take(wanted) { Ok(()) } else { Err(self.error(&format!("expected '{wanted}'"))) }
    }

    /// The next token, which must be a word.
    fn word(&mut self) -> Result<&'a str> {
        match self.peek(0).filter(|t| t.kind == TokenKind::Word) {
            Some(token) => {
                self.at += 1;
                Ok(token.text)
            }
            None => Err(self.error("expected a name")),
        }
    }

    fn end(&self) -> Result<()> {
        if self.at == self.tokens.len() { Ok(()) } else { Err(self.error("expected the end")) }
    }

    /// An error at the next token.
    fn error(&self, message: &str) -> SyntaxError {
        let place = self.peek(0).or(self.tokens.last());
        let found = self.peek(0).map_or("the end".to_string(), |t| format!("'{}'", t.text));
        SyntaxError { line: place.map_or(1, |t| t.line), message: format!("{message}, found {found}") }
    }

    /// A type, as its text.
    fn type_text(&mut self) -> Result<String> {
        let start = self.at;
        self.word()?;
        if self.text() == "<" {
            self.skip_template()?;
        }
        Ok(self.text_since(start).to_string())
    }

    /// Skips the arguments of a template, from `<` to `>`.
    fn skip_template(&mut self) -> Result<()> {
        let mut depth = 0usize;
        loop {
            let closed = match self.text() {
                "<" => {
                    depth += 1;
                    0
                }
                ">" => 1,
                ">>" => 2,
                "" | ";" | "{" | "}" => return Err(self.error("expected '>'")),
                _ => 0,
            };
            depth = depth.checked_sub(closed).ok_or_else(|| self.error("expected no '>'"))?;
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Source text from the token at `start` to the last one consumed.
    fn text_since(&self, start: usize) -> &'a str {
        match (self.tokens.get(start), self.at.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) => {
                self.source.get(first.start..last.start + last.text.len()).unwrap_or("")
            }
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::conditions::preprocess;
    use crate::codegen::link::Library;
    use crate::codegen::namespace::File;
    use manyworlds_kernels::KERNELS;
    use manyworlds_shaders::LIBRARY;

    /// Flags of all blocks of a text, on or off.
    fn blocks(source: &str, on: bool) -> String {
        let names = source.to_owned().leak().lines().filter_map(|l| l.trim().strip_prefix("//#if "));
        let flags = names.map(|name| (name.trim_start_matches('!').trim(), on)).collect();
        preprocess(source, &flags).expect("well-formed blocks")
    }

    #[test]
    fn every_function_of_the_kernels_survives_being_written() {
        let mut functions = 0;
        let sources: Vec<_> =
            LIBRARY.iter().chain(KERNELS).map(|s| (s.path, s.text().expect("a text"))).collect();
        for on in [true, false] {
            let texts: Vec<String> = sources.iter().map(|(_, source)| blocks(source, on)).collect();
            let files = sources.iter().zip(&texts).map(|((path, source), text)| File { path, source, text });
            let library = Library::new(&files.collect::<Vec<_>>()).expect("good names");
            for text in library.functions() {
                let function = items(text).and_then(|i| i[0].function()).expect(text);
                let written = print_function(&function);
                let again = items(&written).and_then(|i| i[0].function());
                assert_eq!(again.as_ref(), Ok(&function), "{written}");
                functions += 1;
            }
        }
        assert!(functions > 500, "{functions}");
    }
}
