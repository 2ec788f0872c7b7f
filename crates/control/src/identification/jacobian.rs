//! Jacobians by differences, whose columns that share no row are evaluated together (Curtis, Powell and Reid, On the
//! estimation of sparse Jacobian matrices, IMA Journal of Applied Mathematics 13(1), 1974).

use std::ops::Range;

use nalgebra::DMatrix;

use super::least_squares::{Point, Residuals, Search};
use super::variable::Variable;
use manyworlds::error::{Error, Result};

impl<R: Residuals> Search<'_, R> {
    /// Variables in groups that share no row, each in the first group that has room for it.
    pub(super) fn groups(problem: &R, n: usize) -> Vec<Vec<usize>> {
        let apart = |a: &Range<usize>, b: &Range<usize>| a.end <= b.start || b.end <= a.start;
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for j in 0..n {
            let own = problem.rows(j);
            match groups.iter_mut().find(|group| group.iter().all(|k| apart(&own, &problem.rows(*k)))) {
                Some(group) => group.push(j),
                None => groups.push(vec![j]),
            }
        }
        groups
    }

    /// Jacobian `[m, n]` by differences. Where a column is not finite on one side, it is taken from the other.
    pub(super) fn jacobian(&mut self, at: &Point, iteration: usize) -> Result<DMatrix<f64>> {
        let n = self.variables.len();
        // towards the side with more room
        let sides: Vec<f64> = self
            .variables
            .iter()
            .zip(&at.x)
            .map(
                |(v, x)| {
                    if v.upper - x >= self.width(v, *x) || v.upper - x >= x - v.lower { 1.0 } else { -1.0 }
                },
            )
            .collect();
        let first = self.displaced(at, &sides)?;
        let finite = |column: &Column| column.residuals.iter().all(|r| r.is_finite());
        let needs_other = self.options.centred || !first.iter().all(finite);
        let other = if needs_other {
            self.displaced(at, &sides.iter().map(|s| -s).collect::<Vec<_>>())?
        } else {
            Vec::new()
        };
        let mut jacobian = DMatrix::zeros(self.problem.size(), n);
        for (j, a) in first.iter().enumerate() {
            let rows = self.problem.rows(j);
            let here = &at.residuals.as_slice()[rows.clone()];
            let usable = |c: &&Column| c.by != 0.0 && finite(c);
            let (a, b) = (Some(a).filter(usable), other.get(j).filter(usable));
            let slopes: Vec<f64> = match (a, b) {
                (Some(a), Some(b)) if self.options.centred => {
                    a.residuals.iter().zip(&b.residuals).map(|(p, q)| (p - q) / (a.by - b.by)).collect()
                }
                (Some(c), _) | (None, Some(c)) => {
                    c.residuals.iter().zip(here).map(|(p, q)| (p - q) / c.by).collect()
                }
                (None, None) => Vec::new(),
            };
            let square: f64 = slopes.iter().map(|s| s * s).sum();
            if slopes.len() != here.len() || !square.is_finite() {
                return Err(self.no_derivative(at, j, &first[j], iteration));
            }
            jacobian.view_mut((rows.start, j), (rows.len(), 1)).copy_from_slice(&slopes);
        }
        Ok(jacobian)
    }

    /// The error of a column that is not finite.
    fn no_derivative(&self, at: &Point, variable: usize, column: &Column, iteration: usize) -> Error {
        let rows = self.problem.rows(variable);
        let bad = column.residuals.iter().position(|r| !r.is_finite()).unwrap_or_default();
        let place = self.problem.place(rows.start + bad);
        let (name, values) = (&self.variables[variable].name, self.values(&at.x));
        Error::Argument(format!(
            "the derivative of {place} by {name} is not finite after {iteration} iterations, where {values}: narrow \
             the bounds, or start elsewhere"
        ))
    }

    /// Width of a difference.
    fn width(&self, variable: &Variable, x: f64) -> f64 {
        self.options.difference * x.abs().max(variable.scale)
    }

    /// Residuals of each variable's rows where it is moved to one side, as far as its bounds allow.
    fn displaced(&mut self, at: &Point, sides: &[f64]) -> Result<Vec<Column>> {
        let n = self.variables.len();
        let moved: Vec<f64> = (0..n)
            .map(|j| {
                let v = &self.variables[j];
                (at.x[j] + sides[j] * self.width(v, at.x[j])).clamp(v.lower, v.upper)
            })
            .collect();
        let mut candidates = Vec::with_capacity(self.groups.len() * n);
        for group in &self.groups {
            let begin = candidates.len();
            candidates.extend_from_slice(&at.x);
            group.iter().for_each(|j| candidates[begin + j] = moved[*j]);
        }
        let found = self.evaluate(&candidates)?;
        let mut columns: Vec<Column> =
            (0..n).map(|j| Column { by: moved[j] - at.x[j], residuals: Vec::new() }).collect();
        for (group, residuals) in self.groups.iter().zip(&found) {
            for &j in group {
                columns[j].residuals = residuals.as_slice()[self.problem.rows(j)].to_vec();
            }
        }
        Ok(columns)
    }
}

/// Residuals of the rows of a variable after it was moved.
struct Column {
    by: f64,
    residuals: Vec<f64>,
}
