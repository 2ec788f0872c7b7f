//! Cells and faces of interpolated flexes.

use super::Model;
use crate::real::Real;

impl<T: Real> Model<T> {
    /// Number of elastic parts of an interpolated flex: cells of a solid, outer faces of a shell.
    pub fn flex_patches(&self, f: usize) -> usize {
        let [x, y, z] = [0, 1, 2].map(|axis| self.flex_cellnum[3 * f + axis].max(0) as usize);
        let area = |a: usize, b: usize| a.saturating_mul(b);
        if self.flex_interp[f] < 0 {
            return 2_usize.saturating_mul(area(x, y).saturating_add(area(y, z)).saturating_add(area(z, x)));
        }
        area(area(x, y), z)
    }

    /// Number of coordinates of the nodes of such a part.
    pub fn flex_patch_coordinates(&self, f: usize) -> usize {
        let side = self.flex_interp[f].unsigned_abs() as usize + 1;
        3 * side.pow(if self.flex_interp[f] < 0 { 2 } else { 3 })
    }
}
