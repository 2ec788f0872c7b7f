//! Derivatives of the solution, by the implicit function theorem: at the minimum of the cost its gradient `g(x, p)` is zero for
//! every parameter `p`, so that `H dx/dp = -dg/dp`, with the Hessian of the last Newton step (Krantz and Parks, *The Implicit
//! Function Theorem*, 2002; Amos and Kolter, *OptNet*, 2017). One gradient in dual numbers gives the right-hand sides of all
//! directions, and factors that are at hand give the derivatives: nothing is iterated.
//!
//! Rows keep the zone in which they are. That is the derivative wherever no row is just about to change its zone.

use super::hessian::solve_hessian;
use super::metric::{enter, leave, mul_metric, scale_rows};
use super::nearby::factor_solution;
use super::noslip::noslip;
use super::pgs::{dual_finish, project_constraint};
use super::rows::{island_ranges, range_at, residuals, rows};
use super::solve::{solve_rows, update_gradient};
use crate::integrate::implicit::turn_free_bodies;
use crate::math::dual::Dual;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::model::hessian::Hessian;

/// Solution of a world's constraints, with the factors of the Hessian there.
#[derive(Debug, Default)]
pub struct Solution {
    /// Acceleration.
    qacc: Vec<f64>,
    hessian: Box<Hessian<f64>>,
    /// Number of rows.
    nefc: i32,
    dof_island: Vec<i32>,
    /// Room for a right-hand side.
    side: Descent<f64>,
}

impl Solution {
    /// Solves a world by Newton's method, which the model has to ask for, and keeps the solution. What is left of slip is not
    /// taken off.
    pub fn find(&mut self, m: &Model, d: &mut Data) {
        if m.is_discrete() {
            enter(m, d);
            scale_rows(m, d);
        }
        solve_rows(m, d);
        self.qacc.clone_from(&d.qacc);
        self.nefc = d.nefc[0];
        self.dof_island.clone_from(&d.dof_island);
        factor_solution(m, d);
        if let Some(hessian) = &mut d.hessian {
            std::mem::swap(hessian, &mut self.hessian);
        }
        if m.is_discrete() {
            turn_free_bodies(m, d);
            leave(d);
        }
    }

    /// Acceleration and constraint forces of the same world in dual numbers, with their derivatives. Where a direction has woken
    /// a sleeping tree, the world has other rows, and its solution is found first, with the model `plain`.
    pub fn differentiate<const N: usize>(
        &mut self,
        plain: &Model,
        m: &Model<Dual<N>>,
        d: &mut Data<Dual<N>>,
    ) {
        if self.nefc != d.nefc[0] || self.dof_island != d.dof_island {
            self.find(plain, &mut d.cast());
        }
        if !m.is_discrete() {
            return self.differentiate_rows(m, d);
        }
        enter(m, d);
        scale_rows(m, d);
        self.differentiate_rows(m, d);
        turn_free_bodies(m, d);
        leave(d);
    }

    fn differentiate_rows<const N: usize>(&mut self, m: &Model<Dual<N>>, d: &mut Data<Dual<N>>) {
        d.qfrc_constraint.fill(Dual::constant(0.0));
        d.qacc.copy_from_slice(&d.qacc_smooth);
        if d.nefc[0] == 0 {
            return;
        }
        let islands = 0..d.nisland[0];
        for island in islands.clone() {
            if rows(d, island).is_empty() {
                continue;
            }
            for k in island_ranges(d, island) {
                for i in range_at(d, k) {
                    d.qacc[i] = Dual::constant(self.qacc[i]);
                }
            }
        }
        // what the gradient becomes if the acceleration stays
        self.side.solver_search.resize(m.sizes.nv, 0.0);
        each_gradient(m, d, |s, d, island| {
            (0..N).for_each(|direction| self.move_along(d, s, island, direction));
        });
        // forces at the acceleration that moves
        each_gradient(m, d, |_, _, _| ());
        if m.opt_noslip_iterations[0] > 0 {
            project_constraint(m, d);
            for island in islands {
                noslip(m, d, island);
                dual_finish(m, d, island);
            }
        }
    }

    /// Derivatives of an island's acceleration in one direction.
    fn move_along<const N: usize>(
        &mut self,
        d: &Data<Dual<N>>,
        s: &mut Descent<Dual<N>>,
        island: i32,
        direction: usize,
    ) {
        let mut is_zero = true;
        for i in island_ranges(d, island).flat_map(|k| range_at(d, k)) {
            let slope = s.solver_grad[i].slopes[direction];
            is_zero &= slope == 0.0;
            self.side.solver_search[i] = slope;
        }
        if is_zero {
            return;
        }
        solve_hessian(&mut self.side, &mut self.hessian, island);
        for i in island_ranges(d, island).flat_map(|k| range_at(d, k)) {
            s.qacc[i].slopes[direction] = -self.side.solver_search[i];
        }
    }
}

/// Calls a function after the gradient of each island with rows is found, at the present acceleration.
fn each_gradient<const N: usize>(
    m: &Model<Dual<N>>,
    d: &mut Data<Dual<N>>,
    mut with: impl FnMut(&mut Descent<Dual<N>>, &Data<Dual<N>>, i32),
) {
    let mut product = std::mem::take(&mut d.solver_Ma);
    mul_metric(m, d, &d.qacc, &mut product);
    d.solver_Ma = product;
    let mut jaref = std::mem::take(&mut d.solver_Jaref);
    residuals(d, &d.qacc, &mut jaref);
    d.solver_Jaref = jaref;
    let mut s = d.take_descent();
    for island in (0..d.nisland[0]).filter(|island| !rows(d, *island).is_empty()) {
        update_gradient(m, d, &mut s, island);
        with(&mut s, d, island);
    }
    d.put_descent(s);
}
