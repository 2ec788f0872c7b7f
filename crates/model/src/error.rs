//! Errors of the library: values that say what is wrong, where, and what to do.

use std::path::PathBuf;

use crate::schema::Capacity;

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

/// Worlds in which contacts or rows were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// These worlds.
    pub worlds: Vec<usize>,
    /// Number of all worlds.
    pub of: usize,
    /// The most contacts and rows that one of them wanted.
    pub wanted: Capacity,
    /// What they have room for.
    pub capacity: Capacity,
}

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const NAMED: usize = 8;
        let Self { worlds, of, wanted, capacity } = self;
        let named: Vec<String> = worlds.iter().take(NAMED).map(ToString::to_string).collect();
        let more = if worlds.len() > NAMED { ", …" } else { "" };
        let noun = if *of == 1 { "world" } else { "worlds" };
        write!(
            f,
            "contacts or constraint rows were left out in {} of {of} {noun} ({}{more}): up to {} contacts and {} rows were \
             wanted, there is room for {} and {}",
            worlds.len(),
            named.join(", "),
            wanted.nconmax,
            wanted.njmax,
            capacity.nconmax,
            capacity.njmax
        )
    }
}

/// Anything that can go wrong in the library. More kinds may come.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model's text or its meaning is wrong; every problem that was found, in file order.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Model(Vec<Problem>),
    /// The model is valid, but uses something that the simulation does not support yet.
    #[error("{0}")]
    Unsupported(String),
    /// A file could not be read or written; see [`Error::io`] and [`Error::io_from`].
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
        /// The error of the system, where there is one.
        #[source]
        source: Option<std::io::Error>,
    },
    /// An argument is out of range, or an array has the wrong name, type or shape.
    #[error("{0}")]
    Argument(String),
    /// The motion leaves all bounds, so that what was asked for, such as a derivative, does not exist.
    #[error("{0}")]
    Diverged(String),
    /// Contacts or constraint rows were left out, where that is to be an error.
    #[error("{0}")]
    Overflow(Box<Dropped>),
    /// The memory of the machine does not suffice.
    #[error("{0}")]
    Memory(String),
    /// The GPU is missing, too small, lost, or refused a kernel; see [`Error::device`] and [`Error::device_from`].
    #[error("{reason}")]
    Device {
        /// Why.
        reason: String,
        /// The error of the driver's interface, where there is one.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl Error {
    /// A file that is not what it should be.
    pub fn io(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Io { path: path.into(), reason: reason.into(), source: None }
    }

    /// A file that the system does not give: `what` says what could not be done, such as "cannot be written"; it may be
    /// empty.
    pub fn io_from(path: impl Into<PathBuf>, what: &str, source: std::io::Error) -> Self {
        let reason = if what.is_empty() { source.to_string() } else { format!("{what}: {source}") };
        Self::Io { path: path.into(), reason, source: Some(source) }
    }

    /// A device that is missing, too small, lost, or refuses something.
    pub fn device(reason: impl Into<String>) -> Self {
        Self::Device { reason: reason.into(), source: None }
    }

    /// What the driver's interface does not do: `what` says what that was, such as "reading back failed".
    pub fn device_from(
        what: impl std::fmt::Display,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Self::Device { reason: format!("{what}: {source}"), source: Some(Box::new(source)) }
    }

    /// The same error, whose message goes on with a note.
    #[must_use]
    pub fn with_note(self, note: &str) -> Self {
        self.reworded(|text| format!("{text}; {note}"))
    }

    /// The same error, whose message begins with where it was found.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        self.reworded(|text| format!("{place}: {text}"))
    }

    /// The same error with another message, if it has only one.
    fn reworded(self, other: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Unsupported(text) => Self::Unsupported(other(text)),
            Self::Io { path, reason, source } => Self::Io { path, reason: other(reason), source },
            Self::Argument(text) => Self::Argument(other(text)),
            Self::Diverged(text) => Self::Diverged(other(text)),
            Self::Memory(text) => Self::Memory(other(text)),
            Self::Device { reason, source } => Self::Device { reason: other(reason), source },
            list @ (Self::Model(_) | Self::Overflow(_)) => list,
        }
    }
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

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn errors_of_a_device_have_their_cause_whatever_is_added_to_them() {
        let cause = || std::fmt::Error;
        let error =
            Error::device_from("reading back failed", cause()).within("world 3").with_note("try again");
        assert_eq!(error.to_string(), format!("world 3: reading back failed: {}; try again", cause()));
        assert!(error.source().is_some_and(|source| source.is::<std::fmt::Error>()));
        assert!(Error::device("no adapter").source().is_none());
    }
}
