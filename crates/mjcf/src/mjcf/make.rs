//! Construction of elements: the output of composites and URDF rewriting.

use crate::spec::Span;
use crate::xml::El;
use crate::xml::{Attr, Node, Tree};

impl Tree {
    /// Appends an element to its parent.
    pub(crate) fn element(&mut self, parent: Option<usize>, tag: &str, span: Span) -> usize {
        let id = self.nodes.len();
        self.nodes.push(Node { tag: tag.to_owned(), attrs: Vec::new(), children: Vec::new(), span });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(id);
        }
        id
    }

    /// Adds an attribute.
    pub(crate) fn word(&mut self, to: usize, name: &str, value: &str, span: Span) {
        let attr = Attr { name: name.to_owned(), value: value.to_owned(), span, name_span: span };
        self.nodes[to].attrs.push(attr);
    }

    /// Adds a numeric attribute, with all digits.
    pub(crate) fn numbers(&mut self, to: usize, name: &str, values: &[f64], span: Span) {
        let words: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
        self.word(to, name, &words.join(" "), span);
    }

    /// Adds an attribute with the value and location of another one.
    pub(crate) fn copy(&mut self, to: usize, name: &str, from: Option<&Attr>) {
        if let Some(from) = from {
            self.nodes[to].attrs.push(Attr { name: name.to_owned(), ..from.clone() });
        }
    }

    /// Adds a deep copy of an element of another tree.
    pub(crate) fn copy_tree(&mut self, parent: usize, from: El<'_>) -> usize {
        let mut first = None;
        let mut stack = vec![(parent, from)];
        while let Some((parent, el)) = stack.pop() {
            let id = self.element(Some(parent), el.tag(), el.span());
            self.nodes[id].attrs.clone_from(&el.tree.nodes[el.id].attrs);
            first.get_or_insert(id);
            // the stack is LIFO: reverse to keep the order of children
            stack.extend(el.children().rev().map(|c| (id, c)));
        }
        first.unwrap_or(parent)
    }
}
