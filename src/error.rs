//! Errors of the library: values that say what is wrong, where, and what to do.

use std::path::PathBuf;

/// A problem at a place in a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// File that holds the text.
    pub file: PathBuf,
    /// Line, from 1; 0 when the whole file is meant.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The line of text, to be shown with a caret below it.
    pub text: String,
    /// Length of the marked span in characters, at least 1.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // what was built in code is in no file
        if !self.file.as_os_str().is_empty() {
            write!(f, "{}", self.file.display())?;
            if self.line > 0 {
                write!(f, ":{}:{}", self.line, self.column)?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        if !self.help.is_empty() {
            write!(f, " ({})", self.help)?;
        }
        Ok(())
    }
}

impl Problem {
    /// The line of text with a caret below the marked span; empty where there is no line.
    ///
    /// ```
    /// # use manyworlds::{load_str, error::Error};
    /// let Err(Error::Model(problems)) = load_str("<mujoco><worldbody><geom sise='1'/></worldbody></mujoco>")
    /// else { panic!() };
    /// assert_eq!(
    ///     problems[0].excerpt(),
    ///     "1 | <mujoco><worldbody><geom sise='1'/></worldbody></mujoco>\n  |                          ^^^^"
    /// );
    /// ```
    pub fn excerpt(&self) -> String {
        if self.line == 0 {
            return String::new();
        }
        // a long line is cut around the span
        let skip = (self.column as usize - 1).saturating_sub(EXCERPT_BEFORE);
        let line: String = self.text.chars().skip(skip).take(EXCERPT).collect();
        let before = self.column as usize - 1 - skip;
        let marked = self.length.clamp(1, line.chars().count().saturating_sub(before).max(1));
        // tabs stay tabs, so that the caret stands below its character
        let pad: String = line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let (number, margin) = (self.line, " ".repeat(self.line.to_string().len()));
        format!("{number} | {line}\n{margin} | {pad}{}", "^".repeat(marked))
    }
}

/// Longest part of a line that an excerpt shows, and of what is before the span.
const EXCERPT: usize = 110;
const EXCERPT_BEFORE: usize = 70;

/// Anything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The model's text or its meaning is wrong; every problem that was found, in file order.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Model(Vec<Problem>),
    /// The model is valid, but uses something that the simulation does not support yet.
    #[error("{0}")]
    Unsupported(String),
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// An argument is out of range, or an array has the wrong name, type or shape.
    #[error("{0}")]
    Argument(String),
    /// The GPU is missing, too small, lost, or refused a kernel.
    #[error("{0}")]
    Device(String),
}

/// Result with the library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
