//! Sparse factorisation of the inertia matrix, products and solves with it.
//!
//! `M = L' D L` with unit lower triangular `L` has no fill-in: row `k` of `L` is nonzero only at the ancestors
//! of `k` (RBDA §6.4). The ancestors of an ancestor are the leading part of the same row, and degrees of freedom
//! are numbered depth first, so that rows can be updated entry by entry without a search.

use super::math::add_rows4;
use crate::data::Data;
use crate::model::Model;
use crate::real::Real;

/// Factors the inertia matrix.
pub fn factor_m<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.qLD.copy_from_slice(&d.M);
    factor_ld(m, &mut d.qLD, &mut d.qLDiagInv);
}

/// Replaces the lower triangle `h` by its factors; `diag_inv` becomes the inverse of `D`.
pub fn factor_ld<T: Real>(m: &Model<T>, h: &mut [T], diag_inv: &mut [T]) {
    for i in (0..m.sizes.nv).rev() {
        let adr = m.M_rowadr[i] as usize;
        let last = m.M_rownnz[i] as usize - 1;
        let (above, below) = h.split_at_mut(adr + last + 1);
        let row = &mut above[adr..];
        // the descendants, numbered from the next on, take their share; L is in place there, and D
        let end = descendants(m, i);
        let start = |k: usize| m.M_rowadr[k] as usize - adr - last - 1;
        for k in (i + 1..end).step_by(4) {
            let rows = [
                start(k),
                start((k + 1).min(end - 1)),
                start((k + 2).min(end - 1)),
                start((k + 3).min(end - 1)),
            ];
            let mut f = [T::ZERO; 4];
            for p in 0..4.min(end - k) {
                let pivot = rows[p] + m.M_rownnz[k + p] as usize - 1;
                f[p] = -below[rows[p] + last] * below[pivot];
            }
            let part = |p: usize| &below[rows[p]..=rows[p] + last];
            add_rows4(row, f, part(0), part(1), part(2), part(3));
        }
        let inv = T::ONE / row[last];
        diag_inv[i] = inv;
        for l in &mut row[..last] {
            *l *= inv;
        }
    }
}

/// One past the last descendant of a degree of freedom: those whose rows have it in its own place.
fn descendants<T: Real>(m: &Model<T>, i: usize) -> usize {
    let place = m.M_rownnz[i] as usize - 1;
    let below = |k: usize| {
        m.M_rownnz[k] as usize > place + 1 && m.M_colind[m.M_rowadr[k] as usize + place] == i as i32
    };
    let mut end = i + 1;
    while end < m.sizes.nv && below(end) {
        end += 1;
    }
    end
}

/// Solves `L' D L x = b` in place, with factors from [`factor_ld`].
pub fn solve_ld<T: Real>(m: &Model<T>, ld: &[T], diag_inv: &[T], x: &mut [T]) {
    let nv = m.sizes.nv;
    // L' from the leaves up
    for k in (0..nv).rev() {
        let adr = m.M_rowadr[k] as usize;
        let last = adr + m.M_rownnz[k] as usize - 1;
        let columns = &m.M_colind[adr..last];
        let row = &ld[adr..last];
        let xk = x[k];
        for p in 0..row.len() {
            x[columns[p] as usize] -= row[p] * xk;
        }
    }
    // D, then L from the root down
    for k in 0..nv {
        let adr = m.M_rowadr[k] as usize;
        let last = adr + m.M_rownnz[k] as usize - 1;
        let columns = &m.M_colind[adr..last];
        let row = &ld[adr..last];
        let mut sum = x[k] * diag_inv[k];
        for p in 0..row.len() {
            sum -= row[p] * x[columns[p] as usize];
        }
        x[k] = sum;
    }
}

/// Product of the inertia matrix with a vector.
pub fn mul_m<T: Real>(m: &Model<T>, inertia: &[T], v: &[T], out: &mut [T]) {
    for i in 0..m.sizes.nv {
        let adr = m.M_rowadr[i] as usize;
        let last = adr + m.M_rownnz[i] as usize - 1;
        let columns = &m.M_colind[adr..last];
        let row = &inertia[adr..last];
        let mut sum = inertia[last] * v[i];
        for p in 0..row.len() {
            let j = columns[p] as usize;
            sum += row[p] * v[j];
            out[j] += row[p] * v[i];
        }
        out[i] = sum;
    }
}
