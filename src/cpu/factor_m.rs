//! Sparse factorisation of the inertia matrix, products and solves with it.
//!
//! `M = L' D L` with unit lower triangular `L` has no fill-in: row `k` of `L` is nonzero only at the ancestors
//! of `k` (RBDA §6.4). The ancestors of an ancestor are the leading part of the same row, so that rows can be
//! updated entry by entry without a search.

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
    for k in (0..m.sizes.nv).rev() {
        let adr = m.M_rowadr[k] as usize;
        let last = m.M_rownnz[k] as usize - 1;
        let columns = &m.M_colind[adr..adr + last];
        let (above, rest) = h.split_at_mut(adr);
        let row = &mut rest[..last + 1];
        let inv = T::ONE / row[last];
        diag_inv[k] = inv;
        // the row of each ancestor loses its share
        for p in 0..last {
            let first = m.M_rowadr[columns[p] as usize] as usize;
            let out = &mut above[first..first + p + 1];
            let share = row[p] * inv;
            for q in 0..=p {
                out[q] -= share * row[q];
            }
        }
        for p in 0..last {
            row[p] *= inv;
        }
    }
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
