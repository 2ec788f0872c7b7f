//! Source locations, and the log of problems.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use manyworlds_model::error::{Error, Problem};

/// A byte range in one of a model's source files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// File number; 0 for none.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A source file, or a text passed in.
#[derive(Clone, Debug)]
pub struct Source {
    /// File number in spans, unique within the process so that models can be combined.
    pub file: u32,
    /// Path shown in messages.
    pub path: PathBuf,
    /// Full text.
    pub text: String,
}

impl Source {
    /// Line and column of a byte, both from 1, and the text of the line.
    pub fn locate(&self, byte: usize) -> (u32, u32, &str) {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &self.text[..byte];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.matches('\n').count() + 1;
        let column = self.text[start..byte].chars().count() + 1;
        let text = self.text[start..].lines().next().unwrap_or("");
        (line as u32, column as u32, text)
    }
}

/// Source files of a model and the problems found in them.
#[derive(Debug, Default)]
pub struct Log {
    sources: RefCell<Vec<Source>>,
    problems: RefCell<Vec<(Span, String, String)>>,
    warnings: RefCell<Vec<(Span, String, String)>>,
}

/// Longest list of problems; a file with more is better repaired step by step.
const MAX_PROBLEMS: usize = 100;

impl Log {
    /// A log that continues with the files of a parsed model.
    pub fn of(sources: &[Source]) -> Self {
        Self { sources: RefCell::new(sources.to_vec()), ..Self::default() }
    }

    /// Adds a file; returns its number.
    pub fn add_source(&self, path: PathBuf, text: String) -> u32 {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let file = NEXT.fetch_add(1, Ordering::Relaxed);
        self.sources.borrow_mut().push(Source { file, path, text });
        file
    }

    /// A copy of the files.
    pub fn sources(&self) -> Vec<Source> {
        self.sources.borrow().clone()
    }

    /// Text of a file.
    pub fn text(&self, file: u32) -> String {
        find(&self.sources.borrow(), file).map_or_else(String::new, |s| s.text.clone())
    }

    /// Path of a file.
    pub fn path(&self, file: u32) -> PathBuf {
        find(&self.sources.borrow(), file).map_or_else(PathBuf::new, |s| s.path.clone())
    }

    /// `file:line:column` of a span.
    pub fn place(&self, span: Span) -> String {
        let sources = self.sources.borrow();
        find(&sources, span.file).map_or_else(String::new, |source| {
            let (line, column, _) = source.locate(span.start as usize);
            format!("{}:{line}:{column}", source.path.display())
        })
    }

    /// Reports an error.
    pub fn add(&self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        note(&mut self.problems.borrow_mut(), (span, message.into(), help.into()));
    }

    /// Reports a warning.
    pub fn warn(&self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        note(&mut self.warnings.borrow_mut(), (span, message.into(), help.into()));
    }

    /// All warnings in file order.
    pub fn warnings(&self) -> Vec<Problem> {
        located(&self.sources.borrow(), self.warnings.borrow().clone())
    }

    /// True if the list is full, so that further checks are useless.
    pub fn is_full(&self) -> bool {
        self.problems.borrow().len() >= MAX_PROBLEMS
    }

    /// True if there are no errors so far.
    pub fn is_clean(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// All errors in file order, or `Ok` if there are none.
    pub fn check(&self) -> Result<(), Error> {
        let problems = self.problems.borrow().clone();
        if problems.is_empty() {
            return Ok(());
        }
        Err(Error::Model(located(&self.sources.borrow(), problems)))
    }
}

/// The file with a number.
fn find(sources: &[Source], file: u32) -> Option<&Source> {
    sources.iter().find(|s| s.file == file)
}

/// Appends a new entry unless the list is full.
fn note(list: &mut Vec<(Span, String, String)>, entry: (Span, String, String)) {
    if list.len() < MAX_PROBLEMS && !list.contains(&entry) {
        list.push(entry);
    }
}

/// Problems with their locations, in file order.
fn located(sources: &[Source], mut entries: Vec<(Span, String, String)>) -> Vec<Problem> {
    entries.sort_by_key(|e| (e.0.file, e.0.start));
    entries.into_iter().map(|(span, message, help)| problem(sources, span, message, help)).collect()
}

fn problem(sources: &[Source], span: Span, message: String, help: String) -> Problem {
    let Some(source) = find(sources, span.file) else {
        return Problem {
            file: PathBuf::new(),
            line: 0,
            column: 0,
            text: String::new(),
            length: 1,
            message,
            help,
        };
    };
    let (line, column, text) = source.locate(span.start as usize);
    // the marked range ends with its line
    let rest = text.chars().count().saturating_sub(column as usize - 1);
    let marked = source.text.get(span.start as usize..span.end as usize).unwrap_or("");
    let length = marked.chars().take_while(|&c| c != '\n').count().clamp(1, rest.max(1));
    let text = text.chars().take(400).collect();
    Problem { file: source.path.clone(), line, column, text, length, message, help }
}

/// `did you mean 'x'?` if one of the words is close.
pub fn did_you_mean<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<String> {
    // compare only the start of long words: megabyte names cost nothing
    let word: String = word.chars().take(100).collect();
    let near = words
        .take(2_000)
        .map(|w| (strsim::damerau_levenshtein(&word, &w.chars().take(100).collect::<String>()), w))
        .min()?;
    (near.0 <= 1 + near.1.chars().count() / 4 && near.0 > 0).then(|| format!("did you mean '{}'?", near.1))
}
