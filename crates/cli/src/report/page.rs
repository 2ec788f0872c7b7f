//! The page of a report: one file without scripts, with headings, figures, tables, and a sentence under each figure. It is
//! HTML and well-formed XML at once.

use std::fmt::Write;
use std::time::SystemTime;

use super::text::escaped;
use crate::shared::version::REFERENCE;

/// How the page looks.
const STYLE: &str = include_str!("page.css");

/// A number or words in a tile, a fact or a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Words.
    Words(String),
    /// A figure of the verb: its name in the JSON object, the number, and how it is written.
    Figure(&'static str, f64, String),
}

impl Value {
    /// Words.
    pub(super) fn words(text: impl Into<String>) -> Self {
        Self::Words(text.into())
    }

    /// A figure of the JSON object, written in some way.
    pub(super) fn figure(name: &'static str, number: f64, text: impl Into<String>) -> Self {
        Self::Figure(name, number, text.into())
    }

    fn html(&self) -> String {
        match self {
            Self::Words(text) => escaped(text),
            Self::Figure(name, number, text) => {
                format!("<data class=\"{name}\" value=\"{number}\">{}</data>", escaped(text))
            }
        }
    }
}

/// What a word of a legend looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    /// A line in a colour of the palette.
    Line(usize),
    /// A dashed line in a colour.
    Dashed(usize),
    /// A filled area.
    Area(usize),
    /// A pale area.
    Pale(usize),
    /// A dot.
    Dot(usize),
    /// A ring.
    Ring(usize),
    /// A dashed line in the colour of the text.
    Limit,
}

/// Charts with a heading and a sentence that says what to see.
pub(super) struct Figure {
    /// Name in the page, for links and tests.
    pub(super) id: &'static str,
    pub(super) title: String,
    pub(super) legend: Vec<(Key, String)>,
    pub(super) charts: Vec<String>,
    pub(super) caption: String,
}

/// A page as it grows.
pub(crate) struct Page {
    title: String,
    body: String,
}

impl Page {
    /// A page with its title and a line below.
    pub(super) fn new(title: &str, about: &str) -> Self {
        let body = format!("<h1>{}</h1>\n<p class=\"about\">{}</p>\n", escaped(title), escaped(about));
        Self { title: title.to_owned(), body }
    }

    /// What to know before everything else.
    pub(super) fn warning(&mut self, text: &str) {
        self.push(format_args!("<p class=\"warn\">{}</p>\n", escaped(text)));
    }

    /// The most important figures, large, each with what it is.
    pub(super) fn tiles(&mut self, tiles: &[(&str, Value)]) {
        let each = tiles.iter().map(|(what, value)| {
            format!("<div><b>{}</b><span>{}</span></div>\n", value.html(), escaped(what))
        });
        let all: String = each.collect();
        self.push(format_args!("<div class=\"tiles\">\n{all}</div>\n"));
    }

    /// A heading.
    pub(super) fn section(&mut self, title: &str) {
        self.push(format_args!("<h2>{}</h2>\n", escaped(title)));
    }

    /// Names and values, one a line.
    pub(super) fn facts(&mut self, facts: &[(&str, Value)]) {
        let each = facts
            .iter()
            .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), value.html()));
        let all: String = each.collect();
        self.push(format_args!("<dl>\n{all}</dl>\n"));
    }

    /// A table; the first column holds names.
    pub(super) fn table(&mut self, id: &str, caption: &str, head: &[&str], rows: &[Vec<Value>]) {
        // words read from the left, numbers end on the right
        let has_figures = rows.iter().flatten().any(|cell| matches!(cell, Value::Figure(..)));
        let class = if has_figures { "" } else { " class=\"words\"" };
        let titles: String = head.iter().map(|title| format!("<th>{}</th>", escaped(title))).collect();
        let cells =
            |row: &Vec<Value>| row.iter().map(|c| format!("<td>{}</td>", c.html())).collect::<String>();
        let lines: String = rows.iter().map(|row| format!("<tr>{}</tr>\n", cells(row))).collect();
        self.push(format_args!(
            "<div class=\"scroll\"><table id=\"{id}\"{class}><caption>{}</caption>\n<thead><tr>{titles}</tr></thead>\n\
             <tbody>\n{lines}</tbody></table></div>\n",
            escaped(caption)
        ));
    }

    /// A figure; without a chart, `instead` stands in its place.
    pub(super) fn figure(&mut self, figure: Figure, instead: &str) {
        if figure.charts.is_empty() {
            self.none(instead);
            return;
        }
        let key = |(key, word): &(Key, String)| {
            let (class, place) = match key {
                Key::Line(c) => ("line", Some(c)),
                Key::Dashed(c) => ("dash", Some(c)),
                Key::Area(c) => ("area", Some(c)),
                Key::Pale(c) => ("pale", Some(c)),
                Key::Dot(c) => ("dot", Some(c)),
                Key::Ring(c) => ("ring", Some(c)),
                Key::Limit => ("dash", None),
            };
            let color = place.map_or("ink".to_owned(), |c| (c % super::canvas::COLORS).to_string());
            let pale = if class == "pale" { " style=\"opacity:.3\"" } else { "" };
            format!("<span><i class=\"{class} k{color}\"{pale}></i>{}</span>\n", escaped(word))
        };
        let keys: String = figure.legend.iter().map(key).collect();
        let legend = if keys.is_empty() { keys } else { format!("<div class=\"legend\">\n{keys}</div>\n") };
        self.push(format_args!(
            "<figure id=\"{}\">\n<h3>{}</h3>\n{legend}<div class=\"charts\">\n{}</div>\n\
             <figcaption>{}</figcaption>\n</figure>\n",
            figure.id,
            escaped(&figure.title),
            figure.charts.concat(),
            escaped(&figure.caption)
        ));
    }

    /// A sentence in place of what is missing.
    pub(super) fn none(&mut self, text: &str) {
        self.push(format_args!("<p class=\"none\">{}</p>\n", escaped(text)));
    }

    /// The file: with the command, the version and the time below.
    pub(super) fn html(&self) -> String {
        let Self { title, body } = self;
        let command: Vec<String> = std::env::args().skip(1).map(|word| quoted(&word)).collect();
        let time = humantime::format_rfc3339_seconds(SystemTime::now());
        format!(
            "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n{body}<footer><p><code>manyworlds {}</code></p>\n\
             <p>manyworlds {}, reference {}. {time}.</p></footer>\n</body>\n</html>\n",
            escaped(title),
            escaped(&command.join(" ")),
            env!("CARGO_PKG_VERSION"),
            REFERENCE,
        )
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // a string takes everything
        let _ = self.body.write_fmt(text);
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn names_of_models_cannot_leave_their_place() {
        let sly = "</style><script>alert(1)</script>\x1b[2J\u{ffff}\"&'\n";
        let mut page = Page::new(sly, sly);
        page.tiles(&[(sly, Value::words(sly))]);
        page.facts(&[(sly, Value::figure("speed", 1.5, sly))]);
        page.table("t", sly, &[sly], &[vec![Value::words(sly)]]);
        let figure = |charts| Figure {
            id: "f",
            title: sly.to_owned(),
            legend: vec![(Key::Limit, sly.to_owned())],
            charts,
            caption: sly.to_owned(),
        };
        page.figure(figure(vec!["<svg/>".to_owned()]), sly);
        page.figure(figure(Vec::new()), sly);
        let html = page.html();
        assert!(!html.contains("<script") && !html.contains('\x1b'), "{html}");
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let read = roxmltree::Document::parse_with_options(&html, options).unwrap();
        let count = |tag: &str| read.descendants().filter(|n| n.tag_name().name() == tag).count();
        // a figure without charts is a sentence
        assert_eq!((count("figure"), count("script"), count("data")), (1, 0, 1));
    }

    #[test]
    fn a_command_is_written_as_a_shell_takes_it() {
        assert_eq!(["a.xml", "it's", "", "x y"].map(quoted), ["a.xml", "'it'\\''s'", "''", "'x y'"]);
    }
}
