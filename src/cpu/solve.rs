//! Constraint forces and acceleration: Newton's method on the convex cost of the primal problem.
//!
//! With `x` the acceleration, the cost is `½ (x - x0)' M (x - x0) + Σ s(J x - aref)`, where `x0` is the
//! acceleration without constraints and each row's penalty `s` is a quadratic of curvature `D`: everywhere for
//! equalities, below zero for limits and contacts, and around zero with straight flanks of slope
//! `frictionloss` for dry friction (MuJoCo documentation, Computation, "Solver"). The Hessian
//! `M + J' D J` over the rows in their quadratic zone is factored once; after a step, rows that entered or left
//! their zone change the factors one by one. An exact line search by Newton steps on the derivative, then by
//! bracketing, finds the length of each step. Costs are only compared as differences from the start of the
//! search, so that nothing cancels in single precision.

use super::factor_m::{mul_m, solve_ld};
use super::math::{add_row, add_rows4, dot_n, dot_rows4};
use crate::data::Data;
use crate::model::{Model, disable};
use crate::real::Real;

/// A point of the line search: its place, and the cost there, relative to the start, with two derivatives.
#[derive(Clone, Copy)]
struct Point<T> {
    alpha: T,
    cost: T,
    d1: T,
    d2: T,
}

/// Share of the degrees of freedom: with more rows that change zone, the Hessian is built anew.
const MOST_CHANGES: usize = 2;

/// What a line search keeps: derivatives of the smooth part, tolerance, evaluations so far.
struct Search<T> {
    island: i32,
    slope: T,
    curvature: T,
    tolerance: T,
    evaluations: i32,
}

/// Acceleration and constraint forces.
pub fn solve<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.solver_niter[0] = 0;
    if d.nefc[0] == 0 {
        d.qacc.copy_from_slice(&d.qacc_smooth);
        d.qfrc_constraint.fill(T::ZERO);
        return;
    }
    start(m, d);
    d.qfrc_constraint.fill(T::ZERO);
    for i in 0..m.sizes.nv {
        if d.dof_island[i] < 0 {
            d.qacc[i] = d.qacc_smooth[i];
        }
    }
    for island in 0..d.nisland[0] {
        let iterations = solve_island(m, d, island);
        d.solver_niter[0] = d.solver_niter[0].max(iterations);
    }
}

/// Range that the degrees of freedom of an island lie in.
fn range<T: Real>(d: &Data<T>, island: i32) -> (usize, usize) {
    let k = island as usize;
    (d.island_first[k] as usize, d.island_end[k] as usize)
}

/// Newton's method in one island; returns the number of its iterations.
fn solve_island<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> i32 {
    // costs and gradients are measured in units of the island's inertia
    let (first, end) = range(d, island);
    let mut inertia = T::ZERO;
    for i in first..end {
        if d.dof_island[i] == island {
            inertia += d.M[(m.M_rowadr[i] + m.M_rownnz[i]) as usize - 1];
        }
    }
    let scale = T::ONE / inertia.max(T::MINVAL);
    let tolerance = m.opt_tolerance[0];
    update_gradient(m, d, island);
    if already_solved(m, d, island, scale) {
        return 0;
    }
    for iteration in 0..m.opt_iterations[0] {
        let decrement = search_direction(m, d, island, iteration == 0);
        if scale * T::of(0.5) * decrement < tolerance && iteration > 0 {
            return iteration;
        }
        let (alpha, change) = line_search(m, d, island, scale, decrement);
        if alpha == T::ZERO {
            return iteration;
        }
        // step
        for i in first..end {
            d.qacc[i] += alpha * d.solver_search[i];
            d.solver_Ma[i] += alpha * d.solver_Mv[i];
        }
        for r in 0..d.nefc[0] as usize {
            if d.efc_island[r] == island {
                d.solver_Jaref[r] += alpha * d.solver_Jv[r];
            }
        }
        update_gradient(m, d, island);
        let gradient = scale * norm(&d.solver_grad[first..end]);
        if -scale * change < tolerance || gradient < tolerance {
            return iteration + 1;
        }
    }
    m.opt_iterations[0].max(0)
}

/// Chooses the acceleration to start from: the last one, or that without constraints if its cost is lower.
fn start<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nefc = d.nefc[0] as usize;
    // penalties at the acceleration without constraints
    let mut r = 0;
    while r < nefc {
        let (products, count) = mul_rows(d, r, &d.qacc_smooth);
        for k in 0..count {
            d.solver_Jv[r + k] = products[k] - d.efc_aref[r + k];
        }
        r += count;
    }
    if !m.disabled(disable::WARMSTART) {
        mul_m(m, &d.M, &d.qacc_warmstart, &mut d.solver_Ma);
        // cost of the last acceleration above that of the smooth one
        let mut change = T::ZERO;
        for i in 0..m.sizes.nv {
            let apart = d.qacc_warmstart[i] - d.qacc_smooth[i];
            change += T::of(0.5) * apart * (d.solver_Ma[i] - d.qfrc_smooth[i]);
        }
        let mut r = 0;
        while r < nefc {
            let (products, count) = mul_rows(d, r, &d.qacc_warmstart);
            for k in 0..count {
                d.solver_Jaref[r + k] = products[k] - d.efc_aref[r + k];
                let row = row_of(d, r + k);
                change += penalty(&row, d.solver_Jaref[r + k]) - penalty(&row, d.solver_Jv[r + k]);
            }
            r += count;
        }
        if change <= T::ZERO {
            d.qacc.copy_from_slice(&d.qacc_warmstart);
            return;
        }
    }
    d.qacc.copy_from_slice(&d.qacc_smooth);
    d.solver_Jaref[..nefc].copy_from_slice(&d.solver_Jv[..nefc]);
    mul_m(m, &d.M, &d.qacc, &mut d.solver_Ma);
}

/// Whether the duality gap at the start, `½ grad' M⁻¹ grad`, and the gradient are within tolerance.
fn already_solved<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32, scale: T) -> bool {
    let (first, end) = range(d, island);
    let tolerance = m.opt_tolerance[0];
    if scale * norm(&d.solver_grad[first..end]) >= tolerance {
        return false;
    }
    d.solver_search.copy_from_slice(&d.solver_grad);
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.solver_search);
    let mut gap = T::ZERO;
    for i in first..end {
        gap += d.solver_grad[i] * d.solver_search[i];
    }
    scale * T::of(0.5) * gap < tolerance
}

/// What the penalty of a row depends on.
#[derive(Clone, Copy)]
pub struct Penalty<T> {
    /// Quadratic on both sides of zero.
    both: bool,
    /// Half width of the quadratic zone of a friction row, and the slope of its flanks.
    friction: bool,
    width: T,
    loss: T,
    stiffness: T,
}

/// Penalty of row `r`.
#[inline(always)]
pub fn row_of<T: Real>(d: &Data<T>, r: usize) -> Penalty<T> {
    let ne = d.ne[0] as usize;
    let nf = d.nf[0] as usize;
    let loss = d.efc_frictionloss[r];
    Penalty {
        both: r < ne,
        friction: r >= ne && r < ne + nf,
        width: d.efc_R[r] * loss,
        loss,
        stiffness: d.efc_D[r],
    }
}

/// Whether a row is in its quadratic zone.
#[inline(always)]
fn quadratic<T: Real>(p: &Penalty<T>, x: T) -> bool {
    p.both || (p.friction && x > -p.width && x < p.width) || (!p.friction && x < T::ZERO)
}

/// Penalty at `x`.
#[inline(always)]
fn penalty<T: Real>(p: &Penalty<T>, x: T) -> T {
    if quadratic(p, x) {
        return T::of(0.5) * p.stiffness * x * x;
    }
    if p.friction {
        return p.loss * (x.abs() - T::of(0.5) * p.width);
    }
    T::ZERO
}

/// Force: minus the derivative of the penalty at `x`.
#[inline(always)]
pub fn force<T: Real>(p: &Penalty<T>, x: T) -> T {
    if quadratic(p, x) {
        return -(p.stiffness * x);
    }
    if p.friction {
        return if x > T::ZERO { -p.loss } else { p.loss };
    }
    T::ZERO
}

/// Rows of an island that wait to be taken four at a time: what they are added to is then read and written
/// once, not four times.
#[derive(Default)]
struct Four<T> {
    rows: [usize; 4],
    weights: [T; 4],
    count: usize,
}

impl<T: Real> Four<T> {
    /// Adds a row; true when there are four.
    #[inline(always)]
    fn push(&mut self, row: usize, weight: T) -> bool {
        self.rows[self.count] = row;
        self.weights[self.count] = weight;
        self.count += 1;
        self.count == 4
    }

    /// The rows and weights that waited; places that were not filled repeat the first row with weight zero.
    #[inline(always)]
    fn take(&mut self) -> ([usize; 4], [T; 4]) {
        for k in self.count..4 {
            self.rows[k] = self.rows[0];
        }
        self.count = 0;
        let weights = std::mem::replace(&mut self.weights, [T::ZERO; 4]);
        (self.rows, weights)
    }
}

/// Forces of an island's rows at the present acceleration, and the gradient of the cost; zero elsewhere.
fn update_gradient<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) {
    let nv = m.sizes.nv;
    let (first, end) = range(d, island);
    for i in first..end {
        if d.dof_island[i] == island {
            d.qfrc_constraint[i] = T::ZERO;
        }
    }
    let mut four = Four::default();
    let nefc = d.nefc[0] as usize;
    let two_sided = (d.ne[0] + d.nf[0]) as usize;
    for r in 0..nefc {
        if d.efc_island[r] != island {
            continue;
        }
        let x = d.solver_Jaref[r];
        let f = if r < two_sided { force(&row_of(d, r), x) } else { d.efc_D[r] * (-x).max(T::ZERO) };
        d.efc_force[r] = f;
        if f != T::ZERO && four.push(r, f) {
            add_forces(d, nv, first, end, four.take());
        }
    }
    if four.count > 0 {
        add_forces(d, nv, first, end, four.take());
    }
    d.solver_grad.fill(T::ZERO);
    for i in first..end {
        if d.dof_island[i] == island {
            d.solver_grad[i] = d.solver_Ma[i] - d.qfrc_smooth[i] - d.qfrc_constraint[i];
        }
    }
}

/// Adds the forces of four rows to the degrees of freedom.
#[inline(always)]
fn add_forces<T: Real>(
    d: &mut Data<T>,
    nv: usize,
    first: usize,
    end: usize,
    (rows, f): ([usize; 4], [T; 4]),
) {
    let row = |k: usize| &d.efc_J[rows[k] * nv + first..rows[k] * nv + end];
    let out = &mut d.qfrc_constraint[first..end];
    add_rows4(out, f[0], row(0), f[1], row(1), f[2], row(2), f[3], row(3));
}

/// Newton's direction at the present acceleration; returns the decrement `grad' H⁻¹ grad`.
fn search_direction<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32, anew: bool) -> T {
    let (first, end) = range(d, island);
    if anew || !update_factors(m, d, island) {
        build_hessian(m, d, island);
        factor_dense(d, island);
    }
    d.solver_search.copy_from_slice(&d.solver_grad);
    solve_dense(d, island);
    let mut decrement = T::ZERO;
    for i in first..end {
        decrement += d.solver_grad[i] * d.solver_search[i];
        d.solver_search[i] = -d.solver_search[i];
    }
    decrement
}

/// Start of row `i` of a packed lower triangle.
#[inline(always)]
fn packed(i: usize) -> usize {
    i * (i + 1) / 2
}

/// Hessian of the cost in an island: inertia, and the rows that are in their quadratic zone. Lower triangle.
fn build_hessian<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) {
    let nv = m.sizes.nv;
    let (first, end) = range(d, island);
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
    let mut four = Four::default();
    for r in 0..d.nefc[0] as usize {
        if d.efc_island[r] != island {
            continue;
        }
        let inside = quadratic(&row_of(d, r), d.solver_Jaref[r]);
        d.solver_inside[r] = i32::from(inside);
        if inside && four.push(r, d.efc_D[r]) {
            add_curvature(d, nv, first, end, four.take());
        }
    }
    if four.count > 0 {
        add_curvature(d, nv, first, end, four.take());
    }
}

/// Adds the curvature of four rows to the Hessian.
fn add_curvature<T: Real>(
    d: &mut Data<T>,
    nv: usize,
    first: usize,
    end: usize,
    (rows, w): ([usize; 4], [T; 4]),
) {
    let row = |k: usize| &d.efc_J[rows[k] * nv + first..rows[k] * nv + end];
    let (a, b, c, e) = (row(0), row(1), row(2), row(3));
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

/// Whether any of four numbers is not zero.
#[inline(always)]
fn any<T: Real>(a: T, b: T, c: T, d: T) -> bool {
    (a != T::ZERO) | (b != T::ZERO) | (c != T::ZERO) | (d != T::ZERO)
}

/// Factors the Hessian of an island `H = L' D L` in place, from the last row up: rows without a common descendant
/// stay apart, and zeros stay zero. Pivots have a floor. An island with holes takes its rows one by one.
fn factor_dense<T: Real>(d: &mut Data<T>, island: i32) {
    let (first, end) = range(d, island);
    let dofs = &d.dof_island[..end];
    let holes = has_holes(dofs, first, island);
    for i in (first..end).rev() {
        if dofs[i] != island {
            continue;
        }
        let (above, below) = d.solver_H.split_at_mut(packed(i + 1));
        let row = &mut above[packed(i) + first..];
        let last = i - first;
        // the rows after this one take their share, four at a time; L is in place there, and D
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
        // the pivot stays, the rest of the row becomes that of L
        row[last] = row[last].max(T::MINVAL);
        let inv = T::ONE / row[last];
        for l in &mut row[..last] {
            *l *= inv;
        }
    }
}

/// Whether degrees of freedom of other islands lie between those of an island: their rows of the Hessian hold
/// whatever another island has left there.
fn has_holes(dofs: &[i32], first: usize, island: i32) -> bool {
    dofs[first..].iter().any(|&i| i != island)
}

/// Changes the factors for the rows that entered or left their quadratic zone; false where a new factorisation
/// costs less or is more accurate.
fn update_factors<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> bool {
    let nv = m.sizes.nv;
    let (first, end) = range(d, island);
    let nefc = d.nefc[0] as usize;
    let mut changes = 0;
    for r in 0..nefc {
        if d.efc_island[r] == island {
            let inside = quadratic(&row_of(d, r), d.solver_Jaref[r]);
            changes += usize::from(inside != (d.solver_inside[r] != 0));
        }
    }
    if changes * MOST_CHANGES > end - first {
        return false;
    }
    for r in 0..nefc {
        if changes == 0 {
            break;
        }
        if d.efc_island[r] != island {
            continue;
        }
        let inside = quadratic(&row_of(d, r), d.solver_Jaref[r]);
        if inside != (d.solver_inside[r] != 0) {
            changes -= 1;
            d.solver_inside[r] = i32::from(inside);
            d.solver_search[first..end].copy_from_slice(&d.efc_J[r * nv + first..r * nv + end]);
            if !add_to_factors(d, first, end, if inside { d.efc_D[r] } else { -d.efc_D[r] }) {
                return false;
            }
        }
    }
    true
}

/// Makes the factors those of `H + weight v v'` with `v` in `solver_search`, which is used up (Gill, Golub, Murray
/// and Saunders, *Methods for Modifying Matrix Factorizations*, C1); false where a pivot nearly vanishes.
fn add_to_factors<T: Real>(d: &mut Data<T>, first: usize, end: usize, weight: T) -> bool {
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
        change_row(&mut row[..last], &mut d.solver_search[first..k], p, share);
    }
    true
}

/// The row of one pivot, and what is left of the vector that is added.
fn change_row<T: Real>(row: &mut [T], v: &mut [T], p: T, share: T) {
    let n = row.len();
    let v = &mut v[..n];
    for j in 0..n {
        v[j] -= p * row[j];
        row[j] += share * v[j];
    }
}

/// Solves with the factors from [`factor_dense`] in `solver_search`, which is zero outside of the island. Four rows
/// at a time, so that what they have in common is read once; one by one in an island with holes.
fn solve_dense<T: Real>(d: &mut Data<T>, island: i32) {
    let (first, end) = range(d, island);
    let h = &d.solver_H;
    let x = &mut d.solver_search[first..end];
    let row = |k: usize| &h[packed(first + k) + first..=packed(first + k) + first + k];
    let dofs = &d.dof_island[first..end];
    let whole = if has_holes(dofs, 0, island) { 0 } else { x.len() - x.len() % 4 };
    // L' from the last row up
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

/// Cost relative to the start of the search, and its derivatives, at `alpha`.
fn evaluate<T: Real>(d: &Data<T>, search: &mut Search<T>, alpha: T) -> Point<T> {
    search.evaluations += 1;
    let half = T::of(0.5);
    let mut p = Point {
        alpha,
        cost: alpha * (search.slope + half * alpha * search.curvature),
        d1: search.slope + alpha * search.curvature,
        d2: search.curvature,
    };
    let nefc = d.nefc[0] as usize;
    let two_sided = (d.ne[0] + d.nf[0]) as usize;
    let (island, jaref) = (&d.efc_island[..nefc], &d.solver_Jaref[..nefc]);
    let (jv, stiffness) = (&d.solver_Jv[..nefc], &d.efc_D[..nefc]);
    for r in 0..nefc {
        if island[r] != search.island {
            continue;
        }
        let (x0, v) = (jaref[r], jv[r]);
        let x = x0 + alpha * v;
        if r < two_sided {
            let row = row_of(d, r);
            let (was, is) = (quadratic(&row, x0), quadratic(&row, x));
            // within one quadratic the difference is formed without cancellation
            p.cost += if was && is {
                row.stiffness * alpha * v * (x0 + half * alpha * v)
            } else {
                penalty(&row, x) - penalty(&row, x0)
            };
            p.d1 -= force(&row, x) * v;
            p.d2 += if is { row.stiffness * v * v } else { T::ZERO };
            continue;
        }
        // limits and contacts the same way, without branches: which zone a row is in cannot be foreseen
        let (was, is) = (x0 < T::ZERO, x < T::ZERO);
        let (y0, y) = (if was { x0 } else { T::ZERO }, if is { x } else { T::ZERO });
        let change = if was & is { alpha * v } else { y - y0 };
        p.cost += half * stiffness[r] * change * (y + y0);
        let kv = stiffness[r] * v;
        p.d1 += kv * y;
        p.d2 += if is { kv * v } else { T::ZERO };
    }
    p.d2 = p.d2.max(T::MINVAL);
    p
}

/// Newton step of the line search from a point.
fn newton_alpha<T: Real>(p: &Point<T>) -> T {
    p.alpha - p.d1 / p.d2
}

/// Length of the step along the search direction, and the change of cost there.
fn line_search<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32, scale: T, decrement: T) -> (T, T) {
    let (first, end) = range(d, island);
    let length = norm(&d.solver_search[first..end]);
    if length < T::MINVAL {
        return (T::ZERO, T::ZERO);
    }
    mul_m(m, &d.M, &d.solver_search, &mut d.solver_Mv);
    let mut r = 0;
    while r < d.nefc[0] as usize {
        if d.efc_island[r] != island {
            r += 1;
            continue;
        }
        let (products, count) = mul_rows(d, r, &d.solver_search);
        d.solver_Jv[r..r + count].copy_from_slice(&products[..count]);
        r += count;
    }
    let mut search = Search {
        island,
        slope: T::ZERO,
        curvature: T::ZERO,
        tolerance: m.opt_tolerance[0] * m.opt_ls_tolerance[0] * length / scale,
        evaluations: 1,
    };
    for i in first..end {
        search.slope += d.solver_search[i] * (d.solver_Ma[i] - d.qfrc_smooth[i]);
        search.curvature += d.solver_search[i] * d.solver_Mv[i];
    }
    let best = minimise(d, &mut search, m.opt_ls_iterations[0], decrement);
    (best.alpha, best.cost)
}

/// Minimum of the cost along the search direction, as far as the number of evaluations allows.
fn minimise<T: Real>(d: &Data<T>, search: &mut Search<T>, most: i32, decrement: T) -> Point<T> {
    let tolerance = search.tolerance;
    // along Newton's direction the derivatives at the start are known, and the first step is one
    let p0 = Point { alpha: T::ZERO, cost: T::ZERO, d1: -decrement, d2: decrement };
    let mut p1 = evaluate(d, search, T::ONE);
    if p1.d1.abs() < tolerance {
        return p1;
    }
    // Newton steps in the downhill direction until the derivative changes sign
    let downhill = if p1.d1 < T::ZERO { T::ONE } else { -T::ONE };
    let mut p2 = p1;
    let mut moved = false;
    while p1.d1 * downhill <= -tolerance && search.evaluations < most {
        p2 = p1;
        moved = true;
        p1 = evaluate(d, search, newton_alpha(&p1));
        if p1.d1.abs() < tolerance {
            return p1;
        }
    }
    if search.evaluations >= most || !moved {
        return p1;
    }
    bracket(d, search, most, p0, p1, p2)
}

/// Minimum between two points of which the derivatives have opposite signs.
fn bracket<T: Real>(
    d: &Data<T>,
    search: &mut Search<T>,
    most: i32,
    p0: Point<T>,
    mut p1: Point<T>,
    mut p2: Point<T>,
) -> Point<T> {
    let mut next2 = p1;
    let mut next1 = evaluate(d, search, newton_alpha(&p1));
    while search.evaluations < most {
        let middle = evaluate(d, search, T::of(0.5) * (p1.alpha + p2.alpha));
        let candidates = [next1, next2, middle];
        // the best that has converged
        let mut best: Option<Point<T>> = None;
        for c in candidates {
            if c.d1.abs() < search.tolerance && best.is_none_or(|b| c.cost < b.cost) {
                best = Some(c);
            }
        }
        if let Some(b) = best {
            return b;
        }
        // narrower bracket from the candidates
        let narrower1 = narrow(d, search, &mut p1, &candidates, &mut next1);
        let narrower2 = narrow(d, search, &mut p2, &candidates, &mut next2);
        if !narrower1 && !narrower2 {
            return if middle.cost < p0.cost { middle } else { p0 };
        }
    }
    // out of evaluations: the better end
    if p1.cost <= p2.cost && p1.cost < p0.cost {
        p1
    } else if p2.cost <= p1.cost && p2.cost < p0.cost {
        p2
    } else {
        p0
    }
}

/// Moves one end of a bracket to the candidates that lie nearer to the minimum on the same side.
fn narrow<T: Real>(
    d: &Data<T>,
    search: &mut Search<T>,
    end: &mut Point<T>,
    candidates: &[Point<T>; 3],
    next: &mut Point<T>,
) -> bool {
    let mut moved = false;
    for c in candidates {
        let below = end.d1 < T::ZERO && c.d1 < T::ZERO && end.d1 < c.d1;
        let above = end.d1 > T::ZERO && c.d1 > T::ZERO && end.d1 > c.d1;
        if below || above {
            *end = *c;
            moved = true;
        }
    }
    if moved {
        *next = evaluate(d, search, newton_alpha(end));
    }
    moved
}

/// Rows of the constraint Jacobian from `r` on times a vector, and how many: four where they are of one island.
#[inline(always)]
pub fn mul_rows<T: Real>(d: &Data<T>, r: usize, v: &[T]) -> ([T; 4], usize) {
    let nv = v.len();
    let island = d.efc_island[r];
    let (first, end) = range(d, island);
    let v = &v[first..end];
    let row = |k: usize| &d.efc_J[(r + k) * nv + first..(r + k) * nv + end];
    if r + 4 <= d.nefc[0] as usize && d.efc_island[r + 1..r + 4] == [island; 3] {
        return (dot_rows4(v, row(0), row(1), row(2), row(3)), 4);
    }
    let mut products = [T::ZERO; 4];
    products[0] = dot_n(v, row(0));
    (products, 1)
}

/// Euclidean length.
fn norm<T: Real>(x: &[T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::control::uniform;
    use crate::fields::Sizes;

    const N: usize = 11;

    /// One island with a positive definite Hessian in place.
    fn world() -> Data {
        let mut d = Data::zeroed(Sizes { nv: N, nH: N * (N + 1) / 2, ntree: 1, ..Sizes::default() });
        d.island_end[0] = N as i32;
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
        // every third degree of freedom is of another island, and its row holds anything
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
            assert!(add_to_factors(&mut d, 0, N, weight));
            assert!(near(&d.solver_H, &expected.solver_H), "{weight}");
        }
        // what was never there cannot leave
        (0..N).for_each(|i| d.solver_search[i] = vector(i));
        assert!(!add_to_factors(&mut d, 0, N, -1e4));
    }
}
