//! Expressions of formulas, while they are read.

use std::collections::BTreeMap;

use crate::model::task::{Node, Op};

/// Expressions of all formulas.
#[derive(Debug, Default)]
pub(super) struct Expressions {
    pub(super) nodes: Vec<Node>,
    /// Who reads them.
    pub(super) reader: ReaderKind,
    /// Nodes of user sensors that have formulas.
    pub(super) sensors: BTreeMap<String, usize>,
    /// Names that a formula has for itself, such as the length of its actuator.
    pub(super) locals: Vec<(String, usize)>,
    /// Named values: their texts, and their nodes once they are read.
    pub(super) named: BTreeMap<String, Named>,
    /// Controls that laws set, by their place in `ctrl`: their nodes, once the law is read.
    pub(super) controls: BTreeMap<usize, Option<usize>>,
    /// Places of the numerics that are states, in `act`.
    pub(super) states: BTreeMap<String, Vec<usize>>,
    /// Numbers of all nodes.
    pub(super) numbers: usize,
}

/// Who computes an expression, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ReaderKind {
    /// Sensors, at the end of a step.
    #[default]
    Sensor,
    /// Laws, before actuators act or where contacts are found.
    Law,
    /// A task, which draws random numbers.
    Task,
    /// A field, at a point: nothing of a world is known.
    Field,
}

/// A value with a name.
#[derive(Clone, Debug)]
pub(super) enum Named {
    /// Not read yet.
    Text(String),
    /// Being read: whoever needs it now needs itself.
    Open,
    /// Its node.
    Node(usize),
}

impl Expressions {
    pub(super) fn size(&self, node: usize) -> usize {
        self.nodes[node].size
    }

    pub(super) fn add(&mut self, op: Op, size: usize, args: &[usize]) -> usize {
        self.numbers += size + args.len();
        self.nodes.push(Node { op, size, args: args.to_vec() });
        self.nodes.len() - 1
    }

    pub(super) fn number(&mut self, x: f64) -> usize {
        self.add(Op::Const { values: vec![x] }, 1, &[])
    }

    /// Elements of a field.
    pub(super) fn field(&mut self, name: &str, elements: Vec<usize>) -> usize {
        let size = elements.len();
        self.add(Op::Field { name: name.to_owned(), elements }, size, &[])
    }

    /// Elements of `ctrl`: where a law sets one, what it sets, so that all laws of a step see the same controls.
    pub(super) fn controls(&mut self, elements: Vec<usize>) -> Parsed<usize> {
        if !elements.iter().any(|element| self.controls.contains_key(element)) {
            return Ok(self.field("ctrl", elements));
        }
        let mut parts = Vec::with_capacity(elements.len());
        for element in elements {
            parts.push(match self.controls.get(&element) {
                Some(Some(node)) => *node,
                Some(None) => {
                    return Err(format!(
                        "control {element} is set by a law that is not read yet: put that text before this one; what a \
                         control was in the step before is kept by a state ('rate:NAME')"
                    ));
                }
                None => self.field("ctrl", vec![element]),
            });
        }
        Ok(match parts[..] {
            [only] => only,
            _ => self.add(Op::Concat, parts.len(), &parts),
        })
    }

    /// Elements of a vector.
    pub(super) fn pick(&mut self, node: usize, elements: &[usize]) -> usize {
        self.add(Op::Pick { elements: elements.to_vec() }, elements.len(), &[node])
    }

    /// An operation element by element.
    pub(super) fn join(&mut self, op: Op, args: &[usize]) -> Parsed<usize> {
        let mut size = 1;
        for a in args {
            let own = self.size(*a);
            if own != 1 && size != 1 && own != size {
                return Err(format!("vectors of lengths {size} and {own} do not go together"));
            }
            size = size.max(own);
        }
        Ok(self.add(op, size, args))
    }
}

pub(super) type Parsed<T> = Result<T, String>;
