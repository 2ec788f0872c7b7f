//! Tokens of WGSL text.

use super::{Result, SyntaxError};

/// The comment that marks a loop for unrolling.
pub const UNROLL_DIRECTIVE: &str = "//#unroll";

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A keyword or an identifier.
    Word,
    /// A literal number with its suffix.
    Number,
    /// An operator or a bracket.
    Punctuation,
    /// [`UNROLL_DIRECTIVE`], alone on its line.
    Unroll,
}

/// A token and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Kind of the token.
    pub kind: TokenKind,
    /// Its text.
    pub text: &'a str,
    /// Line of the source, from 1.
    pub line: usize,
    /// Byte offset in the source, from 0.
    pub start: usize,
}

/// Operators of several characters, the longest first.
const OPERATORS: [&str; 22] = [
    "<<=", ">>=", "->", "::", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++", "--", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=",
];

/// Splits a source into tokens; comments are dropped.
///
/// # Errors
/// A character outside WGSL, or an unterminated comment.
pub fn tokens(source: &str) -> Result<Vec<Token<'_>>> {
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while let Some(rest) = source.get(at..).filter(|r| !r.is_empty()) {
        let error = |message: &str| SyntaxError { line, message: message.to_string() };
        let first = rest.as_bytes()[0];
        let (kind, length) = match first {
            b'\n' => {
                (at, line) = (at + 1, line + 1);
                continue;
            }
            _ if first.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ if rest.starts_with("//") => {
                let comment = rest.lines().next().unwrap_or("");
                let before = source[..at].rsplit('\n').next().unwrap_or("");
                if comment.trim_end() != UNROLL_DIRECTIVE || !before.trim().is_empty() {
                    at += comment.len();
                    continue;
                }
                (TokenKind::Unroll, UNROLL_DIRECTIVE.len())
            }
            _ if rest.starts_with("/*") => {
                let length = block_comment(rest).ok_or_else(|| error("a comment has no end"))?;
                line += rest[..length].matches('\n').count();
                at += length;
                continue;
            }
            _ if is_word(first) && !first.is_ascii_digit() => (TokenKind::Word, word(rest)),
            b'.' if rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => {
                (TokenKind::Number, number(rest))
            }
            _ if first.is_ascii_digit() => (TokenKind::Number, number(rest)),
            _ if first.is_ascii_punctuation() => {
                let long = OPERATORS.iter().find(|o| rest.starts_with(*o));
                (TokenKind::Punctuation, long.map_or(1, |o| o.len()))
            }
            _ => return Err(error("an unknown character")),
        };
        found.push(Token { kind, text: &rest[..length], line, start: at });
        at += length;
    }
    Ok(found)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Length of the word at the start.
fn word(text: &str) -> usize {
    text.bytes().position(|b| !is_word(b)).unwrap_or(text.len())
}

/// Length of the number at the start: digits, a point, an exponent with its sign, a suffix.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let exponents: &[u8] = if hexadecimal { b"pP" } else { b"eE" };
    let continues = |i: usize| {
        let signed = matches!(bytes[i], b'+' | b'-') && i > 0 && exponents.contains(&bytes[i - 1]);
        is_word(bytes[i]) || bytes[i] == b'.' || signed
    };
    (0..bytes.len()).find(|i| !continues(*i)).unwrap_or(bytes.len())
}

/// Length of the comment at the start; comments nest.
fn block_comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        let rest = text.as_bytes().get(at..)?;
        if rest.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += usize::from(!rest.is_empty());
            rest.first()?;
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).expect("good text").iter().map(|t| t.text).collect()
    }

    #[test]
    fn words_numbers_and_operators_are_told_apart() {
        assert_eq!(texts("a_1<=0x1Fu+1.5e-3f"), ["a_1", "<=", "0x1Fu", "+", "1.5e-3f"]);
        assert_eq!(texts("v.x-.5;i++"), ["v", ".", "x", "-", ".5", ";", "i", "++"]);
    }

    #[test]
    fn comments_are_dropped_and_lines_counted() {
        let found = tokens("a // b\n/* c\n/* d */ */ e\n    //#unroll\nf //#unroll").expect("good text");
        let places: Vec<_> = found.iter().map(|t| (t.text, t.line, t.kind)).collect();
        assert_eq!(
            places,
            [
                ("a", 1, TokenKind::Word),
                ("e", 3, TokenKind::Word),
                ("//#unroll", 4, TokenKind::Unroll),
                ("f", 5, TokenKind::Word)
            ]
        );
    }

    #[test]
    fn what_is_no_token_is_an_error() {
        assert_eq!(tokens("a\n é").map_err(|e| e.to_string()), Err("line 2: an unknown character".into()));
        assert!(tokens("/* a").is_err());
    }
}
