//! Projected Gauss-Seidel on the dual problem, in the constraint forces (MuJoCo documentation, Computation, "Solver";
//! Todorov, Convex and analytically-invertible dynamics with contacts and constraints, ICRA 2014).
//!
//! The row forces `f` minimise `½ f' (A + R) f + f' b`, each within its bounds, where `A = J M⁻¹ J'` and `b` is the
//! residual at zero force. `A` is not formed: the acceleration of the present forces is kept, each change of force
//! updates it by a row of `M⁻¹ J'`, and the residual of a row is a product with it. Rows are updated in sequence;
//! those of a contact with an elliptic cone together: first along their ray, then the tangents within the bound set
//! by the normal force.

use std::ops::Range;

use super::blocks::FREE;
use super::qcqp::{MAX_TANGENTS, solve_qcqp};
use super::rows::{
    add_jac_row, cost_scale, dof_range, island_ranges, mul_jac, mul_jac_row, range_at, residuals, rows,
};
use crate::constraint::cone::cone_of;
use crate::constraint::constraint_cost::constraint_update;
use crate::math::{add_row, dot_n};
use crate::smooth::factor_m::{solve_ld, solve_ld_rows, solve_ld_within};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, disable};

/// Most rows updated together.
pub(super) const MAX_BLOCK: usize = 6;

/// Updates that raise the cost by more than this are rejected.
const MAX_COST_INCREASE: f64 = 1e-10;

/// Least diagonal entry of a block without a regulariser.
const MIN_DIAGONAL: f64 = 1e-10;

/// Number of rows updated together from `r` on: those of an elliptic cone, opposing pyramid edges, or one.
pub fn block_size<T: Real>(m: &Model<T>, d: &Data<T>, r: usize) -> usize {
    match cone_of(m, d, r) {
        Some(cone) => cone.dim,
        None if d.efc_type[r] == constraint::CONTACT_PYRAMIDAL => 2,
        None => 1,
    }
}

/// `M⁻¹ J'`, and the elements of `A` that block updates use.
pub fn project_constraint<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if d.jacobian.is_packed {
        project_packed_rows(m, d);
    } else {
        project_whole_rows(m, d);
    }
    let nefc = d.nefc[0] as usize;
    let mut r = 0;
    while r < nefc {
        let count = block_size(m, d, r);
        for i in 0..count {
            for j in 0..count {
                d.dual_A[MAX_BLOCK * (r + i) + j] = mul_projected(d, r + i, r + j);
            }
        }
        r += count;
    }
}

/// `M⁻¹ J'` of rows that have an element for each degree of freedom.
fn project_whole_rows<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nv = m.sizes.nv;
    let nefc = d.nefc[0] as usize;
    // rows of one island that follow each other
    let mut r = 0;
    while r < nefc {
        let island = d.efc_island[r];
        let (first, end) = dof_range(d, island);
        let count = d.efc_island[r..nefc].iter().take_while(|other| **other == island).count();
        for row in r..r + count {
            d.dual_MinvJT[row * nv..][first..end].fill(T::ZERO);
            for (begin, end) in d.row_parts(row) {
                let place = d.row_index(row, begin);
                let elements = &d.efc_J[place..place + end - begin];
                d.dual_MinvJT[row * nv..][begin..end].copy_from_slice(elements);
            }
        }
        let y = &mut d.dual_MinvJT[r * nv + first..(r + count) * nv];
        solve_ld_rows(m, &d.qLD, &d.qLDiagInv, y, nv, first..end);
        r += count;
    }
}

/// `M⁻¹ J'` of packed rows, constraint by constraint, whose rows have the elements of whole trees.
fn project_packed_rows<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let used = d.jacobian.used;
    d.dual_MinvJT[..used].copy_from_slice(&d.efc_J[..used]);
    let nefc = d.nefc[0] as usize;
    let mut r = 0;
    while r < nefc {
        let place = d.jacobian.places[r];
        let (width, count) = (place.width(), place.count as usize);
        let (mut from, to) = (place.first as usize, place.first as usize + count * width);
        for (begin, end) in place.ranges {
            if begin < end {
                let y = &mut d.dual_MinvJT[from..to];
                solve_ld_rows(m, &d.qLD, &d.qLDiagInv, y, width, begin as usize..end as usize);
            }
            from += (end - begin) as usize;
        }
        r += count;
    }
}

/// Where a row of `M⁻¹ J'` may not be zero: degrees of freedom, with the place of the first; the second part may be empty.
#[inline(always)]
fn projected_parts<T: Real>(d: &Data<T>, r: usize) -> [(usize, Range<usize>); 2] {
    if d.jacobian.is_packed {
        let place = d.jacobian.places[r];
        let [one, two] = place.ranges.map(|(begin, end)| begin as usize..end as usize);
        let first = place.first as usize;
        return [(first, one.clone()), (first + one.len(), two)];
    }
    let (low, high) = dof_range(d, d.efc_island[r]);
    let first = r * d.qacc.len();
    [(first + low, low..high), (first + high, high..high)]
}

/// Product of a row of the Jacobian and a row of `M⁻¹ J'` of the same constraint: an element of `A`.
fn mul_projected<T: Real>(d: &Data<T>, row: usize, other: usize) -> T {
    if d.jacobian.is_packed {
        let [a, b] = [row, other].map(|r| d.jacobian.places[r].first as usize);
        let width = d.jacobian.places[row].width();
        return dot_n(&d.efc_J[a..a + width], &d.dual_MinvJT[b..b + width]);
    }
    let nv = d.qacc.len();
    mul_jac_row(d, row, &d.dual_MinvJT[other * nv..(other + 1) * nv])
}

/// Adds what a change of a row's force does to the acceleration.
#[inline(always)]
fn add_projected<T: Real>(d: &mut Data<T>, r: usize, step: T) {
    for (place, dofs) in projected_parts(d, r) {
        let y = &d.dual_MinvJT[place..place + dofs.len()];
        add_row(&mut d.qacc[dofs], step, y);
    }
}

/// Warm start: forces of the last acceleration, or zero if that costs less.
pub fn pgs_warmstart<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let nv = m.sizes.nv;
    let nefc = d.nefc[0] as usize;
    d.qacc.copy_from_slice(&d.qacc_smooth);
    if !m.disabled(disable::WARMSTART) {
        let mut jaref = std::mem::take(&mut d.solver_Jv);
        residuals(d, &d.qacc_warmstart, &mut jaref);
        d.solver_Jv = jaref;
        constraint_update(m, d);
        // joint-space force, the acceleration that it causes, and the cost
        let half = T::of(0.5);
        let mut cost = T::ZERO;
        d.solver_grad.fill(T::ZERO);
        for r in 0..nefc {
            let f = d.efc_force[r];
            cost += f * (half * d.efc_R[r] * f - d.efc_aref[r]);
            if f != T::ZERO {
                let mut sum = std::mem::take(&mut d.solver_grad);
                add_jac_row(d, r, f, &mut sum);
                d.solver_grad = sum;
            }
        }
        d.solver_search.copy_from_slice(&d.solver_grad);
        solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.solver_search);
        for i in 0..nv {
            cost += d.solver_grad[i] * (d.qacc_smooth[i] + half * d.solver_search[i]);
        }
        if cost <= T::ZERO {
            for i in 0..nv {
                d.qacc[i] += d.solver_search[i];
            }
            return;
        }
    }
    d.efc_force[..nefc].fill(T::ZERO);
}

/// Sweeps over the rows of an island; returns their number.
pub fn pgs_island<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> i32 {
    let scale = cost_scale(m, d, island);
    for iteration in 0..m.opt_iterations[0] {
        if scale * pgs_iterate(m, d, island) < m.opt_tolerance[0] {
            return iteration + 1;
        }
    }
    m.opt_iterations[0].max(0)
}

/// One sweep over the rows of an island; returns by how much the cost falls.
fn pgs_iterate<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> T {
    let own = rows(d, island);
    let mut improvement = T::ZERO;
    let mut place = own.start;
    while place < own.end {
        let r = d.efc_order[place] as usize;
        let count = block_size(m, d, r);
        if cone_of(m, d, r).is_some() {
            let con = d.efc_id[r] as usize;
            let mut rows = PgsBlock::load_block(d, (r, count), r, true);
            rows.update_ray();
            rows.update_tangents(&d.contact_friction[5 * con..5 * con + 5]);
            improvement -= rows.accept(d);
        } else if let Some((count, change)) = update_packed_rows(d, r) {
            improvement -= change;
            place += count;
            continue;
        } else {
            // pyramid edges one by one
            for k in 0..count {
                improvement -= update_scalar(d, r + k, r, true);
            }
        }
        place += count;
    }
    improvement
}

/// Updates the packed rows of a constraint of one or two free bodies, or of trees as large, one by one; returns how many
/// these are, and the change of cost. None for other rows.
fn update_packed_rows<T: Real>(d: &mut Data<T>, r: usize) -> Option<(usize, T)> {
    if !d.jacobian.is_packed {
        return None;
    }
    let width = d.jacobian.places[r].width();
    match width {
        FREE => Some(update_rows::<T, FREE>(d, r)),
        _ if width == 2 * FREE => Some(update_rows::<T, { 2 * FREE }>(d, r)),
        _ => None,
    }
}

/// Updates the rows of a constraint one by one; the acceleration of their degrees of freedom is read and written once.
#[inline(always)]
fn update_rows<T: Real, const WIDTH: usize>(d: &mut Data<T>, r: usize) -> (usize, T) {
    let place = d.jacobian.places[r];
    let [one, two] = place.ranges.map(|(begin, end)| begin as usize..end as usize);
    let is_pyramid = d.efc_type[r] == constraint::CONTACT_PYRAMIDAL;
    let mut qacc = [T::ZERO; WIDTH];
    let (low, high) = qacc.split_at_mut(one.len());
    low.copy_from_slice(&d.qacc[one.clone()]);
    high.copy_from_slice(&d.qacc[two.clone()]);
    let mut change = T::ZERO;
    for k in 0..place.count as usize {
        let first = place.first as usize + k * WIDTH;
        let product = dot_n(&d.efc_J[first..first + WIDTH], &qacc);
        // opposing edges have blocks of their own
        let head = if is_pyramid { r + k - k % 2 } else { r + k };
        let Some((step, fall)) = step_scalar(d, r + k, head, product, true) else { continue };
        change += fall;
        for (x, y) in qacc.iter_mut().zip(&d.dual_MinvJT[first..first + WIDTH]) {
            *x += step * *y;
        }
    }
    let (low, high) = qacc.split_at(one.len());
    d.qacc[one].copy_from_slice(low);
    d.qacc[two].copy_from_slice(high);
    (place.count as usize, change)
}

/// Updates the force of a row of the group headed by `head`, with or without the regulariser, unless that raises the cost:
/// its unconstrained minimum, clamped to its bounds. Returns the change of cost. What kernels do in `load_block`,
/// `update_scalar`, `cost_change` and `accept`, for which no lanes have to wait here.
pub(crate) fn update_scalar<T: Real>(d: &mut Data<T>, r: usize, head: usize, regularised: bool) -> T {
    let product = mul_jac_row(d, r, &d.qacc);
    let Some((step, change)) = step_scalar(d, r, head, product, regularised) else { return T::ZERO };
    add_projected(d, r, step);
    change
}

/// Sets the force of a row by the product of its Jacobian and the acceleration; returns by how much, and the change of
/// cost. None if it stays.
#[inline(always)]
fn step_scalar<T: Real>(
    d: &mut Data<T>,
    r: usize,
    head: usize,
    product: T,
    regularised: bool,
) -> Option<(T, T)> {
    let old = d.efc_force[r];
    let regulariser = if regularised { d.efc_R[r] } else { T::ZERO };
    let residual = product - d.efc_aref[r] + regulariser * old;
    let (ne, nf) = (d.ne[0] as usize, d.nf[0] as usize);
    // most rows that push apart are at their bound and stay there
    if r >= ne + nf && old == T::ZERO && residual >= T::ZERO {
        return None;
    }
    let a = d.dual_A[MAX_BLOCK * r + r - head] + regulariser;
    let free = old - residual / a.max(T::MINVAL);
    let force = if r < ne {
        free
    } else if r < ne + nf {
        free.min(d.efc_frictionloss[r]).max(-d.efc_frictionloss[r])
    } else {
        free.max(T::ZERO)
    };
    let step = force - old;
    let change = step * (T::of(0.5) * a * step + residual);
    if change > T::of(MAX_COST_INCREASE) || step == T::ZERO {
        return None;
    }
    d.efc_force[r] = force;
    Some((step, change))
}

/// Joint-space force of an island's constraint forces, and the resulting acceleration.
pub fn acceleration_of_forces<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) {
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        d.solver_search[range].fill(T::ZERO);
    }
    for k in rows(d, island) {
        let r = d.efc_order[k] as usize;
        let f = d.efc_force[r];
        if f != T::ZERO {
            let mut sum = std::mem::take(&mut d.solver_search);
            add_jac_row(d, r, f, &mut sum);
            d.solver_search = sum;
        }
    }
    for k in island_ranges(d, island) {
        let range = range_at(d, k);
        d.qfrc_constraint[range.clone()].copy_from_slice(&d.solver_search[range.clone()]);
        solve_ld_within(m, &d.qLD, &d.qLDiagInv, &mut d.solver_search, range.clone());
        for i in range {
            d.qacc[i] = d.qacc_smooth[i] + d.solver_search[i];
        }
    }
}

/// Results that follow from the final forces.
pub fn dual_finish<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) {
    acceleration_of_forces(m, d, island);
    let mut residual = std::mem::take(&mut d.solver_Jaref);
    mul_jac(d, rows(d, island), &d.qacc, &mut residual);
    for &r in &d.efc_order[rows(d, island)] {
        residual[r as usize] -= d.efc_aref[r as usize];
    }
    d.solver_Jaref = residual;
}

/// Block of rows whose forces are updated together.
pub(crate) struct PgsBlock<T> {
    /// First row, and number of rows.
    first: usize,
    count: usize,
    /// `A` of these rows, their residual at the present forces, and these forces.
    pub(super) a: [[T; MAX_BLOCK]; MAX_BLOCK],
    pub(super) residual: [T; MAX_BLOCK],
    pub(super) old: [T; MAX_BLOCK],
    /// New forces.
    pub(crate) force: [T; MAX_BLOCK],
}

impl<T: Real> PgsBlock<T> {
    /// Loads `rows`, the first and the number, of the group headed by row `head`, with or without the regulariser.
    pub(crate) fn load_block(d: &Data<T>, rows: (usize, usize), head: usize, regularised: bool) -> Self {
        let (first, count) = rows;
        let zero = [T::ZERO; MAX_BLOCK];
        let mut out = Self { first, count, a: [zero; MAX_BLOCK], residual: zero, old: zero, force: zero };
        for i in 0..count {
            let r = first + i;
            for j in 0..count {
                out.a[i][j] = d.dual_A[MAX_BLOCK * r + first - head + j];
            }
            out.old[i] = d.efc_force[r];
            out.residual[i] = mul_jac_row(d, r, &d.qacc) - d.efc_aref[r];
            if regularised {
                out.a[i][i] += d.efc_R[r];
                out.residual[i] += d.efc_R[r] * out.old[i];
            }
        }
        out.force = out.old;
        out
    }

    /// Bounds the diagonal away from zero.
    pub(crate) fn clamp_diagonal(&mut self) {
        for k in 0..self.count {
            self.a[k][k] = self.a[k][k].max(T::of(MIN_DIAGONAL));
        }
    }

    /// Ray update of a cone: scales the whole force, not below zero; for zero force, updates the normal row alone.
    fn update_ray(&mut self) {
        if self.old[0] < T::MINVAL {
            self.force = [T::ZERO; MAX_BLOCK];
            self.force[0] = (self.old[0] - self.residual[0] / self.a[0][0].max(T::MINVAL)).max(T::ZERO);
            return;
        }
        let (mut slope, mut curvature) = (T::ZERO, T::ZERO);
        for i in 0..self.count {
            slope += self.old[i] * self.residual[i];
            for j in 0..self.count {
                curvature += self.old[i] * self.a[i][j] * self.old[j];
            }
        }
        if curvature >= T::MINVAL {
            let ray_step = (-slope / curvature).max(-T::ONE);
            for k in 0..self.count {
                self.force[k] = self.old[k] + ray_step * self.old[k];
            }
        }
    }

    /// Tangential forces of a cone at its new normal force.
    fn update_tangents(&mut self, friction: &[T]) {
        let n = self.count - 1;
        // linear term at zero tangential force
        let mut linear = [T::ZERO; MAX_TANGENTS];
        let mut a = [[T::ZERO; MAX_TANGENTS]; MAX_TANGENTS];
        for i in 0..n {
            linear[i] = self.residual[1 + i] + self.a[1 + i][0] * (self.force[0] - self.old[0]);
            for j in 0..n {
                a[i][j] = self.a[1 + i][1 + j];
                linear[i] -= a[i][j] * self.old[1 + j];
            }
        }
        let tangents = tangent_forces(&a, &linear, friction, self.force[0], n);
        self.force[1..].copy_from_slice(&tangents);
    }

    /// Tangential forces of a block that lacks the normal row.
    pub(crate) fn update_tangents_only(&mut self, friction: &[T], normal: T) {
        let n = self.count;
        let mut linear = [T::ZERO; MAX_TANGENTS];
        let mut a = [[T::ZERO; MAX_TANGENTS]; MAX_TANGENTS];
        for i in 0..n {
            linear[i] = self.residual[i];
            for j in 0..n {
                a[i][j] = self.a[i][j];
                linear[i] -= a[i][j] * self.old[j];
            }
        }
        let tangents = tangent_forces(&a, &linear, friction, normal, n);
        self.force[..n].copy_from_slice(&tangents[..n]);
    }

    /// Change of cost by the new forces.
    fn cost_change(&self) -> T {
        let mut change = T::ZERO;
        for i in 0..self.count {
            let mut product = T::ZERO;
            for j in 0..self.count {
                product += self.a[i][j] * (self.force[j] - self.old[j]);
            }
            change += (self.force[i] - self.old[i]) * (T::of(0.5) * product + self.residual[i]);
        }
        change
    }

    /// Accepts the new forces, and updates the acceleration, unless that raises the cost; returns the change of cost.
    pub(crate) fn accept(&self, d: &mut Data<T>) -> T {
        let change = self.cost_change();
        if change > T::of(MAX_COST_INCREASE) {
            return T::ZERO;
        }
        for k in 0..self.count {
            let r = self.first + k;
            let step = self.force[k] - self.old[k];
            d.efc_force[r] = self.force[k];
            if step != T::ZERO {
                add_projected(d, r, step);
            }
        }
        change
    }
}

/// Tangential forces within the friction bound of a normal force.
fn tangent_forces<T: Real>(
    a: &[[T; MAX_TANGENTS]; MAX_TANGENTS],
    linear: &[T; MAX_TANGENTS],
    friction: &[T],
    normal: T,
    n: usize,
) -> [T; MAX_TANGENTS] {
    if normal < T::MINVAL {
        return [T::ZERO; MAX_TANGENTS];
    }
    let (mut x, held) = solve_qcqp(a, linear, friction, normal, n);
    // rescaled onto the boundary
    if held {
        let mut squares = T::ZERO;
        for k in 0..n {
            squares += (x[k] / friction[k]) * (x[k] / friction[k]);
        }
        let stretch = normal / squares.max(T::MINVAL).sqrt();
        for f in &mut x {
            *f *= stretch;
        }
    }
    x
}
