//! Cost of the constraint rows: one term for each, whose negative derivative is the constraint force (MuJoCo
//! documentation, Computation, "Solver").
//!
//! The rows of a contact with an elliptic cone form a single term: see [`super::cone`].

use super::cone::cone_of;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Parameters of the cost of a row.
#[derive(Clone, Copy)]
pub struct CostParameters<T> {
    /// Quadratic on both sides of zero.
    equality: bool,
    /// Friction row: half width of its quadratic zone, and the slope of its linear zones.
    pub(crate) friction: bool,
    width: T,
    loss: T,
    pub(crate) constraint_mass: T,
}

/// Cost parameters of row `r`.
#[inline(always)]
pub fn cost_parameters<T: Real>(d: &Data<T>, r: usize) -> CostParameters<T> {
    let ne = d.ne[0] as usize;
    let nf = d.nf[0] as usize;
    let loss = d.efc_frictionloss[r];
    CostParameters {
        equality: r < ne,
        friction: r >= ne && r < ne + nf,
        width: d.efc_R[r] * loss,
        loss,
        constraint_mass: d.efc_D[r],
    }
}

/// True if a row is in its quadratic zone.
#[inline(always)]
pub fn is_quadratic<T: Real>(p: &CostParameters<T>, x: T) -> bool {
    p.equality || (p.friction && x > -p.width && x < p.width) || (!p.friction && x < T::ZERO)
}

/// Cost at `x`.
#[inline(always)]
pub fn row_cost<T: Real>(p: &CostParameters<T>, x: T) -> T {
    if is_quadratic(p, x) {
        return T::of(0.5) * p.constraint_mass * x * x;
    }
    if p.friction {
        return p.loss * (x.abs() - T::of(0.5) * p.width);
    }
    T::ZERO
}

/// Force: minus the derivative of the cost at `x`.
#[inline(always)]
pub fn force<T: Real>(p: &CostParameters<T>, x: T) -> T {
    if is_quadratic(p, x) {
        return -(p.constraint_mass * x);
    }
    if p.friction {
        return if x > T::ZERO { -p.loss } else { p.loss };
    }
    T::ZERO
}

/// Forces of all rows at `solver_Jv`.
pub fn constraint_update<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut r = 0;
    while r < d.nefc[0] as usize {
        if let Some(cone) = cone_of(m, d, r) {
            let (f, _) = cone.forces(&d.solver_Jv[r..r + cone.dim]);
            d.efc_force[r..r + cone.dim].copy_from_slice(&f[..cone.dim]);
            r += cone.dim;
        } else {
            d.efc_force[r] = force(&cost_parameters(d, r), d.solver_Jv[r]);
            r += 1;
        }
    }
}
