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
    /// The memory of the machine does not suffice.
    #[error("{0}")]
    Memory(String),
    /// The GPU is missing, too small, lost, or refused a kernel.
    #[error("{0}")]
    Device(String),
}

/// Result with the library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// `; did you mean 'x'?` if one of the names is close, else empty.
pub fn suggest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let near = names.map(|n| (strsim::damerau_levenshtein(word, n), n)).min();
    match near {
        Some((distance, name)) if distance <= 2.max(word.len() / 3) => format!("; did you mean '{name}'?"),
        _ => String::new(),
    }
}
