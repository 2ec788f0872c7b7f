//! Options of a search for least squares.

use manyworlds::error::{Error, Result};

/// Options of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Most iterations.
    pub iterations: usize,
    /// Ends where the cosine of the angle between the residual and each free column of the Jacobian is below this.
    pub gradient_tolerance: f64,
    /// Ends where a step is a smaller part of the variables, in their scales.
    pub step_tolerance: f64,
    /// Ends where a step lowers the cost by a smaller part of it.
    pub cost_tolerance: f64,
    /// Differences are taken over this part of a variable's magnitude.
    pub difference: f64,
    /// Central differences: twice the work, second-order error.
    pub centred: bool,
    /// Damping at the start, relative to the squared columns.
    pub damping: f64,
    /// Dampings that are tried at once, a factor of 10 apart.
    pub dampings: usize,
    /// Directions in which the residual changes by a smaller part than by its scaled columns count as not identifiable.
    pub rank_tolerance: f64,
}

impl Options {
    /// Options for residuals in double precision.
    pub const DOUBLE: Self = Self {
        iterations: 100,
        gradient_tolerance: 1e-8,
        step_tolerance: 1e-8,
        cost_tolerance: 1e-12,
        difference: 1e-6,
        centred: false,
        damping: 1e-3,
        dampings: 3,
        rank_tolerance: 1e-5,
    };

    /// Options for residuals in single precision.
    pub const SINGLE: Self = Self {
        gradient_tolerance: 1e-4,
        step_tolerance: 1e-5,
        cost_tolerance: 1e-6,
        difference: 1e-2,
        centred: true,
        rank_tolerance: 1e-3,
        ..Self::DOUBLE
    };

    /// Checks the numbers.
    pub(super) fn check(&self) -> Result<()> {
        let positive = [
            ("difference", self.difference),
            ("damping", self.damping),
            ("rank_tolerance", self.rank_tolerance),
        ];
        let tolerances = [
            ("gradient_tolerance", self.gradient_tolerance),
            ("step_tolerance", self.step_tolerance),
            ("cost_tolerance", self.cost_tolerance),
        ];
        if let Some((name, x)) = positive.iter().find(|(_, x)| !(*x > 0.0 && x.is_finite())) {
            return Err(Error::Argument(format!("the option {name} is {x}; it has to be above 0")));
        }
        if let Some((name, x)) = tolerances.iter().find(|(_, x)| !(*x >= 0.0 && x.is_finite())) {
            return Err(Error::Argument(format!("the option {name} is {x}; it has to be at least 0")));
        }
        if self.dampings == 0 {
            return Err(Error::Argument("the option dampings is 0; it has to be at least 1".to_owned()));
        }
        Ok(())
    }
}
