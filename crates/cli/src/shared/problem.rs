//! Problems of a model, drawn by miette with the line and a mark below it; text without control characters.

use std::io::IsTerminal;

use manyworlds::error::Problem;
use miette::{
    GraphicalTheme, LabeledSpan, MietteDiagnostic, MietteError, MietteHandler, MietteHandlerOpts,
    MietteSpanContents, Report, ReportHandler, Severity, SourceCode, SourceSpan, SpanContents,
    ThemeCharacters,
};

/// Longest excerpt of a line, and of the text before the marked span, in characters.
const EXCERPT: usize = 110;
const EXCERPT_BEFORE: usize = 70;

/// Drawing style: coloured and wrapped on a terminal, plain text in whole lines elsewhere.
fn drawing() -> MietteHandler {
    let terminal = std::io::stderr().is_terminal();
    let mut theme = if terminal { GraphicalTheme::default() } else { GraphicalTheme::none() };
    // a word that can be searched for in logs, not a symbol
    let (error, warning) = ("error:".to_owned(), "warning:".to_owned());
    theme.characters = ThemeCharacters { error, warning, ..theme.characters };
    MietteHandlerOpts::new().graphical_theme(theme).wrap_lines(terminal).context_lines(0).build()
}

/// A problem with its line and a mark below it.
pub(crate) fn drawn(problem: &Problem, severity: Severity) -> impl std::fmt::Display {
    let report = report(&shown(problem), severity);
    std::fmt::from_fn(move |f| drawing().debug(report.as_ref(), f))
}

/// A problem without control characters: what is drawn has those of its colours only.
fn shown(problem: &Problem) -> Problem {
    Problem {
        file: visible(&problem.file.to_string_lossy()).into(),
        text: visible(&problem.text),
        message: visible(&problem.message),
        help: visible(&problem.help),
        ..*problem
    }
}

/// A problem as miette draws it.
fn report(problem: &Problem, severity: Severity) -> Report {
    // without a line to draw, the position goes into the message
    let draws = problem.line > 0 && !problem.text.is_empty();
    let message = if draws {
        problem.message.clone()
    } else {
        Problem { help: String::new(), ..problem.clone() }.to_string()
    };
    let mut drawn = MietteDiagnostic::new(message).with_severity(severity);
    if !problem.help.is_empty() {
        drawn = drawn.with_help(&problem.help);
    }
    if !draws {
        return Report::new(drawn);
    }
    let line = Line::of(problem);
    Report::new(drawn.with_label(LabeledSpan::at(line.marked.clone(), "here"))).with_source_code(line)
}

/// The text with a picture in place of each character that would control a terminal or turn the direction of writing:
/// names and values come from models.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(picture).collect()
}

/// One character for each, so that columns stay the same.
fn picture(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        // pictures of the control characters stand in their order
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// The only known line, cut around the marked span if long.
struct Line {
    file: String,
    /// Line number, from 0.
    line: usize,
    /// Column of the span, from 0.
    column: usize,
    text: String,
    /// Marked span, in bytes of the text.
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
        let drawn = |problem: &Problem| super::drawn(problem, Severity::Error).to_string();
        let text = drawn(&problem);
        for part in ["error: unknown attribute 'sise'", "a.xml:12:8", "12 |", "did you mean 'size'?"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        // control characters of the model are pictures, each in its column
        let sly = Problem { text: "  <g\x1b[2J sise='1'/>".to_owned(), ..problem.clone() };
        let text = drawn(&Problem { message: "unknown 'x\u{9b}31m'".to_owned(), ..sly });
        assert!(text.contains("<g␛[2J") && !text.contains(['\x1b', '\u{9b}']), "{text}");
        // a long line is cut, its position is not
        let long = Problem { column: 1008, text: " ".repeat(1000) + &problem.text, ..problem.clone() };
        let text = drawn(&long);
        assert!(text.contains("a.xml:12:1008") && text.lines().all(|l| l.chars().count() < 130), "{text}");
        // without a line there is nothing to draw
        let whole = drawn(&Problem { line: 0, ..problem.clone() });
        assert!(whole.contains("error: a.xml: unknown attribute") && !whole.contains("12 |"), "{whole}");
        let bare = drawn(&Problem { text: String::new(), ..problem });
        assert!(bare.contains("error: a.xml:12:8: unknown attribute") && !bare.contains("12 |"), "{bare}");
    }
}
