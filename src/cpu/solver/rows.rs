//! Rows and degrees of freedom of an island, common to all solvers: their ranges, products of Jacobian rows with a
//! vector, and batches of rows.

use std::ops::Range;

use crate::cpu::math::{dot_n, dot_rows4};
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;

/// Range of an island's degrees of freedom.
pub(crate) fn dof_range<T: Real>(d: &Data<T>, island: i32) -> (usize, usize) {
    let k = island as usize;
    (d.island_dof_begin[k] as usize, d.island_dof_end[k] as usize)
}

/// Range of an island's rows, among which may be rows of other islands.
pub(crate) fn rows<T: Real>(d: &Data<T>, island: i32) -> Range<usize> {
    let k = island as usize;
    // no more than the number of rows, also if a stage was left out
    let most = |r: i32| r.clamp(0, d.nefc[0].max(0)) as usize;
    most(d.island_efc_begin[k])..most(d.island_efc_end[k])
}

/// Factor that makes costs and gradients of an island dimensionless: one over its inertia.
pub(crate) fn cost_scale<T: Real>(m: &Model<T>, d: &Data<T>, island: i32) -> T {
    let (first, end) = dof_range(d, island);
    let mut inertia = T::ZERO;
    for i in first..end {
        if d.dof_island[i] == island {
            inertia += d.M[(m.M_rowadr[i] + m.M_rownnz[i]) as usize - 1];
        }
    }
    T::ONE / inertia.max(T::MINVAL)
}

/// Rows of an island collected into batches of four, so that the target of their sum is read and written once instead
/// of four times.
#[derive(Default)]
pub(crate) struct RowBatch<T> {
    rows: [usize; 4],
    weights: [T; 4],
    pub(crate) count: usize,
}

impl<T: Real> RowBatch<T> {
    /// Adds a row; true if the batch is full.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: usize, weight: T) -> bool {
        self.rows[self.count] = row;
        self.weights[self.count] = weight;
        self.count += 1;
        self.count == 4
    }

    /// Rows and weights of the batch; missing entries repeat the first row with weight zero.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> ([usize; 4], [T; 4]) {
        for k in self.count..4 {
            self.rows[k] = self.rows[0];
        }
        self.count = 0;
        let weights = std::mem::replace(&mut self.weights, [T::ZERO; 4]);
        (self.rows, weights)
    }
}

/// Products of the Jacobian rows from `r` on with a vector, and their number: four if they belong to one island.
#[inline(always)]
pub fn mul_jac_rows<T: Real>(d: &Data<T>, r: usize, v: &[T]) -> ([T; 4], usize) {
    let nv = v.len();
    let island = d.efc_island[r];
    let (first, end) = dof_range(d, island);
    let v = &v[first..end];
    let row = |k: usize| &d.efc_J[(r + k) * nv + first..(r + k) * nv + end];
    if r + 4 <= d.nefc[0] as usize && d.efc_island[r + 1..r + 4] == [island; 3] {
        return (dot_rows4(v, row(0), row(1), row(2), row(3)), 4);
    }
    let mut products = [T::ZERO; 4];
    products[0] = dot_n(v, row(0));
    (products, 1)
}

/// Residuals `J a - aref` of all rows at an acceleration.
pub fn residuals<T: Real>(d: &Data<T>, acceleration: &[T], out: &mut [T]) {
    let mut r = 0;
    while r < d.nefc[0] as usize {
        let (products, count) = mul_jac_rows(d, r, acceleration);
        for k in 0..count {
            out[r + k] = products[k] - d.efc_aref[r + k];
        }
        r += count;
    }
}

/// Euclidean norm.
pub(crate) fn norm<T: Real>(x: &[T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum.sqrt()
}
