//! Solutions in the metric of the integrator `discrete`: by the factors of the solver's Hessian without rows for Newton's method,
//! which has a pattern of it, and for small models; else by conjugate gradients.

use super::coupling::coupling_of;
use super::hessian::{build_metric, factor_hessian, solve_hessian};
use super::hessian_pattern::set_pattern;
use super::metric::mul_metric;
use super::rows::{island_ranges, range_at};
use crate::smooth::factor_m::solve_ld;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::solver;

/// Full factors are taken where they cost at most as many multiplications as so many iterations. For the gripper of `models/soft`
/// they cost 75, and take less than half of the time of its 49 iterations; the hand needs 10 to 28 iterations.
const ITERATIONS: u64 = 96;

/// Residual of an iterative solution relative to its right-hand side, in units of rounding.
const SOLVED: f64 = 64.0;

/// Solves in the metric, which is in place of the inertia, `x` in place.
pub fn solve_metric<T: Real>(m: &Model<T>, d: &mut Data<T>, x: &mut [T]) {
    let is_coupled = d.metric.as_ref().is_some_and(|metric| {
        !metric.terms.is_empty() || metric.coupling.as_ref().is_some_and(|coupling| !coupling.rows.is_empty())
    });
    if !is_coupled {
        return solve_ld(m, &d.qLD, &d.qLDiagInv, x);
    }
    if (m.opt_solver[0] == solver::NEWTON || is_small(m, d)) && is_in_islands(m, d) {
        return solve_islands(m, d, x);
    }
    let mut work = d.metric.as_mut().map(|metric| std::mem::take(&mut metric.work)).unwrap_or_default();
    if T::HAS_SLOPES {
        descend_with_slopes(m, d, x, &mut work);
    } else {
        descend(m, d, x, &mut work);
    }
    if let Some(metric) = &mut d.metric {
        metric.work = work;
    }
}

/// True if even factors of a full matrix cost less than conjugate gradients.
fn is_small<T: Real>(m: &Model<T>, d: &Data<T>) -> bool {
    let coupled = d.metric.as_ref().map_or(0, |metric| {
        metric.values.len() + 2 * metric.coupling.as_ref().map_or(0, |coupling| coupling.values.len())
    });
    costs_less(m, coupled)
}

/// True if factors of a full matrix cost less than conjugate gradients with so many elements beside the inertia.
fn costs_less<T: Real>(m: &Model<T>, coupled: usize) -> bool {
    // a product, and a solution of the preconditioner
    let iteration = (coupled + 4 * m.M_colind.len()) as u64;
    (m.sizes.nv as u64).pow(3) / 6 <= ITERATIONS * iteration
}

/// Elements of the factors that a world of a model with conjugate gradients may keep: those of a full matrix, or none.
pub fn kept_factors<T: Real>(m: &Model<T>) -> usize {
    let is_small = m.is_discrete() && costs_less(m, 2 * coupling_of(m).values.len());
    if is_small { m.sizes.nH } else { 0 }
}

/// True if all that the metric couples, between trees or within one, is in islands; without rows there are none.
fn is_in_islands<T: Real>(m: &Model<T>, d: &Data<T>) -> bool {
    let Some(metric) = &d.metric else { return false };
    let is_in = |tree: usize| d.tree_island[tree] >= 0;
    let terms = metric.coupled.iter().enumerate().all(|(tree, coupled)| !coupled || is_in(tree));
    let mut rows = metric.coupling.iter().flat_map(|coupling| &coupling.rows);
    d.nisland[0] > 0 && terms && rows.all(|row| is_in(m.dof_treeid[row.dof] as usize))
}

/// Solves island by island, with factors in the place of the Hessian's; nothing else is coupled.
fn solve_islands<T: Real>(m: &Model<T>, d: &mut Data<T>, x: &mut [T]) {
    let mut hessian = d.take_hessian();
    let mut s = d.take_descent();
    set_pattern(m, d, &mut hessian);
    s.solver_search.copy_from_slice(x);
    solve_ld(m, &d.qLD, &d.qLDiagInv, x);
    for island in 0..d.nisland[0] {
        build_metric(m, d, &mut hessian, island);
        factor_hessian(d, &mut hessian, island);
        solve_hessian(&mut s, &mut hessian, island);
        for range in island_ranges(d, island).map(|k| range_at(d, k)) {
            x[range.clone()].copy_from_slice(&s.solver_search[range]);
        }
    }
    d.put_descent(s);
    d.hessian = Some(hessian);
}

/// [`descend`] with the slopes of the solution, which are those of no iteration: from `A x = b` follows `A dx = db - dA x`.
fn descend_with_slopes<T: Real>(m: &Model<T>, d: &Data<T>, x: &mut [T], work: &mut [Vec<T>; 4]) {
    let side = x.to_vec();
    descend(m, d, x, work);
    x.iter_mut().for_each(|x| x.slopes_mut().fill(0.0));
    let mut product = vec![T::ZERO; x.len()];
    mul_metric(m, d, x, &mut product);
    let mut change = vec![T::ZERO; x.len()];
    for k in 0..T::ZERO.slopes().len() {
        for ((to, b), p) in change.iter_mut().zip(&side).zip(&product) {
            *to = T::of((*b - *p).slopes()[k]);
        }
        descend(m, d, &mut change, work);
        x.iter_mut().zip(&change).for_each(|(x, change)| x.slopes_mut()[k] = change.f64());
    }
}

/// Preconditioned conjugate gradients (Nocedal and Wright, *Numerical Optimization*, algorithm 5.3).
fn descend<T: Real>(m: &Model<T>, d: &Data<T>, x: &mut [T], work: &mut [Vec<T>; 4]) {
    let [residual, direction, product, scaled] = work;
    let dot = |a: &[T], b: &[T]| a.iter().zip(b).fold(T::ZERO, |sum, (x, y)| sum + *x * *y);
    // from the solution of the preconditioner
    residual.copy_from_slice(x);
    let size = dot(residual, residual);
    solve_ld(m, &d.qLD, &d.qLDiagInv, x);
    mul_metric(m, d, x, product);
    residual.iter_mut().zip(&*product).for_each(|(r, p)| *r -= *p);
    scaled.copy_from_slice(residual);
    solve_ld(m, &d.qLD, &d.qLDiagInv, scaled);
    direction.copy_from_slice(scaled);
    let mut decrease = dot(residual, scaled);
    let small = T::of(SOLVED) * T::EPSILON;
    for _ in 0..4 * m.sizes.nv + 16 {
        // not a number either
        let remains = dot(residual, residual) > small * small * size;
        if !remains {
            return;
        }
        mul_metric(m, d, direction, product);
        let curvature = dot(direction, product);
        let falls = curvature > T::ZERO;
        if !falls {
            return;
        }
        let step = decrease / curvature;
        x.iter_mut().zip(&*direction).for_each(|(x, p)| *x += step * *p);
        residual.iter_mut().zip(&*product).for_each(|(r, p)| *r -= step * *p);
        scaled.copy_from_slice(residual);
        solve_ld(m, &d.qLD, &d.qLDiagInv, scaled);
        let next = dot(residual, scaled);
        let share = next / decrease;
        direction.iter_mut().zip(&*scaled).for_each(|(p, s)| *p = *s + share * *p);
        decrease = next;
    }
}
