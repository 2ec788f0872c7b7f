//! Conjugate-gradient directions (Nocedal and Wright, Numerical Optimization, section 5.2), preconditioned by the
//! inertia, which is factored already: no other matrix is formed.

use super::rows::{island_ranges, range_at, sum_over};
use crate::smooth::factor_m::solve_ld_within;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::real::Real;

/// New search direction from the gradient in `solver_grad`; returns `grad' M⁻¹ grad`. `last` is its value at the last
/// direction, none for the first. Beta is that of Polak and Ribière, not below zero, where the method restarts.
pub fn cg_direction<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    island: i32,
    last: Option<T>,
) -> T {
    // gradient preconditioned by the inertia
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        s.solver_Mv[range.clone()].copy_from_slice(&s.solver_grad[range.clone()]);
        solve_ld_within(m, &d.qLD, &d.qLDiagInv, &mut s.solver_Mv, range);
    }
    let grad_mgrad = sum_over(d, island, [&s.solver_grad, &s.solver_Mv], |[x, y]| x * y);
    let mut beta = T::ZERO;
    if let Some(last) = last {
        let vectors: [&[T]; 3] = [&s.solver_grad, &s.solver_Mv, &s.solver_Mgrad];
        let change = sum_over(d, island, vectors, |[grad, now, before]| grad * (now - before));
        beta = (change / last.max(T::MINVAL)).max(T::ZERO);
    }
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        let now = &s.solver_Mv[range.clone()];
        for (search, x) in s.solver_search[range.clone()].iter_mut().zip(now) {
            let kept = if beta > T::ZERO { beta * *search } else { T::ZERO };
            *search = kept - *x;
        }
        s.solver_Mgrad[range].copy_from_slice(now);
    }
    grad_mgrad
}
