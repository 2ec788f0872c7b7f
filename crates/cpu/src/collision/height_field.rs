//! Prisms of a height field under a geom: two for each grid cell, from the bottom of the base to the heights of three
//! vertices.

use super::polytope::Hull;
use super::primitives::Shape;
use super::support_map::{ConvexShape, support};
use crate::math::{Vec3, transpose};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Most contacts of a height field and a geom.
pub const MAX_PRISMS: usize = 50;

/// A subgrid of a height field.
pub struct Prisms<'a, T: Real> {
    m: &'a Model<T>,
    field: usize,
    shape: Shape<T>,
    /// Height below which a prism cannot touch the geom.
    low: T,
    /// First row and column, number of rows, and number of prisms in each.
    row: usize,
    col: usize,
    rows: usize,
    per_row: usize,
}

/// Prisms of the height field of a geom with a pose that lie under another solid; none if the solid is farther
/// than `margin` from the field's bounding box.
pub fn prisms_under<'a, T: Real>(
    m: &'a Model<T>,
    field: usize,
    shape: Shape<T>,
    other: &ConvexShape<'_, T>,
    margin: T,
) -> Option<Prisms<'a, T>> {
    let size = &m.hfield_size[4 * field..4 * field + 4];
    // the other solid in the frame of the field
    let turned = Shape {
        pos: (other.shape.pos - shape.pos) * shape.mat,
        mat: transpose(shape.mat) * other.shape.mat,
        size: other.shape.size,
    };
    let solid = ConvexShape { shape: turned, ..*other };
    let (mut low, mut high) = (Vec3::ZERO, Vec3::ZERO);
    for k in 0..3 {
        let mut axis = Vec3::ZERO;
        axis[k] = T::ONE;
        high[k] = support(&solid, axis, turned.pos, T::ZERO)[k] + solid.radius();
        axis[k] = -T::ONE;
        low[k] = support(&solid, axis, turned.pos, T::ZERO)[k] - solid.radius();
    }
    let (bottom, top) = ([-size[0], -size[1], -size[3]], [size[0], size[1], size[2]]);
    let apart = (0..3).any(|k| low[k] - margin > top[k] || high[k] + margin < bottom[k]);
    if apart {
        return None;
    }
    // grid cells
    let cells = |k: usize, count: usize| {
        let share = T::of(0.5) * T::of((count - 1) as f64) / size[k];
        let first = ((low[k] + size[k]) * share).floor().f64().max(0.0) as usize;
        let last = ((high[k] + size[k]) * share).f64().ceil().max(0.0) as usize;
        (first, last.min(count - 1).saturating_sub(first))
    };
    let (col, cols) = cells(0, m.hfield_ncol[field] as usize);
    let (row, rows) = cells(1, m.hfield_nrow[field] as usize);
    Some(Prisms { m, field, shape, low: low[2] - margin, row, col, rows, per_row: 2 * cols })
}

impl<'a, T: Real> Prisms<'a, T> {
    /// Number of prisms.
    pub fn count(&self) -> usize {
        self.rows * self.per_row
    }

    /// Triangle of the surface above prism `index`, in the frame of the field; none if it lies below the geom.
    pub fn surface(&self, index: usize) -> Option<[Vec3<T>; 3]> {
        let (m, field) = (self.m, self.field);
        let size = &m.hfield_size[4 * field..4 * field + 4];
        let (nrow, ncol) = (m.hfield_nrow[field] as usize, m.hfield_ncol[field] as usize);
        let (along, up) = (index % self.per_row, self.row + index / self.per_row);
        let corners = [0, 1, 2].map(|k| {
            // vertices alternate between the two rows
            let (col, row) = (self.col + (along + k) / 2, up + 1 - (along + k) % 2);
            let x = T::of(2.0) * size[0] / T::of((ncol - 1) as f64) * T::of(col as f64) - size[0];
            let y = T::of(2.0) * size[1] / T::of((nrow - 1) as f64) * T::of(row as f64) - size[1];
            Vec3([x, y, m.hfield_data[m.hfield_adr[field] as usize + row * ncol + col] * size[2]])
        });
        corners.iter().any(|corner| corner[2] >= self.low).then_some(corners)
    }

    /// Prism `index`; none if it lies below the geom.
    pub fn make_prism(&self, index: usize) -> Option<ConvexShape<'a, T>> {
        let bottom = -self.m.hfield_size[4 * self.field + 3];
        let [a, b, c] = self.surface(index)?;
        let [d, e, f] = [a, b, c].map(|p| Vec3([p[0], p[1], bottom]));
        let mut corners = [d, e, f, a, b, c];
        // relative to its centre
        let mut center = Vec3::ZERO;
        for corner in corners {
            center += corner * T::of(1.0 / 6.0);
        }
        let mut half = Vec3::<T>::ZERO;
        for corner in &mut corners {
            *corner -= center;
            half = Vec3::from_fn(|k| half[k].max(corner[k].abs()));
        }
        let pos = self.shape.pos + self.shape.mat * center;
        let shape = Shape { pos, mat: self.shape.mat, size: half };
        Some(ConvexShape { kind: geom::HFIELD, shape, hull: Hull::Prism(corners) })
    }
}
