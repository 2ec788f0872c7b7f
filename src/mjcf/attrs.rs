//! Typed reading of attributes: every mistake is noted with its place and what would be right.

use super::schema::short;
use super::source::{Log, Span, did_you_mean};
use super::xml::{Attr, Tree};

/// Most numbers in a list without a fixed length.
const MAX_LIST: usize = 10_000_000;

/// An element while it is read.
#[derive(Clone, Copy)]
pub struct El<'a> {
    /// Where problems go.
    pub log: &'a Log,
    /// The tree that it is in.
    pub tree: &'a Tree,
    /// Its index.
    pub id: usize,
}

impl<'a> El<'a> {
    /// Name of the element.
    pub fn tag(self) -> &'a str {
        &self.tree.nodes[self.id].tag
    }

    /// Place of the element.
    pub fn span(self) -> Span {
        self.tree.nodes[self.id].span
    }

    /// Child elements.
    pub fn children(self) -> impl DoubleEndedIterator<Item = El<'a>> {
        self.tree.nodes[self.id].children.iter().map(move |&id| El { id, ..self })
    }

    /// The attribute of a name.
    pub fn attr(self, name: &str) -> Option<&'a Attr> {
        self.tree.nodes[self.id].attr(name)
    }

    /// Place of an attribute's value, or of the element without it.
    pub fn at(self, name: &str) -> Span {
        self.attr(name).map_or(self.span(), |a| a.span)
    }

    /// Notes a problem with an attribute.
    pub fn wrong(self, name: &str, message: impl Into<String>, help: impl Into<String>) {
        self.log.add(self.at(name), message, help);
    }

    /// A word or text as it is.
    pub fn text(self, name: &str) -> Option<String> {
        self.attr(name).map(|a| a.value.clone())
    }

    /// A text that must be there.
    pub fn required(self, name: &str) -> Option<String> {
        let text = self.text(name);
        if text.is_none() {
            self.log.add(self.span(), format!("{} has no attribute '{name}'", self.tag()), "add it");
        }
        text
    }

    /// Between `min` and `max` numbers.
    pub fn reals(self, name: &str, min: usize, max: usize) -> Option<Vec<f64>> {
        let attr = self.attr(name)?;
        let mut numbers = Vec::new();
        for word in attr.value.split_ascii_whitespace() {
            if numbers.len() == max {
                self.wrong(name, format!("attribute '{name}' has too many numbers"), expected(min, max));
                return None;
            }
            numbers.push(self.number(name, word)?);
        }
        if numbers.len() < min {
            let message = format!("attribute '{name}' has {} of {min} numbers", numbers.len());
            self.wrong(name, message, expected(min, max));
            return None;
        }
        Some(numbers)
    }

    /// One finite number that single precision holds too.
    fn number(self, name: &str, word: &str) -> Option<f64> {
        let shown = short(word);
        match word.parse::<f64>() {
            Ok(x) if x.abs() <= f64::from(f32::MAX) => return Some(x),
            Ok(_) if word.contains(|c: char| c.is_ascii_digit()) => {
                self.wrong(
                    name,
                    format!("'{shown}' in attribute '{name}' is too large"),
                    "at most about 3.4e38: worlds may step in single precision",
                );
            }
            Ok(_) => self.wrong(
                name,
                format!("'{shown}' in attribute '{name}' is not finite"),
                "write a finite number",
            ),
            Err(_) => {
                let help = if word.contains(',') {
                    "use a point for decimals and blanks between numbers"
                } else {
                    "write a number"
                };
                self.wrong(name, format!("'{shown}' in attribute '{name}' is not a number"), help);
            }
        }
        None
    }

    /// Any count of numbers.
    pub fn list(self, name: &str) -> Option<Vec<f64>> {
        self.reals(name, 0, MAX_LIST)
    }

    /// Exactly `N` numbers.
    pub fn fixed<const N: usize>(self, name: &str) -> Option<[f64; N]> {
        self.reals(name, N, N).and_then(|v| v.try_into().ok())
    }

    /// Exactly `N` numbers into a place.
    pub fn set_fixed<const N: usize>(self, name: &str, to: &mut [f64; N]) {
        if let Some(v) = self.fixed(name) {
            *to = v;
        }
    }

    /// Up to as many numbers as there are places; the others keep what they have. Returns how many.
    pub fn set_partial(self, name: &str, to: &mut [f64]) -> usize {
        let numbers = self.reals(name, 0, to.len()).unwrap_or_default();
        to[..numbers.len()].copy_from_slice(&numbers);
        numbers.len()
    }

    /// One number.
    pub fn real(self, name: &str) -> Option<f64> {
        self.fixed::<1>(name).map(|[x]| x)
    }

    /// One number into a place.
    pub fn set_real(self, name: &str, to: &mut f64) {
        if let Some(x) = self.real(name) {
            *to = x;
        }
    }

    /// One number that may not be negative, into a place.
    pub fn set_positive(self, name: &str, to: &mut f64) {
        if let Some(x) = self.real(name) {
            if x < 0.0 {
                self.wrong(name, format!("attribute '{name}' is negative: {x}"), "write zero or more");
            } else {
                *to = x;
            }
        }
    }

    /// Exactly `N` integers.
    pub fn ints(self, name: &str, min: usize, max: usize) -> Option<Vec<i32>> {
        let attr = self.attr(name)?;
        let mut numbers = Vec::new();
        for word in attr.value.split_ascii_whitespace() {
            if numbers.len() == max {
                self.wrong(name, format!("attribute '{name}' has too many numbers"), expected(min, max));
                return None;
            }
            let Ok(x) = word.parse::<i32>() else {
                let shown = short(word);
                let help = "write a whole number of at most 32 bits";
                self.wrong(name, format!("'{shown}' in attribute '{name}' is not an integer"), help);
                return None;
            };
            numbers.push(x);
        }
        if numbers.len() < min {
            self.wrong(
                name,
                format!("attribute '{name}' has {} of {min} numbers", numbers.len()),
                expected(min, max),
            );
            return None;
        }
        Some(numbers)
    }

    /// One integer into a place.
    pub fn set_int(self, name: &str, to: &mut i32) {
        if let Some(v) = self.ints(name, 1, 1) {
            *to = v[0];
        }
    }

    /// One integer that may not be negative, into a place.
    pub fn set_count(self, name: &str, to: &mut i32) {
        if let Some(v) = self.ints(name, 1, 1) {
            if v[0] < 0 {
                self.wrong(name, format!("attribute '{name}' is negative: {}", v[0]), "write zero or more");
            } else {
                *to = v[0];
            }
        }
    }

    /// One of some words.
    pub fn keyword(self, name: &str, words: &[(&str, i32)]) -> Option<i32> {
        let attr = self.attr(name)?;
        if let Some(found) = words.iter().find(|w| w.0 == attr.value) {
            return Some(found.1);
        }
        let valid: Vec<&str> = words.iter().map(|w| w.0).collect();
        let list = format!("valid: {}", valid.join(", "));
        let help = did_you_mean(&attr.value, valid.into_iter())
            .map_or(list.clone(), |near| format!("{near} {list}"));
        self.wrong(name, format!("'{}' is no value of attribute '{name}'", short(&attr.value)), help);
        None
    }

    /// One of some words into a place.
    pub fn set_keyword(self, name: &str, words: &[(&str, i32)], to: &mut i32) {
        if let Some(v) = self.keyword(name, words) {
            *to = v;
        }
    }

    /// `true` or `false` into a place.
    pub fn set_flag(self, name: &str, to: &mut bool) {
        if let Some(v) = self.keyword(name, &[("false", 0), ("true", 1)]) {
            *to = v == 1;
        }
    }

    /// `true`, `false` or `auto` into a place.
    pub fn set_auto(self, name: &str, to: &mut Option<bool>) {
        match self.keyword(name, &[("false", 0), ("true", 1), ("auto", 2)]) {
            Some(2) => *to = None,
            Some(v) => *to = Some(v == 1),
            None => {}
        }
    }
}

fn expected(min: usize, max: usize) -> String {
    match (min, max) {
        (a, b) if a == b => format!("expected {a}"),
        (0, b) => format!("expected at most {b}"),
        (a, b) => format!("expected {a} to {b}"),
    }
}
