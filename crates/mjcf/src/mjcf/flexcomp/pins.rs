//! `<pin>`: vertices and nodes fixed to the parent body.

use super::{Comp, FlexcompShape, PLANAR, RADIAL};
use crate::mjcf::flex::MAX_LIST;
use crate::xml::El;

impl Comp<'_> {
    /// Marks pinned points. A flex with all vertices pinned is rigid.
    pub(super) fn pin(&mut self) -> Option<()> {
        let nodes = self.node_counts()?.iter().product::<usize>();
        self.pinned = vec![self.rigid; self.points.len().max(nodes)];
        if self.rigid {
            return Some(());
        }
        for pin in self.el.children().filter(|c| c.tag() == "pin") {
            self.ids(pin)?;
            self.ranges(pin)?;
            self.grid(pin)?;
            self.grid_ranges(pin)?;
        }
        if self.dof == RADIAL {
            // the centre
            self.pinned[0] = true;
        }
        self.rigid = self.pinned[..self.points.len()].iter().all(|&p| p);
        Some(())
    }

    /// Nodes along each axis; `None` without interpolation.
    pub(super) fn node_counts(&self) -> Option<[usize; 3]> {
        let order = self.order();
        if order == 0 || self.rigid {
            return Some([0; 3]);
        }
        let cells = self.flex.cellcount;
        if cells.iter().any(|&c| c < 1) {
            self.el.wrong("cellcount", "cellcount is not positive", "at least 1 along each axis");
            return None;
        }
        let counts = cells.map(|c| (c as usize).saturating_mul(order).saturating_add(1));
        let nodes = counts.iter().fold(1_usize, |n, &c| n.saturating_mul(c));
        if nodes > super::MAX_POINTS {
            let message = format!("cellcount makes {nodes} nodes, more than {}", super::MAX_POINTS);
            self.el.wrong("cellcount", message, "lower it");
            return None;
        }
        Some(counts)
    }

    /// A valid point index.
    fn point(&self, pin: El<'_>, name: &str, i: i32) -> Option<usize> {
        let n = self.points.len();
        let found = usize::try_from(i).ok().filter(|&i| i < n);
        if found.is_none() {
            pin.wrong(name, format!("there is no point {i}"), format!("points are 0 to {}", n - 1));
        }
        found
    }

    fn ids(&mut self, pin: El<'_>) -> Option<()> {
        for i in list(pin, "id", 1)? {
            let i = self.point(pin, "id", i)?;
            self.pinned[i] = true;
        }
        Some(())
    }

    fn ranges(&mut self, pin: El<'_>) -> Option<()> {
        for pair in list(pin, "range", 2)?.chunks_exact(2) {
            let (first, last) = (self.point(pin, "range", pair[0])?, self.point(pin, "range", pair[1])?);
            if first <= last {
                self.pinned[first..=last].fill(true);
            }
        }
        Some(())
    }

    /// Checks that grid coordinates can be pinned.
    fn has_grid(&self, pin: El<'_>, name: &str) -> Option<()> {
        if pin.attr(name).is_none_or(|a| a.value.trim().is_empty()) {
            return Some(());
        }
        if self.flex.dim == 1 {
            pin.wrong(name, "a line has no grid", "pin points by id or range");
            return None;
        }
        if self.shape != FlexcompShape::Grid && self.order() == 0 {
            let help = "pin points by id or range; only type=\"grid\" and interpolated flexes have a grid";
            pin.wrong(name, format!("a {} has no grid", self.word()), help);
            return None;
        }
        Some(())
    }

    /// Pins a grid point; permitted coordinates outside the grid pin nothing.
    fn pin_place(&mut self, at: &[i32]) {
        let [_, ny, nz] = self.count;
        let at: Vec<usize> = at.iter().map(|&i| i.max(0) as usize).collect();
        let i = match at[..] {
            [x, y] => x.saturating_mul(ny).saturating_add(y),
            [x, y, z] => x.saturating_mul(ny).saturating_add(y).saturating_mul(nz).saturating_add(z),
            _ => return,
        };
        if let Some(pinned) = self.pinned.get_mut(i) {
            *pinned = true;
        }
    }

    /// Checks grid coordinates against the size of the grid.
    fn in_grid(&self, pin: El<'_>, name: &str, at: &[i32], size: [usize; 3]) -> Option<()> {
        let wrong = at.iter().zip(size).find(|(i, n)| usize::try_from(**i).map_or(true, |i| i >= *n));
        if let Some((i, n)) = wrong {
            pin.wrong(name, format!("the grid has no place {i}"), format!("places are 0 to {}", n - 1));
        }
        wrong.is_none().then_some(())
    }

    fn grid(&mut self, pin: El<'_>) -> Option<()> {
        let dim = self.flex.dim as usize;
        let places = list(pin, "grid", dim)?;
        self.has_grid(pin, "grid")?;
        // corners of the interpolation box if the points are not a grid
        let size = if self.shape == FlexcompShape::Grid { self.count } else { [self.order() + 1; 3] };
        for at in places.chunks_exact(dim) {
            self.in_grid(pin, "grid", at, size)?;
            self.pin_place(at);
        }
        Some(())
    }

    fn grid_ranges(&mut self, pin: El<'_>) -> Option<()> {
        let dim = self.flex.dim as usize;
        let places = list(pin, "gridrange", 2 * dim)?;
        self.has_grid(pin, "gridrange")?;
        for range in places.chunks_exact(2 * dim) {
            let (low, high) = range.split_at(dim);
            self.in_grid(pin, "gridrange", low, self.count)?;
            self.in_grid(pin, "gridrange", high, self.count)?;
            let third = if dim == 3 { low[2]..=high[2] } else { 0..=0 };
            for x in low[0]..=high[0] {
                for y in low[1]..=high[1] {
                    for z in third.clone() {
                        self.pin_place(&[x, y, z][..dim]);
                    }
                }
            }
        }
        Some(())
    }

    /// Slide axes of a free vertex.
    pub(super) fn axes(&self, at: glam::DVec3) -> Vec<glam::DVec3> {
        use glam::DVec3;
        match self.dof {
            RADIAL => vec![at.normalize_or_zero()],
            PLANAR => vec![DVec3::X, DVec3::Y],
            _ => vec![DVec3::X, DVec3::Y, DVec3::Z],
        }
    }
}

/// Integers in groups.
fn list(pin: El<'_>, name: &str, group: usize) -> Option<Vec<i32>> {
    if pin.attr(name).is_none() {
        return Some(Vec::new());
    }
    let numbers = pin.ints(name, 0, MAX_LIST)?;
    if numbers.len() % group != 0 {
        let message = format!("'{name}' has {} numbers", numbers.len());
        pin.wrong(name, message, format!("expected groups of {group}"));
        return None;
    }
    Some(numbers)
}
