//! Solver Smooth, the simplified contact model: what it means for a model, and what it excludes.

use super::Model;
use crate::error::{Error, Result};
use crate::real::Real;
use crate::schema::enums::{cone, integrator, solver};

impl<T: Real> Model<T> {
    /// True if the simplified contact model gives the constraint forces, in closed form.
    #[inline]
    pub fn is_smooth(&self) -> bool {
        self.opt_solver[0] == solver::SMOOTH
    }

    /// True if the integrator solves for forces at the end of the step, in a metric of its own.
    #[inline]
    pub fn is_discrete(&self) -> bool {
        self.opt_integrator[0] == integrator::DISCRETE
    }

    /// True if contacts have elliptic cones: by `opt_cone`, or because the simplified contact model knows no other.
    #[inline]
    pub fn has_elliptic_cones(&self) -> bool {
        self.opt_cone[0] == cone::ELLIPTIC || self.is_smooth()
    }
}

/// What is wrong with the parameters of the simplified contact model, the share η and the impulse β in N s, if anything.
pub fn parameter_fault(eta: f64, beta: f64) -> Option<String> {
    if !(eta > 0.0 && eta < 1.0) {
        return Some(format!("the share of the stopping impulse is {eta}; it has to be above 0 and below 1"));
    }
    let text = format!("the impulse that rounds the onset is {beta} N s; it has to be above 0");
    (!(beta > 0.0 && beta.is_finite())).then_some(text)
}

/// Rejects parameters of the simplified contact model that are out of range, where a model uses it.
pub(super) fn check_parameters(model: &Model) -> Result<()> {
    let fault = parameter_fault(model.opt_smooth[0], model.opt_smooth[1]).filter(|_| model.is_smooth());
    fault.map_or(Ok(()), |fault| Err(Error::Argument(format!("opt_smooth: {fault}"))))
}

/// Rejects inverse dynamics in the simplified contact model: its forces depend on the applied ones, and not on the
/// acceleration alone.
///
/// # Errors
/// [`Error::Unsupported`] for a model with solver Smooth.
pub fn check_inverse(model: &Model) -> Result<()> {
    if !model.is_smooth() {
        return Ok(());
    }
    let text = "inverse dynamics with solver Smooth: its constraint forces depend on the applied forces, not on the \
                acceleration alone; use another solver";
    Err(Error::Unsupported(text.to_owned()))
}
