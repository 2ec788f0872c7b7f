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
        let last = adr + m.M_rownnz[k] as usize - 1;
        let inv = T::ONE / h[last];
        diag_inv[k] = inv;
        // the row of each ancestor loses its share
        for p in adr..last {
            let row = m.M_rowadr[m.M_colind[p] as usize] as usize;
            let share = h[p] * inv;
            for q in adr..=p {
                let x = share * h[q];
                h[row + q - adr] -= x;
            }
        }
        for p in adr..last {
            h[p] *= inv;
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
        let xk = x[k];
        for p in adr..last {
            x[m.M_colind[p] as usize] -= ld[p] * xk;
        }
    }
    // D, then L from the root down
    for k in 0..nv {
        let adr = m.M_rowadr[k] as usize;
        let last = adr + m.M_rownnz[k] as usize - 1;
        let mut sum = x[k] * diag_inv[k];
        for p in adr..last {
            sum -= ld[p] * x[m.M_colind[p] as usize];
        }
        x[k] = sum;
    }
}

/// Product of the inertia matrix with a vector.
pub fn mul_m<T: Real>(m: &Model<T>, inertia: &[T], v: &[T], out: &mut [T]) {
    for i in 0..m.sizes.nv {
        let adr = m.M_rowadr[i] as usize;
        let last = adr + m.M_rownnz[i] as usize - 1;
        let mut sum = inertia[last] * v[i];
        for p in adr..last {
            let j = m.M_colind[p] as usize;
            sum += inertia[p] * v[j];
            out[j] += inertia[p] * v[i];
        }
        out[i] = sum;
    }
}
