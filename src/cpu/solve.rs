//! Constraint forces and acceleration: Newton's method on the convex cost of the primal problem.
//!
//! With `x` the acceleration, the cost is `½ (x - x0)' M (x - x0) + Σ s(J x - aref)`, where `x0` is the
//! acceleration without constraints and each row's penalty `s` is a quadratic of curvature `D`: everywhere for
//! equalities, below zero for limits and contacts, and around zero with straight flanks of slope
//! `frictionloss` for dry friction (MuJoCo documentation, Computation, "Solver"). The Hessian
//! `M + J' D J` over the rows in their quadratic zone is factored, and an exact line search by Newton steps on
//! the derivative, then by bracketing, finds the length of each step. Costs are only compared as differences
//! from the start of the search, so that nothing cancels in single precision.

use super::factor_m::{mul_m, solve_ld};
use super::math::dot_n;
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
        let decrement = search_direction(m, d, island);
        if scale * T::of(0.5) * decrement < tolerance && iteration > 0 {
            return iteration;
        }
        let (alpha, change) = line_search(m, d, island, scale);
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
    for r in 0..nefc {
        d.solver_Jv[r] = row_dot(d, r, &d.qacc_smooth) - d.efc_aref[r];
    }
    if !m.disabled(disable::WARMSTART) {
        mul_m(m, &d.M, &d.qacc_warmstart, &mut d.solver_Ma);
        // cost of the last acceleration above that of the smooth one
        let mut change = T::ZERO;
        for i in 0..m.sizes.nv {
            let apart = d.qacc_warmstart[i] - d.qacc_smooth[i];
            change += T::of(0.5) * apart * (d.solver_Ma[i] - d.qfrc_smooth[i]);
        }
        for r in 0..nefc {
            d.solver_Jaref[r] = row_dot(d, r, &d.qacc_warmstart) - d.efc_aref[r];
            let row = row_of(d, r);
            change += penalty(&row, d.solver_Jaref[r]) - penalty(&row, d.solver_Jv[r]);
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
struct Penalty<T> {
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
fn row_of<T: Real>(d: &Data<T>, r: usize) -> Penalty<T> {
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
fn force<T: Real>(p: &Penalty<T>, x: T) -> T {
    if quadratic(p, x) {
        return -(p.stiffness * x);
    }
    if p.friction {
        return if x > T::ZERO { -p.loss } else { p.loss };
    }
    T::ZERO
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
    for r in 0..d.nefc[0] as usize {
        if d.efc_island[r] != island {
            continue;
        }
        let f = force(&row_of(d, r), d.solver_Jaref[r]);
        d.efc_force[r] = f;
        if f != T::ZERO {
            let row = &d.efc_J[r * nv + first..r * nv + end];
            let out = &mut d.qfrc_constraint[first..end];
            for i in 0..row.len() {
                out[i] += row[i] * f;
            }
        }
    }
    d.solver_grad.fill(T::ZERO);
    for i in first..end {
        if d.dof_island[i] == island {
            d.solver_grad[i] = d.solver_Ma[i] - d.qfrc_smooth[i] - d.qfrc_constraint[i];
        }
    }
}

/// Newton's direction at the present acceleration; returns the decrement `grad' H⁻¹ grad`.
fn search_direction<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> T {
    let (first, end) = range(d, island);
    build_hessian(m, d, island);
    factor_dense(d, island);
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
    for r in 0..d.nefc[0] as usize {
        if d.efc_island[r] != island || !quadratic(&row_of(d, r), d.solver_Jaref[r]) {
            continue;
        }
        let row = &d.efc_J[r * nv..(r + 1) * nv];
        for i in first..end {
            let f = row[i] * d.efc_D[r];
            if f != T::ZERO {
                let out = &mut d.solver_H[packed(i) + first..=packed(i) + i];
                let left = &row[first..=i];
                for j in 0..left.len() {
                    out[j] += f * left[j];
                }
            }
        }
    }
}

/// Factors the Hessian of an island `H = L' D L` in place, from the last row up: rows without a common descendant
/// stay apart, and zeros stay zero. Pivots have a floor.
fn factor_dense<T: Real>(d: &mut Data<T>, island: i32) {
    let (first, end) = range(d, island);
    for k in (first..end).rev() {
        if d.dof_island[k] != island {
            continue;
        }
        let (above, rest) = d.solver_H.split_at_mut(packed(k));
        let row = &mut rest[..k + 1];
        row[k] = row[k].max(T::MINVAL);
        let inv = T::ONE / row[k];
        for i in first..k {
            if row[i] != T::ZERO {
                let f = row[i] * inv;
                let out = &mut above[packed(i) + first..=packed(i) + i];
                let left = &row[first..=i];
                for j in 0..left.len() {
                    out[j] -= f * left[j];
                }
            }
        }
        for i in first..k {
            row[i] *= inv;
        }
    }
}

/// Solves with the factors from [`factor_dense`] in `solver_search`, which is zero outside of the island.
fn solve_dense<T: Real>(d: &mut Data<T>, island: i32) {
    let (first, end) = range(d, island);
    let x = &mut d.solver_search;
    for k in (first..end).rev() {
        let row = &d.solver_H[packed(k)..packed(k) + k];
        let xk = x[k];
        if d.dof_island[k] == island {
            for i in first..k {
                x[i] -= row[i] * xk;
            }
        }
    }
    for k in first..end {
        let row = &d.solver_H[packed(k)..=packed(k) + k];
        if d.dof_island[k] == island {
            let mut sum = x[k] / row[k];
            for i in first..k {
                sum -= row[i] * x[i];
            }
            x[k] = sum;
        }
    }
}

/// Cost relative to the start of the search, and its derivatives, at `alpha`.
fn evaluate<T: Real>(d: &Data<T>, search: &mut Search<T>, alpha: T) -> Point<T> {
    search.evaluations += 1;
    let mut p = Point {
        alpha,
        cost: alpha * (search.slope + T::of(0.5) * alpha * search.curvature),
        d1: search.slope + alpha * search.curvature,
        d2: search.curvature,
    };
    for r in 0..d.nefc[0] as usize {
        if d.efc_island[r] != search.island {
            continue;
        }
        let row = row_of(d, r);
        let (x0, v) = (d.solver_Jaref[r], d.solver_Jv[r]);
        let x = x0 + alpha * v;
        let (was, is) = (quadratic(&row, x0), quadratic(&row, x));
        // within one quadratic the difference is formed without cancellation
        p.cost += if was && is {
            row.stiffness * alpha * v * (x0 + T::of(0.5) * alpha * v)
        } else {
            penalty(&row, x) - penalty(&row, x0)
        };
        p.d1 -= force(&row, x) * v;
        if is {
            p.d2 += row.stiffness * v * v;
        }
    }
    p.d2 = p.d2.max(T::MINVAL);
    p
}

/// Newton step of the line search from a point.
fn newton_alpha<T: Real>(p: &Point<T>) -> T {
    p.alpha - p.d1 / p.d2
}

/// Length of the step along the search direction, and the change of cost there.
fn line_search<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32, scale: T) -> (T, T) {
    let (first, end) = range(d, island);
    let length = norm(&d.solver_search[first..end]);
    if length < T::MINVAL {
        return (T::ZERO, T::ZERO);
    }
    mul_m(m, &d.M, &d.solver_search, &mut d.solver_Mv);
    for r in 0..d.nefc[0] as usize {
        if d.efc_island[r] == island {
            d.solver_Jv[r] = row_dot(d, r, &d.solver_search);
        }
    }
    let mut search = Search {
        island,
        slope: T::ZERO,
        curvature: T::ZERO,
        tolerance: m.opt_tolerance[0] * m.opt_ls_tolerance[0] * length / scale,
        evaluations: 0,
    };
    for i in first..end {
        search.slope += d.solver_search[i] * (d.solver_Ma[i] - d.qfrc_smooth[i]);
        search.curvature += d.solver_search[i] * d.solver_Mv[i];
    }
    let best = minimise(d, &mut search, m.opt_ls_iterations[0]);
    (best.alpha, best.cost)
}

/// Minimum of the cost along the search direction, as far as the number of evaluations allows.
fn minimise<T: Real>(d: &Data<T>, search: &mut Search<T>, most: i32) -> Point<T> {
    let tolerance = search.tolerance;
    let p0 = evaluate(d, search, T::ZERO);
    let mut p1 = evaluate(d, search, newton_alpha(&p0));
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

/// Row of the constraint Jacobian times a vector.
pub fn row_dot<T: Real>(d: &Data<T>, r: usize, v: &[T]) -> T {
    let nv = v.len();
    let (first, end) = range(d, d.efc_island[r]);
    dot_n(&d.efc_J[r * nv + first..r * nv + end], &v[first..end])
}

/// Euclidean length.
fn norm<T: Real>(x: &[T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum.sqrt()
}
