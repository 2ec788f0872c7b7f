//! Nodes of interpolated flexes: a grid around all points, with one body per free node.

use glam::DVec3;

use super::Comp;
use crate::mjcf::Reader;
use crate::spec::Ref;

/// Weights of Simpson's rule.
const SIMPSON: [f64; 3] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];

impl Comp<'_> {
    /// Stores the bounding box of all points.
    pub(super) fn bounds(&mut self) {
        let far = 1e10;
        let start = (DVec3::splat(far), DVec3::splat(-far));
        self.bounds = self.points.iter().fold(start, |(low, high), &p| (low.min(p), high.max(p)));
    }

    /// Creates the nodes.
    pub(super) fn nodes(&mut self, reader: &mut Reader<'_>, parent: &Ref) -> Option<()> {
        let counts = self.node_counts()?;
        self.flex.order = self.order() as i32;
        self.hold(counts);
        let places = |mut f: Box<dyn FnMut([usize; 3]) + '_>| {
            for i in 0..counts[0] {
                for j in 0..counts[1] {
                    for k in 0..counts[2] {
                        f([i, j, k]);
                    }
                }
            }
        };
        let total = counts.iter().product::<usize>();
        let free = self.pinned[..total].iter().filter(|p| !**p).count();
        self.check_element_count(reader, free)?;
        // node masses in proportion to the weights, with the given total
        let mut weights = Vec::with_capacity(total);
        places(Box::new(|at| weights.push(self.weight(at, counts))));
        let sum: f64 = weights.iter().zip(&self.pinned).filter(|(_, p)| !**p).map(|(w, _)| w).sum();
        let scale = self.mass / sum;
        let (mut bodies, mut node, mut id) = (Vec::with_capacity(total), Vec::new(), 0);
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        places(Box::new(|at| {
            let pos = self.node(at, counts);
            if self.pinned[id] {
                bodies.push(parent.clone());
                node.extend(pos.to_array());
            } else {
                let name = format!("{}_{}_{}_{}", self.flex.base.name, at[0], at[1], at[2]);
                bodies.push(self.add_body(reader, &name, pos, weights[id] * scale, &axes));
                node.extend([0.0; 3]);
            }
            id += 1;
        }));
        self.flex.node_body = bodies;
        if free < total {
            self.flex.node = node;
        }
        Some(())
    }

    /// Position of a node.
    fn node(&self, at: [usize; 3], counts: [usize; 3]) -> DVec3 {
        let (low, high) = self.bounds;
        let along = DVec3::from_array(std::array::from_fn(|k| at[k] as f64 / (counts[k] - 1) as f64));
        low + along * (high - low)
    }

    /// Mass fraction of a node.
    fn weight(&self, at: [usize; 3], counts: [usize; 3]) -> f64 {
        if self.order() == 1 {
            return 1.0;
        }
        let along = |k: usize| {
            let shared = at[k] > 0 && at[k] < counts[k] - 1 && at[k].is_multiple_of(2);
            SIMPSON[at[k] % 2] * if shared { 2.0 } else { 1.0 }
        };
        along(0) * along(1) * along(2)
    }

    /// Pins nodes that belong only to empty cells, or to the interior of a shell.
    fn hold(&mut self, counts: [usize; 3]) {
        let shell = self.flex.elasticity.elastic2d != 0;
        if !shell {
            self.empty = self.flex.empty_cells(&self.points, self.bounds);
        }
        let mut id = 0;
        for i in 0..counts[0] {
            for j in 0..counts[1] {
                for k in 0..counts[2] {
                    let at = [i, j, k];
                    let outside = (0..3).any(|k| at[k] == 0 || at[k] == counts[k] - 1);
                    if if shell { !outside } else { self.is_idle(at) } {
                        self.pinned[id] = true;
                    }
                    id += 1;
                }
            }
        }
    }

    /// True if all cells of a node are empty.
    fn is_idle(&self, at: [usize; 3]) -> bool {
        let (cells, order) = (self.cells(), self.order());
        let range = |k: usize| at[k].saturating_sub(1) / order..=(at[k] / order).min(cells[k] - 1);
        let empty = |i, j, k| self.empty[(i * cells[1] + j) * cells[2] + k];
        range(0).all(|i| range(1).all(|j| range(2).all(|k| empty(i, j, k))))
    }
}
