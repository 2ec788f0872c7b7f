//! Which short vectors lanes of a kernel share.

use super::{Form, Op, Program};

impl Program {
    /// True for a short vector that lanes of a kernel share, as they share long ones.
    pub fn is_shared(&self, node: usize) -> bool {
        self.shared.get(node).copied().unwrap_or(false)
    }

    /// Finds the outputs of networks, and what is made of them or goes into them element by element, as far as one value or
    /// place needs each, or little is computed twice.
    pub(super) fn share(&mut self) {
        let mut uses = vec![0; self.nodes.len()];
        for (_, assignments, order) in &self.parts {
            let args = order.iter().flat_map(|node| &self.nodes[*node].args);
            args.chain(assignments.iter().map(|a| &a.value)).for_each(|node| uses[*node] += 1);
        }
        self.shared = vec![false; self.nodes.len()];
        for (k, node) in self.nodes.iter().enumerate() {
            let keeps_places = matches!(node.op.form(), Form::Elementwise(_) | Form::Pick);
            let on_shared = keeps_places && node.args.iter().any(|a| self.shared[*a]);
            self.shared[k] =
                node.size > 1 && uses[k] == 1 && (matches!(node.op, Op::Network(_)) || on_shared);
        }
        // inputs, from the last
        for k in (0..self.nodes.len()).rev().filter(|k| self.nodes[*k].size > 1) {
            if !self.shared[k] {
                continue;
            }
            for a in self.nodes[k].args.clone() {
                let of = &self.nodes[a];
                let is_plain =
                    of.args.iter().all(|b| self.nodes[*b].size == 1 || self.nodes[*b].op.is_read());
                let keeps_places = matches!(of.op.form(), Form::Elementwise(_) | Form::Pick);
                self.shared[a] |= of.size > 1 && keeps_places && (uses[a] == 1 || is_plain);
            }
        }
    }
}
