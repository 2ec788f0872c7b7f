//! Cells and faces of interpolated flexes, and the layout of elasticity.

use super::Model;
use crate::real::Real;
use crate::schema::enums::edgeequality;

/// Numbers of a hinge of a rod, the last its stiffness; and of a fold between two faces, with the place of its stiffness.
pub(crate) const BEND: usize = 4;
pub(crate) const FOLD: usize = 10;
const FOLD_STIFFNESS: usize = 6;

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

    /// Places in `flex_stiffness` of numbers that are no stiffness: how many modes of strain a cell or face has.
    pub fn flex_stiffness_layout(&self) -> Vec<usize> {
        let strained = |f: &usize| self.flex_edgeequality[*f] == edgeequality::STRAIN;
        let starts = (0..self.sizes.nflex).filter(strained).filter_map(|f| {
            let first = usize::try_from(self.flex_stiffnessadr[f]).ok()?;
            Some((0..self.flex_patches(f)).map(move |k| first + k * self.flex_patch_coordinates(f).pow(2)))
        });
        starts.flatten().collect()
    }

    /// Places in `flex_bending` of numbers that are no stiffness: counts, vertices, faces, places and normals at rest.
    pub fn flex_bending_layout(&self) -> Vec<usize> {
        let mut places = Vec::new();
        for f in 0..self.sizes.nflex {
            let Ok(first) = usize::try_from(self.flex_bendingadr[f]) else { continue };
            let (len, stiffness) = match (self.flex_interp[f], self.flex_dim[f]) {
                (0, 1) => (BEND, BEND - 1),
                (0, _) => continue,
                _ => (FOLD, FOLD_STIFFNESS),
            };
            let count = self.flex_bending.get(first).map_or(0, |n| n.f64() as usize);
            places.push(first);
            places.extend((0..len * count).filter(|k| k % len != stiffness).map(|k| first + 1 + k));
        }
        places
    }
}
