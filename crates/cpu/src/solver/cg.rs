//! Conjugate-gradient directions (Nocedal and Wright, Numerical Optimization, section 5.2), preconditioned by the
//! inertia, which is factored already: no other matrix is formed.

use super::rows::{change_over, island_ranges, range_at};
use crate::smooth::factor_m::solve_ld_within;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::real::Real;

/// New search direction from the gradient in `solver_grad`; returns `grad' M⁻¹ grad`. `last` is its value
/// at the last direction, none for the first. Beta is that of Polak and Ribière, not below zero, where the method restarts.
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
    let vectors: [&[T]; 2] = [&s.solver_grad, &s.solver_Mv];
    let [grad_mgrad, change] = change_over(d, island, &mut s.solver_Mgrad, vectors, |before, [grad, now]| {
        let change = grad * (now - *before);
        *before = now;
        [grad * now, change]
    });
    let beta = last.map_or(T::ZERO, |last| (change / last.max(T::MINVAL)).max(T::ZERO));
    for k in island_ranges(d, island) {
        for i in range_at(d, k) {
            let kept = if beta > T::ZERO { beta * s.solver_search[i] } else { T::ZERO };
            s.solver_search[i] = kept - s.solver_Mv[i];
        }
    }
    grad_mgrad
}
