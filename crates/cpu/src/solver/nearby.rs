//! Solution of a world that is a little off another one whose solution is known, as for difference quotients: Newton steps with the
//! factors of the known Hessian. Where the same rows act, a whole step leaves an error of the second order in the distance; no
//! Hessian is built and no step length is searched.

use super::hessian::{build_hessian, factor_hessian, solve_hessian};
use super::hessian_pattern::set_pattern;
use super::rows::{island_ranges, mul_jac, norm, range_at, residuals, rows};
use super::solve::{solve, update_gradient};
use crate::smooth::factor_m::{mul_m, mul_m_within};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::Descent;
use manyworlds_model::model::hessian::Hessian;
use manyworlds_model::schema::enums::solver;

/// Most steps; each gains as many digits as both worlds have in common.
const MAX_STEPS: usize = 6;
/// Gradient that remains, as a share of that before the first step.
const REMAINS: f64 = 1e-10;

/// True if Newton's method solves the primal problem, to the end: [`solve_nearby`] then finds what [`solve`] does.
pub fn applies(m: &Model) -> bool {
    m.opt_solver[0] == solver::NEWTON && !m.is_dual()
}

/// Factors the Hessian of a world at its solution, for [`solve_nearby`].
pub fn factor_solution(m: &Model, d: &mut Data) {
    if d.nefc[0] == 0 {
        return;
    }
    let mut jaref = std::mem::take(&mut d.solver_Jaref);
    residuals(d, &d.qacc, &mut jaref);
    d.solver_Jaref = jaref;
    let mut hessian = d.take_hessian();
    set_pattern(m, d, &mut hessian);
    let mut s = d.take_descent();
    for island in 0..d.nisland[0] {
        build_hessian(m, d, &mut s, &mut hessian, island, true);
        factor_hessian(d, &mut hessian, island);
    }
    d.put_descent(s);
    d.hessian = Some(hessian);
}

/// Acceleration and constraint forces of a world near a `known` one, whose factors it holds and whose acceleration is `qacc`.
pub fn solve_nearby(m: &Model, d: &mut Data, known: &Data) {
    let nefc = d.nefc[0] as usize;
    let alike = d.nefc == known.nefc
        && d.nisland == known.nisland
        && d.efc_type[..nefc] == known.efc_type[..nefc]
        && d.dof_island == known.dof_island;
    if nefc == 0 || !alike || !converges(m, d, known) {
        solve(m, d);
        // factors for the next one
        d.hessian.clone_from(&known.hessian);
    }
}

/// Newton steps with the factors that the world holds; false if another solver has to go on.
fn converges(m: &Model, d: &mut Data, known: &Data) -> bool {
    if m.is_discrete() {
        return false;
    }
    d.qacc.copy_from_slice(&known.qacc);
    let mut jaref = std::mem::take(&mut d.solver_Jaref);
    residuals(d, &d.qacc, &mut jaref);
    d.solver_Jaref = jaref;
    d.qfrc_constraint.fill(0.0);
    for i in 0..m.sizes.nv {
        if d.dof_island[i] < 0 {
            d.qacc[i] = d.qacc_smooth[i];
        }
    }
    mul_m(m, &d.M, &d.qacc, &mut d.solver_Ma);
    let (mut s, mut hessian) = (d.take_descent(), d.take_hessian());
    let converged = (0..d.nisland[0]).all(|island| island_converges(m, d, &mut s, &mut hessian, island));
    d.put_descent(s);
    d.hessian = Some(hessian);
    converged
}

fn island_converges(
    m: &Model,
    d: &Data,
    s: &mut Descent<f64>,
    hessian: &mut Hessian<f64>,
    island: i32,
) -> bool {
    update_gradient(m, d, s, island);
    let rounding = 64.0 * f64::EPSILON * (norm(d, island, &s.solver_Ma) + norm(d, island, &d.qfrc_smooth));
    let limit = (REMAINS * norm(d, island, &s.solver_grad)).max(rounding);
    // cones bend: their Hessian is that of the known world to the first order only
    let steps = if m.has_elliptic_cones() { MAX_STEPS } else { 2 };
    for _ in 0..steps {
        if norm(d, island, &s.solver_grad) <= limit {
            return true;
        }
        for k in island_ranges(d, island) {
            let range = range_at(d, k);
            s.solver_search[range.clone()].copy_from_slice(&s.solver_grad[range]);
        }
        solve_hessian(s, hessian, island);
        for k in island_ranges(d, island) {
            let range = range_at(d, k);
            s.solver_search[range.clone()].iter_mut().for_each(|x| *x = -*x);
            mul_m_within(m, &d.M, &s.solver_search, &mut s.solver_Mv, range);
        }
        let mut products = std::mem::take(&mut s.solver_Jv);
        mul_jac(d, rows(d, island), &s.solver_search, &mut products);
        s.solver_Jv = products;
        for k in island_ranges(d, island) {
            for i in range_at(d, k) {
                s.qacc[i] += s.solver_search[i];
                s.solver_Ma[i] += s.solver_Mv[i];
            }
        }
        for k in rows(d, island) {
            let r = d.efc_order[k] as usize;
            s.solver_Jaref[r] += s.solver_Jv[r];
        }
        update_gradient(m, d, s, island);
    }
    norm(d, island, &s.solver_grad) <= limit
}
