//! What the commands print: text or JSON on standard output, notices and errors on standard error.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use manyworlds::error::{Error, Problem};
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
};
use serde_json::{Value, json};

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
    pub(super) fn object(&self, value: &Value) {
        if self.json {
            write_line(std::io::stdout(), value);
        }
    }

    /// A line that is not part of the result.
    pub(super) fn notice(&self, text: impl std::fmt::Display) {
        write_line(std::io::stderr(), text);
    }

    /// An error; problems of a model one by one.
    pub(super) fn error(&self, error: &Error) {
        self.object(&json!({ "error": error.to_string(), "problems": problems(error) }));
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

    /// A problem with its line and a caret: drawn on a terminal, plain elsewhere.
    fn problem(&self, problem: &Problem, severity: Severity) {
        if std::io::stderr().is_terminal() {
            self.notice(format_args!(
                "{:?}",
                miette::Report::new(RenderedProblem(problem.clone(), severity))
            ));
            return;
        }
        let word = if severity == Severity::Error { "error" } else { "warning" };
        self.notice(format_args!("{word}: {problem}"));
        let excerpt = problem.excerpt();
        if !excerpt.is_empty() {
            self.notice(format_args!("{excerpt}"));
        }
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

fn problems(error: &Error) -> Vec<Value> {
    let Error::Model(problems) = error else { return Vec::new() };
    let of = |p: &Problem| {
        json!({
            "file": p.file.display().to_string(),
            "line": p.line,
            "column": p.column,
            "text": p.text,
            "length": p.length,
            "message": p.message,
            "help": p.help,
        })
    };
    problems.iter().map(of).collect()
}

/// A problem as miette draws it.
#[derive(Debug)]
struct RenderedProblem(Problem, Severity);

impl std::fmt::Display for RenderedProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // without a line to draw, the file goes into the message
        if self.0.line == 0 {
            write!(f, "{}: ", self.0.file.display())?;
        }
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for RenderedProblem {}

impl Diagnostic for RenderedProblem {
    fn severity(&self) -> Option<Severity> {
        Some(self.1)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        (!self.0.help.is_empty()).then(|| Box::new(&self.0.help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        (self.0.line > 0).then_some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.0.line == 0 {
            return None;
        }
        let (start, length) = self.span();
        Some(Box::new(std::iter::once(LabeledSpan::new(Some("here".to_owned()), start, length))))
    }
}

impl RenderedProblem {
    /// The marked bytes of the line: columns count characters.
    fn span(&self) -> (usize, usize) {
        let skip = self.0.column.saturating_sub(1) as usize;
        let start: usize = self.0.text.chars().take(skip).map(char::len_utf8).sum();
        let length: usize =
            self.0.text.chars().skip(skip).take(self.0.length.max(1)).map(char::len_utf8).sum();
        (start, length)
    }
}

impl SourceCode for RenderedProblem {
    /// The one line that is known, under its number in the file.
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let p = &self.0;
        let span = SourceSpan::new(0.into(), p.text.len());
        let (name, line) = (p.file.display().to_string(), p.line.saturating_sub(1) as usize);
        Ok(Box::new(MietteSpanContents::new_named(name, p.text.as_bytes(), span, line, 0, 1)))
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
        let mut text = String::new();
        let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor());
        assert!(handler.render_report(&mut text, &RenderedProblem(problem, Severity::Error)).is_ok());
        for part in ["unknown attribute 'sise'", "a.xml:12", "12 │", "did you mean 'size'?"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn numbers_get_prefixes() {
        assert_eq!([scaled(5.7e6), scaled(1234.0), scaled(3.0)], ["5.70 M", "1.23 k", "3.00 "]);
    }
}
