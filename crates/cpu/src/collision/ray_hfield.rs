//! Rays against height fields.

use std::ops::Range;

use super::ray_mesh::{nearer, ray_triangle};
use super::ray_shape::{Hit, Interval, ray_shape, slab_interval};
use crate::math::{Vec3, normalize3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Part of a cell by which what is under a ray is made longer on each side, for rounding.
const SLACK: f64 = 0.02;

/// Vertex of the surface of a height field, whose vertices are `step` apart.
fn hfield_vertex<T: Real>(m: &Model<T>, field: usize, step: [T; 2], row: usize, col: usize) -> Vec3<T> {
    let size = &m.hfield_size[4 * field..4 * field + 4];
    let at = m.hfield_adr[field] as usize + row * m.hfield_ncol[field] as usize + col;
    let (x, y) = (step[0] * T::of(col as f64) - size[0], step[1] * T::of(row as f64) - size[1]);
    Vec3([x, y, m.hfield_data[at] * size[2]])
}

/// Cells along an axis under an interval of a ray; the first vertex is at `-half`.
fn cells_under<T: Real>(p: T, v: T, half: T, step: T, count: usize, part: Interval<T>) -> Range<usize> {
    let cell = |t: T| (p + t * v + half) / step;
    let (a, b) = (cell(part.near), cell(part.far));
    let clamp = |c: T| c.max(T::ZERO).min(T::of((count - 1) as f64)).f64() as usize;
    let slack = T::of(SLACK);
    clamp((a.min(b) - slack).floor())..clamp((a.max(b) + slack).floor() + T::ONE)
}

/// Hit on a height field: its base, its surface, or the walls below its border.
pub(super) fn ray_hfield<T: Real>(m: &Model<T>, field: i32, p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
    let field = usize::try_from(field).ok()?;
    let size = &m.hfield_size[4 * field..4 * field + 4];
    let (rows, cols) = (m.hfield_nrow[field] as usize, m.hfield_ncol[field] as usize);
    let adr = m.hfield_adr[field] as usize;
    let half = T::of(0.5);
    let foot = half * size[3];
    let base = ray_shape(geom::BOX, Vec3([size[0], size[1], foot]), Vec3([p[0], p[1], p[2] + foot]), v);
    // interval of the ray in the box of the surface
    let (x, y) = (slab_interval(p[0], v[0], size[0]), slab_interval(p[1], v[1], size[1]));
    let z = slab_interval(p[2] - half * size[2], v[2], half * size[2]);
    let inside = x.intersect(y).intersect(z);
    if inside.near > inside.far || inside.far < T::ZERO {
        return base;
    }
    let step =
        [T::of(2.0) * size[0] / T::of((cols - 1) as f64), T::of(2.0) * size[1] / T::of((rows - 1) as f64)];
    // rows of cells under it
    let ahead = Interval::new(inside.near.max(T::ZERO), inside.far);
    let range = |k: usize, count, part| cells_under(p[k], v[k], size[k], step[k], count, part);
    let height = |r: usize, c: usize| m.hfield_data[adr + r * cols + c] * size[2];
    let corner = |r: usize, c: usize| hfield_vertex(m, field, step, r, c);
    let mut best = base;
    for r in range(1, rows, ahead) {
        // cells of a row under the part of the ray between its two sides
        let middle = step[1] * T::of(r as f64 + 0.5) - size[1];
        let part = ahead.intersect(slab_interval(p[1] - middle, v[1], T::of(0.5 + SLACK) * step[1]));
        if part.near > part.far {
            continue;
        }
        for c in range(0, cols, part) {
            let (from, to) = (corner(r, c), corner(r + 1, c + 1));
            best = nearer(best, ray_triangle([from, corner(r, c + 1), to], p, v));
            best = nearer(best, ray_triangle([from, to, corner(r + 1, c)], p, v));
        }
    }
    // walls: the ray enters or leaves the box below the border of the surface
    for (k, interval, count) in [(0, x, rows), (1, y, cols)] {
        for dist in [interval.near, interval.far] {
            if dist != inside.near && dist != inside.far || dist < T::ZERO {
                continue;
            }
            let at = p + v * dist;
            let along = (at[1 - k] + size[1 - k]) / step[1 - k];
            let cell = along.floor().max(T::ZERO).min(T::of((count - 2) as f64));
            let i = cell.f64() as usize;
            let edge = if at[k] > T::ZERO { if k == 0 { cols - 1 } else { rows - 1 } } else { 0 };
            let of = |i: usize| if k == 0 { height(i, edge) } else { height(edge, i) };
            let top = of(i) + (of(i + 1) - of(i)) * (along - cell);
            if at[2] < top {
                let mut normal = Vec3::ZERO;
                normal[k] = at[k];
                best = nearer(best, Some(Hit { dist, normal: normalize3(normal) }));
            }
        }
    }
    best
}
