//! Bindings of the names in a function.

use std::collections::BTreeMap;

use super::{ConstInt, Known};
use crate::codegen::syntax::Expression;

/// Meaning of a name.
#[derive(Clone)]
pub(super) enum Binding {
    /// A known integer: the name disappears.
    Known(ConstInt),
    /// The same variable under another name.
    Renamed(String),
    /// A local variable whose value is named, and the variable's own name for when it is written back.
    Value { now: String, variable: String, type_text: Option<String> },
}

/// Names and their bindings, innermost last.
#[derive(Default)]
pub(super) struct Scope {
    names: Vec<(String, Binding)>,
}

impl Scope {
    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        self.names.push((name.to_string(), binding));
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Binding> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, b)| b)
    }

    /// True if an expression is a local variable with a named value, or a component of one.
    pub(super) fn is_value(&self, place: &Expression) -> bool {
        place.root().is_some_and(|name| matches!(self.lookup(name), Some(Binding::Value { .. })))
    }

    /// Name of the present value of a local variable, and its type if written.
    pub(super) fn value_mut(&mut self, name: &str) -> Option<(&mut String, Option<String>)> {
        match self.names.iter_mut().rev().find(|(n, _)| n == name) {
            Some((_, Binding::Value { now, type_text, .. })) => Some((now, type_text.clone())),
            _ => None,
        }
    }

    /// Number of names in scope: [`Scope::close`] with it ends the later ones.
    pub(super) fn open(&self) -> usize {
        self.names.len()
    }

    pub(super) fn close(&mut self, outer: usize) {
        self.names.truncate(outer);
    }

    pub(super) fn bindings_mut(&mut self) -> impl Iterator<Item = &mut Binding> {
        self.names.iter_mut().map(|(_, b)| b)
    }
}

/// State of the expansion of one function.
pub(super) struct Unroller<'a> {
    pub(super) known: &'a dyn Known,
    pub(super) scope: Scope,
    /// Present values of registers by name; true if a value is not yet written back.
    pub(super) values: BTreeMap<String, (String, bool)>,
    /// Number of fresh names.
    pub(super) names: usize,
    /// Number of statements written.
    pub(super) written: usize,
}

impl<'a> Unroller<'a> {
    pub(super) fn new(known: &'a dyn Known) -> Self {
        Self { known, scope: Scope::default(), values: BTreeMap::new(), names: 0, written: 0 }
    }
}
