//! What the names of a function stand for.

use super::ConstInt;
use crate::gpu::codegen::syntax::Expression;

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Binding {
    /// An integer: the name is gone.
    Known(ConstInt),
    /// The same under another name.
    Renamed(String),
    /// A local variable whose value has a name, and the name that the variable gets where it needs one.
    Value { now: String, variable: String, type_text: Option<String> },
}

/// Names with what they stand for, the innermost last.
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

    /// Whether an expression is a local variable whose value has a name, or a part of one.
    pub(super) fn is_value(&self, place: &Expression) -> bool {
        place.root().is_some_and(|name| matches!(self.lookup(name), Some(Binding::Value { .. })))
    }

    /// Name of the present value of a local variable, and its type where that is written.
    pub(super) fn value_mut(&mut self, name: &str) -> Option<(&mut String, Option<String>)> {
        match self.names.iter_mut().rev().find(|(n, _)| n == name) {
            Some((_, Binding::Value { now, type_text, .. })) => Some((now, type_text.clone())),
            _ => None,
        }
    }

    /// How many names there are: [`Scope::close`] with it ends those that follow.
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
