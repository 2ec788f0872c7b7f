//! Damped steps of least squares within bounds.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::variable::{Bound, Variable};
use manyworlds::error::{Error, Result};

/// A problem as it looks near a point: free variables, in the scales of their columns.
pub(super) struct Linearization {
    /// Variables that may move.
    free: Vec<usize>,
    /// Their scales: the largest norms of their columns so far.
    scales: Vec<f64>,
    /// `D⁻¹ J'J D⁻¹` of the free variables.
    normal: DMatrix<f64>,
    /// `−D⁻¹ J'r` of the free variables.
    descent: DVector<f64>,
    /// Largest cosine of the angle between the residual and a free column.
    pub(super) cosine: f64,
}

impl Linearization {
    /// Variables without effect, and those held at a bound, do not move. The scales grow with the columns.
    pub(super) fn new(
        jacobian: &DMatrix<f64>,
        residuals: &DVector<f64>,
        held: &[Option<Bound>],
        scales: &mut [f64],
    ) -> Self {
        let norms: Vec<f64> = jacobian.column_iter().map(|c| c.norm()).collect();
        scales.iter_mut().zip(&norms).for_each(|(s, norm)| *s = s.max(*norm));
        let free: Vec<usize> = (0..norms.len()).filter(|j| held[*j].is_none() && norms[*j] > 0.0).collect();
        let own: Vec<f64> = free.iter().map(|j| scales[*j]).collect();
        let mut columns = jacobian.select_columns(&free);
        for (mut column, scale) in columns.column_iter_mut().zip(&own) {
            column /= *scale;
        }
        let transposed = columns.transpose();
        let descent = -(&transposed * residuals);
        let length = residuals.norm();
        let cosine = |(j, d): (&usize, &f64)| (d * scales[*j] / norms[*j]).abs() / length;
        let cosine =
            if length > 0.0 { free.iter().zip(descent.iter()).map(cosine).fold(0.0, f64::max) } else { 0.0 };
        Self { free, scales: own, normal: transposed * columns, descent, cosine }
    }
}

/// The step of all variables with a damping: what would leave the box ends at its bound, and the rest is solved again.
///
/// # Errors
/// [`Error::Argument`] for a matrix that is singular in spite of the damping.
pub(super) fn of(at: &Linearization, variables: &[Variable], x: &[f64], damping: f64) -> Result<Vec<f64>> {
    let n = at.free.len();
    let mut matrix = at.normal.clone();
    (0..n).for_each(|k| matrix[(k, k)] += damping);
    // places of the free variables that have reached a bound, with their steps
    let mut reached: Vec<Option<f64>> = vec![None; n];
    let mut step = DVector::zeros(n);
    for _ in 0..=n {
        let open: Vec<usize> = (0..n).filter(|k| reached[*k].is_none()).collect();
        let shut: Vec<(usize, f64)> = (0..n).filter_map(|k| reached[k].map(|s| (k, s))).collect();
        let part = DMatrix::from_fn(open.len(), open.len(), |a, b| matrix[(open[a], open[b])]);
        let pull = |k: usize| at.descent[k] - shut.iter().map(|(l, s)| matrix[(k, *l)] * s).sum::<f64>();
        let right = DVector::from_fn(open.len(), |a, _| pull(open[a]));
        let factor = Cholesky::new(part).ok_or_else(|| singular(at, variables, damping))?;
        let solved = factor.solve(&right);
        shut.iter().for_each(|(k, s)| step[*k] = *s);
        open.iter().zip(solved.iter()).for_each(|(k, s)| step[*k] = *s);
        // what has left the box
        let mut left = false;
        for &k in &open {
            let (v, now) = (&variables[at.free[k]], x[at.free[k]]);
            let to = now + step[k] / at.scales[k];
            if to < v.lower || to > v.upper {
                reached[k] = Some((to.clamp(v.lower, v.upper) - now) * at.scales[k]);
                left = true;
            }
        }
        if !left {
            break;
        }
    }
    let mut all = vec![0.0; variables.len()];
    for (k, j) in at.free.iter().enumerate() {
        all[*j] = step[k] / at.scales[k];
    }
    Ok(all)
}

/// The error of a matrix without a factor.
fn singular(at: &Linearization, variables: &[Variable], damping: f64) -> Error {
    let names: Vec<&str> = at.free.iter().take(8).map(|j| variables[*j].name.as_str()).collect();
    Error::Argument(format!(
        "the Hessian of {} is singular, even with a damping of {damping:.1e}: leave out one of them",
        names.join(", ")
    ))
}

/// Variables after a step, within their bounds.
pub(super) fn moved(variables: &[Variable], x: &[f64], step: &[f64]) -> Vec<f64> {
    variables.iter().zip(x).zip(step).map(|((v, x), s)| (x + s).clamp(v.lower, v.upper)).collect()
}

/// Length of a step as a part of that of the variables, in their scales.
pub(super) fn part(step: &[f64], x: &[f64], scales: &[f64]) -> f64 {
    let length = |v: &[f64]| v.iter().zip(scales).map(|(v, s)| (v * s) * (v * s)).sum::<f64>().sqrt();
    let (step, all) = (length(step), length(x));
    // variables that are all zero have no length
    if all > 0.0 { step / all } else { step }
}

/// By how much the linear problem says that a step lowers the cost.
pub(super) fn predicted(jacobian: &DMatrix<f64>, residuals: &DVector<f64>, step: &[f64]) -> f64 {
    let change = jacobian * DVector::from_row_slice(step);
    -(change.dot(residuals) + 0.5 * change.norm_squared())
}
