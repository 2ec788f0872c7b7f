//! Variables of a problem, and their bounds.

use nalgebra::DVector;

use manyworlds::error::{Error, Result};

/// A variable of a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name in messages.
    pub name: String,
    /// Value at the start.
    pub start: f64,
    /// Least value; negative infinity where there is none.
    pub lower: f64,
    /// Greatest value; infinity where there is none.
    pub upper: f64,
    /// Magnitude of typical values: differences are taken over a part of it, or of the value where this is larger.
    pub scale: f64,
}

/// A bound that holds a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The least value.
    Lower,
    /// The greatest value.
    Upper,
}

impl Bound {
    /// `lower` or `upper`.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Lower => "lower",
            Bound::Upper => "upper",
        }
    }
}

impl Variable {
    /// Checks the numbers.
    pub(super) fn check(&self) -> Result<()> {
        let Variable { name, start, lower, upper, scale } = self;
        let wrong = |why: String| Err(Error::Argument(format!("{name}: {why}")));
        if !start.is_finite() {
            return wrong(format!("the start is {start}; it has to be finite"));
        }
        if lower.is_nan() || upper.is_nan() || lower >= upper {
            return wrong(format!("the range {lower}..{upper} is empty; leave it out to keep it as it is"));
        }
        if start < lower || start > upper {
            return wrong(format!("the start {start} is not in the range {lower}..{upper}"));
        }
        if !(*scale > 0.0 && scale.is_finite()) {
            return wrong(format!("the magnitude is {scale}; it has to be above 0"));
        }
        Ok(())
    }
}

/// Bounds against which the gradient pushes.
pub(super) fn held(variables: &[Variable], x: &[f64], gradient: &DVector<f64>) -> Vec<Option<Bound>> {
    let of = |((v, x), g): ((&Variable, &f64), &f64)| match () {
        () if *x <= v.lower && *g >= 0.0 => Some(Bound::Lower),
        () if *x >= v.upper && *g <= 0.0 => Some(Bound::Upper),
        () => None,
    };
    variables.iter().zip(x).zip(gradient.iter()).map(of).collect()
}
