//! Output of the commands: text or JSON on standard output, notices and errors on standard error.

use std::cell::RefCell;
use std::io::{ErrorKind, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use manyworlds::error::{Error, Problem, Result};
use miette::Severity;
use serde::{Serialize, Serializer};

use super::problem::{self, visible};

/// Exit status where the reader of standard output has closed the pipe, as of a program that SIGPIPE ends.
pub(crate) const CLOSED_PIPE: u8 = 141;

/// Destination and form of the results.
pub(crate) struct Output {
    json: bool,
    strict: bool,
    /// Why standard output could not be written, if so.
    lost: RefCell<Option<String>>,
}

impl Output {
    /// `strict`: warnings about a model are errors.
    pub(crate) fn new(json: bool, strict: bool) -> Self {
        Self { json, strict, lost: RefCell::new(None) }
    }

    /// Text for people; nothing in the JSON form.
    pub(crate) fn text(&self, text: impl std::fmt::Display) {
        if !self.json {
            self.result(&visible(&text.to_string()));
        }
    }

    /// The object for programs; nothing in the text form.
    pub(crate) fn object(&self, value: &impl Serialize) {
        // only a map with keys other than strings could fail
        if self.json
            && let Ok(text) = serde_json::to_string(value)
        {
            self.result(&escaped(&text));
        }
    }

    /// A line of standard output. A closed pipe is the reader's choice, and ends the command; any other failure is printed
    /// at the end, since there may be files to be written.
    fn result(&self, line: &str) {
        self.written(writeln!(std::io::stdout(), "{line}"));
    }

    /// Takes note of what became of standard output.
    pub(crate) fn written(&self, done: std::io::Result<()>) {
        match done {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(CLOSED_PIPE.into()),
            Err(error) => {
                self.lost.borrow_mut().get_or_insert_with(|| error.to_string());
            }
        }
    }

    /// Tells that standard output could not be written; true if so.
    pub(crate) fn is_lost(&self) -> bool {
        let lost = self.lost.borrow();
        if let Some(why) = lost.as_ref() {
            self.notice(format_args!("error: standard output: {why}; results are missing there"));
        }
        lost.is_some()
    }

    /// A line that is not part of the result.
    pub(crate) fn notice(&self, text: impl std::fmt::Display) {
        diagnosed(visible(&text.to_string()));
    }

    /// An error; the problems of a model one by one.
    pub(crate) fn error(&self, error: &Error) {
        let problems = if let Error::Model(problems) = error { problems.as_slice() } else { &[] };
        let problems = problems.iter().map(ProblemObject::of).collect();
        self.object(&Failure { error: error.to_string(), problems });
        match error {
            Error::Model(problems) => {
                problems.iter().for_each(|p| self.problem(p, Severity::Error));
                // the last line must make sense alone in logs
                let count =
                    if problems.len() == 1 { "1 problem" } else { &format!("{} problems", problems.len()) };
                if let Some(first) = problems.first() {
                    self.notice(format_args!("{count}, the first: {first}"));
                }
            }
            _ => self.notice(format_args!("error: {error}")),
        }
    }

    /// Warnings about a model; errors if these are strict.
    pub(crate) fn warnings(&self, warnings: &[Problem]) -> Result<()> {
        if self.strict && !warnings.is_empty() {
            return Err(Error::Model(warnings.to_vec()));
        }
        warnings.iter().for_each(|w| self.problem(w, Severity::Warning));
        Ok(())
    }

    /// A problem with its line and a mark below it.
    fn problem(&self, problem: &Problem, severity: Severity) {
        // drawn with colours of its own
        diagnosed(problem::drawn(problem, severity));
    }

    /// Progress bar of long work; hidden if standard error is no terminal.
    pub(crate) fn progress(&self, steps: usize) -> ProgressBar {
        if !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left");
        let bar = ProgressBar::new(steps as u64);
        style.map(|s| bar.clone().with_style(s)).unwrap_or(bar)
    }
}

/// Writes a line to standard error, where a failure can be reported to nobody.
fn diagnosed(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// JSON with those control characters escaped that need not be, in strings, the only place where they can stand.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if ('\x7f'..='\u{9f}').contains(&c) {
            text.push_str(&format!("\\u{:04x}", c as u32));
        } else {
            text.push(c);
        }
    }
    text
}

/// Pairs of a name and a value as one JSON object, in their order.
pub(crate) fn pairs<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// JSON object of an error.
#[derive(Serialize)]
struct Failure<'a> {
    error: String,
    problems: Vec<ProblemObject<'a>>,
}

#[derive(Serialize)]
struct ProblemObject<'a> {
    file: String,
    line: u32,
    column: u32,
    text: &'a str,
    length: usize,
    message: &'a str,
    help: &'a str,
}

impl<'a> ProblemObject<'a> {
    fn of(problem: &'a Problem) -> Self {
        Self {
            file: problem.file.display().to_string(),
            line: problem.line,
            column: problem.column,
            text: &problem.text,
            length: problem.length,
            message: &problem.message,
            help: &problem.help,
        }
    }
}

/// A number with a prefix: `1.23 M`.
pub(crate) fn scaled(x: f64) -> String {
    let (divisor, prefix) = match x {
        x if x >= 1e9 => (1e9, " G"),
        x if x >= 1e6 => (1e6, " M"),
        x if x >= 1e3 => (1e3, " k"),
        _ => (1.0, " "),
    };
    format!("{:.2}{prefix}", x / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_not_sent() {
        assert_eq!(visible("a\x1b[31m\u{9b}2J\r\x07\x7f\tb\n\u{e9}"), "a␛[31m\u{fffd}2J␍␇␡\tb\n\u{e9}");
        assert_eq!(visible("\u{202e}cod.exe").chars().count(), 8);
        let json = escaped(&serde_json::to_string("a\x1b\u{9b}\x7f").unwrap_or_default());
        assert!(json.chars().all(|c| !c.is_control()), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).ok().as_deref(), Some("a\x1b\u{9b}\x7f"));
    }

    #[test]
    fn numbers_get_prefixes() {
        assert_eq!([scaled(5.7e6), scaled(1234.0), scaled(3.0)], ["5.70 M", "1.23 k", "3.00 "]);
    }
}
