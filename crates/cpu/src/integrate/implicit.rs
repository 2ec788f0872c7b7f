//! Integrators implicit in velocity: forces at the velocities after the step, linearised in them (MuJoCo
//! documentation, Computation, "Numerical integration"). `implicit` uses the derivatives of all forces and solves by
//! the factors U and L; `implicitfast` omits those of the bias force, so that the matrix is symmetric. It keeps them
//! for single free bodies: a spinning body then gains no energy, and their blocks are small.

use super::advance::{advance, advance_velocity};
use super::check_state::stays_behind;
use super::velocity_derivative::{bias_entry, bias_force_derivatives, derivative, is_fully_implicit, row};
use crate::smooth::factor_m::{factor_ld, solve_ld};
use crate::solver::metric::couples_tree;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_single_free_body;
use manyworlds_model::real::Real;

/// One step of one world; a diverged world is reset instead.
#[inline(always)]
pub fn implicit<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    if stays_behind(m, d) {
        return;
    }
    derivative(m, d);
    for i in 0..m.sizes.nv {
        d.qacc_damped[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
    }
    if is_fully_implicit(m) {
        for dof in 0..m.sizes.nv {
            matrix_row(m, d, dof);
        }
        factor_lu(m, &mut d.qLU, 0, m.sizes.nv);
        solve_lu(m, &d.qLU, &mut d.qacc_damped, 0, m.sizes.nv);
    } else {
        solve_implicitfast(m, d);
    }
    advance_velocity(&mut d.qvel, &d.qacc_damped, m.opt_timestep[0]);
    advance(m, d);
}

/// Product of the integrator's matrix with a vector.
pub fn mul_implicit<T: Real>(m: &Model<T>, d: &mut Data<T>, x: &[T], out: &mut [T]) {
    derivative(m, d);
    if !is_fully_implicit(m) {
        bias_force_derivatives(m, d);
    }
    for dof in 0..m.sizes.nv {
        matrix_row(m, d, dof);
        if !is_fully_implicit(m) && is_single_free_body(m, m.dof_treeid[dof]) {
            add_bias_force_derivatives(m, d, dof);
        }
        out[dof] = T::ZERO;
        for k in row(m, dof) {
            out[dof] += d.qLU[k] * x[m.D_colind[k] as usize];
        }
    }
}

/// One row of M less time step times the force derivatives.
#[inline(always)]
fn matrix_row<T: Real>(m: &Model<T>, d: &mut Data<T>, dof: usize) {
    let h = m.opt_timestep[0];
    for k in row(m, dof) {
        let inertia = usize::try_from(m.mapM2D[k]).map_or(T::ZERO, |at| d.M[at]);
        d.qLU[k] = inertia - h * d.qDeriv[k];
    }
}

/// Adds the derivatives of the bias force to a row of a single free body.
#[inline(always)]
fn add_bias_force_derivatives<T: Real>(m: &Model<T>, d: &mut Data<T>, dof: usize) {
    for k in row(m, dof) {
        let force_derivative = bias_entry(d, dof, m.D_colind[k] as usize);
        d.qLU[k] -= m.opt_timestep[0] * force_derivative;
    }
}

/// Accelerations of single free bodies that no constraint holds, with the derivatives of their bias forces, as with
/// `implicitfast`: a spinning body then gains no energy. The matrix of all other forces is in the place of the inertia. Bodies
/// that terms of a metric couple with others stay as they are.
pub fn turn_free_bodies<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for_turning_bodies(m, d, |m, d, first| {
        for dof in first..first + 6 {
            matrix_row(m, d, dof);
            add_bias_force_derivatives(m, d, dof);
        }
        factor_lu(m, &mut d.qLU, first, first + 6);
        let mut x = std::mem::take(&mut d.qacc);
        x[first..first + 6].copy_from_slice(&d.qfrc_smooth[first..first + 6]);
        solve_lu(m, &d.qLU, &mut x, first, first + 6);
        d.qacc = x;
    });
}

/// Adds to `qfrc_inverse` what [`turn_free_bodies`] has on the other side of the equation.
pub fn add_turning_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for_turning_bodies(m, d, |m, d, first| {
        for dof in first..first + 6 {
            let sum =
                (first..first + 6).fold(T::ZERO, |sum, j| sum + bias_entry(d, dof, j) * d.inverse_qacc[j]);
            d.qfrc_inverse[dof] -= m.opt_timestep[0] * sum;
        }
    });
}

/// Calls a function with the first degree of freedom of each single free body that rotates, without which there is no bias
/// force, on which no row acts, and that nothing is coupled with in the metric. Derivatives of bias forces are there.
fn for_turning_bodies<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    mut turn: impl FnMut(&Model<T>, &mut Data<T>, usize),
) {
    let bodies = || (0..m.sizes.ntree).filter(|&t| is_single_free_body(m, t as i32));
    let turns = |d: &Data<T>, first: usize| d.qvel[first + 3..first + 6].iter().any(|w| *w != T::ZERO);
    if !bodies().any(|tree| turns(d, m.tree_dofadr[tree] as usize)) {
        return;
    }
    // degrees of freedom on which rows act
    let Some(metric) = &mut d.metric else { return };
    let mut held = std::mem::take(&mut metric.work[0]);
    held.fill(T::ZERO);
    for r in 0..d.nefc[0] as usize {
        for (begin, end) in d.row_parts(r) {
            for (x, element) in held[begin..end].iter_mut().zip(d.row(r, begin, end)) {
                *x += element.abs();
            }
        }
    }
    d.qDeriv.fill(T::ZERO);
    bias_force_derivatives(m, d);
    for tree in bodies() {
        let first = m.tree_dofadr[tree] as usize;
        let is_free = held[first..first + 6].iter().all(|x| *x == T::ZERO);
        let is_coupled = d.metric.as_ref().is_some_and(|metric| couples_tree(m, metric, tree));
        if turns(d, first) && is_free && !is_coupled {
            turn(m, d, first);
        }
    }
    if let Some(metric) = &mut d.metric {
        metric.work[0] = held;
    }
}

/// Acceleration with the symmetrised matrix; the blocks of single free bodies include the bias-force derivatives and
/// are solved apart.
#[inline(always)]
fn solve_implicitfast<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let h = m.opt_timestep[0];
    bias_force_derivatives(m, d);
    for tree in (0..m.sizes.ntree).filter(|&t| is_single_free_body(m, t as i32)) {
        let first = m.tree_dofadr[tree] as usize;
        for dof in first..first + 6 {
            matrix_row(m, d, dof);
            add_bias_force_derivatives(m, d, dof);
        }
        factor_lu(m, &mut d.qLU, first, first + 6);
    }
    // all other trees: the blocks of single free bodies stay as in M
    for dof in 0..m.sizes.nv {
        let adr = m.M_rowadr[dof] as usize;
        let alone = is_single_free_body(m, m.dof_treeid[dof]);
        for k in adr..adr + m.M_rownnz[dof] as usize {
            d.qH[k] = if alone { d.M[k] } else { d.M[k] - h * d.qDeriv[m.mapD2M[k] as usize] };
        }
    }
    solve_damped(m, d);
    for tree in (0..m.sizes.ntree).filter(|&t| is_single_free_body(m, t as i32)) {
        let first = m.tree_dofadr[tree] as usize;
        for i in first..first + 6 {
            d.qacc_damped[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
        }
        solve_lu(m, &d.qLU, &mut d.qacc_damped, first, first + 6);
    }
}

/// Solves `qH x = qacc_damped` in place, by factors that replace `qH`.
#[inline(always)]
pub(super) fn solve_damped<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    factor_ld(m, &mut d.qH, &mut d.qHDiagInv);
    solve_ld(m, &d.qH, &d.qHDiagInv, &mut d.qacc_damped);
}

/// Replaces a matrix with the sparsity of D by its factors U, with unit diagonal, and L, for the degrees of freedom
/// from `first` to `end`, which are whole trees. Leaves are eliminated first, so that there is no fill-in (RBDA
/// §6.4).
#[inline(always)]
fn factor_lu<T: Real>(m: &Model<T>, lu: &mut [T], first: usize, end: usize) {
    for i in (first..end).rev() {
        let (adr, diagonal) = (m.D_rowadr[i] as usize, m.D_diag[i] as usize);
        let inv = T::ONE / lu[adr + diagonal];
        // elimination in the row of each ancestor
        for p in 0..diagonal {
            let j = m.D_colind[adr + p] as usize;
            // columns up to the ancestor are in the same places, later ones follow one another
            let (to, middle) = (m.D_rowadr[j] as usize, m.D_diag[j] as usize);
            let share = lu[to + middle + (i - j)] * inv;
            for q in 0..diagonal {
                let column = m.D_colind[adr + q] as usize;
                let at = if q <= p { to + q } else { to + middle + (column - j) };
                lu[at] -= share * lu[adr + q];
            }
            lu[to + middle + (i - j)] = share;
        }
    }
}

/// Solves `U L x = b` in place, with factors from [`factor_lu`].
#[inline(always)]
fn solve_lu<T: Real>(m: &Model<T>, lu: &[T], x: &mut [T], first: usize, end: usize) {
    // U, from the leaves up
    for i in (first..end).rev() {
        let (adr, diagonal) = (m.D_rowadr[i] as usize, m.D_diag[i] as usize);
        for p in 0..diagonal {
            let j = m.D_colind[adr + p] as usize;
            let above = m.D_rowadr[j] as usize + m.D_diag[j] as usize + (i - j);
            x[j] -= lu[above] * x[i];
        }
    }
    // L, from the root down
    for i in first..end {
        let (adr, diagonal) = (m.D_rowadr[i] as usize, m.D_diag[i] as usize);
        let mut sum = x[i];
        for p in 0..diagonal {
            sum -= lu[adr + p] * x[m.D_colind[adr + p] as usize];
        }
        x[i] = sum / lu[adr + diagonal];
    }
}
