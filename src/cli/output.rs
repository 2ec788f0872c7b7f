//! What the commands print: text or JSON on standard output, notices and errors on standard error.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use manyworlds::error::{Error, Problem};
use miette::{
    GraphicalTheme, LabeledSpan, MietteDiagnostic, MietteError, MietteHandler, MietteHandlerOpts,
    MietteSpanContents, Report, ReportHandler, Severity, SourceCode, SourceSpan, SpanContents,
    ThemeCharacters,
};
use serde::{Serialize, Serializer};

/// Longest part of a line that is drawn, and of what is before the marked span, in characters.
const EXCERPT: usize = 110;
const EXCERPT_BEFORE: usize = 70;

/// Where results go, and in what form.
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Text for people; nothing in the JSON form.
    pub(super) fn text(&self, text: impl std::fmt::Display) {
        if !self.json {
            write_line(std::io::stdout(), text);
        }
    }

    /// The object for programs; nothing in the text form.
    pub(super) fn object(&self, value: &impl Serialize) {
        // only a map whose keys are no text could fail
        if self.json
            && let Ok(text) = serde_json::to_string(value)
        {
            write_line(std::io::stdout(), text);
        }
    }

    /// A line that is not part of the result.
    pub(super) fn notice(&self, text: impl std::fmt::Display) {
        write_line(std::io::stderr(), text);
    }

    /// An error; problems of a model one by one.
    pub(super) fn error(&self, error: &Error) {
        let problems = if let Error::Model(problems) = error { problems.as_slice() } else { &[] };
        let problems = problems.iter().map(ProblemObject::of).collect();
        self.object(&Failure { error: error.to_string(), problems });
        match error {
            Error::Model(problems) => {
                problems.iter().for_each(|p| self.problem(p, Severity::Error));
                // the last line stands alone in logs
                let count =
                    if problems.len() == 1 { "1 problem" } else { &format!("{} problems", problems.len()) };
                if let Some(first) = problems.first() {
                    self.notice(format_args!("{count}, the first: {first}"));
                }
            }
            _ => self.notice(format_args!("error: {error}")),
        }
    }

    /// What was questionable about a model.
    pub(super) fn warnings(&self, warnings: &[Problem]) {
        warnings.iter().for_each(|w| self.problem(w, Severity::Warning));
    }

    /// A problem with its line and a mark below it.
    fn problem(&self, problem: &Problem, severity: Severity) {
        self.notice(drawn(&report(problem, severity)));
    }

    /// A bar for long work; hidden where standard error is no terminal.
    pub(super) fn progress(&self, steps: usize) -> ProgressBar {
        if !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left");
        let bar = ProgressBar::new(steps as u64);
        style.map(|s| bar.clone().with_style(s)).unwrap_or(bar)
    }
}

/// A closed pipe is the reader's choice, not an error.
fn write_line(mut to: impl Write, text: impl std::fmt::Display) {
    let _ = writeln!(to, "{text}");
}

/// Pairs of a name and a value as one object, in their order.
pub(super) fn pairs<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// What a program is told of an error.
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

/// How problems are drawn: in colour and wrapped on a terminal, in plain letters and whole lines elsewhere.
fn drawing() -> MietteHandler {
    let terminal = std::io::stderr().is_terminal();
    let mut theme = if terminal { GraphicalTheme::default() } else { GraphicalTheme::none() };
    // a word, which logs are searched for, and not a sign
    let (error, warning) = ("error:".to_owned(), "warning:".to_owned());
    theme.characters = ThemeCharacters { error, warning, ..theme.characters };
    MietteHandlerOpts::new().graphical_theme(theme).wrap_lines(terminal).context_lines(0).build()
}

fn drawn(report: &Report) -> impl std::fmt::Display {
    std::fmt::from_fn(|f| drawing().debug(report.as_ref(), f))
}

/// A problem as miette draws it.
fn report(problem: &Problem, severity: Severity) -> Report {
    // without a line to draw, the file goes into the message
    let place = (problem.line == 0 && !problem.file.as_os_str().is_empty())
        .then(|| format!("{}: ", problem.file.display()));
    let message = place.unwrap_or_default() + &problem.message;
    let mut drawn = MietteDiagnostic::new(message).with_severity(severity);
    if !problem.help.is_empty() {
        drawn = drawn.with_help(&problem.help);
    }
    if problem.line == 0 {
        return Report::new(drawn);
    }
    let line = Line::of(problem);
    Report::new(drawn.with_label(LabeledSpan::at(line.marked.clone(), "here"))).with_source_code(line)
}

/// The one line that is known, cut around the marked span where it is long.
struct Line {
    file: String,
    /// From 0.
    line: usize,
    /// Of the span, from 0.
    column: usize,
    text: String,
    /// Bytes of the text.
    marked: std::ops::Range<usize>,
}

impl Line {
    fn of(problem: &Problem) -> Self {
        let column = problem.column.saturating_sub(1) as usize;
        let skip = column.saturating_sub(EXCERPT_BEFORE);
        let text: String = problem.text.chars().skip(skip).take(EXCERPT).collect();
        // columns count characters
        let bytes = |n: usize| text.chars().take(n).map(char::len_utf8).sum();
        let marked = bytes(column - skip)..bytes(column - skip + problem.length.max(1));
        let (file, line) = (problem.file.display().to_string(), problem.line as usize - 1);
        Self { file, line, column, marked, text }
    }
}

impl SourceCode for Line {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (name, text) = (self.file.clone(), self.text.as_bytes());
        let span = SourceSpan::from(0..text.len());
        Ok(Box::new(MietteSpanContents::new_named(name, text, span, self.line, self.column, 1)))
    }
}

/// A number with a prefix: `1.23 M`.
pub(super) fn scaled(x: f64) -> String {
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
    fn a_problem_is_drawn_with_its_line_and_number() {
        let problem = Problem {
            file: "a.xml".into(),
            line: 12,
            column: 8,
            text: "  <geé sise='1'/>".to_owned(),
            length: 4,
            message: "unknown attribute 'sise'".to_owned(),
            help: "did you mean 'size'?".to_owned(),
        };
        let drawn = |problem: &Problem| drawn(&report(problem, Severity::Error)).to_string();
        let text = drawn(&problem);
        for part in ["error: unknown attribute 'sise'", "a.xml:12:8", "12 |", "did you mean 'size'?"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        // a long line is cut, its place is not
        let long = Problem { column: 1008, text: " ".repeat(1000) + &problem.text, ..problem.clone() };
        let text = drawn(&long);
        assert!(text.contains("a.xml:12:1008") && text.lines().all(|l| l.chars().count() < 130), "{text}");
        // without a line there is nothing to draw
        let whole = drawn(&Problem { line: 0, ..problem });
        assert!(whole.contains("a.xml: unknown attribute") && !whole.contains("12 |"), "{whole}");
    }

    #[test]
    fn numbers_get_prefixes() {
        assert_eq!([scaled(5.7e6), scaled(1234.0), scaled(3.0)], ["5.70 M", "1.23 k", "3.00 "]);
    }
}
