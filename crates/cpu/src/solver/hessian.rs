//! Hessian of the solver's cost, dense in each island: assembly, factorisation, rank-one updates, solve.

use super::rows::{FourRows, RowBatch, dof_range, is_narrow, rows};
use crate::constraint::cone::{Cone, cone_of};
use crate::constraint::constraint_cost::{cost_parameters, is_quadratic};
use crate::constraint::row_span::row_span;
use crate::math::{add_row, add_rows4, dot_n, dot_rows4};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Divisor of the number of degrees of freedom: if more rows than the quotient change zone, the Hessian is rebuilt.
const MAX_UPDATES_DIVISOR: usize = 2;

/// Start of row `i` of a packed lower triangle.
#[inline(always)]
fn packed(i: usize) -> usize {
    i * (i + 1) / 2
}

/// Hessian of the cost in an island: the inertia plus the rows in their quadratic zone. Lower triangle.
pub fn build_hessian<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) {
    let nv = m.sizes.nv;
    let (first, end) = dof_range(d, island);
    for i in first..end {
        if d.dof_island[i] != island {
            continue;
        }
        d.solver_H[packed(i) + first..=packed(i) + i].fill(T::ZERO);
        let adr = m.M_rowadr[i] as usize;
        for k in adr..adr + m.M_rownnz[i] as usize {
            d.solver_H[packed(i) + m.M_colind[k] as usize] = d.M[k];
        }
    }
    let mut four = RowBatch::default();
    let mut done = 0;
    for k in rows(d, island) {
        let r = d.efc_order[k] as usize;
        if r < done {
            continue;
        }
        if let Some(cone) = cone_of(m, d, r) {
            done = r + cone.dim;
            add_cone_hessian(d, nv, r, &cone);
            continue;
        }
        let is_in_quadratic = is_quadratic(&cost_parameters(d, r), d.solver_Jaref[r]);
        d.solver_quadratic[r] = i32::from(is_in_quadratic);
        if !is_in_quadratic {
            continue;
        }
        let span = row_span(d, r);
        if is_narrow(span) {
            add_rank_one(&mut d.solver_H, span.0, &d.efc_J[r * nv..][span.0..span.1], d.efc_D[r]);
        } else if let Some(batch) = four.push(d, r, d.efc_D[r]) {
            add_rows_hessian(d, nv, &batch);
        }
    }
    if let Some(batch) = four.take() {
        add_rows_hessian(d, nv, &batch);
    }
}

/// Adds the Hessian of a cone's cost: each row's diagonal term, and the rank-one update and downdate.
fn add_cone_hessian<T: Real>(d: &mut Data<T>, nv: usize, r: usize, cone: &Cone<T>) {
    let (first, end) = row_span(d, r);
    let hess = cone.curvature(&d.solver_Jaref[r..r + cone.dim]);
    let row = |k: usize| (r + k) * nv + first..(r + k) * nv + end;
    for k in 0..cone.dim {
        if hess[k][0] != T::ZERO {
            add_rank_one(&mut d.solver_H, first, &d.efc_J[row(k)], hess[k][0]);
        }
    }
    if hess[0][1] == T::ZERO {
        return;
    }
    for (part, sign) in [(1, T::ONE), (2, -T::ONE)] {
        let sum = &mut d.solver_search[first..end];
        sum.fill(T::ZERO);
        for k in 0..cone.dim {
            add_row(sum, hess[k][part], &d.efc_J[row(k)]);
        }
        add_rank_one(&mut d.solver_H, first, &d.solver_search[first..end], sign);
    }
}

/// Adds `weight v v'` to a packed lower triangle, with `v` from degree of freedom `first` on.
fn add_rank_one<T: Real>(h: &mut [T], first: usize, v: &[T], weight: T) {
    for (i, &x) in v.iter().enumerate() {
        let f = weight * x;
        if f != T::ZERO {
            let adr = packed(first + i) + first;
            add_row(&mut h[adr..=adr + i], f, &v[..=i]);
        }
    }
}

/// Rank-one updates of the Hessian with up to four rows.
fn add_rows_hessian<T: Real>(d: &mut Data<T>, nv: usize, batch: &FourRows<T>) {
    let (first, end) = batch.span;
    let (rows, w) = (batch.rows, batch.weights);
    let row = |k: usize| &d.efc_J[rows[k] * nv + first..rows[k] * nv + end];
    let (a, b, c, e) = (row(0), row(1), row(2), row(3));
    if batch.count == 1 {
        return add_rank_one(&mut d.solver_H, first, a, w[0]);
    }
    let mut rest = &mut d.solver_H[packed(first)..];
    for (i, (((&ai, &bi), &ci), &ei)) in a.iter().zip(b).zip(c).zip(e).enumerate() {
        let (out, after) = rest.split_at_mut(first + i + 1);
        rest = after;
        let (fa, fb, fc, fe) = (ai * w[0], bi * w[1], ci * w[2], ei * w[3]);
        if any(fa, fb, fc, fe) {
            add_rows4(&mut out[first..], fa, a, fb, b, fc, c, fe, e);
        }
    }
}

/// True if any of four numbers is non-zero.
#[inline(always)]
fn any<T: Real>(a: T, b: T, c: T, d: T) -> bool {
    (a != T::ZERO) | (b != T::ZERO) | (c != T::ZERO) | (d != T::ZERO)
}

/// Factors the Hessian of an island `H = L' D L` in place, from the last row up: there is no fill-in between rows
/// without a common descendant. Pivots have a lower bound. An island with holes takes its rows one by one.
pub fn factor_dense<T: Real>(d: &mut Data<T>, island: i32) {
    let (first, end) = dof_range(d, island);
    let dofs = &d.dof_island[..end];
    let holes = has_holes(dofs, first, island);
    for i in (first..end).rev() {
        if dofs[i] != island {
            continue;
        }
        let (above, below) = d.solver_H.split_at_mut(packed(i + 1));
        let row = &mut above[packed(i) + first..];
        let last = i - first;
        // Schur complement of the later rows, four at a time; their L and D are in place
        let mut rest: &[T] = below;
        let mut next = |k: usize| {
            if k >= end {
                return (&below[..=last], T::ZERO);
            }
            let (l, after) = rest.split_at(k + 1);
            rest = after;
            (&l[first..], -l[i] * l[k])
        };
        if holes {
            for k in i + 1..end {
                let (l, f) = next(k);
                if dofs[k] == island && f != T::ZERO {
                    add_row(row, f, l);
                }
            }
        } else {
            for k in (i + 1..end).step_by(4) {
                let ((a, fa), (b, fb), (c, fc), (e, fe)) = (next(k), next(k + 1), next(k + 2), next(k + 3));
                if any(fa, fb, fc, fe) {
                    add_rows4(row, fa, a, fb, b, fc, c, fe, e);
                }
            }
        }
        // the pivot stays, the rest of the row becomes that of L; constraint rows only add to the inertia, so
        // rounding apart no pivot is below that of the inertia
        row[last] = row[last].max(T::ONE / d.qLDiagInv[i].max(T::MINVAL));
        let inv = T::ONE / row[last];
        for l in &mut row[..last] {
            *l *= inv;
        }
    }
}

/// True if degrees of freedom of other islands lie between those of an island: their rows of the Hessian hold
/// leftovers of another island.
fn has_holes(dofs: &[i32], first: usize, island: i32) -> bool {
    dofs[first..].iter().any(|&i| i != island)
}

/// Updates the factors for the rows that entered or left their quadratic zone; false where a new factorisation costs
/// less or is more accurate.
pub fn update_factors<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> bool {
    // the Hessian of a cone changes with every step
    if m.has_elliptic_cones() {
        return false;
    }
    let nv = m.sizes.nv;
    let (first, end) = dof_range(d, island);
    let mut changes = 0;
    for &r in &d.efc_order[rows(d, island)] {
        let r = r as usize;
        let is_in_quadratic = is_quadratic(&cost_parameters(d, r), d.solver_Jaref[r]);
        changes += usize::from(is_in_quadratic != (d.solver_quadratic[r] != 0));
    }
    if changes * MAX_UPDATES_DIVISOR > end - first {
        return false;
    }
    for k in rows(d, island) {
        if changes == 0 {
            break;
        }
        let r = d.efc_order[k] as usize;
        let is_in_quadratic = is_quadratic(&cost_parameters(d, r), d.solver_Jaref[r]);
        if is_in_quadratic != (d.solver_quadratic[r] != 0) {
            changes -= 1;
            d.solver_quadratic[r] = i32::from(is_in_quadratic);
            // rows whose spans are unknown reach beyond the island
            let (begin, last) = row_span(d, r);
            let (begin, last) = (begin.max(first), last.min(end));
            d.solver_search[first..begin].fill(T::ZERO);
            d.solver_search[begin..last].copy_from_slice(&d.efc_J[r * nv..][begin..last]);
            if !update_ldl(d, first, last, if is_in_quadratic { d.efc_D[r] } else { -d.efc_D[r] }) {
                return false;
            }
        }
    }
    true
}

/// Rank-one update of the factors to those of `H + weight v v'` with `v` in `solver_search`, which is overwritten
/// (Gill, Golub, Murray and Saunders, *Methods for Modifying Matrix Factorizations*, C1); false if a pivot nearly
/// vanishes.
fn update_ldl<T: Real>(d: &mut Data<T>, first: usize, end: usize, weight: T) -> bool {
    let mut weight = weight;
    for k in (first..end).rev() {
        let p = d.solver_search[k];
        if p == T::ZERO {
            continue;
        }
        let row = &mut d.solver_H[packed(k) + first..=packed(k) + k];
        let last = k - first;
        let pivot = row[last];
        let next = pivot + weight * p * p;
        if next < T::EPSILON.sqrt() * pivot {
            return false;
        }
        let inv = T::ONE / next;
        let share = weight * p * inv;
        weight *= pivot * inv;
        row[last] = next;
        update_ldl_row(&mut row[..last], &mut d.solver_search[first..k], p, share);
    }
    true
}

/// The row of one pivot, and the remainder of the vector.
fn update_ldl_row<T: Real>(row: &mut [T], v: &mut [T], p: T, share: T) {
    let n = row.len();
    let v = &mut v[..n];
    for j in 0..n {
        v[j] -= p * row[j];
        row[j] += share * v[j];
    }
}

/// Solves with the factors from [`factor_dense`] in `solver_search`, which is zero outside the island. Four rows at a
/// time, so that common elements are read once; one by one in an island with holes.
pub fn solve_dense<T: Real>(d: &mut Data<T>, island: i32) {
    let (first, end) = dof_range(d, island);
    let h = &d.solver_H;
    let x = &mut d.solver_search[first..end];
    let row = |k: usize| &h[packed(first + k) + first..=packed(first + k) + first + k];
    let dofs = &d.dof_island[first..end];
    let whole = if has_holes(dofs, 0, island) { 0 } else { x.len() - x.len() % 4 };
    // L', from the last row up
    for k in (whole..x.len()).rev() {
        if dofs[k] == island {
            let (left, right) = x.split_at_mut(k);
            add_row(left, -right[0], row(k));
        }
    }
    for k in (0..whole).step_by(4).rev() {
        let (a, b, c, e) = (row(k), row(k + 1), row(k + 2), row(k + 3));
        let (left, x) = x.split_at_mut(k);
        x[2] -= e[k + 2] * x[3];
        x[1] -= e[k + 1] * x[3] + c[k + 1] * x[2];
        x[0] -= e[k] * x[3] + c[k] * x[2] + b[k] * x[1];
        add_rows4(left, -x[0], a, -x[1], b, -x[2], c, -x[3], e);
    }
    // D, then L from the first row down
    for k in (0..whole).step_by(4) {
        let (a, b, c, e) = (row(k), row(k + 1), row(k + 2), row(k + 3));
        let (left, x) = x.split_at_mut(k);
        let sum = dot_rows4(left, a, b, c, e);
        x[0] = x[0] / a[k] - sum[0];
        x[1] = x[1] / b[k + 1] - sum[1] - b[k] * x[0];
        x[2] = x[2] / c[k + 2] - sum[2] - c[k] * x[0] - c[k + 1] * x[1];
        x[3] = x[3] / e[k + 3] - sum[3] - e[k] * x[0] - e[k + 1] * x[1] - e[k + 2] * x[2];
    }
    for k in whole..x.len() {
        if dofs[k] == island {
            x[k] = x[k] / row(k)[k] - dot_n(&row(k)[..k], &x[..k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::uniform::uniform;
    use manyworlds_model::schema::Sizes;

    const N: usize = 11;

    /// One island with a positive definite Hessian.
    fn world() -> Data {
        let mut d = Data::zeroed(Sizes { nv: N, nH: N * (N + 1) / 2, ntree: 1, ..Sizes::default() });
        d.island_dof_end[0] = N as i32;
        // negligible inertia
        d.qLDiagInv.fill(1e15);
        for (k, x) in d.solver_H.iter_mut().enumerate() {
            *x = uniform(1, 0, 0, k as u64) - 0.5;
        }
        for i in 0..N {
            d.solver_H[packed(i) + i] += N as f64;
        }
        d
    }

    /// A vector with zeros at both ends and in between.
    fn vector(i: usize) -> f64 {
        if i == 0 || i == 4 || i == N - 1 { 0.0 } else { uniform(2, 0, 0, i as u64) - 0.5 }
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-12)
    }

    #[test]
    fn factors_solve() {
        let mut d = world();
        let h = d.solver_H.clone();
        let entry = |i: usize, j: usize| h[packed(i.max(j)) + i.min(j)];
        let b: Vec<f64> = (0..N).map(|i| (0..N).map(|j| entry(i, j) * (j as f64 - 3.0)).sum()).collect();
        d.solver_search.copy_from_slice(&b);
        factor_dense(&mut d, 0);
        solve_dense(&mut d, 0);
        let expected: Vec<f64> = (0..N).map(|j| j as f64 - 3.0).collect();
        assert!(near(&d.solver_search, &expected), "{:?}", d.solver_search);
    }

    #[test]
    fn rows_of_other_islands_do_not_matter() {
        let mut d = world();
        // every third degree of freedom belongs to another island, and its row holds arbitrary numbers
        for i in 0..N {
            d.dof_island[i] = i32::from(i % 3 == 1);
            for j in 0..=i {
                let apart = (i % 3 == 1) != (j % 3 == 1);
                let x = &mut d.solver_H[packed(i) + j];
                *x = if i % 3 == 1 {
                    f64::NAN
                } else if apart {
                    0.0
                } else {
                    *x
                };
            }
            d.solver_search[i] = if i % 3 == 1 { 0.0 } else { i as f64 };
        }
        let (h, b) = (d.solver_H.clone(), d.solver_search.clone());
        factor_dense(&mut d, 0);
        solve_dense(&mut d, 0);
        for i in (0..N).filter(|i| i % 3 != 1) {
            let entry = |j: usize| h[packed(i.max(j)) + i.min(j)];
            let sum: f64 = (0..N).filter(|j| j % 3 != 1).map(|j| entry(j) * d.solver_search[j]).sum();
            assert!((sum - b[i]).abs() < 1e-12, "{i}: {sum}");
        }
    }

    #[test]
    fn rows_come_and_go_in_the_factors() {
        let mut plain = world();
        let mut full = plain.clone();
        for i in 0..N {
            for j in 0..=i {
                full.solver_H[packed(i) + j] += 1e4 * vector(i) * vector(j);
            }
        }
        factor_dense(&mut plain, 0);
        factor_dense(&mut full, 0);
        // with the row, and without it again
        let mut d = plain.clone();
        for (weight, expected) in [(1e4, &full), (-1e4, &plain)] {
            (0..N).for_each(|i| d.solver_search[i] = vector(i));
            assert!(update_ldl(&mut d, 0, N, weight));
            assert!(near(&d.solver_H, &expected.solver_H), "{weight}");
        }
        // a row that was never added cannot be removed
        (0..N).for_each(|i| d.solver_search[i] = vector(i));
        assert!(!update_ldl(&mut d, 0, N, -1e4));
    }
}
