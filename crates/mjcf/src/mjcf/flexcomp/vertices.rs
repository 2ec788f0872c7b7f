//! Vertex bodies, the flex itself, and its constraints.

use glam::DVec3;

use super::Comp;
use crate::mjcf::Reader;
use crate::mjcf::attach::PendingElement;
use crate::mjcf::context::MAX_ELEMENTS;
use crate::spec::{Equality, Kind, Ref};
use manyworlds_model::schema::enums::EqualityType;

impl Comp<'_> {
    /// Removes given points that no element uses.
    pub(super) fn drop_unused(&mut self) {
        // the node grid bounds all points, unused ones included
        self.bounds();
        if !self.shape.is_given() {
            return;
        }
        let mut used = vec![false; self.points.len()];
        for &e in &self.flex.elem {
            used[e as usize] = true;
        }
        if used.iter().all(|&u| u) {
            return;
        }
        let textured = self.flex.elemtexcoord.is_empty() && self.flex.texcoord.len() == 2 * used.len();
        let mut new = vec![0; used.len()];
        let mut n = 0;
        for i in (0..used.len()).filter(|&i| used[i]) {
            new[i] = n as i32;
            self.points[n] = self.points[i];
            self.pinned[n] = self.pinned[i];
            if textured {
                self.flex.texcoord.copy_within(2 * i..2 * i + 2, 2 * n);
            }
            n += 1;
        }
        self.points.truncate(n);
        if textured {
            self.flex.texcoord.truncate(2 * n);
        }
        let nodes = self.node_counts().map_or(0, |c| c.iter().product());
        self.pinned.truncate(n.max(nodes));
        self.flex.elem.iter_mut().for_each(|e| *e = new[*e as usize]);
    }

    /// Creates all elements from points and pins.
    pub(super) fn build(&mut self, reader: &mut Reader<'_>) {
        let parent = self.parent(reader);
        if self.rigid {
            self.flex.vert = flat(&self.points);
            self.flex.vert_body = vec![parent];
            self.hand_over(reader);
            return;
        }
        if self.order() > 0 {
            self.flex.vert = flat(&self.points);
            self.flex.vert_body = vec![parent.clone(); self.points.len()];
            if self.nodes(reader, &parent).is_none() {
                return;
            }
        } else if self.carry(reader, &parent).is_none() {
            return;
        }
        self.constraints();
        self.hand_over(reader);
    }

    /// Checks the limit on elements for additional bodies.
    pub(super) fn check_element_count(&self, reader: &Reader<'_>, bodies: usize) -> Option<()> {
        // a body with up to three joints
        let more = 4 * bodies;
        if reader.spec.elements() + more > MAX_ELEMENTS {
            let message = format!("the flexcomp makes {bodies} bodies, too many");
            let help = format!("a model has at most {MAX_ELEMENTS} bodies, joints and other elements");
            self.el.log.add(self.el.span(), message, help);
            return None;
        }
        Some(())
    }

    /// Creates a body for every free vertex.
    fn carry(&mut self, reader: &mut Reader<'_>, parent: &Ref) -> Option<()> {
        let n = self.points.len();
        let free = self.pinned[..n].iter().filter(|p| !**p).count();
        self.check_element_count(reader, free)?;
        let mass = self.mass / n as f64;
        let mut bodies = Vec::with_capacity(n);
        for i in 0..n {
            if self.pinned[i] {
                bodies.push(parent.clone());
                continue;
            }
            let at = self.points[i];
            let name = format!("{}_{i}", self.flex.base.name);
            bodies.push(self.add_body(reader, &name, at, mass, &self.axes(at)));
            self.points[i] = DVec3::ZERO;
        }
        self.flex.vert_body = bodies;
        if free < n {
            self.flex.vert = flat(&self.points);
        }
        Some(())
    }

    fn hand_over(&mut self, reader: &mut Reader<'_>) {
        let flex = Box::new(std::mem::take(&mut self.flex));
        reader.pending.push(PendingElement::Flex(flex, std::mem::take(&mut self.equalities)));
    }

    fn constraints(&mut self) {
        match self.equality {
            None => {}
            Some(kind @ EqualityType::FLEXSTRAIN) => {
                for cell in self.strained() {
                    self.constrain(kind, Some(cell));
                }
            }
            Some(kind) => self.constrain(kind, None),
        }
    }

    fn constrain(&mut self, kind: EqualityType, cell: Option<[f64; 3]>) {
        let mut equality = Equality {
            base: self.full_base(String::new()),
            kind,
            targets: vec![(Kind::Flex, Ref { name: self.flex.base.name.clone(), span: self.el.span() })],
            solref: self.solref,
            solimp: self.solimp,
            ..Equality::default()
        };
        if let Some(cell) = cell {
            equality.data[..3].copy_from_slice(&cell);
        }
        self.equalities.push(equality);
    }

    /// Cells of strain constraints: all non-empty cells, or the quads of a shell.
    fn strained(&self) -> Vec<[f64; 3]> {
        let [nx, ny, nz] = self.cells();
        if self.order() > 0 && self.flex.elasticity.elastic2d != 0 {
            let quads = 2 * (ny * nz + nx * nz + nx * ny);
            return (0..quads).map(|q| [q as f64, -1.0, -1.0]).collect();
        }
        let mut cells = Vec::new();
        for i in 0..nx {
            for j in 0..ny {
                for k in 0..nz {
                    if !self.empty.get((i * ny + j) * nz + k).is_some_and(|&e| e) {
                        cells.push([i as f64, j as f64, k as f64]);
                    }
                }
            }
        }
        cells
    }
}

/// Flattened coordinates.
fn flat(points: &[DVec3]) -> Vec<f64> {
    points.iter().flat_map(|p| p.to_array()).collect()
}
