//! Typed attribute access: every error is reported with its location and a remedy. The same calls write attributes if
//! the element has a writer, so that the attributes of an element are listed once.

use std::cell::RefCell;

use glam::DVec3;

use super::{Attr, Tree, short};
use crate::spec::{At, Log, Ref, Span, did_you_mean};

/// Upper bound on numbers in a list of variable length.
pub(crate) const MAX_LIST: usize = 10_000_000;

/// An element being read.
#[derive(Clone, Copy)]
pub(crate) struct El<'a> {
    /// Log of problems.
    pub(crate) log: &'a Log,
    /// Tree of the element.
    pub(crate) tree: &'a Tree,
    /// Index of the element.
    pub(crate) id: usize,
    /// Writer; if present, attributes are written instead of read.
    pub(crate) pen: Option<&'a AttrWriter<'a>>,
}

impl At {
    /// Adds the locations of one layer: a default class or the element itself.
    pub(crate) fn note(&mut self, el: El<'_>) {
        self.element = el.span();
        self.note_as(el, "");
    }

    /// Adds the locations of attributes under prefixed names.
    pub(crate) fn note_as(&mut self, el: El<'_>, prefix: &str) {
        for attr in &el.tree.nodes[el.id].attrs {
            self.note_attr(format!("{prefix}{}", attr.name), attr.span);
        }
    }
}

/// Collects attributes for writing.
pub(crate) struct AttrWriter<'a> {
    /// Names and values, in order.
    pub(crate) attrs: RefCell<Vec<(String, String)>>,
    /// Full name of a reference, by attribute.
    pub(crate) full: &'a dyn Fn(&str, &Ref) -> String,
}

/// Shortest text that parses to the same numbers.
pub(crate) fn words(numbers: &[f64]) -> String {
    let mut text = String::new();
    for x in numbers {
        let word = format!("{x:?}");
        text.push_str(if text.is_empty() { "" } else { " " });
        text.push_str(word.strip_suffix(".0").unwrap_or(&word));
    }
    text
}

impl<'a> El<'a> {
    /// Writes an attribute if there is a writer; returns false otherwise.
    pub(crate) fn put(self, name: &str, value: impl FnOnce() -> String) -> bool {
        if let Some(pen) = self.pen {
            pen.attrs.borrow_mut().push((name.to_owned(), value()));
        }
        self.pen.is_some()
    }

    /// Reads a reference to another element.
    pub(crate) fn set_reference(self, name: &str, to: &mut Ref) {
        if let Some(pen) = self.pen {
            self.put(name, || (pen.full)(name, to));
        } else if let Some(attr) = self.attr(name) {
            *to = Ref { name: attr.value.clone(), span: attr.span };
        }
    }

    /// Reads a list of numbers of any length.
    pub(crate) fn set_list(self, name: &str, to: &mut Vec<f64>) {
        if self.pen.is_some() && to.is_empty() || self.put(name, || words(to)) {
            return;
        }
        if let Some(numbers) = self.list(name) {
            *to = numbers;
        }
    }

    /// Tag of the element.
    pub(crate) fn tag(self) -> &'a str {
        &self.tree.nodes[self.id].tag
    }

    /// Source location of the element.
    pub(crate) fn span(self) -> Span {
        self.tree.nodes[self.id].span
    }

    /// Child elements.
    pub(crate) fn children(self) -> impl DoubleEndedIterator<Item = El<'a>> {
        self.tree.nodes[self.id].children.iter().map(move |&id| El { id, ..self })
    }

    /// The attribute with a name.
    pub(crate) fn attr(self, name: &str) -> Option<&'a Attr> {
        self.tree.nodes[self.id].attr(name)
    }

    /// Source location of an attribute's value, or of the element if it is absent.
    pub(crate) fn at(self, name: &str) -> Span {
        self.attr(name).map_or(self.span(), |a| a.span)
    }

    /// Reports a problem with an attribute.
    pub(crate) fn wrong(self, name: &str, message: impl Into<String>, help: impl Into<String>) {
        self.log.add(self.at(name), message, help);
    }

    /// Warns of an attribute that is questionable, but has a meaning.
    pub(crate) fn doubt(self, name: &str, message: impl Into<String>, help: impl Into<String>) {
        self.log.warn(self.at(name), message, help);
    }

    /// A string attribute.
    pub(crate) fn text(self, name: &str) -> Option<String> {
        self.attr(name).map(|a| a.value.clone())
    }

    /// A required string attribute.
    pub(crate) fn required(self, name: &str) -> Option<String> {
        let text = self.text(name);
        if text.is_none() {
            self.log.add(self.span(), format!("{} has no attribute '{name}'", self.tag()), "add it");
        }
        text
    }

    /// A list of `min` to `max` numbers.
    pub(crate) fn reals(self, name: &str, min: usize, max: usize) -> Option<Vec<f64>> {
        let attr = self.attr(name)?;
        let mut numbers = Vec::new();
        for word in attr.value.split_ascii_whitespace() {
            if numbers.len() == max {
                self.wrong(name, format!("attribute '{name}' has too many numbers"), expected(min, max));
                return None;
            }
            numbers.push(self.number(name, word)?);
        }
        if numbers.is_empty() && min > 0 {
            self.empty(name);
            return None;
        }
        if numbers.len() < min {
            let message = format!("attribute '{name}' has {} of {min} numbers", numbers.len());
            self.wrong(name, message, expected(min, max));
            return None;
        }
        Some(numbers)
    }

    /// Warns of an attribute without a value, which counts as not given.
    fn empty(self, name: &str) {
        self.doubt(
            name,
            format!("attribute '{name}' is empty and has no effect"),
            "write a value, or remove it",
        );
    }

    /// A number. One that single precision does not hold is questionable; one that is none is wrong.
    fn number(self, name: &str, word: &str) -> Option<f64> {
        let shown = short(word);
        match word.parse::<f64>().or_else(|e| hexadecimal(word).ok_or(e)) {
            Ok(x) if x.abs() <= f64::from(f32::MAX) => return Some(x),
            Ok(x) if x.is_finite() => {
                let message = format!("'{shown}' in attribute '{name}' is too large for single precision");
                self.doubt(name, message, "at most about 3.4e38, if worlds are to step on a GPU");
                return Some(x);
            }
            Ok(_) if word.contains(|c: char| c.is_ascii_digit()) => {
                let help = "at most about 1.8e308";
                self.wrong(name, format!("'{shown}' in attribute '{name}' is too large"), help);
            }
            Ok(x) if x.is_infinite() => {
                let message = format!("'{shown}' in attribute '{name}' is not finite");
                self.doubt(name, message, "write a finite number");
                return Some(x);
            }
            Ok(_) => self.wrong(
                name,
                format!("'{shown}' in attribute '{name}' is not finite"),
                "write a finite number; with this one, every result would be none",
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

    /// A list of numbers of any length.
    pub(crate) fn list(self, name: &str) -> Option<Vec<f64>> {
        self.reals(name, 0, MAX_LIST)
    }

    /// Exactly `N` numbers.
    pub(crate) fn fixed<const N: usize>(self, name: &str) -> Option<[f64; N]> {
        self.reals(name, N, N).and_then(|v| v.try_into().ok())
    }

    /// Reads exactly `N` numbers.
    pub(crate) fn set_fixed<const N: usize>(self, name: &str, to: &mut [f64; N]) {
        if self.put(name, || words(to)) {
            return;
        }
        if let Some(v) = self.fixed(name) {
            *to = v;
        }
    }

    /// Reads at most as many numbers as there are elements; the rest keep their values. Returns the count.
    pub(crate) fn set_partial(self, name: &str, to: &mut [f64]) -> usize {
        if self.put(name, || words(to)) {
            return to.len();
        }
        let numbers = self.reals(name, 0, to.len()).unwrap_or_default();
        to[..numbers.len()].copy_from_slice(&numbers);
        numbers.len()
    }

    /// A number.
    pub(crate) fn real(self, name: &str) -> Option<f64> {
        self.fixed::<1>(name).map(|[x]| x)
    }

    /// Reads a number.
    pub(crate) fn set_real(self, name: &str, to: &mut f64) {
        if self.put(name, || words(&[*to])) {
            return;
        }
        if let Some(x) = self.real(name) {
            *to = x;
        }
    }

    /// Reads a non-negative number.
    pub(crate) fn set_positive(self, name: &str, to: &mut f64) {
        if self.put(name, || words(&[*to])) {
            return;
        }
        if let Some(x) = self.real(name) {
            if x < 0.0 {
                self.wrong(name, format!("attribute '{name}' is negative: {x}"), "write zero or more");
            } else {
                *to = x;
            }
        }
    }

    /// Reads a number that should not be negative; one that is gets a warning.
    pub(crate) fn set_doubtful(self, name: &str, to: &mut f64) {
        self.set_real(name, to);
        if self.pen.is_none() && *to < 0.0 && self.attr(name).is_some() {
            let message = format!("attribute '{name}' is negative: {to}");
            self.doubt(name, message, "zero or more makes physical sense");
        }
    }

    /// A list of `min` to `max` integers.
    pub(crate) fn ints(self, name: &str, min: usize, max: usize) -> Option<Vec<i32>> {
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
        if numbers.is_empty() && min > 0 {
            self.empty(name);
            return None;
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

    /// Reads an integer.
    pub(crate) fn set_int(self, name: &str, to: &mut i32) {
        if self.put(name, || to.to_string()) {
            return;
        }
        if let Some(v) = self.ints(name, 1, 1) {
            *to = v[0];
        }
    }

    /// Reads a non-negative integer.
    pub(crate) fn set_count(self, name: &str, to: &mut i32) {
        if self.put(name, || to.to_string()) {
            return;
        }
        if let Some(v) = self.ints(name, 1, 1) {
            if v[0] < 0 {
                self.wrong(name, format!("attribute '{name}' is negative: {}", v[0]), "write zero or more");
            } else {
                *to = v[0];
            }
        }
    }

    /// A keyword.
    pub(crate) fn keyword<T: Copy>(self, name: &str, words: &[(&'static str, T)]) -> Option<T> {
        let attr = self.attr(name)?;
        if let Some(found) = words.iter().find(|w| w.0 == attr.value) {
            return Some(found.1);
        }
        self.keyword_error(name, &attr.value, words.iter().map(|w| w.0));
        None
    }

    /// Reports an invalid keyword.
    pub(crate) fn keyword_error(self, name: &str, word: &str, words: impl Iterator<Item = &'static str>) {
        let valid: Vec<&str> = words.collect();
        let list = format!("valid: {}", valid.join(", "));
        let help =
            did_you_mean(word, valid.into_iter()).map_or(list.clone(), |near| format!("{near} {list}"));
        self.wrong(name, format!("'{}' is no value of attribute '{name}'", short(word)), help);
    }

    /// Reads a keyword.
    pub(crate) fn set_keyword<T>(self, name: &str, words: &[(&'static str, i32)], to: &mut T)
    where
        T: Copy + Into<i32> + TryFrom<i32>,
    {
        let word = || words.iter().find(|w| w.1 == (*to).into()).map_or("", |w| w.0).to_owned();
        if self.put(name, word) {
            return;
        }
        if let Some(v) = self.keyword(name, words).and_then(|v| T::try_from(v).ok()) {
            *to = v;
        }
    }

    /// Reads a vector.
    pub(crate) fn set_vector(self, name: &str, to: &mut DVec3) {
        let mut numbers = to.to_array();
        self.set_fixed(name, &mut numbers);
        *to = DVec3::from_array(numbers);
    }

    /// Reads `true` or `false`.
    pub(crate) fn set_flag(self, name: &str, to: &mut bool) {
        if self.put(name, || to.to_string()) {
            return;
        }
        if let Some(v) = self.keyword(name, &[("false", 0), ("true", 1)]) {
            *to = v == 1;
        }
    }

    /// Reads `true`, `false` or `auto`.
    pub(crate) fn set_auto(self, name: &str, to: &mut Option<bool>) {
        if self.put(name, || to.map_or("auto".to_owned(), |b| b.to_string())) {
            return;
        }
        match self.keyword(name, &[("false", 0), ("true", 1), ("auto", 2)]) {
            Some(2) => *to = None,
            Some(v) => *to = Some(v == 1),
            None => {}
        }
    }
}

/// A hexadecimal whole number, as the C library reads it.
fn hexadecimal(word: &str) -> Option<f64> {
    let (sign, digits) =
        word.strip_prefix('-').map_or((1.0, word.strip_prefix('+').unwrap_or(word)), |w| (-1.0, w));
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
    digits
        .bytes()
        .all(|b| b.is_ascii_hexdigit())
        .then(|| u64::from_str_radix(digits, 16).ok())
        .flatten()
        .map(|n| sign * n as f64)
}

fn expected(min: usize, max: usize) -> String {
    match (min, max) {
        (a, b) if a == b => format!("expected {a}"),
        (0, b) => format!("expected at most {b}"),
        (a, b) => format!("expected {a} to {b}"),
    }
}
