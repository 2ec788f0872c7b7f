//! Depth-first order of bodies as in the compiled model; siblings in insertion order.

use std::borrow::Cow;

use super::{Kind, Spec};

impl Spec {
    /// The model with bodies in depth-first order, borrowed if they already are. A body with a missing parent, or one
    /// that is its own ancestor, becomes a child of the world.
    pub fn ordered(&self) -> Cow<'_, Spec> {
        let (order, lost) = self.depth_first();
        if lost.is_empty() && order.iter().enumerate().all(|(new, &old)| new == old) {
            return Cow::Borrowed(self);
        }
        let mut new = vec![0; order.len()];
        for (n, &old) in order.iter().enumerate() {
            new[old] = n;
        }
        let at = |body: usize| new.get(body).copied().unwrap_or(0);
        let mut spec = self.clone();
        lost.iter().for_each(|&body| spec.bodies[body].parent = 0);
        spec.bodies = order.iter().map(|&old| spec.bodies[old].clone()).collect();
        spec.renumber_bodies(at);
        Cow::Owned(spec)
    }

    /// Renumbers the body indices of all elements.
    pub(crate) fn renumber_bodies(&mut self, new: impl Fn(usize) -> usize) {
        self.bodies.iter_mut().for_each(|b| b.parent = new(b.parent));
        self.frames.iter_mut().for_each(|f| f.body = new(f.body));
        self.joints.iter_mut().for_each(|j| j.body = new(j.body));
        self.geoms.iter_mut().for_each(|g| g.body = new(g.body));
        self.sites.iter_mut().for_each(|s| s.body = new(s.body));
        self.cameras.iter_mut().for_each(|c| c.body = new(c.body));
        self.lights.iter_mut().for_each(|l| l.body = new(l.body));
        self.renumber_keys(|kind, old| Some(if kind == Kind::Body { new(old) } else { old }));
    }

    /// Bodies in compiled order.
    pub(crate) fn body_order(&self) -> Vec<usize> {
        self.depth_first().0
    }

    /// Joints in compiled order, which is by body.
    pub fn joint_order(&self) -> Vec<usize> {
        let mut rank = vec![0; self.bodies.len()];
        self.body_order().into_iter().enumerate().for_each(|(new, old)| rank[old] = new);
        let mut order: Vec<usize> = (0..self.joints.len()).collect();
        order.sort_by_key(|&j| rank.get(self.joints[j].body));
        order
    }

    /// Bodies in depth-first order, and the roots not reachable from the world.
    fn depth_first(&self) -> (Vec<usize>, Vec<usize>) {
        let n = self.bodies.len();
        let mut children = vec![Vec::new(); n];
        let (mut order, mut lost) = (Vec::with_capacity(n), Vec::new());
        for (i, body) in self.bodies.iter().enumerate().skip(1) {
            match children.get_mut(body.parent) {
                Some(list) => list.push(i),
                None => lost.push(i),
            }
        }
        let mut seen = vec![false; n];
        let mut roots = 0..n;
        while order.len() < n {
            // the world first, then unreachable bodies
            let Some(root) = roots.find(|&b| !seen[b]) else {
                break;
            };
            if root > 0 && children.len() > self.bodies[root].parent {
                lost.push(root);
            }
            let mut stack = vec![root];
            while let Some(body) = stack.pop() {
                if !std::mem::replace(&mut seen[body], true) {
                    order.push(body);
                    stack.extend(children[body].iter().rev());
                }
            }
        }
        (order, lost)
    }
}
