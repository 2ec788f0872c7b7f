//! Constraint forces and acceleration: Newton's method on the convex cost of the primal problem here; conjugate
//! gradients in [`super::cg`], and the dual problem in [`super::pgs`]. [`super::smooth_contact`] minimises nothing.
//!
//! With `x` the acceleration, the cost is `½ (x - x0)' M (x - x0) + Σ s(J x - aref)`, where `x0` is the unconstrained
//! acceleration and each row's cost `s` is a quadratic of curvature `D`: everywhere for equalities, below zero for
//! limits and contacts, and around zero, with linear flanks of slope `frictionloss`, for dry friction (MuJoCo
//! documentation, Computation, "Solver"). The Hessian `M + J' D J` over the rows in their quadratic zone is factored
//! once; after a step, rows that entered or left their zone update the factors one by one. An exact line search by
//! Newton steps on the derivative, then by bracketing, finds the step length. Costs are compared only as differences
//! from the start of the search, which avoids cancellation in single precision.

use std::ops::Range;

use web_time::Instant;

use super::blocks::{add_block_forces, add_equalities, block_len};
use super::cg::cg_direction;
use super::hessian::{build_hessian, factor_hessian, solve_hessian, update_factors};
use super::hessian_pattern::set_pattern;
use super::line_search::line_search;
use super::metric::{enter, leave, mul_metric, scale_rows};
use super::noslip::noslip;
use super::pgs::{dual_finish, pgs_island, pgs_warmstart, project_constraint};
use super::rows::{
    FourRows, RowBatch, change_over, cost_scale, cut_rows, is_narrow, island_ranges, norm, range_at,
    residuals, rows, sum_over,
};
use super::shared_islands::{solve_islands, solvers};
use super::smooth_contact::smooth_forces;
use crate::constraint::cone::cone_of;
use crate::constraint::constraint_cost::{cost_parameters, force, row_cost};
use crate::constraint::islands::row_ranges;
use crate::constraint::row_span::{has_gap, row_span};
use crate::integrate::implicit::turn_free_bodies;
use crate::math::{add_row, add_rows4};
use crate::smooth::factor_m::{mul_m_within, solve_ld_within};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::descent::{Descent, Effort};
use manyworlds_model::model::hessian::Hessian;
use manyworlds_model::real::Real;
use manyworlds_model::schema::Need;
use manyworlds_model::schema::enums::{disable, solver};

/// Acceleration and constraint forces.
pub fn solve<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if !m.is_discrete() {
        return solve_rows(m, d);
    }
    enter(m, d);
    scale_rows(m, d);
    solve_rows(m, d);
    turn_free_bodies(m, d);
    leave(d);
}

/// Acceleration and constraint forces, with whatever is in the place of the inertia.
pub(super) fn solve_rows<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if !begin(m, d) {
        return;
    }
    // apart, while it is built from the world's rows
    let mut hessian = take_hessian(m, d);
    let threads = if m.is_dual() || m.is_smooth() { 1 } else { solvers(d) };
    if threads > 1 {
        let each = |d: &Data<T>, s: &mut Descent<T>, h: Option<&mut Hessian<T>>, island: i32| {
            solve_island(m, d, s, h, island)
        };
        d.solver_niter[0] = solve_islands(m, d, hessian.as_deref_mut(), threads, each);
    }
    let rest = if threads > 1 { 0 } else { d.nisland[0] };
    // how long they take, where threads might share them next time
    let mut effort = (threads == 1 && d.threads > 1).then(Effort::default);
    for island in 0..rest {
        let start = effort.is_some().then(Instant::now);
        let mut iterations = match m.opt_solver[0] {
            solver::PGS => pgs_island(m, d, island),
            solver::SMOOTH => 1,
            _ => {
                let mut s = d.take_descent();
                let iterations = solve_island(m, d, &mut s, hessian.as_deref_mut(), island);
                d.put_descent(s);
                iterations
            }
        };
        if m.opt_noslip_iterations[0] > 0 {
            iterations += noslip(m, d, island);
        }
        if m.is_dual() {
            dual_finish(m, d, island);
        }
        d.solver_niter[0] = d.solver_niter[0].max(iterations);
        if let (Some(effort), Some(start)) = (&mut effort, start) {
            effort.add(start.elapsed());
        }
    }
    if let Some(effort) = effort {
        d.helpers.effort = effort;
    }
    if hessian.is_some() {
        d.hessian = hessian;
    }
}

/// Sets out from the warm start; false if there are no rows, and all is solved.
pub(crate) fn begin<T: Real>(m: &Model<T>, d: &mut Data<T>) -> bool {
    d.solver_niter[0] = 0;
    if d.nefc[0] == 0 {
        d.qacc.copy_from_slice(&d.qacc_smooth);
        d.qfrc_constraint.fill(T::ZERO);
        return false;
    }
    let dual = m.opt_solver[0] == solver::PGS;
    if !dual && !m.is_smooth() {
        warmstart(m, d);
    }
    d.qfrc_constraint.fill(T::ZERO);
    for i in 0..m.sizes.nv {
        // an elastic flex is an island without rows too
        let island = d.dof_island[i];
        if island < 0 || d.island_efc_begin[island as usize] == d.island_efc_end[island as usize] {
            d.qacc[i] = d.qacc_smooth[i];
        }
    }
    if m.is_dual() {
        project_constraint(m, d);
    }
    if dual {
        pgs_warmstart(m, d);
    }
    if m.is_smooth() {
        smooth_forces(m, d);
    }
    if m.opt_solver[0] == solver::CG {
        d.hold(Need::ConjugateGradient);
    }
    true
}

/// The Hessian of Newton's method, out of the world. What it was built for is no longer known to be there.
pub(crate) fn take_hessian<T: Real>(m: &Model<T>, d: &mut Data<T>) -> Option<Box<Hessian<T>>> {
    let mut hessian = (m.opt_solver[0] == solver::NEWTON).then(|| d.take_hessian());
    if let Some(hessian) = &mut hessian {
        hessian.fits = false;
    }
    hessian
}

/// Newton's method, or conjugate gradients, in one island; returns the number of iterations.
fn solve_island<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    mut h: Option<&mut Hessian<T>>,
    island: i32,
) -> i32 {
    if rows(d, island).is_empty() {
        return 0;
    }
    let mut search = IslandSearch::begin(m, d, s, island);
    let mut grad_mgrad = None;
    while search.goes_on(m) {
        let decrement = if let Some(h) = &mut h {
            if search.set_up_hessian(m, d, s, h) {
                factor_hessian(d, h, island);
            }
            search.copy_gradient(d, s);
            solve_hessian(s, h, island);
            let Some(decrement) = search.take_direction(m, d, s) else { break };
            Some(decrement)
        } else {
            grad_mgrad = Some(cg_direction(m, d, s, island, grad_mgrad));
            None
        };
        mul_inertia(m, d, s, island);
        search.take_step(m, d, s, decrement);
    }
    search.finish(d, s)
}

/// The search for the solution of an island. Its parts stand by themselves for worlds that share what lies between them: factors
/// and products.
///
/// Equality rows may be many, as the edges of a flex are. Their forces are linear in the acceleration, so that `solver_Ma` takes
/// them up, and each product with the inertia one with `J' D J`, in one pass; they are read as forces at the end.
pub(crate) struct IslandSearch<T> {
    island: i32,
    /// Places in `efc_order` of the rows that `solver_Ma` takes up, and of the others.
    equalities: Range<usize>,
    rest: Range<usize>,
    /// Makes costs and gradients dimensionless.
    scale: T,
    iterations: i32,
    is_done: bool,
}

impl<T: Real> IslandSearch<T> {
    /// Forces and gradient at the warm start, which may be the solution.
    pub(crate) fn begin(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, island: i32) -> Self {
        let (equalities, rest) = cut_rows(d, island);
        add_equalities(d, equalities.clone(), &s.solver_Jaref, T::ONE, &mut s.solver_Ma);
        let scale = cost_scale(m, d, island);
        let gradient = scale * update_gradient_of(m, d, s, island, rest.clone());
        let is_done = gradient < m.opt_tolerance[0] && already_solved(m, d, s, island, scale);
        Self { island, equalities, rest, scale, iterations: 0, is_done }
    }

    /// True if another direction is wanted.
    pub(crate) fn goes_on(&self, m: &Model<T>) -> bool {
        !self.is_done && self.iterations < m.opt_iterations[0]
    }

    /// The Hessian at the present acceleration: true if it is built and not yet factored, false if its factors were updated.
    pub(crate) fn set_up_hessian(
        &self,
        m: &Model<T>,
        d: &Data<T>,
        s: &mut Descent<T>,
        h: &mut Hessian<T>,
    ) -> bool {
        // where all islands begin at their solutions, nobody asks for nodes
        if !h.fits {
            set_pattern(m, d, h);
        }
        let is_first = self.iterations == 0;
        let is_built = is_first || !update_factors(m, d, s, h, self.island);
        if is_built {
            build_hessian(m, d, s, h, self.island, is_first);
        }
        is_built
    }

    /// The gradient in the place of the direction.
    pub(crate) fn copy_gradient(&self, d: &Data<T>, s: &mut Descent<T>) {
        for k in island_ranges(d, self.island) {
            let range = range_at(d, k);
            s.solver_search[range.clone()].copy_from_slice(&s.solver_grad[range]);
        }
    }

    /// Makes `H⁻¹ grad` Newton's direction; returns the decrement `grad' H⁻¹ grad`, none if it is too small for a step.
    pub(crate) fn take_direction(&mut self, m: &Model<T>, d: &Data<T>, s: &mut Descent<T>) -> Option<T> {
        let decrement = sum_over(d, self.island, [&s.solver_grad, &s.solver_search], |[x, y]| x * y);
        for k in island_ranges(d, self.island) {
            for i in range_at(d, k) {
                s.solver_search[i] = -s.solver_search[i];
            }
        }
        let is_small = self.scale * T::of(0.5) * decrement < m.opt_tolerance[0];
        self.is_done = is_small && self.iterations > 0;
        (!self.is_done).then_some(decrement)
    }

    /// Goes along the direction, whose product with the inertia is in `solver_Mv`, to the least cost, and finds the gradient
    /// there.
    pub(crate) fn take_step(&mut self, m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, decrement: Option<T>) {
        let length = norm(d, self.island, &s.solver_search);
        let (alpha, change) = line_search(m, d, s, self.island, self.scale, length, decrement);
        if alpha == T::ZERO {
            self.is_done = true;
            return;
        }
        for k in island_ranges(d, self.island) {
            let range = range_at(d, k);
            add_row(&mut s.qacc[range.clone()], alpha, &s.solver_search[range.clone()]);
            add_row(&mut s.solver_Ma[range.clone()], alpha, &s.solver_Mv[range]);
        }
        for range in row_ranges(&d.efc_order[rows(d, self.island)]) {
            add_row(&mut s.solver_Jaref[range.clone()], alpha, &s.solver_Jv[range]);
        }
        let gradient = self.scale * update_gradient_of(m, d, s, self.island, self.rest.clone());
        self.iterations += 1;
        self.is_done = -self.scale * change < m.opt_tolerance[0] || gradient < m.opt_tolerance[0];
    }

    /// Makes forces of the equality rows that `solver_Ma` took up; returns the number of iterations.
    pub(crate) fn finish(self, d: &Data<T>, s: &mut Descent<T>) -> i32 {
        let equalities = self.equalities;
        add_equalities(d, equalities.clone(), &s.solver_Jaref, -T::ONE, &mut s.qfrc_constraint);
        for range in row_ranges(&d.efc_order[equalities]) {
            let rows = d.efc_D[range.clone()].iter().zip(&s.solver_Jaref[range.clone()]);
            s.efc_force[range].iter_mut().zip(rows).for_each(|(f, (mass, x))| *f = -(*mass * *x));
        }
        self.iterations
    }
}

/// The inertia times the search direction.
pub(crate) fn mul_inertia<T: Real>(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, island: i32) {
    for k in island_ranges(d, island) {
        mul_m_within(m, &d.M, &s.solver_search, &mut s.solver_Mv, range_at(d, k));
    }
}

/// Warm start: the last acceleration, or the unconstrained one if its cost is lower.
fn warmstart<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nefc = d.nefc[0] as usize;
    // residuals at the unconstrained acceleration
    let mut smooth_jaref = std::mem::take(&mut d.solver_Jv);
    residuals(d, &d.qacc_smooth, &mut smooth_jaref);
    d.solver_Jv = smooth_jaref;
    if !m.disabled(disable::WARMSTART) {
        let mut product = std::mem::take(&mut d.solver_Ma);
        mul_metric(m, d, &d.qacc_warmstart, &mut product);
        d.solver_Ma = product;
        // cost of the last acceleration relative to the unconstrained one
        let mut change = T::ZERO;
        for i in 0..m.sizes.nv {
            let apart = d.qacc_warmstart[i] - d.qacc_smooth[i];
            change += T::of(0.5) * apart * (d.solver_Ma[i] - d.qfrc_smooth[i]);
        }
        let mut warm = std::mem::take(&mut d.solver_Jaref);
        residuals(d, &d.qacc_warmstart, &mut warm);
        d.solver_Jaref = warm;
        let mut r = 0;
        while r < nefc {
            if let Some(cone) = cone_of(m, d, r) {
                let end = r + cone.dim;
                change += cone.cost(&d.solver_Jaref[r..end]) - cone.cost(&d.solver_Jv[r..end]);
                r = end;
            } else {
                let row = cost_parameters(d, r);
                change += row_cost(&row, d.solver_Jaref[r]) - row_cost(&row, d.solver_Jv[r]);
                r += 1;
            }
        }
        if change <= T::ZERO {
            d.qacc.copy_from_slice(&d.qacc_warmstart);
            return;
        }
    }
    d.qacc.copy_from_slice(&d.qacc_smooth);
    d.solver_Jaref[..nefc].copy_from_slice(&d.solver_Jv[..nefc]);
    let mut product = std::mem::take(&mut d.solver_Ma);
    mul_metric(m, d, &d.qacc, &mut product);
    d.solver_Ma = product;
}

/// True if the duality gap at the start, `½ grad' M⁻¹ grad`, is within tolerance.
fn already_solved<T: Real>(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, island: i32, scale: T) -> bool {
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        s.solver_search[range.clone()].copy_from_slice(&s.solver_grad[range.clone()]);
        solve_ld_within(m, &d.qLD, &d.qLDiagInv, &mut s.solver_search, range);
    }
    let gap = sum_over(d, island, [&s.solver_grad, &s.solver_search], |[x, y]| x * y);
    scale * T::of(0.5) * gap < m.opt_tolerance[0]
}

/// Forces of an island's rows at the present acceleration, and the gradient of the cost.
pub(super) fn update_gradient<T: Real>(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, island: i32) {
    update_gradient_of(m, d, s, island, rows(d, island));
}

/// [`update_gradient`] where the rows at some places are not yet in `solver_Ma`; returns the length of the gradient.
fn update_gradient_of<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    island: i32,
    places: Range<usize>,
) -> T {
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        s.qfrc_constraint[range].fill(T::ZERO);
    }
    if d.jacobian.is_plain() {
        sum_forces::<T, true>(m, d, s, places);
    } else if d.jacobian.is_packed {
        sum_block_forces(m, d, s, places);
    } else {
        sum_forces::<T, false>(m, d, s, places);
    }
    let vectors: [&[T]; 3] = [&s.solver_Ma, &d.qfrc_smooth, &s.qfrc_constraint];
    let [square] =
        change_over(d, island, &mut s.solver_grad, vectors, |grad, [product, smooth, constraint]| {
            *grad = product - smooth - constraint;
            [*grad * *grad]
        });
    square.sqrt()
}

/// Row forces of an island, and their sum on each of its degrees of freedom. `PLAIN`: rows are
/// [plain](manyworlds_model::model::jacobian::Jacobian::is_plain).
#[inline(always)]
fn sum_forces<T: Real, const PLAIN: bool>(
    m: &Model<T>,
    d: &Data<T>,
    s: &mut Descent<T>,
    places: Range<usize>,
) {
    let mut four = RowBatch::<T, PLAIN>::default();
    let two_sided = (d.ne[0] + d.nf[0]) as usize;
    let mut done = 0;
    for k in places {
        let r = d.efc_order[k] as usize;
        if r >= done {
            if let Some(cone) = cone_of(m, d, r) {
                done = r + cone.dim;
                let (f, _) = cone.forces(&s.solver_Jaref[r..done]);
                s.efc_force[r..done].copy_from_slice(&f[..cone.dim]);
            } else {
                s.efc_force[r] = row_force(d, r, two_sided, s.solver_Jaref[r]);
            }
        }
        let f = s.efc_force[r];
        if f == T::ZERO {
            continue;
        }
        let span = row_span(d, r);
        if is_narrow(span) {
            let first = d.row_index_if::<PLAIN>(r, span.0);
            for i in span.0..span.1 {
                s.qfrc_constraint[i] += f * d.efc_J[first + i - span.0];
            }
        } else if let Some(batch) = four.push(d, r, f) {
            add_forces::<T, PLAIN>(d, s, &batch);
        }
    }
    if let Some(batch) = four.take() {
        add_forces::<T, PLAIN>(d, s, &batch);
    }
}

/// Force of a row, at `x`, that is not of a cone; limits and contacts, behind `two_sided`, without branches.
#[inline(always)]
fn row_force<T: Real>(d: &Data<T>, r: usize, two_sided: usize, x: T) -> T {
    if r < two_sided { force(&cost_parameters(d, r), x) } else { d.efc_D[r] * (-x).max(T::ZERO) }
}

/// [`sum_forces`] constraint by constraint, of packed rows.
fn sum_block_forces<T: Real>(m: &Model<T>, d: &Data<T>, s: &mut Descent<T>, places: Range<usize>) {
    let two_sided = (d.ne[0] + d.nf[0]) as usize;
    let mut k = places.start;
    while k < places.end {
        let r = d.efc_order[k] as usize;
        let count = block_len(d, r);
        if let Some(cone) = cone_of(m, d, r) {
            let (f, _) = cone.forces(&s.solver_Jaref[r..r + count]);
            s.efc_force[r..r + count].copy_from_slice(&f[..count]);
        } else {
            for r in r..r + count {
                s.efc_force[r] = row_force(d, r, two_sided, s.solver_Jaref[r]);
            }
        }
        if s.efc_force[r..r + count].iter().any(|f| *f != T::ZERO) {
            add_block_forces(d, s, r, count);
        }
        k += count;
    }
}

/// Adds the joint-space forces of up to four rows.
#[inline(always)]
fn add_forces<T: Real, const PLAIN: bool>(d: &Data<T>, s: &mut Descent<T>, batch: &FourRows<T>) {
    let (rows, f) = (batch.rows, batch.weights);
    let parts = if PLAIN || !has_gap(d, rows[0]) { [batch.span, (0, 0)] } else { d.row_parts(rows[0]) };
    let mut add = |(first, end): (usize, usize)| {
        let places = rows.map(|r| d.row_index_if::<PLAIN>(r, first));
        let row = |k: usize| &d.efc_J[places[k]..places[k] + end - first];
        let out = &mut s.qfrc_constraint[first..end];
        add_rows4(out, f[0], row(0), f[1], row(1), f[2], row(2), f[3], row(3));
    };
    add(parts[0]);
    if !PLAIN && parts[1].0 < parts[1].1 {
        add(parts[1]);
    }
}
