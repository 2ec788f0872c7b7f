//! The joint-space inertia matrix: sparse factorisation, solves, products.
//!
//! `M = L' D L` with unit lower triangular `L` has no fill-in: row `k` of `L` is nonzero only at the ancestors of `k`
//! (RBDA §6.4). The ancestors of an ancestor are the leading part of the same row, and degrees of freedom are
//! numbered depth first, so that rows are updated entry by entry without a search.

use std::ops::Range;

use crate::math::add_four_rows;
use crate::sleep::kept::{run_at, runs};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::status;
use manyworlds_model::schema::stages::Stage;

/// Factors the inertia matrix.
#[inline(always)]
pub fn factor_m<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut regular = true;
    for k in 0..runs(m, d, Stage::factor_m) {
        let dofs = run_at(m, d, k).dofs();
        let row_adr = |dof: usize| m.M_rowadr.get(dof).map_or(m.sizes.nC, |adr| *adr as usize);
        let entries = row_adr(dofs.start)..row_adr(dofs.end);
        d.qLD[entries.clone()].copy_from_slice(&d.M[entries]);
        regular &= factor_ld_within(m, &mut d.qLD, &mut d.qLDiagInv, dofs);
    }
    if !regular {
        d.status[0] |= status::SINGULAR_INERTIA;
        // the next step says so too
        if let Some(kept) = &mut d.kept {
            kept.forget_stage(Stage::factor_m);
        }
    }
}

/// Replaces the lower triangle `h` by its factors, with the inverse of `D` in `diag_inv`. A singular matrix gets the
/// smallest pivot that counts as non-zero, and the result is false.
#[inline(always)]
pub fn factor_ld<T: Real>(m: &Model<T>, h: &mut [T], diag_inv: &mut [T]) -> bool {
    factor_ld_within(m, h, diag_inv, 0..m.sizes.nv)
}

/// Factors restricted to a range of degrees of freedom, which are whole trees.
#[inline(always)]
fn factor_ld_within<T: Real>(m: &Model<T>, h: &mut [T], diag_inv: &mut [T], dofs: Range<usize>) -> bool {
    let mut regular = true;
    for part in parts_of(m, dofs) {
        regular &= match part {
            Part::Diagonal { dofs, first } => {
                invert_diagonal(&mut h[first..first + dofs.len()], &mut diag_inv[dofs])
            }
            Part::Tree(dofs) => factor_tree(m, h, diag_inv, dofs),
        };
    }
    regular
}

/// Whole trees that follow each other.
enum Part {
    /// Bodies whose rows are their diagonals, the first of them at a place.
    Diagonal { dofs: Range<usize>, first: usize },
    /// Any other tree.
    Tree(Range<usize>),
}

/// Parts of a range of degrees of freedom, which are whole trees.
#[inline(always)]
fn parts_of<T: Real>(m: &Model<T>, dofs: Range<usize>) -> impl Iterator<Item = Part> + '_ {
    let mut next = dofs.start;
    std::iter::from_fn(move || {
        if next >= dofs.end {
            return None;
        }
        let begin = next;
        let run = m.dof_simplenum[begin] as usize;
        if run > 0 {
            next = dofs.end.min(begin + run);
            return Some(Part::Diagonal { dofs: begin..next, first: m.M_rowadr[begin] as usize });
        }
        let tree = m.dof_treeid[begin] as usize;
        next = (m.tree_dofadr[tree] + m.tree_dofnum[tree]) as usize;
        Some(Part::Tree(begin..next))
    })
}

/// Inverts a diagonal; false if it is singular, whose pivots become the smallest that count.
#[inline(always)]
fn invert_diagonal<T: Real>(diagonal: &mut [T], inverse: &mut [T]) -> bool {
    let mut regular = true;
    for (x, inv) in diagonal.iter_mut().zip(inverse) {
        if *x < T::MINVAL {
            *x = T::MINVAL;
            regular = false;
        }
        *inv = T::ONE / *x;
    }
    regular
}

/// [`factor_ld_within`] of one tree.
#[inline(always)]
fn factor_tree<T: Real>(m: &Model<T>, h: &mut [T], diag_inv: &mut [T], dofs: Range<usize>) -> bool {
    let mut regular = true;
    let nonzeros = &m.M_rownnz[..m.sizes.nv];
    for i in dofs.rev() {
        let adr = m.M_rowadr[i] as usize;
        let last = nonzeros[i] as usize - 1;
        let (above, below) = h.split_at_mut(adr + last + 1);
        let row = &mut above[adr..];
        // elimination from the rows of the descendants, four at a time; their L is in place, and so is D
        let end = i + 1 + (m.F_rownnz[i] - m.M_rownnz[i]) as usize;
        let mut rest: &[T] = below;
        for k in (i + 1..end).step_by(4) {
            let (mut factors, mut rows) = ([T::ZERO; 4], [&below[..=last]; 4]);
            for j in 0..(end - k).min(4) {
                let (l, after) = rest.split_at(nonzeros[k + j] as usize);
                rest = after;
                (factors[j], rows[j]) = (-l[last] * l[l.len() - 1], l);
            }
            add_four_rows(row, factors, rows);
        }
        if row[last] < T::MINVAL {
            row[last] = T::MINVAL;
            regular = false;
        }
        let inv = T::ONE / row[last];
        diag_inv[i] = inv;
        for l in &mut row[..last] {
            *l *= inv;
        }
    }
    regular
}

/// Place of a diagonal element in the lower triangle of the inertia.
#[inline(always)]
pub fn diagonal_of<T: Real>(m: &Model<T>, dof: usize) -> usize {
    (m.M_rowadr[dof] + m.M_rownnz[dof]) as usize - 1
}

/// Solves `L' D L x = b` in place, with factors from [`factor_ld`].
#[inline(always)]
pub fn solve_ld<T: Real>(m: &Model<T>, ld: &[T], diag_inv: &[T], x: &mut [T]) {
    solve_ld_within(m, ld, diag_inv, x, 0..m.sizes.nv);
}

/// Solve restricted to a range of degrees of freedom, which are whole trees.
#[inline(always)]
pub fn solve_ld_within<T: Real>(m: &Model<T>, ld: &[T], diag_inv: &[T], x: &mut [T], dofs: Range<usize>) {
    solve_ld_one(m, ld, diag_inv, &mut x[dofs.clone()], dofs);
}

/// As [`solve_ld_within`], for the elements for `dofs` of each of the rows in `x`, which begin there and at each further
/// `stride`; four are solved together.
pub fn solve_ld_rows<T: Real>(
    m: &Model<T>,
    ld: &[T],
    diag_inv: &[T],
    x: &mut [T],
    stride: usize,
    dofs: Range<usize>,
) {
    for four in x.chunks_mut(4 * stride) {
        let mut rows = four.chunks_mut(stride).map(|row| &mut row[..dofs.len()]);
        if let (Some(a), Some(b), Some(c), Some(d)) = (rows.next(), rows.next(), rows.next(), rows.next()) {
            solve_ld_four(m, ld, diag_inv, [a, b, c, d], dofs.clone());
        } else {
            let rows = four.chunks_mut(stride);
            rows.for_each(|row| solve_ld_one(m, ld, diag_inv, &mut row[..dofs.len()], dofs.clone()));
        }
    }
}

/// [`solve_ld_within`] of the elements for `dofs` alone.
#[inline(always)]
fn solve_ld_one<T: Real>(m: &Model<T>, ld: &[T], diag_inv: &[T], x: &mut [T], dofs: Range<usize>) {
    let base = dofs.start;
    for part in parts_of(m, dofs) {
        match part {
            Part::Diagonal { dofs, .. } => {
                let inverse = &diag_inv[dofs.clone()];
                x[dofs.start - base..dofs.end - base].iter_mut().zip(inverse).for_each(|(x, inv)| *x *= *inv);
            }
            Part::Tree(dofs) => {
                let own = dofs.start - base..dofs.end - base;
                solve_tree(m, ld, diag_inv, &mut x[own], dofs);
            }
        }
    }
}

/// [`solve_ld_one`] of one tree.
#[inline(always)]
fn solve_tree<T: Real>(m: &Model<T>, ld: &[T], diag_inv: &[T], x: &mut [T], dofs: Range<usize>) {
    let base = dofs.start;
    // L', from the leaves up
    for k in dofs.clone().rev() {
        let adr = m.M_rowadr[k] as usize;
        let last = adr + m.M_rownnz[k] as usize - 1;
        let xk = x[k - base];
        for (&l, &j) in ld[adr..last].iter().zip(&m.M_colind[adr..last]) {
            x[j as usize - base] -= l * xk;
        }
    }
    // D, then L from the root down
    for k in dofs {
        let adr = m.M_rowadr[k] as usize;
        let last = adr + m.M_rownnz[k] as usize - 1;
        let mut sum = x[k - base] * diag_inv[k];
        for (&l, &j) in ld[adr..last].iter().zip(&m.M_colind[adr..last]) {
            sum -= l * x[j as usize - base];
        }
        x[k - base] = sum;
    }
}

/// Solves four systems, whose factors are read once; each is solved as by itself, up to the sign of zeros. Their elements
/// are those for `dofs`.
fn solve_ld_four<T: Real>(m: &Model<T>, ld: &[T], diag_inv: &[T], x: [&mut [T]; 4], dofs: Range<usize>) {
    let base = dofs.start;
    let [a, b, c, d] = x;
    // L', from the leaves up; most rows of a Jacobian are zero at many leaves
    for k in dofs.clone().rev() {
        let at_k = [a[k - base], b[k - base], c[k - base], d[k - base]];
        if at_k == [T::ZERO; 4] {
            continue;
        }
        let adr = m.M_rowadr[k] as usize;
        let last = adr + m.M_rownnz[k] as usize - 1;
        for (&l, &j) in ld[adr..last].iter().zip(&m.M_colind[adr..last]) {
            let j = j as usize - base;
            a[j] -= l * at_k[0];
            b[j] -= l * at_k[1];
            c[j] -= l * at_k[2];
            d[j] -= l * at_k[3];
        }
    }
    // D, then L from the root down
    for k in dofs {
        let adr = m.M_rowadr[k] as usize;
        let last = adr + m.M_rownnz[k] as usize - 1;
        let inv = diag_inv[k];
        let at = k - base;
        let mut sum = [a[at] * inv, b[at] * inv, c[at] * inv, d[at] * inv];
        for (&l, &j) in ld[adr..last].iter().zip(&m.M_colind[adr..last]) {
            let j = j as usize - base;
            sum[0] -= l * a[j];
            sum[1] -= l * b[j];
            sum[2] -= l * c[j];
            sum[3] -= l * d[j];
        }
        [a[at], b[at], c[at], d[at]] = sum;
    }
}

/// Product of the inertia matrix and a vector.
pub fn mul_m<T: Real>(m: &Model<T>, inertia: &[T], v: &[T], out: &mut [T]) {
    mul_m_within(m, inertia, v, out, 0..m.sizes.nv);
}

/// Product restricted to a range of degrees of freedom, which are whole trees; the rest of `out` keeps its values.
#[inline(always)]
pub fn mul_m_within<T: Real>(m: &Model<T>, inertia: &[T], v: &[T], out: &mut [T], dofs: Range<usize>) {
    for part in parts_of(m, dofs) {
        match part {
            Part::Diagonal { dofs, first } => {
                let diagonal = &inertia[first..first + dofs.len()];
                let products = diagonal.iter().zip(&v[dofs.clone()]).map(|(x, v)| *x * *v);
                out[dofs].iter_mut().zip(products).for_each(|(to, x)| *to = x);
            }
            Part::Tree(dofs) => mul_tree(m, inertia, v, out, dofs),
        }
    }
}

/// [`mul_m_within`] of one tree.
#[inline(always)]
fn mul_tree<T: Real>(m: &Model<T>, inertia: &[T], v: &[T], out: &mut [T], dofs: Range<usize>) {
    let (v, out) = (&v[..m.sizes.nv], &mut out[..m.sizes.nv]);
    for i in dofs {
        let adr = m.M_rowadr[i] as usize;
        let last = adr + m.M_rownnz[i] as usize - 1;
        let columns = &m.M_colind[adr..last];
        let vi = v[i];
        let mut sum = inertia[last] * vi;
        for (&x, &j) in inertia[adr..last].iter().zip(columns) {
            sum += x * v[j as usize];
            out[j as usize] += x * vi;
        }
        out[i] = sum;
    }
}
