//! What residuals say about variables: covariances, and which of them they determine.

use nalgebra::{Cholesky, DMatrix, SymmetricEigen};

use super::variable::Bound;

/// Squared part of a direction without effect that makes a variable one that is not identifiable.
const PART_OF_DIRECTION: f64 = 0.01;

/// Covariance of variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// True for variables that the residuals determine, alone and beside the others, `[n]`.
    pub identifiable: Vec<bool>,
    /// Variance of a residual, `2 cost / (m − p)` with p variables that are free and identifiable; `None` where there are
    /// not more residuals than these.
    pub variance: Option<f64>,
    /// `s² (J'J)⁻¹` of these variables with the others as they are, `[n, n]`; NaN in the rows and columns of the others,
    /// and everywhere without a variance.
    pub covariance: Vec<f64>,
}

impl Statistics {
    /// Standard deviation of a variable; `None` where it is held at a bound, or not identifiable.
    pub fn deviation(&self, variable: usize) -> Option<f64> {
        let n = self.identifiable.len();
        self.covariance.get((n + 1) * variable).filter(|v| v.is_finite()).map(|v| v.sqrt())
    }

    /// Correlation of two variables; `None` where one of them has no deviation.
    pub fn correlation(&self, a: usize, b: usize) -> Option<f64> {
        let product = self.deviation(a)? * self.deviation(b)?;
        let together = self.covariance[self.identifiable.len() * a + b];
        (product > 0.0).then(|| (together / product).clamp(-1.0, 1.0))
    }
}

/// Covariance by the Jacobian `[m, n]` at the end of a search.
pub(super) fn statistics(
    jacobian: &DMatrix<f64>,
    cost: f64,
    bounds: &[Option<Bound>],
    tolerance: f64,
) -> Statistics {
    let (m, n) = jacobian.shape();
    let norms: Vec<f64> = jacobian.column_iter().map(|c| c.norm()).collect();
    let mut identifiable: Vec<bool> = norms.iter().map(|norm| *norm > 0.0).collect();
    // directions of the scaled free columns that change nothing
    let free: Vec<usize> = (0..n).filter(|j| bounds[*j].is_none() && identifiable[*j]).collect();
    let eigen = (!free.is_empty()).then(|| SymmetricEigen::new(scaled_normal(jacobian, &norms, &free)));
    let directions = eigen.iter().flat_map(|e| e.eigenvalues.iter().zip(e.eigenvectors.column_iter()));
    for (value, direction) in directions {
        if *value < tolerance * tolerance {
            for (j, x) in free.iter().zip(direction.iter()) {
                identifiable[*j] &= x * x < PART_OF_DIRECTION;
            }
        }
    }
    let known: Vec<usize> = free.into_iter().filter(|j| identifiable[*j]).collect();
    let variance = (m > known.len()).then(|| 2.0 * cost / (m - known.len()) as f64);
    let mut covariance = vec![f64::NAN; n * n];
    if let (Some(variance), Some(factor)) = (variance, Cholesky::new(scaled_normal(jacobian, &norms, &known)))
    {
        let inverse = factor.inverse();
        for (a, i) in known.iter().enumerate() {
            for (b, j) in known.iter().enumerate() {
                covariance[n * i + j] = variance * inverse[(a, b)] / (norms[*i] * norms[*j]);
            }
        }
    }
    Statistics { identifiable, variance, covariance }
}

/// `J'J` of some columns with length one.
fn scaled_normal(jacobian: &DMatrix<f64>, norms: &[f64], chosen: &[usize]) -> DMatrix<f64> {
    let mut columns = jacobian.select_columns(chosen);
    for (mut column, j) in columns.column_iter_mut().zip(chosen) {
        column /= norms[*j];
    }
    columns.transpose() * &columns
}
