//! Empty cells of an interpolated flex.

use super::Comp;

impl Comp<'_> {
    /// Finds cells that no element overlaps; for a surface only those outside of it.
    pub(super) fn find_empty(&mut self) {
        let cells = self.cells();
        let index = |[i, j, k]: [usize; 3]| (i * cells[1] + j) * cells[2] + k;
        let reached = self.reached(cells);
        if self.flex.dim != 2 {
            self.empty = reached.iter().map(|r| !r).collect();
            return;
        }
        self.empty = vec![false; reached.len()];
        // flood fill from the border inwards
        let mut work = Vec::new();
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                for k in 0..cells[2] {
                    let at = [i, j, k];
                    if (0..3).any(|a| at[a] == 0 || at[a] == cells[a] - 1) {
                        work.push(at);
                    }
                }
            }
        }
        while let Some(at) = work.pop() {
            if reached[index(at)] || self.empty[index(at)] {
                continue;
            }
            self.empty[index(at)] = true;
            for axis in 0..3 {
                let mut next = at;
                if at[axis] > 0 {
                    next[axis] = at[axis] - 1;
                    work.push(next);
                }
                if at[axis] + 1 < cells[axis] {
                    next[axis] = at[axis] + 1;
                    work.push(next);
                }
            }
        }
    }

    /// Cells overlapped by the bounding boxes of elements: corner differences, then prefix sums along each axis.
    fn reached(&self, cells: [usize; 3]) -> Vec<bool> {
        let size = cells.map(|c| c + 1);
        let index = |[i, j, k]: [usize; 3]| (i * size[1] + j) * size[2] + k;
        let mut change = vec![0_i32; size.iter().product()];
        for element in self.flex.elem.chunks_exact(self.flex.dim as usize + 1) {
            let [x, y, z] = self.reach(element);
            for (i, a) in [(x.0, 1), (x.1 + 1, -1)] {
                for (j, b) in [(y.0, 1), (y.1 + 1, -1)] {
                    change[index([i, j, z.0])] += a * b;
                    change[index([i, j, z.1 + 1])] -= a * b;
                }
            }
        }
        let steps = [size[1] * size[2], size[2], 1];
        for (axis, step) in steps.into_iter().enumerate() {
            for at in 0..change.len() {
                if at / step % size[axis] > 0 {
                    change[at] += change[at - step];
                }
            }
        }
        let mut reached = Vec::with_capacity(cells.iter().product());
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                reached.extend((0..cells[2]).map(|k| change[index([i, j, k])] > 0));
            }
        }
        reached
    }

    /// First and last cell of an element's bounding box, along each axis.
    fn reach(&self, element: &[i32]) -> [(usize, usize); 3] {
        let (low, high) = self.bounds;
        let cells = self.cells();
        std::array::from_fn(|a| {
            let size = high[a] - low[a];
            let cell = |x: f64| {
                if size <= 0.0 {
                    return 0;
                }
                ((x - low[a]) / size * cells[a] as f64).clamp(0.0, cells[a] as f64 - 1.0) as usize
            };
            let along = element.iter().map(|&e| self.points[e as usize][a]);
            let (first, last) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            (cell(first), cell(last))
        })
    }
}
